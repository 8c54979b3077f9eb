package alu

import (
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// quieting returns e with IEEE mode set.
func quieting(e env) env {
	e.ieee = true
	return e
}

// checkNarrow compares arithmetic in float64 with softfloat.
func checkNarrow(t testing.TB, f format, e env, a, b, c uint64, by int) {
	t.Helper()
	all := f.sign()<<1 - 1
	a, b, c = a&all, b&all, c&all
	for _, x := range []struct {
		name      string
		got, want uint64
	}{
		{"sum", f.sum(a, b, 0, e), f.add(a, b, e)},
		{"difference", f.difference(a, b, 0, e), f.sub(a, b, e)},
		{"product", f.product(a, b, 0, e), f.mul(a, b, e)},
		{"fused", f.fused(a, b, c, e), f.fma(a, b, c, e)},
		{"fusedScaled", f.fusedScaled(a, b, c, by, e), softScaled(f, a, b, c, by, e)},
		{"multiplyAdd", f.multiplyAdd(a, b, c, e), f.mad(a, b, c, e)},
		{"scaled", f.scaled(a, by, e), f.ldexp(a, by, e)},
		{"to half", to(half)(f, a, 0, 0, quieting(e)), half.pack(f.unpack(a, e.flushIn), e)},
		{"to single", to(single)(f, a, 0, 0, quieting(e)), single.pack(f.unpack(a, e.flushIn), e)},
	} {
		if x.got != x.want {
			t.Errorf("%v %v %s(%#x, %#x, %#x, %d) is %#x, want %#x", f, e, x.name, a, b, c, by, x.got, x.want)
		}
	}
	if f == half {
		if got, want := widenHalf(uint32(a)), single.pack(half.unpack(a, false), env{}); got != want {
			t.Errorf("widenHalf(%#x) is %#x, want %#x", a, got, want)
		}
		m := state.Mode(e.round)
		if !e.flushIn {
			m |= 1 << 4
		}
		if !e.flushOut {
			m |= 2 << 4
		}
		x, y := uint32(a|b<<16), uint32(b|c<<16)
		if got, want := dotHalves(x, y, uint32(c<<16|a), false, m), softDot(x, y, uint32(c<<16|a), e); got != want {
			t.Errorf("%v dot(%#x, %#x) is %#x, want %#x", e, x, y, got, want)
		}
	}
}

func softScaled(f format, a, b, c uint64, by int, e env) uint64 {
	n := f.fmaNumbers(f.unpack(a, e.flushIn), f.unpack(b, e.flushIn), f.unpack(c, e.flushIn), e.round)
	n.exp += by
	return f.pack(n, e)
}

// softDot computes a dot product by softfloat. It flushes denormals of both formats whatever MODE selects, and its
// NaN is the negative one (rule FP2).
func softDot(a, b, c uint32, e env) uint32 {
	e.flushIn, e.flushOut = true, true
	sum := uint64(c)
	for shift := 0; shift < 32; shift += 16 {
		p := single.mulNumbers(half.unpack(uint64(a>>shift&0xffff), true), half.unpack(uint64(b>>shift&0xffff), true))
		sum = single.pack(single.addNumbers(p, single.unpack(sum, true), e.round), e)
	}
	if single.isNaN(sum) {
		return 0xffc00000
	}
	return uint32(sum)
}

// scales are the exponents of V_DIV_FMAS and V_LDEXP, and larger ones.
var scales = []int{0, 1, -1, 64, -64, 128, -128, 24, -24, 149, -149, 300, -300, 1 << 20, -1 << 20}

func TestNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for _, f := range []format{half, single, double} {
		for _, e := range environments() {
			for range memtest.States(3000) {
				by := scales[r.IntN(7)]
				checkNarrow(t, f, e, interesting(r, f), interesting(r, f), interesting(r, f), by)
			}
		}
	}
	for _, e := range environments() {
		for range memtest.States(3000) {
			f := []format{half, single}[r.IntN(2)]
			a, by := interesting(r, f), scales[r.IntN(len(scales))]
			if got, want := f.scaled(a, by, e), f.ldexp(a, by, e); got != want {
				t.Fatalf("%v %v ldexp(%#x, %d) is %#x, want %#x", f, e, a, by, got, want)
			}
		}
	}
}

// TestNarrowHalves compares functions of one float16 for all operands.
func TestNarrowHalves(t *testing.T) {
	for _, e := range environments() {
		for a := range uint64(1 << 16) {
			if got, want := fromHalf(half, a, 0, 0, quieting(e)), single.pack(half.unpack(a, e.flushIn), e); got != want {
				t.Fatalf("%v: half %#x is %#x, want %#x", e, a, got, want)
			}
			if got, want := toHalf(single, a<<16, 0, 0, e), half.pack(single.unpack(a<<16, e.flushIn), e); got != want {
				t.Fatalf("%v: single %#x is %#x, want %#x", e, a<<16, got, want)
			}
		}
	}
}

// FuzzNarrow checks that arithmetic in float64 equals softfloat, the reference.
func FuzzNarrow(f *testing.F) {
	f.Add(uint8(0), uint64(0x3c01), uint64(0x3c01), uint64(0x0001), int8(1))
	f.Add(uint8(17), uint64(0x3f800001), uint64(0x3f800001), uint64(0x00000001), int8(-64))
	f.Add(uint8(34), uint64(0x3ff0000000000001), uint64(0x7ff0000000000000), uint64(1), int8(64))
	envs := environments()
	f.Fuzz(func(t *testing.T, mode uint8, a, b, c uint64, by int8) {
		checkNarrow(t, []format{half, single, double}[int(mode)/len(envs)%3], envs[int(mode)%len(envs)], a, b, c, int(by))
	})
}
