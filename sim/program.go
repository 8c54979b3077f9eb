package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	_ "github.com/gcnsim/gcnsim/internal/sim/executors" // registers the executors
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// step is one dword of a program, decoded as the beginning of an instruction.
type step struct {
	exec  executor.Exec
	in    isa.Inst
	class Class
	count isa.Counts
	note  uint16 // index in Program.notes
	flags stepFlags
}

// stepFlags tell an engine what to do for an instruction besides executing it.
type stepFlags uint8

const (
	hasEffects  stepFlags = 1 << iota // the step changes a counter, has a note, or makes an access that may have doubts
	startsBlock                       // a block begins here; set in blocks.steps only
	changesFlow                       // the step may change PC; see [executor.Impl.Flow]. Also set for steps that fault
	visible                           // a watcher must see it; a flag of a run, not of a step
	mayTrap                           // its exceptions can be seen, or there is a trap handler; a flag of a run
)

// Program is decoded machine code. Each dword is decoded as the beginning of an instruction, so that a branch may go
// anywhere. A Program is immutable, and waves may share it.
type Program struct {
	Base uint64 // address of the first word
	End  uint64 // address after the last word
	// Load is the load address of the program's code object, 0 without one. A PC minus Load is the PC in the file, as
	// disassemblers print it.
	Load uint64

	object *codeobj.Object // nil without a code object
	// textName is the file name of a program made from text, else "".
	textName string
	kept     *keptCode // the decoded code, if the program was read from memory, else nil
	steps    []step
	hot      *hotCode             // shared by all programs with the same steps
	why      map[int]*state.Fault // why a step does not execute
	notes    []note               // why instructions are not exact; element 0 stands for exact ones
	// usesLDS is set if an instruction can access LDS or GDS.
	usesLDS    bool
	usesImages bool // there is an image instruction
	target     gcn.Target
	decodedFor int  // number of VGPRs of the waves
	vgprs      int  // number of VGPRs that it can access
	indexes    bool // an instruction accesses VGPRs that it does not name, or enables others to do so
	// ordered is set if the result of an instruction depends on the order of work-groups.
	ordered bool
	sees    bool // an instruction can see exceptions; see seesExceptions
}

// NewProgram decodes words at address base for waves of t with vgprs vector registers. Words that are not an
// instruction, or not an executable one, become a fault when a wave reaches them.
func NewProgram(t gcn.Target, base uint64, words []uint32, vgprs int) *Program {
	p, err := newProgram(context.Background(), t, words, len(words), vgprs, executor.Find)
	if err != nil {
		panic("sim: " + err.Error()) // the context does not end
	}
	return p.at(base, nil, 0, "")
}

// decodedAtOnce is the number of words that are decoded between checks for cancellation.
const decodedAtOnce = 1 << 14

// newProgram decodes the first n words at address 0. An instruction at the end may extend into the words after them.
// find returns the executor of an instruction. The error comes from ctx.
func newProgram(ctx context.Context, t gcn.Target, words []uint32, n, vgprs int,
	find func(*isa.Inst) executor.Impl) (*Program, error) {
	p := &Program{steps: make([]step, n), End: uint64(n) * 4, target: t, decodedFor: vgprs}
	p.hot = newHotCode(n, find)
	var buf [8]isa.Operand
	next := 0 // start of the next instruction if the code is read from its start
	for i := range n {
		if i%decodedAtOnce == decodedAtOnce-1 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := &p.steps[i]
		in, err := isa.Decode(t, words[i:])
		if err != nil {
			p.fail(i, decodeFault(err))
			continue
		}
		s.in, s.class, s.count = in, classOf[in.Row().Enc], in.Counts()
		if i >= next {
			next = i + int(in.Size)/4
			p.ordered = p.ordered || ordered(&in)
		}
		operands := in.Operands(buf[:0])
		if f := executor.CheckOperands(&in, vgprs, operands); f != nil {
			p.fail(i, f)
			continue
		}
		impl := find(&s.in)
		if impl.Exec == nil {
			kind := state.FaultUnsupported
			if impl.Illegal {
				kind = state.FaultIllegal
			}
			p.fail(i, executor.NewFault(kind, "%s", impl.Why))
			continue
		}
		s.exec = guardTrapRegisters(&in, operands, impl.Exec)
		p.sees = p.sees || seesExceptions(&in)
		p.vgprs = max(p.vgprs, reachable(&in, operands, vgprs))
		p.indexes = p.indexes || in.Row().Has(isa.IndexesVGPRs)
		p.usesLDS = p.usesLDS || registers.LDS(&in)
		p.usesImages = p.usesImages || s.class == ClassMIMG
		if impl.Level != gcn.Exact {
			s.note = p.note(in.Op, &impl)
		}
		if s.note != 0 || s.count != (isa.Counts{}) || s.class != ClassSALU && s.class != ClassVALU {
			s.flags |= hasEffects
		}
		if impl.Flow {
			s.flags |= changesFlow
		}
	}
	return p, nil
}

