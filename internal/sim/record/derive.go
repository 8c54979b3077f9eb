package record

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// lanesDerived is the code for lanes that are a function of registers: one of [functions] and its operands, each a
// [source]. The other codes are in lanes.go.
const lanesDerived = 9

// functions compute a lane from operands of the same lane. They serve to compress values and need not match the
// instruction's semantics: a result that differs is written in another way. They never return NaN.
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

// number and float use float64, so that every reader computes the same values.
func number(v uint32) float64 { return float64(math.Float32frombits(v)) }

func float(v float64) uint32 { return math.Float32bits(float32(v)) }

// notANumber reports whether v is the bits of a NaN.
func notANumber(v uint32) bool { return v&^(1<<31) > 0x7f800000 }

// source is an operand of a function.
type source struct {
	kind  byte
	value uint32 // number of the register, or the value of the constant
}

// Kinds of sources.
const (
	sourceVGPR = iota
	sourceScalar
	sourceConst
)

// maxSources is the largest number of operands of a function.
const maxSources = 3

// sourcesOf appends the 32-bit sources of a VALU instruction. Other instructions have none.
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

// constant returns the value of an operand code that is not a register.
func constant(in *isa.Inst, code uint32, t isa.Type) (uint32, bool) {
	if code == isa.Literal {
		return uint32(in.Words >> 32), true
	}
	v, ok := isa.InlineConstant(code, t)
	return uint32(v), ok
}

// at returns the value of a source in a lane.
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

// appendDerived returns the encoding of lanes as a function of sources, nil if no function computes them.
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

// derives reports whether f of the sources equals v in all lanes of mask.
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

// derived decodes lanes that are a function of the registers in st.
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
