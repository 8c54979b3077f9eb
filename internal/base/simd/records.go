package simd

// Records describes the layout of a buffer's records in memory. Groups of records are consecutive. In a group, the
// first Elem bytes of all its records precede the next Elem bytes of all of them.
type Records struct {
	Index, ID, Offset *Lanes // the record of a lane is Index+ID, and the byte in it is Offset+Add
	Add               uint32
	Stride            uint32 // size of a record in bytes
	Group             uint32 // a group has 1<<Group records
	Elem              uint32 // size of an element in bytes, a power of two
}

// Extent has bounds on the lanes of a mask.
type Extent struct {
	Index  uint32 // the largest value of Index and of Index+ID
	Offset uint32 // the largest offset
	Bits   uint32 // the OR of all offsets
	Place  uint32 // the largest position
}

// Places sets at to the positions of the lanes in the buffer, modulo 2**32, and returns the bounds on those of mask.
// at may be a register of r.
func (r *Records) Places(at *Lanes, mask uint64) (e Extent) {
	if avx2 {
		var all [4]uint32
		recordsAVX2(at, r.Index, r.ID, r.Offset, &all, r.Add, r.Stride, r.Group, r.Elem-1, mask)
		return Extent{all[0], all[1], all[2], all[3]}
	}
	low, group := r.Elem-1, uint32(1)<<(r.Group&31)-1
	for i := range at {
		index, off := r.Index[i]+r.ID[i], r.Offset[i]+r.Add
		place := (index>>(r.Group&31)*r.Stride+off&^low)<<(r.Group&31) + index&group*r.Elem + off&low
		if mask>>i&1 != 0 {
			e = Extent{max(e.Index, index, r.Index[i]), max(e.Offset, off), e.Bits | off, max(e.Place, place)}
		}
		at[i] = place
	}
	return e
}
