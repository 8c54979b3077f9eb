package timing

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Band is the accuracy of predicted times: how near they are to the times of boards if the same resource limits the
// run.
type Band struct {
	// Class is the resource that limits the run.
	Class string
	// Figures is the number of board measurements in this class.
	Figures int
	// Percent is a deviation that 85 of 100 predictions do not exceed. If the class has fewer than LeastFigures figures,
	// it is that of the class with the widest band.
	Percent int
}

// LeastFigures is the number of figures that a band needs.
const LeastFigures = 5

// String returns the band as a sentence.
func (b Band) String() string {
	if b.Figures < LeastFigures {
		return fmt.Sprintf("no figures of this kind (%s): as the widest band of others, 85 in 100 within %d %%", b.Class,
			b.Percent)
	}
	return fmt.Sprintf("of figures of boards of its kind (%s) 85 in 100 are predicted within %d %%", b.Class, b.Percent)
}

// Bands has the bands of all classes. Source: docs/TIMING.md, which a test compares with them.
var Bands = [...]Band{
	ofIssue: {"vector ALU", 44, 11}, ofCode: {"code", 2, 25}, ofLaunch: {"launch", 5, 5},
	ofReads: {"memory, reads", 26, 10}, ofMixed: {"memory, reads and writes", 28, 14},
	ofStreams: {"memory, many streams", 16, 25}, ofRows: {"memory, rows", 3, 25},
	ofChannels: {"crowded channels", 1, 25}, ofL2: {"L2", 2, 25}, ofL1: {"L1 and LDS", 2, 25},
	ofLatency: {"latency", 12, 19},
}

// Indexes of Bands.
const (
	ofIssue = iota
	ofCode
	ofLaunch
	ofReads
	ofMixed
	ofStreams
	ofRows
	ofChannels
	ofL2
	ofL1
	ofLatency
)

// Band returns the band of the resource that limits r: the one that is busy most of the time, or for which waves
// wait.
func (r *Result) Band() Band { return Bands[r.kept()] }

func (r *Result) kept() int {
	const most, some, many, streams, crowd = 0.6, 0.4, 0.15, 16, 1000
	metric := func(name string) float64 {
		v, _ := r.Metric(name)
		return v / 100
	}
	cycles := float64(max(r.counts[grbmCount], 1))
	waits := float64(max(r.counts[sqWaveCycles]*cycleGroup, 1))
	memory := metric("DRAMEfficiency")
	of := func(busy uint64, units int) float64 { return float64(busy) / cycles / float64(max(units, 1)) }
	switch {
	case of(r.starting, 1) >= most:
		return ofLaunch
	case float64(r.Stalls[StallFetch]) >= some*waits && r.Stalls[StallFetch] > r.Stalls[StallVALU]:
		return ofCode
	case metric("VALUBusy") >= most:
		return ofIssue
	case memory < some && memory >= many && metric("DRAMRowMiss") >= some:
		return ofRows
	case memory >= some:
		return r.keptByMemory(streams)
	case metric("L2ChannelWait")*100 >= crowd:
		return ofChannels
	case metric("MemUnitBusy") >= some, of(r.counts[sqLdsIdxActive], r.Params.CUs) >= some:
		return ofL1
	case of(r.counts[tccReq], r.Params.of.L2Channels) >= some:
		return ofL2
	case metric("VALUBusy") >= some:
		return ofIssue
	}
	return ofLatency
}

// keptByMemory distinguishes the kinds of runs that the DRAM bus limits.
func (r *Result) keptByMemory(streams int) int {
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
	switch {
	case loads+stores >= streams && loads > 0 && stores > 1:
		return ofStreams
	case stores > 0 && r.dram.Writes > r.dram.Reads/8:
		return ofMixed
	}
	return ofReads
}
