package mimg_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

const base = 0x1_0000_0000

var identity = [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}

// bench is a wave with an image in s[0:7], x and y of 8x8 texels in v0 and v1, and more address parts in v2 and v3.
type bench struct {
	w    *state.Wave
	p    *executor.Ports
	a    state.Access
	img  gcn.Image
	l    tile.Layout
	span *executor.Span
}

// newBench creates an image. Type 0 means 2D, DST_SEL 0 means XYZW.
func newBench(t testing.TB, target gcn.Target, img gcn.Image) *bench {
	t.Helper()
	regs, err := tile.ForTarget(target)
	require.NoError(t, err)
	if img.Type == 0 {
		img.Type = gcn.Image2D
	}
	if img.DstSel == [4]gcn.Sel{} {
		img.DstSel = identity
	}
	g := target.Gen()
	img.Base, img.Pow2Pad, img.Depth, img.Height = base, img.LastLevel > 0 && !isa.ShapeOf(img.Type).MSAA,
		max(img.Depth, 1),
		max(img.Height, 1)
	s, err := tile.FromImage(g, &img)
	require.NoError(t, err)
	b := &bench{w: state.NewWave(target, 16), img: img}
	b.l, err = regs.Layout(s)
	require.NoError(t, err)
	b.img.Pitch = b.l.Levels()[0].Pitch * s.BlockW
	if isa.GenTraits(g).SwizzleModes {
		b.img.Pitch = b.l.EPitch
	}
	b.span = memtest.NewSpan(base, int(b.l.Size))
	b.p = &executor.Ports{Mem: memtest.Memory{b.span}, Images: &executor.Images{Regs: regs}}
	b.bind(func(*gcn.Image) {})
	for lane := range 64 {
		b.w.V[0][lane], b.w.V[1][lane] = uint32(lane%8), uint32(lane/8)
	}
	return b
}

// bind changes the T# and writes it to s[0:7].
func (b *bench) bind(change func(*gcn.Image)) {
	change(&b.img)
	b.w.SetSGPRs(0, b.img.On(b.w.Target.Gen()).Words(b.w.Target.Gen())...)
}

// withData adds the defaults VDATA v4 and DMASK 15 to fields.
func withData(fields memtest.Fields) memtest.Fields {
	all := memtest.Fields{isa.VDATA: 4, isa.DMASK: 15}
	maps.Copy(all, fields)
	return all
}

func (b *bench) inst(name string, fields memtest.Fields) isa.Inst {
	return memtest.Inst(b.w.Target, name, withData(fields))
}

func (b *bench) run(t testing.TB, name string, fields memtest.Fields) *state.Fault {
	t.Helper()
	exec, in := memtest.Bind(t, b.w.Target, name, withData(fields))
	return exec(b.w, b.p, in, &b.a)
}

// at returns the bytes of an element of sample 0.
func (b *bench) at(t testing.TB, level, x, y, z int) []byte {
	t.Helper()
	addr, err := b.l.Addr(level, x, y, z, 0)
	require.NoError(t, err)
	return b.span.Bytes[addr:][:b.l.Surface.Bytes]
}

// linear and tiled return tiling modes of a generation: linear, and 2D tiles or 64 KB blocks.
func linear(g gcn.Gen) int {
	if isa.GenTraits(g).SwizzleModes {
		return 0
	}
	return 8
}

func tiled(g gcn.Gen) int {
	if isa.GenTraits(g).SwizzleModes {
		return 25
	}
	return 14
}