// at returns p at address base, as part of an object loaded at load. The decoded code is shared.
func (p *Program) at(base uint64, object *codeobj.Object, load uint64, textName string) *Program {
	moved := *p
	moved.Base, moved.End = base, base+uint64(len(p.steps))*4
	moved.object, moved.Load, moved.textName = object, load, textName
	return &moved
}

// Source returns the source line of the instruction at pc, for example "k.cl:12": the file name without its
// directory, and the line. It is "" if the code object has no line table.
func (p *Program) Source(pc uint64) string {
	if p == nil || p.object == nil {
		return ""
	}
	file, line := p.object.Line(pc - p.Load)
	if line == 0 {
		return ""
	}
	if file == codeobj.TextFile && p.textName != "" {
		file = p.textName
	}
	return fmt.Sprintf("%s:%d", path.Base(file), line)
}

// ordered reports whether the result of an instruction depends on the order in which work-groups execute it. This
// holds for atomics on memory that work-groups share, if they return the old value or do not commute.
func ordered(in *isa.Inst) bool {
	r := in.Row()
	if r.Enc == isa.DS {
		return in.Bool(isa.GDS)
	}
	return r.Mem.Op == gcn.Atomic && (in.Bool(isa.GLC) || !r.Mem.Commutes)
}

// reachable returns the number of VGPRs, of all, that an instruction with these operands can access.
func reachable(in *isa.Inst, operands []isa.Operand, all int) int {
	if in.Row().Has(isa.IndexesVGPRs) {
		return all
	}
	n := 0
	for _, o := range operands {
		if o.File == isa.VReg {
			n = max(n, int(o.Code)+int(o.Dwords))
		}
	}
	if in.Enc == isa.MIMG {
		_, most := in.AddrRange()
		n = max(n, min(int(in.Get(isa.ADDR))+most, all))
	}
	return n
}

// hold allocates all VGPRs of w that p can access.
func (p *Program) hold(w *state.Wave) {
	n := p.vgprs
	if p.indexes || executor.GPRIndexing(w) {
		n = w.NumVGPRs
	}
	executor.Hold(w, n)
}

// fail sets the fault that step i raises.
func (p *Program) fail(i int, f *state.Fault) {
	if p.why == nil {
		p.why = map[int]*state.Fault{}
	}
	p.why[i] = f
	p.steps[i].exec, p.steps[i].flags = nil, changesFlow
}

// note is the reason why an instruction is not exact.
type note struct {
	op   gcn.Op
	impl executor.Impl
}

// note returns the index in p.notes of the note of an instruction.
func (p *Program) note(op gcn.Op, impl *executor.Impl) uint16 {
	for i, n := range p.notes {
		if n.op == op && n.impl.Level == impl.Level && n.impl.Why == impl.Why && slices.Equal(n.impl.More, impl.More) {
			return uint16(i)
		}
	}
	if len(p.notes) == 0 {
		p.notes = make([]note, 1)
	}
	if len(p.notes) > math.MaxUint16 {
		return math.MaxUint16 // never happens: no program has that many notes
	}
	p.notes = append(p.notes, note{op, executor.Impl{Level: impl.Level, Why: impl.Why, More: impl.More}})
	return uint16(len(p.notes) - 1)
}

func decodeFault(err error) *state.Fault {
	f := executor.NewFault(state.FaultDecode, "%v", err)
	f.Err = err
	var d *gcn.Error
	if errors.As(err, &d) && len(d.Words) > 0 {
		f.Text = fmt.Sprintf(".long 0x%08x", d.Words[0])
	}
	return f
}

// contains reports whether pc is in the program.
func (p *Program) contains(pc uint64) bool { return pc-p.Base < uint64(len(p.steps))*4 }

// Inst returns the instruction at pc; ok is false if the words there are not an instruction.
func (p *Program) Inst(pc uint64) (in gcn.Inst, ok bool) {
	if !p.contains(pc) {
		return gcn.Inst(isa.Inst{}), false
	}
	in = gcn.Inst(p.steps[(pc-p.Base)/4].in)
	return in, in.Op != 0
}

// text returns the disassembly of the instruction at pc, "" if there is none.
func (p *Program) text(pc uint64) string {
	if in, ok := p.Inst(pc); ok {
		return asm.Format(in, asm.LLVM)
	}
	return ""
}

// wordsOf returns b as little-endian words. Bytes after the last whole word are ignored.
func wordsOf(b []byte) []uint32 {
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}
