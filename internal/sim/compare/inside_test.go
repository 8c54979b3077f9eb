package compare

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// storing returns a program of random stores of all sizes, each with another value.
func storing(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "s_movk_i32 s4, %d\nv_mov_b32 v4, s4\nv_mov_b32 v5, s4\n", i+1)
		fmt.Fprintf(&b, "v_mul_u32_u24 v1, %d, v0\nv_add_u32 v1, vcc, 0x%x, v1\n", []int{1, 2, 3, 4, 5, 8, 12}[r.IntN(7)],
			r.IntN(3000))
		fmt.Fprintf(&b, "s_mov_b64 exec, 0x%x\n", r.Uint32()>>1)
		fmt.Fprintf(&b, "buffer_store_%s, v1, s[0:3], 0 offen\ns_mov_b64 exec, -1\n",
			[]string{"byte v4", "short v4", "dword v4", "dwordx2 v[4:5]", "dword v4"}[r.IntN(5)])
	}
	return b.String() + "s_endpgm"
}

// TestWriters compares the last writers in a shadow with those that an observer of the same run recorded.
func TestWriters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		m := sim.New(gcn.GFX803)
		buf := m.Alloc(6000)
		want := make([]int, buf.Size)
		var w shadow
		number := 0
		require.NoError(t, m.Watch(&w, sim.Observer(func(e *sim.Event) {
			if e.Access.Op == gcn.Store {
				for l := range state.NumLanes {
					if e.Access.Exec>>l&1 == 0 {
						continue
					}
					for i := range int(e.Access.Count) * int(e.Access.Elem) {
						if at := e.Access.Addr[l] - buf.Addr + uint64(i); e.Access.Out[0]>>l&1 == 0 {
							want[at] = number<<6 + l + 1
						}
					}
				}
			}
			number++
		})))
		wave := m.NewWave()
		wave.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: uint32(buf.Size)}.Words()...)
		wave.SetVGPR(0, lane.ID())
		_, err := m.RunAsm(t.Context(), wave, storing(r, 40))
		require.NoError(t, err)
		for i := range want {
			by := w.of(buf.Addr + uint64(i))
			require.Equal(t, want[i] != 0, by != 0, "byte %d", i)
			if by != 0 {
				require.Equal(t, want[i]-1, int(by.number())<<6+by.lane(), "byte %d", i)
			}
		}
		assert.Zero(t, w.of(buf.Addr+buf.Size))
	}
}

// TestEffectAddKeepsLargerBuffers checks that stores still count if a later run has a smaller buffer.
func TestEffectAddKeepsLargerBuffers(t *testing.T) {
	large, small := Effect{sizes: []uint64{0, 4096}}, Effect{sizes: []uint64{0, 64}}
	large.written.set(1<<argShift|1000, 8)
	small.written.set(1<<argShift, 4)
	sum := Effect{}
	sum.Add(&large)
	sum.Add(&small)
	assert.EqualValues(t, 12, sum.Stored())
	sum = small
	sum.Add(&large)
	assert.EqualValues(t, 12, sum.Stored())
}

// TestWindows checks that the size of recordings does not change a slice through LDS, two waves and a
// loop.
func TestWindows(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/kernels/reduce.O0.fiji.co")
	require.NoError(t, err)
	setup := func() (*Session, error) {
		m := sim.New(gcn.GFX803)
		mod, err := m.LoadObject(data)
		if err != nil {
			return nil, err
		}
		s := &Session{Machine: m, Launch: sim.Launch{Module: mod, Kernel: "reduce", Grid: [3]uint32{256},
			Group: [3]uint32{128}}}
		for _, size := range []int{8, 8, 1024} {
			b := m.Alloc(size)
			for i := range b.Bytes() {
				b.Bytes()[i] = byte(i * i)
			}
			s.Buffers, s.Launch.Args = append(s.Buffers, b), append(s.Launch.Args, sim.BufferArg(b))
		}
		return s, nil
	}
	o, err := perform(t.Context(), setup, nil)
	require.NoError(t, err)
	addr := o.session.Buffers[0].Addr + 4
	var w shadow
	require.NoError(t, Setup(setup).watch(t.Context(), &w))
	by := w.of(addr)
	require.NotZero(t, by)
	var want []node
	for _, window := range []uint64{0, 4096, 501, 64} {
		s := &slicer{setup: setup, writers: &w, window: window}
		require.NoError(t, s.slice(t.Context(), addr, by, false))
		require.Empty(t, s.cut, window)
		if want == nil {
			want = s.nodes
			continue
		}
		require.Len(t, s.nodes, len(want), window)
		for i := range want {
			a, b := &want[i], &s.nodes[i]
			assert.Equal(t, a.n, b.n)
			assert.Equal(t, a.lanes, b.lanes, a.n)
			assert.Equal(t, a.in, b.in, a.n)
			assert.Len(t, b.from, len(a.from), a.n)
		}
	}
	inputs := 0
	for i := range want {
		for _, f := range want[i].from {
			if f.mem && f.addr-o.session.Buffers[2].Addr < 1024 {
				inputs++
			}
		}
	}
	// The slice has all 128 inputs of the second work-group twice: in the sum, and in the maxima. The maxima select
	// lanes, and so reach the result through EXEC.
	assert.Equal(t, 2*128, inputs)
}

// large returns a program on n by n elements: an addition, which has a store for few instructions, or a
// matrix multiplication.
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

// BenchmarkWriters measures runs with and without a shadow that records the last writer of each byte.
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
