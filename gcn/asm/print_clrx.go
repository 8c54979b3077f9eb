package asm

import (
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
)

// appendOperandCLRX prints the operands that CLRX writes in a way of its own.
func appendOperandCLRX(b []byte, in gcn.Inst, p *part) []byte {
	v := in.Get(p.field)
	switch p.kind {
	case source:
		if in.Has(gcn.SRC0SGPR) && !in.Bool(sgprFlag(p)) {
			v += gcn.VGPR0
		}
		return appendSourceCLRX(b, in, p, v)
	case vgpr:
		return appendSourceCLRX(b, in, p, gcn.VGPR0+v&0xff)
	case sgpr:
		return appendCodeCLRX(b, in, v, int(p.n))
	case sbase, resource:
		return appendCodeCLRX(b, in, v*uint32(p.unit), width(in, p))
	case vccOut:
		if in.Bool(gcn.SDSTEN) {
			return appendCodeCLRX(b, in, v, 2)
		}
	case saddr:
		if v != gcn.NoSADDR {
			return appendCodeCLRX(b, in, v, int(p.n))
		}
	case literal, uimm16, probe, gprIndex:
		return appendHex(b, uint64(v))
	case endImm:
		if v != 0 {
			return appendHex(b, uint64(v))
		}
		return b
	case target:
		return appendDistance(b, 4+4*int64(in.Int(gcn.SIMM16)))
	case smemOffset:
		return appendSMEMOffsetCLRX(b, in)
	case vaddr:
		n := in.AddrDwords()
		return appendVGPRCLRX(b, v, max(n, 1))
	case vdata, iaddr, vflat:
		if p.kind == vflat && in.Enc == gcn.SCRATCH && in.Get(gcn.SADDR) != gcn.NoSADDR {
			return append(b, "off"...)
		}
		n := width(in, p)
		if p.kind == vdata && in.Enc == gcn.MIMG {
			n = clrxData(in)
		}
		return appendVGPRCLRX(b, v, n)
	case expTarget:
		if v > 9 && v < 12 || v > 15 && v < 32 {
			return strconv.AppendUint(append(b, "ill_"...), uint64(v), 10)
		}
	case interpParam:
		if int(v) >= len(interpParams) {
			return strconv.AppendUint(append(b, "invalid_"...), uint64(v), 10)
		}
	case waitcnt:
		return appendWaitcntCLRX(b, in.Target.Gen(), v)
	case hwreg:
		return appendHwregCLRX(b, in.Target.Gen(), v)
	case sendmsg:
		return appendSendmsgCLRX(b, in.Target.Gen(), v)
	}
	return appendOperand(b, in, p)
}

// appendDistance prints a branch target as a distance from the instruction.
func appendDistance(b []byte, d int64) []byte {
	b = append(b, '.')
	if d >= 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, d, 10)
}

func appendSourceCLRX(b []byte, in gcn.Inst, p *part, code uint32) []byte {
	neg, abs, sext := sourceBits(in, p)
	if sext {
		b = append(b, "sext("...)
	}
	if neg {
		b = append(b, '-')
	}
	if abs {
		b = append(b, "abs("...)
	}
	b = appendCodeCLRX(b, in, code, int(p.n))
	if abs {
		b = append(b, ')')
	}
	if sext {
		b = append(b, ')')
	}
	return b
}

// appendCodeCLRX prints n registers from operand code code on, or a constant. What
// makes no sense is marked as clrxdisasm does it.
func appendCodeCLRX(b []byte, in gcn.Inst, code uint32, n int) []byte {
	t := in.Target.Traits()
	names := &nameTables[in.Target.Gen()]
	switch {
	case code >= gcn.VGPR0:
		return appendVGPRCLRX(b, code-gcn.VGPR0, n)
	case int(code) < t.SGPRs:
		return appendRange(b, "s", code, n)
	case code >= uint32(t.TTMP) && code < gcn.M0:
		return appendRange(b, "ttmp", code-uint32(t.TTMP), n)
	case code == gcn.Literal && !in.Has(gcn.LITERAL):
		return append(b, "0x0"...)
	case code == gcn.Literal:
		v := in.Get(gcn.LITERAL)
		if _, small := inlineInt(int64(int32(v))); small {
			return append(strconv.AppendInt(append(b, "lit("...), int64(int32(v)), 10), ')')
		}
		return appendHex(b, uint64(v))
	case n >= 2 && code < gcn.NumScalarCodes && names.two[code&^1] != "":
		b = append(b, names.two[code&^1]...)
		if code&1 != 0 {
			b = append(b, "_u!"...)
		}
		if n > 2 {
			b = append(b, "&ill!"...)
		}
		return b
	case code == gcn.M0 && n > 1:
		return append(b, "m0&ill!"...)
	case names.one[code] != "":
		name := names.one[code]
		if code >= gcn.NumScalarCodes {
			name = clrxConst(name)
		}
		return append(b, name...)
	}
	if v, ok := inlineInteger(code); ok {
		return strconv.AppendInt(b, v, 10)
	}
	if code >= gcn.ConstHalf && code < gcn.ConstInvTwoPi || code == gcn.ConstInvTwoPi && t.InvTwoPi {
		return append(b, inlineFloatNames[code-gcn.ConstHalf]...)
	}
	return strconv.AppendUint(append(b, "ill_"...), uint64(code), 10)
}

