package sim

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

func TestMapRefusesWhatItCannotHold(t *testing.T) {
	var m Memory
	_, err := m.Map(0x1000, 0x100)
	require.NoError(t, err)
	for name, r := range map[string]struct{ addr, size uint64 }{
		"empty":          {0x5000, 0},
		"wraps":          {^uint64(0) - 4, 16},
		"too large":      {0x5000, 1 << 40},
		"same":           {0x1000, 0x100},
		"around":         {0x0f00, 0x1000},
		"inside":         {0x1010, 1},
		"over the end":   {0x10ff, 2},
		"over the start": {0x0fff, 2},
	} {
		_, err := m.Map(r.addr, r.size)
		var e *Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, r.addr, e.Addr, name)
	}
	_, err = m.Map(0x1100, 4)
	require.NoError(t, err, "adjacent ranges do not overlap")
	_, err = m.Map(0x0ffc, 4)
	require.NoError(t, err)
}

func TestFindKnowsTheByteLimitsOfARange(t *testing.T) {
	var m Memory
	for _, addr := range []uint64{0x3005, 0x1003, 0x2000} { // not in the order of addresses
		_, err := m.Map(addr, 7)
		require.NoError(t, err)
	}
	for _, addr := range []uint64{0x1003, 0x2000, 0x3005} {
		assert.Nil(t, m.find(addr-1))
		assert.Nil(t, m.find(addr+7))
		for i := range uint64(7) {
			s := m.find(addr + i)
			require.NotNil(t, s)
			_, ok := s.Offset(addr+i, 7-i)
			assert.True(t, ok)
			_, ok = s.Offset(addr+i, 8-i)
			assert.False(t, ok, "one byte too many")
		}
		_, ok := m.find(addr).Offset(addr-1, 1)
		assert.False(t, ok, "before the start")
	}
}

func TestAllocLeavesGapsAndReusesWhatIsFree(t *testing.T) {
	var m Memory
	a, b := m.Alloc(10), m.Alloc(10)
	assert.GreaterOrEqual(t, b.Addr, a.Addr+pageBytes)
	assert.Nil(t, m.find(a.Addr+10), "the byte after an allocation is not mapped")
	m.Free(a)
	assert.Nil(t, m.find(a.Addr))
	c := m.Alloc(10)
	assert.Equal(t, a.Addr, c.Addr)
	d := m.Alloc(10)
	assert.NotEqual(t, b.Addr, d.Addr)
}

func TestBufferViews(t *testing.T) {
	var m Memory
	b := m.Alloc(9)
	b.SetUint32s(0x04030201, 0x08070605)
	assert.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8, 0}, b.Bytes())
	assert.Equal(t, []uint32{0x04030201, 0x08070605}, b.Uint32s())
	b.SetFloat32s(1.5)
	assert.Equal(t, float32(1.5), b.Float32s()[0])
}

// A mistake of the caller panics if the function returns no error. The text names the mistake, whichever package
// detects it.
func TestMistakesOfCallers(t *testing.T) {
	const no = gcn.Target(200)
	b := new(Memory).Alloc(9)
	for want, call := range map[string]func(){
		"sim: SetUint32s: 3 dwords do not fit into the 9 bytes":      func() { b.SetUint32s(1, 2, 3) },
		"sim: SetFloat32s: 4 dwords do not fit into the 9 bytes":     func() { b.SetFloat32s(1, 2, 3, 4) },
		"gcn: there is no Target 200; use a constant such as GFX900": func() { New(no) },
		"gcn: there is no Target 200; use a constant":                func() { state.NewWave(no, 4) },
		"gcn: there is no Target 200; use a":                         func() { NewProgram(no, 0, []uint32{0}, 4) },
		"gcn: there is no Target 200; use":                           func() { _, _ = isa.Decode(no, []uint32{0}) },
		"gcn: there is no Gen 5; use a constant such as GCN14":       func() { gcn.Gen(5).Target() },
		"gcn: there is no Gen 6; use a constant such as GCN14":       func() { isa.GenTraits(gcn.Gen(6)) },
	} {
		func() {
			defer func() { assert.Contains(t, recover(), want) }()
			call()
		}()
	}
	assert.Zero(t, b.Bytes()[0], "nothing is written in part")
}

func TestReadAndWriteAtAnAddress(t *testing.T) {
	var m Memory
	for _, r := range []struct{ addr, size uint64 }{{0x1003, 5}, {0x1008, 8}, {0x1010, 1}, {^uint64(0) - 8, 8}} {
		_, err := m.Map(r.addr, r.size)
		require.NoError(t, err)
	}
	want := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	require.NoError(t, m.Write(0x1003, want), "three ranges side by side")
	got := make([]byte, len(want))
	require.NoError(t, m.Read(0x1003, got))
	assert.Equal(t, want, got)
	got = make([]byte, 3)
	require.NoError(t, m.Read(0x1007, got))
	assert.Equal(t, want[4:7], got)
	require.NoError(t, m.Write(0, nil), "nothing to access")
	for _, c := range []struct{ addr, size, unmapped uint64 }{
		{0x1002, 1, 0x1002}, {0x1003, 15, 0x1011}, {0x1011, 1, 0x1011}, {0x1000, 64, 0x1000}, {^uint64(0) - 8, 9, ^uint64(0)},
		{^uint64(0), 1, ^uint64(0)}, {^uint64(0) - 1, 8, ^uint64(0)},
	} {
		want := &Error{Kind: BadAccess, Addr: c.addr, Size: c.size,
			What: fmt.Sprintf("no mapped range holds 0x%x", c.unmapped)}
		p := make([]byte, c.size)
		assert.Equal(t, want, m.Read(c.addr, p))
		assert.Equal(t, p, make([]byte, c.size), "nothing is read")
		for i := range p {
			p[i] = 0xff
		}
		assert.Equal(t, want, m.Write(c.addr, p))
	}
	got = make([]byte, len(want))
	require.NoError(t, m.Read(0x1003, got))
	assert.Equal(t, want, got, "nothing is written")
}

