package record_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state/lane"
)

// run records text on a wave that prepare initializes, writes the record to a file and reads it.
func run(t *testing.T, o record.Options, text string, prepare func(*sim.Machine) []uint32) (*record.Record, error) {
	t.Helper()
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	w.SetVGPR(0, lane.Times(4))
	if prepare != nil {
		w.SetSGPRs(0, prepare(m)...)
	}
	rec := record.New(o)
	require.NoError(t, m.Watch(rec))
	_, failed := m.RunAsm(context.Background(), w, text)
	var b bytes.Buffer
	rec.Fail(failed)
	r := rec.Record()
	require.NoError(t, r.Write(&b))
	back, err := record.Read(&b)
	require.NoError(t, err)
	return back, failed
}

// last returns the last step of a window.
func last(t *testing.T, w *record.Window) (s *record.Step) {
	t.Helper()
	for x, err := range w.Steps() {
		require.NoError(t, err)
		s = x
	}
	return s
}

func buffer(records uint32, stride int) func(*sim.Machine) []uint32 {
	return func(m *sim.Machine) []uint32 {
		return gcn.Buffer{Base: m.Alloc(4096).Addr, NumRecords: records, Stride: uint32(stride)}.Words()
	}
}

// The rule in a step is the rule by which lanes of the buffer access were out of range.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		text string
		v    func(*sim.Machine) []uint32
		out  int
		rule string
	}{
		{"buffer_load_dword v1, v0, s[0:3], 0 offen", buffer(100, 0), 39, "C1"},
		{"buffer_load_dword v1, v0, s[0:3], 0 idxen", buffer(16, 4), 60, "C2"},
		{"buffer_load_dword v1, v0, s[0:3], 0 offen", buffer(0, 0), 64, "R4"},
		{"buffer_load_dword v1, v0, s[0:3], 0 offen", func(*sim.Machine) []uint32 { return make([]uint32, 4) }, 64, "R5"},
		{"s_movk_i32 m0, 0x80\nds_read_b32 v1, v0", nil, 32, "DS3"},
	} {
		r, err := run(t, record.Options{}, c.text, c.v)
		require.NoError(t, err, c.text)
		s := last(t, &r.Windows[0])
		require.NotNil(t, s.Access, c.text)
		assert.Equal(t, c.out, bits.OnesCount64(s.Access.Out[0]), c.text)
		assert.Equal(t, c.rule, s.Rule, c.text)
	}
}

// LaneGroups are the lanes that a unit takes together: runs of 16 that coalesce, quads that do not, and the phases of
// LDS with their conflicts.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		text   string
		groups int
		clocks float64
	}{
		{"buffer_load_dword v1, v0, s[0:3], 0 offen", 4, 4},
		{"v_lshlrev_b32 v0, 4, v0\nbuffer_load_dword v1, v0, s[0:3], 0 offen", 16, 16},
		{"s_mov_b32 m0, -1\nds_read_b32 v1, v0", 2, 2},
		{"s_mov_b32 m0, -1\nv_lshlrev_b32 v0, 5, v0\nds_read_b32 v1, v0", 2, 64},
	} {
		r, err := run(t, record.Options{}, c.text, buffer(4096, 0))
		require.NoError(t, err, c.text)
		s := last(t, &r.Windows[0])
		require.Len(t, s.LaneGroups, c.groups, c.text)
		clocks, lanes := 0., uint64(0)
		for _, group := range s.LaneGroups {
			clocks += group.Clocks
			assert.Zero(t, lanes&group.Lanes)
			lanes |= group.Lanes
		}
		assert.InDelta(t, c.clocks, clocks, 0, c.text)
		assert.Equal(t, s.Access.Exec, lanes)
	}
}

// Instructions outside of a window are counted, and a later window begins with the state at that time.
func TestWindow(t *testing.T) {
	const loop = "s_movk_i32 s0, 100\nloop:\ns_sub_i32 s0, s0, 1\ns_cmp_lg_i32 s0, 0\ns_cbranch_scc1 loop\ns_endpgm"
	all, err := run(t, record.Options{}, loop, nil)
	require.NoError(t, err)
	n := uint64(all.Windows[0].Count)
	r, err := run(t, record.Options{From: 31, Steps: 10}, loop, nil)
	require.NoError(t, err)
	w := &r.Windows[0]
	assert.Equal(t, [...]uint64{31, 10, n - 10}, [...]uint64{w.From, uint64(w.Count), r.LeftOut.Instructions})
	for s, err := range w.Steps() {
		require.NoError(t, err)
		assert.EqualValues(t, 90, s.State.S[0])
		break
	}
	r, err = run(t, record.Options{FirstWave: 1}, loop, nil)
	require.NoError(t, err)
	assert.Empty(t, r.Windows)
	assert.Equal(t, record.LeftOut{Waves: 1, Instructions: n}, r.LeftOut)
}

