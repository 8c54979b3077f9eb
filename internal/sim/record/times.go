package record

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// span are the times of a step.
type span struct {
	ready, issue, free, done uint64
	why                      timing.Stall
	ta, lds                  timing.Work
	lines, hits, misses      uint64
}

// Span records the times of an instruction: it is for [timing.Model.OnSpan].
func (r *Recorder) Span(s *timing.Span) {
	t := r.known[windowKey{s.Group, s.Wave}]
	if t == nil || !t.begun || uint64(s.Seq) != t.w.From+uint64(len(t.spans)) || t.full && len(t.spans) >= t.w.Count {
		return
	}
	t.w.CU, t.w.SIMD, t.w.Slot = s.CU, s.SIMD, s.Slot
	t.spans = append(t.spans, span{s.Ready, s.Issue, s.Free, s.Done, s.Why, s.TA, s.LDS, s.Lines, s.L1Hits, s.L1Misses})
}

// Flags of times: what follows, in this order.
const (
	timeReady = 1 << iota // it was ready at another time than when the one before was over: how much later
	timeStall             // a wait: its clocks and its cause
	timeBusy              // it took other than 4 cycles until the next could issue: how long
	timeDone              // it completed after the next could issue: how long after
	timeTA                // the texture address unit began after the issue: how long after, and how many clocks it took
	timeLDS               // the same of LDS
	timeLines             // cache lines: how many, hits and misses
)

// usualBusy is how many cycles most instructions take.
const usualBusy = 4

// times returns the times of all steps.
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
