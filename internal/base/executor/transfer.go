package executor

import (
	"encoding/binary"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Find makes a Span a [Memory] with one range, for LDS and GDS.
func (s *Span) Find(addr uint64) *Span {
	if _, ok := s.Offset(addr, 1); ok {
		return s
	}
	return nil
}

// Elements are the positions of one element of each lane: Size bytes at Addr[lane] + Disp.
type Elements struct {
	Addr  *[state.NumLanes]uint64
	Disp  uint64
	Size  int  // 1, 2 or 4; for writes also 8
	Dense bool // Addr[lane] is known to be Addr[0] + 4*lane in all lanes
}

// Element returns the positions of element i of a.
func Element(a *state.Access, i int) Elements {
	if a.Split && i > 0 {
		return Elements{Addr: &a.More[i-1], Size: int(a.Elem)}
	}
	return Elements{Addr: &a.Addr, Disp: uint64(i) * uint64(a.Elem), Size: int(a.Elem), Dense: a.Dense}
}

// of returns the address of the element of a lane.
func (e *Elements) of(lane int) uint64 { return e.Addr[lane] + e.Disp }

// Load reads the elements of the lanes of mask into the registers from w.V[reg] on, at the addresses in a. Elements
// in a.Out are 0. Sub-dword elements are extended; those of D16 rows preserve the other half (rules DP3 and DP4).
// Elements are read in ascending order; registers of other lanes do not change.
func Load(w *state.Wave, mem Memory, m *isa.Mem, reg int, mask uint64, a *state.Access) *state.Fault {
	for i := range int(m.Count) {
		at := Element(a, i)
		in := mask &^ a.Out[min(i, 3)]
		if m.D16 != isa.Full {
			return loadHalf(w, mem, m, reg, at, mask, in)
		}
		// Elements of 8 bytes are read as two dwords.
		at.Size = min(at.Size, 4)
		for range max(int(m.Elem)/4, 1) {
			if in != mask {
				Zero(w, reg, mask&^in)
			}
			if f := Gather(mem, &w.V[reg], at, in); f != nil {
				return f
			}
			if m.Signed {
				SignExtend(&w.V[reg], at.Size, in)
			}
			reg++
			at.Disp += 4
		}
	}
	return nil
}

// loadHalf does what Load does, for a D16 row, which has one element.
func loadHalf(w *state.Wave, mem Memory, m *isa.Mem, reg int, at Elements, mask, in uint64) *state.Fault {
	var tmp state.Lanes
	if f := Gather(mem, &tmp, at, in); f != nil {
		return f
	}
	Put(w, m, reg, &tmp, mask)
	return nil
}

// Put writes one loaded element of at most 4 bytes, zero-extended in v, to the lanes of mask of w.V[reg], as [Load]
// would. It may change v.
func Put(w *state.Wave, m *isa.Mem, reg int, v *state.Lanes, mask uint64) {
	if m.Signed {
		SignExtend(v, int(m.Elem), mask)
	}
	if m.D16 != isa.Full {
		mergeHalf(&w.V[reg], v, m.D16, mask)
		return
	}
	simd.Merge(&w.V[reg], v, mask)
}

// Zero sets the lanes of mask of w.V[reg] to 0.
func Zero(w *state.Wave, reg int, mask uint64) {
	simd.Select(&w.V[reg], &w.V[reg], &zeros, mask)
}

var zeros state.Lanes

// Store writes the elements of the lanes of mask from the registers from w.V[reg] on to the addresses in a; those in
// a.Out are ignored. Element i of all lanes is written before element i+1; within an element, higher lanes are
// written later.
func Store(w *state.Wave, mem Memory, m *isa.Mem, reg int, mask uint64, a *state.Access) *state.Fault {
	for i := range int(m.Count) {
		if f := StoreElement(w, mem, m, reg, i, mask, a); f != nil {
			return f
		}
		reg += max(int(m.Elem)/4, 1)
	}
	return nil
}

// StoreElement does what [Store] does, for element i alone, whose data start at w.V[reg].
func StoreElement(w *state.Wave, mem Memory, m *isa.Mem, reg, i int, mask uint64, a *state.Access) *state.Fault {
	in := mask &^ a.Out[min(i, 3)]
	src, high := &w.V[reg], (*state.Lanes)(nil)
	if m.Elem == 8 {
		high = &w.V[reg+1]
	}
	if m.D16 == isa.HighHalf {
		var tmp state.Lanes
		simd.Field(&tmp, src, 16, 0xffff, 0)
		src = &tmp
	}
	return Scatter(mem, src, high, Element(a, i), in)
}

// SignExtend sign-extends the low size bytes in each lane of mask to 32 bits.
func SignExtend(v *state.Lanes, size int, mask uint64) {
	drop := 32 - 8*size
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		v[lane] = uint32(int32(v[lane]<<drop) >> drop)
	}
}

