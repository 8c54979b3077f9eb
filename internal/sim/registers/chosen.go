// Package registers finds the state that an instruction accesses beyond its operands. It includes the registers and
// lanes that M0, MODE, a T#, a scalar register or a VGPR selects, the memories between which an instruction moves
// data without registers, and the lanes that access all their elements at once.
package registers

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// IsGPRIndexed reports whether in is a vector instruction to whose registers GPR indexing applies.
func IsGPRIndexed(in *isa.Inst) bool { e := in.Row().Enc; return e >= isa.VOP1 && e <= isa.VOP3P }

// Moves reports whether the registers of in depend on M0 or on a T#, in every MODE.
func Moves(in *isa.Inst) bool {
	r := in.Row()
	return in.Enc == isa.MIMG || r.Has(isa.MovesSource) || r.Has(isa.MovesDst)
}

// Move changes effects, the effects of in, to the registers that the state of w selects before in executes. Beyond is
// the index of the first effect whose registers the wave does not have, or -1. Register 0 replaces such a source. If
// it is a destination, in writes nothing: the effects that write then have no registers (rule ST23).
func Move(w *state.Wave, in *isa.Inst, effects []isa.Effect) (beyond int) {
	beyond = -1
	indexing := IsGPRIndexed(in) && executor.GPRIndexing(w)
	for i := range effects {
		f := &effects[i]
		ok := true
		var code uint32
		switch {
		case f.Named && f.Field == isa.ADDR && in.Enc == isa.MIMG:
			f.Dwords = uint8(min(addressRegs(w, in), state.MaxVGPRs-int(f.Code)))
		case !CountsFromM0(w, in, f):
		case f.File == isa.VReg && indexing:
			code, ok = executor.Indexed(w, uint32(f.Code), indexBit(f), uint32(f.Dwords))
			f.Code = uint16(code)
		default:
			size := w.NumVGPRs
			if f.File == isa.SReg {
				size = executor.RelativeSGPRs(w)
			}
			code, ok = executor.Relative(w, uint32(f.Code), uint32(f.Dwords), size)
			f.Code = uint16(code)
		}
		if !ok && (beyond < 0 || f.Write) {
			beyond = i
		}
	}
	if beyond >= 0 && effects[beyond].Write {
		for i := range effects {
			if effects[i].Write {
				effects[i].Dwords = 0
			}
		}
	}
	return beyond
}

// CountsFromM0 reports whether M0 is added to the register numbers of f, an effect of in, in the mode of w.
func CountsFromM0(w *state.Wave, in *isa.Inst, f *isa.Effect) bool {
	valu, row := IsGPRIndexed(in), in.Row()
	switch {
	case !f.Named:
		return false
	case f.File == isa.VReg && valu && executor.GPRIndexing(w):
		return w.S[gcn.M0]>>(12+indexBit(f))&1 != 0
	case f.Write:
		return row.Has(isa.MovesDst)
	}
	return row.Has(isa.MovesSource) && (f.File == isa.VReg) == valu
}

// indexBit returns the bit of M0[15:12] that enables GPR indexing for the VGPRs of f (rule ST9).
func indexBit(f *isa.Effect) uint32 {
	switch {
	case f.Write:
		return 3
	case f.Field == isa.SRC2:
		return 2
	case f.Field == isa.SRC1 || f.Field == isa.VSRC1:
		return 1
	}
	return 0
}

// addressRegs returns the number of address VGPRs of an image instruction.
func addressRegs(w *state.Wave, in *isa.Inst) int {
	var t gcn.TSharp
	first, words := int(in.Get(isa.SRSRC))*4, len(t)
	if in.Bool(isa.R128) {
		words /= 2
	}
	copy(t[:words], w.S[first:])
	img := t.Fields(w.Target.Gen())
	return in.ImageAddr(img.Type, img.Interlaced).VGPRs
}

// SelectedLane returns the lane that the lane operand of in selects (rule ST1).
func SelectedLane(w *state.Wave, in *isa.Inst) int {
	field := isa.SRC1
	if !in.Has(field) {
		field = isa.VSRC1
	}
	return int(executor.Source(w, in.Get(field), in.Get(isa.LITERAL)) & (state.NumLanes - 1))
}

// Fetched returns the lanes whose values the lanes of want read (rules DS7 and DS8). exec is the mask before in.
func Fetched(w *state.Wave, in *isa.Inst, exec, want uint64) (from uint64) {
	want &= exec
	var others [state.NumLanes]uint8
	if in.Has(isa.DPPCTRL) {
		d, _ := executor.DPPOf(in)
		others, want = d.From, want&d.Enabled&d.Valid
	} else {
		others = MovedLanes(w, in)
	}
	for m := want; m != 0; m &= m - 1 {
		from |= 1 << others[bits.TrailingZeros64(m)]
	}
	return from & exec
}

// MovedLanes returns, for each lane of a DS instruction that moves values between lanes, the lane that it reads, or
// writes if the instruction pushes (rules DS7 and DS8). w may be nil for ds_swizzle_b32.
func MovedLanes(w *state.Wave, in *isa.Inst) (others [state.NumLanes]uint8) {
	if in.Row().Mem.Move == isa.SwizzlesLanes {
		pattern, modes := in.Get(isa.OFFSET), isa.TraitsOf(in.Target).DSSwizzles
		for lane := range others {
			others[lane] = uint8(executor.SwizzleSource(pattern, uint32(lane), modes))
		}
		return others
	}
	addr, offset := w.VGPR(int(in.Get(isa.ADDR))), in.Get(isa.OFFSET)
	for lane := range others {
		others[lane] = uint8(executor.PermuteLane(addr[lane], offset))
	}
	return others
}
