package alu

import (
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// extract sets d to the part sel of r, sign-extended if sext is set.
func extract(d, r *state.Lanes, sel isa.Selection, sext bool) {
	shift, width := sel.Bits()
	up, down := 32-width-shift, 32-width
	if sext {
		for i := range d {
			d[i] = uint32(int32(r[i]<<up) >> down)
		}
		return
	}
	simd.Field(d, r, uint32(shift), uint32(1<<width-1), 0)
}

// insert shifts the low bits of d to the part sel. rest, a value of DST_UNUSED, selects the value of the other bits;
// old has the bits to preserve.
func insert(d, old *state.Lanes, sel isa.Selection, rest uint32) {
	shift, width := sel.Bits()
	mask := uint32(1<<width - 1)
	switch rest {
	case isa.UnusedPreserve:
		simd.Insert(d, d, old, uint32(shift), mask<<shift, ^(mask << shift))
	case isa.UnusedSext:
		for i := range d {
			d[i] = uint32(int32(d[i]<<(32-width))>>(32-width)) << shift
		}
	default:
		simd.Insert(d, d, d, uint32(shift), mask<<shift, 0)
	}
}
