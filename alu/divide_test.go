package alu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// step executes a VOP3 instruction with VDST v<dst> and sources v<src>. A negative source is negated; a source beyond
// the registers is 1.0.
func step(t *testing.T, w *state.Wave, name string, dst int64, src ...int64) {
	t.Helper()
	fields := map[isa.Field]int64{isa.VDST: dst, isa.SDST: gcn.VCC}
	for n, r := range src {
		if r < 0 {
			fields[isa.NEG] |= 1 << n
			r = -r
		}
		code := 256 + r
		if r >= 100 {
			code = 242
		}
		fields[isa.SRC0+isa.Field(n)] = code
	}
	enc := isa.VOP3A
	if name == "v_div_scale_f32" || name == "v_div_scale_f64" {
		enc = isa.VOP3B
	}
	execute(t, w, name, enc, fields)
}

// TestDivision executes the division sequences of LLVM and requires correctly rounded quotients.
func TestDivision(t *testing.T) {
	const d, n, sd, sn, r, e, x, q, out = 2, 4, 6, 8, 10, 12, 14, 16, 18
	rnd := rand.New(rand.NewPCG(27, 28))
	for _, f := range []struct {
		format
		suffix string
		t      isa.Type
	}{{single, "_f32", isa.F32}, {double, "_f64", isa.F64}} {
		for range 200 {
			w := state.NewWave(gcn.GFX900, 20)
			w.Mode = 0xf0
			for i := range state.NumLanes {
				for _, reg := range []int{d, n} {
					p := pair{&w.V[reg], &w.V[reg+1]}
					p.put(i, f.t, interesting(rnd, f.format))
				}
			}
			step(t, w, "v_div_scale"+f.suffix, sd, d, d, n)
			step(t, w, "v_div_scale"+f.suffix, sn, n, d, n) // the last one, because its flags in VCC are used
			step(t, w, "v_rcp"+f.suffix, r, sd)
			if f.format == single {
				step(t, w, "v_fma_f32", e, -sd, r, 100)
				step(t, w, "v_fma_f32", r, e, r, r)
				step(t, w, "v_mul_f32", q, sn, r)
				step(t, w, "v_fma_f32", x, -sd, q, sn)
				step(t, w, "v_fma_f32", q, x, r, q)
				step(t, w, "v_fma_f32", x, -sd, q, sn)
			} else {
				for range 2 {
					step(t, w, "v_fma_f64", e, -sd, r, 100)
					step(t, w, "v_fma_f64", r, r, e, r)
				}
				step(t, w, "v_mul_f64", q, sn, r)
				step(t, w, "v_fma_f64", x, -sd, q, sn)
			}
			step(t, w, "v_div_fmas"+f.suffix, out, x, r, q)
			step(t, w, "v_div_fixup"+f.suffix, out, out, d, n)
			for i := range state.NumLanes {
				a, b := cut(w, n, i, f.t), cut(w, d, i, f.t)
				got := cut(w, out, i, f.t)
				var want uint64
				if f.format == single {
					want = uint64(math.Float32bits(math.Float32frombits(uint32(a)) / math.Float32frombits(uint32(b))))
				} else {
					want = math.Float64bits(math.Float64frombits(a) / math.Float64frombits(b))
				}
				if isNaNRef(f.format, want) && isNaNRef(f.format, got) {
					continue
				}
				if got != want {
					t.Fatalf("%s %#x / %#x is %#x, want %#x", f.suffix, a, b, got, want)
				}
			}
		}
	}
}

