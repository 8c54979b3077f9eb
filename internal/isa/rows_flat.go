package isa

import (
	"slices"
	"strings"
)

// flatRows are the FLAT instructions, which access the memory that the address selects.
var flatRows = slices.Concat(flatMoves, flatAtomics, wideAtomics(flatAtomics))

// globalRows access global memory.
var globalRows = flatLike("global", GLOBAL, flatRows)

// scratchRows access private memory.
var scratchRows = flatLike("scratch", SCRATCH, flatMoves)

// flatLike returns the rows that exist on GCN 1.4, moved to encoding e with the same opcodes. prefix replaces "flat"
// in the names, as in global_load_dword for flat_load_dword.
func flatLike(prefix string, e Encoding, rows []Row) []Row {
	all := make([]Row, 0, len(rows))
	for _, r := range rows {
		if r.Code[GCN14] != no {
			r.Name, r.Enc, r.Code = prefix+strings.TrimPrefix(r.Name, "flat"), e, since(GCN14, r.Code[GCN14])
			all = append(all, r)
		}
	}
	return all
}

// flatMoves are the loads and stores of FLAT.
var flatMoves = []Row{
	{Name: "flat_load_ubyte", Enc: FLAT, Code: since(GCN11, 8).then(GCN12, 16), Mem: Mem{Op: Load, Elem: 1, Count: 1}},
	{Name: "flat_load_sbyte", Enc: FLAT, Code: since(GCN11, 9).then(GCN12, 17), Mem: Mem{Op: Load, Elem: 1, Count: 1, Signed: true}},
	{Name: "flat_load_ushort", Enc: FLAT, Code: since(GCN11, 10).then(GCN12, 18), Mem: Mem{Op: Load, Elem: 2, Count: 1}},
	{Name: "flat_load_sshort", Enc: FLAT, Code: since(GCN11, 11).then(GCN12, 19), Mem: Mem{Op: Load, Elem: 2, Count: 1, Signed: true}},
	{Name: "flat_load_dword", Enc: FLAT, Code: since(GCN11, 12).then(GCN12, 20), Mem: Mem{Op: Load, Elem: 4, Count: 1}},
	{Name: "flat_load_dwordx2", Enc: FLAT, Code: since(GCN11, 13).then(GCN12, 21), Mem: Mem{Op: Load, Elem: 4, Count: 2}},
	{Name: "flat_load_dwordx3", Enc: FLAT, Code: since(GCN11, 15).then(GCN12, 22), Mem: Mem{Op: Load, Elem: 4, Count: 3}},
	{Name: "flat_load_dwordx4", Enc: FLAT, Code: since(GCN11, 14).then(GCN12, 23), Mem: Mem{Op: Load, Elem: 4, Count: 4}},
	{Name: "flat_store_byte", Enc: FLAT, Code: since(GCN11, 24), Mem: Mem{Op: Store, Elem: 1, Count: 1}},
	{Name: "flat_store_byte_d16_hi", Enc: FLAT, Code: since(GCN14, 25), Mem: Mem{Op: Store, Elem: 1, Count: 1, D16: HighHalf}},
	{Name: "flat_store_short", Enc: FLAT, Code: since(GCN11, 26), Mem: Mem{Op: Store, Elem: 2, Count: 1}},
	{Name: "flat_store_short_d16_hi", Enc: FLAT, Code: since(GCN14, 27), Mem: Mem{Op: Store, Elem: 2, Count: 1, D16: HighHalf}},
	{Name: "flat_store_dword", Enc: FLAT, Code: since(GCN11, 28), Mem: Mem{Op: Store, Elem: 4, Count: 1}},
	{Name: "flat_store_dwordx2", Enc: FLAT, Code: since(GCN11, 29), Mem: Mem{Op: Store, Elem: 4, Count: 2}},
	{Name: "flat_store_dwordx3", Enc: FLAT, Code: since(GCN11, 31).then(GCN12, 30), Mem: Mem{Op: Store, Elem: 4, Count: 3}},
	{Name: "flat_store_dwordx4", Enc: FLAT, Code: since(GCN11, 30).then(GCN12, 31), Mem: Mem{Op: Store, Elem: 4, Count: 4}},
	{Name: "flat_load_ubyte_d16", Enc: FLAT, Code: since(GCN14, 32), Mem: Mem{Op: Load, Elem: 1, Count: 1, D16: LowHalf}},
	{Name: "flat_load_ubyte_d16_hi", Enc: FLAT, Code: since(GCN14, 33), Mem: Mem{Op: Load, Elem: 1, Count: 1, D16: HighHalf}},
	{Name: "flat_load_sbyte_d16", Enc: FLAT, Code: since(GCN14, 34), Mem: Mem{Op: Load, Elem: 1, Count: 1, Signed: true, D16: LowHalf}},
	{Name: "flat_load_sbyte_d16_hi", Enc: FLAT, Code: since(GCN14, 35), Mem: Mem{Op: Load, Elem: 1, Count: 1, Signed: true, D16: HighHalf}},
	{Name: "flat_load_short_d16", Enc: FLAT, Code: since(GCN14, 36), Mem: Mem{Op: Load, Elem: 2, Count: 1, D16: LowHalf}},
	{Name: "flat_load_short_d16_hi", Enc: FLAT, Code: since(GCN14, 37), Mem: Mem{Op: Load, Elem: 2, Count: 1, D16: HighHalf}},
}

