package sim_test

import (
	"cmp"
	"math"
	mathbig "math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// References of the floating-point kernels. Each Go operation on float32 or float64 rounds once, to nearest even, if
// its result is converted explicitly. The kernels round in the same way.

func floatTests() []kernelTest {
	return []kernelTest{
		divfTest(), divdTest(), nativeTest(), longsTest(), halfpairsTest(), mandelbrotTest(), addfloatTest(), convertfTest(),
		comparesTest(), halfmathTest(), mixTest(), packingTest(),
	}
}

// line returns a test with a one-dimensional grid: n work-items in groups of size.
func line(name string, n, size uint32, args ...kernelArg) kernelTest {
	return kernelTest{name, [3]uint32{n, 1, 1}, [3]uint32{size, 1, 1}, args}
}

// spread32 returns a generator of single-precision numbers with an exponent between lo and hi.
func spread32(lo, hi int) func(*rand.Rand) float32 {
	return func(r *rand.Rand) float32 {
		return float32(math.Ldexp(float64(r.Uint32()>>8|1<<23)-float64(r.Uint32()&1<<25), between(lo-23, hi-23)(r)))
	}
}

func spread64(lo, hi int) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		v := math.Ldexp(1+r.Float64(), between(lo, hi)(r))
		return math.Copysign(v, float64(int32(r.Uint32())))
	}
}

func divfTest() kernelTest {
	const n = 512
	a, b := random(n, spread32(40, 70)), random(n+1, spread32(-20, 30))[:n]
	copy(a, []float32{0, float32(math.Inf(1)), 1, -1})
	copy(b, []float32{3, 7, 0, 0, float32(math.Inf(-1))})
	out, roots := make([]float32, n), make([]float32, n)
	for i := range out {
		out[i] = a[i] / b[i]
		whole := float32(math.Trunc(float64(float32(a[i] * 0x1p-60))))
		square := float32(b[i] * b[i])
		recip := 1 / float32(square+1)
		roots[i] = float32(math.Sqrt(float64(float32(whole*whole)))) + recip
	}
	return line("divf", n, 64, output(out), output(roots), input(a), input(b))
}

func divdTest() kernelTest {
	const n = 256
	a, b := random(n, spread64(-8, 20)), random(n+1, spread64(0, 20))[:n]
	copy(a, []float64{0, 1, -1, 0.5, -2.5})
	copy(b, []float64{3, 3, 3, -0.5, 2.5})
	var out [][8]float64
	for i, x := range a {
		y := b[i]
		mant, _ := math.Frexp(x)
		_, exp := math.Frexp(y)
		sum := float64(math.Floor(x) + math.Ceil(y))
		diff := float64(math.Trunc(x) - math.RoundToEven(y))
		out = append(out, [8]float64{
			x / y, math.Sqrt(math.Abs(x)), math.FMA(x, y, -x), sum, diff, math.Ldexp(x, i&15), mant + float64(exp),
			max(x, min(y, 1)) * -math.Copysign(2, y),
		})
	}
	return line("divd", n, 64, output(out), input(a), input(b))
}

// class32 returns the class of the number with bits b, numbered as by v_cmp_class_f32 (AMD GCN3 ISA, "VOPC":
// signalling and quiet NaN, then -infinity up to +infinity).
func class32(b uint32) uint32 {
	exp, mant, negative := b>>23&0xff, b&(1<<23-1), b>>31 != 0
	pick := func(minus, plus uint32) uint32 {
		if negative {
			return 1 << minus
		}
		return 1 << plus
	}
	switch {
	case exp == 0xff && mant != 0:
		if mant>>22 != 0 {
			return 1 << 1 // a quiet NaN
		}
		return 1 << 0
	case exp == 0xff:
		return pick(2, 9)
	case exp != 0:
		return pick(3, 8)
	case mant != 0:
		return pick(4, 7)
	}
	return pick(5, 6)
}

func nativeTest() kernelTest {
	const n = 256
	in := random(n, func(r *rand.Rand) float32 { return float32(between(-4000, 4000)(r)) / 64 })
	exponents := random(n, small[int32](-30, 30))
	copy(in, []float32{0, float32(math.Copysign(0, -1)), 0.5, -0.5, 1.5, 2.5, -3.5})
	var out [][16]float32
	classes := make([]uint32, n)
	for i, x := range in {
		e := int(exponents[i])
		p, wide := float32(math.Ldexp(1, e)), float64(x)
		o := [16]float32{
			float32(math.Ldexp(1, -e)), float32(math.Ldexp(1, -e)), float32(e), p, float32(math.Abs(float64(e))),
			[4]float32{1, 2, 1, 0}[e&3],
			float32(math.Floor(wide)), float32(math.Ceil(wide)), float32(math.Trunc(wide)), float32(math.RoundToEven(wide)),
			float32(wide - math.Floor(wide)), min(max(x, -4.5), 7.25),
			max(x, p, 3) - min(x, p, 2), 0, float32(math.FMA(wide, 3, -float64(p))),
			float32(math.Copysign(float64(p), wide)) + float32(math.Abs(wide)),
		}
		mant, exp := math.Frexp(wide)
		o[13] = float32(mant) * float32(exp)
		out = append(out, o)
		pattern := uint32(i) << 24
		if i&3 != 0 {
			pattern |= uint32(e)
		}
		if classes[i] = class32(pattern); classes[i]&0x1f8 != 0 {
			classes[i] |= 1 << 16
		}
	}
	return line("native", n, 64, output(out), output(classes), input(in), input(exponents))
}

