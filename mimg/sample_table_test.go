package mimg_test

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// newSampled creates an image of single floats with texels 1000*level + 100*slice + 10*y + x, and writes a sampler to
// s[8:11].
func newSampled(t *testing.T, target gcn.Target, img gcn.Image, s gcn.SamplerState) *bench {
	t.Helper()
	img.DataFormat, img.NumFormat, img.TileMode, img.MaxMip = gcn.Data32, gcn.NumFLOAT, linear(target.Gen()), img.LastLevel
	k := newBench(t, target, img)
	for i, l := range k.l.Levels() {
		for z := range l.Depth {
			for y := range l.Height {
				for x := range l.Width {
					v := float32(1000*i + 100*z + 10*y + x)
					binary.LittleEndian.PutUint32(k.at(t, i, x, y, z), math.Float32bits(v))
				}
			}
		}
	}
	k.w.SetSGPRs(8, s.On(target.Gen()).Words(target.Gen())...)
	return k
}

// address sets the address VGPRs in all lanes.
func (b *bench) address(parts ...float32) {
	for i, v := range parts {
		for lane := range state.NumLanes {
			b.w.V[i][lane] = math.Float32bits(v)
		}
	}
}

// results executes a look-up and returns registers of lane 0.
func (b *bench) results(t *testing.T, name string, fields memtest.Fields) (v [5]float32) {
	t.Helper()
	all := memtest.Fields{isa.SSAMP: 2, isa.VDATA: 8}
	maps.Copy(all, fields)
	require.Nil(t, b.run(t, name, all))
	for i := range v {
		v[i] = math.Float32frombits(b.w.V[8+i][0])
	}
	return v
}

var bilinear = gcn.SamplerState{MagFilter: 1, MinFilter: 1, MaxLOD: 15}

// GATHER4H returns a row. The only clamp mode it distinguishes is the border (rule IM9).
func TestGatherRow(t *testing.T) {
	for _, target := range []gcn.Target{gcn.GFX900, gcn.GFX906} {
		k := newSampled(t, target, gcn.Image{Width: 8, Height: 8}, bilinear)
		k.address(4./8, 5.5/8)
		require.Equal(t, []float32{52, 53, 54, 55}, k.first4(t, "image_gather4h"))
		k.address(1./8, 0.5/8)
		require.Equal(t, []float32{0, 0, 1, 2}, k.first4(t, "image_gather4h"))
		s := bilinear
		s.Clamp[0], s.BorderColorType = gcn.ClampBorder, 2
		k.w.SetSGPRs(8, s.On(target.Gen()).Words(target.Gen())...)
		require.Equal(t, []float32{1, 0, 1, 2}, k.first4(t, "image_gather4h"))
		for _, name := range []string{"image_gather4h_pck", "image_gather8h_pck"} {
			in := memtest.Inst(target, name, memtest.Fields{isa.DMASK: 1})
			impl := executor.Find(&in)
			require.Nil(t, impl.Exec)
			require.Contains(t, impl.Why, name)
		}
	}
}

func (b *bench) first4(t *testing.T, name string) []float32 {
	v := b.results(t, name, memtest.Fields{isa.DMASK: 1})
	return v[:4]
}

// MODE.LOD_CLAMPED is set when a level was clamped (rule ST5).
func TestLODClamped(t *testing.T) {
	s := bilinear
	s.MipFilter = 1
	k := newSampled(t, gcn.GFX900, gcn.Image{Width: 8, Height: 8, LastLevel: 2}, s)
	for _, c := range []struct {
		lod     float32
		level   float32
		clamped bool
	}{{1, 1000, false}, {2.25, 2000, false}, {-0.5, 0, true}, {3, 2000, true}} {
		k.w.Mode = state.DefaultMode
		k.address(0, 0, c.lod)
		require.Equal(t, c.level, float32(math.Floor(float64(k.results(t, "image_sample_l", nil)[0]/1000))*1000), c.lod)
		require.Equal(t, c.clamped, k.w.Mode&state.ModeLODClamped != 0, c.lod)
		k.w.SetExec(0)
		k.w.Mode = state.DefaultMode
		require.Nil(t, k.run(t, "image_sample_l", memtest.Fields{isa.SSAMP: 2, isa.VDATA: 8}))
		require.False(t, k.w.Mode&state.ModeLODClamped != 0)
		k.w.SetExec(state.FullExec)
	}
}

// The status register reports levels below MIN_LOD_WARN (rule IM7).
func TestLODWarning(t *testing.T) {
	s := bilinear
	s.MipFilter = 2
	k := newSampled(t, gcn.GFX803, gcn.Image{Width: 8, Height: 8, LastLevel: 3, BaseLevel: 1, MinLODWarn: 1.5}, s)
	for _, c := range []struct{ lod, status float32 }{{0.25, 1}, {0.5, 0}, {2, 0}} {
		k.address(0, 0, c.lod)
		executor.Zero(k.w, 12, state.FullExec)
		require.Nil(t, k.run(t, "image_sample_l", memtest.Fields{isa.SSAMP: 2, isa.VDATA: 8, isa.LWE: 1}))
		require.EqualValues(t, c.status, k.w.V[12][0], c.lod)
	}
}

