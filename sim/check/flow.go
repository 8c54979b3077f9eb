package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// value is up to 64 bits. The bits that are set in undef are undefined.
type value struct{ bits, undef uint64 }

// zeros returns the bits that are certainly 0, ones those that are certainly 1.
func (v value) zeros() uint64 { return ^v.bits &^ v.undef }
func (v value) ones() uint64  { return v.bits &^ v.undef }

func (v value) not() value { return value{^v.bits, v.undef} }

// isZero reports whether v is certainly 0.
func (v value) isZero() bool { return v.bits|v.undef == 0 }

// operation says how an instruction computes its result, in each lane alike (rule UD3).
type operation struct {
	flows    [2]isa.Flow
	width    uint // width of the result in bits: 16, 32 or 64
	signed   bool
	amount0  bool // for shifts: S0 is the amount
	sameRegs bool // S0 and S1 are the same register
}

func (o *operation) all() uint64 { return 1<<(o.width-1)<<1 - 1 }

// apply returns the result of sources a, b and c, and of the condition or carry in.
func (o *operation) apply(a, b, c, in value) value {
	r := o.step(o.flows[0], a, b, c, in)
	if second := o.flows[1]; second != isa.FlowAny {
		two := operation{width: o.width}
		r = two.step(second, r, c, value{}, value{})
	}
	r.undef &= o.all()
	return r
}

// step returns the result of one of o.flows.
func (o *operation) step(f isa.Flow, a, b, c, in value) value {
	switch f {
	case isa.FlowCopy:
		return a
	case isa.FlowReverse:
		down := 64 - o.width
		return value{bits.Reverse64(a.bits) >> down, bits.Reverse64(a.undef) >> down}
	case isa.FlowXor:
		if o.sameRegs {
			return value{}
		}
		return value{a.bits ^ b.bits, a.undef | b.undef}
	case isa.FlowAnd, isa.FlowAndNot, isa.FlowNotAnd, isa.FlowOr, isa.FlowOrNot, isa.FlowNotOr:
		return logic(f, a, b)
	case isa.FlowAdd, isa.FlowSub:
		if f == isa.FlowSub && o.sameRegs {
			return value{0, up(in.undef)}
		}
		return value{a.bits + b.bits, up(a.undef | b.undef | in.undef)}
	case isa.FlowMul24:
		const low = 1<<24 - 1
		return multiply(value{a.bits & low, a.undef & low}, value{b.bits & low, b.undef & low})
	case isa.FlowMul:
		return multiply(a, b)
	case isa.FlowShl, isa.FlowShr:
		if o.amount0 {
			a, b = b, a
		}
		return o.shift(f == isa.FlowShl, a, b)
	case isa.FlowSelect:
		return choose(in, a, b)
	case isa.FlowInsert:
		one, zero := value{a.bits & b.bits, b.undef}, value{c.bits &^ a.bits, c.undef}
		either := b.undef | c.undef | (b.bits ^ c.bits)
		return value{one.bits | zero.bits, a.undef&either | a.ones()&b.undef | a.zeros()&c.undef}
	case isa.FlowExtract, isa.FlowField, isa.FlowSigned8, isa.FlowSigned16:
		return o.field(f, a, b, c)
	case isa.FlowAlignBits, isa.FlowAlignBytes, isa.FlowBytes:
		return align(f, value{a.bits<<32 | b.bits, a.undef<<32 | b.undef}, c)
	case isa.FlowPackLow, isa.FlowPackLowHigh, isa.FlowPackHigh, isa.FlowEach:
		return pack(f, a, b)
	}
	if a.undef|b.undef|c.undef|in.undef != 0 {
		return value{0, o.all()}
	}
	return value{}
}

// up returns all bits from the lowest bit of undef on.
func up(undef uint64) uint64 { return undef | -undef }

func multiply(a, b value) value {
	if a.isZero() || b.isZero() {
		return value{}
	}
	return value{a.bits * b.bits, up(a.undef | b.undef)}
}

