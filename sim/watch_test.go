package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// inspection is a watcher that records the events before and after instructions.
type inspection struct {
	sim.NoWatcher
	waves   int
	issued  []uint64 // PCs at Issue and at Retire
	retired []uint64
	exec    []uint64 // EXEC at Issue
}

func (i *inspection) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

func (i *inspection) Begin(waves []*state.Wave) { i.waves += len(waves) }

func (i *inspection) Issue(e *sim.Event) {
	i.issued, i.exec = append(i.issued, e.PC), append(i.exec, e.Wave.Exec())
}

func (i *inspection) Retire(e *sim.Event) {
	i.retired = append(i.retired, e.PC)
}

// A watcher sees each instruction before and after it executes. If the instruction faults, it sees it before.
func TestBeforeAndAfter(t *testing.T) {
	m := sim.New(gcn.GFX803)
	seen := &inspection{}
	require.NoError(t, m.Watch(seen))
	_, err := m.RunAsm(ctx, m.NewWave(), "s_mov_b64 exec, 1\ns_nop 0\nv_interp_p1_f32 v0, v1, attr0.x\ns_endpgm")
	require.ErrorContains(t, err, "interpolation")
	require.Equal(t, &inspection{sim.NoWatcher{}, 1, []uint64{0, 4, 8}, []uint64{0, 4}, []uint64{state.FullExec, 1, 1}},
		seen)
}

// An instruction that waits for other waves is issued once.
func TestWaitingInstructionsAreIssuedOnce(t *testing.T) {
	m := sim.New(gcn.GFX803)
	seen := &inspection{}
	require.NoError(t, m.Watch(seen))
	_, err := m.RunAsm(ctx, m.NewWave(), "s_mov_b32 m0, 0\nv_mov_b32 v0, 1\nds_gws_init v0 gds\nds_gws_barrier v0 "+
		"gds\ns_endpgm")
	require.ErrorContains(t, err, "no wave of the work-group can go on")
	require.Equal(t, []uint64{0, 4, 8, 16}, seen.issued)
	require.Equal(t, []uint64{0, 4, 8}, seen.retired)
}

// TestEventsShowWhatAWaveReaches: an event has the bytes of memory, LDS and GDS after the instruction.
func TestEventsShowWhatAWaveReaches(t *testing.T) {
	m := sim.New(gcn.GFX803)
	out := m.Alloc(64)
	w := m.NewWave()
	w.SetExec(1)
	w.S[gcn.M0] = 4096 // M0: the bytes of LDS and GDS that the wave can access
	w.SetVGPR(0, state.Lanes{uint32(out.Addr)})
	w.SetVGPR(1, state.Lanes{uint32(out.Addr >> 32)})
	w.SetVGPR(2, state.Lanes{0x11})
	w.SetVGPR(3, state.Lanes{8})
	var last sim.Event
	require.NoError(t, m.Watch(sim.Observer(func(e *sim.Event) { last = *e })))
	_, err := m.RunAsm(ctx, w, "ds_write_b8 v3, v2\nds_write_b8 v3, v2 offset:4 gds\nflat_store_byte v[0:1], v2\ns_endpgm")
	require.NoError(t, err)
	require.Equal(t, state.SeedRules, last.Rules)
	require.Equal(t, state.AlignDword, last.Align)
	require.Len(t, last.LDS, m.LDSSize)
	require.Len(t, last.GDS, m.GDSSize)
	require.Equal(t, []byte{0x11, 0, 0, 0, 0, 0, 0, 0}, last.LDS[8:16])
	require.Equal(t, []byte{0, 0, 0, 0, 0x11, 0, 0, 0}, last.GDS[8:16])
	require.Equal(t, byte(0x11), last.Memory.View(out.Addr)[0])
	require.Len(t, last.Memory.View(out.Addr+60), 4)
	require.Empty(t, last.Memory.View(out.Addr+64))
	require.Empty(t, last.Private)
}
