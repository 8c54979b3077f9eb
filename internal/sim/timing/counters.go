package timing

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/state"
)

// counter is a hardware counter that the model keeps; sums are over all instances of a
// block. counterNames has AMD's names, and meanings are AMD's, too: rocprofiler, test/tool/gfx_metrics.xml for gfx8 and
// gfx9; ROCm, MI200 performance counters, for those that are not there.
type counter uint8

// The counters.
const (
	grbmGuiActive counter = iota // clocks
	grbmCount                    // the same: nothing else runs
	sqWaves
	sqWaveCycles // cycle groups of 4 clocks that waves were resident
	sqInstsValu
	sqInstsSalu
	sqInstsSmem
	sqInstsVmemRd
	sqInstsVmemWr // stores and atomics
	sqInstsFlat   // FLAT ones, also in VMEM_RD or VMEM_WR
	sqInstsFlatLdsOnly
	sqInstsLds // with FLAT
	sqInstsGds
	sqInstsBranch
	sqInstsSendmsg // with s_endpgm
	sqInstsExp
	sqActiveInstValu   // cycle groups that VALU instructions took
	sqThreadCyclesValu // the same times active lanes
	sqInstCyclesSalu   // cycle groups that SALU instructions took
	sqWaitAny          // cycle groups that waves waited, whatever for
	sqWaitInstAny      // cycle groups that they waited for an instruction to issue that nothing else kept
	sqWaitInstLds      // cycle groups that they waited for the LDS queue
	sqLdsBankConflict  // clocks
	sqLdsAddrConflict  // clocks that lanes of an atomic on one dword took
	sqLdsIdxActive     // clocks that the LDS worked
	taTaBusy           // with the clocks that L1 stopped it
	taFlatReadWavefronts
	taFlatWriteWavefronts
	tcpTotalCacheAccesses // lines
	tcpTccReadReq
	tcpTccWriteReq
	tcpTccAtomicWithRetReq
	tcpTccAtomicWithoutRetReq
	tcpDataStallCycles // clocks that L1 stopped TA
	tccReq
	tccHit
	tccMiss
	tccMcRdreq      // of 32 bytes; only if Params.HasEA is off
	tccMcWrreq      // of 32 bytes
	tccMcWrreqStall // clocks that a write found the queue to DRAM full
	tccEaRdreq      // of 64 bytes; only if Params.HasEA is on
	tccEaRdreq32b
	tccEaWrreq
	tccEaWrreq64b // writes of 64 bytes: the model has no others
	tccEaWrreqStall
	sqcIcacheHits
	sqcIcacheMisses
	sqcDcacheHits
	sqcDcacheMisses
	numCounters = iota
)

var counterNames = [numCounters]string{
	grbmGuiActive: "GRBM_GUI_ACTIVE", grbmCount: "GRBM_COUNT", sqWaves: "SQ_WAVES",
	sqWaveCycles: "SQ_WAVE_CYCLES", sqInstsValu: "SQ_INSTS_VALU",
	sqInstsSalu: "SQ_INSTS_SALU", sqInstsSmem: "SQ_INSTS_SMEM", sqInstsVmemRd: "SQ_INSTS_VMEM_RD",
	sqInstsVmemWr: "SQ_INSTS_VMEM_WR",
	sqInstsFlat:   "SQ_INSTS_FLAT", sqInstsFlatLdsOnly: "SQ_INSTS_FLAT_LDS_ONLY", sqInstsLds: "SQ_INSTS_LDS",
	sqInstsGds:    "SQ_INSTS_GDS",
	sqInstsBranch: "SQ_INSTS_BRANCH", sqInstsSendmsg: "SQ_INSTS_SENDMSG", sqInstsExp: "SQ_INSTS_EXP",
	sqActiveInstValu:   "SQ_ACTIVE_INST_VALU",
	sqThreadCyclesValu: "SQ_THREAD_CYCLES_VALU", sqInstCyclesSalu: "SQ_INST_CYCLES_SALU", sqWaitAny: "SQ_WAIT_ANY",
	sqWaitInstAny: "SQ_WAIT_INST_ANY", sqWaitInstLds: "SQ_WAIT_INST_LDS",
	sqLdsBankConflict: "SQ_LDS_BANK_CONFLICT",
	sqLdsAddrConflict: "SQ_LDS_ADDR_CONFLICT", sqLdsIdxActive: "SQ_LDS_IDX_ACTIVE", taTaBusy: "TA_TA_BUSY",
	taFlatReadWavefronts: "TA_FLAT_READ_WAVEFRONTS", taFlatWriteWavefronts: "TA_FLAT_WRITE_WAVEFRONTS",
	tcpTotalCacheAccesses: "TCP_TOTAL_CACHE_ACCESSES", tcpTccReadReq: "TCP_TCC_READ_REQ",
	tcpTccWriteReq:            "TCP_TCC_WRITE_REQ",
	tcpTccAtomicWithRetReq:    "TCP_TCC_ATOMIC_WITH_RET_REQ",
	tcpTccAtomicWithoutRetReq: "TCP_TCC_ATOMIC_WITHOUT_RET_REQ",
	tcpDataStallCycles:        "TCP_TCP_TA_DATA_STALL_CYCLES", tccReq: "TCC_REQ", tccHit: "TCC_HIT",
	tccMiss:    "TCC_MISS",
	tccMcRdreq: "TCC_MC_RDREQ", tccMcWrreq: "TCC_MC_WRREQ", tccMcWrreqStall: "TCC_MC_WRREQ_STALL",
	tccEaRdreq:    "TCC_EA_RDREQ",
	tccEaRdreq32b: "TCC_EA_RDREQ_32B", tccEaWrreq: "TCC_EA_WRREQ", tccEaWrreq64b: "TCC_EA_WRREQ_64B",
	tccEaWrreqStall: "TCC_EA_WRREQ_STALL",
	sqcIcacheHits:   "SQC_ICACHE_HITS", sqcIcacheMisses: "SQC_ICACHE_MISSES", sqcDcacheHits: "SQC_DCACHE_HITS",
	sqcDcacheMisses: "SQC_DCACHE_MISSES",
}

