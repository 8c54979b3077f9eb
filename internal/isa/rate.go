package isa

// Rate is the class of an ALU instruction's duration, whose clocks depend on the chip. Source: CLRX GcnTimings,
// tables of instruction timings.
type Rate uint8

// The rates.
const (
	FullRate    Rate = iota // 4 clocks for a wave
	HalfRate                // 8 clocks: s_*_saveexec_b64, s_setreg, v_swap_b32
	QuarterRate             // 16 clocks: transcendentals, division instructions, quad sums
	// 32-bit integer products, with high half or 64-bit sum: 16 clocks, or less with Traits.FastMultiply
	MultiplyRate
	FusedRate          // v_fma_f32: 16 clocks, or less with Traits.FastFMA
	DoubleRate         // 64-bit floats, shifts and comparisons; the chip's double rate
	DoubleMultiplyRate // products of 64-bit floats, and operations that consist of products: half of DoubleRate
	NumRates           = iota
)

// pace returns the rate of the row: the rate in its table if there is one, else DoubleRate for vector instructions on
// 64-bit numbers.
func (r *Row) pace() Rate {
	if r.Rate != FullRate || r.Enc < VOP1 {
		return r.Rate
	}
	for _, t := range [...]Type{r.Sig.Dst, r.Sig.Src[0], r.Sig.Src[1], r.Sig.Src[2]} {
		switch t {
		case F64, I64, U64, B64:
			return DoubleRate
		}
	}
	return FullRate
}

// Control is the effect of an instruction on the progress of its wave, or on caches, that is not an effect on
// registers or memory.
type Control uint8

// The kinds of control.
const (
	NoControl Control = iota
	Ends              // ends the wave
	Barrier
	Waits // s_waitcnt
	Idles // s_nop
	Sleeps
	SetsPriority
	Sends             // s_sendmsg
	InvalidatesL1     // invalidates the vector cache
	InvalidatesScalar // invalidates the scalar cache
	WritesBackScalar
	InvalidatesCode
	LeavesTrap // s_rfe_b64
	SetsVSKIP  // s_setvskip
	Traces     // s_ttracedata
	ReadsClock // s_memtime, s_memrealtime
	GoesAway   // s_branch, s_setpc_b64: the next instruction never executes next
)
