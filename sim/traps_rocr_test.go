package sim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// firstLevel sets the registers that ROCr's second-level trap handler expects from the first level: STATUS in ttmp12,
// TMA in ttmp[14:15]. The second level follows it.
const firstLevel = `
	s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
	s_getreg_b32 ttmp14, hwreg(18)
	s_getreg_b32 ttmp15, hwreg(19)
	s_lshl_b64 ttmp[14:15], ttmp[14:15], 8
`

// TestTrapHandlerOfROCr executes AMD's own second-level trap handler. It reports the reason of a trap to the host by
// an interrupt, with one bit of M0 for each reason, and halts the wave. After llvm.debugtrap the wave continues,
// because there is no debugger.
func TestTrapHandlerOfROCr(t *testing.T) {
	root := os.Getenv("GCNSIM_ROCR")
	if root == "" {
		t.Skip("GCNSIM_ROCR is not set: it names a checkout of ROCR-Runtime")
	}
	text, err := os.ReadFile(filepath.Join(root, "runtime/hsa-runtime/core/runtime/trap_handler/trap_handler.s"))
	require.NoError(t, err)
	const unaligned = "s_mov_b32 m0, -1\nv_mov_b32 v0, 2\nds_read_b64 v[2:3], v0"
	for _, target := range []gcn.Target{gcn.GFX900, gcn.GFX906} {
		handler := trapWords(t, target, firstLevel+string(text))
		for _, c := range []struct {
			name, text string
			m0         uint32 // 0 if the program continues
		}{
			{"debugtrap", "s_trap 3", 0},
			{"abort", "s_trap 2", 1 << 10},
			{"another trap", "s_trap 9", 1 << 11},
			{"division by zero", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1\nv_rcp_f32 v1, 0", 1 << 12},
			{"no instruction", ".long 0xbfffffff", 1 << 13},
			{"memory", "s_mov_b64 s[4:5], 0x1000\ns_load_dword s0, s[4:5], 0x0", 1 << 14},
			{"alignment", unaligned, 1 << 15},
		} {
			t.Run(target.String()+" "+c.name, func(t *testing.T) {
				m := sim.New(target)
				m.Align = state.AlignStrict
				m.TrapHandler = &sim.TrapHandler{Words: handler}
				w := m.NewWave()
				_, err := m.RunAsm(t.Context(), w, c.text+"\ns_mov_b32 s20, 7")
				if c.m0 == 0 {
					require.NoError(t, err)
					assert.Equal(t, uint32(7), w.S[20])
					assert.Empty(t, w.Messages)
					return
				}
				var f *state.Fault
				require.ErrorAs(t, err, &f)
				assert.Equal(t, state.FaultTrap, f.Kind)
				assert.Contains(t, f.What, "halted")
				assert.NotZero(t, w.Status()&state.StatusHalt)
				require.Len(t, w.Messages, 1)
				assert.Equal(t, c.m0, w.Messages[0].M0)
			})
		}
	}
}
