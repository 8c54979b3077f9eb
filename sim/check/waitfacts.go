package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// path is the way that an instruction which counts takes to what it reaches.
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

// order is a class of instructions that leave a counter in the order in which they entered
// it.
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

// orders are the classes of each path (rule W8). Those of FLAT depend on its lanes, see
// [step.outstanding].
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

// The first export targets of each kind; those before are colours, depth and null. Source:
// AMD GCN ISA manuals, EXP.
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

// results are the counters that prove what an instruction of each path leaves in
// registers and in memory (rule W2).
var results = [numPaths]counterSet{
	pathVMEM: 1 << vmcnt, pathFLAT: 1<<vmcnt | 1<<lgkmcnt, pathLDS: 1 << lgkmcnt, pathGDS: 1 << lgkmcnt,
	pathScalar: 1 << lgkmcnt,
}

// waitFacts is what waits make of an instruction: what follows from itself.
type waitFacts struct {
	path    path
	counts  [numCounters]uint8
	order   [numCounters]order
	results regset // registers that it writes some time after it issued
	sampler bool   // a VMEM instruction with a sampler

	// Registers that it reads some time after it issued, what frees them, and how bad it is
	// to write them before (rule W5).
	sources  regset
	late     bool // there are some
	releases counterSet
	hasty    Severity

	waits   bool // it is S_WAITCNT
	until   [numCounters]int
	vccz    bool // it reads VCCZ
	barrier bool

	graphicsDone bool      // it says that a geometry shader is done
	transfer     gcn.MemOp // between memory and LDS, see [registers.Transfer]
}

// maxima returns the largest values of the counters. That of LGKMCNT is the largest one that
// S_WAITCNT can name (rules W1 and K7).
func maxima(t *isa.Traits) [numCounters]int {
	return [numCounters]int{vmcnt: int(t.MaxVM), expcnt: int(t.MaxEXP), lgkmcnt: 15}
}

// waitFacts fills in what waits make of s.
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

// wideLGKM reports whether an S_WAITCNT has the bit that books read as the fifth one of
// LGKMCNT (rule K7).
func wideLGKM(in *isa.Inst) bool {
	return in.Row().Control == isa.Waits && isa.TraitsOf(in.Target).WideLGKM && in.Get(isa.SIMM16)>>12&1 != 0
}

// lateReads finds the registers that s reads after it has issued (rule W5).
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
		w.releases, w.hasty = 1<<lgkmcnt, Note // no source says
		isSource = func(f *isa.Effect) bool { return f.Field == isa.SDST && f.Named }
	}
	for r, f := range eachRegister(s.effects) {
		if !f.Write && isSource(f) {
			w.late = true
			w.sources.add(r.Canonical(s.sgprs))
		}
	}
}

// isVectorData reports whether f is about the data of a vector memory instruction.
func isVectorData(f *isa.Effect) bool {
	return f.File == isa.VReg && f.Field != isa.ADDR
}
