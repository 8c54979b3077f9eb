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
	// Some are the conditions that some lane of the wave has a bit of a mask.
	Some    []Some
	Opaque  map[string]string // instructions by their functions, which are known by their operands alone
	Assumed map[Assumption]bool
	some    map[*term.Term]int // by the mask
	isSome  map[*term.Term]int // by the variable
	undef   int
}

// Some is the condition that a lane has: it holds if the mask does in the lane that is followed.
type Some struct{ Is, Mask *term.Term }

// Assumption is something that a result rests on.
type Assumption string

// The assumptions that an instruction may need.
const (
	Aligned Assumption = "accesses are aligned"
	Flat    Assumption = "pointers that arguments hold are of global memory"
	NaNs    Assumption = "which of several NaNs is the result makes no difference"
	Buffers Assumption = "addresses have 48 bits, and buffers that begin at 0 and have a constant size are not left"
)

// NewWorld returns a world with cells of so many bytes, and of so many terms at most.
func NewWorld(unit uint8, limit int) *World {
	return &World{Bank: term.NewBank(limit), Unit: unit, Opaque: map[string]string{}, Assumed: map[Assumption]bool{},
		some: map[*term.Term]int{}, isSome: map[*term.Term]int{}}
}

// Access is a load or a store of a cell of memory.
type Access struct {
	Cond, Addr, Value *term.Term // Value of a store
	PC                uint64
}

// Result has the accesses of the lane.
type Result struct {
	Stores, Loads []Access
	Instructions  int // instructions that were followed, counted each time
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
	facts  map[[2]*term.Term]*term.Facts // by path and EXEC
	at     *instr
	why    *NotFollowed
	ended  bool
	small  bool // an access is smaller than a cell
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
		facts: map[[2]*term.Term]*term.Facts{}}
	w.Assumed[Aligned] = true
	p.run()
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

// maxDepth bounds the calls that are in one another.
const maxDepth = 16

// follow follows all ways from an instruction on. It returns the state in which they come back to an address, nil if
// none does.
func (p *program) follow(s *lane, pc uint64, back *term.Term, depth int) *lane {
	var returned []*lane
	if depth > maxDepth {
		p.fail("calls in calls")
	}
	for todo := (ways{{0, pc}: {s}}); len(todo) > 0 && p.why == nil; {
		next := todo.first()
		s := p.mergeAll(todo[next])
		delete(todo, next)
		s.epoch = next.epoch
		for pc := next.pc; p.why == nil; {
			if at := (waiting{s.epoch, pc}); todo[at] != nil {
				todo[at] = append(todo[at], s)
				break
			}
			in := p.fetch(pc)
			if in == nil {
				break
			}
			if pc += uint64(in.Size); p.goesOn(s, in) {
				p.step(s, in)
				continue
			}
			if !in.row.Has(isa.Jumps) {
				p.branch(s, in, todo)
				break
			}
			target := p.sgpr64(s, int(in.Get(isa.SSRC0)))
			calls := in.row.Sig.Dst != isa.None
			if calls {
				p.setSGPR64(s, int(in.Get(isa.SDST)), p.Add(p.base(), p.Const(64, pc)))
			}
			to := p.Sub(target, p.base())
			switch {
			case target == back && !calls:
				returned = append(returned, s)
			case to.Op != term.Const || in.row.Control == isa.LeavesTrap:
				p.fail("a jump to an address that is not known")
			case calls:
				epoch := s.epoch
				if s = p.follow(s, to.K, p.Add(p.base(), p.Const(64, pc)), depth+1); s != nil {
					s.epoch = epoch
					continue
				}
			default:
				todo.add(s, s.epoch+1, to.K)
			}
			break
		}
	}
	if len(returned) == 0 || p.why != nil {
		return nil
	}
	return p.mergeAll(returned)
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
		p.res.Stores = mergeStores(p.res.Stores, s.stores)
		return false
	case in.row.Has(isa.Jumps):
		return false
	}
	return in.does == nil || in.does.Branch == nil
}

// fetch decodes the instruction at pc.
func (p *program) fetch(pc uint64) *instr {
	p.at = nil
	if p.res.Instructions++; p.res.Instructions > maxSteps || p.Full {
		p.fail("it is too long")
		return nil
	}
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
			p.fail("what follows is no instruction")
			return nil
		}
		in = &instr{Inst: decoded, pc: pc, row: decoded.Row(), impl: executor.Find(&decoded)}
		if in.impl.Exec != nil && in.impl.Block != nil {
			in.does = in.impl.Block()
		}
		p.code[pc] = in
	}
	p.at = in
	if f := executor.CheckOperands(&in.Inst, p.kernel.VGPRs, in.Operands(nil)); f != nil || in.impl.Exec == nil {
		p.fail("what does not execute")
		return nil
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
			if !way.cond.IsTrue() {
				p.fail("a loop")
				return
			}
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
	return p.Var(w, fmt.Sprintf("undefined %s%d", p.side, p.undef), lane)
}

// mergeStores returns the stores of two ways that began with the same ones.
func mergeStores(a, b []Access) []Access {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return append(slices.Clip(a), b[n:]...)
}