// single rounds v once to single precision. The conversion from 64-bit integers rounds twice on some hosts.
func single(v *mathbig.Float) float32 {
	f, _ := v.Float32()
	return f
}

func longsTest() kernelTest {
	const n = 256
	in := random(n, func(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(63) })
	copy(in, []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1<<53 + 1, 1<<24 + 1, 1<<62 + 1<<38})
	var f [][2]float32
	var d [][2]float64
	var back [][4]int64
	for _, s := range in {
		u := uint64(s)
		f = append(f, [2]float32{single(new(mathbig.Float).SetInt64(s)), single(new(mathbig.Float).SetUint64(u))})
		d = append(d, [2]float64{float64(s), float64(u)})
		narrow := int32(float32(float32(s>>40)*1.75)) + int32(uint32(float32(float32(u>>34)*2.5)))
		back = append(back, [4]int64{
			int64(float64(float64(s>>3) * 0.5)), int64(uint64(float64(float64(u>>1) * 1.5))),
			int64(single(new(mathbig.Float).SetInt64(s >> 2))), int64(uint32(narrow)),
		})
	}
	return line("longs", n, 64, output(f), output(d), output(back), input(in))
}

func halfpairsTest() kernelTest {
	const n = 128
	draw := func(r *rand.Rand) [2]float32 {
		return [2]float32{float32(between(-40, 40)(r)), float32(between(-40, 40)(r))}
	}
	a, b := random(n, draw), random(n+1, draw)[:n]
	halves := func(pairs [][2]float32) (out [][2]uint16) {
		for _, p := range pairs {
			out = append(out, [2]uint16{half(p[0]), half(p[1])})
		}
		return out
	}
	var out [][2]uint16
	for i, x := range a {
		y := b[i]
		out = append(out, halves([][2]float32{
			{x[0] + y[0], x[1] + y[1]},
			{x[0]*y[0] - x[1], x[1]*y[1] - x[0]},
			{-x[0] - y[0], -x[1] - y[0]},
			{x[0]*y[1] + x[1], x[1]*y[0] + 2},
			{min(x[0], y[0]), max(x[1], y[1])},
			{float32(math.Floor(float64(x[0] / 4))), float32(math.Abs(float64(y[1]))) / 2},
		})...)
	}
	return line("halfpairs", n, 64, output(out), input(halves(a)), input(halves(b)))
}

func mandelbrotTest() kernelTest {
	const width, height, limit = 40, 16, 60
	out := make([]uint16, width*height)
	for i := range out {
		out[i] = mandelbrotAt(i%width, i/width, limit)
	}
	return kernelTest{"mandelbrot", [3]uint32{48, height, 1}, [3]uint32{16, 4, 1},
		[]kernelArg{output(out), i32(width), i32(limit)}}
}

// mandelbrotAt returns the sum of the escape times of the four points of a pixel.
func mandelbrotAt(x, y int, limit uint16) (n uint16) {
	for sub := range 4 {
		cr := float32(float32(2*x+sub&1)*0x1p-5) - 2
		ci := float32(float32(2*y+sub>>1)*0x1p-4) - 1
		n += escape(cr, ci, limit)
	}
	return n
}

// escape rounds after each operation. The conversions prevent a fused multiply-add.
func escape(cr, ci float32, limit uint16) (n uint16) {
	var r, i float32
	for n < limit && float32(r*r)+float32(i*i) < 4 {
		r, i = float32(float32(r*r)-float32(i*i))+cr, float32(float32(2*r)*i)+ci
		n++
	}
	return n
}

func addfloatTest() kernelTest {
	in := random(512, func(r *rand.Rand) float32 { return float32(between(-1000, 1000)(r)) / 8 })
	start := []float32{1, 2, 3, 4}
	sums := slices.Clone(start)
	for i, v := range in {
		sums[i&3] += v
	}
	return line("addfloat", 512, 128, inout(start, sums), input(in))
}

