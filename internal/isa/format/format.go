// Package format converts between the bits of an element in memory and its components in
// registers: every data format with every number format that has a meaning. It knows
// neither waves nor memory. Sources: rules DP12, DP13 and IF1 to IF11.
package format

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
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
	NoStore    bool // stores do not take the number format (rule DP13)
	// ExactStore is set if all sources agree on what stores write: not of integers of less
	// than 32 bits and of small floats (rule IF4).
	ExactStore bool
	Doubt      string // what no source states for certain of loads, "" if nothing

	// Width and Height are the texels of an element: 1 and 1 except for block compressed
	// formats, two texels of GB_GR and BG_RG, and 8 of 1 and 1_REVERSED; see [Format.Extract].
	Width, Height uint8

	// Elevens is set for 10_11_11 and 11_11_10, where CLRX doubts that GCN 1.0 handles
	// them ([isa.Traits.PackedFloatDoubt]).
	Elevens bool

	// These follow from the above and the components.
	Words int    // dwords that hold an element; one or two bytes are zero-extended to a dword
	One   uint32 // what DST_SEL_1 selects: 1.0 or the integer 1 (rules DP14 and C9)
	// X000, XY00, XYZ0 or XYZW by the number of components: the selection of instructions that do not use the one
	// of the resource (rule DP1)
	Identity   Select
	Packs      bool                 // [Format.Pack] converts to it
	Widths     [MaxComponents]uint8 // bits of the components
	Plain      bool                 // components are the dwords of an element as they are
	Floats     bool                 // elements can hold infinities, NaN and -0
	UnormBytes bool                 // an element is one texel of four bytes from 0 to 1

	// UnsignedAlpha is the format as GCN 1.0 to 1.2, except for Stoney, load it: the 2-bit alpha of
	// 2_10_10_10 is unsigned there even in a signed number format. Of other formats it is the
	// format itself. Source: Mesa, RADV and radeonsi, which adjust that alpha in vertex
	// attributes on all of these but Stoney.
	UnsignedAlpha *Format

	name  string // of the data format
	block block
	comps [MaxComponents]component
	bytes bool // all four components are bytes that tables convert
}

// String returns data and number format, as in "8_8_8_8 UNORM".
func (f *Format) String() string {
	return f.name + " " + gcn.NumFormatName(f.Num)
}

// Error says that a pair of codes has no meaning that a source states.
type Error struct {
	Data, Num uint8
	// Null is set for codes that stand for no data format: 0, which is invalid, and
	// reserved codes. Loads of them return 0 and stores do nothing (rule R6).
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
// and number formats up to 7. Larger ones are the formats of images on GCN 1.0, see
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
	unorm     = 1 << gcn.NumUNORM
	snorm     = 1 << gcn.NumSNORM
	uscaled   = 1 << gcn.NumUSCALED
	sscaled   = 1 << gcn.NumSSCALED
	uintNum   = 1 << gcn.NumUINT
	sintNum   = 1 << gcn.NumSINT
	snormOGL  = 1 << gcn.NumSNORM_OGL
	floatNum  = 1 << gcn.NumFLOAT
	srgb      = 1 << gcn.NumSRGB
	ubnorm    = 1 << gcn.NumUBNORM
	ubnormOGL = 1 << gcn.NumUBNORM_OGL
	ubint     = 1 << gcn.NumUBINT
	ubscaled  = 1 << gcn.NumUBSCALED
)

const (
	norms   = unorm | snorm | uscaled | sscaled | snormOGL
	small   = norms | uintNum | sintNum
	biased  = ubnorm | ubnormOGL | ubint | ubscaled
	oneBit  = (small | biased) &^ (snorm | ubnorm | ubint) // these have no value but 0 for a bit
	noStore = uscaled | sscaled | snormOGL | srgb | biased
)

