//go:build linux

package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// costly is a kernel with buffers so large that the memory of a checker matters.
type costly struct {
	name        string
	file        string
	grid, group [3]uint32
	buffers     []int // the size of each buffer in bytes
	values      []uint32
}

// costs are kernels with compiled code of clang 14 (in compiled) and 22, -O2, for fiji.
var costs = []costly{
	{"vadd", compiled, [3]uint32{1 << 18}, [3]uint32{64}, []int{1 << 20, 1 << 20, 1 << 20}, []uint32{1 << 18}},
	{"saxpy", compiled, [3]uint32{1 << 16}, [3]uint32{128}, []int{1 << 20, 1 << 20}, []uint32{0x40200000, 1 << 16}},
	{"matmul", compiled, [3]uint32{128, 128}, [3]uint32{8, 8}, []int{1 << 16, 1 << 16, 1 << 16}, []uint32{128}},
	{"histogram", compiled, [3]uint32{64 * 128}, [3]uint32{64}, []int{128 * 64, 128 * 64 * 64}, []uint32{64}},
	{"reduce", compiled, [3]uint32{1 << 16}, [3]uint32{128}, []int{1 << 11, 1 << 11, 1 << 18}, nil},
	{"mandelbrot", compiled, [3]uint32{128, 64}, [3]uint32{16, 4}, []int{1 << 14}, []uint32{128, 100}},
	{"bitonic", compiled, [3]uint32{1 << 14}, [3]uint32{256}, []int{1 << 17}, nil},
	{"filter", "testdata/cost", [3]uint32{256, 256}, [3]uint32{64}, []int{1 << 18, 1 << 18, 100}, []uint32{256}},
	{"nbody", "testdata/cost", [3]uint32{1024}, [3]uint32{64}, []int{1 << 14, 1 << 14}, []uint32{1024}},
}

// launch returns a new machine, a launch of k on it, and the number of bytes of the buffers.
func (k *costly) launch(b testing.TB) (m *sim.Machine, l *sim.Launch, size int) {
	object, err := os.ReadFile(filepath.Join(k.file, k.name+".fiji.co"))
	require.NoError(b, err)
	m = sim.New(gcn.GFX803)
	mod, err := m.LoadObject(object)
	require.NoError(b, err)
	l = &sim.Launch{Module: mod, Kernel: k.name, Grid: k.grid, Group: k.group, Workers: 1}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range k.buffers {
		buf := m.Alloc(n)
		for i := range buf.Bytes() {
			buf.Bytes()[i] = byte(r.Uint32())
			if i%4 == 3 {
				buf.Bytes()[i] = 0x3f // all dwords are floats from 0.5 to 2
			}
		}
		l.Args = append(l.Args, sim.BufferArg(buf))
		size += n
	}
	for _, v := range k.values {
		l.Args = append(l.Args, sim.U32(v))
	}
	return m, l, size
}

// BenchmarkCost runs kernels alternately without a checker and with a checker for all kinds. It reports the processor
// time of both runs in ms, the quotient of the times, and the memory of the checker divided by the size of the
// buffers. In benchmarks whose names end with once, each run is the first one of its program, as on a command line:
// code is compiled during the run, and instructions are judged for the first time.
func BenchmarkCost(b *testing.B) {
	for i := range costs {
		k := &costs[i]
		b.Run(k.name, func(b *testing.B) {
			m, plain, size := k.launch(b)
			before := heap()
			c, err := check.New("all")
			require.NoError(b, err)
			watched := *plain
			require.NoError(b, watched.Watch(c))
			processorTime(b, m, plain)
			processorTime(b, m, &watched)
			var off, on time.Duration
			for b.Loop() {
				off += processorTime(b, m, plain)
				on += processorTime(b, m, &watched)
			}
			report(b, off, on)
			b.ReportMetric(float64(int64(heap())-int64(before))/float64(size), "B/B")
			runtime.KeepAlive(c)
		})
		b.Run(k.name+"/once", func(b *testing.B) {
			var off, on time.Duration
			for b.Loop() {
				m, plain, _ := k.launch(b)
				off += processorTime(b, m, plain)
				m, watched, _ := k.launch(b)
				c, err := check.New("all")
				require.NoError(b, err)
				require.NoError(b, watched.Watch(c))
				on += processorTime(b, m, watched)
			}
			report(b, off, on)
		})
	}
}

