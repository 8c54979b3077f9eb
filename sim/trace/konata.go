package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/gcnsim/gcnsim/sim/timing"
)

// MaxKonata is how many instructions a [Konata] trace holds.
const MaxKonata = 100_000

// Konata collects a pipeline trace in the format of the Konata viewer: a line for each
// executed instruction with the stages St (its wave waits), Is (issue) and Me (it is
// outstanding).
type Konata struct {
	base   uint64
	n      uint64
	events []konataEvent
	text   map[uint64]string // by PC
	ids    map[string]int    // threads by group and wave
}

// konataEvent is one line of the file. Lines of one cycle keep their order.
type konataEvent struct {
	at   uint64
	line string
}

// NewKonata returns an empty trace. base is what PCs count from.
func NewKonata(base uint64) *Konata {
	return &Konata{base: base, text: map[uint64]string{}, ids: map[string]int{}}
}

// Observe records one instruction. It is meant for [timing.Model.Trace].
func (k *Konata) Observe(s *timing.Span) {
	if k.n++; k.n > MaxKonata {
		return
	}
	id := k.n - 1
	wave := fmt.Sprintf("%s wave %d", groupName(s), s.Wave)
	tid, ok := k.ids[wave]
	if !ok {
		tid = len(k.ids)
		k.ids[wave] = tid
	}
	add := func(at uint64, format string, args ...any) {
		k.events = append(k.events, konataEvent{at, fmt.Sprintf(format, args...)})
	}
	add(s.Ready, "I\t%d\t%d\t%d", id, s.Seq, tid)
	add(s.Ready, "L\t%d\t0\t%04x: %s", id, s.PC-k.base, textOf(k.text, s, k.base))
	add(s.Ready, "L\t%d\t1\tgroup %s, CU %d, SIMD %d", id, wave, s.CU, s.SIMD)
	if s.Issue > s.Ready {
		add(s.Ready, "S\t%d\t0\tSt", id)
		add(s.Ready, "L\t%d\t1\t, waits for %v", id, s.Why)
	}
	add(s.Issue, "S\t%d\t0\tIs", id)
	if s.Done > s.Free {
		add(s.Free, "S\t%d\t0\tMe", id)
	}
	add(s.Done, "R\t%d\t%d\t0", id, id)
}

// Dropped returns how many instructions there were beyond [MaxKonata].
func (k *Konata) Dropped() uint64 { return max(k.n, MaxKonata) - MaxKonata }

// Write writes the trace.
func (k *Konata) Write(w io.Writer) error {
	slices.SortStableFunc(k.events, func(a, b konataEvent) int { return cmp.Compare(a.at, b.at) })
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "Kanata\t0004\nC=\t0\n")
	now := uint64(0)
	for _, e := range k.events {
		if e.at > now {
			fmt.Fprintf(out, "C\t%d\n", e.at-now)
			now = e.at
		}
		fmt.Fprintln(out, e.line)
	}
	return out.Flush()
}
