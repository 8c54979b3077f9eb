package asm

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// reader is the state of reading the text.
type reader struct {
	expansions []expansion // open expansions of macros and repetitions, the outermost first
	expanded   int         // bytes of all expansions so far
	conditions []condition
	body       *body // the text that is being collected, nil if none is
	macros     map[string]*macro
	calls      int  // number of macro calls so far
	alternate  bool // .altmacro is in effect
	ended      bool // .end was read
}

// expansion is the text of an expanded macro or repetition.
type expansion struct {
	what      string // "macro m"
	line      int    // current line of the text
	at        int    // position of the call
	exit      bool   // .exitm was read
	condition int    // number of conditions that were open before
}

// position returns the line and the column of byte at. Inside a macro, it returns those of the outermost call.
func (a *assembler) position(at int) (line, col int) {
	if e := a.reader.expansions; len(e) > 0 {
		at = e[0].at
	}
	return a.line, at + 1
}

// fail returns an error at byte at of the line.
func (a *assembler) fail(at int, what string, cause error) *Error {
	line, col := a.position(at)
	if e := a.reader.expansions; len(e) > 0 {
		last := e[len(e)-1]
		what += " (line " + strconv.Itoa(last.line) + " of " + last.what + ")"
	}
	return &Error{Line: line, Col: col, What: what, Err: cause}
}

// failAt returns an error at a line and a column, which come from position.
func (a *assembler) failAt(line, col int, what string, cause error) *Error {
	return &Error{Line: line, Col: col, What: what, Err: cause}
}

// located converts e to an error in the current line.
func (a *assembler) located(e *syntaxError) *Error { return a.fail(e.at, e.what, e.err) }

// file reads the text of a whole program. It first replaces comments by spaces, so that columns do not change.
func (a *assembler) file(src string) *Error {
	inBlock := false
	for more := true; more && !a.reader.ended; {
		var line string
		line, src, more = strings.Cut(src, "\n")
		a.line++
		line, inBlock = stripComments(line, inBlock, a.syntax)
		if err := a.statements(line); err != nil {
			return err
		}
	}
	r := &a.reader
	switch {
	case a.block != nil:
		return a.failAt(a.block.line, a.block.col, "without "+a.block.end, nil)
	case r.body != nil:
		return a.failAt(r.body.line, r.body.col, r.body.open+" without "+r.body.close, nil)
	case len(r.conditions) > 0:
		c := r.conditions[len(r.conditions)-1]
		return a.failAt(c.line, c.col, ".if without .endif", nil)
	}
	return nil
}

// statements reads the statements of a line.
func (a *assembler) statements(line string) *Error {
	for from := 0; ; {
		end := statementEnd(line, from, a.syntax)
		if err := a.statement(line[:end], from); err != nil {
			return err
		}
		if from = end + 1; from > len(line) {
			return nil
		}
	}
}

// statementEnd returns the end of the statement that begins at byte from. In CLRX syntax, ; separates
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

// stripComments replaces comments by spaces. /* */ may span lines. Comments to the end of the line begin
// with // and ; in LLVM syntax, with # in CLRX syntax, and with # at the begin of a line in both.
func stripComments(line string, inBlock bool, s Syntax) (string, bool) {
	if !inBlock && !strings.ContainsAny(line, ";#/") {
		return line, false
	}
	var out []byte
	quoted, blank := false, true
	for i := 0; i < len(line); {
		rest, n, kept := line[i:], 1, true
		switch {
		case inBlock:
			kept = false
			if strings.HasPrefix(rest, "*/") {
				inBlock, n = false, 2
			}
		case quoted && rest[0] == '\\' && len(rest) > 1:
			n = 2
		case rest[0] == '"':
			quoted = !quoted
		case quoted:
		case strings.HasPrefix(rest, "/*"):
			inBlock, kept, n = true, false, 2
		case beginsComment(rest, blank, s):
			return string(out), false
		default:
			_, char := charLiteral(rest, s)
			n = max(n, char)
		}
		if kept {
			out, blank = append(out, rest[:n]...), blank && (rest[0] == ' ' || rest[0] == '\t')
		} else {
			out = append(out, "  "[:n]...)
		}
		i += n
	}
	return string(out), inBlock
}

