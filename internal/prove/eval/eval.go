// Package eval executes one lane of one wave of a kernel symbolically. Arguments, work-item and work-group ids and
// loaded values are variables. EXEC and other lane masks are conditions of the lane. The semantics of instructions come
// from the descriptions that executors make for package block. The result is the list of the lane's stores, each with
// its condition. If an instruction is not supported, there is no result but an error that names it.
package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	_ "github.com/gcnsim/gcnsim/internal/sim/executors" // for the descriptions
)

// World has the data that two programs share: terms, and conditions on variables.
type World struct {
	*term.Bank
	Unit uint8 // size of a memory cell in bytes: 4, or 1 if a program has smaller accesses
	Plan *Plan
	// GroupSize is the maximum number of work-items of a work-group.
	GroupSize int
	// InOrder is set if lanes read stores of other lanes without a barrier. The order of stores then matters.
	InOrder bool
	// Some has the conditions that at least one lane of the wave has a bit in a mask.
	Some    []Some
	Left    *term.Term        // holds if a loop has more iterations than Plan.UpTo
	Opaque  map[string]string // names of instructions by the unknown functions for their results
	Assumed map[Assumption]bool
	some    map[*term.Term]int // index in Some by mask
	isSome  map[*term.Term]int // index in Some by variable
	undef   int
	varies  map[string]int // by variable or function: the loop, from 1 on, in whose iterations its value differs
}

// Some is a condition of a wave: Is holds if Mask holds in at least one lane.
type Some struct{ Is, Mask *term.Term }

// Assumption is an assumption of a result, as a sentence.
type Assumption string

// Assumptions that some instructions need.
const (
	Aligned Assumption = "accesses are aligned"
	Flat    Assumption = "pointers that arguments and memory hold are of global memory"
	InLDS   Assumption = "accesses of LDS are in range"
	InTable Assumption = "tables of constants are not left"
	NaNs    Assumption = "which of several NaNs is the result makes no difference"
)

// NewWorld returns a World for work-groups of at most groupSize work-items, with cells of unit bytes. It builds at most
// limit terms, and none after until.
func NewWorld(plan *Plan, groupSize int, unit uint8, limit int, until time.Time) *World {
	bank := term.NewBank(limit)
	bank.Until = until
	return &World{Bank: bank, Left: bank.Bool(false), Unit: unit, GroupSize: groupSize, Plan: plan,
		Opaque: map[string]string{}, Assumed: map[Assumption]bool{}, some: map[*term.Term]int{},
		isSome: map[*term.Term]int{}, varies: map[string]int{}}
}

// Access is a load or a store of a cell of memory.
type Access struct {
	Cond, Addr, Value *term.Term // Value is nil for a load
	PC                uint64
}

// Result has the effects of the lane that others can see.
type Result struct {
	Parts        []Part   // stores, in the order of the cuts between them
	Loads        []Access // loads from global memory
	Loops        []Loop
	Instructions int // number of executed instructions, each execution counted
}

// Stores returns all stores to global memory.
func (r *Result) Stores() (all []Access) {
	for _, x := range r.Parts {
		all = append(all, x.Stores[global]...)
	}
	return all
}

// UnitError is the error of an access that is smaller than a cell. The caller must retry with smaller cells.
type UnitError struct{}

// Error returns the message.
func (UnitError) Error() string { return "an access of less than a dword" }

// NotFollowed is the error of an instruction that is not supported.
type NotFollowed struct {
	Why  string // unsupported property of the instruction or the kernel
	PC   uint64
	Text string
}

// Error returns the reason and the instruction.
func (n *NotFollowed) Error() string {
	if n.Text == "" {
		return n.Why
	}
	return fmt.Sprintf("%s: %s at 0x%x", n.Why, n.Text, n.PC)
}

// program is the symbolic execution of a kernel.
type program struct {
	*World
	object *codeobj.Object
	kernel *codeobj.Kernel
	side   string
	code   map[uint64]*instr
	graphs map[uint64]*graph
	facts  map[[2]*term.Term]*term.Facts // by path and EXEC
	at     *instr
	why    *NotFollowed
	ended  bool
	small  bool // an access was smaller than a cell
	loops  int  // number of loops that have begun
	inside int  // number of the current loop, from 1 on
	cuts   bool // another loop needs a symbolic iteration: execute the program again
	res    Result
}

// instr is a decoded instruction.
type instr struct {
	isa.Inst
	pc   uint64
	row  *isa.Row
	impl executor.Impl
	does *block.Instr // nil if executors have no description
}

// fail records that the current instruction is not supported.
func (p *program) fail(why string) {
	if p.why == nil {
		p.why = &NotFollowed{Why: why}
		if p.at != nil {
			p.why.PC, p.why.Text = p.at.pc, disasm.Text(&p.at.Inst, p.at.pc, p.kernel.Entry)
		}
	}
}