func logic(f isa.Flow, a, b value) value {
	switch f {
	case isa.FlowNotAnd, isa.FlowNotOr:
		a = a.not()
	case isa.FlowAndNot, isa.FlowOrNot:
		b = b.not()
	}
	undef := a.undef | b.undef
	if f == isa.FlowAnd || f == isa.FlowAndNot || f == isa.FlowNotAnd {
		return value{a.bits & b.bits, undef &^ (a.zeros() | b.zeros())}
	}
	return value{a.bits | b.bits, undef &^ (a.ones() | b.ones())}
}

// shift shifts a by b, left or right.
func (o *operation) shift(left bool, a, b value) value {
	low := uint64(o.width - 1)
	n := b.bits & low
	switch {
	case b.undef&low != 0:
		return value{0, o.all()}
	case left:
		return value{a.bits << n, a.undef << n}
	case o.signed:
		return value{extend(a.bits, o.width) >> n, uint64(int64(extend(a.undef, o.width)) >> n)}
	}
	return value{a.bits >> n, a.undef >> n}
}

// extend sign-extends a number of width bits.
func extend(v uint64, width uint) uint64 { return uint64(int64(v<<(64-width)) >> (64 - width)) }

// choose returns a if the lowest bit of the selector is 1, b if it is 0.
func choose(which, a, b value) value {
	switch {
	case which.undef&1 != 0:
		return value{a.bits, a.undef | b.undef | (a.bits ^ b.bits)}
	case which.bits&1 != 0:
		return a
	}
	return b
}

// field extracts a bit field from a. b is its offset and c its width.
func (o *operation) field(f isa.Flow, a, b, c value) value {
	low, most := uint64(o.width-1), uint64(31)
	switch f {
	case isa.FlowField:
		b, c = value{b.bits & low, b.undef & low}, value{b.bits >> 16, b.undef >> 16}
		most = 127
	case isa.FlowSigned8, isa.FlowSigned16:
		b, c, most = value{}, value{bits: 8}, 31
		if f == isa.FlowSigned16 {
			c.bits = 16
		}
	}
	if b.undef&low != 0 || c.undef&most != 0 {
		return value{0, o.all()}
	}
	at, length := b.bits&low, c.bits&most
	if length == 0 {
		return value{}
	}
	if o.signed {
		n := uint(min(length, uint64(o.width)-at))
		return value{extend(a.bits>>at, n), extend(a.undef>>at, n)}
	}
	mask := uint64(1)<<length - 1
	return value{a.bits >> at & mask, a.undef >> at & mask}
}

// align shifts 64 bits right by c bits or bytes, or selects bytes by c.
func align(f isa.Flow, a, c value) value {
	const low32 = 1<<32 - 1
	switch f {
	case isa.FlowAlignBytes:
		c = value{c.bits & 3 * 8, c.undef & 3 * 8}
		fallthrough
	case isa.FlowAlignBits:
		if c.undef&31 != 0 {
			return value{0, low32}
		}
		return value{a.bits >> (c.bits & 31) & low32, a.undef >> (c.bits & 31) & low32}
	}
	var r value
	for i := 0; i < 32; i += 8 {
		switch sel := c.bits >> i & 0xff; {
		case c.undef>>i&0xff != 0:
			r.undef |= 0xff << i
		case sel >= 12: // constants
		case sel >= 8:
			r.undef |= a.undef >> ((sel-8)*16 + 15) & 1 * 0xff << i
		default:
			r.undef |= a.undef >> (sel * 8) & 0xff << i
		}
	}
	return r
}

// pack combines two halves.
func pack(f isa.Flow, a, b value) value {
	switch f {
	case isa.FlowEach:
		a.undef, b.undef = -min(a.undef, 1), -min(b.undef, 1)
	case isa.FlowPackLowHigh:
		b.undef >>= 16
	case isa.FlowPackHigh:
		a.undef, b.undef = a.undef>>16, b.undef>>16
	}
	return value{0, a.undef&0xffff | b.undef&0xffff<<16}
}
