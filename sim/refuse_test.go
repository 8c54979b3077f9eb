package sim_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/insttest"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TestRefusesWhatMeansNothing: mistakes in the arguments of a run are typed errors that name the mistake, before
// anything executes.
func TestRefusesWhatMeansNothing(t *testing.T) {
	const text = "v_mov_b32 v0, 1\nds_read_b32 v0, v1\ns_endpgm"
	for name, c := range map[string]struct {
		kind   sim.ErrorKind
		says   string
		change func(m *sim.Machine, w *state.Wave)
	}{
		"rules":        {sim.BadConfig, "state.Rules(77)", func(m *sim.Machine, _ *state.Wave) { m.Rules = 77 }},
		"alignment":    {sim.BadConfig, "state.Alignment(9)", func(m *sim.Machine, _ *state.Wave) { m.Align = 9 }},
		"negative LDS": {sim.BadConfig, "LDSSize is -1", func(m *sim.Machine, _ *state.Wave) { m.LDSSize = -1 }},
		"great LDS":    {sim.BadConfig, "a work-group of gfx803 has up to 65536 bytes", func(m *sim.Machine, _ *state.Wave) { m.LDSSize = math.MaxInt }},
		"late LDS":     {sim.BadConfig, "LDSSize is 16, but the machine has LDS of 65536 bytes", func(m *sim.Machine, _ *state.Wave) { m.LDS(); m.LDSSize = 16 }},
		"ID -1":        {sim.BadWave, "the ID of wave 0 is -1", func(_ *sim.Machine, w *state.Wave) { w.ID = -1 }},
		"ID 64":        {sim.BadWave, "the ID of wave 0 is 64", func(_ *sim.Machine, w *state.Wave) { w.ID = 64 }},
		"target":       {sim.BadTarget, "wave 0 is of gfx600, the machine is gfx803", func(_ *sim.Machine, w *state.Wave) { w.Target = gcn.GFX600 }},
		"zero wave":    {sim.BadTarget, "make it with Machine.NewWave", func(_ *sim.Machine, w *state.Wave) { *w = state.Wave{} }},
		"VGPRs -1":     {sim.BadWave, "NumVGPRs -1", func(_ *sim.Machine, w *state.Wave) { w.NumVGPRs = -1 }},
		"VGPRs 1000":   {sim.BadWave, "NumVGPRs 1000", func(_ *sim.Machine, w *state.Wave) { w.NumVGPRs = 1000 }},
		"more in V":    {sim.BadWave, "NumVGPRs 4 and 16 registers in V", func(_ *sim.Machine, w *state.Wave) { w.NumVGPRs = 4 }},
	} {
		t.Run(name, func(t *testing.T) {
			m := sim.New(gcn.GFX803)
			w := m.NewWave()
			c.change(m, w)
			res, err := m.RunAsm(ctx, w, text)
			var refused *sim.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.kind, refused.Kind)
			require.ErrorContains(t, err, c.says)
			require.Zero(t, res.Instructions)
		})
	}
	m := sim.New(gcn.GFX803)
	four := state.NewWave(gcn.GFX803, 4)
	words := []uint32{0x7e000200 | 100<<17} // v_mov_b32 v100, s0
	for says, p := range map[string]*sim.Program{
		"decoded for waves of 256 VGPRs, wave 0 has 4": sim.NewProgram(gcn.GFX803, 0, words, 256),
		"decoded for gfx906, the machine is gfx803":    sim.NewProgram(gcn.GFX906, 0, words, 4),
		"must be a multiple of 4":                      sim.NewProgram(gcn.GFX803, 2, words, 4),
	} {
		_, err := m.RunProgram(ctx, p, four)
		var refused *sim.Error
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, says)
	}
	for _, config := range []sim.Config{{Rules: 77}, {Align: 9}} {
		buf := m.Alloc(64)
		buf.SetUint32s(0xbf810000)
		_, err := m.Compute(ctx, sim.Compute{Initiator: 1 | 4, End: [3]uint32{1, 1, 1}, NumThread: [3]uint32{64, 1, 1},
			Program: buf.Addr, Config: config})
		var refused *sim.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, sim.BadConfig, refused.Kind)
	}
}

// TestRefusesWavesThatAreNone: nil waves, duplicate waves and a nil program are refused.
func TestRefusesWavesThatAreNone(t *testing.T) {
	m := sim.New(gcn.GFX803)
	a, b := m.NewWave(), m.NewWave()
	p := sim.NewProgram(gcn.GFX803, 0, []uint32{0xbf8a0000, 0xbf810000}, 256) // s_barrier
	run := func(p *sim.Program, waves ...*state.Wave) error {
		_, err := m.RunProgram(ctx, p, waves...)
		return err
	}
	_, none := m.RunAsm(ctx, nil, "s_endpgm")
	for says, err := range map[string]error{
		"wave 2 is wave 0, too; each has registers of its own: give another one": run(p, a, b, a),
		"wave 1 is nil; make it with Machine.NewWave":                            run(p, a, nil),
		"wave 0 is nil; make it with Machine.NewWave":                            none,
		"there is no program; make it with NewProgram":                           run(nil, a),
	} {
		var refused *sim.Error
		require.ErrorAs(t, err, &refused, says)
		require.Equal(t, sim.BadWave, refused.Kind)
		require.EqualError(t, err, says)
	}
	require.NoError(t, run(p, a, b))
}

