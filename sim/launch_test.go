package sim

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// TestGroupLimit: metadata may lower the hardware's limit, or not state one.
func TestGroupLimit(t *testing.T) {
	for _, c := range []struct {
		stated, group uint32
		what          string
	}{
		{0, 1024, ""},
		{0, 1025, "kernel k: a work-group of 1025 x 1 x 1 work-items is larger than the 1024 it can have"},
		{256, 256, ""},
		{256, 257, "kernel k: a work-group of 257 x 1 x 1 work-items is larger than the 256 it can have; its metadata say so, and GroupLimit may allow up to 1024"},
		{4096, 2000, "kernel k: a work-group of 2000 x 1 x 1 work-items is larger than the 1024 it can have"},
	} {
		l := Launch{Grid: [3]uint32{4096}, Group: [3]uint32{c.group}}
		err := l.check(&codeobj.Kernel{Name: "k", MaxFlatGroupSize: c.stated})
		if c.what == "" {
			require.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.what)
		}
	}
}

// TestGroupLimitOfALaunch: a launch may replace the limit in the metadata, up to the hardware's limit.
func TestGroupLimitOfALaunch(t *testing.T) {
	k := &codeobj.Kernel{Name: "k", MaxFlatGroupSize: 256}
	l := Launch{Grid: [3]uint32{4096}, Group: [3]uint32{1024}, GroupLimit: 1024}
	require.NoError(t, l.check(k))
	l.GroupLimit = 512
	require.EqualError(t, l.check(k), "kernel k: a work-group of 1024 x 1 x 1 work-items is larger than the 512 it "+
		"can have")
	l.GroupLimit = 1025
	require.EqualError(t, l.check(k), "kernel k: a limit of 1025 work-items for a work-group; the hardware has at "+
		"most 1024")
}

// TestSizesDoNotWrap: products and sums of a launch's sizes do not overflow.
func TestSizesDoNotWrap(t *testing.T) {
	const most = math.MaxUint32
	k := &codeobj.Kernel{Name: "k"}
	for _, l := range []Launch{
		{Grid: [3]uint32{1}, Group: [3]uint32{1 << 31, 1 << 31, 4}},
		{Grid: [3]uint32{1}, Group: [3]uint32{1 << 16, 1 << 16, 1}},
		{Grid: [3]uint32{most, most, most}, Group: [3]uint32{64}},
		{Grid: [3]uint32{1 << 31, 1 << 31, 4}},
	} {
		var e *Error
		require.ErrorAs(t, l.check(k), &e, "%v %v", l.Grid, l.Group)
	}
	for axis := range 3 {
		m := New(gcn.GFX803)
		data, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
		require.NoError(t, err)
		mod, err := m.LoadObject(data)
		require.NoError(t, err)
		l := Launch{Module: mod, Kernel: "vadd", Args: []Arg{U64(0), U64(0), U64(0), U32(0)}}
		l.Grid[axis], l.Group[axis] = most, 64
		kernel, err := mod.Object.Kernel("vadd")
		require.NoError(t, err)
		require.NoError(t, l.check(kernel))
		h, err := m.newHSA(&l, kernel)
		require.NoError(t, err)
		d, err := m.newDispatch(h.registers())
		require.NoError(t, err)
		assert.EqualValues(t, 1<<26, d.total)
		assert.EqualValues(t, 1<<26, d.groups[axis])
	}
}

// where executes the kernel that stores what it sees of its grid.
func where(t *testing.T, file string, l Launch) ([]uint64, error) {
	t.Helper()
	data, err := os.ReadFile("../testdata/kernels/" + file)
	require.NoError(t, err)
	o, err := codeobj.Parse(data)
	require.NoError(t, err)
	m := New(o.Target)
	l.Kernel = "where"
	l.Module, err = m.LoadObject(data)
	require.NoError(t, err)
	buf := m.Alloc(5 * 8)
	if l.Kernarg == nil {
		l.Args = []Arg{BufferArg(buf)}
	} else {
		binary.LittleEndian.PutUint64(l.Kernarg, buf.Addr)
	}
	_, err = m.Dispatch(context.Background(), l)
	out := make([]uint64, 5)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(buf.Bytes()[8*i:])
	}
	return out, err
}

