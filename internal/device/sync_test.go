//go:build linux && (amd64 || arm64)

package device

import (
	"encoding/binary"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (c *client) syncobj(flags uint32) uint32 {
	c.t.Helper()
	out := syncobjCreate{Flags: flags}
	c.must(nrSyncobjCreate, &out, &out)
	return out.Handle
}

// waitFor waits for sync objects for a limited time.
func (c *client) waitFor(flags uint32, after time.Duration, handles ...uint32) (first uint32, errno syscall.Errno) {
	mark := c.used
	defer func() { c.used = mark }()
	in := syncobjWait{Handles: c.put(handles), Timeout: monotonic() + int64(after), Count: uint32(len(handles)),
		Flags: flags}
	errno = c.ioctl(nrSyncobjWait, &in, &in)
	return in.FirstSignalled, errno
}

func TestSyncobjs(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji"})
	a, b := c.syncobj(0), c.syncobj(1)
	_, errno := c.waitFor(0, 0, a)
	assert.Equal(t, syscall.EINVAL, errno, "nobody has submitted anything")
	_, errno = c.waitFor(waitSubmit, time.Millisecond, a)
	assert.Equal(t, syscall.ETIME, errno)
	first, errno := c.waitFor(waitSubmit, 0, a, b)
	assert.Zero(t, errno)
	assert.EqualValues(t, 1, first)
	_, errno = c.waitFor(waitSubmit|waitAll, time.Millisecond, a, b)
	assert.Equal(t, syscall.ETIME, errno)
	c.must(nrSyncobjSignal, &syncobjArray{Handles: c.put(a), Count: 1}, nil)
	_, errno = c.waitFor(waitAll, 0, a, b)
	assert.Zero(t, errno)
	c.must(nrSyncobjReset, &syncobjArray{Handles: c.put(b), Count: 1}, nil)
	_, errno = c.waitFor(0, 0, b)
	assert.Equal(t, syscall.EINVAL, errno)
	c.must(nrTransfer, &syncobjTransfer{Src: a, Dst: b}, nil)
	_, errno = c.waitFor(0, 0, b)
	assert.Zero(t, errno)
	_, errno = c.waitFor(0, 0, 77)
	assert.Equal(t, syscall.ENOENT, errno)
	c.must(nrSyncobjDestroy, &syncobjCreate{Handle: a}, nil)
	assert.Equal(t, syscall.EINVAL, c.ioctl(nrSyncobjDestroy, &syncobjCreate{Handle: a}, nil))
	assert.Equal(t, syscall.EINVAL, c.ioctl(nrSyncobjSignal, &syncobjArray{}, nil))
	assert.Equal(t, syscall.EFAULT, c.ioctl(nrSyncobjSignal, &syncobjArray{Handles: 1, Count: 1}, nil))
}

func TestTimelines(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji"})
	s := c.syncobj(0)
	query := func(flags uint32) uint64 {
		in := timelineArray{Handles: c.put(s), Points: c.put(uint64(0)), Count: 1, Flags: flags}
		c.must(nrTimelineQuery, &in, nil)
		b, err := c.at(in.Points, 8)
		require.NoError(t, err)
		return binary.LittleEndian.Uint64(b)
	}
	wait := func(point uint64, flags uint32) syscall.Errno {
		return c.ioctl(nrTimelineWait, &timelineWait{Handles: c.put(s), Points: c.put(point), Timeout: monotonic() + 1e6,
			Count: 1, Flags: flags}, nil)
	}
	assert.Zero(t, query(0))
	assert.Equal(t, syscall.EINVAL, wait(1, 0))
	c.must(nrTimelineSignal, &timelineArray{Handles: c.put(s), Points: c.put(uint64(5)), Count: 1}, nil)
	assert.EqualValues(t, 5, query(0))
	assert.Zero(t, wait(3, 0))
	assert.Equal(t, syscall.ETIME, wait(6, waitSubmit))

	// A submission that waits for memory has submitted its point but not reached it.
	_, data := c.mapped(dataVA, 4096)
	q := c.queue(ipCompute, 0, commandsVA)
	_, errno := q.cs(q.ib(packet(0x3c, 3|1<<4, low(dataVA), high(dataVA), 1, 1, 4)...),
		chunk{chunkTimelineSignal, &timelineChunk{s, 0, 8}})
	require.Zero(t, errno)
	assert.EqualValues(t, 5, query(0))
	assert.EqualValues(t, 8, query(1))
	assert.Zero(t, wait(7, waitAvailable))
	assert.Equal(t, syscall.ETIME, wait(7, 0))
	data[0] = 1
	assert.Zero(t, c.ioctl(nrTimelineWait, &timelineWait{Handles: c.put(s), Points: c.put(uint64(8)),
		Timeout: monotonic() + 5e9, Count: 1}, nil))
	assert.EqualValues(t, 8, query(0))
}

// The host sets an event after it has submitted the wait for it. Meanwhile other rings continue.
func TestEventOfTheHost(t *testing.T) {
	c := newClient(t, Options{Chip: "hawaii"})
	handle, data := c.mapped(dataVA, 4096)
	q := c.queue(ipCompute, 0, commandsVA)
	waits := slices.Concat(packet(0x3c, 3|1<<4, low(dataVA), high(dataVA), 1, 1, 4),
		packet(0x37, 5<<8, low(dataVA+8), high(dataVA), 7))
	sequence, errno := q.cs(q.ib(waits...), chunk{chunkFence, &fenceChunk{handle, 16}})
	require.Zero(t, errno)
	var out waitCSOut
	c.must(nrWaitCS, &waitCSIn{Sequence: sequence, IP: q.ip, Context: q.context, Timeout: uint64(monotonic() + 1e6)}, &out)
	assert.EqualValues(t, 1, out.Status, "busy")
	assert.Zero(t, dword(data, 2))

	other := c.queue(ipCompute, 1, commandsVA+1<<20)
	other.submit(packet(0x37, 5<<8, low(dataVA+4), high(dataVA), 3)...)
	assert.EqualValues(t, 3, dword(data, 1))

	// A submission that depends on the first waits too, and memory that is freed meanwhile stays mapped until then.
	_, errno = other.cs(other.ib(packet(0x50, 0, low(dataVA+8), high(dataVA), low(dataVA+12), high(dataVA), 4)...),
		chunk{chunkDependencies, &dependency{IP: q.ip, Context: q.context, Sequence: sequence}})
	require.Zero(t, errno)
	bytes := data
	c.must(nrGemClose, &gemClose{Handle: handle}, nil)
	var idle gemWaitIdleOut
	assert.Equal(t, syscall.ENOENT, c.ioctl(nrGemWaitIdle, &gemWaitIdleIn{Handle: handle}, &idle))
	commands, _ := c.buffer(4096)
	c.must(nrGemWaitIdle, &gemWaitIdleIn{Handle: commands}, &idle)
	assert.EqualValues(t, 1, idle.Status)

	bytes[0] = 1
	c.must(nrWaitFences, &waitFencesIn{Fences: c.put([]fenceIn{{q.context, q.ip, 0, 0, sequence},
		{other.context, other.ip, 0, 1, 2}}), Count: 2, WaitAll: 1, Timeout: ^uint64(0)}, &idle)
	assert.EqualValues(t, 1, idle.Status)
	c.must(nrGemWaitIdle, &gemWaitIdleIn{Handle: commands, Timeout: ^uint64(0)}, &idle)
	assert.Zero(t, idle.Status)
	_, mapped := c.f.space.at(dataVA)
	assert.False(t, mapped)
}

// A wait that nothing can end is a hang: the fault names it, and all waits end.
func TestHang(t *testing.T) {
	var faults []*Fault
	c := newClient(t, Options{Chip: "fiji", HangAfter: time.Hour,
		Faulted: func(f *Fault) { faults = append(faults, f) }})
	c.mapped(dataVA, 4096)
	q, done := c.queue(ipGFX, 0, commandsVA), c.syncobj(0)
	_, errno := q.cs(q.ib(packet(0x3c, 5|1<<4, low(dataVA+4), high(dataVA), 6, 0xff, 4)...), chunk{chunkSyncobjOut, done})
	require.Zero(t, errno, "it may still come")
	c.hang()
	_, errno = c.waitFor(0, time.Hour, done)
	require.Zero(t, errno)
	require.Len(t, faults, 1)
	assert.ErrorContains(t, faults[0], "hang: would wait for ever: [buffer object 1 + 0x4] & 0xff = 0x0, wanted >= 0x6")
	_, errno = q.cs(q.ib(packet(0x10, 0)...))
	assert.Equal(t, syscall.ECANCELED, errno)
}

// Submissions wait for sync objects. If nobody has submitted work for one, the call itself waits.
func TestWaitBeforeSignal(t *testing.T) {
	c := newClient(t, Options{Chip: "vega10"})
	_, data := c.mapped(dataVA, 4096)
	q, s := c.queue(ipCompute, 0, commandsVA), c.syncobj(0)
	write := q.ib(packet(0x37, 5<<8, low(dataVA), high(dataVA), 7)...)
	_, errno := q.cs(write, chunk{chunkSyncobjIn, s})
	assert.Equal(t, syscall.EINVAL, errno)
	ended := make(chan syscall.Errno)
	d := playing(t, c.f, 1<<16) // another thread
	q2 := *q
	q2.client = d
	go func() {
		_, errno := q2.cs(write, chunk{chunkTimelineWait, &timelineChunk{s, waitSubmit, 3}})
		ended <- errno
	}()
	untilWaiting(t, 1)
	assert.Zero(t, dword(data, 0))
	c.must(nrTimelineSignal, &timelineArray{Handles: c.put(s), Points: c.put(uint64(4)), Count: 1}, nil)
	assert.Zero(t, <-ended)
	assert.EqualValues(t, 7, dword(data, 0))
}

// After Close has begun to end work, ioctls return ENODEV, even if they get the lock before Close does.
func TestIoctlsWhileClosing(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji"})
	c.f.cancel()
	assert.Equal(t, syscall.ENODEV, c.ioctl(nrCtx, &ctxIn{Op: ctxAlloc}, nil))
	require.NoError(t, c.f.Close())
	require.NoError(t, c.f.Close())
}
