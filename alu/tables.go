package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
)

var (
	lanesTable  = table(merged(lanesOps, bitOps, f32Conversions), func(r *gcn.Row) bool { return isVector(r) && !r.Has(gcn.CarryOut) })
	maskedTable = table(merged(f32Ops, f64Ops), isVector)
	pairsTable  = table(merged(pairsOps, sadOps), isVector)
	vccTable    = table(vccOps, isVector)
	carryTable  = table(carryOps, func(r *gcn.Row) bool { return isVector(r) && (r.Has(gcn.CarryIn) || r.Has(gcn.CarryOut)) })
)

func isVector(r *gcn.Row) bool {
	switch r.Enc {
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return true
	}
	return false
}

// vectorOf returns the operation of an instruction, or why there is none.
func vectorOf(in *gcn.Inst, r *gcn.Row) (op vectorOp, why string) {
	if in.Bool(gcn.CLAMP) && integer(r.Sig.Dst) {
		op = vectorOp{lanes: saturatedTable[in.Op], carry: saturatedCarryTable[in.Op]}
		if op.lanes == nil && op.carry == nil {
			return op, "CLAMP of " + r.Name + " is not modelled"
		}
		return op, ""
	}
	op = vectorOp{lanes: lanesTable[in.Op], pairs: pairsTable[in.Op], masked: maskedTable[in.Op], carry: carryTable[in.Op], compare: compareTable[in.Op]}
	if op.carry == nil {
		op.carry = vccTable[in.Op]
	}
	if op.none() {
		op = softOf(in, r)
	}
	if op.none() {
		return op, r.Name + " is not modelled"
	}
	return op, ""
}

// integer reports whether CLAMP saturates results of type t. Bits have no CLAMP.
func integer(t gcn.Type) bool {
	switch t {
	case gcn.I16, gcn.U16, gcn.I32, gcn.U32, gcn.I64, gcn.U64:
		return true
	}
	return false
}

// hasPair reports whether r has a 64-bit operand.
func hasPair(r *gcn.Row) bool {
	wide := func(t gcn.Type) bool { return t.Dwords() == 2 && t != gcn.Mask }
	return wide(r.Sig.Dst) || wide(r.Sig.Src[0]) || wide(r.Sig.Src[1]) || wide(r.Sig.Src[2])
}

// table resolves what is keyed by mnemonic to the rows that pick accepts.
func table[T any](keyed map[string]T, pick func(r *gcn.Row) bool) []T {
	t := make([]T, gcn.NumOps())
	for name, op := range keyed {
		for _, row := range gcn.Ops(name) {
			if pick(row.Row()) {
				t[row] = op
			}
		}
	}
	return t
}

// merged joins maps of operations.
func merged[T any](maps ...map[string]T) map[string]T {
	all := map[string]T{}
	for _, m := range maps {
		for name, op := range m {
			all[name] = op
		}
	}
	return all
}
