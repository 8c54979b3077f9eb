package asm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// emit adds n bytes to the section and returns them, so that the caller can fill them.
func (a *assembler) emit(n, at int) ([]byte, *Error) {
	if err := a.grow(int64(n), at); err != nil {
		return nil, err
	}
	f := a.sec.last()
	start := len(f.data)
	for range n {
		f.data = append(f.data, 0)
	}
	return f.data[start:], nil
}

// list parses elements up to the end of the statement, separated by commas. one parses an element.
func (a *assembler) list(c *cursor, one func() *Error) *Error {
	if c.end() {
		return nil
	}
	for {
		if err := one(); err != nil {
			return err
		}
		if c.end() {
			return nil
		}
		if err := c.expect(","); err != nil {
			return a.located(err)
		}
	}
}

// data returns the directive that emits integers of size bytes.
func data(size int) directive {
	return func(a *assembler, _ string, c *cursor, _ int) *Error {
		a.mark()
		return a.list(c, func() *Error {
			at := c.begin()
			v, err := c.expr()
			switch {
			case err != nil:
				return a.located(err)
			case v.isFloat:
				return a.fail(at, "data must be integers", nil)
			case v.e == nil && !fits(v.i, size):
				return a.fail(at, fmt.Sprintf("value is %d, which does not fit %d bits", v.i, 8*size), nil)
			}
			place := a.sec.here()
			b, failed := a.emit(size, at)
			if failed != nil {
				return failed
			}
			putInt(b, v.i, size)
			if v.e != nil {
				f := fixup{late: late{e: v.e}, place: place, size: size}
				f.line, f.col = a.position(at)
				a.fixups = append(a.fixups, f)
			}
			return nil
		})
	}
}

// values returns the directive that emits a list of values. read converts a value to bytes.
func values(read func(c *cursor, name string) ([]byte, *syntaxError)) directive {
	return func(a *assembler, name string, c *cursor, _ int) *Error {
		a.mark()
		return a.list(c, func() *Error {
			at := c.begin()
			data, err := read(c, name)
			if err != nil {
				return a.located(err)
			}
			b, failed := a.emit(len(data), at)
			copy(b, data)
			return failed
		})
	}
}

// octa parses an integer literal of 16 bytes.
func octa(c *cursor, _ string) ([]byte, *syntaxError) {
	at := c.at
	negative := c.accept("-")
	start := c.begin()
	for c.at < len(c.s) && isWordByte(c.s[c.at], false) {
		c.at++
	}
	hi, lo, ok := integer128(c.s[start:c.at])
	if !ok {
		return nil, c.errorf(at, "expected an integer that fits 128 bits")
	}
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, lo), hi), nil
}

// integer128 parses an unsigned integer literal. ok is false if text is not an integer or exceeds 128 bits.
// It avoids package math/big, which would be a fiftieth of the library as WebAssembly.
func integer128(text string) (hi, lo uint64, ok bool) {
	base, digits := uint64(10), text
	if low := strings.ToLower(text); strings.HasPrefix(low, "0x") {
		base, digits = 16, text[2:]
	} else if strings.HasPrefix(low, "0b") {
		base, digits = 2, text[2:]
	} else if len(text) > 1 && text[0] == '0' {
		base, digits = 8, text[1:]
	}
	for i := range len(digits) {
		digit, err := strconv.ParseUint(digits[i:i+1], int(base), 8)
		if err != nil {
			return 0, 0, false
		}
		over, high := bits.Mul64(hi, base)
		up, low := bits.Mul64(lo, base)
		var carry, more uint64
		lo, carry = bits.Add64(low, digit, 0)
		hi, more = bits.Add64(high, up, carry)
		if over != 0 || more != 0 {
			return 0, 0, false
		}
	}
	return hi, lo, digits != ""
}

// float parses a float: 8 bytes for .double, 4 bytes for other directives.
func float(c *cursor, name string) ([]byte, *syntaxError) {
	at, sign := c.at, 1.0
	if c.accept("-") {
		sign = -1
	} else {
		c.accept("+")
	}
	v, ok, err := c.number()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, c.errorf(at, "expected a number, found %s", c.found())
	case !v.isFloat:
		v.f = float64(v.i)
	}
	if name == ".double" {
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(sign*v.f)), nil
	}
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(sign*v.f))), nil
}

// text parses a string. It appends a zero byte unless the directive is .ascii.
func text(c *cursor, name string) ([]byte, *syntaxError) {
	s, err := c.str()
	if name != ".ascii" {
		s += "\x00"
	}
	return []byte(s), err
}

