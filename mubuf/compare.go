package mubuf

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// compare sets a.Differs to the lanes whose address or range check the other rule set decides differently, and names
// the first subject whose change alone makes a difference (rule K10).
func compare(g gcn.Gen, p *executor.Ports, f *Form, o *Operands, a *state.Access) {
	other, ok := executor.Other(p.Rules)
	if !ok {
		return
	}
	ours, theirs := executor.BufferRulesOf(p.Rules, g), executor.BufferRulesOf(other, g)
	own := placed{Access: a}
	if f.bytes && p.Align == state.AlignNone {
		own.bytes = true
		own.split = split(ours, f, o, a.Exec)
	}
	if a.Differs = own.differing(theirs, f, o, p.Compare); a.Differs == 0 {
		return
	}
	a.Subject = "several rules together"
	for c := range executor.NumBufferChoices {
		if mixed := ours.With(c, theirs); own.differing(&mixed, f, o, p.Compare) != 0 {
			a.Subject = c.String()
			return
		}
	}
}

// placed is an access together with the lanes whose bytes are addressed one by one.
type placed struct {
	*state.Access
	bytes bool   // some lanes are addressed byte by byte
	split uint64 // the lanes that are addressed byte by byte
}

// differing returns the lanes whose result under the rules r differs from a. An element that is out of range under
// both has no address to compare.
func (a *placed) differing(r *executor.BufferRules, f *Form, o *Operands, scratch *state.Access) (lanes uint64) {
	scratch.Exec, scratch.Elem, scratch.Count = a.Exec, a.Elem, a.Count
	addresses(r, f, o, scratch)
	dropped := a.Exec // lanes with all elements out of range under both
	for i := range int(f.Count) {
		dropped &= a.Out[i] & scratch.Out[i]
		lanes |= (a.Out[i] ^ scratch.Out[i]) & a.Exec
		for m := a.Exec &^ (a.Out[i] | lanes); m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m); a.At(i, lane) != scratch.At(i, lane) {
				lanes |= 1 << lane
			}
		}
	}
	if a.bytes {
		lanes |= (a.split ^ split(r, f, o, a.Exec)) &^ dropped
	}
	return lanes
}

// compareLDS does what compare does, for the LDS address of a load to LDS (rule DP5).
func compareLDS(g gcn.Gen, p *executor.Ports, offset uint32, a *state.Access) {
	other, ok := executor.Other(p.Rules)
	if ok && offset != 0 && executor.BufferRulesOf(p.Rules, g).LDSOffset != executor.BufferRulesOf(other, g).LDSOffset {
		a.Differs, a.Subject = a.Exec, executor.ChooseLDSOffset.String()
	}
}
