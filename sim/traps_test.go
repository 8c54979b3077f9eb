package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

var trapTargets = []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906}

// trapWords assembles text.
func trapWords(t testing.TB, target gcn.Target, text string) []uint32 {
	t.Helper()
	p, err := asm.Assemble(target, text, asm.LLVM)
	require.NoError(t, err)
	return p.Words
}

// skipping is a trap handler that returns to the interrupted instruction, after s_trap to the next one, and clears
// MEM_VIOL. It stores the trap number in s20, and counts in s21.
const skipping = `
	s_bfe_u32 s20, ttmp1, 0x80010
	s_add_u32 s21, s21, 1
	s_cmp_eq_u32 s20, 0
	s_cbranch_scc1 back
	s_add_u32 ttmp0, ttmp0, 4
	s_addc_u32 ttmp1, ttmp1, 0
back:
	s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 8, 1), 0
	s_and_b32 ttmp1, ttmp1, 0xffff
	s_nop 0
	s_rfe_b64 [ttmp0, ttmp1]
`

func TestTrapHandler(t *testing.T) {
	const enableDivByZero = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1\n"
	for _, target := range trapTargets {
		for _, c := range []struct {
			name, text string
			traps      uint32
			id         uint32
			lane       int
			kind       state.FaultKind
		}{
			{"division", enableDivByZero + "v_rcp_f32 v1, v0", 1, 0, 7, state.FaultTrap},
			{"not enabled", "v_rcp_f32 v1, v0", 0, 0, 0, 0},
			{"another one", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 1), 1\nv_rcp_f32 v1, v0", 0, 0, 0, 0},
			{"s_trap", "s_trap 5\nv_rcp_f32 v1, v0", 1, 5, state.NoLane, state.FaultTrap},
			{"memory", "s_mov_b32 s4, 0x1000\ns_mov_b32 s5, 0\ns_load_dword s0, s[4:5], 0x0\ns_waitcnt " +
				"lgkmcnt(0)\nv_rcp_f32 v1, v0", 1, 0,
				state.NoLane, state.FaultMemory},
			{"single step", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1\ns_nop 0\ns_nop 0\nv_rcp_f32 v1, v0\n" +
				"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 0", 4, 0, state.NoLane, state.FaultTrap},
		} {
			t.Run(fmt.Sprint(target, " ", c.name), func(t *testing.T) {
				var first *state.Fault
				m := sim.New(target)
				m.TrapHandler = &sim.TrapHandler{Words: trapWords(t, target, skipping), Trapped: func(f *state.Fault) {
					if first == nil {
						first = f
					}
				}}
				w := m.NewWave()
				w.SetVGPR(0, [64]uint32{0: 1 << 29, 1: 1 << 29, 2: 1 << 29, 3: 1 << 29, 4: 1 << 29, 5: 1 << 29, 6: 1 << 29})
				_, err := m.RunAsm(t.Context(), w, c.text)
				require.NoError(t, err)
				assert.Equal(t, c.traps, w.S[21], "traps")
				assert.Equal(t, c.id, w.S[20])
				assert.Equal(t, uint32(0x7f800000), w.V[1][9], "the program went on")
				assert.False(t, w.Privileged())
				assert.NotZero(t, w.TrapSts&state.TrapDivByZero)
				if c.traps == 0 {
					assert.Nil(t, first)
					return
				}
				assert.Equal(t, c.kind, first.Kind)
				assert.Equal(t, c.lane, first.Lane)
				assert.NotEmpty(t, first.Text)
			})
		}
	}
}

// TestMisalignedLaneTraps: a memory violation that is not a fault enters the handler; Trapped receives the lane.
func TestMisalignedLaneTraps(t *testing.T) {
	const target = gcn.GFX900
	var told *state.Fault
	m := sim.New(target)
	m.Align = state.AlignStrict
	m.TrapHandler = &sim.TrapHandler{Words: trapWords(t, target, skipping), Trapped: func(f *state.Fault) { told = f }}
	w := m.NewWave()
	w.SetVGPR(0, [64]uint32{11: 2})
	_, err := m.RunAsm(t.Context(), w, "s_mov_b32 m0, -1\nds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)")
	require.NoError(t, err)
	require.NotNil(t, told)
	assert.Equal(t, 11, told.Lane)
	assert.Equal(t, uint32(1), w.S[21])
}

