//go:build linux && (amd64 || arm64)

package device

import (
	"context"
	"fmt"
	"math"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/packet/aql"
)

// program is a driver's list of calls for some program, with a second thread that waits. It ends at the first error.
type program struct {
	oneContext bool // one context for both rings, like RADV
	main       func(p *played)
	// beside executes on a thread of its own, until a wait in it returns an error.
	beside func(p *played)
}

// played is a driver's thread.
type played struct {
	*client
	gfx, compute *queue
	timeline     uint32
}

// errnoOf calls f and returns the error with which [played.want] panicked.
func errnoOf(f func()) (errno syscall.Errno) {
	defer func() {
		if v := recover(); v != nil {
			var ok bool
			if errno, ok = v.(syscall.Errno); !ok {
				panic(v)
			}
		}
	}()
	f()
	return 0
}

// want ends the driver if an ioctl failed.
func (p *played) want(errno syscall.Errno) {
	if errno != 0 {
		panic(errno)
	}
}

// send makes an ioctl that must succeed.
func (p *played) send(nr uint8, in, out any) { p.want(p.ioctl(nr, in, out)) }

// run submits commands, and returns the sequence number.
func (p *played) run(q *queue, more ...chunk) uint64 {
	own := *q
	own.client = p.client
	ib := chunk{chunkIB, &ibChunk{Addr: q.at, Bytes: 24, IP: q.ip, ID: q.ring}}
	sequence, errno := own.cs(append([]chunk{ib}, more...)...)
	p.want(errno)
	return sequence
}

// reach waits until the timeline reaches a value.
func (p *played) reach(value uint64, flags uint32) {
	p.send(nrTimelineWait, &timelineWait{Handles: p.put(p.timeline), Points: p.put(value), Timeout: forever, Count: 1,
		Flags: flags}, nil)
}

// programs are the calls that RADV makes for a timeline semaphore with a wait before the signal, and the calls that
// radeonsi makes for an OpenCL event.
var programs = map[string]program{
	"timeline": {oneContext: true, main: func(p *played) {
		p.run(p.compute, chunk{chunkTimelineSignal, &timelineChunk{p.timeline, 0, 1}})
		p.run(p.gfx, chunk{chunkTimelineWait, &timelineChunk{p.timeline, waitSubmit, 1}},
			chunk{chunkTimelineSignal, &timelineChunk{p.timeline, 0, 2}})
		p.reach(2, waitSubmit)
		p.send(nrTimelineQuery, &timelineArray{Handles: p.put(p.timeline), Points: p.put(uint64(0)), Count: 1}, nil)
		var binary syncobjCreate
		p.send(nrSyncobjCreate, &binary, &binary)
		p.send(nrTransfer, &syncobjTransfer{Src: p.timeline, Dst: binary.Handle, SrcPoint: 2, Flags: waitSubmit}, nil)
		_, errno := p.waitFor(waitSubmit, time.Hour, binary.Handle)
		p.want(errno)
		p.run(p.compute, chunk{chunkTimelineSignal, &timelineChunk{p.timeline, 0, math.MaxUint64}})
	}, beside: func(p *played) {
		p.reach(1, waitSubmit|waitAvailable)
		p.reach(2, waitSubmit)
		p.reach(math.MaxUint64, waitSubmit)
	}},
	"event": {main: func(p *played) {
		sequence := p.run(p.compute)
		p.send(nrWaitCS, &waitCSIn{Sequence: sequence, IP: p.compute.ip, Context: p.compute.context,
			Timeout: math.MaxUint64}, &waitCSOut{})
		sequence = p.run(p.gfx, chunk{chunkDependencies, &dependency{IP: p.compute.ip, Context: p.compute.context,
			Sequence: sequence}}, chunk{chunkSyncobjOut, p.timeline})
		at := fenceIn{Context: p.gfx.context, IP: p.gfx.ip, Sequence: sequence}
		p.send(nrWaitFences, &waitFencesIn{Fences: p.put(&at), Count: 1, WaitAll: 1, Timeout: math.MaxUint64},
			&waitFencesOut{})
		var o struct{ Handle uint32 }
		p.send(nrFenceToHandle, &fenceToHandle{Fence: at}, &o)
		_, errno := p.waitFor(waitSubmit, time.Hour, o.Handle)
		p.want(errno)
		p.send(nrGemWaitIdle, &gemWaitIdleIn{Handle: 1, Timeout: math.MaxUint64}, &gemWaitIdleOut{})
	}, beside: func(p *played) {
		_, errno := p.waitFor(waitSubmit, time.Hour, p.timeline)
		p.want(errno)
	}},
}

// injections are events before an ioctl of a program, or instead of it.
var injections = map[string]func(p *played) syscall.Errno{
	"refusal": func(*played) syscall.Errno { return syscall.ENOMEM },
	"fault": func(p *played) syscall.Errno { // in a submission to the context of one ring
		return p.lose(p.compute, packet(0x50, 0, 0x1000, 0, 0x2000, 0, 64)...)
	},
	"lost contexts": func(p *played) syscall.Errno {
		_ = p.lose(p.compute, packet(0x2d, 0, 0)...) // a draw
		return p.lose(p.gfx, packet(0x2d, 0, 0)...)
	},
}

// lose submits a command buffer that cannot be executed, from another thread.
func (p *played) lose(q *queue, words ...uint32) syscall.Errno {
	own := *q
	own.client = playing(p.t, p.f, 1<<12)
	own.at += 4096
	own.bytes = own.bytes[4096:]
	_, errno := own.cs(own.ib(words...))
	assert.Equal(p.t, syscall.ECANCELED, errno)
	return 0
}