// maxSteps is the maximum number of executed instructions.
const maxSteps = 20000

// Run executes a kernel of an object. The names of variables that belong to one program contain side. The error is a
// *[NotFollowed] or a [UnitError].
func Run(w *World, object *codeobj.Object, kernel *codeobj.Kernel, side string) (*Result, error) {
	p := &program{World: w, object: object, kernel: kernel, side: side, code: map[uint64]*instr{},
		graphs: map[uint64]*graph{}, facts: map[[2]*term.Term]*term.Facts{}}
	w.Assumed[Aligned] = true
	for p.cuts = true; p.cuts; {
		p.cuts, p.ended, p.loops, p.inside, p.why, p.res = false, false, 0, 0, nil, Result{}
		p.run()
	}
	switch {
	case p.small:
		return nil, UnitError{}
	case p.why != nil:
		return nil, p.why
	}
	return &p.res, nil
}

// waiting is the instruction at which states wait to be merged.
type waiting struct {
	epoch int // number of backward jumps so far
	pc    uint64
}

func (p *program) run() {
	p.follow(p.begin(), p.kernel.Entry, nil, 0)
	if !p.ended {
		p.fail("it does not end")
	}
}

// function is a call of a function.
type function struct {
	*graph
	back     *term.Term // return address
	depth    int        // depth of the call
	returned []*lane
	arrived  map[uint64]*term.Term // path of the state that entered a loop, by the head of the loop
}

// maxDepth is the maximum depth of calls.
const maxDepth = 16

// follow executes all paths of a function. It returns the state after the return to back, nil if no path returns.
func (p *program) follow(s *lane, pc uint64, back *term.Term, depth int) *lane {
	if depth > maxDepth {
		p.fail("calls in calls")
		return nil
	}
	f := &function{graph: p.graphOf(pc), back: back, depth: depth, arrived: map[uint64]*term.Term{}}
	p.walk(f, nil, s, pc)
	if len(f.returned) == 0 || p.why != nil {
		return nil
	}
	return p.mergeAll(f.returned)
}

// walk executes a function or, if in is not nil, an iteration of loop in. It returns the states that leave the loop or
// reach its head again.
func (p *program) walk(f *function, in *natural, s *lane, pc uint64) (left ways) {
	left = ways{}
	todo := ways{{s.epoch, pc}: {s}}
	for start := true; len(todo) > 0 && p.why == nil; start = false {
		next := todo.first()
		s := p.mergeAll(todo[next])
		delete(todo, next)
		s.epoch = next.epoch
		switch {
		case p.why != nil:
		case !start && in != nil && (next.pc == in.head || !in.body[next.pc]):
			left.add(s, s.epoch, next.pc)
		case f.loops[next.pc] != nil && (in == nil || next.pc != in.head):
			p.arrive(f, f.loops[next.pc], s, todo)
		default:
			p.straight(f, s, next.pc, todo)
		}
	}
	return left
}

// straight executes a state until it branches, ends, or reaches an instruction where other states wait.
func (p *program) straight(f *function, s *lane, from uint64, todo ways) {
	for pc := from; p.why == nil; {
		if at := (waiting{s.epoch, pc}); pc != from && (todo[at] != nil || f.loops[pc] != nil) {
			todo.add(s, s.epoch, pc)
			return
		}
		in := p.fetch(pc)
		if in == nil {
			return
		}
		s.from = pc
		if pc += uint64(in.Size); p.goesOn(s, in) {
			p.step(s, in)
			continue
		}
		if !in.row.Has(isa.Jumps) {
			p.branch(s, in, todo)
			return
		}
		target := p.sgpr64(s, int(in.Get(isa.SSRC0)))
		calls := in.row.Sig.Dst != isa.None
		if calls {
			p.setSGPR64(s, int(in.Get(isa.SDST)), p.Add(p.base(), p.Const(64, pc)))
		}
		to := p.Sub(target, p.base())
		switch {
		case target == f.back && !calls:
			f.returned = append(f.returned, s)
			return
		case to.Op != term.Const || in.row.Control == isa.LeavesTrap:
			p.fail("a jump to an address that is not known")
			return
		case !calls:
			todo.add(s, s.epoch+1, to.K)
			return
		}
		epoch := s.epoch
		if s = p.follow(s, to.K, p.Add(p.base(), p.Const(64, pc)), f.depth+1); s == nil {
			return
		}
		s.epoch = epoch
	}
}

// ways are states that wait to continue, by the instruction where they wait.
type ways map[waiting][]*lane

func (w ways) add(s *lane, epoch int, pc uint64) {
	at := waiting{epoch, pc}
	w[at] = append(w[at], s)
}

