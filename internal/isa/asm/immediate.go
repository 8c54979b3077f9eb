package asm

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gcnsim/gcnsim/internal/isa"
)

func appendHex(b []byte, v uint64) []byte { return strconv.AppendUint(append(b, "0x"...), v, 16) }

func appendSignedHex(b []byte, v int32) []byte {
	if v < 0 {
		return appendHex(append(b, '-'), uint64(-int64(v)))
	}
	return appendHex(b, uint64(v))
}

// appendSmall prints v in decimal if it is small. LLVM prints numbers that could be inline constants in decimal.
func appendSmall(b []byte, v uint32) []byte {
	if v <= 64 {
		return strconv.AppendUint(b, uint64(v), 10)
	}
	return appendHex(b, uint64(v))
}

func appendHexField(b []byte, in isa.Inst, p *part) []byte {
	return appendHex(b, uint64(in.Get(p.field)))
}

func appendSmallField(b []byte, in isa.Inst, p *part) []byte { return appendSmall(b, in.Get(p.field)) }

func appendDecimal(b []byte, in isa.Inst, p *part) []byte {
	return strconv.AppendUint(b, uint64(in.Get(p.field)), 10)
}

// appendImm16 prints SIMM16 as a number. Numbers up to 64 of SOPP are decimal, others are hexadecimal.
func appendImm16(b []byte, in isa.Inst, p *part) []byte {
	if in.Enc == isa.SOPP {
		return appendSmall(b, in.Get(p.field))
	}
	return appendHex(b, uint64(in.Get(p.field)))
}

func appendEndImm(b []byte, in isa.Inst, p *part) []byte {
	switch {
	case in.Get(p.field) == 0:
		return b
	case p.syntax == CLRX:
		return appendHexField(b, in, p)
	}
	return appendDecimal(b, in, p)
}

// appendDistance prints a branch target as a distance from the instruction.
func appendDistance(b []byte, in isa.Inst, p *part) []byte {
	d := 4 + 4*int64(in.Int(p.field))
	b = append(b, '.')
	if d >= 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, d, 10)
}

// number parses a number for field f. check converts the number to the value of the field. In CLRX
// syntax the number may be known later.
func (p *parser) number(what string, f isa.Field, check func(n int64) (int64, *syntaxError)) *syntaxError {
	at := p.begin()
	v, err := p.expr()
	if err != nil {
		return err
	}
	if v.e != nil && p.syntax == CLRX {
		p.late = append(p.late, late{v.e, at, setNumber(what, f, check)})
		return nil
	}
	n, err := p.settle(what, v, at)
	if err != nil {
		return err
	}
	if n, err = check(n); err == nil {
		p.in, err = setField(p.in, f, n)
	}
	if err != nil {
		err.at = at
	}
	return err
}

// within returns a function check for number, which accepts numbers from lo to hi.
func within(what string, lo, hi int64) func(n int64) (int64, *syntaxError) {
	return func(n int64) (int64, *syntaxError) {
		if n < lo || n > hi {
			return 0, &syntaxError{what: fmt.Sprintf("%s is %d, must be %d to %d", what, n, lo, hi)}
		}
		return n, nil
	}
}

// field parses a number for field f.
func (p *parser) field(what string, f isa.Field) *syntaxError {
	at := p.begin()
	v, err := p.integer(what, math.MinInt64, math.MaxInt64)
	if err != nil {
		return err
	}
	in, wrong := p.in.Set(f, v)
	if wrong != nil {
		return &syntaxError{at: at, what: wrong.Error(), err: wrong}
	}
	p.in = in
	return nil
}

func (p *parser) imm16(q *part, what string) *syntaxError {
	lo := int64(math.MinInt16)
	if q.kind == sendmsg || q.kind == hwreg || q.kind == endImm || q.typ == isa.U16 && p.syntax == LLVM {
		lo = 0
	}
	return p.number(what, q.field, func(n int64) (int64, *syntaxError) {
		_, err := within(what, lo, math.MaxUint16)(n)
		return int64(int16(n)), err
	})
}

