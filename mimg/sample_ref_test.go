package mimg_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/imgtest"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
)

// compareSampled executes a call with a sampler, also with the reference, and compares registers and texels.
func (d *device) compareSampled(t testing.TB, c *imgtest.Call) {
	t.Helper()
	want, got := c.Clone(), c.Clone()
	res, err := want.Run()
	require.NoError(t, err, "%v", c)
	w, f := d.run(t, got)
	require.Nil(t, f, "%v", c)
	require.Empty(t, res.Diff(want, got), "%v\n%+v", c, c.S.Fields(c.Target.Gen()))
	require.Equal(t, c.Mem.Bytes, got.Mem.Bytes, "memory\n%v", c)
	for i, v := range c.VAddr {
		require.Equal(t, v, w.V[imgtest.VADDR+i], "address\n%v", c)
	}
	if d.a.Op == gcn.NoMem {
		return
	}
	for m := d.a.Exec &^ d.a.Out[0]; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if texels := res.Texels[lane]; !slices.Contains(texels, d.a.Addr[lane]) || len(texels) > int(d.a.Taps) {
			t.Fatalf("lane %d reads %#x, %d texels; the reference reads %#x\n%v", lane, d.a.Addr[lane], d.a.Taps, texels, c)
		}
	}
}

// Random look-ups have the same results as the reference in package imgtest.
func TestSamplesAgainstReference(t *testing.T) {
	memtest.EveryTarget(t, func(t *testing.T, target gcn.Target) {
		t.Parallel()
		d, r := newDevice(t, target), rand.New(rand.NewPCG(9, uint64(target)))
		for _, name := range imgtest.Mnemonics(target.Gen()) {
			if !samples(name) {
				continue
			}
			for range memtest.States(12) {
				d.compareSampled(t, imgtest.RandomOf(r, target, name))
			}
		}
	})
}

// Look-ups have the same results as in another program; see internal/testkit/imgtest/testdata.
func TestGoldenSamples(t *testing.T) {
	cases, err := imgtest.Golden()
	require.NoError(t, err)
	memtest.EveryTarget(t, func(t *testing.T, target gcn.Target) {
		t.Parallel()
		d := newDevice(t, target)
		modes := [...]int{8, 14} // LINEAR_ALIGNED and a 2D tiled mode
		if isa.GenTraits(target.Gen()).SwizzleModes {
			modes = [...]int{0, 9} // LINEAR and 64KB_S
		}
		for _, mode := range modes {
			for _, c := range cases {
				if strings.HasPrefix(c.Dim, "1D") {
					mode = modes[0]
				}
				call, err := c.Call(target, mode)
				require.NoError(t, err)
				_, f := d.run(t, call)
				require.Nil(t, f)
				require.NoError(t, c.Check(call.VData))
			}
		}
	})
}

// The result of a lane does not depend on other active lanes.
func TestLanesAreIndependent(t *testing.T) {
	memtest.EveryTarget(t, func(t *testing.T, target gcn.Target) {
		t.Parallel()
		d, r := newDevice(t, target), rand.New(rand.NewPCG(10, uint64(target)))
		for _, name := range imgtest.Mnemonics(target.Gen()) {
			for range memtest.States(4) {
				if !samples(name) {
					continue
				}
				all := imgtest.RandomOf(r, target, name)
				all.Exec = ^uint64(0)
				some := all.Clone()
				some.Exec = r.Uint64() & r.Uint64()
				if _, f := d.run(t, all); f != nil {
					continue // texels of other lanes are not mapped
				}
				before := some.Clone()
				_, f := d.run(t, some)
				require.Nil(t, f)
				for i, v := range some.VData {
					for lane, got := range v {
						want := before.VData[i][lane]
						if some.Exec>>lane&1 != 0 {
							want = all.VData[i][lane]
						}
						if got != want {
							t.Fatalf("register %d of lane %d is %#x, want %#x\n%v", i, lane, got, want, some)
						}
					}
				}
			}
		}
	})
}
