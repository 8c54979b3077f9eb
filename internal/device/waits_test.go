//go:build linux && (amd64 || arm64)

package device

import (
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// waitBench is a file with objects that calls can wait for.
type waitBench struct {
	*client
	context  uint32 // context of a submission that waits for memory
	sequence uint64
	syncobjs [4]uint32
}

func newWaitBench(t testing.TB, o Options) *waitBench {
	c := newClient(t, o)
	w := &waitBench{client: c}
	for i := range w.syncobjs {
		w.syncobjs[i] = c.syncobj(0)
	}
	c.mapped(dataVA, 4096)
	q := c.queue(ipCompute, 0, commandsVA)
	var errno syscall.Errno
	w.context = q.context
	w.sequence, errno = q.cs(q.ib(packet(0x3c, 3|1<<4, low(dataVA), high(dataVA), 1, 1, 4)...),
		chunk{chunkSyncobjOut, w.syncobjs[0]})
	require.Zero(t, errno)
	return w
}

// waits are all calls that may wait for ever. Each is made by a thread of its own.
var waits = []func(c *client, w *waitBench, r *rand.Rand) syscall.Errno{
	func(c *client, w *waitBench, r *rand.Rand) syscall.Errno {
		_, errno := c.waitFor(waitSubmit|r.Uint32N(2), time.Hour, w.syncobjs[r.IntN(4)], w.syncobjs[r.IntN(4)])
		return errno
	},
	func(c *client, w *waitBench, r *rand.Rand) syscall.Errno {
		s := w.syncobjs[r.IntN(4)]
		return c.ioctl(nrTimelineWait, &timelineWait{Handles: c.put(s), Points: c.put(1 + r.Uint64N(5)), Timeout: forever,
			Count: 1, Flags: waitSubmit | r.Uint32N(2)<<2}, nil)
	},
	func(c *client, w *waitBench, _ *rand.Rand) syscall.Errno {
		return c.ioctl(nrWaitCS, &waitCSIn{Sequence: w.sequence, IP: uint32(ipCompute), Context: w.context,
			Timeout: ^uint64(0)}, &waitCSOut{})
	},
	func(c *client, w *waitBench, r *rand.Rand) syscall.Errno {
		return c.ioctl(nrWaitFences, &waitFencesIn{Fences: c.put([]fenceIn{{w.context, uint32(ipCompute), 0, 0,
			w.sequence}}), Count: 1, WaitAll: r.Uint32N(2), Timeout: ^uint64(0)}, &waitFencesOut{})
	},
	func(c *client, _ *waitBench, _ *rand.Rand) syscall.Errno {
		return c.ioctl(nrGemWaitIdle, &gemWaitIdleIn{Handle: 1, Timeout: ^uint64(0)}, &gemWaitIdleOut{})
	},
	func(c *client, w *waitBench, r *rand.Rand) syscall.Errno {
		return c.ioctl(nrTransfer, &syncobjTransfer{Src: w.syncobjs[r.IntN(4)], Dst: w.syncobjs[r.IntN(4)],
			SrcPoint: r.Uint64N(9), Flags: waitSubmit}, nil)
	},
	func(c *client, w *waitBench, r *rand.Rand) syscall.Errno {
		q := queue{client: c, context: w.context, ip: uint32(ipCompute), ring: 1, at: commandsVA}
		_, errno := q.cs(chunk{chunkIB, &ibChunk{Addr: q.at, Bytes: 8, IP: q.ip, ID: 1}},
			chunk{chunkTimelineWait, &timelineChunk{w.syncobjs[r.IntN(4)], waitSubmit, r.Uint64N(9)}})
		return errno
	},
}

// changes are the actions that other threads do meanwhile.
var changes = []func(c *client, w *waitBench, r *rand.Rand){
	func(c *client, w *waitBench, r *rand.Rand) {
		_ = c.ioctl(nrSyncobjSignal, &syncobjArray{Handles: c.put(w.syncobjs[r.IntN(4)]), Count: 1}, nil)
	},
	func(c *client, w *waitBench, r *rand.Rand) {
		_ = c.ioctl(nrSyncobjReset, &syncobjArray{Handles: c.put(w.syncobjs[r.IntN(4)]), Count: 1}, nil)
	},
	func(c *client, w *waitBench, r *rand.Rand) {
		_ = c.ioctl(nrTimelineSignal, &timelineArray{Handles: c.put(w.syncobjs[r.IntN(4)]),
			Points: c.put(1 + r.Uint64N(4)), Count: 1}, nil)
	},
	func(c *client, w *waitBench, r *rand.Rand) {
		_ = c.ioctl(nrSyncobjDestroy, &syncobjCreate{Handle: w.syncobjs[r.IntN(4)]}, nil)
	},
}

// TestWaitSequences: whatever threads wait for, and whatever other threads do meanwhile, every call has returned when
// the file is closed.
func TestWaitSequences(t *testing.T) {
	for seed := range uint64(effort.Rounds(100)) {
		r := rand.New(rand.NewPCG(seed, 11))
		w := newWaitBench(t, Options{Chip: "fiji", HangAfter: time.Hour})
		var all sync.WaitGroup
		for range 1 + r.IntN(40) {
			which, own := waits[r.IntN(len(waits))], rand.New(rand.NewPCG(r.Uint64(), 1))
			c := playing(t, w.f, 1<<12)
			// it may succeed or fail, for example because the object does not exist
			all.Go(func() { _ = which(c, w, own) })
			for range r.IntN(3) {
				changes[r.IntN(len(changes))](w.client, w, r)
			}
		}
		closed := make(chan struct{})
		go func() {
			time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
			assert.NoError(t, w.f.Close())
			all.Wait()
			close(closed)
		}()
		select {
		case <-closed:
		case <-time.After(time.Minute):
			require.FailNow(t, "calls still wait", "seed %d", seed)
		}
	}
}

// TestEachWaitEndsWithItsFile: each kind of wait waits, and is interrupted when the file is closed.
func TestEachWaitEndsWithItsFile(t *testing.T) {
	for i, wait := range waits {
		w := newWaitBench(t, Options{Chip: "fiji", HangAfter: time.Hour})
		c := playing(t, w.f, 1<<12)
		ended := make(chan syscall.Errno, 1)
		go func() { ended <- wait(c, w, rand.New(rand.NewPCG(5, uint64(i)))) }()
		untilWaiting(t, 1)
		require.NoError(t, w.f.Close())
		assert.Equal(t, syscall.EINTR, <-ended, "wait %d", i)
	}
}

// TestLongWorkEndsWithItsFile: work that would take hours ends soon after the file is closed: endless waves, a huge
// number of work-groups, packets that copy.
func TestLongWorkEndsWithItsFile(t *testing.T) {
	for name, long := range map[string]func(c *client, q *queue) []uint32{
		"endless wave": func(_ *client, q *queue) []uint32 {
			return append(q.program(spin), packet(0x15, 1, 1, 1, 5)...)
		},
		"many groups": func(_ *client, q *queue) []uint32 {
			return append(q.program("s_endpgm"), packet(0x15, 1<<20, 1<<10, 1, 5)...)
		},
		"copies": func(c *client, _ *queue) []uint32 {
			c.mapped(otherVA, 128<<20)
			var words []uint32
			for range 4000 {
				words = append(words, packet(0x50, 0, low(otherVA), high(otherVA), low(otherVA+64<<20), high(otherVA),
					0x3fffff8)...)
			}
			return words
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, Options{Chip: "vega10", Limit: 1 << 60})
			_, bytes := c.mapped(commandsVA, 1<<20)
			q := &queue{c, c.context(), uint32(ipCompute), 0, commandsVA, bytes}
			ib := q.ib(long(c, q)...)
			ended := make(chan struct{})
			go func() {
				_, _ = q.cs(ib)
				close(ended)
			}()
			time.Sleep(50 * time.Millisecond)
			select {
			case <-ended:
				require.FailNow(t, "the work did not last")
			default:
			}
			began := time.Now()
			require.NoError(t, c.f.Close())
			<-ended
			t.Logf("it ended in %v", time.Since(began))
			assert.Less(t, time.Since(began), 10*time.Second)
		})
	}
}

