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

// TestFieldsAreHeldOrRefused sets each field of an image to values that fit and that do not: the
// words of the texture have the value, or there is an error.
func TestFieldsAreHeldOrRefused(t *testing.T) {
	filled := map[string]bool{ // what New says that it chooses, or that a generation does not have
		"Base": true, "Pitch": true, "LastArray": true, "MaxMip": true, "Pow2Pad": true,
	}
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX803, gcn.GFX900} {
		plain := gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 16, Height: 16}
		refused, held := 0, 0
		for f := range reflect.TypeFor[gcn.Image]().Fields() {
			if filled[f.Name] {
				continue
			}
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
				if has := reflect.ValueOf(got).FieldByIndex(f.Index); v.Kind() == reflect.Float32 { // rounded
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

// TestViewsHaveAnOrder: a view that ends before it begins is refused.
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
