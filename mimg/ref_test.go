package mimg_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/imgtest"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// device executes calls. It keeps decoded T#s, as a machine does.
type device struct {
	images *executor.Images
	a      state.Access
}

func newDevice(t testing.TB, target gcn.Target) *device {
	regs, err := tile.ForTarget(target)
	require.NoError(t, err)
	return &device{images: &executor.Images{Regs: regs}}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// inst returns the instruction of a call with its registers.
func inst(c *imgtest.Call) isa.Inst {
	fields := memtest.Fields{
		isa.VDATA: imgtest.VDATA, isa.ADDR: imgtest.VADDR, isa.SRSRC: imgtest.TSHARP / 4, isa.SSAMP: imgtest.SSHARP / 4,
		isa.DMASK: int64(c.DMASK),
		isa.UNRM:  bit(c.UNRM), isa.GLC: bit(c.GLC), isa.DA: bit(c.DA), isa.TFE: bit(c.TFE), isa.LWE: bit(c.LWE),
	}
	for field, set := range map[isa.Field]bool{isa.R128: c.R128, isa.A16: c.A16, isa.D16: c.D16} {
		if set {
			fields[field] = 1
		}
	}
	return memtest.Inst(c.Target, c.Name, fields)
}

// run executes a call. It changes VData and the memory as [imgtest.Call.Run] does.
func (d *device) run(t testing.TB, c *imgtest.Call) (*state.Wave, *state.Fault) {
	t.Helper()
	in := inst(c)
	require.Nil(t, executor.Check(&in, state.MaxVGPRs, nil))
	w := state.NewWave(c.Target, state.MaxVGPRs)
	w.SetExec(c.Exec)
	w.SetSGPRs(imgtest.TSHARP, c.T[:]...)
	w.SetSGPRs(imgtest.SSHARP, c.S[:]...)
	for i, v := range c.VData {
		w.V[imgtest.VDATA+i] = v
	}
	for i, v := range c.VAddr {
		w.V[imgtest.VADDR+i] = v
	}
	span := memtest.NewSpan(c.Mem.Base, len(c.Mem.Bytes))
	copy(span.Bytes, c.Mem.Bytes)
	impl := executor.Find(&in)
	require.NotNil(t, impl.Exec, impl.Why)
	f := impl.Exec(w, &executor.Ports{Mem: memtest.Memory{span}, Images: d.images,
		Borders: executor.Borders{Table: c.Border}}, &in, &d.a)
	for i := range c.VData {
		c.VData[i] = w.V[imgtest.VDATA+i]
	}
	copy(c.Mem.Bytes, span.Bytes)
	return w, f
}

// compare executes a call without a sampler, also with the reference, and compares registers, memory and the lanes in
// range.
func (d *device) compare(t testing.TB, c *imgtest.Call) {
	t.Helper()
	want, got := c.Clone(), c.Clone()
	res, err := want.Run()
	require.NoError(t, err, "%v", c)
	w, f := d.run(t, got)
	require.Nil(t, f, "%v", c)
	if d.a.Out[0] != 0 && c.T.Fields(c.Target.Gen()).DataFormat == gcn.DataBC1 {
		return // there the reference decodes a block of zeros, which is opaque
	}
	if !slices.Equal(want.VData, got.VData) {
		t.Fatalf("registers (-reference +executor)\n%s\n%v", cmp.Diff(want.VData, got.VData), c)
	}
	require.Equal(t, want.Mem.Bytes, got.Mem.Bytes, "memory\n%v", c)
	for i, v := range c.VAddr {
		require.Equal(t, v, w.V[imgtest.VADDR+i], "address\n%v", c)
	}
	if d.a.Op == gcn.NoMem {
		return
	}
	require.Equal(t, c.Exec, d.a.Exec)
	for lane, texels := range res.Texels {
		in := c.Exec>>lane&1 != 0 && d.a.Out[0]>>lane&1 == 0
		if hits := len(texels) > 0 && res.Failed>>lane&1 == 0; in != hits || in && d.a.Addr[lane] != texels[0] {
			t.Fatalf("lane %d is in range: %v, at %#x; the reference has %v, %#x\n%v", lane, in, d.a.Addr[lane], hits, texels, c)
		}
	}
}

// samples reports whether an instruction uses a sampler.
func samples(name string) bool {
	return strings.HasPrefix(name, "image_sample") || strings.HasPrefix(name, "image_gather") || name == "image_get_lod"
}

// Random instructions have the same results as the reference in package imgtest, which uses neither rows nor vector
// code.
func TestAgainstReference(t *testing.T) {
	memtest.EveryTarget(t, func(t *testing.T, target gcn.Target) {
		t.Parallel()
		d, r := newDevice(t, target), rand.New(rand.NewPCG(8, uint64(target)))
		for _, name := range imgtest.Mnemonics(target.Gen()) {
			if samples(name) {
				continue
			}
			for range memtest.States(40) {
				d.compare(t, imgtest.RandomOf(r, target, name))
			}
		}
	})
}
