//go:build !purego

package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// edges64 are float64 values around which results change.
var edges64 = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 0x1p-1022, 0x1p-1074, -0x1p-1060, math.MaxFloat64, math.Inf(1), math.Inf(-1),
	math.NaN(), math.Float64frombits(0x7ff0000000000001),
	math.Float64frombits(0xfff0000000001000), math.Float64frombits(0xffffffffffffffff), math.MaxInt32,
	math.MaxInt32 + 0.5, math.MaxInt32 + 1, math.MinInt32, math.MinInt32 - 0.5, math.MaxUint32,
	math.MaxUint32 + 0.5, 1 << 32, -0.5, -1.5, 2147483648.5, 0x1p-126, 0x1p-127, 0x1.ffffffp-127, math.MaxFloat32,
	0x1.ffffffp127, 0x1.000001p0, 0x1.000003p0, 0x1p-150, 0x1.8p-150,
}

// pairOf sets a pair of registers to float64 values or random bits.
func pairOf(r *rand.Rand, lo, hi *Lanes) {
	kind := r.IntN(4)
	for i := range lo {
		v := r.Uint64()
		switch kind {
		case 0:
			v = math.Float64bits(edges64[r.IntN(len(edges64))])
		case 1:
			v = math.Float64bits(r.NormFloat64() * math.Ldexp(1, r.IntN(80)-40))
		case 2:
			v = math.Float64bits(float64(r.IntN(9) - 4))
		}
		lo[i], hi[i] = uint32(v), uint32(v>>32)
	}
}

// pairs returns registers for operations on 64 bits: a, b and c, each with lo and hi.
func pairs(r *rand.Rand) *[6]Lanes {
	var regs [6]Lanes
	for i := 0; i < len(regs); i += 2 {
		pairOf(r, &regs[i], &regs[i+1])
	}
	if r.IntN(4) == 0 { // otherwise hardly any would be equal
		n := r.IntN(NumLanes)
		copy(regs[2][:n], regs[0][:n])
		copy(regs[3][:n], regs[1][:n])
	}
	return &regs
}

func TestVectorWideFloat(t *testing.T) {
	testTables(t, wideFloats, wideFloatAVX2, nil, func(op WideFloatOp, _ *operands, r *rand.Rand) uint64 {
		v := pairs(r)
		d := r.IntN(5) // the destination is one of the operands, or overlaps two
		op(&v[d], &v[d+1], &v[0], &v[1], &v[2], &v[3], &v[4], &v[5])
		return hash(hash64(v[d][:]), hash64(v[d+1][:]))
	})
}

func TestVectorWideCompare(t *testing.T) {
	testTables(t, wideComparisons, wideCompareAVX2, nil, func(op WideCompareOp, _ *operands, r *rand.Rand) uint64 {
		v := pairs(r)
		return op(&v[0], &v[1], &v[2], &v[3])
	})
}

func TestVectorWideFunctions(t *testing.T) {
	testSwitched(t, map[string]func(o *operands, r *rand.Rand) uint64{
		"MulAdd64": func(o *operands, r *rand.Rand) uint64 {
			v := pairs(r)
			d := r.IntN(5)
			out := MulAdd64(&v[d], &v[d+1], o.reg(1), o.reg(2), &v[4], &v[5])
			return hash(out, hash64(v[d][:]), hash64(v[d+1][:]))
		},
		"Float64OfF32": func(o *operands, r *rand.Rand) uint64 {
			var lo, hi Lanes
			in, _ := masks(r)
			Float64OfF32(&lo, &hi, o.reg(1), in)
			return hash(hash64(lo[:]), hash64(hi[:]))
		},
		"F32OfFloat64": func(o *operands, r *rand.Rand) uint64 {
			v := pairs(r)
			_, out := masks(r)
			F32OfFloat64(o.reg(0), &v[0], &v[1], out)
			return 0
		},
		"Float64OfInteger": func(o *operands, r *rand.Rand) uint64 {
			var lo, hi Lanes
			Float64OfInteger(&lo, &hi, o.reg(1), r.IntN(2) == 0)
			return hash(hash64(lo[:]), hash64(hi[:]))
		},
		"IntegerOfFloat64": func(o *operands, r *rand.Rand) uint64 {
			v := pairs(r)
			IntegerOfFloat64(o.reg(0), &v[0], &v[1], r.IntN(2) == 0)
			return 0
		},
	})
}
