package main

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// inst is an instruction with what explaining its fields needs.
type inst struct {
	gcn.Inst
	row      *gcn.Row
	text     string // in LLVM syntax
	args     []string
	operands map[gcn.Field]gcn.Operand
}

func newInst(in gcn.Inst) *inst {
	x := &inst{Inst: in, row: in.Row(), text: asm.Format(in, asm.LLVM), operands: map[gcn.Field]gcn.Operand{}}
	_, args, _ := strings.Cut(x.text, " ")
	for arg := range strings.SplitSeq(args, ", ") {
		arg, _, _ = strings.Cut(arg, " ")
		x.args = append(x.args, arg)
	}
	for _, o := range in.Operands(nil) {
		if _, there := x.operands[o.Field]; !there {
			x.operands[o.Field] = o
		}
	}
	return x
}

// arg returns operand n of the text, "" if there are not so many.
func (x *inst) arg(n int) string {
	if n < len(x.args) {
		return x.args[n]
	}
	return ""
}

// modifier returns the value of the modifier called name in the text.
func (x *inst) modifier(name string) string {
	for word := range strings.FieldsSeq(x.text) {
		if value, ok := strings.CutPrefix(word, name+":"); ok {
			return value
		}
	}
	return ""
}

func explainInst(out *bufio.Writer, t gcn.Target, words []uint32) error {
	in, err := t.Decode(words)
	if err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	x := newInst(in)
	if n := int(in.Size) / 4; n != len(words) {
		return &wordCountError{len(words), n, x.row.Name}
	}
	fmt.Fprintf(out, "%s\n\n", x.text)
	var facts table
	for i, line := range x.does() {
		facts.add([]string{"does", ""}[min(i, 1)], line)
	}
	code, _, width := in.OpcodeBits()
	encoding := fmt.Sprintf("%v, %d bytes", in.Enc, in.Size)
	if width != 0 {
		encoding += fmt.Sprintf(", opcode %d", code)
	}
	facts.add("encoding", encoding)
	for i, line := range x.support() {
		facts.add([]string{"executes", ""}[min(i, 1)], line)
	}
	facts.write(out)
	fmt.Fprintln(out)

	fields, notes := x.fields()
	fields.write(out)
	if in.Enc == gcn.MIMG {
		x.writeImage(out)
	}
	if in.Reserved() != 0 {
		notes = append(notes, "reserved bits are set: "+setBits(in.Reserved()))
	}
	if f := unit.Check(&in, 256, nil); f != nil {
		notes = append(notes, f.What)
	}
	if impl, native := sim.Bind(&in), sim.SupportOf(in.Op, t.Gen()); impl.Level != native.Level {
		note := "in this form: " + impl.Level.String()
		notes = append(notes, note+either(impl.Why != "", " ("+impl.Why+")", ""))
	}
	writeNotes(out, notes)
	return nil
}

// writeNotes prints what deserves attention, one line each.
func writeNotes(out *bufio.Writer, notes []string) {
	if len(notes) == 0 {
		return
	}
	fmt.Fprintln(out)
	for _, note := range notes {
		fmt.Fprintln(out, "note:", note)
	}
}

// support says on which generations the instruction exists in this encoding and whether
// it executes, those of one level and reason on one line.
func (x *inst) support() []string {
	var lines, names []string
	last := sim.Support{}
	flush := func() {
		if len(names) > 0 {
			line := strings.Join(names, ", ") + ": " + last.Level.String()
			if last.Level != state.Exact {
				line += " (" + last.Why + ")"
			}
			lines = append(lines, line)
		}
		names = nil
	}
	for g := range gcn.Gen(gcn.NumGens) {
		if _, err := gcn.New(g.Target(), x.Op, x.Enc); err != nil {
			continue
		}
		s := sim.SupportOf(x.Op, g)
		if s != last {
			flush()
		}
		last = s
		names = append(names, generations[g])
	}
	flush()
	return lines
}

// fields returns one row for each field, from the lowest bit up, and notes on fields
// that are set but not used.
func (x *inst) fields() (table, []string) {
	type line struct {
		shift, width int
		name         string
		value        uint64
		meaning      string
	}
	var lines []line
	var notes []string
	for _, f := range gcn.FieldsOf(x.Gen(), x.Enc) {
		shift, width := x.Gen().FieldBits(x.Enc, f)
		if x.hides(f) {
			continue
		}
		meaning, used := x.meaning(f)
		if !used {
			meaning = "not used"
			if x.Bool(f) {
				notes = append(notes, fmt.Sprintf("%v is %d, but %s does not use it", f, x.Get(f), x.row.Name))
			}
		}
		if meaning == "" {
			meaning = "off"
		}
		lines = append(lines, line{shift, width, f.String(), uint64(x.Get(f)), meaning})
	}
	if x.Enc == gcn.EXP { // VSRC1 to VSRC3 follow VSRC0
		for i := 1; i < 4; i++ {
			lines = append(lines, line{32 + 8*i, 8, fmt.Sprint("VSRC", i), x.Words >> (32 + 8*i) & 0xff, x.exported(i)})
		}
	}
	if code, ok := x.SecondWord(); ok {
		name := map[uint32]string{gcn.SDWAMarker: "SDWA", gcn.DPPMarker: "DPP"}[code]
		lines = append(lines, line{0, 9, "SRC0", uint64(code), "a second word of " + name + " follows"})
	}
	if code, shift, width := x.OpcodeBits(); width != 0 {
		lines = append(lines, line{shift, width, "OP", uint64(code), x.row.Name})
	}
	prefix, shift, width := x.PrefixBits()
	lines = append(lines, line{shift, width, "ENCODING", uint64(prefix), x.Enc.String()})
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.shift, b.shift) })
	t := table{{"bits", "field", "value", "meaning"}}
	for _, l := range lines {
		value := fmt.Sprint(l.value)
		if l.width > 9 {
			value = fmt.Sprintf("0x%x", l.value)
		}
		t.add(bitRange(l.shift, l.width), l.name, value, l.meaning)
	}
	return t, notes
}

// hides reports whether f is not shown: another name of the same bits fits better, or
// the bits are not there.
func (x *inst) hides(f gcn.Field) bool {
	switch f {
	case gcn.OFFSET:
		return x.Enc == gcn.DS && x.row.Has(gcn.Two)
	case gcn.OFFSET0, gcn.OFFSET1:
		return !x.row.Has(gcn.Two)
	case gcn.LITERAL:
		return x.Size != 8
	}
	return false
}
