package isa

// Reads returns the mask of the bits of i's words that determine its operation: prefix, opcode and the fields that
// the instruction uses in this form. Cache hints are included, and numbers of registers that assemblers write as
// "off". The other bits may have any value: they belong to no field, or to one that the instruction does not use.
func (i Inst) Reads() uint64 {
	r, forms := i.Row(), layoutsOf[i.Target]
	l := &forms[i.Enc]
	used := reader{i: i, r: r, l: l, mask: uint64(l.mask) | bits(l.op) | bits(l.seg)}
	if hasSecondWord(l) {
		used.mask |= 0x1ff // the marker in SRC0
	}
	var buf [8]Operand
	for _, o := range i.Operands(buf[:0]) {
		used.add(o.Field)
		if o.File == NotReg && o.Code == srcLiteral {
			used.add(LITERAL)
		}
	}
	if r.Has(LiteralK) {
		used.add(LITERAL)
	}
	used.addOther()
	return used.mask
}

// reader collects the bits that an instruction reads.
type reader struct {
	i    Inst
	r    *Row
	l    *layout
	mask uint64
}

// addOther adds the bits of fields that are not operands.
func (u *reader) addOther() {
	switch u.i.Enc {
	case SOPK, SOPP:
		u.immediate()
	case SOPC:
		if u.r.Imm == IndexImm { // SSRC1 is an immediate of four bits
			u.only(SSRC1, 4)
		}
	case VOP3A, VOP3B:
		u.vop3()
	case VOP3P:
		u.packed()
	case VOP1SDWA, VOP2SDWA, VOPCSDWA:
		u.sdwa()
	case VOP1DPP, VOP2DPP, VOPCDPP:
		u.dpp()
	case VINTRP:
		u.add(ATTR, ATTRCHAN, VSRC1)
	case EXP:
		u.exports()
	case SMEM:
		u.smem()
	case DS:
		u.ds()
	case MUBUF, MTBUF:
		u.buffer()
	case MIMG:
		u.image()
	case FLAT, GLOBAL, SCRATCH:
		u.flat()
	}
}

// add adds the bits of fields. Fields that the encoding lacks have no bits.
func (u *reader) add(fields ...Field) {
	for _, f := range fields {
		u.mask |= bits(u.l.fields[f])
	}
}

// only adds the n lowest bits of a field and removes the others.
func (u *reader) only(f Field, n uint8) {
	s := u.l.fields[f]
	u.mask &^= bits(s)
	s.width = min(s.width, n)
	u.mask |= bits(s)
}

// each adds bit n of a field for each source n for whose type want returns true.
func (u *reader) each(f Field, want func(Type) bool) {
	s := u.l.fields[f]
	for n := range u.r.Sig.NumSrc {
		if want(u.r.Sig.Src[n]) && n < int(s.width) {
			u.mask |= 1 << (int(s.shift) + n)
		}
	}
}

// immediate adds the bits of SIMM16 that the instruction reads. Source: AMD GCN ISA manuals, SOPP. S_WAITCNT has
// unused bits, which compilers set together with adjacent fields.
func (u *reader) immediate() {
	switch {
	case u.r.Sig.Src[0] == None:
	case u.r.Imm == IndexImm || u.r.Control == Idles: // S_NOP had three bits before GCN 1.4
		u.only(SIMM16, 4)
	case u.r.Control == Sleeps:
		u.only(SIMM16, 7)
	case u.r.Control == SetsPriority:
		u.only(SIMM16, 2)
	default:
		u.add(SIMM16)
	}
}

// modified reports whether ABS and NEG apply to operands of the row.
func (u *reader) modified(Type) bool { return !u.r.Has(NoMods) }

// result adds the fields that apply to the result: CLAMP for numbers, OMOD for floats.
func (u *reader) result() {
	dst := u.r.Sig.Dst
	switch {
	case dst.Info().Float && !u.r.Has(NoMods):
		u.add(CLAMP, OMOD)
	case dst.integer():
		u.add(CLAMP)
	}
}

func (u *reader) vop3() {
	u.result()
	if u.r.Has(Interpolates) {
		u.add(SRC0, SRC1)
	}
	u.each(ABS, u.modified)
	u.each(NEG, u.modified)
	if u.r.Has(NoOPSEL) {
		return
	}
	u.each(OPSEL, func(t Type) bool { return t.Info().Bits16 })
	if s := u.l.fields[OPSEL]; s.width != 0 && u.r.Sig.Dst.Info().Bits16 {
		u.mask |= 1 << (s.shift + 3)
	}
}

func (u *reader) packed() {
	halves := func(t Type) bool { return t.Info().Halves || t.Info().Float }
	u.each(OPSEL, halves)
	u.each(NEG, halves)
	u.each(NEGHI, halves)
	u.add(CLAMP, OPSELHI, OPSELHI2) // OP_SEL_HI is all ones by default, even for absent sources
}