// layouts lists the data formats: the widths of the components from the lowest bit (for
// blocks, the widths in the texel that [Format.Extract] leaves), the number formats that each goes with,
// and the number formats that no source lists although the widths allow them. Widths: rules DP12 and TD3. Number
// formats: of buffers, what LLVM can name as unified formats of later chips, which leaves
// out normalised 32-bit components and floats of 8 bits; of images, rule IF1.
var layouts = [numData]struct {
	widths     []uint8
	nums, more uint16
	block      block
}{
	gcn.Data8:           {widths: []uint8{8}, nums: small | srgb | biased},
	gcn.Data16:          {widths: []uint8{16}, nums: small | floatNum | biased},
	gcn.Data8_8:         {widths: []uint8{8, 8}, nums: small | srgb | biased},
	gcn.Data32:          {widths: []uint8{32}, nums: uintNum | sintNum | floatNum},
	gcn.Data16_16:       {widths: []uint8{16, 16}, nums: small | floatNum | biased},
	gcn.Data10_11_11:    {widths: []uint8{11, 11, 10}, nums: small | floatNum},
	gcn.Data11_11_10:    {widths: []uint8{10, 11, 11}, nums: small | floatNum},
	gcn.Data10_10_10_2:  {widths: []uint8{2, 10, 10, 10}, nums: small | biased},
	gcn.Data2_10_10_10:  {widths: []uint8{10, 10, 10, 2}, nums: small | biased},
	gcn.Data8_8_8_8:     {widths: []uint8{8, 8, 8, 8}, nums: small | srgb | biased},
	gcn.Data32_32:       {widths: []uint8{32, 32}, nums: uintNum | sintNum | floatNum},
	gcn.Data16_16_16_16: {widths: []uint8{16, 16, 16, 16}, nums: small | floatNum | biased},
	gcn.Data32_32_32:    {widths: []uint8{32, 32, 32}, nums: uintNum | sintNum | floatNum},
	gcn.Data32_32_32_32: {widths: []uint8{32, 32, 32, 32}, nums: uintNum | sintNum | floatNum},
	gcn.Data5_6_5:       {widths: []uint8{5, 6, 5}, nums: unorm | uscaled, more: small | biased},
	gcn.Data1_5_5_5:     {widths: []uint8{5, 5, 5, 1}, nums: unorm | uscaled, more: oneBit},
	gcn.Data5_5_5_1:     {widths: []uint8{1, 5, 5, 5}, nums: unorm | uscaled, more: oneBit},
	gcn.Data4_4_4_4:     {widths: []uint8{4, 4, 4, 4}, nums: unorm | uscaled, more: small | biased},
	gcn.Data8_24:        {widths: []uint8{24, 8}, nums: unorm | uintNum, more: small | biased},
	gcn.Data24_8:        {widths: []uint8{8, 24}, nums: unorm | uintNum, more: small | biased},
	gcn.DataX24_8_32:    {widths: []uint8{32, 8}, nums: uintNum | floatNum},
	gcn.DataGB_GR:       {widths: []uint8{8, 8, 8, 8}, nums: unorm | uscaled, more: small | biased, block: gbgr},
	gcn.DataBG_RG:       {widths: []uint8{8, 8, 8, 8}, nums: unorm | uscaled, more: small | biased, block: bgrg},
	gcn.Data5_9_9_9:     {widths: []uint8{9, 9, 9}, nums: floatNum},
	gcn.DataBC1:         {widths: []uint8{8, 8, 8, 8}, nums: unorm | srgb, block: bc1},
	gcn.DataBC2:         {widths: []uint8{8, 8, 8, 8}, nums: unorm | srgb, block: bc2},
	gcn.DataBC3:         {widths: []uint8{8, 8, 8, 8}, nums: unorm | srgb, block: bc3},
	gcn.DataBC4:         {widths: []uint8{8}, nums: unorm | snorm, block: bc4},
	gcn.DataBC5:         {widths: []uint8{8, 8}, nums: unorm | snorm, block: bc5},
	gcn.DataBC6:         {widths: []uint8{16, 16, 16}, nums: unorm | snorm, block: bc6},
	gcn.DataBC7:         {widths: []uint8{8, 8, 8, 8}, nums: unorm | srgb, block: bc7},
	gcn.Data4_4:         {widths: []uint8{4, 4}, nums: unorm | uscaled, more: small | biased},
	gcn.Data6_5_5:       {widths: []uint8{5, 5, 6}, nums: unorm | uscaled, more: small | biased},
	gcn.Data1:           {widths: []uint8{1}, nums: unorm | uscaled, more: oneBit, block: bitUp},
	gcn.Data1_REVERSED:  {widths: []uint8{1}, nums: unorm | uscaled, more: oneBit, block: bitDown},
}

// Unstorable holds the data formats of images that stores do not take, one bit a code (rule TD3).
const Unstorable uint64 = 7<<gcn.Data8_24 | (1<<10-1)<<gcn.DataGB_GR | (1<<7-1)<<gcn.Data4_4

// numDoubts and dataDoubts hold what no source states for certain of loads.
var numDoubts = [numNum]string{
	gcn.NumSNORM_OGL: "the formula of SNORM_OGL follows from its range alone (" + rule.IF3 + ")",
	gcn.NumSRGB:      "the precision of the sRGB curve is not known",
	gcn.NumUBNORM:    biasedDoubt, gcn.NumUBNORM_OGL: biasedDoubt, gcn.NumUBINT: biasedDoubt, gcn.NumUBSCALED: biasedDoubt,
}

