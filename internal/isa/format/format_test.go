package format_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

func f32(f float32) uint32 { return math.Float32bits(f) }
func f64(v uint32) float64 { return float64(math.Float32frombits(v)) }

// unpack converts one element.
func unpack(f *format.Format, words [4]uint32) (v [4]uint32) {
	var dst, src [4][]uint32
	for i := range 4 {
		dst[i], src[i] = v[i:i+1], words[i:i+1]
	}
	f.Unpack(&dst, &src)
	return v
}

// pack converts one element.
func pack(f *format.Format, v [4]uint32) (words [4]uint32) {
	var dst, src [4][]uint32
	for i := range 4 {
		dst[i], src[i] = words[i:i+1], v[i:i+1]
	}
	f.Pack(&dst, &src)
	return words
}

// all calls check for every format that exists.
func all(check func(f *format.Format)) {
	for d := range uint8(64) {
		for n := range uint8(16) {
			if f, err := format.Lookup(d, n); err == nil {
				check(f)
			}
		}
	}
}

// takesSome reports whether a data format supports any number format.
func takesSome(lookup func(num uint8) (*format.Format, error)) bool {
	for n := range uint8(16) {
		if f, _ := lookup(n); f != nil {
			return true
		}
	}
	return false
}

func TestLookup(t *testing.T) {
	seen := 0
	for d := range 256 {
		for n := range 256 {
			f, err := format.Lookup(uint8(d), uint8(n))
			if err != nil {
				var e *format.Error
				require.ErrorAs(t, err, &e)
				mismatch := !e.Null && takesSome(func(n uint8) (*format.Format, error) { return format.Lookup(uint8(d), n) })
				assert.Equal(t, format.Error{Data: uint8(d), Num: uint8(n), Null: e.Null, Mismatch: mismatch, Name: e.Name}, *e)
				assert.NotEmpty(t, e.Error())
				continue
			}
			seen++
			assert.Equal(t, [2]int{d, n}, [2]int{int(f.Data), int(f.Num)})
			assert.NotEmpty(t, gcn.DataFormatName(f.Data))
			assert.Equal(t, gcn.DataFormatName(f.Data)+" "+gcn.NumFormatName(f.Num), f.String())
		}
	}
	assert.Equal(t, 259, seen)
	for code, null := range map[uint8]bool{0: true, 15: true, 4: false, 23: true, 22: false} {
		_, err := format.Lookup(code, gcn.NumUNORM)
		var e *format.Error
		require.ErrorAs(t, err, &e, code)
		assert.Equal(t, null, e.Null, code)
	}
}

func TestSizes(t *testing.T) {
	want := map[uint8][2]int{ // bytes and number of components, by data format
		1: {1, 1}, 2: {2, 1}, 3: {2, 2}, 4: {4, 1}, 5: {4, 2}, 6: {4, 3}, 7: {4, 3}, 8: {4, 4}, 9: {4, 4}, 10: {4, 4},
		11: {8, 2}, 12: {8, 4}, 13: {12, 3}, 14: {16, 4}, 16: {2, 3}, 17: {2, 4}, 18: {2, 4}, 19: {2, 4}, 20: {4, 2},
		21: {4, 2}, 22: {8, 2}, 32: {4, 4}, 33: {4, 4}, 34: {4, 3}, 35: {8, 4}, 36: {16, 4}, 37: {16, 4}, 38: {8, 1},
		39: {16, 2}, 40: {16, 3}, 41: {16, 4}, 57: {1, 2}, 58: {2, 3}, 59: {1, 1}, 60: {1, 1},
	}
	all(func(f *format.Format) {
		assert.Equal(t, want[f.Data], [2]int{f.Size, f.Components}, f)
		assert.Equal(t, (f.Size+3)/4, f.Words)
	})
}

// codeOf returns the code for which nameOf returns name.
func codeOf(nameOf func(code uint8) string, name string) (code uint8, ok bool) {
	for code := range uint8(64) {
		if nameOf(code) == name {
			return code, true
		}
	}
	return 0, false
}