// appendVGPRCLRX prints n VGPRs from reg on; after v255 comes v0.
func appendVGPRCLRX(b []byte, reg uint32, n int) []byte {
	if n <= 1 || int(reg)+n <= 256 {
		return appendVGPR(b, reg, n)
	}
	b = strconv.AppendUint(append(b, "v["...), uint64(reg), 10)
	b = strconv.AppendUint(append(b, ':'), uint64(reg)+uint64(n)-1-256, 10)
	return append(b, ']')
}

// exportUses reports whether an export reads source byte n.
func exportUses(in gcn.Inst, n uint8) bool {
	en := in.Get(gcn.EN)
	if in.Bool(gcn.COMPR) {
		return n < 2 && en>>(2*n)&3 != 0
	}
	return en>>n&1 != 0
}

// clrxConst is CLRX's name of the operand LLVM calls src_NAME.
func clrxConst(name string) string {
	if name == "src_lds_direct" {
		return "lds"
	}
	return name[len("src_"):]
}

func appendSMEMOffsetCLRX(b []byte, in gcn.Inst) []byte {
	switch {
	case in.Bool(gcn.SOE):
		return appendCodeCLRX(b, in, in.Get(gcn.SOFFSET), 1)
	case in.Bool(gcn.IMM):
		return appendHex(b, uint64(in.Get(gcn.OFFSET)))
	case in.Has(gcn.LITERAL) && in.Size == 8:
		v := in.Get(gcn.LITERAL)
		if v <= 0xff { // what an immediate could hold
			return append(strconv.AppendUint(append(b, "lit("...), uint64(v), 10), ')')
		}
		return appendHex(b, uint64(v))
	}
	return appendCodeCLRX(b, in, in.Get(gcn.OFFSET)&0xff, 1)
}

func appendWaitcntCLRX(b []byte, g gcn.Gen, v uint32) []byte {
	t := g.Traits()
	all := v == allIdle(g)
	sep, known := "", uint32(0)
	for n := range counters {
		c := &counters[n]
		top := c.max(t)
		known = c.set(known, top)
		if got := c.get(v, top); all || got != top {
			b = append(append(append(b, sep...), c.name...), '(')
			b = append(strconv.AppendUint(b, uint64(got), 10), ')')
			sep = " & "
		}
	}
	if v&^known != 0 {
		if sep != "" {
			b = append(b, " :"...)
		}
		b = appendHex(b, uint64(v))
	}
	return b
}

// clrxHwregs are CLRX's names of the hardware registers. Source: rule ST8.
var clrxHwregs = [20]string{
	"@0", "mode", "status", "trapsts", "hw_id", "gpr_alloc", "lds_alloc", "ib_sts", "pc_lo", "pc_hi", "inst_dw0", "inst_dw1",
	"ib_dbg0", "ib_dbg1", "flush_ib", "sh_mem_bases", "sq_shader_tba_lo", "sq_shader_tba_hi", "sq_shader_tma_lo", "sq_shader_tma_hi",
}

// clrxHwreg returns the name of hardware register id on g, "" if it has none.
func clrxHwreg(g gcn.Gen, id uint32) string {
	n := uint32(13)
	switch t := g.Traits(); {
	case t.Apertures:
		n = 20
	case t.SecondWord:
		n = 14
	}
	if id < n {
		return clrxHwregs[id]
	}
	return ""
}

