package sim_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// throughput is a compiled kernel with a size that takes noticeable time, and the same work in plain Go.
type throughput struct {
	name        string
	grid, group [3]uint32
	args        func(m *sim.Machine) []sim.Arg
	plain       func(*testing.B)
}

// Sizes: elements of vadd, rows of matmul, work-groups and bytes per lane of histogram, width and height of
// mandelbrot.
const (
	vaddItems                     = 1 << 20
	matmulRows                    = 256
	histogramGroups, histogramPer = 256, 64
	mandelWidth, mandelHeight     = 256, 128
	mandelLimit                   = 100
)

var throughputs = []throughput{
	{"vadd", [3]uint32{vaddItems}, [3]uint32{64}, func(m *sim.Machine) []sim.Arg {
		return []sim.Arg{noise(m, 4*vaddItems), noise(m, 4*vaddItems), noise(m, 4*vaddItems), sim.U32(vaddItems)}
	}, plainVadd},
	{"matmul", [3]uint32{matmulRows, matmulRows}, [3]uint32{8, 8}, func(m *sim.Machine) []sim.Arg {
		const size = 4 * matmulRows * matmulRows
		return []sim.Arg{noise(m, size), noise(m, size), noise(m, size), sim.U32(matmulRows)}
	}, plainMatmul},
	{"histogram", [3]uint32{histogramGroups * 64}, [3]uint32{64}, func(m *sim.Machine) []sim.Arg {
		return []sim.Arg{noise(m, histogramGroups*16*4), noise(m, histogramGroups*histogramPer*64), sim.U32(histogramPer)}
	}, plainHistogram},
	{"mandelbrot", [3]uint32{mandelWidth, mandelHeight}, [3]uint32{16, 4}, func(m *sim.Machine) []sim.Arg {
		return []sim.Arg{noise(m, 2*mandelWidth*mandelHeight), sim.U32(mandelWidth), sim.U32(mandelLimit)}
	}, plainMandelbrot},
}

// noise returns a buffer of random bytes.
func noise(m *sim.Machine, size int) sim.Arg {
	buf := m.Alloc(size)
	r := rand.New(rand.NewPCG(1, uint64(size)))
	for i := range buf.Bytes() {
		buf.Bytes()[i] = byte(r.Uint32())
	}
	return sim.BufferArg(buf)
}

// BenchmarkKernels reports millions of wave-instructions per second of compiled kernels, on one core and on all.
// Plain Go is the reference.
func BenchmarkKernels(b *testing.B) {
	for _, k := range throughputs {
		b.Run(k.name+"/one core", func(b *testing.B) { k.run(b, 1) })
		b.Run(k.name+"/all cores", func(b *testing.B) { k.run(b, 0) })
		b.Run(k.name+"/plain Go", k.plain)
	}
}

// launch returns a launch of the kernel, and the machine for it.
func (k *throughput) launch(t testing.TB, workers int) (*sim.Machine, sim.Launch) {
	t.Helper()
	m := sim.New(gcn.GFX803)
	mod, err := m.LoadObject(kernelObject(t, k.name+".fiji.co"))
	require.NoError(t, err)
	return m, sim.Launch{Module: mod, Kernel: k.name, Grid: k.grid, Group: k.group, Args: k.args(m), Workers: workers}
}

func (k *throughput) run(b *testing.B, workers int) {
	m, l := k.launch(b, workers)
	var instructions uint64
	for b.Loop() {
		res, err := m.Dispatch(ctx, l)
		require.NoError(b, err)
		instructions += res.Instructions
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
}

func plainVadd(b *testing.B) {
	sum, x, y := make([]uint32, vaddItems), make([]uint32, vaddItems), make([]uint32, vaddItems)
	for b.Loop() {
		for i := range sum {
			sum[i] = x[i] + y[i]
		}
	}
}

func plainMatmul(b *testing.B) {
	const n = matmulRows
	x, y, z := make([]int32, n*n), make([]int32, n*n), make([]int32, n*n)
	for b.Loop() {
		for i := range n {
			row := z[i*n : i*n+n]
			clear(row)
			for k, v := range x[i*n : i*n+n] {
				for j, w := range y[k*n : k*n+n] {
					row[j] += v * w
				}
			}
		}
	}
}

func plainHistogram(b *testing.B) {
	in, bins := make([]byte, histogramGroups*histogramPer*64), make([]uint32, histogramGroups*16)
	for b.Loop() {
		clear(bins)
		for i, v := range in {
			bins[i/(histogramPer*64)*16+int(v>>4)]++
		}
	}
}

func plainMandelbrot(b *testing.B) {
	out := make([]uint16, mandelWidth*mandelHeight)
	for b.Loop() {
		for i := range out {
			out[i] = mandelbrotAt(i%mandelWidth, i/mandelWidth, mandelLimit)
		}
	}
}

func kernelObject(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(kernelDir, name))
	require.NoError(t, err)
	return data
}
