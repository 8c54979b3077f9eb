package device

import (
	"encoding/binary"
	"slices"
)

// place is a range of GPU memory, which may stand for memory of a process.
type place struct {
	bytes []byte      // bytes on the card
	host  *userMemory // the process's memory, if bytes is a copy of it; nil if the range is only on the card
	user  uint64      // address in the process
}

// placeAt returns the range from addr to the end of its mapping, limited to n bytes and to maxPiece.
func (f *File) placeAt(addr, n uint64, write bool) (place, error) {
	m, b, err := f.space.spanOf(addr, min(n, maxPiece), write)
	if err != nil || m.bo == nil || m.bo.host == nil {
		return place{bytes: b}, err
	}
	return place{b, m.bo.host, m.bo.host.user + addr - m.lo + m.off - m.bo.off}, nil
}

// copyShared copies n bytes. Ranges that stand for memory of a process are read and written in the process itself, so
// the copy sees what the process stored before. Other bytes of that memory are not synchronized.
func (f *File) copyShared(dst, src, n uint64) error {
	for n > 0 {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		from, err := f.placeAt(src, n, false)
		if err != nil {
			return err
		}
		to, err := f.placeAt(dst, uint64(len(from.bytes)), true)
		if err != nil {
			return err
		}
		from.bytes = from.bytes[:len(to.bytes)]
		if err := f.host.copy(to, from); err != nil {
			return err
		}
		done := uint64(len(to.bytes))
		src, dst, n = src+done, dst+done, n-done
	}
	return nil
}

// fillShared fills n bytes, a multiple of 4, with a dword. Like copyShared, it writes to the process itself.
func (f *File) fillShared(dst, n uint64, v uint32) error {
	if dst%4 != 0 {
		return refuse("a fill of dwords at 0x%x, which is not aligned to 4 bytes", dst)
	}
	for n > 0 {
		to, err := f.placeAt(dst, n, true)
		if err != nil {
			return err
		}
		done := uint64(len(to.bytes))
		if to.host == nil {
			err = f.space.fill(dst, done, v)
		} else {
			b := make([]byte, done)
			repeat(b, [4]byte(binary.LittleEndian.AppendUint32(nil, v)))
			err = f.host.copy(to, place{bytes: b})
		}
		if err != nil {
			return err
		}
		dst, n = dst+done, n-done
	}
	return nil
}

// copy copies between ranges of the same size. The error says that the process or the card no longer has the memory.
func (h *userMemories) copy(to, from place) error {
	if to.host == nil && from.host == nil {
		copy(to.bytes, from.bytes)
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range []*userMemory{from.host, to.host} {
		if m != nil && !slices.Contains(h.all, m) {
			return refuse("memory of the process at 0x%x was unmapped while it was copied", m.user)
		}
	}
	if from.host != nil && to.host != nil {
		between := h.read(uint64(len(to.bytes)))
		if err := from.read(between); err != nil {
			return err
		}
		return to.write(between)
	}
	if from.host != nil {
		return from.read(to.bytes)
	}
	return to.write(from.bytes)
}

// read reads b from the memory of the process.
func (p *place) read(b []byte) error {
	if err := p.host.owner.ReadAt(b, p.user); err != nil {
		return refuse("memory of the process at 0x%x cannot be read: %v", p.user, err)
	}
	return nil
}

// write writes b to the memory of the process.
func (p *place) write(b []byte) error {
	if err := p.host.owner.WriteAt(b, p.user); err != nil {
		return refuse("memory of the process at 0x%x cannot be written: %v", p.user, err)
	}
	return nil
}
