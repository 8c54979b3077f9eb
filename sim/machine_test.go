package sim_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

var ctx = context.Background()

func TestRunEndsAtEndpgmOrAtTheEndOfTheWords(t *testing.T) {
	for text, n := range map[string]uint64{
		"s_mov_b32 s0, 1\ns_endpgm\ns_mov_b32 s0, 2": 2,
		"s_mov_b32 s0, 1\ns_nop 0":                   2,
		"":                                           0,
	} {
		m := sim.New(gcn.GFX900)
		w := m.NewWave()
		res, err := m.RunAsm(ctx, w, text)
		require.NoError(t, err)
		assert.Equal(t, n, res.Instructions)
		assert.Equal(t, min(uint32(n), 1), w.S[0])
	}
}

func TestRunGoesOnWhereTheWaveIs(t *testing.T) {
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	for range 3 {
		w.PC = 0
		res, err := m.RunAsm(ctx, w, "s_add_u32 s0, s0, 5")
		require.NoError(t, err)
		assert.EqualValues(t, 1, res.Instructions)
	}
	assert.EqualValues(t, 15, w.S[0])
	assert.EqualValues(t, 3, w.Executed)
}

// faultOf executes words and returns the fault, which must occur.
func faultOf(t *testing.T, m *sim.Machine, w *state.Wave, words []uint32) *state.Fault {
	t.Helper()
	_, err := m.Run(ctx, w, words)
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	return f
}

func TestFaultsNameWhatHappened(t *testing.T) {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(64)
	w := m.NewWave()
	w.SetVGPR(2, lane.Func(func(i int) uint32 { return uint32(buf.Addr) + uint32(4*i) }))
	w.SetVGPR(3, lane.All(uint32(buf.Addr>>32)))
	f := faultOf(t, m, w, []uint32{0xbf800000, 0xdc500000, 0x01000002}) // s_nop 0; flat_load_dword v1, v[2:3]
	assert.Equal(t, state.FaultMemory, f.Kind)
	assert.Equal(t, 16, f.Lane, "the first lane beyond the 64 bytes")
	assert.Equal(t, buf.Addr+64, f.Addr)
	assert.EqualValues(t, 4, f.PC)
	assert.Equal(t, "flat_load_dword v1, v[2:3]", f.Text)
	assert.Contains(t, f.Error(), "lane 16")

	for name, c := range map[string]struct {
		words []uint32
		kind  state.FaultKind
		what  string
	}{
		"undefined word":          {[]uint32{0xffffffff}, state.FaultDecode, "no encoding"},
		"second word missing":     {[]uint32{0xe0501000}, state.FaultDecode, "second word"},
		"attribute interpolation": {[]uint32{0xd4000000}, state.FaultUnsupported, "pixel shaders"},
		"v254 of four dwords":     {[]uint32{0xe05c1000, 0x8000fe00}, state.FaultRegister, "VGPRs"},
		"s1 as a pair":            {[]uint32{0xbe810102}, state.FaultRegister, "multiple of 2"},
		"out of the program":      {[]uint32{0xbf820100}, state.FaultPC, "left the program"},
		"endless":                 {[]uint32{0xbf82ffff}, state.FaultLimit, "limit"},
		"undefined operand 209":   {[]uint32{0xbe8000d1}, state.FaultIllegal, "209"},
	} {
		f := faultOf(t, m, m.NewWave(), c.words)
		assert.Equal(t, c.kind, f.Kind, "%s: %v", name, f)
		assert.Contains(t, f.Error(), c.what, name)
	}
}

func TestABranchIntoALiteralDecodesWhatIsThere(t *testing.T) {
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	// s_branch 1 jumps over the first word of s_mov_b32 s0, 0xbe810387, whose literal
	// is s_mov_b64 s[1:2]... of GCN 1.2: s_mov_b32 s1, 7 is 0xbe810087.
	_, err := m.Run(ctx, w, []uint32{0xbf820001, 0xbe8000ff, 0xbe810087})
	require.NoError(t, err)
	assert.EqualValues(t, 0, w.S[0])
	assert.EqualValues(t, 7, w.S[1])
}

func TestRunStopsWhenTheContextEnds(t *testing.T) {
	m := sim.New(gcn.GFX803)
	m.Limit = 1 << 60
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := m.Run(cancelled, m.NewWave(), []uint32{0xbf82ffff})
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "instructions of wave 0 of work-group 0,0,0, at pc 0x")
}

