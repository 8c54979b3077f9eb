package asm

import (
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// FormatOperand returns the text of operand o of in as LLVM writes it without
// modifiers: "v[0:1]", "s[4:7]", "vcc", "1.0", "0x3f800001".
func FormatOperand(in gcn.Inst, o gcn.Operand) string {
	switch o.File {
	case gcn.VReg:
		return string(appendVGPR(nil, uint32(o.Code), int(o.Dwords)))
	case gcn.SReg:
		return string(appendSGPR(nil, in.Target.Gen(), uint32(o.Code), int(o.Dwords)))
	}
	return string(appendCode(nil, in, uint32(o.Code), o.Type))
}

// FormatField returns the text of field f of in where LLVM writes it neither as a plain
// number nor as a register: "hwreg(HW_REG_MODE, 0, 4)", "quad_perm:[3,2,1,0]", "WORD_1",
// "swizzle(SWAP,1)", "mrt0". It returns "" for other fields.
func FormatField(in gcn.Inst, f gcn.Field) string {
	form := formOf(in.Target, in.Op, in.Enc, LLVM)
	for n := range form.parts {
		p := &form.parts[n]
		if p.field != f {
			continue
		}
		switch p.kind {
		case waitcnt, hwreg, sendmsg, gprIndex, expTarget, interpParam, interpAttr:
			return string(appendOperand(nil, in, p))
		case dstSel, srcSel, dstUnused, dppCtrl, swizzle:
			text := strings.TrimSpace(string(appendModifier(nil, in, p)))
			return strings.TrimPrefix(text, p.word+":")
		}
	}
	return ""
}
