package timing

// Counter names a hardware counter that the model keeps. Names and meanings are AMD's
// (ROCm rocprofiler, gfx8 and gfx9 metrics); sums are over all instances of a block.
type Counter uint8

// The counters.
//
//nolint:revive // the names are AMD's
const (
	GRBM_GUI_ACTIVE Counter = iota // clocks
	SQ_WAVES
	SQ_WAVE_CYCLES // clocks that waves were resident
	SQ_INSTS_VALU
	SQ_INSTS_SALU
	SQ_INSTS_SMEM
	SQ_INSTS_VMEM_RD
	SQ_INSTS_VMEM_WR // stores and atomics
	SQ_INSTS_FLAT    // FLAT ones, also in VMEM_RD or VMEM_WR
	SQ_INSTS_LDS
	SQ_INSTS_GDS
	SQ_INSTS_BRANCH
	SQ_INSTS_EXP
	SQ_ACTIVE_INST_VALU // turns of 4 clocks that VALU instructions took
	SQ_INST_CYCLES_SALU // the same of SALU instructions
	SQ_WAIT_INST_ANY    // clocks that waves waited, whatever for
	SQ_WAIT_INST_LDS    // clocks that waves waited for the LDS queue
	SQ_LDS_BANK_CONFLICT
	SQ_LDS_IDX_ACTIVE // clocks that the LDS worked
	TA_TA_BUSY
	TCP_TOTAL_CACHE_ACCESSES // lines
	TCP_TCC_READ_REQ
	TCP_TCC_WRITE_REQ
	TCP_TCC_ATOMIC_WITH_RET_REQ
	TCP_TCC_ATOMIC_WITHOUT_RET_REQ
	TCP_TCP_TA_DATA_STALL_CYCLES // clocks that an instruction waited because TA was busy
	TCC_REQ
	TCC_HIT
	TCC_MISS
	TCC_EA_RDREQ // lines of 64 bytes
	TCC_EA_WRREQ
	SQC_ICACHE_HITS
	SQC_ICACHE_MISSES
	SQC_DCACHE_HITS
	SQC_DCACHE_MISSES
	numCounters
)

var counterNames = [numCounters]string{
	"GRBM_GUI_ACTIVE", "SQ_WAVES", "SQ_WAVE_CYCLES", "SQ_INSTS_VALU", "SQ_INSTS_SALU", "SQ_INSTS_SMEM",
	"SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR", "SQ_INSTS_FLAT", "SQ_INSTS_LDS", "SQ_INSTS_GDS", "SQ_INSTS_BRANCH", "SQ_INSTS_EXP",
	"SQ_ACTIVE_INST_VALU", "SQ_INST_CYCLES_SALU", "SQ_WAIT_INST_ANY", "SQ_WAIT_INST_LDS", "SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE",
	"TA_TA_BUSY", "TCP_TOTAL_CACHE_ACCESSES", "TCP_TCC_READ_REQ", "TCP_TCC_WRITE_REQ",
	"TCP_TCC_ATOMIC_WITH_RET_REQ", "TCP_TCC_ATOMIC_WITHOUT_RET_REQ", "TCP_TCP_TA_DATA_STALL_CYCLES",
	"TCC_REQ", "TCC_HIT", "TCC_MISS", "TCC_EA_RDREQ", "TCC_EA_WRREQ",
	"SQC_ICACHE_HITS", "SQC_ICACHE_MISSES", "SQC_DCACHE_HITS", "SQC_DCACHE_MISSES",
}

// String returns AMD's name.
func (c Counter) String() string { return counterNames[c] }

// Counters holds the value of each [Counter].
type Counters [numCounters]uint64

// Metric is one line of the counters of a run.
type Metric struct {
	Name  string
	Value float64
}

// Metrics returns the counters that are not 0 under AMD's names, then the metrics that
// rocprofiler derives from them, by its formulas.
func (r *Result) Metrics() []Metric {
	c := &r.Counters
	var all []Metric
	for i, n := range c {
		if n != 0 {
			all = append(all, Metric{Counter(i).String(), float64(n)})
		}
	}
	ratio := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	f := func(i Counter) float64 { return float64(c[i]) }
	cus := float64(r.Params.CUs)
	active, waves := f(GRBM_GUI_ACTIVE), f(SQ_WAVES)
	return append(all,
		Metric{"VALUInsts", ratio(f(SQ_INSTS_VALU), waves)},
		Metric{"SALUInsts", ratio(f(SQ_INSTS_SALU), waves)},
		Metric{"VFetchInsts", ratio(f(SQ_INSTS_VMEM_RD), waves)},
		Metric{"VWriteInsts", ratio(f(SQ_INSTS_VMEM_WR), waves)},
		Metric{"LDSInsts", ratio(f(SQ_INSTS_LDS), waves)},
		Metric{"VALUBusy", 100 * ratio(f(SQ_ACTIVE_INST_VALU)*4, active*cus*float64(r.Params.SIMDs))},
		Metric{"SALUBusy", 100 * ratio(f(SQ_INST_CYCLES_SALU)*4, active*cus*float64(r.Params.SIMDs))},
		Metric{"MemUnitBusy", 100 * ratio(float64(r.busiestTA), active)},
		Metric{"MemUnitStalled", 100 * ratio(float64(r.mostStalledTA), active)},
		Metric{"LDSBankConflict", 100 * ratio(f(SQ_LDS_BANK_CONFLICT), active*cus)},
		Metric{"L2CacheHit", 100 * ratio(f(TCC_HIT), f(TCC_HIT)+f(TCC_MISS))},
		Metric{"FetchSize", f(TCC_EA_RDREQ) * LineBytes / 1024},
		Metric{"WriteSize", f(TCC_EA_WRREQ) * LineBytes / 1024},
	)
}