// playAt executes a program with an injection at its ioctl n. reached is false if the program has fewer ioctls. The
// test fails if a call does not return: on its own when all contexts are lost, otherwise after the program is
// interrupted.
func playAt(t *testing.T, which program, kind string, n int) (reached bool) {
	c := newClient(t, Options{Chip: "fiji", MemoryBytes: 16 << 20, HangAfter: 50 * time.Millisecond})
	p := &played{client: c, gfx: c.queue(ipGFX, 0, commandsVA), compute: c.queue(ipCompute, 0, commandsVA+1<<20),
		timeline: c.syncobj(0)}
	c.mapped(dataVA, 4096)
	if which.oneContext {
		p.compute.context = p.gfx.context
	}
	for i, q := range []*queue{p.gfx, p.compute} {
		q.ib(packet(0x37, 5<<8, low(dataVA)+4*uint32(i), high(dataVA), 7, 0)...)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	beside := *p
	beside.client = playing(t, c.f, 1<<16)
	beside.ctx, c.ctx = ctx, ctx
	calls := 0
	c.before = func(uint8) (errno syscall.Errno) {
		if calls++; calls == n {
			reached = true
			errno = injections[kind](p)
		}
		return errno
	}
	var both sync.WaitGroup
	var first, second syscall.Errno
	both.Go(func() { second = errnoOf(func() { which.beside(&beside) }) })
	both.Go(func() {
		first = errnoOf(func() { which.main(p) })
		c.f.mu.Lock()
		defer c.f.mu.Unlock()
		if first != 0 && !c.f.allLost() { // waits depend on this thread, which gives up
			interrupt()
		}
	})
	ended := make(chan struct{})
	go func() { both.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		interrupt()
		require.FailNow(t, "a call still waits", "%s at ioctl %d", kind, n)
	}
	for _, errno := range []syscall.Errno{first, second} {
		assert.Contains(t, []syscall.Errno{0, syscall.ENOMEM, syscall.ECANCELED, syscall.EINTR}, errno, "%s at ioctl %d",
			kind, n)
	}
	return reached
}

// TestInjections: whatever fails at any ioctl of a program, no call waits for ever.
func TestInjections(t *testing.T) {
	for name, which := range programs {
		for kind := range injections {
			t.Run(fmt.Sprintf("%s, %s", name, kind), func(t *testing.T) {
				n := 1
				for playAt(t, which, kind, n) {
					n++
				}
				t.Logf("%d ioctls", n-1)
				assert.Greater(t, n, 5)
			})
		}
	}
}

// TestInjectionsKFD: a wait for a kernel's event ends when the kernel ends, and when its queue stops.
func TestInjectionsKFD(t *testing.T) {
	for _, kernel := range []uint64{kfdCode, 0x7000} { // a kernel, and an address without one
		r := newRuntime(t, Options{Chip: "fiji", MemoryBytes: 16 << 20})
		r.kernel("s_endpgm", 0)
		r.put64(kfdSignals+64+aql.SignalValue, 1)
		r.submit(launch(kernel, 0))
		result, _ := r.wait(patience, 1, 2)
		assert.Zero(t, result, "an end, or an error of the queue")
	}
}

// TestLostFences: waits for a lost submission return the same error as with the kernel's driver.
func TestLostFences(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji", HangAfter: time.Hour})
	c.mapped(dataVA, 4096)
	q := c.queue(ipCompute, 0, commandsVA)
	good := q.submit(packet(0x10, 0)...)
	bad, errno := q.cs(q.ib(packet(0x3c, 3|1<<4, low(dataVA), high(dataVA), 1, 1, 4)...))
	require.Zero(t, errno, "it may still come")
	wait := func(sequence uint64) syscall.Errno {
		return c.ioctl(nrWaitCS, &waitCSIn{Sequence: sequence, IP: q.ip, Context: q.context, Timeout: math.MaxUint64},
			&waitCSOut{})
	}
	fences := func(all uint32) (syscall.Errno, waitFencesOut) {
		var out waitFencesOut
		errno := c.ioctl(nrWaitFences, &waitFencesIn{Fences: c.put([]fenceIn{{q.context, q.ip, 0, 0, good},
			{q.context, q.ip, 0, 0, bad}}), Count: 2, WaitAll: all, Timeout: math.MaxUint64}, &out)
		return errno, out
	}
	waited := make(chan syscall.Errno)
	go func() { waited <- wait(bad) }()
	untilWaiting(t, 1)
	c.hang()
	assert.Equal(t, syscall.ECANCELED, <-waited, "while it hangs")
	assert.Equal(t, syscall.ECANCELED, wait(bad), "and later")
	assert.Zero(t, wait(good))
	errno, _ = fences(1)
	assert.Equal(t, syscall.ECANCELED, errno)
	errno, out := fences(0)
	assert.Zero(t, errno)
	assert.Equal(t, waitFencesOut{Status: 1}, out, "the first one is done")
	var state ctxOut
	c.must(nrCtx, &ctxIn{Op: ctxQuery2, ID: q.context}, &state)
	assert.EqualValues(t, 5, state.First, "reset, and guilty")
	c.must(nrGemWaitIdle, &gemWaitIdleIn{Handle: 1, Timeout: math.MaxUint64}, &gemWaitIdleOut{})
	var o struct{ Handle uint32 }
	c.must(nrFenceToHandle, &fenceToHandle{Fence: fenceIn{Context: q.context, IP: q.ip, Sequence: bad}}, &o)
	_, errno = c.waitFor(0, time.Hour, o.Handle)
	assert.Zero(t, errno, "sync objects have no errors")
	c.must(nrCtx, &ctxIn{Op: ctxFree, ID: q.context}, nil)
	_, errno = c.waitFor(waitSubmit, time.Hour, c.syncobj(0))
	assert.Equal(t, syscall.ECANCELED, errno, "no context is left")
}
