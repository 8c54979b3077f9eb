package executor

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/state"
)

// bits32or64 are the types of atomic operands.
type bits32or64 interface{ uint32 | uint64 }

// atomicOp is an operation in both widths. It returns the new value of memory m for the operands d, in the first data
// register or pair, and c, in the second.
type atomicOp struct {
	b32 func(m, d, c uint32) uint32
	b64 func(m, d, c uint64) uint64
}

// atomics has the atomic operations for every kind of memory. Source: rule DP9.
var atomics = [isa.NumAtomicOps]atomicOp{
	isa.Swap:     {swap[uint32], swap[uint64]},
	isa.CmpSwap:  {cmpSwap[uint32], cmpSwap[uint64]},
	isa.CmpSt:    {cmpSt[uint32], cmpSt[uint64]},
	isa.Add:      {add[uint32], add[uint64]},
	isa.Sub:      {sub[uint32], sub[uint64]},
	isa.RSub:     {rsub[uint32], rsub[uint64]},
	isa.SMin:     {smin[uint32], smin[uint64]},
	isa.UMin:     {umin[uint32], umin[uint64]},
	isa.SMax:     {smax[uint32], smax[uint64]},
	isa.UMax:     {umax[uint32], umax[uint64]},
	isa.And:      {and[uint32], and[uint64]},
	isa.Or:       {or[uint32], or[uint64]},
	isa.Xor:      {xor[uint32], xor[uint64]},
	isa.Inc:      {inc[uint32], inc[uint64]},
	isa.Dec:      {dec[uint32], dec[uint64]},
	isa.FCmpSwap: {fcmpSwap32, fcmpSwap64},
	isa.FCmpSt:   {fcmpSt32, fcmpSt64},
	isa.FMin:     {fmin32, fmin64},
	isa.FMax:     {fmax32, fmax64},
	isa.FAdd:     {b32: fadd32},
	isa.MskOr:    {mskOr[uint32], mskOr[uint64]},
	isa.Wrap:     {b32: wrap},
	isa.CondXchg: {b64: condXchg},
}

var _ = enum.Full(atomics[:], isa.NoAtomic)

func swap[T bits32or64](_, d, _ T) T { return d }

// cmpSwap is compare and swap with the source before the compare value.
func cmpSwap[T bits32or64](m, d, c T) T {
	if m == c {
		return d
	}
	return m
}

// cmpSt is compare and store of DS, with the compare value before the source.
func cmpSt[T bits32or64](m, d, c T) T { return cmpSwap(m, c, d) }
func add[T bits32or64](m, d, _ T) T   { return m + d }
func sub[T bits32or64](m, d, _ T) T   { return m - d }
func rsub[T bits32or64](m, d, _ T) T  { return d - m }
func umin[T bits32or64](m, d, _ T) T  { return min(m, d) }
func umax[T bits32or64](m, d, _ T) T  { return max(m, d) }
func and[T bits32or64](m, d, _ T) T   { return m & d }
func or[T bits32or64](m, d, _ T) T    { return m | d }
func xor[T bits32or64](m, d, _ T) T   { return m ^ d }
func mskOr[T bits32or64](m, d, c T) T { return m&^d | c }

// sign returns the sign bit of T. Numbers with it inverted have the order of signed ones.
func sign[T bits32or64]() T          { return ^(^T(0) >> 1) }
func smin[T bits32or64](m, d, _ T) T { return min(m^sign[T](), d^sign[T]()) ^ sign[T]() }
func smax[T bits32or64](m, d, _ T) T { return max(m^sign[T](), d^sign[T]()) ^ sign[T]() }

// inc increments m, and wraps to 0 at the operand.
func inc[T bits32or64](m, d, _ T) T {
	if m >= d {
		return 0
	}
	return m + 1
}

// dec decrements m, and wraps to the operand at 0 and above the operand.
func dec[T bits32or64](m, d, _ T) T {
	if m == 0 || m > d {
		return d
	}
	return m - 1
}

