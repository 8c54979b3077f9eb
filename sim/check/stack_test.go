package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// framed returns the text of a kernel that receives the V# of private memory in s[0:3], the offset of the wave in s9,
// and FLAT_SCRATCH. A work-item has 20 bytes, a wave has 2 KiB.
func framed(target gcn.Target, text string) string {
	text = `s_add_u32 s0, s0, s9
		s_addc_u32 s1, s1, 0
		v_mov_b32 v1, 7
		` + text + "\ns_endpgm"
	return kernelText(target, text, `.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_private_segment_fixed_size 20
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1`)
}

const flatScratch = `s_add_u32 flat_scratch_lo, s6, s9
	s_addc_u32 flat_scratch_hi, s7, 0
	s_mov_b64 s[10:11], src_private_base
	v_mov_b32 v3, s11
	`

// TestStack: accesses beyond the private memory that the kernel requests have findings. Runs find them although the
// memory is mapped. Paths find them if the address is known.
func TestStack(t *testing.T) {
	for _, tt := range []struct {
		text    string
		run     string // the message in a run
		path    check.Severity
		message string // the message on a path
	}{
		{"buffer_store_dword v1, off, s[0:3], 0 offset:16", "", check.Doubt, ""},
		{"buffer_store_dword v1, off, s[0:3], 0 offset:20",
			"64 lanes are outside of the private memory of a work-item: byte 20 of 20", check.Error,
			"bytes 20 to 23 of the private memory of a work-item, which has 20"},
		{"buffer_load_dwordx2 v[4:5], off, s[0:3], 0 offset:16",
			"64 lanes are outside of the private memory of a work-item: byte 20 of 20", check.Error,
			"bytes 16 to 23 of the private memory of a work-item, which has 20"},
		{"buffer_load_ubyte v4, off, s[0:3], 0 offset:19", "", check.Doubt, ""},
		{"s_movk_i32 s32, 0x400\ns_mov_b32 s33, s32\nbuffer_store_dword v1, off, s[0:3], s33", "", check.Doubt, ""},
		{"s_movk_i32 s32, 0x400\ns_mov_b32 s33, s32\nbuffer_store_dword v1, off, s[0:3], s33 offset:4",
			"64 lanes are outside of the private memory of a work-item: byte 20 of 20", check.Error,
			"bytes 20 to 23 of the private memory of a work-item, which has 20"},
		{"v_mov_b32 v2, 24\nbuffer_store_dword v1, v2, s[0:3], 0 offen",
			"64 lanes are outside of the private memory of a work-item: byte 24 of 20", check.Warning,
			"bytes 24 to 27 of the private memory of a work-item, which has 20"},
		{"v_lshlrev_b32 v2, 2, v0\nv_min_u32 v2, 20, v2\nbuffer_store_dword v1, v2, s[0:3], 0 offen",
			"59 lanes are outside of the private memory of a work-item: byte 20 of 20", check.Doubt, ""},
		{"s_mov_b32 s2, -1\nbuffer_store_dword v1, off, s[0:3], 0 offset:20",
			"64 lanes are outside of the private memory of a work-item: byte 20 of 20", check.Doubt, ""}, // another V#
		{flatScratch + "v_mov_b32 v2, 16\nflat_store_dword v[2:3], v1", "", check.Doubt, ""},
		{flatScratch + "v_mov_b32 v2, 20\nflat_store_dword v[2:3], v1",
			"64 lanes are outside of the private memory of a work-item: byte 20 of 20", check.Doubt, ""},
		{flatScratch + "s_mov_b32 s12, 12\nscratch_store_dword off, v1, s12 offset:8",
			"64 lanes are outside of the private memory of a work-item: byte 20 of 20", check.Error,
			"bytes 20 to 23 of the private memory of a work-item, which has 20"},
	} {
		m, mod := loadText(t, framed(gcn.GFX900, tt.text))
		onPaths, _ := pathsOf(t, mod, "k", "stack")
		if tt.path == check.Doubt {
			require.Empty(t, onPaths, tt.text)
		} else {
			f := one(t, onPaths)
			require.Equal(t, [3]any{tt.path, tt.message, "F14"}, [3]any{f.Severity, f.Message, f.Rule}, tt.text)
		}
		c, err := check.New("stack", "range")
		require.NoError(t, err)
		l := sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{128}, Group: [3]uint32{128}, Kernarg: []byte{}}
		require.NoError(t, l.Watch(c))
		_, err = m.Dispatch(t.Context(), l)
		require.NoError(t, err)
		if tt.run == "" {
			require.Empty(t, c.Findings(), tt.text)
			continue
		}
		f := one(t, c.Findings())
		require.Equal(t, [4]any{check.Stack, check.Error, tt.run, uint64(2)}, [4]any{f.Kind, f.Severity, f.Message, f.Count},
			tt.text)
	}
}

