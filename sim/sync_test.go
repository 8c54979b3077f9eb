package sim

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/state"
)

// workGroup executes text on n waves that share LDS and GDS; s0 is the number of the wave.
func workGroup(t *testing.T, m *Machine, n int, text string) ([]*state.Wave, error) {
	t.Helper()
	p, err := asm.Assemble(m.Target, text, asm.LLVM)
	require.NoError(t, err)
	prog := NewProgram(m.Target, 0, p.Words, 8)
	r := runner{code: []*Program{prog}}
	r.limit.Store(10000)
	r.ports = executor.Ports{Mem: (*ports)(&m.Memory), LDS: *m.LDS().span, GDS: *m.GDS().span, Sync: &m.sync}
	var waves []*state.Wave
	for i := range n {
		w := state.NewWave(m.Target, 8)
		w.ID, w.S[0] = i, uint32(i)
		waves = append(waves, w)
	}
	return waves, r.group(context.Background(), waves)
}

// A GWS barrier of three waves: each sees the stores of all others behind it. The barrier is used twice.
func TestGWSBarrier(t *testing.T) {
	m := New(gcn.GFX900)
	waves, err := workGroup(t, m, 3, `
		s_mov_b32 m0, 0x50000      ; resource 5
		v_mov_b32 v0, 2            ; waves but one
		s_cmp_lg_u32 s0, 0
		s_cbranch_scc1 wait
		ds_gws_init v0 offset:1 gds
	wait:
		s_barrier
		s_lshl_b32 s1, s0, 2
		v_mov_b32 v1, s1
		v_mov_b32 v2, s0
		v_add_u32 v2, 10, v2
		ds_write_b32 v1, v2
		ds_gws_barrier v0 offset:1 gds
		v_mov_b32 v3, 0
		ds_read_b32 v4, v3
		ds_read_b32 v5, v3 offset:8
		ds_gws_barrier v0 offset:1 gds
		ds_write_b32 v1, v3
		s_endpgm`)
	require.NoError(t, err)
	for _, w := range waves {
		require.Equal(t, []uint32{10, 12}, []uint32{w.V[4][0], w.V[5][0]}, "wave %d", w.ID)
	}
	require.Equal(t, executor.Resource{Counter: 2, Phase: 2}, m.sync.GWS[6])
}

// Semaphores: P waits for a credit; V adds one credit, BR several, RELEASE_ALL one for each waiting wave.
func TestGWSSemaphore(t *testing.T) {
	for give, text := range map[string]string{
		"v":           "ds_gws_sema_v gds\nds_gws_sema_v gds",
		"br":          "v_mov_b32 v0, 2\nds_gws_sema_br v0 gds",
		"release all": "ds_gws_sema_release_all gds",
	} {
		m := New(gcn.GFX803)
		waves, err := workGroup(t, m, 3, `
			s_mov_b32 m0, 0
			s_cmp_lg_u32 s0, 2
			s_cbranch_scc1 take
			`+text+`
			s_endpgm
		take:
			ds_gws_sema_p gds
			v_mov_b32 v1, 1
			s_endpgm`)
		require.NoError(t, err, give)
		require.Equal(t, []uint32{1, 1}, []uint32{waves[0].V[1][0], waves[1].V[1][0]}, give)
		require.Equal(t, executor.Resource{}, m.sync.GWS[0], give)
	}
}

// If waves wait forever, the fault tells what each waits for.
func TestDeadlock(t *testing.T) {
	m := New(gcn.GFX803)
	_, err := workGroup(t, m, 3, `
		s_mov_b32 m0, 0
		s_cmp_lg_u32 s0, 1
		s_cbranch_scc1 sema
		s_barrier
	sema:
		ds_gws_sema_p offset:7 gds
		s_endpgm`)
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, state.FaultDeadlock, f.Kind)
	require.Equal(t, "ds_gws_sema_p offset:7 gds", f.Text)
	require.Equal(t, uint64(16), f.PC)
	require.Contains(t, f.What, "wave 0 for the semaphore of GWS resource 7, wave 1 at s_barrier for the others, "+
		"wave 2 for the semaphore of GWS resource 7")
}

