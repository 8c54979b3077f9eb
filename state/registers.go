package state

import "github.com/gcnsim/gcnsim/gcn"

// Mode is the MODE register. Bit positions: rule ST5.
type Mode uint32

// DefaultMode flushes no f64 and f16 denormals, flushes f32 ones and rounds to
// nearest even: what compilers ask for (FLOAT_MODE 0xc0).
const DefaultMode Mode = 0xc0

// Rounding is a rounding mode as FP_ROUND encodes it.
type Rounding uint8

// The rounding modes.
const (
	RoundNearestEven Rounding = iota
	RoundPlusInf
	RoundMinusInf
	RoundToZero
)

// Denorm is a denormal mode as FP_DENORM encodes it.
type Denorm uint8

// AllowIn reports whether input denormals are kept.
func (d Denorm) AllowIn() bool { return d&1 != 0 }

// AllowOut reports whether output denormals are kept.
func (d Denorm) AllowOut() bool { return d&2 != 0 }

// Round32 is the rounding of single precision: FP_ROUND bits 1:0.
func (m Mode) Round32() Rounding { return Rounding(m & 3) }

// Round64 is the rounding of double and half precision: FP_ROUND bits 3:2.
func (m Mode) Round64() Rounding { return Rounding(m >> 2 & 3) }

// Denorm32 is the denormal mode of single precision: FP_DENORM bits 1:0 (MODE 5:4).
func (m Mode) Denorm32() Denorm { return Denorm(m >> 4 & 3) }

// Denorm64 is the denormal mode of double and half precision (MODE 7:6).
func (m Mode) Denorm64() Denorm { return Denorm(m >> 6 & 3) }

// DX10Clamp reports whether CLAMP turns NaN into 0 (bit 8).
func (m Mode) DX10Clamp() bool { return m>>8&1 != 0 }

// IEEE reports whether IEEE mode is on (bit 9).
func (m Mode) IEEE() bool { return m>>9&1 != 0 }

// Fields of MODE (rules ST5 and ST14).
const (
	ModeLODClamped Mode = 1 << 10 // see [Mode.LODClamped]
	ModeDebug      Mode = 1 << 11
	ModeExcpEn     Mode = 0x7f << 12
	ModeFP16Ovfl   Mode = 1 << 23 // from GCN 1.4 on
	ModeGPRIdxEn   Mode = 1 << 27 // from GCN 1.2 on
	ModeVSkip      Mode = 1 << 28
)

// LODClamped is the sticky bit of LOD clamping (bit 10).
func (m Mode) LODClamped() bool { return m&ModeLODClamped != 0 }

// Debug reports whether the wave traps after each instruction (bit 11).
func (m Mode) Debug() bool { return m&ModeDebug != 0 }

// ExcpEn is the mask of enabled exceptions (bits 18:12).
func (m Mode) ExcpEn() uint32 { return uint32(m & ModeExcpEn >> 12) }

// GPRIdxEn is the bit that switches GPR indexing on where that exists (bit 27, GCN 1.2 and
// later); see [Wave.GPRIndexing].
func (m Mode) GPRIdxEn() bool { return m&ModeGPRIdxEn != 0 }

// Unmodelled returns the bits of m that make hardware of a generation trap, clamp or skip
// instructions, which is not modelled.
func (m Mode) Unmodelled(g gcn.Gen) Mode {
	bits := ModeDebug | ModeExcpEn | ModeVSkip
	if g >= gcn.GCN14 {
		bits |= ModeFP16Ovfl
	}
	return m & bits
}

// CSP is the conditional branch stack pointer (bits 31:29).
func (m Mode) CSP() uint32 { return uint32(m >> 29) }

// Status is the STATUS register. Bit positions: rule ST4.
type Status uint32

// Single-bit fields of STATUS.
const (
	StatusSCC          Status = 1 << 0
	StatusPriv         Status = 1 << 5
	StatusTrapEn       Status = 1 << 6
	StatusTTraceEn     Status = 1 << 7
	StatusExportRdy    Status = 1 << 8
	StatusExecZ        Status = 1 << 9
	StatusVCCZ         Status = 1 << 10
	StatusInTG         Status = 1 << 11
	StatusInBarrier    Status = 1 << 12
	StatusHalt         Status = 1 << 13
	StatusTrap         Status = 1 << 14
	StatusTTraceCUEn   Status = 1 << 15
	StatusValid        Status = 1 << 16
	StatusECCErr       Status = 1 << 17
	StatusSkipExport   Status = 1 << 18
	StatusPerfEn       Status = 1 << 19
	StatusCondDbgUser  Status = 1 << 20
	StatusCondDbgSys   Status = 1 << 21
	StatusAllowReplay  Status = 1 << 22
	StatusInstAtc      Status = 1 << 23
	StatusMustExport   Status = 1 << 27
	statusDerived             = StatusSCC | StatusExecZ | StatusVCCZ | StatusInBarrier
	statusSPIPrioShift        = 1
	statusWavePrio            = 3
)

// SPIPrio is the priority SPI gave the wave (bits 2:1).
func (s Status) SPIPrio() uint32 { return uint32(s >> statusSPIPrioShift & 3) }

// WavePrio is the priority s_setprio set (bits 4:3).
func (s Status) WavePrio() uint32 { return uint32(s >> statusWavePrio & 3) }

// CacheCtrl is DISPATCH_CACHE_CTRL (bits 26:24).
func (s Status) CacheCtrl() uint32 { return uint32(s >> 24 & 7) }

// Status returns STATUS with the bits that follow from other state filled in.
func (w *Wave) Status() Status {
	s := w.status &^ statusDerived
	if w.SCC != 0 {
		s |= StatusSCC
	}
	if w.ExecZ() {
		s |= StatusExecZ
	}
	if w.VCCZ() {
		s |= StatusVCCZ
	}
	if w.AtBarrier {
		s |= StatusInBarrier
	}
	return s
}

// SetStatus sets the bits of STATUS that are not derived from other state.
func (w *Wave) SetStatus(s Status) { w.status = s &^ statusDerived }

// SetWavePrio sets the wave priority, 0 to 3, as s_setprio does.
func (w *Wave) SetWavePrio(p uint32) {
	w.status = w.status&^(3<<statusWavePrio) | Status(p&3)<<statusWavePrio
}

// TrapSts is the TRAPSTS register (rule ST7).
type TrapSts uint32

// Bits of TRAPSTS.
const (
	TrapExcp        TrapSts = 0x7f // exceptions of arithmetic
	TrapAddrWatch   TrapSts = 1 << 7
	TrapMemViol     TrapSts = 1 << 8
	TrapSaveCtx     TrapSts = 1 << 10
	TrapIllegalInst TrapSts = 1 << 11
	TrapXnackError  TrapSts = 1 << 28
)
