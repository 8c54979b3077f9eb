package gcn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestCounts checks what the forms of memory and message instructions add to the counters
// with what LLVM's wait insertion and Mesa's ACO assume of them.
func TestCounts(t *testing.T) {
	type n = gcn.Counts
	set := func(fields ...gcn.Field) []gcn.Field { return fields }
	for _, tt := range []struct {
		name       string
		set        []gcn.Field
		first      gcn.Gen
		gfx6, rest n
	}{
		{"buffer_load_dword", nil, gcn.GCN10, n{VM: 1}, n{VM: 1}},
		{"buffer_load_dword", set(gcn.LDS), gcn.GCN10, n{VM: 1}, n{VM: 1}},
		{"buffer_store_dword", nil, gcn.GCN10, n{VM: 1, EXP: 1}, n{VM: 1}},
		{"buffer_atomic_add", set(gcn.GLC), gcn.GCN10, n{VM: 1, EXP: 1}, n{VM: 1}},
		{"buffer_wbinvl1", nil, gcn.GCN10, n{VM: 1}, n{VM: 1}},
		{"tbuffer_store_format_x", nil, gcn.GCN10, n{VM: 1, EXP: 1}, n{VM: 1}},
		{"image_sample", nil, gcn.GCN10, n{VM: 1}, n{VM: 1}},
		{"image_store", nil, gcn.GCN10, n{VM: 1, EXP: 1}, n{VM: 1}},
		{"image_get_resinfo", nil, gcn.GCN10, n{VM: 1}, n{VM: 1}},
		{"buffer_store_lds_dword", nil, gcn.GCN12, n{}, n{VM: 1}},
		{"flat_load_dword", nil, gcn.GCN11, n{}, n{VM: 1, LGKM: 1}},
		{"flat_store_dword", nil, gcn.GCN11, n{}, n{VM: 1, LGKM: 1}},
		{"global_store_dword", nil, gcn.GCN14, n{}, n{VM: 1}},
		{"scratch_load_dword", nil, gcn.GCN14, n{}, n{VM: 1}},
		{"ds_read_b128", nil, gcn.GCN11, n{}, n{LGKM: 1}},
		{"ds_write_b32", nil, gcn.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"ds_swizzle_b32", nil, gcn.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"ds_read_b32", set(gcn.GDS), gcn.GCN10, n{EXP: 1, LGKM: 1}, n{EXP: 1, LGKM: 1}},
		{"ds_gws_barrier", set(gcn.GDS), gcn.GCN10, n{EXP: 1, LGKM: 1}, n{EXP: 1, LGKM: 1}},
		{"s_load_dword", nil, gcn.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"s_buffer_load_dwordx2", nil, gcn.GCN10, n{LGKM: 2}, n{LGKM: 2}},
		{"s_store_dwordx4", nil, gcn.GCN12, n{}, n{LGKM: 2}},
		{"s_memtime", nil, gcn.GCN10, n{LGKM: 2}, n{LGKM: 2}},
		{"s_dcache_inv", nil, gcn.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"s_sendmsg", nil, gcn.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"s_sendmsghalt", nil, gcn.GCN10, n{LGKM: 1}, n{LGKM: 1}},
		{"exp", nil, gcn.GCN10, n{EXP: 1}, n{EXP: 1}},
		{"s_barrier", nil, gcn.GCN10, n{}, n{}},
		{"v_readlane_b32", nil, gcn.GCN10, n{}, n{}},
		{"s_waitcnt", nil, gcn.GCN10, n{}, n{}},
	} {
		for g := tt.first; g < gcn.NumGens; g++ {
			ops, err := gcn.Lookup(tt.name, g.Target())
			require.NoError(t, err)
			in, err := gcn.New(g.Target(), ops[0], gcn.Invalid)
			require.NoError(t, err)
			for _, f := range tt.set {
				in, err = in.Set(f, 1)
				require.NoError(t, err)
			}
			want := tt.rest
			if g == gcn.GCN10 {
				want = tt.gfx6
			}
			assert.Equal(t, want, in.Counts(), "%s on %v", tt.name, g)
		}
	}
}
