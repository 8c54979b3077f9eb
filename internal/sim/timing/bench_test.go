package timing_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// benchText is a typical compiled loop: a load, arithmetic, a store, a branch.
const benchText = `
	s_mov_b32 s20, 0
loop:
	buffer_load_dword v2, v0, s[0:3], 0 offen
	v_add_u32 v3, vcc, 1, v3
	v_mul_f32 v4, v5, v5
	s_add_u32 s20, s20, 1
	s_waitcnt vmcnt(0)
	v_add_f32 v6, v5, v4
	buffer_store_dword v2, v0, s[0:3], 0 offen
	v_add_u32 v0, vcc, 64, v0
	s_cmp_lt_u32 s20, 64
	s_cbranch_scc1 loop
	s_endpgm`

// gatherText is a loop of loads in which each lane accesses another cache line.
const gatherText = `
	s_mov_b32 s20, 0
loop:
	buffer_load_dword v2, v0, s[0:3], 0 offen
	v_mul_lo_u32 v0, v0, v7
	v_and_b32 v0, 0xfffc, v0
	s_add_u32 s20, s20, 1
	s_cmp_lt_u32 s20, 64
	s_cbranch_scc1 loop
	s_endpgm`

// runWaves executes text on waves, one in each work-group, and returns the number of executed instructions.
func runWaves(b *testing.B, text string, waves uint32, watchers ...sim.Watcher) uint64 {
	p, err := asm.Assemble(gcn.GFX803, text, asm.LLVM)
	require.NoError(b, err)
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(bufferBytes)
	require.NoError(b, m.Watch(watchers...))
	code := sim.NewProgram(gcn.GFX803, 0, p.Words, kernelVGPRs)
	w := state.NewWave(gcn.GFX803, kernelVGPRs)
	n := uint64(0)
	for g := range waves {
		w.Reset(gcn.GFX803)
		w.Group[0] = g
		w.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: bufferBytes}.Words()...)
		var v, gather state.Lanes
		for i := range v {
			v[i] = (256*g + 4*uint32(i)) % bufferBytes
			gather[i] = scattered(4)(uint32(i)+64*g) | 4
		}
		w.SetVGPR(0, v)
		if text == gatherText {
			w.SetVGPR(0, gather)
			w.SetVGPR(7, lane.All(2654435769))
		}
		res, err := m.RunProgram(context.Background(), code, w)
		require.NoError(b, err)
		n += res.Instructions
	}
	return n
}

// BenchmarkTimed measures a loop and a loop of divergent loads, with and without the model. The cost of an
// instruction must not depend on the number of waves.
func BenchmarkTimed(b *testing.B) {
	for _, c := range []struct {
		name, text string
		waves      uint32
	}{{"64 waves", benchText, 64}, {"1024 waves", benchText, 1024}, {"gathers", gatherText, 256}} {
		b.Run(c.name+"/timed", func(b *testing.B) {
			n := uint64(0)
			for b.Loop() {
				model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
				require.NoError(b, err)
				n += runWaves(b, c.text, c.waves, model)
				_, err = model.Finish()
				require.NoError(b, err)
			}
			report(b, n)
		})
		b.Run(c.name+"/without", func(b *testing.B) {
			n := uint64(0)
			for b.Loop() {
				n += runWaves(b, c.text, c.waves)
			}
			report(b, n)
		})
	}
}

// report reports the rate of n instructions.
func report(b *testing.B, n uint64) {
	b.Helper()
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minst/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/inst")
}

// BenchmarkVadd adds a million floats with the code that clang generates, one wave in each work-group, with and
// without the model.
func BenchmarkVadd(b *testing.B) {
	const n = 1 << 20
	object, err := os.ReadFile("../../../testdata/kernels/vadd.fiji.co")
	require.NoError(b, err)
	for _, timed := range []bool{true, false} {
		name := "timed=true"
		if !timed {
			name = "timed=false"
		}
		b.Run(name, func(b *testing.B) {
			m := sim.New(gcn.GFX803)
			mod, err := m.LoadObject(object)
			require.NoError(b, err)
			out, x, y := m.Alloc(4*n), m.Alloc(4*n), m.Alloc(4*n)
			l := sim.Launch{Module: mod, Kernel: "vadd", Grid: [3]uint32{n}, Group: [3]uint32{64}, Workers: 1,
				Args: []sim.Arg{sim.BufferArg(out), sim.BufferArg(x), sim.BufferArg(y), sim.U32(n)}}
			total := uint64(0)
			for b.Loop() {
				model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
				require.NoError(b, err)
				if l.Config = (sim.Config{}); timed {
					require.NoError(b, l.Watch(model))
				}
				res, err := m.Dispatch(b.Context(), l)
				require.NoError(b, err)
				_, err = model.Finish()
				require.NoError(b, err)
				total += res.Instructions
			}
			report(b, total)
		})
	}
}

// BenchmarkLaunches executes launches of 2^17 waves, or a quarter of them on a quarter of the chip: without times,
// timed and sampled. With -cpu=1,2 it shows the effect of a second core.
func BenchmarkLaunches(b *testing.B) {
	for i := range manyKernels {
		k := &manyKernels[i]
		for _, how := range []string{"plain", "timed", "sampled"} {
			b.Run(k.kernel+"/"+how, func(b *testing.B) {
				waves, p := k.onChip(b, 1<<17)
				p.Sampled = how == "sampled"
				m, l, _ := k.launch(b, waves)
				cycles := uint64(0)
				for b.Loop() {
					model, err := timing.New(gcn.GFX803, p)
					require.NoError(b, err)
					if l.Config = (sim.Config{}); how != "plain" {
						require.NoError(b, l.Watch(model))
					}
					_, err = m.Dispatch(b.Context(), l)
					require.NoError(b, err)
					res, err := model.Finish()
					require.NoError(b, err)
					cycles = res.Cycles
				}
				b.ReportMetric(float64(cycles), "cycles")
			})
		}
	}
}
