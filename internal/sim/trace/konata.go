package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// maxKonata is the default limit on the instructions of a Konata trace.
const maxKonata = 100_000

// konata collects a pipeline trace. It writes the trace at the end, because its lines are in the order of time.
type konata struct {
	w      io.Writer
	base   uint64
	n      uint64
	events []konataEvent
	text   map[uint64]string // disassembly by PC
	ids    map[string]int    // thread numbers by work-group and wave
}

// konataEvent is one line of the file. Lines of the same cycle keep their order.
type konataEvent struct {
	at   uint64
	line string
}

// NewKonata starts a pipeline trace in the format of the Konata viewer. It has a line for each executed instruction
// with the stages St (its wave waits), Is (issue) and Me (it is outstanding). PCs are relative to base. Close writes
// it to w. It holds 100000 instructions unless its Limit is changed.
func NewKonata(w io.Writer, base uint64) *Trace {
	return &Trace{Limit: maxKonata, form: &konata{w: w, base: base, text: map[uint64]string{}, ids: map[string]int{}}}
}

func (k *konata) size() int { return int(k.n) }

// dispatch does nothing, because the viewer shows only pipelines.
func (k *konata) dispatch(string, string, uint64, uint64) {}

func (k *konata) add(s *timing.Span) {
	id := k.n
	k.n++
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

func (k *konata) end(bool) error {
	slices.SortStableFunc(k.events, func(a, b konataEvent) int { return cmp.Compare(a.at, b.at) })
	out := bufio.NewWriter(k.w)
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
