package timing

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/state"
)

// counter is a hardware counter that the model implements, summed over all instances of a block. counterNames has
// AMD's names; the meanings are AMD's as well: rocprofiler, test/tool/gfx_metrics.xml for gfx8 and gfx9, or ROCm,
// MI200 performance counters.
type counter uint8

// The counters.
const (
	grbmGuiActive counter = iota // clocks
	grbmCount                    // equal, because nothing else runs
	sqWaves
	sqWaveCycles // cycle groups of 4 clocks, summed over resident waves
	sqInstsValu
	sqInstsSalu
	sqInstsSmem
	sqInstsVmemRd
	sqInstsVmemWr // stores and atomics
	sqInstsFlat   // FLAT instructions, which VMEM_RD or VMEM_WR includes
	sqInstsFlatLdsOnly
	sqInstsLds // includes FLAT instructions
	sqInstsGds
	sqInstsBranch
	sqInstsSendmsg // includes s_endpgm
	sqInstsExp
	sqActiveInstValu   // cycle groups in which VALU instructions executed
	sqThreadCyclesValu // the same, multiplied by active lanes
	sqInstCyclesSalu   // cycle groups in which SALU instructions executed
	sqWaitAny          // cycle groups in which waves waited for any reason
	sqWaitInstAny      // cycle groups in which waves could not issue only because of other waves
	sqWaitInstLds      // cycle groups in which waves waited for the LDS queue
	sqLdsBankConflict  // clocks
	sqLdsAddrConflict  // clocks in which lanes of an atomic waited for others on the same dword
	sqLdsIdxActive     // clocks in which the LDS was busy
	taTaBusy           // includes the clocks in which L1 stopped it
	taFlatReadWavefronts
	taFlatWriteWavefronts
	tcpTotalCacheAccesses // number of lines
	tcpTccReadReq
	tcpTccWriteReq
	tcpTccAtomicWithRetReq
	tcpTccAtomicWithoutRetReq
	tcpDataStallCycles // clocks in which L1 stopped TA
	tccReq
	tccHit
	tccMiss
	tccMcRdreq      // requests of 32 bytes; only if Params.HasEA is off
	tccMcWrreq      // requests of 32 bytes
	tccMcWrreqStall // clocks in which a write found the queue to DRAM full
	tccEaRdreq      // requests of 64 bytes; only if Params.HasEA is on
	tccEaRdreq32b
	tccEaWrreq
	tccEaWrreq64b // writes of 64 bytes; the model has no other size
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

// noCounter is the class of instructions that none of the counters above counts. They are executed in the instruction
// buffer, for example s_waitcnt and s_nop.
const noCounter = numCounters

// Metric is one value in the list of a run's counters and metrics.
type Metric struct {
	Name  string
	Value float64
	Raw   bool // a hardware counter, not a derived metric
}

// Metric returns a metric or counter by its name in Metrics. Counters that are not in Metrics are 0. known is false
// if there is no such name.
func (r *Result) Metric(name string) (value float64, known bool) {
	for i := range r.Metrics {
		if r.Metrics[i].Name == name {
			return r.Metrics[i].Value, true
		}
	}
	return 0, slices.Contains(counterNames[:], name)
}

// metrics returns the counters that are not 0, the metrics derived from them, and those of memory.
func (r *Result) metrics() []Metric {
	var all []Metric
	for i, n := range r.counts {
		if n != 0 {
			all = append(all, Metric{counterNames[i], float64(n), true})
		}
	}
	return slices.Concat(all, r.derived(), r.memory())
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// memory returns metrics that explain why DRAM is slower than its peak.
func (r *Result) memory() []Metric {
	lines := float64(r.dram.Reads + r.dram.Writes)
	peak := float64(r.Params.of.DRAMGBs) * 1000 / float64(r.Params.ClockMHz) // bytes per clock
	cycles := float64(r.counts[grbmCount])
	channels := cycles * float64(r.Params.of.DRAMChannels)
	return []Metric{
		// percent of the peak bandwidth
		{"DRAMEfficiency", 100 * ratio(lines*LineBytes, peak*cycles), false},
		// percent of lines that open a DRAM row
		{"DRAMRowMiss", 100 * ratio(float64(r.dram.Rows), lines), false},
		// percent of the channels' time
		{"DRAMRefresh", 100 * ratio(float64(r.dram.Refreshes)*float64(r.Params.clocks(r.Params.of.RefreshTime)), channels),
			false},
		// direction changes of the buses to writes
		{"DRAMTurns", float64(r.dram.Turns), false},
		// clocks that a line waits for its L2 channel
		{"L2ChannelWait", ratio(float64(r.l2Wait), float64(r.counts[tccReq])), false},
	}
}

// derived returns the metrics of rocprofiler. Source: rocprofiler, test/tool/metrics.xml, gfx8_expr, gfx9_expr and
// global. A ratio with denominator 0 is 0.
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

// instances has the largest values of counters that exist once per instance of a block. Instance n of TA is the sum
// of the TAs of CU n in each shader engine, as rocprofiler reads them.
type instances struct{ taBusy, taStall, writeStall uint64 }
