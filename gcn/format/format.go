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

	// Width and Height are the texels of an element: 1 and 1 but for block compressed
	// formats, two texels of GB_GR and BG_RG, and 8 of 1 and 1_REVERSED; see [Format.Extract].
	Width, Height uint8

	// Elevens is set for 10_11_11 and 11_11_10, of which the seed doubts that GCN 1.0
	// handles them ([gcn.Traits.PackedFloatDoubt]).
	Elevens bool

	name          string // of the data format
	block         block
	comps         [MaxComponents]component
	bytes         bool    // all four components are bytes that tables convert
	plain         bool    // all components are dwords as they are
	unsignedAlpha *Format // see UnsignedAlpha
}

// Words returns the number of dwords that hold an element; elements of one or two bytes
// are zero-extended to a dword.
func (f *Format) Words() int { return (f.Size + 3) / 4 }

// Word returns which dword of an element holds component c.
func (f *Format) Word(c int) int { return int(f.comps[c].word) }

// Plain reports whether components are the dwords of an element as they are.
func (f *Format) Plain() bool { return f.plain }

// String returns data and number format, as in "8_8_8_8 UNORM".
func (f *Format) String() string {
	return f.name + " " + gcn.NumFormatName(f.Num)
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
	// Mismatch is set if the data format has other number formats, but not this one.
	Mismatch bool
	Name     string // of the data format, "" if it has none
}

// Error names the codes.
func (e *Error) Error() string {
	d, n := e.Name, gcn.NumFormatName(e.Num)
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

// Lookup returns the format of the two codes as buffers have them: data formats up to 15
// and number formats up to 7. Larger ones are those of images on GCN 1.0, see
// [LookupImage]. The error is an *[Error].
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
	ubint
	ubscaled
)

const (
	norms   = unorm | snorm | uscaled | sscaled | snormOGL
	small   = norms | uintNum | sintNum
	biased  = ubnorm | ubnormOGL | ubint | ubscaled
	oneBit  = (small | biased) &^ (snorm | ubnorm | ubint) // these have no value but 0 for a bit
	noStore = uscaled | sscaled | snormOGL | srgb | biased
)

// layouts lists the data formats: the widths of the components from the lowest bit, of
// blocks those of the texel that [Format.Extract] leaves; the number formats they go with,
// and more that no source lists but the widths allow. Widths: seed GcnMemHandling. Number
// formats: of buffers, what LLVM can name as unified formats of later chips, which leaves
// out normalised 32-bit components and floats of 8 bits; of images, spec/images.md 2.1.
var layouts = [numData]struct {
	widths     []uint8
	nums, more uint16
	block      block
}{
	1:  {widths: []uint8{8}, nums: small | srgb | biased},
	2:  {widths: []uint8{16}, nums: small | floatNum | biased},
	3:  {widths: []uint8{8, 8}, nums: small | srgb | biased},
	4:  {widths: []uint8{32}, nums: uintNum | sintNum | floatNum},
	5:  {widths: []uint8{16, 16}, nums: small | floatNum | biased},
	6:  {widths: []uint8{11, 11, 10}, nums: small | floatNum},
	7:  {widths: []uint8{10, 11, 11}, nums: small | floatNum},
	8:  {widths: []uint8{2, 10, 10, 10}, nums: small | biased},
	9:  {widths: []uint8{10, 10, 10, 2}, nums: small | biased},
	10: {widths: []uint8{8, 8, 8, 8}, nums: small | srgb | biased},
	11: {widths: []uint8{32, 32}, nums: uintNum | sintNum | floatNum},
	12: {widths: []uint8{16, 16, 16, 16}, nums: small | floatNum | biased},
	13: {widths: []uint8{32, 32, 32}, nums: uintNum | sintNum | floatNum},
	14: {widths: []uint8{32, 32, 32, 32}, nums: uintNum | sintNum | floatNum},
	16: {widths: []uint8{5, 6, 5}, nums: unorm | uscaled, more: small | biased},
	17: {widths: []uint8{5, 5, 5, 1}, nums: unorm | uscaled, more: oneBit},
	18: {widths: []uint8{1, 5, 5, 5}, nums: unorm | uscaled, more: oneBit},
	19: {widths: []uint8{4, 4, 4, 4}, nums: unorm | uscaled, more: small | biased},
	20: {widths: []uint8{24, 8}, nums: unorm | uintNum, more: small | biased},
	21: {widths: []uint8{8, 24}, nums: unorm | uintNum, more: small | biased},
	22: {widths: []uint8{32, 8}, nums: uintNum | floatNum},
	32: {widths: []uint8{8, 8, 8, 8}, nums: unorm | uscaled, more: small | biased, block: gbgr},
	33: {widths: []uint8{8, 8, 8, 8}, nums: unorm | uscaled, more: small | biased, block: bgrg},
	34: {widths: []uint8{9, 9, 9}, nums: floatNum},
	35: {widths: []uint8{8, 8, 8, 8}, nums: unorm | srgb, block: bc1},
	36: {widths: []uint8{8, 8, 8, 8}, nums: unorm | srgb, block: bc2},
	37: {widths: []uint8{8, 8, 8, 8}, nums: unorm | srgb, block: bc3},
	38: {widths: []uint8{8}, nums: unorm | snorm, block: bc4},
	39: {widths: []uint8{8, 8}, nums: unorm | snorm, block: bc5},
	40: {widths: []uint8{16, 16, 16}, nums: unorm | snorm, block: bc6},
	41: {widths: []uint8{8, 8, 8, 8}, nums: unorm | srgb, block: bc7},
	57: {widths: []uint8{4, 4}, nums: unorm | uscaled, more: small | biased},
	58: {widths: []uint8{5, 5, 6}, nums: unorm | uscaled, more: small | biased},
	59: {widths: []uint8{1}, nums: unorm | uscaled, more: oneBit, block: bitUp},
	60: {widths: []uint8{1}, nums: unorm | uscaled, more: oneBit, block: bitDown},
}

