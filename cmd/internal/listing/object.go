package listing

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// notations has, for each syntax, the directive for words that are not instructions, and the start of comments.
var notations = map[asm.Syntax]struct{ data, comment string }{asm.LLVM: {".long", ";"}, asm.CLRX: {".int", "#"}}

// ObjectText says how the code of an ELF file is printed.
type ObjectText struct {
	Syntax asm.Syntax
	Lines  bool // source lines of object files; those of linked files are always printed
	Labels bool // branches refer to labels, which are printed at their targets
	// Addresses adds the file address of each instruction as a comment.
	Addresses bool
}

// Disassemble returns the code of an ELF file, with a label at each symbol. Words that are not instructions, for
// example between kernels, are printed as data. The error comes from [codeobj.ReadText].
func (o ObjectText) Disassemble(src []byte) (gcn.Target, string, error) {
	t, texts, err := codeobj.ReadText(src)
	if err != nil {
		return 0, "", err
	}
	var out []byte
	for i := range texts {
		out = fmt.Appendf(out, "%s %s of %v, from 0x%x on\n", notations[o.Syntax].comment, texts[i].Name, t, texts[i].Addr)
		// report the error once, because all sections share the line table
		if err := texts[i].LineError(); err != nil && i == 0 {
			out = fmt.Appendf(out, "%s no source lines: %v\n", notations[o.Syntax].comment, err)
		}
		out = o.section(out, t, &texts[i])
	}
	return t, string(out), nil
}

// section appends a section.
func (o ObjectText) section(out []byte, t gcn.Target, text *codeobj.Text) []byte {
	words := make([]uint32, len(text.Data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(text.Data[4*i:])
	}
	var names map[int]string
	if o.Labels {
		names = branchLabels(t, text, words)
	}
	lines := o.Lines || text.Linked
	name, line := "", 0
	labels := text.Labels
	walk(t, text, words, func(i int, in *isa.Inst) {
		for ; len(labels) > 0 && labels[0].Offset <= uint64(4*i); labels = labels[1:] {
			out = fmt.Appendf(out, "%s:\n", labels[0].Name)
		}
		if in == nil {
			out = fmt.Appendf(out, "%s 0x%08x", notations[o.Syntax].data, words[i])
			out = o.endLine(out, text.Addr+uint64(4*i))
			return
		}
		if label := names[i]; strings.HasPrefix(label, labelPrefix) {
			out = fmt.Appendf(out, "%s:\n", label)
		}
		if file, n := text.Line(uint64(4 * i)); lines && n != 0 && (n != line || file != name) {
			name, line = file, n
			out = fmt.Appendf(out, "%s %s:%d\n", notations[o.Syntax].comment, file, n)
		}
		start := len(out)
		out = asm.Append(out, gcn.Inst(*in), o.Syntax)
		// Data words have no operand.
		if to, ok := in.BranchTarget(uint64(4 * i)); ok && names[int(to/4)] != "" && out[start] != '.' {
			end := start + strings.LastIndexByte(string(out[start:]), ' ') + 1
			out = append(out[:end], names[int(to/4)]...)
		}
		out = o.endLine(out, text.Addr+uint64(4*i))
	})
	return out
}

// endLine ends the line of the instruction or data at addr.
func (o ObjectText) endLine(out []byte, addr uint64) []byte {
	if o.Addresses {
		return fmt.Appendf(out, " %s 0x%x\n", notations[o.Syntax].comment, addr)
	}
	return append(out, '\n')
}

// walk calls f for each instruction of a section, with the index of its first word. For a word that is not an
// instruction, or is part of a kernel descriptor, in is nil.
func walk(t gcn.Target, text *codeobj.Text, words []uint32, f func(i int, in *isa.Inst)) {
	code := 0 // index of the first word that may be code
	labels := text.Labels
	for i := 0; i < len(words); {
		for ; len(labels) > 0 && labels[0].Offset <= uint64(4*i); labels = labels[1:] {
			code = max(code, i+int(labels[0].Data)/4)
		}
		in, err := isa.Decode(t, words[i:])
		if i < code || err != nil {
			f(i, nil)
			i++
			continue
		}
		f(i, &in)
		i += int(in.Size) / 4
	}
}

// labelPrefix is the prefix of labels that are not symbols.
const labelPrefix = ".L"

// plainName matches a symbol that can be an operand without quotes.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// branchLabels returns the labels of branch targets in a section, by the index of the target's first word. A label is
// a symbol, or a name that contains the address.
func branchLabels(t gcn.Target, text *codeobj.Text, words []uint32) map[int]string {
	begins, targets := map[int]bool{}, []int{}
	walk(t, text, words, func(i int, in *isa.Inst) {
		if in == nil {
			return
		}
		begins[i] = true
		if to, ok := in.BranchTarget(uint64(4 * i)); ok && to < uint64(len(text.Data)) {
			targets = append(targets, int(to/4))
		}
	})
	names := map[int]string{}
	for _, i := range targets {
		if begins[i] {
			names[i] = fmt.Sprintf("%s%x", labelPrefix, text.Addr+uint64(4*i))
		}
	}
	for _, l := range text.Labels {
		if i := int(l.Offset / 4); names[i] != "" && l.Offset%4 == 0 && plainName.MatchString(l.Name) {
			names[i] = l.Name
		}
	}
	return names
}
