package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/mubuf"
)

// vsharpNotes are what can be wrong or surprising with a V#: each gives a sentence, or
// "" if all is well. The source of each is in its comment.
var vsharpNotes = []func(x *vsharp) string{
	// Rule R7: the instruction is ignored.
	func(x *vsharp) string {
		return when(x.v.Type() != 0, "TYPE is %d, not 0: this is no buffer; buffer instructions with it do nothing", x.v.Type())
	},
	// Rule R9 gives these bits no name.
	func(x *vsharp) string {
		r := x.v.Reserved()
		return reservedNote(r[:])
	},
	// Rule R4.
	func(x *vsharp) string {
		return when(x.v.NumRecords() == 0, "NUM_RECORDS is 0: every access that is checked is out of range")
	},
	// Rule DP14.
	func(x *vsharp) string { return selNote(x.v.DstSels()) },
	// Rule R6; R1 gives DATA_FORMAT another meaning.
	func(x *vsharp) string {
		return when(x.v.DataFormat() == 0, "DATA_FORMAT is 0: format instructions load 0 and store nothing; others do not look at it")
	},
	// Rule DP12.
	func(x *vsharp) string {
		return when(x.v.DataFormat() == 15, "DATA_FORMAT 15 is reserved")
	},
	func(x *vsharp) string {
		float := asm.NumFormat(x.gen, uint32(x.v.NumFormat())) == "FLOAT"
		small := slices.Contains([]uint8{1, 3, 10}, x.v.DataFormat())
		return when(float && small, "NUM_FORMAT FLOAT does not go with components of 8 bits")
	},
	// Rule A7.
	func(x *vsharp) string {
		u := x.swizzled()
		return when(u != nil && u.Stride%u.ElemSize != 0, "STRIDE is no multiple of the element size (%s rules): records overlap when swizzled", x.named(u))
	},
	func(x *vsharp) string {
		u := x.swizzled()
		return when(u != nil && u.Stride == 0 && !x.v.AddTID(), "swizzled with STRIDE 0: groups of %d records lie on one another", x.v.IndexStride())
	},
	// Rule L6.
	func(x *vsharp) string {
		return when(x.swizzled() != nil && x.v.Base()%4 != 0, "BASE is no multiple of 4: swizzled buffers need accesses of aligned dwords")
	},
	func(x *vsharp) string {
		return when(x.swizzled() == nil && x.v.Base()%4 != 0, "BASE is no multiple of 4: accesses of a dword and more are aligned down in the default alignment mode")
	},
	// Rule A4: the index is multiplied by STRIDE.
	func(x *vsharp) string {
		return when(x.v.AddTID() && !x.v.Swizzle() && x.rows[0].Stride == 0,
			"ADD_TID without swizzling and with STRIDE 0 does nothing: all lanes have the address of lane 0")
	},
	func(x *vsharp) string {
		return when(x.v.AddTID() && !x.v.Swizzle() && x.rows[0].Stride != 0,
			"ADD_TID without swizzling: the data of a lane lies STRIDE bytes after that of the lane before; scratch is usually swizzled")
	},
	// Rules R1 and R3.
	func(x *vsharp) string {
		wide := slices.ContainsFunc(x.rows, func(u use) bool { return u.Stride > x.v.Stride() })
		return when(wide, "ADD_TID: DATA_FORMAT is bits 14 to 17 of the stride for instructions that are no format ones")
	},
	// Rule A6.
	func(x *vsharp) string {
		const top = 1 << 48
		wraps := slices.ContainsFunc(x.rows, func(u use) bool { return u.reach() != mubuf.Unchecked && u.reach() > top-x.v.Base() })
		return when(wraps, "the range goes beyond 48 bits of address: it wraps to address 0")
	},
	// Rules K2 and K3.
	func(x *vsharp) string {
		r := x.gen.BufferRules(true)
		return when(r.SwizzleNeeds && x.v.Swizzle() && !x.v.AddTID(), "SWIZZLE_ENABLE without ADD_TID: the seed rules swizzle, the driver rules do not")
	},
	func(x *vsharp) string {
		r := x.gen.BufferRules(true)
		return when(r.ElemSize != 0 && x.v.Swizzle() && x.v.ElemSize() != r.ElemSize,
			"ELEMSIZE is %d bytes by the seed rules and fixed to %d by the driver rules", x.v.ElemSize(), r.ElemSize)
	},
	// Rule K4.
	func(x *vsharp) string {
		raw := x.gen.BufferRules(true).RawUnswizzled && x.v.Stride() != 0 && !x.v.Swizzle()
		return when(raw, "NUM_RECORDS counts records by the seed rules and bytes by the driver rules")
	},
	// Rule C2.
	func(x *vsharp) string {
		open := slices.ContainsFunc(x.rows, func(u use) bool {
			return u.form == "offen" && u.Records != mubuf.Unchecked && u.Offset == mubuf.Unchecked
		})
		return when(open, "STRIDE is not 0: without an index the offset is not checked")
	},
}

// notes returns what deserves attention. An all-zero V# has one note (rule R5).
func (x *vsharp) notes() []string {
	if x.v == (gcn.VSharp{}) {
		return []string{"all words are 0, an unbound resource: loads give 0, stores are dropped"}
	}
	var all []string
	for _, note := range vsharpNotes {
		if text := note(x); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// reservedNote lists the bits of words that have no meaning.
func reservedNote(words []uint32) string {
	var list []string
	for n := range 32 * len(words) {
		if words[n/32]>>(n%32)&1 != 0 {
			list = append(list, fmt.Sprint(n))
		}
	}
	return when(list != nil, "reserved bits are set: %s", strings.Join(list, ", "))
}

// selNote names the codes of DST_SEL that are not defined.
func selNote(sel [4]gcn.Sel) string {
	list := ""
	for i, s := range sel {
		if s > gcn.Sel1 && s < gcn.SelR {
			list += fmt.Sprintf(" DST_SEL_%c = %d", "XYZW"[i], s)
		}
	}
	return when(list != "", "codes 2 and 3 of DST_SEL are not defined:%s", list)
}

func when(cond bool, format string, args ...any) string {
	if !cond {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// swizzled returns the first use that is swizzled, of one whose STRIDE is no multiple of
// the element size if there is one; nil if none is.
func (x *vsharp) swizzled() *use {
	var found *use
	for i := range x.rows {
		if u := &x.rows[i]; u.Swizzled && (found == nil || u.Stride%u.ElemSize != 0) {
			found = u
		}
	}
	return found
}

// named returns the rule sets of u in a sentence.
func (x *vsharp) named(u *use) string {
	if u == nil {
		return ""
	}
	return u.rules
}
