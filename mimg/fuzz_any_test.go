package mimg_test

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/mimg"
	"github.com/gcnsim/gcnsim/state"
)

// everywhere is memory in which one page is mapped repeatedly at all addresses.
type everywhere struct{ page *executor.Span }

func (m everywhere) Find(addr uint64) *executor.Span {
	s := *m.page
	s.Base = addr &^ (s.Hi - 1)
	return &s
}

// sizes are sizes around the limits of their fields.
var sizes = []int{1, 2, 3, 4, 5, 8, 63, 64, 65, 255, 257, 1000, 4096, 8191, 8192, 16383, 16384}

// odd are coordinates around the limits of texels, of images, and of float32.
var odd = []float64{0, 0.5, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat32, 1e-45,
	1 << 24, -1 << 31, 1e9}

// anyImage returns an image with random fields, many of them extreme; most have a layout.
func anyImage(r *rand.Rand) gcn.Image {
	pick := func(n ...int) int { return n[r.IntN(len(n))] }
	often := func(n, other int) int { return pick(n, n, n, n, n, n, n, other) }
	size := func() int { return pick(pick(sizes...), 1+r.IntN(300), 1+r.IntN(1<<14)) }
	pair := [][2]int{{4, 7}, {10, 0}, {10, 9}, {12, 7}, {14, 4}, {35 + r.IntN(7), 0}, {5, 1},
		{r.IntN(64), r.IntN(16)}}[r.IntN(8)]
	img := gcn.Image{
		Base: r.Uint64N(1<<40) << 8, Type: gcn.ImageType(often(pick(9, 13, 10, 11), r.IntN(16))),
		DataFormat: uint8(pair[0]), NumFormat: uint8(pair[1]),
		Width: size(), Height: size(), Depth: min(pick(1, 1, 6, 12, size()), 8192),
		DstSel:   [4]gcn.Sel{4, 5, gcn.Sel(r.IntN(8)), gcn.Sel(r.IntN(8))},
		TileMode: r.IntN(32), Pow2Pad: r.IntN(4) > 0, Pitch: often(1, pick(64, 256, size(), 1<<14, 1<<16)),
		BaseArray: often(0, pick(r.IntN(8), r.IntN(1<<13))),
		MinLOD:    float32(often(0, r.IntN(16))), MinLODWarn: float32(often(0, r.IntN(16))), PerfMod: uint8(r.IntN(8)),
		Interlaced: r.IntN(16) == 0,
		BCSwizzle:  uint8(r.IntN(8)), Compression: r.IntN(64) == 0,
	}
	img.LastLevel = often(r.IntN(bits.Len(uint(max(img.Width, img.Height)))), r.IntN(16))
	if isa.ShapeOf(img.Type).MSAA {
		img.LastLevel = r.IntN(4)
	}
	img.MaxMip, img.BaseLevel, img.LastArray = often(img.LastLevel, r.IntN(16)), often(0, r.IntN(16)),
		often(max(img.Depth, 6)-1, r.IntN(1<<13))
	return img
}

// namesOf returns the mnemonics of all image instructions of a generation.
func namesOf(g gcn.Gen) (names []string) {
	for op := range gcn.Op(isa.NumOps()) {
		if row := isa.RowOf(op); row.Enc == isa.MIMG && row.On(g.Target()) {
			names = append(names, row.Name)
		}
	}
	return names
}

// FuzzImages executes every instruction with arbitrary T# and S# on every target, with memory at all addresses. The
// outcome must be a result or a fault. It must depend neither on earlier instructions nor on vector code, and all
// accesses must be in the surface.
func FuzzImages(f *testing.F) {
	for i := range uint64(64) {
		f.Add(uint8(i), uint16(i*7), i, []byte{})
	}
	page := memtest.NewSpan(0, 1<<16)
	f.Fuzz(func(t *testing.T, target uint8, row uint16, seed uint64, damage []byte) {
		tryImage(t, page, target, row, seed, damage)
	})
}

// Most of FuzzImages' attempts access memory.
func TestAnyImages(t *testing.T) {
	tries := memtest.States(4000)
	page, accesses := memtest.NewSpan(0, 1<<16), 0
	for i := range uint64(tries) {
		if tryImage(t, page, uint8(i), uint16(i*i), i, nil) {
			accesses++
		}
	}
	require.Greater(t, accesses, tries/4)
}

