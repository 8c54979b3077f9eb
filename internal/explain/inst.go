package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	_ "github.com/gcnsim/gcnsim/sim" // registers the executors
)

// Inst is the explanation of an instruction.
type Inst struct {
	Inst      isa.Inst
	Text      string       // the instruction in LLVM syntax
	Does      string       // its operation, as the end of a sentence that starts with "it"
	Effects   []isa.Effect // registers that it reads, then registers that it writes, named or not
	Counts    isa.Counts   // its increments of the counters that S_WAITCNT waits for
	Executes  []Execution  // how the simulator executes it, by processor
	Fields    []Field      // fields of its words, from the lowest bit up
	Data      []Part       // contents of an image instruction's data registers
	Addresses []Address    // contents of an image instruction's address registers
	Notes     []string     // mistakes and surprising properties

	operands map[isa.Field]isa.Operand // the first operand in each field
}

// Execution describes how the simulator executes an instruction on some processors.
type Execution struct {
	// Targets represent their generations, see [gcn.Gen.Target]. If the representative lacks the instruction, they are
	// all processors that have it.
	Targets []gcn.Target
	Level   gcn.Fidelity
	Why     string     // reason of a level other than Exact
	More    []isa.Note // further reasons
}

// Instruction explains in.
func Instruction(in isa.Inst) *Inst {
	x := &Inst{Inst: in, Text: asm.Format(gcn.Inst(in), asm.LLVM), Effects: in.Effects(nil), Counts: in.Counts(),
		operands: operandsOf(in)}
	x.Does = x.does()
	x.Executes = x.executes()
	x.Fields = x.fields()
	if in.Enc == isa.MIMG {
		x.Data, x.Addresses = x.imageData(), x.imageAddresses()
	}
	x.Notes = x.notes()
	return x
}

// Does describes the operation of in as the end of a sentence "it ...". It equals the Does of [Instruction]'s result.
func Does(in isa.Inst) string { return (&Inst{Inst: in, operands: operandsOf(in)}).does() }

// operandsOf returns the first operand in each field of in.
func operandsOf(in isa.Inst) map[isa.Field]isa.Operand {
	first := map[isa.Field]isa.Operand{}
	for _, o := range in.Operands(nil) {
		if _, there := first[o.Field]; !there {
			first[o.Field] = o
		}
	}
	return first
}

// row returns the row of the instruction.
func (x *Inst) row() *isa.Row { return x.Inst.Row() }

// String returns the text, the operation, the effects, the fidelity, the fields, the registers of an image
// instruction, and the notes.
func (x *Inst) String() string {
	var facts table
	facts.add("does", x.Does)
	for _, line := range x.touches() {
		facts.add("", line)
	}
	_, opcode := x.Inst.Fixed()
	facts.add("encoding", fmt.Sprintf("%v, %d bytes", x.Inst.Enc, x.Inst.Size)+when(opcode.Width != 0, ", opcode %d",
		opcode.Get(x.words())))
	for i, e := range x.Executes {
		facts.add([]string{"executes", ""}[min(i, 1)], e.text())
	}
	return fmt.Sprintf("%s\n\n%v\n%v", x.Text, facts, fieldTable(x.Fields, 9)) + x.imageText() + noteText(x.Notes)
}

// executes returns the fidelity on each generation.
func (x *Inst) executes() (all []Execution) {
	for t := range gcn.Target(gcn.NumTargets) {
		if typical := t.Gen().Target(); t != typical && x.row().On(typical) {
			continue
		}
		if _, err := isa.New(t, x.Inst.Op, x.Inst.Enc); err != nil {
			continue
		}
		s := executor.SupportOf(x.Inst.Op, t)
		if n := len(all); n > 0 && all[n-1].Level == s.Level && all[n-1].Why == s.Why && slices.Equal(all[n-1].More, s.More) {
			all[n-1].Targets = append(all[n-1].Targets, t)
		} else {
			all = append(all, Execution{[]gcn.Target{t}, s.Level, s.Why, s.More})
		}
	}
	return all
}

func (e *Execution) text() string {
	var names []string
	for _, t := range e.Targets {
		names = append(names, either(t == t.Gen().Target(), generations[t.Gen()], t.String()))
	}
	var reasons []string
	for _, n := range append([]isa.Note{{Level: e.Level, Why: e.Why}}, e.More...) {
		reasons = append(reasons, reason(n))
	}
	return strings.Join(names, ", ") + ": " + strings.Join(reasons, ", ")
}

// reason returns the level of fidelity and its reason as text.
func reason(n isa.Note) string { return n.Level.String() + when(n.Why != "", " (%s)", n.Why) }

