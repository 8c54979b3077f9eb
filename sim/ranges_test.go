package sim_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// TestUnboundRanges: in an unbound range loads return 0, and stores and atomics have no effect, even for elements
// that cross its end. The rest of the range stays unbound when a part of it is bound.
func TestUnboundRanges(t *testing.T) {
	const base, size = 1 << 40, 64 << 40
	m := sim.New(gcn.GFX803)
	require.NoError(t, m.LendUnbound(base, size, "nothing"))
	storage := lentPages(1)
	m.Unmap(base+1<<30, 4096)
	require.NoError(t, m.Lend(base+1<<30, storage, "bound", false))
	for _, at := range []uint64{base, base + 16<<20 - 2, base + 33<<40, base + 1<<30 - 6, base + 1<<30 + 4096 - 2,
		base + size - 64} {
		clear(storage)
		w := m.NewWave()
		w.SetBuffer(0, gcn.Buffer{Base: at &^ 3, NumRecords: 64})
		_, err := m.RunAsm(ctx, w, `
			s_mov_b64 exec, 1
			v_mov_b32 v1, 0x07070707
			v_mov_b32 v2, 0x07070707
			v_mov_b32 v3, 0x07070707
			buffer_store_dwordx2 v[1:2], off, s[0:3], 0
			buffer_store_byte v1, off, s[0:3], 0 offset:1
			buffer_atomic_add v3, off, s[0:3], 0 glc
			buffer_load_dwordx2 v[4:5], off, s[0:3], 0
			s_load_dword s8, s[0:1], 0x0
			s_waitcnt lgkmcnt(0)`)
		require.NoError(t, err)
		var b [8]byte
		require.NoError(t, m.Write(at, []byte{1, 2, 3, 4, 5, 6, 7, 8}))
		require.NoError(t, m.Read(at, b[:]))
		for i := range b {
			bound := at+uint64(i)-(base+1<<30) < 4096
			assert.Equal(t, bound, b[i] != 0, "0x%x + %d: %v", at, i, b)
		}
		dword := func(at uint64, stored uint32) uint32 {
			if at-(base+1<<30) < 4096 {
				return stored
			}
			return 0
		}
		assert.Equal(t, dword(at&^3, 0x0e0e0e0e), w.V[4][0])
		assert.Equal(t, dword(at&^3+4, 0x07070707), w.V[5][0], "0x%x", at)
		assert.Equal(t, dword(at&^3, 0x07070707), w.V[3][0], "the old value")
		assert.Equal(t, w.V[4][0], w.S[8])
	}
	require.Error(t, m.LendUnbound(base+4096, 16, ""), "something lies there")
	require.Error(t, m.LendUnbound(0, 0, ""))
	require.Error(t, m.LendUnbound(8, 16, ""))
	require.Error(t, m.LendUnbound(^uint64(15), 32, ""))
	m.Unmap(base, size)
	require.Error(t, m.Read(base, make([]byte, 1)))
}

// pageOwner is the state of a page in a simple model of memory: 0 is unmapped, 1 unbound, other values identify lent
// pages.
type pageOwner uint16

const fuzzPages = 64

// rangeSequence applies the operations that steps encodes to a memory and to a list of pages, and compares the two.
func rangeSequence(t *testing.T, steps []byte) {
	const page = 4096
	m := sim.New(gcn.GFX803)
	storage := lentPages(fuzzPages)
	for i := range fuzzPages {
		binary.LittleEndian.PutUint16(storage[i*page:], uint16(i+2))
		binary.LittleEndian.PutUint16(storage[(i+1)*page-2:], uint16(i+2))
	}
	const base uint64 = 1 << 32
	var plain [fuzzPages]pageOwner
	for ; len(steps) >= 4; steps = steps[4:] {
		lo := int(steps[1]) % fuzzPages
		n := min(1+int(steps[2])%16, fuzzPages-lo)
		from := int(steps[3]) % (fuzzPages - n + 1)
		free := true
		for _, o := range plain[lo : lo+n] {
			free = free && o == 0
		}
		addr, size := base+uint64(lo*page), uint64(n*page)
		replace := steps[0]&4 != 0
		if replace || steps[0]%4 == 0 {
			m.Unmap(addr, size)
			clear(plain[lo : lo+n])
			free = true
		}
		var err error
		switch steps[0] % 4 {
		case 0:
			continue
		case 1:
			err = m.LendUnbound(addr, size, "")
		default:
			err = m.Lend(addr, storage[from*page:(from+n)*page], "", steps[0]&8 != 0)
		}
		require.Equal(t, free, err == nil)
		for i := range n {
			switch {
			case !free:
			case steps[0]%4 == 1:
				plain[lo+i] = 1
			default:
				plain[lo+i] = pageOwner(from + i + 2)
			}
		}
	}
	for i, o := range plain {
		for _, at := range []uint64{base + uint64(i)*page, base + uint64(i+1)*page - 2} {
			var b [2]byte
			err := m.Read(at, b[:])
			require.Equal(t, o != 0, err == nil, "page %d", i)
			require.Equal(t, o != 0, m.View(at) != nil)
			if o > 1 {
				require.EqualValues(t, o, binary.LittleEndian.Uint16(b[:]), "page %d", i)
			} else {
				require.Zero(t, b, "page %d", i)
			}
		}
	}
}

func TestRangeSequences(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		steps := make([]byte, 4*r.IntN(400))
		for i := range steps {
			steps[i] = byte(r.Uint32())
		}
		rangeSequence(t, steps)
	}
}

// FuzzRanges compares memory with a simple list of pages while ranges are mapped, partly unmapped and mapped over.
func FuzzRanges(f *testing.F) {
	f.Add([]byte{2, 0, 15, 0, 0, 4, 3, 0, 5, 2, 9, 0})
	f.Fuzz(rangeSequence)
}