func appendHwregCLRX(b []byte, g gcn.Gen, v uint32) []byte {
	id := v & 63
	b = append(b, "hwreg("...)
	if name := clrxHwreg(g, id); name != "" {
		b = append(b, name...)
	} else {
		b = append(b, '@', '0'+byte(id/10), '0'+byte(id%10))
	}
	b = strconv.AppendUint(append(b, ", "...), uint64(v>>6&31), 10)
	b = strconv.AppendUint(append(b, ", "...), uint64(v>>11&31)+1, 10)
	return append(b, ')')
}

// clrxMessages are CLRX's names of the messages; those between 4 and 10 exist from
// GCN 1.4 on.
var clrxMessages = [16]string{
	0: "@0", 1: "interrupt", 2: "gs", 3: "gs_done", 4: "savewave", 5: "stall_wave_gen", 6: "halt_waves", 7: "ordered_ps_done",
	8: "early_prim_dealloc", 9: "gs_alloc_req", 10: "get_doorbell", 11: "@11", 12: "@12", 13: "@13", 14: "@14", 15: "system",
}

var clrxGSOps = [4]string{"nop", "cut", "emit", "emit-cut"}

const msgGS, msgGSDone = 2, 3

// clrxMessage returns the name of message id on g as clrxdisasm knows it; ok is false if it
// has only a number.
func clrxMessage(g gcn.Gen, id uint32) (name string, ok bool) {
	if id >= 4 && id <= 10 && !g.Traits().Apertures {
		return "", false
	}
	return clrxMessages[id], clrxMessages[id][0] != '@'
}

func appendSendmsgCLRX(b []byte, g gcn.Gen, v uint32) []byte {
	id, op, stream := v&15, v>>4&3, v>>8&3
	name, known := clrxMessage(g, id)
	b = append(b, "sendmsg("...)
	if name != "" {
		b = append(b, name...)
	} else {
		b = strconv.AppendUint(append(b, '@'), uint64(id), 10)
	}
	bad := uint32(0xfff0)
	if id&14 == 2 || !known && id >= 4 || v&0x3f0 != 0 {
		bad = 0xfcc0
		b = append(append(b, ", "...), clrxGSOps[op]...)
		if op != 0 || stream != 0 {
			b = strconv.AppendUint(append(b, ", "...), uint64(stream), 10)
		}
	}
	b = append(b, ')')
	if v&bad != 0 {
		b = appendHex(append(b, " :"...), uint64(v))
	}
	return b
}

// sdwaSelsCLRX and sdwaUnusedCLRX are CLRX's names; the empty ones are not printed.
var (
	sdwaSelsCLRX   = [8]string{"byte0", "byte1", "byte2", "byte3", "word0", "word1", "dword", "invalid"}
	sdwaUnusedCLRX = [4]string{"pad", "sext", "preserve", "invalid"}
)

const sdwaDWORD = 6

// appendModifierCLRX prints modifier p if it is not at its default.
func appendModifierCLRX(b []byte, in gcn.Inst, p *part) []byte {
	v := in.Get(p.field)
	switch p.kind {
	case dmask: // absent means 1
		if v != 1 {
			return appendNumber(b, p.word, int64(v))
		}
	case number:
		if p.field == gcn.BANKMASK || p.field == gcn.ROWMASK || v != 0 {
			return appendNumber(b, p.word, int64(v))
		}
	case smemMore:
		if in.Bool(gcn.SOE) && in.Bool(gcn.IMM) {
			return appendHex(append(b, " offset:"...), uint64(v))
		}
	case formatMod:
		if v != defaultDFMT || in.Get(gcn.NFMT) != 0 {
			return appendFormatCLRX(b, in)
		}
	case dstSel, srcSel:
		if v != sdwaDWORD {
			return append(append(append(append(b, ' '), p.word...), ':'), sdwaSelsCLRX[v&7]...)
		}
	case dstUnused:
		if v != 0 {
			return append(append(b, " dst_unused:"...), sdwaUnusedCLRX[v&3]...)
		}
	case dppCtrl:
		return appendDPPCLRX(b, v)
	case unusedBit:
		if v>>p.src&1 != 0 {
			return append(append(b, ' '), p.word...)
		}
	case unusedFlag:
		if v != 0 {
			return append(append(b, ' '), p.word...)
		}
	case unusedExp:
		if reg := uint32(in.Words>>(32+8*p.src)) & 0xff; reg != 0 && !exportUses(in, p.src) {
			return appendHex(append(append(append(b, ' '), p.word...), '='), uint64(reg))
		}
	case opSelHi:
		return appendBits(b, p, modifierBits(in, p), 1<<p.n-1)
	case unused:
		if v != 0 && p.field == gcn.IMM {
			return append(b, " imm=1"...)
		}
		if v != 0 {
			return appendHex(append(append(append(b, ' '), p.word...), '='), uint64(v))
		}
	case vop3Mark:
		if looksShort(in) {
			return append(b, " vop3"...)
		}
	case secondMark:
		if in.Has(gcn.SRC0SEL) && looksPlain(in) {
			return append(b, " sdwa"...)
		}
	default:
		return appendModifier(b, in, p)
	}
	return b
}

