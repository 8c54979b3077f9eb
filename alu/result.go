package alu

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// result describes the changes to a result before it is written: OMOD, CLAMP and its place in the register.
type result struct {
	plain bool // the result is written unchanged
	t     isa.Type
	omod  uint8 // 1: *2, 2: *4, 3: /2
	clamp bool  // CLAMP of a floating-point result
	sel   isa.Selection
	rest  uint32 // DST_UNUSED
	half  halfWrite
}

// halfWrite selects how a 16-bit result is written to its register.
type halfWrite uint8

const (
	halfZero halfWrite = iota // write 0 to bits 31:16; used for wider results as well
	halfLow                   // keep bits 31:16
	halfHigh                  // OP_SEL: write to bits 31:16, keep bits 15:0
)

func resultOf(in *isa.Inst, r *isa.Row) result {
	o := result{t: r.Sig.Dst, sel: isa.SelectDword}
	mods := !r.Has(isa.NoMods) && r.Sig.Dst.Info().Float
	if in.Bool(isa.CLAMP) && r.Sig.Dst != isa.Mask {
		o.clamp = mods // integers saturate inside of their operation
	}
	if mods {
		o.omod = uint8(in.Get(isa.OMOD))
	}
	if in.Has(isa.DSTSEL) {
		o.sel, o.rest = isa.Selection(in.Get(isa.DSTSEL)), in.Get(isa.DSTUNUSED)
	}
	if o.t.Info().Bits16 {
		if r.Has(isa.KeepsHigh) && isa.TraitsOf(in.Target).KeepHigh {
			o.half = halfLow
		}
		if in.Get(isa.OPSEL)>>3 != 0 && !r.Has(isa.NoOPSEL) {
			o.half = halfHigh
		}
	}
	o.plain = !o.clamp && o.omod == 0 && o.sel == isa.SelectDword && !o.t.Info().Bits16
	return o
}

// finish applies OMOD, CLAMP and the placement to the active lanes of d, and writes them to dst.
func (o *result) finish(dst, d pair, m state.Mode, active uint64) {
	if o.omod != 0 || o.clamp {
		scaleAndClamp(o, d, m, active)
	}
	switch {
	case !o.t.Info().Bits16:
	case o.half == halfZero:
		insert(d.lo, dst.lo, isa.SelectWord0, isa.UnusedPad)
	case o.half == halfLow:
		insert(d.lo, dst.lo, isa.SelectWord0, isa.UnusedPreserve)
	case o.half == halfHigh:
		insert(d.lo, dst.lo, isa.SelectWord1, isa.UnusedPreserve)
	}
	if o.sel != isa.SelectDword {
		insert(d.lo, dst.lo, o.sel, o.rest)
	}
}
