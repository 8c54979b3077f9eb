package mimg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// Texels of a row of n=4 at positions -9 to 12, by clamp mode (rule CO4). b is the border.
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

// The size that a view reports equals the size of its plans, even for an image with the largest numbers of layers and
// levels.
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
	const term, perLevel = 16, 1 << 13 // number of layers
	require.Greater(t, v.Bytes(), 15*perLevel*term)
	require.Less(t, v.Bytes(), 15*perLevel*term+2*2<<14*term+1<<16)
}
