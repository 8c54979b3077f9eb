package mimg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// Texels of a row of n=4 from -9 to 12 by clamp mode (rule CO4); b is the border.
func TestWrapTexel(t *testing.T) {
	for c, want := range map[gcn.Clamp]string{
		gcn.ClampWrap:                 "3012301230123012301230",
		gcn.ClampMirror:               "0012332100123321001233",
		gcn.ClampLastTexel:            "0000000000123333333333",
		gcn.ClampMirrorOnceLastTexel:  "3333332100123333333333",
		gcn.ClampHalfBorder:           "bbbbbbbbb0123bbbbbbbbb",
		gcn.ClampMirrorOnceHalfBorder: "bbbbb32100123bbbbbbbbb",
		gcn.ClampBorder:               "bbbbbbbbb0123bbbbbbbbb",
		gcn.ClampMirrorOnceBorder:     "bbbbb32100123bbbbbbbbb",
	} {
		var got []byte
		for i := int64(-9); i <= 12; i++ {
			x := axis{pos: [state.NumLanes]int32{int32(i * steps)}}
			x.wrap(&ruler{size: 4, clamp: c, linear: true})
			if x.border[0]&1 != 0 {
				got = append(got, 'b')
			} else {
				got = append(got, byte('0'+x.at[0][0]))
			}
		}
		require.Equal(t, want, string(got), c)
	}
}

// wrapTexel returns which of n texels texel i is, negative if it lies in the border.
func wrapTexel(i, n int64, c gcn.Clamp) int64 {
	const border = -1
	switch c {
	case gcn.ClampWrap:
		if i %= n; i < 0 {
			i += n
		}
		return i
	case gcn.ClampMirror:
		if i = mirror(i) % (2 * n); i >= n {
			i = 2*n - 1 - i
		}
		return i
	case gcn.ClampLastTexel:
		return min(max(i, 0), n-1)
	case gcn.ClampMirrorOnceLastTexel:
		return min(mirror(i), n-1)
	case gcn.ClampMirrorOnceHalfBorder, gcn.ClampMirrorOnceBorder:
		i = mirror(i)
	}
	if i < 0 || i >= n {
		return border
	}
	return i
}

// mirror returns the texel on the other side of 0 of one below it.
func mirror(i int64) int64 {
	if i < 0 {
		return -i - 1
	}
	return i
}

// An axis has the texels and weights of exact arithmetic (rules CO2 to CO4).
func TestAxis(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var x axis
	for range effort.Rounds(2000) {
		var u [state.NumLanes]float64
		var offset state.Lanes
		for i := range u {
			u[i] = float64(float32((r.Float64() - 0.4) * 3))
			if r.IntN(3) == 0 {
				u[i] = float64(r.IntN(1024)-256) / 512
			}
			offset[i] = r.Uint32()
		}
		m := ruler{size: 1 + r.IntN(20), clamp: gcn.Clamp(r.IntN(8)), round: rounding(r.IntN(3)), linear: r.IntN(2) == 0}
		m.scale = float64(m.size)
		if m.linear {
			m.back, m.pairs, m.weights = 0.5, true, true
		}
		moved := (*state.Lanes)(nil)
		if r.IntN(2) == 0 {
			moved, m.shift = &offset, uint8(8*r.IntN(3))
		}
		x.place(&u, &m, moved)
		x.wrap(&m)
		x.weigh(&m)
		for i := range u {
			pos := plainPosition(u[i], &m, moved, i)
			if int64(x.pos[i]) != pos {
				t.Fatalf("%v %+v is at %d, want %d", u[i], m, x.pos[i], pos)
			}
			first := new(big.Int).Rsh(big.NewInt(pos), 8).Int64()
			c := m.clamp
			if half := c == gcn.ClampHalfBorder || c == gcn.ClampMirrorOnceHalfBorder; half && !m.linear {
				c = gcn.ClampLastTexel
			}
			for j := range x.at {
				texel := wrapTexel(first+int64(j), int64(m.size), c)
				if border := x.border[j]>>i&1 != 0; border != (texel < 0) || x.at[j][i] != uint32(max(texel, 0)) {
					t.Fatalf("%v %+v: texel %d, border %v, want %d", u[i], m, x.at[j][i], border, texel)
				}
			}
			f := float64(pos-first*256) / 256
			if m.linear {
				require.Equal(t, [2]float64{1 - f, f}, [2]float64{x.weight[0][i], x.weight[1][i]})
			}
			require.Equal(t, m.linear && f != 0, x.both>>i&1 != 0)
		}
	}
}