// TestNilContext: a nil context never ends.
func TestNilContext(t *testing.T) {
	var none context.Context
	m := sim.New(gcn.GFX803)
	_, err := m.RunAsm(none, m.NewWave(), "s_endpgm")
	require.NoError(t, err)
	code := m.Alloc(64)
	code.SetUint32s(0xbf810000)
	_, err = m.Compute(none, sim.Compute{Initiator: 1 | 4, End: [3]uint32{1, 1, 1}, NumThread: [3]uint32{64, 1, 1},
		Program: code.Addr})
	require.NoError(t, err)
	data, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	_, err = m.Dispatch(none, sim.Launch{Module: mod, Kernel: "vadd",
		Args: []sim.Arg{sim.U64(0), sim.U64(0), sim.U64(0), sim.U32(0)}})
	require.NoError(t, err)
}

// TestRunsBegin: a wave that has ended starts again at the first word; a wave with a PC keeps it; a wave whose PC is
// outside of the program faults.
func TestRunsBegin(t *testing.T) {
	for _, text := range []string{"s_add_u32 s0, s0, 1\ns_add_u32 s1, s1, 1",
		"s_add_u32 s0, s0, 1\ns_add_u32 s1, s1, 1\ns_endpgm\ns_add_u32 s2, s2, 1"} {
		m := sim.New(gcn.GFX803)
		w := m.NewWave()
		for n := range uint32(3) {
			res, err := m.RunAsm(ctx, w, text)
			require.NoError(t, err)
			require.GreaterOrEqual(t, res.Instructions, uint64(2))
			require.Equal(t, []uint32{n + 1, n + 1, 0}, w.S[:3])
		}
		_, err := m.RunAsm(ctx, w, "s_mov_b32 s0, 9") // the text is shorter than the wave's PC
		require.NoError(t, err)
		require.EqualValues(t, 9, w.S[0])

		given := m.NewWave()
		given.PC = 4
		_, err = m.RunAsm(ctx, given, text)
		require.NoError(t, err)
		require.Equal(t, []uint32{0, 1, 0}, given.S[:3])

		p, err := asm.Assemble(gcn.GFX803, text, asm.LLVM)
		require.NoError(t, err)
		high := sim.NewProgram(gcn.GFX803, 0x1000, p.Words, 256)
		again := m.NewWave()
		again.PC = 0x1000
		for n := range uint32(2) {
			_, err = m.RunProgram(ctx, high, again)
			require.NoError(t, err)
			require.Equal(t, n+1, again.S[0])
		}
		for _, pc := range []uint64{0, high.End, high.End + 4} {
			lost := m.NewWave()
			lost.PC = pc
			res, err := m.RunProgram(ctx, high, lost)
			var f *state.Fault
			require.ErrorAs(t, err, &f)
			require.Equal(t, state.FaultPC, f.Kind)
			require.ErrorContains(t, err, "reset w.PC")
			require.Zero(t, res.Instructions)
		}
	}
}

// TestRegistersWithoutStorage: a wave that allocates its VGPRs on demand has the same results as a wave with all
// VGPRs, also if M0 and MODE select registers.
func TestRegistersWithoutStorage(t *testing.T) {
	trials := effort.Rounds(8)
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX803, gcn.GFX900} {
		r := rand.New(rand.NewPCG(3, uint64(target)))
		m := sim.New(target)
		_, err := m.Map(0, 1<<14)
		require.NoError(t, err)
		whole := state.NewWave(target, state.MaxVGPRs)
		ran := 0
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			row := isa.RowOf(op)
			if row.Has(isa.Alias) || row.Has(isa.Branch) ||
				row.Enc != isa.MIMG && !row.Has(isa.IndexesVGPRs) && (row.Enc < isa.VOP1 || row.Enc > isa.VOP3P) {
				continue
			}
			for range trials {
				if _, err := isa.New(target, op, row.Enc); err != nil {
					break
				}
				in, ok := insttest.Random(r, target, op, row.Enc)
				if !ok {
					continue
				}
				words, n := in.Encode()
				w := m.NewWave()
				insttest.Fill(r, w)
				w.PC, w.S[gcn.M0] = 0, r.Uint32()>>(r.IntN(4)*8)&0xf0ff
				if isa.TraitsOf(target).GPRIndexing {
					w.Mode |= state.Mode(r.Uint32()) & state.ModeGPRIdxEn
				}
				all := whole.V
				clear(all)
				copy(all, w.V)
				*whole = *w
				whole.V = all
				// later instructions may access registers through the M0 and MODE that this instruction wrote
				program := append(words[:n:n], 0x7e000300|7<<17|9) // v_mov_b32 v7, v9
				_, lazy := m.Run(ctx, w, program)
				_, err := m.Run(ctx, whole, program)
				require.Equal(t, err != nil, lazy != nil, "%v %016x: %v against %v", op, in.Words, err, lazy)
				if err != nil {
					require.Equal(t, err.Error(), lazy.Error())
				}
				for reg := range whole.NumVGPRs {
					if whole.V[reg] != w.VGPR(reg) {
						require.Equal(t, whole.V[reg], w.VGPR(reg), "%v %016x: v%d", op, in.Words, reg)
					}
				}
				require.Equal(t, whole.S, w.S)
				ran++
			}
		}
		require.Greater(t, ran, 200*trials)
	}
}
