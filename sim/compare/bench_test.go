package compare

import (
	"os"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// large returns matrices of n by n that a kernel multiplies.
func large(b *testing.B, n uint32) Setup {
	data, err := os.ReadFile("../../testdata/kernels/matmul.gfx900.co")
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
		s := &Session{Machine: m, Launch: sim.Launch{Module: mod, Kernel: "matmul", Grid: [3]uint32{n, n}, Group: [3]uint32{8, 8}}}
		for range 3 {
			x := m.Alloc(int(4 * n * n))
			s.Buffers, s.Launch.Args = append(s.Buffers, x), append(s.Launch.Args, sim.BufferArg(x))
		}
		s.Launch.Args = append(s.Launch.Args, sim.U32(n))
		return s, nil
	}
}

// BenchmarkWriters runs a kernel with and without keeping who wrote each byte last.
func BenchmarkWriters(b *testing.B) {
	setup := large(b, 256)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if _, err := perform(b.Context(), setup, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("writers", func(b *testing.B) {
		for b.Loop() {
			if err := inspect(b.Context(), setup, &shadow{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