// The faulting instruction is the last step.
func TestFault(t *testing.T) {
	r, err := run(t, record.Options{}, "v_mov_b32 v1, 0\nv_mov_b32 v0, 0\nflat_load_dword v2, v[0:1]\ns_endpgm", nil)
	require.Error(t, err)
	s := last(t, &r.Windows[0])
	assert.True(t, s.Fault)
	assert.Contains(t, s.Text, "flat_load_dword")
	require.NotNil(t, r.Fault)
	assert.EqualValues(t, 2, r.Fault.Step)
	assert.Equal(t, s.PC, r.Fault.PC)
}

// If a run fails after the recorded instructions, a second run records the failure.
func TestAgain(t *testing.T) {
	const loop = "s_mov_b32 s0, 0\nloop:\ns_add_u32 s0, s0, 1\ns_branch loop"
	const limit = 10_000
	for name, c := range map[string]struct {
		o       record.Options
		windows []uint64 // number of the first instruction of each window
		left    record.LeftOut
	}{
		"all":          {record.Options{}, []uint64{0}, record.LeftOut{}},
		"full":         {record.Options{Steps: 100}, []uint64{0, limit - 2048}, record.LeftOut{Instructions: limit - 100 - 2048}},
		"almost":       {record.Options{Steps: limit - 10}, []uint64{0, limit - 10}, record.LeftOut{}},
		"another wave": {record.Options{FirstWave: 1}, []uint64{limit - 2048}, record.LeftOut{Instructions: limit - 2048}},
		"later":        {record.Options{From: 2 * limit}, []uint64{limit - 2048}, record.LeftOut{Instructions: limit - 2048}},
	} {
		t.Run(name, func(t *testing.T) {
			rec := record.New(c.o)
			run := func() error {
				m := sim.New(gcn.GFX803)
				m.Limit = limit
				require.NoError(t, m.Watch(rec))
				_, err := m.RunAsm(t.Context(), m.NewWave(), loop)
				return err
			}
			again := rec.Fail(run())
			assert.Equal(t, name != "all", again)
			if again {
				assert.False(t, rec.Fail(run()))
			}
			r := rec.Record()
			assert.Equal(t, c.left, r.LeftOut)
			require.Len(t, r.Windows, len(c.windows))
			for i, from := range c.windows {
				assert.Equal(t, from, r.Windows[i].From)
			}
			s := last(t, &r.Windows[len(r.Windows)-1])
			assert.True(t, s.Fault)
			assert.Contains(t, s.Text, "s_branch")
			assert.EqualValues(t, limit/2, s.State.S[0])
			assert.EqualValues(t, limit, r.Fault.Step)
			assert.Equal(t, s.PC, r.Fault.PC)
		})
	}
}

// A cancelled run has a fault with its position.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rec := record.New(record.Options{Steps: 4})
	m := sim.New(gcn.GFX803)
	require.NoError(t, m.Watch(rec, sim.Observer(func(e *sim.Event) {
		if e.Wave.Executed == 1000 {
			cancel()
		}
	})))
	m.Limit = 1 << 40
	_, err := m.RunAsm(ctx, m.NewWave(), "loop:\ns_branch loop")
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, rec.Fail(err))
	f := rec.Record().Fault
	require.NotNil(t, f)
	assert.Equal(t, record.Interrupted, f.Kind)
	assert.GreaterOrEqual(t, f.Step, uint64(1000))
	rec.Fail(errors.New("something else"))
	assert.Same(t, f, rec.Record().Fault)
}

// The result of a sample is the sum of the recorded texels times their weights, and the picture has these texels.
func TestTaps(t *testing.T) {
	texels := make([]float32, 64)
	for i := range texels {
		texels[i] = float32(i*i) / (64 * 64)
	}
	place := func(m *sim.Machine) []uint32 {
		tex, err := texture.New(m, gcn.Image{DataFormat: 4, NumFormat: 7, Width: 8, Height: 8, TileMode: 8})
		require.NoError(t, err)
		require.NoError(t, texture.Upload(tex, 0, 0, 0, texels))
		s := gcn.SamplerState{MagFilter: gcn.FilterBilinear, MinFilter: gcn.FilterBilinear, MaxLOD: 15,
			Clamp: [3]gcn.Clamp{2, 2, 2}}
		return append(tex.Words(), s.Words(m.Target.Gen())...)
	}
	r, err := run(t, record.Options{}, "v_lshlrev_b32 v0, 5, v0\nv_cvt_f32_u32 v0, v0\nv_mul_f32 v0, 0x39000000, "+
		"v0\nv_mov_b32 v1, v0\nimage_sample_lz v2, v0, s[0:7], s[8:11] dmask:0x1", place)
	require.NoError(t, err)
	s := last(t, &r.Windows[0])
	for at, taps := range s.Taps {
		sum, weights := 0., 0.
		for _, tap := range taps {
			sum += tap.Weight * float64(texels[8*tap.Y+tap.X])
			weights += tap.Weight
		}
		assert.InDelta(t, 1, weights, 1e-4)
		assert.InDelta(t, lane32(s.State.V[2][at]), sum, 1e-3, "lane %d", at)
	}
	require.Len(t, r.Pictures, 1)
	level := r.Pictures[0].Levels[0]
	assert.Equal(t, [...]int{8, 8, 256}, [...]int{level.Width, level.Height, len(level.RGBA)})
	assert.InDelta(t, 255*texels[63], float32(level.RGBA[4*63]), 1)
}

