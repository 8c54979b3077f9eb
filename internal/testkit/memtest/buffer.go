package memtest

import (
	"math/rand/v2"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// VSharpBits extracts bits of a V#, by the positions in rule R9.
type VSharpBits [4]uint32

// Bits returns n bits from bit lo on.
func (v VSharpBits) Bits(lo, n int) (x uint64) {
	for i := range n {
		x |= uint64(v[(lo+i)/32]>>((lo+i)%32)&1) << i
	}
	return x
}

// VSharp returns the V# that a buffer instruction uses.
func (r *Ref) VSharp(in isa.Inst) (v VSharpBits) {
	copy(v[:], r.OldS[in.Get(isa.SRSRC)*4:])
	return v
}

// BufferAddress computes the address and the range check for the size bytes at disp of one lane, written directly
// from rules R9, A1 to A8 and C1 to C8.
func (r *Ref) BufferAddress(in isa.Inst, lane, disp, size int, soffset uint64) (addr uint64, out bool) {
	v := r.VSharp(in)
	var (
		base, stride, swizzle, records = v.Bits(0, 48), v.Bits(48, 14), v.Bits(63, 1) == 1, v.Bits(64, 32)
		elem, group                    = uint64(2) << v.Bits(115, 2), uint64(8) << v.Bits(117, 2)
		tid                            = v.Bits(119, 1) == 1
		vega, volcanic                 = r.Gen >= gcn.GCN14, r.Gen == gcn.GCN12
		idxen, offen                   = in.Bool(isa.IDXEN), in.Bool(isa.OFFEN)
	)
	vaddr := int(in.Get(isa.ADDR))
	if in.Bool(isa.ADDR64) {
		va := uint64(r.Old[vaddr][lane]) | uint64(r.Old[vaddr+1][lane])<<32
		return base + va + uint64(in.Get(isa.OFFSET)) + soffset + uint64(disp), false
	}
	var index, voffset uint32
	switch {
	case idxen && offen:
		index, voffset = r.Old[vaddr][lane], r.Old[vaddr+1][lane]
	case idxen:
		index = r.Old[vaddr][lane]
	case offen:
		voffset = r.Old[vaddr][lane]
	}
	if r.RDNA {
		return r.rdnaAddress(in, uint64(index), uint64(in.Get(isa.OFFSET)+voffset)+uint64(disp), lane, size, soffset)
	}
	if vega && r.Driver {
		elem = 4                 // K2
		swizzle = swizzle && tid // K3
		if idxen && !swizzle {   // R2
			tid = false
		}
	}
	if (vega || volcanic) && tid && !strings.Contains(in.Row().Name, "format") {
		stride |= v.Bits(111, 4) << 14 // R1, R3
	}
	aindex := index
	if tid {
		aindex += uint32(lane)
	}
	aoffset := uint64(in.Get(isa.OFFSET)+voffset) + uint64(disp)
	var bufoffset uint64
	if swizzle {
		ix := uint64(aindex)
		bufoffset = aoffset%elem + elem*(ix%group) + group*(ix/group*stride+aoffset/elem*elem)
	} else {
		product := uint64(aindex) * stride
		if !(vega && r.Driver) {
			product = uint64(uint32(product))
		}
		bufoffset = product + aoffset
	}
	addr = (base + soffset + bufoffset) & (1<<48 - 1)
	switch {
	case vega && r.Driver:
		switch {
		case v.Bits(119, 1) == 1 && !idxen: // C5
		case idxen && stride != 0: // C6
			out = uint64(index) >= records
		default: // C7
			out = aoffset+soffset+uint64(size) > records
		}
	case stride == 0 || volcanic && r.Driver && v.Bits(63, 1) == 0: // C1, K4
		out = bufoffset+soffset >= records
	default: // C2
		out = uint64(aindex) >= records || (idxen || tid) && aoffset >= stride
	}
	return addr, out
}

// rdnaAddress is BufferAddress by rules RD2 to RD4 and RD7.
func (r *Ref) rdnaAddress(in isa.Inst, index, offset uint64, lane, size int, soffset uint64) (addr uint64, out bool) {
	v := r.VSharp(in)
	stride, swizzle, records, group := v.Bits(48, 14), v.Bits(62, 2), v.Bits(64, 32), uint64(8)<<v.Bits(117, 2)
	tid, mode := v.Bits(119, 1) == 1, v.Bits(124, 2)
	if tid {
		index = (index + uint64(lane)) & 0xffffffff
	}
	elem := uint64(4)
	if swizzle == 3 {
		elem = 16
	}
	swizzled := swizzle != 0 && (in.Bool(isa.IDXEN) || tid)
	at := index*stride + offset
	if swizzled {
		at = (index/group*stride+offset/elem*elem)*group + index%group*elem + offset%elem
	}
	beyond := offset + uint64(size)
	switch {
	case v.Bits(108, 7) == 0 && !tid && in.Row().Enc != isa.MTBUF:
		out = true
	case mode == 0, mode == 3 && swizzled && stride != 0:
		out = index >= records || beyond > stride
	case mode == 1:
		out = index >= records
	case mode == 2:
		out = records == 0
	default:
		out = beyond+soffset > records
	}
	return (v.Bits(0, 48) + soffset + at) & (1<<48 - 1), out
}

// Source returns the value of a scalar operand: a register or an inline integer.
func (r *Ref) Source(code uint32) uint64 {
	if code < 128 {
		return uint64(r.OldS[code])
	}
	if code <= 192 {
		return uint64(code - 128)
	}
	return uint64(uint32(-int32(code - 192)))
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// BufferInst returns a buffer instruction with random fields. It sets up a V#, offsets and VADDR registers in w,
// which mostly lead to mapped memory.
func (w *World) BufferInst(op gcn.Op) isa.Inst {
	r := w.Rand
	b := gcn.Buffer{
		Base: Low + 0x4000 + uint64(r.IntN(64)), Stride: one[uint32](r, 0, 0, 1, 4, 12, 16, 20, 64),
		Swizzle: r.IntN(3) == 0, AddTID: r.IntN(3) == 0, ElemSize: one[uint32](r, 2, 4, 8, 16),
		IndexStride: one[uint32](r, 8, 16, 32, 64),
		NumRecords:  one(r, 0, 5, 64, 100, 1000, 0xffffffff, r.Uint32()), NumFormat: uint8(r.IntN(8)),
	}
	if r.IntN(12) == 0 {
		b.DataFormat = uint8(r.IntN(16))
	}
	if r.IntN(40) == 0 {
		b.Type = 1
	}
	f := Fields{
		isa.SRSRC: 2, isa.VDATA: int64(r.IntN(16)), isa.ADDR: int64(r.IntN(16)),
		isa.SOFFSET: one[int64](r, 0, 0, 3, 3, gcn.M0, 128, 128, 129, 160, 192, 193),
		isa.OFFSET:  one(r, 0, 4, int64(r.IntN(4096))), isa.GLC: int64(r.IntN(2)),
	}
	copy(w.Wave.S[8:], b.Words())
	if w.Port.Rules == state.RDNARules { // the low bit of SWIZZLE, FORMAT and OOB_SELECT
		w.Wave.S[9] |= uint32(r.IntN(2)) << 30
		w.Wave.S[11] |= uint32(r.IntN(4))<<28 | uint32(r.IntN(4))<<12
	}
	for _, s := range []int{0, 3, gcn.M0} {
		w.Wave.S[s] = uint32(r.IntN(300))
	}
	mem := isa.RowOf(op).Mem
	mode := r.IntN(4)
	if !isa.RowOf(op).Has(isa.NoAddr) {
		f[isa.IDXEN], f[isa.OFFEN] = int64(mode&1), int64(mode>>1)
	}
	vaddr := int(f[isa.ADDR])
	limit := one[uint32](r, 4, 64, 1000)
	align := one[uint32](r, 0, 0, 3)
	wild := r.IntN(16) == 0
	for i := range 2 {
		w.Set(vaddr+i, func(int) uint32 {
			if wild && r.IntN(100) == 0 {
				return r.Uint32()
			}
			return r.Uint32() % limit &^ align
		})
	}
	if _, width := isa.FieldBits(w.Wave.Target.Gen(), isa.RowOf(op).Enc, isa.ADDR64); width > 0 && r.IntN(3) == 0 &&
		!isa.RowOf(op).Has(isa.NoAddr) {
		f[isa.ADDR64], f[isa.IDXEN], f[isa.OFFEN] = 1, 0, 0
		base := uint64(0)
		if r.IntN(2) == 0 {
			base = Low
		}
		copy(w.Wave.S[8:], gcn.Buffer{Base: base, NumFormat: 7, DataFormat: 1}.Words())
		w.Set(vaddr, func(int) uint32 { return r.Uint32() % 0x8000 &^ align })
		w.Set(vaddr+1, func(int) uint32 { return uint32((Low - base) >> 32) })
	}
	toLDS := Form(w.Wave.Target, op, nil).Has(isa.LDS) && mem.Count == 1 && mem.Elem <= 4 && mem.D16 == isa.Full
	if mem.Op == gcn.Load && toLDS && r.IntN(8) == 0 {
		f[isa.LDS] = 1
	} else if mem.Op == gcn.Load && r.IntN(4) == 0 {
		f[isa.TFE] = 1
	}
	return Form(w.Wave.Target, op, f)
}
