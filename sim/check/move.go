package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/alu"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/lds"
	"github.com/gcnsim/gcnsim/state"
)

// This file finds the registers and lanes that an instruction reaches where they depend on
// the state of the wave.

// move makes the effects of x those that M0, MODE or a T# choose.
func (x *step) move() {
	x.moved.effects = append(x.moved.effects[:0], x.site.effects...)
	x.effects = x.moved.effects
	in, w := x.Inst, x.Wave
	indexing := x.valu && w.GPRIndexing()
	for i := range x.effects {
		f := &x.effects[i]
		if !f.Named {
			continue
		}
		switch {
		case f.File == gcn.VReg && indexing:
			x.indexed(f)
		case f.Field == gcn.ADDR && in.Enc == gcn.MIMG:
			f.Dwords = uint8(min(x.addressRegs(), state.MaxVGPRs-int(f.Code)))
		case f.Write && in.Row().Has(gcn.MovesDst), !f.Write && in.Row().Has(gcn.MovesSource) && f.File == x.relativeFile():
			f.Code = x.relative(f)
		}
	}
	x.moved.reads, x.moved.writes = x.sets(x.effects)
	x.reads, x.writes = &x.moved.reads, &x.moved.writes
}

// relativeFile returns the file of registers that an instruction counts from M0 on.
func (x *step) relativeFile() gcn.RegFile {
	if x.valu {
		return gcn.VReg
	}
	return gcn.SReg
}

// relative returns the number of the register that M0 makes of that of f; of one that does
// not exist, which faults, that of f.
func (x *step) relative(f *gcn.Effect) uint16 {
	n := uint64(f.Code) + uint64(x.m0)
	limit := uint64(x.Wave.Target.Traits().SGPRs)
	if f.File == gcn.VReg {
		limit = uint64(x.Wave.NumVGPRs)
	}
	if n+uint64(f.Dwords) > limit {
		return f.Code
	}
	return uint16(n)
}

// indexed makes f the registers that GPR indexing chooses (rule ST9).
func (x *step) indexed(f *gcn.Effect) {
	operand := map[gcn.Field]uint32{gcn.SRC1: 1, gcn.VSRC1: 1, gcn.SRC2: 2}[f.Field]
	if f.Write {
		operand = 3
	}
	if x.m0>>(12+operand)&1 == 0 {
		return
	}
	f.Code += uint16(x.m0 & 0xff)
	if int(f.Code)+int(f.Dwords) > x.Wave.NumVGPRs {
		f.Code = 0
	}
}

// addressRegs returns how many VGPRs the address of an image instruction takes.
func (x *step) addressRegs() int {
	var t gcn.TSharp
	first, words := int(x.Inst.Get(gcn.SRSRC))*4, len(t)
	if x.Inst.Bool(gcn.R128) {
		words /= 2
	}
	copy(t[:words], x.Wave.S[first:])
	img := t.Fields(x.Wave.Target.Gen())
	return x.Inst.ImageAddr(img.Type, img.Interlaced).VGPRs
}

// selectedLane returns the lane that the lane operand of x selects (rule ST1).
func (x *step) selectedLane() int {
	in := x.Inst
	field := gcn.SRC1
	if !in.Has(field) {
		field = gcn.VSRC1
	}
	return int(unit.Source(x.Wave, in.Get(field), in.Get(gcn.LITERAL)) & (state.NumLanes - 1))
}

// fetched returns the lanes that lanes of x read from others (rules DS7 and DS8).
func (x *step) fetched() (from uint64) {
	in := x.Inst
	switch {
	case in.Has(gcn.DPPCTRL):
		ctrl, banks, rows := in.Get(gcn.DPPCTRL), in.Get(gcn.BANKMASK), in.Get(gcn.ROWMASK)
		for m := x.exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			if banks>>(lane>>2&3)&1 == 0 || rows>>(lane>>4)&1 == 0 {
				continue
			}
			if n, ok := alu.DPPLane(ctrl, lane); ok && n >= 0 && n < state.NumLanes {
				from |= 1 << n
			}
		}
	case in.Row().Has(gcn.NoData): // ds_swizzle_b32
		for m := x.exec; m != 0; m &= m - 1 {
			from |= 1 << lds.SwizzleLane(in, bits.TrailingZeros64(m))
		}
	default: // ds_bpermute_b32
		addr := x.Wave.VGPR(int(in.Get(gcn.ADDR)))
		for m := x.exec; m != 0; m &= m - 1 {
			from |= 1 << ((addr[bits.TrailingZeros64(m)] + in.Get(gcn.OFFSET)) / 4 % state.NumLanes)
		}
	}
	return from & x.exec
}
