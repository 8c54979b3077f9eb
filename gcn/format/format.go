// Package format converts between the bits of an element in memory and its components
// in registers: every data format with every number format that has a meaning. It knows
// neither waves nor memory. Sources: seed GcnMemHandling; spec/images.md 2.
package format

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Kind is the type of a component in a register.
type Kind uint8

// The kinds.
const (
	Float Kind = iota // IEEE single precision
	Uint
	Sint
)

// MaxComponents is how many components an element has at most, and how many dwords.
const MaxComponents = 4

// Format is a data format with a number format. It does not change.
type Format struct {
	Data, Num  uint8 // codes
	Size       int   // bytes of an element: 1, 2, 4, 8, 12 or 16
	Components int   // 1 to 4
	Kind       Kind
	NoStore    bool // stores do not take the number format (seed: GcnMemHandling, column BufW)
	// ExactStore is set if all sources agree on what stores write: not of integers of less
	// than 32 bits and of small floats (spec/images.md 2.4).
	ExactStore bool
	Doubt      string // what no source states for certain of loads, "" if nothing

	// Elevens is set for 10_11_11 and 11_11_10, of which the seed doubts that GCN 1.0
	// handles them ([gcn.Traits.PackedFloatDoubt]).
	Elevens bool

	comps         [MaxComponents]component
	bytes         bool    // all four components are bytes that tables convert
	unsignedAlpha *Format // see UnsignedAlpha
}

// Words returns the number of dwords that hold an element; elements of one or two bytes
// are zero-extended to a dword.
func (f *Format) Words() int { return (f.Size + 3) / 4 }

// Word returns which dword of an element holds component c.
func (f *Format) Word(c int) int { return int(f.comps[c].word) }

// String returns data and number format, as in "8_8_8_8 UNORM".
func (f *Format) String() string {
	return gcn.DataFormatName(f.Data) + " " + gcn.NumFormatName(f.Num)
}

// One returns what DST_SEL_1 selects: 1.0 or the integer 1 (seed: GcnMemHandling;
// spec/memory.md 3).
func (f *Format) One() uint32 {
	if f.Kind == Float {
		return 0x3f800000
	}
	return 1
}

// UnsignedAlpha returns f as GCN 1.0 to 1.2, but for Stoney, load it: the 2-bit alpha of
// 2_10_10_10 is unsigned there even in a signed number format. Other formats are
// returned as they are. Source: Mesa, RADV and radeonsi, which adjust that alpha in vertex
// attributes on all of these but Stoney.
func (f *Format) UnsignedAlpha() *Format {
	if f.unsignedAlpha != nil {
		return f.unsignedAlpha
	}
	return f
}

// Error says that a pair of codes has no meaning that a source states.
type Error struct {
	Data, Num uint8
	// Null is set for data formats that are no format at all: 0, which is invalid, and
	// reserved codes. Loads of them return 0 and stores do nothing (spec/memory.md R6).
	Null bool
}

// Error names the codes.
func (e *Error) Error() string {
	d, n := gcn.DataFormatName(e.Data), gcn.NumFormatName(e.Num)
	switch {
	case e.Null:
		return fmt.Sprintf("data format %d is invalid or reserved", e.Data)
	case d == "":
		d = fmt.Sprintf("data format %d", e.Data)
	case n == "":
		n = fmt.Sprintf("number format %d", e.Num)
	}
	return fmt.Sprintf("%s with %s has no meaning that a document states", d, n)
}

// Lookup returns the format of the two codes. The error is an *[Error]. Buffers use data
// formats up to 15 and number formats up to 7, images all of them.
func Lookup(data, num uint8) (*Format, error) {
	if data < numData && num < numNum {
		e := &table[data][num]
		if e.format != nil {
			return e.format, nil
		}
		return nil, &e.err
	}
	return nil, &Error{Data: data, Num: num, Null: true}
}

const numData, numNum = 64, 16

type entry struct {
	format *Format
	err    Error
}

// Sets of number formats, one bit a code.
const (
	unorm = 1 << iota
	snorm
	uscaled
	sscaled
	uintNum
	sintNum
	snormOGL
	floatNum
	_
	srgb
	ubnorm
	ubnormOGL
	_ // UBINT: what it is, is not known (spec/images.md 2.3)
	ubscaled
)

const (
	norms   = unorm | snorm | uscaled | sscaled | snormOGL
	small   = norms | uintNum | sintNum
	biased  = ubnorm | ubnormOGL | ubscaled
	noStore = uscaled | sscaled | snormOGL | srgb | biased
)

