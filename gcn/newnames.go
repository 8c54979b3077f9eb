package gcn

import "strings"

// gcnName returns the mnemonic that GCN has for an instruction which RDNA and newer LLVM call name,
// "" if the name is not one of them. Source: LLVM, the renamed instructions of GFX10 to GFX12.
func gcnName(name string) string {
	if old, ok := renamed[name]; ok {
		return old
	}
	old := ""
	if strings.HasPrefix(name, "ds_") {
		old = renamedDS.Replace(name)
	}
	for _, prefix := range []string{"buffer_", "tbuffer_", "flat_", "global_", "scratch_", "s_buffer_", "s_"} {
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
	"v_add_nc_u32": "v_add_u32", "v_sub_nc_u32": "v_sub_u32", "v_subrev_nc_u32": "v_subrev_u32",
	"v_add_nc_u16": "v_add_u16", "v_sub_nc_u16": "v_sub_u16", "v_add_nc_i32": "v_add_i32", "v_sub_nc_i32": "v_sub_i32",
	"v_add_co_ci_u32": "v_addc_co_u32", "v_sub_co_ci_u32": "v_subb_co_u32", "v_subrev_co_ci_u32": "v_subbrev_co_u32",
	"v_ctz_i32_b32": "v_ffbl_b32", "v_clz_i32_u32": "v_ffbh_u32", "v_cls_i32": "v_ffbh_i32",
	"v_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32", "v_cvt_pk_norm_i16_f32": "v_cvt_pknorm_i16_f32",
	"v_cvt_pk_norm_u16_f32": "v_cvt_pknorm_u16_f32",
	"v_cvt_floor_i32_f32":   "v_cvt_flr_i32_f32", "v_cvt_nearest_i32_f32": "v_cvt_rpi_i32_f32",
	"v_mul_dx9_zero_f32": "v_mul_legacy_f32", "v_min_num_f32": "v_min_f32", "v_max_num_f32": "v_max_f32",
}