// str parses a string in quotes.
func (c *cursor) str() (string, *syntaxError) {
	at := c.begin()
	if !c.accept(`"`) {
		return "", c.errorf(at, "expected a string in quotes, found %s", c.found())
	}
	var b []byte
	for ; c.at < len(c.s); c.at++ {
		switch ch := c.s[c.at]; {
		case ch == '"':
			c.at++
			return string(b), nil
		case ch != '\\' || c.at+1 == len(c.s):
			b = append(b, ch)
		default:
			c.at++
			b = append(b, c.escape())
		}
	}
	return "", c.errorf(at, "a string without a quote at its end")
}

// escape parses an escape sequence after its backslash, except for its last byte.
func (c *cursor) escape() byte {
	rest := c.s[c.at:]
	if b := rest[0]; b >= '0' && b <= '7' {
		n := 1
		for n < 3 && n < len(rest) && rest[n] >= '0' && rest[n] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(rest[:n], 8, 16)
		c.at += n - 1
		return byte(v)
	}
	if end := c.digitsEnd(c.at+1, 16); rest[0]|0x20 == 'x' && end > c.at+1 {
		digits := c.s[c.at+1 : end]
		v, _ := strconv.ParseUint(digits[max(len(digits)-2, 0):], 16, 8)
		c.at = end - 1
		return byte(v)
	}
	if k := strings.IndexByte(escapes[c.syntax], rest[0]); k >= 0 {
		return escaped[k]
	}
	return rest[0]
}

// leb128 parses a number for .uleb128 or .sleb128, which must be known.
func leb128(c *cursor, name string) (b []byte, err *syntaxError) {
	n, err := c.known("value")
	for more := err == nil; more; {
		low := byte(n & 0x7f)
		if name == ".sleb128" {
			n >>= 7
			more = n != -int64(low>>6&1)
		} else {
			n = int64(uint64(n) >> 7)
			more = n != 0
		}
		if more {
			low |= 0x80
		}
		b = append(b, low)
	}
	return b, err
}

// maxAlign is the largest alignment for a directive, in bytes.
const maxAlign = 1 << 20

// alignTo executes .p2align N, FILL, MOST, where the alignment is 2^N, and .balign and .align, where
// it is N. A suffix w or l of the name gives the size of FILL.
func (a *assembler) alignTo(name string, c *cursor, at int) *Error {
	p := &padding{kind: padAlign, nops: a.sec.kind == codeSection}
	what := strings.TrimRight(name, "wl")
	from := c.at
	n, err := c.integer(what, 0, maxAlign)
	if err != nil {
		return a.located(err)
	}
	if what == ".p2align" {
		if n > 20 {
			return a.fail(from+1, ".p2align is "+fmt.Sprint(n)+", must be 0 to 20", nil)
		}
		n = 1 << n
	}
	if n = max(n, 1); n&(n-1) != 0 {
		return a.fail(from+1, fmt.Sprintf("alignment is %d, must be a power of two", n), nil)
	}
	p.align, p.elem = n, a.nop()
	if !p.nops {
		p.elem = []byte{0}
	}
	if c.accept(",") && c.peek() != ',' && !c.end() {
		v, err := c.known("fill value")
		if err != nil {
			return a.located(err)
		}
		size := map[byte]int{'w': 2, 'l': 4}[name[len(name)-1]]
		p.nops, p.elem = false, make([]byte, max(size, 1))
		putInt(p.elem, v, len(p.elem))
	}
	if c.accept(",") {
		if p.most, err = c.integer("most bytes", 0, 1<<32); err != nil {
			return a.located(err)
		}
	}
	if err := c.finish(); err != nil {
		return a.located(err)
	}
	a.sec.align = max(a.sec.align, n)
	return a.pad(p, at)
}

// filler returns the directive for repeated values: .fill COUNT, SIZE, VALUE (LLVM uses only the low 32
// bits of VALUE); .space BYTES, VALUE and its other names; .org OFFSET, VALUE.
func filler(kind paddingKind) directive {
	return func(a *assembler, name string, c *cursor, at int) *Error {
		count, err := c.size()
		size, value := int64(1), int64(0)
		if err == nil && name == ".fill" && c.accept(",") {
			size, err = c.integer("size", 0, 8)
		}
		if err == nil && c.accept(",") {
			value, err = c.known("value")
		}
		if err == nil {
			err = c.finish()
		}
		if err != nil {
			return a.located(err)
		}
		p := &padding{kind: kind, count: count, elem: make([]byte, size)}
		putInt(p.elem, int64(uint32(value)), int(size))
		return a.pad(p, at)
	}
}

// size parses a number of bytes, which may be known later.
func (c *cursor) size() (*expr, *syntaxError) {
	v, _, err := c.integral("size")
	return v.tree(), err
}