const (
	biasedDoubt = "the formula follows from the range alone (" + rule.IF3 + ")"
	depthDoubt  = "how a component of a depth format that the number format does not suit reads, is not known (" +
		rule.IF10 + ")"
	pairDoubt = "CLRX gives bytes of GB_GR and BG_RG for one texel of the two (" + rule.K12 + ")"
	bitDoubt  = "the order of bits is not known (" + rule.IF8 + ")"
	rampDoubt = "how interpolated values of blocks are rounded is not known (" + rule.IF11 + ")"
	listDoubt = "no source lists the data format with this number format (" + rule.IF1 + ")"
)

var dataDoubts = [numData]string{
	gcn.Data8_24: depthDoubt, gcn.Data24_8: depthDoubt, gcn.DataX24_8_32: depthDoubt, gcn.DataGB_GR: pairDoubt,
	gcn.DataBG_RG: pairDoubt, gcn.DataBC1: rampDoubt, gcn.DataBC2: rampDoubt, gcn.DataBC3: rampDoubt,
	gcn.DataBC4: rampDoubt, gcn.DataBC5: rampDoubt, gcn.Data1: bitDoubt, gcn.Data1_REVERSED: bitDoubt,
}

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
			if signed := uint16(1) << n & (snorm | sscaled | sintNum); d == gcn.Data2_10_10_10 && signed != 0 {
				e.format.UnsignedAlpha = build(uint8(d), n, n-1)
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
		Data: d, Num: n, NoStore: noStore>>n&1 != 0 || Unstorable>>d&1 != 0, Components: len(l.widths), Kind: kinds[n],
		Width: 1, Height: 1,
		name: gcn.DataFormatName(d), block: l.block, Elevens: slices.Contains(l.widths, 11),
	}
	bit := 0
	for c, width := range l.widths {
		f.comps[c], f.Widths[c] = newComponent(bit, width, numberOf(d, n, alpha, c)), width
		if f.NoStore && (n != gcn.NumSRGB || Unstorable>>d&1 != 0) {
			f.comps[c].store = unstored
		}
		bit += int(width)
	}
	switch {
	case l.block != single:
		f.Width, f.Height, f.Size = extents[l.block].width, extents[l.block].height, extents[l.block].size
	case d == gcn.DataX24_8_32:
		f.Size = 8
	default:
		f.Size = (bit + 7) / 8 // the shared exponent of 5_9_9_9 counts, although it is not a component
	}
	f.ExactStore = !f.NoStore && (f.comps[0].store == normalize || f.comps[0].store == copyStore)
	f.bytes = f.Components == MaxComponents && l.widths[0] == 8
	switch {
	case numDoubts[n] != "":
		f.Doubt = numDoubts[n]
	case l.nums>>n&1 == 0:
		f.Doubt = listDoubt
	default:
		f.Doubt = dataDoubts[d]
	}
	return f.derive()
}

// numberOf returns the number format of component c, see [build].
func numberOf(d, n, alpha uint8, c int) uint8 {
	switch {
	case d == gcn.Data5_9_9_9:
		return sharedExponent
	case layouts[d].block == bc6: // UNORM and SNORM say whether it has a sign (rule IF11)
		return gcn.NumFLOAT
	case d == gcn.DataX24_8_32 && c == 1 && n == gcn.NumFLOAT:
		return gcn.NumUNORM
	case c == 3 && n == gcn.NumSRGB: // alpha is linear (rule IF3)
		return gcn.NumUNORM
	case c == 3:
		return alpha
	}
	return n
}

// derive fills the fields that follow from others, and returns f.
func (f *Format) derive() *Format {
	f.Words = (f.Size + 3) / 4
	f.One, f.UnsignedAlpha = 1, f
	if f.Kind == Float {
		f.One = one
	}
	for c := range f.Components {
		f.Identity[c] = gcn.SelR + gcn.Sel(c)
	}
	first := f.comps[0]
	f.Packs = f.block == single && first.store != unstored
	f.Plain = !slices.ContainsFunc(f.comps[:f.Components], func(c component) bool { return c.load != copied })
	f.UnormBytes = f.bytes && f.block == single && f.Num == gcn.NumUNORM
	switch first.load {
	case copied:
		f.Floats = f.Kind == Float
	case smallFloat, halfFloat, shared:
		f.Floats = true
	}
	return f
}

var kinds = [numNum]Kind{gcn.NumUINT: Uint, gcn.NumSINT: Sint}
