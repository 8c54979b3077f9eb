package mimg

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// clampColour returns a border colour, with components of kind f.Kind, clamped to the range of elements of f (rule
// CO5).
func clampColour(f *format.Format, colour [format.MaxComponents]uint32) [format.MaxComponents]uint32 {
	for i, v := range colour {
		width := uint8(32)
		if i < f.Components {
			width = f.Widths[i]
		}
		switch top := int64(1)<<width - 1; {
		case f.Kind == format.Uint:
			colour[i] = uint32(min(int64(v), top))
		case f.Kind == format.Sint:
			colour[i] = uint32(min(max(int64(int32(v)), ^(top>>1)), top>>1))
		case f.Floats:
		case f.Num == gcn.NumUNORM || f.Num == gcn.NumSRGB:
			colour[i] = clampFloat(v, 0, 1)
		case f.Num == gcn.NumSNORM:
			colour[i] = clampFloat(v, -1, 1)
		}
	}
	return colour
}

// clampFloat clamps the single v to [lo, hi]. NaN becomes 0.
func clampFloat(v uint32, lo, hi float32) uint32 {
	x := math.Float32frombits(v)
	if x != x {
		return 0
	}
	return math.Float32bits(min(max(x, lo), hi))
}
