package isa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// dsRows are the LDS and GDS instructions. Source: CLRX GcnInstrsDs. Most operations have several forms, whose
// opcodes differ by a constant from that of the plain form, which is in the tables below.
var dsRows = func() []Row {
	forms := slices.Concat(dsMoves, dsAtomics, dsReturning(dsAtomics), dsInLDS(dsAtomics), dsMasked,
		dsReturning(dsMasked), dsInLDS(dsMoves[:1]))
	return byOpcode(dsOthers, forms, ds64(forms), dsAddF32, dsReturning(dsAddF32), dsInLDS(dsAddF32))
}()

// byOpcode returns the rows of lists in the order of their opcodes. It panics if two rows have the same opcode.
func byOpcode(lists ...[]Row) []Row {
	all := slices.Concat(lists...)
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(a.Code[GCN141], b.Code[GCN141]) })
	for i := range all[1:] {
		if a, b := &all[i], &all[i+1]; a.Code[GCN141] == b.Code[GCN141] {
			panic(fmt.Sprintf("gcn: %s and %s have the same opcode %d of DS", a.Name, b.Name, b.Code[GCN141]))
		}
	}
	return all
}

// dsForm returns rows in another form: mark is inserted before the type in their names, as in ds_add_rtn_u32, and
// their opcodes are higher by distance.
func dsForm(rows []Row, mark string, distance int16) []Row {
	rows = slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		at := strings.LastIndexByte(r.Name, '_')
		r.Name, r.Code = r.Name[:at]+mark+r.Name[at:], opcodes(r.Code).plus(distance)
	}
	return rows
}

// dsReturning returns the forms of atomics that return the old value.
func dsReturning(rows []Row) []Row {
	rows = dsForm(rows, "_rtn", 32)
	for i := range rows {
		rows[i].Mem.Ret = true
	}
	return rows
}

// dsInLDS returns the forms whose operand is also in LDS.
func dsInLDS(rows []Row) []Row {
	rows = dsForm(rows, "_src2", 128)
	for i := range rows {
		rows[i].Mem.Op, rows[i].Mem.InLDS, rows[i].Flags = Special, true, NoData
	}
	return rows
}

// ds64 returns the forms with elements of 8 bytes.
func ds64(rows []Row) []Row {
	rows = dsForm(rows, "", 64)
	for i := range rows {
		rows[i].Name, rows[i].Mem.Elem = strings.TrimSuffix(rows[i].Name, "32")+"64", 8
	}
	return rows
}

// dsAtomics are the atomics that have all forms.
var dsAtomics = []Row{
	{Name: "ds_add_u32", Enc: DS, Code: since(GCN10, 0), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Add}},
	{Name: "ds_sub_u32", Enc: DS, Code: since(GCN10, 1), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Sub}},
	{Name: "ds_rsub_u32", Enc: DS, Code: since(GCN10, 2), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: RSub}},
	{Name: "ds_inc_u32", Enc: DS, Code: since(GCN10, 3), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Inc}},
	{Name: "ds_dec_u32", Enc: DS, Code: since(GCN10, 4), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Dec}},
	{Name: "ds_min_i32", Enc: DS, Code: since(GCN10, 5), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: SMin}},
	{Name: "ds_max_i32", Enc: DS, Code: since(GCN10, 6), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: SMax}},
	{Name: "ds_min_u32", Enc: DS, Code: since(GCN10, 7), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: UMin}},
	{Name: "ds_max_u32", Enc: DS, Code: since(GCN10, 8), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: UMax}},
	{Name: "ds_and_b32", Enc: DS, Code: since(GCN10, 9), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: And}},
	{Name: "ds_or_b32", Enc: DS, Code: since(GCN10, 10), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Or}},
	{Name: "ds_xor_b32", Enc: DS, Code: since(GCN10, 11), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Xor}},
	{Name: "ds_min_f32", Enc: DS, Code: since(GCN10, 18), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: FMin}},
	{Name: "ds_max_f32", Enc: DS, Code: since(GCN10, 19), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: FMax}},
}

