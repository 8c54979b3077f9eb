// Package listing reads and writes the formats of gcnsim's asm and dis commands. Machine code is text: the words of
// an instruction as hex digits, one instruction a line. Programs, single lines and the code of ELF files are
// translated to words or to assembly text. The format is part of the command's contract, see docs/cli/asm.md.
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

// Error is an error in a listing of machine words.
type Error struct {
	Line, Col int // position, from 1; Col counts bytes
	What      string
	Err       error // the cause, if it has a type of its own, such as *gcn.Error
}

// Error returns line, column and message.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.What) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Located prefixes an error with a file name. The error may start with line and column, like an *[Error] or
// *[asm.Error].
func Located(name string, err error) error {
	var words *Error
	var text *asm.Error
	if errors.As(err, &words) || errors.As(err, &text) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// assemble returns the words of p. The words of each source line are one line.
func assemble(p *asm.Program, err error) (string, error) {
	if err != nil {
		return "", err
	}
	word := func(n int) int { // index of the first word of line n; several lines can form one word
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

// assembleLine returns the words of p as one line.
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

// Digits is the number of hex digits in a machine word.
const Digits = 8

// Words parses machine words of at least digits and at most [Digits] hex digits, with or without 0x, separated by
// spaces, commas or newlines. lines has the line number of each word, from 1. The error is an *[Error].
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

// Disassemble returns the instructions for the words in src, one a line. The error is an *[Error].
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

// DisassembleLine returns the single instruction for the words in src, or "" if src has no words. The error is an
// *[Error], a *[gcn.Error], or says that words are left over.
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
