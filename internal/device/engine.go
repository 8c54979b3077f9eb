package device

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/gcnsim/gcnsim/sim"
)

// engine executes the submissions of all rings of a file alternately. The lock of the file guards it, except for the
// fields that only its goroutine uses.
type engine struct {
	machine *sim.Machine
	clock   clock

	rings    []*ring // rings with submissions
	pending  int     // number of unfinished submissions
	started  uint64  // number of submissions so far
	finished uint64  // all submissions up to this number are finished
	later    []later // actions that wait for earlier submissions
	progress int64   // last time when a ring executed something, in CLOCK_MONOTONIC

	dispatches int // number of dispatches so far
	draws      int
	kernels    map[kernelKey]*Kernel
	numbers    map[kernelKey]int // number of a kernel whose code is known, by a key without address
	distinct   int               // count of numbers in use
	labels     map[string]int    // count of kernels that are named after a debug label
	times      times
}

// later is an action that waits for all submissions up to a number.
type later struct {
	number uint64
	do     func()
}

// ring is a queue of submissions of one context.
type ring struct {
	id        ringID
	context   *gpuContext
	queue     []*submission
	sequence  uint64 // sequence number of the last submission
	lostFrom  uint64 // sequence number of the first submission that was lost, or 0
	processor processor
	user      *kfdQueue // the user-mode queue that the ring represents, nil for a ring of a context
	scratch   uint64    // SH_HIDDEN_PRIVATE_BASE
}

// done returns the sequence number up to which all submissions are finished.
func (r *ring) done() uint64 {
	if len(r.queue) > 0 {
		return r.queue[0].sequence - 1
	}
	return r.sequence
}

// buffer is a command buffer of a submission.
type buffer struct {
	addr  uint64
	words int
}

// submission is the work of one CS ioctl.
type submission struct {
	ring     *ring
	number   uint64 // number among all submissions of the file
	sequence uint64 // sequence number on its ring

	ibs       []buffer
	frames    []frame // initial frames, if its packets are in the ring itself
	waits     []*fence
	userFence []byte // 8 bytes that receive the sequence number, or nil
	fence     *fence

	stalled bool // the last attempt had to wait for another ring or for memory
}

// after makes the submission wait for a fence.
func (s *submission) after(f *fence) {
	if !f.done() {
		s.waits = append(s.waits, f)
	}
}

// ready reports whether all that the submission waits for is done.
func (s *submission) ready() bool {
	s.waits = slices.DeleteFunc(s.waits, (*fence).done)
	return len(s.waits) == 0
}

// submit queues the builder's submission and returns its sequence number. The caller holds the lock.
func (f *File) submit(b *builder) uint64 {
	e, s := &f.engine, b.s
	r := s.ring
	r.sequence++
	e.started++
	e.pending++
	e.progress = monotonic()
	s.sequence, s.number = r.sequence, e.started
	for _, signal := range b.signals {
		f.add(signal.object, signal.point, s.fence)
	}
	if r.queue = append(r.queue, s); len(r.queue) == 1 {
		e.rings = append(e.rings, r)
	}
	f.mu.broadcast()
	return s.sequence
}

// settled waits until a submission is finished, or is waiting itself. The caller holds the lock.
func (f *File) settled(c *call, s *submission) syscall.Errno {
	errno := f.mu.wait(c.ctx, forever, func() bool {
		return s.fence.done() || s.stalled || s.ring.queue[0] != s && s.ring.queue[0].stalled
	})
	if errno == 0 && s.fence.failed {
		return syscall.ECANCELED
	}
	// Return no error: the submission is queued, so the program must not repeat the ioctl.
	return 0
}

// fenceOf returns the fence for a sequence number of a ring. The caller holds the lock.
func (f *File) fenceOf(context uint32, id ringID, sequence uint64) (*fence, syscall.Errno) {
	const last = ^uint64(0)
	c := f.contexts.get(context)
	if c == nil || id.number >= ringCounts[id.ip] {
		return nil, syscall.EINVAL
	}
	r := c.rings[id]
	switch {
	case sequence == 0 || r == nil && sequence == last:
		return nil, 0
	case r == nil:
		return nil, syscall.EINVAL
	case sequence == last:
		sequence = r.sequence
	}
	done := r.done()
	switch {
	case sequence <= done && r.lostFrom != 0 && sequence >= r.lostFrom:
		return canceled, 0
	case sequence <= done:
		return nil, 0
	case sequence > r.sequence:
		return nil, syscall.EINVAL
	}
	return r.queue[sequence-done-1].fence, 0
}

