package device

import "syscall"

type gemVA struct {
	Handle, _        uint32
	Operation, Flags uint32
	Addr             uint64
	Offset, Size     uint64
}

// Operations of GEM_VA, AMDGPU_VA_OP_*.
const (
	vaMap     = 1
	vaUnmap   = 2
	vaClear   = 3
	vaReplace = 4
)

func (f *File) gemVA(_ *call, in *gemVA) (out none, errno syscall.Errno) {
	if in.Addr%pageBytes != 0 || in.Offset%pageBytes != 0 || in.Size%pageBytes != 0 || in.Size == 0 ||
		in.Addr < vaStart || in.Addr >= vaEnd || in.Size > vaEnd-in.Addr {
		f.logf("GEM_VA of 0x%x bytes at 0x%x: not of whole pages within 0x%x to 0x%x, EINVAL", in.Size, in.Addr,
			uint64(vaStart), uint64(vaEnd))
		return out, syscall.EINVAL
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch in.Operation {
	case vaUnmap:
		return out, f.unmap(in)
	case vaClear:
		f.space.clear(in.Addr, in.Addr+in.Size)
		return out, 0
	case vaMap, vaReplace:
		return out, f.mapVA(in)
	}
	return out, syscall.EINVAL
}

// unmap unmaps a range that was mapped as a whole, after the work in progress is done.
func (f *File) unmap(in *gemVA) syscall.Errno {
	var unmap func()
	m, ok := f.space.at(in.Addr)
	if ok && m.lo == in.Addr && m.hi == in.Addr+in.Size &&
		(m.bo == nil && in.Handle == 0 || m.bo != nil && m.bo.handle == in.Handle) {
		unmap = f.space.leave(m)
	}
	if unmap == nil {
		if in.Flags&pagePRT == 0 {
			return syscall.ENOENT
		}
		f.space.clear(in.Addr, in.Addr+in.Size) // also if it was mapped in pieces
		return 0
	}
	f.afterWork(unmap)
	return 0
}

// mapVA maps a piece of a buffer object, or the unbound range of a sparse resource.
func (f *File) mapVA(in *gemVA) syscall.Errno {
	m := &mapping{lo: in.Addr, hi: in.Addr + in.Size, flags: in.Flags}
	if in.Flags&pagePRT == 0 {
		m.bo = f.bos.get(in.Handle)
		switch {
		case m.bo == nil:
			return syscall.ENOENT
		case in.Offset >= m.bo.size || in.Size > m.bo.size-in.Offset:
			return syscall.EINVAL
		}
		m.off = m.bo.off + in.Offset
		if m.bo.host != nil && m.bo.host.readOnly {
			m.flags &^= pageWriteable
		}
	} else {
		m.flags |= pageWriteable // stores are allowed, and dropped
	}
	if in.Operation == vaReplace {
		f.space.clear(m.lo, m.hi)
	}
	return f.space.add(m)
}