func TestRegistersAreReadAndWrittenByOperandCode(t *testing.T) {
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		m := sim.New(target)
		w := m.NewWave()
		text := "s_mov_b32 m0, 3\ns_mov_b64 vcc, 5\ns_mov_b64 exec, 7\ns_mov_b32 s101, m0\ns_mov_b32 s100, " +
			"vcc_lo\ns_mov_b32 s99, exec_lo"
		if isa.TraitsOf(target).FlatScratch >= 0 {
			text += "\ns_mov_b64 flat_scratch, 9\ns_mov_b32 s98, flat_scratch_lo"
		}
		_, err := m.RunAsm(ctx, w, text)
		require.NoError(t, err, target)
		assert.EqualValues(t, 3, w.S[gcn.M0])
		assert.EqualValues(t, 5, w.Scalar64(gcn.VCC))
		assert.EqualValues(t, 7, w.Exec())
		assert.Equal(t, []uint32{7, 5, 3}, w.S[99:102])
		if isa.TraitsOf(target).FlatScratch >= 0 {
			assert.EqualValues(t, 9, w.Scalar64(uint32(isa.TraitsOf(target).FlatScratch)))
			assert.EqualValues(t, 9, w.S[98])
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(256)
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256})
	w.SetVGPR(0, lane.Times(4))
	// A loop of a thousand iterations with a load, a store, LDS and arithmetic.
	loop, err := asmWords(gcn.GFX803, `
		s_mov_b32 m0, -1
		s_movk_i32 s8, 1000
	loop:
		buffer_load_dword v1, v0, s[0:3], 0 offen
		s_waitcnt vmcnt(0)
		v_add_f32 v1, v1, v0
		v_add_u32 v2, vcc, v1, v0
		ds_write_b32 v0, v2
		ds_read_b32 v3, v0
		s_waitcnt lgkmcnt(0)
		buffer_store_dword v3, v0, s[0:3], 0 offen
		s_sub_u32 s8, s8, 1
		s_cmp_lg_u32 s8, 0
		s_cbranch_scc1 loop`)
	require.NoError(t, err)
	p := sim.NewProgram(gcn.GFX803, 0, loop, 256)
	run := func() {
		w.PC, w.Ended = 0, false
		_, err := m.RunProgram(ctx, p, w)
		require.NoError(t, err)
	}
	for range 10 { // until the program has been compiled
		run()
	}
	// The cost of a run does not depend on the number of instructions, here 10,000. With the race detector, pools lose
	// some of their elements.
	assert.Less(t, testing.AllocsPerRun(5, run), 100.0)
}

func asmWords(t gcn.Target, text string) ([]uint32, error) {
	p, err := asm.Assemble(t, text, asm.LLVM)
	if err != nil {
		return nil, err
	}
	return p.Words, nil
}

// The waves of a work-group share LDS and a barrier. Each wave may have executed before.
func TestRunProgramOfAGroup(t *testing.T) {
	m := sim.New(gcn.GFX803)
	p, err := asm.Assemble(gcn.GFX803, "ds_write_b32 v0, v1\ns_barrier\nds_read_b32 v2, v3\ns_endpgm", asm.LLVM)
	require.NoError(t, err)
	code := sim.NewProgram(gcn.GFX803, 0, p.Words, 8)
	var waves []*state.Wave
	for i := range uint32(3) {
		w := m.NewWave()
		w.S[gcn.M0] = ^uint32(0)
		w.SetVGPR(0, lane.All(4*i))
		w.SetVGPR(1, lane.All(10+i))
		w.SetVGPR(3, lane.All(4*((i+1)%3)))
		waves = append(waves, w)
	}
	for range 2 {
		res, err := m.RunProgram(ctx, code, waves...)
		require.NoError(t, err)
		require.EqualValues(t, 12, res.Instructions)
		for i, w := range waves {
			require.Equal(t, lane.All(10+(uint32(i)+1)%3), w.VGPR(2))
			require.Equal(t, i, w.ID)
			require.NotZero(t, w.Status()&state.StatusInTG)
			w.PC = 0
		}
	}
	for _, n := range []int{0, 17} {
		_, err := m.RunProgram(ctx, code, make([]*state.Wave, n)...)
		require.EqualError(t, err, fmt.Sprintf("a work-group of %d waves; it has 1 to 16", n))
	}
}