// beginsComment reports whether text begins with a comment to the end of the line. blank says that only
// spaces precede text in its line.
func beginsComment(text string, blank bool, s Syntax) bool {
	if s == LLVM && (text[0] == ';' || strings.HasPrefix(text, "//")) {
		return true
	}
	return text[0] == '#' && (s == CLRX || blank)
}

// statement reads the labels and the statement of text that begin at byte from.
func (a *assembler) statement(text string, from int) *Error {
	c := cursor{syntax: a.syntax, rdna: a.rdna, alternate: a.reader.alternate, target: a.target, s: text, at: from,
		names: a}
	if a.reader.body != nil {
		return a.collect(&c)
	}
	if a.block != nil {
		return a.blockLine(&c)
	}
	if a.skipping() {
		return a.skip(&c)
	}
	for {
		at := c.begin()
		name := c.labelName()
		if name == "" || !c.accept(":") {
			c.at = at
			break
		}
		if a.elsewhere() {
			continue
		}
		if err := a.defineLabel(name, at); err != nil {
			return err
		}
	}
	if c.end() {
		return nil
	}
	at := c.at
	name := c.wordOrQuoted()
	if name != "" && c.peek() == '=' && !strings.HasPrefix(c.s[c.at:], "==") {
		c.accept("=")
		return a.assign(name, &c, at, false)
	}
	if m := a.reader.macros[name]; m != nil {
		return a.call(m, &c, at)
	}
	if strings.HasPrefix(name, ".") {
		return a.directive(name, &c, at)
	}
	if a.elsewhere() {
		return nil
	}
	c.at = at
	return a.instruction(&c)
}

// labelName parses a name that may precede the colon of a label.
func (c *cursor) labelName() string {
	if name := c.s[c.at:c.digitsEnd(c.at, 10)]; name != "" {
		c.at += len(name)
		return name
	}
	return c.wordOrQuoted()
}

// instruction assembles the instruction at c.
func (a *assembler) instruction(c *cursor) *Error {
	at := c.at
	if a.sec.kind != codeSection {
		return a.fail(at, "an instruction in section "+a.sec.name+", which is not code; put it behind .text", nil)
	}
	place := a.sec.here()
	if place.n%4 != 0 {
		return a.fail(at, "an instruction must begin at a multiple of 4 bytes; align with .p2align 2", nil)
	}
	in, err := c.instruction()
	if err != nil {
		return a.located(err)
	}
	a.vgprs.used(in.vgprs)
	a.sgprs.used(in.sgprs)
	words, n := in.Encode()
	if err := a.grow(int64(4*n), at); err != nil {
		return err
	}
	a.mark()
	f := place.from
	for _, w := range words[:n] {
		f.data = append(f.data, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	if len(in.late) == 0 {
		return nil
	}
	shared := in.Inst
	for _, l := range in.late {
		x := fixup{late: l, place: place, in: &shared}
		x.line, x.col = a.position(l.at)
		a.fixups = append(a.fixups, x)
	}
	return nil
}

// mark records that the current line adds to the code here.
func (a *assembler) mark() {
	if a.sec.kind == codeSection {
		a.lines = append(a.lines, lineMark{a.sec.here(), a.line})
	}
}

// nop returns the bytes of s_nop 0, which pad code.
func (a *assembler) nop() []byte {
	t := a.target
	nop, err := isa.New(t, isa.Ops("s_nop")[0], isa.Invalid)
	if err != nil {
		panic("asm: " + err.Error())
	}
	return binary.LittleEndian.AppendUint32(nil, uint32(nop.Words))
}