// roundHalf returns the bits of the half-precision number nearest to v, ties to even.
func roundHalf(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	if v == 0 {
		return sign
	}
	_, exp := math.Frexp(v)
	unit := max(exp-11, -24) // exponent of the last place
	n := math.RoundToEven(math.Ldexp(v, -unit))
	if v = math.Ldexp(n, unit); v >= 65536 {
		return sign | 0x7c00
	}
	if v < 0x1p-14 {
		return sign | uint16(n)
	}
	mant, exp := math.Frexp(v)
	return sign | uint16(exp+14)<<10 | uint16(math.Ldexp(mant, 11))&0x3ff
}

// wideHalf returns the finite half-precision number with bits h.
func wideHalf(h uint16) float32 {
	exp, mant := int(h>>10&31), float64(h&0x3ff)
	if exp > 0 {
		mant, exp = mant+0x400, exp-1
	}
	return float32(math.Copysign(math.Ldexp(mant, exp-24), float64(int16(h))))
}

func convertfTest() kernelTest {
	const n = 256
	in := random(n, anyUint32)
	x := random(n, func(r *rand.Rand) float32 { return spread32(-3, 30)(r) })
	copy(x, []float32{0, -0.5, 0.5, 0x1p30, 1.99, -1.99, 0x1.002p15, 0x1.006p15, 0x1p-8})
	var f [][8]float32
	var whole [][2]int32
	var h [][2]uint16
	for i, v := range in {
		b := uint16(v & 0xbbff)
		f = append(f, [8]float32{
			float32(v & 0xff), float32(v >> 8 & 0xff), float32(v >> 16 & 0xff), float32(v >> 24), float32(int32(v)), float32(v),
			float32(float32(int8(v))*0.5) + float32(int16(v>>16)), wideHalf(b),
		})
		whole = append(whole, [2]int32{int32(x[i]),
			int32(uint32(float32(math.Abs(float64(x[i]))))) ^ int32(uint8(math.Abs(float64(x[i]*0x1p-24))))})
		// The difference of two halves is exact in float64 and rounds once.
		p, q := roundHalf(float64(v&0xffff)), roundHalf(float64(int16(v>>20)))
		diff := uint16(0x7c00)
		if p != 0x7c00 {
			diff = roundHalf(float64(wideHalf(p)) - float64(wideHalf(q)))
		}
		h = append(h, [2]uint16{roundHalf(float64(x[i]) * 0x1p-16), diff})
	}
	return line("convertf", n, 64, output(f), output(whole), output(h), input(in), input(x))
}

// sixBits returns the results of <, <=, >, >=, == and != as bits.
func sixBits(lt, eq, gt bool) (b uint32) {
	for k, set := range []bool{lt, lt || eq, gt, gt || eq, eq, !eq} {
		if set {
			b |= 1 << k
		}
	}
	return b
}

func intBits[T cmp.Ordered](x, y T) uint32 { return sixBits(x < y, x == y, x > y) }

func comparesTest() kernelTest {
	const n = 128
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, nan, inf, -inf, 2.5}
	pick := func(r *rand.Rand) float32 { return special[r.IntN(len(special))] }
	a, b := random(n, pick), random(n+1, pick)[:n]
	u := random(n, func(r *rand.Rand) uint64 { return r.Uint64() })
	for i := 0; i < n; i += 8 {
		u[i+1], u[i+3] = u[i], u[i+2]&^0xffffffff|u[i+3]&0xffff
	}
	var out [][6]uint32
	for i, x := range a {
		y := b[i]
		f := intBits(x, y)
		f |= ^f & 0xf << 6 // the six negated results
		if unordered := x != x || y != y; unordered {
			f |= 1 << 10
		} else {
			f |= 1 << 12
		}
		if x < y || x > y {
			f |= 1 << 11
		}
		p, q := u[i], u[i^1]
		out = append(out, [6]uint32{
			f, f, f, intBits(p, q) | intBits(int64(p), int64(q))<<8,
			intBits(uint32(p), uint32(q)) | intBits(int32(p), int32(q))<<8,
			intBits(uint16(p), uint16(q)) | intBits(int16(p), int16(q))<<8,
		})
	}
	return line("compares", n, 64, output(out), input(a), input(b), input(u))
}

func halfmathTest() kernelTest {
	const n = 128
	quarters := random(n, func(r *rand.Rand) float64 { return float64(between(-2000, 2000)(r)) / 4 })
	copy(quarters, []float64{0, math.Copysign(0, -1), 0.5, -0.5, 1.5, 2.5, -2.5, 7.25})
	exponents := random(n, func(r *rand.Rand) int16 { return int16(between(-7, 7)(r)) })
	in := make([]uint16, n)
	var out [][16]uint16
	for i, x := range quarters {
		in[i] = roundHalf(x)
		e := float64(exponents[i])
		p := math.Exp2(e)
		mant, exp := math.Frexp(x)
		class := math.Copysign(p, x)
		if x < 0 || x == 0 && !math.Signbit(x) {
			class = 1
		}
		o := [16]uint16{}
		for k, v := range [16]float64{
			1 / p, 1 / p, math.Abs(e), e, p, x - math.Floor(x), math.Trunc(x) + math.Ceil(x),
			math.RoundToEven(x) - math.Floor(x),
			mant, float64(exp), math.Trunc(x) + math.Trunc(math.Abs(x)), min(max(x, -2), 7), max(x, p, 3), min(x, p, 2),
			p/4 - x, class,
		} {
			o[k] = roundHalf(v)
		}
		out = append(out, o)
	}
	return line("halfmath", n, 64, output(out), input(in), input(exponents))
}

