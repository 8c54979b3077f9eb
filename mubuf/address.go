// Package mubuf executes the buffer instructions of MUBUF: addressing, range checks, loads and stores, loads to LDS,
// and the conversion of formats, which package mtbuf uses too. Sources: the handbook's chapters on buffers and their
// data.
package mubuf

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Form holds the fields of an instruction that determine its addresses.
type Form struct {
	Offset               uint32 // INST_OFFSET, 12 bits
	IdxEn, OffEn, Addr64 bool
	Elem                 uint8 // size of one element in bytes; a range check covers one element
	Count                uint8 // elements per lane: 1 to 4
	Format               bool  // DFMT of the V# is a data format (rule R3)
	Own                  bool  // the instruction has a format; the format of the V# is ignored
	Whole                bool  // range checks accept or reject all elements of a lane together
	bytes                bool  // with alignment_mode UNALIGNED, bytes may be addressed one by one; see split
}

// Operands are the register values that determine the addresses.
type Operands struct {
	V       *gcn.VSharp
	SOffset uint32
	// VAddr holds the VADDR registers: the index, the offset, or index and offset. With Addr64 they are the halves of
	// the address. Registers that the form does not use may be nil.
	VAddr [2]*state.Lanes
	Clear uint64 // low address bits that alignment clears
}

const addressMask = 1<<48 - 1 // rule A6

var (
	zeros   state.Lanes
	laneIDs = func() (ids state.Lanes) {
		for i := range ids {
			ids[i] = uint32(i)
		}
		return ids
	}()
)

const never = math.MaxUint64

// plan holds the values that Addresses computes once for the wave.
type plan struct {
	base     uint64 // BASE + SOFFSET: SOFFSET never enters index or offset (rule A6)
	keep     uint64 // address bits that alignment does not clear
	stride   uint32 // effective STRIDE
	wide     bool   // the product with STRIDE is not cut to 32 bits
	swizzled bool
	elem     uint32 // element size of swizzling, in bytes
	group    uint32 // index stride of swizzling, in records
	inst     uint32 // INST_OFFSET
	size     uint64 // size of one element in bytes
	count    int
	index    *state.Lanes // IDXEN's register, or zeros
	tid      *state.Lanes // lane numbers with ADD_TID, else zeros
	offset   *state.Lanes // OFFEN's register, or zeros

	// The range check. Element i of a lane is out of range if q + add >= limit or AINDEX >= records; q is the element's
	// BUFOFFSET (if raw) or AOFFSET. Sums have 64 bits, so that SOFFSET > NUM_RECORDS is out of range (rule C1).
	raw                 bool
	add, limit, records uint64
	checked             *state.Lanes // the index that is compared with NUM_RECORDS; nil means AINDEX
}

// Addresses computes the byte addresses of all 64 lanes on generation g under the rule set, and which elements of the
// lanes of a.Exec are out of range. It reads a.Exec and sets a.Addr, Split, More and Out. Source: rules A1 to A8 and
// C1 to C8.
func Addresses(rules state.Rules, g gcn.Gen, f *Form, o *Operands, a *state.Access) {
	addresses(executor.BufferRulesOf(rules, g), f, o, a)
}

func addresses(r *executor.BufferRules, f *Form, o *Operands, a *state.Access) {
	if f.Addr64 {
		address64(f, o, a)
		return
	}
	if plain(r, f, o, a) {
		return
	}
	resolve(r, f, o, a)
	if f.Whole {
		// One check judges the first byte or the whole payload (rules C4, C8 and RD4).
		out := a.Out[0]
		if r.Payload {
			out |= a.Out[1] | a.Out[2] | a.Out[3]
		}
		a.Out = [4]uint64{out, out, out, out}
	}
}

// resolve computes the addresses of any buffer, element by element.
func resolve(r *executor.BufferRules, f *Form, o *Operands, a *state.Access) {
	var p plan
	p.derive(r, f, o)
	switch {
	case !p.swizzled && p.index == &zeros && p.tid == &zeros: // BUFOFFSET is AOFFSET (rule A2)
		var bound uint64
		bound, a.Dense = executor.Place(&a.Addr, p.offset, p.inst, p.base, p.keep)
		p.judge(bound, 0, a)
	case p.inRange(a):
	case p.swizzled:
		p.swizzle(a)
	default:
		p.linear(a)
	}
}

