package record

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// lanesDerived are lanes that are a function of registers: one of [functions] and its operands,
// see [source]. Other numbers of ways are in lanes.go.
const lanesDerived = 9

// functions compute lanes from other lanes, each from so many operands. They say how values
// are written short, and not what instructions do: a result that is another one is written
// otherwise. None gives a NaN.
var functions = [...]struct {
	operands int
	of       func(a, b, c uint32) uint32
}{
	{1, func(a, _, _ uint32) uint32 { return a }},
	{1, func(a, _, _ uint32) uint32 { return ^a }},
	{2, func(a, b, _ uint32) uint32 { return a + b }},
	{2, func(a, b, _ uint32) uint32 { return a - b }},
	{2, func(a, b, _ uint32) uint32 { return b - a }},
	{2, func(a, b, _ uint32) uint32 { return a ^ b }},
	{2, func(a, b, _ uint32) uint32 { return a & b }},
	{2, func(a, b, _ uint32) uint32 { return a | b }},
	{2, func(a, b, _ uint32) uint32 { return b << (a & 31) }},
	{2, func(a, b, _ uint32) uint32 { return b >> (a & 31) }},
	{2, func(a, b, _ uint32) uint32 { return uint32(int32(b) >> (a & 31)) }},
	{2, func(a, b, _ uint32) uint32 { return a * b }},
	{2, func(a, b, _ uint32) uint32 { return float(number(a) + number(b)) }},
	{2, func(a, b, _ uint32) uint32 { return float(number(a) - number(b)) }},
	{2, func(a, b, _ uint32) uint32 { return float(number(b) - number(a)) }},
	{2, func(a, b, _ uint32) uint32 { return float(number(a) * number(b)) }},
	{3, func(a, b, c uint32) uint32 { return a + b + c }},
	{3, func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) }},
	{3, func(a, b, c uint32) uint32 { return a<<(b&31) + c }},
	{3, func(a, b, c uint32) uint32 { return a&b | ^a&c }},
	{3, func(a, b, c uint32) uint32 { return float(number(float(number(a)*number(b))) + number(c)) }},
}

// number and float are computed in doubles, so that every reader gets the same.
func number(v uint32) float64 { return float64(math.Float32frombits(v)) }

func float(v float64) uint32 { return math.Float32bits(float32(v)) }

// notANumber reports whether v is the bits of one.
func notANumber(v uint32) bool { return v&^(1<<31) > 0x7f800000 }

// source is an operand.
type source struct {
	kind  byte
	value uint32 // number of the register, or the constant
}

// Kinds of sources.
const (
	sourceVGPR = iota
	sourceScalar
	sourceConst
)

// maxSources is how many operands a function has at most.
const maxSources = 3

// sourcesOf appends the 32-bit sources of a VALU instruction, none of others.
func sourcesOf(list []source, in *isa.Inst) []source {
	switch in.Row().Enc {
	case isa.VOP1, isa.VOP2, isa.VOP3A, isa.VOP3B:
	default:
		return list
	}
	var buf [8]isa.Operand
	for _, o := range in.Operands(buf[:0]) {
		if !o.Read || o.Write || o.Dwords != 1 || len(list) == maxSources {
			continue
		}
		s := source{value: uint32(o.Code)}
		switch o.File {
		case isa.VReg:
			s.kind = sourceVGPR
		case isa.SReg:
			s.kind = sourceScalar
		default:
			v, ok := constant(in, uint32(o.Code), o.Type)
			if !ok {
				continue
			}
			s = source{sourceConst, v}
		}
		list = append(list, s)
	}
	return list
}

// constant returns the value of an operand code that names no register.
func constant(in *isa.Inst, code uint32, t isa.Type) (uint32, bool) {
	if code == isa.Literal {
		return uint32(in.Words >> 32), true
	}
	v, ok := isa.InlineConstant(code, t)
	return uint32(v), ok
}

// at returns what a source is in a lane.
func (s source) at(st *state.Wave, lane int) uint32 {
	switch s.kind {
	case sourceVGPR:
		if int(s.value) < len(st.V) {
			return st.V[s.value][lane]
		}
	case sourceScalar:
		return st.S[s.value%isa.NumScalarCodes]
	case sourceConst:
		return s.value
	}
	return 0
}

// appendDerived returns how lanes are derived from sources, nil if no function is known to
// give them.
func appendDerived(v *state.Lanes, mask uint64, sources []source, st *state.Wave) []byte {
	for n, f := range functions {
		if f.operands != len(sources) || !derives(f.of, v, mask, sources, st) {
			continue
		}
		b := []byte{lanesDerived, byte(n)}
		for _, s := range sources {
			b = binary.AppendUvarint(append(b, s.kind), uint64(s.value))
		}
		return b
	}
	return nil
}

// derives reports whether lanes are f of sources.
func derives(f func(a, b, c uint32) uint32, v *state.Lanes, mask uint64, sources []source, st *state.Wave) bool {
	var x [maxSources]uint32
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		for k, s := range sources {
			x[k] = s.at(st, i)
		}
		if f(x[0], x[1], x[2]) != v[i] || notANumber(v[i]) {
			return false
		}
	}
	return true
}

// derived reads lanes that are derived from the registers of st.
func (r *reader) derived(v *state.Lanes, mask uint64, st *state.Wave) {
	n := int(r.byte())
	if n >= len(functions) {
		r.fail("there is no function %d", n)
		return
	}
	var sources [maxSources]source
	for i := range functions[n].operands {
		sources[i] = source{r.byte(), uint32(r.uint())}
	}
	var x [maxSources]uint32
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		for k, s := range sources[:functions[n].operands] {
			x[k] = s.at(st, i)
		}
		v[i] = functions[n].of(x[0], x[1], x[2])
	}
}
