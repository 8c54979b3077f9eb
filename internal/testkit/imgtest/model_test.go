package imgtest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// Texels -4 to 6 of 3 for each clamp mode; -1 is the border. Source: rule CO4.
func TestWrap(t *testing.T) {
	for mode, want := range map[gcn.Clamp][]int{
		gcn.ClampWrap:                 {2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
		gcn.ClampMirror:               {2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0},
		gcn.ClampLastTexel:            {0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2},
		gcn.ClampMirrorOnceLastTexel:  {2, 2, 1, 0, 0, 1, 2, 2, 2, 2, 2},
		gcn.ClampHalfBorder:           {-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1},
		gcn.ClampMirrorOnceHalfBorder: {-1, 2, 1, 0, 0, 1, 2, -1, -1, -1, -1},
		gcn.ClampBorder:               {-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1},
		gcn.ClampMirrorOnceBorder:     {-1, 2, 1, 0, 0, 1, 2, -1, -1, -1, -1},
	} {
		var got []int
		for i := -4; i <= 6; i++ {
			texel, border := wrap(i, 3, mode)
			if border {
				texel = -1
			}
			got = append(got, texel)
		}
		assert.Equal(t, want, got, "%v", mode)
	}
}

// A coordinate is converted to a texel and a weight. Source: rules CO2 to CO4.
func TestAxis(t *testing.T) {
	for _, c := range []struct {
		u      float64
		n      int
		mode   gcn.Clamp
		linear bool
		smp    gcn.SamplerState
		want   axis
	}{
		{0.5, 8, gcn.ClampLastTexel, false, gcn.SamplerState{}, axis{i: 4}},
		{0.5, 8, gcn.ClampLastTexel, true, gcn.SamplerState{}, axis{3, 0.5, true}},
		{0.5 - 1.0/8192, 8, gcn.ClampLastTexel, false, gcn.SamplerState{}, axis{i: 4, f: 0}}, // 4 - 1/1024 rounds up
		{0.5 - 1.0/8192, 8, gcn.ClampLastTexel, false, gcn.SamplerState{TruncCoord: true}, axis{i: 3, f: 1 - 1.0/1024}},
		// 1/512 of a texel: tie to even
		{1.0 / 4096, 8, gcn.ClampLastTexel, true, gcn.SamplerState{}, axis{-1, 0.5, true}},
		{3.0 / 4096, 8, gcn.ClampLastTexel, true, gcn.SamplerState{}, axis{-1, 0.5 + 2.0/256, true}}, // 3/512: tie to even
		{2.25, 8, gcn.ClampWrap, false, gcn.SamplerState{}, axis{i: 2}},
		{1e30, 8, gcn.ClampWrap, true, gcn.SamplerState{}, axis{-1, 0.5, true}},
		{math.NaN(), 8, gcn.ClampWrap, false, gcn.SamplerState{}, axis{}},
		{3, 8, gcn.ClampHalfBorder, true, gcn.SamplerState{}, axis{7, 0.5, true}}, // half texel, half border
		{3, 8, gcn.ClampHalfBorder, false, gcn.SamplerState{}, axis{i: 7}},
		{-3, 8, gcn.ClampHalfBorder, true, gcn.SamplerState{}, axis{-1, 0.5, true}},
		{-0.25, 8, gcn.ClampMirrorOnceHalfBorder, false, gcn.SamplerState{}, axis{i: 2}},
		{0.45, 8, gcn.ClampLastTexel, true, gcn.SamplerState{CoordTrunc: true}, axis{3, 0, true}},
		{3.75, 8, gcn.ClampLastTexel, true, gcn.SamplerState{Unnormalized: true}, axis{3, 0.25, true}},
	} {
		r := run{Call: new(Call), smp: c.smp, img: &image{Image: gcn.Image{Type: gcn.Image2D}, f: new(texels)},
			op: op{kind: sample}}
		assert.Equal(t, c.want, r.axis(c.u, c.n, 0, c.mode, c.linear), "%+v", c)
	}
}

// The neighbour of a texel at the edge of a face is the texel in its direction on the next face, and the neighbour of
// that one is back at the edge.
func TestNeighbour(t *testing.T) {
	at := func(face, i, j, n int) [3]float64 {
		centre := func(i int) float64 { return (2*float64(i)+1)/float64(n) - 1 }
		d := direction(face, centre(i), centre(j))
		return [3]float64{d[0] / length(d), d[1] / length(d), d[2] / length(d)}
	}
	for _, n := range []int{2, 5, 16} {
		for face := range 6 {
			for k := range n {
				for _, c := range [][4]int{{-1, k, 0, k}, {n, k, n - 1, k}, {k, -1, k, 0}, {k, n, k, n - 1}} {
					f, x, y := neighbour(face, c[0], c[1], n)
					assert.NotEqual(t, face, f)
					want, got := at(face, c[0], c[1], n), at(f, x, y, n)
					distance := length([3]float64{want[0] - got[0], want[1] - got[1], want[2] - got[2]})
					assert.Less(t, distance, 1.5/float64(n), "face %d, texel %d, %d of %d", face, c[0], c[1], n)
					// One step from the neighbour's texel over the same edge leads back.
					back := false
					for _, s := range [][2]int{{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}} {
						if min(s[0], s[1]) < 0 || max(s[0], s[1]) >= n {
							g, u, v := neighbour(f, s[0], s[1], n)
							back = back || g == face && u == c[2] && v == c[3]
						}
					}
					assert.True(t, back, "face %d, texel %d, %d of %d", face, c[0], c[1], n)
				}
			}
		}
	}
}

// Two points near an edge, one on each side, are close to each other after unfolding. A point on the edge is
// unchanged.
func TestUnfold(t *testing.T) {
	for home := range 6 {
		for _, c := range [][2]float64{{1, 1.3}, {2, 1.3}, {1.3, 1}, {1.3, 2}} {
			d := direction(home, 2*(c[0]-1)-1, 2*(c[1]-1)-1)
			for away := range 6 {
				if home/2 == away/2 || math.Abs(d[away/2]-(1-2*float64(away&1))) > 1e-9 {
					continue // the point is not beside this edge
				}
				s, q := inFace(away, d)
				x, y := unfold(home, away, (s+1)/2+1, (q+1)/2+1)
				assert.InDeltaSlice(t, c[:], []float64{x, y}, 1e-9, "%d %d", home, away)
				// the neighbour's centre is one face width away from home's centre
				x, y = unfold(home, away, 1.5, 1.5)
				assert.InDelta(t, 1, math.Hypot(x-1.5, y-1.5), 1e-9)
			}
		}
	}
}

// The sizes of addresses. Source: rules IM3 and IM4.
func TestAddressVGPRs(t *testing.T) {
	for _, c := range []struct {
		name    string
		typ     gcn.ImageType
		da, a16 bool
		want    int
	}{
		{"image_load", gcn.Image1D, false, false, 1},
		{"image_load_mip", gcn.Image2DArray, true, false, 4},
		{"image_load_mip", gcn.Image2DArray, true, true, 2},
		{"image_load", gcn.Image2DMSAAArray, true, false, 4},
		{"image_load", gcn.Image2DArray, false, false, 2},
		{"image_get_resinfo", gcn.Image3D, false, false, 1},
		{"image_sample", gcn.Image3D, false, false, 3},
		{"image_sample_b", gcn.ImageCube, true, false, 4},
		{"image_sample_c_d_cl_o", gcn.Image3D, false, false, 12},
		{"image_sample_c_d_cl_o", gcn.Image3D, false, true, 8},
		{"image_sample_d", gcn.Image1D, false, true, 3},
		{"image_sample_b_cl_o", gcn.Image2D, false, true, 4},
		{"image_gather4_c_l_o", gcn.Image2DArray, true, false, 6},
	} {
		call := Call{Target: gcn.GFX900, Name: c.name, DA: c.da, A16: c.a16}
		call.T = gcn.TSharp(gcn.Image{Type: c.typ}.Words(gcn.GCN14))
		assert.Equal(t, c.want, call.AddressVGPRs(), "%+v", c)
	}
}

// query executes GET_LOD on a quad whose lanes are dx, dy apart, in texels of a 16 x 16 image with 5 levels.
func query(t *testing.T, dx, dy [2]float64, s gcn.SamplerState, view func(*gcn.Image)) (lod, raw float64) {
	t.Helper()
	regs, err := tile.ForTarget(gcn.GFX803)
	require.NoError(t, err)
	img := gcn.Image{Base: GoldenBase, Type: gcn.Image2D, DataFormat: 10, Width: 16, Height: 16, LastLevel: 4, TileMode: 8}
	surface, err := NewSurface(gcn.GFX803, regs, img, 1)
	require.NoError(t, err)
	if view != nil {
		view(&surface.Image)
	}
	c := surface.Call("image_get_lod")
	// only lane 3 is active; it uses the other lanes' addresses
	c.DMASK, c.Exec, c.S = 3, 8, gcn.SSharp(s.Words(gcn.GCN12))
	c.VAddr, c.VData = make([][64]uint32, 2), make([][64]uint32, 2)
	for lane := range 4 {
		for i := range 2 {
			c.VAddr[i][lane] = single((float64(lane&1)*dx[i] + float64(lane>>1)*dy[i]) / 16)
		}
	}
	_, err = c.Run()
	require.NoError(t, err)
	return value(c.VData[0][3]), value(c.VData[1][3])
}

// The steps of computing an LOD are in the right order. Source: rules LO1 to LO3.
func TestDetail(t *testing.T) {
	base := gcn.SamplerState{MaxLOD: 16, MipFilter: 2}
	with := func(change func(*gcn.SamplerState)) gcn.SamplerState {
		s := base
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		dx, dy   [2]float64
		s        gcn.SamplerState
		view     func(*gcn.Image)
		lod, raw float64
	}{
		"longer side":    {dx: [2]float64{4, 0}, dy: [2]float64{0, 2}, s: base, lod: 2, raw: 2},
		"diagonal":       {dx: [2]float64{3, 4}, s: base, lod: 2 + 82.0/256, raw: 2 + 82.0/256}, // log2 5 = 2.3219
		"magnified":      {dx: [2]float64{0.25, 0}, s: base, lod: 0, raw: -2},
		"no footprint":   {s: base},
		"point":          {dx: [2]float64{3, 0}, s: with(func(s *gcn.SamplerState) { s.MipFilter = 1 }), lod: 2, raw: 1 + 150.0/256},
		"no mip filter":  {dx: [2]float64{3, 0}, s: with(func(s *gcn.SamplerState) { s.MipFilter = 0 }), lod: 0, raw: 1 + 150.0/256},
		"bias":           {dx: [2]float64{2, 0}, s: with(func(s *gcn.SamplerState) { s.LODBias = -0.5 }), lod: 0.5, raw: 0.5},
		"sampler clamps": {dx: [2]float64{2, 0}, s: with(func(s *gcn.SamplerState) { s.MinLOD, s.MaxLOD = 3, 2 }), lod: 3, raw: 1},
		"image clamps":   {dx: [2]float64{2, 0}, s: base, view: func(i *gcn.Image) { i.MinLOD = 2.5 }, lod: 2.5, raw: 1},
		"base level":     {dx: [2]float64{8, 0}, s: base, view: func(i *gcn.Image) { i.BaseLevel, i.MinLOD = 2, 2.5 }, lod: 1, raw: 1},
		"last level":     {dx: [2]float64{8, 0}, s: base, view: func(i *gcn.Image) { i.LastLevel = 1 }, lod: 1, raw: 3},
		"secondary bias": {
			dx: [2]float64{2, 0}, s: with(func(s *gcn.SamplerState) { s.LODBiasSec = 1.0625 }), // 17/16 * 5/16 = 5.3/16
			view: func(i *gcn.Image) { i.PerfMod = 2 }, lod: 1 + 5.0/16, raw: 1 + 5.0/16,
		},
		"anisotropic": {
			dx: [2]float64{8, 0}, dy: [2]float64{0, 1}, s: with(func(s *gcn.SamplerState) { s.MinFilter, s.MaxAniso = 3, 2 }),
			lod: 1, raw: 1,
		},
		"slightly anisotropic": {
			dx: [2]float64{4, 0}, dy: [2]float64{0, 2}, s: with(func(s *gcn.SamplerState) { s.MinFilter, s.MaxAniso = 3, 4 }),
			lod: 1, raw: 1,
		},
	} {
		lod, raw := query(t, c.dx, c.dy, c.s, c.view)
		assert.Equal(t, [2]float64{c.lod, c.raw}, [2]float64{lod, raw}, name)
	}
}

// The surface that package tile derives from a T# is the one that the T# was made for.
func TestSurface(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX700, gcn.GFX803, gcn.GFX900} {
		for range 100 {
			d := &dice{Rand: r, t: target, o: op{kind: load}, vega: target.Gen() >= gcn.GCN14}
			s := d.surface()
			if s == nil {
				continue
			}
			words := gcn.TSharp(s.Image.Words(target.Gen()))
			img := words.Fields(target.Gen())
			got, err := tile.FromImage(target.Gen(), &img)
			require.NoError(t, err)
			layout, err := s.Regs.Layout(got)
			require.NoError(t, err)
			assert.Equal(t, s.Layout.Levels(), layout.Levels(), "%v %+v", target, img)
			assert.Equal(t, s.Layout.Size, layout.Size)
		}
	}
}