// plain computes the addresses of a common, simple case: a buffer without STRIDE, swizzling and ADD_TID, where every
// lane is in range to its last byte, and therefore under both rules C1 and C7. If it returns false, a is unchanged.
func plain(r *executor.BufferRules, f *Form, o *Operands, a *state.Access) bool {
	if isa.VStride.In(o.V)|isa.VSwizzleMode.In(o.V)|isa.VAddTID.In(o.V) != 0 || f.IdxEn || r.OOBSelect {
		return false
	}
	offset := &zeros
	if f.OffEn {
		offset = o.VAddr[0]
	}
	soffset := uint64(o.SOffset)
	bound, dense := executor.Place(&a.Addr, offset, f.Offset, isa.VBase.In(o.V)+soffset, addressMask&^o.Clear)
	if bound+soffset+uint64(f.Elem)*uint64(f.Count) > isa.VNumRecords.In(o.V) {
		return false
	}
	a.Dense, a.Split, a.Out = dense, false, [4]uint64{}
	return true
}

// address64 computes the addresses of ADDR64 on GCN 1.0 and 1.1. There is no range check, and STRIDE, ADD_TID and
// SWIZZLE have no effect (rule A8). The sum is cut to 48 bits as all addresses are (rule A6): compilers store
// negative bases in V#s, and BASE ends at bit 47.
func address64(f *Form, o *Operands, a *state.Access) {
	base := isa.VBase.In(o.V) + uint64(f.Offset) + uint64(o.SOffset)
	keep := addressMask &^ o.Clear
	simd.Place64(&a.Addr, o.VAddr[0], o.VAddr[1], base, keep)
}

func (p *plan) derive(r *executor.BufferRules, f *Form, o *Operands) {
	v := o.V.Fields()
	p.base, p.keep = v.Base+uint64(o.SOffset), addressMask&^o.Clear
	p.inst, p.size, p.count = f.Offset, uint64(f.Elem), int(f.Count)
	p.index, p.offset, p.tid = &zeros, &zeros, &zeros
	next := 0
	if f.IdxEn {
		p.index, next = o.VAddr[0], 1
	}
	if f.OffEn {
		p.offset = o.VAddr[next]
	}
	p.swizzled = v.Swizzle && (!r.SwizzleNeeds || v.AddTID)
	if v.AddTID && !(r.LinearNoTID && f.IdxEn && !p.swizzled) {
		p.tid = &laneIDs
	}
	p.stride, p.wide = v.Stride, r.WideProduct
	if r.Stride18 && p.tid == &laneIDs && !f.Format {
		p.stride |= uint32(v.DataFormat) << 14
	}
	p.elem, p.group = v.ElemSize, v.IndexStride
	if r.ElemSize != 0 {
		p.elem = r.ElemSize
	}
	if r.OOBSelect {
		mode := isa.VSwizzleMode.In(o.V)
		p.swizzled, p.elem = mode != 0 && (f.IdxEn || v.AddTID), 4
		if mode == 3 {
			p.elem = 16
		}
	}
	p.check(r, f, o, v.AddTID)
}

// check selects the range check. addTID is the field of the V#.
func (p *plan) check(r *executor.BufferRules, f *Form, o *Operands, addTID bool) {
	records, soffset := isa.VNumRecords.In(o.V), uint64(o.SOffset)
	p.limit, p.records = never, never
	switch {
	case r.Unbound && !f.Own && !addTID && isa.VDataFormat.In(o.V)|isa.VNumFormat.In(o.V) == 0:
		p.limit = 0
	case r.OOBSelect:
		p.checkSelected(isa.VOOBSelect.In(o.V), records, soffset)
	case r.Payload && addTID && !f.IdxEn: // rule C5: no check
	case r.Payload && f.IdxEn && p.stride != 0: // rule C6: checks the VGPR alone
		p.records, p.checked = records, p.index
	case r.Payload: // rule C7: checks the last byte
		p.add, p.limit = soffset+p.size-1, records
	case p.stride == 0 || r.RawUnswizzled && !p.swizzled: // rule C1: checks the first byte
		p.raw, p.add, p.limit = true, soffset, records
	default: // rule C2: checks index and offset
		p.records = records
		if f.IdxEn || addTID {
			p.limit = uint64(p.stride)
		}
	}
}

