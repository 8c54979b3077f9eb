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

// notations are how words are written that are no instruction, and what begins a comment.
var notations = map[asm.Syntax]struct{ data, comment string }{asm.LLVM: {".long", ";"}, asm.CLRX: {".int", "#"}}

// ObjectText is how the code of an ELF file is printed.
type ObjectText struct {
	Syntax asm.Syntax
	Lines  bool // source lines, of files that are not linked, too; of linked ones they always are
	Labels bool // branches name labels, which stand where they go
	// Addresses: behind each instruction its address in the file, as a comment.
	Addresses bool
}

// Disassemble returns the code of an ELF file: a label before each symbol; words that are no instruction, as between
// kernels, are data. The error is the one of [codeobj.ReadText].
func (o ObjectText) Disassemble(src []byte) (gcn.Target, string, error) {
	t, texts, err := codeobj.ReadText(src)
	if err != nil {
		return 0, "", err
	}
	var out []byte
	for i := range texts {
		out = fmt.Appendf(out, "%s %s of %v, from 0x%x on\n", notations[o.Syntax].comment, texts[i].Name, t, texts[i].Addr)
		if err := texts[i].LineError(); err != nil && i == 0 { // those of a file are read at once
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
		// data has no operand
		if to, ok := in.BranchTarget(uint64(4 * i)); ok && names[int(to/4)] != "" && out[start] != '.' {
			end := start + strings.LastIndexByte(string(out[start:]), ' ') + 1
			out = append(out[:end], names[int(to/4)]...)
		}
		out = o.endLine(out, text.Addr+uint64(4*i))
	})
	return out
}

// endLine ends the line of what lies at addr.
func (o ObjectText) endLine(out []byte, addr uint64) []byte {
	if o.Addresses {
		return fmt.Appendf(out, " %s 0x%x\n", notations[o.Syntax].comment, addr)
	}
	return append(out, '\n')
}

// walk calls f for each instruction of a section, with the number of its first word, and with
// nil for each word that is no instruction, or that is part of a kernel descriptor.
func walk(t gcn.Target, text *codeobj.Text, words []uint32, f func(i int, in *isa.Inst)) {
	code := 0 // where there may be code
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

// labelPrefix begins the labels that are no symbols.
const labelPrefix = ".L"

// plainName is a symbol that can be an operand as it is.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// branchLabels returns the names of the instructions that branches of a section go to, by the
// number of their first word: the name of a symbol, or else a name made of the address.
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
