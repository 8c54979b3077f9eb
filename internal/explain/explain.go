// Package explain describes instructions and descriptors: facts as structs, for programs, and as text, for people.
//
//	in, err := isa.Decode(gcn.GFX803, words)
//	x := explain.Instruction(in)
//	x.Does    // "loads 1 dword a lane from the buffer"
//	x.Counts  // what S_WAITCNT waits for: {VM: 1}
//	x.Effects // each register that it reads or writes, named or not
//	x.Fields  // each field of its words, with value and meaning
//	fmt.Print(x)
//
// [VSharp], [TSharp] and [SSharp] do the same for descriptors. They return the fields, the addressing of the buffer
// by each form of access under both rule sets of rule K10, the position of each level of the image, and notes on
// mistakes and surprising properties, each from a rule of the handbook.
//
// The facts come from the packages that execute: [isa.Inst.Effects] and [isa.Inst.Counts], which executors and checks
// follow, and the executor's fidelity.
package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// Field is one field of an instruction or of a descriptor.
type Field struct {
	Name         string // the manuals' name, for example "NUM_RECORDS"
	Shift, Width int    // lowest bit and number of bits of the field
	Value        uint64
	Meaning      string // meaning of the value; "" if no source states it
	Unused       bool   // the instruction ignores the field
	Read         bool   // the instruction reads the registers that the field names
	Written      bool   // or writes them
}

// kinds are the kinds of words that [Words] explains. Each function receives the right number of words.
var kinds = map[string]struct {
	what    string
	counts  func(gcn.Target) []int // the allowed numbers of words; nil if the first word determines it
	explain func(t gcn.Target, words []uint32) (fmt.Stringer, error)
}{
	"inst": {"", nil, func(t gcn.Target, words []uint32) (fmt.Stringer, error) {
		in, err := isa.Decode(t, words)
		if err != nil {
			return nil, fmt.Errorf("explain: %w", err)
		}
		if n := int(in.Size) / 4; n != len(words) {
			return nil, &WordCountError{Got: len(words), Want: n, What: in.Row().Name}
		}
		return Instruction(in), nil
	}},
	"vsharp": {"a V#", fourWords, func(t gcn.Target, words []uint32) (fmt.Stringer, error) {
		return VSharp(t.Gen(), gcn.VSharp(words)), nil
	}},
	"tsharp": {"a T#", func(t gcn.Target) []int {
		if _, r128 := isa.FieldBits(t.Gen(), isa.MIMG, isa.R128); r128 != 0 {
			return []int{8, 4}
		}
		return []int{8}
	}, func(t gcn.Target, words []uint32) (fmt.Stringer, error) {
		var v gcn.TSharp
		n := copy(v[:], words)
		return TSharp(t, v, n < len(v)), nil
	}},
	"ssharp": {"an S#", fourWords, func(t gcn.Target, words []uint32) (fmt.Stringer, error) {
		return SSharp(t.Gen(), gcn.SSharp(words)), nil
	}},
}

func fourWords(gcn.Target) []int { return []int{4} }

// Kinds returns the kinds of [Words]: "inst", "ssharp", "tsharp" and "vsharp".
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Words explains the machine words of an instruction or a descriptor for processor t. kind is one of [Kinds]. It
// returns an *[Inst], a *[Buffer], an *[Image] or a *[Sampler]. The error is a *[WordCountError], or for an
// instruction a *[gcn.Error]. It panics for another kind.
func Words(kind string, t gcn.Target, words []uint32) (fmt.Stringer, error) {
	k, ok := kinds[kind]
	if !ok {
		panic("explain: unknown kind " + kind)
	}
	if k.counts != nil {
		if counts := k.counts(t); !slices.Contains(counts, len(words)) {
			return nil, &WordCountError{Got: len(words), Want: counts[0], What: k.what}
		}
	}
	return k.explain(t, words)
}

// Parts returns the fields and the notes of an explanation that [Words] has returned.
func Parts(x fmt.Stringer) (fields []Field, notes []string) {
	switch x := x.(type) {
	case *Inst:
		return x.Fields, x.Notes
	case *Buffer:
		return x.Fields, x.Notes
	case *Image:
		return x.Fields, x.Notes
	case *Sampler:
		return x.Fields, x.Notes
	}
	return nil, nil
}

