package timing

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// quadLanes is the number of lane addresses that TA processes in a clock (rule CY4).
const quadLanes = 4

// quadCost is the cost in TA of the four lanes of a quad, in eighths of a clock: if their data are adjacent,
// scattered, or scattered and not aligned to their size.
type quadCost struct{ side, scattered, unaligned uint8 }

// The costs by dwords per lane. Source: sebbbi/perftest, ratios to a load of 16 clocks (rule CY13).
// Params.PairEighths has those of two-dword buffer loads.
var (
	bufferQuads = [5]quadCost{1: {8, 8, 8}, 3: {8, 16, 16}, 4: {8, 9, 10}}
	imageQuads  = [5]quadCost{1: {8, 8, 8}, 2: {8, 16, 16}, 3: {12, 16, 16}, 4: {12, 16, 16}}
)

// addressClocks returns the number of clocks that TA needs for a vector memory instruction. Quads without active
// lanes take none (assumed).
func addressClocks(p *Params, op *static, e *sim.Event) int {
	a := e.Access
	r := op.in.Row()
	size := uint64(a.Elem) * uint64(a.Count)
	dwords := min((size+3)/4, 4)
	switch {
	case op.write:
		return (bits.OnesCount64(a.Exec)*p.of.StoreEighths + 7) / 8
	case op.atomic: // the rate of issue (rule CY6)
		return quads(a.Exec) * int(op.queue&^3) / 16
	case a.Taps > 1: // filtered: 32 bits per quad and clock, repeated for every four texels (assumed)
		return quads(a.Exec) * int(max(dwords, 1)) * ((int(a.Taps) + quadLanes - 1) / quadLanes)
	case r.Enc == isa.MIMG:
		return quadClocks(a, imageQuads[dwords], size)
	}
	if n, ok := coalesces(op, e, size); ok {
		return runClocks(p, a, &n)
	}
	cost := bufferQuads[dwords]
	if dwords == 2 {
		pair := uint8(p.of.PairEighths)
		cost = quadCost{pair, pair, pair}
	}
	return quadClocks(a, cost, size)
}

// quads returns the number of quads with active lanes.
func quads(exec uint64) int {
	exec |= exec >> 1
	exec |= exec >> 2
	return bits.OnesCount64(exec & 0x1111111111111111)
}

func quadClocks(a *state.Access, c quadCost, size uint64) int {
	total := 0
	for q := 0; q < state.NumLanes; q += quadLanes {
		mask := a.Exec >> q & 15
		if mask == 0 {
			continue
		}
		first := q + bits.TrailingZeros64(mask)
		side, same, aligned := true, true, true
		for m := mask; m != 0; m &= m - 1 {
			lane := q + bits.TrailingZeros64(m)
			side = side && a.Addr[lane] == a.Addr[first]+uint64(lane-first)*size
			same = same && a.Addr[lane] == a.Addr[first]
			aligned = aligned && (size&(size-1) != 0 || a.Addr[lane]&(size-1) == 0)
		}
		switch {
		case side || same:
			total += int(c.side)
		case aligned:
			total += int(c.scattered)
		default:
			total += int(c.unaligned)
		}
	}
	return (total + 7) / 8
}

// neighbours describes which lanes share a clock: those whose addresses are step bytes apart.
type neighbours struct {
	step  uint64
	slack uint64 // largest deviation of an address due to alignment
	// Records of a swizzled buffer are adjacent only within blocks of block bytes from base on; 0 means no limit.
	base, block uint64
}

// coalesces returns which lanes share a clock. They do in single-channel buffer loads of at most 32 bits (rule CY4):
// with STRIDE 0 lanes at contiguous offsets, with STRIDE 1 lanes with contiguous indices, which are one byte apart,
// and with swizzling and an ELEMSIZE equal to the element's size lanes with contiguous indices, too (rule CY5). That
// offsets are equal follows from the addresses, since another offset would not be adjacent. FLAT, GLOBAL and SCRATCH
// are assumed to behave like a buffer with STRIDE 0.
func coalesces(op *static, e *sim.Event, size uint64) (n neighbours, ok bool) {
	r := op.in.Row()
	if r.Mem.Count != 1 || size > 4 {
		return n, false
	}
	n.step = size
	if r.Enc != isa.MUBUF && r.Enc != isa.MTBUF {
		return n, true
	}
	switch l := op.layout(e); {
	case !l.Swizzled && l.Stride == 1:
		return neighbours{step: 1, slack: size - 1}, true
	case !l.Swizzled:
		return n, l.Stride == 0
	case l.Stride <= 1 || uint64(l.ElemSize) == size:
		n.base = isa.VBase.In(&op.v) + uint64(executor.Source(e.Wave, op.in.Get(isa.SOFFSET), 0))
		n.block = uint64(l.IndexStride) * uint64(l.ElemSize)
		return n, true
	}
	return n, false
}

// layout returns the addressing of op's buffer. It is decoded again only if the V# has changed since the previous
// execution.
func (s *static) layout(e *sim.Event) *mubuf.Layout {
	srsrc := s.in.Get(isa.SRSRC) * 4
	v := gcn.VSharp(e.Wave.S[srsrc : srsrc+4])
	if !s.known || v != s.v {
		form := mubuf.Form{
			IdxEn: s.in.Bool(isa.IDXEN), OffEn: s.in.Bool(isa.OFFEN), Addr64: s.in.Bool(isa.ADDR64),
			Elem: e.Access.Elem, Count: 1, Format: s.in.Row().Mem.Format,
		}
		s.v, s.seen, s.known = v, mubuf.LayoutOf(e.Rules, e.Wave.Target.Gen(), &form, v), true
	}
	return &s.seen
}

// runClocks returns the number of clocks for lanes that coalesce: one for each run of up to Params.CoalescedLanes
// lanes with adjacent or equal addresses, or one for a quad.
func runClocks(p *Params, a *state.Access, n *neighbours) int {
	if a.Dense && a.Exec == state.FullExec && n.step == 4 && n.block == 0 {
		each := max(p.of.CoalescedLanes, quadLanes)
		return (state.NumLanes + each - 1) / each
	}
	clocks := 0
	for lane := 0; lane < state.NumLanes; clocks++ {
		rest := a.Exec >> lane
		if rest == 0 {
			break
		}
		lane += bits.TrailingZeros64(rest)
		quad := lane&^(quadLanes-1) + quadLanes
		lane = max(quad, n.runEnd(a, lane, p.of.CoalescedLanes))
	}
	return clocks
}

// runEnd returns the lane after the run that starts at an active lane. Inactive lanes do not end a run (assumed).
func (n *neighbours) runEnd(a *state.Access, first, most int) int {
	start, end := a.Addr[first], first+1
	same := true
	for lane := first + 1; lane < min(first+most, state.NumLanes); lane++ {
		if a.Exec>>lane&1 == 0 {
			continue
		}
		addr := a.Addr[lane]
		same = same && addr == start
		if off := addr - start - uint64(lane-first)*n.step; !same && off+n.slack > 2*n.slack {
			break
		}
		if n.block != 0 && (addr-n.base)/n.block != (start-n.base)/n.block {
			break // a run does not cross INDEXSTRIDE
		}
		end = lane + 1
	}
	return end
}
