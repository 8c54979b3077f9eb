package asm

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/enum"
)

// Format returns the text of in, in syntax s. See [Append].
func Format(in gcn.Inst, s Syntax) string { return string(Append(nil, in, s)) }

// Append appends the text of in, in syntax s, to dst: a line that assembles to the words
// of in again, all bits of them, here and with the assembler whose syntax it is. Branch
// targets are printed as the number in SIMM16 (LLVM) or as a distance in bytes (CLRX).
// Words that no text of the instruction stands for, as those with reserved bits, become
// data, and the text of the instruction a comment:
//
//	.long 0xd86c0010, 0x01070002 // ds_read_b32 v1, v2 offset:16
func Append(dst []byte, in gcn.Inst, s Syntax) []byte {
	start := len(dst)
	dst = appendInst(dst, in, s)
	if in.Op == 0 || standsFor(string(dst[start:]), in, s) {
		return dst
	}
	text := string(dst[start:])
	words, n := in.Encode()
	dst = fmt.Appendf(dst[:start], ".long 0x%08x", words[0])
	if n == 2 {
		dst = fmt.Appendf(dst, ", 0x%08x", words[1])
	}
	return append(append(dst, commentMark[s]...), text...)
}

var commentMark = [numSyntaxes]string{LLVM: " // ", CLRX: " # "}

var _ = enum.Full[Syntax](commentMark[:])

// standsFor reports whether text assembles to in, here and with the assembler whose syntax
// it is. The parser is the judge, so that no rule of what can be written is kept twice.
func standsFor(text string, in gcn.Inst, s Syntax) bool {
	ours := false
	c := cursor{syntax: s, target: in.Target, s: text, ours: &ours, names: atStart{}}
	back, err := c.instruction()
	if err == nil {
		for _, l := range back.late {
			v, _, failed := l.e.now()
			if failed != nil {
				return false
			}
			if back.Inst, err = l.set(back.Inst, v, 0); err != nil {
				return false
			}
		}
	}
	return err == nil && back.Inst == in && !ours && (s == CLRX || inLLVM(in))
}

// atStart gives the value of the place of an instruction that stands at the start, from
// which CLRX syntax counts distances, and of no other name.
type atStart struct{}

func (atStart) value(name string, at int) (value, *syntaxError) {
	if name != "." {
		return value{}, &syntaxError{at: at, what: "unknown register or symbol"}
	}
	return value{}, nil
}

// inLLVM reports whether LLVM has the text of in. Our assembler takes more: instructions and
// encodings that CLRX knows.
func inLLVM(in gcn.Inst) bool {
	r := in.Row()
	if r.Has(gcn.NotLLVM) {
		return false
	}
	switch in.Enc {
	case gcn.VOPCDPP:
		return false
	case gcn.VOP1SDWA, gcn.VOP2SDWA, gcn.VOP1DPP:
		if r.Has(gcn.IndexesVGPRs) || r.Has(gcn.ReadsDst) && in.Has(gcn.SRC0SEL) { // v_movrels, v_mac
			return false
		}
	case gcn.VOP3A:
		if r.Enc != in.Enc && (r.Has(gcn.ScalarDst) || r.Has(gcn.ScalarSrc1)) { // v_readlane
			return false
		}
		if r.Has(gcn.Interpolates) && in.Get(gcn.OPSEL)&2 != 0 {
			return false
		}
		if r.Sig.Src[0] == gcn.F16 && !in.Target.Traits().SecondWord && in.Get(gcn.SRC0) < gcn.VGPR0 && in.Get(gcn.SRC0) >= gcn.NumScalarCodes {
			return false // LLVM knows half constants from GCN 1.2 on
		}
	case gcn.MTBUF:
		if in.Bool(gcn.TFE) {
			return false
		}
	case gcn.DS:
		if in.Bool(gcn.GDS) && r.Mem.Op == gcn.Special && r.Mem.Ret && !r.Has(gcn.NoAddr) && !r.Has(gcn.GDSOnly) && r.Imm != gcn.SwizzleImm { // ds_permute
			return false
		}
	}
	return !oddOperandLLVM(in, r)
}

// clampsLLVM reports whether LLVM knows CLAMP of instruction in, a VOP3A one.
func clampsLLVM(in gcn.Inst, r *gcn.Row) bool {
	switch {
	case r.Sig.Dst.Info().Float, r.Sig.Dst == gcn.V2F16 && r.Has(gcn.OMODToo): // v_cvt_pkrtz
		return true
	case !in.Target.Traits().SecondWord:
		return false
	case r.Has(gcn.IntClamp):
		return !r.Has(gcn.OPSELToo) || in.Has(gcn.OPSEL)
	case r.Sig.Dst == gcn.Mask:
		return r.Sig.Src[1].Info().Float // no class test
	}
	return !r.Has(gcn.NoMods) && !r.Has(gcn.CarryIn)
}

// oddOperandLLVM reports whether LLVM has no text for an operand of in.
func oddOperandLLVM(in gcn.Inst, r *gcn.Row) bool {
	var buf [6]gcn.Operand
	for _, o := range in.Operands(buf[:0]) {
		constant := o.File == gcn.NotReg
		switch {
		case o.File == gcn.SReg && o.Field == gcn.VDST && o.Code == gcn.M0: // v_readlane
			return true
		case constant && o.Code == gcn.ConstInvTwoPi && o.Type.Info().Bits16 && !o.Type.Info().Float:
			return true
		case constant && o.Field == gcn.VSRC1 && in.Bool(gcn.SRC1SEXT) && o.Type == gcn.I16 && r.Sig.Dst == gcn.F16: // an exponent
			return true
		}
	}
	return false
}
