package gcn

// BufferRules are the choices in buffer addressing and range checks that differ between
// generations and between the two rule sets of spec/memory.md 0.
type BufferRules struct {
	WideProduct   bool   // AINDEX*STRIDE has 64 bits, not 32 (A4)
	Stride18      bool   // ADD_TID: DFMT extends STRIDE to 18 bits, but for format instructions (R1, R3)
	LinearNoTID   bool   // a linear buffer with IDXEN ignores ADD_TID (R2)
	SwizzleNeeds  bool   // swizzling needs ADD_TID besides SWIZZLE_ENABLE (K3)
	ElemSize      uint32 // element size of swizzling in bytes, 0: that of the V# (K2)
	RawUnswizzled bool   // NUM_RECORDS counts bytes unless the buffer is swizzled (K4)
	Payload       bool   // range checks of spec/memory.md 3.3, which see the last byte
	LDSOffset     bool   // MUBUF to LDS: OFFSET is part of the LDS address too (5.5)
	OOBSelect     bool   // the V# chooses the range check and the element size (3.4)
	SplitBytes    bool   // in alignment_mode UNALIGNED each byte of a raw element is swizzled by itself: compilers rely on it
	Unbound       bool   // DFMT 0 without ADD_TID is no resource: all is out of range (R5)
}

// BufferChoice is a subject of buffer addressing on which the rule sets of a generation
// can differ: a field of [BufferRules].
type BufferChoice uint8

// The subjects; K numbers are those of the places where sources disagree.
const (
	chooseElemSize BufferChoice = iota
	chooseSwizzle
	chooseRecords
	chooseRange
	chooseTID
	chooseProduct
	chooseStride
	ChooseLDSOffset // of loads to LDS; the others are about memory
	chooseBytes
	chooseSelect
	chooseUnbound
	NumBufferChoices
)

// bufferChoices names each subject and moves its field from one rule set to another. A
// field without a choice would be a difference that no run reports, so a test compares
// this table with the fields.
var bufferChoices = [NumBufferChoices]struct {
	text string
	take func(r BufferRules, from *BufferRules) BufferRules
}{
	chooseElemSize:  {"K2: the element size of swizzling", func(r BufferRules, from *BufferRules) BufferRules { r.ElemSize = from.ElemSize; return r }},
	chooseSwizzle:   {"K3: whether SWIZZLE_ENABLE needs ADD_TID", func(r BufferRules, from *BufferRules) BufferRules { r.SwizzleNeeds = from.SwizzleNeeds; return r }},
	chooseRecords:   {"K4: NUM_RECORDS as records or bytes", func(r BufferRules, from *BufferRules) BufferRules { r.RawUnswizzled = from.RawUnswizzled; return r }},
	chooseRange:     {"the range check of GCN 1.4", func(r BufferRules, from *BufferRules) BufferRules { r.Payload = from.Payload; return r }},
	chooseTID:       {"ADD_TID of a linear buffer with IDXEN", func(r BufferRules, from *BufferRules) BufferRules { r.LinearNoTID = from.LinearNoTID; return r }},
	chooseProduct:   {"AINDEX*STRIDE in 32 or 64 bits", func(r BufferRules, from *BufferRules) BufferRules { r.WideProduct = from.WideProduct; return r }},
	chooseStride:    {"ADD_TID: DATA_FORMAT as bits 14 to 17 of STRIDE", func(r BufferRules, from *BufferRules) BufferRules { r.Stride18 = from.Stride18; return r }},
	ChooseLDSOffset: {"OFFSET as part of the LDS address", func(r BufferRules, from *BufferRules) BufferRules { r.LDSOffset = from.LDSOffset; return r }},
	chooseBytes:     {"the bytes of an element that crosses an element of swizzling", func(r BufferRules, from *BufferRules) BufferRules { r.SplitBytes = from.SplitBytes; return r }},
	chooseSelect:    {"OOB_SELECT", func(r BufferRules, from *BufferRules) BufferRules { r.OOBSelect = from.OOBSelect; return r }},
	chooseUnbound:   {"DATA_FORMAT 0 as an unbound resource", func(r BufferRules, from *BufferRules) BufferRules { r.Unbound = from.Unbound; return r }},
}

// String names the subject.
func (c BufferChoice) String() string { return bufferChoices[c].text }

// With returns r with the choice on the subject c taken from another rule set. All
// choices together turn one rule set into the other.
func (r BufferRules) With(c BufferChoice, from *BufferRules) BufferRules {
	return bufferChoices[c].take(r, from)
}

// bufferRules holds the rules of the documents, then those of drivers.
var bufferRules = [2][NumGens]BufferRules{
	{GCN12: {Stride18: true}, GCN14: {Stride18: true}, GCN141: {Stride18: true}},
	{GCN12: {Stride18: true, RawUnswizzled: true}, GCN14: vegaBuffer, GCN141: vegaBuffer},
}

var vegaBuffer = BufferRules{
	WideProduct: true, Stride18: true, LinearNoTID: true, SwizzleNeeds: true, ElemSize: 4, Payload: true, LDSOffset: true, SplitBytes: true,
}

// RDNABuffer is the buffer profile of RDNA: its addressing and range checks without its
// instructions. Source: seed RDNA buffer chapter; spec/memory.md 3.4, of which it is the
// column of gfx11, the one that the chapter describes.
var RDNABuffer = &BufferRules{WideProduct: true, OOBSelect: true, Payload: true, Unbound: true}

// BufferRules returns the rules of generation g: those that drivers rely on, or the
// letter of the documents. The caller must not change them.
func (g Gen) BufferRules(driver bool) *BufferRules {
	if driver {
		return &bufferRules[1][g]
	}
	return &bufferRules[0][g]
}
