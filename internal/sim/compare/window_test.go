package compare

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// TestWindows finds the same slice however many instructions are recorded at a time: through
// LDS, two waves and a loop.
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
	// The sum of all inputs of the second work-group, which loads them once more for the
	// maxima: those choose lanes, and EXEC after that comes from it.
	assert.Equal(t, 2*128, inputs)
}
