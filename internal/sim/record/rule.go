package record

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// rangeRule returns the id of the rule by which lanes of an access were out of range, "" if it is not known.
func rangeRule(e *sim.Event) string {
	a, in := e.Access, (*isa.Inst)(e.Inst)
	switch enc := in.Row().Enc; {
	case a.OutMask()&^a.Misaligned == 0 && a.Op == gcn.Atomic:
		return "L4" // alignment of atomics
	case a.OutMask()&^a.Misaligned == 0:
		return "L2" // alignment modes
	case enc == isa.MUBUF, enc == isa.MTBUF:
		return bufferRule(e)
	case enc == isa.SMEM:
		return "SM4" // scalar buffer loads
	case enc == isa.MIMG:
		return "CO1" // coordinates without a sampler
	case enc == isa.DS && in.Bool(isa.GDS):
		return "DS10" // GDS
	case enc == isa.DS && isa.TraitsOf(e.Wave.Target).LDSLimitM0 && e.Wave.S[gcn.M0] < e.Wave.LDSBytes:
		return "DS3" // M0 bounds LDS
	case enc == isa.DS, a.LDSLanes != 0:
		return "DS4" // bounds and size of LDS
	}
	return ""
}

// bufferRule does what rangeRule does, for a MUBUF or MTBUF instruction.
func bufferRule(e *sim.Event) string {
	in := (*isa.Inst)(e.Inst)
	srsrc := in.Get(isa.SRSRC) * 4
	v := gcn.VSharp(e.Wave.S[srsrc : srsrc+4])
	b := v.Fields()
	m := &in.Row().Mem
	f := mubuf.Form{
		Offset: in.Get(isa.OFFSET), IdxEn: in.Bool(isa.IDXEN), OffEn: in.Bool(isa.OFFEN), Addr64: in.Bool(isa.ADDR64),
		Elem: m.Elem, Count: m.Count, Format: m.Format, Own: in.Enc == isa.MTBUF,
	}
	l := mubuf.LayoutOf(e.Rules, e.Wave.Target.Gen(), &f, v)
	switch {
	case v == gcn.VSharp{}:
		return "R5" // an all-zero descriptor
	case b.Type != 0:
		return "R7" // a resource that is not a buffer
	case e.Rules == state.RDNARules:
		return "RD2" // OOB_SELECT selects the range check
	case b.NumRecords == 0:
		return "R4" // NUM_RECORDS of 0
	case l.Payload:
		return "C7" // the last byte counts
	case l.Records != mubuf.Unchecked && l.Offset == mubuf.Unchecked && f.IdxEn && e.Rules == state.DriverRules:
		return "C6" // with an index, only the index is checked
	case l.Records != mubuf.Unchecked || l.Offset != mubuf.Unchecked:
		return "C2" // range of a structured buffer
	}
	return "C1" // range of a raw buffer
}
