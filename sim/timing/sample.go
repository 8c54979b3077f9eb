package timing

import (
	"fmt"
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/sim"
)

// Sampling says which part of a run was timed, with [Params].Sampled.
type Sampling struct {
	// Groups are the work-groups of the run, and Timed those that the model timed. The others executed without times.
	Groups, Timed uint64
	// Cycles are those of the timed work-groups, which counters, metrics and the timeline are about.
	Cycles uint64
	// Bound is by how many percent of [Result].Cycles the run may take more or less than a model of all work-groups
	// says, if the clocks that an instruction takes lie, in each part that was left out, between those of the stretches
	// beside it.
	Bound float64
	// Why says why every work-group of the latest dispatch was timed, or no more of them left out; "" if some were
	// left out.
	Why string
}

// String says it in words.
func (s *Sampling) String() string {
	if s.Timed == s.Groups {
		return fmt.Sprintf("sampled, but all of %d work-groups were timed: %s", s.Groups, s.Why)
	}
	return fmt.Sprintf("sampled: %d of %d work-groups were timed, and all would take the same within %.1f %%", s.Timed,
		s.Groups, s.Bound)
}

const (
	// A launch of fewer generations than leastGenerations is timed whole. A generation are the work-groups that run at
	// a time.
	leastGenerations = 12
	// firstSkip is the first part that is left out, of what follows the first stretch.
	firstSkip = 8
	// steady is how far the clocks an instruction of two stretches in a row may differ: else what is left out next is
	// half as long, and at the beginning nothing is.
	steady = 0.01
	// Where work-groups that were left out had alikeWork more or less instructions than those before, settling quarters
	// of a generation go by before a stretch begins.
	alikeWork = 0.05
	settling  = 2
	// leastDoubt is how far the clocks of what is left out may be from what is said at least.
	leastDoubt = 0.01
	// mostBound is the largest Bound, in percent, with which there is an answer.
	mostBound = 4
)

// sampler decides which work-groups of a dispatch are timed. It compares stretches in each of which as many work-groups
// begin as run at a time, or a quarter of that if four quarters were alike. What is left out takes the clocks an
// instruction of the stretches before and after it.
//
// Between stretches the model stands still: for it the work-groups that are left out do not exist, so that
// the caches and the waves that run are those of the stretch before. The end of the grid is always timed.
type sampler struct {
	turns      bool   // work-groups run as the model says
	full       bool   // a work-group has found no room
	generation int    // work-groups that run at a time
	begun      int    // work-groups of the quarter of a generation that is timed
	since      uint64 // when it began,
	issued     uint64 // and how many instructions had issued

	quarters []quarter // of the stretch
	long     int       // how many quarters that count a stretch has
	apart    int       // how many come before, which do not count because work-groups of another kind begin
	dense    float64   // instructions a work-group of the latest stretch
	rates    []float64 // clocks an instruction of the latest stretches, at most three
	skip     int       // generations to leave out next; 0 before the beginning is steady
	skipped  uint64    // instructions that were left out after the latest stretch
	done     bool      // nothing is left out any more
	extra    float64   // clocks of what the dispatch left out
	doubt    float64   // by how many clocks extra may be wrong

	all Sampling // of all dispatches, without Cycles
	// cycles are those of all that was left out before the dispatch, which the time of the model includes, and
	// doubts by how much they may be wrong.
	cycles uint64
	doubts float64
}

// quarter is a quarter of a generation: how long it took, and how many instructions issued.
type quarter struct{ clocks, issued float64 }

// rate returns the clocks an instruction.
func (q quarter) rate() float64 { return q.clocks / max(q.issued, 1) }

// next begins another dispatch.
func (s *sampler) next() {
	*s = sampler{quarters: s.quarters[:0], rates: s.rates[:0], long: 4, all: s.all, cycles: s.cycles, doubts: s.doubts}
	s.all.Why = ""
}

// stop ends sampling of the dispatch.
func (s *sampler) stop(format string, args ...any) {
	s.done = true
	if s.extra == 0 {
		s.all.Why = fmt.Sprintf(format, args...)
	}
}

// issued returns how many instructions have issued.
func (m *Model) issued() (n uint64) {
	for i := range m.perOp {
		n += m.perOp[i].count
	}
	return n
}

// sample is called when g has begun. It may execute the work-groups that follow without times.
func (m *Model) sample(g *sim.Group) {
	s := &m.sampler
	s.begun++
	if !m.p.Sampled || s.done || !s.full {
		return
	}
	if s.generation == 0 {
		s.generation, s.begun = s.begun-1, 1
		s.since, s.issued = m.now, m.issued()
	}
	left := g.Left()
	switch {
	case len(m.spans) > 0:
		s.stop("each instruction is shown with its times")
	case m.clock != nil:
		s.stop("waves read the clock")
	case s.skip == 0 && left < leastGenerations*s.generation:
		if len(s.rates) < 2 {
			s.stop("%d work-groups run at a time, and sampling takes %d times as many", s.generation, leastGenerations)
		} else {
			s.stop("the clocks that an instruction takes did not become steady: %s", s.spread())
		}
	case s.begun*4 >= s.generation:
		s.quarter(m)
		if len(s.quarters) == s.apart+s.long {
			s.stretch()
			if s.skip > 0 {
				s.leaveOut(g)
			}
			s.since, s.issued = m.now, m.issued()
		}
	}
}