func TestDivFixup(t *testing.T) {
	const inf, nan, snan = 0x7f800000, 0x7fc00001, 0x7f800001
	for _, x := range []struct{ q, d, n, want uint64 }{
		{0x3f800000, 0x40000000, 0x40800000, 0x3f800000},
		{0xbf800000, 0x40000000, 0x40800000, 0x3f800000}, // the sign follows from d and n
		{0x3f800000, 0xc0000000, 0x40800000, 0xbf800000},
		{nan, 0x40000000, 0, 0}, {nan, 0xc0000000, 0, 0x80000000},
		{0, 0, 0x40000000, inf}, {0, 0x80000000, 0x40000000, 0x80000000 | inf},
		{0, 0, 0, 0xffc00000}, {0, inf, inf, 0xffc00000},
		{0, inf, 0x40000000, 0}, {0, 0x40000000, inf, inf},
		{0, snan, 0x40000000, 0x7fc00001}, {0, 0x40000000, snan, 0x7fc00001}, {0, nan, snan, 0x7fc00001},
		{0x12345678, 0x7f000000, 0x00800000, 0}, // the quotient underflows
	} {
		check(t, "divFixup", single.divFixup(x.q, x.d, x.n, env{}), x.want)
	}
	check(t, "divFixup upward", single.divFixup(0, 0x7f000000, 0x00800000, env{round: roundPlusInf}), 1)
}

// TestApproximations requires that approximations differ by at most one unit in the last place from a result computed
// with big.Float or, for transcendental functions, with math on float64.
func TestApproximations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(29, 30))
	reference := map[string]func(x float64) float64{
		"v_exp": math.Exp2, "v_log": math.Log2,
		"v_sin": func(x float64) float64 { return bigSine(x, 0) },
		"v_cos": func(x float64) float64 { return bigSine(x, 0.25) },
		"v_rcp": func(x float64) float64 { return 1 / x }, "v_sqrt": math.Sqrt,
		"v_rsq": func(x float64) float64 { return 1 / math.Sqrt(x) },
	}
	for name, fn := range reference {
		for _, f := range []struct {
			format
			suffix string
			t      isa.Type
		}{{half, "_f16", isa.F16}, {single, "_f32", isa.F32}} {
			for range effort.Rounds(40) {
				w := state.NewWave(gcn.GFX900, 16)
				w.Mode = 0xf0 | state.ModeIEEE
				op := lookup(t, name+f.suffix, w.Target.Gen())
				fill(rnd, w, isa.RowOf(op))
				execute(t, w, name+f.suffix, isa.VOP1, nil)
				for i := range state.NumLanes {
					a, got := cut(w, 0, i, f.t), cut(w, 8, i, f.t)
					if isNaNRef(f.format, a) {
						check(t, name, got, a|f.quietBit())
						continue
					}
					x := f.float(a)
					flushes := f.format == single && name != "v_sin" && name != "v_cos"
					if flushes && f.isDenormal(a) {
						x = math.Copysign(0, x)
					}
					if name == "v_sin" || name == "v_cos" {
						if math.Abs(x) > 256 {
							continue
						}
					}
					want := fn(x)
					if want != want {
						check(t, name, got, f.defaultNaN())
						continue
					}
					ulp := math.Ldexp(1, max(ilogb(want), 1-f.bias())-int(f.mant))
					if g := f.float(got); g != want && !(math.Abs(g-want) <= ulp) &&
						!(flushes && math.Abs(want) < math.Ldexp(1, -126)) &&
						!(math.IsInf(g, 0) && math.Abs(want) > f.float(f.infinity()-1)) {
						t.Fatalf("%s%s(%v) is %v, want %v", name, f.suffix, x, g, want)
					}
				}
			}
		}
	}
}

func ilogb(x float64) int {
	if x == 0 || math.IsInf(x, 0) {
		return -2000
	}
	return math.Ilogb(x)
}

// bigSine computes sin(2*pi*(x+turn)) by its series after an exact reduction.
func bigSine(x, turn float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	const prec = 400
	v := new(big.Float).SetPrec(prec).Add(big.NewFloat(x).SetPrec(prec), big.NewFloat(turn))
	n, _ := v.Int(nil)
	v.Sub(v, new(big.Float).SetPrec(prec).SetInt(n))
	pi, _, _ := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798", 10, prec, big.ToNearestEven)
	v.Mul(v, pi)
	v.Mul(v, big.NewFloat(2))
	sum, term := new(big.Float).SetPrec(prec).Set(v), new(big.Float).SetPrec(prec).Set(v)
	for k := int64(1); k < 40; k++ {
		term.Mul(term, v)
		term.Mul(term, v)
		term.Quo(term, big.NewFloat(float64(-2*k*(2*k+1))))
		sum.Add(sum, term)
	}
	r, _ := sum.Float64()
	return r
}

