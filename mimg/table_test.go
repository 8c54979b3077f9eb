package mimg_test

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

func f32(f float32) uint32 { return math.Float32bits(f) }

func all(v uint32) (l state.Lanes) {
	for i := range l {
		l[i] = v
	}
	return l
}

// Texels in unmapped memory fault; with TFE or LWE they are 0 and set the status, which is unchanged in other lanes
// (rule IM7).
func TestStatus(t *testing.T) {
	memtest.EveryTarget(t, func(t *testing.T, target gcn.Target) {
		b := newBench(t, target, gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumUINT, Width: 64, Height: 8,
			TileMode: linear(target.Gen())})
		b.bind(func(i *gcn.Image) { i.DstSel = [4]gcn.Sel{gcn.SelR, gcn.Sel1, gcn.Sel1, gcn.Sel1} })
		b.span.Hi = 256 // one row of 64
		f := b.run(t, "image_load", memtest.Fields{isa.DMASK: 3})
		require.NotNil(t, f)
		assert.Equal(t, state.FaultMemory, f.Kind)
		assert.Equal(t, 8, f.Lane)
		assert.Equal(t, uint64(base+256), f.Addr)
		const out = uint64(1<<64 - 1<<8)
		for _, bit := range []isa.Field{isa.TFE, isa.LWE} {
			b.w.V[5], b.w.V[6] = all(9), all(9)
			require.Nil(t, b.run(t, "image_load", memtest.Fields{isa.DMASK: 3, bit: 1}))
			assert.Equal(t, []uint32{b.span.Words[7], 0}, b.w.V[4][7:9])
			assert.Equal(t, []uint32{1, 0}, b.w.V[5][7:9])
			assert.Equal(t, []uint32{9, 1}, b.w.V[6][7:9])
			assert.Equal(t, out, b.a.Out[0])
			for name, status := range map[string]int{"image_load_pck": 5, "image_store": 5, "image_store_pck": 5,
				"image_atomic_add": 5} {
				b.w.V[4], b.w.V[status] = all(1), all(9)
				b.span.Words[64] = 5
				require.Nil(t, b.run(t, name, memtest.Fields{isa.DMASK: 1, bit: 1}))
				assert.Equal(t, []uint32{9, 1}, b.w.V[status][7:9], name)
				assert.Equal(t, out, b.a.Out[0], name)
				assert.EqualValues(t, 5, b.span.Words[64], name)
			}
		}
		b.bind(func(i *gcn.Image) { i.MinLODWarn = 0.5 })
		b.w.SetExec(1)
		require.Nil(t, b.run(t, "image_load", memtest.Fields{isa.DMASK: 1, isa.LWE: 1}))
		assert.Equal(t, []uint32{1, 9}, b.w.V[5][:2])
	})
}

// If the resource is not an image or its format is invalid, loads return 0 and stores do nothing. GET_RESINFO needs
// no format (rules IM10 and IF1).
func TestNull(t *testing.T) {
	memtest.EveryTarget(t, func(t *testing.T, target gcn.Target) {
		b := newBench(t, target, gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumUINT, Width: 16, Height: 16})
		before := b.span.Words[0]
		for name, change := range map[string]func(*gcn.Image){
			"no image":    func(i *gcn.Image) { i.Type = 0 },
			"invalid":     func(i *gcn.Image) { i.Type, i.DataFormat = gcn.Image2D, 0 },
			"reserved":    func(i *gcn.Image) { i.DataFormat = 15 },
			"no levels":   func(i *gcn.Image) { i.DataFormat, i.BaseLevel = gcn.Data32, 1 },
			"no layers":   func(i *gcn.Image) { i.BaseLevel, i.Type, i.BaseArray, i.LastArray = 0, gcn.Image2DArray, 1, 0 },
			"128-bit end": func(i *gcn.Image) { i.Type = 7 },
		} {
			b.bind(change)
			b.w.V[4] = all(9)
			require.Nil(t, b.run(t, "image_load", memtest.Fields{isa.DMASK: 1}), name)
			assert.Equal(t, all(0), b.w.V[4], name)
			b.w.V[4] = all(9)
			require.Nil(t, b.run(t, "image_store", memtest.Fields{isa.DMASK: 1}), name)
			require.Nil(t, b.run(t, "image_atomic_add", memtest.Fields{isa.DMASK: 1, isa.GLC: 1}), name)
			assert.Equal(t, all(0), b.w.V[4], name)
			assert.Equal(t, before, b.span.Words[0], name)
		}
		b.bind(func(i *gcn.Image) {
			*i = gcn.Image{Type: gcn.Image3D, Width: 30, Height: 20, Depth: 10, BaseLevel: 1, LastLevel: 3}
		})
		b.w.V[0] = all(1)
		b.w.V[0][1] = 3
		require.Nil(t, b.run(t, "image_get_resinfo", nil))
		assert.Equal(t, []uint32{7, 5, 2, 3}, []uint32{b.w.V[4][0], b.w.V[5][0], b.w.V[6][0], b.w.V[7][0]})
		assert.Equal(t, []uint32{0, 0, 0, 3}, []uint32{b.w.V[4][1], b.w.V[5][1], b.w.V[6][1], b.w.V[7][1]}, "no such level")
	})
}