// WordCountError is returned for a wrong number of words.
type WordCountError struct {
	Got, Want int
	What      string // the object that the words encode: "a V#", or a mnemonic
}

// Error returns the actual and the required number of words.
func (e *WordCountError) Error() string {
	return fmt.Sprintf("explain: %s given, but %s has %d", plural.Of(e.Got, "word"), e.What, e.Want)
}

// generations are the names of the generations by their processors.
var generations = [gcn.NumGens]string{
	gcn.GCN10: "gfx6", gcn.GCN11: "gfx7", gcn.GCN12: "gfx8", gcn.GCN14: "gfx900", gcn.GCN141: "gfx906",
}

var _ = enum.Full[gcn.Gen](generations[:])

// table is text in rows and columns.
type table [][]string

func (t *table) add(cells ...string) { *t = append(*t, cells) }

// String aligns the columns. Lines have no trailing spaces.
func (t table) String() string {
	var widths []int
	for _, row := range t {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len(cell))
		}
	}
	var out strings.Builder
	for _, row := range t {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "%-*s  ", widths[i], cell)
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

// fieldTable returns a table of fields. Values of fields wider than hexFrom bits are in hexadecimal.
func fieldTable(fields []Field, hexFrom int) table {
	t := table{{"bits", "field", "value", "meaning"}}
	for _, f := range fields {
		value := fmt.Sprint(f.Value)
		if f.Width > hexFrom {
			value = fmt.Sprintf("0x%x", f.Value)
		}
		t.add(bitRange(f.Shift, f.Width), f.Name, value, f.Meaning)
	}
	return t
}

// noteText returns notes after an empty line, or "".
func noteText(notes []string) string {
	text := ""
	for _, note := range notes {
		text += "\nnote: " + note
	}
	if text != "" {
		text = "\n" + text[1:] + "\n"
	}
	return text
}

// bitRange returns the range of width bits from shift on, in the manuals' notation.
func bitRange(shift, width int) string {
	if width == 1 {
		return fmt.Sprint(shift)
	}
	return fmt.Sprintf("%d-%d", shift, shift+width-1)
}

// setBits returns the numbers of the set bits of v as text.
func setBits(v uint64) string {
	var all []string
	for i := range 64 {
		if v>>i&1 != 0 {
			all = append(all, fmt.Sprint(i))
		}
	}
	return strings.Join(all, ", ")
}

// span returns for example "2 bytes" or "1 to 3 bytes".
func span(least, most int, thing string) string {
	if least == most {
		return plural.Of(least, thing)
	}
	return fmt.Sprintf("%d to %s", least, plural.Of(most, thing))
}

// and returns for example "a", "a and b" or "a, b and c".
func and(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

func either(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

// when returns a formatted sentence if cond is set, else "".
func when(cond bool, format string, args ...any) string {
	if !cond {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// picked returns before and the names of the set bits of v, or "" if none is set.
func picked(v uint32, before string, names ...string) string {
	var all []string
	for i, name := range names {
		if v>>i&1 != 0 {
			all = append(all, name)
		}
	}
	if all == nil {
		return ""
	}
	return before + strings.Join(all, ", ")
}

// reservedNote returns a note on set bits of words that have no meaning. See [isa.ReservedBits].
func reservedNote(words []uint32, fields *[gcn.NumGens][]isa.BitField) string {
	list := isa.ReservedBits(words, fields)
	return when(list != nil, "reserved bits are set: %s", strings.Join(list, ", "))
}

// selText describes the component that a DST_SEL code selects.
func selText(s gcn.Sel) string {
	switch {
	case s == gcn.Sel0 || s == gcn.Sel1:
		return "constant " + s.String()
	case s < gcn.SelR:
		return "not defined"
	}
	return "component " + s.String()
}

// selNote returns a note on codes of DST_SEL that are not defined.
func selNote(sel [4]gcn.Sel) string {
	var list strings.Builder
	for i, s := range sel {
		if s > gcn.Sel1 && s < gcn.SelR {
			fmt.Fprintf(&list, " DST_SEL_%c = %d", "XYZW"[i], s)
		}
	}
	return when(list.String() != "", "codes 2 and 3 of DST_SEL are not defined:%s", list.String())
}
