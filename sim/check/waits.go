package check

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// waits finds what a program does before a counter proves that it may.
var waits = analysis{issue: (*Checker).issueWaits, retire: (*Checker).retireWaits, unseen: true}

// issueWaits applies the waits of x, and the implicit one of a counter that is full (rule
// W9); then it judges what x reads.
func (c *Checker) issueWaits(x *step) {
	w, q := &x.wait, &x.wave.counters
	if w.waits {
		q.waitFor(w)
	}
	q.makeRoom(x)
	if x.reads.meets(&q.results) {
		c.judgeResults(x, false)
	}
	if w.vccz {
		c.judgeVCCZ(x)
	}
	if w.graphicsDone {
		c.judgeOrder(x, graphicsDone)
	}
}

// retireWaits judges what x writes and reaches, and remembers it if it is outstanding. What
// FLAT writes is judged with its lanes known.
func (c *Checker) retireWaits(x *step) {
	w, q := &x.wait, &x.wave.counters
	if x.writes.meets(&q.results) {
		c.judgeResults(x, true)
	}
	if x.writes.meets(&q.sources) {
		c.judgeSources(x)
	}
	does := x.does()
	if does != 0 {
		c.judgeOrder(x, does)
	}
	x.wave.vccz.follow(x)
	if w.barrier && c.Options.BarrierDrain {
		c.judgeBarrier(x)
	}
	if w.path == noPath {
		return
	}
	e := c.outstanding(x, does)
	if q.add(&e) {
		c.forgot(x)
	}
}

// outstanding returns x as an entry of its counters.
func (c *Checker) outstanding(x *step, does acts) entry {
	w := &x.wait
	e := entry{site: x.site, index: x.executed, lanes: x.exec, need: results[w.path], order: w.order, acts: does}
	if p := x.wave.onPath(); p != nil {
		e.mask = p.mask
	}
	if w.path == pathFLAT {
		inLDS := x.Access.LDSLanes
		switch inLDS {
		case 0:
			e.order[vmcnt] = orderVM
		case x.exec:
			e.order[lgkmcnt] = orderLDS
		}
		if !c.Options.FlatBoth { // rule W10
			e.need = 0
			if inLDS != 0 {
				e.need |= 1 << lgkmcnt
			}
			if x.exec&^inLDS != 0 {
				e.need |= 1 << vmcnt
			}
		}
	}
	c.remember(x, &e)
	return e
}

// touched is a register in which an instruction and one that is outstanding meet.
type touched struct {
	*isa.Effect
	reg  reg
	lane int // the first one, [state.NoLane] if it has none
}

// meet calls judge for each register that x reads, or writes, and an outstanding
// instruction e has in the set that of returns, the youngest e first.
func (x *step) meet(write bool, of func(*waitFacts) *regset, judge func(e *entry, t touched)) {
	q := &x.wave.counters
	for r, f := range eachRegister(x.effects) {
		if f.Write != write {
			continue
		}
		r = r.Canonical(x.sgprs)
		for j := len(q.live) - 1; j >= 0; j-- {
			e := &q.live[j]
			if !of(&e.site.wait).has(r) {
				continue
			}
			t := touched{f, r, state.NoLane}
			if f.File == isa.VReg {
				both := x.lanes(f) & e.lanes
				if both == 0 {
					continue
				}
				t.lane = bits.TrailingZeros64(both)
			}
			judge(e, t)
		}
	}
}

func resultsOf(w *waitFacts) *regset { return &w.results }
func sourcesOf(w *waitFacts) *regset { return &w.sources }

// judgeResults reports registers that x reads and that are still to be written (rule W3), or that it writes and that an
// earlier instruction may write after it (rule W4).
func (c *Checker) judgeResults(x *step, write bool) {
	kind, rule, message := WaitRAW, "W3", "it is read here and may still hold what it held before %s"
	if write {
		kind, rule, message = WaitWAW, "W4", "it is written here and may be written once more, by %s"
	}
	if !c.on[kind] {
		return
	}
	x.meet(write, resultsOf, func(e *entry, t touched) {
		if !e.complete() && c.bytes(e, t.reg)&t.Bytes != 0 && !(write && e.before(x)) {
			c.hazard(x, e, t, kind, rule, Error, e.need&e.in, message)
		}
	})
	x.wave.counters.settle()
}

// judgeSources reports registers that x writes and that an earlier instruction may still
// read (rule W5).
func (c *Checker) judgeSources(x *step) {
	if !c.on[WaitWAR] {
		return
	}
	x.meet(true, sourcesOf, func(e *entry, t touched) {
		if e.freed {
			return
		}
		w := &e.site.wait
		c.hazard(x, e, t, WaitWAR, "W5", w.hasty, w.releases&-w.releases, "it is written here and may still be read by %s")
	})
	x.wave.counters.settle()
}

