package format_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

func mustLookupImage(t testing.TB, g gcn.Gen, data, num uint8) *format.Format {
	f, err := format.LookupImage(g, data, num)
	require.NoError(t, err)
	return f
}

// TestLookupImage checks each combination of codes on each generation: sizes agree with those of the T#, valid
// formats can be read, and stores are refused according to rules TD3 and TD4.
func TestLookupImage(t *testing.T) {
	for g := range gcn.Gen(gcn.NumGens) {
		for d := range uint8(64) {
			for n := range uint8(16) {
				facts := isa.ImageFormatOf(g, d, n)
				f, err := format.LookupImage(g, d, n)
				if err != nil {
					var e *format.Error
					require.ErrorAs(t, err, &e)
					mismatch := !e.Null && takesSome(func(n uint8) (*format.Format, error) { return format.LookupImage(g, d, n) })
					assert.Equal(t, format.Error{Data: d, Num: n, Null: facts.Name == "", Mismatch: mismatch, Name: facts.Name}, *e)
					continue
				}
				if facts.Bytes != 0 {
					assert.Equal(t, facts, isa.ImageFormat{Name: facts.Name, Bytes: uint8(f.Size), Width: f.Width,
						Height: f.Height}, "%v %v", g, f)
				}
				assert.Equal(t, facts.Name+" "+gcn.NumFormatName(f.Num), f.String())
				noStore := d >= 20 && d <= 41 || d >= 57 || n == gcn.NumUSCALED || n == gcn.NumSSCALED ||
					n == gcn.NumSNORM_OGL || n >= gcn.NumSRGB
				if facts.Name[0] == 'F' {
					noStore = false
				}
				assert.Equal(t, noStore, f.NoStore, "%v %v", g, f)
			}
		}
	}
}

// TestChangedCodes: some codes select other formats on GCN 1.4 (rules TD3 and MC2).
func TestChangedCodes(t *testing.T) {
	assert.Equal(t, "FMASK8_S4_F4 UINT", mustLookupImage(t, gcn.GCN10, 49, gcn.NumUINT).String())
	assert.Same(t, mustLookupImage(t, gcn.GCN10, 49, gcn.NumUINT), mustLookupImage(t, gcn.GCN14, 45, 5))
	assert.Same(t, mustLookupImage(t, gcn.GCN12, 56, gcn.NumUINT), mustLookupImage(t, gcn.GCN141, 45, 12))
	assert.Same(t, mustLookup(t, 10, gcn.NumSRGB), mustLookupImage(t, gcn.GCN14, 10, gcn.NumSRGB))
	for _, c := range []struct {
		g         gcn.Gen
		data, num uint8
		text      string
	}{
		{gcn.GCN14, 24, 0, "ETC2_RGB with UNORM has no meaning that a document states"},
		{gcn.GCN14, 59, 0, "S8_16 with UNORM has no meaning that a document states"},
		{gcn.GCN14, 45, 13, "FMASK with UBSCALED has no meaning that a document states"},
		{gcn.GCN12, 61, 4, "32_AS_8 with UINT has no meaning that a document states"},
		{gcn.GCN12, 45, 0, "FMASK8_S4_F1 with UNORM has no meaning that a document states"},
		{gcn.GCN12, 24, 0, "data format 24 is invalid or reserved"},
		{gcn.GCN12, 0, 0, "data format 0 is invalid or reserved"},
		{gcn.GCN12, 255, 0, "data format 255 is invalid or reserved"},
		{gcn.Gen(200), 10, 0, "data format 10 is invalid or reserved"},
	} {
		_, err := format.LookupImage(c.g, c.data, c.num)
		assert.EqualError(t, err, c.text)
	}
	assert.True(t, mustLookupImage(t, gcn.GCN12, 35, gcn.NumSRGB).NoStore)
}