// Illegal and unmodelled forms and resources are refused.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		target gcn.Target
		name   string
		fields memtest.Fields
		why    string
	}{
		{gcn.GFX803, "image_load_pck", memtest.Fields{isa.D16: 1}, "D16 does not go"},
		{gcn.GFX900, "image_get_resinfo", memtest.Fields{isa.D16: 1}, "D16 does not go"},
		{gcn.GFX803, "image_atomic_add", memtest.Fields{isa.DMASK: 2}, "DMASK 1 or 3"},
		{gcn.GFX803, "image_atomic_add", memtest.Fields{isa.DMASK: 0}, "DMASK 1 or 3"},
		{gcn.GFX803, "image_atomic_add", memtest.Fields{isa.DMASK: 15}, "DMASK 1 or 3"},
		{gcn.GFX803, "image_atomic_cmpswap", memtest.Fields{isa.DMASK: 1}, "3 or 15"},
	} {
		in := memtest.Inst(c.target, c.name, c.fields)
		impl := executor.Find(&in)
		assert.Nil(t, impl.Exec, c.name)
		assert.Contains(t, impl.Why, c.why)
	}
	b := newBench(t, gcn.GFX803, gcn.Image{DataFormat: gcn.Data8_8_8_8, NumFormat: gcn.NumUNORM, Width: 16, Height: 16,
		TileMode: 8})
	plain := b.img
	for _, c := range []struct {
		name   string
		fields memtest.Fields
		change func(*gcn.Image)
		kind   state.FaultKind
		why    string
	}{
		{"image_load", nil, func(i *gcn.Image) { i.Compression = true }, state.FaultUnsupported, "COMPRESSION_EN"},
		{"image_load", nil, func(i *gcn.Image) { i.DataFormat = 61 }, state.FaultUnsupported, "32_AS_8"},
		{"image_load", nil, func(i *gcn.Image) { i.NumFormat = gcn.NumFLOAT }, state.FaultIllegal, "8_8_8_8 with FLOAT"},
		{"image_load", nil, func(i *gcn.Image) { i.Pitch = 5 }, state.FaultIllegal, "pitch"},
		{"image_load", memtest.Fields{isa.R128: 1}, func(i *gcn.Image) { i.Type = gcn.Image3D }, state.FaultIllegal, "256 bits"},
		{"image_load", memtest.Fields{isa.ADDR: 15}, func(*gcn.Image) {}, state.FaultRegister, "only 16 VGPRs"},
		{"image_get_resinfo", memtest.Fields{isa.ADDR: 16}, func(*gcn.Image) {}, state.FaultRegister, "only 16 VGPRs"},
		{"image_store", nil, func(i *gcn.Image) { i.NumFormat = gcn.NumSRGB }, state.FaultIllegal, "8_8_8_8 SRGB of the T# takes no stores"},
		{"image_store", nil, func(i *gcn.Image) { i.DataFormat = gcn.DataBC1 }, state.FaultIllegal, "BC1 UNORM of the T# takes no stores"},
		{"image_store_pck", nil, func(i *gcn.Image) { i.DataFormat = gcn.DataBC1 }, state.FaultIllegal, "BC1 UNORM of the T# takes no stores"},
		{"image_store_pck", nil, func(i *gcn.Image) { i.DataFormat, i.NumFormat = 22, gcn.NumSNORM }, state.FaultIllegal, "X24_8_32 of the T# takes no stores"},
		{"image_atomic_add", memtest.Fields{isa.DMASK: 3}, func(*gcn.Image) {}, state.FaultIllegal, "8 bytes on texels of 8_8_8_8"},
		{"image_atomic_add", memtest.Fields{isa.DMASK: 3}, func(i *gcn.Image) { i.DataFormat = gcn.DataBC1 }, state.FaultIllegal, "texels of BC1"},
	} {
		b.bind(func(i *gcn.Image) { *i = plain; c.change(i) })
		for range 2 { // the fault is created once and reused
			f := b.run(t, c.name, c.fields)
			require.NotNil(t, f, c.why)
			assert.Equal(t, c.kind, f.Kind)
			assert.Contains(t, f.What, c.why)
			f.Wave = 99
		}
	}
	b.bind(func(i *gcn.Image) { *i = plain; i.NumFormat = gcn.NumFLOAT })
	require.Nil(t, b.run(t, "image_load_pck", nil), "the number format does not matter")
}

