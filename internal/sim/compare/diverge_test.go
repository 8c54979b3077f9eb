package compare_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// program returns a run of an assembly text on one wave: v0 is the lane, s[0:3] is a buffer of 256 bytes.
func program(text string) compare.Run {
	return func(ctx context.Context, watcher sim.Watcher) error {
		m := sim.New(gcn.GFX803)
		if err := m.Watch(watcher); err != nil {
			return err
		}
		buf := m.Alloc(256)
		w := m.NewWave()
		w.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256}.Words()...)
		w.SetVGPR(0, lane.ID())
		_, err := m.RunAsm(ctx, w, text)
		return err
	}
}

func diverge(t *testing.T, want, got string) *compare.Divergence {
	t.Helper()
	d, err := compare.Diverge(context.Background(), program(want), program(got))
	require.NoError(t, err)
	return d
}

func TestEqualRunsDoNotDiverge(t *testing.T) {
	const text = "v_add_u32 v1, vcc, 1, v0\nbuffer_store_dword v1, v0, s[0:3], 0 offen\ns_endpgm"
	assert.Nil(t, diverge(t, text, text))
}

func TestDivergeNamesWhatDiffers(t *testing.T) {
	const before = "v_lshlrev_b32 v1, 2, v0\n"
	for name, c := range map[string]struct {
		want, got string
		diff      string
		lanes     uint64
		a, b      uint64 // values in the first lane that differs, or of the wave
		step      uint64
	}{
		"vector register":  {"v_min_u32 v2, 8, v1", "v_max_u32 v2, 8, v1", "v2", ^uint64(4), 0, 8, 1},
		"register pair":    {"v_lshlrev_b64 v[2:3], 4, v[0:1]", "v_lshlrev_b64 v[2:3], 5, v[0:1]", "v[2:3]", ^uint64(1), 4<<36 | 16, 4<<37 | 32, 1},
		"other register":   {"v_mov_b32 v2, 7", "v_mov_b32 v3, 7", "v2", ^uint64(0), 7, 0, 1},
		"scalar register":  {"s_movk_i32 s7, 5", "s_movk_i32 s7, 6", "s7", 0, 5, 6, 1},
		"scalar pair":      {"s_mov_b64 s[8:9], -1", "s_mov_b64 s[8:9], 1", "s[8:9]", 0, ^uint64(0), 1, 1},
		"exec":             {"s_mov_b64 exec, 3", "s_mov_b64 exec, 1", "exec", 2, 3, 1, 1},
		"vcc":              {"v_cmp_eq_u32 vcc, 8, v1", "v_cmp_eq_u32 vcc, 4, v1", "vcc", 6, 4, 2, 1},
		"scc":              {"s_cmp_eq_u32 s9, 0", "s_cmp_lg_u32 s9, 0", "scc", 0, 1, 0, 1},
		"mode":             {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1", "mode", 0, 0xc3, 0xc1, 1},
		"branch":           {"s_branch 1\ns_nop 0\ns_nop 0", "s_branch 0\ns_nop 0\ns_nop 0", "the next pc", 0, 12, 8, 1},
		"end":              {"s_endpgm", "s_nop 0\ns_endpgm", "ended", 0, 1, 0, 1},
		"barrier":          {"s_barrier", "s_nop 0", "at a barrier", 0, 1, 0, 1},
		"store address":    {"buffer_store_byte v0, v0, s[0:3], 0 offen", "buffer_store_byte v0, v0, s[0:3], 0 offen offset:9", "address", ^uint64(0), 0x100000000, 0x100000009, 1},
		"stored register":  {"buffer_store_dword v0, v1, s[0:3], 0 offen", "buffer_store_dword v1, v1, s[0:3], 0 offen", "stored data", ^uint64(1), 1, 4, 1},
		"second dword":     {"buffer_store_dwordx2 v[0:1], off, s[0:3], 0", "buffer_store_dwordx2 v[0:1], off, s[0:3], 0 offset:4", "address", ^uint64(0), 0x100000000, 0x100000004, 1},
		"LDS data":         {"ds_write2_b32 v1, v0, v0 offset1:1", "ds_write2_b32 v1, v0, v1 offset1:1", "stored data, element 1", ^uint64(1), 1, 4, 1},
		"scalar address":   {"s_load_dword s8, s[0:1], 0x0", "s_load_dword s8, s[0:1], 0x4", "address", 0, 0x100000000, 0x100000004, 1},
		"loaded data":      {"v_mov_b32 v2, v0\nbuffer_load_dword v2, v1, s[0:3], 0 offen", "v_mov_b32 v2, v0\nbuffer_load_dword v3, v1, s[0:3], 0 offen", "v2", ^uint64(1), 0, 1, 2},
		"lanes out of it":  {"buffer_load_dword v2, v1, s[0:3], 0 offen offset:8", "buffer_load_dword v2, v1, s[0:3], 0 offen", "address", ^uint64(0), 0x100000008, 0x100000000, 1},
		"nothing at first": {"v_mul_u32_u24 v2, v0, v0\nv_mov_b32 v3, 1", "v_mul_lo_u32 v2, v0, v0\nv_mov_b32 v3, 2", "v3", ^uint64(0), 1, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			want := before + c.want
			if name == "nothing at first" { // both instructions must have the same size
				want = before + strings.Replace(c.want, "v_mul_u32_u24", "v_mul_u32_u24_e64", 1)
			}
			d := diverge(t, want, before+c.got)
			require.NotNil(t, d)
			assert.Equal(t, c.step, d.Step)
			require.NotEmpty(t, d.Diffs)
			var diff *compare.Diff
			for i := range d.Diffs {
				if d.Diffs[i].Name == c.diff {
					diff = &d.Diffs[i]
				}
			}
			require.NotNil(t, diff, "%+v", d.Diffs[0].Name)
			assert.Equal(t, c.lanes, diff.Lanes)
			at := 0
			if diff.Type != isa.Mask {
				at = simd.FirstLane(c.lanes)
			}
			assert.Equal(t, c.a, diff.Want[at])
			assert.Equal(t, c.b, diff.Got[at])
		})
	}
}

