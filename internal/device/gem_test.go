//go:build linux && (amd64 || arm64)

package device

import (
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBuffers(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji", MemoryBytes: 1 << 20})
	a, bytes := c.buffer(100)
	bytes[7] = 1
	b, other := c.buffer(100)
	assert.NotEqual(t, a, b)
	assert.Zero(t, other[7])
	c.must(nrGemClose, &gemClose{Handle: a}, nil)
	assert.Equal(t, syscall.EINVAL, c.ioctl(nrGemClose, &gemClose{Handle: a}, nil))
	again, bytes := c.buffer(100)
	assert.Equal(t, a, again, "the lowest free handle")
	assert.Zero(t, bytes[7], "storage comes back zeroed")

	var out handleOut
	assert.Equal(t, syscall.ENOMEM, c.ioctl(nrGemCreate, &gemCreateIn{Size: 1 << 20, Domains: domainVRAM}, &out))
	assert.Equal(t, syscall.ENOMEM, c.ioctl(nrGemCreate, &gemCreateIn{Size: ^uint64(0), Domains: domainGTT}, &out))
	assert.Equal(t, syscall.EINVAL, c.ioctl(nrGemCreate, &gemCreateIn{Size: 4096, Domains: 1 << 20}, &out))
	c.must(nrGemCreate, &gemCreateIn{Size: 4096, Domains: domainGDS}, &out)
	assert.Equal(t, syscall.EINVAL, c.ioctl(nrGemMmap, &out, &gemMmapOut{}), "GDS has no storage")
	assert.Equal(t, syscall.ENOENT, c.ioctl(nrGemMmap, &handleOut{Handle: 99}, &gemMmapOut{}))

	var meta gemMetadata
	meta.Handle, meta.Op, meta.Data.Tiling = b, 1, 42
	c.must(0x46, &meta, &meta)
	meta.Op, meta.Data.Tiling = 2, 0
	c.must(0x46, &meta, &meta)
	assert.EqualValues(t, 42, meta.Data.Tiling)

	var info gemCreateIn
	addr := c.put(&info)
	c.must(0x50, &gemOp{Handle: b, Value: addr}, nil)
	got, err := c.at(addr, 32)
	require.NoError(t, err)
	decode(got, &info)
	assert.EqualValues(t, 100, info.Size)
}

// Pieces of the file never overlap and are aligned. When all are free, they are one piece again.
func TestStore(t *testing.T) {
	s, err := newStore(16 << 20)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.close()) }()
	rng := rand.New(rand.NewPCG(1, 2))
	taken := map[uint64]uint64{}
	for range 2000 {
		if len(taken) > 0 && rng.IntN(2) == 0 {
			for off, size := range taken {
				delete(taken, off)
				s.release(off, size)
				break
			}
			continue
		}
		size := uint64(1+rng.IntN(64)) * pageBytes
		off, ok := s.alloc(size)
		require.Equal(t, s.largest() >= size || ok, ok)
		if !ok {
			continue
		}
		require.LessOrEqual(t, off+size, s.size)
		for o, n := range taken {
			require.True(t, off+size <= o || o+n <= off)
		}
		taken[off] = size
	}
	for off, size := range taken {
		s.release(off, size)
	}
	assert.Equal(t, []extent{{0, 16 << 20}}, s.free)
	assert.Zero(t, s.used)
}
