package isa

import (
	"fmt"
	"slices"
	"strconv"
)

// bitField is the position of a descriptor's field: the lowest bit and the width, 0 if the generation has no such
// field.
type bitField struct{ shift, width uint8 }

func (f bitField) get(words []uint32) uint64 {
	if f.width == 0 {
		return 0
	}
	at := f.shift / 32
	v := uint64(words[at])
	if int(at)+1 < len(words) {
		v |= uint64(words[at+1]) << 32
	}
	return v >> (f.shift % 32) & (1<<f.width - 1)
}

func (f bitField) set(words []uint32, v uint64) {
	if f.width == 0 {
		return
	}
	at, shift, mask := f.shift/32, f.shift%32, uint64(1)<<f.width-1
	put := v & mask << shift
	words[at] = words[at]&^uint32(mask<<shift) | uint32(put)
	if shift+f.width > 32 {
		words[at+1] = words[at+1]&^uint32(mask<<shift>>32) | uint32(put>>32)
	}
}

// BitField is one field of a descriptor (V#, T# or S#), or of an instruction.
type BitField struct {
	Name         string // the manuals' name
	Shift, Width int    // lowest bit, counted over all words, and number of bits
}

// Get returns the bits of the field in words.
func (f BitField) Get(words []uint32) uint64 {
	return bitField{uint8(f.Shift), uint8(f.Width)}.get(words)
}

// Reserved returns the set bits of a descriptor that belong to no field. words are the words of the descriptor. For a
// V#, pass [VSharpHints] in fields as well.
func Reserved(words []uint32, fields ...[]BitField) []uint32 {
	rest := slices.Clone(words)
	for _, some := range fields {
		for _, f := range some {
			if f.Shift/32 < len(rest) { // a T# can have only four words
				bitField{uint8(f.Shift), uint8(f.Width)}.set(rest, 0)
			}
		}
	}
	return rest
}

// ReservedBits returns the numbers of the bits that are set in words, the result of [Reserved]. Each number is
// followed by the name of the field that another generation has there, for example "95 (INTERLACED of gcn1.2)".
// fields are [TSharpFields] or [SSharpFields], or nil for a V#, which is the same on all generations.
func ReservedBits(words []uint32, fields *[NumGens][]BitField) (all []string) {
	for n := range 32 * len(words) {
		if words[n/32]>>(n%32)&1 == 0 {
			continue
		}
		all = append(all, strconv.Itoa(n)+elsewhere(n, fields))
	}
	return all
}

// elsewhere returns the name of the field at bit n in the latest generation that has one, for example " (INTERLACED
// of gcn1.2)"; "" if there is none.
func elsewhere(n int, fields *[NumGens][]BitField) string {
	for g := NumGens - 1; g >= 0 && fields != nil; g-- {
		at := slices.IndexFunc(fields[g], func(f BitField) bool { return f.Shift <= n && n < f.Shift+f.Width })
		if at >= 0 {
			return fmt.Sprintf(" (%s of %v)", fields[g][at].Name, Gen(g))
		}
	}
	return ""
}

// bitFields returns the fields of a layout with their names, in the order of their bits.
func bitFields(names []string, layout []bitField) (all []BitField) {
	for i, f := range layout {
		if f.width != 0 {
			all = append(all, BitField{names[i], int(f.shift), int(f.width)})
		}
	}
	slices.SortStableFunc(all, func(a, b BitField) int { return a.Shift - b.Shift })
	return all
}

// less1 returns the code of a size in a field that holds the size minus 1. Size 0 counts as 1.
func less1(n int) uint64 { return uint64(max(n, 1) - 1) }

// fixed returns the code of v in a field of width bits, fraction of them for the fraction. It rounds to nearest and
// clamps to the range of the field.
func fixed(v float32, width, fraction uint8, signed bool) uint64 {
	lo, hi := 0.0, float64(uint64(1)<<width-1)
	if signed {
		lo, hi = -float64(uint64(1)<<(width-1)), float64(uint64(1)<<(width-1)-1)
	}
	code := float64(v)*float64(uint64(1)<<fraction) + 0.5
	if !(code >= lo) { // true for NaN as well
		code = lo
		if v != v {
			code = 0
		}
	}
	code = min(code, hi)
	whole := int64(code)
	if float64(whole) > code {
		whole--
	}
	return uint64(whole) & (1<<width - 1)
}

// unfixed is the inverse of fixed.
func unfixed(code uint64, width, fraction uint8, signed bool) float32 {
	v := int64(code)
	if signed && code>>(width-1)&1 != 0 {
		v -= 1 << width
	}
	return float32(v) / float32(uint64(1)<<fraction)
}
