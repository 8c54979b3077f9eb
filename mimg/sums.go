package mimg

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// sums holds the sums of a filter by component of the format, in double precision.
type sums [format.MaxComponents][state.NumLanes]float64

// clear initializes the sums of the components in need: to -0, which does not change a sum, or to NaN, which is never
// an extreme.
func (s *sums) clear(need *components, blends bool) {
	v := &nans
	if blends {
		v = &minusZeros
	}
	for c, d := range need {
		if d != nil {
			s[c] = *v
		}
	}
}

var ones, minusZeros, nans = all(1), all(math.Copysign(0, -1)), all(math.NaN())

func all(x float64) (v [state.NumLanes]float64) {
	for i := range v {
		v[i] = x
	}
	return v
}

// orOnes returns w, or weights of 1 if w is nil.
func orOnes(w *[state.NumLanes]float64) *[state.NumLanes]float64 {
	if w == nil {
		return &ones
	}
	return w
}

// add adds numbers multiplied by their weights to component c in the lanes of mask.
func (s *sums) add(c int, v, w *[state.NumLanes]float64, mask uint64) {
	sum, w := &s[c], orOnes(w)
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros64(mask) & 63
		sum[i] += float64(w[i] * v[i])
	}
}

// extreme keeps the smallest or the largest number in the lanes of mask. NaN is kept only if there is no number (rule
// FI4).
func (s *sums) extreme(c int, v *[state.NumLanes]float64, mask uint64, least bool) {
	sum := &s[c]
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros64(mask) & 63
		t, u := v[i], sum[i]
		if u != u || least && t < u || !least && t > u {
			sum[i] = t
		}
	}
}

// result writes the sums of component c to dst, rounded once to nearest even (rule FI2).
func (s *sums) result(c int, kind format.Kind, dst *state.Lanes) {
	if kind == format.Float {
		simd.Narrow(dst, &s[c])
		return
	}
	for i, v := range &s[c] {
		dst[i] = uint32(int64(v))
	}
}
