package asm

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
)

func dsParts(r *gcn.Row) []part {
	var ps []part
	m := r.Mem
	per := (int(m.Elem) + 3) / 4
	if !r.Has(gcn.Two) {
		per = int(m.Dwords)
	}
	if m.Ret {
		ps = append(ps, part{kind: vgpr, field: gcn.VDST, n: m.Dwords})
	}
	if !r.Has(gcn.NoAddr) {
		ps = append(ps, part{kind: vgpr, field: gcn.ADDR, n: 1})
	}
	if !r.Has(gcn.NoData) {
		ps = append(ps, part{kind: vgpr, field: gcn.DATA0, n: uint8(per)})
		if m.Second || r.Has(gcn.Two) {
			ps = append(ps, part{kind: vgpr, field: gcn.DATA1, n: uint8(per)})
		}
	}
	gds := part{kind: keyword, field: gcn.GDS, word: "gds", no: true}
	switch {
	case len(ps) == 0 && !r.Has(gcn.GDSOnly): // ds_nop
		return nil
	case r.Has(gcn.Two):
		ps = append(ps, part{kind: number, field: gcn.OFFSET0, word: "offset0"}, part{kind: number, field: gcn.OFFSET1, word: "offset1"})
	case r.Imm == gcn.SwizzleImm:
		ps = append(ps, part{kind: swizzle, field: gcn.OFFSET, word: "offset"})
	default:
		ps = append(ps, part{kind: number, field: gcn.OFFSET, word: "offset"})
	}
	if r.Has(gcn.GDSOnly) {
		gds.kind = implied
	}
	return append(ps, gds)
}

func bufferParts(in gcn.Inst, r *gcn.Row) []part {
	if r.Has(gcn.NoData) && r.Mem.Elem == 0 {
		return nil
	}
	var ps []part
	if !r.Has(gcn.NoData) {
		ps = append(ps, part{kind: vdata, field: gcn.VDATA})
	}
	if !r.Has(gcn.NoAddr) {
		ps = append(ps, part{kind: vaddr, field: gcn.ADDR})
	}
	ps = append(ps, part{kind: sbase, field: gcn.SRSRC, n: 4, unit: 4}, part{kind: source, field: gcn.SOFFSET, typ: gcn.I32, n: 1})
	if in.Has(gcn.DFMT) {
		ps = append(ps, part{kind: format, field: gcn.DFMT})
	}
	if !r.Has(gcn.NoAddr) {
		ps = append(ps, part{kind: keyword, field: gcn.IDXEN, word: "idxen"}, part{kind: keyword, field: gcn.OFFEN, word: "offen"})
		if in.Has(gcn.ADDR64) {
			ps = append(ps, part{kind: keyword, field: gcn.ADDR64, word: "addr64"})
		}
	}
	ps = append(ps, part{kind: number, field: gcn.OFFSET, word: "offset"})
	if r.Has(gcn.NoData) {
		return append(ps, part{kind: implied, field: gcn.LDS, word: "lds"}, part{kind: cachePol})
	}
	ps = append(ps, part{kind: cachePol})
	if r.Mem.Op != gcn.Atomic {
		ps = append(ps, part{kind: keyword, field: gcn.TFE, word: "tfe"})
	}
	if in.Has(gcn.LDS) && lds32(r) {
		ps = append(ps, part{kind: keyword, field: gcn.LDS, word: "lds"})
	}
	return ps
}

func imageParts(in gcn.Inst, r *gcn.Row) []part {
	ps := []part{{kind: vdata, field: gcn.VDATA}, {kind: iaddr, field: gcn.ADDR, n: imageAddrs(r)}, {kind: sbase, field: gcn.SRSRC, n: 8, unit: 4}}
	if r.Has(gcn.Sampler) {
		ps = append(ps, part{kind: sbase, field: gcn.SSAMP, n: 4, unit: 4})
	}
	ps = append(ps, part{kind: dmask, field: gcn.DMASK, word: "dmask"}, part{kind: keyword, field: gcn.UNRM, word: "unorm", no: true}, part{kind: cachePol})
	for _, m := range [...]struct {
		f    gcn.Field
		word string
	}{{gcn.R128, "r128"}, {gcn.A16, "a16"}, {gcn.TFE, "tfe"}, {gcn.LWE, "lwe"}, {gcn.DA, "da"}, {gcn.D16, "d16"}} {
		if in.Has(m.f) {
			ps = append(ps, part{kind: keyword, field: m.f, word: m.word, no: true})
		}
	}
	return ps
}

// imageAddrs is the fewest address VGPRs LLVM writes for an image instruction: one
// coordinate and one for each extra argument; derivatives add one.
func imageAddrs(r *gcn.Row) uint8 {
	return 1 + uint8(bits.OnesCount16(uint16(r.Addr&(gcn.AddrOffset|gcn.AddrBias|gcn.AddrCompare|gcn.AddrDeriv))))
}

// imageAddrsMost is the most address VGPRs LLVM takes: three coordinates, or a fourth one
// where there is no sampler. Tuples of the next power of two, up to 8, serve as well.
func imageAddrsMost(r *gcn.Row) int {
	if !r.Has(gcn.Sampler) {
		return 4
	}
	n := int(imageAddrs(r)) + 2
	if r.Addr&gcn.AddrDeriv != 0 {
		n += 5
	}
	if r.Addr&(gcn.AddrClamp|gcn.AddrLOD) != 0 {
		n++
	}
	return n
}

// imageTuple is how many data VGPRs LLVM prints: the fewest that the instruction can have
// where it has no tuple of the right width, or the tuple ends beyond v255.
func imageTuple(in gcn.Inst) int {
	n, least, most := in.DataDwords(), 1, 5
	switch r := in.Row(); {
	case r.Has(gcn.Gathers):
		least = 2
	case r.Mem.Op == gcn.Atomic:
		least = int(r.Mem.Dwords)
		most = 2*least + 1
	}
	if n < least || n > most || n == 3 && in.Row().Has(gcn.Gathers) || int(in.Get(gcn.VDATA))+n > 256 {
		return least
	}
	return n
}

func flatParts(in gcn.Inst, r *gcn.Row) []part {
	var ps []part
	m := r.Mem
	if m.Op == gcn.Load || m.Op == gcn.Atomic {
		n := int(m.Dwords)
		if m.Second {
			n = int(m.Elem) / 4
		}
		ps = append(ps, part{kind: vdata, field: gcn.VDST, n: uint8(n)})
	}
	toLDS := in.Has(gcn.LDS) && r.Enc != gcn.FLAT && lds32(r)
	ps = append(ps, part{kind: vflat, field: gcn.ADDR})
	if m.Op != gcn.Load {
		ps = append(ps, part{kind: vgpr, field: gcn.VDATA, n: m.Dwords})
	}
	if r.Enc != gcn.FLAT {
		address := part{kind: saddr, field: gcn.SADDR, n: 2, file: belowM0}
		if r.Enc == gcn.SCRATCH {
			address.n, address.file = 1, anyFile
		}
		ps = append(ps, address)
	}
	ps = append(ps, part{kind: flatOffset, field: gcn.OFFSET, word: "offset"}, part{kind: cachePol})
	if toLDS {
		ps = append(ps, part{kind: keyword, field: gcn.LDS, word: "lds"})
	}
	return ps
}

// lds32 reports whether r loads up to one dword a lane, so that it can load to LDS.
func lds32(r *gcn.Row) bool {
	return r.Mem.Op == gcn.Load && r.Mem.Dwords == 1 && r.Mem.D16 == gcn.Full
}