// layouts lists the data formats: the widths of the components from the lowest bit, and
// the number formats they go with. Widths: seed GcnMemHandling. Number formats: of
// buffers, what LLVM can name as unified formats of later chips, which leaves out
// normalised 32-bit components and floats of 8 bits; of images, spec/images.md 2.1.
// BC1 to BC7, GB_GR, BG_RG and X24_8_32 are not among them.
var layouts = [numData]struct {
	widths []uint8
	nums   uint16
}{
	1:  {[]uint8{8}, small | srgb | biased},
	2:  {[]uint8{16}, small | floatNum | biased},
	3:  {[]uint8{8, 8}, small | srgb | biased},
	4:  {[]uint8{32}, uintNum | sintNum | floatNum},
	5:  {[]uint8{16, 16}, small | floatNum | biased},
	6:  {[]uint8{11, 11, 10}, small | floatNum},
	7:  {[]uint8{10, 11, 11}, small | floatNum},
	8:  {[]uint8{2, 10, 10, 10}, small | biased},
	9:  {[]uint8{10, 10, 10, 2}, small | biased},
	10: {[]uint8{8, 8, 8, 8}, small | srgb | biased},
	11: {[]uint8{32, 32}, uintNum | sintNum | floatNum},
	12: {[]uint8{16, 16, 16, 16}, small | floatNum | biased},
	13: {[]uint8{32, 32, 32}, uintNum | sintNum | floatNum},
	14: {[]uint8{32, 32, 32, 32}, uintNum | sintNum | floatNum},
	16: {[]uint8{5, 6, 5}, unorm | uscaled},
	17: {[]uint8{5, 5, 5, 1}, unorm | uscaled},
	18: {[]uint8{1, 5, 5, 5}, unorm | uscaled},
	19: {[]uint8{4, 4, 4, 4}, unorm | uscaled},
	20: {[]uint8{24, 8}, unorm | uintNum},
	21: {[]uint8{8, 24}, unorm | uintNum},
	34: {[]uint8{9, 9, 9}, floatNum},
	57: {[]uint8{4, 4}, unorm | uscaled},
	58: {[]uint8{5, 5, 6}, unorm | uscaled},
}

const (
	alphaFormat    = 9  // 2_10_10_10
	exponentFormat = 34 // 5_9_9_9
)

// table holds all formats by data and number format.
var table = func() (t [numData][numNum]entry) {
	for d := range layouts {
		for n := range uint8(numNum) {
			e := &t[d][n]
			e.err = Error{Data: uint8(d), Num: n, Null: gcn.DataFormatName(uint8(d)) == ""}
			if layouts[d].nums>>n&1 == 0 {
				continue
			}
			e.format = build(uint8(d), n, n)
			if signed := uint16(1) << n & (snorm | sscaled | sintNum); d == alphaFormat && signed != 0 {
				e.format.unsignedAlpha = build(uint8(d), n, n-1)
			}
		}
	}
	return t
}()

// build returns data format d with number format n, but number format alpha for the
// fourth component.
func build(d, n, alpha uint8) *Format {
	f := &Format{Data: d, Num: n, NoStore: noStore>>n&1 != 0 || d == exponentFormat, Components: len(layouts[d].widths), Kind: kinds[n]}
	f.Elevens = slices.Contains(layouts[d].widths, 11)
	bit := 0
	for c, width := range layouts[d].widths {
		num := n
		switch {
		case d == exponentFormat:
			num = sharedExponent
		case c == 3 && 1<<n == srgb: // alpha is linear (spec/images.md 2.3)
			num = 0
		case c == 3:
			num = alpha
		}
		f.comps[c] = newComponent(bit, width, num)
		if f.NoStore {
			f.comps[c].store = unstored
		}
		bit += int(width)
	}
	f.Size = (bit + 7) / 8 // of 5_9_9_9 the exponent is no component
	f.ExactStore = !f.NoStore && (f.comps[0].store == normalize || f.comps[0].store == copyStore)
	f.bytes = f.Components == MaxComponents && layouts[d].widths[0] == 8 && f.comps[0].load == byTable
	switch uint16(1) << n {
	case snormOGL:
		f.Doubt = "the formula of SNORM_OGL follows from its range alone (seed: GcnMemHandling)"
	case ubnorm, ubnormOGL, ubscaled:
		f.Doubt = "the formula follows from the range alone (seed: GcnMemHandling)"
	case srgb:
		f.Doubt = "the precision of the sRGB curve is not known"
	}
	return f
}

var kinds = [numNum]Kind{4: Uint, 5: Sint}