// Floating-point comparisons compare values: -0 equals +0, NaN equals nothing.
func fcmpSwap32(m, d, c uint32) uint32 {
	if math.Float32frombits(m) == math.Float32frombits(c) {
		return d
	}
	return m
}

func fcmpSwap64(m, d, c uint64) uint64 {
	if math.Float64frombits(m) == math.Float64frombits(c) {
		return d
	}
	return m
}

func fcmpSt32(m, d, c uint32) uint32 { return fcmpSwap32(m, c, d) }
func fcmpSt64(m, d, c uint64) uint64 { return fcmpSwap64(m, c, d) }

func fmin32(m, d, _ uint32) uint32 {
	if math.Float32frombits(d) < math.Float32frombits(m) {
		return d
	}
	return m
}

func fmin64(m, d, _ uint64) uint64 {
	if math.Float64frombits(d) < math.Float64frombits(m) {
		return d
	}
	return m
}

func fmax32(m, d, _ uint32) uint32 {
	if math.Float32frombits(d) > math.Float32frombits(m) {
		return d
	}
	return m
}

func fmax64(m, d, _ uint64) uint64 {
	if math.Float64frombits(d) > math.Float64frombits(m) {
		return d
	}
	return m
}

// fadd32 rounds to nearest even and flushes denormals in the operands and the sum.
func fadd32(m, d, _ uint32) uint32 {
	return flush(math.Float32bits(math.Float32frombits(flush(m)) + math.Float32frombits(flush(d))))
}

// flush replaces a denormal by a zero with its sign.
func flush(v uint32) uint32 {
	if v&0x7f800000 == 0 {
		return v & 0x80000000
	}
	return v
}

// wrap computes DS_WRAP_RTN_B32, for an index in a ring buffer.
func wrap(m, d, c uint32) uint32 {
	if m >= d {
		return m - d
	}
	return m + c
}

// condXchg computes DS_CONDXCHG32_RTN_B64: if bit 31 of a half of the operand is set, that half without the bit
// replaces the half in memory.
func condXchg(m, d, _ uint64) uint64 {
	lo, hi := m&0xffffffff, m>>32
	if d>>31&1 != 0 {
		lo = d & 0x7fffffff
	}
	if d>>63 != 0 {
		hi = d >> 32 & 0x7fffffff
	}
	return lo | hi<<32
}

// canAtomic reports whether Atomic supports the operation of m in its width.
func canAtomic(m *isa.Mem) bool {
	op := &atomics[m.Atomic]
	return m.Elem == 4 && op.b32 != nil || m.Elem == 8 && op.b64 != nil
}

// NoReg stands for a register that an atomic operation does not have.
const NoReg = -1

// Atomic applies the operation of m to mem at a.Addr for the lanes of mask in ascending order, or in descending order
// with p.Descending (rule DP9). The operands are in the registers from w.V[d] and, if it is not NoReg, w.V[c] on. The
// old values go to w.V[ret] unless that is NoReg. Lanes in a.Out do nothing and return 0. Addresses must be aligned
// to the size.
//
// Each lane is atomic with respect to other goroutines, unless the range is private.
func Atomic(w *state.Wave, p *Ports, mem Memory, m *isa.Mem, d, c, ret int, mask uint64, a *state.Access) *state.Fault {
	in := mask &^ a.Out[0]
	words := int(m.Elem) / 4
	if ret != NoReg {
		for i := range words {
			Zero(w, ret+i, mask&^in)
		}
	}
	for in != 0 {
		lane, part := bits.TrailingZeros64(in)&63, in
		if p.Descending {
			lane = bits.Len64(in) - 1
			part = 1 << lane
		}
		s := mem.Find(a.Addr[lane])
		if s == nil {
			return Unmapped(lane, a.Addr[lane], int(m.Elem))
		}
		if s.faultsStores() {
			return sealed(s, lane, a.Addr[lane])
		}
		in &^= part
		if words == 1 {
			part = atomic32(w, s, atomics[m.Atomic].b32, d, c, ret, part, a)
		} else {
			part = atomic64(w, s, atomics[m.Atomic].b64, d, c, ret, part, a)
		}
		if part>>lane&1 != 0 {
			return Unmapped(lane, a.Addr[lane], int(m.Elem))
		}
		in |= part
	}
	return nil
}

