package isa_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// TestFieldsThatASamplerDoesNotHold: fields that the S# of a generation lacks are refused by name.
func TestFieldsThatASamplerDoesNotHold(t *testing.T) {
	for _, c := range []struct {
		gen  isa.Gen
		s    isa.SamplerState
		says string
	}{
		{isa.GCN10, isa.SamplerState{Compat: true}, "Compat is true, but an S# of gcn1.0 has no such field; leave it unset"},
		{isa.GCN11, isa.SamplerState{AnisoOverride: true}, "AnisoOverride is true, but an S# of gcn1.1 has no such field; leave it unset"},
		{isa.GCN12, isa.SamplerState{SkipDegamma: true}, "SkipDegamma is true, but an S# of gcn1.2 has no such field; leave it unset"},
		{isa.GCN14, isa.SamplerState{NoLSBCeil: true}, "NoLSBCeil is true, but an S# of gcn1.4 has no such field; leave it unset"},
		{isa.GCN12, isa.SamplerState{MaxAniso: 8}, "MaxAniso is 8, which an S# of gcn1.2 does not hold; give 0 to 7"},
		{isa.GCN12, isa.SamplerState{BorderColorPtr: -1}, "BorderColorPtr is -1, which an S# of gcn1.2 does not hold; give 0 to 4095"},
		{isa.GCN12, isa.SamplerState{LODBias: -33}, "LODBias is -33, which an S# of gcn1.2 does not hold; give -32 to 32"},
		{isa.GCN12, isa.SamplerState{MinLOD: float32(math.NaN())}, "MinLOD is NaN, which an S# of gcn1.2 does not hold; give 0 to 16"},
		{isa.GCN12, isa.SamplerState{Clamp: [3]isa.Clamp{1, 9}}, "Clamp is [1 9 0], which an S# of gcn1.2 does not hold; give each 0 to 7"},
	} {
		err := isa.Check(c.gen, c.s)
		var e *isa.Error
		require.ErrorAs(t, err, &e, c.says)
		require.Equal(t, isa.NoField, e.Kind)
		require.EqualError(t, err, c.says)
	}
	require.EqualError(t, isa.Check(isa.GCN12, isa.Buffer{Stride: 1 << 14}),
		"Stride is 16384, which a V# does not hold; give 0 to 16383")
	require.EqualError(t, isa.Check(isa.GCN12, isa.Buffer{ElemSize: 3}),
		"ElemSize is 3, which a V# does not hold; give 2, 4, 8 or 16")
	require.EqualError(t, isa.Check(isa.GCN12, isa.Image{Base: 1 << 48}),
		"Base is 0x1000000000000, which a T# of gcn1.2 does not hold; give 0x0 to 0xffffffffff00 in steps of 256")
}

// TestDescriptorsHoldTheirFields: the words of every value of every field are accepted, and decode to that value.
func TestDescriptorsHoldTheirFields(t *testing.T) {
	for g := range isa.Gen(isa.NumGens) {
		for n := range uint32(64) {
			for _, bits := range []uint32{0, 1 << (n % 32), math.MaxUint32 >> (n % 32), 0x9e3779b9 * n} {
				words := []uint32{bits, bits, bits, bits, bits, bits, bits, bits}
				require.NoError(t, isa.Check(g, isa.VSharp(words[:4]).Fields()))
				require.NoError(t, isa.Check(g, isa.TSharp(words).Fields(g)))
				require.NoError(t, isa.Check(g, isa.SSharp(words[:4]).Fields(g)))
			}
		}
		accepted := 0
		for f := range reflect.TypeFor[isa.SamplerState]().Fields() {
			for n := range 256 {
				var s isa.SamplerState
				v := reflect.ValueOf(&s).Elem().FieldByIndex(f.Index)
				switch v.Kind() {
				case reflect.Bool:
					v.SetBool(true)
				case reflect.Int:
					v.SetInt(int64(n) << 5)
				case reflect.Uint8:
					v.SetUint(uint64(n))
				case reflect.Array:
					v.Index(n % 3).SetUint(uint64(n / 3))
				case reflect.Float32:
					continue
				}
				if isa.Check(g, s) == nil {
					accepted++
					require.Equal(t, s, isa.SSharp(s.Words(g)).Fields(g), fmt.Sprint(g, f.Name))
				}
			}
		}
		require.Greater(t, accepted, 2000)
	}
}

