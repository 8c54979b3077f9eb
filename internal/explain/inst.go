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
	_ "github.com/gcnsim/gcnsim/sim" // registers executors
)

// Inst is the meaning of an instruction.
type Inst struct {
	Inst      isa.Inst
	Text      string       // in LLVM syntax
	Does      string       // what it does, as the end of "it ..."
	Effects   []isa.Effect // the registers that it reads, then those that it writes, named or not
	Counts    isa.Counts   // what S_WAITCNT waits for
	Executes  []Execution  // what the simulator does with it, by processor
	Fields    []Field      // of its words, from the lowest bit up
	Data      []Part       // of an image instruction: what its data registers hold
	Addresses []Address    // of an image instruction: what its address registers hold
	Notes     []string     // what is wrong or surprising

	operands map[isa.Field]isa.Operand // the first one in each field
}

// Execution says what the simulator does with an instruction, the same on some processors.
type Execution struct {
	// Targets stand for their generations, see [gcn.Gen.Target], but where that one lacks the
	// instruction: then they are all that have it.
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

// Does says what in does, as the end of "it ...". It is the field of the same name of what [Instruction] returns.
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

// row is the row of the instruction.
func (x *Inst) row() *isa.Row { return x.Inst.Row() }

// String shows the text, what the instruction does and touches, where it executes, the
// fields, the registers of an image instruction, and the notes.
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

// executes says what the simulator does on each generation.
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

// reason is how surely an instruction executes, and why.
func reason(n isa.Note) string { return n.Level.String() + when(n.Why != "", " (%s)", n.Why) }

// fields explains the fields of the words, and what is no field: the opcode, the prefix,
// the sources of an export and what stands for a second word.
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

// hides reports whether f is not shown: another name of the same bits fits better, or
// the bits are not there.
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
	if x.Inst.Enc == isa.EXP && f == isa.VDATA { // the other sources have lines of their own
		_, read = x.Inst.Exported(0)
	}
	return read, written
}

// bits returns where field f is in the words.
func (x *Inst) bits(f isa.Field) uint64 {
	shift, width := isa.FieldBits(x.Inst.Target.Gen(), x.Inst.Enc, f)
	return (1<<width - 1) << shift
}

// notes returns what deserves attention: bits that do nothing, registers that are not
// there, and what the simulator does otherwise than with the plain form.
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
