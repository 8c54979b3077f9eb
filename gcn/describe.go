package gcn

// OpcodeBits returns the opcode of i as its encoding has it, and where: the lowest bit
// and the width, 0 if the encoding has none. The opcode of a VOP3 form is that of VOP3.
func (i Inst) OpcodeBits() (code uint32, shift, width int) {
	s := layouts[i.Target.Gen()][i.Enc].op
	return uint32(i.Words>>s.shift) & uint32(1<<s.width-1), int(s.shift), int(s.width)
}

// PrefixBits returns the fixed bits that select the encoding of i, and where: the lowest
// bit and the width. They end at bit 31.
func (i Inst) PrefixBits() (prefix uint32, shift, width int) {
	l := &layouts[i.Target.Gen()][i.Enc]
	mask := l.mask &^ uint32(bits(l.seg))
	for shift < 31 && mask>>shift&1 == 0 {
		shift++
	}
	return uint32(i.Words) & mask >> shift, shift, 32 - shift
}

// SecondWord returns the operand code in bits 8:0 that stands for a second word of SDWA
// or DPP; ok is false if i has no such word.
func (i Inst) SecondWord() (code uint32, ok bool) {
	if !hasSecondWord(&layouts[i.Target.Gen()][i.Enc]) {
		return 0, false
	}
	return uint32(i.Words & 0x1ff), true
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