func TestOffsetAndDimensions(t *testing.T) {
	offset := [3]uint64{math.MaxUint64, 1 << 40, 7}
	for _, version := range []string{"v4", "v5"} {
		for _, cpu := range []string{"tahiti", "fiji", "gfx906"} {
			for _, c := range []struct {
				grid [3]uint32
				dim  int
				want uint64
			}{{[3]uint32{}, 0, 1}, {[3]uint32{1, 2}, 0, 2}, {[3]uint32{1, 2}, 3, 3}, {[3]uint32{1, 1, 2}, 0, 3},
				{[3]uint32{9}, 2, 2}} {
				got, err := where(t, "where."+version+"."+cpu+".co", Launch{Grid: c.grid, Offset: offset, WorkDim: c.dim})
				require.NoError(t, err)
				assert.Equal(t, append(offset[:], c.want, c.want), got, "%s %s %+v", version, cpu, c)
			}
		}
	}
	for what, l := range map[string]Launch{
		"kernel where: a grid of [1 2 1] in work-groups of [1 1 1] has more than 1 dimensions": {Grid: [3]uint32{1, 2}, WorkDim: 1},
		"kernel where: a grid of 4 dimensions; it has 1 to 3, or 0 for those that are used":    {WorkDim: 4},
		"kernel where: an offset is a hidden argument; with a kernarg segment write it there":  {Kernarg: make([]byte, 64), Offset: [3]uint64{0, 1}},
		"kernel where: its kernarg segment has 64 bytes, 63 are given":                         {Kernarg: make([]byte, 63)},
		"kernel where: a kernarg segment of 1048577 bytes; it has at most 1048576":             {Kernarg: make([]byte, maxKernarg+1)},
		"kernel where: it needs 65537 bytes of LDS, a work-group has at most 65536":            {DynamicLDS: 65537},
		"kernel where: it needs 4294967295 bytes of LDS, a work-group has at most 65536":       {DynamicLDS: math.MaxUint32, Kernarg: make([]byte, 64)},
	} {
		_, err := where(t, "where.v4.fiji.co", l)
		require.EqualError(t, err, what)
	}
}

func TestKernargSegmentAsItIs(t *testing.T) {
	kernarg := make([]byte, 64)
	for i := range kernarg {
		kernarg[i] = byte(i)
	}
	got, err := where(t, "where.v4.fiji.co", Launch{Kernarg: kernarg})
	require.NoError(t, err)
	assert.Equal(t, []uint64{0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918, 1, 1}, got)

	m := New(gcn.GFX803)
	data, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	l := Launch{Module: mod, Kernel: "vadd", Kernarg: make([]byte, 64), Args: []Arg{U32(0)}}
	_, err = m.Dispatch(context.Background(), l)
	require.EqualError(t, err, "kernel vadd: arguments and a kernarg segment are given; give one")
	l = Launch{Module: mod, Kernel: "vadd", Args: []Arg{U64(0), U64(0), U64(0), U32(0)}, Offset: [3]uint64{0, 0, 5}}
	_, err = m.Dispatch(context.Background(), l)
	require.EqualError(t, err, "kernel vadd: it has no argument hidden_global_offset_z, so an offset of 5 has no "+
		"effect; leave it 0")
}

