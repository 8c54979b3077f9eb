package isa

// BranchTarget returns where an instruction at pc may continue that branches to a place it
// names; ok is false of others.
func (i Inst) BranchTarget(pc uint64) (to uint64, ok bool) {
	if !i.Row().Has(Branch) || !i.Has(SIMM16) {
		return 0, false
	}
	return pc + uint64(i.Size) + uint64(int64(int16(i.Get(SIMM16)))*4), true
}
