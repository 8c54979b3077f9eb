package asm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// cursor parses one statement from left to right.
type cursor struct {
	syntax    Syntax
	rdna      bool // mnemonics of RDNA are accepted, too
	alternate bool // .altmacro is in effect
	target    gcn.Target
	s         string
	at        int
	depth     int   // nesting of parentheses and signs
	names     namer // nil if the text can use no symbols
	ours      *bool // set to whether only this assembler accepts the text; may be nil
}

// onlyOurs records whether the assembler of this syntax refuses the text although this one accepts it.
func (c *cursor) onlyOurs(yes bool) {
	if c.ours != nil {
		*c.ours = yes
	}
}

// syntaxError is an error at a byte of a statement.
type syntaxError struct {
	at   int
	what string
	err  error
	sure bool // the error is the same in all forms of the instruction, such as a register that does not exist
	// whole says that the text has all parts of the form, but an operand has the wrong number of registers.
	whole bool
}

// better reports whether e is more useful than other: it is whole, is farther to the right, or is sure.
func (e *syntaxError) better(other *syntaxError) bool {
	if other == nil || e.whole != other.whole {
		return other == nil || e.whole
	}
	return e.at > other.at || e.at == other.at && e.sure && !other.sure
}

// certain marks e as an error in all forms of the instruction.
func (e *syntaxError) certain() *syntaxError {
	e.sure = true
	return e
}

func (e *syntaxError) Error() string { return e.what }

func (c *cursor) errorf(at int, f string, a ...any) *syntaxError {
	return &syntaxError{at: at, what: fmt.Sprintf(f, a...)}
}

func (c *cursor) space() {
	for c.at < len(c.s) && (c.s[c.at] == ' ' || c.s[c.at] == '\t' || c.s[c.at] == '\r') {
		c.at++
	}
}

// begin skips spaces and returns the position of the next token.
func (c *cursor) begin() int {
	c.space()
	return c.at
}

// end reports whether nothing but spaces follows.
func (c *cursor) end() bool {
	c.space()
	return c.at == len(c.s)
}

// peek returns the next byte after spaces, or 0 at the end.
func (c *cursor) peek() byte {
	if c.end() {
		return 0
	}
	return c.s[c.at]
}

// accept consumes token if it is next.
func (c *cursor) accept(token string) bool {
	c.space()
	if strings.HasPrefix(c.s[c.at:], token) {
		c.at += len(token)
		return true
	}
	return false
}

func (c *cursor) expect(token string) *syntaxError {
	if !c.accept(token) {
		return c.errorf(c.at, "expected %q, found %s", token, c.found())
	}
	return nil
}

// finish returns an error if the statement has more text.
func (c *cursor) finish() *syntaxError {
	if !c.end() {
		return c.errorf(c.at, "unexpected %s", c.found())
	}
	return nil
}

// found returns a description of the next token for an error.
func (c *cursor) found() string {
	if c.end() {
		return "the end of the line"
	}
	at := c.at
	w := c.word()
	if w == "" {
		w = c.s[c.at : c.at+1]
	}
	c.at = at
	return strconv.Quote(w)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isWordByte(b byte, first bool) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b == '.' || b == '$' || b == '@' ||
		!first && isDigit(b)
}

// word parses an identifier. It returns "" if there is none.
func (c *cursor) word() string {
	start := c.begin()
	for c.at < len(c.s) && isWordByte(c.s[c.at], c.at == start) {
		c.at++
	}
	return c.s[start:c.at]
}

// oneOf parses an identifier of names and returns its index, or -1 if there is none.
func (c *cursor) oneOf(names ...string) int {
	at := c.begin()
	w := c.folded()
	n := slices.Index(names, w)
	if n < 0 || w == "" {
		c.at = at
		return -1
	}
	return n
}

// wordOrQuoted parses an identifier, or a name in quotes: "a name".
func (c *cursor) wordOrQuoted() string {
	if c.peek() != '"' {
		return c.word()
	}
	end := strings.IndexByte(c.s[c.at+1:], '"')
	if end < 0 {
		return ""
	}
	name := c.s[c.at+1 : c.at+1+end]
	c.at += end + 2
	return name
}

// folded parses an identifier that is not a symbol. In CLRX syntax such identifiers are case-insensitive.
func (c *cursor) folded() string {
	if c.syntax == CLRX {
		return strings.ToLower(c.word())
	}
	return c.word()
}

// acceptWord consumes the identifier w if it is next as a whole.
func (c *cursor) acceptWord(w string) bool {
	at := c.begin()
	if c.folded() == w {
		return true
	}
	c.at = at
	return false
}

// acceptKey consumes "w:" if it is next.
func (c *cursor) acceptKey(w string) bool {
	at := c.begin()
	if c.folded() == w && c.accept(":") {
		return true
	}
	c.at = at
	return false
}

// call consumes "name(" if it is next.
func (c *cursor) call(name string) bool {
	at := c.begin()
	if c.folded() == name && c.accept("(") {
		return true
	}
	c.at = at
	return false
}