// TestTrapWithoutHandler: an enabled trap ends the run if there is no handler.
func TestTrapWithoutHandler(t *testing.T) {
	for _, target := range trapTargets {
		m := sim.New(target)
		w := m.NewWave()
		w.SetExec(0xf0)
		_, err := m.RunAsm(t.Context(), w, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1\nv_rcp_f32 v1, v0")
		var f *state.Fault
		require.ErrorAs(t, err, &f)
		assert.Equal(t, state.FaultTrap, f.Kind)
		assert.Equal(t, 4, f.Lane)
		assert.Contains(t, f.Error(), "v_rcp_f32")
		assert.Contains(t, f.What, "division by zero")
		assert.Contains(t, f.What, "no trap handler")
	}
}

// TestExceptionsSeen: exceptions are collected only where they can be seen.
func TestExceptionsSeen(t *testing.T) {
	run := func(text string, set func(m *sim.Machine)) *state.Wave {
		m := sim.New(gcn.GFX900)
		if set != nil {
			set(m)
		}
		w := m.NewWave()
		_, err := m.RunAsm(t.Context(), w, text)
		require.NoError(t, err)
		return w
	}
	const zero = "v_rcp_f32 v1, v0\n"
	assert.Zero(t, run(zero, nil).TrapSts)
	assert.Equal(t, state.TrapDivByZero, run(zero, func(m *sim.Machine) { m.Exceptions = true }).TrapSts)
	w := run(zero+"s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 0, 7)\nv_clrexcp\ns_getreg_b32 s1, hwreg(HW_REG_TRAPSTS, 0, 7)",
		nil)
	assert.Equal(t, [2]uint32{4, 0}, [2]uint32{w.S[0], w.S[1]})
	assert.Zero(t, run(zero+"s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 8, 1)", nil).TrapSts, "another field")
}

// TestTrapRegisters: only a trap handler can access TTMP, TBA and TMA and write STATUS.
func TestTrapRegisters(t *testing.T) {
	for _, target := range trapTargets {
		m := sim.New(target)
		handler := "s_mov_b32 s10, ttmp2\ns_mov_b32 ttmp2, 7\n"
		if isa.TraitsOf(target).TBA >= 0 {
			handler += "s_mov_b32 s11, tma_lo\ns_mov_b32 s12, tma_hi\n"
		} else {
			handler += "s_getreg_b32 s11, hwreg(18)\ns_getreg_b32 s12, hwreg(19)\ns_lshl_b32 s11, s11, 8\n"
		}
		handler += "s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 20, 1), 1\n" + skipping
		m.TrapHandler = &sim.TrapHandler{Words: trapWords(t, target, handler), TMA: 0x123400}
		w := m.NewWave()
		text := "s_mov_b32 ttmp2, 5\ns_mov_b32 s0, ttmp2\ns_trap 1\ns_trap 1\ns_mov_b32 s1, ttmp2\n"
		if target.Gen() >= gcn.GCN11 {
			text += "s_cbranch_cdbguser there\ns_mov_b32 s2, 9\nthere:\ns_nop 0\n"
		}
		_, err := m.RunAsm(t.Context(), w, text)
		require.NoError(t, err)
		assert.Equal(t, []uint32{0, 0, 0}, w.S[:3], "the program has none")
		assert.Equal(t, []uint32{7, 0x123400, 0}, w.S[10:13], "the handler has them")
		assert.NotZero(t, w.Status()&state.StatusCondDbgUser)
	}
}

func TestHalt(t *testing.T) {
	halts := func(text, handler string) *state.Fault {
		m := sim.New(gcn.GFX803)
		if handler != "" {
			m.TrapHandler = &sim.TrapHandler{Words: trapWords(t, gcn.GFX803, handler)}
		}
		_, err := m.RunAsm(t.Context(), m.NewWave(), text)
		var f *state.Fault
		require.ErrorAs(t, err, &f)
		return f
	}
	assert.Contains(t, halts("s_sethalt 1", "").What, "halted")
	f := halts("s_trap 1", "s_sethalt 1\n"+skipping)
	assert.Contains(t, f.What, "halted")
	assert.Contains(t, f.Text, "s_rfe_b64", "HALT is not heeded in the handler")
	assert.Equal(t, state.FaultIllegal, halts("s_rfe_b64 s[0:1]", "").Kind)
	assert.Equal(t, state.FaultTrap, halts("s_trap 1", "s_trap 1").Kind, "a trap in the handler")
}

func TestTrapHandlerRefused(t *testing.T) {
	for want, h := range map[string]*sim.TrapHandler{
		"has no words":      {},
		"multiple of 256":   {Words: []uint32{0}, TMA: 4},
		"it may have 26214": {Words: make([]uint32, 1<<19)},
	} {
		m := sim.New(gcn.GFX900)
		m.TrapHandler = h
		_, err := m.RunAsm(t.Context(), m.NewWave(), "s_nop 0")
		require.ErrorContains(t, err, want)
	}
}

// TestRestoringReturn returns from a trap handler with a different STATUS.INST_ATC.
func TestRestoringReturn(t *testing.T) {
	const handler = "s_add_u32 ttmp0, ttmp0, 4\ns_and_b32 ttmp1, ttmp1, 0xffff\ns_rfe_restore_b64 ttmp[0:1], s3"
	for _, target := range []gcn.Target{gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		for _, atc := range []uint32{0, 1, 2, 3} {
			m := sim.New(target)
			m.TrapHandler = &sim.TrapHandler{Words: trapWords(t, target, handler)}
			w := m.NewWave()
			w.S[3] = atc
			w.SetStatus(w.Status() | state.StatusInstAtc)
			_, err := m.RunAsm(t.Context(), w, "s_trap 1\ns_mov_b32 s20, 7\ns_endpgm_saved\ns_mov_b32 s20, 8")
			require.NoError(t, err)
			assert.Equal(t, uint32(7), w.S[20])
			assert.Equal(t, state.Status(atc&1)*state.StatusInstAtc, w.Status()&(state.StatusInstAtc|state.StatusPriv))
		}
		var f *state.Fault
		m := sim.New(target)
		_, err := m.RunAsm(t.Context(), m.NewWave(), "s_rfe_restore_b64 s[0:1], s3")
		require.ErrorAs(t, err, &f)
		assert.Equal(t, state.FaultIllegal, f.Kind)
	}
}
