package isa

// Operand codes of scalar sources and destinations, and of 9-bit vector sources, where VGPRs start at 256. Source:
// rule ST2. [Traits] has the codes that differ between generations (FLAT_SCRATCH, XNACK_MASK, TTMP, TBA).
const (
	VCC       = 106 // VCC_LO; VCC_HI follows
	M0        = 124
	EXEC      = 126 // EXEC_LO; EXEC_HI follows
	ConstZero = 128 // codes 128 to 192 are the integers 0 to 64
	ConstNeg1 = 193 // codes 193 to 208 are the integers -1 to -16; see [InlineConstant]

	SharedBase   = 235
	SharedLimit  = 236
	PrivateBase  = 237
	PrivateLimit = 238
	POPSExiting  = 239 // POPS_EXITING_WAVE_ID

	ConstHalf     = 240 // codes of 0.5, -0.5, 1, -1, 2, -2, 4, -4
	ConstInvTwoPi = 248
	SDWAMarker    = srcSDWA
	DPPMarker     = srcDPP
	VCCZ          = 251
	EXECZ         = 252
	SCC           = 253
	LDSDirect     = 254
	Literal       = srcLiteral
	VGPR0         = 256

	NumScalarCodes = 128 // lower codes are registers
)

// inlineFloats are the inline floating-point constants from code 240 on, in the three widths. The last one is
// 1/(2*pi).
var inlineFloats = [9]struct {
	f16 uint16
	f32 uint32
	f64 uint64
}{
	{0x3800, 0x3f000000, 0x3fe0000000000000}, {0xb800, 0xbf000000, 0xbfe0000000000000},
	{0x3c00, 0x3f800000, 0x3ff0000000000000}, {0xbc00, 0xbf800000, 0xbff0000000000000},
	{0x4000, 0x40000000, 0x4000000000000000}, {0xc000, 0xc0000000, 0xc000000000000000},
	{0x4400, 0x40800000, 0x4010000000000000}, {0xc400, 0xc0800000, 0xc010000000000000},
	{0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
}

// InlineConstant returns the bits of the constant with operand code 128 to 208 or 240 to 248 for an operand of type
// t. ok is false for other codes: registers, literals and conditions. Integers, -16 to 64, are sign-extended to 64
// bits for every t. A floating-point constant is in the 16-, 32- or 64-bit format of t. Operands that are not floats
// of 16 or 64 bits receive the 32-bit pattern, even integers of 16 bits: 1.0 is 0 in the low half and 0x3f80 in the
// high one. Sources: rule ST2; LLVM, getInlineEncodingV216.
func InlineConstant(code uint32, t Type) (bits uint64, ok bool) {
	switch {
	case code >= ConstZero && code < ConstNeg1:
		return uint64(code - ConstZero), true
	case code >= ConstNeg1 && code <= ConstNeg1+15:
		return ^uint64(code - ConstNeg1), true
	case code < ConstHalf || code > ConstInvTwoPi:
		return 0, false
	}
	c := &inlineFloats[code-ConstHalf]
	switch {
	case t == F16 || t == V2F16:
		return uint64(c.f16), true
	case t.Info().Dwords == 2:
		return c.f64, true
	}
	return uint64(c.f32), true
}

// RegFile is a register file: scalar or vector registers.
type RegFile uint8

// The register files. Operands in NotReg are constants.
const (
	NotReg      RegFile = iota
	SReg                // operand codes 0 to 127, including special registers
	VReg                // VGPR numbers 0 to 255
	FlagReg             // state without an operand code, see [Flag]; for an [Effect] only
	NumRegFiles = iota
)

// Operand is one register operand or constant of an instruction.
type Operand struct {
	Field  Field // the field that encodes it
	File   RegFile
	Only   RegFile // the register file that it must be in; NotReg if a constant, or either file, is allowed
	Code   uint16  // first register in the file, or the operand code of a constant
	Dwords uint8
	Type   Type
	Write  bool
	Read   bool
}

// source decodes a source code of an operand of type t.
func source(f Field, code uint32, t Type) Operand {
	o := Operand{Field: f, File: NotReg, Code: uint16(code), Dwords: uint8(t.Info().Dwords), Type: t, Read: true}
	switch {
	case code >= VGPR0:
		o.File, o.Code = VReg, uint16(code-VGPR0)
	case code < NumScalarCodes:
		o.File = SReg
	}
	return o
}

func vector(f Field, reg uint32, dwords int, write bool) Operand {
	return Operand{Field: f, File: VReg, Code: uint16(reg), Dwords: uint8(dwords), Write: write, Read: !write}
}

func scalar(f Field, reg uint32, dwords int, write bool) Operand {
	return Operand{Field: f, File: SReg, Code: uint16(reg), Dwords: uint8(dwords), Write: write, Read: !write}
}

// Operands appends the explicit register operands and constants of i to buf, destinations first. Implicit operands
// (VCC of a VOP2 carry, EXEC, M0) are not included. The address of an image instruction includes only the registers
// that are read with every T#, see [Inst.ImageAddr].
func (i Inst) Operands(buf []Operand) []Operand {
	r := i.Row()
	switch r.Enc {
	case SOP1, SOP2, SOPC, SOPK:
		return i.scalarOperands(buf, r)
	case VOP1, VOP2, VOPC, VOP3A, VOP3B, VOP3P:
		return i.vectorOperands(buf, r)
	case SMEM:
		return i.smemOperands(buf, r)
	case DS:
		return i.dsOperands(buf, r)
	case MUBUF, MTBUF:
		return i.bufferOperands(buf, r)
	case MIMG:
		return i.imageOperands(buf, r)
	case FLAT, GLOBAL, SCRATCH:
		return i.flatOperands(buf, r)
	case VINTRP:
		dst := vector(VDST, i.Get(VDST), 1, true)
		dst.Read = r.Has(ReadsDst)
		buf = append(buf, dst)
		if !r.Has(Parameter) {
			buf = append(buf, vector(VSRC1, i.Get(VSRC1), 1, false))
		}
	}
	return buf
}

func (i Inst) scalarOperands(buf []Operand, r *Row) []Operand {
	if n := r.Sig.Dst.Info().Dwords; n > 0 {
		o := scalar(SDST, i.Get(SDST), n, true)
		o.Type, o.Read = r.Sig.Dst, r.Has(ReadsDst)
		buf = append(buf, o)
	}
	if r.Enc == SOPK {
		if r.Sig.Dst == None && !r.Has(LiteralK) {
			buf = append(buf, scalar(SDST, i.Get(SDST), max(r.Sig.Src[0].Info().Dwords, 1), false))
		}
		return buf
	}
	for n, f := range [2]Field{SSRC0, SSRC1} {
		if t := r.Sig.Src[n]; t != None && (n == 0 || r.Imm != IndexImm) {
			o := source(f, i.Get(f), t)
			o.Only = r.Only[n]
			buf = append(buf, o)
		}
	}
	return buf
}

func (i Inst) vectorOperands(buf []Operand, r *Row) []Operand {
	if t := r.Sig.Dst; t != None {
		o := vector(VDST, i.Get(VDST), t.Info().Dwords, true)
		o.Type, o.Read = t, r.Has(ReadsDst)
		switch {
		case t == Mask && i.Enc != VOP3A: // VCC, or SDST of SDWA
			o = scalar(SDST, VCC, 2, true)
			if i.Bool(SDSTEN) {
				o.Code = uint16(i.Get(SDST))
			}
		case t == Mask || r.Has(ScalarDst):
			o.File = SReg
		}
		buf = append(buf, o)
	}
	if i.Enc == VOP3B {
		buf = append(buf, scalar(SDST, i.Get(SDST), 2, true))
	}
	for n := range r.Sig.NumSrc {
		o := i.vectorSource(n, r.Sig.Src[n])
		if r.Has(Interpolates) {
			if r.Has(Parameter) {
				break
			}
			o = source(SRC1+Field(n), i.Get(SRC1+Field(n)), r.Sig.Src[n]) // sources after the attribute
		}
		o.Only, o.Write = r.Only[n], r.Has(Swaps)
		buf = append(buf, o)
	}
	if r.Has(CarryIn) && (i.Enc == VOP3A || i.Enc == VOP3B) {
		buf = append(buf, source(SRC2, i.Get(SRC2), Mask))
	}
	return buf
}

// vectorSource returns source n of a vector ALU instruction in any of its encodings.
func (i Inst) vectorSource(n int, t Type) Operand {
	switch i.Enc {
	case VOP3A, VOP3B, VOP3P:
		f := SRC0 + Field(n)
		return source(f, i.Get(f), t)
	case VOP1SDWA, VOP2SDWA, VOPCSDWA:
		if n == 0 {
			if i.Bool(SRC0SGPR) {
				return source(SRC0, i.Get(SRC0), t)
			}
			return source(SRC0, VGPR0+i.Get(SRC0), t)
		}
		if i.Bool(SRC1SGPR) {
			return source(VSRC1, i.Get(VSRC1), t)
		}
	case VOP1DPP, VOP2DPP, VOPCDPP:
		if n == 0 {
			return source(SRC0, VGPR0+i.Get(SRC0), t)
		}
	default:
		if n == 0 {
			return source(SRC0, i.Get(SRC0), t)
		}
		if i.Row().Has(ScalarSrc1) { // v_readlane_b32 of GCN 1.0 has an 8-bit scalar code
			return source(VSRC1, i.Get(VSRC1), t)
		}
	}
	return source(VSRC1, VGPR0+i.Get(VSRC1), t)
}

func (i Inst) smemOperands(buf []Operand, r *Row) []Operand {
	if !r.Has(NoData) && r.Mem.Elem > 0 {
		o := scalar(SDST, i.Get(SDST), int(r.Mem.Dwords), r.Mem.Op != Store)
		if r.Mem.Op == Atomic {
			o.Read, o.Write = true, i.Bool(GLC)
		}
		buf = append(buf, o)
	}
	if r.Has(NoOffset) {
		return buf
	}
	base := 2
	if r.Has(BufferBase) {
		base = 4
	}
	buf = append(buf, scalar(SBASE, i.Get(SBASE)*2, base, false))
	if !i.Bool(IMM) && !i.Bool(SOE) && i.Size != 8 || !i.Bool(IMM) && !i.Bool(SOE) && i.Has(GLC) {
		o := source(OFFSET, i.Get(OFFSET)&0xff, B32)
		o.Only = SReg
		buf = append(buf, o)
	}
	if i.Bool(SOE) {
		buf = append(buf, source(SOFFSET, i.Get(SOFFSET), B32))
	}
	return buf
}

func (i Inst) dsOperands(buf []Operand, r *Row) []Operand {
	m := r.Mem
	per := (int(m.Elem) + 3) / 4
	if !r.Has(Two) {
		per = int(m.Dwords)
	}
	if m.Ret {
		n := int(m.Dwords)
		buf = append(buf, vector(VDST, i.Get(VDST), n, true))
	}
	if !r.Has(NoAddr) {
		buf = append(buf, vector(ADDR, i.Get(ADDR), 1, false))
	}
	if r.Has(NoData) {
		return buf
	}
	buf = append(buf, vector(DATA0, i.Get(DATA0), per, false))
	if m.Second || r.Has(Two) {
		buf = append(buf, vector(DATA1, i.Get(DATA1), per, false))
	}
	return buf
}

func (i Inst) bufferOperands(buf []Operand, r *Row) []Operand {
	if !r.Has(NoData) && !i.Bool(LDS) {
		o := vector(VDATA, i.Get(VDATA), i.DataDwords(), r.Mem.Op == Load)
		if r.Mem.Op == Atomic {
			o.Read, o.Write = true, i.Bool(GLC)
		}
		buf = append(buf, o)
	}
	if r.nullary() {
		return buf
	}
	if n := i.AddrDwords(); n > 0 {
		buf = append(buf, vector(ADDR, i.Get(ADDR), n, false))
	}
	buf = append(buf, scalar(SRSRC, i.Get(SRSRC)*4, 4, false))
	return append(buf, source(SOFFSET, i.Get(SOFFSET), B32))
}

// AddrDwords returns the number of address VGPRs of a MUBUF or MTBUF instruction (rules A1 and A8).
func (i Inst) AddrDwords() int {
	if i.Bool(ADDR64) {
		return 2
	}
	return int(i.Get(IDXEN) + i.Get(OFFEN))
}

// DataDwords returns the number of data VGPRs of a memory instruction, including that of TFE.
func (i Inst) DataDwords() int {
	if i.Enc == MIMG {
		return i.imageData() + int(i.Get(TFE))
	}
	m := i.Row().Mem
	n := int(m.Dwords)
	if m.D16 == Packed && TraitsOf(i.Target).PackedD16 {
		n = (n + 1) / 2
	}
	return n + int(i.Get(TFE))
}

func (i Inst) flatOperands(buf []Operand, r *Row) []Operand {
	m := r.Mem
	if m.Op == Load || m.Op == Atomic && i.Bool(GLC) {
		n := i.DataDwords()
		if m.Second {
			n = int(m.Elem)/4 + int(i.Get(TFE))
		}
		buf = append(buf, vector(VDST, i.Get(VDST), n, true))
	}
	saddr := i.Has(SADDR) && r.Enc != FLAT && i.Get(SADDR) != NoSADDR
	switch {
	case r.Enc == SCRATCH && saddr:
	case r.Enc == SCRATCH || saddr:
		buf = append(buf, vector(ADDR, i.Get(ADDR), 1, false))
	default:
		buf = append(buf, vector(ADDR, i.Get(ADDR), 2, false))
	}
	if m.Op != Load {
		buf = append(buf, vector(VDATA, i.Get(VDATA), int(m.Dwords), false))
	}
	if saddr {
		n := 2
		if r.Enc == SCRATCH {
			n = 1
		}
		buf = append(buf, scalar(SADDR, i.Get(SADDR), n, false))
	}
	return buf
}

// NoSADDR in the field SADDR means that there is no scalar address ("off").
const NoSADDR = 0x7f
