package mimg_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/imgtest"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// looked are images that look-ups are tried on.
var looked = []gcn.Image{
	{Type: gcn.Image2D, DataFormat: gcn.Data8_8_8_8, Width: 13, Height: 7, LastLevel: 3, MaxMip: 3},
	{Type: gcn.Image3D, DataFormat: 12, NumFormat: gcn.NumFLOAT, Width: 9, Height: 6, Depth: 5, LastLevel: 2, MaxMip: 2},
	{Type: gcn.ImageCube, DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT, Width: 8, Height: 8, Depth: 6, LastArray: 5},
	{Type: gcn.Image2DArray, DataFormat: gcn.DataBC1, Width: 18, Height: 10, Depth: 4, LastArray: 3},
	{Type: gcn.Image2D, DataFormat: gcn.Data8_8, NumFormat: gcn.NumSINT, Width: 5, Height: 31},
}

// odd are coordinates at the edges: of texels, of images, and of float32.
var odd = []float64{0, 0.5, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat32, 1e-45,
	1 << 24, -1 << 31, 1e9}

// FuzzSampler executes look-ups with any S#, address and flags. None panics, and as long
// as the T# is the T# of the image none leaves the image, which is all memory there is.
func FuzzSampler(f *testing.F) {
	for _, s := range []gcn.SamplerState{
		{MaxLOD: 15, MagFilter: 1, MinFilter: 3, MipFilter: 2, MaxAniso: 4, LODBias: -3},
		{MaxLOD: 15, MagFilter: 1, Clamp: [3]gcn.Clamp{4, 5, 7}, BorderColorType: 2, Compare: 3, TruncCoord: true},
	} {
		for i := range looked {
			words := gcn.SSharp(s.Words(gcn.GCN12))
			var b []byte
			for _, w := range words {
				b = binary.LittleEndian.AppendUint32(b, w)
			}
			f.Add(uint8(i), uint16(i*11), uint8(i), b, uint64(i), []byte{}, uint64(1)<<(5*i)-1)
		}
	}
	var images [gcn.NumGens][5]*bench
	for i, target := range memtest.Targets {
		for j, img := range looked {
			img.TileMode = tiled(target.Gen())
			if img.Type == gcn.Image3D {
				img.TileMode = linear(target.Gen())
			}
			images[i][j] = newBench(f, target, img)
			images[i][j].w = state.NewWave(target, state.MaxVGPRs)
			images[i][j].bind(func(*gcn.Image) {})
		}
	}
	f.Fuzz(func(t *testing.T, gen uint8, inst uint16, img uint8, smp []byte, seed uint64, damage []byte, exec uint64) {
		k := images[gen%gcn.NumGens][int(img)%len(looked)]
		r := rand.New(rand.NewPCG(seed, 1))
		var names []string
		for _, name := range imgtest.Mnemonics(k.w.Target.Gen()) {
			if samples(name) {
				names = append(names, name)
			}
		}
		in := k.inst(names[int(inst)%len(names)], memtest.Fields{
			isa.SSAMP: 2, isa.VDATA: 32, isa.DMASK: 1 + r.Int64N(15), isa.UNRM: r.Int64N(2), isa.DA: r.Int64N(2),
			isa.LWE: r.Int64N(2),
		})
		for v := range 16 {
			for lane := range state.NumLanes {
				x := float32(r.NormFloat64())
				if r.IntN(4) == 0 {
					x = float32(odd[r.IntN(len(odd))])
				}
				k.w.V[v][lane] = math.Float32bits(x)
				if v == 0 && r.IntN(2) == 0 {
					k.w.V[v][lane] = r.Uint32() // offsets
				}
			}
		}
		k.bind(func(*gcn.Image) {})
		intact := true
		for i, b := range damage[:min(len(damage), 32)] {
			k.w.S[i/4] ^= uint32(b) << (i % 4 * 8)
			intact = intact && b == 0
		}
		copy(k.w.S[8:12], []uint32{0, 0, 0, 0})
		for i, b := range smp[:min(len(smp), 16)] {
			k.w.S[8+i/4] |= uint32(b) << (i % 4 * 8)
		}
		k.w.SetExec(exec)
		impl := executor.Find(&in)
		require.NotNil(t, impl.Exec, impl.Why)
		if fault := impl.Exec(k.w, k.p, &in, &k.a); fault != nil && intact {
			require.NotEqual(t, state.FaultMemory, fault.Kind, fault)
		}
	})
}