// atomic32 processes the lanes of mask that are in s and returns the others.
func atomic32(w *state.Wave, s *Span, f func(m, d, c uint32) uint32, d, c, ret int, mask uint64,
	a *state.Access) (rest uint64) {
	x, y, before := &w.V[d], &w.V[d], &w.Temp()[0]
	if c != NoReg {
		y = &w.V[c]
	}
	if ret != NoReg {
		before = &w.V[ret]
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		off, ok := s.Offset(a.Addr[lane], 4)
		if !ok {
			rest |= 1 << lane
			continue
		}
		if p := &s.Words[off/4]; s.Seal == Unbound {
			before[lane] = *p
		} else if s.Private {
			old := *p
			*p = f(old, x[lane], y[lane])
			before[lane] = old
		} else {
			before[lane] = update32(p, f, x[lane], y[lane])
		}
	}
	return rest
}

// atomic64 processes the lanes of mask that are in s and returns the others.
func atomic64(w *state.Wave, s *Span, f func(m, d, c uint64) uint64, d, c, ret int, mask uint64,
	a *state.Access) (rest uint64) {
	quads := s.quads()
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		off, ok := s.Offset(a.Addr[lane], 8)
		if !ok {
			rest |= 1 << lane
			continue
		}
		var cmp uint64
		if c != NoReg {
			cmp = pair(w, c, lane)
		}
		var old uint64
		if p, x := &quads[off/8], pair(w, d, lane); s.Seal == Unbound {
			old = *p
		} else if s.Private {
			old = *p
			*p = f(old, x, cmp)
		} else {
			old = update64(p, f, x, cmp)
		}
		if ret != NoReg {
			w.V[ret][lane], w.V[ret+1][lane] = uint32(old), uint32(old>>32)
		}
	}
	return rest
}

func pair(w *state.Wave, reg, lane int) uint64 {
	return uint64(w.V[reg][lane]) | uint64(w.V[reg+1][lane])<<32
}

// update32 replaces *p by f(*p, d, c), atomically, and returns the old value.
func update32(p *uint32, f func(m, d, c uint32) uint32, d, c uint32) (old uint32) {
	for {
		old = atomic.LoadUint32(p)
		if atomic.CompareAndSwapUint32(p, old, f(old, d, c)) {
			return old
		}
	}
}

// update64 does what update32 does, for 64 bits.
func update64(p *uint64, f func(m, d, c uint64) uint64, d, c uint64) (old uint64) {
	for {
		old = atomic.LoadUint64(p)
		if atomic.CompareAndSwapUint64(p, old, f(old, d, c)) {
			return old
		}
	}
}

// quads returns the storage of s as quadwords: Base is a multiple of 16, and Words is aligned to 8 bytes.
func (s *Span) quads() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s.Words))), len(s.Words)/2)
}

// ScalarLoad returns the size bytes, 4 or 8, at addr, which must be aligned to 4 bytes.
func ScalarLoad(mem Memory, addr uint64, size int) (v uint64, f *state.Fault) {
	var words [2]uint32
	f = ReadWords(mem, addr, words[:size/4])
	return uint64(words[0]) | uint64(words[1])<<32, f
}

// ScalarAtomic applies the operation of m at addr with the operands d and c and returns the old value. 32-bit
// operations use the low halves.
func ScalarAtomic(mem Memory, m *isa.Mem, addr, d, c uint64) (old uint64, f *state.Fault) {
	s, off, f := writable(mem, addr, int(m.Elem))
	if f != nil {
		return 0, f
	}
	if s.Seal == Unbound {
		return 0, nil
	}
	if m.Elem == 4 {
		return uint64(update32(&s.Words[off/4], atomics[m.Atomic].b32, uint32(d), uint32(c))), nil
	}
	return update64(&s.quads()[off/8], atomics[m.Atomic].b64, d, c), nil
}
