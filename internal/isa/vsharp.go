package isa

import "cmp"

// VSharp is a buffer resource (V#) as four SGPRs hold it. [VSharp.Fields] returns what it
// means, [Buffer.Words] packs one.
type VSharp [4]uint32

// VSharpField is a field of a V#: its lowest bit and, from bit 8 on, its width. As a
// constant it costs no more than the shift that reads it.
type VSharpField uint16

// The fields of rule R9.
const (
	VBase         VSharpField = 48 << 8
	VStride       VSharpField = 14<<8 | 48
	VCacheSwizzle VSharpField = 1<<8 | 62
	VSwizzle      VSharpField = 1<<8 | 63
	VNumRecords   VSharpField = 32<<8 | 64
	VDstSelX      VSharpField = 3<<8 | 96
	VDstSelY      VSharpField = 3<<8 | 99
	VDstSelZ      VSharpField = 3<<8 | 102
	VDstSelW      VSharpField = 3<<8 | 105
	VNumFormat    VSharpField = 3<<8 | 108
	VDataFormat   VSharpField = 4<<8 | 111
	VElemSize     VSharpField = 2<<8 | 115
	VIndexStride  VSharpField = 2<<8 | 117
	VAddTID       VSharpField = 1<<8 | 119
	VHash         VSharpField = 1<<8 | 121
	VHeap         VSharpField = 1<<8 | 122
	VType         VSharpField = 2<<8 | 126
)

// Fields of RDNA (rule RD2).
const (
	VSwizzleMode VSharpField = 2<<8 | 62  // 0 is linear, 3 swizzles elements of 16 bytes, others of 4
	VOOBSelect   VSharpField = 2<<8 | 124 // selects the range check
)

func (f VSharpField) shift() int { return int(f & 0xff) }

func (f VSharpField) width() int { return int(f >> 8) }

// VSharpFields are the fields of a V# from the lowest bit up, by the manuals' names.
var VSharpFields = [...]BitField{
	VBase.named("BASE"), VStride.named("STRIDE"), VCacheSwizzle.named("CACHE_SWIZZLE"), VSwizzle.named("SWIZZLE_ENABLE"),
	VNumRecords.named("NUM_RECORDS"),
	VDstSelX.named("DST_SEL_X"), VDstSelY.named("DST_SEL_Y"), VDstSelZ.named("DST_SEL_Z"), VDstSelW.named("DST_SEL_W"),
	VNumFormat.named("NUM_FORMAT"), VDataFormat.named("DATA_FORMAT"), VElemSize.named("ELEMSIZE"),
	VIndexStride.named("INDEX_STRIDE"),
	VAddTID.named("ADD_TID"), VHash.named("HASH"), VHeap.named("HEAP"), VType.named("TYPE"),
}

func (f VSharpField) named(name string) BitField {
	return BitField{name, f.shift(), f.width()}
}

// VSharpBits are the bits of a V# that belong to a field of [Buffer]; the GCN documents
// give the other ones no meaning.
var VSharpBits = func() (all VSharp) {
	for _, f := range VSharpFields {
		bitField{uint8(f.Shift), uint8(f.Width)}.set(all[:], 1<<f.Width-1)
	}
	return all
}()

// VSharpHints are fields beside those that no result depends on: they say how memory is
// cached and translated (rule R9).
var VSharpHints = [...]BitField{{"ATC", 120, 1}, {"MTYPE", 123, 3}}

// In returns the bits of the field in v, which it does not copy: descriptors are read at every access.
func (f VSharpField) In(v *VSharp) uint64 {
	at, shift := f.shift()/32, f.shift()%32
	bits := uint64(v[at])
	if shift+f.width() > 32 {
		bits |= uint64(v[at+1]) << 32
	}
	return bits >> shift & (1<<f.width() - 1)
}

func setField(v *VSharp, f VSharpField, code uint64) {
	bitField{uint8(f.shift()), uint8(f.width())}.set(v[:], code)
}

// Sel is a DST_SEL code: the component that a destination component takes.
type Sel uint8

// The codes. 2 and 3 are not defined.
const (
	Sel0 Sel = 0
	Sel1 Sel = 1
	SelR Sel = 4
	SelG Sel = 5
	SelB Sel = 6
	SelA Sel = 7
)

// String returns the code as one letter or digit; undefined codes are "?".
func (s Sel) String() string {
	if s > SelA {
		return "?"
	}
	return "01??RGBA"[s : s+1]
}

