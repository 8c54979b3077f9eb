package compare

import (
	"os"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// large returns n by n elements that a kernel adds, one store for few instructions, or
// multiplies as matrices.
func large(b *testing.B, kernel string, n uint32) Setup {
	data, err := os.ReadFile("../../../testdata/kernels/" + kernel + ".gfx900.co")
	if err != nil {
		b.Fatal(err)
	}
	objects := &sim.ObjectCache{}
	return func() (*Session, error) {
		m := sim.New(gcn.GFX900)
		m.Placement, m.Objects = 1, objects
		mod, err := m.LoadObject(data)
		if err != nil {
			return nil, err
		}
		s := &Session{Machine: m, Launch: sim.Launch{Module: mod, Kernel: kernel, Grid: [3]uint32{n, n},
			Group: [3]uint32{8, 8}}}
		if kernel == "vadd" {
			s.Launch.Grid, s.Launch.Group = [3]uint32{n * n}, [3]uint32{64}
		}
		for range 3 {
			x := m.Alloc(int(4 * n * n))
			s.Buffers, s.Launch.Args = append(s.Buffers, x), append(s.Launch.Args, sim.BufferArg(x))
		}
		elements := n
		if kernel == "vadd" {
			elements = n * n
		}
		s.Launch.Args = append(s.Launch.Args, sim.U32(elements))
		return s, nil
	}
}

// BenchmarkWriters runs kernels with and without keeping who wrote each byte last.
func BenchmarkWriters(b *testing.B) {
	for kernel, n := range map[string]uint32{"vadd": 1024, "matmul": 256} {
		for name, watchers := range map[string][]sim.Watcher{"plain": nil, "writers": {&shadow{}}} {
			b.Run(kernel+"/"+name, func(b *testing.B) {
				setup := large(b, kernel, n)
				for b.Loop() {
					if _, err := perform(b.Context(), setup, nil, watchers...); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