// flatAtomics are the 32-bit atomics of FLAT.
var flatAtomics = []Row{
	{Name: "flat_atomic_fcmpswap", Enc: FLAT, Code: since(GCN11, 62).until(GCN12), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: FCmpSwap}},
	{Name: "flat_atomic_fmin", Enc: FLAT, Code: since(GCN11, 63).until(GCN12), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: FMin}},
	{Name: "flat_atomic_fmax", Enc: FLAT, Code: since(GCN11, 64).until(GCN12), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: FMax}},
	{Name: "flat_atomic_swap", Enc: FLAT, Code: since(GCN11, 48).then(GCN12, 64), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Swap}},
	{Name: "flat_atomic_cmpswap", Enc: FLAT, Code: since(GCN11, 49).then(GCN12, 65), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: CmpSwap}},
	{Name: "flat_atomic_add", Enc: FLAT, Code: since(GCN11, 50).then(GCN12, 66), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Add}},
	{Name: "flat_atomic_sub", Enc: FLAT, Code: since(GCN11, 51).then(GCN12, 67), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Sub}},
	{Name: "flat_atomic_smin", Enc: FLAT, Code: since(GCN11, 53).then(GCN12, 68), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: SMin}},
	{Name: "flat_atomic_umin", Enc: FLAT, Code: since(GCN11, 54).then(GCN12, 69), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: UMin}},
	{Name: "flat_atomic_smax", Enc: FLAT, Code: since(GCN11, 55).then(GCN12, 70), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: SMax}},
	{Name: "flat_atomic_umax", Enc: FLAT, Code: since(GCN11, 56).then(GCN12, 71), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: UMax}},
	{Name: "flat_atomic_and", Enc: FLAT, Code: since(GCN11, 57).then(GCN12, 72), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: And}},
	{Name: "flat_atomic_or", Enc: FLAT, Code: since(GCN11, 58).then(GCN12, 73), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Or}},
	{Name: "flat_atomic_xor", Enc: FLAT, Code: since(GCN11, 59).then(GCN12, 74), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Xor}},
	{Name: "flat_atomic_inc", Enc: FLAT, Code: since(GCN11, 60).then(GCN12, 75), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Inc}},
	{Name: "flat_atomic_dec", Enc: FLAT, Code: since(GCN11, 61).then(GCN12, 76), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Dec}},
}
