// Package explain says what instructions and descriptors mean: facts as structs, for
// programs, and their text, for people.
//
//	in, err := isa.Decode(gcn.GFX803, words)
//	x := explain.Instruction(in)
//	x.Does    // "loads 1 dword a lane from the buffer"
//	x.Counts  // what S_WAITCNT waits for: {VM: 1}
//	x.Effects // each register that it reads or writes, named or not
//	x.Fields  // each field of its words, with value and meaning
//	fmt.Print(x)
//
// [VSharp], [TSharp] and [SSharp] do the same for descriptors: the fields; how each form of
// access sees the buffer, under both rule sets of rule K10; where each level of the image
// lies; and notes on what is wrong or surprising, each from a rule of the handbook.
//
// Nothing is derived a second time: what an instruction reads, writes and counts is
// [isa.Inst.Effects] and [isa.Inst.Counts], which the executors and the checks follow, and
// its executor says what the simulator does with it.
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
	Name         string // the manuals' name, as in "NUM_RECORDS"
	Shift, Width int    // the lowest bit of the field, and how many it has
	Value        uint64
	Meaning      string // what the value means; "" where no source tells
	Unused       bool   // the instruction has no use for the field
	Read         bool   // the field names registers that the instruction reads
	Written      bool   // or that it writes
}

// kinds are the things that [Words] explains. Each function gets as many words as it takes.
var kinds = map[string]struct {
	what    string
	counts  func(gcn.Target) []int // how many words there can be; nil: the first one tells
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

// Kinds lists what [Words] explains: "inst", "ssharp", "tsharp" and "vsharp".
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Words explains the machine words of an instruction or a descriptor, whose kind is one of
// [Kinds], for processor t. It returns an *[Inst], a *[Buffer], an *[Image] or a *[Sampler].
// The error is a *[WordCountError], or of an instruction a *[gcn.Error]. It panics on
// another kind.
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

// WordCountError says that there are too few or too many words.
type WordCountError struct {
	Got, Want int
	What      string // what the words are of: "a V#", or a mnemonic
}

// Error says how many words there are and how many there must be.
func (e *WordCountError) Error() string {
	return fmt.Sprintf("explain: %s given, but %s has %d", plural.Of(e.Got, "word"), e.What, e.Want)
}

// generations names the generations by their processors.
var generations = [gcn.NumGens]string{
	gcn.GCN10: "gfx6", gcn.GCN11: "gfx7", gcn.GCN12: "gfx8", gcn.GCN14: "gfx900", gcn.GCN141: "gfx906",
}

var _ = enum.Full[gcn.Gen](generations[:])

// table is text in columns.
type table [][]string

func (t *table) add(cells ...string) { *t = append(*t, cells) }

// String pads the columns; lines have no spaces at the end.
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

// fieldTable shows fields; values of those wider than hexFrom bits in hexadecimal.
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

// noteText shows notes behind an empty line, if there are any.
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

// bitRange writes the bits from shift on as the manuals do.
func bitRange(shift, width int) string {
	if width == 1 {
		return fmt.Sprint(shift)
	}
	return fmt.Sprintf("%d-%d", shift, shift+width-1)
}

// setBits lists the bits of v that are set.
func setBits(v uint64) string {
	var all []string
	for i := range 64 {
		if v>>i&1 != 0 {
			all = append(all, fmt.Sprint(i))
		}
	}
	return strings.Join(all, ", ")
}

// span is "2 bytes" or "1 to 3 bytes".
func span(least, most int, thing string) string {
	if least == most {
		return plural.Of(least, thing)
	}
	return fmt.Sprintf("%d to %s", least, plural.Of(most, thing))
}

// and is "a", "a and b" or "a, b and c".
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

// when formats a sentence if cond holds, and returns "" otherwise.
func when(cond bool, format string, args ...any) string {
	if !cond {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// picked lists the names of the bits of v that are set behind before; "" if none is.
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

// reservedNote lists the bits of words that have no meaning. See [isa.ReservedBits].
func reservedNote(words []uint32, fields *[gcn.NumGens][]isa.BitField) string {
	list := isa.ReservedBits(words, fields)
	return when(list != nil, "reserved bits are set: %s", strings.Join(list, ", "))
}

// selText says what a DST_SEL code selects.
func selText(s gcn.Sel) string {
	switch {
	case s == gcn.Sel0 || s == gcn.Sel1:
		return "constant " + s.String()
	case s < gcn.SelR:
		return "not defined"
	}
	return "component " + s.String()
}

// selNote names the codes of DST_SEL that are not defined.
func selNote(sel [4]gcn.Sel) string {
	var list strings.Builder
	for i, s := range sel {
		if s > gcn.Sel1 && s < gcn.SelR {
			fmt.Fprintf(&list, " DST_SEL_%c = %d", "XYZW"[i], s)
		}
	}
	return when(list.String() != "", "codes 2 and 3 of DST_SEL are not defined:%s", list.String())
}
