package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// dotOp adds the products of the parts of a and b to c. It computes all lanes at once with fast, or one by one if
// fast returns false.
type dotOp struct {
	fast func(d, a, b, c *lanes, clamp bool, w *state.Wave) bool
	lane func(a, b, c uint32, clamp bool, m state.Mode) uint32
}

// dotOps are the dot products of GCN 1.4.1. Source: AMD Vega 7nm ISA manual, VOP3P.
var dotOps = executor.Bindings[dotOp]{
	"v_dot2_i32_i16": {wrappingDot("dot i16"), signedDot(16)},
	"v_dot4_i32_i8":  {wrappingDot("dot i8"), signedDot(8)},
	"v_dot8_i32_i4":  {wrappingDot("dot i4"), signedDot(4)},
	"v_dot2_u32_u16": {wrappingDot("dot u16"), unsignedDot(16)},
	"v_dot4_u32_u8":  {wrappingDot("dot u8"), unsignedDot(8)},
	"v_dot8_u32_u4":  {wrappingDot("dot u4"), unsignedDot(4)},
	"v_dot2_f32_f16": {allHalves, dotHalves},
}

// wrappingDot returns a dot product that does not saturate.
//
//go:noinline
func wrappingDot(name string) func(d, a, b, c *lanes, clamp bool, w *state.Wave) bool {
	op := simd.Int(name)
	return func(d, a, b, c *lanes, clamp bool, _ *state.Wave) bool {
		if !clamp {
			op(d, a, b, c)
		}
		return !clamp
	}
}

// allHalves computes [dotHalves] if MODE rounds to nearest even and no result is a NaN. Products of float16 are
// exact.
func allHalves(d, a, b, c *lanes, _ bool, w *state.Wave) bool {
	if round32(w.Mode) != roundNearestEven {
		return false
	}
	x, y, sum := &w.Temp()[tempDPP], &w.Temp()[tempDPP+1], c // VOP3P has no DPP, so its temporaries are free
	for half := range uint32(2) {
		takeHalf(x, a, half, false)
		takeHalf(y, b, half, false)
		widenHalves(x, x, nil, nil, simd.FlushHalf, 0)
		widenHalves(y, y, nil, nil, simd.FlushHalf, 0)
		mulF32(x, x, y, nil, 0, 0)
		addF32(d, x, sum, nil, simd.Flush, simd.Flush)
		sum = d
	}
	return unordered32(d, d, 0) == 0
}

//go:noinline
func signedDot(width uint) func(a, b, c uint32, clamp bool, m state.Mode) uint32 {
	return func(a, b, c uint32, clamp bool, _ state.Mode) uint32 {
		sum := s32(c)
		for at := uint(0); at < 32; at += width {
			up := 32 - width - at
			sum += s32(a<<up) >> (32 - width) * (s32(b<<up) >> (32 - width))
		}
		if clamp {
			return saturate32(sum)
		}
		return uint32(sum)
	}
}

//go:noinline
func unsignedDot(width uint) func(a, b, c uint32, clamp bool, m state.Mode) uint32 {
	return func(a, b, c uint32, clamp bool, _ state.Mode) uint32 {
		sum, mask := int64(c), uint32(1)<<width-1
		for at := uint(0); at < 32; at += width {
			sum += int64(a>>at&mask) * int64(b>>at&mask)
		}
		if clamp {
			return saturateU32(sum)
		}
		return uint32(sum)
	}
}

// dotHalves rounds twice: after adding the low product, and after adding the high one. Whatever MODE selects, it
// flushes denormals of both formats, and a NaN result is the negative one (rule FP2).
func dotHalves(a, b, c uint32, _ bool, m state.Mode) uint32 {
	e, sum := flushEnv(isa.F32, m, nil), single.flush(uint64(c))
	for shift := 0; shift < 32; shift += 16 {
		x, y := half.flush(uint64(a>>shift&0xffff)), half.flush(uint64(b>>shift&0xffff))
		p, z := halfToFloat(x)*halfToFloat(y), single.float(sum)
		s := oddSum(p, z)
		if s != s {
			return uint32(single.defaultNaN())
		}
		sum = single.narrowSum(s, p, z, e)
	}
	return uint32(sum)
}

// bind binds a dot product. OP_SEL and OP_SEL_HI select the halves of 16-bit parts; NEG and NEG_HI negate float16
// parts. SRC2 is a whole register.
func (op dotOp) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	var src [3]vsrc
	for i := range src {
		src[i] = vectorSource(in, r, i)
	}
	halves, neg := selects(in)
	dst, clamp, float := in.Get(isa.VDST), in.Bool(isa.CLAMP), r.Sig.Dst.Info().Float
	out := result{t: r.Sig.Dst, clamp: clamp && float}
	prepare := func(d, v *lanes, i int) *lanes {
		lowFirst := halves[0]>>i&1 == 0 && halves[1]>>i&1 == 1
		if !r.Sig.Src[i].Info().Halves || lowFirst && neg[0]>>i&1 == 0 && neg[1]>>i&1 == 0 {
			return v
		}
		var high lanes
		takeHalf(&high, v, halves[1]>>i&1, float && neg[1]>>i&1 != 0)
		takeHalf(d, v, halves[0]>>i&1, float && neg[0]>>i&1 != 0)
		simd.Insert(d, &high, d, 16, 0xffff0000, 0xffff)
		return d
	}
	return executor.Noted(r.Note, func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		t, exec := w.Temp(), w.Exec()
		a, b, c := prepare(&t[1], src[0].fetch(w, 0).lo, 0), prepare(&t[3], src[1].fetch(w, 1).lo, 1), src[2].fetch(w, 2).lo
		if float && neg[0]>>2&1 != 0 {
			simd.Field(&t[5], c, 0, 1<<32-1, 1<<31)
			c = &t[5]
		}
		d := pair{lo: &t[tempResult]}
		if !op.fast(d.lo, a, b, c, clamp, w) {
			for m := exec; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				d.lo[i] = op.lane(a[i], b[i], c[i], clamp, w.Mode)
			}
		}
		if out.clamp {
			scaleAndClamp(&out, d, w.Mode, exec)
		}
		if at, ok := destination(w, dst, 1); ok {
			simd.Merge(&w.V[at], d.lo, exec)
		}
		return nil
	})
}
