package state

import "github.com/gcnsim/gcnsim/gcn"

// Mode is the MODE register. Bit positions: rule ST5.
type Mode uint32

// DefaultMode flushes no f64 and f16 denormals, flushes f32 ones and rounds to
// nearest even: what compilers ask for (FLOAT_MODE 0xc0).
const DefaultMode Mode = 0xc0

// Fields of MODE (rules ST5 and ST14).
const (
	ModeRound32    Mode = 3 << 0 // FP_ROUND of single precision: 0 to nearest even, 1 up, 2 down, 3 to zero
	ModeRound64    Mode = 3 << 2 // of double and half precision
	ModeDenorm32   Mode = 3 << 4 // FP_DENORM of single precision: bit 0 keeps denormal operands, bit 1 results
	ModeDenorm64   Mode = 3 << 6 // of double and half precision
	ModeDX10Clamp  Mode = 1 << 8 // CLAMP turns NaN into 0
	ModeIEEE       Mode = 1 << 9
	ModeLODClamped Mode = 1 << 10    // sticky: the LOD was clamped
	ModeDebug      Mode = 1 << 11    // the wave traps after each instruction
	ModeExcpEn     Mode = 0x7f << 12 // enabled exceptions
	ModeFP16Ovfl   Mode = 1 << 23    // from GCN 1.4 on
	ModeGPRIdxEn   Mode = 1 << 27    // from GCN 1.2 on; see [isa.Traits] GPRIndexing
	ModeVSkip      Mode = 1 << 28
	ModeCSP        Mode = 7 << 29 // the conditional branch stack pointer
)

// Status is the STATUS register. Bit positions: rule ST4.
type Status uint32

// Fields of STATUS that something here reads or sets.
const (
	StatusSCC         Status = 1 << 0
	StatusWavePrio    Status = 3 << 3 // the priority that S_SETPRIO set
	StatusPriv        Status = 1 << 5
	statusTrapEn      Status = 1 << 6
	statusExecZ       Status = 1 << 9
	statusVCCZ        Status = 1 << 10
	StatusInTG        Status = 1 << 11
	statusInBarrier   Status = 1 << 12
	StatusHalt        Status = 1 << 13
	StatusTrap        Status = 1 << 14
	StatusValid       Status = 1 << 16
	StatusSkipExport  Status = 1 << 18
	StatusCondDbgUser Status = 1 << 20
	StatusCondDbgSys  Status = 1 << 21
	StatusInstAtc     Status = 1 << 23
	statusDerived            = StatusSCC | statusExecZ | statusVCCZ | statusInBarrier
)

// Status returns STATUS with the bits that follow from other state filled in.
func (w *Wave) Status() Status {
	s := w.status &^ statusDerived
	if w.SCC != 0 {
		s |= StatusSCC
	}
	if w.Exec() == 0 {
		s |= statusExecZ
	}
	if w.Scalar64(gcn.VCC) == 0 {
		s |= statusVCCZ
	}
	if w.AtBarrier {
		s |= statusInBarrier
	}
	return s
}

// SetStatus sets the bits of STATUS that are not derived from other state.
func (w *Wave) SetStatus(s Status) { w.status = s &^ statusDerived }

// Privileged reports whether w executes a trap handler (rule ST21).
func (w *Wave) Privileged() bool { return w.status&StatusPriv != 0 }

// TrapSts is the TRAPSTS register (rule ST7).
type TrapSts uint32

// Bits of TRAPSTS that something here sets. The first seven are the exceptions of arithmetic (rule ST20).
const (
	TrapInvalid       TrapSts = 1 << 0
	TrapInputDenormal TrapSts = 1 << 1
	TrapDivByZero     TrapSts = 1 << 2
	TrapOverflow      TrapSts = 1 << 3
	TrapUnderflow     TrapSts = 1 << 4
	TrapInexact       TrapSts = 1 << 5
	TrapIntDivByZero  TrapSts = 1 << 6

	TrapExcp        TrapSts = 0x7f // exceptions of arithmetic
	TrapMemViol     TrapSts = 1 << 8
	TrapIllegalInst TrapSts = 1 << 11
	TrapXnackError  TrapSts = 1 << 28
)
