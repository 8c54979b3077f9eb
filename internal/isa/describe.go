package isa

import mathbits "math/bits"

// Fixed returns the bits of i that select its encoding, which end at bit 31, and those of its opcode, in a VOP3 form
// the opcode of VOP3. The width of opcode is 0 if the encoding has none.
func (i Inst) Fixed() (encoding, opcode BitField) {
	l := &layouts[i.Target.Gen()][i.Enc]
	mask := l.mask &^ uint32(bits(l.seg))
	shift := mathbits.TrailingZeros32(mask)
	return BitField{"ENCODING", shift, 32 - shift}, BitField{"OP", int(l.op.shift), int(l.op.width)}
}
