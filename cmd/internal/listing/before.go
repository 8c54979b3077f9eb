package listing

import (
	"errors"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/r600"
)

// errOneSyntax says that --syntax has no effect.
var errOneSyntax = errors.New("the chips before GCN have one notation, that of package r600; leave --syntax out")

// Before converts translate, a function for chips older than GCN, to functions like [Assemble] and [AssembleLine]:
// one for a program, and one for a line whose result is a line. They ignore the target.
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

// AssembleBefore returns the words of a program for a chip older than GCN. The words of each source line are one
// line. The error is an *[Error].
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

// DisassembleBefore returns the text of a program for a chip older than GCN. The error is an *[Error].
func DisassembleBefore(f r600.Family, src string) (string, error) {
	words, _, err := Words(src, Digits)
	if err != nil {
		return "", err
	}
	return r600.Disassemble(f, words), nil
}