// TestWordsRefuseWhatTheyDoNotHold: Words returns words with all fields, or panics.
func TestWordsRefuseWhatTheyDoNotHold(t *testing.T) {
	for says, words := range map[string]func() []uint32{
		"gcn: Base is 0x4000000000000, which a V# does not hold; give 0x0 to 0xffffffffffff": isa.Buffer{Base: 1 << 50,
			NumRecords: 48}.Words,
		"gcn: Stride is 1048576, which a V# does not hold; give 0 to 16383": isa.Buffer{Stride: 1 << 20,
			NumRecords: 48}.Words,
		"gcn: ElemSize is 5, which a V# does not hold; give 2, 4, 8 or 16": isa.Buffer{ElemSize: 5}.Words,
		"gcn: IndexStride is 128, which a V# does not hold; give 8, 16, " +
			"32 or 64": isa.Buffer{IndexStride: 128}.Words,
		"gcn: DstSel is [4 5 8 7], which a V# does not hold; give each " +
			"0 to 7": isa.Buffer{DstSel: [4]isa.Sel{4, 5, 8, 7}}.Words,
		"gcn: Width is 16385, which a T# of gcn1.2 does not hold; give 1 to 16384": func() []uint32 {
			return isa.Image{Width: 16385}.Words(isa.GCN12)
		},
		"gcn: LastArray is 1, but a T# of gcn1.4 has no such field; leave it unset": func() []uint32 {
			return isa.Image{LastArray: 1}.Words(isa.GCN14)
		},
		"gcn: MaxLOD is NaN, which an S# of gcn1.2 does not hold; give 0 to 16": func() []uint32 {
			return isa.SamplerState{MaxLOD: float32(math.NaN())}.Words(isa.GCN12)
		},
		"gcn: NumFormat is 16, which a T# does not hold; give 0 to 15": func() []uint32 {
			v := isa.WithNumFormat(isa.TSharp{}, 16)
			return v[:]
		},
		"gcn: a work-group of gfx803 has 0 to 65536 bytes of LDS, not 65537": func() []uint32 {
			r := isa.WithLDS(isa.RSRC{}, isa.GFX803, 65537)
			return r[:]
		},
	} {
		assert.PanicsWithValue(t, says, func() { words() })
	}
}

// FuzzDescriptorFields sets the fields of a descriptor to arbitrary numbers. Either Check returns an error and Words
// panics, or the words decode to the same fields.
func FuzzDescriptorFields(f *testing.F) {
	f.Add(uint8(isa.GCN12), []byte{1, 0, 0, 0, 0, 0, 4})
	f.Add(uint8(isa.GCN14), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0, 0, 0, 1, 2, 3, 5, 7})
	f.Fuzz(func(t *testing.T, gen uint8, data []byte) {
		g := isa.Gen(gen % isa.NumGens)
		heldOrRefused(t, g, filled[isa.Buffer](data), isa.Buffer.Words,
			func(w []uint32) isa.Buffer { return isa.VSharp(w).Fields() })
		heldOrRefused(t, g, filled[isa.Image](data), func(i isa.Image) []uint32 { return i.Words(g) },
			func(w []uint32) isa.Image { return isa.TSharp(w).Fields(g) })
		heldOrRefused(t, g, filled[isa.SamplerState](data), func(s isa.SamplerState) []uint32 { return s.Words(g) },
			func(w []uint32) isa.SamplerState { return isa.SSharp(w).Fields(g) })
	})
}

// heldOrRefused compares fields with the fields decoded from their words.
func heldOrRefused[T isa.Buffer | isa.Image | isa.SamplerState](t *testing.T, g isa.Gen, fields T,
	words func(T) []uint32, held func([]uint32) T) {
	t.Helper()
	if err := isa.Check(g, fields); err != nil {
		require.PanicsWithValue(t, "gcn: "+err.Error(), func() { words(fields) })
		return
	}
	given, has := reflect.ValueOf(fields), reflect.ValueOf(held(words(fields)))
	for i := range given.NumField() {
		name := given.Type().Field(i).Name
		switch x := given.Field(i); {
		case x.IsZero(): // 0 means the default
		case x.Kind() == reflect.Float32:
			require.InDelta(t, x.Float(), has.Field(i).Float(), 1.0/16, name)
		default:
			require.Equal(t, x.Interface(), has.Field(i).Interface(), name)
		}
	}
}

// filled returns a descriptor with fields from data. The values are mostly small: every other byte is the number of
// bits that a field takes from the next bytes.
func filled[T any](data []byte) (fields T) {
	next := func(bits int) (n uint64) {
		for i := 0; i < bits && len(data) > 0; i += 8 {
			n, data = n<<8|uint64(data[0]), data[1:]
		}
		return n
	}
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(next(8)&1 != 0)
		case reflect.Float32:
			v.SetFloat(float64(math.Float32frombits(uint32(next(32)))))
		case reflect.Int:
			v.SetInt(int64(int32(next(int(next(8))))))
		case reflect.Array:
			for i := range v.Len() {
				fill(v.Index(i))
			}
		default:
			v.SetUint(next(int(next(8))) & (math.MaxUint64 >> (64 - v.Type().Bits())))
		}
	}
	for _, field := range reflect.ValueOf(&fields).Elem().Fields() {
		fill(field)
	}
	return fields
}