// TestStackBeforeGCN14: the size in FLAT_SCRATCH and the range of the V# stop accesses of lanes, which is one finding.
func TestStackBeforeGCN14(t *testing.T) {
	m, mod := loadText(t, framed(gcn.GFX803, "v_mov_b32 v2, -8\nbuffer_load_dword v4, v2, s[0:3], 0 offen"))
	c, err := check.New("stack", "range")
	require.NoError(t, err)
	l := sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{64}, Group: [3]uint32{64}, Kernarg: []byte{}}
	require.NoError(t, l.Watch(c))
	_, err = m.Dispatch(t.Context(), l)
	require.NoError(t, err)
	require.Equal(t, "64 lanes are outside of the private memory of a work-item: byte -8 of 20", one(t, c.Findings()).Message)
}

// TestSpaces: a function uses an address in LDS as one in private memory. LLVM generates this for a variable that it
// moves to LDS (llvm-project 104035). The right forms have no finding.
func TestSpaces(t *testing.T) {
	const call = `s_mov_b64 s[10:11], %s
		v_mov_b32 v1, s11
		v_lshlrev_b32 v3, 2, v0
		v_cmp_ne_u32 vcc, -1, v3
		v_cndmask_b32 v0, 0, v3, vcc
		v_cndmask_b32 v1, 0, v1, vcc
		s_getpc_b64 s[12:13]
		s_add_u32 s12, s12, f@rel32@lo+4
		s_addc_u32 s13, s13, f@rel32@hi+12
		s_swappc_b64 s[30:31], s[12:13]
		s_endpgm
	f:	v_cmp_ne_u64 vcc, 0, v[0:1]
		v_mov_b32 v1, 1
		v_cndmask_b32 v0, -1, v0, vcc
		%s
		s_setpc_b64 s[30:31]`
	const toFrame, toLDS = "buffer_store_dword v1, v0, s[0:3], 0 offen", "ds_write_b32 v0, v1"
	for _, tt := range []struct{ base, store, found string }{
		{"src_shared_base", toFrame, "v0 is an offset in private memory here, and the low half of an address in LDS in " +
			"v_cmp_ne_u64 at 0x1040"},
		{"src_private_base", toLDS, "v0 is an offset in LDS here, and the low half of an address in private memory in " +
			"v_cmp_ne_u64 at 0x1040"},
		{"src_private_base", toFrame, ""},
		{"src_shared_base", toLDS, ""},
		{"src_shared_base", "s_mov_b32 s3, 0\n" + toFrame, ""}, // another V#
	} {
		_, mod := loadText(t, framed(gcn.GFX900, fmt.Sprintf(call, tt.base, tt.store)))
		found, _ := pathsOf(t, mod, "k", "space")
		if tt.found == "" {
			require.Empty(t, found, tt.base+tt.store)
			continue
		}
		f := one(t, found)
		f = f.From(mod.Base)
		require.Equal(t, [3]any{check.Warning, "F11", "v0"}, [3]any{f.Severity, f.Rule, f.Reg})
		require.Equal(t, tt.found, f.Message)
	}
}
