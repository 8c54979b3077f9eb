package device

import (
	"encoding/binary"
	"syscall"
)

// finished is a fence that is already done.
var finished = &fence{finished: true}

type syncobjCreate struct{ Handle, Flags uint32 }

func (f *File) syncobjCreate(_ *call, in *syncobjCreate) (syncobjCreate, syscall.Errno) {
	const signalled = 1
	if in.Flags&^signalled != 0 {
		return *in, syscall.EINVAL
	}
	s := &syncobj{}
	if in.Flags&signalled != 0 {
		s.set(finished)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var ok bool
	if in.Handle, ok = f.syncobjs.add(s); !ok {
		return *in, syscall.ENOMEM
	}
	return *in, 0
}

func (f *File) syncobjDestroy(_ *call, in *syncobjCreate) (out none, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.syncobjs.remove(in.Handle) == nil {
		return out, syscall.EINVAL
	}
	f.mu.broadcast()
	return out, 0
}

// maxArray limits how many handles, points or fences one ioctl may pass.
const maxArray = 1 << 16

// array reads n values of T at addr in the memory of the caller.
func array[T any](c *call, addr uint64, n uint32) ([]T, syscall.Errno) {
	if n > maxArray {
		return nil, syscall.EINVAL
	}
	v := make([]T, n)
	b := make([]byte, binary.Size(v))
	if err := c.proc.ReadAt(b, addr); err != nil {
		return nil, syscall.EFAULT
	}
	decode(b, v)
	return v, 0
}

// objects returns the sync objects with these handles. The caller holds the lock.
func (f *File) objects(handles []uint32) ([]*syncobj, syscall.Errno) {
	objects := make([]*syncobj, len(handles))
	for i, h := range handles {
		if objects[i] = f.syncobjs.get(h); objects[i] == nil {
			return nil, syscall.ENOENT
		}
	}
	return objects, 0
}

type syncobjArray struct {
	Handles  uint64
	Count, _ uint32
}

// each calls do for each sync object of an array in the caller's memory.
func (f *File) each(c *call, addr uint64, count uint32, do func(i int, s *syncobj)) syscall.Errno {
	if count == 0 {
		return syscall.EINVAL
	}
	handles, errno := array[uint32](c, addr, count)
	if errno != 0 {
		return errno
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	objects, errno := f.objects(handles)
	if errno != 0 {
		return errno
	}
	for i, s := range objects {
		do(i, s)
	}
	f.mu.broadcast()
	return 0
}

func (f *File) syncobjReset(c *call, in *syncobjArray) (out none, errno syscall.Errno) {
	return out, f.each(c, in.Handles, in.Count, func(_ int, s *syncobj) {
		*s = syncobj{link: s.link}
		f.changed(s, echo{reset: true})
	})
}

func (f *File) syncobjSignal(c *call, in *syncobjArray) (out none, errno syscall.Errno) {
	return out, f.each(c, in.Handles, in.Count, func(_ int, s *syncobj) { f.add(s, 0, finished) })
}

type timelineArray struct {
	Handles, Points uint64
	Count, Flags    uint32
}

func (f *File) timelineSignal(c *call, in *timelineArray) (out none, errno syscall.Errno) {
	if in.Flags != 0 {
		return out, syscall.EINVAL
	}
	points, errno := array[uint64](c, in.Points, in.Count)
	if errno != 0 {
		return out, errno
	}
	return out, f.each(c, in.Handles, in.Count, func(i int, s *syncobj) { f.add(s, points[i], finished) })
}

// timelineQuery writes the values that timelines have reached, or that were submitted.
func (f *File) timelineQuery(c *call, in *timelineArray) (out none, errno syscall.Errno) {
	const lastSubmitted = 1
	if in.Flags&^lastSubmitted != 0 {
		return out, syscall.EINVAL
	}
	var b []byte
	errno = f.each(c, in.Handles, in.Count, func(_ int, s *syncobj) {
		v := s.submitted()
		if in.Flags&lastSubmitted == 0 {
			v = s.reached
		}
		b = binary.LittleEndian.AppendUint64(b, v)
	})
	if errno != 0 {
		return out, errno
	}
	return out, c.write(b, in.Points)
}

type syncobjTransfer struct {
	Src, Dst           uint32
	SrcPoint, DstPoint uint64
	Flags, _           uint32
}

func (f *File) syncobjTransfer(c *call, in *syncobjTransfer) (out none, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	objects, errno := f.objects([]uint32{in.Src, in.Dst})
	if errno != 0 {
		return out, errno
	}
	fence, errno := f.submittedWork(c, objects[0], in.SrcPoint, in.Flags)
	if errno != 0 {
		return out, errno
	}
	f.add(objects[1], in.DstPoint, fence)
	f.mu.broadcast()
	return out, 0
}

// Flags of waits, DRM_SYNCOBJ_WAIT_FLAGS_*.
const (
	waitAll       = 1
	waitSubmit    = 2
	waitAvailable = 4
)

// submittedWork returns the work after which s has the value. If the flags say so, it waits until that work is
// submitted. The caller holds the lock.
func (f *File) submittedWork(c *call, s *syncobj, value uint64, flags uint32) (*fence, syscall.Errno) {
	var (
		fence *fence
		ok    bool
	)
	there := func() bool { fence, ok = s.at(value); return ok }
	if there() {
		return fence, 0
	}
	if flags&waitSubmit == 0 {
		return nil, syscall.EINVAL
	}
	return fence, f.waitSubmitted(c, forever, there)
}

// waitSubmitted is monitor.wait for a condition that only new submissions or signals can make true. It returns
// ECANCELED once all contexts of the file are lost, because nobody can submit then. The kernel driver would wait for
// ever in this case. The caller holds the lock.
func (f *File) waitSubmitted(c *call, deadline int64, ready func() bool) syscall.Errno {
	lost := false
	errno := f.mu.wait(c.ctx, deadline, func() bool {
		done := ready()
		lost = !done && f.allLost()
		return done || lost
	})
	if lost {
		return syscall.ECANCELED
	}
	return errno
}

// allLost reports whether the file has contexts and all of them are lost. The caller holds the lock.
func (f *File) allLost() bool {
	for _, c := range f.contexts.items {
		if c != nil && !c.lost {
			return false
		}
	}
	return f.lost
}

type syncobjWait struct {
	Handles                 uint64
	Timeout                 int64
	Count, Flags            uint32
	FirstSignalled, Padding uint32
}

func (f *File) syncobjWait(c *call, in *syncobjWait) (out syncobjWait, errno syscall.Errno) {
	out = *in
	if in.Flags&^(waitAll|waitSubmit) != 0 {
		return out, syscall.EINVAL
	}
	out.FirstSignalled, errno = f.waitObjects(c, in.Handles, 0, in.Count, in.Timeout, in.Flags)
	return out, errno
}

type timelineWait struct {
	Handles, Points         uint64
	Timeout                 int64
	Count, Flags            uint32
	FirstSignalled, Padding uint32
}

func (f *File) timelineWait(c *call, in *timelineWait) (out timelineWait, errno syscall.Errno) {
	out = *in
	if in.Flags&^(waitAll|waitSubmit|waitAvailable) != 0 {
		return out, syscall.EINVAL
	}
	out.FirstSignalled, errno = f.waitObjects(c, in.Handles, in.Points, in.Count, in.Timeout, in.Flags)
	return out, errno
}

// waitObjects waits for one or for all of several sync objects. When it waits for one, it returns the index of the
// one that is done. With waitAvailable it waits only until the work is submitted.
func (f *File) waitObjects(c *call, handles, points uint64, count uint32, timeout int64, flags uint32) (first uint32,
	errno syscall.Errno) {
	if count == 0 {
		return 0, 0
	}
	numbers, errno := array[uint32](c, handles, count)
	if errno != 0 {
		return 0, errno
	}
	values := make([]uint64, count)
	if points != 0 {
		if values, errno = array[uint64](c, points, count); errno != 0 {
			return 0, errno
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	objects, errno := f.objects(numbers)
	if errno != 0 {
		return 0, errno
	}
	for i, s := range objects {
		if _, ok := s.at(values[i]); !ok && flags&(waitSubmit|waitAvailable) == 0 {
			return 0, syscall.EINVAL
		}
	}
	errno = f.waitSubmitted(c, timeout, func() bool {
		n := 0
		for i, s := range objects {
			fence, ok := s.at(values[i])
			if !ok || flags&waitAvailable == 0 && !fence.done() {
				continue
			}
			if n++; flags&waitAll == 0 {
				first = uint32(i)
				return true
			}
		}
		return n == len(objects)
	})
	return first, errno
}
