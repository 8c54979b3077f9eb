package alu

import (
	"github.com/gcnsim/gcnsim/internal/simd"
	"github.com/gcnsim/gcnsim/state"
)

// byteSel is an SDWA selection of a byte or word. Source: GcnSdwaDpp (CLRX).
type byteSel uint8

const (
	selWord0 byteSel = 4 + iota // 0 to 3 are the bytes
	selWord1
	selDword
)

// place returns shift and width in bits of what s selects.
func (s byteSel) place() (shift, width uint) {
	switch {
	case s < selWord0:
		return uint(s) * 8, 8
	case s < selDword:
		return uint(s-selWord0) * 16, 16
	}
	return 0, 32
}

// extract sets d to the selected part of r, sign-extended if sext.
func (s byteSel) extract(d, r *state.Lanes, sext bool) {
	shift, width := s.place()
	up, down := 32-width-shift, 32-width
	if sext {
		for i := range d {
			d[i] = uint32(int32(r[i]<<up) >> down)
		}
		return
	}
	simd.Field(d, r, uint32(shift), uint32(1<<width-1), 0)
}

// unused is what SDWA does with the bits of the destination outside the selection.
type unused uint8

const (
	unusedPad unused = iota
	unusedSext
	unusedPreserve
)

// insert sets d to the low bits of d in the selected place of old.
func (s byteSel) insert(d, old *state.Lanes, rest unused) {
	shift, width := s.place()
	mask := uint32(1<<width - 1)
	switch rest {
	case unusedPreserve:
		simd.Insert(d, d, old, uint32(shift), mask<<shift, ^(mask << shift))
	case unusedSext:
		for i := range d {
			d[i] = uint32(int32(d[i]<<(32-width))>>(32-width)) << shift
		}
	default:
		simd.Insert(d, d, d, uint32(shift), mask<<shift, 0)
	}
}
