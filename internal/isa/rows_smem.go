package isa

import (
	"slices"
	"strings"
)

// smemRows are the scalar memory instructions. Source: CLRX GcnInstrsSMRD, CLRX
// GcnInstrsSMEM, LLVM.
var smemRows = func() []Row {
	buffer := slices.Clone(smemAtomics)
	for i := range buffer { // the forms with a V# have opcodes higher by 64
		r := &buffer[i]
		r.Name, r.Code, r.Flags = "s_buffer"+strings.TrimPrefix(r.Name, "s"), opcodes(r.Code).plus(-64), BufferBase
	}
	return slices.Concat(smemOthers, buffer, wideAtomics(buffer), smemAtomics, wideAtomics(smemAtomics))
}()

// smemAtomics are the 32-bit atomics on an address.
var smemAtomics = []Row{
	{Name: "s_atomic_swap", Enc: SMEM, Code: since(GCN14, 128), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Swap}},
	{Name: "s_atomic_cmpswap", Enc: SMEM, Code: since(GCN14, 129), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: CmpSwap}},
	{Name: "s_atomic_add", Enc: SMEM, Code: since(GCN14, 130), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Add}},
	{Name: "s_atomic_sub", Enc: SMEM, Code: since(GCN14, 131), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Sub}},
	{Name: "s_atomic_smin", Enc: SMEM, Code: since(GCN14, 132), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: SMin}},
	{Name: "s_atomic_umin", Enc: SMEM, Code: since(GCN14, 133), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: UMin}},
	{Name: "s_atomic_smax", Enc: SMEM, Code: since(GCN14, 134), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: SMax}},
	{Name: "s_atomic_umax", Enc: SMEM, Code: since(GCN14, 135), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: UMax}},
	{Name: "s_atomic_and", Enc: SMEM, Code: since(GCN14, 136), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: And}},
	{Name: "s_atomic_or", Enc: SMEM, Code: since(GCN14, 137), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Or}},
	{Name: "s_atomic_xor", Enc: SMEM, Code: since(GCN14, 138), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Xor}},
	{Name: "s_atomic_inc", Enc: SMEM, Code: since(GCN14, 139), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Inc}},
	{Name: "s_atomic_dec", Enc: SMEM, Code: since(GCN14, 140), Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: Dec}},
}

