package asm

import (
	"fmt"
	"strings"
)

// maxAlign is the largest alignment a directive can ask for, in bytes.
const maxAlign = 1 << 20

// alignTo obeys .p2align N, FILL, MOST, which counts in powers of two, and .balign and
// .align, which count in bytes; a w or l behind the name says how many bytes FILL has.
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

// fill obeys .fill COUNT, SIZE, VALUE. Of VALUE the low 32 bits count, as in LLVM.
func (a *assembler) fill(_ string, c *cursor, at int) *Error {
	count, err := c.size()
	size, value := int64(1), int64(0)
	if err == nil && c.accept(",") {
		size, err = c.integer("size", 0, 8)
		if err == nil && c.accept(",") {
			value, err = c.known("value")
		}
	}
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return a.located(err)
	}
	p := &padding{kind: padFill, count: count, elem: make([]byte, size)}
	putInt(p.elem, int64(uint32(value)), int(size))
	return a.pad(p, at)
}

// filler returns what obeys a directive for bytes of one value: .space BYTES, VALUE and its
// kin, or .org OFFSET, VALUE.
func filler(kind paddingKind) directive {
	return func(a *assembler, _ string, c *cursor, at int) *Error {
		count, err := c.size()
		value := int64(0)
		if err == nil && c.accept(",") {
			value, err = c.known("value")
		}
		if err == nil {
			err = c.finish()
		}
		if err != nil {
			return a.located(err)
		}
		return a.pad(&padding{kind: kind, count: count, elem: []byte{byte(value)}}, at)
	}
}

// size takes a number of bytes that may be known later.
func (c *cursor) size() (*expr, *syntaxError) {
	v, _, err := c.integral("size")
	return v.tree(), err
}
