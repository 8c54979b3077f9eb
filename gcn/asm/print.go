package asm

import (
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
)

// appendInst appends the text of in, as if it told all of the words. It does not allocate,
// besides growing dst.
func appendInst(dst []byte, in gcn.Inst, s Syntax) []byte {
	f := formOf(in.Target, in.Op, in.Enc, s)
	dst = append(dst, f.name...)
	operand, modifier := appendOperand, appendModifier
	if s == CLRX {
		operand, modifier = appendOperandCLRX, appendModifierCLRX
	}
	first := true
	for n := range f.parts {
		p := &f.parts[n]
		if skipped(in, p, s) {
			continue
		}
		if !p.operand() {
			dst = modifier(dst, in, p)
			continue
		}
		switch {
		case p.kind == format || p.kind == endImm && in.Get(gcn.SIMM16) == 0:
		case p.kind == expSource && p.src == 0 && s == LLVM, first:
			dst = append(dst, ' ')
		default:
			dst = append(dst, ", "...)
		}
		first = false
		dst = operand(dst, in, p)
	}
	return dst
}

// skipped reports whether the text of in leaves part p out: no data with LDS, no
// destination of an atomic without GLC.
func skipped(in gcn.Inst, p *part, s Syntax) bool {
	switch p.kind {
	case vdata:
		switch in.Enc {
		case gcn.MUBUF:
			return s == LLVM && in.Bool(gcn.LDS) && lds32(in.Row())
		case gcn.FLAT, gcn.GLOBAL, gcn.SCRATCH:
			return s == LLVM && (in.Row().Mem.Op == gcn.Atomic && !in.Bool(gcn.GLC) || in.Enc != gcn.FLAT && in.Bool(gcn.LDS) && lds32(in.Row()))
		}
	case format:
		return in.Get(gcn.DFMT) == defaultDFMT && in.Get(gcn.NFMT) == 0
	case smemMore:
		return !in.Bool(gcn.SOE) || !in.Bool(gcn.IMM)
	}
	return false
}

// width returns how many registers operand p of in has.
func width(in gcn.Inst, p *part) int {
	switch p.kind {
	case vdata:
		switch in.Enc {
		case gcn.MUBUF, gcn.MTBUF, gcn.MIMG:
			return in.DataDwords()
		}
		return int(p.n) + int(in.Get(gcn.TFE))
	case vaddr:
		return in.AddrDwords()
	case resource:
		if in.Bool(gcn.R128) {
			return 4
		}
	case vflat:
		if in.Enc == gcn.SCRATCH || in.Enc == gcn.GLOBAL && in.Get(gcn.SADDR) != gcn.NoSADDR {
			return 1
		}
		return 2
	}
	return int(p.n)
}

func appendOperand(b []byte, in gcn.Inst, p *part) []byte {
	switch p.kind {
	case source:
		code := in.Get(p.field)
		if in.Has(gcn.SRC0SGPR) && !in.Bool(sgprFlag(p)) {
			code += gcn.VGPR0
		}
		return appendSource(b, in, p, code)
	case vgpr:
		if p.mods != noMods {
			return appendSource(b, in, p, gcn.VGPR0+in.Get(p.field))
		}
		return appendVGPR(b, in.Get(p.field), int(p.n))
	case sgpr:
		return appendSGPR(b, in.Target.Gen(), in.Get(p.field), int(p.n))
	case sbase:
		return appendSGPR(b, in.Target.Gen(), in.Get(p.field)*uint32(p.unit), int(p.n)) // eight registers even with R128
	case vcc:
		return append(b, "vcc"...)
	case vccOut:
		if !in.Bool(gcn.SDSTEN) {
			return append(b, "vcc"...)
		}
		return appendSGPR(b, in.Target.Gen(), in.Get(p.field), 2)
	case literal:
		return appendLiteralK(b, in)
	case target:
		return strconv.AppendUint(b, uint64(in.Get(gcn.SIMM16)), 10)
	case uimm16:
		return appendImm16(b, in)
	case endImm:
		if v := in.Get(gcn.SIMM16); v != 0 {
			b = strconv.AppendUint(b, uint64(v), 10)
		}
		return b
	case smemOffset:
		return appendSMEMOffset(b, in)
	case probe:
		return appendSmall(b, in.Get(p.field))
	case vaddr:
		if width(in, p) == 0 {
			return append(b, "off"...)
		}
		return appendVGPR(b, in.Get(p.field), width(in, p))
	case vdata:
		if in.Enc == gcn.MIMG {
			return appendVGPR(b, in.Get(p.field), imageTuple(in))
		}
		return appendVGPR(b, in.Get(p.field), width(in, p))
	case iaddr:
		return appendVGPR(b, in.Get(p.field), width(in, p))
	case vflat:
		if in.Enc == gcn.SCRATCH && in.Get(gcn.SADDR) != gcn.NoSADDR {
			return append(b, "off"...)
		}
		return appendVGPR(b, in.Get(p.field), width(in, p))
	case saddr:
		if in.Get(p.field) == gcn.NoSADDR {
			return append(b, "off"...)
		}
		return appendSGPR(b, in.Target.Gen(), in.Get(p.field), int(p.n))
	}
	return appendSpecial(b, in, p)
}

