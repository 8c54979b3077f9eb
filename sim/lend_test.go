package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TestLentStorageIsShared: the same bytes are mapped at two addresses, accesses cross from one range to the next, and
// ranges are unmapped in part.
func TestLentStorageIsShared(t *testing.T) {
	m := sim.New(gcn.GFX803)
	storage := lentPages(4)
	require.NoError(t, m.Lend(0x10000, storage, "whole", false))
	require.NoError(t, m.Lend(0x20000, storage[2*4096:3*4096], "third", false))
	require.NoError(t, m.Lend(0x21000, storage[:4096], "first", false))
	own := m.Alloc(64)

	require.NoError(t, m.Write(0x20ffe, []byte{1, 2, 3, 4}))
	assert.Equal(t, []byte{1, 2}, storage[3*4096-2:3*4096])
	assert.Equal(t, []byte{3, 4}, storage[:2])
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: 0x20ffc, NumRecords: 64})
	_, err := m.RunAsm(ctx, w, `
		buffer_load_dword v1, off, s[0:3], 0 offset:4
		s_load_dwordx2 s[4:5], s[0:1], 0x0
		s_waitcnt lgkmcnt(0)
		v_mov_b32 v2, s4
		v_mov_b32 v3, s5
		buffer_store_dwordx2 v[2:3], off, s[0:3], 0 offset:16`)
	require.NoError(t, err)
	assert.EqualValues(t, 0x02010000, w.S[4])
	assert.EqualValues(t, 0x0403, w.S[5])
	assert.EqualValues(t, 0x0403, w.V[1][0])
	assert.Equal(t, []byte{0, 0, 1, 2, 3, 4}, storage[12:18])

	m.Unmap(0x11000, 0x1000)
	m.Unmap(own.Addr, 64) // not lent, so it stays mapped
	var b [1]byte
	for addr, mapped := range map[uint64]bool{0x10fff: true, 0x11000: false, 0x11fff: false, 0x12000: true,
		0x13fff: true, own.Addr: true} {
		assert.Equal(t, mapped, m.Read(addr, b[:]) == nil, "0x%x", addr)
	}
	storage[2*4096] = 77
	require.NoError(t, m.Read(0x12000, b[:]))
	assert.EqualValues(t, 77, b[0], "what is left lies where it lay")
	require.NoError(t, m.Lend(0x11000, storage[3*4096:], "again", false))
	m.Unmap(0, ^uint64(0))
	require.Error(t, m.Read(0x20000, b[:]))
}

func TestLendRefuses(t *testing.T) {
	m := sim.New(gcn.GFX803)
	storage := lentPages(1)
	require.NoError(t, m.Lend(0x10000, storage, "", false))
	for _, c := range []struct {
		addr    uint64
		storage []byte
		what    string
	}{
		{0x20000, nil, "at least one byte"},
		{0x20008, storage, "multiples of 16"},
		{0x20000, storage[:24], "multiples of 16"},
		{0x20000, storage[4:20], "not aligned to 8 bytes"},
		{^uint64(0xfff), storage, "wraps"},
		{0x10ff0, storage, "overlaps the range at 0x10000 of 4096 bytes"},
	} {
		var e *sim.Error
		err := m.Lend(c.addr, c.storage, "", false)
		require.ErrorAs(t, err, &e, c.what)
		assert.ErrorContains(t, err, c.what)
	}
}

// Faults name the nearest range, or say that it is read-only.
func TestFaultsNameLentRanges(t *testing.T) {
	m := sim.New(gcn.GFX803)
	require.NoError(t, m.Lend(0x10000, lentPages(1), "buffer object 3", true))
	require.NoError(t, m.Lend(0x30000, lentPages(1), "buffer object 4", false))
	for _, c := range []struct{ base, text, what string }{
		{"0x10010", "buffer_store_dword v0, off, s[0:3], 0", "mapped for reading alone; map it writable or check the address; it lies in buffer object 3 (0x10000 to 0x10fff, 4096 bytes)"},
		{"0x10010", "buffer_atomic_add v0, off, s[0:3], 0", "mapped for reading alone"},
		{"0x11010", "buffer_load_dword v0, off, s[0:3], 0", "it lies 16 bytes beyond the end of buffer object 3"},
		{"0x2ff00", "s_load_dword s8, s[0:1], 0x0", "it lies 256 bytes before buffer object 4"},
	} {
		w := m.NewWave()
		_, err := m.RunAsm(ctx, w, "s_mov_b32 s0, "+c.base+"\ns_mov_b32 s1, 0\ns_movk_i32 s2, 64\ns_mov_b32 s3, 0\n"+c.text)
		var f *state.Fault
		require.ErrorAs(t, err, &f, c.text)
		assert.Equal(t, state.FaultMemory, f.Kind)
		assert.Contains(t, f.What, c.what)
	}
}
