package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Exact arithmetic on IEEE binary formats: unpack, compute without error or with a sticky bit, round once in any
// mode. The faster loops must return the same results.

// format is an IEEE 754 binary format: the widths of mantissa and exponent.
type format struct{ mant, exp uint }

var (
	half   = format{10, 5}
	single = format{23, 8}
	double = format{52, 11}
)

func (f format) bias() int        { return 1<<(f.exp-1) - 1 }
func (f format) sign() uint64     { return 1 << (f.mant + f.exp) }
func (f format) infinity() uint64 { return (1<<f.exp - 1) << f.mant }
func (f format) quietBit() uint64 { return 1 << (f.mant - 1) }

// defaultNaN is the NaN of an invalid operation, the negative quiet one (rule FP1).
func (f format) defaultNaN() uint64 { return f.sign() | f.infinity() | f.quietBit() }

func (f format) isNaN(v uint64) bool      { return v&^f.sign() > f.infinity() }
func (f format) isSNaN(v uint64) bool     { return f.isNaN(v) && v&f.quietBit() == 0 }
func (f format) isDenormal(v uint64) bool { return v&f.infinity() == 0 && v&^f.sign() != 0 }

// flush makes a denormal zero, with its sign.
func (f format) flush(v uint64) uint64 {
	if f.isDenormal(v) {
		return v & f.sign()
	}
	return v
}

// env is the environment of an operation: rounding, treatment of denormals and of signaling NaNs.
type env struct {
	round             rounding
	flushIn, flushOut bool
	ieee              bool
	tr                *isa.Traits // traits of the generation, set for softOps
}

// envOf returns the environment that MODE selects for operations on type t (rule ST6).
func envOf(t isa.Type, m state.Mode) env {
	e, d := env{round: round64(m), ieee: m&state.ModeIEEE != 0}, denorm64(m)
	if t == isa.F32 {
		e.round, d = round32(m), denorm32(m)
	}
	e.flushIn, e.flushOut = d&keepIn == 0, d&keepOut == 0
	return e
}

type class uint8

const (
	zero class = iota
	finite
	infinite
	nan
)

// number is an unpacked float. A finite one is hi:lo / 2**127 * 2**exp, with the top bit of hi set and bit 0 of lo
// sticky. A NaN has its quieted mantissa in the top bits of hi.
type number struct {
	class  class
	neg    bool
	exp    int
	hi, lo uint64
}

// unpack decodes v.
func (f format) unpack(v uint64, flushIn bool) number {
	n := number{neg: v&f.sign() != 0, class: finite}
	m, e := v&(1<<f.mant-1), int(v>>f.mant&(1<<f.exp-1))
	switch {
	case e == 1<<f.exp-1 && m != 0:
		n.class, n.hi = nan, (m|f.quietBit())<<(64-f.mant)
	case e == 1<<f.exp-1:
		n.class = infinite
	case e == 0 && (m == 0 || flushIn):
		n.class = zero
	case e == 0:
		shift := bits.LeadingZeros64(m)
		n.hi, n.exp = m<<shift, 63-shift+1-f.bias()-int(f.mant)
	default:
		n.hi, n.exp = (m|1<<f.mant)<<(63-f.mant), e-f.bias()
	}
	return n
}

// pack rounds n to format f.
func (f format) pack(n number, e env) uint64 {
	var sign uint64
	if n.neg {
		sign = f.sign()
	}
	switch n.class {
	case zero:
		return sign
	case infinite:
		return sign | f.infinity()
	case nan:
		return sign | f.infinity() | f.quietBit() | n.hi>>(64-f.mant)
	}
	// Keep mant+1 bits, or fewer if the result is denormal.
	minExp := 1 - f.bias()
	drop := 63 - f.mant
	biased := n.exp + f.bias()
	if n.exp < minExp {
		drop, biased = drop+uint(minExp-n.exp), 0
	}
	var kept, rest uint64 // the dropped bits as a fraction of 2**64, sticky
	switch {
	case drop > 64:
		rest = 1
	case drop == 64:
		rest = n.hi
	default:
		kept, rest = n.hi>>drop, n.hi<<(64-drop)
	}
	if drop <= 64 && n.lo != 0 {
		rest |= 1
	}
	if rest != 0 && e.up(n.neg, kept&1 != 0, rest, 1<<63) {
		kept++
	}
	v := kept
	if biased > 0 {
		v = kept + uint64(biased-1)<<f.mant // the hidden bit increments the exponent
	}
	if biased >= 1<<f.exp-1 || v >= f.infinity() {
		return sign | f.overflow(n.neg, e)
	}
	if e.flushOut {
		v = f.flush(v)
	}
	return sign | v
}

// invalid returns the result of an invalid operation in format f.
func (f format) invalid() number { return f.unpack(f.defaultNaN(), false) }

