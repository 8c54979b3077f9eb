package isa

// AddrParts are the parts of an image instruction's address in addition to the coordinates, and its suffixes about
// the level of detail. See [Inst.ImageAddr].
type AddrParts uint16

// The parts of an address.
const (
	AddrOffset  AddrParts = 1 << iota // _O: three offsets in texels
	AddrBias                          // _B: a bias of the level of detail
	AddrCompare                       // _C: a reference value for the comparison
	AddrDeriv                         // _D, _CD: derivatives
	AddrClamp                         // _CL: the smallest level of detail
	AddrLOD                           // _L, _MIP, GET_RESINFO: the level
	NoBody                            // no coordinates (GET_RESINFO)
	LevelZero                         // _LZ: level 0, without a register
	AddrCoarse                        // _CD: derivatives that are the same for a quad
)

// imageRow returns a row with the same opcode on all generations that uses no sampler.
func imageRow(name string, code int16, m Mem, parts AddrParts) Row {
	return Row{Name: name, Enc: MIMG, Code: since(GCN10, code), Mem: m, Addr: parts}
}

// does returns r with a description of its operation.
func does(r Row, what string) Row {
	r.Does = what
	return r
}

// imageAtomic returns the row of an atomic. Its elements have 8 bytes if DMASK selects that (rule IM5).
func imageAtomic(name string, op AtomicOp, code [NumGens]int16) Row {
	return Row{Name: name, Enc: MIMG, Code: code, Mem: Mem{Op: Atomic, Elem: 4, Count: 1, Atomic: op}}
}

// sample returns the row of an instruction that filters.
func sample(name string, code int16, parts AddrParts) Row {
	r := imageRow(name, code, Mem{Op: Load, Format: true}, parts)
	r.Flags = Sampler
	return r
}

// gather returns the row of an instruction that returns four texels.
func gather(name string, code int16, parts AddrParts) Row {
	r := sample(name, code, parts)
	r.Flags |= Gathers
	return r
}

// vegaGather returns the row of a gather of a row of texels; PCK forms do not convert.
func vegaGather(name string, code int16, convert bool, flags Flags) Row {
	return Row{Name: name, Enc: MIMG, Code: since(GCN14, code), Mem: Mem{Op: Load, Format: convert},
		Flags: Sampler | Gathers | RowOfTexels | flags}
}