func mixTest() kernelTest {
	const n = 128
	a := random(n, func(r *rand.Rand) [2]float32 {
		return [2]float32{float32(between(-30, 30)(r)), float32(between(-30, 30)(r))}
	})
	b := random(n, func(r *rand.Rand) float32 { return float32(between(-60, 60)(r)) / 2 })
	var out [][3]float32
	var in, halves [][2]uint16
	for i, x := range a {
		y := b[i]
		in = append(in, [2]uint16{half(x[0]), half(x[1])})
		out = append(out, [3]float32{x[0]*x[1] + y, -x[1]*y + x[0], float32(math.Abs(float64(x[0])))*y - x[1]})
		halves = append(halves, [2]uint16{half(x[0]*x[0] + y), half(x[1]*y + x[0])})
	}
	return line("mix", n, 64, output(out), output(halves), input(in), input(b))
}

// cube returns the results of the four cube map instructions: face, two coordinates, twice the major axis (AMD GCN3
// ISA, V_CUBEID_F32 and related).
func cube(x, y, z float32) [4]float32 {
	abs := func(v float32) float32 { return max(v, -v) }
	// face returns positive if the major axis is positive, else negative.
	face := func(major, id float32, positive, negative [2]float32) [4]float32 {
		if major < 0 {
			return [4]float32{id + 1, negative[0], negative[1], 2 * major}
		}
		return [4]float32{id, positive[0], positive[1], 2 * major}
	}
	switch {
	case abs(z) >= abs(x) && abs(z) >= abs(y):
		return face(z, 4, [2]float32{x, -y}, [2]float32{-x, -y})
	case abs(y) >= abs(x):
		return face(y, 2, [2]float32{x, z}, [2]float32{x, -z})
	}
	return face(x, 0, [2]float32{-z, -y}, [2]float32{z, -y})
}

// window returns the sums of absolute differences between the bytes of y and those of x from byte k on, for k from 0
// to 3. Each sum is added to 16 bits of z.
func window(x uint64, y uint32, z uint64, masked bool) (sums [2]uint32) {
	for k := range 4 {
		sum := sad(uint32(x>>(8*k)), y, 8, masked) + uint32(z>>(16*k))&0xffff
		sums[k/2] |= sum & 0xffff << (k % 2 * 16)
	}
	return sums
}

func packingTest() kernelTest {
	const n = 128
	a, b := random(n, small[float32](-600, 600)), random(n+1, small[float32](-600, 600))[:n]
	w := random(n, func(r *rand.Rand) uint64 { return r.Uint64() &^ (0xff << (8 * r.IntN(8))) })
	norm := func(v, lo, one float32) uint32 { return uint32(uint16(int32(min(max(v, lo), 1) * one))) }
	clamp := func(v, lo, hi float32) uint32 { return uint32(uint16(int32(min(max(v, lo), hi)))) }
	var out [][12]uint32
	var faces [][4]float32
	for i, x := range a {
		y, p, z := b[i], w[i], w[i^1]&0x0fff0fff0fff0fff
		ax, ay := float32(math.Abs(float64(x))), float32(math.Abs(float64(y)))
		q, m := window(p, uint32(p>>40), z, false), window(p, uint32(w[i^2]), z, true)
		out = append(out, [12]uint32{
			uint32(half(x)) | uint32(half(y))<<16,
			norm(x, -1, 32767) | norm(y, -1, 32767)<<16,
			norm(x, 0, 65535) | norm(y, 0, 65535)<<16,
			clamp(x*64, -32768, 32767) | clamp(y*64, -32768, 32767)<<16,
			clamp(ax*64, 0, 65535) | clamp(ay*64, 0, 65535)<<16,
			0x44002200 | clamp(x, 0, 255) | clamp(y, 0, 255)<<16,
			q[0], q[1], m[0], m[1],
			uint32(p)&0x00ff00ff | uint32(p>>32)&0xff00ff00,
			uint32(bits.OnesCount64(p))*3 + uint32(p)>>24,
		})
		faces = append(faces, cube(x, y, 100-x))
	}
	return line("packing", n, 64, output(out), output(faces), input(a), input(b), input(w))
}