// fields describes the fields of the words, and bits that are not fields: the opcode, the prefix, the sources of an
// export and the marker of a second word.
func (x *Inst) fields() (all []Field) {
	in := x.Inst
	for f := range isa.Field(isa.NumFields) {
		if !in.Has(f) || x.hides(f) {
			continue
		}
		shift, width := isa.FieldBits(in.Target.Gen(), in.Enc, f)
		meaning, used := x.meaning(f)
		if !used {
			meaning = "not used"
		}
		read, written := x.reaches(f)
		all = append(all, Field{Name: f.String(), Shift: shift, Width: width, Value: uint64(in.Get(f)),
			Meaning: either(meaning == "", "off", meaning), Unused: !used, Read: read, Written: written})
	}
	if in.Enc == isa.EXP { // VSRC1 to VSRC3 follow VSRC0
		for n := 1; n < 4; n++ {
			reg, used := in.Exported(n)
			all = append(all, Field{Name: fmt.Sprint("VSRC", n), Shift: 32 + 8*n, Width: 8, Value: uint64(reg),
				Meaning: x.exported(n), Unused: !used, Read: used})
		}
	}
	if sdwa := in.Has(isa.SRC0SEL); sdwa || in.Has(isa.DPPCTRL) {
		all = append(all, Field{Name: "SRC0", Width: 9, Value: in.Words & 0x1ff,
			Meaning: "a second word of " + either(sdwa, "SDWA", "DPP") + " follows"})
	}
	encoding, opcode := in.Fixed()
	add := func(f isa.BitField, meaning string) {
		all = append(all, Field{Name: f.Name, Shift: f.Shift, Width: f.Width, Value: f.Get(x.words()), Meaning: meaning})
	}
	if opcode.Width != 0 {
		add(opcode, x.row().Name)
	}
	add(encoding, in.Enc.String())
	slices.SortStableFunc(all, func(a, b Field) int { return cmp.Compare(a.Shift, b.Shift) })
	return all
}

func (x *Inst) words() []uint32 {
	words, _ := x.Inst.Encode()
	return words[:]
}

// hides reports whether f is not shown, because another name of the same bits fits better, or it does not exist.
func (x *Inst) hides(f isa.Field) bool {
	switch f {
	case isa.OFFSET:
		return x.Inst.Enc == isa.DS && x.row().Has(isa.Two)
	case isa.OFFSET0, isa.OFFSET1:
		return !x.row().Has(isa.Two)
	case isa.LITERAL:
		return x.Inst.Size != 8
	}
	return false
}

// reaches reports whether the instruction reads, or writes, registers that field f names.
func (x *Inst) reaches(f isa.Field) (read, written bool) {
	for _, e := range x.Effects {
		if e.Named && e.Field == f {
			read, written = read || !e.Write, written || e.Write
		}
	}
	if x.Inst.Enc == isa.EXP && f == isa.VDATA { // the other sources have their own lines
		_, read = x.Inst.Exported(0)
	}
	return read, written
}

// bits returns the mask of field f in the words.
func (x *Inst) bits(f isa.Field) uint64 {
	shift, width := isa.FieldBits(x.Inst.Target.Gen(), x.Inst.Enc, f)
	return (1<<width - 1) << shift
}

// notes returns the notes on an instruction: bits without an effect, registers that do not exist, and differences in
// fidelity from the plain form.
func (x *Inst) notes() (all []string) {
	in := x.Inst
	unread, reserved := in.Unread()
	for f := range isa.Field(isa.NumFields) {
		if !in.Has(f) {
			continue
		}
		shift, _ := isa.FieldBits(in.Target.Gen(), in.Enc, f)
		_, used := x.meaning(f)
		switch {
		case x.hides(f):
		case !used && in.Bool(f):
			all = append(all, fmt.Sprintf("%v is %d, but %s does not use it", f, in.Get(f), x.row().Name))
		case used && slices.Contains(unread, f):
			all = append(all, fmt.Sprintf("%v is %d, but %s does not use bits %s of it", f, in.Get(f), x.row().Name,
				setBits(in.Words&^in.Reads()&x.bits(f)>>shift)))
		}
	}
	if reserved != 0 {
		all = append(all, "reserved bits are set: "+setBits(reserved))
	}
	if f := executor.Check(&in, 256, nil); f != nil {
		all = append(all, f.What)
	}
	impl, native := executor.Find(&in), executor.SupportOf(in.Op, in.Target)
	known := append([]isa.Note{{Level: native.Level, Why: native.Why}}, native.More...)
	for _, n := range append([]isa.Note{{Level: impl.Level, Why: impl.Why}}, impl.More...) {
		if !slices.Contains(known, n) {
			all = append(all, "in this form: "+reason(n))
		}
	}
	return all
}