// Merge sets the lanes of mask of dst to src, except for the bits of keep. Bits of keep in src must be 0 unless dst
// is src.
func Merge(dst, src *state.Lanes, keep uint32, mask uint64) {
	switch {
	case dst == src:
	case keep == 0:
		simd.Merge(dst, src, mask)
	default:
		insert(dst, src, 0, keep, mask)
	}
}

// mergeHalf writes the low halves of src to one half of dst and preserves the other.
func mergeHalf(dst, src *state.Lanes, half isa.D16Half, mask uint64) {
	if half == isa.HighHalf {
		insert(dst, src, 16, 0xffff, mask)
	} else {
		insert(dst, src, 0, 0xffff0000, mask)
	}
}

// insert sets the lanes of mask of dst to src << shift, except for the bits of keep.
func insert(dst, src *state.Lanes, shift, keep uint32, mask uint64) {
	var v state.Lanes
	simd.Insert(&v, src, dst, shift, ^keep, keep)
	simd.Merge(dst, &v, mask)
}

// GatherAmong does what [Gather] does, but lanes outside of mask become undefined.
func GatherAmong(mem Memory, dst *state.Lanes, at Elements, mask uint64) *state.Fault {
	if mask != 0 && at.Size == 4 {
		if s := mem.Find(at.of(bits.TrailingZeros64(mask) & 63)); s != nil {
			if words, base := s.dwords(); simd.GatherAmong(dst, words, at.Addr, base-at.Disp, mask) {
				return nil
			}
		}
	}
	return Gather(mem, dst, at, mask)
}

// Gather reads the elements of the lanes of mask, zero-extended. It looks up each range once.
func Gather(mem Memory, dst *state.Lanes, at Elements, mask uint64) *state.Fault {
	for mask != 0 {
		lane := bits.TrailingZeros64(mask) & 63
		s := mem.Find(at.of(lane))
		if s == nil {
			return Unmapped(lane, at.of(lane), at.Size)
		}
		if at.Size == 4 && s.readDwords(dst, at, mask) || at.Size < 4 && s.readSmall(dst, at, mask) {
			return nil
		}
		if mask = s.read(dst, at, mask); mask>>lane&1 != 0 {
			var b [4]byte
			if !readAcross(mem, at.of(lane), b[:at.Size]) {
				return Unmapped(lane, at.of(lane), at.Size)
			}
			dst[lane] = binary.LittleEndian.Uint32(b[:])
			mask &^= 1 << lane
		}
	}
	return nil
}

// Mapped returns the lanes of mask whose size bytes at addr[lane] are all mapped.
func Mapped(mem Memory, addr *[state.NumLanes]uint64, size int, mask uint64) (there uint64) {
	var s *Span
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		if s == nil || addr[lane]-s.Base-s.Lo >= s.Hi-s.Lo {
			if s = mem.Find(addr[lane]); s == nil {
				continue
			}
		}
		_, whole := s.Offset(addr[lane], uint64(size))
		if whole || across(mem, addr[lane], size, func(*Span, uint64, int, int) {}) {
			there |= 1 << lane
		}
	}
	return there
}

// Scatter writes the elements of the lanes of mask, in ascending order of the lanes. The upper halves of elements of
// 8 bytes are in high, which is nil for other sizes.
func Scatter(mem Memory, src, high *state.Lanes, at Elements, mask uint64) *state.Fault {
	for mask != 0 {
		lane := bits.TrailingZeros64(mask) & 63
		s := mem.Find(at.of(lane))
		if s == nil {
			return Unmapped(lane, at.of(lane), at.Size)
		}
		switch {
		case s.Seal == Unbound:
			mask = s.drop(at, mask)
		case s.Seal != Open:
			return sealed(s, lane, at.of(lane))
		case mask == state.FullExec && (at.Size == 4 && s.writeDwords(src, at) || at.Size < 4 && s.writeSmall(src, at)):
			return nil
		default:
			mask = s.write(src, high, at, mask)
		}
		if mask>>lane&1 != 0 {
			if f := scatterAcross(mem, src, high, at, lane); f != nil {
				return f
			}
			mask &^= 1 << lane
		}
	}
	return nil
}

