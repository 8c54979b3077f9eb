package listing

import (
	"errors"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/r600"
)

// errOneSyntax says that --syntax has no meaning.
var errOneSyntax = errors.New("the chips before GCN have one notation, that of package r600; leave --syntax out")

// Before returns translate for a family of chips before GCN as functions of the kind of
// [Assemble] and [AssembleLine]: of a program, and of a line that is a program and becomes
// a line. They look at no target.
func Before(f r600.Family, translate func(r600.Family, string) (string, error)) (whole,
	line func(gcn.Target, asm.Syntax, string) (string, error)) {
	whole = func(_ gcn.Target, s asm.Syntax, src string) (string, error) {
		if s != asm.LLVM {
			return "", errOneSyntax
		}
		return translate(f, src)
	}
	line = func(t gcn.Target, s asm.Syntax, src string) (string, error) {
		text, err := whole(t, s, src)
		return strings.Join(strings.Split(strings.TrimSuffix(text, "\n"), "\n"), " "), err
	}
	return whole, line
}

// AssembleBefore returns the words of a program for a chip before GCN, those of each line in
// a line. The error is an *[Error].
func AssembleBefore(f r600.Family, src string) (string, error) {
	words, lines, err := r600.Assemble(f, src)
	if text, ok := errors.AsType[*r600.Error](err); ok {
		return "", &Error{Line: text.Line, Col: text.Col, What: text.What, Err: err}
	}
	var out []byte
	for first, end := 0, 0; first < len(words); first = end {
		for end < len(words) && lines[end] == lines[first] {
			end++
		}
		out = append(appendWords(out, words[first:end]), '\n')
	}
	return string(out), nil
}

// DisassembleBefore returns the text of a program for a chip before GCN. The error is an
// *[Error].
func DisassembleBefore(f r600.Family, src string) (string, error) {
	words, _, err := Words(src, Digits)
	if err != nil {
		return "", err
	}
	return r600.Disassemble(f, words), nil
}
