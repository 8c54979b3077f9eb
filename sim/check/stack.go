package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file finds accesses outside of the private memory that a kernel's object declares for a work-item (rule F14).

// waveFrame is the unit of a wave's private memory size in bytes (rule ST19).
const waveFrame = 1 << 10

// frameOf returns the private memory of a work-item of k, in bytes, as declared by the object. ok is false if the
// object does not declare it.
func frameOf(k *codeobj.Kernel) (size uint64, ok bool) {
	return uint64(k.PrivateBytes), !k.UsesDynamicStack
}

// frameOfLaunch returns the frame size of l's kernel, or 0 if its object does not declare it.
func frameOfLaunch(l *sim.Launch) uint64 {
	if k, err := l.Module.Object.Kernel(l.Kernel); err == nil {
		if size, ok := frameOf(k); ok {
			return size
		}
	}
	return 0
}

// outOfFrame finds lanes that access private memory beyond their kernel's frame.
func (c *Checker) outOfFrame(x *step) {
	mask, at := c.outsideFrame(x)
	if mask == 0 {
		return
	}
	if f := x.first(defect{kind: Stack, rule: "F14"}); f != nil {
		f.Severity = Error
		x.tellLanes(f, mask)
		f.message = f.message.and("outside of the private memory of a work-item: byte %d of %d", at, c.frame)
	}
}

// outsideFrame returns the lanes of x in private memory that access bytes outside of their frames, and the offset of
// the first such byte of the first lane.
func (c *Checker) outsideFrame(x *step) (mask uint64, at int64) {
	a := x.Access
	if c.frame == 0 || !x.touches() || a.Scalar {
		return 0, 0
	}
	lanes := a.ScratchLanes
	if lanes == 0 && x.hasResource && x.addsTID() {
		lanes = a.Exec
	}
	base := x.PrivateBase + uint64(x.Wave.ID)*((c.frame*state.NumLanes+waveFrame-1)&^(waveFrame-1))
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros64(lanes)
		for i := range int(a.Count) {
			off := inFrame(int64(a.At(i, lane)-base), lane)
			if off < 0 || off+int64(a.Elem) > int64(c.frame) || a.Out[min(i, 3)]>>lane&1 != 0 {
				if mask == 0 {
					at = int64(int32(off)) // offsets have 32 bits
				}
				mask |= 1 << lane
				break
			}
		}
	}
	return mask, at
}

// inFrame converts an offset in the wave's private memory to an offset in a lane's frame (rule F3).
func inFrame(place int64, lane int) int64 {
	place -= 4 * int64(lane)
	return place>>8<<2 + place&3
}

// judgeStack reports accesses with a known offset in private memory outside of the kernel's frame.
func (v *values) judgeStack(x *step, now *flow) {
	size, ok := frameOf(v.kernel)
	if !v.c.has(Stack) || !ok || v.mask == noLanes {
		return
	}
	first, severity := v.frameOffset(x, now)
	m := &(*isa.Inst)(x.Inst).Row().Mem
	end := first + int64(m.Elem)*int64(m.Count)
	if severity == Doubt || end == first || first >= 0 && end <= int64(size) {
		return
	}
	if f := x.first(defect{kind: Stack, rule: "F14"}); f != nil {
		f.Severity, f.Space = severity, state.Scratch.String()
		f.message = say("bytes %d to %d of the private memory of a work-item, which has %d", first, end-1, size)
	}
}

// frameOffset returns the offset of the first private byte that x accesses, and the severity if it is outside: an
// error if all lanes access that byte, a warning if inactive lanes may have other offsets, a doubt if it is not
// known.
func (v *values) frameOffset(x *step, now *flow) (at int64, severity Severity) {
	in := (*isa.Inst)(x.Inst)
	known, severity := true, Error
	add := func(r reg, unit int64) {
		number, constant := v.words.Number(v.get(x, now, r))
		n := int64(int32(number))
		at, known = at+n/unit, known && constant && n%(4*unit) == 0
	}
	scalar := func(code uint32, unit int64) {
		if n, ok := isa.InlineConstant(code, isa.B32); ok {
			at, known = at+int64(n)/unit, known && int64(n)%(4*unit) == 0
		} else {
			add(registers.ScalarRegs+reg(code&(isa.NumScalarCodes-1)), unit)
		}
	}
	switch {
	case in.Enc == isa.MUBUF && !in.Bool(isa.IDXEN) && !in.Bool(isa.ADDR64) && v.isFrame(x, now, 4*in.Get(isa.SRSRC)):
		at = int64(in.Get(isa.OFFSET))
		scalar(in.Get(isa.SOFFSET), state.NumLanes)
		if in.Bool(isa.OFFEN) {
			severity = Warning
			add(reg(in.Get(isa.ADDR)), 1)
		}
	case in.Enc == isa.SCRATCH:
		at = int64(in.Int(isa.OFFSET))
		if code := in.Get(isa.SADDR); code != isa.NoSADDR {
			scalar(code, 1)
		} else {
			severity = Warning
			add(reg(in.Get(isa.ADDR)), 1)
		}
	default:
		known = false
	}
	if !known {
		return 0, Doubt
	}
	return at, severity
}