func TestSineOfSpecialTurns(t *testing.T) {
	for _, x := range []struct{ x, sin, cos float64 }{
		{0, 0, 1}, {0.25, 1, 0}, {0.5, 0, -1}, {0.75, -1, 0}, {1, 0, 1}, {-0.25, -1, 0}, {256, 0, 1}, {257, 0, 1},
		{-300.25, 0, 1},
	} {
		if s, c := sineOfTurns(x.x), cosineOfTurns(x.x); s != x.sin || c != x.cos {
			t.Errorf("%v turns: %v, %v, want %v, %v", x.x, s, c, x.sin, x.cos)
		}
	}
}

// TestTrigPreop sums the segments, which must yield 2/pi.
func TestTrigPreop(t *testing.T) {
	total := new(big.Float).SetPrec(1300)
	for seg := range uint64(22) {
		v := double.float(trigPreop(double, math.Float64bits(1), seg, 0, env{}))
		total.Add(total, big.NewFloat(v))
	}
	pi, _, _ := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709384460955058223172535940812848111745028410270193852110555964462294895493038196", 10, 1300, big.ToNearestEven)
	total.Mul(total, pi)
	total.Sub(total, big.NewFloat(2))
	if total.MantExp(nil) > -640 {
		t.Errorf("the segments times pi are off 2 by %v", total.Text('g', 5))
	}
	one := trigPreop(double, math.Float64bits(math.Ldexp(1, 1077-1023)), 1, 0, env{})
	far := trigPreop(double, math.Float64bits(math.Ldexp(1, 1077-1023+53)), 0, 0, env{})
	check(t, "a segment reached by the exponent", far, one)
}

func TestCube(t *testing.T) {
	bits := func(x float64) uint32 { return math.Float32bits(float32(x)) }
	for _, x := range []struct{ x, y, z, id, ma, sc, tc float64 }{
		{3, 1, 2, 0, 6, -2, -1}, {-3, 1, 2, 1, -6, 2, -1},
		{1, 3, 2, 2, 6, 1, 2}, {1, -3, 2, 3, -6, 1, -2},
		{1, 2, 3, 4, 6, 1, -2}, {1, 2, -3, 5, -6, -1, -2},
		{2, 2, 2, 4, 4, 2, -2}, {2, 2, 1, 2, 4, 2, 1},
	} {
		w := state.NewWave(gcn.GFX803, 16)
		w.V[0][0], w.V[2][0], w.V[4][0] = bits(x.x), bits(x.y), bits(x.z)
		for name, want := range map[string]float64{"v_cubeid_f32": x.id, "v_cubema_f32": x.ma, "v_cubesc_f32": x.sc,
			"v_cubetc_f32": x.tc} {
			execute(t, w, name, isa.VOP3A, nil)
			if got := w.V[8][0]; got != bits(want) {
				t.Errorf("%s(%v, %v, %v) is %v, want %v", name, x.x, x.y, x.z, math.Float32frombits(got), want)
			}
		}
	}
}

// TestDivScale has cases that tinygrad measured on RDNA3 hardware (test_vop3, TestDivScale).
func TestDivScale(t *testing.T) {
	const one, four, max, tiny = 0x3f800000, 0x40800000, 0x7f7fffff, 0x00800000
	for _, x := range []struct {
		a, d, n uint64
		e       env
		v       uint64
		flag    bool
	}{
		{one, four, one, env{}, one, false},
		{one, 0, one, env{}, 0xffc00000, true},
		{0, one, 0, env{}, 0xffc00000, true},
		{one, one, max, env{}, 0x5f800000, true},
		{1, 1, one, env{flushIn: true}, 0xffc00000, true},
		{tiny, one, tiny, env{}, 0x20800000, true},
		{one, 0x7f000000, one, env{}, one, true},
	} {
		v, flag := single.divScale(x.a, x.d, x.n, x.e)
		if v != x.v || flag != x.flag {
			t.Errorf("divScale(%#x, %#x, %#x) is %#x, %v, want %#x, %v", x.a, x.d, x.n, v, flag, x.v, x.flag)
		}
	}
}