// first returns the key with the lowest epoch and, in that epoch, the lowest PC.
func (w ways) first() waiting {
	return slices.MinFunc(slices.Collect(maps.Keys(w)), func(a, b waiting) int {
		return cmp.Or(a.epoch-b.epoch, cmp.Compare(a.pc, b.pc))
	})
}

// goesOn reports whether execution continues with the next instruction.
func (p *program) goesOn(s *lane, in *instr) bool {
	switch {
	case in.does != nil && in.does.Stop == block.Ends:
		p.ended = true
		p.record(s)
		return false
	case in.row.Has(isa.Jumps):
		return false
	}
	return in.does == nil || in.does.Branch == nil
}

// fetch returns the instruction at pc, nil if it is not supported.
func (p *program) fetch(pc uint64) *instr {
	p.at = nil
	if p.res.Instructions++; p.res.Instructions > maxSteps || p.Full {
		p.fail("it is too long")
		return nil
	}
	in := p.decode(pc)
	if in == nil {
		p.fail("what follows is no instruction")
		return nil
	}
	p.at = in
	if f := executor.CheckOperands(&in.Inst, p.kernel.VGPRs, in.Operands(nil)); f != nil || in.impl.Exec == nil {
		p.fail("what does not execute")
		return nil
	}
	return in
}

// decode returns the instruction at pc, nil if the words there are not an instruction.
func (p *program) decode(pc uint64) *instr {
	in := p.code[pc]
	if in == nil {
		var words []uint32
		for n := uint64(0); n < 8; n += 4 {
			if b, ok := codeobj.Constant(p.object, pc+n, 4); ok {
				words = append(words, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24)
			}
		}
		decoded, err := isa.Decode(p.object.Target, words)
		if err != nil {
			return nil
		}
		in = &instr{Inst: decoded, pc: pc, row: decoded.Row(), impl: executor.Find(&decoded)}
		if in.impl.Exec != nil && in.impl.Block != nil {
			in.does = in.impl.Block()
		}
		p.code[pc] = in
	}
	return in
}

// branch continues a state on both paths after a branch. It does nothing after the end of the wave.
func (p *program) branch(s *lane, in *instr, todo ways) {
	if in.does.Branch == nil {
		return
	}
	after := in.pc + uint64(in.Size)
	to := after + uint64(in.does.Branch.Far)
	taken := p.condition(s, in.does.Branch.Cond)
	for _, way := range []struct {
		pc   uint64
		cond *term.Term
	}{{to, taken}, {after, p.Not(taken)}} {
		if way.cond.IsFalse() {
			continue
		}
		x := s.clone()
		if !way.cond.IsTrue() {
			x.path = p.And(x.path, way.cond)
		}
		if x.path.IsFalse() {
			continue
		}
		if way.pc <= in.pc {
			x.epoch++
		}
		todo.add(x, x.epoch, way.pc)
	}
}

// condition returns the condition under which a branch is taken.
func (p *program) condition(s *lane, c block.Cond) *term.Term {
	switch c {
	case block.SCC0:
		return p.Not(p.known(s, s.scc))
	case block.SCC1:
		return p.known(s, s.scc)
	case block.VCCZero:
		return p.Not(p.known(s, p.any(p.mask(s, isa.VCC))))
	case block.VCCNotZero:
		return p.known(s, p.any(p.mask(s, isa.VCC)))
	case block.ExecZero:
		return p.Not(p.known(s, p.any(p.exec(s))))
	case block.ExecNotZero:
		return p.known(s, p.any(p.exec(s)))
	}
	return p.Bool(true)
}

// any returns the condition that at least one lane of the wave has a bit in mask m.
func (p *program) any(m *term.Term) *term.Term {
	var same, own []*term.Term
	for _, c := range term.Conjuncts(m) {
		if c.Lane {
			own = append(own, c)
		} else {
			same = append(same, c)
		}
	}
	if len(own) == 0 {
		return m
	}
	m = p.And(own...)
	if !m.Lane {
		return p.And(append(same, m)...)
	}
	i, ok := p.some[m]
	if !ok {
		i = len(p.Some)
		is := p.Var(1, fmt.Sprintf("some lane has %d", m.ID), false)
		p.some[m], p.isSome[is] = i, i
		p.Some = append(p.Some, Some{is, m})
	}
	return p.And(append(same, p.Some[i].Is)...)
}

// undefined returns a new variable for a register that no instruction has written.
func (p *program) undefined(w uint8, lane bool) *term.Term {
	p.undef++
	return p.varying(p.Var(w, fmt.Sprintf("%s %s%d", nothing, p.side, p.undef), lane))
}

// nothing is the prefix of the names of variables for values that no instruction has written.
const nothing = "undefined"

func isUndefined(t *term.Term) bool { return t.Op == term.Var && strings.HasPrefix(t.Name, nothing) }