// quotient returns the exact value of code c of n bits in a normalised or scaled number format.
func quotient(num uint8, c int64, n int) *big.Rat {
	s := c
	if c >= 1<<(n-1) {
		s -= 1 << n
	}
	switch num {
	case gcn.NumUNORM:
		return big.NewRat(c, 1<<n-1)
	case gcn.NumSNORM:
		return big.NewRat(max(s, 1-1<<(n-1)), 1<<(n-1)-1)
	case gcn.NumUSCALED:
		return big.NewRat(c, 1)
	case gcn.NumSSCALED:
		return big.NewRat(s, 1)
	}
	return big.NewRat(2*s+1, 1<<n-1)
}

// widths are the component widths of the data formats, from the lowest bit.
var widths = map[uint8][]int{
	1: {8}, 2: {16}, 3: {8, 8}, 5: {16, 16}, 6: {11, 11, 10}, 7: {10, 11, 11}, 8: {2, 10, 10, 10}, 9: {10, 10, 10, 2},
	10: {8, 8, 8, 8}, 12: {16, 16, 16, 16}, 16: {5, 6, 5}, 17: {5, 5, 5, 1}, 18: {1, 5, 5, 5}, 19: {4, 4, 4, 4},
	20: {24, 8}, 21: {8, 24}, 57: {4, 4}, 58: {5, 5, 6},
}

// element returns dwords with component c set to code and noise in all other bits.
func element(f *format.Format, c int, code uint32, noise uint32) (words [4]uint32) {
	bit := 0
	for _, w := range widths[f.Data][:c] {
		bit += w
	}
	w := widths[f.Data][c]
	mask := uint32(1<<w - 1)
	for j := range words {
		words[j] = noise
	}
	words[bit/32] = words[bit/32]&^(mask<<(bit%32)) | code<<(bit%32)
	return words
}

// TestExactQuotients compares every code of every normalised and scaled component with the exact quotient, rounded
// once, and for D16 rounded again to a half.
func TestExactQuotients(t *testing.T) {
	all(func(f *format.Format) {
		if f.Kind != format.Float || f.Num >= gcn.NumFLOAT || widths[f.Data] == nil {
			return
		}
		for c, n := range widths[f.Data] {
			step := int64(1) // every code, except in repeated components and those of 24 bits
			if n >= 16 && f.Data != 2 {
				step = 1<<(n-10) | 1
			}
			for code := int64(0); code < 1<<n; code += step {
				if effort.LeavesOut(int(code / step)) {
					continue
				}
				exact := quotient(f.Num, code, n)
				want, _ := exact.Float32()
				got := unpack(f, element(f, c, uint32(code), 0xa5a5a5a5))[c]
				if got != f32(want) {
					t.Fatalf("%v: component %d code %#x gives %x, want %x", f, c, code, got, f32(want))
				}
				v := []uint32{got}
				executor.Narrow(f, v)
				if half := got>>16&0x8000 | nearest(math.Abs(float64(want)), 10); v[0] != half {
					t.Fatalf("%v: component %d code %#x gives half %x, want %x", f, c, code, v[0], half)
				}
			}
		}
	})
}

// roundEven rounds a rational number to an integer, ties to even.
func roundEven(r *big.Rat) int64 {
	two := big.NewInt(2)
	n := new(big.Int).Mul(r.Num(), two)
	n.Add(n, r.Denom())
	d := new(big.Int).Mul(r.Denom(), two)
	q, rem := new(big.Int).DivMod(n, d, new(big.Int))
	if rem.Sign() == 0 && q.Bit(0) == 1 {
		q.Sub(q, big.NewInt(1))
	}
	return q.Int64()
}

// decode returns the value of a float with 5 exponent bits, m mantissa bits and optionally a sign.
func decode(v uint32, m int, signed bool) float64 {
	sign := 1.0
	if signed && v>>(m+5)&1 != 0 {
		sign = -1
	}
	e, f := int(v>>m&31), float64(v&(1<<m-1))/float64(int(1)<<m)
	switch {
	case e == 31 && f != 0:
		return math.NaN()
	case e == 31:
		return sign * math.Inf(1)
	case e == 0:
		return sign * math.Ldexp(f, -14)
	}
	return sign * math.Ldexp(1+f, e-15)
}

