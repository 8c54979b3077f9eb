package device

import (
	"slices"
	"sync"
	"syscall"
)

// sharedSync is a sync object that programs share. Each open file has a sync object of its own for it, and receives
// what happens to the others: see [File.spread].
type sharedSync struct {
	shared *shared

	mu      sync.Mutex // guards the fields below
	members []member
}

// member is the sync object of an open file.
type member struct {
	file   *File
	object *syncobj
}

// echo is an event of a shared sync object: either a reset, or a point that is reached when a fence is done.
type echo struct {
	object *syncobj
	reset  bool
	point  uint64
	fence  *fence
}

// changed records that e happened to s, for the other files. The caller holds the lock.
func (f *File) changed(s *syncobj, e echo) {
	if s.link != nil {
		e.object = s
		f.echoes = append(f.echoes, e)
	}
}

// add adds a point to s that is reached when work is done. The caller holds the lock.
func (f *File) add(s *syncobj, point uint64, work *fence) {
	s.add(point, work)
	f.changed(s, echo{point: point, fence: work})
}

// spread sends recorded events of shared sync objects to the other open files. Each ioctl ends with it. The caller
// holds no lock.
func (f *File) spread() {
	f.mu.Lock()
	echoes, joined := f.echoes, f.joined
	f.echoes, f.joined = nil, nil
	f.mu.Unlock()
	for _, o := range joined {
		f.join(o)
	}
	for _, e := range echoes {
		link := e.object.link
		link.mu.Lock()
		members := slices.Clone(link.members)
		link.mu.Unlock()
		for _, m := range members {
			if m.file != f {
				f.tell(m, e)
			}
		}
	}
}

// tell applies e to the sync object of another file.
func (f *File) tell(m member, e echo) {
	if e.reset {
		m.file.mu.Lock()
		*m.object = syncobj{link: m.object.link}
		m.file.mu.broadcast()
		m.file.mu.Unlock()
		return
	}
	theirs := &fence{}
	m.file.mu.Lock()
	m.object.add(e.point, theirs)
	m.file.mu.Unlock()
	finish := func() {
		m.file.mu.Lock()
		defer m.file.mu.Unlock()
		theirs.finish()
		m.file.mu.broadcast()
	}
	f.mu.Lock()
	if done := e.fence.done(); !done && f.engine.pending > 0 {
		f.engine.later = append(f.engine.later, later{f.engine.started, func() { go finish() }})
		f.mu.Unlock()
		return
	}
	f.mu.Unlock()
	finish()
}

type syncobjHandle struct {
	Handle, Flags uint32
	FD            int32
	_             uint32
}

// syncFile is the flag of the ioctls HANDLE_TO_FD and FD_TO_HANDLE that selects sync files.
const syncFile = 1

// syncobjExport returns a descriptor of a sync object, or a sync file with the object's current work. A sync file is
// signalled from the beginning, because the call waits for the work.
func (f *File) syncobjExport(c *call, in *syncobjHandle) (out syncobjHandle, errno syscall.Errno) {
	out = *in
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.syncobjs.get(in.Handle)
	switch {
	case o == nil:
		return out, syscall.ENOENT
	case in.Flags&^syncFile != 0:
		return out, syscall.EINVAL
	case in.Flags == 0 && o.link != nil:
		out.FD, errno = f.dev.sharing.give(c, o.link.shared, pageBytes, true)
		return out, errno
	case in.Flags == 0:
		link := &sharedSync{members: []member{{f, o}}}
		link.shared = &shared{object: link}
		if out.FD, errno = f.dev.sharing.give(c, link.shared, pageBytes, true); errno == 0 {
			o.link = link
		}
		return out, errno
	}
	work, ok := o.at(0)
	if !ok {
		return out, syscall.EINVAL
	}
	if errno = f.mu.wait(c.ctx, forever, work.done); errno != 0 {
		return out, errno
	}
	out.FD, errno = f.dev.sharing.give(c, &shared{work: finished}, pageBytes, true)
	return out, errno
}

// syncobjImport returns the sync object behind a descriptor, or stores the work of a sync file in an existing one.
func (f *File) syncobjImport(c *call, in *syncobjHandle) (out syncobjHandle, errno syscall.Errno) {
	out = *in
	s := f.dev.sharing.of(c, in.FD)
	if s == nil || in.Flags&^syncFile != 0 || (s.work != nil) != (in.Flags != 0) || s.memory != nil {
		c.logf("SYNCOBJ_FD_TO_HANDLE: descriptor %d is nothing of this card that fits: EINVAL", in.FD)
		return out, syscall.EINVAL
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.work != nil {
		o := f.syncobjs.get(in.Handle)
		if o == nil {
			return out, syscall.ENOENT
		}
		f.add(o, 0, finished)
		f.mu.broadcast()
		return out, 0
	}
	o, fresh := s.object.objectOf(f)
	var ok bool
	if out.Handle, ok = f.syncobjs.add(o); !ok {
		return out, syscall.ENOMEM
	}
	if fresh {
		f.joined = append(f.joined, o)
	}
	return out, 0
}

// objectOf returns f's sync object for l. If fresh, it was just created and still has no points.
func (l *sharedSync) objectOf(f *File) (o *syncobj, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.members {
		if m.file == f {
			return m.object, false
		}
	}
	o = &syncobj{link: l}
	l.members = append(l.members, member{f, o})
	return o, true
}

// inUse reports whether more than one open file has a sync object of l.
func (l *sharedSync) inUse() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.members) > 1
}

// leave removes the sync object of a closed file.
func (l *sharedSync) leave(f *File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members = slices.DeleteFunc(l.members, func(m member) bool { return m.file == f })
}

// join copies the points of another file's sync object to f's new one. The caller holds no lock.
func (f *File) join(o *syncobj) {
	o.link.mu.Lock()
	first := o.link.members[0]
	o.link.mu.Unlock()
	if first.file == f {
		return
	}
	first.file.mu.Lock()
	first.object.settle()
	reached, points := first.object.reached, slices.Clone(first.object.points)
	first.file.mu.Unlock()
	f.mu.Lock()
	o.reached = max(o.reached, reached)
	f.mu.Unlock()
	for _, p := range points {
		first.file.tell(member{f, o}, echo{point: p.value, fence: p.fence})
	}
}