// quarter ends a quarter of a generation.
func (s *sampler) quarter(m *Model) {
	n := m.issued()
	s.quarters = append(s.quarters, quarter{float64(m.now - s.since), float64(n - s.issued)})
	s.since, s.issued, s.begun = m.now, n, 0
}

// stretch ends a stretch.
func (s *sampler) stretch() {
	var all quarter
	least, most := math.Inf(1), 0.0
	for _, q := range s.quarters[s.apart:] {
		all.clocks, all.issued = all.clocks+q.clocks, all.issued+q.issued
		least, most = min(least, q.rate()), max(most, q.rate())
	}
	s.dense = 4 * all.issued / float64(s.long*s.generation)
	alike := s.long > 1 && most/least-1 < steady
	s.quarters = s.quarters[:0]
	if len(s.rates) == 3 {
		s.rates = append(s.rates[:0], s.rates[1:]...)
	}
	s.rates = append(s.rates, all.rate())
	last := len(s.rates) - 1
	same := last > 0 && math.Abs(s.rates[last]/s.rates[last-1]-1) < steady
	switch {
	case s.skip == 0 && alike:
		s.skip, s.long = 1, 1 // leaveOut knows how many
	case s.skip == 0 && same:
		s.skip = 1
	case s.skip > 0 && same:
		s.skip *= 2
	case s.skip > 0:
		s.skip = max(s.skip/2, 1)
	}
	s.settle()
}

// settle gives what was left out before the latest stretch its clocks.
func (s *sampler) settle() {
	if s.skipped == 0 {
		return
	}
	last := len(s.rates) - 1
	mean, doubt := (s.rates[last]+s.rates[max(last-1, 0)])/2, 0.0
	for _, r := range s.rates {
		doubt = max(doubt, math.Abs(r-mean))
	}
	doubt = max(doubt, leastDoubt*mean) // rates may drift between stretches
	s.extra += mean * float64(s.skipped)
	s.doubt += doubt * float64(s.skipped)
	s.skipped = 0
}

// leaveOut executes work-groups that follow g without times, whole generations of them. The last generation remains.
func (s *sampler) leaveOut(g *sim.Group) {
	left := (4*g.Left()/s.generation - s.long - s.apart) / 4
	if s.extra == 0 {
		s.skip = max(left/firstSkip, 1)
	}
	n := s.skip
	if left-n < 3 { // a stretch in between is not worth it
		n = left
	}
	if n < 1 {
		s.stop("too little is left")
		return
	}
	var ok bool
	if s.skipped, ok = g.RunNext(n * s.generation); !ok {
		s.stop("there is no scratch for work-groups beside those that run")
		return
	}
	s.apart = 0
	if d := float64(s.skipped) / float64(n*s.generation); math.Abs(d/s.dense-1) > alikeWork {
		s.apart = settling
	}
	s.all.Groups += uint64(n * s.generation)
}

// fold ends the dispatch, all of which has run, and returns the clocks of what it left out.
func (m *Model) fold() uint64 {
	s := &m.sampler
	if s.skipped > 0 { // the last stretch ends with the grid
		s.settle()
	}
	switch {
	case !m.p.Sampled || s.extra > 0 || s.all.Why != "":
	case !s.turns:
		s.stop("work-groups run one after another, because their order matters or another watcher wants it")
	case !s.full:
		s.stop("all work-groups run at a time")
	default:
		s.stop("too few work-groups are left after the first that run at a time")
	}
	extra := uint64(s.extra)
	s.cycles, s.doubts = s.cycles+extra, s.doubts+s.doubt
	s.extra, s.doubt = 0, 0
	return extra
}

// sampling returns what was timed of a run that ended at a time, nil if sampling was not wanted. The error says why
// there is no answer.
func (m *Model) sampling() (*Sampling, error) {
	if !m.p.Sampled {
		return nil, nil
	}
	s := m.sampler.all
	s.Groups, s.Cycles = s.Groups+s.Timed, m.ended-m.sampler.cycles
	s.Bound = 100 * m.sampler.doubts / float64(max(m.ended, 1))
	if s.Bound > mostBound {
		return nil, fmt.Errorf("timing: sampled times are refused: instructions take other times in other parts of the grid "+
			"(%s), so that the cycles, %d, are known within %.0f %% only; time the whole run", m.sampler.spread(), m.ended,
			s.Bound)
	}
	return &s, nil
}

// spread says how the latest stretches differ.
func (s *sampler) spread() string {
	rates := make([]string, len(s.rates))
	for i, r := range s.rates {
		rates[i] = fmt.Sprintf("%.4g", r)
	}
	return strings.Join(rates, ", ") + " clocks an instruction in the latest stretches"
}
