package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
)

// outOfRange finds lanes whose elements were out of range.
func (c *Checker) outOfRange(x *step) {
	if !x.touches() {
		return
	}
	mask := x.Access.OutMask() &^ (x.Access.Misaligned | x.privateAtomics())
	if f := x.lanesFound(OutOfRange, Note, "", mask); f != nil {
		f.message = f.message.and("out of range: loads return 0, stores and atomics do nothing")
	}
}

// misaligned finds lanes that raised MEMVIOL because of their alignment.
func (c *Checker) misaligned(x *step) {
	if !x.touches() {
		return
	}
	rule := "L2"
	if x.Access.Op == gcn.Atomic {
		rule = "L4"
	}
	if f := x.lanesFound(Misaligned, Error, rule, x.Access.Misaligned); f != nil {
		f.message = f.message.and("misaligned, which raises MEMVIOL: loads return 0, stores and atomics do nothing")
	}
}

// rulesDiffer finds lanes that the other rule set would have treated differently.
func (c *Checker) rulesDiffer(x *step) {
	if !x.touches() {
		return
	}
	if f := x.lanesFound(RulesDiffer, Warning, "", x.Access.Differs); f != nil {
		f.message = f.message.and("addressed or range-checked differently by the seed and driver rules (%s)", x.Access.Subject)
	}
}

// aligned finds lanes whose address lost low bits to its alignment. It is no violation, but
// they went elsewhere than the program says.
func (x *step) aligned() {
	if !x.touches() {
		return
	}
	rule := "L1"
	switch in := x.Inst; {
	case in.Enc == gcn.SMEM:
		rule = "SM2"
	case in.Enc == gcn.DS:
		rule = "DS2"
	case in.Row().Mem.Format:
		rule = "L3"
	case in.Row().Mem.Op == gcn.Atomic && !x.Wave.Target.Traits().AlignModes:
		rule = "L4"
	}
	if f := x.lanesFound(Ignored, Warning, rule, x.Access.Cut&^x.Access.OutMask()); f != nil {
		f.message = f.message.and("not aligned: the low bits of the address have no effect")
	}
}

// lanesFound returns a new finding about the lanes of mask, whose message begins with how many
// they are; nil if there are none or if it is there already.
func (x *step) lanesFound(k Kind, severity Severity, rule string, mask uint64) *Finding {
	if mask == 0 {
		return nil
	}
	f := x.first(defect{kind: k, rule: rule})
	if f == nil {
		return nil
	}
	f.Severity, f.Lane = severity, bits.TrailingZeros64(mask)
	addr := x.Access.Addr[f.Lane]
	f.Addr = &addr
	if n := bits.OnesCount64(mask); n == 1 {
		f.message = say("1 lane is ")
	} else {
		f.message = say("%d lanes are ", n)
	}
	return f
}

// privateAtomics returns the lanes of a FLAT atomic in private memory, which hardware
// does not do: see [Checker.ignored].
func (x *step) privateAtomics() uint64 {
	if x.Access.Op == gcn.Atomic {
		return x.Access.ScratchLanes
	}
	return 0
}

// touches reports whether x accessed memory.
func (x *step) touches() bool { return x.Access.Op != gcn.NoMem }