// before reports whether hardware writes what e writes before what x does (rule W4).
func (e *entry) before(x *step) bool {
	a, b := &e.site.wait, &x.wait
	if a.path == b.path && (a.path == pathLDS || a.path == pathGDS) {
		return true
	}
	vector := func(p path) bool { return p == pathVMEM || p == pathFLAT }
	return vector(a.path) && vector(b.path) && a.sampler == b.sampler && e.order[vmcnt] != unordered && x.inLDS() == 0
}

// inLDS returns the lanes of a FLAT instruction that went to LDS.
func (x *step) inLDS() uint64 {
	if x.wait.path != pathFLAT {
		return 0
	}
	return x.Access.LDSLanes
}

// bytes returns the bytes of a register that e writes: halves of a register count apart
// where the others keep their values (rule W3).
func (c *Checker) bytes(e *entry, r reg) (all uint8) {
	const whole = 0xf
	if setting(c.features.SRAMECC, c.Options.SRAMECC) && isa.TraitsOf(e.site.inst.Target).SRAMECC {
		return whole
	}
	for written, f := range eachRegister(e.site.effects) {
		if f.Write && written.Canonical(e.site.sgprs) == r {
			all |= f.Bytes
		}
	}
	return all
}

// hazard reports a register of x that e has to do with until one of the counters of prove
// proves e, and takes e for complete from then on, unless data decide whether x meets it. The message has a place for
// e.
func (c *Checker) hazard(x *step, e *entry, t touched, kind Kind, rule string, level Severity, prove counterSet,
	message string) {
	p, met, noted := x.wave.onPath(), isMeeting, &e.noted[0]
	if p != nil {
		met = p.meets(x, e, t)
	}
	if t.Write {
		noted = &e.noted[1]
	}
	switch {
	case met == misses, met < isMeeting && *noted:
		return
	case met < isMeeting: // another instruction may be the one that meets it
		*noted, level = true, min(level, Doubt+Severity(met-contradicts))
	case kind == WaitWAR:
		e.freed = true
	default:
		e.done = true
		x.wave.counters.provedToo(e, t.reg, prove)
	}
	f := x.firstOf(e, defect{kind: kind, reg: t.reg.Name((*isa.Inst)(x.Inst), t.Effect), rule: rule, from: e.site})
	if f == nil {
		return
	}
	if f.Severity, f.Lane = level, t.lane; p != nil {
		p.tell(x, f, e)
	}
	f.message = say(message+": %s", e.named(), x.outstanding(e, prove))
	x.needs(f, e, prove)
}

// firstOf returns a new finding about e, see [step.first].
func (x *step) firstOf(e *entry, d defect) *Finding {
	if p := x.wave.onPath(); p != nil {
		return p.first(x, d, outstanding(e))
	}
	return x.first(d)
}

// named says which instruction e is.
func (e *entry) named() said { return e.site.named() }

// outstanding says what has not been waited for.
func (x *step) outstanding(e *entry, prove counterSet) string {
	var parts []string
	for k := range numCounters {
		if prove.has(k) {
			parts = append(parts, fmt.Sprintf("%s must be at most %d", counterNames[k], x.wave.counters.proves(e, k)))
		}
	}
	return strings.Join(parts, " and ") + " first"
}

// needs fills in the producer and what mends the finding.
func (x *step) needs(f *Finding, e *entry, prove counterSet) {
	producer := e.site.place(x.Wave, e.index)
	f.Producer = &producer
	var parts []string
	for k := range numCounters {
		if prove.has(k) {
			parts = append(parts, fmt.Sprintf("%s(%d)", counterNames[k], x.wave.counters.proves(e, k)))
		}
	}
	f.fix = say("s_waitcnt %s before %v", strings.Join(parts, " & "), pc(x.PC))
}

// forgot notes, where it happens first, that more instructions are outstanding than c
// remembers.
func (c *Checker) forgot(x *step) {
	if c.forgotten != nil {
		c.forgotten.Count++
		return
	}
	if f := x.first(defect{kind: WaitOrder}); f != nil {
		c.forgotten = f
		f.message = say("more than %d instructions are outstanding that nothing waits for: the oldest are not judged "+
			"any more", maxOutstanding)
	}
}

// judgeBarrier notes vector memory accesses that are outstanding at a barrier (rule RC3).
func (c *Checker) judgeBarrier(x *step) {
	q := &x.wave.counters
	if len(c.waves) < 2 || !c.seesOrder {
		return
	}
	for i := range q.live {
		e := &q.live[i]
		if !e.in.has(vmcnt) {
			continue
		}
		if f := x.first(defect{kind: WaitOrder, rule: "RC3", from: e.site}); f != nil {
			f.Severity, f.message = Note, say("%v is outstanding at the barrier: compilers wait for vmcnt(0) there", e.named())
			x.needs(f, e, 1<<vmcnt)
		}
		return
	}
}
