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

// pair returns two clients that can pass descriptors to one another.
func pair(t *testing.T) (a, b *client) {
	t.Helper()
	a = newClient(t, Options{Chip: "fiji", MemoryBytes: 16 << 20, HangAfter: time.Hour})
	b = openClient(t, a.f.dev)
	b.fds = a.fds
	t.Cleanup(a.closeDescriptors)
	return a, b
}

// closeDescriptors closes all descriptors that were passed.
func (c *client) closeDescriptors() {
	for _, f := range *c.fds {
		if f != nil {
			_ = f.Close() // it may be closed already
		}
	}
}

// share exports a buffer object.
func (c *client) share(handle uint32) (fd int32) {
	c.t.Helper()
	in := primeHandle{Handle: handle, Flags: 0x80000}
	c.must(0x2d, &in, &in)
	return in.FD
}

// TestSharedMemory: one program stores to a buffer object that it has exported. The other one finds the data by the
// CPU, by the card, and by a mapping of the descriptor.
func TestSharedMemory(t *testing.T) {
	a, b := pair(t)
	const size = 8192
	handle, ours := a.mapped(dataVA, size)
	ours[5000] = 7
	fd := a.share(handle)
	assert.Equal(t, fd+1, a.share(handle), "another descriptor")
	in := primeHandle{FD: fd}
	a.must(0x2e, &in, &in)
	assert.Equal(t, handle, in.Handle, "it has that one")
	b.must(0x2e, &in, &in)
	theirs := in.Handle
	b.must(nrGemVA, &gemVA{Handle: theirs, Operation: vaMap, Flags: pageReadable | pageWriteable, Addr: dataVA,
		Size: size}, nil)
	view := b.contents(theirs)
	assert.EqualValues(t, 7, view[5000])

	// b's card copies what a's CPU wrote, and a's CPU sees it after its next call.
	binary.LittleEndian.PutUint32(ours[16:], 0xabcd)
	q := b.queue(ipCompute, 0, commandsVA)
	q.submit(copied(dataVA+4096, dataVA+16)...)
	a.must(0x0c, &getCap{Capability: 5}, nil)
	assert.EqualValues(t, 0xabcd, binary.LittleEndian.Uint32(ours[4096:]))
	mapped, err := syscall.Mmap(int((*a.fds)[fd].Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	require.NoError(t, err)
	assert.EqualValues(t, 0xabcd, binary.LittleEndian.Uint32(mapped[4096:]))
	mapped[4100] = 9
	q.submit(copied(dataVA+32, dataVA+4100)...)
	assert.EqualValues(t, 9, view[32])
	require.NoError(t, syscall.Munmap(mapped))

	// The metadata that programs set are shared too.
	meta := gemMetadata{Handle: handle, Op: 1, Data: gemMetadataData{Tiling: 5}}
	a.must(0x46, &meta, nil)
	got := gemMetadata{Handle: theirs, Op: 2}
	b.must(0x46, &got, &got)
	assert.EqualValues(t, 5, got.Data.Tiling)

	// The memory exists as long as anyone uses it.
	ours[0] = 3
	a.must(nrGemClose, &gemClose{Handle: handle}, nil)
	b.must(nrGemClose, &gemClose{Handle: theirs}, nil)
	in = primeHandle{FD: fd}
	b.must(0x2e, &in, &in)
	assert.EqualValues(t, 3, b.contents(in.Handle)[0])
	b.must(nrGemClose, &gemClose{Handle: in.Handle}, nil)
	a.closeDescriptors()
	a.f.dev.sharing.leave(a.f)
	assert.Empty(t, a.f.dev.sharing.all)
	assert.Zero(t, b.f.host.shares.Load())
}

// TestSharedRefused: descriptors of other files, and buffer objects of process memory, are not shared.
func TestSharedRefused(t *testing.T) {
	a, b := pair(t)
	assert.Equal(t, syscall.ENOENT, a.ioctl(0x2d, &primeHandle{Handle: 9}, nil))
	user := a.user(arenaBase+0x80000, dataVA, 4096, userWritten)
	assert.Equal(t, syscall.EPERM, a.ioctl(0x2d, &primeHandle{Handle: user}, nil))
	assert.Equal(t, syscall.EINVAL, b.ioctl(0x2e, &primeHandle{FD: 9}, nil))
	object := syncobjHandle{Handle: a.syncobj(0)}
	assert.Equal(t, syscall.EINVAL, a.ioctl(0xc1, &syncobjHandle{Handle: object.Handle, Flags: syncFile}, nil), "no work")
	a.must(0xc1, &object, &object)
	assert.Equal(t, syscall.EINVAL, b.ioctl(0x2e, &primeHandle{FD: object.FD}, nil), "it is a sync object")
	assert.Equal(t, syscall.EINVAL, b.ioctl(0xc2, &syncobjHandle{FD: object.FD, Flags: syncFile}, nil))
}

// TestSharedSyncobjs: a sync object that was exported is signalled and reset for all programs.
func TestSharedSyncobjs(t *testing.T) {
	a, b := pair(t)
	binary1, timeline := a.syncobj(1), a.syncobj(0)
	pass := func(handle uint32) uint32 {
		v := syncobjHandle{Handle: handle}
		a.must(0xc1, &v, &v)
		b.must(0xc2, &v, &v)
		return v.Handle
	}
	a.must(nrTimelineSignal, &timelineArray{Handles: a.put(timeline), Points: a.put(uint64(3)), Count: 1}, nil)
	theirs, line := pass(binary1), pass(timeline)
	_, errno := b.waitFor(0, 0, theirs)
	assert.Zero(t, errno, "it was signalled before")
	b.must(nrSyncobjReset, &syncobjArray{Handles: b.put(theirs), Count: 1}, nil)
	_, errno = a.waitFor(0, 0, binary1)
	assert.Equal(t, syscall.EINVAL, errno)
	a.must(nrSyncobjSignal, &syncobjArray{Handles: a.put(binary1), Count: 1}, nil)
	_, errno = b.waitFor(0, 0, theirs)
	assert.Zero(t, errno)

	value := func() uint64 {
		at := b.put(uint64(0))
		b.must(nrTimelineQuery, &timelineArray{Handles: b.put(line), Points: at, Count: 1}, nil)
		v, err := b.at(at, 8)
		require.NoError(t, err)
		return binary.LittleEndian.Uint64(v)
	}
	assert.EqualValues(t, 3, value())

	// Work that waits for memory signals the sync object for the other program when it is done.
	_, memory := a.mapped(dataVA, 4096)
	q := a.queue(ipCompute, 0, commandsVA)
	signal := timelineChunk{Handle: timeline, Point: 8}
	_, errno = q.cs(q.ib(packet(0x3c, 3|1<<4, low(dataVA), high(dataVA), 1, 1, 4)...),
		chunk{chunkTimelineSignal, []timelineChunk{signal}})
	require.Zero(t, errno)
	assert.EqualValues(t, 3, value())
	wait := timelineWait{Handles: b.put(line), Points: b.put(uint64(8)), Count: 1, Flags: waitSubmit}
	assert.Equal(t, syscall.ETIME, b.ioctl(nrTimelineWait, &wait, nil))
	binary.LittleEndian.PutUint32(memory, 1)
	wait.Timeout = forever
	b.must(nrTimelineWait, &wait, nil)
	assert.EqualValues(t, 8, value())

	// The work of an exported sync file is done.
	file := syncobjHandle{Handle: binary1, Flags: syncFile}
	a.must(0xc1, &file, &file)
	fresh := b.syncobj(0)
	b.must(0xc2, &syncobjHandle{Handle: fresh, FD: file.FD, Flags: syncFile}, nil)
	_, errno = b.waitFor(0, 0, fresh)
	assert.Zero(t, errno)
}

// contents returns the bytes of a buffer object, mapped like a program does.
func (c *client) contents(handle uint32) []byte {
	c.t.Helper()
	var out gemMmapOut
	c.must(nrGemMmap, &handleOut{Handle: handle}, &out)
	return c.f.store.bytes[out.Offset:]
}