// Buffer holds the meaning of the fields of a V#: [VSharp.Fields] returns it, [Buffer.Words] packs
// it. The zero value of ElemSize and IndexStride is the smallest, the selection of DstSel with a DataFormat R, G, B, A.
type Buffer struct {
	Base         uint64 // byte address, 48 bits
	Stride       uint32 // bytes, 14 bits
	CacheSwizzle bool
	Swizzle      bool
	NumRecords   uint32 // records, or bytes if Stride is 0; see rule R10
	DstSel       [4]Sel
	NumFormat    uint8  // code, 3 bits
	DataFormat   uint8  // code, 4 bits
	ElemSize     uint32 // bytes: 2, 4, 8 or 16
	IndexStride  uint32 // records: 8, 16, 32 or 64
	AddTID       bool
	Hash         bool
	Heap         bool
	Type         uint8 // 0 is a buffer, 2 bits
}

// Fields returns what the fields of v mean.
func (v VSharp) Fields() Buffer {
	return Buffer{
		Base: VBase.In(&v), Stride: uint32(VStride.In(&v)), CacheSwizzle: VCacheSwizzle.In(&v) != 0,
		Swizzle:    VSwizzle.In(&v) != 0,
		NumRecords: uint32(VNumRecords.In(&v)),
		DstSel:     [4]Sel{Sel(VDstSelX.In(&v)), Sel(VDstSelY.In(&v)), Sel(VDstSelZ.In(&v)), Sel(VDstSelW.In(&v))},
		NumFormat:  uint8(VNumFormat.In(&v)), DataFormat: uint8(VDataFormat.In(&v)),
		ElemSize: minElemSize << VElemSize.In(&v), IndexStride: minIndexStride << VIndexStride.In(&v),
		AddTID: VAddTID.In(&v) != 0, Hash: VHash.In(&v) != 0, Heap: VHeap.In(&v) != 0, Type: uint8(VType.In(&v)),
	}
}

// What code 0 of a size means; each code doubles it.
const (
	minElemSize    = 2 // bytes
	minIndexStride = 8 // records
)

// Words packs b as a V#, for four consecutive SGPRs. A buffer with a DataFormat whose DstSel is
// zero, which would make all its components 0, gets the components in their order. Words panics
// if a V# does not hold a field as it is; [Check] says so as an error.
func (b Buffer) Words() []uint32 {
	b = b.complete()
	v := b.pack()
	if v.Fields() != b {
		mustHold(GCN10, b)
	}
	return v[:]
}

// complete returns b with the defaults of its fields that are 0.
func (b Buffer) complete() Buffer {
	if b.DstSel == [4]Sel{} && b.DataFormat != 0 {
		b.DstSel = [4]Sel{SelR, SelG, SelB, SelA}
	}
	b.ElemSize, b.IndexStride = cmp.Or(b.ElemSize, minElemSize), cmp.Or(b.IndexStride, minIndexStride)
	return b
}

// pack drops bits that do not fit their field.
func (b Buffer) pack() (v VSharp) {
	setField(&v, VBase, b.Base)
	setField(&v, VStride, uint64(b.Stride))
	setField(&v, VCacheSwizzle, bit(b.CacheSwizzle))
	setField(&v, VSwizzle, bit(b.Swizzle))
	setField(&v, VNumRecords, uint64(b.NumRecords))
	for i, f := range [...]VSharpField{VDstSelX, VDstSelY, VDstSelZ, VDstSelW} {
		setField(&v, f, uint64(b.DstSel[i]))
	}
	setField(&v, VNumFormat, uint64(b.NumFormat))
	setField(&v, VDataFormat, uint64(b.DataFormat))
	setField(&v, VElemSize, sizeCode(b.ElemSize, minElemSize))
	setField(&v, VIndexStride, sizeCode(b.IndexStride, minIndexStride))
	setField(&v, VAddTID, bit(b.AddTID))
	setField(&v, VHash, bit(b.Hash))
	setField(&v, VHeap, bit(b.Heap))
	setField(&v, VType, uint64(b.Type))
	return v
}

// sizeCode returns the largest code c of 0 to 3 with unit<<c <= size.
func sizeCode(size, unit uint32) (c uint64) {
	for c < 3 && unit<<(c+1) <= size {
		c++
	}
	return c
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
