package check

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// encodingIssues returns the issues in an instruction's words: bits without an effect.
func encodingIssues(in *isa.Inst) (list issues) {
	r := in.Row()
	if fields, reserved := in.Unread(); fields != nil || reserved != 0 {
		list.is(true, Note, "encoding", "", r.Name+" does not look at "+unreadText(in, fields, reserved))
	}
	list.is(wideLGKM(in) && in.Waits().LGKM < maxLGKM, Doubt, "LGKMCNT", "K7",
		fmt.Sprintf("bit 12 is set, which books read as part of the field: the checks of waits take it that way, as %d, "+
			"the weaker wait", 16+in.Get(isa.SIMM16)>>8&15))
	list.is(r.Has(isa.GDSOnly) && !in.Bool(isa.GDS), Warning, "GDS", "DS12",
		r.Name+" works on GDS, but the bit GDS is not set")
	list.is(r.Enc == isa.SCRATCH && in.Get(isa.SADDR) != isa.NoSADDR && in.Int(isa.OFFSET) < 0, Warning, "OFFSET", "F13",
		"a negative offset beside an SGPR: on GCN 1.4 such an address faults")
	list.is(in.Target.Gen() == gcn.GCN10 && r.Name == "v_div_scale_f32", Doubt, "VCC", "FP4",
		"LLVM says that the mask of v_div_scale cannot be used on GCN 1.0; for float32 it uses the mask all the same")
	if in.Enc == isa.MTBUF {
		if d := in.Get(isa.DFMT); d == 0 || d == reservedFormat {
			list.is(true, Warning, "DFMT", "R6", fmt.Sprintf("%d is no data format: loads give 0, stores do nothing", d))
		}
	}
	return list
}

// maxLGKM is the largest LGKMCNT of S_WAITCNT, which means no wait, whatever bit 12 is.
const maxLGKM = 15

// reservedFormat is the reserved data format of buffers.
const reservedFormat = 15

// unreadText names fields with their values, then bits that belong to no field.
func unreadText(in *isa.Inst, fields []isa.Field, reserved uint64) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, fmt.Sprintf("%v (%d)", f, in.Get(f)))
	}
	for ; reserved != 0; reserved &= reserved - 1 {
		bit := bits.TrailingZeros64(reserved)
		text := fmt.Sprintf("bit %d", bit)
		if f, g, ok := elsewhere(in, bit); ok {
			text += fmt.Sprintf(" (%v on %v)", f, g)
		}
		parts = append(parts, text)
	}
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return parts[0]
}

// elsewhere returns the one-bit field that another generation has at the same bit of the same encoding.
func elsewhere(in *isa.Inst, bit int) (isa.Field, gcn.Gen, bool) {
	for g := range gcn.Gen(gcn.NumGens) {
		for f := range isa.Field(isa.NumFields) {
			if shift, width := isa.FieldBits(g, in.Enc, f); shift == bit && width == 1 && !in.Has(f) {
				return f, g, true
			}
		}
	}
	return 0, 0, false
}