// appendSource prints source p, whose operand code is code, with its input modifiers.
func appendSource(b []byte, in gcn.Inst, p *part, code uint32) []byte {
	neg, abs, sext := sourceBits(in, p)
	closing := ""
	switch {
	case sext:
		b, closing = append(b, "sext("...), ")"
	case neg && !abs && isConst(code):
		// -1 is not neg(1)
		b, closing = append(b, "neg("...), ")"
	case neg:
		b = append(b, '-')
	}
	if abs {
		b = append(b, '|')
	}
	b = appendCode(b, in, code, p.typ)
	if abs {
		b = append(b, '|')
	}
	return append(b, closing...)
}

// sgprFlag is the field that says that source p of SDWA is scalar.
func sgprFlag(p *part) gcn.Field {
	if p.src == 0 {
		return gcn.SRC0SGPR
	}
	return gcn.SRC1SGPR
}

func isConst(code uint32) bool {
	_, inline := gcn.InlineConstant(code, gcn.B32)
	return inline || code == gcn.Literal
}

// inlineInteger returns the integer that operand code code stands for.
func inlineInteger(code uint32) (v int64, ok bool) {
	bits, ok := gcn.InlineConstant(code, gcn.I64)
	return int64(bits), ok && code < gcn.ConstHalf
}

// sourceBits returns the input modifiers of source p.
func sourceBits(in gcn.Inst, p *part) (neg, abs, sext bool) {
	bit := uint32(1) << p.src
	switch p.mods {
	case fpMods, abs3Mods:
		return in.Get(gcn.NEG)&bit != 0, in.Get(gcn.ABS)&bit != 0, false
	case mixMods:
		return in.Get(gcn.NEG)&bit != 0, in.Get(gcn.NEGHI)&bit != 0, false
	case sdwaMods, allMods:
		all := p.mods == allMods
		if p.src == 0 {
			return in.Bool(gcn.SRC0NEG), in.Bool(gcn.SRC0ABS), all && in.Bool(gcn.SRC0SEXT)
		}
		return in.Bool(gcn.SRC1NEG), in.Bool(gcn.SRC1ABS), all && in.Bool(gcn.SRC1SEXT)
	case intMods:
		if p.src == 0 {
			return false, false, in.Bool(gcn.SRC0SEXT)
		}
		return false, false, in.Bool(gcn.SRC1SEXT)
	}
	return false, false, false
}

// appendCode prints operand code code of a source of type t.
func appendCode(b []byte, in gcn.Inst, code uint32, t gcn.Type) []byte {
	if code >= gcn.VGPR0 {
		return appendVGPR(b, code-gcn.VGPR0, t.Info().Dwords)
	}
	if code < gcn.NumScalarCodes {
		return appendSGPR(b, in.Target.Gen(), code, t.Info().Dwords)
	}
	if v, ok := inlineInteger(code); ok {
		return strconv.AppendInt(b, v, 10)
	}
	if code == gcn.Literal {
		return appendLiteral(b, in, in.Get(gcn.LITERAL), t)
	}
	if code >= gcn.ConstHalf && code < gcn.ConstInvTwoPi || code == gcn.ConstInvTwoPi && in.Target.Traits().InvTwoPi {
		if code == gcn.ConstInvTwoPi && t.Info().Dwords == 2 {
			return append(b, "0.15915494309189532"...)
		}
		return append(b, inlineFloatNames[code-gcn.ConstHalf]...)
	}
	if name := constName(in.Target.Gen(), code); name != "" {
		return append(b, name...)
	}
	b = append(b, "undefined_"...)
	return strconv.AppendUint(b, uint64(code), 10)
}

var inlineFloatNames = [9]string{"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"}

// appendLiteral prints a 32-bit constant of a source of type t. One that has an inline
// encoding is marked, so that it is read back as a literal.
func appendLiteral(b []byte, in gcn.Inst, v uint32, t gcn.Type) []byte {
	if t.Info().Bits16 {
		v &= 0xffff
	}
	if _, inline := inlineCode(in.Target.Gen(), int64(int32(v)), v, t); inline {
		b = append(b, "lit("...)
		return append(appendHex(b, uint64(v)), ')')
	}
	return appendHex(b, uint64(v))
}

// appendLiteralK prints the constant of an instruction that always has one.
func appendLiteralK(b []byte, in gcn.Inst) []byte {
	v := in.Get(gcn.LITERAL)
	if _, inline := inlineInt(int64(int32(v))); inline && in.Enc == gcn.SOPK {
		return strconv.AppendInt(b, int64(int32(v)), 10)
	}
	return appendHex(b, uint64(v))
}