// unstorable holds the data formats that stores do not take, one bit a code (seed:
// GcnMemHandling, column ImgW).
const unstorable uint64 = 7<<20 | (1<<10-1)<<32 | (1<<7-1)<<57

// StoresData reports whether stores take a data format of images, by its code.
func StoresData(data uint8) bool { return data < numData && unstorable>>data&1 == 0 }

// numDoubts and dataDoubts hold what no source states for certain of loads.
var numDoubts = [numNum]string{
	6:  "the formula of SNORM_OGL follows from its range alone (seed: GcnMemHandling)",
	9:  "the precision of the sRGB curve is not known",
	10: biasedDoubt, 11: biasedDoubt, 12: biasedDoubt, 13: biasedDoubt,
}

const (
	biasedDoubt = "the formula follows from the range alone (seed: GcnMemHandling)"
	depthDoubt  = "how a component of a depth format that the number format does not suit reads, is not known (spec/images.md 2.10)"
	pairDoubt   = "the seed gives bytes of GB_GR and BG_RG for one texel of the two (spec/images.md 2.7)"
	bitDoubt    = "the order of bits is not known (spec/images.md 2.8)"
	rampDoubt   = "how interpolated values of blocks are rounded is not known (spec/images.md 2.11)"
	listDoubt   = "no source lists the data format with this number format (spec/images.md 2.1)"
)

var dataDoubts = [numData]string{
	20: depthDoubt, 21: depthDoubt, 22: depthDoubt, 32: pairDoubt, 33: pairDoubt, 35: rampDoubt, 36: rampDoubt, 37: rampDoubt,
	38: rampDoubt, 39: rampDoubt, 59: bitDoubt, 60: bitDoubt,
}

const (
	alphaFormat    = 9  // 2_10_10_10
	stencilFormat  = 22 // X24_8_32
	exponentFormat = 34 // 5_9_9_9
)

// table holds all formats by data and number format.
var table = func() (t [numData][numNum]entry) {
	for d := range layouts {
		for n := range uint8(numNum) {
			e := &t[d][n]
			name := gcn.DataFormatName(uint8(d))
			nums := layouts[d].nums | layouts[d].more
			e.err = Error{Data: uint8(d), Num: n, Null: name == "", Mismatch: nums != 0, Name: name}
			if nums>>n&1 == 0 {
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
	l := &layouts[d]
	f := &Format{
		Data: d, Num: n, NoStore: noStore>>n&1 != 0 || unstorable>>d&1 != 0, Components: len(l.widths), Kind: kinds[n], Width: 1, Height: 1,
		name: gcn.DataFormatName(d), block: l.block, Elevens: slices.Contains(l.widths, 11),
	}
	bit := 0
	for c, width := range l.widths {
		num := n
		switch {
		case d == exponentFormat:
			num = sharedExponent
		case l.block == bc6: // UNORM and SNORM say whether it has a sign (spec/images.md 2.11)
			num = halfNum
		case d == stencilFormat && c == 1 && 1<<n == floatNum:
			num = 0
		case c == 3 && 1<<n == srgb: // alpha is linear (spec/images.md 2.3)
			num = 0
		case c == 3:
			num = alpha
		}
		f.comps[c] = newComponent(bit, width, num)
		if f.NoStore && (1<<n != srgb || unstorable>>d&1 != 0) {
			f.comps[c].store = unstored
		}
		bit += int(width)
	}
	switch {
	case l.block != single:
		f.Width, f.Height, f.Size = extents[l.block].width, extents[l.block].height, extents[l.block].size
	case d == stencilFormat:
		f.Size = 8
	default:
		f.Size = (bit + 7) / 8 // of 5_9_9_9 the exponent is no component
	}
	f.ExactStore = !f.NoStore && (f.comps[0].store == normalize || f.comps[0].store == copyStore)
	f.plain = !slices.ContainsFunc(f.comps[:f.Components], func(c component) bool { return c.load != copied })
	f.bytes = f.Components == MaxComponents && l.widths[0] == 8 && f.comps[0].load == byTable
	switch {
	case numDoubts[n] != "":
		f.Doubt = numDoubts[n]
	case l.nums>>n&1 == 0:
		f.Doubt = listDoubt
	default:
		f.Doubt = dataDoubts[d]
	}
	return f
}

var kinds = [numNum]Kind{4: Uint, 5: Sint}
