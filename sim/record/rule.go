package record

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// rangeRule returns the identifier of the rule by which lanes of an access were out of range,
// "" if none is known to be the one.
func rangeRule(e *sim.Event) string {
	a, in := e.Access, e.Inst
	switch enc := in.Row().Enc; {
	case a.OutMask()&^a.Misaligned == 0 && a.Op == gcn.Atomic:
		return "L4" // alignment of atomics
	case a.OutMask()&^a.Misaligned == 0:
		return "L2" // alignment modes
	case enc == gcn.MUBUF, enc == gcn.MTBUF:
		return bufferRule(e)
	case enc == gcn.SMEM:
		return "SM4" // scalar buffer loads
	case enc == gcn.MIMG:
		return "CO1" // coordinates without a sampler
	case enc == gcn.DS && in.Bool(gcn.GDS):
		return "DS10" // GDS
	case enc == gcn.DS && e.Wave.Target.Traits().LDSLimitM0 && e.Wave.S[gcn.M0] < e.Wave.LDSBytes:
		return "DS3" // M0 bounds LDS
	case enc == gcn.DS, a.LDSLanes != 0:
		return "DS4" // bounds and size of LDS
	}
	return ""
}

// bufferRule is rangeRule of a MUBUF or MTBUF instruction.
func bufferRule(e *sim.Event) string {
	in := e.Inst
	srsrc := in.Get(gcn.SRSRC) * 4
	v := gcn.VSharp(e.Wave.S[srsrc : srsrc+4])
	b := v.Fields()
	m := &in.Row().Mem
	f := mubuf.Form{
		Offset: in.Get(gcn.OFFSET), IdxEn: in.Bool(gcn.IDXEN), OffEn: in.Bool(gcn.OFFEN), Addr64: in.Bool(gcn.ADDR64),
		Elem: m.Elem, Count: m.Count, Format: m.Format, Own: in.Enc == gcn.MTBUF,
	}
	l := mubuf.LayoutOf(e.Rules, e.Wave.Target.Gen(), &f, v)
	switch {
	case v == gcn.VSharp{}:
		return "R5" // an all-zero descriptor
	case b.Type != 0:
		return "R7" // a resource that is no buffer
	case e.Rules == state.RDNARules:
		return "RD2" // OOB_SELECT chooses the range check
	case b.NumRecords == 0:
		return "R4" // NUM_RECORDS of 0
	case l.Payload:
		return "C7" // the last byte counts
	case l.Records != mubuf.Unchecked && l.Offset == mubuf.Unchecked && f.IdxEn && e.Rules == state.DriverRules:
		return "C6" // with an index only the index is checked
	case l.Records != mubuf.Unchecked || l.Offset != mubuf.Unchecked:
		return "C2" // range of a structured buffer
	}
	return "C1" // range of a raw buffer
}