// An image that a dispatch accessed is in the record after the dispatch has released its memory, with and without
// private memory.
func TestPicturesOfADispatch(t *testing.T) {
	for _, private := range []uint32{0, 64} {
		t.Run(fmt.Sprint(private), func(t *testing.T) {
			m := sim.New(gcn.GFX803)
			image := func(data, numbers uint8) sim.Arg {
				tex, err := texture.New(m, gcn.Image{DataFormat: data, NumFormat: numbers, Width: 16, Height: 8, TileMode: 8})
				require.NoError(t, err)
				var arg []byte
				for _, v := range tex.Words() {
					arg = binary.LittleEndian.AppendUint32(arg, v)
				}
				return sim.Bytes(arg)
			}
			data, err := os.ReadFile("../../../testdata/kernels/picture.fiji.co")
			require.NoError(t, err)
			o, err := codeobj.Parse(data)
			require.NoError(t, err)
			binary.LittleEndian.PutUint32(data[o.Kernels[0].Descriptor+4:], private) // PRIVATE_SEGMENT_FIXED_SIZE
			mod, err := m.LoadObject(data)
			require.NoError(t, err)
			require.Equal(t, private, mod.Object.Kernels[0].PrivateBytes)
			rec := record.New(record.Options{})
			l := sim.Launch{Module: mod, Kernel: "picture", Grid: [3]uint32{16, 8}, Group: [3]uint32{16, 8},
				Args: []sim.Arg{image(gcn.Data8_8_8_8, gcn.NumUNORM), image(gcn.Data32, gcn.NumUINT)}}
			require.NoError(t, l.Watch(rec))
			_, err = m.Dispatch(context.Background(), l)
			require.NoError(t, err)
			pictures := rec.Record().Pictures
			require.Len(t, pictures, 2)
			require.EqualValues(t, 255, pictures[0].Levels[0].RGBA[0], "inverted")
		})
	}
}

// Reading a truncated or changed record returns an error.
func TestBroken(t *testing.T) {
	r, _ := run(t, record.Options{}, "v_mov_b32 v1, 1\ns_endpgm", nil)
	var b bytes.Buffer
	require.NoError(t, r.Write(&b))
	for n := range b.Len() {
		_, err := record.Read(bytes.NewReader(b.Bytes()[:n]))
		assert.Error(t, err)
	}
	r.Windows[0].VGPRs = -1
	for _, err := range r.Windows[0].Steps() {
		require.Error(t, err, "it changes v1")
	}
}

// A finding is at the step that it is about.
func TestFindings(t *testing.T) {
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	w.SetVGPR(0, lane.Times(4))
	w.SetSGPRs(0, buffer(4096, 0)(m)...)
	c, err := check.New("wait")
	require.NoError(t, err)
	require.NoError(t, m.Watch(c))
	_, err = m.RunAsm(context.Background(), w, "s_nop 0\nbuffer_load_dword v1, v0, s[0:3], 0 offen\nv_mov_b32 v2, "+
		"v1\ns_endpgm")
	require.NoError(t, err)
	var r record.Record
	r.AddFindings(c.Findings())
	require.Len(t, r.Findings, 1)
	f := r.Findings[0]
	assert.Equal(t, [...]uint64{2, 1}, [...]uint64{f.Index, f.Producer.Index})
	assert.Equal(t, "W3", f.Rule)
}

// TestProgramsAtOneAddress: each step has the instruction of its own program, even if programs have the same address.
func TestProgramsAtOneAddress(t *testing.T) {
	m := sim.New(gcn.GFX803)
	rec := record.New(record.Options{})
	require.NoError(t, m.Watch(rec))
	texts := []string{"s_nop 0\nv_mov_b32 v0, v1", "s_nop 0\ns_mov_b32 s0, 1"}
	for _, text := range texts {
		_, err := m.RunAsm(t.Context(), m.NewWave(), text)
		require.NoError(t, err)
	}
	var got []string
	r := rec.Record()
	for i := range r.Windows {
		for s, err := range r.Windows[i].Steps() {
			require.NoError(t, err)
			if s.Inst != nil { // the first step has none
				got = append(got, s.Text)
			}
		}
	}
	assert.Equal(t, []string{"s_nop 0", "v_mov_b32_e32 v0, v1", "s_nop 0", "s_mov_b32 s0, 1"}, got)
	assert.Len(t, r.Insts, 3)
}
