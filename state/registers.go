package state

import "github.com/gcnsim/gcnsim/gcn"

// Mode is the MODE register. Bit positions: rule ST5.
type Mode uint32

// DefaultMode keeps f64 and f16 denormals, flushes f32 denormals and rounds to nearest even. Compilers request these
// settings (FLOAT_MODE 0xc0).
const DefaultMode Mode = 0xc0

// Bits of MODE (rules ST5 and ST14).
const (
	ModeRound32    Mode = 3 << 0 // FP_ROUND of single precision: 0 to nearest even, 1 up, 2 down, 3 to zero
	ModeRound64    Mode = 3 << 2 // FP_ROUND of double and half precision
	ModeDenorm32   Mode = 3 << 4 // FP_DENORM of single precision: bit 0 keeps denormal operands, bit 1 results
	ModeDenorm64   Mode = 3 << 6 // FP_DENORM of double and half precision
	ModeDX10Clamp  Mode = 1 << 8 // CLAMP turns NaN into 0
	ModeIEEE       Mode = 1 << 9
	ModeLODClamped Mode = 1 << 10    // sticky: a level of detail was clamped
	ModeDebug      Mode = 1 << 11    // the wave traps after each instruction
	ModeExcpEn     Mode = 0x7f << 12 // mask of enabled exceptions
	ModeFP16Ovfl   Mode = 1 << 23    // exists from GCN 1.4 on
	ModeGPRIdxEn   Mode = 1 << 27    // exists from GCN 1.2 on; see [isa.Traits] GPRIndexing
	ModeVSkip      Mode = 1 << 28
	ModeCSP        Mode = 7 << 29 // stack pointer of conditional branches
)

// Status is the STATUS register. Bit positions: rule ST4.
type Status uint32

// Bits of STATUS that the simulator reads or sets.
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

// Status returns STATUS including the bits that are derived from other state.
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

// Bits of TRAPSTS that the simulator sets. The first seven are arithmetic exceptions (rule ST20).
const (
	TrapInvalid       TrapSts = 1 << 0
	TrapInputDenormal TrapSts = 1 << 1
	TrapDivByZero     TrapSts = 1 << 2
	TrapOverflow      TrapSts = 1 << 3
	TrapUnderflow     TrapSts = 1 << 4
	TrapInexact       TrapSts = 1 << 5
	TrapIntDivByZero  TrapSts = 1 << 6

	TrapExcp        TrapSts = 0x7f // all arithmetic exceptions
	TrapMemViol     TrapSts = 1 << 8
	TrapIllegalInst TrapSts = 1 << 11
	TrapXnackError  TrapSts = 1 << 28
)