// escapes are the characters with a special meaning after a backslash. Other characters stand for
// themselves. In LLVM syntax this includes digits.
var escapes = [numSyntaxes]string{LLVM: "tnbfr", CLRX: "tnbfrav"}

var _ = enum.Full[Syntax](escapes[:])

const escaped = "\t\n\b\f\r\a\v"

// charLiteral returns the value and the length of the character literal at the start of s, such as
// 'a' or '\n'. The length is 0 if there is none.
func charLiteral(s string, syntax Syntax) (v int64, n int) {
	switch {
	case len(s) < 3 || s[0] != '\'':
		return 0, 0
	case s[1] != '\\' && s[2] == '\'':
		return int64(s[1]), 3
	case s[1] != '\\':
		return 0, 0
	}
	end := strings.IndexByte(s[3:], '\'') + 3 // s[2] may be a quote
	code := s[2:max(end, 2)]
	switch {
	case code == "":
		return 0, 0
	case len(code) > 1 && syntax == LLVM:
		return 0, 0
	case len(code) > 1 || syntax == CLRX && code[0] >= '0' && code[0] <= '7':
		digits, hex := strings.CutPrefix(code, "x")
		base := map[bool]int{false: 8, true: 16}[hex]
		u, err := strconv.ParseUint(digits, base, 8)
		if err != nil {
			return 0, 0
		}
		return int64(u), end + 1
	}
	if k := strings.IndexByte(escapes[syntax], code[0]); k >= 0 {
		return int64(escaped[k]), end + 1
	}
	return int64(code[0]), end + 1
}

// digitsEnd returns the end of the digits of a number in base that begins at byte at.
func (c *cursor) digitsEnd(at, base int) int {
	for ; at < len(c.s); at++ {
		b := c.s[at] | 0x20
		if !(isDigit(b) && int(b-'0') < base) && !(base == 16 && b >= 'a' && b <= 'f') {
			break
		}
	}
	return at
}

// number parses an unsigned integer, character or floating-point literal. ok is false for other text,
// and for a reference to a numbered label, such as 1b.
func (c *cursor) number() (v value, ok bool, err *syntaxError) {
	start := c.begin()
	if v, n := charLiteral(c.s[start:], c.syntax); n > 0 {
		c.at += n
		return value{i: v}, true, nil
	}
	rest := c.s[start:]
	if rest == "" || !isDigit(rest[0]) && !(rest[0] == '.' && len(rest) > 1 && isDigit(rest[1])) {
		return value{}, false, nil
	}
	base, digits := numberBase(rest)
	end := c.digitsEnd(start+digits, base)
	if float := c.floatEnd(end, base); float > end {
		c.at = float
		f, err := strconv.ParseFloat(c.s[start:float], 64)
		if err != nil && !math.IsInf(f, 0) {
			return value{}, false, c.errorf(start, "%q is no number", c.s[start:float])
		}
		return value{f: f, isFloat: true, suffix: c.floatSuffix()}, true, nil
	}
	if base == 10 && c.refersToLabel(end) {
		return value{}, false, nil
	}
	if base == 10 && rest[0] == '0' {
		base = 8
	}
	u, wrong := strconv.ParseUint(c.s[start+digits:end], base, 64)
	for c.at = end; c.at < len(c.s) && isWordByte(c.s[c.at], false); {
		c.at++
	}
	if wrong != nil || c.at != end {
		return value{}, false, c.errorf(start, "%q is no number that fits 64 bits", c.s[start:c.at])
	}
	return value{i: int64(u)}, true, nil
}

// refersToLabel reports whether digits that end at byte end refer to a numbered label.
func (c *cursor) refersToLabel(end int) bool {
	return end < len(c.s) && (c.s[end] == 'b' || c.s[end] == 'f') && (end+1 == len(c.s) || !isWordByte(c.s[end+1], false))
}

// numberBase returns the base of a number and the length of its prefix.
func numberBase(text string) (base, prefix int) {
	if len(text) > 2 && text[0] == '0' {
		switch b := text[1] | 0x20; {
		case b == 'x':
			return 16, 2
		case b == 'b' && (text[2] == '0' || text[2] == '1'):
			return 2, 2
		}
	}
	return 10, 0
}

// floatEnd returns the end of the fraction and the exponent that begin at byte at. It returns at if
// there are none.
func (c *cursor) floatEnd(at, base int) int {
	exponent := byte('e')
	if base == 16 {
		exponent = 'p'
	}
	if base == 2 {
		return at
	}
	if at < len(c.s) && c.s[at] == '.' {
		at = c.digitsEnd(at+1, base)
	}
	if at < len(c.s) && c.s[at]|0x20 == exponent {
		end := at + 1
		if end < len(c.s) && (c.s[end] == '-' || c.s[end] == '+') {
			end++
		}
		if end < len(c.s) && isDigit(c.s[end]) {
			at = c.digitsEnd(end, 10)
		}
	}
	return at
}