// report reports the processor times of all runs of b without a checker and with one.
func report(b *testing.B, off, on time.Duration) {
	b.ReportMetric(1e3*off.Seconds()/float64(b.N), "ms-plain")
	b.ReportMetric(1e3*on.Seconds()/float64(b.N), "ms-checked")
	b.ReportMetric(float64(on)/float64(max(off, 1)), "times")
}

// processorTime returns the processor time that the process uses while l runs on m.
func processorTime(b *testing.B, m *sim.Machine, l *sim.Launch) time.Duration {
	now := func() time.Duration {
		var t unix.Timespec
		require.NoError(b, unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t))
		return time.Duration(t.Nano())
	}
	begun := now()
	_, err := m.Dispatch(context.Background(), *l)
	require.NoError(b, err)
	return now() - begun
}

// TestSegmentsOfCostly compares the findings in the kernels of the benchmark with those if each instruction is judged
// by itself. The loops of mandelbrot stay in compiled code, so that the checker is seldom called there.
func TestSegmentsOfCostly(t *testing.T) {
	hot := os.Getenv("GCNSIM_BLOCKS") == block.Hot && block.Unavailable() == ""
	for i := range costs {
		k := costs[i]
		k.grid = [3]uint32{min(k.grid[0], 1024), min(k.grid[1], 8)}
		run := func(how judging) string {
			m, l, _ := k.launch(t)
			return told(t, m, l, how)
		}
		require.Equal(t, run(plainly), run(asUsers), k.name)
		if hot && k.name == "mandelbrot" {
			asked, instructions := askedOf(t, &costs[i])
			require.Less(t, asked, instructions/16)
		}
	}
}

// askedOf returns the number of calls of [unseen.Needs].Skip in a run of k, and the number of executed instructions.
func askedOf(t *testing.T, k *costly) (asked, instructions uint64) {
	m, l, _ := k.launch(t)
	c, err := check.New("all")
	require.NoError(t, err)
	needs := c.Unseen().(unseen.Needs[*sim.Event])
	skip := needs.Skip
	needs.Skip = func(e *sim.Event, accesses bool) unseen.Ahead {
		asked++
		return skip(e, accesses)
	}
	require.NoError(t, l.Watch(&asking{c, needs}))
	res, err := m.Dispatch(context.Background(), *l)
	require.NoError(t, err)
	return asked, res.Instructions
}

// BenchmarkPaths follows all paths through compiled kernels, and through a kernel of 10,000 instructions in which each
// tenth is a branch. It reports instructions a second, in millions.
func BenchmarkPaths(b *testing.B) {
	follow := func(mod *sim.Module, kernel string) func(b *testing.B) {
		return func(b *testing.B) {
			instructions := 0
			for b.Loop() {
				_, p := pathsOf(b, mod, kernel, "all")
				instructions += p.Instructions
			}
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
		}
	}
	for _, kernel := range []string{"vadd", "matmul", "sha256"} {
		_, l := launchOf(b, filepath.Join(compiled, kernel+".fiji.json"))
		b.Run(kernel, follow(l.Module, l.Kernel))
	}
	var text strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&text, "block%d: s_load_dword s%d, s[0:1], 0x0\nglobal_load_dword v%d, v0, s[0:1]\n", n, 8+n%8, 1+n%8)
		text.WriteString(strings.Repeat("v_add_u32 v9, v10, v11\n", 6))
		fmt.Fprintf(&text, "s_waitcnt vmcnt(%d) lgkmcnt(0)\ns_cbranch_scc1 block%d\n", n%4, max(n+7-n%13, 0)%1000)
	}
	_, mod := loadText(b, kernelText(gcn.GFX900, text.String()+"s_endpgm", ""))
	b.Run("10000", follow(mod, "k"))
}
