package isa_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
)

func TestSSharpOfDriver(t *testing.T) {
	// The properties that the names of the samplers state.
	promises := map[string]func(s *isa.SamplerState) bool{
		"nearest repeat": func(s *isa.SamplerState) bool {
			return s.MagFilter == 0 && s.MinFilter == 0 && s.Clamp == [3]isa.Clamp{} && s.TruncCoord
		},
		"linear mirror/edge/border0": func(s *isa.SamplerState) bool {
			return s.MagFilter == 1 && s.Clamp == [3]isa.Clamp{isa.ClampMirror, isa.ClampLastTexel, isa.ClampBorder} &&
				s.BorderColorType == 0
		},
		"linear miplinear mirroronce bias1.5 lod .25..7.75": func(s *isa.SamplerState) bool {
			return s.MipFilter == 2 && s.Clamp[0] == isa.ClampMirrorOnceLastTexel && s.LODBias == 1.5 && s.MinLOD == 0.25 &&
				s.MaxLOD == 7.75
		},
		"aniso16": func(s *isa.SamplerState) bool { return s.MaxAniso == 4 && s.MagFilter == 3 && s.MinFilter == 3 },
		"cmp LESS border white": func(s *isa.SamplerState) bool {
			return s.Compare == 1 && s.BorderColorType == 2 && s.Clamp[0] >= isa.ClampHalfBorder
		},
		"cmp GEQUAL": func(s *isa.SamplerState) bool { return s.Compare == 6 },
		"unnorm":     func(s *isa.SamplerState) bool { return s.Unnormalized && s.MaxLOD == 0 },
		"mag lin min near bias-2": func(s *isa.SamplerState) bool {
			return s.MagFilter == 1 && s.MinFilter == 0 && s.LODBias == -2
		},
	}
	n := 0
	for _, r := range driverRows(t) {
		if r.kind != "ssharp" {
			continue
		}
		n++
		d := isa.SSharp(r.words)
		s := d.Fields(r.gen)
		require.Equal(t, d, isa.SSharp(s.Words(r.gen)), r.what)
		require.Equal(t, isa.SSharp{}, isa.SSharp(isa.Reserved(d[:], isa.SSharpFields[r.gen])), r.what)
		require.Contains(t, promises, r.what)
		require.True(t, promises[r.what](&s), "%s %s: %+v", r.chip, r.what, s)
		compat := r.gen != isa.GCN10 && r.gen != isa.GCN11 // the driver sets it on generations that have it
		require.Equal(t, compat, s.Compat)
	}
	require.Equal(t, 40, n)
}

func TestSSharpRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		g := isa.Gen(rng.IntN(isa.NumGens))
		d := isa.SSharp{rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32()}
		want, reserved := d, isa.Reserved(d[:], isa.SSharpFields[g])
		for i := range want {
			want[i] &^= reserved[i]
		}
		s := d.Fields(g)
		require.Equal(t, want, isa.SSharp(s.Words(g)), "%v %x", g, d)
	}
}

func TestSSharpLODs(t *testing.T) {
	for _, c := range []struct {
		in, want float32
	}{{1.001, 1}, {1.002, 1.00390625}, {16, 15.99609375}} {
		d := isa.SSharp(isa.SamplerState{MaxLOD: c.in}.Words(isa.GCN12))
		assert.Equal(t, c.want, d.Fields(isa.GCN12).MaxLOD, "%g", c.in)
	}
	for _, c := range []struct {
		in, want float32
	}{{-1.5, -1.5}, {-32, -32}, {32, 31.99609375}} {
		d := isa.SSharp(isa.SamplerState{LODBias: c.in, LODBiasSec: -0.5}.Words(isa.GCN10))
		f := d.Fields(isa.GCN10)
		assert.Equal(t, c.want, f.LODBias, "%g", c.in)
		assert.Equal(t, float32(-0.5), f.LODBiasSec)
	}
}
