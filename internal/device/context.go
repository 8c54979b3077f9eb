package device

import "syscall"

// gpuContext is a context. A fault loses all work that was submitted to it.
type gpuContext struct {
	id    uint32
	rings map[ringID]*ring
	lost  bool // lost by a fault
	hangs uint32
}

// ringID names a ring of a context.
type ringID struct {
	ip     ipType
	number uint32
}

type ctxIn struct {
	Op, Flags, ID uint32
	Priority      int32
}

// ctxOut is a union of the results of an allocation, a state query and a clock query.
type ctxOut struct{ First, Second, Hangs, ResetStatus uint32 }

// Operations on contexts, AMDGPU_CTX_OP_*.
const (
	ctxAlloc     = 1
	ctxFree      = 2
	ctxQuery     = 3
	ctxQuery2    = 4
	ctxGetPState = 5
	ctxSetPState = 6
)

func (f *File) ctxIoctl(_ *call, in *ctxIn) (out ctxOut, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.Op == ctxAlloc {
		c := &gpuContext{rings: map[ringID]*ring{}}
		id, ok := f.contexts.add(c)
		if !ok {
			return out, syscall.ENOMEM
		}
		c.id, out.First = id, id
		return out, 0
	}
	c := f.contexts.get(in.ID)
	if c == nil {
		return out, syscall.EINVAL
	}
	const (
		guiltyReset             = 1 // AMDGPU_CTX_GUILTY_RESET
		flagReset, flagGuilty   = 1, 4
		stablePStates, noPState = 4, 0
	)
	switch in.Op {
	case ctxFree:
		f.contexts.remove(in.ID)
		f.mu.broadcast() // it may be the last one that is not lost, for which a goroutine waits
	case ctxQuery:
		if out.Hangs = c.hangs; c.lost {
			out.ResetStatus = guiltyReset
		}
	case ctxQuery2:
		if out.Hangs = c.hangs; c.lost {
			out.First = flagReset | flagGuilty
		}
	case ctxGetPState:
		out.First = noPState
	case ctxSetPState: // ignored: the clocks never change
		if in.Flags > stablePStates {
			return out, syscall.EINVAL
		}
	default:
		return out, syscall.EINVAL
	}
	return out, 0
}

type vmIn struct{ Op, Flags uint32 }

type vmOut struct{ Flags uint64 }

// vm reserves a VMID. There are always enough of them.
func (f *File) vm(_ *call, in *vmIn) (out vmOut, errno syscall.Errno) {
	const reserve, unreserve = 1, 2
	if in.Op != reserve && in.Op != unreserve {
		return out, syscall.EINVAL
	}
	return out, 0
}

type schedIn struct {
	Op, FD   uint32
	Priority int32
	Context  uint32
}

// sched refuses the call, which only root may make.
func (f *File) sched(*call, *schedIn) (out none, errno syscall.Errno) { return out, syscall.EACCES }

// boList is a list of buffer objects. Its content does not matter, because all buffer objects are always resident.
type boList struct{}

type boListIn struct {
	Op, Handle, Count, InfoSize uint32
	Info                        uint64
}

func (f *File) boListIoctl(_ *call, in *boListIn) (out handleOut, errno syscall.Errno) {
	const create, destroy, update = 0, 1, 2
	f.mu.Lock()
	defer f.mu.Unlock()
	switch in.Op {
	case create:
		var ok bool
		if out.Handle, ok = f.lists.add(&boList{}); !ok {
			return out, syscall.ENOMEM
		}
		return out, 0
	case destroy:
		if f.lists.remove(in.Handle) == nil {
			return out, syscall.EINVAL
		}
		return out, 0
	case update:
		if f.lists.get(in.Handle) == nil {
			return out, syscall.ENOENT
		}
		out.Handle = in.Handle
		return out, 0
	}
	return out, syscall.EINVAL
}
