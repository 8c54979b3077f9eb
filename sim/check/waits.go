package check

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// waits detects instructions that execute before a counter proves that they may.
var waits = analysis{issue: (*Checker).issueWaits, retire: (*Checker).retireWaits, unseen: true}

// issueWaits applies the waits of x, and the implicit wait of a full counter (rule W9). Then it judges the registers
// that x reads.
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

// retireWaits judges the registers that x writes and the memory that x accesses, and adds x to the counters if it is
// outstanding. This is done after x has executed, because only then the memories of the lanes of FLAT are known.
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

// outstanding returns the entry of x for the counters of its wave.
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

// touched is a register that both an instruction and an outstanding instruction use.
type touched struct {
	*isa.Effect
	reg  reg
	lane int // the first lane that both use, [state.NoLane] if the register has no lanes
}

// meet calls judge for each register that x reads (or, if write is set, writes) and that is in the set of(e) of an
// outstanding instruction e, the youngest e first.
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

// judgeResults reports registers that x reads although an earlier instruction has yet to write them (rule W3), or, if
// write is set, registers that x writes and that an earlier instruction may write after x (rule W4).
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

// judgeSources reports registers that x writes and that an earlier instruction may still read (rule W5).
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

// before reports whether hardware writes the registers of e before those of x (rule W4).
func (e *entry) before(x *step) bool {
	a, b := &e.site.wait, &x.wait
	if a.path == b.path && (a.path == pathLDS || a.path == pathGDS) {
		return true
	}
	vector := func(p path) bool { return p == pathVMEM || p == pathFLAT }
	return vector(a.path) && vector(b.path) && a.sampler == b.sampler && e.order[vmcnt] != unordered && x.inLDS() == 0
}

// inLDS returns the lanes of x that accessed LDS if x is a FLAT instruction, else 0.
func (x *step) inLDS() uint64 {
	if x.wait.path != pathFLAT {
		return 0
	}
	return x.Access.LDSLanes
}

// bytes returns a mask of the bytes of register r that e writes. A write of half a register counts as one of the whole
// register if memories have error correction, because the other half does not keep its value then (rule W3).
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

// hazard reports a register that x uses before one of the counters of prove proves that e is done with the register.
// Then e counts as complete, unless data decide whether x and e conflict. message has a verb for the name of e, and
// kind, rule and level are those of the finding.
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
	case met < isMeeting: // another instruction may be the one that conflicts with e
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

// firstOf returns a new finding at x about e, nil if there is one already, see [step.first].
func (x *step) firstOf(e *entry, d defect) *Finding {
	if p := x.wave.onPath(); p != nil {
		return p.first(x, d, outstanding(e))
	}
	return x.first(d)
}

// named returns the name and the address of the instruction of e, for messages.
func (e *entry) named() said { return e.site.named() }

// outstanding returns the text that says which values of counters prove that e is complete.
func (x *step) outstanding(e *entry, prove counterSet) string {
	var parts []string
	for k := range numCounters {
		if prove.has(k) {
			parts = append(parts, fmt.Sprintf("%s must be at most %d", counterNames[k], x.wave.counters.proves(e, k)))
		}
	}
	return strings.Join(parts, " and ") + " first"
}

// needs sets the producer of f to e, and its fix to the s_waitcnt that is missing before x.
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

// forgot adds a note that more instructions are outstanding than c keeps. The note is at the first instruction where
// this happens.
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

// judgeBarrier adds a note about the oldest vector memory access that is outstanding at a barrier (rule RC3).
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
