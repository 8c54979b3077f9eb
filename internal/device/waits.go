package device

import (
	"cmp"
	"syscall"
)

type waitCSIn struct {
	Sequence           uint64
	Timeout            uint64
	IP, Instance, Ring uint32
	Context            uint32
}

type waitCSOut struct{ Status uint64 }

// status waits until ready is true. busy says that the timeout passed first. The caller holds the lock.
func (f *File) status(c *call, timeout uint64, ready func() bool) (busy bool, errno syscall.Errno) {
	errno = f.mu.wait(c.ctx, deadlineOf(timeout), ready)
	if errno == errTime {
		return true, 0
	}
	return false, errno
}

// waitCS waits for a submission. It returns ECANCELED if the submission was lost. Source: amdgpu_cs_wait_ioctl, which
// returns the error of the fence; drm_sched_resubmit_jobs_ext, which sets it.
func (f *File) waitCS(c *call, in *waitCSIn) (out waitCSOut, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fence, errno := f.fenceOf(in.Context, ringID{ipType(in.IP), in.Ring}, in.Sequence)
	if errno != 0 {
		return out, errno
	}
	busy, errno := f.status(c, in.Timeout, fence.done)
	switch {
	case busy:
		out.Status = 1
	case errno == 0:
		errno = fence.errno()
	}
	return out, errno
}

type waitFencesIn struct {
	Fences         uint64
	Count, WaitAll uint32
	Timeout        uint64
}

type waitFencesOut struct{ Status, First uint32 }

type fenceIn struct {
	Context, IP, Instance, Ring uint32
	Sequence                    uint64
}

// waitFences waits for one or for all of several submissions. Status 1 says that they are done. Like
// amdgpu_cs_wait_fences_ioctl it returns ECANCELED if the submission that ended the wait, or one of all, was lost.
func (f *File) waitFences(c *call, in *waitFencesIn) (out waitFencesOut, errno syscall.Errno) {
	list, errno := array[fenceIn](c, in.Fences, in.Count)
	if errno != 0 {
		return out, errno
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	fences := make([]*fence, len(list))
	for i, v := range list {
		if fences[i], errno = f.fenceOf(v.Context, ringID{ipType(v.IP), v.Ring}, v.Sequence); errno != 0 {
			return out, errno
		}
	}
	var lost syscall.Errno
	busy, errno := f.status(c, in.Timeout, func() bool {
		n := 0
		for i, fence := range fences {
			if !fence.done() {
				continue
			}
			if n++; in.WaitAll == 0 {
				out.First, lost = uint32(i), fence.errno()
				return true
			}
			if lost = fence.errno(); lost != 0 {
				return true
			}
		}
		return n == len(fences)
	})
	if !busy {
		out.Status, errno = 1, cmp.Or(errno, lost)
	}
	return out, errno
}

type gemWaitIdleIn struct {
	Handle, Flags uint32
	Timeout       uint64
}

type gemWaitIdleOut struct{ Status, Domain uint32 }

// gemWaitIdle waits until all work that was submitted so far is done. All buffer objects are resident for all work,
// so any of it could use the one that is asked for.
func (f *File) gemWaitIdle(c *call, in *gemWaitIdleIn) (out gemWaitIdleOut, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.bos.get(in.Handle)
	if b == nil {
		return out, syscall.ENOENT
	}
	out.Domain = uint32(b.create.Domains)
	e := &f.engine
	upTo := e.started
	busy, errno := f.status(c, in.Timeout, func() bool { return e.pending == 0 || e.finished >= upTo })
	if busy {
		out.Status = 1
	}
	return out, errno
}

type fenceToHandle struct {
	Fence   fenceIn
	What, _ uint32
}

// fenceToHandle stores the fence of a submission in a new sync object.
func (f *File) fenceToHandle(_ *call, in *fenceToHandle) (out struct{ Handle uint32 }, errno syscall.Errno) {
	const getSyncobj = 0
	if in.What != getSyncobj {
		f.logf("FENCE_TO_HANDLE: fences cannot be shared with other processes, ENOSYS")
		return out, syscall.ENOSYS
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	work, errno := f.fenceOf(in.Fence.Context, ringID{ipType(in.Fence.IP), in.Fence.Ring}, in.Fence.Sequence)
	if errno != 0 {
		return out, errno
	}
	if work == nil {
		work = finished
	}
	s := &syncobj{}
	s.set(work)
	var ok bool
	if out.Handle, ok = f.syncobjs.add(s); !ok {
		return out, syscall.ENOMEM
	}
	return out, 0
}
