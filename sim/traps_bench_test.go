package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// arithmetic returns a loop that executes body rounds times; s0 counts down.
func arithmetic(rounds int, body string) string {
	return fmt.Sprintf("s_mov_b32 s0, 0x%x\nagain:\n%ss_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again\n",
		rounds, body)
}

const (
	floats = "v_add_f32 v2, v0, v1\nv_mul_f32 v3, v0, v1\nv_fma_f32 v4, v0, v1, v2\nv_max_f32 v5, v2, v3\n" +
		"v_rcp_f32 v6, v1\nv_cvt_i32_f32 v7, v1\n"
	integers = "v_and_b32 v2, v0, v1\nv_or_b32 v3, v0, v1\nv_xor_b32 v4, v0, v1\nv_lshlrev_b32 v5, 3, v1\n" +
		"v_mul_u32_u24 v6, v0, v1\nv_not_b32 v7, v1\n"
)

// exceptionSettings are the settings that collect exceptions, or do not.
func exceptionSettings(t testing.TB) map[string]func(m *sim.Machine) {
	handler := &sim.TrapHandler{Words: trapWords(t, gcn.GFX900, "s_rfe_b64 ttmp[0:1]")}
	return map[string]func(m *sim.Machine){
		"unarmed":   func(*sim.Machine) {},
		"collected": func(m *sim.Machine) { m.Exceptions = true },
		"handler":   func(m *sim.Machine) { m.TrapHandler = handler },
	}
}

// startTraps returns a machine and a wave whose lanes contain numbers.
func startTraps(arm func(m *sim.Machine)) (*sim.Machine, *state.Wave) {
	m := sim.New(gcn.GFX900)
	m.Limit = 1 << 40
	arm(m)
	w := m.NewWave()
	for i := range state.NumLanes {
		w.V[0][i], w.V[1][i] = 0x3f800000+uint32(i)<<12, 0x40000000+uint32(i)<<7
	}
	return m, w
}

// BenchmarkExceptions compares runs that ignore exceptions with runs that collect them.
func BenchmarkExceptions(b *testing.B) {
	const rounds = 1000
	for body, text := range map[string]string{"floats": floats, "integers": integers} {
		words := trapWords(b, gcn.GFX900, arithmetic(rounds, text))
		for name, arm := range exceptionSettings(b) {
			b.Run(body+"/"+name, func(b *testing.B) {
				m, w := startTraps(arm)
				p := sim.NewProgram(gcn.GFX900, 0, words, w.NumVGPRs)
				b.ReportAllocs()
				for b.Loop() {
					_, err := m.RunProgram(b.Context(), p, w)
					require.NoError(b, err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(9*rounds), "ns/inst")
			})
		}
	}
}

// TestExceptionsAllocateNothing: a run with more instructions makes no more allocations.
func TestExceptionsAllocateNothing(t *testing.T) {
	for name, arm := range exceptionSettings(t) {
		m, w := startTraps(arm)
		allocations := func(rounds int) float64 {
			p := sim.NewProgram(gcn.GFX900, 0, trapWords(t, gcn.GFX900, arithmetic(rounds, floats)), w.NumVGPRs)
			run := func() {
				_, err := m.RunProgram(t.Context(), p, w)
				assert.NoError(t, err)
			}
			for range 8 { // until the longer program has been compiled
				run()
			}
			return testing.AllocsPerRun(5, run)
		}
		assert.Equal(t, allocations(100), allocations(1500), name)
	}
}