func same(a, b float64) bool {
	return a != a && b != b || a == b && math.Signbit(a) == math.Signbit(b)
}

// TestEverySmallFloat decodes every half, 11-bit and 10-bit float, and encodes it again.
func TestEverySmallFloat(t *testing.T) {
	float16, packed := mustLookup(t, 2, gcn.NumFLOAT), mustLookup(t, 6, gcn.NumFLOAT)
	for v := range uint32(1 << 16) {
		got := unpack(float16, [4]uint32{v})[0]
		if !same(decode(v, 10, true), f64(got)) || pack(float16, [4]uint32{got})[0] != v || truncated(got) != v {
			t.Fatalf("half %x is %x, which is packed as %x, truncated %x", v, got, pack(float16, [4]uint32{got})[0],
				truncated(got))
		}
		w := []uint32{got}
		executor.Narrow(float16, w)
		narrow := w[0]
		executor.Widen(float16, w)
		if narrow != v || w[0] != got {
			t.Fatalf("half %x, %x as a float, is %x through D16 and %x again", v, got, narrow, w[0])
		}
	}
	for v := range uint32(1 << 11) {
		w := v | v<<11 | v>>1<<22
		got := unpack(packed, [4]uint32{w})
		for c, m := range []int{6, 6, 5} {
			require.True(t, same(decode(v>>(6-m), m, false), f64(got[c])), "%x", v)
		}
		if v>>6 == 31 && v&63 != 0 { // a NaN remains NaN
			again := unpack(packed, pack(packed, got))
			require.True(t, math.IsNaN(f64(again[0])) && math.IsNaN(f64(again[1])), "%x", v)
			continue
		}
		require.Equal(t, w, pack(packed, got)[0], "%x", v)
	}
}

// samples returns single-precision bits: random numbers of all magnitudes, and the neighbours of ties and limits.
func samples(r *rand.Rand) []uint32 {
	s := []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 1, 0x80000001}
	for range 3000 {
		s = append(s, r.Uint32(), f32(r.Float32()*2.4-1.2), f32(float32(math.Ldexp(r.Float64()*2-1, r.IntN(48)-28))))
	}
	for _, n := range []int{2, 5, 8, 10, 16} {
		for range 200 {
			tie := f32(float32((float64(r.IntN(1<<n)) + 0.5) / float64(int(1)<<n-1)))
			s = append(s, tie-1, tie, tie+1)
		}
	}
	for e := uint32(95); e < 150; e++ {
		for m := range uint32(24) {
			s = append(s, e<<23|1<<m, e<<23|1<<m-1, e<<23|3<<m&(1<<23-1))
		}
	}
	return s
}

// TestStoreRounding compares stored values with exact arithmetic.
func TestStoreRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	values := samples(r)
	all(func(f *format.Format) {
		if f.Num > gcn.NumSNORM || f.NoStore || widths[f.Data] == nil {
			return
		}
		for i, v := range values {
			if effort.LeavesOut(i) {
				continue
			}
			x := f64(v)
			lo := 0.0
			if f.Num == gcn.NumSNORM {
				lo = -1
			}
			words := pack(f, [4]uint32{v, v, v, v})
			bit := 0
			for c, n := range widths[f.Data] {
				top := int64(1)<<n - 1
				if f.Num == gcn.NumSNORM {
					top = 1<<(n-1) - 1
				}
				want := int64(0)
				if x == x {
					exact := new(big.Rat).SetFloat64(max(lo, min(1, x)))
					want = roundEven(exact.Mul(exact, big.NewRat(top, 1)))
				}
				got := words[bit/32] >> (bit % 32) & (1<<n - 1)
				if got != uint32(want)&(1<<n-1) {
					t.Fatalf("%v: component %d of %x is %#x, want %#x", f, c, v, got, want)
				}
				bit += n
			}
		}
	})
}

