package asm

import (
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// Line says from which line of the source the code at an offset comes.
type Line struct {
	Offset int // bytes from the first word
	Line   int // from 1
}

// Program is an assembled text.
type Program struct {
	Words  []uint32
	Lines  []Line         // of each instruction or data directive, in ascending order of Offset
	Labels map[string]int // byte offset of each label
}

// LineAt returns the source line of the code at byte offset off, 0 if there is none.
func (p *Program) LineAt(off int) int {
	line := 0
	for _, l := range p.Lines {
		if l.Offset > off {
			break
		}
		line = l.Line
	}
	return line
}

// Assemble translates a whole program. Labels, comments, data directives and the
// directives compilers write around code are understood. The error is an *[Error].
func Assemble(t gcn.Target, src string, s Syntax) (*Program, error) {
	a := assembler{g: t.Gen(), syntax: s, target: t, prog: &Program{Labels: map[string]int{}}, syms: map[string]symbol{}}
	if err := a.source(src); err != nil {
		return nil, err
	}
	return a.prog, a.patch()
}

// assembler collects a program.
type assembler struct {
	g      gcn.Gen
	syntax Syntax
	target gcn.Target
	prog   *Program
	syms   map[string]symbol
	fixups []fixup
	line   int

	until     string // closing directive of the block being skipped
	elsewhere bool   // in a section other than .text
}

// fixup is a statement that named a symbol not known yet.
type fixup struct {
	text      string
	line, col int
	word      int // index of its first word
	size      int // in words
	data      int // bytes of an element of a data directive, 0: an instruction
}

// source reads a text line by line. Comments are removed first, keeping columns.
func (a *assembler) source(src string) error {
	inBlock := false
	for n, line := range strings.Split(src, "\n") {
		a.line = n + 1
		var text string
		text, inBlock = stripComments(line, inBlock, a.syntax)
		for from := 0; ; {
			end := statementEnd(text, from, a.syntax)
			if err := a.statements(strings.Repeat(" ", from) + text[from:end]); err != nil {
				return err
			}
			if from = end + 1; from > len(text) {
				break
			}
		}
	}
	return nil
}

// statementEnd returns where the statement at from ends: in CLRX syntax ; separates
// statements.
func statementEnd(text string, from int, s Syntax) int {
	for i := from; i < len(text) && s == CLRX; i++ {
		if _, n := charLiteral(text[i:], s); n > 0 {
			i += n - 1
		} else if text[i] == ';' {
			return i
		}
	}
	return len(text)
}

// stripComments replaces comments by spaces: // to the end of the line, and /* */, which
// may span lines. In LLVM syntax ; and, at the begin of a line, # do as //, in CLRX
// syntax # anywhere.
func stripComments(line string, inBlock bool, s Syntax) (string, bool) {
	var out []byte
	quoted := false
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		if _, n := charLiteral(rest, s); n > 0 && !inBlock && !quoted {
			out = append(out, rest[:n]...)
			i += n - 1
			continue
		}
		switch {
		case inBlock && strings.HasPrefix(rest, "*/"):
			inBlock = false
			out = append(out, "  "...)
			i++
		case inBlock:
			out = append(out, ' ')
		case line[i] == '"':
			quoted = !quoted
			out = append(out, '"')
		case quoted:
			out = append(out, line[i])
		case strings.HasPrefix(rest, "/*"):
			inBlock = true
			out = append(out, "  "...)
			i++
		case strings.HasPrefix(rest, "//"), line[i] == ';' && s == LLVM, line[i] == '#' && (s == CLRX || strings.TrimSpace(string(out)) == ""):
			return string(out), inBlock
		default:
			out = append(out, line[i])
		}
	}
	return string(out), inBlock
}

func (a *assembler) fail(col int, what string, cause error) *Error {
	return &Error{Line: a.line, Col: col, What: what, Err: cause}
}

