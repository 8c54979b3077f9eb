// Package eval follows one lane of one wave of a kernel symbolically: arguments, the ids of its work-item and
// work-group and what it loads are variables, EXEC and other lane masks are conditions of the lane. What instructions
// compute comes from the descriptions that executors make for package block. The result is the list of the stores of
// the lane, each with its condition. What cannot be followed is named, and there is no result.
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
	_ "github.com/gcnsim/gcnsim/internal/sim/executors" // the descriptions
)

// World has what both programs share: terms, and the conditions on variables.
type World struct {
	*term.Bank
	Unit uint8 // bytes of a cell of memory: 4, or 1 if there are smaller accesses
	Plan *Plan
	// GroupSize is how many work-items a work-group has at most.
	GroupSize int
	// InOrder is set where lanes read what others of their wave stored without a barrier: then the order of stores counts.
	InOrder bool
	// Some are the conditions that some lane of the wave has a bit of a mask.
	Some    []Some
	Left    *term.Term        // when a loop has more iterations than the plan says
	Opaque  map[string]string // instructions by their functions, which are known by their operands alone
	Assumed map[Assumption]bool
	some    map[*term.Term]int // by the mask
	isSome  map[*term.Term]int // by the variable
	undef   int
	varies  map[string]int // by a variable or function: the loop in which it has a value for each iteration, from 1 on
}

// Some is the condition that a lane has: it holds if the mask does in the lane that is followed.
type Some struct{ Is, Mask *term.Term }

// Assumption is something that a result rests on.
type Assumption string

// The assumptions that an instruction may need.
const (
	Aligned Assumption = "accesses are aligned"
	Flat    Assumption = "pointers that arguments and memory hold are of global memory"
	InLDS   Assumption = "accesses of LDS are in range"
	InTable Assumption = "tables of constants are not left"
	NaNs    Assumption = "which of several NaNs is the result makes no difference"
	Buffers Assumption = "addresses have 48 bits, and buffers that begin at 0 and have a constant size are not left"
)

// NewWorld returns a world for work-groups of so many work-items at most, with cells of so many bytes, and of so many
// terms at most, which are built until a time.
func NewWorld(plan *Plan, groupSize int, unit uint8, limit int, until time.Time) *World {
	bank := term.NewBank(limit)
	bank.Until = until
	return &World{Bank: bank, Left: bank.Bool(false), Unit: unit, GroupSize: groupSize, Plan: plan,
		Opaque: map[string]string{}, Assumed: map[Assumption]bool{}, some: map[*term.Term]int{},
		isSome: map[*term.Term]int{}, varies: map[string]int{}}
}

// Access is a load or a store of a cell of memory.
type Access struct {
	Cond, Addr, Value *term.Term // Value of a store
	PC                uint64
}

// Result has what the lane does that others see.
type Result struct {
	Parts        []Part   // the stores, in the order of the cuts between them
	Loads        []Access // of global memory
	Loops        []Loop
	Instructions int // instructions that were followed, counted each time
}

// Stores returns the stores to global memory.
func (r *Result) Stores() (all []Access) {
	for _, x := range r.Parts {
		all = append(all, x.Stores[global]...)
	}
	return all
}

// UnitError says that cells of memory must be smaller.
type UnitError struct{}

// Error says so.
func (UnitError) Error() string { return "an access of less than a dword" }

// NotFollowed is the error that an instruction is not followed.
type NotFollowed struct {
	Why  string // what the instruction, or the kernel, has that is not followed
	PC   uint64
	Text string
}

// Error says which instruction is not followed, and why.
func (n *NotFollowed) Error() string {
	if n.Text == "" {
		return n.Why
	}
	return fmt.Sprintf("%s: %s at 0x%x", n.Why, n.Text, n.PC)
}

// program is a kernel that is followed.
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
	small  bool // an access is smaller than a cell
	loops  int  // that have begun
	inside int  // the loop whose iteration is followed, from 1 on
	cuts   bool // another loop has to be followed for any iteration: the program is followed again
	res    Result
}

// instr is a decoded instruction.
type instr struct {
	isa.Inst
	pc   uint64
	row  *isa.Row
	impl executor.Impl
	does *block.Instr // nil: executors do not describe it
}

// fail says that the instruction at hand is not followed.
func (p *program) fail(why string) {
	if p.why == nil {
		p.why = &NotFollowed{Why: why}
		if p.at != nil {
			p.why.PC, p.why.Text = p.at.pc, disasm.Text(&p.at.Inst, p.at.pc, p.kernel.Entry)
		}
	}
}

// maxSteps bounds the instructions that are followed.
const maxSteps = 20000

// Run follows a kernel of an object. Side names it in the names of variables that it has alone. The error is a
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

// waiting are the states that have come to an instruction.
type waiting struct {
	epoch int // how often the way has gone back
	pc    uint64
}

func (p *program) run() {
	p.follow(p.begin(), p.kernel.Entry, nil, 0)
	if !p.ended {
		p.fail("it does not end")
	}
}

// function is a function that is followed.
type function struct {
	*graph
	back     *term.Term // the address to which it returns
	depth    int        // of the call
	returned []*lane
	arrived  map[uint64]*term.Term // by the head of a loop, the path of the state that came to it from outside
}

// maxDepth bounds the calls that are in one another.
const maxDepth = 16

// follow follows all ways of a function. It returns the state in which they come back to an address, nil if none does.
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

// walk follows a state through a function, or an iteration of one of its loops. It returns the states that leave the
// loop, or come to its head again.
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

// straight follows a state until its way parts, ends, or meets others.
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

// ways are the states that have not gone on.
type ways map[waiting][]*lane

func (w ways) add(s *lane, epoch int, pc uint64) {
	at := waiting{epoch, pc}
	w[at] = append(w[at], s)
}

// first returns the earliest place.
func (w ways) first() waiting {
	return slices.MinFunc(slices.Collect(maps.Keys(w)), func(a, b waiting) int {
		return cmp.Or(a.epoch-b.epoch, cmp.Compare(a.pc, b.pc))
	})
}

// goesOn reports whether the next instruction follows.
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

// fetch returns the instruction at pc, nil if it is not followed.
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

// decode returns the instruction at pc. It is nil where the words are not an instruction.
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

// branch lets a state continue on both sides of a branch; after the end of the wave nothing does.
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

// condition returns when a branch is taken.
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

// any returns the condition that a lane of the wave has a bit of a mask.
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

// undefined returns what a register holds that nothing has written.
func (p *program) undefined(w uint8, lane bool) *term.Term {
	p.undef++
	return p.varying(p.Var(w, fmt.Sprintf("%s %s%d", nothing, p.side, p.undef), lane))
}

// nothing is what the names of variables begin with that stand for what nothing has written.
const nothing = "undefined"

func isUndefined(t *term.Term) bool { return t.Op == term.Var && strings.HasPrefix(t.Name, nothing) }