// TestFMASK: the memory of pixels whose samples all have their own fragment or none (rule MC2) reads as the sample
// numbers, 8 for none, and can be stored again.
func TestFMASK(t *testing.T) {
	for _, c := range []struct {
		data      uint8
		word      [4]uint32
		registers [2]uint32
	}{
		{44, [4]uint32{0x02}, [2]uint32{0x80}},
		{47, [4]uint32{0x02}, [2]uint32{0x10}},
		{45, [4]uint32{0x0e}, [2]uint32{0x8880}},
		{48, [4]uint32{0xa4}, [2]uint32{0x8810}},
		{49, [4]uint32{0xe4}, [2]uint32{0x3210}},
		{46, [4]uint32{0xfe}, [2]uint32{0x88888880}},
		{51, [4]uint32{0xaaa4}, [2]uint32{0x88888810}},
		{53, [4]uint32{0x44443210}, [2]uint32{0x88883210}},
		{54, [4]uint32{0x76543210}, [2]uint32{0x76543210}},
		{55, [4]uint32{0x44443210, 0x44444444}, [2]uint32{0x88883210, 0x88888888}},
		{56, [4]uint32{0x76543210, 0x88888888}, [2]uint32{0x76543210, 0x88888888}},
	} {
		f := mustLookupImage(t, gcn.GCN11, c.data, gcn.NumUINT)
		v := unpack(f, c.word)
		assert.Equal(t, c.registers, [2]uint32(v[:2]), f)
		assert.Equal(t, c.word, pack(f, v), f)
		assert.NotEmpty(t, f.Doubt)
	}
	assert.Equal(t, uint32(0x88888810), unpack(mustLookupImage(t, gcn.GCN11, 52, gcn.NumUINT),
		[4]uint32{0xaaaaaaa4})[0], "samples 0 to 7 of 16")
}

// TestTexels checks elements of two texels and of eight (rules IF7 and IF8).
func TestTexels(t *testing.T) {
	word := [4]uint32{0x40302010}
	assert.Equal(t, [4]uint32{0x10, 0x20, 0x30, 0x10}, texel(mustLookup(t, 32, gcn.NumUINT), word, 0))
	assert.Equal(t, [4]uint32{0x10, 0x40, 0x30, 0x10}, texel(mustLookup(t, 32, gcn.NumUINT), word, 1))
	assert.Equal(t, [4]uint32{0x20, 0x10, 0x40, 0x20}, texel(mustLookup(t, 33, gcn.NumUINT), word, 0))
	assert.Equal(t, [4]uint32{0x20, 0x30, 0x40, 0x20}, texel(mustLookup(t, 33, gcn.NumUINT), word, 1))
	for x := range uint32(8) {
		bits := [4]uint32{0b00100101}
		up, down := uint32(0), uint32(0)
		if bits[0]>>x&1 != 0 {
			up = f32(1)
		}
		if bits[0]>>(7-x)&1 != 0 {
			down = f32(1)
		}
		assert.Equal(t, up, texel(mustLookup(t, 59, gcn.NumUNORM), bits, x)[0], x)
		assert.Equal(t, down, texel(mustLookup(t, 60, gcn.NumUNORM), bits, x)[0], x)
	}
	assert.Equal(t, word, func() [4]uint32 {
		src := [4][]uint32{word[:1], word[1:2], word[2:3], word[3:]}
		mustLookup(t, 10, gcn.NumUNORM).Extract(&src, nil)
		return word
	}(), "one texel an element")
}

// TestDepth checks depth formats (rules IF2 and IF10) and number formats that only CLRX lists.
func TestDepth(t *testing.T) {
	word := [4]uint32{0x3f800000, 0xffffff80}
	assert.Equal(t, [4]uint32{f32(1), f32(float32(128. / 255))}, unpack(mustLookup(t, 22, gcn.NumFLOAT), word))
	assert.Equal(t, [4]uint32{0x3f800000, 128}, unpack(mustLookup(t, 22, gcn.NumUINT), word))
	v := unpack(mustLookup(t, 20, gcn.NumUNORM), [4]uint32{0x7b7f0401}) // compared with Mesa lavapipe's D24_UNORM_S8_UINT
	assert.LessOrEqual(t, ulp(v[0], f32(float32(float64(0x7f0401)/0xffffff))), uint32(1))
	assert.Equal(t, [4]uint32{0x7b, 0x7f0401}, unpack(mustLookup(t, 21, gcn.NumUINT), [4]uint32{0x7f04017b}))
	for num, want := range map[uint8][3]float32{gcn.NumUBNORM: {-1, -1, 1}, gcn.NumUBINT: {-1, -1, 1},
		gcn.NumUBNORM_OGL: {-1, -253. / 255, 1}, gcn.NumUBSCALED: {-128, -127, 127}} {
		for i, code := range []uint32{0, 1, 255} {
			assert.Equal(t, f32(want[i]), unpack(mustLookup(t, 1, num), [4]uint32{code})[0], "%v of %d",
				mustLookup(t, 1, num), code)
		}
	}
}

// compareSRGB compares the rational v with the linear value of sRGB code c/den, exactly. The curve is linear or a
// power of 12/5.
func compareSRGB(v *big.Rat, c, den int64) int {
	s := big.NewRat(c, den)
	if s.Cmp(big.NewRat(4045, 100000)) <= 0 {
		return v.Cmp(s.Mul(s, big.NewRat(100, 1292)))
	}
	if v.Sign() <= 0 {
		return -1
	}
	s.Add(s, big.NewRat(55, 1000)).Mul(s, big.NewRat(1000, 1055))
	return power(v, 5).Cmp(power(s, 12))
}

