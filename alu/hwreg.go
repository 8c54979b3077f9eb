package alu

import (
	"cmp"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// hwreg is a hardware register that S_GETREG and S_SETREG access.
type hwreg struct {
	name  string
	read  func(w *state.Wave) uint32
	write func(w *state.Wave, v uint32) // nil if writes have no effect
}

// Numbers in hwregs.
const (
	modeReg   = 1 // MODE
	statusReg = 2 // STATUS
)

// hwregs are the hardware registers by number (rule ST8). A register without a read function holds information that
// the simulator does not model.
var hwregs = [...]hwreg{
	modeReg: {"MODE", func(w *state.Wave) uint32 { return uint32(w.Mode) }, func(w *state.Wave, v uint32) { w.Mode = state.Mode(v) }},
	// STATUS is read-only, except for a trap handler (rule ST4).
	2:  {"STATUS", func(w *state.Wave) uint32 { return uint32(w.Status()) }, nil},
	3:  {"TRAPSTS", func(w *state.Wave) uint32 { return uint32(w.TrapSts) }, func(w *state.Wave, v uint32) { w.TrapSts = state.TrapSts(v) }},
	4:  {"HW_ID", hwID, nil},
	5:  {"GPR_ALLOC", gprAlloc, nil},
	6:  {"LDS_ALLOC", ldsAlloc, nil},
	7:  {"IB_STS", ibSts, nil},
	8:  {"PC_LO", func(w *state.Wave) uint32 { return uint32(w.PC) }, nil},
	9:  {"PC_HI", func(w *state.Wave) uint32 { return uint32(w.PC >> 32) }, nil},
	10: {name: "INST_DW0"},
	11: {name: "INST_DW1"},
	12: {name: "IB_DBG0"},
	13: {name: "IB_DBG1"},
	14: {name: "FLUSH_IB"},
	15: {"SH_MEM_BASES", memBases, nil},
	16: {"SQ_SHADER_TBA_LO", func(w *state.Wave) uint32 { return handlerReg(w, w.TBA) }, nil},
	17: {"SQ_SHADER_TBA_HI", func(w *state.Wave) uint32 { return handlerReg(w, w.TBA>>32) }, nil},
	18: {"SQ_SHADER_TMA_LO", func(w *state.Wave) uint32 { return handlerReg(w, w.TMA) }, nil},
	19: {"SQ_SHADER_TMA_HI", func(w *state.Wave) uint32 { return handlerReg(w, w.TMA>>32) }, nil},
}

// readNotes lists register bits whose value differs, or may differ, from hardware. A note applies if S_GETREG reads
// bits of mask.
var readNotes = [...]struct {
	mask uint32
	note *isa.Note
}{
	3: {uint32(state.TrapExcp), &isa.Note{Level: gcn.Assumed, Why: "which instructions raise which exceptions is documented in part (" + rule.ST20 + ")"}},
	4: {everyBit, placeNote},
	5: {everyBit, placeNote},
	6: {everyBit, placeNote},
	7: {everyBit, &isa.Note{Level: gcn.Approximate, Why: "operations count as outstanding until the wave waits for them (" + rule.ST8 + ")"}},
}

const everyBit = 1<<32 - 1

var (
	placeNote = &isa.Note{Level: gcn.Assumed, Why: "where a wave runs is not modelled: SIMDs take turns, bases of " +
		"registers and LDS are 0 (" + rule.ST8 + ")"}
	modeNote = &isa.Note{Level: gcn.Approximate,
		Why: "MODE.FP16_OVFL and VSKIP have no effect: nothing clamps or skips (" + rule.ST5 + ")"}
)

// hwregNote returns the reason why an S_GETREG or S_SETREG is not exact, nil if it is exact.
func hwregNote(in *isa.Inst) *isa.Note {
	id, shift, mask := executor.Hwreg(in)
	mask <<= shift
	if in.Row().Sig.Dst != isa.None {
		if int(id) < len(readNotes) && readNotes[id].mask&mask != 0 {
			return readNotes[id].note
		}
		return nil
	}
	if in.Row().Has(isa.LiteralK) { // the value is a literal
		mask &= in.Get(isa.LITERAL) << shift
	}
	if id == modeReg && unmodelled(state.Mode(mask), isa.TraitsOf(in.Target)) != 0 {
		return modeNote
	}
	return nil
}

// handlerReg returns a dword of TBA or TMA, which are in units of 256 bytes. It is 0 if PRIV is not set (rule ST21).
func handlerReg(w *state.Wave, v uint64) uint32 {
	if !w.Privileged() {
		return 0
	}
	return uint32(v >> 8)
}

// The layouts of HW_ID, GPR_ALLOC and LDS_ALLOC follow the AMD GCN3 and Vega ISA manuals, hardware registers.

// hwID returns HW_ID: WAVE_ID in bits 3:0 and SIMD_ID in bits 5:4. The waves of a work-group are distributed over the
// SIMDs of one compute unit, round-robin; all other fields are 0.
func hwID(w *state.Wave) uint32 { return uint32(w.ID)/4&15 | uint32(w.ID)%4<<4 }

// gprAlloc returns GPR_ALLOC: VGPR_BASE 5:0, VGPR_SIZE 13:8, SGPR_BASE 21:16, SGPR_SIZE 27:24. A size field is the
// number of granules minus 1. A granule is 4 VGPRs, or 8 SGPRs (16 from GCN 1.2 on). Source of the granules: amdkfd,
// the trap handlers that save a wave.
func gprAlloc(w *state.Wave) uint32 {
	t := isa.TraitsOf(w.Target)
	sgprs := (cmp.Or(w.NumSGPRs, t.SGPRs) + t.SGPRGranule - 1) / t.SGPRGranule
	return uint32((w.NumVGPRs+3)/4-1)<<8 | uint32(sgprs-1)<<24
}

// ldsAlloc returns LDS_ALLOC: LDS_BASE 7:0 and LDS_SIZE 20:12, in granules of 64 dwords.
func ldsAlloc(w *state.Wave) uint32 { return (w.LDSBytes + 255) / 256 << 12 }

// The registers from this number on exist on generations with aperture operands (rule ST8).
const firstApertureReg = 14

// ibSts returns the counters in the layout of IB_STS: VM_CNT 3:0, EXP_CNT 6:4, LGKM_CNT 11:8; on Vega also VM_CNT
// 23:22. Source: AMD GCN3 and Vega ISA manuals, hardware registers. The field LGKM_CNT is narrower than the counter
// and saturates, as does the field of S_WAITCNT.
func ibSts(w *state.Wave) uint32 {
	v := uint32(w.VMCnt&15) | uint32(w.EXPCnt)<<4 | uint32(min(w.LGKMCnt, 15))<<8
	return v | uint32(w.VMCnt>>4)<<22
}

// memBases returns SH_MEM_BASES: the high 16 bits of the aperture bases, private in 15:0, shared in 31:16 (rule F11).
func memBases(w *state.Wave) uint32 { return w.PrivateBase>>16 | w.SharedBase&0xffff0000 }

// Register describes hardware register id of S_GETREG and S_SETREG. name is its number if it has no name. readOnly is
// set if it can be read but S_SETREG has no effect on it. Source: rule ST8.
func Register(id uint32) (name string, readOnly bool) {
	if int(id) >= len(hwregs) || hwregs[id].name == "" {
		return fmt.Sprint("hwreg ", id), false
	}
	r := &hwregs[id]
	return r.name, r.read != nil && r.write == nil
}

func hwregOf(w *state.Wave, id uint32) (*hwreg, *state.Fault) {
	if id == 0 || int(id) >= len(hwregs) || id >= firstApertureReg && !isa.TraitsOf(w.Target).Apertures {
		return nil, executor.NewFault(state.FaultIllegal, "hardware register %d does not exist on %v", id, w.Target)
	}
	r := &hwregs[id]
	if r.read == nil {
		return nil, executor.NewFault(state.FaultUnsupported, "hardware register %s is not modelled", r.name)
	}
	return r, nil
}

func getreg(w *state.Wave, in *isa.Inst) *state.Fault {
	id, shift, mask := executor.Hwreg(in)
	r, f := hwregOf(w, id)
	if f != nil {
		return f
	}
	w.S[in.Get(isa.SDST)] = r.read(w) >> shift & mask
	return nil
}

func setreg(w *state.Wave, in *isa.Inst, v uint32) *state.Fault {
	id, shift, mask := executor.Hwreg(in)
	r, f := hwregOf(w, id)
	if f != nil {
		return f
	}
	if id == statusReg && w.Privileged() {
		s := r.read(w)&^(mask<<shift) | v&mask<<shift
		w.SetStatus(state.Status(s) | state.StatusPriv) // S_RFE clears PRIV, not S_SETREG
		w.SCC = s & uint32(state.StatusSCC)
	}
	if r.write != nil {
		r.write(w, r.read(w)&^(mask<<shift)|v&mask<<shift)
	}
	return nil
}
