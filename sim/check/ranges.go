package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// outOfRange finds lanes whose elements were out of range. In LDS, where no program relies on the check, it is a
// warning if a value is lost, or if only M0 is the reason.
func (c *Checker) outOfRange(x *step) {
	if x.touches() {
		mask := x.Access.OutMask() &^ (x.Access.Misaligned | x.privateAtomics())
		if c.has(Stack) && mask != 0 {
			lanes, _ := c.outsideFrame(x)
			mask &^= lanes
		}
		if m0 := x.beyondM0(mask); m0 != 0 {
			c.staleM0(x, m0)
			mask &^= m0
		}
		lost := uint64(0)
		if x.Access.Op != gcn.Load {
			lost = mask & x.lanesInLDS()
		}
		for _, found := range [...]*Finding{x.lanesFound(OutOfRange, Warning, "DS4", lost),
			x.lanesFound(OutOfRange, Note, "", mask&^lost)} {
			if found != nil {
				found.message = found.message.and("out of range: loads return 0, stores and atomics do nothing")
			}
		}
	}
	if x.writes.has(registers.M0) {
		x.wave.m0 = origin{x.site, x.executed}
	}
}

// lanesInLDS returns the lanes of the access of x that went to LDS.
func (x *step) lanesInLDS() uint64 {
	if x.Access.Space == state.LDS {
		return x.Access.Exec
	}
	return x.Access.LDSLanes
}

// beyondM0 returns the lanes of mask that would be in range if M0 did not limit LDS (rule DS3).
func (x *step) beyondM0(mask uint64) (lanes uint64) {
	size, a := uint64(len(x.LDS)), x.Access
	if mask &= x.lanesInLDS(); mask == 0 || !isa.TraitsOf(x.Wave.Target).LDSLimitM0 || uint64(x.m0) >= size {
		return 0
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		inside := true
		for i := range int(a.Count) {
			end := a.At(i, lane) + uint64(a.Elem)
			inside = inside && end <= size && (end > uint64(x.m0) || !outside(a, i, lane))
		}
		if inside {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// staleM0 reports lanes that only M0 keeps from accessing LDS, with the instruction that set M0. Usually it was set
// for another purpose, or in a called function.
func (c *Checker) staleM0(x *step, lanes uint64) {
	from := x.wave.m0
	f := x.first(defect{kind: OutOfRange, reg: "m0", rule: "DS3", from: from.site})
	if f == nil {
		return
	}
	f.Severity = Warning
	x.tellLanes(f, lanes)
	by := say("it had at the start")
	if from.site != nil {
		f.Producer = from.place(x.Wave)
		by = say("%v has set", from.site.named())
	}
	f.message = f.message.and("out of range because of M0, 0x%x, which %v: loads return 0, stores and atomics do "+
		"nothing; the work-group has %d bytes of LDS", x.m0, by, len(x.LDS))
	f.fix = say("s_mov_b32 m0, -1 before %v", pc(x.PC))
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
	mask := x.Access.Differs
	if mask == 0 {
		return
	}
	if f := c.doubt(x, defect{kind: RulesDiffer}, x.Access.Subject); f != nil {
		x.tellLanes(f, mask)
		f.message = f.message.and("addressed or range-checked differently by the seed and driver rules (%s)",
			x.Access.Subject)
	}
}

// aligned finds lanes whose address lost low bits because of its alignment. That is not a violation, but the access
// went to another address than the program says.
func (x *step) aligned() {
	if !x.touches() {
		return
	}
	rule := "L1"
	switch in := (*isa.Inst)(x.Inst); {
	case in.Enc == isa.SMEM:
		rule = "SM2"
	case in.Enc == isa.DS:
		rule = "DS2"
	case in.Row().Mem.Format:
		rule = "L3"
	case in.Row().Mem.Op == gcn.Atomic && !isa.TraitsOf(x.Wave.Target).AlignModes:
		rule = "L4"
	}
	if f := x.lanesFound(Ignored, Warning, rule, x.Access.Cut&^x.Access.OutMask()); f != nil {
		f.message = f.message.and("not aligned: the low bits of the address have no effect")
	}
}

// negativeBase reports lanes of a DS instruction on GCN 1.0 that add an offset to an address with bit 31 set (rule
// DS16). It omits lanes whose address was aligned, because their original address is not known.
func (x *step) negativeBase() {
	in, a := (*isa.Inst)(x.Inst), x.Access
	if !x.addsOffset || !x.touches() {
		return
	}
	off, mask := in.Get(isa.OFFSET), uint64(0)
	if m := &in.Row().Mem; in.Row().Has(isa.Two) {
		off = in.Get(isa.OFFSET0) * uint32(m.Elem)
		if m.Stride64 {
			off *= 64
		}
	}
	fillLanes(a)
	for m := a.Exec &^ a.Cut; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); int32(uint32(a.Addr[lane])-off) < 0 {
			mask |= 1 << lane
		}
	}
	if f := x.lanesFound(Ignored, Warning, "DS16", mask); f != nil {
		f.message = f.message.and("below 0 without the offset: GCN 1.0 does not add an offset properly to such an address")
		f.fix = say("v_add_i32 in place of the offset")
	}
}

// lanesFound returns a new finding about the lanes of mask, whose message begins with their number. It is nil if
// there are no lanes or if the finding exists.
func (x *step) lanesFound(k Kind, severity Severity, rule string, mask uint64) *Finding {
	if mask == 0 {
		return nil
	}
	f := x.first(defect{kind: k, rule: rule})
	if f == nil {
		return nil
	}
	f.Severity = severity
	x.tellLanes(f, mask)
	return f
}

// tellLanes sets the lanes of f. Its message begins with their number.
func (x *step) tellLanes(f *Finding, mask uint64) {
	f.Lane = bits.TrailingZeros64(mask)
	addr := x.Access.Addr[f.Lane]
	f.Addr = &addr
	if n := bits.OnesCount64(mask); n == 1 {
		f.message = say("1 lane is ")
	} else {
		f.message = say("%d lanes are ", n)
	}
}

// privateAtomics returns the lanes of a FLAT atomic that access private memory, which hardware does not support: see
// [Checker.ignored].
func (x *step) privateAtomics() uint64 {
	if x.Access.Op == gcn.Atomic {
		return x.Access.ScratchLanes
	}
	return 0
}

// touches reports whether x accessed memory.
func (x *step) touches() bool { return x.Access.Op != gcn.NoMem }