// statements reads the labels and the statement of one line.
func (a *assembler) statements(text string) error {
	c := cursor{syntax: a.syntax, s: text}
	if a.until != "" {
		if c.acceptWord(a.until) {
			a.until = ""
		}
		return nil
	}
	for {
		c.space()
		at := c.at
		name := c.word()
		if name == "" {
			name = c.digits()
		}
		if name == "" || !c.accept(":") {
			c.at = at
			break
		}
		if a.elsewhere {
			continue
		}
		if err := a.define(name, symbol{value: int64(4 * len(a.prog.Words)), label: true}, at); err != nil {
			return err
		}
		a.prog.Labels[name] = 4 * len(a.prog.Words)
	}
	if c.end() {
		return nil
	}
	at := c.at
	name := c.word()
	if c.peek() == '=' && !strings.HasPrefix(c.s[c.at:], "==") {
		c.accept("=")
		return a.assign(name, &c, at)
	}
	if strings.HasPrefix(name, ".") {
		return a.directive(name, &c, at)
	}
	if a.elsewhere {
		return nil
	}
	return a.instruction(text, at)
}

func (c *cursor) digits() string {
	start := c.at
	for c.at < len(c.s) && c.s[c.at] >= '0' && c.s[c.at] <= '9' {
		c.at++
	}
	return c.s[start:c.at]
}

func (a *assembler) define(name string, s symbol, at int) error {
	if old, ok := a.syms[name]; ok && (old.label || s.label) {
		return a.fail(at+1, "symbol "+name+" is defined twice", nil)
	}
	a.syms[name] = s
	return nil
}

// assign sets a symbol to an expression.
func (a *assembler) assign(name string, c *cursor, at int) error {
	c.syms = a.lookup
	v, err := c.expr()
	if err == nil && !c.end() {
		err = c.errorf(c.at, "unexpected %s", c.found())
	}
	switch {
	case err != nil:
		return err.at1(a.line)
	case v.isFloat || v.pending:
		return a.fail(at+1, "symbol "+name+" must be an integer known here", nil)
	}
	if old, ok := a.syms[name]; ok && old.label {
		return a.fail(at+1, "symbol "+name+" is defined twice", nil)
	}
	a.syms[name] = symbol{value: v.i, label: v.label}
	return nil
}

// lookup resolves a symbol; one that is not known may yet be defined.
func (a *assembler) lookup(name string) (symbol, bool) {
	if name == "." {
		return symbol{value: int64(4 * len(a.prog.Words)), label: true}, true
	}
	if s, ok := a.syms[name]; ok {
		return s, true
	}
	return symbol{pending: true}, true
}

func (a *assembler) instruction(text string, at int) error {
	word := len(a.prog.Words)
	in, pending, err := parseStatement(a.target, a.syntax, text[at:], int64(4*word), a.lookup, nil)
	if err != nil {
		e := err.at1(a.line)
		e.Col += at
		return e
	}
	a.prog.Lines = append(a.prog.Lines, Line{Offset: 4 * word, Line: a.line})
	words, n := in.Encode()
	a.prog.Words = append(a.prog.Words, words[:n]...)
	if pending {
		a.fixups = append(a.fixups, fixup{text: text[at:], line: a.line, col: at, word: word, size: n})
	}
	return nil
}

// known resolves a symbol for the code at word at, when all are defined.
func (a *assembler) known(name string, at int) (symbol, bool) {
	if name == "." {
		return symbol{value: int64(4 * at), label: true}, true
	}
	base, half, relative := strings.Cut(name, "@rel32@")
	s, ok := a.syms[base]
	if relative { // the distance from the literal, as a linker would fill it in
		s.value -= int64(4*at + 4)
		s.high = half == "hi"
		ok = ok && (half == "lo" || half == "hi")
	}
	return s, ok
}

// patch reads the statements again that named symbols defined later.
func (a *assembler) patch() error {
	for _, f := range a.fixups {
		at := f.word
		here := func(name string) (symbol, bool) { return a.known(name, at) }
		a.line = f.line
		if f.data != 0 {
			c := cursor{syntax: a.syntax, s: f.text, syms: here}
			v, err := c.expr()
			if err != nil {
				e := err.at1(f.line)
				e.Col += f.col
				return e
			}
			a.prog.Words[at] = uint32(v.i)
			continue
		}
		in, _, err := parseStatement(a.target, a.syntax, f.text, int64(4*at), here, nil)
		if err != nil {
			e := err.at1(f.line)
			e.Col += f.col
			return e
		}
		words, n := in.Encode()
		if n != f.size {
			return a.fail(f.col+1, "size depends on a symbol defined later; define it before", nil)
		}
		copy(a.prog.Words[at:], words[:n])
	}
	return nil
}
