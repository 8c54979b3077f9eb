package timing

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
)

// timelineWidth is the largest width of a line of the timeline.
const timelineWidth = 100

// timelineHead has the columns before the instruction; the column "for" is left-aligned.
var timelineHead = [...]string{"pc", "cycle", "count", "stall", "for", "done", "time"}

const columnFor = 4

// WriteTimeline writes a line for each instruction: the cycle of its first issue, its number of executions, the
// average cycles that its wave waited before it and the reason, the average cycles from issue to completion, and its
// share of the time of all waves. PCs are relative to base. The error comes from w.
func (r *Result) WriteTimeline(w io.Writer, base uint64) error {
	total := r.Busy
	for _, n := range r.Stalls {
		total += n
	}
	lines := [][len(timelineHead)]string{timelineHead}
	texts, sources, from := []string{"instruction"}, []string{"source"}, 0
	var width [len(timelineHead)]int
	for i := range r.Insts {
		if x := &r.Insts[i]; x.Count > 0 {
			lines = append(lines, x.columns(base, total))
			texts = append(texts, disasm.Text((*isa.Inst)(&x.Inst), x.PC, base))
			sources, from = append(sources, x.Source), max(from, len(x.Source))
		}
	}
	room := timelineWidth
	for c := range width {
		for _, line := range lines {
			width[c] = max(width[c], len(line[c]))
		}
		room -= width[c] + 2
	}
	if from > 0 {
		from = max(from, len(sources[0]))
		room -= from + 2
	}
	out := bufio.NewWriter(w)
	for i, line := range lines {
		for c, s := range line {
			pad := strings.Repeat(" ", width[c]-len(s))
			if c == columnFor {
				out.WriteString(s + pad + "  ")
			} else {
				out.WriteString(pad + s + "  ")
			}
		}
		if from > 0 {
			fmt.Fprintf(out, "%-*s  ", from, sources[i])
		}
		if text := texts[i]; len(text) > room {
			texts[i] = text[:max(room-3, 0)] + "..."
		}
		out.WriteString(texts[i] + "\n")
	}
	return out.Flush()
}

// columns returns the columns of t; total is the number of cycles of all waves.
func (t *InstTimes) columns(base, total uint64) (c [len(timelineHead)]string) {
	c[0], c[1], c[2] = fmt.Sprintf("0x%04x", t.PC-base), fmt.Sprint(t.First), fmt.Sprint(t.Count)
	if n := t.Stalled; 2*n >= t.Count && n > 0 { // otherwise it rounds to 0
		c[3], c[columnFor] = average(n, t.Count), t.Why.String()
	}
	if t.Latency > 0 {
		c[5] = "+" + average(t.Latency, t.Count)
	}
	c[6] = fmt.Sprintf("%.1f%%", 100*float64(t.Busy+t.Stalled)/float64(max(total, 1)))
	return c
}

// average returns sum/n, rounded.
func average(sum, n uint64) string { return fmt.Sprint((sum + n/2) / n) }
