package gcn

import mathbits "math/bits"

// Fixed returns where the bits are that say what i is: those that select its encoding, which
// end at bit 31, and its opcode, that of VOP3 in a VOP3 form; its width is 0 if the encoding
// has none.
func (i Inst) Fixed() (encoding, opcode BitField) {
	l := &layouts[i.Target.Gen()][i.Enc]
	mask := l.mask &^ uint32(bits(l.seg))
	shift := mathbits.TrailingZeros32(mask)
	return BitField{"ENCODING", shift, 32 - shift}, BitField{"OP", int(l.op.shift), int(l.op.width)}
}

var atomicNames = [...]string{
	NoAtomic: "none", Swap: "swap", CmpSwap: "compare and swap", CmpSt: "compare and store", Add: "add", Sub: "sub", RSub: "reverse sub",
	SMin: "signed min", UMin: "unsigned min", SMax: "signed max", UMax: "unsigned max", And: "and", Or: "or", Xor: "xor",
	Inc: "wrapping increment", Dec: "wrapping decrement", FCmpSwap: "float compare and swap", FCmpSt: "float compare and store",
	FMin: "float min", FMax: "float max", FAdd: "float add", MskOr: "masked or", Wrap: "wrap", CondXchg: "conditional exchange",
}

// String returns what the operation is called in a sentence.
func (a AtomicOp) String() string {
	if int(a) < len(atomicNames) {
		return atomicNames[a]
	}
	return "unknown"
}
