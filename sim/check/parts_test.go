package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state/lane"
)

// TestParts: accesses outside of the parts of a buffer have findings, exact to the byte. Through a V# or an SADDR, so
// do accesses outside of the part that it points into.
func TestParts(t *testing.T) {
	parts := []check.Part{{Offset: 0, Size: 64, Name: "a"}, {Offset: 68, Size: 60}, {Offset: 256, Size: 512, Name: "c"}}
	for _, tt := range []struct {
		base  uint64 // the base of the V# and s[4:5], minus the address of the buffer
		text  string
		found string
	}{
		{256, "buffer_load_dword v1, v0, s[0:3], 0 offen", ""},
		{256, "buffer_load_dword v1, v0, s[0:3], 0 offen offset:256", ""},
		{256, "buffer_store_byte v1, v0, s[0:3], 0 offen offset:260", "1 lane is outside of part \"c\" of the buffer at " +
			"0x%x: byte 768 of it, byte 512 of part \"c\", which has 512"},
		{256, "buffer_load_dwordx2 v[2:3], v0, s[0:3], 0 offen offset:256", "1 lane is outside of part \"c\" of the buffer " +
			"at 0x%x: byte 768 of it, byte 512 of part \"c\", which has 512"},
		{0, "buffer_load_dword v1, v0, s[0:3], 0 offen", "48 lanes are outside of part \"a\" of the buffer at 0x%x: byte 64 " +
			"of it, byte 64 of part \"a\", which has 64"},
		{0, "s_mov_b32 s2, 64\nbuffer_load_dword v1, v0, s[0:3], 0 offen", ""}, // the V# ends at the end of the part
		{128, "buffer_load_ubyte v1, off, s[0:3], 0", "64 lanes are outside of the parts of the buffer at 0x%x: byte 128 of " +
			"it, byte 60 of part 1, which has 60"},
		{132, "v_mov_b32 v0, 0\nbuffer_load_dword v1, v0, s[0:3], 0 offen offset:124", ""}, // the base is in no part
		{256, "global_load_dword v1, v0, s[4:5]", ""},
		{0, "global_load_dword v1, v0, s[4:5] offset:256", "64 lanes are outside of part \"a\" of the buffer at 0x%x: byte 256 " +
			"of it, byte 0 of part \"c\", which has 512"},
		{0, "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nglobal_load_dword v1, v[2:3], off offset:256", ""},
		{0, "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nglobal_load_dword v1, v[2:3], off offset:64", "64 lanes are outside of " +
			"the parts of the buffer at 0x%x: byte 64 of it, byte 64 of part \"a\", which has 64"},
		{64, "s_load_dwordx2 s[8:9], s[4:5], 0x0", "1 lane is outside of the parts of the buffer at 0x%x: byte 64 of it, " +
			"byte 64 of part \"a\", which has 64"},
	} {
		b := newBench(t, gcn.GFX900, "bounds")
		require.True(t, b.c.Parts(b.buf, parts...))
		at := b.buf.Addr + tt.base
		b.w.SetSGPRs(0, gcn.Buffer{Base: at, NumRecords: 1024}.Words()...)
		b.w.SetSGPRs(4, uint32(at), uint32(at>>32))
		b.w.SetVGPR(0, lane.Times(4))
		all := b.run(tt.text)
		if tt.found == "" {
			require.Empty(t, all, tt.text)
			continue
		}
		f := one(t, all)
		require.Equal(t, check.Error, f.Severity)
		require.Equal(t, fmt.Sprintf(tt.found, b.buf.Addr), f.Message, tt.text)
	}
	b := newBench(t, gcn.GFX900, "race")
	require.False(t, b.c.Parts(b.buf, parts...))
}
