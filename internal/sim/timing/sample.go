package timing

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/unseen"
)

// Sampling says which part of a run was timed, with [Params].Sampled.
type Sampling struct {
	// Groups are the work-groups of the run, and Timed those that the model timed. The others executed without times.
	Groups, Timed uint64
	// Cycles counts the cycles of the timed work-groups, as counters, metrics and the timeline do.
	Cycles uint64
	// Bound is by how many percent of [Result].Cycles the run may take more or less than a model of all work-groups
	// says: how far the stretches that were timed differ, and at least what kernels of the same kind showed that
	// sampling was not made with. Source: docs/PERFORMANCE.md.
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
	// One in firstSkip is the first part that is left out, of what follows the first stretch. What is left out next is
	// longerSkip times as long if stretches agree. Nothing is timed between two parts if leastSkip quarters of a
	// generation or less would be left.
	firstSkip, longerSkip, leastSkip = 3, 4, 12
	// steady is how far the clocks an instruction of two stretches in a row may differ: else what is left out next is
	// half as long, and at the beginning nothing is. Three shorter stretches in a row are even if they differ by less
	// than half of that.
	steady = 0.02
	// Work-groups are of one kind if the numbers of their instructions differ by less than alikeWork. If they differ by
	// more than otherWork, and those that were left out are unlike those before, a stretch begins when few of those
	// before run any more, fewer than one in fewFormer of a generation, and settling quarters of it later at least.
	alikeWork = 0.05
	otherWork = 0.5
	fewFormer = 8
	settling  = 2
	// L2 fills if less than fullPart of it has lines, and a quarter of a generation adds one in slowFill of its lines.
	// Clocks do not change for that if DRAM is used to less than idlePart with as many writes as lines are added.
	fullPart, slowFill, idlePart = 0.99, 32, 0.5
	// As many instructions issue as begin, within flowing: else waves of another kind still run.
	flowing = 0.25
	// changing is how far the clocks an instruction of two stretches of one kind differ at least where the machine does
	// not work yet as it will: caches fill, for example.
	changing = 0.1
	// leastDoubt is how far the clocks of what is left out may be from what is said at least.
	leastDoubt = 0.01
	// mostSpread is by how many percent of the cycles the stretches may differ where there is an answer.
	mostSpread = 4
)

// leastBound is how far sampled cycles may be off, in percent, however alike the stretches are: caches, channels and
// rows of DRAM change between stretches of the same rate. They change most where the lanes of an access reach many
// lines, such as a power of two apart: a run whose accesses reach more than mostLines lines on average has no answer,
// nor has one that crowded channels keep.
// Source: docs/PERFORMANCE.md, kernels that no constant here was made with.
const (
	leastBound = 20
	mostLines  = 16
)

// bound widens the bound of a sampled run to what other kernels showed. The error says why there is no answer.
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

// sampler decides which work-groups of a dispatch are timed. It compares stretches. In each one a generation of
// work-groups begins, or a half or a quarter of one if three of these in a row were alike. What is left out takes the
// clocks an instruction of the stretches before and after it; where they are of two kinds, of so many work-groups of
// each as make the instructions that were left out.
//
// Between stretches the model stands still: for it the work-groups that are left out do not exist, so that
// the caches and the waves that run are those of the stretch before. Nothing is left out while L2 fills. What is left
// out while clocks still change by much takes those of the stretches after it. The end of the grid is always timed.
type sampler struct {
	turns      bool   // work-groups run as the model says
	full       bool   // a work-group has found no room
	generation int    // work-groups that run at a time
	begun      int    // work-groups of the quarter of a generation that is timed
	since      uint64 // when it began,
	issued     uint64 // and how many instructions had issued
	work       uint64 // and how many those had that had begun
	executed   uint64 // instructions of the timed work-groups of the dispatch that have begun

	quarters []quarter // since the latest gap, or since a work-group has found no room
	lines    int       // lines in L2 when the latest quarter ended,
	moved    uint64    // and, before the first gap, lines that DRAM had read and written
	long     int       // how many quarters that count a stretch has
	apart    int       // how many come before, which do not count because work-groups of another kind begin
	latest   []stretch // at most three
	skip     int       // quarters of a generation to leave out next; 0 before the beginning is steady
	skipped  uint64    // instructions that were left out after the latest stretch
	dense    float64   // instructions a work-group of what was left out
	held     uint64    // instructions that were left out before, while caches filled
	running  int       // work-groups that run
	former   int       // those of them that ran when the latest gap began
	gaps     int       // how many parts were left out
	done     bool      // nothing is left out any more
	extra    float64   // clocks of what the dispatch left out
	doubt    float64   // by how many clocks extra may be wrong

	all Sampling // of all dispatches, without Cycles
	// cycles is the estimated time of all work-groups that were left out before the dispatch; the time of the model
	// includes it. doubts is its possible error.
	cycles uint64
	doubts float64
}

// quarter is a quarter of a generation: how long it took, how many instructions issued, and how many the work-groups
// have that began in it.
type quarter struct{ clocks, issued, work float64 }

// rate returns the clocks an instruction.
func (q quarter) rate() float64 { return q.clocks / max(q.issued, 1) }

// stretch is a measurement: clocks an instruction, and instructions a work-group.
type stretch struct{ rate, dense float64 }

// alike reports whether work-groups with so many instructions are of one kind.
func alike(a, b float64) bool { return math.Abs(a/b-1) <= alikeWork }

// enter notes that g has begun, and leave that it has ended.
func (s *sampler) enter(g *group) {
	s.running++
	s.executed += g.work
}

