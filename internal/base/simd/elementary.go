package simd

import "math"

// Exponentials, logarithms and sines in float64, computed by polynomials. Rounded to float32 they are as good as
// exact. No product is fused with a sum, so that all hosts compute the same bits. Sources: FreeBSD's msun (e_exp.c,
// e_log.c) and the Cephes library (sin.c).

// ln2Hi has few bits, so that its products with small integers are exact.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// Coefficients, the highest power first.
var (
	expTerms = [...]float64{4.13813679705723846039e-08, -1.65339022054652515390e-06, 6.61375632143793436117e-05,
		-2.77777777770155933842e-03, 1.66666666666666657415e-01}
	logOdd = [...]float64{1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01,
		6.666666666666735130e-01}
	logEven   = [...]float64{1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01}
	sineTerms = [...]float64{1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1}
	cosTerms = [...]float64{-1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2}
)

// polynomial returns the value at x of the polynomial with coefficients terms.
func polynomial(x float64, terms []float64) float64 {
	p := terms[0]
	for _, c := range terms[1:] {
		p = float64(p*x) + c
	}
	return p
}

// powerOfTwo returns 2**x for a float32 result: 0 if that would be denormal.
func powerOfTwo(x float64) float64 {
	if x < -126 {
		return 0
	}
	x = min(x, 200)
	k := math.Trunc(x + math.Copysign(0.5, x))
	t := x - k
	hi, lo := t*ln2Hi, -t*ln2Lo
	r := hi - lo
	rr := float64(r * r)
	c := r - float64(rr*polynomial(rr, expTerms[:]))
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return y * math.Float64frombits(uint64(int64(k)+1023)<<52)
}

// log2Lane returns the binary logarithm of a float32 that is neither NaN nor denormal.
func log2Lane(v uint32) uint32 {
	switch {
	case mag(v) == 0:
		return 0xff800000
	case v>>31 != 0:
		return 0xffc00000
	case mag(v) == magInf:
		return v
	}
	exp, f := float64(int(v>>23)-126), float64(f32(v&0x7fffff|0x3f000000)) // f is in [0.5, 1]
	k := 0.0
	if f < math.Sqrt2/2 {
		f, k = f*2, -1
	}
	f--
	s := f / (2 + f)
	ss := float64(s * s)
	s4 := float64(ss * ss)
	r := float64(ss*polynomial(s4, logOdd[:])) + float64(s4*polynomial(s4, logEven[:]))
	half := float64(float64(0.5*f) * f)
	y := float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
	return bits32(float32(float64(y*(1/math.Ln2)) + exp))
}

// turned returns the sine of x turns plus phase quarter turns. x must not be negative. The result is exact for
// multiples of a quarter.
func turned(x float64, phase int) float64 {
	x -= math.Floor(x)
	quarter := math.Floor((math.Trunc(x*8) + 1) * 0.5)
	r := x - quarter*0.25
	n := int(quarter) + phase
	if n&2 != 0 {
		r = 0 - r
	}
	z := 2 * math.Pi * r
	zz := float64(z * z)
	if n&1 == 0 {
		return z + float64(float64(z*zz)*polynomial(zz, sineTerms[:]))
	}
	y := 1 - float64(0.5*zz) + float64(float64(zz*zz)*polynomial(zz, cosTerms[:]))
	if n&2 != 0 {
		return -y
	}
	return y
}

// sine and cosine take an angle in turns. From 256 on they are 0 and 1, for infinity NaN.
func sine(x float64) float64 {
	switch a := math.Abs(x); {
	case math.IsInf(x, 0):
		return math.NaN()
	case a > 256:
		return 0
	case math.Signbit(x):
		return -turned(a, 0)
	default:
		return turned(a, 0)
	}
}

func cosine(x float64) float64 {
	switch a := math.Abs(x); {
	case math.IsInf(x, 0):
		return math.NaN()
	case a > 256:
		return 1
	default:
		return turned(a, 1)
	}
}
