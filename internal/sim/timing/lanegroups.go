package timing

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// LaneGroup is a group of lanes that the texture address unit, or the LDS, processes together.
type LaneGroup struct {
	Lanes   uint64
	Element int     // element of the access; 1 for the second address of an instruction with two
	Clocks  float64 // clocks for the group
}

// LaneGroups returns the groups of lanes in which an access is processed, with their clocks. In LDS accesses they are
// the phases with their bank conflicts (rule CY10), in vector memory accesses the lanes that coalesce, or quads
// (rules CY4 and CY5). The result is nil for other instructions and for accesses without active lanes. The sum of the
// clocks equals that of the model, which rounds it up.
func LaneGroups(p *Params, e *sim.Event) []LaneGroup {
	a := e.Access
	switch enc := (*isa.Inst)(e.Inst).Row().Enc; {
	case a.Op == gcn.NoMem || a.Scalar || a.Exec == 0:
		return nil
	case enc == isa.DS:
		return bankGroups(a)
	case a.Space == state.LDS || a.LDSLanes == a.Exec:
		return nil
	}
	op := newStatic(p, (*isa.Inst)(e.Inst), e.PC)
	if op.kind != kindVMEM {
		return nil
	}
	size := uint64(a.Elem) * uint64(a.Count)
	if n, ok := coalesces(&op, e, size); ok && !op.write && !op.atomic && a.Taps <= 1 &&
		(*isa.Inst)(e.Inst).Row().Enc != isa.MIMG {
		return runGroupsOf(p, a, &n)
	}
	var groups []LaneGroup
	for q := 0; q < state.NumLanes; q += quadLanes {
		one := *a
		if one.Exec &= 15 << q; one.Exec != 0 {
			event := *e
			event.Access = &one
			groups = append(groups, LaneGroup{Lanes: one.Exec, Clocks: quadEighths(p, &op, &event) / 8})
		}
	}
	return groups
}

// quadEighths returns the cost of the only quad of an access in eighths of a clock.
func quadEighths(p *Params, op *static, e *sim.Event) float64 {
	a := e.Access
	r := op.in.Row()
	size := uint64(a.Elem) * uint64(a.Count)
	dwords := min((size+3)/4, 4)
	cost := bufferQuads[dwords]
	switch {
	case op.write || op.atomic || a.Taps > 1:
		return 8 * float64(addressClocks(p, op, e))
	case r.Enc == isa.MIMG:
		cost = imageQuads[dwords]
	case dwords == 2:
		pair := uint8(p.of.PairEighths)
		cost = quadCost{pair, pair, pair}
	}
	// Multiplied by eight, the cost of a quad is not rounded.
	return float64(quadClocks(a, quadCost{8 * cost.side, 8 * cost.scattered, 8 * cost.unaligned}, size))
}

// runGroupsOf returns the runs that [runClocks] counts.
func runGroupsOf(p *Params, a *state.Access, n *neighbours) (groups []LaneGroup) {
	for lane := 0; lane < state.NumLanes; {
		rest := a.Exec >> lane
		if rest == 0 {
			break
		}
		first := lane + bits.TrailingZeros64(rest)
		lane = max(first&^(quadLanes-1)+quadLanes, n.runEnd(a, first, p.of.CoalescedLanes))
		lanes := ^uint64(0) << first
		if lane < state.NumLanes {
			lanes &= 1<<lane - 1
		}
		groups = append(groups, LaneGroup{Lanes: a.Exec & lanes, Clocks: 1})
	}
	return groups
}

// bankGroups returns the phases of a DS access.
func bankGroups(a *state.Access) (groups []LaneGroup) {
	size, pair := elementsOf(a)
	if size == 0 {
		return nil
	}
	add := func(addr *[state.NumLanes]uint64, mask uint64, element int) {
		use := ldsBanks(addr, mask, size, a.Op == gcn.Store)
		for i, lanes := range use.Phases {
			if lanes &= mask; lanes != 0 {
				groups = append(groups, LaneGroup{Lanes: lanes, Element: element, Clocks: float64(use.Degree[i])})
			}
		}
	}
	add(&a.Addr, a.Exec&^a.Out[0], 0)
	if pair {
		add(&a.More[0], a.Exec&^a.Out[1], 1)
	}
	return groups
}
