package asm

import "github.com/gcnsim/gcnsim/gcn"

func scalarParts(r *gcn.Row) []part {
	var ps []part
	if n := r.Sig.Dst.Info().Dwords; n > 0 {
		ps = append(ps, part{kind: sgpr, field: gcn.SDST, n: uint8(n)})
	}
	for n, f := range [2]gcn.Field{gcn.SSRC0, gcn.SSRC1} {
		if t := r.Sig.Src[n]; t != gcn.None {
			ps = append(ps, part{kind: source, field: f, typ: t, n: uint8(t.Info().Dwords), file: scalarFile(r)})
		}
	}
	if r.Imm == gcn.IndexImm { // the mode is in the field of the second source
		ps[len(ps)-1].kind = gprIndex
	}
	return ps
}

// scalarFile is the file of the sources of scalar instruction r.
func scalarFile(r *gcn.Row) files {
	if r.Has(gcn.RegsOnly) {
		return scalarReg
	}
	return anyFile
}

// immKinds says how the immediates of rows are written; the others are plain numbers.
var immKinds = map[gcn.Imm]kind{
	gcn.WaitImm: waitcnt, gcn.MessageImm: sendmsg, gcn.EndImm: endImm, gcn.IndexImm: gprIndex, gcn.HwregImm: hwreg, gcn.PlainImm: uimm16,
}

func sopkParts(r *gcn.Row) []part {
	imm := part{kind: immKinds[r.Imm], field: gcn.SIMM16, typ: r.Sig.Src[1]}
	if r.Has(gcn.Branch) {
		imm.kind = target
	}
	reg := part{kind: sgpr, field: gcn.SDST, n: uint8(r.Sig.Dst.Info().Dwords)}
	switch {
	case r.Has(gcn.LiteralK): // s_setreg_imm32_b32
		return []part{imm, {kind: literal, field: gcn.LITERAL, typ: gcn.I32}}
	case r.Sig.Dst == gcn.None && imm.kind == hwreg: // s_setreg_b32
		reg.n = 1
		return []part{imm, reg}
	case r.Sig.Dst == gcn.None:
		reg.n = uint8(r.Sig.Src[0].Info().Dwords)
	}
	return []part{reg, imm}
}

func soppParts(r *gcn.Row) []part {
	k := immKinds[r.Imm]
	switch {
	case r.Has(gcn.Branch):
		k = target
	case r.Sig.Src[0] == gcn.None && r.Imm == gcn.PlainImm:
		return nil
	}
	return []part{{kind: k, field: gcn.SIMM16}}
}

func smemParts(in gcn.Inst, r *gcn.Row) []part {
	var ps []part
	switch {
	case r.Has(gcn.NoData):
	case r.Mem.Elem == 0:
		ps = append(ps, part{kind: probe, field: gcn.SDST})
	default:
		ps = append(ps, part{kind: sgpr, field: gcn.SDST, n: r.Mem.Dwords, file: belowM0})
	}
	if r.Has(gcn.NoOffset) {
		return ps
	}
	base := uint8(2)
	if r.Has(gcn.BufferBase) {
		base = 4
	}
	ps = append(ps, part{kind: sbase, field: gcn.SBASE, n: base, unit: 2}, part{kind: smemOffset, field: gcn.OFFSET})
	if in.Has(gcn.SOFFSET) {
		ps = append(ps, part{kind: smemMore, field: gcn.OFFSET, word: "offset"})
	}
	if in.Has(gcn.GLC) && r.Mem.Elem > 0 {
		ps = append(ps, part{kind: keyword, field: gcn.GLC, word: "glc", no: true})
	}
	return ps
}