// dsMasked are the atomics with two operands, which are never in LDS.
var dsMasked = []Row{
	{Name: "ds_mskor_b32", Enc: DS, Code: since(GCN10, 12), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: MskOr}},
	{Name: "ds_cmpst_b32", Enc: DS, Code: since(GCN10, 16), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: CmpSt}},
	{Name: "ds_cmpst_f32", Enc: DS, Code: since(GCN10, 17), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: FCmpSt}},
}

// dsAddF32 has no form of 64 bits.
var dsAddF32 = []Row{
	{Name: "ds_add_f32", Enc: DS, Code: since(GCN12, 21), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: FAdd}},
}

// dsMoves have a form of 64 bits; the first one can also have its operand in LDS.
var dsMoves = []Row{
	{Name: "ds_write_b32", Enc: DS, Code: since(GCN10, 13), Mem: Mem{Op: Store, Elem: 4, Count: 1}},
	{Name: "ds_write2_b32", Enc: DS, Code: since(GCN10, 14), Mem: Mem{Op: Store, Elem: 4, Count: 2}, Flags: Two},
	{Name: "ds_write2st64_b32", Enc: DS, Code: since(GCN10, 15), Mem: Mem{Op: Store, Elem: 4, Count: 2, Stride64: true}, Flags: Two},
	{Name: "ds_wrxchg_rtn_b32", Enc: DS, Code: since(GCN10, 45), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Swap, Ret: true}},
	{Name: "ds_wrxchg2_rtn_b32", Enc: DS, Code: since(GCN10, 46), Mem: Mem{Op: Atomic, Elem: 4, Count: 2, Atomic: Swap, Ret: true}, Flags: Two},
	{Name: "ds_wrxchg2st64_rtn_b32", Enc: DS, Code: since(GCN10, 47), Mem: Mem{Op: Atomic, Elem: 4, Count: 2, Atomic: Swap, Ret: true, Stride64: true}, Flags: Two},
	{Name: "ds_read_b32", Enc: DS, Code: since(GCN10, 54), Mem: Mem{Op: Load, Elem: 4, Count: 1, Ret: true}, Flags: NoData},
	{Name: "ds_read2_b32", Enc: DS, Code: since(GCN10, 55), Mem: Mem{Op: Load, Elem: 4, Count: 2, Ret: true}, Flags: Two | NoData},
	{Name: "ds_read2st64_b32", Enc: DS, Code: since(GCN10, 56), Mem: Mem{Op: Load, Elem: 4, Count: 2, Ret: true, Stride64: true}, Flags: Two | NoData},
}