// plainPosition computes [axis.place] in rational numbers.
func plainPosition(u float64, m *ruler, offset *state.Lanes, lane int) int64 {
	p := new(big.Rat).Mul(new(big.Rat).SetFloat64(u), big.NewRat(int64(m.size), 1))
	if offset != nil {
		f := int64(offset[lane]>>m.shift) & 63
		if f >= 32 {
			f -= 64
		}
		p.Add(p, big.NewRat(f, 1))
	}
	least, most := new(big.Rat), big.NewRat(int64(m.size), 1)
	switch m.clamp {
	case gcn.ClampMirrorOnceHalfBorder:
		p.Abs(p)
		fallthrough
	case gcn.ClampHalfBorder:
		if p.Cmp(least) < 0 {
			p.Set(least)
		}
		if p.Cmp(most) > 0 {
			p.Set(most)
		}
	}
	if m.linear {
		p.Sub(p, big.NewRat(1, 2))
	}
	floor := func(v *big.Rat) int64 { return new(big.Int).Div(v.Num(), v.Denom()).Int64() } // Euclidean
	times := func(n int64) *big.Rat { return new(big.Rat).Mul(p, big.NewRat(n, 1)) }
	switch m.round {
	case toHalves:
		return floor(times(2)) * 128
	case downward:
		return floor(times(256))
	}
	v := times(256)
	n := floor(v)
	switch v.Sub(v, big.NewRat(n, 1)).Cmp(big.NewRat(1, 2)) {
	case 0:
		return n + n&1
	case 1:
		return n + 1
	}
	return n
}

// Huge coordinates repeat, stay at the edge or in the border; NaN is 0.
func TestFarCoordinates(t *testing.T) {
	var u [state.NumLanes]float64
	copy(u[:], []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, 1 << 25, -(1 << 30), 16777217 * 2, -1e38})
	var x axis
	for c := range gcn.Clamp(8) {
		m := ruler{size: 5, scale: 5, clamp: c}
		x.place(&u, &m, nil)
		x.wrap(&m)
		require.Zero(t, x.at[0][0])
		for i, v := range u[:8] {
			require.Less(t, x.at[0][i], uint32(5))
			out := i > 0 && (c == gcn.ClampBorder || c == gcn.ClampMirrorOnceBorder)
			require.Equal(t, out, x.border[0]>>i&1 != 0, "%v %v", c, v)
			if i > 0 && c == gcn.ClampLastTexel {
				require.Equal(t, v > 0, x.at[0][i] == 4)
			}
			if c <= gcn.ClampMirror && !math.IsNaN(v) { // all are even numbers
				require.Zero(t, x.at[0][i], "%v %v", c, v)
			}
		}
	}
}

func TestLog2(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range effort.Rounds(200000) {
		v := math.Exp2(r.Float64()*80 - 40)
		if exact := math.Log2(v) * 128; math.Abs(exact-math.Floor(exact)-0.5) > 1e-9 && log2(v) != int32(math.Round(exact)) {
			t.Fatalf("log2(%v) is %d/128, want %v", v, log2(v), exact)
		}
	}
	for e := -60; e < 500; e++ {
		require.EqualValues(t, 128*e, log2(math.Ldexp(1, e)))
	}
	require.EqualValues(t, zeroLOD, log2(0))
	require.EqualValues(t, zeroLOD, log2(5e-324))
}

// A texel beyond an edge is the one next to it in space, and so is the way back.
func TestNeighbour(t *testing.T) {
	place := func(face uint32, i, j, n int64) (p [3]float64) {
		f := &facePlanes[face]
		for k := range p {
			p[k] = (float64(2*i+1-n)*float64(f.s[k]) + float64(2*j+1-n)*float64(f.t[k])) / float64(n)
			p[k] += float64(f.m[k])
		}
		return p
	}
	for _, n := range []int64{1, 2, 3, 8, 100} {
		for face := range uint32(faces) {
			for j := range n {
				for _, out := range [][2]int64{{-1, j}, {n, j}, {j, -1}, {j, n}, {j, j}} {
					f, x, y := neighbour(face, out[0], out[1], n)
					inside := [2]int64{min(max(out[0], 0), n-1), min(max(out[1], 0), n-1)}
					require.Equal(t, inside == out, f == face)
					a, b := place(face, inside[0], inside[1], n), place(f, x, y, n)
					d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
					if inside == out {
						require.Equal(t, [2]int64{x, y}, inside)
					} else { // both centres are half a texel from the edge
						require.InDelta(t, math.Sqrt2/float64(n), d, 1e-9)
					}
				}
			}
		}
	}
}

