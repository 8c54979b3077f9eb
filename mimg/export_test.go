package mimg

import (
	"reflect"

	"github.com/gcnsim/gcnsim/state"
)

// Poison fills the storage that look-ups reuse, and the temporaries of w, with values made of b: no result may depend
// on them.
func Poison(w *state.Wave, b uint8) {
	x := samplings.Get().(*sampling)
	for _, room := range []any{
		&x.coord, &x.slice, &x.ref, &x.lod, &x.axes, &x.shares, &x.texel, &x.sums, &x.bytes, &x.deriv, &x.moved, &x.turned,
		&x.weight, &x.tmp, &x.spare,
		&x.fetched, &x.lost, &x.taps, w.Temp(),
	} {
		poison(reflect.ValueOf(room).Elem(), b)
	}
	samplings.Put(x)
}

func poison(v reflect.Value, b uint8) {
	switch all := uint64(b) * 0x0101010101010101; v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			poison(reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem(), b)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i), b)
		}
	case reflect.Bool:
		v.SetBool(b&1 != 0)
	case reflect.Float64:
		v.SetFloat(float64(int8(b)))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(all))
	default:
		v.SetUint(all)
	}
}
