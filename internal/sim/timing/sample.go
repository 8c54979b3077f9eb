package timing

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/unseen"
)

// Sampling describes the timed part of a run with [Params].Sampled.
type Sampling struct {
	// Groups is the number of work-groups in the run, Timed the number that the model timed. The others executed without
	// times.
	Groups, Timed uint64
	// Cycles is the number of cycles of the timed work-groups, on which counters, metrics and the timeline are based.
	Cycles uint64
	// Bound is the possible deviation, in percent, of [Result].Cycles from a model of all work-groups: the difference
	// between the timed stretches, and at least the deviation of similar kernels that were not used to tune sampling.
	// Source: docs/PERFORMANCE.md.
	Bound float64
	// Why is the reason why every work-group of the latest dispatch was timed, or no more of them were left out. It is
	// "" if some were left out.
	Why string
}

// String returns the description as a sentence.
func (s *Sampling) String() string {
	if s.Timed == s.Groups {
		return fmt.Sprintf("sampled, but all of %d work-groups were timed: %s", s.Groups, s.Why)
	}
	return fmt.Sprintf("sampled: %d of %d work-groups were timed, and all would take the same within %.1f %%", s.Timed,
		s.Groups, s.Bound)
}

const (
	// A launch of fewer than leastGenerations generations is timed completely. A generation is the number of work-groups
	// that execute at the same time.
	leastGenerations = 12
	// The first part left out is 1/firstSkip of the work-groups after the first stretch. The next one is longerSkip
	// times as long if stretches agree. Nothing is timed between two parts if at most leastSkip quarters of a generation
	// would remain.
	firstSkip, longerSkip, leastSkip = 3, 4, 12
	// steady is the allowed relative difference in clocks per instruction between two consecutive stretches. If it is
	// exceeded, the next part left out is half as long, and at the beginning none is. Three shorter consecutive
	// stretches are even if they differ by less than half of it.
	steady = 0.02
	// Work-groups are of one kind if the numbers of their instructions differ by less than alikeWork. If they differ by
	// more than otherWork, and those left out differ from those before, a stretch begins when fewer than 1/fewFormer of
	// a generation of the former ones still execute, and at least settling quarters of it later.
	alikeWork = 0.05
	otherWork = 0.5
	fewFormer = 8
	settling  = 2
	// L2 is filling if less than fullPart of it has lines, and a quarter of a generation adds more than 1/slowFill of
	// its lines. This does not change the clocks if less than idlePart of the DRAM bandwidth is used, including as many
	// writes as lines are added.
	fullPart, slowFill, idlePart = 0.99, 32, 0.5
	// The rates of issued and of started instructions agree within flowing; otherwise waves of another kind still
	// execute.
	flowing = 0.25
	// changing is the least relative difference in clocks per instruction between two stretches of one kind that shows
	// that the machine is not in its steady state, for example because caches are filling.
	changing = 0.1
	// leastDoubt is the least relative uncertainty of the clocks of a part left out.
	leastDoubt = 0.01
	// mostSpread is the largest difference between stretches, in percent of the cycles, with which a result is returned.
	mostSpread = 4
)

// leastBound is the least possible deviation of sampled cycles in percent, even if stretches are equal: caches,
// channels and DRAM rows can change between stretches with the same rate. They change most if the lanes of an access
// use many lines, for example a power of two apart. A run whose accesses use more than mostLines lines on average has
// no result, and neither has a run that crowded channels keep.
// Source: docs/PERFORMANCE.md, kernels that were not used to tune these constants.
const (
	leastBound = 20
	mostLines  = 16
)

// bound widens the bound of a sampled run to the deviation of other kernels. The error is the reason why there is no
// result.
func (r *Result) bound() error {
	s := r.Sampled
	if s == nil || s.Timed == s.Groups {
		return nil
	}
	c := &r.counts
	accesses := c[sqInstsVmemRd] + c[sqInstsVmemWr]
	if lines := c[tcpTotalCacheAccesses]; lines > mostLines*accesses {
		return fmt.Errorf("timing: sampled times are refused: an access reaches %d cache lines on average, more than %d, and "+
			"which channels and rows of DRAM have these lines changes from place to place; time the whole run",
			lines/max(accesses, 1), mostLines)
	}
	if r.kept() == ofChannels {
		return errors.New("timing: sampled times are refused: crowded channels of L2 keep the run, and which ones are " +
			"crowded changes from place to place; time the whole run")
	}
	s.Bound = max(s.Bound, leastBound)
	return nil
}

