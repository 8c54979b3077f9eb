package asm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// cursor reads one statement from left to right.
type cursor struct {
	syntax Syntax
	s      string
	at     int
	depth  int                              // of parentheses
	syms   func(name string) (symbol, bool) // nil: there are no symbols
	ours   *bool                            // whether only this assembler takes the text; nil: nobody asks
}

// onlyOurs notes that the assembler whose syntax it is does not take what was read.
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
	sure bool // wrong in any form of the instruction, as a register that does not exist
}

// better reports whether e tells more than other: it got further, or is sure.
func (e *syntaxError) better(other *syntaxError) bool {
	return other == nil || e.at > other.at || e.at == other.at && e.sure && !other.sure
}

// certain marks e as wrong in any form.
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

// end reports whether nothing follows.
func (c *cursor) end() bool {
	c.space()
	return c.at == len(c.s)
}

// peek returns the next byte after spaces, 0 at the end.
func (c *cursor) peek() byte {
	if c.end() {
		return 0
	}
	return c.s[c.at]
}

// accept takes token if it is next.
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

// found describes the next token for a message.
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

func isWordByte(b byte, first bool) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b == '.' || b == '$' || b == '@' || !first && b >= '0' && b <= '9'
}

// word takes an identifier, "" if none is next.
func (c *cursor) word() string {
	c.space()
	start := c.at
	for c.at < len(c.s) && isWordByte(c.s[c.at], c.at == start) {
		c.at++
	}
	return c.s[start:c.at]
}

// acceptWord takes the identifier w if it is next as a whole.
func (c *cursor) acceptWord(w string) bool {
	c.space()
	at := c.at
	if c.word() == w {
		return true
	}
	c.at = at
	return false
}

// acceptKey takes "w:" if it is next.
func (c *cursor) acceptKey(w string) bool {
	c.space()
	at := c.at
	if c.word() == w && c.accept(":") {
		return true
	}
	c.at = at
	return false
}

// value is a number as the text gives it.
type value struct {
	i       int64
	f       float64
	isFloat bool
	label   bool // an address in the program
	named   bool // names an address, as the difference of two does: never an inline constant
	high    bool // only bits 63:32 count (@rel32@hi)
	pending bool // names a symbol that is not known yet
	lit     bool // written lit(...): wants a literal even where an inline constant would do
}

// symbol is the value of a name.
type symbol struct {
	value   int64
	label   bool // an address in the program
	high    bool // of a distance, bits 63:32 count
	pending bool
}

// escapes are the characters that a backslash gives another meaning, and that meaning. Any
// other character stands for itself, in LLVM syntax a digit, too.
var escapes = [...]string{LLVM: "tnbfr", CLRX: "tnbfrav"}

const escaped = "\t\n\b\f\r\a\v"

