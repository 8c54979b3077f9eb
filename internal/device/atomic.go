package device

import (
	"sync/atomic"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// Operations of ATOMIC_MEM, which are those of the L2. Bit 5 selects 64 bits. Bit 6 says that the old value is not
// returned. Source: the amdgpu kernel driver, TC_OP.
const (
	tcWide    = 1 << 5
	tcKind    = tcWide - 1
	tcCmpSwap = 8
)

// integer is an operand type of atomics.
type integer interface{ ~uint32 | ~uint64 }

// tcOp returns the new value of memory m after operation op with the operands d and c. ok is false if the operation
// does not exist.
func tcOp[T integer](op uint64, m, d, c T) (v T, ok bool) {
	sign := ^(^T(0) >> 1)
	switch op & tcKind {
	case 7:
		return d, true
	case tcCmpSwap:
		if m == c {
			return d, true
		}
		return m, true
	case 15:
		return m + d, true
	case 16:
		return m - d, true
	case 17:
		return min(m^sign, d^sign) ^ sign, true
	case 18:
		return min(m, d), true
	case 19:
		return max(m^sign, d^sign) ^ sign, true
	case 20:
		return max(m, d), true
	case 21:
		return m & d, true
	case 22:
		return m | d, true
	case 23:
		return m ^ d, true
	case 24:
		if m >= d {
			return 0, true
		}
		return m + 1, true
	case 25:
		if m == 0 || m > d {
			return d, true
		}
		return m - 1, true
	}
	return 0, false
}

// atomic executes ATOMIC_MEM. Waves on other rings cannot access the memory in between.
func (p *processor) atomic(f *File, packet *pm4.Packet) error {
	const once, loop = 0, 1
	op, command, addr := packet.Get(pm4.Operation), packet.Get(pm4.Command), packet.Get(pm4.Addr)
	data, compare := packet.Get(pm4.Data), packet.Get(pm4.Compare)
	size := uint64(4)
	if op&tcWide != 0 {
		size = 8
	}
	if _, ok := tcOp[uint64](op, 0, 0, 0); !ok {
		return refuse("ATOMIC_MEM with operation 0x%x is not modelled", op)
	}
	switch {
	case command > loop || command == loop && op&tcKind != tcCmpSwap:
		return refuse("ATOMIC_MEM with command %d is not modelled for operation 0x%x", command, op)
	case addr%size != 0:
		return refuse("ATOMIC_MEM at 0x%x, which is not aligned to its %d bytes", addr, size)
	}
	if command == loop {
		w := wait{addr: addr, function: 3, mask: ^uint32(0), reference: uint32(compare)}
		if size == 8 {
			w.wide, w.reference64 = true, compare
		}
		if err := p.waitFor(f, &w); err != nil || p.waiting != nil {
			return err
		}
	}
	b, err := f.space.span(addr, size, true)
	if err != nil {
		return err
	}
	at := unsafe.Pointer(unsafe.SliceData(b))
	if size == 8 {
		swap64((*uint64)(at), func(m uint64) uint64 { v, _ := tcOp(op, m, data, compare); return v })
	} else {
		swap32((*uint32)(at), func(m uint32) uint32 { v, _ := tcOp(op, m, uint32(data), uint32(compare)); return v })
	}
	return nil
}

func swap32(p *uint32, f func(uint32) uint32) {
	for old := atomic.LoadUint32(p); !atomic.CompareAndSwapUint32(p, old, f(old)); old = atomic.LoadUint32(p) {
	}
}

func swap64(p *uint64, f func(uint64) uint64) {
	for old := atomic.LoadUint64(p); !atomic.CompareAndSwapUint64(p, old, f(old)); old = atomic.LoadUint64(p) {
	}
}