// mimgRows are the image instructions. Without Mem.Format a load or store moves bits without conversion (PCK).
// Source: CLRX GcnInstrsMimg, LLVM.
var mimgRows = []Row{
	imageRow("image_load", 0, Mem{Op: Load, Format: true}, 0),
	imageRow("image_load_mip", 1, Mem{Op: Load, Format: true}, AddrLOD),
	imageRow("image_load_pck", 2, Mem{Op: Load}, 0),
	imageRow("image_load_pck_sgn", 3, Mem{Op: Load, Signed: true}, 0),
	imageRow("image_load_mip_pck", 4, Mem{Op: Load}, AddrLOD),
	imageRow("image_load_mip_pck_sgn", 5, Mem{Op: Load, Signed: true}, AddrLOD),
	imageRow("image_store", 8, Mem{Op: Store, Format: true}, 0),
	imageRow("image_store_mip", 9, Mem{Op: Store, Format: true}, AddrLOD),
	imageRow("image_store_pck", 10, Mem{Op: Store}, 0),
	imageRow("image_store_mip_pck", 11, Mem{Op: Store}, AddrLOD),
	does(imageRow("image_get_resinfo", 14, Mem{Op: Special}, AddrLOD|NoBody),
		"returns the size of the image and its number of mip levels"),
	imageAtomic("image_atomic_swap", Swap, since(GCN10, 15).then(GCN12, 16)),
	imageAtomic("image_atomic_cmpswap", CmpSwap, since(GCN10, 16).then(GCN12, 17)),
	imageAtomic("image_atomic_add", Add, since(GCN10, 17).then(GCN12, 18)),
	imageAtomic("image_atomic_rsub", RSub, since(GCN10, 19).until(GCN11)),
	imageAtomic("image_atomic_sub", Sub, since(GCN10, 18).then(GCN12, 19)),
	imageAtomic("image_atomic_smin", SMin, since(GCN10, 20)),
	imageAtomic("image_atomic_umin", UMin, since(GCN10, 21)),
	imageAtomic("image_atomic_smax", SMax, since(GCN10, 22)),
	imageAtomic("image_atomic_umax", UMax, since(GCN10, 23)),
	imageAtomic("image_atomic_and", And, since(GCN10, 24)),
	imageAtomic("image_atomic_or", Or, since(GCN10, 25)),
	imageAtomic("image_atomic_xor", Xor, since(GCN10, 26)),
	imageAtomic("image_atomic_inc", Inc, since(GCN10, 27)),
	imageAtomic("image_atomic_dec", Dec, since(GCN10, 28)),
	imageAtomic("image_atomic_fcmpswap", FCmpSwap, since(GCN10, 29).until(GCN12)),
	imageAtomic("image_atomic_fmin", FMin, since(GCN10, 30).until(GCN12)),
	imageAtomic("image_atomic_fmax", FMax, since(GCN10, 31).until(GCN12)),
	sample("image_sample", 32, 0),
	sample("image_sample_cl", 33, AddrClamp),
	sample("image_sample_d", 34, AddrDeriv),
	sample("image_sample_d_cl", 35, AddrDeriv|AddrClamp),
	sample("image_sample_l", 36, AddrLOD),
	sample("image_sample_b", 37, AddrBias),
	sample("image_sample_b_cl", 38, AddrBias|AddrClamp),
	sample("image_sample_lz", 39, LevelZero),
	sample("image_sample_c", 40, AddrCompare),
	sample("image_sample_c_cl", 41, AddrCompare|AddrClamp),
	sample("image_sample_c_d", 42, AddrCompare|AddrDeriv),
	sample("image_sample_c_d_cl", 43, AddrCompare|AddrDeriv|AddrClamp),
	sample("image_sample_c_l", 44, AddrCompare|AddrLOD),
	sample("image_sample_c_b", 45, AddrBias|AddrCompare),
	sample("image_sample_c_b_cl", 46, AddrBias|AddrCompare|AddrClamp),
	sample("image_sample_c_lz", 47, AddrCompare|LevelZero),
	sample("image_sample_o", 48, AddrOffset),
	sample("image_sample_cl_o", 49, AddrOffset|AddrClamp),
	sample("image_sample_d_o", 50, AddrOffset|AddrDeriv),
	sample("image_sample_d_cl_o", 51, AddrOffset|AddrDeriv|AddrClamp),
	sample("image_sample_l_o", 52, AddrOffset|AddrLOD),
	sample("image_sample_b_o", 53, AddrOffset|AddrBias),
	sample("image_sample_b_cl_o", 54, AddrOffset|AddrBias|AddrClamp),
	sample("image_sample_lz_o", 55, AddrOffset|LevelZero),
	sample("image_sample_c_o", 56, AddrOffset|AddrCompare),
	sample("image_sample_c_cl_o", 57, AddrOffset|AddrCompare|AddrClamp),
	sample("image_sample_c_d_o", 58, AddrOffset|AddrCompare|AddrDeriv),
	sample("image_sample_c_d_cl_o", 59, AddrOffset|AddrCompare|AddrDeriv|AddrClamp),
	sample("image_sample_c_l_o", 60, AddrOffset|AddrCompare|AddrLOD),
	sample("image_sample_c_b_o", 61, AddrOffset|AddrBias|AddrCompare),
	sample("image_sample_c_b_cl_o", 62, AddrOffset|AddrBias|AddrCompare|AddrClamp),
	sample("image_sample_c_lz_o", 63, AddrOffset|AddrCompare|LevelZero),
	gather("image_gather4", 64, 0),
	gather("image_gather4_cl", 65, AddrClamp),
	vegaGather("image_gather4h", 66, true, 0),
	gather("image_gather4_l", 68, AddrLOD),
	gather("image_gather4_b", 69, AddrBias),
	gather("image_gather4_b_cl", 70, AddrBias|AddrClamp),
	gather("image_gather4_lz", 71, LevelZero),
	gather("image_gather4_c", 72, AddrCompare),
	gather("image_gather4_c_cl", 73, AddrCompare|AddrClamp),
	vegaGather("image_gather4h_pck", 74, false, NotLLVM),
	vegaGather("image_gather8h_pck", 75, false, NotLLVM),
	gather("image_gather4_c_l", 76, AddrCompare|AddrLOD),
	gather("image_gather4_c_b", 77, AddrBias|AddrCompare),
	gather("image_gather4_c_b_cl", 78, AddrBias|AddrCompare|AddrClamp),
	gather("image_gather4_c_lz", 79, AddrCompare|LevelZero),
	gather("image_gather4_o", 80, AddrOffset),
	gather("image_gather4_cl_o", 81, AddrOffset|AddrClamp),
	gather("image_gather4_l_o", 84, AddrOffset|AddrLOD),
	gather("image_gather4_b_o", 85, AddrOffset|AddrBias),
	gather("image_gather4_b_cl_o", 86, AddrOffset|AddrBias|AddrClamp),
	gather("image_gather4_lz_o", 87, AddrOffset|LevelZero),
	gather("image_gather4_c_o", 88, AddrOffset|AddrCompare),
	gather("image_gather4_c_cl_o", 89, AddrOffset|AddrCompare|AddrClamp),
	gather("image_gather4_c_l_o", 92, AddrOffset|AddrCompare|AddrLOD),
	gather("image_gather4_c_b_o", 93, AddrOffset|AddrBias|AddrCompare),
	gather("image_gather4_c_b_cl_o", 94, AddrOffset|AddrBias|AddrCompare|AddrClamp),
	gather("image_gather4_c_lz_o", 95, AddrOffset|AddrCompare|LevelZero),
	{Name: "image_get_lod", Enc: MIMG, Code: since(GCN10, 96), Mem: Mem{Op: Special}, Flags: Sampler, Does: "returns the level of detail that sampling would use"},
	sample("image_sample_cd", 104, AddrDeriv|AddrCoarse),
	sample("image_sample_cd_cl", 105, AddrDeriv|AddrCoarse|AddrClamp),
	sample("image_sample_c_cd", 106, AddrCompare|AddrDeriv|AddrCoarse),
	sample("image_sample_c_cd_cl", 107, AddrCompare|AddrDeriv|AddrCoarse|AddrClamp),
	sample("image_sample_cd_o", 108, AddrOffset|AddrDeriv|AddrCoarse),
	sample("image_sample_cd_cl_o", 109, AddrOffset|AddrDeriv|AddrCoarse|AddrClamp),
	sample("image_sample_c_cd_o", 110, AddrOffset|AddrCompare|AddrDeriv|AddrCoarse),
	sample("image_sample_c_cd_cl_o", 111, AddrOffset|AddrCompare|AddrDeriv|AddrCoarse|AddrClamp),
}