// charLiteral returns the value and the length of the character literal that s begins with,
// as in 'a' or '\n'; length 0 if there is none.
func charLiteral(s string, syntax Syntax) (v int64, n int) {
	switch {
	case len(s) < 3 || s[0] != '\'':
		return 0, 0
	case s[1] != '\\' && s[2] == '\'':
		return int64(s[1]), 3
	case s[1] != '\\':
		return 0, 0
	}
	end := strings.IndexByte(s[3:], '\'') + 3 // s[2] may be a quote itself
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

// number takes an integer, character or floating-point literal without sign.
func (c *cursor) number() (value, bool, *syntaxError) {
	c.space()
	start := c.at
	if v, n := charLiteral(c.s[start:], c.syntax); n > 0 {
		c.at += n
		return value{i: v}, true, nil
	}
	if start == len(c.s) || c.s[start] < '0' || c.s[start] > '9' {
		return value{}, false, nil
	}
	hex := strings.HasPrefix(c.s[start:], "0x") || strings.HasPrefix(c.s[start:], "0X")
	float := false
scan:
	for c.at = start; c.at < len(c.s); c.at++ {
		switch b := c.s[c.at]; {
		case b >= '0' && b <= '9', b == '_':
		case hex && (b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' || b == 'x' || b == 'X'):
		case hex && (b == 'p' || b == 'P'), !hex && (b == 'e' || b == 'E'):
			float = true
			if c.at+1 < len(c.s) && (c.s[c.at+1] == '-' || c.s[c.at+1] == '+') {
				c.at++
			}
		case b == '.':
			float = true
		case !hex && c.at == start+1 && (b == 'b' || b == 'B' || b == 'o'):
		default:
			break scan
		}
	}
	text := c.s[start:c.at]
	if float {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(f, 0) {
			return value{}, false, c.errorf(start, "%q is no number", text)
		}
		return value{f: f, isFloat: true}, true, nil
	}
	u, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return value{}, false, c.errorf(start, "%q is no number that fits 64 bits", text)
	}
	return value{i: int64(u)}, true, nil
}

// binary operators by precedence, the weakest first.
var precedence = [][]string{{"||"}, {"&&"}, {"|", "^"}, {"&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// expr takes an expression. Inside |x| no "|" is an operator: then only a primary is taken.
func (c *cursor) expr() (value, *syntaxError) { return c.binary(0) }

func (c *cursor) binary(level int) (value, *syntaxError) {
	if level == len(precedence) {
		return c.primary()
	}
	x, err := c.binary(level + 1)
	if err != nil {
		return x, err
	}
next:
	for {
		c.space()
		for _, op := range precedence[level] {
			rest := c.s[c.at:]
			if !strings.HasPrefix(rest, op) {
				continue
			}
			if len(op) == 1 && len(rest) > 1 && (rest[1] == op[0] && strings.Contains("|&<>", op)) {
				continue
			}
			at := c.at
			c.at += len(op)
			y, err := c.binary(level + 1)
			if err != nil {
				return x, err
			}
			if x, err = c.apply(at, op, x, y); err != nil {
				return x, err
			}
			continue next
		}
		return x, nil
	}
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (c *cursor) apply(at int, op string, x, y value) (value, *syntaxError) {
	if x.isFloat || y.isFloat {
		return x, c.errorf(at, "operator %s takes integers", op)
	}
	r := value{label: x.label || y.label, named: x.named || y.named, high: x.high || y.high, pending: x.pending || y.pending}
	switch op {
	case "+":
		r.i = x.i + y.i
	case "-":
		r.i, r.label = x.i-y.i, x.label != y.label
	case "*":
		r.i = x.i * y.i
	case "/", "%":
		switch {
		case y.i == 0 && r.pending:
		case y.i == 0:
			return r, c.errorf(at, "division by zero")
		case y.i == -1 && op == "/":
			r.i = -x.i
		case y.i == -1:
		case op == "/":
			r.i = x.i / y.i
		default:
			r.i = x.i % y.i
		}
	case "<<":
		r.i = x.i << (uint64(y.i) & 63)
	case ">>":
		r.i = x.i >> (uint64(y.i) & 63)
	case "&":
		r.i = x.i & y.i
	case "|":
		r.i = x.i | y.i
	case "^":
		r.i = x.i ^ y.i
	case "&&":
		r.i = b2i(x.i != 0 && y.i != 0)
	case "||":
		r.i = b2i(x.i != 0 || y.i != 0)
	case "==":
		r.i = -b2i(x.i == y.i)
	case "!=":
		r.i = -b2i(x.i != y.i)
	case "<":
		r.i = -b2i(x.i < y.i)
	case ">":
		r.i = -b2i(x.i > y.i)
	case "<=":
		r.i = -b2i(x.i <= y.i)
	case ">=":
		r.i = -b2i(x.i >= y.i)
	}
	return r, nil
}

// maxNesting bounds parentheses and signs, so that no input exhausts the stack.
const maxNesting = 64

func (c *cursor) primary() (value, *syntaxError) {
	signs := ""
	for len(signs) < maxNesting {
		b := c.peek()
		if b != '-' && b != '+' && b != '~' && b != '!' {
			break
		}
		c.at++
		signs = string(b) + signs
	}
	v, err := c.atom()
	if err != nil {
		return v, err
	}
	for _, s := range signs {
		switch s {
		case '-':
			v.i, v.f = -v.i, -v.f
		case '~':
			v.i = ^v.i
		case '!':
			v.i = b2i(v.i == 0)
		}
	}
	return v, nil
}

func (c *cursor) atom() (value, *syntaxError) {
	if v, ok, err := c.number(); ok || err != nil {
		return v, err
	}
	at := c.at
	if c.accept("(") {
		if c.depth++; c.depth > maxNesting {
			return value{}, c.errorf(at, "too many parentheses")
		}
		v, err := c.expr()
		c.depth--
		if err == nil {
			err = c.expect(")")
		}
		return v, err
	}
	name := c.word()
	if name == "" {
		return value{}, c.errorf(at, "expected a number, found %s", c.found())
	}
	if c.syms != nil {
		if s, ok := c.syms(name); ok {
			return value{i: s.value, label: s.label, named: s.label, high: s.high, pending: s.pending}, nil
		}
	}
	c.at = at
	if base, _, ok := strings.Cut(name, "@"); ok {
		return value{}, c.errorf(at, "symbol %q is not in this code: link it first", base)
	}
	return value{}, c.errorf(at, "unknown register or symbol %q", name)
}

// integer takes an integer expression within lo and hi.
func (c *cursor) integer(what string, lo, hi int64) (int64, *syntaxError) {
	c.space()
	at := c.at
	v, err := c.expr()
	switch {
	case err != nil:
		return 0, err
	case v.isFloat:
		return 0, c.errorf(at, "%s must be an integer", what)
	case v.pending:
		return 0, nil
	case v.i < lo || v.i > hi:
		return 0, c.errorf(at, "%s is %d, must be %d to %d", what, v.i, lo, hi)
	}
	return v.i, nil
}