// Ratio, places and LOD of footprints (rule LO3).
func TestFootprint(t *testing.T) {
	for _, c := range []struct {
		limit  float64
		g      gradient
		lod    float64
		probes uint8
		along  int
	}{
		{1, gradient{{4, 0}, {0, 2}}, 2, 1, 0},
		{1, gradient{{0, 3}, {4, 0}}, 2, 1, 0},
		{1, gradient{{}, {}}, -32, 0, 0},
		{1, gradient{{1, 1, 1}, {}}, math.Log2(3) / 2, 1, 0},
		{8, gradient{{16, 0}, {0, 4}}, 2, 4, 0},
		{2, gradient{{16, 0}, {0, 4}}, 3, 2, 0},
		{16, gradient{{1, 0}, {0, 8}}, 0, 8, 1},
		{16, gradient{{0.5, 0}, {0, 4}}, -1, 4, 1}, // no more places than texels
		{16, gradient{{0.25, 0}, {0, 0.25}}, -2, 1, 0},
		{4, gradient{{6, 6}, {6, 6}}, math.Log2(math.Sqrt(72) / 4), 4, 0}, // no area
	} {
		l := lookup{longest: c.limit}
		lod, probes, along := l.footprint(&c.g)
		require.Equal(t, int32(math.RoundToEven(c.lod*256)), lod, "%+v", c)
		require.Equal(t, c.probes, probes, "%+v", c)
		if c.limit > 1 {
			require.Equal(t, c.along, along, "%+v", c)
		}
	}
}

// Level, fraction and whether another LOD was asked for (rule LO2).
func TestChoose(t *testing.T) {
	const mini = minifies
	for _, c := range []struct {
		mip      uint8
		lod      float64
		min, max float64
		level    choice
		frac     int32
		clamped  bool
	}{
		{gcn.MipNone, -3, -32, 15, 0, 0, false},
		{gcn.MipNone, 2, 0, 15, 0 | mini, 0, false},
		{gcn.MipPoint, 0.498, 0, 15, 0 | mini, 0, false},
		{gcn.MipPoint, 0.5, 0, 15, 1 | mini, 0, false},
		{gcn.MipPoint, 9, 0, 15, 3 | mini, 0, true},
		{gcn.MipPoint, -1, 0, 15, 0, 0, true},
		{gcn.MipLinear, 1.25, 0, 15, 1 | mini, 64, false},
		{gcn.MipLinear, 3, 0, 15, 3 | mini, 0, false},
		{gcn.MipLinear, 3.125, 0, 15, 3 | mini, 0, true},
		{gcn.MipLinear, 1.25, 0, 1, 1 | mini, 0, true},
		{gcn.MipLinear, 0.25, 0.5, 15, 0 | mini, 128, true},
		{gcn.MipLinear, 0.25, 2, 1, 2 | mini, 0, true}, // MIN_LOD wins
	} {
		s := levels{mip: c.mip, min: int32(c.min * 256), max: int32(c.max * 256), last: 3, matters: true}
		_, level, frac, clamped := s.choose(int32(math.RoundToEven(c.lod * 256)))
		require.Equal(t, c.level, level, "%+v", c)
		require.Equal(t, c.frac, frac, "%+v", c)
		require.Equal(t, c.clamped, clamped, "%+v", c)
	}
}

// The size that a view states equals the size of its plans, even for those of an image with as many
// layers and levels as there can be.
func TestViewBytes(t *testing.T) {
	img := gcn.Image{
		Type: gcn.Image2DArray, DataFormat: gcn.Data8, Width: 1 << 14, Height: 1 << 14, Depth: 1 << 13, LastLevel: 14,
		LastArray: 1<<13 - 1, Pow2Pad: true, TileMode: 14,
	}
	regs, err := tile.Preset("fiji")
	require.NoError(t, err)
	words := gcn.TSharp(img.Words(gcn.GCN12))
	v := newView(gcn.GFX803, &executor.Images{Regs: regs}, &words)
	require.Nil(t, v.fault)
	const term, perLevel = 16, 1 << 13 // layers
	require.Greater(t, v.Bytes(), 15*perLevel*term)
	require.Less(t, v.Bytes(), 15*perLevel*term+2*2<<14*term+1<<16)
}
