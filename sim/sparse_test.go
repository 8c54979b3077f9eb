package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// executed is an instruction of a wave as an observer knows it.
type executed struct {
	wave int
	pc   uint64
	op   gcn.MemOp
	next uint64
}

// TestSparseObserversKnowAll: what a sparse observer sees, and what that says of the rest, is what
// another one sees: in loops, with EXEC that changes, where waves wait for one another and where
// one faults.
func TestSparseObserversKnowAll(t *testing.T) {
	for _, text := range []string{
		"v_mov_b32 v1, 1\nv_mov_b32 v2, 1\ns_endpgm",
		"s_nop 0\ns_nop 0\ns_nop 0\ns_endpgm",
		`s_movk_i32 s20, 9
		loop:
			v_add_f32 v1, v1, v1
			v_mul_f32 v1, v1, v1
			buffer_load_dword v2, v0, s[0:3], 0 offen
			s_mov_b64 exec, 0xff
			v_add_f32 v1, v1, v1
			s_cmp_eq_u32 s20, 4
			s_cbranch_scc1 over
			v_add_f32 v1, v1, v1
			s_barrier
		over:
			v_cmpx_eq_u32 vcc, v0, v0
			s_sub_u32 s20, s20, 1
			s_memtime s[8:9]
			s_cmp_lg_u32 s20, 0
			s_cbranch_scc1 loop
			s_nop 0
			s_endpgm`,
		"s_nop 0\nv_mov_b32 v1, 1\nv_mov_b32 v2, 1\nv_mov_b32 v250, 1\ns_endpgm",
		"s_nop 0\nv_mov_b32 v1, 1\nv_mov_b32 v2, 1\nbuffer_load_dword v2, v0, s[4:7], 0 offen\ns_endpgm",
	} {
		see := func(sparse bool) (all []executed, events int, res *sim.Result, failed string) {
			m := sim.New(gcn.GFX803)
			buf := m.Alloc(1024)
			observer := sim.Observer
			if sparse {
				observer = sim.SparseObserver
			}
			require.NoError(t, m.Watch(ticks{}, observer(func(e *sim.Event) {
				events++
				for pc := e.PC - e.Before; pc != e.PC; {
					in, ok := e.Program.Inst(pc)
					require.True(t, ok)
					all = append(all, executed{e.Wave.ID, pc, gcn.NoMem, pc + uint64(in.Size)})
					pc += uint64(in.Size)
				}
				all = append(all, executed{e.Wave.ID, e.PC, e.Access.Op, e.Wave.PC})
			})))
			p, err := asm.Assemble(m.Target, text, asm.LLVM)
			require.NoError(t, err)
			waves := make([]*state.Wave, 2)
			for i := range waves {
				w := state.NewWave(m.Target, 8)
				w.ID = i
				w.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: 1024}.Words()...)
				w.SetSGPRs(4, gcn.Buffer{Base: 1 << 40, NumRecords: 1024}.Words()...)
				w.SetVGPR(0, lane.Times(4+4*uint32(i)))
				waves[i] = w
			}
			res, err = m.RunProgram(t.Context(), sim.NewProgram(m.Target, 0, p.Words, 8), waves...)
			if err != nil {
				failed = err.Error()
			}
			return all, events, res, failed
		}
		want, most, res, failed := see(false)
		got, events, sparse, alsoFailed := see(true)
		require.Equal(t, want, got, text)
		require.Equal(t, res, sparse)
		require.Equal(t, failed, alsoFailed)
		require.Less(t, events, most)
	}
}
