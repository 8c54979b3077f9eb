package executor

import (
	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

var (
	roundHalf = simd.Half("of f32")
	unordered = simd.Compare("unordered f32")
)

// Narrow converts 32-bit components of kind f.Kind in place to the 16 bits that D16 loads return, in the low halves.
// Components that are single precision in memory are truncated, others rounded to nearest even (rule DP4); integers
// keep the low 16 bits. Normalised components are first rounded to single precision; halves do not change.
func Narrow(f *format.Format, v []uint32) {
	switch {
	case f.Kind != format.Float:
		for i := range v {
			v[i] &= 0xffff
		}
	case f.Widths[0] == 32:
		for i, x := range v {
			v[i] = half.Truncate(x)
		}
	default:
		if len(v) == state.NumLanes {
			wave := (*state.Lanes)(v)
			if unordered(wave, wave, 0) == 0 { // the host would quiet NaNs
				roundHalf(wave, wave, nil, nil, 0, 0)
				return
			}
		}
		for i, x := range v {
			v[i] = half.Round(x)
		}
	}
}

// Widen converts the low 16 bits of components, the operands of D16 stores, in place to 32 bits: halves to singles,
// which is exact, integers by sign extension (rule IM6).
func Widen(f *format.Format, v []uint32) {
	switch {
	case f.Kind == format.Float && len(v) == state.NumLanes:
		wave := (*state.Lanes)(v)
		simd.SmallFloats(wave, wave, 0, 0, 0xffff)
	case f.Kind == format.Float:
		for i, x := range v {
			v[i] = half.ToSingle(x & 0xffff)
		}
	case f.Kind == format.Sint:
		for i, x := range v {
			v[i] = uint32(int32(int16(x)))
		}
	default:
		for i := range v {
			v[i] &= 0xffff
		}
	}
}
