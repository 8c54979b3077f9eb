package timing

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Band says how near times of a kind of kernel came to those of boards.
type Band struct {
	// Class is the kind, as docs/TIMING.md has it; "" if no figure of a board is about such a kernel.
	Class string
	// Percent is within how many percent 85 of 100 figures of the class are predicted, 0 if there are none.
	Percent int
}

// String says it in words.
func (b Band) String() string {
	if b.Class == "" {
		return "no figure of a board is about a kernel of this kind"
	}
	return fmt.Sprintf("of figures of boards of its kind (%s) 85 in 100 are predicted within %d %%", b.Class, b.Percent)
}

// Bands are the bands of all classes that a run can be of, compared in 2026-11. Source: docs/TIMING.md, which a test
// compares with them.
var Bands = [...]Band{
	{"vector arithmetic", 11}, {"many streams", 23}, {"reads and writes", 13}, {"reads in order", 7},
	{"caches, LDS, few groups", 28}, {"latency", 17},
}

// Places in Bands.
const (
	ofArithmetic = iota
	ofStreams
	ofMixed
	ofReads
	ofCaches
	ofLatency
)

// Band returns the band of the class that a run is of by what kept it: the vector ALU, memory with many streams, with
// stores or without, the way to caches, or waits of few waves.
func (r *Result) Band() Band {
	const most, some, streams = 60, 40, 16
	of := map[string]float64{}
	for _, m := range r.Metrics {
		of[m.Name] = m.Value
	}
	loads, stores := 0, 0
	for i := range r.Insts {
		switch in := (*isa.Inst)(&r.Insts[i].Inst); {
		case in.Row().Enc < isa.MUBUF || in.Row().Enc > isa.GLOBAL:
		case in.Row().Mem.Op == gcn.Load:
			loads++
		default:
			stores++
		}
	}
	switch waves := r.counts[sqWaves]; {
	case of["VALUBusy"] >= most:
		return Bands[ofArithmetic]
	case of["DRAMEfficiency"] >= some && loads+stores >= streams && loads > 0 && stores > 1:
		return Bands[ofStreams]
	case of["DRAMEfficiency"] >= some && stores > 0 && of["WriteSize"] > of["FetchSize"]/8:
		return Bands[ofMixed]
	case of["DRAMEfficiency"] >= some:
		return Bands[ofReads]
	case of["MemUnitBusy"] >= some || of["LDSBankConflict"] > 0 && of["MemUnitBusy"]+of["LDSBankConflict"] >= some:
		return Bands[ofCaches]
	case waves <= uint64(r.Params.CUs) && loads > 0:
		return Bands[ofLatency]
	}
	return Band{}
}
