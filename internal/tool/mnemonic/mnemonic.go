// Package mnemonic knows other names of GCN instructions: in RDNA, in newer versions of LLVM, and in other
// generations.
package mnemonic

import (
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Unlike says how a GCN instruction differs from its RDNA counterpart.
type Unlike uint8

// The differences.
const (
	Same       Unlike = iota
	Swapped           // DATA0 and DATA1 are swapped
	ToLDS             // it needs the modifier lds
	InDwords          // the immediate offset counts dwords
	Carries           // it also writes a carry
	ClearsHigh        // it clears the upper half of the destination
	Unpacked          // components of 16 bits are not packed
	numUnlikes
)

var differences = [numUnlikes]string{
	Same: "which does the same", Swapped: "whose data operands are in the other order", ToLDS: "with the modifier lds",
	InDwords: "whose immediate offset counts dwords", Carries: "which writes the carry to a mask",
	ClearsHigh: "which clears bits 31:16 of its destination",
	Unpacked:   "which has a register for each component",
}

var _ = enum.Full[Unlike](differences[:])

// String returns a text that can follow the mnemonic.
func (u Unlike) String() string { return enum.Name(differences[:], u) }

// Generations of gcn.Gen.
const (
	gcn11 = 1
	gcn12 = 2
	gcn14 = 3
)

// Lookup returns the mnemonic that generation gen, a gcn.Gen, has for an instruction that RDNA or newer LLVM versions
// call name, and how the two differ. If gen has no counterpart, old is the mnemonic of another generation, or "".
// known reports whether RDNA or newer LLVM versions have name. exists reports whether any generation has a mnemonic.
// unpacked says that the processor stores each component of D16 in its own register. Source: LLVM, the renamed
// instructions of GFX10 to GFX12; for clearing bits 31:16, GCNSubtarget::zeroesHigh16BitsOfDest and rule DP4.
func Lookup(name string, gen int, unpacked bool, exists func(string) bool) (old string, how Unlike, known bool) {
	if onlyNewer[name] {
		return "", Same, true
	}
	if names, ok := Carry[name]; ok {
		if gen < gcn14 && strings.Contains(name, "_nc_") {
			how = Carries
		}
		return names[gen], how, names[gen] != ""
	}
	switch {
	case strings.HasPrefix(name, "ds_cmpstore_"):
		how = Swapped
	case strings.HasPrefix(name, "buffer_load_lds_"):
		how = ToLDS
		name = strings.Replace(name, "_lds_", "_", 1)
		if exists(name) {
			return name, how, true
		}
	case strings.HasSuffix(name, "_nc_u16"):
		how = ClearsHigh
	case gen <= gcn11 && strings.HasPrefix(name, "s_") && strings.Contains(name, "load_b"):
		how = InDwords
	case gen == gcn12 && unpacked && strings.Contains(name, "_d16_format_xy"):
		how = Unpacked
	case gen == gcn12 && unpacked && strings.HasSuffix(name, "load_d16_format_x"):
		how = ClearsHigh
	}
	old = renamedTo(name)
	if !exists(old) {
		return "", Same, false
	}
	return old, how, true
}

// renamedTo returns the GCN mnemonic that name would have, or "".
func renamedTo(name string) string {
	if old, ok := Others[name]; ok {
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
	if old == name {
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

// renamedMemory has the operations of memory instructions: the part of a mnemonic after the name of the memory.
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
	for name, old := range map[string]string{ // image atomics
		"add_uint": "add", "sub_uint": "sub", "inc_uint": "inc", "dec_uint": "dec", "min_int": "smin",
		"min_uint": "umin", "max_int": "smax", "max_uint": "umax", "min_flt": "fmin", "max_flt": "fmax",
	} {
		all["atomic_"+name] = "atomic_" + old
	}
	return all
}()

// Others are renamed instructions that do not access memory.
var Others = map[string]string{
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

// Carry are additions and subtractions whose mnemonics depend on the generation, by gcn.Gen. Before GCN 1.4 all of
// them write a carry. Source: LLVM, gfx600 to gfx906.
var Carry = func() map[string][5]string {
	all := map[string][5]string{}
	for _, what := range [][2]string{{"add", "addc"}, {"sub", "subb"}, {"subrev", "subbrev"}} {
		i, u := "v_"+what[0]+"_i32", "v_"+what[0]+"_u32"
		carry, co := "v_"+what[1]+"_u32", "v_"+what[1]+"_co_u32"
		all["v_"+what[0]+"_nc_u32"] = [5]string{i, i, u, u, u}
		all["v_"+what[0]+"_co_u32"] = [5]string{i, i, u, "v_" + what[0] + "_co_u32", "v_" + what[0] + "_co_u32"}
		all["v_"+what[0]+"_co_ci_u32"] = [5]string{carry, carry, carry, co, co}
		if what[0] != "subrev" { // LLVM has no v_subrev_nc_i32
			all["v_"+what[0]+"_nc_i32"] = [5]string{i, i, u, i, i}
		}
	}
	return all
}()

// onlyNewer are memory instructions of RDNA and newer LLVM versions that GCN does not have.
var onlyNewer = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`
		buffer_atomic_add_f32 buffer_atomic_add_f64 buffer_atomic_cond_sub_u32 buffer_atomic_csub
		buffer_atomic_csub_u32 buffer_atomic_pk_add_bf16 buffer_atomic_pk_add_f16 buffer_atomic_sub_clamp_u32
		buffer_gl0_inv buffer_gl1_inv cluster_load_async_to_lds_b128 cluster_load_async_to_lds_b32
		cluster_load_async_to_lds_b64 cluster_load_async_to_lds_b8 cluster_load_b128 cluster_load_b32
		cluster_load_b64 ds_add_f64 ds_add_gs_reg_rtn ds_add_rtn_f64 ds_atomic_async_barrier_arrive_b64
		ds_atomic_barrier_arrive_rtn_b64 ds_bpermute_fi_b32 ds_bvh_stack_push4_pop1_rtn_b32
		ds_bvh_stack_push8_pop1_rtn_b32 ds_bvh_stack_push8_pop2_rtn_b64 ds_bvh_stack_rtn_b32 ds_cond_sub_rtn_u32
		ds_cond_sub_u32 ds_direct_load ds_load_tr16_b128 ds_load_tr4_b64 ds_load_tr6_b96 ds_load_tr8_b64
		ds_param_load ds_pk_add_bf16 ds_pk_add_f16 ds_pk_add_rtn_bf16 ds_pk_add_rtn_f16 ds_sub_clamp_rtn_u32
		ds_sub_clamp_u32 ds_sub_gs_reg_rtn flat_atomic_add_f32 flat_atomic_add_f64 flat_atomic_cond_sub_u32
		flat_atomic_pk_add_bf16 flat_atomic_pk_add_f16 flat_atomic_sub_clamp_u32 flat_load_monitor_b128
		flat_load_monitor_b32 flat_load_monitor_b64 flat_prefetch_b8 global_atomic_add_f32 global_atomic_add_f64
		global_atomic_cmpswap_f32 global_atomic_cond_sub_u32 global_atomic_csub global_atomic_csub_u32
		global_atomic_fcmpswap global_atomic_fmax global_atomic_fmin global_atomic_max_f32 global_atomic_max_f64
		global_atomic_max_num_f32 global_atomic_max_num_f64 global_atomic_min_f32 global_atomic_min_f64
		global_atomic_min_num_f32 global_atomic_min_num_f64 global_atomic_ordered_add_b64
		global_atomic_pk_add_bf16 global_atomic_pk_add_f16 global_atomic_sub_clamp_u32 global_inv
		global_load_addtid_b32 global_load_async_to_lds_b128 global_load_async_to_lds_b32
		global_load_async_to_lds_b64 global_load_async_to_lds_b8 global_load_block global_load_dword_addtid
		global_load_monitor_b128 global_load_monitor_b32 global_load_monitor_b64 global_load_tr16_b128
		global_load_tr4_b64 global_load_tr6_b96 global_load_tr8_b64 global_load_tr_b128 global_load_tr_b64
		global_prefetch_b8 global_store_addtid_b32 global_store_async_from_lds_b128
		global_store_async_from_lds_b32 global_store_async_from_lds_b64 global_store_async_from_lds_b8
		global_store_block global_store_dword_addtid global_wb global_wbinv image_atomic_add_flt
		image_atomic_pk_add_bf16 image_atomic_pk_add_f16 image_bvh64_intersect_ray image_bvh8_intersect_ray
		image_bvh_dual_intersect_ray image_bvh_intersect_ray image_msaa_load image_sample_c_d_cl_g16
		image_sample_c_d_cl_o_g16 image_sample_c_d_g16 image_sample_c_d_o_g16 image_sample_d_cl_g16
		image_sample_d_cl_o_g16 image_sample_d_g16 image_sample_d_o_g16 s_buffer_load_b96 s_buffer_load_i16
		s_buffer_load_i8 s_buffer_load_u16 s_buffer_load_u8 s_buffer_prefetch_data s_load_b96 s_load_i16 s_load_i8
		s_load_u16 s_load_u8 s_prefetch_data s_prefetch_data_pc_rel s_prefetch_inst s_prefetch_inst_pc_rel
		scratch_load_block scratch_store_block tensor_load_to_lds tensor_save tensor_stop tensor_store_from_lds`) {
		all[name] = true
	}
	return all
}()