// scatterAcross does what [Scatter] does, for one lane whose element extends over several ranges.
func scatterAcross(mem Memory, src, high *state.Lanes, at Elements, lane int) *state.Fault {
	v := uint64(src[lane])
	if high != nil {
		v |= uint64(high[lane]) << 32
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	if s, ok := writeAcross(mem, at.of(lane), b[:at.Size]); s != nil {
		return sealed(s, lane, at.of(lane))
	} else if !ok {
		return Unmapped(lane, at.of(lane), at.Size)
	}
	return nil
}

// read reads the lanes of mask that are in s and returns the others.
func (s *Span) read(dst *state.Lanes, at Elements, mask uint64) (rest uint64) {
	b, base, places := s.bytes(at.Size)
	base -= at.Disp
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		off := at.Addr[lane] - base
		if off >= places {
			rest |= 1 << lane
			continue
		}
		switch at.Size {
		case 4:
			dst[lane] = binary.LittleEndian.Uint32(b[off:])
		case 2:
			dst[lane] = uint32(binary.LittleEndian.Uint16(b[off:]))
		default:
			dst[lane] = uint32(b[off])
		}
	}
	return rest
}

// drop returns the lanes of mask that are not in s, which is unbound: the stores of the others are ignored.
func (s *Span) drop(at Elements, mask uint64) (rest uint64) {
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		if _, ok := s.Offset(at.of(lane), uint64(at.Size)); !ok {
			rest |= 1 << lane
		}
	}
	return rest
}

// readSmall reads one or two bytes in all lanes, if mask has all lanes and all are in s.
func (s *Span) readSmall(dst *state.Lanes, at Elements, mask uint64) bool {
	b, base, _ := s.bytes(at.Size)
	return mask == state.FullExec && simd.GatherSmall(dst, b, at.Addr, base-at.Disp, at.Size)
}

// readDwords reads the lanes of mask if all of them are in s and aligned.
func (s *Span) readDwords(dst *state.Lanes, at Elements, mask uint64) bool {
	words, base := s.dwords()
	if run := denseRun(words, base, at); run != nil {
		simd.Merge(dst, run, mask)
		return true
	}
	return simd.Gather(dst, words, at.Addr, base-at.Disp, mask)
}

// write writes the lanes of mask that are in s and returns the others. If several lanes have the same address, the
// value of the highest one remains.
func (s *Span) write(src, high *state.Lanes, at Elements, mask uint64) (rest uint64) {
	b, base, places := s.bytes(at.Size)
	base -= at.Disp
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		off := at.Addr[lane] - base
		if off >= places {
			rest |= 1 << lane
			continue
		}
		switch at.Size {
		case 8:
			binary.LittleEndian.PutUint64(b[off:], uint64(src[lane])|uint64(high[lane])<<32)
		case 4:
			binary.LittleEndian.PutUint32(b[off:], src[lane])
		case 2:
			binary.LittleEndian.PutUint16(b[off:], uint16(src[lane]))
		default:
			b[off] = byte(src[lane])
		}
	}
	return rest
}

// writeSmall writes the low one or two bytes of all lanes if all are in s.
func (s *Span) writeSmall(src *state.Lanes, at Elements) bool {
	b, base, _ := s.bytes(at.Size)
	return simd.ScatterSmall(src, b, at.Addr, base-at.Disp, at.Size)
}

// writeDwords writes all lanes if all of them are in s and aligned.
func (s *Span) writeDwords(src *state.Lanes, at Elements) bool {
	words, base := s.dwords()
	if run := denseRun(words, base, at); run != nil {
		*run = *src
		return true
	}
	return simd.Scatter(src, words, at.Addr, base-at.Disp)
}

// denseRun returns the dwords of all lanes if at is dense, aligned and within words, whose first element is at
// address base; else nil.
func denseRun(words []uint32, base uint64, at Elements) *state.Lanes {
	off := at.of(0) - base
	if first := off / 4; at.Dense && off&3 == 0 && first < uint64(len(words)) &&
		first+state.NumLanes <= uint64(len(words)) {
		return (*state.Lanes)(words[first:])
	}
	return nil
}

// dwords returns the mapped aligned dwords and the address of the first one.
func (s *Span) dwords() (words []uint32, base uint64) {
	first := (s.Lo + 3) / 4
	last := s.Hi / 4
	if last <= first {
		return nil, s.Base
	}
	return s.Words[first:last], s.Base + 4*first
}

// bytes returns the mapped bytes, the address of the first one, and the number of offsets at which an element of size
// bytes can start.
func (s *Span) bytes(size int) (b []byte, base uint64, places uint64) {
	b = s.Bytes[s.Lo:s.Hi]
	return b, s.Base + s.Lo, uint64(max(len(b)-size+1, 0))
}
