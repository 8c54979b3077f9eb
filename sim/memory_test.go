package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		var e *MapError
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
	for _, addr := range []uint64{0x3005, 0x1003, 0x2000} { // mapped out of order
		_, err := m.Map(addr, 7)
		require.NoError(t, err)
	}
	for _, addr := range []uint64{0x1003, 0x2000, 0x3005} {
		assert.Nil(t, m.Find(addr-1))
		assert.Nil(t, m.Find(addr+7))
		for i := range uint64(7) {
			s := m.Find(addr + i)
			require.NotNil(t, s)
			_, ok := s.Offset(addr+i, 7-i)
			assert.True(t, ok)
			_, ok = s.Offset(addr+i, 8-i)
			assert.False(t, ok, "one byte too many")
		}
		_, ok := m.Find(addr).Offset(addr-1, 1)
		assert.False(t, ok, "before the start")
	}
}

func TestAllocLeavesGapsAndReusesWhatIsFree(t *testing.T) {
	var m Memory
	a, b := m.Alloc(10), m.Alloc(10)
	assert.GreaterOrEqual(t, b.Addr, a.Addr+allocAlign)
	assert.Nil(t, m.Find(a.Addr+10), "the byte after an allocation is not mapped")
	m.Free(a)
	assert.Nil(t, m.Find(a.Addr))
	c := m.Alloc(10)
	assert.Equal(t, a.Addr, c.Addr)
	d := m.Alloc(10)
	assert.NotEqual(t, b.Addr, d.Addr)
	assert.Panics(t, func() { m.Alloc(0) })
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
