package timing

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TestStuckMachineSaysWhatWavesWaitFor constructs a work-group that waits for a nonexistent wave, which cannot happen
// in a run.
func TestStuckMachineSaysWhatWavesWaitFor(t *testing.T) {
	m, err := New(gcn.GFX803, Default(gcn.GFX803))
	require.NoError(t, err)
	p, err := asm.Assemble(gcn.GFX803, "s_barrier\ns_nop 0", asm.LLVM)
	require.NoError(t, err)
	w := state.NewWave(gcn.GFX803, 8)
	for i := range p.Words {
		in, err := isa.Decode(gcn.GFX803, p.Words[i:])
		require.NoError(t, err)
		w.PC = uint64(4*i) + 4
		m.Retire(&sim.Event{Wave: w, PC: uint64(4 * i), Inst: (*gcn.Inst)(&in), Access: &state.Access{}})
	}
	g := m.filled
	m.flush()
	g.live++
	_, err = m.Finish()
	require.ErrorContains(t, err, "no wave can go on")
	assert.ErrorContains(t, err, "; group 0,0,0 wave 0 at pc 0x0 (s_barrier) waits for the barrier, which 1 of 2 "+
		"waves have reached")
}

// groups returns a model of one CU, and a function that adds a work-group of four waves with a load and a barrier.
func groups(t *testing.T) (*Model, func()) {
	t.Helper()
	p := Default(gcn.GFX803)
	p.CUs = 1
	m, err := New(gcn.GFX803, p)
	require.NoError(t, err)
	prog, err := asm.Assemble(gcn.GFX803, "buffer_load_dword v2, v0, s[0:3], 0 offen\ns_waitcnt "+
		"vmcnt(0)\ns_barrier\ns_endpgm", asm.LLVM)
	require.NoError(t, err)
	w := state.NewWave(gcn.GFX803, 8)
	a := state.Access{Op: gcn.Load, Elem: 4, Count: 1, Exec: state.FullExec}
	for lane := range a.Addr {
		a.Addr[lane] = uint64(lane) * 256
	}
	var ins []isa.Inst
	for i := 0; i < len(prog.Words); {
		in, err := isa.Decode(gcn.GFX803, prog.Words[i:])
		require.NoError(t, err)
		ins = append(ins, in)
		i += int(in.Size) / 4
	}
	return m, func() {
		w.Group[0]++
		for w.ID = range 4 {
			pc := uint64(0)
			for i := range ins {
				w.PC = pc + uint64(ins[i].Size)
				m.Retire(&sim.Event{Wave: w, PC: pc, Inst: (*gcn.Inst)(&ins[i]), Access: &a})
				pc = w.PC
			}
		}
	}
}

// TestSteadyStateAllocatesNothing: work-groups reuse the storage of those that ended.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	_, group := groups(t)
	for range 100 {
		group()
	}
	assert.Zero(t, testing.AllocsPerRun(200, group))
}

// TestMemoryIsBounded: the model's memory depends on the number of concurrent work-groups, not on their total.
func TestMemoryIsBounded(t *testing.T) {
	effort.Long(t)
	m, group := groups(t)
	held := func() (bytes, groups int) { return m.budget.held, len(m.spare) + m.resident/4 + 1 }
	most, held1 := 0, 0
	for n := range 3000 {
		group()
		bytes, all := held()
		if n < 100 {
			most, held1 = max(most, bytes), max(held1, all)
			continue
		}
		require.LessOrEqual(t, bytes, most, "work-group %d", n)
		require.LessOrEqual(t, all, held1+1, "work-group %d", n)
		require.LessOrEqual(t, len(m.clusters[0].wakeups.far), m.p.of.SIMDs*m.p.of.WavesPerSIMD)
		require.Empty(t, m.services, "nothing is kept for a trace that is not there")
	}
	res, err := m.Finish()
	require.NoError(t, err)
	assert.EqualValues(t, 12000, res.counts[sqWaves])
	assert.LessOrEqual(t, m.budget.held, most)
	for _, g := range m.spare {
		for _, w := range g.waves {
			for _, counter := range []pending{w.vm, w.exp, w.lgkm} {
				counter.drain(m.ended)
				assert.Empty(t, counter, "counters return to 0")
			}
		}
	}
	assert.Len(t, res.Insts, 4, "times are kept by instruction of the program")
}

// TestStreamsAreSmall: a loop without memory accesses needs a few bytes, independent of its iterations.
func TestStreamsAreSmall(t *testing.T) {
	m, err := New(gcn.GFX803, Default(gcn.GFX803))
	require.NoError(t, err)
	machine := sim.New(gcn.GFX803)
	require.NoError(t, machine.Watch(m))
	_, err = machine.RunAsm(t.Context(), machine.NewWave(), `
		s_movk_i32 s0, 1000
	loop:
		v_add_f32 v0, v0, v0
		v_add_f32 v1, v1, v1
		s_sub_u32 s0, s0, 1
		s_cmp_lg_u32 s0, 0
		s_cbranch_scc1 loop
		s_endpgm`)
	require.NoError(t, err)
	m.filled.streams[0].seal(m.rec.pool)
	assert.LessOrEqual(t, int(m.filled.streams[0].code.last.n), 16)
	assert.Nil(t, m.filled.streams[0].code.first.next)
	res, err := m.Finish()
	require.NoError(t, err)
	assert.EqualValues(t, 2000, res.counts[sqInstsValu])
	assert.Greater(t, res.Cycles, uint64(1000*(4*4+20)-20))
}

