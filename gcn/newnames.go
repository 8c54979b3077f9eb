package gcn

import "strings"

// gcnName returns the mnemonic that generation g has for an instruction which RDNA and newer LLVM call name, and
// how the two differ. Without a counterpart on g, old is the mnemonic of another generation, and without one
// there, too, it is empty. Source: LLVM, the renamed instructions of GFX10 to GFX12.
func gcnName(name string, g Gen) (old, differs string) {
	if names, ok := carryNames[name]; ok {
		if g < GCN14 && strings.Contains(name, "_nc_") {
			differs = "which writes the carry to a mask"
		}
		return names[g], differs
	}
	switch {
	case strings.HasPrefix(name, "ds_cmpstore_"):
		differs = "whose data operands are in the other order"
	case strings.HasPrefix(name, "buffer_load_lds_"):
		differs = "with the modifier lds"
		name = strings.Replace(name, "_lds_", "_", 1)
		if byName[name] != nil {
			return name, differs
		}
	}
	return renamedTo(name), differs
}

// renamedTo returns the mnemonic of GCN for name, or an empty string if GCN has no such instruction.
func renamedTo(name string) string {
	if old, ok := renamed[name]; ok {
		return old
	}
	old := ""
	if strings.HasPrefix(name, "ds_") {
		old = renamedDS.Replace(name)
	}
	for _, prefix := range []string{"buffer_", "tbuffer_", "flat_", "global_", "scratch_", "image_", "s_buffer_", "s_"} {
		tail, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if what, ok := renamedMemory[tail]; ok {
			old = prefix + what
		} else if strings.Contains(name, "_format_") {
			old = renamedFormat.Replace(name)
		}
	}
	if old == name || byName[old] == nil {
		return ""
	}
	return old
}

var (
	renamedDS = strings.NewReplacer(
		"_load_2addr_stride64_", "_read2st64_", "_load_2addr_", "_read2_", "_load_", "_read_",
		"_store_2addr_stride64_", "_write2st64_", "_store_2addr_", "_write2_", "_store_", "_write_",
		"_storexchg_2addr_stride64_", "_wrxchg2st64_", "_storexchg_2addr_", "_wrxchg2_", "_storexchg_", "_wrxchg_",
		"_cmpstore_", "_cmpst_", "_num_", "_",
	)
	renamedFormat = strings.NewReplacer("_d16_format_", "_format_d16_", "_d16_hi_format_", "_format_d16_hi_")
)

// renamedMemory are what memory instructions do, behind the memory that they reach.
var renamedMemory = func() map[string]string {
	all := map[string]string{
		"load_u8": "load_ubyte", "load_i8": "load_sbyte", "load_u16": "load_ushort", "load_i16": "load_sshort",
		"load_d16_u8": "load_ubyte_d16", "load_d16_i8": "load_sbyte_d16", "load_d16_b16": "load_short_d16",
		"load_d16_hi_u8": "load_ubyte_d16_hi", "load_d16_hi_i8": "load_sbyte_d16_hi",
		"load_d16_hi_b16": "load_short_d16_hi",
		"store_b8":        "store_byte", "store_b16": "store_short",
		"store_d16_hi_b8": "store_byte_d16_hi", "store_d16_hi_b16": "store_short_d16_hi",
	}
	for bits, dwords := range map[string]string{
		"32": "dword", "64": "dwordx2", "96": "dwordx3", "128": "dwordx4", "256": "dwordx8", "512": "dwordx16",
	} {
		all["load_b"+bits], all["store_b"+bits] = "load_"+dwords, "store_"+dwords
	}
	for name, old := range map[string]string{
		"add_u": "add", "sub_u": "sub", "inc_u": "inc", "dec_u": "dec",
		"min_i": "smin", "min_u": "umin", "max_i": "smax", "max_u": "umax",
		"and_b": "and", "or_b": "or", "xor_b": "xor", "swap_b": "swap", "cmpswap_b": "cmpswap",
		"min_f": "fmin", "max_f": "fmax", "min_num_f": "fmin", "max_num_f": "fmax", "cmpswap_f": "fcmpswap",
	} {
		all["atomic_"+name+"32"], all["atomic_"+name+"64"] = "atomic_"+old, "atomic_"+old+"_x2"
	}
	for name, old := range map[string]string{ // atomics of images
		"add_uint": "add", "sub_uint": "sub", "inc_uint": "inc", "dec_uint": "dec", "min_int": "smin",
		"min_uint": "umin", "max_int": "smax", "max_uint": "umax", "min_flt": "fmin", "max_flt": "fmax",
	} {
		all["atomic_"+name] = "atomic_" + old
	}
	return all
}()

// renamed are other instructions.
var renamed = map[string]string{
	"s_and_not1_b32": "s_andn2_b32", "s_and_not1_b64": "s_andn2_b64",
	"s_or_not1_b32": "s_orn2_b32", "s_or_not1_b64": "s_orn2_b64",
	"s_and_not1_saveexec_b64": "s_andn2_saveexec_b64", "s_or_not1_saveexec_b64": "s_orn2_saveexec_b64",
	"s_ctz_i32_b32": "s_ff1_i32_b32", "s_ctz_i32_b64": "s_ff1_i32_b64",
	"s_clz_i32_u32": "s_flbit_i32_b32", "s_clz_i32_u64": "s_flbit_i32_b64",
	"s_cls_i32": "s_flbit_i32", "s_cls_i32_i64": "s_flbit_i32_i64",
	"v_add_nc_i16": "v_add_i16", "v_sub_nc_i16": "v_sub_i16",
	"v_add_nc_u16": "v_add_u16", "v_sub_nc_u16": "v_sub_u16",
	"v_ctz_i32_b32": "v_ffbl_b32", "v_clz_i32_u32": "v_ffbh_u32", "v_cls_i32": "v_ffbh_i32",
	"v_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32", "v_cvt_pk_norm_i16_f32": "v_cvt_pknorm_i16_f32",
	"v_cvt_pk_norm_u16_f32": "v_cvt_pknorm_u16_f32",
	"v_cvt_floor_i32_f32":   "v_cvt_flr_i32_f32", "v_cvt_nearest_i32_f32": "v_cvt_rpi_i32_f32",
	"v_mul_dx9_zero_f32": "v_mul_legacy_f32", "v_min_num_f32": "v_min_f32", "v_max_num_f32": "v_max_f32",
}

// carryNames are additions and subtractions whose mnemonics differ between the generations. Before GCN 1.4 all of
// them have a carry. Source: LLVM, gfx600 to gfx906.
var carryNames = func() map[string][NumGens]string {
	all := map[string][NumGens]string{}
	for _, what := range [][2]string{{"add", "addc"}, {"sub", "subb"}, {"subrev", "subbrev"}} {
		i, u := "v_"+what[0]+"_i32", "v_"+what[0]+"_u32"
		carry, co := "v_"+what[1]+"_u32", "v_"+what[1]+"_co_u32"
		all["v_"+what[0]+"_nc_u32"] = [NumGens]string{GCN10: i, GCN11: i, GCN12: u, GCN14: u, GCN141: u}
		all["v_"+what[0]+"_co_ci_u32"] = [NumGens]string{GCN10: carry, GCN11: carry, GCN12: carry, GCN14: co, GCN141: co}
		if what[0] != "subrev" { // LLVM has no v_subrev_nc_i32
			all["v_"+what[0]+"_nc_i32"] = [NumGens]string{GCN10: i, GCN11: i, GCN12: u, GCN14: i, GCN141: i}
		}
	}
	return all
}()
