package format

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
)

// FMASK has, for each sample of a pixel, the number of its fragment. Registers have a nibble per sample, 8 if no
// fragment is stored; memory has the fewest bits per sample that suffice. Source: rules MC2 and IF9.
const (
	nibbles    = 8 // nibbles in a register
	notStored  = 8
	fmaskDoubt = "what FMASK makes of samples without a fragment is not known, nor where samples 8 to 15 go (" +
		rule.MC2 + ")"
)

// newFMASK returns the format for an FMASK name such as "FMASK8_S4_F2"; nil for other names.
func newFMASK(name string, data uint8) *Format {
	parts := strings.Split(name, "_")
	if len(parts) != 3 || !strings.HasPrefix(parts[0], "FMASK") {
		return nil
	}
	var n [3]int
	for i, part := range parts {
		n[i], _ = strconv.Atoi(strings.TrimLeft(part, "FMASK")) // the rest of each part is a number
	}
	size, samples, fragments := n[0], n[1], n[2]
	width := 0
	for 1<<width < fragments {
		width++
	}
	if samples > fragments {
		width++ // one more code, for samples without a fragment
	}
	if width == 3 {
		width = 4
	}
	f := &Format{Data: data, Num: gcn.NumUINT, Size: size / 8, Components: 1, Kind: Uint, Doubt: fmaskDoubt, Width: 1,
		Height: 1, name: name}
	if size == 64 {
		f.Components = 2
	}
	for i := range f.Components {
		f.comps[i] = component{word: uint8(i), width: uint8(width), load: fragmentLoad, store: fragmentStore,
			fragments: uint8(fragments), samples: uint8(min(samples, nibbles))}
	}
	return f.derive()
}

// spread returns the nibbles for the samples in word.
func (c *component) spread(word uint32) (v uint32) {
	for i := range c.samples {
		code := word >> (i * c.width & 31) & (1<<c.width - 1)
		if code >= uint32(c.fragments) {
			code = notStored
		}
		v |= code << (4 * i & 31)
	}
	return v
}

// gather is the inverse of spread.
func (c *component) gather(v uint32) (word uint32) {
	for i := range c.samples {
		code := min(v>>(4*i&31)&15, uint32(c.fragments)) & (1<<c.width - 1)
		word |= code << (i * c.width & 31)
	}
	return word
}
