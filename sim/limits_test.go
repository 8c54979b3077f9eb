package sim

import (
	"context"
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
)

// TestArgumentsSayWhatTheyLack: an argument that is missing is not reported as one of the wrong kind.
func TestArgumentsSayWhatTheyLack(t *testing.T) {
	k := &codeobj.Kernel{Name: "k", Args: []codeobj.Arg{{Name: "x", Size: 8, Kind: codeobj.GlobalBuffer}}}
	local := &codeobj.Kernel{Name: "k", Args: []codeobj.Arg{{Size: 8, Kind: codeobj.DynamicSharedPointer}}}
	m := New(gcn.GFX803)
	for _, c := range []struct {
		k    *codeobj.Kernel
		arg  Arg
		says string
	}{
		{k, Bytes(nil), "kernel k: argument 0 (x) has 8 bytes, 0 are given"},
		{k, Arg{}, "kernel k: argument 0 (x) has 8 bytes, 0 are given"},
		{k, Local(4), "kernel k: argument 0 (x) is no __local pointer but global_buffer of 8 bytes"},
		{local, Arg{}, "kernel k: argument 0 is a __local pointer; pass the bytes of LDS it gets, with Local"},
		{local, Bytes(nil), "kernel k: argument 0 is a __local pointer; pass the bytes of LDS it gets, with Local"},
		{local, Local(0), ""},
	} {
		l := Launch{Module: &Module{m: m}, Args: []Arg{c.arg}}
		_, _, _, err := l.pair(c.k)
		if c.says == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, c.says)
	}
	require.EqualError(t, badLaunch("", "x"), "dispatch: x")
}

// TestCacheBoundsCodeInMemory: MaxBytes of a cache includes decoded code from memory.
func TestCacheBoundsCodeInMemory(t *testing.T) {
	m := New(gcn.GFX803)
	m.Objects = &ObjectCache{MaxBytes: 64 << 10}
	data, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	for n := range uint32(200) {
		b := m.Alloc(256)
		for i := range 32 {
			// any instruction that differs from the others
			binary.LittleEndian.PutUint32(b.Bytes()[4*i:], 0xbe800080|n<<16&0x7f0000|n<<1&1)
		}
		binary.LittleEndian.PutUint32(b.Bytes(), 0xbf800000|n) // s_nop
		binary.LittleEndian.PutUint32(b.Bytes()[128:], 0xbf810000)
		d := &dispatch{m: m, c: &Compute{}, vgprs: 8}
		_, err := d.codeAt(context.Background(), b.Addr)
		require.NoError(t, err)
		require.LessOrEqual(t, m.Objects.code.size(), m.Objects.MaxBytes)
	}
	_, err = m.LoadObject(data)
	require.NoError(t, err)
	require.LessOrEqual(t, m.Objects.code.size()+int64(len(data)), m.Objects.MaxBytes)
}

// TestPrivateMemoryIsBounded: the private memory of all work-groups that execute at a time is within MaxBytes, and a
// work-group that needs more is refused.
func TestPrivateMemoryIsBounded(t *testing.T) {
	data, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	launch := func(most uint64) (*hsa, error) {
		m := New(gcn.GFX803)
		mod, err := m.LoadObject(data)
		require.NoError(t, err)
		k, err := mod.Object.Kernel("vadd")
		require.NoError(t, err)
		large := *k
		large.PrivateBytes = 4096
		m.MaxBytes = m.mapped + most
		return m.newHSA(&Launch{Module: mod, Kernel: "vadd", Grid: [3]uint32{1 << 20}, Group: [3]uint32{256},
			Args: []Arg{U64(0), U64(0), U64(0), U32(0)}}, &large)
	}
	const group = 4096 * 256
	h, err := launch(3*group + 64<<10)
	require.NoError(t, err)
	require.Equal(t, 3, h.segments)
	_, err = launch(group - 1)
	require.ErrorContains(t, err, "see MaxBytes of the memory")
}

// turner is a watcher with a Scheduler.
type turner struct {
	NoWatcher
	Scheduler func(next func() (unseen.Group, bool))
}

func (turner) Needs() Needs { return Needs{} }

func (w turner) Unseen() any { return unseen.Needs[*Event]{Scheduler: w.Scheduler} }

// TestTurnsFitPrivateMemory: work-groups that take turns do not have more private memory at a time than others.
func TestTurnsFitPrivateMemory(t *testing.T) {
	data, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	m := New(gcn.GFX803)
	mod, err := m.LoadObject(data)
	require.NoError(t, err)
	k, err := mod.Object.Kernel("vadd")
	require.NoError(t, err)
	k.PrivateBytes = 4096
	const group, groups = 4096 * 256, 8
	b := m.Alloc(3 * 4 * 256 * groups)
	m.MaxBytes = m.mapped + 3*group + 64<<10
	var now []unseen.Group
	most, begun := 0, 0
	l := Launch{
		Module: mod, Kernel: "vadd", Grid: [3]uint32{256 * groups}, Group: [3]uint32{256},
		Args: []Arg{U64(b.Addr), U64(b.Addr), U64(b.Addr), U32(256 * groups)},
	}
	require.NoError(t, l.Watch(&turner{Scheduler: func(next func() (unseen.Group, bool)) {
		for more := true; more; {
			var g unseen.Group
			if g, more = next(); g != nil {
				now, begun = append(now, g), begun+1
				most = max(most, len(now))
				continue
			}
			for _, g := range now {
				for !g.Run() {
				}
			}
			now = nil
		}
	}}))
	_, err = m.Dispatch(context.Background(), l)
	require.NoError(t, err)
	require.Equal(t, groups, begun)
	require.Equal(t, 3, most)
}
