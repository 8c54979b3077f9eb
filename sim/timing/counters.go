package timing

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/state"
)

// Counter names a hardware counter that the model keeps; sums are over all instances of a
// block. Names and meanings are AMD's: rocprofiler, test/tool/gfx_metrics.xml for gfx8 and
// gfx9; ROCm, MI200 performance counters, for those that are not there.
type Counter uint8

// The counters.
//
//nolint:revive // the names are AMD's
const (
	GRBM_GUI_ACTIVE Counter = iota // clocks
	GRBM_COUNT                     // the same: nothing else runs
	SQ_WAVES
	SQ_WAVE_CYCLES // turns of 4 clocks that waves were resident
	SQ_INSTS_VALU
	SQ_INSTS_SALU
	SQ_INSTS_SMEM
	SQ_INSTS_VMEM_RD
	SQ_INSTS_VMEM_WR // stores and atomics
	SQ_INSTS_FLAT    // FLAT ones, also in VMEM_RD or VMEM_WR
	SQ_INSTS_FLAT_LDS_ONLY
	SQ_INSTS_LDS // with FLAT
	SQ_INSTS_GDS
	SQ_INSTS_BRANCH
	SQ_INSTS_SENDMSG // with s_endpgm
	SQ_INSTS_EXP
	SQ_ACTIVE_INST_VALU   // turns that VALU instructions took
	SQ_THREAD_CYCLES_VALU // the same times active lanes
	SQ_INST_CYCLES_SALU   // turns that SALU instructions took
	SQ_WAIT_ANY           // turns that waves waited, whatever for
	SQ_WAIT_INST_ANY      // turns that they waited for an instruction to issue that nothing else kept
	SQ_WAIT_INST_LDS      // turns that they waited for the LDS queue
	SQ_LDS_BANK_CONFLICT  // clocks
	SQ_LDS_ADDR_CONFLICT  // clocks that lanes of an atomic on one dword took
	SQ_LDS_IDX_ACTIVE     // clocks that the LDS worked
	TA_TA_BUSY            // with the clocks that L1 stopped it
	TA_FLAT_READ_WAVEFRONTS
	TA_FLAT_WRITE_WAVEFRONTS
	TCP_TOTAL_CACHE_ACCESSES // lines
	TCP_TCC_READ_REQ
	TCP_TCC_WRITE_REQ
	TCP_TCC_ATOMIC_WITH_RET_REQ
	TCP_TCC_ATOMIC_WITHOUT_RET_REQ
	TCP_TCP_TA_DATA_STALL_CYCLES // clocks that L1 stopped TA
	TCC_REQ
	TCC_HIT
	TCC_MISS
	TCC_MC_RDREQ       // of 32 bytes; only if Params.HasEA is off
	TCC_MC_WRREQ       // of 32 bytes
	TCC_MC_WRREQ_STALL // clocks that a write found the queue to DRAM full
	TCC_EA_RDREQ       // of 64 bytes; only if Params.HasEA is on
	TCC_EA_RDREQ_32B
	TCC_EA_WRREQ
	TCC_EA_WRREQ_64B // all of them
	TCC_EA_WRREQ_STALL
	SQC_ICACHE_HITS
	SQC_ICACHE_MISSES
	SQC_DCACHE_HITS
	SQC_DCACHE_MISSES
	numCounters = iota
)