// TestWaitsEndWithTheLastContext: waits for work that nobody has submitted end when all contexts are lost, and not
// before.
func TestWaitsEndWithTheLastContext(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji"})
	q, other := c.queue(ipCompute, 0, commandsVA), c.queue(ipCompute, 0, commandsVA+1<<20)
	s := c.syncobj(0)
	ended := make(chan syscall.Errno, 3)
	for i := range 3 {
		d := playing(t, c.f, 1<<16)
		go func() {
			switch i {
			case 0:
				_, errno := d.waitFor(waitSubmit, time.Hour, s)
				ended <- errno
			case 1:
				ended <- d.ioctl(nrTimelineWait, &timelineWait{Handles: d.put(s), Points: d.put(uint64(3)), Timeout: forever,
					Count: 1, Flags: waitAvailable}, nil)
			case 2:
				ended <- d.ioctl(nrTransfer, &syncobjTransfer{Src: s, Dst: s, SrcPoint: 7, Flags: waitSubmit}, nil)
			}
		}()
	}
	untilWaiting(t, 3)
	_, errno := q.cs(q.ib(packet(0xff, 0)...))
	require.Equal(t, syscall.ECANCELED, errno)
	other.submit(packet(0x10, 0)...)
	untilWaiting(t, 3) // another context can still submit
	_, errno = other.cs(other.ib(packet(0xff, 0)...))
	require.Equal(t, syscall.ECANCELED, errno)
	for range 3 {
		assert.Equal(t, syscall.ECANCELED, <-ended)
	}
	_, errno = c.waitFor(waitSubmit, 0, s)
	assert.Equal(t, syscall.ECANCELED, errno)
	c.must(nrSyncobjSignal, &syncobjArray{Handles: c.put(s), Count: 1}, nil)
	_, errno = c.waitFor(0, 0, s)
	assert.Zero(t, errno)
}