// TestFiltersTakeTheirTaps: four texels per lane take a clock for each 32 bits of a quad.
func TestFiltersTakeTheirTaps(t *testing.T) {
	p := Default(gcn.GFX803)
	in, err := isa.New(gcn.GFX803, isa.Ops("image_sample")[0], isa.Invalid)
	require.NoError(t, err)
	op := newStatic(&p, &in, 0)
	a := state.Access{Op: gcn.Load, Elem: 4, Count: 1, Exec: state.FullExec}
	for lane := range a.Addr {
		a.Addr[lane] = uint64(4 * lane)
	}
	for taps, clocks := range map[uint8]int{0: 16, 1: 16, 2: 16, 4: 16, 8: 32, 16: 64, 64: 256} {
		a.Taps = taps
		assert.Equal(t, clocks, addressClocks(&p, &op, &sim.Event{Access: &a}), "%d texels", taps)
	}
	a.Exec, a.Taps = 0xf0, 128
	assert.Equal(t, 32, addressClocks(&p, &op, &sim.Event{Access: &a}))
}

// TestMaxBytesIsWhatTheHostNeeds: the heap of the host does not exceed MaxBytes by garbage or unaccounted data.
func TestMaxBytesIsWhatTheHostNeeds(t *testing.T) {
	effort.Long(t)
	const most = 24 << 20
	p := Default(gcn.GFX803)
	p.MaxBytes = most
	machine := sim.New(gcn.GFX803)
	buf := machine.Alloc(1 << 16)
	prog, err := asm.Assemble(gcn.GFX803, `
		s_movk_i32 s20, 200
	loop:
		buffer_load_dword v2, v0, s[0:3], 0 offen
		v_add_f32 v1, v1, v1
		s_sub_u32 s20, s20, 1
		s_cmp_lg_u32 s20, 0
		s_cbranch_scc1 loop
		s_endpgm`, asm.LLVM)
	require.NoError(t, err)
	code := sim.NewProgram(gcn.GFX803, 0, prog.Words, 8)
	w := state.NewWave(gcn.GFX803, 8)
	waves := func(m *Model, from, n uint32) error {
		// With another watcher the run traces no accesses, whose entries are not memory of the model.
		require.NoError(t, machine.Watch(m, sim.SparseObserver(func(*sim.Event) {})))
		for g := range n {
			w.Reset(gcn.GFX803)
			w.Group[0] = from + g
			w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 1 << 16})
			for i := range w.V[0] {
				w.V[0][i] = uint32(i) * 260 // five runs of lines per access
			}
			if _, err := machine.RunProgram(t.Context(), code, w); err != nil {
				return err
			}
			if m.rec.err != nil {
				return m.rec.err
			}
		}
		return nil
	}
	measure := func(m *Model, n uint32) (live, total uint64, err error) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		err = waves(m, 0, n)
		runtime.ReadMemStats(&after)
		total = after.TotalAlloc - before.TotalAlloc
		runtime.GC()
		runtime.ReadMemStats(&after)
		return after.HeapAlloc - before.HeapAlloc, total, err
	}
	m, err := New(gcn.GFX803, p)
	require.NoError(t, err)
	live, total, err := measure(m, 10000)
	require.ErrorContains(t, err, "takes more than 25165824 bytes; raise MaxBytes or lower CUs")
	t.Logf("%d bytes live, %d allocated", live, total)
	assert.LessOrEqual(t, live, uint64(most))
	assert.Greater(t, live, uint64(most*3/4), "nothing is counted that is not there")
	assert.LessOrEqual(t, total, uint64(most*3/2))
	runtime.KeepAlive(m)
}

// TestAShortRunIsCheap: a short run does not allocate the caches of the whole chip. One compute unit has 12 kB of
// them, the model itself 60.
func TestAShortRunIsCheap(t *testing.T) {
	machine := sim.New(gcn.GFX803)
	buf := machine.Alloc(256)
	w := machine.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256})
	run := func(timed bool) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		machine.Config = sim.Config{}
		finish := func() (*Result, error) { return nil, nil }
		if timed {
			m, err := New(gcn.GFX803, Default(gcn.GFX803))
			require.NoError(t, err)
			require.NoError(t, machine.Watch(m))
			finish = m.Finish
		}
		w.PC = 0
		_, err := machine.RunAsm(t.Context(), w, "buffer_load_dword v2, v0, s[0:3], 0 offen\ns_endpgm")
		require.NoError(t, err)
		_, err = finish()
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	run(true)
	untimed, timed := run(false), run(true)
	t.Logf("%d bytes, %d without the run", timed, timed-untimed)
	assert.Less(t, timed-untimed, uint64(128<<10))
}

// TestStop: a stopped model does not simulate the rest.
func TestStop(t *testing.T) {
	m, group := groups(t)
	for range 100 {
		group()
	}
	now := m.now
	m.Stop()
	for range 100 {
		group()
	}
	_, err := m.Finish()
	require.ErrorIs(t, err, ErrStopped)
	assert.Equal(t, now, m.now)

	// A wave that waits for the clock continues, so that the run can end.
	m, err = New(gcn.GFX803, Default(gcn.GFX803))
	require.NoError(t, err)
	machine := sim.New(gcn.GFX803)
	require.NoError(t, machine.Watch(m))
	m.Stop()
	_, err = machine.RunAsm(t.Context(), machine.NewWave(), "s_memtime s[0:1]\ns_waitcnt lgkmcnt(0)\ns_endpgm")
	require.NoError(t, err)
	_, err = m.Finish()
	require.ErrorIs(t, err, ErrStopped)
}