// smemOthers are the instructions that are not atomics.
var smemOthers = []Row{
	{Name: "s_load_dword", Enc: SMEM, Code: since(GCN10, 0), Mem: Mem{Op: Load, Elem: 4, Count: 1}},
	{Name: "s_load_dwordx2", Enc: SMEM, Code: since(GCN10, 1), Mem: Mem{Op: Load, Elem: 4, Count: 2}},
	{Name: "s_load_dwordx4", Enc: SMEM, Code: since(GCN10, 2), Mem: Mem{Op: Load, Elem: 4, Count: 4}},
	{Name: "s_load_dwordx8", Enc: SMEM, Code: since(GCN10, 3), Mem: Mem{Op: Load, Elem: 4, Count: 8}},
	{Name: "s_load_dwordx16", Enc: SMEM, Code: since(GCN10, 4), Mem: Mem{Op: Load, Elem: 4, Count: 16}},
	{Name: "s_scratch_load_dword", Enc: SMEM, Code: since(GCN14, 5), Mem: Mem{Op: Load, Elem: 4, Count: 1, Lanes64: true}},
	{Name: "s_scratch_load_dwordx2", Enc: SMEM, Code: since(GCN14, 6), Mem: Mem{Op: Load, Elem: 4, Count: 2, Lanes64: true}},
	{Name: "s_scratch_load_dwordx4", Enc: SMEM, Code: since(GCN14, 7), Mem: Mem{Op: Load, Elem: 4, Count: 4, Lanes64: true}},
	{Name: "s_buffer_load_dword", Enc: SMEM, Code: since(GCN10, 8), Mem: Mem{Op: Load, Elem: 4, Count: 1}, Flags: BufferBase},
	{Name: "s_buffer_load_dwordx2", Enc: SMEM, Code: since(GCN10, 9), Mem: Mem{Op: Load, Elem: 4, Count: 2}, Flags: BufferBase},
	{Name: "s_buffer_load_dwordx4", Enc: SMEM, Code: since(GCN10, 10), Mem: Mem{Op: Load, Elem: 4, Count: 4}, Flags: BufferBase},
	{Name: "s_buffer_load_dwordx8", Enc: SMEM, Code: since(GCN10, 11), Mem: Mem{Op: Load, Elem: 4, Count: 8}, Flags: BufferBase},
	{Name: "s_buffer_load_dwordx16", Enc: SMEM, Code: since(GCN10, 12), Mem: Mem{Op: Load, Elem: 4, Count: 16}, Flags: BufferBase},
	{Name: "s_store_dword", Enc: SMEM, Code: since(GCN12, 16), Mem: Mem{Op: Store, Elem: 4, Count: 1}},
	{Name: "s_store_dwordx2", Enc: SMEM, Code: since(GCN12, 17), Mem: Mem{Op: Store, Elem: 4, Count: 2}},
	{Name: "s_store_dwordx4", Enc: SMEM, Code: since(GCN12, 18), Mem: Mem{Op: Store, Elem: 4, Count: 4}},
	{Name: "s_scratch_store_dword", Enc: SMEM, Code: since(GCN14, 21), Mem: Mem{Op: Store, Elem: 4, Count: 1, Lanes64: true}},
	{Name: "s_scratch_store_dwordx2", Enc: SMEM, Code: since(GCN14, 22), Mem: Mem{Op: Store, Elem: 4, Count: 2, Lanes64: true}},
	{Name: "s_scratch_store_dwordx4", Enc: SMEM, Code: since(GCN14, 23), Mem: Mem{Op: Store, Elem: 4, Count: 4, Lanes64: true}},
	{Name: "s_buffer_store_dword", Enc: SMEM, Code: since(GCN12, 24), Mem: Mem{Op: Store, Elem: 4, Count: 1}, Flags: BufferBase},
	{Name: "s_buffer_store_dwordx2", Enc: SMEM, Code: since(GCN12, 25), Mem: Mem{Op: Store, Elem: 4, Count: 2}, Flags: BufferBase},
	{Name: "s_buffer_store_dwordx4", Enc: SMEM, Code: since(GCN12, 26), Mem: Mem{Op: Store, Elem: 4, Count: 4}, Flags: BufferBase},
	{Name: "s_dcache_inv", Enc: SMEM, Code: since(GCN10, 31).then(GCN12, 32), Mem: Mem{Op: Special}, Flags: NoOffset | NoData, Control: InvalidatesScalar, Does: "invalidates the scalar data cache"},
	{Name: "s_dcache_wb", Enc: SMEM, Code: since(GCN12, 33), Mem: Mem{Op: Special}, Flags: NoOffset | NoData, Control: WritesBackScalar, Does: "writes back the scalar data cache"},
	{Name: "s_dcache_inv_vol", Enc: SMEM, Code: since(GCN11, 29).then(GCN12, 34), Mem: Mem{Op: Special}, Flags: NoOffset | NoData, Control: InvalidatesScalar, Does: "invalidates the volatile lines of the scalar data cache"},
	{Name: "s_dcache_wb_vol", Enc: SMEM, Code: since(GCN12, 35), Mem: Mem{Op: Special}, Flags: NoOffset | NoData, Control: WritesBackScalar, Does: "writes back the volatile lines of the scalar data cache"},
	{Name: "s_memtime", Enc: SMEM, Code: since(GCN10, 30).then(GCN12, 36), Mem: Mem{Op: Special, Elem: 4, Count: 2}, Flags: NoOffset, Does: "loads the 64-bit clock counter", Control: ReadsClock, Note: modelTime},
	{Name: "s_memrealtime", Enc: SMEM, Code: since(GCN12, 37), Mem: Mem{Op: Special, Elem: 4, Count: 2}, Flags: NoOffset, Does: "loads the 64-bit real time counter", Control: ReadsClock, Note: modelTime},
	{Name: "s_atc_probe", Enc: SMEM, Code: since(GCN12, 38), Mem: Mem{Op: Special}, Does: "prefetches the translation of an address, of the kind that SDST encodes, into the address cache", Note: noLines},
	{Name: "s_atc_probe_buffer", Enc: SMEM, Code: since(GCN12, 39), Mem: Mem{Op: Special}, Flags: BufferBase, Does: "prefetches the translation of an address in the buffer, of the kind that SDST encodes, into the address cache", Note: noLines},
	{Name: "s_dcache_discard", Enc: SMEM, Code: since(GCN14, 40), Mem: Mem{Op: Special}, Flags: NoData, Does: "drops a line of 64 bytes of the scalar data cache without writing it back", Note: noLines},
	{Name: "s_dcache_discard_x2", Enc: SMEM, Code: since(GCN14, 41), Mem: Mem{Op: Special}, Flags: NoData, Does: "drops two lines of 64 bytes of the scalar data cache without writing them back", Note: noLines},
}