// sampler decides which work-groups of a dispatch are timed. It compares stretches. In a stretch one generation of
// work-groups starts, or a half or a quarter of one if three of these in a row were alike. A part left out has the
// clocks per instruction of the stretches before and after it. If these are of two kinds, it has as many work-groups
// of each kind as account for its number of instructions.
//
// Between stretches the model's time does not advance: the work-groups left out do not exist for it, so that caches
// and resident waves are those of the previous stretch. Nothing is left out while L2 fills. A part left out while
// clocks still change a lot has the clocks of the stretches after it. The end of the grid is always timed.
type sampler struct {
	turns      bool   // work-groups execute in the order of the model
	full       bool   // a work-group has found no room
	generation int    // number of work-groups that execute at the same time
	begun      int    // work-groups started in the current quarter of a generation
	since      uint64 // time at which the quarter began
	issued     uint64 // instructions issued by then
	work       uint64 // instructions of the work-groups that had started by then
	executed   uint64 // instructions of the dispatch's timed work-groups that have started

	quarters []quarter // quarters since the latest gap, or since a work-group has found no room
	lines    int       // lines in L2 at the end of the latest quarter,
	moved    uint64    // and, before the first gap, lines that DRAM had transferred
	long     int       // number of quarters in a stretch
	apart    int       // number of quarters ignored before a stretch, because work-groups of another kind start
	latest   []stretch // at most three stretches
	skip     int       // quarters of a generation to leave out next; 0 until the beginning is steady
	skipped  uint64    // instructions left out after the latest stretch
	dense    float64   // instructions per work-group in the part left out
	held     uint64    // instructions left out before, while caches were filling
	running  int       // number of work-groups that execute
	former   int       // number of the running work-groups that executed when the latest gap began
	gaps     int       // number of parts left out
	done     bool      // no more is left out
	extra    float64   // estimated clocks of the parts left out in the dispatch
	doubt    float64   // possible error of extra in clocks

	all Sampling // sums of all dispatches, without Cycles
	// cycles is the estimated time of all work-groups left out before the dispatch; the model's time includes it. doubts
	// is its possible error.
	cycles uint64
	doubts float64
}

// quarter is a quarter of a generation: its duration, the number of instructions issued, and the number of
// instructions of the work-groups that started in it.
type quarter struct{ clocks, issued, work float64 }

// rate returns the clocks per instruction.
func (q quarter) rate() float64 { return q.clocks / max(q.issued, 1) }

// stretch is a measurement: clocks per instruction, and instructions per work-group.
type stretch struct{ rate, dense float64 }

// alike reports whether work-groups with a and b instructions are of one kind.
func alike(a, b float64) bool { return math.Abs(a/b-1) <= alikeWork }

// enter records that g has started, leave that it has ended.
func (s *sampler) enter(g *group) {
	s.running++
	s.executed += g.work
}

func (s *sampler) leave(g *group) {
	if s.running--; g.gaps != s.gaps {
		s.former--
	}
}

// next prepares s for another dispatch.
func (s *sampler) next() {
	*s = sampler{quarters: s.quarters[:0], latest: s.latest[:0], long: 4, all: s.all, cycles: s.cycles, doubts: s.doubts}
	s.all.Why = ""
}

// stop ends the sampling of the dispatch for the given reason.
func (s *sampler) stop(format string, args ...any) {
	s.done = true
	if s.gaps == 0 {
		s.all.Why = fmt.Sprintf(format, args...)
	}
}

// issued returns the number of instructions that have issued.
func (m *Model) issued() (n uint64) {
	for i := range m.tallies {
		for j := range m.tallies[i].perOp {
			n += m.tallies[i].perOp[j].count
		}
	}
	return n
}

// sample is called when g has started. It may execute the following work-groups without times.
func (m *Model) sample(g unseen.Group) {
	s := &m.sampler
	s.begun++
	if !m.p.Sampled || s.done || !s.full {
		return
	}
	if s.generation == 0 {
		s.generation, s.begun = s.begun-1, 1
		s.since, s.issued, s.work = m.reached, m.issued(), s.executed
	}
	if s.begun*4 < s.generation {
		return
	}
	m.join()
	s.quarter(m)
	switch {
	case len(m.spans) > 0:
		s.stop("each instruction is shown with its times")
	case m.clocked:
		s.stop("waves read the clock")
	case s.skip == 0 && g.Left()+len(m.feed.queue) < leastGenerations*s.generation:
		if len(s.quarters) < 8 {
			s.stop("%d work-groups run at a time, and sampling takes %d times as many", s.generation, leastGenerations)
		} else {
			s.even(4, 2)
			s.stop("the clocks that an instruction takes did not become steady: %s", s.spread())
		}
	case s.skip == 0 && s.ready(m) || s.gaps > 0 && s.stretch(m):
		m.leaveOut(g)
		s.since, s.issued, s.work = m.reached, m.issued(), s.executed
	}
}

