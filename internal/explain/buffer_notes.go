package explain

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
)

// bufferNotes look for mistakes and surprising properties of a V#. Each returns a sentence, or "". Its comment has
// the source.
var bufferNotes = []func(x *Buffer) string{
	// Rule R7: the instruction is ignored.
	func(x *Buffer) string {
		return when(x.Buffer.Type != 0, "TYPE is %d, not 0: this is no buffer; buffer instructions with it do nothing",
			x.Buffer.Type)
	},
	// Rule R9: these bits have no name.
	func(x *Buffer) string {
		return reservedNote(isa.Reserved(x.VSharp[:], isa.VSharpFields[:], isa.VSharpHints[:]), nil)
	},
	// Rule R4.
	func(x *Buffer) string {
		return when(x.Buffer.NumRecords == 0, "NUM_RECORDS is 0: every access that is checked is out of range")
	},
	// Rule DP14.
	func(x *Buffer) string { return selNote(x.Buffer.DstSel) },
	// Rule R6; by R1 DATA_FORMAT can have another meaning.
	func(x *Buffer) string {
		return when(x.Buffer.DataFormat == 0, "DATA_FORMAT is 0: format instructions load 0 and store nothing; others "+
			"do not look at it")
	},
	// Rule DP12.
	func(x *Buffer) string {
		return when(x.Buffer.DataFormat == reservedFormat, "DATA_FORMAT 15 is reserved")
	},
	func(x *Buffer) string {
		float := x.Buffer.NumFormat == gcn.NumFLOAT
		small := slices.Contains([]uint8{1, 3, 10}, x.Buffer.DataFormat)
		return when(float && small, "NUM_FORMAT FLOAT does not go with components of 8 bits")
	},
	// Rule A7.
	func(x *Buffer) string {
		u := x.swizzled()
		return when(u != nil && u.Stride%u.ElemSize != 0,
			"STRIDE is no multiple of the element size (%s rules): records overlap when swizzled", x.named(u))
	},
	func(x *Buffer) string {
		u := x.swizzled()
		return when(u != nil && u.Stride == 0 && !x.Buffer.AddTID,
			"swizzled with STRIDE 0: groups of %d records lie on one another", x.Buffer.IndexStride)
	},
	// Rule L6.
	func(x *Buffer) string {
		return when(x.swizzled() != nil && x.Buffer.Base%4 != 0,
			"BASE is no multiple of 4: swizzled buffers need accesses of aligned dwords")
	},
	func(x *Buffer) string {
		return when(x.swizzled() == nil && x.Buffer.Base%4 != 0,
			"BASE is no multiple of 4: accesses of a dword and more are aligned down in the default alignment mode")
	},
	// Rule A4: the index is multiplied by STRIDE.
	func(x *Buffer) string {
		return when(x.Buffer.AddTID && !x.Buffer.Swizzle && x.Access[0].Stride == 0,
			"ADD_TID without swizzling and with STRIDE 0 does nothing: all lanes have the address of lane 0")
	},
	func(x *Buffer) string {
		return when(x.Buffer.AddTID && !x.Buffer.Swizzle && x.Access[0].Stride != 0,
			"ADD_TID without swizzling: the data of a lane lies STRIDE bytes after that of the lane before; scratch is "+
				"usually swizzled")
	},
	// Rules R1 and R3.
	func(x *Buffer) string {
		wide := slices.ContainsFunc(x.Access, func(u Access) bool { return u.Stride > x.Buffer.Stride })
		return when(wide, "ADD_TID: DATA_FORMAT is bits 14 to 17 of the stride for instructions that are no format ones")
	},
	// Rule A6.
	func(x *Buffer) string {
		const top = 1 << 48
		wraps := slices.ContainsFunc(x.Access, func(u Access) bool {
			return u.Size() != mubuf.Unchecked &&
				u.Size() > top-x.Buffer.Base
		})
		return when(wraps, "the range goes beyond 48 bits of address: it wraps to address 0")
	},
	// Rules K2 and K3.
	func(x *Buffer) string {
		r := executor.BufferRulesOf(state.DriverRules, x.Gen)
		return when(r.SwizzleNeeds && x.Buffer.Swizzle && !x.Buffer.AddTID,
			"SWIZZLE_ENABLE without ADD_TID: the seed rules swizzle, the driver rules do not")
	},
	func(x *Buffer) string {
		r := executor.BufferRulesOf(state.DriverRules, x.Gen)
		return when(r.ElemSize != 0 && x.Buffer.Swizzle && x.Buffer.ElemSize != r.ElemSize,
			"ELEMSIZE is %d bytes by the seed rules and fixed to %d by the driver rules", x.Buffer.ElemSize, r.ElemSize)
	},
	// Rule K4.
	func(x *Buffer) string {
		raw := executor.BufferRulesOf(state.DriverRules, x.Gen).RawUnswizzled && x.Buffer.Stride != 0 && !x.Buffer.Swizzle
		return when(raw, "NUM_RECORDS counts records by the seed rules and bytes by the driver rules")
	},
	// Rule C2.
	func(x *Buffer) string {
		open := slices.ContainsFunc(x.Access, func(u Access) bool {
			return u.Form == "offen" && u.Records != mubuf.Unchecked && u.Offset == mubuf.Unchecked
		})
		return when(open, "STRIDE is not 0: without an index the offset is not checked")
	},
}

// notes returns the notes on a V#. An all-zero V# has one note (rule R5).
func (x *Buffer) notes() []string {
	if x.VSharp == (gcn.VSharp{}) {
		unbound := "all words are 0, an unbound resource: loads give 0, stores are dropped"
		if x.addr64() {
			unbound += "; but with ADDR64 nothing is checked"
		}
		return []string{unbound}
	}
	var all []string
	for _, note := range bufferNotes {
		if text := note(x); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// swizzled returns a swizzled access, preferably one whose STRIDE is not a multiple of the element size; nil if there
// is none.
func (x *Buffer) swizzled() *Access {
	var found *Access
	for i := range x.Access {
		if u := &x.Access[i]; u.Swizzled && (found == nil || u.Stride%u.ElemSize != 0) {
			found = u
		}
	}
	return found
}

// named returns the rule sets of u for use in a sentence.
func (x *Buffer) named(u *Access) string {
	if u == nil {
		return ""
	}
	return u.Rules
}
