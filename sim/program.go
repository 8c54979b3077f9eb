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
	_ "github.com/gcnsim/gcnsim/internal/sim/executors" // registers them
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

// stepFlags say what an engine does about an instruction besides executing it.
type stepFlags uint8

const (
	hasEffects  stepFlags = 1 << iota // there is something to count or to note, or an access that may leave doubts
	startsBlock                       // a block begins here: of the steps that blocks know, see hotCode
	changesFlow                       // see [executor.Impl.Flow]; it may be a fault as well
	visible                           // somebody sees it: of a run, not of a step
	mayTrap                           // somebody can see its exceptions, or a trap handler: of a run, too
)

// Program is machine code decoded once: each dword as the beginning of an instruction,
// so that a branch may go anywhere. It does not change, and waves may share it.
type Program struct {
	Base uint64 // address of the first word
	End  uint64 // address after the last one
	// Load is where the code object lies that the program is part of, 0 of other programs. PCs
	// less that are the PCs of the file, as disassemblers print them.
	Load uint64

	object *codeobj.Object // nil if it is not part of one
	// textName is the name of an object that is a text, "" if it has none.
	textName string
	kept     *keptCode // if it was read from memory, nil otherwise
	steps    []step
	hot      *hotCode             // shared by all that share steps
	why      map[int]*state.Fault // why a step does not execute
	notes    []note               // why instructions are not exact; the first one is of those that are
	// usesLDS is set if an instruction can reach LDS or GDS.
	usesLDS    bool
	usesImages bool // an instruction is one of images
	target     gcn.Target
	decodedFor int  // VGPRs of the waves
	vgprs      int  // how many of them it can reach
	indexes    bool // an instruction reaches VGPRs that it does not name, or lets others do so
	// ordered is set if what an instruction leaves depends on the order of work-groups.
	ordered bool
	sees    bool // an instruction sees exceptions, see seesExceptions
}

// NewProgram decodes words that lie at base for waves on t with vgprs vector
// registers. Words that are no instruction, or one that does not execute, become faults
// when a wave reaches them, not before.
func NewProgram(t gcn.Target, base uint64, words []uint32, vgprs int) *Program {
	p, err := newProgram(context.Background(), t, words, len(words), vgprs, executor.Find)
	if err != nil {
		panic("sim: " + err.Error()) // the context does not end
	}
	return p.at(base, nil, 0, "")
}

// decodedAtOnce is how many words are decoded until cancellation is looked at.
const decodedAtOnce = 1 << 14

// newProgram is NewProgram at address 0 of the first n words. The words after them are those that an
// instruction at the end may take as its own. find says how an instruction executes. The error comes from ctx.
func newProgram(ctx context.Context, t gcn.Target, words []uint32, n, vgprs int,
	find func(*isa.Inst) executor.Impl) (*Program, error) {
	p := &Program{steps: make([]step, n), End: uint64(n) * 4, target: t, decodedFor: vgprs}
	p.hot = newHotCode(n, find)
	var buf [8]isa.Operand
	next := 0 // where the next instruction begins if the code is read from its start
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

// at returns p at another address, as part of an object loaded at load. It shares what was
// decoded.
func (p *Program) at(base uint64, object *codeobj.Object, load uint64, textName string) *Program {
	moved := *p
	moved.Base, moved.End = base, base+uint64(len(p.steps))*4
	moved.object, moved.Load, moved.textName = object, load, textName
	return &moved
}

// Source returns where the instruction at pc was compiled from, as in "k.cl:12": the name
// of the file without its directory, and the line. It is "" if the code object does not say.
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

// ordered reports whether what an instruction leaves depends on the order in which
// work-groups execute it: atomics that return the old value or do not commute, on memory
// that work-groups share.
func ordered(in *isa.Inst) bool {
	r := in.Row()
	if r.Enc == isa.DS {
		return in.Bool(isa.GDS)
	}
	return r.Mem.Op == gcn.Atomic && (in.Bool(isa.GLC) || !r.Mem.Commutes)
}

// reachable returns how many VGPRs, of all, an instruction with these operands can reach.
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

// hold makes all VGPRs of w exist that p can reach.
func (p *Program) hold(w *state.Wave) {
	n := p.vgprs
	if p.indexes || executor.GPRIndexing(w) {
		n = w.NumVGPRs
	}
	executor.Hold(w, n)
}

// fail makes step i raise f.
func (p *Program) fail(i int, f *state.Fault) {
	if p.why == nil {
		p.why = map[int]*state.Fault{}
	}
	p.why[i] = f
	p.steps[i].exec, p.steps[i].flags = nil, changesFlow
}

// note is why instructions are not exact.
type note struct {
	op   gcn.Op
	impl executor.Impl
}

// note returns the index of the note of an instruction.
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
		return math.MaxUint16 // no program has as many
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

// contains reports whether pc lies in the program.
func (p *Program) contains(pc uint64) bool { return pc-p.Base < uint64(len(p.steps))*4 }

// Inst returns the instruction that begins at pc; ok is false if the words there are none.
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

// wordsOf reads little-endian words; bytes after the last whole one are left out.
func wordsOf(b []byte) []uint32 {
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}
