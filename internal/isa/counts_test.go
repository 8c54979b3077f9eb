package isa_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// TestCounts compares the counter increments of memory and message instructions with LLVM's wait insertion and Mesa's
// ACO.
func TestCounts(t *testing.T) {
	type n = isa.Counts
	set := func(fields ...isa.Field) []isa.Field { return fields }
	for _, tt := range []struct {
		name       string
		set        []isa.Field
		first      isa.Gen
		gfx6, rest n
	}{
		{"buffer_load_dword", nil, isa.GCN10, n{VM: 1}, n{VM: 1}},
		{"buffer_load_dword", set(isa.LDS), isa.GCN10, n{VM: 1}, n{VM: 1}},
		{"buffer_store_dword", nil, isa.GCN10, n{VM: 1, EXP: 1}, n{VM: 1}},
		{"buffer_atomic_add", set(isa.GLC), isa.GCN10, n{VM: 1, EXP: 1}, n{VM: 1}},
		{"buffer_wbinvl1", nil, isa.GCN10, n{VM: 1}, n{VM: 1}},
		{"tbuffer_store_format_x", nil, isa.GCN10, n{VM: 1, EXP: 1}, n{VM: 1}},
		{"image_sample", nil, isa.GCN10, n{VM: 1}, n{VM: 1}},
		{"image_store", nil, isa.GCN10, n{VM: 1, EXP: 1}, n{VM: 1}},
		{"image_get_resinfo", nil, isa.GCN10, n{VM: 1}, n{VM: 1}},
		{"buffer_store_lds_dword", nil, isa.GCN12, n{}, n{VM: 1}},
		{"flat_load_dword", nil, isa.GCN11, n{}, n{VM: 1, LGKM: 1}},
		{"flat_store_dword", nil, isa.GCN11, n{}, n{VM: 1, LGKM: 1}},
		{"global_store_dword", nil, isa.GCN14, n{}, n{VM: 1}},
		{"scratch_load_dword", nil, isa.GCN14, n{}, n{VM: 1}},
		{"ds_read_b128", nil, isa.GCN11, n{}, n{LGKM: 1}},
		{"ds_write_b32", nil, isa.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"ds_swizzle_b32", nil, isa.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"ds_read_b32", set(isa.GDS), isa.GCN10, n{EXP: 1, LGKM: 1}, n{EXP: 1, LGKM: 1}},
		{"ds_gws_barrier", set(isa.GDS), isa.GCN10, n{EXP: 1, LGKM: 1}, n{EXP: 1, LGKM: 1}},
		{"s_load_dword", nil, isa.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"s_buffer_load_dwordx2", nil, isa.GCN10, n{LGKM: 2}, n{LGKM: 2}},
		{"s_store_dwordx4", nil, isa.GCN12, n{}, n{LGKM: 2}},
		{"s_memtime", nil, isa.GCN10, n{LGKM: 2}, n{LGKM: 2}},
		{"s_dcache_inv", nil, isa.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"s_sendmsg", nil, isa.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"s_sendmsghalt", nil, isa.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"exp", nil, isa.GCN10, n{EXP: 1}, n{EXP: 1}},
		{"s_barrier", nil, isa.GCN10, n{}, n{}},
		{"v_readlane_b32", nil, isa.GCN10, n{}, n{}},
		{"s_waitcnt", nil, isa.GCN10, n{}, n{}},
	} {
		for g := tt.first; g < isa.NumGens; g++ {
			ops, err := isa.Lookup(tt.name, g.Target())
			require.NoError(t, err)
			in, err := isa.New(g.Target(), ops[0], isa.Invalid)
			require.NoError(t, err)
			for _, f := range tt.set {
				in, err = in.Set(f, 1)
				require.NoError(t, err)
			}
			want := tt.rest
			if g == isa.GCN10 {
				want = tt.gfx6
			}
			assert.Equal(t, want, in.Counts(), "%s on %v", tt.name, g)
		}
	}
}