// DS_ORDERED_COUNT executes in the order of the waves, even if an earlier wave arrives late or ends without executing
// it.
func TestOrderedCount(t *testing.T) {
	m := New(gcn.GFX803)
	copy(m.GDS().Bytes()[0x40+4:], []byte{100})
	_, err := workGroup(t, m, 4, `
		s_mov_b32 m0, 0x400000     ; counters at 0x40
		s_cmp_eq_u32 s0, 2
		s_cbranch_scc1 end
		s_cmp_eq_u32 s0, 0
		s_cbranch_scc0 count
		s_barrier                  ; wave 0 comes after the others have tried
	count:
		v_mov_b32 v1, s0
		v_add_u32 v1, vcc, 1, v1
		ds_ordered_count v2, v1 offset:772 gds
		s_cmp_eq_u32 s0, 0
		s_cbranch_scc1 end
		s_barrier
	end:
		s_endpgm`)
	// Wave 0 is at the barrier, waves 1 and 3 wait for it, so that no wave opens it.
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	require.Contains(t, f.What, "wave 1 for its turn at ordered counter 1")

	m = New(gcn.GFX803)
	copy(m.GDS().Bytes()[0x40+4:], []byte{100})
	waves, err := workGroup(t, m, 4, `
		s_mov_b32 m0, 0x400000     ; counters at 0x40
		s_cmp_eq_u32 s0, 2
		s_cbranch_scc1 end
		s_cmp_eq_u32 s0, 0
		s_cbranch_scc0 count
		ds_gws_sema_p gds          ; wave 0 comes after wave 3 has tried
	count:
		s_cmp_eq_u32 s0, 3
		s_cbranch_scc0 turn
		ds_gws_sema_v gds
	turn:
		v_mov_b32 v1, s0
		v_add_u32 v1, vcc, 1, v1
		ds_ordered_count v2, v1 offset:772 gds
	end:
		s_endpgm`)
	require.NoError(t, err)
	require.Equal(t, []uint32{100, 101, 103}, []uint32{waves[0].V[2][9], waves[1].V[2][9], waves[3].V[2][9]})
	require.Equal(t, uint32(107), m.GDS().Uint32s()[0x44/4])
}

// A launch with Compare records where the rule sets differ.
func TestLaunchCompares(t *testing.T) {
	m := New(gcn.GFX803)
	data, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	k, err := mod.Object.Kernel("vadd")
	require.NoError(t, err)
	for _, on := range []bool{false, true} {
		b := m.Alloc(256)
		l := Launch{Module: mod, Kernel: "vadd", Config: Config{Compare: on},
			Args: []Arg{BufferArg(b), BufferArg(b), BufferArg(b), U32(1)}}
		h, err := m.newHSA(&l, k)
		require.NoError(t, err)
		d, err := m.newDispatch(h.registers())
		require.NoError(t, err)
		require.Equal(t, on, d.newWorker(0, d.c.watched()).ports.Compare != nil)
		h.release()
	}
}

// TestRunCountsWhatIsOutstanding: instructions increment the counters of outstanding operations, s_waitcnt lowers
// them, and a full counter stays at its maximum (rules W2, W9).
func TestRunCountsWhatIsOutstanding(t *testing.T) {
	m := New(gcn.GFX600)
	buf := m.Alloc(256)
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256})
	_, err := m.RunAsm(t.Context(), w, "buffer_store_dword v0, off, s[0:3], 0\nbuffer_load_dword v1, off, s[0:3], "+
		"0\ns_load_dwordx2 s[4:5], s[0:1], 0x0\ns_sendmsg 1")
	require.NoError(t, err)
	require.Equal(t, [3]uint8{2, 1, 3}, [3]uint8{w.VMCnt, w.EXPCnt, w.LGKMCnt})
	w.PC = 0
	_, err = m.RunAsm(t.Context(), w, "s_waitcnt vmcnt(1) & lgkmcnt(0)")
	require.NoError(t, err)
	require.Equal(t, [3]uint8{1, 1, 0}, [3]uint8{w.VMCnt, w.EXPCnt, w.LGKMCnt})
	w.PC = 0
	_, err = m.RunAsm(t.Context(), w, strings.Repeat("buffer_store_dword v0, off, s[0:3], 0\n", 40))
	require.NoError(t, err)
	require.Equal(t, [2]uint8{isa.TraitsOf(w.Target).MaxVM, isa.TraitsOf(w.Target).MaxEXP}, [2]uint8{w.VMCnt, w.EXPCnt})
}