func appendFormatCLRX(b []byte, in gcn.Inst) []byte {
	d, n := in.Get(gcn.DFMT), in.Get(gcn.NFMT)
	b = append(b, " format:["...)
	if d != defaultDFMT {
		b = appendLower(b, clrxDFMT(d))
		if n != 0 {
			b = append(b, ',')
		}
	}
	if n != 0 {
		b = appendLower(b, clrxNFMT(n))
	}
	return append(b, ']')
}

// clrxDFMT and clrxNFMT are LLVM's names but for the reserved ones. Those of data formats
// clrxasm takes as numbers only, unlike what clrxdisasm prints.
func clrxDFMT(d uint32) string {
	switch d {
	case 0:
		return "@0"
	case 15:
		return "@15"
	}
	return dfmtNames[d]
}

func clrxNFMT(n uint32) string {
	if n == snormOGL {
		return "SNORM_OGL"
	}
	return nfmtNames[n]
}

func appendLower(b []byte, s string) []byte {
	for n := range len(s) {
		c := s[n]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

func appendDPPCLRX(b []byte, v uint32) []byte {
	if v < 0x100 {
		return appendDPP(append(b, ' '), v)
	}
	for _, s := range &dppShifts {
		if v > s.base && v <= s.base+15 {
			return appendNumber(b, s.word, int64(v-s.base))
		}
	}
	for n, f := range &dppFixed {
		if v == f.ctrl {
			return append(append(b, ' '), dppFixedCLRX[n]...)
		}
	}
	if v != 0x100 {
		b = appendHex(append(b, " dppctrl:"...), uint64(v))
	}
	return b
}

// dppFixedCLRX are CLRX's words for dppFixed.
var dppFixedCLRX = [len(dppFixed)]string{"wave_shl", "wave_rol", "wave_shr", "wave_ror", "row_mirror", "row_half_mirror", "row_bcast15", "row_bcast31"}

// looksShort reports whether the text of a VOP3 instruction could be that of its 32-bit
// encoding, so that a mark must tell them apart.
func looksShort(in gcn.Inst) bool {
	r := in.Row()
	carry := r.Has(gcn.CarryIn)
	neg := in.Get(gcn.NEG)
	if carry {
		neg &= 3
	}
	if in.Bool(gcn.OMOD) || neg != 0 || in.Bool(gcn.OPSEL) || in.Enc == gcn.VOP3A && in.Bool(gcn.CLAMP) {
		return false
	}
	if abs := in.Get(gcn.ABS); in.Enc == gcn.VOP3A && abs != 0 && !(carry && abs == 4) {
		return false
	}
	if carry && in.Get(gcn.SRC2) != gcn.VCC || !carry && in.Bool(gcn.SRC2) {
		return false
	}
	if in.Enc == gcn.VOP3B && in.Get(gcn.SDST) != gcn.VCC {
		return false
	}
	switch {
	case r.Has(gcn.Interpolates):
		isParam := in.Get(gcn.SRC1) < gcn.VGPR0
		return in.Get(gcn.SRC0) < 0x100 && isParam == isInterpMov(r)
	case r.Enc == gcn.VOP1:
		return !in.Bool(gcn.SRC1)
	case r.Enc == gcn.VOPC:
		return in.Get(gcn.VDST) == gcn.VCC && in.Get(gcn.SRC1) >= gcn.VGPR0
	}
	return (in.Get(gcn.SRC1) >= gcn.VGPR0) != r.Has(gcn.ScalarSrc1)
}

// looksPlain reports whether the text of an SDWA instruction could be that of another
// encoding: it selects nothing.
func looksPlain(in gcn.Inst) bool {
	return (!in.Has(gcn.DSTSEL) || in.Get(gcn.DSTSEL) == sdwaDWORD && in.Get(gcn.DSTUNUSED) == 0) &&
		in.Get(gcn.SRC0SEL) == sdwaDWORD && !in.Bool(gcn.SRC0SEXT) && in.Get(gcn.SRC1SEL) == sdwaDWORD && !in.Bool(gcn.SRC1SEXT)
}
