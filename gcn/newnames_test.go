package gcn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestNamesOfRDNA: who writes a name of RDNA or of newer LLVM is told the one of GCN.
func TestNamesOfRDNA(t *testing.T) {
	for name, want := range map[string]string{
		"buffer_load_u8": "buffer_load_ubyte", "buffer_load_i16": "buffer_load_sshort",
		"buffer_load_b32": "buffer_load_dword", "buffer_store_b128": "buffer_store_dwordx4",
		"buffer_load_d16_u8": "buffer_load_ubyte_d16", "buffer_load_d16_hi_b16": "buffer_load_short_d16_hi",
		"buffer_store_d16_hi_b8":       "buffer_store_byte_d16_hi",
		"buffer_load_d16_format_xy":    "buffer_load_format_d16_xy",
		"buffer_store_d16_hi_format_x": "buffer_store_format_d16_hi_x",
		"tbuffer_load_d16_format_xyzw": "tbuffer_load_format_d16_xyzw",
		"tbuffer_store_d16_format_x":   "tbuffer_store_format_d16_x",
		"global_load_b32":              "global_load_dword", "global_load_d16_hi_i8": "global_load_sbyte_d16_hi",
		"scratch_store_b64": "scratch_store_dwordx2", "flat_load_u16": "flat_load_ushort",
		"global_atomic_add_u32": "global_atomic_add", "global_atomic_cmpswap_b64": "global_atomic_cmpswap_x2",
		"flat_atomic_min_i32":   "flat_atomic_smin",
		"buffer_atomic_max_u64": "buffer_atomic_umax_x2",
		"s_load_b32":            "s_load_dword", "s_buffer_load_b512": "s_buffer_load_dwordx16",
		"ds_load_b32": "ds_read_b32", "ds_load_2addr_b64": "ds_read2_b64",
		"ds_load_2addr_stride64_b32": "ds_read2st64_b32", "ds_load_u8_d16_hi": "ds_read_u8_d16_hi",
		"ds_store_b32": "ds_write_b32", "ds_store_2addr_b32": "ds_write2_b32", "ds_store_b8_d16_hi": "ds_write_b8_d16_hi",
		"ds_load_addtid_b32":   "ds_read_addtid_b32",
		"ds_storexchg_rtn_b32": "ds_wrxchg_rtn_b32", "ds_storexchg_2addr_stride64_rtn_b64": "ds_wrxchg2st64_rtn_b64",
		"ds_min_num_rtn_f32":  "ds_min_rtn_f32",
		"ds_cmpstore_rtn_b32": "ds_cmpst_rtn_b32, whose data operands are in the other order",
		"s_and_not1_b64":      "s_andn2_b64", "v_add_nc_u32": "v_add_u32", "v_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32",
	} {
		_, err := gcn.Lookup(name, gcn.GFX900)
		assert.EqualError(t, err, "unknown instruction \""+name+"\" on gfx900; GCN calls it "+want)
	}
	_, err := gcn.Lookup("buffer_load_d16_u8", gcn.GFX803)
	assert.EqualError(t, err, `unknown instruction "buffer_load_d16_u8" on gfx803; GCN calls it buffer_load_ubyte_d16, which does not exist on gfx803, only on gcn1.4, gcn1.4.1`)
	_, err = gcn.Lookup("global_atomic_fmin_u32", gcn.GFX900)
	assert.NotContains(t, err.Error(), "GCN calls it")
}

// TestRenamedInstructionsExist: names that nothing has would be of no use.
func TestRenamedInstructionsExist(t *testing.T) {
	for from, to := range gcn.Renamed {
		assert.NotEmpty(t, gcn.Ops(to), from)
		assert.Empty(t, gcn.Ops(from), "%s is an instruction of GCN", from)
	}
}