// ready reports, at the end of a quarter, whether the beginning is steady. If so, it sets the latest stretches.
func (s *sampler) ready(m *Model) bool {
	if s.fills(m) || !s.even(1, 3) && !s.even(2, 3) && !s.even(4, 2) {
		return false
	}
	s.skip = 1 // leaveOut computes the number
	return true
}

// fills reports whether L2 is still filling and clocks may change because of that.
func (s *sampler) fills(m *Model) bool {
	lines, all := m.l2cache.filled(), m.p.of.L2Bytes/LineBytes
	moved := m.dram.Reads + m.dram.Writes
	grown, used := lines-s.lines, float64(moved-s.moved)+float64(lines-s.lines)
	s.lines, s.moved = lines, moved
	can := s.quarters[len(s.quarters)-1].clocks * float64(len(m.dram.channels)) * dramUnit / float64(m.dram.times.line)
	return !m.fillsL2(lines) && grown*slowFill >= all && used > idlePart*can
}

// fillsL2 reports whether L2 with this number of lines is still filling.
func (m *Model) fillsL2(lines int) bool {
	return float64(lines) >= fullPart*float64(m.p.of.L2Bytes/LineBytes)
}

// even divides the latest quarters into stretches of long quarters each, and reports whether these are alike. The
// first quarter is ignored, because waves that start with the launch execute in lockstep.
func (s *sampler) even(long, stretches int) bool {
	if len(s.quarters) <= long*stretches {
		return false
	}
	s.long, s.latest = long, s.latest[:0]
	quarters := s.quarters[len(s.quarters)-long*stretches:]
	least, most, issued, work := math.Inf(1), 0.0, 0.0, 0.0
	for i := 0; i < len(quarters); i += long {
		x := s.sum(quarters[i:][:long])
		least, most = min(least, x.rate), max(most, x.rate)
		s.latest = append(s.latest, x)
	}
	for _, q := range quarters {
		issued, work = issued+q.issued, work+q.work
	}
	limit := steady
	if stretches > 2 {
		limit /= 2
	}
	return most/least-1 < limit && math.Abs(issued/work-1) < flowing
}

// sum returns the stretch that consists of quarters.
func (s *sampler) sum(quarters []quarter) stretch {
	var all quarter
	for _, q := range quarters {
		all.clocks, all.issued, all.work = all.clocks+q.clocks, all.issued+q.issued, all.work+q.work
	}
	return stretch{all.rate(), 4 * all.work / float64(len(quarters)*s.generation)}
}

// filled returns the number of lines in a cache.
func (c *cache) filled() (n int) {
	for _, part := range c.parts {
		for i := range part {
			if part[i].tag != 0 {
				n++
			}
		}
	}
	return n
}

// quarter ends a quarter of a generation.
func (s *sampler) quarter(m *Model) {
	n := m.issued()
	s.quarters = append(s.quarters,
		quarter{float64(m.reached - s.since), float64(n - s.issued), float64(s.executed - s.work)})
	s.since, s.issued, s.work, s.begun = m.reached, n, s.executed, 0
}

// stretch ends a stretch if it has enough quarters, and reports whether it did. It starts again when L2 becomes full:
// until then DRAM has nothing to write, and then all of its channels begin at once.
func (s *sampler) stretch(m *Model) bool {
	was := s.lines
	if s.lines = m.l2cache.filled(); m.fillsL2(s.lines) && !m.fillsL2(was) {
		s.quarters = s.quarters[:0]
	}
	if s.apart > 0 && s.former*fewFormer > s.generation {
		s.apart = max(s.apart, len(s.quarters)+1)
	}
	if len(s.quarters) < s.apart+s.long {
		return false
	}
	s.end(s.apart)
	last := len(s.latest) - 1
	switch {
	case math.Abs(s.latest[last].rate/s.latest[last-1].rate-1) < steady:
		s.skip *= longerSkip
	case s.long < 4: // a longer stretch varies less
		s.long *= 2
	default:
		s.skip = max(s.skip/2, 1)
	}
	s.settle(false)
	return true
}

// end adds a stretch of the quarters since the latest gap, without the first apart quarters.
func (s *sampler) end(apart int) {
	if len(s.latest) == 3 {
		s.latest = append(s.latest[:0], s.latest[1:]...)
	}
	s.latest = append(s.latest, s.sum(s.quarters[apart:]))
	s.quarters = s.quarters[:0]
}

