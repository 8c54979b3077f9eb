package isa

// Modifiers change a source of a vector instruction before the operation: it selects a part, clears the sign (Abs),
// then inverts it (Neg). Source: AMD GCN ISA manuals, VOP3; CLRX, GcnSdwaDpp.
type Modifiers struct {
	Select   Selection // SDWA's selection; SelectDword in other encodings
	Sext     bool      // SDWA: the selection is sign-extended
	High     bool      // OP_SEL of VOP3: a 16-bit operand is in bits 31:16
	Abs, Neg bool
}

// Selection is the part of a register that SDWA reads or writes: SRC0_SEL, SRC1_SEL or DST_SEL.
type Selection uint8

// The selections; 0 to 3 select a byte.
const (
	SelectWord0 Selection = 4 + iota
	SelectWord1
	SelectDword
)

// Values of DST_UNUSED: SDWA's treatment of the bits of the destination outside of DST_SEL.
const (
	UnusedPad      = iota // these bits become 0
	UnusedSext            // bits above are the sign of the result, bits below become 0
	UnusedPreserve        // these bits are preserved
)

// Bits returns the lowest bit and the number of bits of s.
func (s Selection) Bits() (shift, width uint) {
	switch {
	case s < SelectWord0:
		return uint(s) * 8, 8
	case s < SelectDword:
		return uint(s-SelectWord0) * 16, 16
	}
	return 0, 32
}

// bytes returns s as a mask for Effect.Bytes.
func (s Selection) bytes() uint8 {
	shift, width := s.Bits()
	return uint8(1<<(width/8)-1) << (shift / 8)
}

// Modifiers returns the modifiers of source n, 0 to 2, of a vector instruction. Fields that the row ignores count as
// 0. Sources of VOP3P have none: see [Inst.Halves].
func (i Inst) Modifiers(n int) Modifiers {
	m, r := Modifiers{Select: SelectDword}, i.Row()
	switch i.Enc {
	case VOP3A, VOP3B:
		m.Abs, m.Neg = i.Get(ABS)>>n&1 != 0, i.Get(NEG)>>n&1 != 0
		m.High = r.Sig.Src[n].Info().Bits16 && !r.Has(NoOPSEL) && i.Get(OPSEL)>>n&1 != 0
	case VOP1SDWA, VOP2SDWA, VOPCSDWA, VOP1DPP, VOP2DPP, VOPCDPP:
		f := [2]struct{ sel, sext, neg, abs Field }{
			{SRC0SEL, SRC0SEXT, SRC0NEG, SRC0ABS},
			{SRC1SEL, SRC1SEXT, SRC1NEG, SRC1ABS},
		}[n]
		m.Abs, m.Neg = i.Bool(f.abs), i.Bool(f.neg)
		if i.Has(f.sel) {
			m.Select, m.Sext = Selection(i.Get(f.sel)), i.Bool(f.sext)
		}
	}
	if r.Has(NoMods) {
		m.Abs, m.Neg = false, false
	}
	return m
}

// Halves returns the half of each source that a VOP3P instruction reads: bit n is 1 if source n is bits 31:16. low is
// OP_SEL, for the low half of the result; high is OP_SEL_HI, for the high half.
func (i Inst) Halves() (low, high uint32) {
	return i.Get(OPSEL), i.Get(OPSELHI) | i.Get(OPSELHI2)<<2
}
