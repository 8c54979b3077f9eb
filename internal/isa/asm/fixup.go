package asm

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// late is a part of an instruction whose number is known only after the whole text has been read.
type late struct {
	e  *expr
	at int // byte of the statement

	// set sets the number in an instruction that is place bytes behind the first word.
	set func(in isa.Inst, v amount, place int64) (isa.Inst, *syntaxError)
}

// fixup is an instruction or data with a number that is known only after the whole text has been read.
type fixup struct {
	late
	place     amount
	in        *isa.Inst // without the late numbers; all fixups of an instruction share it
	size      int       // bytes of data; 0 for an instruction
	line, col int
}

// variant returns the relocation that e requests.
func (e *expr) variant() variant {
	for e.op != nil {
		if e.y != nil {
			if how := e.y.variant(); how != plain {
				return how
			}
		}
		e = e.x
	}
	return e.how
}

// relative reports whether e is an address. LLVM replaces an address by its distance from the literal.
// Symbols are addresses. Operations on addresses are addresses, too, except for differences.
func (e *expr) relative() bool {
	switch {
	case e.op == nil:
		return e.sym != nil || e.x != nil || e.amount.from != nil
	case e.y == nil:
		return e.x.relative()
	}
	return e.op.text != "-" && (e.x.relative() || e.y.relative())
}

// relocate returns the number that a linker would write to byte place for e. v is the value of e.
func relocate(e *expr, v amount, place int64, s Syntax) (int64, *syntaxError) {
	fail := func(what string) (int64, *syntaxError) { return 0, &syntaxError{what: what} }
	switch how := e.variant(); {
	case how == rel32Lo && v.from != nil:
		return int64(int32(v.n - place)), nil
	case how == rel32Hi && v.from != nil:
		return (v.n - place) >> 32, nil
	case how == rel32Lo || how == rel32Hi:
		return fail("this is a number, not an address: it has no distance")
	case how == abs32Hi && v.from == nil:
		return v.n >> 32, nil
	case v.from == nil:
		return v.n, nil
	case s == LLVM && how == plain && e.relative():
		return v.n - place, nil
	}
	return fail("this is an address, which is known only when the program is loaded; write how far it is from here, " +
		"as label-. or label@rel32@lo")
}

// setLiteral returns the set function of a late literal.
func setLiteral(e *expr, s Syntax) func(isa.Inst, amount, int64) (isa.Inst, *syntaxError) {
	return func(in isa.Inst, v amount, place int64) (isa.Inst, *syntaxError) {
		n, err := relocate(e, v, place+4, s)
		if err != nil {
			return in, err
		}
		if n < math.MinInt32 || n > math.MaxUint32 {
			return in, &syntaxError{what: fmt.Sprintf("the constant is %d, which does not fit 32 bits", n)}
		}
		return setField(in, isa.LITERAL, int64(uint32(n)))
	}
}

// setNumber returns the set function of a late number. check converts the number to the value of field f.
func setNumber(what string, f isa.Field, check func(n int64) (int64, *syntaxError)) func(
	isa.Inst, amount, int64,
) (isa.Inst, *syntaxError) {
	return func(in isa.Inst, v amount, _ int64) (isa.Inst, *syntaxError) {
		if v.from != nil {
			return in, &syntaxError{what: what + " must be a number, not an address"}
		}
		n, err := check(v.n)
		if err != nil {
			return in, err
		}
		return setField(in, f, n)
	}
}

func setField(in isa.Inst, f isa.Field, n int64) (isa.Inst, *syntaxError) {
	set, err := in.Set(f, n)
	if err != nil {
		return in, &syntaxError{what: err.Error(), err: err}
	}
	return set, nil
}

// patch computes all late numbers and writes them to their places.
func (a *assembler) patch() *Error {
	for n := range a.fixups {
		if err := a.apply(&a.fixups[n]); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembler) apply(f *fixup) *Error {
	v, failed := a.eval(f.e)
	if failed != nil && failed.sym == nil || v.from != nil {
		if n, ok := a.placeholder(f); ok {
			v, failed = amount{n: n}, nil
		}
	}
	switch {
	case failed != nil && failed.sym != nil && (f.e.variant() != plain || f.place.from.sec == a.got):
		s := failed.sym
		return a.failAt(s.line, s.col, fmt.Sprintf("symbol %q is not in this code: %s", s.name,
			AdviseDefining(s.name, "link it first")), nil)
	case failed != nil:
		return a.noValue(failed, f.line, f.col)
	}
	place := (&evaluator{when: final}).placed(f.place).n
	b := f.place.from.data[f.place.n:]
	if f.size != 0 {
		return a.applyData(f, v, place, b)
	}
	in, err := f.set(*f.in, v, place)
	if err != nil {
		return a.failAt(f.line, f.col, err.what, err.err)
	}
	*f.in = in
	words, n := in.Encode()
	for i, w := range words[:n] {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	return nil
}

// applyData writes v to the data of f. If v is an address and the data a quad word, the loader of the
// program adds the address of the first word.
func (a *assembler) applyData(f *fixup, v amount, place int64, b []byte) *Error {
	if v.from != nil && f.size == 8 && f.e.variant() == plain && f.place.from.sec.kind == dataSection {
		binary.LittleEndian.PutUint64(b, uint64(v.n))
		a.relocs = append(a.relocs, place)
		return nil
	}
	n, err := relocate(f.e, v, place, CLRX) // LLVM writes no distance for an address in data, either
	switch {
	case err != nil:
		return a.failAt(f.line, f.col, err.what, err.err)
	case !fits(n, f.size):
		return a.failAt(f.line, f.col, fmt.Sprintf("value is %d, which does not fit %d bits", n, 8*f.size), nil)
	}
	putInt(b, n, f.size)
	return nil
}

// fits reports whether n fits in size bytes, as a signed or as an unsigned number.
func fits(n int64, size int) bool {
	return size == 8 || n >= -1<<(8*size-1) && n < 1<<(8*size)
}

// putInt writes the low size bytes of n to b.
func putInt(b []byte, n int64, size int) {
	for i := range size {
		b[i] = byte(n >> (8 * i))
	}
}