// appendImm16 prints SIMM16 as a number: in decimal what SOPP has up to 64, else in hex.
func appendImm16(b []byte, in gcn.Inst) []byte {
	if in.Enc == gcn.SOPP {
		return appendSmall(b, in.Get(gcn.SIMM16))
	}
	return appendHex(b, uint64(in.Get(gcn.SIMM16)))
}

// appendSmall prints v in decimal if it is small, as LLVM prints what could be inline.
func appendSmall(b []byte, v uint32) []byte {
	if v <= 64 {
		return strconv.AppendUint(b, uint64(v), 10)
	}
	return appendHex(b, uint64(v))
}

func appendHex(b []byte, v uint64) []byte { return strconv.AppendUint(append(b, "0x"...), v, 16) }

func appendSignedHex(b []byte, v int32) []byte {
	if v < 0 {
		return appendHex(append(b, '-'), uint64(-int64(v)))
	}
	return appendHex(b, uint64(v))
}

func appendSMEMOffset(b []byte, in gcn.Inst) []byte {
	switch {
	case in.Bool(gcn.SOE):
		return appendCode(b, in, in.Get(gcn.SOFFSET), gcn.I32)
	case in.Bool(gcn.IMM):
		return appendSignedHex(b, in.Int(gcn.OFFSET))
	case in.Has(gcn.LITERAL) && in.Size == 8:
		return appendHex(b, uint64(in.Get(gcn.LITERAL)))
	}
	return appendCode(b, in, in.Get(gcn.OFFSET)&0x7f, gcn.I32)
}

func appendModifier(b []byte, in gcn.Inst, p *part) []byte {
	v := in.Get(p.field)
	switch p.kind {
	case keyword:
		if v != 0 {
			b = append(append(b, ' '), p.word...)
		}
	case implied:
		b = append(append(b, ' '), p.word...)
	case number:
		if v != 0 {
			b = appendNumber(b, p.word, int64(v))
		}
	case flatOffset:
		if v := in.Int(p.field); v != 0 {
			b = appendNumber(b, p.word, int64(v))
		}
	case smemMore:
		b = append(append(append(b, ' '), p.word...), ':')
		b = appendSignedHex(b, in.Int(p.field))
	case dmask:
		if v != 0 {
			b = appendHex(append(b, " dmask:"...), uint64(v))
		}
	case hexMask:
		b = append(append(append(b, ' '), p.word...), ':')
		b = appendHex(b, uint64(v))
	case cachePol:
		if in.Bool(gcn.GLC) {
			b = append(b, " glc"...)
		}
		if in.Bool(gcn.SLC) {
			b = append(b, " slc"...)
		}
	case high:
		if v&0x100 != 0 {
			b = append(b, " high"...)
		}
	case omod:
		b = append(b, omods[v&3]...)
	case opSel, opSelP, opSelHi, negLo, negHi:
		b = appendBits(b, p, modifierBits(in, p), defaultBits(in.Row(), p))
	case dstSel, srcSel:
		b = append(append(append(b, ' '), p.word...), ':')
		b = append(b, sdwaSels[v&7]...)
	case dstUnused:
		b = append(append(b, " dst_unused:"...), sdwaUnused[v&3]...)
	case dppCtrl:
		b = appendDPP(append(b, ' '), v)
	case swizzle:
		b = appendSwizzle(b, in, v)
	}
	return b
}

func appendNumber(b []byte, word string, v int64) []byte {
	b = append(append(append(b, ' '), word...), ':')
	return strconv.AppendInt(b, v, 10)
}

var (
	omods      = [4]string{"", " mul:2", " mul:4", " div:2"}
	sdwaSels   = [8]string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "invalid_sel_7"}
	sdwaUnused = [4]string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "UNUSED_PAD"} // 3 is reserved
)

// modifierBits returns the bits of a modifier that is a list, the first element in bit 0.
func modifierBits(in gcn.Inst, p *part) uint32 {
	v := in.Get(p.field)
	switch p.kind {
	case opSel: // the destination is bit 3 and the last element
		return v&(1<<p.n-1) | v>>3&1<<p.n
	case opSelHi:
		v |= in.Get(gcn.OPSELHI2) << 2
	}
	return v & (1<<p.n - 1)
}

// listLen is the number of elements of a modifier that is a list.
func listLen(p *part) int {
	if p.kind == opSel {
		return int(p.n) + 1
	}
	return int(p.n)
}

// defaultBits is the value a modifier that is a list has when it is not written.
func defaultBits(r *gcn.Row, p *part) uint32 {
	if p.kind == opSelHi && !mixRow(r) {
		return 1<<p.n - 1
	}
	return 0
}

// mixRow reports whether r mixes F16 and F32 sources (v_mad_mix_f32): OPSELHI chooses.
func mixRow(r *gcn.Row) bool { return r.Sig.Src[0] == gcn.F32 }

func appendBits(b []byte, p *part, v, absent uint32) []byte {
	if v == absent {
		return b
	}
	b = append(append(append(b, ' '), p.word...), ":["...)
	for n := range listLen(p) {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(b, '0'+byte(v>>n&1))
	}
	return append(b, ']')
}