// tryImage executes an instruction once, and reports whether it accessed memory.
func tryImage(t *testing.T, page *executor.Span, target uint8, row uint16, seed uint64, damage []byte) bool {
	r := rand.New(rand.NewPCG(seed, uint64(row)))
	w := state.NewWave(gcn.Target(target%gcn.NumTargets), state.MaxVGPRs)
	g := w.Target.Gen()
	names := namesOf(g)
	name := names[int(row)%len(names)]
	fields := memtest.Fields{isa.VDATA: 64, isa.ADDR: 4, isa.SSAMP: 2, isa.DMASK: 1 + r.Int64N(15)}
	for _, bit := range []isa.Field{isa.UNRM, isa.DA, isa.GLC, isa.TFE, isa.LWE, isa.A16, isa.D16, isa.R128} {
		if _, width := isa.FieldBits(g, isa.MIMG, bit); width > 0 && r.IntN(4) == 0 && (bit != isa.R128 || r.IntN(8) == 0) {
			fields[bit] = 1
		}
	}
	plain := memtest.Inst(g.Target(), name, fields)
	in, err := isa.Decode(w.Target, []uint32{uint32(plain.Words), uint32(plain.Words >> 32)})
	require.NoError(t, err)
	impl := executor.Find(&in)
	if impl.Exec == nil {
		require.NotEmpty(t, impl.Why)
		return false
	}
	img := anyImage(r)
	if !isa.GenTraits(g).SwizzleModes { // EPITCH has more bits than PITCH
		img.Pitch = min(img.Pitch, 1<<14)
	}
	w.SetSGPRs(0, img.On(g).Words(g)...)
	for i := range 4 {
		w.S[8+i] = r.Uint32() & r.Uint32()
	}
	for i, b := range damage[:min(len(damage), 48)] {
		w.S[i/4] ^= uint32(b) << (i % 4 * 8)
	}
	for i := range 16 {
		for lane := range state.NumLanes {
			v := math.Float32bits(float32(r.NormFloat64()))
			switch r.IntN(4) {
			case 0:
				v = uint32(r.IntN(1 << r.IntN(16)))
			case 1:
				v = math.Float32bits(float32(odd[r.IntN(len(odd))]))
			}
			w.V[4+i][lane] = v
		}
	}
	w.SetExec(r.Uint64() | r.Uint64())
	regs, err := tile.ForTarget(w.Target)
	require.NoError(t, err)
	var a, again state.Access
	ports := &executor.Ports{Mem: everywhere{page}, Images: &executor.Images{Regs: regs}}
	vgprs, memory := slices.Clone(w.V[64:72]), slices.Clone(page.Bytes)
	mimg.Poison(w, 0x55)
	fault := impl.Exec(w, ports, &in, &a)
	got, left := slices.Clone(w.V[64:72]), page.Bytes
	if in.Row().Mem.Op != gcn.Load {
		left = slices.Clone(left)
		copy(page.Bytes, memory)
	}
	copy(w.V[64:72], vgprs)
	mimg.Poison(w, 0xaa)
	var fault2 *state.Fault
	simd.Plain(func() { fault2 = impl.Exec(w, ports, &in, &again) })
	require.Equal(t, fault, fault2)
	if fault != nil {
		require.NotEmpty(t, fault.What)
		return false
	}
	require.True(t, slices.Equal(got, w.V[64:72]) && bytes.Equal(left, page.Bytes),
		"%s of %+v hangs on what was before", name, img)
	for i := range a.Addr { // entries of lanes that did not take part are undefined
		if a.Exec>>i&1 == 0 {
			a.Addr[i], again.Addr[i] = 0, 0
		}
	}
	require.Equal(t, a, again, "%s of %+v", name, img)
	if a.Op == gcn.NoMem {
		return false
	}
	words := gcn.TSharp(w.S[:8])
	if r128 := fields[isa.R128]; r128 != 0 {
		clear(words[4:])
	}
	img = words.Fields(g)
	s, err := tile.FromImage(g, &img)
	require.NoError(t, err)
	l, err := regs.Layout(s)
	require.NoError(t, err)
	for m := a.Exec &^ a.Out[0]; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		require.Less(t, a.Addr[lane]-img.Base&^l.SwizzleMask, l.Size, "lane %d of %s: %+v", lane, name, img)
	}
	return true
}
