package record

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// span has the times of a step.
type span struct {
	ready, issue, free, done uint64
	why                      timing.Stall
	ta, lds                  timing.Work
	lines, hits, misses      uint64
}

// Span records the times of an instruction. Pass it to [timing.Model.OnSpan].
func (r *Recorder) Span(s *timing.Span) {
	t := r.known[windowKey{s.Group, s.Wave}]
	if t == nil || !t.begun || uint64(s.Seq) != t.w.From+uint64(len(t.spans)) || t.full && len(t.spans) >= t.w.Count {
		return
	}
	t.w.CU, t.w.SIMD, t.w.Slot = s.CU, s.SIMD, s.Slot
	t.spans = append(t.spans, span{s.Ready, s.Issue, s.Free, s.Done, s.Why, s.TA, s.LDS, s.Lines, s.L1Hits, s.L1Misses})
}

// Flags of times. Each set flag announces a value; the values follow in this order.
const (
	timeReady = 1 << iota // clocks from the end of the previous instruction until this one was ready
	timeStall             // a wait: its clocks and its cause
	timeBusy              // clocks until the next instruction could issue, if not 4
	timeDone              // clocks from then until this instruction completed
	timeTA                // texture address unit: clocks from the issue to its start, and clocks it took
	timeLDS               // LDS: the same two values
	timeLines             // number of cache lines, hits and misses
)

// usualBusy is the number of cycles that most instructions take.
const usualBusy = 4

// times encodes the times of all steps.
func (t *track) times() (b []byte, timed bool) {
	free := uint64(0)
	t.spans = t.spans[:min(len(t.spans), t.w.Count)]
	for i := range t.spans {
		s := &t.spans[i]
		at := len(b)
		b = append(b, 0)
		add := func(flag byte, is bool, values ...uint64) {
			if is {
				b[at] |= flag
				for _, v := range values {
					b = binary.AppendUvarint(b, v)
				}
			}
		}
		if s.ready != free {
			b[at] |= timeReady
			b = binary.AppendVarint(b, int64(s.ready-free))
		}
		add(timeStall, s.issue != s.ready, s.issue-s.ready, uint64(s.why))
		add(timeBusy, s.free != s.issue+usualBusy, s.free-s.issue)
		add(timeDone, s.done > s.free, s.done-s.free)
		add(timeTA, s.ta.Clocks > 0, s.ta.Begin-s.issue, s.ta.Clocks)
		add(timeLDS, s.lds.Clocks > 0, s.lds.Begin-s.issue, s.lds.Clocks)
		add(timeLines, s.lines > 0, s.lines, s.hits, s.misses)
		free = s.free
	}
	return b, len(t.spans) > 0
}
