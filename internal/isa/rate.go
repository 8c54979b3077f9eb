package isa

// Rate says how long an ALU instruction keeps its unit, in a class that chips give clocks
// to. Source: CLRX GcnTimings, tables of instruction timings.
type Rate uint8

// The rates.
const (
	FullRate    Rate = iota // a wave in 4 clocks
	HalfRate                // 8 clocks: s_*_saveexec_b64, s_setreg, v_swap_b32
	QuarterRate             // 16 clocks: transcendentals, steps of a division, quad sums
	// 32-bit integer products, with high half or 64-bit sum: 16 clocks, or as Traits.FastMultiply
	MultiplyRate
	FusedRate          // v_fma_f32: 16 clocks, or as Traits.FastFMA
	DoubleRate         // 64-bit floats, shifts and compares; as the chip's double rate says
	DoubleMultiplyRate // products of 64-bit floats, and operations built from products: half of DoubleRate
	NumRates           = iota
)

// pace returns the rate of the row: the rate in its table if there is one, else DoubleRate for
// vector instructions on 64-bit numbers.
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

// Control says what an instruction does to the progress of its wave, or to caches, beside
// what registers and memory show.
type Control uint8

// The controls.
const (
	NoControl Control = iota
	Ends              // ends the wave
	Barrier
	Waits // s_waitcnt
	Idles // s_nop
	Sleeps
	SetsPriority
	Sends             // s_sendmsg
	InvalidatesL1     // the vector cache
	InvalidatesScalar // the scalar cache
	WritesBackScalar
	InvalidatesCode
	LeavesTrap // s_rfe_b64
	SetsVSKIP  // s_setvskip
	Traces     // s_ttracedata
	ReadsClock // s_memtime, s_memrealtime
	GoesAway   // s_branch, s_setpc_b64: the next instruction is always elsewhere
)