// Waves share an instruction and decoded T#s.
func TestParallel(t *testing.T) {
	b := newBench(t, gcn.GFX803, gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumUINT, Width: 32, Height: 32,
		LastLevel: 2, TileMode: tiled(gcn.GCN12)})
	b.w.V[2] = all(1)
	load, add := b.inst("image_load_mip", memtest.Fields{isa.DMASK: 1}),
		b.inst("image_atomic_add", memtest.Fields{isa.DMASK: 1, isa.VDATA: 5})
	exec := [...]executor.Exec{executor.Find(&load).Exec, executor.Find(&add).Exec}
	at := b.at(t, 0, 3, 2, 0)
	before := binary.LittleEndian.Uint32(at)
	const workers, turns = 4, 50
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			w := *b.w
			w.V = slices.Clone(b.w.V)
			var a state.Access
			for turn := range turns {
				img := b.img
				img.MinLOD = float32((worker+turn)%3) / 256 // a different T# for the same image
				w.SetSGPRs(0, img.On(w.Target.Gen()).Words(w.Target.Gen())...)
				w.V[5] = all(1)
				assert.Nil(t, exec[0](&w, b.p, &load, &a))
				assert.Nil(t, exec[1](&w, b.p, &add, &a))
			}
		})
	}
	group.Wait()
	assert.Equal(t, before+workers*turns, binary.LittleEndian.Uint32(at))
}

// ETC2 is refused on targets that support it. Other chips of GCN 1.2 reserve its codes, for which loads return 0
// (rule IF1).
func TestETC2(t *testing.T) {
	for target, refused := range map[gcn.Target]bool{gcn.GFX803: false, gcn.GFX810: true, gcn.GFX900: true} {
		b := newBench(t, target, gcn.Image{DataFormat: gcn.Data8_8_8_8, NumFormat: gcn.NumUINT, Width: 16, Height: 16,
			TileMode: tiled(target.Gen())})
		b.bind(func(i *gcn.Image) { i.DataFormat = 24 })
		b.w.V[4] = all(7)
		f := b.run(t, "image_load", memtest.Fields{isa.DMASK: 1})
		if refused {
			require.NotNil(t, f, "%v", target)
			assert.ErrorContains(t, f, "ETC2 format (24), which is not modelled: unpack the texture")
			continue
		}
		require.Nil(t, f)
		assert.Equal(t, all(0), b.w.V[4])
	}
}