// Unsupported combinations with a sampler are a fault.
func TestSamplerFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		img  gcn.Image
		s    gcn.SamplerState
		kind state.FaultKind
		what string
	}{
		{"image_sample_lz", gcn.Image{Type: gcn.Image2DMSAA, LastLevel: 2, DataFormat: gcn.Data8_8_8_8}, bilinear, state.FaultIllegal, "2D MSAA"},
		{"image_sample_c_lz", gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumUINT}, bilinear, state.FaultIllegal, "32 UINT"},
		{"image_sample_lz", gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT, Interlaced: true}, bilinear, state.FaultUnsupported, "INTERLACED"},
		{"image_gather4_lz", gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT, Type: gcn.Image3D, Depth: 2}, bilinear, state.FaultUnsupported, "3D"},
		{"image_sample_lz", gcn.Image{DataFormat: gcn.Data8_8_8_8}, gcn.SamplerState{FilterMode: 3}, state.FaultIllegal, "FILTER_MODE"},
	} {
		c.img.Width, c.img.Height, c.img.TileMode = 8, 8, 14
		k := newBench(t, gcn.GFX803, c.img)
		k.w.SetSGPRs(8, c.s.Words(gcn.GCN12)...)
		f := k.run(t, c.name, memtest.Fields{isa.SSAMP: 2, isa.VDATA: 8})
		require.NotNil(t, f, c.what)
		require.Equal(t, c.kind, f.Kind)
		require.Contains(t, f.What, c.what)
	}
}

// Texels that all lie in the border are not accessed.
func TestBorderIsNoAccess(t *testing.T) {
	s := gcn.SamplerState{Clamp: [3]gcn.Clamp{gcn.ClampBorder, gcn.ClampBorder}, BorderColorType: 3, BorderColorPtr: 1}
	k := newSampled(t, gcn.GFX803, gcn.Image{Width: 8, Height: 8}, s)
	k.p.Borders.Table = [][4]uint32{{}, {math.Float32bits(7), 0, 0, 0}}
	k.address(2, 2)
	k.w.V[0][3], k.w.V[1][3] = 0, 0
	require.Equal(t, float32(7), k.results(t, "image_sample_lz", nil)[0])
	require.Equal(t, uint64(8), k.a.Exec)
	require.Equal(t, gcn.Load, k.a.Op)
	k.address(2, 2)
	require.Equal(t, float32(7), k.results(t, "image_sample_lz", nil)[0])
	require.Equal(t, gcn.NoMem, k.a.Op)
}

// An access lists its doubts, and none if it is exact (rule IM13).
func TestSamplerDoubts(t *testing.T) {
	trunc := gcn.SamplerState{TruncCoord: true}
	for _, c := range []struct {
		name   string
		change func(*gcn.SamplerState)
		doubt  string
	}{
		{"image_sample_lz", func(*gcn.SamplerState) {}, ""},
		{"image_sample_l", func(s *gcn.SamplerState) { s.MipFilter, s.Clamp[0] = 1, gcn.ClampBorder }, ""},
		{"image_sample_c_lz", func(s *gcn.SamplerState) { s.Compare = 3 }, ""},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.TruncCoord = false }, "1/64"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.MagFilter = 1 }, "rounded once"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.MipFilter = 2 }, "rounded once"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.MinFilter, s.MaxAniso = 3, 4 }, "anisotropic"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.Clamp[1] = gcn.ClampHalfBorder }, "half a border"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.BorderColorType = 3 }, "border colours"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.Unnormalized = true }, "repeat"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.ForceDegamma = true }, "formats other than UNORM bytes"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.NoLSBCeil = true }, "DISABLE_LSB_CEIL"},
		{"image_sample_lz", func(s *gcn.SamplerState) { s.PrecFix = true }, "FILTER_PREC_FIX"},
	} {
		s := trunc
		c.change(&s)
		k := newSampled(t, gcn.GFX803, gcn.Image{Width: 8, Height: 8}, s)
		in := k.inst(c.name, memtest.Fields{isa.SSAMP: 2, isa.VDATA: 8, isa.DMASK: 1})
		impl := executor.Find(&in)
		require.Equal(t, gcn.Exact, impl.Level)
		k.address(0.5, 0.5, 0.5)
		require.Nil(t, impl.Exec(k.w, k.p, &in, &k.a))
		if c.doubt == "" {
			require.Empty(t, slices.Concat(k.a.Doubts[:k.a.NumDoubts]...))
		}
		require.Contains(t, strings.Join(slices.Concat(k.a.Doubts[:k.a.NumDoubts]...), "; "), c.doubt)
	}
	for name, level := range map[string]gcn.Fidelity{
		"image_sample": gcn.Approximate, "image_sample_d": gcn.Approximate, "image_sample_cd": gcn.Approximate,
		"image_gather4_lz": gcn.Approximate,
		"image_get_lod":    gcn.Approximate, "image_gather4h": gcn.Assumed,
	} {
		in := memtest.Inst(gcn.GFX900, name, memtest.Fields{isa.DMASK: 1})
		require.Equal(t, level, executor.Find(&in).Level, name)
	}
}
