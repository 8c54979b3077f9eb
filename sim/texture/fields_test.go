package texture_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// TestFieldsAreHeldOrRefused sets each field of an image to values that fit and to values that do not: the T# has the
// value, or New returns an error.
func TestFieldsAreHeldOrRefused(t *testing.T) {
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX803, gcn.GFX900} {
		plain := gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 16, Height: 16}
		refused, held := 0, 0
		for f := range reflect.TypeFor[gcn.Image]().Fields() {
			for _, n := range []int{1, 3, 16, 200, -5} {
				img := plain
				v := reflect.ValueOf(&img).Elem().FieldByIndex(f.Index)
				switch v.Kind() {
				case reflect.Bool:
					v.SetBool(true)
				case reflect.Uint8, reflect.Uint64:
					v.SetUint(uint64(n) & 0xff)
				case reflect.Int:
					v.SetInt(int64(n))
				case reflect.Float32:
					v.SetFloat(float64(n))
				case reflect.Array:
					v.Index(0).SetUint(uint64(n) & 0xff)
				default:
					t.Fatalf("%s is of kind %v", f.Name, v.Kind())
				}
				tex, err := texture.New(sim.New(target), img)
				if err != nil {
					refused++
					continue
				}
				held++
				got := gcn.TSharp(tex.Words()).Fields(target.Gen())
				if has := reflect.ValueOf(got).FieldByIndex(f.Index); v.Kind() == reflect.Float32 { // a float is rounded
					require.InDelta(t, v.Float(), has.Float(), 1.0/256, "%s on %v", f.Name, target)
				} else {
					require.Equal(t, v.Interface(), has.Interface(), "%s on %v", f.Name, target)
				}
			}
		}
		require.Greater(t, refused, 30)
		require.Greater(t, held, 20)
	}
}

// TestFieldsOfAnotherGeneration: fields that a generation lacks are refused by name, as are an inconsistent base or
// pitch.
func TestFieldsOfAnotherGeneration(t *testing.T) {
	for _, c := range []struct {
		target gcn.Target
		img    gcn.Image
		says   string
	}{
		{gcn.GFX600, gcn.Image{MaxMip: 2}, "MaxMip is 2, but a T# of gcn1.0 has no such field; leave it unset"},
		{gcn.GFX803, gcn.Image{NV: true}, "NV is true, but a T# of gcn1.2 has no such field; leave it unset"},
		{gcn.GFX900, gcn.Image{Pow2Pad: true}, "Pow2Pad is true, but a T# of gcn1.4 has no such field; leave it unset"},
		{gcn.GFX900, gcn.Image{Type: gcn.Image2DArray, Depth: 4, LastArray: 3}, "LastArray is 3, but a T# of gcn1.4 has no such field; leave it unset"},
		{gcn.GFX803, gcn.Image{PerfMod: 9}, "PerfMod is 9, which a T# of gcn1.2 does not hold; give 0 to 7"},
		{gcn.GFX803, gcn.Image{Width: 1<<14 + 1}, "Width is 16385, which a T# of gcn1.2 does not hold; give 1 to 16384"},
		{gcn.GFX803, gcn.Image{Type: gcn.ImageCube, Depth: 1 << 13}, "LastArray is 49151, which a T# of gcn1.2 does not hold; give 0 to 8191"},
		{gcn.GFX803, gcn.Image{DstSel: [4]gcn.Sel{9}}, "DstSel is [9 0 0 0], which a T# of gcn1.2 does not hold; give each 0 to 7"},
		{gcn.GFX803, gcn.Image{Base: 0x100, TileMode: 8}, "Base is 0x100, but New chooses where it lies"},
		{gcn.GFX803, gcn.Image{Pitch: 1, TileMode: 8}, "Pitch is 1, "},
		{gcn.GFX803, gcn.Image{Pitch: 8, TileMode: 8}, "a pitch of 8 elements"},
	} {
		if c.img.DataFormat, c.img.Height = gcn.Data8_8_8_8, 16; c.img.Width == 0 {
			c.img.Width = 16
		}
		_, err := texture.New(sim.New(c.target), c.img)
		require.ErrorContains(t, err, c.says, c.says)
	}
	_, err := texture.New(sim.New(gcn.GFX803), gcn.Image{Width: 16, Height: 16})
	require.EqualError(t, err, "texture: DataFormat is 0, which is invalid or reserved on gcn1.2; give a format, as "+
		"in gcn.Data8_8_8_8")
	tex, err := texture.New(sim.New(gcn.GFX803),
		gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 16, Height: 16, TileMode: 8, Pitch: 128})
	require.NoError(t, err)
	require.Equal(t, 128, tex.Layout.Levels()[0].Pitch)
}

// TestViewsHaveAnOrder: a view whose end is before its start is refused.
func TestViewsHaveAnOrder(t *testing.T) {
	for says, img := range map[string]gcn.Image{
		"BaseLevel is 3, after LastLevel": {BaseLevel: 3},
		"BaseArray is 3, after LastArray": {Type: gcn.Image2DArray, Depth: 8, BaseArray: 3, LastArray: 1},
		"MaxMip is 1, before LastLevel":   {LastLevel: 3, MaxMip: 1},
		"MinLOD is NaN":                   {MinLOD: float32(math.NaN())},
		"MinLOD is 100":                   {MinLOD: 100},
		"MinLODWarn is -5":                {MinLODWarn: -5},
	} {
		img.DataFormat, img.Width, img.Height = gcn.Data8_8_8_8, 16, 16
		target := gcn.GFX803
		if img.MaxMip > 0 {
			target = gcn.GFX900
		}
		_, err := texture.New(sim.New(target), img)
		var refused *texture.Error
		require.ErrorAs(t, err, &refused, says)
		require.ErrorContains(t, err, says)
	}
}
