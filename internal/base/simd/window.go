package simd

import (
	"encoding/binary"
	"math/bits"
)

// Window describes the positions of the lanes' elements in memory: that of lane l is V[l]+Add, modulo 2**32, in
// Bytes. Vector code depends on the offsets of the fields.
type Window struct {
	Bytes []byte
	V     *Lanes
	Add   uint32
	Last  uint32 // largest position of a lane
	Low   uint32 // bits that no lane's position may have
	End   uint32 // end of the elements relative to the lane's position
}

// Element is the conversion of an element in memory to a register.
type Element uint8

// The elements. For stores, signed and unsigned ones are the same.
const (
	Dword Element = iota
	Ubyte
	Sbyte
	Ushort
	Sshort
)

// Load reads elements of the lanes of mask: element i of a lane, at disp[i] from its position, into d[i]. r.V may be
// one of the d. It returns false and reads nothing if r does not allow a lane's position.
func (r *Window) Load(d []Lanes, e Element, disp []uint32, mask uint64) bool {
	r.check()
	_ = d[len(disp)-1]
	if !avx2 {
		return r.loadPlain(d, e, disp, mask)
	}
	switch n := uint64(len(disp)); e {
	case Dword:
		switch n {
		case 1:
			return loadDword1AVX2(r, &d[0], &disp[0], mask)
		case 2:
			return loadDword2AVX2(r, &d[0], &disp[0], mask)
		}
		return loadDwordAVX2(r, &d[0], &disp[0], n, mask)
	case Ubyte:
		return loadUbyteAVX2(r, &d[0], &disp[0], n, mask)
	case Sbyte:
		return loadSbyteAVX2(r, &d[0], &disp[0], n, mask)
	case Ushort:
		return loadUshortAVX2(r, &d[0], &disp[0], n, mask)
	default:
		return loadSshortAVX2(r, &d[0], &disp[0], n, mask)
	}
}

// Store writes the element of s at disp from the positions of the lanes of mask. If several lanes have the same
// position, the value of the highest one remains. It returns false and writes nothing if r does not allow a lane's
// position.
func (r *Window) Store(s *Lanes, e Element, disp uint32, mask uint64) bool {
	r.check()
	if !avx2 {
		return r.storePlain(s, e, disp, mask)
	}
	switch e {
	case Dword:
		return storeDwordAVX2(r, s, uint64(disp), mask)
	case Ubyte, Sbyte:
		return storeUbyteAVX2(r, s, uint64(disp), mask)
	default:
		return storeUshortAVX2(r, s, uint64(disp), mask)
	}
}

// check panics if an element could be outside of r.Bytes.
func (r *Window) check() {
	if uint64(r.Last)+uint64(r.End) > uint64(len(r.Bytes)) {
		panic("simd: lanes may reach beyond memory")
	}
}

// places sets at to the positions of the lanes of mask, and reports whether r allows all of them.
func (r *Window) places(at *Lanes, mask uint64) bool {
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		at[lane] = r.V[lane] + r.Add
		if at[lane] > r.Last || at[lane]&r.Low != 0 {
			return false
		}
	}
	return true
}

func (r *Window) loadPlain(d []Lanes, e Element, disp []uint32, mask uint64) bool {
	var at Lanes
	if !r.places(&at, mask) {
		return false
	}
	for i, far := range disp {
		b := r.Bytes[far:]
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & 63
			p := at[lane]
			switch e {
			case Dword:
				d[i][lane] = binary.LittleEndian.Uint32(b[p:])
			case Ubyte:
				d[i][lane] = uint32(b[p])
			case Sbyte:
				d[i][lane] = uint32(int32(int8(b[p])))
			case Ushort:
				d[i][lane] = uint32(binary.LittleEndian.Uint16(b[p:]))
			default:
				d[i][lane] = uint32(int32(int16(binary.LittleEndian.Uint16(b[p:]))))
			}
		}
	}
	return true
}

func (r *Window) storePlain(s *Lanes, e Element, disp uint32, mask uint64) bool {
	var at Lanes
	if !r.places(&at, mask) {
		return false
	}
	b := r.Bytes[disp:]
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		switch p := at[lane]; e {
		case Dword:
			binary.LittleEndian.PutUint32(b[p:], s[lane])
		case Ubyte, Sbyte:
			b[p] = byte(s[lane])
		default:
			binary.LittleEndian.PutUint16(b[p:], uint16(s[lane]))
		}
	}
	return true
}
