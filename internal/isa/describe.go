package isa

import mathbits "math/bits"

// Fixed returns where the bits are that say what i is: those that select its encoding, which
// end at bit 31, and its opcode, the opcode of VOP3 in a VOP3 form; its width is 0 if the encoding
// has none.
func (i Inst) Fixed() (encoding, opcode BitField) {
	l := &layouts[i.Target.Gen()][i.Enc]
	mask := l.mask &^ uint32(bits(l.seg))
	shift := mathbits.TrailingZeros32(mask)
	return BitField{"ENCODING", shift, 32 - shift}, BitField{"OP", int(l.op.shift), int(l.op.width)}
}