// Values of OOB_SELECT: what the check compares (rule RD2).
const (
	oobStructured = iota // index and offset
	oobIndex             // the index
	oobEmpty             // only whether NUM_RECORDS is 0
	oobRaw               // the byte offset
)

// checkSelected selects the range check of RDNA, which covers the last byte of an element.
func (p *plan) checkSelected(mode uint64, records, soffset uint64) {
	if mode == oobRaw && p.swizzled && p.stride != 0 {
		mode = oobStructured
	}
	switch mode {
	case oobStructured:
		p.records, p.add, p.limit = records, p.size-1, uint64(p.stride)
	case oobIndex:
		p.records = records
	case oobEmpty:
		if records == 0 {
			p.limit = 0
		}
	case oobRaw:
		p.add, p.limit = soffset+p.size-1, records
	}
}

// linear computes addresses without swizzling, with an index: rule A4, BUFOFFSET = (UINT32)(AINDEX*STRIDE) + AOFFSET.
func (p *plan) linear(a *state.Access) {
	base, keep, inst, stride := p.base, p.keep, p.inst, uint64(p.stride)
	index, tid, offset := p.index, p.tid, p.offset
	// bits of the product that are kept, and kept bits that the range check sees
	width, raw := uint64(math.MaxUint32), uint64(0)
	if p.wide {
		width = math.MaxUint64
	}
	if p.raw {
		raw = math.MaxUint64
	}
	var all, indexes uint64
	for lane := range a.Addr {
		ix := index[lane] + tid[lane]          // rule A3
		product := uint64(ix) * stride & width // rule A4
		off := uint64(inst + offset[lane])     // rule A2
		a.Addr[lane] = (base + product + off) & keep
		all |= product&raw + off
		indexes |= uint64(ix | index[lane]) // one of the two is the index that the check compares
	}
	p.judge(all, indexes, a)
}

// place returns the index that the range check compares, AOFFSET, and the linear BUFOFFSET.
func (p *plan) place(lane int) (index uint32, off, buf uint64) {
	index = p.index[lane] + p.tid[lane] // rule A3
	off = uint64(p.inst + p.offset[lane])
	product := uint64(index) * uint64(p.stride) // rule A4
	if !p.wide {
		product &= math.MaxUint32
	}
	if p.checked != nil {
		index = p.checked[lane]
	}
	return index, off, product + off
}

// judge sets a.Out for linear addressing. all is the OR of every q at element 0 and indexes the OR of every AINDEX.
// An OR is at least as large as each operand: if the ORs are in range, every lane is. Else each element is checked by
// itself (rules C4 and C8).
func (p *plan) judge(all, indexes uint64, a *state.Access) {
	a.Split, a.Out = false, [4]uint64{}
	if all+p.add+uint64(p.count-1)*p.size < p.limit && indexes < p.records {
		return
	}
	for m := a.Exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		index, q, buf := p.place(lane)
		if p.raw {
			q = buf
		}
		for i := range p.count {
			if q+p.add+uint64(i)*p.size >= p.limit || uint64(index) >= p.records {
				a.Out[i] |= 1 << lane
			}
		}
	}
}

// swizzle computes the addresses of swizzled buffers, each element of a lane by itself (rules A5 and A7).
func (p *plan) swizzle(a *state.Access) {
	a.Split = p.count > 1
	a.Out = [4]uint64{}
	elem, group, stride := uint64(p.elem), uint64(p.group), uint64(p.stride)
	for i := range p.count {
		addr := &a.Addr
		if i > 0 {
			addr = &a.More[i-1]
		}
		var out uint64
		for lane := range addr {
			index := uint64(p.index[lane] + p.tid[lane])
			off := uint64(p.inst+p.offset[lane]) + uint64(i)*p.size
			buf := ((index/group)*stride+off/elem*elem)*group + index%group*elem + off%elem
			addr[lane] = (p.base + buf) & p.keep
			if p.checked != nil {
				index = uint64(p.checked[lane])
			}
			q := off
			if p.raw {
				q = buf
			}
			if q+p.add >= p.limit || index >= p.records {
				out |= 1 << lane
			}
		}
		a.Out[i] = out & a.Exec
	}
}
