package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// path is the hardware path of an instruction that increments a counter, which depends on its memory.
type path uint8

// The paths.
const (
	noPath path = iota
	pathVMEM
	pathFLAT
	pathLDS
	pathGDS
	pathScalar
	pathMessage
	pathColour // export to a colour, depth or null target
	pathPosition
	pathParameter
	numPaths
)

// order is a class of instructions that leave a counter in the order in which they entered it.
type order uint8

// The classes.
const (
	unordered order = iota
	orderVM
	orderLDS
	orderGDS
	orderMessage
	orderColour
	orderPosition
	orderParameter
	orderGDSSources
	orderStoreData
	numOrders
)

// orders are the classes for each path (rule W8). For FLAT they depend on its lanes, see [step.outstanding].
var orders = [numPaths][numCounters]order{
	pathVMEM:      {vmcnt: orderVM, expcnt: orderStoreData},
	pathFLAT:      {expcnt: orderStoreData},
	pathLDS:       {lgkmcnt: orderLDS},
	pathGDS:       {lgkmcnt: orderGDS, expcnt: orderGDSSources},
	pathMessage:   {lgkmcnt: orderMessage},
	pathColour:    {expcnt: orderColour},
	pathPosition:  {expcnt: orderPosition},
	pathParameter: {expcnt: orderParameter},
}

// The first export target of each kind; lower ones are colours, depth and null. Source: AMD GCN ISA manuals, EXP.
const (
	firstPosition  = 12
	firstParameter = 32
)

// pathOf returns the path of an instruction.
func pathOf(in *isa.Inst) path {
	switch in.Row().Enc {
	case isa.MUBUF, isa.MTBUF, isa.MIMG, isa.GLOBAL, isa.SCRATCH:
		return pathVMEM
	case isa.FLAT:
		return pathFLAT
	case isa.DS:
		if in.Bool(isa.GDS) {
			return pathGDS
		}
		return pathLDS
	case isa.SMEM:
		return pathScalar
	case isa.EXP:
		switch to := in.Get(isa.TGT); {
		case to >= firstParameter:
			return pathParameter
		case to >= firstPosition:
			return pathPosition
		}
		return pathColour
	case isa.SOPP:
		if in.Row().Imm == isa.MessageImm {
			return pathMessage
		}
	}
	return noPath
}

// results are the counters that prove the results of each path's instructions in registers and in memory (rule W2).
var results = [numPaths]counterSet{
	pathVMEM: 1 << vmcnt, pathFLAT: 1<<vmcnt | 1<<lgkmcnt, pathLDS: 1 << lgkmcnt, pathGDS: 1 << lgkmcnt,
	pathScalar: 1 << lgkmcnt,
}

// waitFacts has the properties of an instruction that waits depend on.
type waitFacts struct {
	path    path
	counts  [numCounters]uint8
	order   [numCounters]order
	results regset // registers that it writes some time after issue
	sampler bool   // a VMEM instruction with a sampler

	// Registers that it reads some time after issue, the counters that free them, and the severity of writing them
	// earlier (rule W5).
	sources  regset
	late     bool // sources is not empty
	releases counterSet
	hasty    Severity

	waits   bool // it is S_WAITCNT
	until   [numCounters]int
	vccz    bool // it reads VCCZ
	barrier bool

	graphicsDone bool      // it says that a geometry shader is done
	transfer     gcn.MemOp // a transfer between memory and LDS, see [registers.Transfer]
}

// maxima returns the greatest values of the counters. For LGKMCNT it is the greatest value in S_WAITCNT (rules W1 and
// K7).
func maxima(t *isa.Traits) [numCounters]int {
	return [numCounters]int{vmcnt: int(t.MaxVM), expcnt: int(t.MaxEXP), lgkmcnt: 15}
}

// waitFacts computes the properties of s that waits depend on.
func (c *Checker) waitFacts(s *site) {
	in, w := &s.inst, &s.wait
	n := in.Counts()
	w.path = pathOf(in)
	w.counts = [numCounters]uint8{vmcnt: n.VM, expcnt: n.EXP, lgkmcnt: n.LGKM}
	w.order = orders[w.path]
	w.sampler = in.Row().Has(isa.Sampler)
	w.transfer = registers.Transfer(in)
	w.graphicsDone = w.path == pathMessage && in.Get(isa.SIMM16)&15 == messageGSDone
	w.barrier = in.Row().Control == isa.Barrier
	if w.path != noPath {
		w.results = s.writes
		clear(w.results[registers.FlagRegs/64:])
	}
	w.lateReads(s)
	for i := range s.effects {
		f := &s.effects[i]
		w.vccz = w.vccz || f.File == isa.FlagReg && f.Code == uint16(isa.FlagVCCZ)
	}
	if in.Row().Control == isa.Waits {
		until, top := in.Waits(), maxima(isa.TraitsOf(in.Target))
		w.waits, w.until = true, [numCounters]int{vmcnt: int(until.VM), expcnt: int(until.EXP), lgkmcnt: int(until.LGKM)}
		if wideLGKM(in) {
			w.until[lgkmcnt] = top[lgkmcnt]
		}
		for k := range w.until {
			if w.until[k] >= top[k] {
				w.until[k] = noWait
			}
		}
	}
}

// noWait is more than any counter holds.
const noWait = 1 << 16

// wideLGKM reports whether an S_WAITCNT has the bit set that some books describe as the fifth bit of LGKMCNT (rule
// K7).
func wideLGKM(in *isa.Inst) bool {
	return in.Row().Control == isa.Waits && isa.TraitsOf(in.Target).WideLGKM && in.Get(isa.SIMM16)>>12&1 != 0
}

// lateReads finds the registers that s reads some time after issue (rule W5).
func (w *waitFacts) lateReads(s *site) {
	isSource := func(*isa.Effect) bool { return false }
	w.hasty = Error
	switch {
	case w.path == pathColour, w.path == pathPosition, w.path == pathParameter, w.path == pathGDS:
		w.releases = 1 << expcnt
		isSource = func(f *isa.Effect) bool { return f.File == isa.VReg || f.Role == isa.RoleExec }
	case w.counts[expcnt] > 0: // stores and atomics of GCN 1.0
		w.releases = 1<<expcnt | 1<<vmcnt
		isSource = isVectorData
	case w.path == pathScalar && s.inst.Row().Mem.Op != gcn.Load:
		w.releases, w.hasty = 1<<lgkmcnt, Note // no source says whether this is a hazard
		isSource = func(f *isa.Effect) bool { return f.Field == isa.SDST && f.Named }
	}
	for r, f := range eachRegister(s.effects) {
		if !f.Write && isSource(f) {
			w.late = true
			w.sources.add(r.Canonical(s.sgprs))
		}
	}
}

// isVectorData reports whether f is the data of a vector memory instruction.
func isVectorData(f *isa.Effect) bool {
	return f.File == isa.VReg && f.Field != isa.ADDR
}
