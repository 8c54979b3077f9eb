package format

import (
	"math"
	"sort"
)

// fromSRGB computes the sRGB curve (rule IF3).
func fromSRGB(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// srgbTable holds the linear value of each 8-bit sRGB code.
var srgbTable = func() (t [256]uint32) {
	for code := range t {
		t[code] = math.Float32bits(float32(fromSRGB(float64(code) / 255)))
	}
	return t
}()

// srgbSteps has at index code-1 the bits of the smallest single whose nearest sRGB code is code. No single is exactly
// in the middle between two codes.
var srgbSteps = func() (t [255]uint32) {
	for code := range t {
		middle := fromSRGB((float64(code) + 0.5) / 255)
		t[code] = math.Float32bits(float32(middle))
		if float64(math.Float32frombits(t[code])) < middle {
			t[code]++
		}
	}
	return t
}()

// toSRGB returns the 8-bit sRGB code nearest to a linear value: 0 for NaN and negative values, 255 for values from 1
// on, as in UNORM (rule IF4).
func toSRGB(v uint32) uint32 {
	if v > infinity {
		return 0
	}
	return uint32(sort.Search(len(srgbSteps), func(i int) bool { return v < srgbSteps[i] }))
}
