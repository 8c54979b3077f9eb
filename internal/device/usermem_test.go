//go:build linux && (amd64 || arm64)

package device

import (
	"encoding/binary"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Flags of GEM_USERPTR: those that libdrm sets, and the flag for read-only memory.
const (
	userWritten  = 2 | 4 | 8
	userReadOnly = 1
)

// user creates a buffer object for memory of the process, and maps it at a GPU address.
func (c *client) user(there, va, size uint64, flags uint32) (handle uint32) {
	c.t.Helper()
	in := gemUserptr{Addr: there, Size: size, Flags: flags}
	c.must(0x51, &in, &in)
	c.must(nrGemVA, &gemVA{Handle: in.Handle, Operation: vaMap, Flags: pageReadable | pageWriteable, Addr: va, Size: size},
		nil)
	return in.Handle
}

// copied returns a packet that copies a dword.
func copied(to, from uint64) []uint32 {
	return packet(0x50, 0, low(from), high(from), low(to), high(to), 4)
}

// TestUserMemory: submissions see the memory of the process as it is when they begin, and the process sees what they
// wrote.
func TestUserMemory(t *testing.T) {
	// HangAfter is long, so that a check for hangs does not replace a poll of the memory.
	c := newClient(t, Options{Chip: "fiji", MemoryBytes: 16 << 20, HangAfter: time.Hour})
	const there = arenaBase + 0x80000
	q := c.queue(ipCompute, 0, commandsVA)
	handle := c.user(there, dataVA, 8192, userWritten)
	put := func(at uint64, v uint32) {
		require.NoError(t, c.WriteAt(binary.LittleEndian.AppendUint32(nil, v), there+at))
	}
	get := func(at uint64) uint32 {
		var b [4]byte
		require.NoError(t, c.ReadAt(b[:], there+at))
		return binary.LittleEndian.Uint32(b[:])
	}
	for i := range uint32(3) {
		put(16, 7+i)
		put(4096, 100+i)
		q.submit(copied(dataVA+8, dataVA+16)...)
		assert.Equal(t, [3]uint32{7 + i, 7 + i, 100 + i}, [3]uint32{get(8), get(16), get(4096)})
	}

	// A ring that waits for memory of the process continues when the process has changed it.
	put(32, 0)
	sequence, errno := q.cs(q.ib(append(packet(0x3c, 3|1<<4, low(dataVA+32), high(dataVA), 1, 1, 4),
		copied(dataVA+64, dataVA+32)...)...))
	require.Zero(t, errno)
	put(32, 1)
	c.must(nrWaitCS, &waitCSIn{Sequence: sequence, IP: q.ip, Context: q.context, Timeout: ^uint64(0)}, &waitCSOut{})
	assert.EqualValues(t, 1, get(64))

	assert.Equal(t, syscall.EPERM, c.ioctl(nrGemMmap, &handleOut{Handle: handle}, &gemMmapOut{}))
	assert.Equal(t, syscall.EPERM, c.ioctl(0x50, &gemOp{Handle: handle, Op: 1}, nil))
	c.must(nrGemClose, &gemClose{Handle: handle}, nil)
	assert.Empty(t, c.f.host.all)
}

// TestUserMemoryRefused: addresses that are not mapped in the process are refused. Memory that the process unmaps
// later causes a fault that names it.
func TestUserMemoryRefused(t *testing.T) {
	var faults []*Fault
	c := newClient(t, Options{Chip: "fiji", MemoryBytes: 16 << 20, Faulted: func(f *Fault) { faults = append(faults, f) }})
	const there = arenaBase + 0x80000
	for _, tt := range []struct {
		in   gemUserptr
		want syscall.Errno
	}{
		{gemUserptr{Addr: there + 4, Size: 4096, Flags: userWritten}, syscall.EINVAL},
		{gemUserptr{Addr: there, Size: 4097, Flags: userWritten}, syscall.EINVAL},
		{gemUserptr{Addr: there, Flags: userWritten}, syscall.EINVAL},
		{gemUserptr{Addr: there, Size: 4096, Flags: 16}, syscall.EINVAL},
		{gemUserptr{Addr: there, Size: 4096, Flags: 2 | 4}, syscall.EACCES},
		{gemUserptr{Addr: there, Size: 1 << 20, Flags: userWritten}, syscall.EFAULT},
		{gemUserptr{Addr: there, Size: 1 << 30, Flags: userWritten}, syscall.ENOMEM},
	} {
		assert.Equal(t, tt.want, c.ioctl(0x51, &tt.in, nil), "%+v", tt.in)
	}
	assert.Zero(t, c.f.store.taken())

	c.user(there, dataVA, 4096, userReadOnly)
	q := c.queue(ipCompute, 0, commandsVA)
	_, errno := q.cs(q.ib(copied(dataVA+8, dataVA+16)...))
	assert.Equal(t, syscall.ECANCELED, errno)
	require.Len(t, faults, 1)
	assert.ErrorContains(t, faults[0], "mapped for reading alone")

	c.mu.Lock()
	c.bytes = c.bytes[:0x80000] // the process unmaps it
	c.mu.Unlock()
	other := c.queue(ipCompute, 0, commandsVA+1<<20)
	other.submit(packet(0x10, 0)...)
	require.Len(t, faults, 1, "it is not reached")
	_, errno = other.cs(other.ib(copied(commandsVA+8, dataVA+16)...))
	assert.Equal(t, syscall.ECANCELED, errno)
	require.Len(t, faults, 2)
	assert.ErrorContains(t, faults[1], "buffer object 1 was memory of the process at 0x7f0000080000, 4096 bytes, and is "+
		"unmapped: not mapped")
}
