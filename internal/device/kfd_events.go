package device

import (
	"encoding/binary"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Types of events, KFD_IOC_EVENT_*.
const (
	eventSignal   = 0
	eventHardware = 3 // the GPU hangs
	eventDebug    = 5
	eventMemory   = 8 // a memory fault
)

// maxSignalEvents is the number of slots in the event page.
const maxSignalEvents = 4096

// unsignalled is the value in an event page's slot that no wave and no command processor has written yet.
const unsignalled = ^uint64(0)

// kfdEvent is an event that threads of the process wait for.
type kfdEvent struct {
	id, kind  uint32
	autoReset bool
	set       bool
	data      [32]byte // of a memory or hardware exception: the layout is kfd_event_data
}

// slotted reports whether waves can raise the event by writing its slot.
func (e *kfdEvent) slotted() bool { return e.kind == eventSignal || e.kind == eventDebug }

type kfdCreateEvent struct {
	Page                                     uint64 // in: handle of the event page; out: offset of the page
	Trigger, Kind, AutoReset, Node, ID, Slot uint32
}

// createEvent creates an event. The first event of a process names the buffer with the slots.
func (k *KFD) createEvent(_ *call, in *kfdCreateEvent) (kfdCreateEvent, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := &kfdEvent{kind: in.Kind, autoReset: in.AutoReset != 0}
	if k.page == nil {
		b := k.buffers[in.Page]
		if b == nil || b.bo == nil || b.bo.size < 8*maxSignalEvents {
			return *in, syscall.EINVAL
		}
		k.page = k.contents(b)[:8*maxSignalEvents]
		for i := range uint64(maxSignalEvents) {
			word(k.page, 8*i).Store(unsignalled)
		}
	}
	const others = 1 << 31 // set in the numbers of events without a slot
	for id := uint32(1); e.id == 0; id++ {
		switch {
		case id >= maxSignalEvents:
			return *in, syscall.ENOSPC
		case e.slotted() && k.events[id] == nil:
			e.id = id
		case !e.slotted() && k.events[id|others] == nil:
			e.id = id | others
		}
	}
	k.events[e.id] = e
	in.Page, in.ID, in.Slot = 1<<62, e.id, 0 // user space tests whether the offset is 0
	if e.slotted() {
		word(k.page, 8*uint64(e.id)).Store(unsignalled)
		in.Trigger, in.Slot = e.id, e.id
	}
	return *in, 0
}

type kfdEventID struct{ ID, _ uint32 }

func (k *KFD) destroyEvent(_ *call, in *kfdEventID) (kfdEventID, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.events[in.ID] == nil {
		return *in, syscall.EINVAL
	}
	delete(k.events, in.ID)
	k.mu.broadcast() // goroutines that wait for the event check it again
	return *in, 0
}

func (k *KFD) setEvent(_ *call, in *kfdEventID) (kfdEventID, syscall.Errno) {
	return *in, k.turnEvent(in.ID, true)
}

func (k *KFD) resetEvent(_ *call, in *kfdEventID) (kfdEventID, syscall.Errno) {
	return *in, k.turnEvent(in.ID, false)
}

func (k *KFD) turnEvent(id uint32, set bool) syscall.Errno {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.events[id]
	if e == nil {
		return syscall.EINVAL
	}
	e.set = set
	k.mu.broadcast()
	return 0
}

// raise sets the event with that number, if it exists.
func (k *KFD) raise(id uint32) { _ = k.turnEvent(id, true) }

// raiseAll sets all events of a kind. data describes the cause.
func (k *KFD) raiseAll(kind uint32, data [32]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.events {
		if e.kind == kind {
			e.data, e.set = data, true
		}
	}
	k.mu.broadcast()
}

// scanSlots sets the events whose slots were written, and reports whether it found any. The caller holds the lock.
func (k *KFD) scanSlots() (found bool) {
	if k.page == nil {
		return false
	}
	for id, e := range k.events {
		if e.slotted() && word(k.page, 8*uint64(id)).Swap(unsignalled) != unsignalled {
			e.set, found = true, true
		}
	}
	if found {
		k.mu.broadcast()
	}
	return found
}

type kfdWait struct {
	List                        uint64 // address of the entries
	Count, All, Timeout, Result uint32
}

// kfdEventData is an entry in a list of events to wait for. Its data describes the event's cause.
type kfdEventData struct {
	Data  [32]byte
	Ext   uint64
	ID, _ uint32
}

// waitEvents waits for one event of a list or for all of them. Result is 0, or 1 after a timeout.
func (k *KFD) waitEvents(c *call, in *kfdWait) (kfdWait, syscall.Errno) {
	if in.Count > maxSignalEvents {
		return *in, syscall.EINVAL
	}
	list := make([]kfdEventData, in.Count)
	b := make([]byte, binary.Size(list))
	if err := c.proc.ReadAt(b, in.List); err != nil && len(b) > 0 {
		return *in, syscall.EFAULT
	}
	decode(b, list)
	deadline := int64(forever)
	if in.Timeout < 1<<32-2 { // ROCr also uses the second largest value for "for ever"
		deadline = monotonic() + int64(in.Timeout)*int64(time.Millisecond)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	gone := false
	errno := k.mu.wait(c.ctx, deadline, func() bool {
		k.scanSlots()
		all, one := true, false
		for i := range list {
			e := k.events[list[i].ID]
			gone = gone || e == nil
			all, one = all && e != nil && e.set, one || e != nil && e.set
		}
		return gone || k.ctx.Err() != nil || one && in.All == 0 || all
	})
	switch {
	case k.ctx.Err() != nil || errno == syscall.EINTR:
		return *in, syscall.EINTR
	case gone:
		return *in, syscall.EINVAL
	case errno != 0:
		in.Result = 1
		return *in, 0
	}
	for i := range list {
		e := k.events[list[i].ID]
		if !e.set {
			continue
		}
		if !e.slotted() {
			list[i].Data = e.data
		}
		e.set = !e.autoReset
	}
	encode(b, list)
	in.Result = 0
	return *in, c.write(b, in.List)
}

// word returns the 64 bits at off for atomic access, because the process writes them too. off is a multiple of 8.
func word(b []byte, off uint64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&b[off : off+8][0]))
}
