package sim_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim"
)

// BenchmarkLaunch measures a launch of one wave that ends at once: the first one of a
// code object, from its bytes on, on a machine of its own or with a cache that has it, the
// second one and those after a thousand.
func BenchmarkLaunch(b *testing.B) {
	for _, k := range []struct{ file, kernel string }{{"vadd.fiji.co", "vadd"}, {"spill.v6.fiji.co", "spill"}} {
		data := kernelObject(b, k.file)
		var l sim.Launch
		load := func(cache *sim.ObjectCache) *sim.Machine {
			m := sim.New(gcn.GFX803)
			m.Objects = cache
			mod, err := m.LoadObject(data)
			require.NoError(b, err)
			kernel, err := mod.Object.Kernel(k.kernel)
			require.NoError(b, err)
			l = sim.Launch{Module: mod, Kernel: k.kernel, Grid: [3]uint32{64}, Group: [3]uint32{64},
				Kernarg: make([]byte, kernel.KernargBytes), Config: sim.Config{Limit: 1}}
			return m
		}
		launch := func(m *sim.Machine) {
			_, err := m.Dispatch(ctx, l)
			require.ErrorContains(b, err, "limit")
		}
		b.Run(k.kernel+"/first", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				launch(load(nil))
			}
		})
		b.Run(k.kernel+"/first, cached", func(b *testing.B) {
			b.ReportAllocs()
			cache := new(sim.ObjectCache)
			launch(load(cache))
			for b.Loop() {
				launch(load(cache))
			}
		})
		b.Run(k.kernel+"/second", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				m := load(nil)
				launch(m)
				b.StartTimer()
				launch(m)
			}
		})
		b.Run(k.kernel+"/thousandth", func(b *testing.B) {
			m := load(nil)
			for range 1000 {
				launch(m)
			}
			b.ReportAllocs()
			for b.Loop() {
				launch(m)
			}
		})
	}
}

// BenchmarkGroups measures a work-group of one wave and eight instructions: those of
// vadd beyond the end of its arrays.
func BenchmarkGroups(b *testing.B) {
	const groups = 100_000
	for _, c := range []struct {
		name    string
		workers int
	}{{"one core", 1}, {"all cores", 0}} {
		b.Run(c.name, func(b *testing.B) {
			m := sim.New(gcn.GFX803)
			mod, err := m.LoadObject(kernelObject(b, "vadd.fiji.co"))
			require.NoError(b, err)
			one := sim.BufferArg(m.Alloc(4))
			l := sim.Launch{
				Module: mod, Kernel: "vadd", Grid: [3]uint32{64 * groups}, Group: [3]uint32{64}, Workers: c.workers,
				Args: []sim.Arg{one, one, one, sim.U32(0)},
			}
			for b.Loop() {
				_, err := m.Dispatch(ctx, l)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/groups, "ns/group")
		})
	}
}

// BenchmarkDecode decodes a program of a MiB.
func BenchmarkDecode(b *testing.B) {
	o, err := codeobj.Parse(kernelObject(b, "spill.v6.fiji.co"))
	require.NoError(b, err)
	segments, err := codeobj.Load(o, 0)
	require.NoError(b, err)
	var words []uint32
	for len(words) < 1<<18 {
		for _, s := range segments {
			if s.Exec {
				for i := 0; i+4 <= len(s.Data); i += 4 {
					words = append(words, binary.LittleEndian.Uint32(s.Data[i:]))
				}
			}
		}
	}
	b.SetBytes(int64(4 * len(words)))
	b.ReportAllocs()
	for b.Loop() {
		sim.NewProgram(gcn.GFX803, 0, words, 128)
	}
}
