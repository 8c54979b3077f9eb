package check

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// bufferIssues returns the fields of a V# that have no effect on a MUBUF or MTBUF instruction, or another effect than
// they suggest.
func bufferIssues(e *sim.Event, words []uint32) (list issues) {
	in, v := (*isa.Inst)(e.Inst), gcn.VSharp(words)
	b := v.Fields()
	m := &in.Row().Mem
	if m.Op == gcn.Special && m.Elem == 0 { // instructions that only affect caches
		return nil
	}
	if v == (gcn.VSharp{}) {
		message := "all words are 0, an unbound resource: loads give 0, stores and atomics do nothing"
		if in.Bool(isa.ADDR64) {
			message = "all words are 0, as of an unbound resource, but with ADDR64 nothing is checked: the address is that " +
				"of the registers"
		}
		list.is(true, Warning, "V#", "R5", message)
		return list
	}
	if b.Type != 0 {
		list.is(true, Warning, "V# TYPE", "R7", fmt.Sprintf("%d is no buffer: the instruction does nothing", b.Type))
		return list
	}
	rdna := e.Rules == state.RDNARules
	if !rdna {
		list.reserved("V#", "R9", isa.Reserved(v[:], isa.VSharpFields[:], isa.VSharpHints[:]), nil)
	}
	own := in.Enc == isa.MTBUF
	if m.Format && !own && !rdna {
		list.formats(&b)
	}
	if in.Bool(isa.ADDR64) {
		list.is(b.AddTID || b.Swizzle && !extendsSign(v), Warning, "V# SWIZZLE_ENABLE", "A8",
			"with ADDR64 the address is that of the registers: SWIZZLE_ENABLE and ADD_TID have no effect")
		return list
	}
	list.layout(e, v, own)
	return list
}

// extendsSign reports whether words 0 and 1 of a V# are a negative 64-bit number. Compilers put the common part of
// all lanes' addresses there; STRIDE and SWIZZLE_ENABLE are then part of its sign.
func extendsSign(v gcn.VSharp) bool { return int32(v[1])>>15 == -1 }

// formats appends the issues of a V#'s format, which the instruction uses.
func (list *issues) formats(b *gcn.Buffer) {
	d := b.DataFormat
	if _, err := format.Lookup(d, b.NumFormat); err != nil {
		list.is(d == 0 || d == reservedFormat, Warning, "V# DATA_FORMAT", "R6",
			fmt.Sprintf("%d is no data format: loads give 0, stores do nothing", d))
		return
	}
	list.selects("V#", "DP14", b.DstSel)
}

// selects appends the issues of DST_SEL fields that the instruction uses.
func (list *issues) selects(resource, rule string, sel [4]gcn.Sel) {
	list.is(sel == [4]gcn.Sel{}, Warning, resource+" DST_SEL", rule,
		"all four are 0: components are constants of 0, whatever memory or registers hold")
	for i, s := range sel {
		list.is(s > gcn.Sel1 && s < gcn.SelR, Warning, resource+" DST_SEL_"+"XYZW"[i:i+1], rule,
			fmt.Sprintf("code %d is not defined: it is taken as 0", s))
	}
}

// layout appends the issues of addressing fields in a V# that have no effect.
func (list *issues) layout(e *sim.Event, v gcn.VSharp, own bool) {
	b, in, rules := v.Fields(), (*isa.Inst)(e.Inst), e.Rules
	m := &in.Row().Mem
	f := mubuf.Form{
		Offset: in.Get(isa.OFFSET), IdxEn: in.Bool(isa.IDXEN), OffEn: in.Bool(isa.OFFEN),
		Elem: m.Elem, Count: m.Count, Format: m.Format, Own: own,
	}
	l := mubuf.LayoutOf(rules, e.Wave.Target.Gen(), &f, v)
	size := uint32(m.Elem) * uint32(m.Count)
	if m.Format {
		size = uint32(e.Access.Elem) * uint32(e.Access.Count) // unknown for reserved formats
		if e.Access.Op == gcn.NoMem {
			size = 0
		}
	}
	if l.Swizzled {
		list.is(size > l.ElemSize, Warning, "V# ELEMSIZE", "A7",
			fmt.Sprintf("%d bytes are accessed in a buffer that is swizzled by %d; units must not be larger than an element",
				size, l.ElemSize))
		list.is(l.Stride%l.ElemSize != 0, Warning, "V# STRIDE", "A7",
			fmt.Sprintf("%d is no multiple of the element size of %d: records overlap", l.Stride, l.ElemSize))
		return
	}
	if rules == state.RDNARules { // RDNA has these fields at other bits
		return
	}
	list.is(b.Swizzle, Warning, "V# SWIZZLE_ENABLE", "K3",
		"the driver rules swizzle only with ADD_TID: the buffer is linear")
	list.is(b.AddTID && !l.AddsLane, Note, "V# ADD_TID", "R2",
		"the buffer is linear and the instruction has an index: the lane is not added")
	list.is(l.AddsLane && l.Stride == 0, Note, "V# ADD_TID", "A4", "STRIDE is 0: the lane does not change the address")
	list.is(!b.Swizzle && isa.VElemSize.In(&v) != 0, Note, "V# ELEMSIZE", "R9", "it is for swizzled buffers only")
	list.is(!b.Swizzle && isa.VIndexStride.In(&v) != 0, Note, "V# INDEX_STRIDE", "R9", "it is for swizzled buffers only")
}

// scalarIssues returns the fields of a V# that scalar memory instructions ignore: all except BASE, STRIDE and
// NUM_RECORDS.
func scalarIssues(e *sim.Event, words []uint32) (list issues) {
	in, v := (*isa.Inst)(e.Inst), gcn.VSharp(words)
	b := v.Fields()
	if base := in.Get(isa.SBASE) * 2; in.Row().Mem.Op == gcn.Load {
		if dst := in.Get(isa.SDST); dst < base+4 && base < dst+uint32(e.Access.Regs) {
			return nil // the load has overwritten the V#
		}
	}
	list.is(v == gcn.VSharp{}, Warning, "V#", "R5",
		"all words are 0, an unbound resource: loads give 0, stores and atomics do nothing")
	list.is(b.Type != 0, Note, "V# TYPE", "SM4", "it is not 0, which is no buffer; scalar instructions do not look at it")
	list.is(b.Swizzle, Warning, "V# SWIZZLE_ENABLE", "SM4", "scalar instructions address the buffer as a linear one")
	list.is(b.AddTID, Note, "V# ADD_TID", "SM4", "scalar instructions add no lane")
	return list
}
