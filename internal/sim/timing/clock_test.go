package timing_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
)

// TestABareWaveReadsTheTime: s_memtime returns its issue time. Without a clock it returns a time from the number of
// instructions, and the model's times are the same.
func TestABareWaveReadsTheTime(t *testing.T) {
	const text = `
		s_memtime s[4:5]
		buffer_load_dword v2, v0, s[0:3], 0 offen
		s_waitcnt vmcnt(0) lgkmcnt(0)
		s_memtime s[6:7]
		s_memrealtime s[8:9]
		s_waitcnt lgkmcnt(0)
		s_endpgm`
	run := func(clock bool) (read [3]uint64, issued []uint64, cycles uint64) {
		model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
		require.NoError(t, err)
		model.OnSpan(func(s *timing.Span) { issued = append(issued, s.Issue) })
		m := sim.New(gcn.GFX803)
		buf := m.Alloc(256)
		model.HideClock = !clock
		require.NoError(t, m.Watch(model))
		w := m.NewWave()
		w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256})
		_, err = m.RunAsm(context.Background(), w, text)
		require.NoError(t, err)
		res, err := model.Finish()
		require.NoError(t, err)
		return [3]uint64{w.Scalar64(4), w.Scalar64(6), w.Scalar64(8)}, issued, res.Cycles
	}
	read, issued, cycles := run(true)
	assert.Equal(t, [3]uint64{issued[0], issued[3], issued[4] / 8}, read)
	assert.Greater(t, read[1]-read[0], uint64(300), "a load from DRAM")
	counted, same, _ := run(false)
	assert.Equal(t, [3]uint64{0, 3 * 4, 4 * 4 / 8}, counted)
	assert.Equal(t, issued, same)
	_, _, again := run(false)
	assert.Equal(t, cycles, again)
}

// stopwatch executes testdata/stopwatch.co, whose source documents its stores. For each wave it returns the times
// that the wave read, and the issue times of the instructions that read them.
func stopwatch(t *testing.T, groups int) (read, issued [][3]uint64, res *timing.Result) {
	t.Helper()
	data, err := os.ReadFile("testdata/stopwatch.co")
	require.NoError(t, err)
	m := sim.New(gcn.GFX900)
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	out := m.Alloc(groups * 256 * 16)
	p := timing.Default(gcn.GFX900)
	p.CUs = 1
	model, err := timing.New(gcn.GFX900, p)
	require.NoError(t, err)
	issued = make([][3]uint64, groups*4)
	seen := make([]int, groups*4)
	model.OnSpan(func(s *timing.Span) {
		if (*isa.Inst)(s.Inst).Row().Name == "s_memtime" {
			n := int(s.Group[0])*4 + s.Wave
			issued[n][seen[n]] = s.Issue
			seen[n]++
		}
	})
	l := sim.Launch{
		Module: mod, Kernel: "stopwatch", Grid: [3]uint32{uint32(groups) * 256}, Group: [3]uint32{256},
		Args: []sim.Arg{sim.BufferArg(out)},
	}
	require.NoError(t, l.Watch(model))
	_, err = m.Dispatch(context.Background(), l)
	require.NoError(t, err)
	res, err = model.Finish()
	require.NoError(t, err)
	words := out.Uint32s()
	for n := range groups * 4 {
		w := words[n*64*4:]
		read = append(read, [3]uint64{uint64(w[0]), uint64(w[1]), uint64(w[2])})
	}
	return read, issued, res
}

// TestAWorkGroupReadsTheTime: if a work-group is alone on the chip, waves read the exact issue times of the model,
// also behind a barrier.
func TestAWorkGroupReadsTheTime(t *testing.T) {
	read, issued, _ := stopwatch(t, 1)
	assert.Equal(t, issued, read)
	for n, r := range read {
		assert.Less(t, r[0], r[1])
		assert.LessOrEqual(t, read[3][1], r[2], "the barrier opens after the slowest wave has come")
		if n > 0 {
			assert.Greater(t, r[1]-r[0], read[n-1][1]-read[n-1][0], "wave %d does more", n)
		}
	}
}

// TestWorkGroupsReadTheTimeOneAfterAnother: the clock never decreases.
func TestWorkGroupsReadTheTimeOneAfterAnother(t *testing.T) {
	read, issued, res := stopwatch(t, 12)
	last := uint64(0)
	for n, r := range read {
		if n%4 == 0 {
			for _, other := range read[:n] {
				last = max(last, other[2])
			}
		}
		assert.Greater(t, r[0], last)
		assert.Less(t, r[0], r[1])
		assert.Less(t, r[1], r[2])
	}
	assert.NotEqual(t, issued, read, "the model runs them at the same time")
	again, same, res2 := stopwatch(t, 12)
	assert.Equal(t, read, again)
	assert.Equal(t, issued, same)
	assert.Equal(t, res, res2)
}