// TestSmallFloatRounding compares conversions of singles to smaller floats with the two neighbours.
func TestSmallFloatRounding(t *testing.T) {
	packed := mustLookup(t, 6, gcn.NumFLOAT)
	for _, v := range samples(rand.New(rand.NewPCG(6, 6))) {
		x := f64(v)
		if x != x || math.IsInf(x, 0) {
			continue
		}
		sign := v >> 16 & 0x8000
		require.Equal(t, sign|nearest(math.Abs(x), 10), half.Round(v), "%x", v)
		require.Equal(t, sign|below(math.Abs(x), 10), truncated(v), "%x", v)
		words := pack(packed, [4]uint32{v, v, v})
		for c, m := range []int{6, 6, 5} {
			want := uint32(0)
			if x > 0 {
				want = min(nearest(x, m), 31<<m-1)
			}
			require.Equal(t, want, words[0]>>(11*c)&(1<<(m+5)-1), "%x component %d", v, c)
		}
	}
	for v, want := range map[uint32]uint32{0x7f800000: 31 << 6, 0xff800000: 0, 0x7fc00000: 31<<6 | 1<<5,
		0xffc00000: 31<<6 | 1<<5} {
		require.Equal(t, want, pack(packed, [4]uint32{v})[0], "%x", v)
	}
	require.Equal(t, uint32(0xfc00), half.Round(0xff800000))
	require.Equal(t, uint32(0x7e00), half.Round(0x7f800001), "a NaN remains one")
	require.Equal(t, uint32(0xfe00), truncated(0xff800001))
}

// below returns the largest finite float of m mantissa bits that is at most x, where x >= 0.
func below(x float64, m int) uint32 {
	lo, hi := uint32(0), uint32(31)<<m
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; decode(mid, m, false) <= x {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// nearest rounds x >= 0 to nearest even; above is the value for overflow.
func nearest(x float64, m int) uint32 {
	lo := below(x, m)
	next := decode(lo+1, m, false)
	if math.IsInf(next, 1) {
		next = 65536
	}
	down, up := x-decode(lo, m, false), next-x
	if up < down || up == down && lo&1 == 1 {
		return lo + 1
	}
	return lo
}

// TestIntegers checks extension, clamping and the conversion of integers to D16.
func TestIntegers(t *testing.T) {
	bytes4, ints := mustLookup(t, 10, gcn.NumUINT), mustLookup(t, 10, gcn.NumSINT)
	assert.Equal(t, [4]uint32{0x80, 0x7f, 0xff, 0x01}, unpack(bytes4, [4]uint32{0x01ff7f80}))
	assert.Equal(t, [4]uint32{0xffffff80, 0x7f, 0xffffffff, 0x01}, unpack(ints, [4]uint32{0x01ff7f80}))
	assert.Equal(t, uint32(0x05ffff00), pack(bytes4, [4]uint32{0, 256, 0xffffffff, 5})[0])
	assert.Equal(t, uint32(0xff7f8080), pack(ints, [4]uint32{0x80000000, 0xffffff7f, 128, 0xffffffff})[0])
	words := unpack(mustLookup(t, 14, gcn.NumSINT), [4]uint32{1, 0x80000000, 3, 4})
	assert.Equal(t, [4]uint32{1, 0x80000000, 3, 4}, words)
	v := []uint32{0x12348001}
	executor.Narrow(ints, v)
	assert.Equal(t, []uint32{0x8001}, v)
	executor.Widen(ints, v)
	assert.Equal(t, []uint32{0xffff8001}, v)
	executor.Widen(bytes4, v)
	assert.Equal(t, []uint32{0x8001}, v)
}

// TestTruncation: singles in memory are truncated to halves; halves are not changed.
func TestTruncation(t *testing.T) {
	v := []uint32{f32(1 + 1.0/1024 - 1.0/65536), 0x7f7fffff}
	executor.Narrow(mustLookup(t, 4, gcn.NumFLOAT), v)
	assert.Equal(t, []uint32{0x3c00, 0x7bff}, v)
	v = []uint32{f32(1 + 1.0/1024 - 1.0/65536), 0x7f7fffff}
	executor.Narrow(mustLookup(t, 2, gcn.NumFLOAT), v)
	assert.Equal(t, []uint32{0x3c01, 0x7c00}, v)
}

// TestRoundTrip: storing a loaded element yields the same element, except for the second code of -1 and the payload
// of NaNs.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	all(func(f *format.Format) {
		for range 300 {
			var words [4]uint32
			for j := range f.Words {
				words[j] = r.Uint32()
			}
			if f.Size < 4 {
				words[0] &= 1<<(8*f.Size) - 1
			}
			checkRoundTrip(t, f, words)
		}
	})
}