// dsOthers have one form.
var dsOthers = []Row{
	{Name: "ds_nop", Enc: DS, Code: since(GCN11, 20), Mem: Mem{Op: Special}, Flags: NoAddr | NoData | IgnoresEXEC, Does: "does nothing", Note: onlyCounts},
	{Name: "ds_write_addtid_b32", Enc: DS, Code: since(GCN14, 29), Mem: Mem{Op: Special, Elem: 4, Count: 1, ByLane: true}, Flags: NoAddr | ReadsM0, Does: "stores 1 dword a lane to M0[15:0] + OFFSET + lane*4"},
	{Name: "ds_write_b8", Enc: DS, Code: since(GCN10, 30), Mem: Mem{Op: Store, Elem: 1, Count: 1}},
	{Name: "ds_write_b16", Enc: DS, Code: since(GCN10, 31), Mem: Mem{Op: Store, Elem: 2, Count: 1}},
	{Name: "ds_wrap_rtn_b32", Enc: DS, Code: since(GCN11, 52), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Wrap, Ret: true}},
	{Name: "ds_read_i8", Enc: DS, Code: since(GCN10, 57), Mem: Mem{Op: Load, Elem: 1, Count: 1, Signed: true, Ret: true}, Flags: NoData},
	{Name: "ds_read_u8", Enc: DS, Code: since(GCN10, 58), Mem: Mem{Op: Load, Elem: 1, Count: 1, Ret: true}, Flags: NoData},
	{Name: "ds_read_i16", Enc: DS, Code: since(GCN10, 59), Mem: Mem{Op: Load, Elem: 2, Count: 1, Signed: true, Ret: true}, Flags: NoData},
	{Name: "ds_read_u16", Enc: DS, Code: since(GCN10, 60), Mem: Mem{Op: Load, Elem: 2, Count: 1, Ret: true}, Flags: NoData},
	{Name: "ds_swizzle_b32", Enc: DS, Code: since(GCN10, 53).then(GCN12, 61), Mem: Mem{Op: Special, Elem: 4, Count: 1, Ret: true, Move: SwizzlesLanes}, Flags: NoData, Imm: SwizzleImm, Does: "moves 1 dword a lane from the lane that OFFSET names; LDS is not touched"},
	{Name: "ds_permute_b32", Enc: DS, Code: since(GCN12, 62), Mem: Mem{Op: Special, Elem: 4, Count: 1, Ret: true, Move: PushesLanes}, Does: "sends 1 dword a lane to the lane (ADDR+OFFSET)/4 mod 64; LDS is not touched"},
	{Name: "ds_bpermute_b32", Enc: DS, Code: since(GCN12, 63), Mem: Mem{Op: Special, Elem: 4, Count: 1, Ret: true, Move: PullsLanes}, Does: "fetches 1 dword a lane from the lane (ADDR+OFFSET)/4 mod 64; LDS is not touched"},
	{Name: "ds_write_b8_d16_hi", Enc: DS, Code: since(GCN14, 84), Mem: Mem{Op: Store, Elem: 1, Count: 1, D16: HighHalf}},
	{Name: "ds_write_b16_d16_hi", Enc: DS, Code: since(GCN14, 85), Mem: Mem{Op: Store, Elem: 2, Count: 1, D16: HighHalf}},
	{Name: "ds_read_u8_d16", Enc: DS, Code: since(GCN14, 86), Mem: Mem{Op: Load, Elem: 1, Count: 1, D16: LowHalf, Ret: true}, Flags: NoData},
	{Name: "ds_read_u8_d16_hi", Enc: DS, Code: since(GCN14, 87), Mem: Mem{Op: Load, Elem: 1, Count: 1, D16: HighHalf, Ret: true}, Flags: NoData},
	{Name: "ds_read_i8_d16", Enc: DS, Code: since(GCN14, 88), Mem: Mem{Op: Load, Elem: 1, Count: 1, Signed: true, D16: LowHalf, Ret: true}, Flags: NoData},
	{Name: "ds_read_i8_d16_hi", Enc: DS, Code: since(GCN14, 89), Mem: Mem{Op: Load, Elem: 1, Count: 1, Signed: true, D16: HighHalf, Ret: true}, Flags: NoData},
	{Name: "ds_read_u16_d16", Enc: DS, Code: since(GCN14, 90), Mem: Mem{Op: Load, Elem: 2, Count: 1, D16: LowHalf, Ret: true}, Flags: NoData},
	{Name: "ds_read_u16_d16_hi", Enc: DS, Code: since(GCN14, 91), Mem: Mem{Op: Load, Elem: 2, Count: 1, D16: HighHalf, Ret: true}, Flags: NoData},
	{Name: "ds_condxchg32_rtn_b64", Enc: DS, Code: since(GCN11, 126), Mem: Mem{Op: Atomic, Elem: 8, Count: 1, Atomic: CondXchg, Ret: true}},
	{Name: "ds_gws_sema_release_all", Enc: DS, Code: since(GCN11, 24).then(GCN12, 152), Mem: Mem{Op: Special}, Flags: NoAddr | NoData | GDSOnly | ReadsM0, Does: "releases all waves that wait for a semaphore of global wave sync", Note: gwsMachine},
	{Name: "ds_gws_init", Enc: DS, Code: since(GCN10, 25).then(GCN12, 153), Mem: Mem{Op: Special}, Flags: NoData | GDSOnly | ReadsM0, Does: "sets the counter of a resource of global wave sync", Note: gwsMachine},
	{Name: "ds_gws_sema_v", Enc: DS, Code: since(GCN10, 26).then(GCN12, 154), Mem: Mem{Op: Special}, Flags: NoAddr | NoData | GDSOnly | ReadsM0, Does: "releases a semaphore of global wave sync: its counter grows by 1", Note: gwsMachine},
	{Name: "ds_gws_sema_br", Enc: DS, Code: since(GCN10, 27).then(GCN12, 155), Mem: Mem{Op: Special}, Flags: NoData | GDSOnly | ReadsM0, Does: "releases a semaphore of global wave sync many times at once: its counter grows by the value of the first active lane", Note: gwsMachine},
	{Name: "ds_gws_sema_p", Enc: DS, Code: since(GCN10, 28).then(GCN12, 156), Mem: Mem{Op: Special}, Flags: NoAddr | NoData | GDSOnly | ReadsM0, Does: "takes a semaphore of global wave sync: waits until its counter is not 0 and lowers it by 1", Note: gwsMachine},
	{Name: "ds_gws_barrier", Enc: DS, Code: since(GCN10, 29).then(GCN12, 157), Mem: Mem{Op: Special}, Flags: NoData | GDSOnly | ReadsM0, Does: "waits at a barrier of global wave sync until as many waves have come as its counter says", Note: gwsMachine},
	{Name: "ds_read_addtid_b32", Enc: DS, Code: since(GCN14, 182), Mem: Mem{Op: Special, Elem: 4, Count: 1, Ret: true, ByLane: true}, Flags: NoAddr | NoData | ReadsM0, Does: "loads 1 dword a lane from M0[15:0] + OFFSET + lane*4"},
	{Name: "ds_consume", Enc: DS, Code: since(GCN10, 61).then(GCN12, 189), Mem: Mem{Op: Special, Elem: 4, Count: 1, Ret: true}, Flags: NoAddr | NoData | ReadsM0, Does: "subtracts the number of active lanes from a counter once and returns the old value", Note: appendBase},
	{Name: "ds_append", Enc: DS, Code: since(GCN10, 62).then(GCN12, 190), Mem: Mem{Op: Special, Elem: 4, Count: 1, Ret: true}, Flags: NoAddr | NoData | ReadsM0, Does: "adds the number of active lanes to a counter once and returns the old value", Note: appendBase},
	{Name: "ds_ordered_count", Enc: DS, Code: since(GCN10, 63).then(GCN12, 191), Mem: Mem{Op: Special, Elem: 4, Count: 1, Ret: true}, Flags: NoData | GDSOnly | ReadsM0, Does: "adds to a counter in GDS or swaps it when the wave's turn comes, in the order in which waves began, and returns the old value", Note: orderedTurns},
	{Name: "ds_write_b96", Enc: DS, Code: since(GCN11, 222), Mem: Mem{Op: Store, Elem: 4, Count: 3}},
	{Name: "ds_write_b128", Enc: DS, Code: since(GCN11, 223), Mem: Mem{Op: Store, Elem: 4, Count: 4}},
	{Name: "ds_condxchg32_rtn_b128", Enc: DS, Code: since(GCN11, 253), Mem: Mem{Op: Atomic, Elem: 16, Count: 1, Atomic: CondXchg, Ret: true}, Flags: NotLLVM, Note: onlyNamed},
	{Name: "ds_read_b96", Enc: DS, Code: since(GCN11, 254), Mem: Mem{Op: Load, Elem: 4, Count: 3, Ret: true}, Flags: NoData},
	{Name: "ds_read_b128", Enc: DS, Code: since(GCN11, 255), Mem: Mem{Op: Load, Elem: 4, Count: 4, Ret: true}, Flags: NoData},
}
