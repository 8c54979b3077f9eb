// Package listing is the text form of machine code that gcnsim's asm and dis commands write
// and read: the words of an instruction as hex digits, one instruction a line. Programs,
// single lines and the code of ELF files become words or assembly text. The format is part
// of the command's contract, see docs/cli/asm.md.
package listing

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// Error says what is wrong with a listing of machine words, and where.
type Error struct {
	Line, Col int // from 1; Col counts bytes
	What      string
	Err       error // the cause, if it has a type of its own, as *gcn.Error
}

// Error shows line, column and reason.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.What) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Located puts the name of a file before an error, which may begin with a line and a column,
// as an *[Error] and an *[asm.Error] do.
func Located(name string, err error) error {
	var words *Error
	var text *asm.Error
	if errors.As(err, &words) || errors.As(err, &text) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// assemble returns the words of p, those of each line in a line.
func assemble(p *asm.Program, err error) (string, error) {
	if err != nil {
		return "", err
	}
	word := func(n int) int { // where the words of line n begin; several lines can make one word
		if n == len(p.Lines) {
			return len(p.Words)
		}
		return (p.Lines[n].Offset + 3) / 4
	}
	var out []byte
	for n := range p.Lines {
		if first, end := word(n), word(n+1); first < end {
			out = append(appendWords(out, p.Words[first:end]), '\n')
		}
	}
	return string(out), nil
}

// assembleLine returns the words of p in one line.
func assembleLine(p *asm.Program, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return string(appendWords(nil, p.Words)), nil
}

// appendWords appends words as hex digits, separated by spaces.
func appendWords(b []byte, words []uint32) []byte {
	for i, w := range words {
		if i > 0 {
			b = append(b, ' ')
		}
		b = fmt.Appendf(b, "%08x", w)
	}
	return b
}

// Digits is how many hex digits a machine word has.
const Digits = 8

// Words reads machine words of at least so many hex digits, [Digits] at most, with 0x or
// without, between spaces, commas and ends of lines; lines are the lines of the words, from 1.
// The error is an *[Error].
func Words(src string, digits int) (words []uint32, lines []int, err error) {
	line := 0
	for text := range strings.SplitSeq(src, "\n") {
		line++
		for at := 0; at < len(text); {
			if strings.IndexByte(" \t\r,", text[at]) >= 0 {
				at++
				continue
			}
			end := at
			for end < len(text) && strings.IndexByte(" \t\r,", text[end]) < 0 {
				end++
			}
			word := strings.TrimPrefix(text[at:end], "0x")
			v, err := strconv.ParseUint(word, 16, 32)
			if err != nil || len(word) < digits || len(word) > Digits {
				return nil, nil, &Error{Line: line, Col: at + 1,
					What: fmt.Sprintf("%q is not a machine word; write eight hex digits", text[at:end])}
			}
			words, lines = append(words, uint32(v)), append(lines, line)
			at = end
		}
	}
	return words, lines, nil
}

// Disassemble returns the instructions of the words src, each in a line. The error is an
// *[Error].
func Disassemble(t gcn.Target, s asm.Syntax, src string) (string, error) {
	words, lines, err := Words(src, Digits)
	if err != nil {
		return "", err
	}
	var text []byte
	for i := 0; i < len(words); {
		in, err := isa.Decode(t, words[i:])
		if err != nil {
			return "", &Error{Line: lines[i], Col: 1, What: fmt.Sprintf("word %d: %v", i, err), Err: err}
		}
		text = append(asm.Append(text, gcn.Inst(in), s), '\n')
		i += int(in.Size) / 4
	}
	return string(text), nil
}

// DisassembleLine returns the one instruction of the words src, "" if there are no words.
// The error is an *[Error], a *[gcn.Error], or says that there are more words.
func DisassembleLine(t gcn.Target, s asm.Syntax, src string) (string, error) {
	words, _, err := Words(src, Digits)
	if err != nil {
		return "", err
	}
	if len(words) == 0 {
		return "", nil
	}
	in, err := isa.Decode(t, words)
	if err != nil {
		return "", err
	}
	if n := int(in.Size) / 4; n < len(words) {
		return "", fmt.Errorf("%d words, but %s takes %d; put one instruction on a line", len(words), in.Row().Name, n)
	}
	return asm.Format(gcn.Inst(in), s), nil
}