var counterNames = [numCounters]string{
	GRBM_GUI_ACTIVE: "GRBM_GUI_ACTIVE", GRBM_COUNT: "GRBM_COUNT", SQ_WAVES: "SQ_WAVES",
	SQ_WAVE_CYCLES: "SQ_WAVE_CYCLES", SQ_INSTS_VALU: "SQ_INSTS_VALU",
	SQ_INSTS_SALU: "SQ_INSTS_SALU", SQ_INSTS_SMEM: "SQ_INSTS_SMEM", SQ_INSTS_VMEM_RD: "SQ_INSTS_VMEM_RD",
	SQ_INSTS_VMEM_WR: "SQ_INSTS_VMEM_WR",
	SQ_INSTS_FLAT:    "SQ_INSTS_FLAT", SQ_INSTS_FLAT_LDS_ONLY: "SQ_INSTS_FLAT_LDS_ONLY", SQ_INSTS_LDS: "SQ_INSTS_LDS",
	SQ_INSTS_GDS:    "SQ_INSTS_GDS",
	SQ_INSTS_BRANCH: "SQ_INSTS_BRANCH", SQ_INSTS_SENDMSG: "SQ_INSTS_SENDMSG", SQ_INSTS_EXP: "SQ_INSTS_EXP",
	SQ_ACTIVE_INST_VALU:   "SQ_ACTIVE_INST_VALU",
	SQ_THREAD_CYCLES_VALU: "SQ_THREAD_CYCLES_VALU", SQ_INST_CYCLES_SALU: "SQ_INST_CYCLES_SALU", SQ_WAIT_ANY: "SQ_WAIT_ANY",
	SQ_WAIT_INST_ANY: "SQ_WAIT_INST_ANY", SQ_WAIT_INST_LDS: "SQ_WAIT_INST_LDS",
	SQ_LDS_BANK_CONFLICT: "SQ_LDS_BANK_CONFLICT",
	SQ_LDS_ADDR_CONFLICT: "SQ_LDS_ADDR_CONFLICT", SQ_LDS_IDX_ACTIVE: "SQ_LDS_IDX_ACTIVE", TA_TA_BUSY: "TA_TA_BUSY",
	TA_FLAT_READ_WAVEFRONTS: "TA_FLAT_READ_WAVEFRONTS", TA_FLAT_WRITE_WAVEFRONTS: "TA_FLAT_WRITE_WAVEFRONTS",
	TCP_TOTAL_CACHE_ACCESSES: "TCP_TOTAL_CACHE_ACCESSES", TCP_TCC_READ_REQ: "TCP_TCC_READ_REQ",
	TCP_TCC_WRITE_REQ:              "TCP_TCC_WRITE_REQ",
	TCP_TCC_ATOMIC_WITH_RET_REQ:    "TCP_TCC_ATOMIC_WITH_RET_REQ",
	TCP_TCC_ATOMIC_WITHOUT_RET_REQ: "TCP_TCC_ATOMIC_WITHOUT_RET_REQ",
	TCP_TCP_TA_DATA_STALL_CYCLES:   "TCP_TCP_TA_DATA_STALL_CYCLES", TCC_REQ: "TCC_REQ", TCC_HIT: "TCC_HIT",
	TCC_MISS:     "TCC_MISS",
	TCC_MC_RDREQ: "TCC_MC_RDREQ", TCC_MC_WRREQ: "TCC_MC_WRREQ", TCC_MC_WRREQ_STALL: "TCC_MC_WRREQ_STALL",
	TCC_EA_RDREQ:     "TCC_EA_RDREQ",
	TCC_EA_RDREQ_32B: "TCC_EA_RDREQ_32B", TCC_EA_WRREQ: "TCC_EA_WRREQ", TCC_EA_WRREQ_64B: "TCC_EA_WRREQ_64B",
	TCC_EA_WRREQ_STALL: "TCC_EA_WRREQ_STALL",
	SQC_ICACHE_HITS:    "SQC_ICACHE_HITS", SQC_ICACHE_MISSES: "SQC_ICACHE_MISSES", SQC_DCACHE_HITS: "SQC_DCACHE_HITS",
	SQC_DCACHE_MISSES: "SQC_DCACHE_MISSES",
}

var _ = enum.Full[Counter](counterNames[:])

// noCounter is the class of instructions that none of the counters above counts: those
// that are handled where instructions wait, such as s_waitcnt and s_nop.
const noCounter = numCounters

// Metric is one line of the counters of a run.
type Metric struct {
	Name  string
	Value float64
	Raw   bool // a counter, not derived from some
}

// metrics returns the counters that are not 0, what is derived from them, and what memory did.
func (r *Result) metrics() []Metric {
	var all []Metric
	for i, n := range r.Counters {
		if n != 0 {
			all = append(all, Metric{counterNames[i], float64(n), true})
		}
	}
	return slices.Concat(all, r.derived(), r.memory())
}

