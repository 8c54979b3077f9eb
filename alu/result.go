package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// result is what happens to a result before it is written.
type result struct {
	plain bool // nothing
	t     gcn.Type
	omod  uint8 // 1: *2, 2: *4, 3: /2
	clamp bool  // of a floating-point result
	sel   gcn.Selection
	rest  uint32 // DST_UNUSED
	half  halfWrite
}

// halfWrite says how a 16-bit result goes into its register.
type halfWrite uint8

const (
	halfZero halfWrite = iota // bits 31:16 become 0; all 32 bits of wider results
	halfLow                   // bits 31:16 are kept
	halfHigh                  // OP_SEL: into bits 31:16, bits 15:0 are kept
)

func resultOf(in *gcn.Inst, r *gcn.Row) result {
	o := result{t: r.Sig.Dst, sel: gcn.SelectDword}
	mods := !r.Has(gcn.NoMods) && r.Sig.Dst.Info().Float
	if in.Bool(gcn.CLAMP) && r.Sig.Dst != gcn.Mask {
		o.clamp = mods // integers saturate in their operation
	}
	if mods {
		o.omod = uint8(in.Get(gcn.OMOD))
	}
	if in.Has(gcn.DSTSEL) {
		o.sel, o.rest = gcn.Selection(in.Get(gcn.DSTSEL)), in.Get(gcn.DSTUNUSED)
	}
	if o.t.Info().Bits16 {
		if r.Has(gcn.KeepsHigh) && in.Target.Traits().KeepHigh {
			o.half = halfLow
		}
		if in.Get(gcn.OPSEL)>>3 != 0 && !r.Has(gcn.NoOPSEL) {
			o.half = halfHigh
		}
	}
	o.plain = !o.clamp && o.omod == 0 && o.sel == gcn.SelectDword && !o.t.Info().Bits16
	return o
}

// finish applies OMOD, CLAMP and the placement to the active lanes of d, which go to dst.
func (o *result) finish(dst, d pair, m state.Mode, active uint64) {
	if o.omod != 0 || o.clamp {
		scaleAndClamp(o, d, m, active)
	}
	switch {
	case !o.t.Info().Bits16:
	case o.half == halfZero:
		insert(d.lo, dst.lo, gcn.SelectWord0, gcn.UnusedPad)
	case o.half == halfLow:
		insert(d.lo, dst.lo, gcn.SelectWord0, gcn.UnusedPreserve)
	case o.half == halfHigh:
		insert(d.lo, dst.lo, gcn.SelectWord1, gcn.UnusedPreserve)
	}
	if o.sel != gcn.SelectDword {
		insert(d.lo, dst.lo, o.sel, o.rest)
	}
}
