package sim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// handlerOfLinux returns the words of the first-level trap handler that the Linux kernel has for target.
func handlerOfLinux(t *testing.T, target gcn.Target) []uint32 {
	t.Helper()
	root := os.Getenv("GCNSIM_LINUX")
	if root == "" {
		t.Skip("GCNSIM_LINUX is not set: it names a source tree of the Linux kernel")
	}
	text, err := os.ReadFile(filepath.Join(root, "drivers/gpu/drm/amd/amdkfd/cwsr_trap_handler.h"))
	require.NoError(t, err)
	name := "cwsr_trap_gfx8_hex"
	if target.Gen() >= gcn.GCN14 {
		name = "cwsr_trap_gfx9_hex"
	}
	list := regexp.MustCompile(name + `\[\] = \{([^}]*)\}`).FindSubmatch(text)
	require.NotNil(t, list, name)
	var words []uint32
	for _, m := range regexp.MustCompile(`0x([0-9a-f]{8})`).FindAllSubmatch(list[1], -1) {
		v, err := strconv.ParseUint(string(m[1]), 16, 32)
		require.NoError(t, err)
		words = append(words, uint32(v))
	}
	return words
}

var linuxTargets = []gcn.Target{gcn.GFX803, gcn.GFX900, gcn.GFX906}

// TestTrapHandlerOfLinux executes Linux's first-level trap handler without a second level. Waves continue behind
// S_TRAP; up to GCN 1.2 they also continue behind an exception, later they halt.
func TestTrapHandlerOfLinux(t *testing.T) {
	const table = 0x10000
	for _, target := range linuxTargets {
		t.Run(target.String(), func(t *testing.T) {
			m := sim.New(target)
			m.TrapHandler = &sim.TrapHandler{Words: handlerOfLinux(t, target), TMA: table}
			_, err := m.Map(table, 64)
			require.NoError(t, err)
			w := m.NewWave()
			_, err = m.RunAsm(t.Context(), w, "s_cmp_eq_u32 0, 0\ns_trap 5\ns_mov_b32 s20, 7")
			require.NoError(t, err)
			assert.Equal(t, uint32(7), w.S[20])
			assert.Equal(t, uint32(1), w.SCC, "SCC as before the trap")
			assert.False(t, w.Privileged())

			w = m.NewWave()
			_, err = m.RunAsm(t.Context(), w, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1\nv_rcp_f32 v1, 0\n"+
				"s_mov_b32 s20, 7")
			if target.Gen() < gcn.GCN14 {
				require.NoError(t, err)
				assert.Equal(t, uint32(7), w.S[20])
				return
			}
			var f *state.Fault
			require.ErrorAs(t, err, &f)
			assert.Equal(t, state.FaultTrap, f.Kind)
			assert.Contains(t, f.What, "halted")
			assert.NotZero(t, w.Status()&state.StatusHalt)
		})
	}
}

// TestLinuxSwitchesContexts lets Linux's trap handler save a wave to memory and restore it to another wave. The
// handler requests an address from the host by a message. The test has no host, so it replaces the instruction that
// sends the message by one that moves the address.
func TestLinuxSwitchesContexts(t *testing.T) {
	const (
		area       = 0x100000
		firstInTG  = 1 << 26 << 32
		ldsBytes   = 2048
		resumption = "s_mov_b32 s20, 7\ns_endpgm"
	)
	for _, target := range linuxTargets {
		t.Run(target.String(), func(t *testing.T) {
			m := sim.New(target)
			m.LDSSize, m.Rules = ldsBytes, state.DriverRules // the handler uses offsets beyond the stride (rule C5)
			handler := handlerOfLinux(t, target)
			at := slices.Index(handler, trapWords(t, target, "s_sendmsg sendmsg(MSG_SAVEWAVE)")[0])
			require.Positive(t, at)
			handler[at] = trapWords(t, target, "s_mov_b64 exec, s[98:99]")[0]
			m.TrapHandler = &sim.TrapHandler{Words: handler, TMA: area}
			_, err := m.Map(area, 1<<20)
			require.NoError(t, err)
			// The program enters the handler at an offset, and the handler returns to its end, 28 bytes later.
			enter := func(offset int) string {
				return fmt.Sprintf("s_mov_b32 ttmp0, 28\ns_mov_b32 ttmp1, 0\ns_mov_b32 ttmp4, 0x%x\n"+
					"s_mov_b32 ttmp5, 0x%x\ns_setpc_b64 ttmp[4:5]\n"+resumption,
					uint32(sim.TrapBase+uint64(offset)), uint64(sim.TrapBase)>>32)
			}

			saved := m.NewWave()
			for i := range 100 {
				saved.S[i] = 0x5000 + uint32(i)*3
			}
			for r := range saved.NumVGPRs {
				var lanes [state.NumLanes]uint32
				for i := range lanes {
					lanes[i] = uint32(r)<<16 | uint32(i)
				}
				saved.SetVGPR(r, lanes)
			}
			saved.SetScalar64(98, area|firstInTG)
			saved.SetScalar64(gcn.VCC, 0x123456789abcdef0)
			saved.SetScalar64(gcn.EXEC, 0xf0f0f0f0f0f0f0f)
			saved.S[gcn.M0], saved.SCC, saved.Mode = 0x77, 1, state.DefaultMode|5
			saved.TrapSts = 1<<10 | state.TrapInexact
			copy(m.LDS().Bytes(), fill(ldsBytes))
			saved.SetStatus(saved.Status() | state.StatusPriv)
			want := *saved
			var registers [][state.NumLanes]uint32
			for r := range saved.NumVGPRs {
				registers = append(registers, saved.VGPR(r))
			}
			_, err = m.RunAsm(t.Context(), saved, enter(0))
			require.NoError(t, err)
			assert.NotEqual(t, uint32(7), saved.S[20], "it has ended in the handler")

			clear(m.LDS().Bytes())
			w := m.NewWave()
			w.SetStatus(w.Status() | state.StatusPriv)
			w.SetExec(area | firstInTG)
			_, err = m.RunAsm(t.Context(), w, enter(4))
			require.NoError(t, err)
			want.S[20] = 7
			assert.Equal(t, want.S[:100], w.S[:100])
			for r, v := range registers {
				assert.Equal(t, v, w.VGPR(r), "v%d", r)
			}
			assert.Equal(t, want.Scalar64(gcn.VCC), w.Scalar64(gcn.VCC))
			assert.Equal(t, want.Exec(), w.Exec())
			assert.Equal(t, want.S[gcn.M0], w.S[gcn.M0])
			assert.Equal(t, [2]any{want.SCC, want.Mode}, [2]any{w.SCC, w.Mode})
			assert.Equal(t, state.TrapInexact, w.TrapSts, "without SAVECTX")
			assert.False(t, w.Privileged())
			assert.Equal(t, fill(ldsBytes), m.LDS().Bytes())
		})
	}
}

// fill returns n bytes; each differs from its neighbours.
func fill(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}