func TestRunsThatStop(t *testing.T) {
	const start, stop = "s_nop 0\n", "s_load_dword s8, s[8:9], 0x0"
	d := diverge(t, start+"s_nop 1\ns_nop 2", start+stop)
	require.NotNil(t, d)
	assert.EqualValues(t, 1, d.Step)
	assert.Nil(t, d.Got)
	require.NotNil(t, d.Want)
	var fault *state.Fault
	assert.ErrorAs(t, d.Err, &fault)
	assert.Contains(t, text(t, d), "the actual run stops: memory fault")

	d = diverge(t, start+"s_nop 1", start+"s_nop 1\ns_nop 2")
	require.NotNil(t, d)
	assert.EqualValues(t, 2, d.Step)
	assert.Nil(t, d.Want)
	assert.Contains(t, text(t, d), "the expected run has ended")

	d = diverge(t, start+"s_nop 1", start)
	require.NotNil(t, d)
	assert.Nil(t, d.Got)
	assert.Contains(t, text(t, d), "the actual run has ended")

	_, err := compare.Diverge(context.Background(), program(stop), program(start))
	assert.ErrorAs(t, err, &fault, "the expected run must not fail")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = compare.Diverge(cancelled, program(start), program(start))
	assert.ErrorIs(t, err, context.Canceled)
}

// TestEndlessRun checks that a run that never ends is stopped soon after the first difference.
func TestEndlessRun(t *testing.T) {
	d := diverge(t, "s_cmp_eq_u32 s9, 0\ns_cbranch_scc0 65535\ns_endpgm",
		"s_cmp_lg_u32 s9, 0\ns_cbranch_scc0 65535\ns_endpgm")
	require.NotNil(t, d)
	assert.EqualValues(t, 0, d.Step)
	require.Len(t, d.Got.Trail, 3)
	assert.Equal(t, d.Got.Trail[1], d.Got.Trail[2])
}

func text(t *testing.T, d *compare.Divergence) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, d.Write(&b, 0))
	return b.String()
}

func TestWriteShowsInstructionsLanesAndValues(t *testing.T) {
	const common = "s_nop 0\ns_nop 1\ns_nop 2\ns_nop 3\nv_cvt_f32_u32 v1, v0\n"
	d := diverge(t, common+"v_mul_f32 v2, 0.5, v1\ns_nop 4\ns_nop 5\ns_nop 6",
		common+"v_mul_f32 v2, 2.0, v1\ns_nop 4\ns_nop 5\ns_nop 6")
	assert.Equal(t, `wave 0 of work-group 0,0,0, after 5 instructions that agree:
    pc      expected                   actual
    0x0004  s_nop 1                    the same
    0x0008  s_nop 2                    the same
    0x000c  s_nop 3                    the same
    0x0010  v_cvt_f32_u32_e32 v1, v0   the same
=>  0x0014  v_mul_f32_e32 v2, 0.5, v1  v_mul_f32_e32 v2, 2.0, v1
    0x0018  s_nop 4                    the same
    0x001c  s_nop 5                    the same

v2 differs in 63 of 64 lanes, 63 of them active (lanes 1-63):
    lane  v1 was        expected        actual
    1     0x3f800000 1  0x3f000000 0.5  0x40000000 2
    2     0x40000000 2  0x3f800000 1    0x40800000 4
    3     0x40400000 3  0x3fc00000 1.5  0x40c00000 6
    4     0x40800000 4  0x40000000 2    0x41000000 8
    5     0x40a00000 5  0x40200000 2.5  0x41200000 10
    6     0x40c00000 6  0x40400000 3    0x41400000 12
    and 57 more
`, text(t, d))
}