// ratio returns a/b, 0 if there is nothing to divide by.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// memory are metrics that say why DRAM is slower than its peak.
func (r *Result) memory() []Metric {
	lines := float64(r.dram.Reads + r.dram.Writes)
	peak := float64(r.Params.DRAMGBs) * 1000 / float64(r.Params.ClockMHz) // bytes a clock
	channels := float64(r.Cycles) * float64(r.Params.DRAMChannels)
	return []Metric{
		// percent of the peak
		{"DRAMEfficiency", 100 * ratio(lines*LineBytes, peak*float64(r.Cycles)), false},
		// percent of the lines that open a row
		{"DRAMRowMiss", 100 * ratio(float64(r.dram.Rows), lines), false},
		// percent of the time of channels
		{"DRAMRefresh", 100 * ratio(float64(r.dram.Refreshes)*float64(r.Params.clocks(r.Params.RefreshTime)), channels),
			false},
		// of buses to writes
		{"DRAMTurns", float64(r.dram.Turns), false},
		// clocks that a line waits for its channel
		{"L2ChannelWait", ratio(float64(r.l2Wait), float64(r.Counters[TCC_REQ])), false},
	}
}

// derived are the metrics of rocprofiler. Source: rocprofiler, test/tool/metrics.xml,
// gfx8_expr, gfx9_expr and global; a ratio with nothing to divide by is 0.
func (r *Result) derived() []Metric {
	f := func(i Counter) float64 { return float64(r.Counters[i]) }
	engines, _ := r.Params.engines()
	cus, simds, se := float64(r.Params.CUs), float64(r.Params.CUs*r.Params.SIMDs), float64(engines)
	active, waves := f(GRBM_GUI_ACTIVE), f(SQ_WAVES)
	fetched, written := f(TCC_MC_RDREQ)*32, f(TCC_MC_WRREQ)
	if r.Params.HasEA {
		fetched = f(TCC_EA_RDREQ_32B)*32 + (f(TCC_EA_RDREQ)-f(TCC_EA_RDREQ_32B))*64
		written = f(TCC_EA_WRREQ_64B)*2 + f(TCC_EA_WRREQ) - f(TCC_EA_WRREQ_64B)
	}
	return []Metric{
		{"GPUBusy", 100 * ratio(active, f(GRBM_COUNT)), false},
		{"Wavefronts", waves, false},
		{"VALUInsts", ratio(f(SQ_INSTS_VALU), waves), false},
		{"SALUInsts", ratio(f(SQ_INSTS_SALU), waves), false},
		{"VFetchInsts", ratio(f(SQ_INSTS_VMEM_RD)-f(TA_FLAT_READ_WAVEFRONTS), waves), false},
		{"SFetchInsts", ratio(f(SQ_INSTS_SMEM), waves), false},
		{"VWriteInsts", ratio(f(SQ_INSTS_VMEM_WR)-f(TA_FLAT_WRITE_WAVEFRONTS), waves), false},
		{"FlatVMemInsts", ratio(f(SQ_INSTS_FLAT)-f(SQ_INSTS_FLAT_LDS_ONLY), waves), false},
		{"LDSInsts", ratio(f(SQ_INSTS_LDS)-f(SQ_INSTS_FLAT_LDS_ONLY), waves), false},
		{"FlatLDSInsts", ratio(f(SQ_INSTS_FLAT_LDS_ONLY), waves), false},
		{"GDSInsts", ratio(f(SQ_INSTS_GDS), waves), false},
		{"VALUUtilization", 100 * ratio(f(SQ_THREAD_CYCLES_VALU), f(SQ_ACTIVE_INST_VALU)*state.NumLanes), false},
		{"VALUBusy", 100 * ratio(f(SQ_ACTIVE_INST_VALU)*4, simds*active), false},
		{"SALUBusy", 100 * ratio(f(SQ_INST_CYCLES_SALU)*4, simds*active), false},
		{"MemUnitBusy", 100 * ratio(float64(r.most.taBusy), active*se), false},
		{"MemUnitStalled", 100 * ratio(float64(r.most.taStall), active*se), false},
		{"WriteUnitStalled", 100 * ratio(float64(r.most.writeStall), active), false},
		{"ALUStalledByLDS", 100 * ratio(f(SQ_WAIT_INST_LDS)*4, waves*active), false},
		{"LDSBankConflict", 100 * ratio(f(SQ_LDS_BANK_CONFLICT), active*cus), false},
		{"L2CacheHit", 100 * ratio(f(TCC_HIT), f(TCC_HIT)+f(TCC_MISS)), false},
		{"FetchSize", fetched / 1024, false},
		{"WriteSize", written * 32 / 1024, false},
		{"MemWrites32B", written, false},
	}
}

// instances are the largest values of counters that have one for each instance of a
// block. Instance n of TA is the TA of CU n of each shader engine, added up, as
// rocprofiler reads them.
type instances struct{ taBusy, taStall, writeStall uint64 }