func (s *sampler) leave(g *group) {
	if s.running--; g.gaps != s.gaps {
		s.former--
	}
}

// next begins another dispatch.
func (s *sampler) next() {
	*s = sampler{quarters: s.quarters[:0], latest: s.latest[:0], long: 4, all: s.all, cycles: s.cycles, doubts: s.doubts}
	s.all.Why = ""
}

// stop ends sampling of the dispatch.
func (s *sampler) stop(format string, args ...any) {
	s.done = true
	if s.gaps == 0 {
		s.all.Why = fmt.Sprintf(format, args...)
	}
}

// issued returns how many instructions have issued.
func (m *Model) issued() (n uint64) {
	for i := range m.tallies {
		for j := range m.tallies[i].perOp {
			n += m.tallies[i].perOp[j].count
		}
	}
	return n
}

// sample is called when g has begun. It may execute the work-groups that follow without times.
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

// ready reports whether the beginning is steady, at the end of a quarter. Then the latest stretches are known.
func (s *sampler) ready(m *Model) bool {
	if s.fills(m) || !s.even(1, 3) && !s.even(2, 3) && !s.even(4, 2) {
		return false
	}
	s.skip = 1 // leaveOut knows how many
	return true
}

// fills reports whether L2 still fills and clocks may change for that.
func (s *sampler) fills(m *Model) bool {
	lines, all := m.l2cache.filled(), m.p.of.L2Bytes/LineBytes
	moved := m.dram.Reads + m.dram.Writes
	grown, used := lines-s.lines, float64(moved-s.moved)+float64(lines-s.lines)
	s.lines, s.moved = lines, moved
	can := s.quarters[len(s.quarters)-1].clocks * float64(len(m.dram.channels)) * dramUnit / float64(m.dram.times.line)
	return !m.fillsL2(lines) && grown*slowFill >= all && used > idlePart*can
}

// fillsL2 reports whether L2 is full with so many lines.
func (m *Model) fillsL2(lines int) bool {
	return float64(lines) >= fullPart*float64(m.p.of.L2Bytes/LineBytes)
}

// even divides the latest quarters into stretches of long quarters each, and reports whether these are alike. The first
// quarter does not count: waves that begin with the launch run in step.
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

// sum returns the stretch of some quarters.
func (s *sampler) sum(quarters []quarter) stretch {
	var all quarter
	for _, q := range quarters {
		all.clocks, all.issued, all.work = all.clocks+q.clocks, all.issued+q.issued, all.work+q.work
	}
	return stretch{all.rate(), 4 * all.work / float64(len(quarters)*s.generation)}
}

// filled returns how many lines a cache has.
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

// stretch ends a stretch, and reports whether it has as many quarters as it should have. It begins anew when L2 becomes
// full: until then DRAM has nothing to write, and then all of its channels begin at once.
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
	case s.long < 4: // a longer one swings less
		s.long *= 2
	default:
		s.skip = max(s.skip/2, 1)
	}
	s.settle(false)
	return true
}

// end makes a stretch of the quarters since the latest gap, without the first ones, apart of them.
func (s *sampler) end(apart int) {
	if len(s.latest) == 3 {
		s.latest = append(s.latest[:0], s.latest[1:]...)
	}
	s.latest = append(s.latest, s.sum(s.quarters[apart:]))
	s.quarters = s.quarters[:0]
}

// settle gives what was left out before the latest stretch its clocks, unless they are still changing.
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
		s.latest = append(s.latest[:0], after) // the others say nothing about what follows
		return
	case !one:
		s.add(s.held, before.rate, changing*before.rate)
		s.held = 0
	}
	rate, doubt := s.between()
	s.add(s.held+s.skipped, rate, doubt)
	s.held, s.skipped = 0, 0
}

// add adds the clocks of n instructions that were left out.
func (s *sampler) add(n uint64, rate, doubt float64) {
	s.extra += rate * float64(n)
	s.doubt += doubt * float64(n)
}

// between returns the clocks an instruction of what was left out, and by how much they may be wrong.
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
	} else { // so many work-groups are of the kind of after
		part := min(max((s.dense-before.dense)/(after.dense-before.dense), 0), 1)
		a, b := part*after.dense, (1-part)*before.dense
		rate = (a*after.rate + b*before.rate) / (a + b)
		doubt = min(part, 1-part) * math.Abs(after.rate-before.rate)
	}
	if other := max(low/s.dense, s.dense/high) - 1; other > alikeWork { // they are of a third kind
		doubt += other * rate
	}
	return rate, max(doubt, leastDoubt*rate) // rates may drift between stretches
}

// leaveOut executes work-groups that follow g and those that wait without times, whole quarters of a generation.
func (m *Model) leaveOut(g unseen.Group) {
	s := &m.sampler
	waiting := len(m.feed.queue)
	left := min(4*(g.Left()+waiting)/s.generation-s.long-s.apart, 4*g.Left()/s.generation)
	if s.gaps == 0 {
		s.skip = max(left/firstSkip, 1)
	}
	n := s.skip
	if left-n < leastSkip { // a stretch in between is not worth it
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

// fold ends a dispatch that has run whole, and returns the clocks of what it left out.
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

// sampling returns what was timed of a run that ended at a time, nil if sampling was not wanted. The error says why
// there is no answer.
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

// spread says how the latest stretches differ.
func (s *sampler) spread() string {
	rates := make([]string, len(s.latest))
	for i, x := range s.latest {
		rates[i] = fmt.Sprintf("%.4g", x.rate)
	}
	return strings.Join(rates, ", ") + " clocks an instruction in the latest stretches"
}
