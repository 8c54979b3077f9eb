package device

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/packet/sdma"
	"github.com/gcnsim/gcnsim/state"
)

// index returns the index, as stored in memory, up to which the queue has executed SDMA packets. Before GCN 1.4 such
// an index is an offset in the ring, which is aligned to its size.
func (q *kfdQueue) index() uint64 {
	if q.turns {
		return q.read
	}
	return q.read & (q.size - 1)
}

// stepSDMA executes the next packet of SDMA. It reports false if the packet has to wait, or the queue has ended.
func (k *KFD) stepSDMA(q *kfdQueue) bool {
	words, left, err := k.wordsSDMA(q)
	if err != nil {
		return k.failRing(q, q.ring, err)
	}
	p, err := sdma.Parse(words, left, q.turns)
	if err != nil {
		return k.failRing(q, q.ring+q.read&(q.size-1), err)
	}
	done, err := k.executeSDMA(q, &p)
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case err != nil:
		return k.failRing(q, 0, err)
	case !done:
		q.pending.Store(true)
		return false
	}
	q.read += 4 * uint64(p.Dwords)
	return k.showRead(q, q.index())
}

// wordsSDMA returns the words at the read index, at most as many as the longest packet has, and the number of all
// words up to the write index.
func (k *KFD) wordsSDMA(q *kfdQueue) (words []uint32, all int, err error) {
	write := k.word(q.writePtr)
	if write == nil {
		return nil, 0, refuse("the write index at 0x%x is not in memory of the card", q.writePtr)
	}
	left := write.Load() - q.index()
	if !q.turns {
		left &= q.size - 1
	}
	if left > q.size || left%4 != 0 {
		return nil, 0, refuse("the write index is %d bytes beyond the read index, in a ring of %d", left, q.size)
	}
	words = make([]uint32, min(left/4, sdma.MaxDwords))
	for i := range words {
		b := k.bytes(q.ring+(q.read+4*uint64(i))&(q.size-1), 4)
		if b == nil {
			return nil, 0, refuse("the ring at 0x%x is not in memory of the card", q.ring)
		}
		words[i] = binary.LittleEndian.Uint32(b)
	}
	return words, int(left / 4), nil
}

// executeSDMA executes a packet. It reports false if the packet has to wait.
func (k *KFD) executeSDMA(q *kfdQueue, p *sdma.Packet) (done bool, err error) {
	f := k.file
	switch p.Kind {
	case sdma.Copy:
		return true, f.copyShared(p.Dst, p.Src, p.Bytes)
	case sdma.Write: // the data may wrap around to the beginning of the ring
		from := (q.read + sdma.WriteHeader) & (q.size - 1)
		first := min(p.Bytes, q.size-from)
		err := f.copyShared(p.Dst, q.ring+from, first)
		if err == nil && first < p.Bytes {
			err = f.copyShared(p.Dst+first, q.ring, p.Bytes-first)
		}
		return true, err
	case sdma.CopyWindow:
		return true, k.copyWindow(q, p)
	case sdma.Fill:
		return true, f.fillShared(p.Dst, p.Bytes, uint32(p.Data))
	case sdma.Fence:
		b, err := f.space.aligned(p.Dst, 4)
		if err == nil {
			atomic.StoreUint32((*uint32)(unsafe.Pointer(&b[0])), uint32(p.Data))
		}
		return true, err
	case sdma.Add, sdma.Timestamp:
		b, err := f.space.aligned(p.Dst, 8)
		switch {
		case err != nil:
			return true, err
		case p.Kind == sdma.Add:
			word(b, 0).Add(p.Data)
		default:
			word(b, 0).Store(gpuNow())
		}
	case sdma.Trap:
		k.mu.Lock()
		k.scanSlots()
		k.mu.Unlock()
	case sdma.Poll:
		compare := compares[p.Func]
		if compare == nil {
			return true, refuse("%s with the reserved function %d", p.Name, p.Func)
		}
		if p.Func == 0 { // the address may be a register instead of memory
			return true, nil
		}
		b, err := f.space.aligned(p.Dst, 4)
		if err != nil {
			return true, err
		}
		v := atomic.LoadUint32((*uint32)(unsafe.Pointer(&b[0])))
		return compare(v&p.Mask, uint32(p.Data)), nil
	}
	return true, nil
}

// aligned returns the size bytes at addr for reading and writing. addr must be a multiple of size.
func (s *space) aligned(addr, size uint64) ([]byte, error) {
	if addr%size != 0 {
		return nil, refuse("address 0x%x is not a multiple of %d", addr, size)
	}
	return s.span(addr, size, true)
}

// copyWindow copies a box of bytes row by row.
func (k *KFD) copyWindow(q *kfdQueue, p *sdma.Packet) error {
	w := &p.Window
	for z := range w.Z {
		for y := range w.Y {
			if err := q.ctx.Err(); err != nil {
				return err
			}
			src := w.SrcOffset + z*w.SrcSlice + y*w.SrcPitch
			dst := w.DstOffset + z*w.DstSlice + y*w.DstPitch
			err := k.file.copyShared(p.Dst+dst*w.ElementBytes, p.Src+src*w.ElementBytes, w.X*w.ElementBytes)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// failRing ends a queue of SDMA or PM4 packets because of an error. at is the address of the error, unless err
// contains one. The error is reported as a memory fault, because the runtime of ROCm 5.2 listens to no other event.
func (k *KFD) failRing(q *kfdQueue, at uint64, err error) bool {
	q.dead.Store(true)
	if access, ok := errors.AsType[*accessError](err); ok {
		at = access.addr
	}
	if wave, ok := errors.AsType[*state.Fault](err); ok && wave.Kind == state.FaultMemory {
		at = wave.Addr
	}
	k.file.report(k.file.faultOf(&submission{ring: cmp.Or(q.pm4.ring, &ring{user: q}), sequence: q.read}, err))
	k.raiseMemoryFault(at)
	return false
}
