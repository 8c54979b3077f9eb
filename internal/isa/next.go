package isa

// BranchTarget returns the target of a branch at pc with an immediate target. ok is false for other instructions.
func (i Inst) BranchTarget(pc uint64) (to uint64, ok bool) {
	if !i.Row().Has(Branch) || !i.Has(SIMM16) {
		return 0, false
	}
	return pc + uint64(i.Size) + uint64(int64(int16(i.Get(SIMM16)))*4), true
}

// ScalarOffset returns the immediate byte offset of an SMEM instruction and the operand code of its offset register,
// -1 without one (rule SM1).
func (i Inst) ScalarOffset() (imm int64, reg int) {
	t := TraitsOf(i.Target)
	reg = -1
	switch {
	case i.Bool(IMM):
		imm = int64(i.Int(OFFSET)) * int64(t.ScalarOffsetUnit)
	case i.Bool(SOE):
	case t.SMRDLiteral && i.Get(OFFSET) == Literal:
		imm = int64(i.Get(LITERAL)) * int64(t.ScalarOffsetUnit)
	default:
		reg = int(i.Get(OFFSET) & 0xff)
	}
	if i.Bool(SOE) {
		reg = int(i.Get(SOFFSET))
	}
	return imm, reg
}