var _ = enum.Full[counter](counterNames[:])

// noCounter is the class of instructions that none of the counters above counts: those
// that are handled where instructions wait, such as s_waitcnt and s_nop.
const noCounter = numCounters

// Metric is one line of the counters of a run.
type Metric struct {
	Name  string
	Value float64
	Raw   bool // a counter, not derived from some
}

// Metric returns a metric or a counter by its name, as in Metrics, and whether there is one; counters that are not in
// Metrics are 0.
func (r *Result) Metric(name string) (value float64, known bool) {
	for i := range r.Metrics {
		if r.Metrics[i].Name == name {
			return r.Metrics[i].Value, true
		}
	}
	return 0, slices.Contains(counterNames[:], name)
}

// metrics returns the counters that are not 0, what is derived from them, and what memory did.
func (r *Result) metrics() []Metric {
	var all []Metric
	for i, n := range r.counts {
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
	peak := float64(r.Params.of.DRAMGBs) * 1000 / float64(r.Params.ClockMHz) // bytes a clock
	cycles := float64(r.counts[grbmCount])
	channels := cycles * float64(r.Params.of.DRAMChannels)
	return []Metric{
		// percent of the peak
		{"DRAMEfficiency", 100 * ratio(lines*LineBytes, peak*cycles), false},
		// percent of the lines that open a row
		{"DRAMRowMiss", 100 * ratio(float64(r.dram.Rows), lines), false},
		// percent of the time of channels
		{"DRAMRefresh", 100 * ratio(float64(r.dram.Refreshes)*float64(r.Params.clocks(r.Params.of.RefreshTime)), channels),
			false},
		// of buses to writes
		{"DRAMTurns", float64(r.dram.Turns), false},
		// clocks that a line waits for its channel
		{"L2ChannelWait", ratio(float64(r.l2Wait), float64(r.counts[tccReq])), false},
	}
}

// derived are the metrics of rocprofiler. Source: rocprofiler, test/tool/metrics.xml,
// gfx8_expr, gfx9_expr and global; a ratio with nothing to divide by is 0.
func (r *Result) derived() []Metric {
	f := func(i counter) float64 { return float64(r.counts[i]) }
	engines, _ := r.Params.engines()
	cus, simds, se := float64(r.Params.CUs), float64(r.Params.CUs*r.Params.of.SIMDs), float64(engines)
	active, waves := f(grbmGuiActive), f(sqWaves)
	fetched, written := f(tccMcRdreq)*32, f(tccMcWrreq)
	if r.Params.of.HasEA {
		fetched = f(tccEaRdreq32b)*32 + (f(tccEaRdreq)-f(tccEaRdreq32b))*64
		written = f(tccEaWrreq64b)*2 + f(tccEaWrreq) - f(tccEaWrreq64b)
	}
	return []Metric{
		{"GPUBusy", 100 * ratio(active, f(grbmCount)), false},
		{"Wavefronts", waves, false},
		{"VALUInsts", ratio(f(sqInstsValu), waves), false},
		{"SALUInsts", ratio(f(sqInstsSalu), waves), false},
		{"VFetchInsts", ratio(f(sqInstsVmemRd)-f(taFlatReadWavefronts), waves), false},
		{"SFetchInsts", ratio(f(sqInstsSmem), waves), false},
		{"VWriteInsts", ratio(f(sqInstsVmemWr)-f(taFlatWriteWavefronts), waves), false},
		{"FlatVMemInsts", ratio(f(sqInstsFlat)-f(sqInstsFlatLdsOnly), waves), false},
		{"LDSInsts", ratio(f(sqInstsLds)-f(sqInstsFlatLdsOnly), waves), false},
		{"FlatLDSInsts", ratio(f(sqInstsFlatLdsOnly), waves), false},
		{"GDSInsts", ratio(f(sqInstsGds), waves), false},
		{"VALUUtilization", 100 * ratio(f(sqThreadCyclesValu), f(sqActiveInstValu)*state.NumLanes), false},
		{"VALUBusy", 100 * ratio(f(sqActiveInstValu)*4, simds*active), false},
		{"SALUBusy", 100 * ratio(f(sqInstCyclesSalu)*4, simds*active), false},
		{"MemUnitBusy", 100 * ratio(float64(r.most.taBusy), active*se), false},
		{"MemUnitStalled", 100 * ratio(float64(r.most.taStall), active*se), false},
		{"WriteUnitStalled", 100 * ratio(float64(r.most.writeStall), active), false},
		{"ALUStalledByLDS", 100 * ratio(f(sqWaitInstLds)*4, waves*active), false},
		{"LDSBankConflict", 100 * ratio(f(sqLdsBankConflict), active*cus), false},
		{"L2CacheHit", 100 * ratio(f(tccHit), f(tccHit)+f(tccMiss)), false},
		{"FetchSize", fetched / 1024, false},
		{"WriteSize", written * 32 / 1024, false},
		{"MemWrites32B", written, false},
	}
}

// instances are the largest values of counters that have one for each instance of a
// block. Instance n of TA is the TA of CU n of each shader engine, added up, as
// rocprofiler reads them.
type instances struct{ taBusy, taStall, writeStall uint64 }
