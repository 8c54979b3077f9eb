package check

import (
	"cmp"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// waitStates finds pairs of instructions with too few wait states in between.
var waitStates = analysis{issue: (*Checker).issueStates, retire: (*Checker).retireStates, unseen: true}

// stamp says when a register was written, or read late.
type stamp struct {
	at    uint64 // on the clock of wait states
	site  *site
	index uint64
	raw   reg // the name by which it was written
}

// stamps are the latest writes of a wave's registers. The producer of a row must be the last writer (rule W12).
type stamps struct {
	clock uint64 // wait states of all instructions so far
	last  uint64 // clock of the last instruction with which a row can start
	wrote [registers.NumRegs]stamp
	held  [registers.ScalarRegs]stamp
	run   run
}

// reset sets all writes to a time so long ago that no wait state is missing.
func (s *stamps) reset() {
	s.clock += 2 * maxStates
	s.run = run{}
}

// stateFacts has the properties of an instruction that wait states depend on.
type stateFacts struct {
	sorts  sorts
	first  bool // a row can start with it
	states uint8
	rows   []*stateRow // rows that can end with it
	touches
}

// touches are the registers of an instruction that matter for wait states.
type touches struct {
	checks []stateCheck // rows that can end with it
	writes []renamed    // registers that it writes
	keeps  []reg        // registers that it reads late
}

// renamed is a register, and the name by which an instruction uses it.
type renamed struct{ reg, raw reg }

// stateCheck is a row that can end with an instruction, and the register to check.
type stateCheck struct {
	row *stateRow
	renamed
	effect *isa.Effect // effect of the instruction, nil if it does not name the register
}

// stateFacts computes the properties of s that wait states depend on.
func (c *Checker) stateFacts(s *site) {
	f := &s.state
	f.sorts = sortsOf(&s.inst, s.effects)
	f.states = uint8(executor.WaitStates(&s.inst))
	for i := range stateRows {
		row := &stateRows[i]
		if !row.judged(s) {
			continue
		}
		f.first = f.first || row.first&f.sorts != 0
		if row.then&f.sorts != 0 {
			f.rows = append(f.rows, row)
		}
	}
	f.fill(s, s.effects)
}

// judged reports whether the row holds for the target of s.
func (row *stateRow) judged(s *site) bool {
	g := s.inst.Target.Gen()
	return row.off == "" && g >= row.gens[0] && g <= row.gens[1]
}

// fill sets t for the given effects of s.
func (t *touches) fill(s *site, effects []isa.Effect) {
	t.checks, t.writes, t.keeps = t.checks[:0], t.writes[:0], t.keeps[:0]
	for raw, f := range eachRegister(effects) {
		r := renamed{raw.Canonical(s.sgprs), raw}
		if f.Write && (r.reg >= registers.ScalarRegs || s.state.sorts&valu != 0) { // hardware waits for the others
			t.writes = append(t.writes, r)
		}
		if !f.Write && s.state.sorts&(wide|wideImage) != 0 && isVectorData(f) {
			t.keeps = append(t.keeps, r.reg)
		}
		for _, row := range s.state.rows {
			if row.of.in(r.reg) && row.use.uses(f) {
				t.checks = append(t.checks, stateCheck{row, r, f})
			}
		}
	}
	for _, row := range s.state.rows {
		if row.use == suffers {
			r := row.of.register()
			t.checks = append(t.checks, stateCheck{row, renamed{r, r}, nil})
		}
	}
}

// touched returns the touches of x: those of its site, unless its registers depend on the state.
func (c *Checker) touched(x *step) *touches {
	if !x.shifted {
		return &x.state.touches
	}
	c.movedTouches.fill(x.site, x.effects)
	return &c.movedTouches
}

// issueStates judges the pairs that end with x.
func (c *Checker) issueStates(x *step) {
	st := &x.wave.stamps
	if st.clock-st.last <= maxStates {
		c.judgeStates(x, c.touched(x).checks)
	}
	c.judgeRun(x)
}

func (c *Checker) judgeStates(x *step, checks []stateCheck) {
	st := &x.wave.stamps
	var told *stateRow // the latest reported row, and its producer
	var about *site
	for i := range checks {
		k := &checks[i]
		from := st.lacking(k, st.clock)
		if from == nil || told == k.row && about == from.site {
			continue
		}
		told, about = k.row, from.site
		c.tooFew(x, k, from, st.clock-from.at-1)
	}
}

// lacking returns the access since which too few wait states have passed for k, or nil.
func (s *stamps) lacking(k *stateCheck, clock uint64) *stamp {
	from := &s.wrote[k.reg]
	if k.row.held {
		from = &s.held[k.reg]
	}
	if from.site == nil || from.site.state.sorts&k.row.first == 0 || k.row.use == byAnotherName && from.raw == k.raw ||
		clock-from.at-1 >= uint64(k.row.states) {
		return nil
	}
	return from
}

// tooFew reports that there are fewer wait states between two instructions than the row of k requires.
func (c *Checker) tooFew(x *step, k *stateCheck, from *stamp, between uint64) {
	name := k.reg.Name((*isa.Inst)(x.Inst), cmp.Or(k.effect, &isa.Effect{Dwords: 1}))
	f := x.first(defect{kind: WaitState, reg: name, rule: k.row.rule, from: from.site})
	if f == nil {
		return
	}
	producer := from.site.place(x.Wave, from.index)
	f.Producer, f.Severity = &producer, k.row.level
	did := "writes"
	if k.row.held {
		did = "may still read"
	}
	lack := uint64(k.row.states) - between
	f.message = say("%v %s it and needs %s before this; there are %d", from.site.named(), did,
		countStates(uint64(k.row.states)), between)
	f.fix = say("s_nop %d before %v", lack-1, pc(x.PC))
}

func countStates(n uint64) string {
	if n == 1 {
		return "1 wait state"
	}
	return fmt.Sprintf("%d wait states", n)
}

// retireStates records the registers that x has used.
func (c *Checker) retireStates(x *step) {
	st, f := &x.wave.stamps, &x.state
	t := c.touched(x)
	for i := range t.writes {
		w := &t.writes[i]
		st.wrote[w.reg] = stamp{st.clock, x.site, x.executed, w.raw}
	}
	for _, r := range t.keeps {
		st.held[r] = stamp{st.clock, x.site, x.executed, r}
	}
	if f.first {
		st.last = st.clock
	}
	st.clock += uint64(f.states)
	c.follow(x)
}

// run is a sequence of scalar, or of vector, memory instructions without others in between (rules WS20 and WS21).
type run struct {
	of     sorts // smem or vmem, 0 outside of a run
	reads  regset
	writes regset
	last   origin // its latest instruction
	store  origin // the latest scalar store in it
}

// origin is an executed instruction of a wave.
type origin struct {
	site  *site
	index uint64
}

func (o origin) place(w *state.Wave) *Site {
	p := o.site.place(w, o.index)
	return &p
}

// judgeRun judges x as the next instruction of a run.
func (c *Checker) judgeRun(x *step) {
	run, s := &x.wave.stamps.run, x.site
	if run.of == 0 || s.state.sorts&run.of == 0 || !c.on[WaitState] {
		return
	}
	stores := s.storesScalars()
	if other := run.store; run.of == smem && (other.site != nil || stores && run.last.site != nil) {
		if other.site == nil {
			other = run.last
		}
		if f := x.first(defect{kind: WaitState, rule: "WS21", from: other.site}); f != nil {
			f.Producer, f.Severity = other.place(x.Wave), Note
			f.message = say("a scalar store and a scalar access, %v, with nothing in between may go to the same address",
				other.site.named())
			f.fix = say("s_nop 0 before %v", pc(x.PC))
		}
	}
	if c.replays(s) {
		c.judgeClause(x, run)
	}
}

// replays reports whether the accesses of s may be replayed.
func (c *Checker) replays(s *site) bool {
	return setting(c.features.XNACK, c.Options.XNACK) && isa.TraitsOf(s.inst.Target).XNACK
}

// storesScalars reports whether s is a scalar store or atomic.
func (s *site) storesScalars() bool {
	op := s.inst.Row().Mem.Op
	return s.state.sorts&smem != 0 && (op == gcn.Store || op == gcn.Atomic)
}

// judgeClause judges x as part of a clause that is replayed as a whole (rule WS20).
func (c *Checker) judgeClause(x *step, run *run) {
	if run.writes == (regset{}) {
		return
	}
	reads, writes := run.reads, run.writes
	reads.union(x.reads)
	writes.union(x.writes)
	op := (*isa.Inst)(x.Inst).Row().Mem.Op
	r, both := reads.first(&writes)
	if !both && op != gcn.Store {
		return
	}
	name, why, severity := "", "is a store", Note
	if both {
		name, why, severity = x.operandOf(r), "overwrites what one of them reads", Error
	}
	if f := x.first(defect{kind: WaitState, reg: name, rule: "WS20"}); f != nil {
		f.Severity = severity
		f.message = say("with the instruction before it this is replayed as a whole if it faults, and it %s", why)
		f.fix = say("s_nop 0 before %v", pc(x.PC))
	}
	run.of = 0 // a wait state ends it
}

// operandOf returns the name of x's operand with r, or the name of r.
func (x *step) operandOf(r reg) string {
	for i := range x.effects {
		f := &x.effects[i]
		if first, n := registers.Span(f); f.Write && first <= r && r < first+reg(n) && f.File != isa.FlagReg {
			return first.Operand((*isa.Inst)(x.Inst), n)
		}
	}
	return r.Operand((*isa.Inst)(x.Inst), 1)
}

// follow updates the run after x.
func (c *Checker) follow(x *step) {
	run, s := &x.wave.stamps.run, x.site
	of := s.state.sorts & (smem | vmem)
	switch {
	case of == 0 || of&smem == 0 && !c.replays(s):
		run.of = 0
		return
	case run.of != of:
		run.of, run.reads, run.writes, run.last, run.store = of, regset{}, regset{}, origin{}, origin{}
	}
	here := origin{s, x.executed}
	run.last = here
	if s.storesScalars() {
		run.store = here
	}
	if c.replays(s) {
		reads, writes := *x.reads, *x.writes
		clear(writes[registers.FlagRegs/64:])
		run.reads.union(&reads)
		run.writes.union(&writes)
	}
}
