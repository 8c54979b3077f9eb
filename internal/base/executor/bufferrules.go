package executor

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// BufferRules are the properties of buffer addressing and range checks that differ between generations and between
// rule sets (rule K10).
type BufferRules struct {
	WideProduct   bool   // AINDEX*STRIDE has 64 bits instead of 32 (rule A4)
	Stride18      bool   // with ADD_TID, DFMT extends STRIDE to 18 bits, except for format instructions (rules R1 and R3)
	LinearNoTID   bool   // a linear buffer with IDXEN ignores ADD_TID (rule R2)
	SwizzleNeeds  bool   // swizzling requires ADD_TID in addition to SWIZZLE_ENABLE (rule K3)
	ElemSize      uint32 // element size of swizzling in bytes; 0 means that of the V# (rule K2)
	RawUnswizzled bool   // NUM_RECORDS is in bytes unless the buffer is swizzled (rule K4)
	Payload       bool   // range checks are those of rules C5 to C8, which include the last byte
	LDSOffset     bool   // MUBUF to LDS: OFFSET is also added to the LDS address (rule DP5)
	OOBSelect     bool   // the V# selects the range check and the element size (rules RD2 and RD3)
	// in alignment_mode UNALIGNED each byte of a raw element is swizzled by itself; compilers depend on it
	SplitBytes bool
	Unbound    bool // with DFMT 0 and without ADD_TID there is no resource: all accesses are out of range (rule R5)
}

// BufferChoice is a subject on which the rule sets of a generation can differ: a field of [BufferRules].
type BufferChoice uint8

// The subjects. K numbers are the rules about contradictory sources.
const (
	chooseElemSize BufferChoice = iota
	chooseSwizzle
	chooseRecords
	chooseRange
	chooseTID
	chooseProduct
	chooseStride
	ChooseLDSOffset // about loads to LDS; the others are about memory
	chooseBytes
	chooseSelect
	chooseUnbound
	NumBufferChoices
)

// bufferChoices has, for each subject, its name and a function that copies its field from one rule set to another. A
// test checks that every field has an entry, because otherwise no run would report a difference in it.
var bufferChoices = [NumBufferChoices]struct {
	text string
	take func(r BufferRules, from *BufferRules) BufferRules
}{
	chooseElemSize:  {rule.K2, func(r BufferRules, from *BufferRules) BufferRules { r.ElemSize = from.ElemSize; return r }},
	chooseSwizzle:   {rule.K3, func(r BufferRules, from *BufferRules) BufferRules { r.SwizzleNeeds = from.SwizzleNeeds; return r }},
	chooseRecords:   {rule.K4, func(r BufferRules, from *BufferRules) BufferRules { r.RawUnswizzled = from.RawUnswizzled; return r }},
	chooseRange:     {rule.C7, func(r BufferRules, from *BufferRules) BufferRules { r.Payload = from.Payload; return r }},
	chooseTID:       {rule.R2, func(r BufferRules, from *BufferRules) BufferRules { r.LinearNoTID = from.LinearNoTID; return r }},
	chooseProduct:   {rule.A4 + ", 32 or 64 bits", func(r BufferRules, from *BufferRules) BufferRules { r.WideProduct = from.WideProduct; return r }},
	chooseStride:    {rule.R1, func(r BufferRules, from *BufferRules) BufferRules { r.Stride18 = from.Stride18; return r }},
	ChooseLDSOffset: {rule.DP5 + ", with or without OFFSET", func(r BufferRules, from *BufferRules) BufferRules { r.LDSOffset = from.LDSOffset; return r }},
	chooseBytes:     {rule.A5 + ", the bytes of an element that crosses an element of swizzling", func(r BufferRules, from *BufferRules) BufferRules { r.SplitBytes = from.SplitBytes; return r }},
	chooseSelect:    {rule.RD2, func(r BufferRules, from *BufferRules) BufferRules { r.OOBSelect = from.OOBSelect; return r }},
	chooseUnbound:   {rule.R5, func(r BufferRules, from *BufferRules) BufferRules { r.Unbound = from.Unbound; return r }},
}

var _ = enum.Full[BufferChoice](bufferChoices[:])

// String returns the name of the subject.
func (c BufferChoice) String() string {
	if int(c) < len(bufferChoices) {
		return bufferChoices[c].text
	}
	return enum.Number(c)
}

// With returns r with the subject c copied from another rule set. Copying all subjects replaces one rule set by the
// other.
func (r BufferRules) With(c BufferChoice, from *BufferRules) BufferRules {
	return bufferChoices[c].take(r, from)
}

// bufferRules has the rules of the documents, then those of drivers.
var bufferRules = [2][gcn.NumGens]BufferRules{
	{gcn.GCN12: {Stride18: true}, gcn.GCN14: {Stride18: true}, gcn.GCN141: {Stride18: true}},
	{gcn.GCN12: {Stride18: true, RawUnswizzled: true, LDSOffset: true}, gcn.GCN14: vegaBuffer, gcn.GCN141: vegaBuffer},
}

var vegaBuffer = BufferRules{
	WideProduct: true, Stride18: true, LinearNoTID: true, SwizzleNeeds: true, ElemSize: 4, Payload: true,
	LDSOffset: true, SplitBytes: true,
}

// rdnaBuffer is the addressing and range checking of RDNA, without its instructions. Source: rules RD1 to RD3.
var rdnaBuffer = &BufferRules{WideProduct: true, OOBSelect: true, Payload: true, Unbound: true}

// BufferRulesOf returns the rules of buffer addressing under the rule set r on generation g. The caller must not
// change them.
func BufferRulesOf(r state.Rules, g gcn.Gen) *BufferRules {
	switch r {
	case state.RDNARules:
		return rdnaBuffer
	case state.DriverRules:
		return &bufferRules[1][g]
	}
	return &bufferRules[0][g]
}

// Other returns the rule set with which to compare r: the one of documents or drivers, which both describe the same
// hardware. RDNA has none.
func Other(r state.Rules) (other state.Rules, ok bool) {
	switch r {
	case state.DefaultRules, state.SeedRules:
		return state.DriverRules, true
	case state.DriverRules:
		return state.SeedRules, true
	}
	return r, false
}