func power(r *big.Rat, n int) *big.Rat {
	p := big.NewRat(1, 1)
	for range n {
		p.Mul(p, r)
	}
	return p
}

// TestSRGB: every code is loaded as the nearest single, and singles around the middle between two codes are stored as
// the nearest code.
func TestSRGB(t *testing.T) {
	f := mustLookup(t, 1, gcn.NumSRGB)
	rat := func(bits uint32) *big.Rat { return new(big.Rat).SetFloat64(f64(bits)) }
	half := func(a, b uint32) *big.Rat {
		m := new(big.Rat).Add(rat(a), rat(b))
		return m.Mul(m, big.NewRat(1, 2))
	}
	for code := int64(1); code < 256; code++ {
		v := unpack(f, [4]uint32{uint32(code)})[0]
		require.Negative(t, compareSRGB(half(v-1, v), code, 255), code)
		require.Positive(t, compareSRGB(half(v, v+1), code, 255), code)
		require.Equal(t, uint32(code), pack(f, [4]uint32{v})[0])
	}
	for code := range int64(255) {
		lo := unpack(f, [4]uint32{uint32(code)})[0]
		hi := unpack(f, [4]uint32{uint32(code + 1)})[0]
		for hi-lo > 1 { // find the singles on both sides of the middle
			if mid := lo + (hi-lo)/2; compareSRGB(rat(mid), 2*code+1, 510) < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		require.Equal(t, uint32(code), pack(f, [4]uint32{lo})[0])
		require.Equal(t, uint32(code+1), pack(f, [4]uint32{hi})[0])
	}
	for v, want := range map[uint32]uint32{0: 0, f32(-1): 0, 0x7fc00000: 0, 0xffc00000: 0, f32(1): 255,
		f32(float32(math.Inf(1))): 255, f32(3): 255} {
		require.Equal(t, want, pack(f, [4]uint32{v})[0], "%x", v)
	}
	rgba := mustLookup(t, 10, gcn.NumSRGB)
	require.Equal(t, uint32(0x80bcbcbc), pack(rgba, [4]uint32{f32(0.5), f32(0.5), f32(0.5), f32(0.5)})[0],
		"alpha is linear")
}

// FuzzExtract: arbitrary bits are a texel of each format, and components of compressed formats have the range of a
// half.
func FuzzExtract(f *testing.F) {
	for data := range uint8(64) {
		f.Add(data, uint8(0), uint64(data)<<58|0x123456789abcdef, uint64(0xfedcba9876543210), uint32(data))
	}
	f.Fuzz(func(t *testing.T, d, n uint8, lo, hi uint64, at uint32) {
		for g := range gcn.Gen(gcn.NumGens) {
			fm, err := format.LookupImage(g, d, n)
			if err != nil {
				continue
			}
			v := texel(fm, [4]uint32{uint32(lo), uint32(lo >> 32), uint32(hi), uint32(hi >> 32)}, at)
			if d >= 35 && d <= 41 {
				for c := range fm.Components {
					require.LessOrEqual(t, math.Abs(f64(v[c])), 65504.0, "%v %x %x", fm, lo, hi)
				}
			}
		}
	})
}

var blockFormats = []struct{ data, num uint8 }{{35, 0}, {37, 0}, {39, 0}, {40, 0}, {41, 0}, {32, 0}, {59, 0}}

func TestExtractAllocatesNothing(t *testing.T) {
	w := newWave()
	for _, n := range blockFormats {
		f := mustLookup(t, n.data, n.num)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			if f, err := format.LookupImage(gcn.GCN12, n.data, n.num); err == nil {
				_, words := w.slices()
				f.Extract(&words, w.regs[0][:])
			}
		}), f.String())
	}
}

func TestWhatFormatsAre(t *testing.T) {
	for _, c := range []struct {
		data, num       uint8
		plain, pack, in bool // equal to the dwords, supported by Pack, data format supported by stores
	}{
		{14, 7, true, true, true}, {11, 4, true, true, true}, {10, 0, false, true, true},
		{10, gcn.NumSRGB, false, true, true}, {1, 2, false, false, true}, {22, 7, false, false, false},
		{22, 4, false, false, false}, {35, 0, false, false, false}, {34, 7, false, false, false},
		{59, 0, false, false, false},
	} {
		f := mustLookup(t, c.data, c.num)
		require.Equal(t, []bool{c.plain, c.pack, c.in}, []bool{f.Plain, f.Packs, (format.Unstorable>>c.data&1 == 0)}, f)
	}
}