func TestScratchIsThatOfTheHardware(t *testing.T) {
	for _, c := range []struct {
		bytes uint32
		what  string
	}{
		{131056, ""},
		{131057, "kernel vadd: it needs 131057 bytes of scratch a work-item, the hardware has at most 131056"},
		{256 << 20, "kernel vadd: it needs 268435456 bytes of scratch a work-item, the hardware has at most 131056"},
		{math.MaxUint32, "kernel vadd: it needs 4294967295 bytes of scratch a work-item, the hardware has at most 131056"},
	} {
		m, mod := loaded(t, gcn.GFX803, kernelFile(t, "vadd.fiji.co"), nil)
		kernel, err := mod.Object.Kernel("vadd")
		require.NoError(t, err)
		k := *kernel
		k.PrivateBytes = c.bytes
		l := launchOf(t, mod, "vadd")
		h, err := m.newHSA(&l, &k)
		if c.what != "" {
			require.EqualError(t, err, c.what)
			continue
		}
		require.NoError(t, err)
		assert.EqualValues(t, 8<<20-1<<10, h.waveScratch)
		assert.Nil(t, m.find(h.scratch.base), "workers have it")
		h.release()
	}
	m, mod := loaded(t, gcn.GFX803, kernelFile(t, "structs.O0.fiji.co"), nil)
	l := launchOf(t, mod, "structs")
	before := m.Alloc(1)
	m.Free(before)
	_, err := m.Dispatch(context.Background(), l)
	require.ErrorContains(t, err, "limit")
	assert.Equal(t, before.Addr, m.Alloc(1).Addr, "private memory is freed")
}

func TestModulesBelongToAMachine(t *testing.T) {
	m, mod := loaded(t, gcn.GFX803, kernelFile(t, "vadd.fiji.co"), nil)
	l := launchOf(t, mod, "vadd")
	const what = "kernel vadd: its module is not in the memory of this machine; load it there"
	_, err := New(gcn.GFX803).Dispatch(context.Background(), l)
	require.EqualError(t, err, what)
	mod.Unload()
	_, err = m.Dispatch(context.Background(), l)
	require.EqualError(t, err, what)
	_, err = m.Dispatch(context.Background(), Launch{Kernel: "vadd"})
	require.EqualError(t, err, what)
}

func TestThePanicOfProgressSaysSo(t *testing.T) {
	m, mod := loaded(t, gcn.GFX803, kernelFile(t, "vadd.fiji.co"), nil)
	l := launchOf(t, mod, "vadd")
	patch(t, mod, 0xbf810000) // s_endpgm
	l.Progress = func(int, int) { panic("of the user") }
	_, err := m.Dispatch(context.Background(), l)
	f, _ := internalFault(t, err)
	assert.Equal(t, "Launch.Progress panicked: of the user", f.What)
	l.Progress = nil
	_, err = m.Dispatch(context.Background(), l)
	require.NoError(t, err)
}

// TestCancellationStopsBeforeTheNextInstruction: a cancelled run does not wait for another instruction, which may be
// slow.
func TestCancellationStopsBeforeTheNextInstruction(t *testing.T) {
	m, mod := loaded(t, gcn.GFX803, kernelFile(t, "vadd.fiji.co"), nil)
	m.Limit = math.MaxUint64
	observe := func(cancel func()) Watcher {
		n := 0
		return Observer(func(*Event) {
			if n++; n == 10 {
				cancel()
			}
			if n >= 10 {
				time.Sleep(time.Millisecond)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	require.NoError(t, m.Watch(observe(cancel)))
	res, err := m.RunAsm(ctx, m.NewWave(), "loop:\ns_branch loop")
	require.ErrorIs(t, err, context.Canceled)
	assert.Less(t, res.Instructions, uint64(1000))

	patch(t, mod, 0xbf82ffff) // s_branch to itself
	l := launchOf(t, mod, "vadd")
	l.Limit = math.MaxUint64
	ctx, cancel = context.WithCancel(context.Background())
	require.NoError(t, l.Watch(observe(cancel)))
	res, err = m.Dispatch(ctx, l)
	require.ErrorIs(t, err, context.Canceled)
	assert.Less(t, res.Instructions, uint64(1000))

	l.Config = Config{Limit: 100}
	_, err = m.Dispatch(context.Background(), l)
	require.ErrorContains(t, err, "limit of 100 instructions", "the machine goes on")
}

// TestLimitsDoNotWrap: a wave that has executed instructions may continue without a limit.
func TestLimitsDoNotWrap(t *testing.T) {
	m := New(gcn.GFX803)
	m.Limit = math.MaxUint64
	w := m.NewWave()
	for range 3 {
		w.PC = 0
		_, err := m.RunAsm(context.Background(), w, "s_nop 0\ns_nop 0")
		require.NoError(t, err)
	}
}