// mulNumbers returns the exact product.
func (f format) mulNumbers(a, b number) number {
	p := number{neg: a.neg != b.neg, class: finite}
	switch {
	case a.class == nan:
		return a
	case b.class == nan:
		return b
	case a.class == infinite && b.class == zero, a.class == zero && b.class == infinite:
		return f.invalid()
	case a.class == infinite || b.class == infinite:
		p.class = infinite
		return p
	case a.class == zero || b.class == zero:
		p.class = zero
		return p
	}
	p.hi, p.lo = bits.Mul64(a.hi, b.hi)
	p.exp = a.exp + b.exp + 1
	p.normalize()
	return p
}

func (n *number) normalize() {
	if n.hi == 0 {
		if n.lo == 0 {
			n.class = zero
			return
		}
		n.hi, n.lo, n.exp = n.lo, 0, n.exp-64
	}
	if s := uint(bits.LeadingZeros64(n.hi)); s > 0 {
		n.hi, n.lo = n.hi<<s|n.lo>>(64-s), n.lo<<s
		n.exp -= int(s)
	}
}

// addNumbers returns the sum, which is exact except for the sticky bit. round decides the sign of an exact zero.
func (f format) addNumbers(a, b number, round rounding) number {
	if a.class != finite || b.class != finite {
		return f.addSpecial(a, b, round)
	}
	if a.exp < b.exp || a.exp == b.exp && (a.hi < b.hi || a.hi == b.hi && a.lo < b.lo) {
		a, b = b, a
	}
	b.shiftRight(uint(a.exp - b.exp))
	if a.neg != b.neg {
		var borrow uint64
		a.lo, borrow = bits.Sub64(a.lo, b.lo, 0)
		a.hi, _ = bits.Sub64(a.hi, b.hi, borrow)
		a.normalize()
		if a.class == zero {
			a.neg = round == roundMinusInf
		}
		return a
	}
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, b.lo, 0)
	a.hi, carry = bits.Add64(a.hi, b.hi, carry)
	if carry != 0 {
		a.shiftRight(1)
		a.hi |= 1 << 63
		a.exp++
	}
	return a
}

// addSpecial returns the sum if one of the numbers is zero, infinite or NaN.
func (f format) addSpecial(a, b number, round rounding) number {
	switch {
	case a.class == nan:
		return a
	case b.class == nan:
		return b
	case a.class == infinite && b.class == infinite && a.neg != b.neg:
		return f.invalid()
	case a.class == infinite, b.class == zero && a.class == finite:
		return a
	case a.class != zero || b.class != zero:
		return b
	}
	a.neg = a.neg && b.neg || a.neg != b.neg && round == roundMinusInf
	return a
}

// shiftRight shifts the mantissa right. Lost bits are ORed into the sticky bit.
func (n *number) shiftRight(s uint) {
	var lost uint64
	switch {
	case s == 0:
		return
	case s >= 128:
		lost, n.hi, n.lo = n.hi|n.lo, 0, 0
	case s >= 64:
		s -= 64
		lost = n.lo | n.hi<<(64-s)
		n.hi, n.lo = 0, n.hi>>s
	default:
		lost = n.lo << (64 - s)
		n.hi, n.lo = n.hi>>s, n.lo>>s|n.hi<<(64-s)
	}
	if lost != 0 {
		n.lo |= 1
	}
}

func (f format) add(a, b uint64, e env) uint64 {
	return f.pack(f.addNumbers(f.unpack(a, e.flushIn), f.unpack(b, e.flushIn), e.round), e)
}

func (f format) mul(a, b uint64, e env) uint64 {
	return f.pack(f.mulNumbers(f.unpack(a, e.flushIn), f.unpack(b, e.flushIn)), e)
}

func (f format) fmaNumbers(a, b, c number, round rounding) number {
	if c.class == nan && a.class != nan && b.class != nan {
		return c // includes infinity times zero
	}
	return f.addNumbers(f.mulNumbers(a, b), c, round)
}

// float converts v to float64, which is exact.
func (f format) float(v uint64) float64 {
	switch f.mant {
	case half.mant:
		return halfToFloat(v)
	case single.mant:
		if denormal(uint32(v)) { // conversion instructions are slow for denormals
			return math.Copysign(float64(v&0x7fffff)*0x1p-149, float64(int32(v)))
		}
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// nearest rounds x, which is not NaN, to nearest even. It flushes results as e selects.
func (f format) nearest(x float64, e env) uint64 {
	var v uint64
	switch f.mant {
	case half.mant:
		return half.narrow(x, env{flushOut: e.flushOut})
	case single.mant:
		v = uint64(math.Float32bits(float32(x)))
	default:
		v = math.Float64bits(x)
	}
	return f.flushIf(v, e.flushOut)
}