func TestAllocOfNothing(t *testing.T) {
	for _, placement := range []uint64{0, 1} {
		m := Memory{Placement: placement}
		a, b, c := m.Alloc(0), m.Alloc(0), m.Alloc(8)
		assert.NotEqual(t, a.Addr, b.Addr)
		assert.Empty(t, a.Bytes())
		assert.Nil(t, m.find(a.Addr))
		m.Free(a)
		m.Free(a)
		again := m.Alloc(0)
		assert.Equal(t, a.Addr, again.Addr)
		m.Free(b)
		assert.NotNil(t, m.find(c.Addr))
	}
}

func TestAllocateRefusesWhatItCannotHold(t *testing.T) {
	for _, placement := range []uint64{0, 1, math.MaxUint64} {
		m := Memory{Placement: placement}
		for _, c := range [][2]uint64{{math.MaxUint64, 1}, {1 << 37, 0}, {16, math.MaxUint64}, {16, 1 << 41}, {16, 1 << 40}} {
			_, err := m.Allocate(c[0], c[1])
			var e *Error
			require.ErrorAs(t, err, &e, "%d", c)
			assert.Equal(t, c[0], e.Size)
		}
	}
	m := Memory{MaxBytes: 100}
	a := m.Alloc(40)
	m.Alloc(0)
	_, err := m.Map(0x1000, 61)
	require.EqualError(t, err, "cannot map 61 bytes at 0x1000: 40 bytes are mapped, and there may be 60 more; see "+
		"MaxBytes of the memory")
	m.Alloc(60)
	_, err = m.Allocate(1, 0)
	require.Error(t, err)
	m.Free(a)
	m.Alloc(40)
}

// TestSpreadPlacement tests the documented properties of [Memory].Placement.
func TestSpreadPlacement(t *testing.T) {
	sizes := []uint64{1, 4, 255, 256, 257, 1000, 4096, 4097, 5000, 8192, 65536, 1 << 20, 3 << 20}
	for i, seed := range []uint64{1, 2, 3, 77, math.MaxUint64} {
		if effort.LeavesOut(i) {
			continue
		}
		m, next := Memory{Placement: seed}, Memory{Placement: seed + 1}
		across := 0
		var all []*Buffer
		for i := range 600 {
			size := sizes[i%len(sizes)]
			b, err := m.Allocate(size, 0)
			require.NoError(t, err)
			all = append(all, b)
			assert.Zero(t, b.Addr%spreadAlign)
			assert.GreaterOrEqual(t, b.Addr, uint64(windowBytes), "an address cut to 32 bits is not mapped")
			assert.LessOrEqual(t, b.Addr+size, uint64(1)<<40)
			first, last := b.Addr>>32, (b.Addr+size-1)>>32
			straddles := first != last
			if straddles {
				across++
				assert.Nil(t, m.find(first<<32), "the address without the carry")
			}
			if !straddles || size > pageBytes {
				assert.Less(t, -(b.Addr+size)%pageBytes, uint64(spreadAlign), "the end in a page")
			}
			if i < 20 && size > spreadAlign && seed+1 != packed {
				other, err := next.Allocate(size, 0)
				require.NoError(t, err)
				assert.NotEqual(t, straddles, other.Addr>>32 != (other.Addr+size-1)>>32, "seed %d, range %d", seed, i)
			} else if seed+1 != packed {
				_, _ = next.Allocate(size, 0)
			}
		}
		for _, b := range all { // the pages around each range are not mapped
			assert.Same(t, b.span, m.find(b.Addr))
			for before := range m.list().Before(b.Addr) {
				assert.LessOrEqual(t, before.Hi+pageBytes, b.Addr)
				break
			}
		}
		assert.Greater(t, across, 80, "of the first 254 every other one, if it is large enough")

		// Freed ranges are allocated again.
		for _, i := range []int{300, 17, 5} {
			m.Free(all[i])
		}
		for _, i := range []int{5, 17, 300} {
			assert.Equal(t, all[i].Addr, m.Alloc(int(all[i].Size)).Addr)
		}
	}
}

func TestSharedMemoryOfNoSize(t *testing.T) {
	m := Machine{LDSSize: -1}
	assert.PanicsWithValue(t, "sim: LDSSize of the machine is -1", func() { m.LDS() })
	assert.Empty(t, m.GDS().Bytes())
}

// TestAllocateKeepsAlignments: an address is a multiple of the requested alignment and of the placement's alignment,
// or the request is refused.
func TestAllocateKeepsAlignments(t *testing.T) {
	for placement, own := range map[uint64]uint64{0: 4096, 1: 256, 77: 256} {
		for _, size := range []uint64{0, 1, 16, 5000} {
			var m Memory
			m.Placement = placement
			for _, align := range []uint64{0, 1, 3, 48, 256, 257, 1000, 4096, 6144, 1 << 20, 3 << 20, 12345} {
				b, err := m.Allocate(size, align)
				require.NoError(t, err)
				require.Zero(t, b.Addr%max(align, 1), "%d bytes at a multiple of %d, placement %d", size, align, placement)
				require.Zero(t, b.Addr%own, "%d bytes at a multiple of %d, placement %d", size, align, placement)
			}
			for _, align := range []uint64{1 << 40, 1<<40 - 1, 1<<39 + 1, math.MaxUint64} {
				_, err := m.Allocate(size, align)
				var refused *Error
				require.ErrorAs(t, err, &refused, align)
			}
		}
	}
}
