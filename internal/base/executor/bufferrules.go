package executor

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// BufferRules are the choices in buffer addressing and range checks that differ between
// generations and between the rule sets (rule K10).
type BufferRules struct {
	WideProduct   bool   // AINDEX*STRIDE has 64 bits, not 32 (rule A4)
	Stride18      bool   // ADD_TID: DFMT extends STRIDE to 18 bits, except for format instructions (rules R1 and R3)
	LinearNoTID   bool   // a linear buffer with IDXEN ignores ADD_TID (rule R2)
	SwizzleNeeds  bool   // swizzling needs ADD_TID besides SWIZZLE_ENABLE (rule K3)
	ElemSize      uint32 // element size of swizzling in bytes, 0: as in the V# (rule K2)
	RawUnswizzled bool   // NUM_RECORDS counts bytes unless the buffer is swizzled (rule K4)
	Payload       bool   // range checks of rules C5 to C8, which see the last byte
	LDSOffset     bool   // MUBUF to LDS: OFFSET is part of the LDS address too (rule DP5)
	OOBSelect     bool   // the V# chooses the range check and the element size (rules RD2 and RD3)
	// in alignment_mode UNALIGNED each byte of a raw element is swizzled by itself: compilers rely on it
	SplitBytes bool
	Unbound    bool // DFMT 0 without ADD_TID is no resource: all is out of range (rule R5)
}

// BufferChoice is a subject of buffer addressing on which the rule sets of a generation
// can differ: a field of [BufferRules].
type BufferChoice uint8

// The subjects; K numbers are the numbers of the places where sources disagree.
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

// String names the subject.
func (c BufferChoice) String() string {
	if int(c) < len(bufferChoices) {
		return bufferChoices[c].text
	}
	return enum.Number(c)
}

// With returns r with the choice on the subject c taken from another rule set. All
// choices together turn one rule set into the other.
func (r BufferRules) With(c BufferChoice, from *BufferRules) BufferRules {
	return bufferChoices[c].take(r, from)
}

// bufferRules holds the rules of the documents, then those of drivers.
var bufferRules = [2][gcn.NumGens]BufferRules{
	{gcn.GCN12: {Stride18: true}, gcn.GCN14: {Stride18: true}, gcn.GCN141: {Stride18: true}},
	{gcn.GCN12: {Stride18: true, RawUnswizzled: true, LDSOffset: true}, gcn.GCN14: vegaBuffer, gcn.GCN141: vegaBuffer},
}

var vegaBuffer = BufferRules{
	WideProduct: true, Stride18: true, LinearNoTID: true, SwizzleNeeds: true, ElemSize: 4, Payload: true,
	LDSOffset: true, SplitBytes: true,
}

// rdnaBuffer is the buffer profile of RDNA: its addressing and range checks without its
// instructions. Source: rules RD1 to RD3.
var rdnaBuffer = &BufferRules{WideProduct: true, OOBSelect: true, Payload: true, Unbound: true}

// BufferRulesOf returns the rules of buffer addressing that the rule set r has on
// generation g. The caller must not change them.
func BufferRulesOf(r state.Rules, g gcn.Gen) *BufferRules {
	switch r {
	case state.RDNARules:
		return rdnaBuffer
	case state.DriverRules:
		return &bufferRules[1][g]
	}
	return &bufferRules[0][g]
}

// Other returns the rule set to compare r with: the documents and the drivers speak about
// the same hardware, RDNA is another one.
func Other(r state.Rules) (other state.Rules, ok bool) {
	switch r {
	case state.DefaultRules, state.SeedRules:
		return state.DriverRules, true
	case state.DriverRules:
		return state.SeedRules, true
	}
	return r, false
}