// afterWork calls do when all earlier submissions are finished. The caller holds the lock.
func (f *File) afterWork(do func()) {
	e := &f.engine
	if e.pending == 0 {
		do()
		return
	}
	e.later = append(e.later, later{e.started, do})
}

// Pauses between two reads of memory that a ring waits for.
const (
	firstPoll = 20 * time.Microsecond
	lastPoll  = 2 * time.Millisecond
)

// run is the engine's goroutine.
func (f *File) run() {
	defer close(f.ended)
	e := &f.engine
	f.mu.Lock()
	defer f.mu.Unlock()
	poll := firstPoll
	for f.ctx.Err() == nil {
		s := f.choose()
		if s == nil {
			if !f.idle(poll) {
				poll = firstPoll
			} else {
				poll = min(2*poll, lastPoll)
				f.mu.Unlock()
				f.borrow() // a ring may wait for a value in memory of a process
				f.mu.Lock()
			}
			continue
		}
		r := s.ring
		f.mu.Unlock()
		moved, err := f.work(s)
		f.mu.Lock()
		if moved {
			e.progress, poll = monotonic(), firstPoll
		}
		switch {
		case f.ctx.Err() != nil:
		case err != nil:
			f.lose(s, err)
		case r.processor.waiting == nil:
			f.complete(s)
		case !moved && monotonic()-e.progress > int64(f.dev.options.HangAfter):
			f.lose(s, r.processor.hang(f))
		case !s.stalled:
			s.stalled = true
			f.mu.broadcast()
		}
	}
}

// work executes a submission, after updating the copies of the process's memory.
func (f *File) work(s *submission) (moved bool, err error) {
	giveBack := f.borrow()
	defer giveBack()
	return s.ring.processor.run(f, s)
}

// choose returns the earliest submission that can continue, or nil. One that waits for memory comes last, to check
// the memory again.
func (f *File) choose() *submission {
	var best *submission
	for _, r := range f.engine.rings {
		s := r.queue[0]
		if !s.ready() {
			if !s.stalled {
				s.stalled = true
				f.mu.broadcast()
			}
			continue
		}
		if r.processor.waiting != nil && !r.processor.holds(f) {
			if monotonic()-f.engine.progress <= int64(f.dev.options.HangAfter) {
				continue
			}
		}
		if best == nil || s.number < best.number {
			best = s
		}
	}
	return best
}

// idle waits for a change. If a ring waits for memory, it waits for at most poll and returns true after that time.
func (f *File) idle(poll time.Duration) (polled bool) {
	deadline := int64(forever)
	for _, r := range f.engine.rings {
		if r.processor.waiting != nil {
			deadline = monotonic() + int64(poll)
		}
	}
	return f.mu.change(f.ctx, deadline) == errTime
}

// complete finishes a submission.
func (f *File) complete(s *submission) {
	if s.userFence != nil {
		atomic.StoreUint64((*uint64)(unsafe.Pointer(unsafe.SliceData(s.userFence))), s.sequence)
	}
	f.retire(s)
}

// retire removes a finished or lost submission from its ring and wakes the goroutines that wait for it.
func (f *File) retire(s *submission) {
	e, r := &f.engine, s.ring
	s.fence.finish()
	if r.queue = slices.Delete(r.queue, 0, 1); len(r.queue) == 0 {
		e.rings = slices.DeleteFunc(e.rings, func(o *ring) bool { return o == r })
	}
	e.pending--
	e.finished = e.started
	for _, r := range e.rings {
		e.finished = min(e.finished, r.queue[0].number-1)
	}
	e.later = slices.DeleteFunc(e.later, func(l later) bool {
		if l.number <= e.finished && f.ctx.Err() == nil {
			l.do()
		}
		return l.number <= e.finished
	})
	f.mu.broadcast()
}

// lose loses all submissions of s's context after a fault in s. They count as done, so that nobody waits for ever.
// The caller holds the lock, which lose releases while it reports the fault.
func (f *File) lose(s *submission, err error) {
	c := s.ring.context
	c.lost, f.lost = true, true
	c.hangs++
	fault := f.faultOf(s, err)
	f.mu.Unlock()
	f.report(fault)
	f.mu.Lock()
	for _, r := range c.rings {
		for len(r.queue) > 0 {
			s := r.queue[0]
			s.fence.failed = true
			r.lostFrom = cmp.Or(r.lostFrom, s.sequence)
			if s.userFence != nil {
				binary.LittleEndian.PutUint64(s.userFence, s.sequence)
			}
			f.retire(s)
		}
		r.processor = processor{}
	}
}
