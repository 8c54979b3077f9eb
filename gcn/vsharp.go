package gcn

import "fmt"

// VSharp is a buffer resource (V#) as four SGPRs hold it. Getters return the fields of
// rule R9; [VSharp.Fields] returns all of them.
type VSharp [4]uint32

// VSharpBits are the bits of a V# that belong to a field of [Buffer]; the GCN documents
// give the other ones no meaning.
var VSharpBits = VSharp{0xffffffff, 0xffffffff, 0xffffffff, 0xc6ffffff}

// VSharpHints are bits beside those that no result depends on: ATC (120) and MTYPE or NV
// (123-125), which say how memory is cached and translated (rule R9).
var VSharpHints = VSharp{3: 1<<24 | 7<<27}

// Reserved returns the bits of v that have no meaning.
func (v *VSharp) Reserved() (r VSharp) {
	for i := range v {
		r[i] = v[i] &^ (VSharpBits[i] | VSharpHints[i])
	}
	return r
}

// Base returns the 48-bit base address (bits 0-47).
func (v VSharp) Base() uint64 { return uint64(v[0]) | uint64(v[1]&0xffff)<<32 }

// Stride returns the size of a record in bytes (bits 48-61).
func (v VSharp) Stride() uint32 { return v[1] >> 16 & 0x3fff }

// Plain reports whether STRIDE, SWIZZLE_ENABLE and ADD_TID are 0: offsets are bytes from
// the base.
func (v VSharp) Plain() bool { return v[1]>>16 == 0 && !v.AddTID() }

// CacheSwizzle reports whether the banks of the L1 cache are swizzled (bit 62).
func (v VSharp) CacheSwizzle() bool { return v[1]>>30&1 != 0 }

// Swizzle reports whether SWIZZLE_ENABLE is set (bit 63).
func (v VSharp) Swizzle() bool { return v[1]>>31 != 0 }

// NumRecords returns the size of the buffer, in records or bytes (bits 64-95).
func (v VSharp) NumRecords() uint32 { return v[2] }

// DstSel returns DST_SEL_X to DST_SEL_W for i 0 to 3 (bits 96-107).
func (v VSharp) DstSel(i int) Sel { return Sel(v[3] >> (3 * i) & 7) }

// DstSels returns DST_SEL_X to DST_SEL_W.
func (v VSharp) DstSels() [4]Sel { return [4]Sel{v.DstSel(0), v.DstSel(1), v.DstSel(2), v.DstSel(3)} }

// NumFormat returns the number format code (bits 108-110).
func (v VSharp) NumFormat() uint8 { return uint8(v[3] >> 12 & 7) }

// NoFormat reports whether DFMT and NFMT are 0, FORMAT of RDNA: no valid data format.
func (v VSharp) NoFormat() bool { return v.DataFormat() == 0 && v.NumFormat() == 0 }

// DataFormat returns the data format code (bits 111-114).
func (v VSharp) DataFormat() uint8 { return uint8(v[3] >> 15 & 15) }

// ElemSize returns the element size of swizzled addressing in bytes: 2, 4, 8 or 16
// (bits 115-116).
func (v VSharp) ElemSize() uint32 { return 2 << (v[3] >> 19 & 3) }

// IndexStride returns the index stride of swizzled addressing in records: 8, 16, 32 or
// 64 (bits 117-118).
func (v VSharp) IndexStride() uint32 { return 8 << (v[3] >> 21 & 3) }

// AddTID reports whether the lane number is added to the index (bit 119).
func (v VSharp) AddTID() bool { return v[3]>>23&1 != 0 }

// Hash reports whether address hashing is on (bit 121).
func (v VSharp) Hash() bool { return v[3]>>25&1 != 0 }

// Heap reports whether the buffer is a heap (bit 122).
func (v VSharp) Heap() bool { return v[3]>>26&1 != 0 }

// Type returns the resource type, 0 for a buffer (bits 126-127).
func (v VSharp) Type() uint8 { return uint8(v[3] >> 30) }

// SwizzleMode returns the SWIZZLE field of RDNA: 0 is linear, 3 swizzles elements of 16
// bytes, others of 4 (bits 62-63; rule RD2).
func (v VSharp) SwizzleMode() uint32 { return v[1] >> 30 }

// OOBSelect returns which range check RDNA makes (bits 124-125; rule RD2).
func (v VSharp) OOBSelect() uint32 { return v[3] >> 28 & 3 }

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

// Buffer holds the fields of a V#: what [VSharp.Fields] returns and what
// [Buffer.VSharp] packs. The zero value of ElemSize and IndexStride is the smallest, that of
// DstSel with a DataFormat R, G, B, A.
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

// Fields returns the fields of v.
func (v VSharp) Fields() Buffer {
	return Buffer{
		Base: v.Base(), Stride: v.Stride(), CacheSwizzle: v.CacheSwizzle(), Swizzle: v.Swizzle(), NumRecords: v.NumRecords(),
		DstSel:    v.DstSels(),
		NumFormat: v.NumFormat(), DataFormat: v.DataFormat(), ElemSize: v.ElemSize(), IndexStride: v.IndexStride(),
		AddTID: v.AddTID(), Hash: v.Hash(), Heap: v.Heap(), Type: v.Type(),
	}
}

// VSharp packs b. Bits that do not fit their field are dropped; sizes that have no code
// become the next smaller one. A buffer with a DataFormat whose DstSel is zero, which would
// make all its components 0, gets the components in their order.
func (b Buffer) VSharp() VSharp {
	if b.DstSel == [4]Sel{} && b.DataFormat != 0 {
		b.DstSel = [4]Sel{SelR, SelG, SelB, SelA}
	}
	v := VSharp{
		uint32(b.Base),
		uint32(b.Base>>32)&0xffff | b.Stride&0x3fff<<16 | bit(b.CacheSwizzle)<<30 | bit(b.Swizzle)<<31,
		b.NumRecords,
		uint32(b.NumFormat)&7<<12 | uint32(b.DataFormat)&15<<15 | sizeCode(b.ElemSize, 2)<<19 | sizeCode(b.IndexStride, 8)<<21 |
			bit(b.AddTID)<<23 | bit(b.Hash)<<25 | bit(b.Heap)<<26 | uint32(b.Type)&3<<30,
	}
	for i, s := range b.DstSel {
		v[3] |= uint32(s) & 7 << (3 * i)
	}
	return v
}

// Words packs b as [Buffer.VSharp] does, for four consecutive SGPRs.
func (b Buffer) Words() []uint32 {
	v := b.VSharp()
	return v[:]
}

// sizeCode returns the largest code c of 0 to 3 with unit<<c <= size.
func sizeCode(size, unit uint32) (c uint32) {
	for c < 3 && unit<<(c+1) <= size {
		c++
	}
	return c
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// String shows the fields that matter for addressing.
func (v VSharp) String() string {
	s := fmt.Sprintf("V#{base 0x%x, stride %d, records 0x%x", v.Base(), v.Stride(), v.NumRecords())
	if v.Swizzle() {
		s += fmt.Sprintf(", swizzle %d bytes x %d", v.ElemSize(), v.IndexStride())
	}
	if v.AddTID() {
		s += ", add_tid"
	}
	if v.DataFormat() != 0 {
		s += fmt.Sprintf(", dfmt %d, nfmt %d, sel %v%v%v%v", v.DataFormat(), v.NumFormat(), v.DstSel(0), v.DstSel(1), v.DstSel(2), v.DstSel(3))
	}
	if v.Type() != 0 {
		s += fmt.Sprintf(", type %d", v.Type())
	}
	return s + "}"
}