func checkRoundTrip(t *testing.T, f *format.Format, words [4]uint32) {
	t.Helper()
	v := unpack(f, words)
	again := pack(f, v)
	if f.NoStore && (f.Num != gcn.NumSRGB || f.Data > 10) {
		require.Zero(t, again, f)
		return
	}
	w := unpack(f, again)
	for c := range f.Components {
		if nan := f.Kind == format.Float && math.IsNaN(f64(v[c])); nan {
			require.True(t, math.IsNaN(f64(w[c])), "%v: %x gives %x", f, words, v)
			continue
		}
		require.Equal(t, v[c], w[c], "%v: %x gives %x, then %x", f, words, v, again)
	}
}

// TestUnsignedAlpha: only the 2-bit alpha of 2_10_10_10 differs.
func TestUnsignedAlpha(t *testing.T) {
	word := [4]uint32{0xe0080200} // -512 in three components, alpha code 3
	for num, want := range map[uint8][2]uint32{gcn.NumSNORM: {f32(-1), f32(1)}, gcn.NumSSCALED: {f32(-1), f32(3)},
		gcn.NumSINT: {0xffffffff, 3}} {
		f := mustLookup(t, 9, num)
		v, u := unpack(f, word), unpack(f.UnsignedAlpha, word)
		assert.Equal(t, want, [2]uint32{v[3], u[3]}, f)
		assert.Equal(t, v[:3], u[:3], f)
	}
	all(func(f *format.Format) {
		if f.Data != 9 {
			assert.Same(t, f, f.UnsignedAlpha)
		}
	})
}

func TestSelect(t *testing.T) {
	two := mustLookup(t, 5, gcn.NumFLOAT)
	assert.Equal(t, format.Select{gcn.SelR, gcn.SelG}, two.Identity)
	s := format.Select{gcn.Sel1, gcn.SelG, gcn.SelB, 2}
	for i, want := range [][2]int{{format.Absent, 0x3f800000}, {1, 0}, {format.Absent, 0}, {format.Absent, 0}} {
		from, fill := s.Load(two, i)
		assert.Equal(t, want, [2]int{from, int(fill)}, i)
	}
	_, one := s.Load(mustLookup(t, 5, gcn.NumSINT), 0)
	assert.Equal(t, uint32(1), one)
	s = format.Select{gcn.SelB, gcn.SelR, gcn.SelR, gcn.SelG}
	for c, want := range []int{1, format.Absent, 0, format.Absent} {
		assert.Equal(t, want, s.Store(c, 3), fmt.Sprint("component ", c))
	}
	assert.Equal(t, 3, s.Store(1, 4))
}

// FuzzRoundTrip: unpacking a packed value yields the same value, and a half has 16 bits.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint8(10), uint8(0), uint32(1), uint32(2), uint32(3), uint32(4))
	f.Add(uint8(6), uint8(7), uint32(0x7fffffff), uint32(2), uint32(3), uint32(4))
	f.Fuzz(func(t *testing.T, d, n uint8, a, b, c, e uint32) {
		fm, err := format.Lookup(d, n)
		if err != nil {
			return
		}
		checkRoundTrip(t, fm, [4]uint32{a, b, c, e})
		pack(fm, [4]uint32{a, b, c, e})
		v := []uint32{a, b, c, e}
		executor.Narrow(fm, v)
		for _, x := range v {
			require.Less(t, x, uint32(1<<16))
		}
	})
}

// truncated rounds a single toward zero to a half, as D16 loads of singles do.
func truncated(v uint32) uint32 {
	f, _ := format.Lookup(gcn.Data32, gcn.NumFLOAT)
	bits := []uint32{v}
	executor.Narrow(f, bits)
	return bits[0]
}
