package check_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// callsOf counts the calls of [unseen.Needs].Skip.
type callsOf struct {
	*check.Checker
	calls int
}

func (c *callsOf) Unseen() any {
	n := c.Checker.Unseen().(unseen.Needs[*sim.Event])
	skip := n.Skip
	n.Skip = func(e *sim.Event, accesses bool) unseen.Ahead {
		c.calls++
		return skip(e, accesses)
	}
	return n
}

// TestCallsOfCompiledKernels bounds the number of calls of [unseen.Needs].Skip for a compiled kernel, after each of its
// instructions has executed. Without compiled code there is at most one call for each instruction that executes.
func TestCallsOfCompiledKernels(t *testing.T) {
	const waves = 256
	loop := func(body string) string {
		return "s_mov_b32 s20, 40\nv_mov_b32 v3, 0\ns_branch loop\nloop:\n" + body +
			"s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\n"
	}
	long := ""
	for range 300 {
		long += "v_add_f32 v3, v3, v3\n"
	}
	for _, tt := range []struct {
		name, text string
		calls      int // the maximum for a wave
	}{
		{"a loop", loop("v_add_f32 v3, v3, v3\n"), 3},
		{"a long loop", loop(long), 3},
		{"blocks lack an instruction of a loop", loop("v_div_scale_f32 v3, vcc, v3, v3, v3\n"), 3},
		{"all lanes fill a mask", loop("s_or_b64 s[26:27], s[26:27], exec\ns_andn2_b64 s[28:29], s[28:29], exec\n"), 3},
		{"EXEC changes in a loop", loop("v_cmp_ne_u32 vcc, s20, v0\ns_and_saveexec_b64 s[24:25], vcc\n" +
			"s_cbranch_execz over\nv_add_f32 v3, v3, v3\nover:\ns_or_b64 exec, exec, s[24:25]\n"), 3},
		{"a loop that begins in the middle", "s_mov_b32 s20, 40\nv_mov_b32 v3, 0\ns_branch middle\nloop:\n" +
			"v_add_f32 v3, v3, v3\nmiddle:\nv_add_f32 v3, v3, v3\n" +
			"s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\n", 4},
		{"a barrier in a loop", loop("s_barrier\nv_add_f32 v3, v3, v3\n"), 83},
		{"one of many instructions reads undefined bits", "v_mov_b32 v3, 0\n" + long + "v_add_f32 v4, v5, v3\n" + long, 3},
	} {
		m, mod := loadText(t, kernelText(gcn.GFX803, tt.text+"s_endpgm", ""))
		c, err := check.New("all")
		require.NoError(t, err)
		calls := &callsOf{Checker: c}
		l := sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{64 * waves}, Group: [3]uint32{64}, Workers: 1}
		require.NoError(t, l.Watch(calls))
		most := waves*tt.calls + 1
		for range 16 { // the kernel is compiled during the first runs
			calls.calls = 0
			res, err := m.Dispatch(context.Background(), l)
			require.NoError(t, err, tt.name)
			if block.Unavailable() != "" {
				most = int(res.Instructions)
				break
			}
		}
		require.LessOrEqual(t, calls.calls, most, tt.name)
		t.Log(tt.name, calls.calls)
	}
}
