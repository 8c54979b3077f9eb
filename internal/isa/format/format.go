// Package format converts between the bits of an element in memory and its components in registers, for every valid
// combination of data format and number format. It does not depend on waves or memory. Sources: rules DP12, DP13 and
// IF1 to IF11.
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

// MaxComponents is the largest number of components, and of dwords, in an element.
const MaxComponents = 4

// Format is a data format with a number format. It is immutable.
type Format struct {
	Data, Num  uint8 // codes of the data and the number format
	Size       int   // bytes in an element: 1, 2, 4, 8, 12 or 16
	Components int   // 1 to 4
	Kind       Kind
	NoStore    bool // stores do not support the number format (rule DP13)
	// ExactStore is set if all sources agree on the stored value. They do not for integers of less than 32 bits and
	// small floats (rule IF4).
	ExactStore bool
	Doubt      string // the part of a load that no source states for certain, or ""

	// Width and Height are the size of an element in texels: 1 and 1, except for block-compressed formats, two texels of
	// GB_GR and BG_RG, and eight of 1 and 1_REVERSED; see [Format.Extract].
	Width, Height uint8

	// Elevens is set for 10_11_11 and 11_11_10; according to CLRX, GCN 1.0 may not support them
	// ([isa.Traits.PackedFloatDoubt]).
	Elevens bool

	// The fields below are derived from those above and the components.
	Words int    // dwords in an element; elements of one or two bytes are zero-extended to a dword
	One   uint32 // value of DST_SEL_1: 1.0 or the integer 1 (rules DP14 and C9)
	// Identity is X000, XY00, XYZ0 or XYZW, depending on the number of components. It is the selection of instructions
	// that ignore the selection in the resource (rule DP1).
	Identity   Select
	Packs      bool                 // [Format.Pack] supports the format
	Widths     [MaxComponents]uint8 // bits of each component
	Plain      bool                 // components equal the dwords of an element
	Floats     bool                 // elements can contain infinities, NaN and -0
	UnormBytes bool                 // an element is one texel of four bytes that mean 0 to 1

	// UnsignedAlpha is the format as GCN 1.0 to 1.2, except for Stoney, load it: the 2-bit alpha of 2_10_10_10 is
	// unsigned even in a signed number format. For other formats it is the format itself. Source: Mesa, RADV and
	// radeonsi, which adjust that alpha in vertex attributes on all of these except Stoney.
	UnsignedAlpha *Format

	name  string // name of the data format
	block block
	comps [MaxComponents]component
	bytes bool // all four components are bytes that are converted by tables
}

// String returns the names of the data and number format, for example "8_8_8_8 UNORM".
func (f *Format) String() string {
	return f.name + " " + gcn.NumFormatName(f.Num)
}

// Error is returned for a combination of codes that no source defines.
type Error struct {
	Data, Num uint8
	// Null is set for codes that are not a data format: 0, which is invalid, and reserved codes. Loads of them return 0
	// and stores do nothing (rule R6).
	Null bool
	// Mismatch is set if the data format supports other number formats, but not this one.
	Mismatch bool
	Name     string // name of the data format, or ""
}

// Error returns a text with the codes.
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

// Lookup returns the format for the two codes of a buffer: data formats up to 15 and number formats up to 7. Larger
// codes are the formats of images on GCN 1.0, see [LookupImage]. The error is an *[Error].
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

// Sets of number formats, one bit per code.
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
	oneBit  = (small | biased) &^ (snorm | ubnorm | ubint) // these formats have no value except 0 for a single bit
	noStore = uscaled | sscaled | snormOGL | srgb | biased
)

// layouts lists the data formats: the widths of the components from the lowest bit (for blocks, the widths in the
// texel from [Format.Extract]), the supported number formats, and the number formats that no source lists although
// the widths allow them. Widths: rules DP12 and TD3. Number formats: for buffers, those that LLVM can express as
// unified formats of later chips, which excludes normalised 32-bit components and floats of 8 bits; for images, rule
// IF1.
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

// Unstorable is the set of image data formats that stores do not support, one bit per code (rule TD3).
const Unstorable uint64 = 7<<gcn.Data8_24 | (1<<10-1)<<gcn.DataGB_GR | (1<<7-1)<<gcn.Data4_4

// numDoubts and dataDoubts describe the parts of loads that no source states for certain.
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

// table has all formats, by data and number format.
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

// build returns data format d with number format n, and number format alpha for the fourth component.
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
		f.Size = (bit + 7) / 8 // includes the shared exponent of 5_9_9_9, which is not a component
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

// numberOf returns the number format of component c; see [build].
func numberOf(d, n, alpha uint8, c int) uint8 {
	switch {
	case d == gcn.Data5_9_9_9:
		return sharedExponent
	case layouts[d].block == bc6: // UNORM and SNORM select whether it has a sign (rule IF11)
		return gcn.NumFLOAT
	case d == gcn.DataX24_8_32 && c == 1 && n == gcn.NumFLOAT:
		return gcn.NumUNORM
	case c == 3 && n == gcn.NumSRGB: // alpha is always linear (rule IF3)
		return gcn.NumUNORM
	case c == 3:
		return alpha
	}
	return n
}

// derive sets the fields that are derived from others, and returns f.
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
