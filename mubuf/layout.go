package mubuf

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// Unchecked as a limit of [Layout] means that there is no check.
const Unchecked uint64 = never

// Layout holds the fields of a V# that determine addresses. It does not depend on register values.
type Layout struct {
	Stride      uint32 // STRIDE: 14 bits, or 18 with ADD_TID (rule R1)
	Swizzled    bool
	ElemSize    uint32 // element size of swizzling in bytes
	IndexStride uint32 // index stride of swizzling in records
	AddsLane    bool   // the lane number is added to the index

	// A lane is in range if it is below each of these limits. A limit may be Unchecked.
	Bytes   uint64 // limit of offset + SOFFSET; the offset includes index*STRIDE if Product is set
	Product bool
	Offset  uint64 // limit of the offset in a record
	Records uint64 // limit of the index
	Payload bool   // Bytes limits the last byte of an element instead of the first
}

// LayoutOf returns how instructions of form f address the buffer v on generation g under the rule set. With f.Addr64
// only the base of v is used, and there are no limits.
func LayoutOf(rules state.Rules, g gcn.Gen, f *Form, v gcn.VSharp) Layout {
	l := Layout{Bytes: Unchecked, Offset: Unchecked, Records: Unchecked}
	if f.Addr64 {
		return l
	}
	var p plan
	r := executor.BufferRulesOf(rules, g)
	o := Operands{V: &v}
	o.VAddr[0], o.VAddr[1] = &zeros, &zeros
	p.derive(r, f, &o)
	l.Stride, l.Swizzled, l.ElemSize, l.IndexStride = p.stride, p.swizzled, p.elem, p.group
	l.AddsLane = p.tid == &laneIDs
	l.Records = p.records
	switch {
	case p.records != never || p.limit == never:
		l.Offset = p.limit
	default:
		l.Bytes, l.Product, l.Payload = p.limit, p.raw, r.Payload
	}
	return l
}