func (u *reader) sdwa() {
	u.result()
	u.add(SDSTEN)
	if u.r.Sig.Dst != None {
		u.add(DSTSEL, DSTUNUSED)
	}
	for n, f := range [2][5]Field{{SRC0SEL, SRC0SEXT, SRC0SGPR, SRC0NEG, SRC0ABS},
		{SRC1SEL, SRC1SEXT, SRC1SGPR, SRC1NEG, SRC1ABS}} {
		if n < u.r.Sig.NumSrc {
			u.add(f[:3]...)
			if !u.r.Has(NoMods) {
				u.add(f[3:]...)
			}
		}
	}
}

func (u *reader) dpp() {
	if u.r.Sig.NumSrc > 0 {
		u.add(DPPCTRL, BOUNDCTRL, BANKMASK, ROWMASK)
	}
	for n, f := range [2][2]Field{{SRC0NEG, SRC0ABS}, {SRC1NEG, SRC1ABS}} {
		if n < u.r.Sig.NumSrc && !u.r.Has(NoMods) {
			u.add(f[:]...)
		}
	}
}

func (u *reader) exports() {
	u.add(EN, TGT, COMPR, DONE, VM)
	u.mask |= 0xffffffff << 32
}

// Exported returns the VGPR of source n (0 to 3) of an EXP instruction, and whether EN enables it. With COMPR each of
// the first two sources holds two channels.
func (i Inst) Exported(n int) (vgpr int, used bool) {
	used = i.Get(EN)>>n&1 != 0
	if i.Bool(COMPR) {
		used = n < 2 && i.Get(EN)>>(2*n)&3 != 0
	}
	return int(i.Words >> (32 + 8*n) & 0xff), used
}

func (u *reader) smem() {
	if u.r.Has(NoOffset) {
		return
	}
	u.add(IMM, SOE, NV, GLC)
	if u.r.Mem == (Mem{Op: Special}) && !u.r.Has(NoData) { // s_atc_probe: SDATA is a number
		u.add(SDST)
	}
	switch {
	case u.i.Bool(IMM):
		u.add(OFFSET)
	case u.i.Size == 8 && !u.i.Has(GLC): // OFFSET is 255 as the marker of a literal
		u.add(OFFSET, LITERAL)
	case !u.i.Bool(SOE):
		u.only(OFFSET, 8) // OFFSET is a register
	}
}

func (u *reader) ds() {
	if u.r.nullary() {
		return
	}
	if u.r.Mem.Move == NoMove { // the instruction accesses no storage
		u.add(GDS)
	}
	switch {
	case u.r.Has(Two):
		u.add(OFFSET0, OFFSET1)
	case !u.r.Has(NoOffset):
		u.add(OFFSET)
	}
}

func (u *reader) buffer() {
	if u.r.nullary() { // cache instructions
		return
	}
	u.add(ADDR, VDATA, OFFSET, OFFEN, IDXEN, ADDR64, GLC, SLC, LDS, DFMT, NFMT)
	if u.r.Mem.Op == Load || u.r.Mem.Op == Atomic {
		u.add(TFE)
	}
}

func (u *reader) image() {
	u.add(DMASK, UNRM, GLC, SLC, DA, R128, A16, D16)
	if u.r.Mem.Op != Special { // queries have no status register
		u.add(TFE, LWE)
	}
}

func (u *reader) flat() {
	u.add(ADDR, OFFSET, GLC, SLC, LDS, NV)
	if u.r.Enc != FLAT {
		u.add(SADDR)
	}
	if u.r.Mem.Op != Store {
		u.add(TFE)
	}
}

// integer reports whether t is an integer type, whose results CLAMP saturates.
func (t Type) integer() bool {
	switch t {
	case I16, U16, I32, U32, I64, U64:
		return true
	}
	return false
}

// Unread returns the fields with bits that are set although i does not read them, see [Inst.Reads], and such bits
// that belong to no field.
func (i Inst) Unread() (fields []Field, reserved uint64) {
	unread := i.Words &^ i.Reads()
	if i.Size == 4 {
		unread &= 1<<32 - 1
	}
	reserved = unread
	for f := Field(0); f < NumFields && unread != 0; f++ {
		if (f == OFFSET0 || f == OFFSET1) && i.Enc == DS && !i.Row().Has(Two) {
			continue // these are bits of OFFSET
		}
		shift, width := FieldBits(i.Target.Gen(), i.Enc, f)
		if b := (uint64(1)<<width - 1) << shift; unread&b != 0 {
			fields = append(fields, f)
			reserved &^= b
		}
	}
	return fields, reserved
}
