package simd

import "math"

// comparisons are the comparisons of integers and floats from which the others are derived.
var comparisons = map[string]CompareOp{
	"eq u32": func(a, b *Lanes, _ uint32) (out uint64) {
		_, _ = a[0], b[0]
		for i := range a {
			out = out>>1 | bit(a[i] == b[i])<<63
		}
		return out
	},
	"lt i32": func(a, b *Lanes, _ uint32) (out uint64) {
		_, _ = a[0], b[0]
		for i := range a {
			out = out>>1 | bit(int32(a[i]) < int32(b[i]))<<63
		}
		return out
	},
	"lt u32": func(a, b *Lanes, _ uint32) (out uint64) {
		_, _ = a[0], b[0]
		for i := range a {
			out = out>>1 | bit(a[i] < b[i])<<63
		}
		return out
	},
	"eq u16": func(a, b *Lanes, _ uint32) (out uint64) {
		for i := range a {
			out = out>>1 | bit(uint16(a[i]) == uint16(b[i]))<<63
		}
		return out
	},
	"lt i16": func(a, b *Lanes, _ uint32) (out uint64) {
		for i := range a {
			out = out>>1 | bit(int16(a[i]) < int16(b[i]))<<63
		}
		return out
	},
	"lt u16": func(a, b *Lanes, _ uint32) (out uint64) {
		for i := range a {
			out = out>>1 | bit(uint16(a[i]) < uint16(b[i]))<<63
		}
		return out
	},
	"eq f32": func(a, b *Lanes, in uint32) (out uint64) {
		for i := range a {
			out = out>>1 | bit(f32(flushed(a[i], in)) == f32(flushed(b[i], in)))<<63
		}
		return out
	},
	"lt f32": func(a, b *Lanes, in uint32) (out uint64) {
		for i := range a {
			out = out>>1 | bit(f32(flushed(a[i], in)) < f32(flushed(b[i], in)))<<63
		}
		return out
	},
	"le f32": func(a, b *Lanes, in uint32) (out uint64) {
		for i := range a {
			out = out>>1 | bit(f32(flushed(a[i], in)) <= f32(flushed(b[i], in)))<<63
		}
		return out
	},
	"lg f32": func(a, b *Lanes, in uint32) (out uint64) {
		for i := range a {
			x, y := f32(flushed(a[i], in)), f32(flushed(b[i], in))
			out = out>>1 | bit(x < y || x > y)<<63
		}
		return out
	},
	"unordered f32": func(a, b *Lanes, _ uint32) (out uint64) {
		for i := range a {
			out = out>>1 | bit(isNaN(a[i]) || isNaN(b[i]))<<63
		}
		return out
	},

	"eq f16": compareHalves(func(x, y float64) bool { return x == y }),
	"lt f16": compareHalves(func(x, y float64) bool { return x < y }),
	"le f16": compareHalves(func(x, y float64) bool { return x <= y }),
	"lg f16": compareHalves(func(x, y float64) bool { return x < y || x > y }),

	// unscaled tests whether a division of the second operand by the first needs no scaling (V_DIV_SCALE). For float64
	// the upper dwords suffice.
	"unscaled f32": unscaled(23, 127, 23, 96),
	"unscaled f64": unscaled(20, 1023, 52, 768),

	"unordered f16": compareHalves(func(x, y float64) bool { return x != x || y != y }),
}

// unscaled returns that test. Its arguments are the lowest bit of the exponent, its bias, the number of mantissa
// bits, and the exponent from which quotients are scaled.
//
//go:noinline
func unscaled(mant, bias, mantissa, far int) CompareOp {
	return func(d, n *Lanes, _ uint32) (out uint64) {
		for i := range d {
			de, ne := int(d[i]<<1>>(mant+1)), int(n[i]<<1>>(mant+1))
			out = out>>1 | bit(de > 0 && de < 2*bias-1 && ne > mantissa && ne-de < far && ne-de > 1-bias)<<63
		}
		return out
	}
}

//go:noinline
func compareHalves(holds func(x, y float64) bool) CompareOp {
	value := func(v, in uint32) float64 {
		if v = flushedHalf(v&0xffff, in); halfNaN(v) {
			return math.NaN()
		}
		return wide(v)
	}
	return func(a, b *Lanes, in uint32) (out uint64) {
		for i := range a {
			out = out>>1 | bit(holds(value(a[i], in), value(b[i], in)))<<63
		}
		return out
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
