package imgtest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// same reports whether two components are equal. All NaNs are equal.
func same(a, b uint32, integer bool) bool {
	nan := func(v uint32) bool { return !integer && v&0x7fffffff > 0x7f800000 }
	return a == b || nan(a) && nan(b)
}

// The model decodes and encodes texels like package format.
func TestFormats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX803, gcn.GFX900} {
		for data := range uint8(64) {
			for num := range uint8(14) {
				f, err := newTexels(target, data, num)
				other, otherErr := format.LookupImage(target.Gen(), data, num)
				if err != nil || f == nil {
					if otherErr == nil && f == nil && err == nil {
						t.Errorf("%v %d %d: only the model has no meaning for it", target, data, num)
					}
					continue
				}
				if otherErr == nil { // the model decodes every format of this width (rule IF1)
					agree(t, r, f, other, target)
				}
			}
		}
	}
}

func agree(t *testing.T, r *rand.Rand, f *texels, other *format.Format, target gcn.Target) {
	t.Helper()
	loads := other
	if isa.TraitsOf(target).UnsignedAlpha {
		loads = other.UnsignedAlpha
	}
	for range 300 {
		b := make([]byte, f.bytes)
		var words, dst [format.MaxComponents][]uint32
		for i := range words {
			words[i], dst[i] = make([]uint32, 1), make([]uint32, 1)
		}
		for i := range b {
			b[i] = byte(r.Uint32())
			words[i/4][0] |= uint32(b[i]) << (i % 4 * 8)
		}
		x, y := r.IntN(4), r.IntN(4)
		other.Extract(&words, []uint32{uint32(y%max(1, int(other.Height))*max(1, int(other.Width)) + x%max(1,
			int(other.Width)))})
		loads.Unpack(&dst, &words)
		got := f.decode(b, x, y, 0)
		for i := range other.Components {
			if !same(got[i], dst[i][0], f.integer()) {
				t.Errorf("%s %d %x: component %d is %x, package format says %x", f.name, f.num, b, i, got[i], dst[i][0])
				return
			}
		}
		if f.fields == nil || !f.storable() || other.NoStore {
			assert.Equal(t, f.again == nil && f.storable(), !other.NoStore && f.again == nil, "%s %d: stores", f.name, f.num)
			continue
		}
		var c [4]uint32
		for i := range c {
			c[i] = interesting(r)
			dst[i][0] = c[i]
		}
		other.Pack(&words, &dst)
		for i, v := range f.encode(c) {
			if want := byte(words[i/4][0] >> (i % 4 * 8)); v != want {
				t.Errorf("%s %d: %x is stored as %x, package format says %x in byte %d", f.name, f.num, c, f.encode(c), want, i)
				return
			}
		}
	}
}

// interesting returns a random component: random bits, or a number near a format's limits.
func interesting(r *rand.Rand) uint32 {
	switch r.IntN(6) {
	case 0:
		return r.Uint32()
	case 1:
		return uint32(int32(r.IntN(1<<10) - 1<<9))
	case 2:
		return []uint32{0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 0, 0x3f800000, 0xbf800000, 0x477fe000, 0x477ff000,
			0x33000000}[r.IntN(10)]
	}
	return math.Float32bits(float32(r.Float64()*2.5 - 1.25))
}

// 16-bit floats keep their value. Rounding is to nearest even or toward zero.
func TestHalf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	singles, err := format.Lookup(gcn.Data32, gcn.NumFLOAT)
	require.NoError(t, err)
	for range 100000 {
		v := interesting(r)
		assert.True(t, same(half.ToSingle(half.Round(v)), widen16(half16(v, false)), false), "%x", v)
		bits := []uint32{v}
		executor.Narrow(singles, bits) // toward zero
		assert.True(t, same(half.ToSingle(bits[0]), widen16(half16(v, true)), false), "%x", v)
	}
	for v := range uint32(1 << 16) {
		if v&0x7fff <= 0x7c00 {
			assert.Equal(t, v, half16(widen16(v), false))
		}
	}
}