func (p *parser) immediate(q *part) *syntaxError { return p.imm16(q, "immediate") }

func (p *parser) endImm(q *part) *syntaxError {
	if p.end() {
		return nil
	}
	p.onlyOurs(p.syntax == CLRX)
	return p.immediate(q)
}

func (p *parser) probe(q *part) *syntaxError {
	return p.number("immediate", q.field, within("immediate", 0, 127))
}

// rawImm parses " :0x123". clrxdisasm prints bits without a name in this form.
func (p *parser) rawImm(q *part) *syntaxError {
	if p.accept(":") {
		p.onlyOurs(true)
		return p.imm16(q, "immediate")
	}
	return nil
}

// branch parses a branch target. A number is SIMM16 in LLVM syntax and a byte offset from the first word in
// CLRX syntax. A label is converted to a distance.
func (p *parser) branch(*part) *syntaxError {
	at := p.begin()
	v, err := p.expr()
	switch {
	case err != nil:
		return err
	case v.isFloat:
		return p.errorf(at, "branch target must be a label or an integer")
	case v.e != nil || p.syntax == CLRX && p.names != nil:
		p.late = append(p.late, late{v.tree(), at, setBranch(p.syntax)})
		return nil
	}
	p.in, err = setBranch(p.syntax)(p.in, amount{n: v.i}, 0)
	if err != nil {
		err.at = at
	}
	return err
}

// setBranch returns the set function of a late branch target.
func setBranch(s Syntax) func(isa.Inst, amount, int64) (isa.Inst, *syntaxError) {
	return func(in isa.Inst, v amount, place int64) (isa.Inst, *syntaxError) {
		if v.from == nil && s == LLVM {
			if v.n < -32768 || v.n > 65535 {
				return in, &syntaxError{what: fmt.Sprintf("branch distance is %d, must be -32768 to 65535", v.n)}
			}
			return setField(in, isa.SIMM16, int64(int16(v.n)))
		}
		d := v.n - place - 4
		if d%4 != 0 || d/4 < -32768 || d/4 > 32767 {
			return in, &syntaxError{what: fmt.Sprintf("branch target is %d bytes away, must be a multiple of 4 within 131072",
				d)}
		}
		return setField(in, isa.SIMM16, d/4)
	}
}

// gprIndexModes are the names of the bits of the VGPR index mode (S_SET_GPR_IDX_ON).
var gprIndexModes = [4]string{"SRC0", "SRC1", "SRC2", "DST"}

func appendGPRIndex(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	if v > 15 {
		return appendHex(b, uint64(v))
	}
	b = append(b, "gpr_idx("...)
	sep := ""
	for n, name := range gprIndexModes {
		if v>>n&1 != 0 {
			b = append(append(b, sep...), name...)
			sep = ","
		}
	}
	return append(b, ')')
}

func (p *parser) gprIndex(q *part) *syntaxError {
	if !p.call("gpr_idx") {
		v, err := p.integer("index mode", 0, 1<<len(gprIndexModes)-1)
		p.set(q.field, int64(int16(v)))
		return err
	}
	v := int64(0)
	for !p.accept(")") {
		at := p.begin()
		n := p.oneOf(gprIndexModes[:]...)
		switch {
		case n < 0:
			return p.errorf(at, "index mode is %s, must be one of %v", p.found(), gprIndexModes)
		case v>>n&1 != 0:
			return p.errorf(at, "%s twice", gprIndexModes[n])
		}
		v |= 1 << n
		if !p.accept(",") && p.peek() != ')' {
			return p.expect(")")
		}
	}
	p.set(q.field, v)
	return nil
}

func (p *parser) gprIndexCLRX(q *part) *syntaxError {
	_, width := isa.FieldBits(p.g, p.in.Enc, q.field)
	return p.number("index mode", q.field, func(n int64) (int64, *syntaxError) {
		_, err := within("index mode", 0, 1<<width-1)(n)
		return int64(int16(n)), err
	})
}