// settle computes the clocks of the part left out before the latest stretch, unless clocks are still changing.
func (s *sampler) settle(ended bool) {
	if s.skipped+s.held == 0 {
		return
	}
	last := len(s.latest) - 1
	before, after := s.latest[max(last-1, 0)], s.latest[last]
	one := alike(before.dense, after.dense) && alike(s.dense, after.dense)
	switch {
	case one && !ended && math.Abs(after.rate/before.rate-1) > changing:
		s.held, s.skipped = s.held+s.skipped, 0
		s.latest = append(s.latest[:0], after) // earlier stretches do not predict later ones
		return
	case !one:
		s.add(s.held, before.rate, changing*before.rate)
		s.held = 0
	}
	rate, doubt := s.between()
	s.add(s.held+s.skipped, rate, doubt)
	s.held, s.skipped = 0, 0
}

// add adds n instructions that were left out, with their rate and its possible error.
func (s *sampler) add(n uint64, rate, doubt float64) {
	s.extra += rate * float64(n)
	s.doubt += doubt * float64(n)
}

// between returns the clocks per instruction of a part left out, and their possible error.
func (s *sampler) between() (rate, doubt float64) {
	last := len(s.latest) - 1
	before, after := s.latest[max(last-1, 0)], s.latest[last]
	low, high := min(before.dense, after.dense), max(before.dense, after.dense)
	if alike(before.dense, after.dense) {
		rate = (before.rate + after.rate) / 2
		for _, x := range s.latest {
			if alike(x.dense, s.dense) {
				doubt = max(doubt, math.Abs(x.rate-rate))
			}
		}
	} else { // the fraction of work-groups that are of the later kind
		part := min(max((s.dense-before.dense)/(after.dense-before.dense), 0), 1)
		a, b := part*after.dense, (1-part)*before.dense
		rate = (a*after.rate + b*before.rate) / (a + b)
		doubt = min(part, 1-part) * math.Abs(after.rate-before.rate)
	}
	if other := max(low/s.dense, s.dense/high) - 1; other > alikeWork { // these work-groups are of a third kind
		doubt += other * rate
	}
	return rate, max(doubt, leastDoubt*rate) // rates may drift between stretches
}

// leaveOut executes the work-groups after g and after the waiting ones without times, in whole quarters of a
// generation.
func (m *Model) leaveOut(g unseen.Group) {
	s := &m.sampler
	waiting := len(m.feed.queue)
	left := min(4*(g.Left()+waiting)/s.generation-s.long-s.apart, 4*g.Left()/s.generation)
	if s.gaps == 0 {
		s.skip = max(left/firstSkip, 1)
	}
	n := s.skip
	if left-n < leastSkip { // a stretch in between would not pay
		n = left
	}
	if n < 1 {
		s.stop("too little is left")
		return
	}
	var ok bool
	groups := n * s.generation / 4
	if s.skipped, ok = g.RunNext(groups); !ok {
		s.stop("there is no scratch for work-groups beside those that run")
		return
	}
	s.quarters, s.apart, s.dense = s.quarters[:0], 0, float64(s.skipped)/float64(groups)
	s.former, s.gaps = s.running+waiting, s.gaps+1
	if ratio := s.dense / s.latest[len(s.latest)-1].dense; max(ratio, 1/ratio) > 1+otherWork {
		s.apart = settling
	}
	s.all.Groups += uint64(groups)
}

// fold ends a complete dispatch and returns the estimated clocks of the parts it left out.
func (m *Model) fold() uint64 {
	s := &m.sampler
	if n := len(s.quarters); s.skipped > 0 && n > 0 { // the last stretch ends with the grid
		s.end(min(s.apart, n-1))
	}
	s.settle(true)
	switch {
	case !m.p.Sampled || s.gaps > 0 || s.all.Why != "":
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

// sampling returns the description of the timed part of a run that ended at a time, nil if the run is not sampled.
// The error is the reason why there is no result.
func (m *Model) sampling() (*Sampling, error) {
	if !m.p.Sampled {
		return nil, nil
	}
	s := m.sampler.all
	s.Groups, s.Cycles = s.Groups+s.Timed, m.ended-m.sampler.cycles
	s.Bound = 100 * m.sampler.doubts / float64(max(m.ended, 1))
	if s.Bound > mostSpread {
		return nil, fmt.Errorf("timing: sampled times are refused: instructions take other times in other parts of the grid "+
			"(%s), so that the cycles, %d, are known within %.0f %% only; time the whole run", m.sampler.spread(), m.ended,
			s.Bound)
	}
	return &s, nil
}

// spread returns the differences between the latest stretches as text.
func (s *sampler) spread() string {
	rates := make([]string, len(s.latest))
	for i, x := range s.latest {
		rates[i] = fmt.Sprintf("%.4g", x.rate)
	}
	return strings.Join(rates, ", ") + " clocks an instruction in the latest stretches"
}
