// Package flat executes the FLAT, GLOBAL and SCRATCH instructions. [SpaceOf] returns the memory that a FLAT address
// lies in. Source: rules F1 to F13.
package flat

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// op is a decoded FLAT, GLOBAL or SCRATCH instruction.
type op struct {
	mem     *isa.Mem
	offset  uint64 // OFFSET, sign-extended
	addr    int
	saddr   uint32
	scalar  bool // SADDR is an operand
	vdst    int
	vdata   int
	regs    uint8
	size    int
	generic bool // a FLAT instruction: the address decides which memory it accesses
	tfe     bool
	ret     int // VGPR that receives the value an atomic returns
	second  int // VGPR of the atomic's second operand
	direct  executor.Direct
}

// operation returns the function that executes an instruction.
type operation func(*op) executor.Exec

// operations maps each row to its operation. The encoding decides the memory, the row decides what is done there.
var operations = executor.NewTable(executor.OneOf(isa.FLAT, isa.GLOBAL, isa.SCRATCH), byFacts)

func byFacts(r *isa.Row) (to operation, ok bool) {
	to, ok = ofMemory[r.Mem.Op][r.Enc]
	return to, ok
}

// ofMemory maps a memory operation and an encoding to the operation that executes it.
var ofMemory = [isa.NumMemOps]map[gcn.Encoding]operation{
	gcn.Load: {
		isa.FLAT:    func(o *op) executor.Exec { return o.loadFlat },
		isa.GLOBAL:  func(o *op) executor.Exec { return o.loadGlobal },
		isa.SCRATCH: func(o *op) executor.Exec { return o.loadScratch },
	},
	gcn.Store: {
		isa.FLAT:    func(o *op) executor.Exec { return o.storeFlat },
		isa.GLOBAL:  func(o *op) executor.Exec { return o.storeGlobal },
		isa.SCRATCH: func(o *op) executor.Exec { return o.storeScratch },
	},
	gcn.Atomic: {
		isa.FLAT:   func(o *op) executor.Exec { return o.atomicFlat },
		isa.GLOBAL: func(o *op) executor.Exec { return o.atomicGlobal },
	},
}

var _ = enum.Full(ofMemory[:], gcn.NoMem, gcn.Special)

func init() { executor.Executes(bind, isa.FLAT, isa.GLOBAL, isa.SCRATCH) }

// bind returns the executor of an instruction. Exec is nil, with the reason in Why, if the instruction or this form
// of it does not execute here.
func bind(in *isa.Inst) executor.Impl {
	of, why := operations.Of(in)
	if why != "" {
		return executor.Impl{Why: why}
	}
	r := in.Row()
	m := &r.Mem
	o := &op{
		mem: m, offset: uint64(int64(in.Int(isa.OFFSET))), addr: int(in.Get(isa.ADDR)), saddr: in.Get(isa.SADDR),
		vdst: int(in.Get(isa.VDST)), vdata: int(in.Get(isa.VDATA)), regs: m.Dwords,
		size: int(m.Elem) * int(m.Count), generic: r.Enc == isa.FLAT, tfe: in.Bool(isa.TFE), ret: executor.NoReg,
		second: executor.NoReg,
	}
	o.scalar = in.Has(isa.SADDR) && r.Enc != isa.FLAT && o.saddr != isa.NoSADDR
	first := o.vdata
	if m.Op == gcn.Load {
		first = o.vdst
	}
	o.direct = executor.NewDirect(in.Target, m, uint32(m.Elem), first, first+1, o.alignment)
	switch {
	case in.Bool(isa.LDS):
		return executor.Impl{Why: "loads from memory to LDS are not modelled (" + rule.F7 + ")"}
	case m.Op == gcn.Atomic && o.tfe:
		return executor.Impl{Why: "TFE of an atomic instruction is not modelled"}
	case m.Op == gcn.Atomic:
		if in.Bool(isa.GLC) {
			o.ret = o.vdst
		}
		if words := int(m.Elem) / 4; int(o.regs) > words {
			o.second = o.vdata + words
		}
	}
	impl := executor.Noted(r.Note, of(o))
	if m.Op == gcn.Load && o.tfe {
		impl = impl.And(executor.Resident)
	}
	if r.Enc != isa.SCRATCH && m.Op != gcn.Atomic {
		impl.Block, impl.Site = func() *block.Instr { return o.block(in) }, o.site
	}
	return impl
}

// alignment returns the address bits that are cleared and the address bits that must be 0.
func (o *op) alignment(t gcn.Target, mode state.Alignment) (clear, must uint64) {
	if o.mem.Op == gcn.Atomic {
		return executor.AtomicAlignMask(t, mode, o.size)
	}
	return executor.AlignMask(t, mode, o.size)
}

// begin resets a for an access to space.
func (o *op) begin(w *state.Wave, space state.Space, a *state.Access) {
	executor.Begin(a, o.mem, space, w.Exec())
	a.Reg, a.Regs = uint16(o.vdata), o.regs
	if o.mem.Op == gcn.Load {
		a.Reg = uint16(o.vdst)
	}
}

// cut records in a.Cut the lanes whose address has a bit of clear set, if a watcher reads the record.
func (o *op) cut(w *state.Wave, p *executor.Ports, a *state.Access, clear uint64) {
	if p.Compare != nil && clear != 0 {
		o.vector(w, p.Compare, 0)
		executor.NoteCut(&p.Compare.Addr, clear, a)
	}
}

// vector sets a.Addr to the addresses of GLOBAL and FLAT (rule F10). It reports whether the high dwords of all lanes
// were equal before OFFSET was added.
func (o *op) vector(w *state.Wave, a *state.Access, clear uint64) (uniform bool) {
	lo, base := &w.V[o.addr], o.offset
	switch {
	case o.scalar: // rule K9: VADDR is zero-extended
		base += w.Scalar64(o.saddr)
	case simd.Uniform(&w.V[o.addr+1]):
		base += uint64(w.V[o.addr+1][0]) << 32
	default:
		simd.Place64(&a.Addr, lo, &w.V[o.addr+1], base, ^clear)
		return false
	}
	_, a.Dense = executor.Place(&a.Addr, lo, 0, base, ^clear)
	return true
}

func (o *op) global(w *state.Wave, p *executor.Ports, a *state.Access) {
	o.begin(w, state.Global, a)
	clear, must := o.alignment(w.Target, p.Align)
	o.vector(w, a, clear)
	o.cut(w, p, a, clear)
	executor.CheckAlign(w, must, a.Exec, a)
}

func (o *op) loadGlobal(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if o.directly(w, p) {
		return o.finish(w, nil)
	}
	o.global(w, p, a)
	return o.finish(w, executor.Load(w, p.Mem, o.mem, o.vdst, a.Exec, a))
}

func (o *op) storeGlobal(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if o.directly(w, p) {
		return nil
	}
	o.global(w, p, a)
	return executor.Store(w, p.Mem, o.mem, o.vdata, a.Exec, a)
}

func (o *op) atomicGlobal(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	o.global(w, p, a)
	return executor.Atomic(w, p, p.Mem, o.mem, o.vdata, o.second, o.ret, a.Exec, a)
}

// finish writes 0 to the TFE register, because every page is resident (rule DP6).
func (o *op) finish(w *state.Wave, f *state.Fault) *state.Fault {
	if o.tfe && f == nil {
		executor.Zero(w, o.vdst+int(o.regs), w.Exec())
	}
	return f
}

// flat resolves each lane by itself: to LDS, private or global memory (rule F1). It returns the private lanes whose
// elements cross a dword; see [op.loadBytes].
func (o *op) flat(w *state.Wave, p *executor.Ports, a *state.Access) (crossing uint64) {
	o.begin(w, state.Global, a)
	clear, must := o.alignment(w.Target, p.Align)
	uniform := o.vector(w, a, clear) // the cleared bits do not choose the aperture
	o.cut(w, p, a, clear)
	o.apertures(w, a, uniform)
	executor.CheckAlign(w, must, a.Exec, a)
	if a.LDSLanes|a.ScratchLanes == 0 {
		return 0
	}
	a.Dense = false
	// Rule F2. M0 limits these LDS addresses as it limits those of DS instructions. Source: LLVM AMDGPUUsage, initial
	// kernel execution state, M0.
	if a.LDSLanes != 0 {
		for m := a.LDSLanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			a.Addr[lane] &= 0xffffffff
		}
		executor.Bound(a, executor.LDSLimit(w, p), a.LDSLanes)
		if a.LDSLanes == a.Exec {
			a.Space = state.LDS
		}
	}
	if a.ScratchLanes != 0 {
		if a.ScratchLanes == a.Exec {
			a.Space = state.Scratch
		}
		return o.private(w, p, a, a.ScratchLanes)
	}
	return 0
}

// SpaceOf returns the memory that a FLAT instruction of w accesses at addr, an address before alignment: LDS or
// private memory ([state.Scratch]) if its high dword equals that aperture's high dword, else global memory (rule
// F11).
func SpaceOf(w *state.Wave, addr uint64) state.Space {
	switch uint32(addr >> 32) {
	case w.SharedBase:
		return state.LDS
	case w.PrivateBase:
		return state.Scratch
	}
	return state.Global
}

// apertures sets the LDS and private lanes of a: those whose high dword is an aperture's (rule F11). uniform is the
// result of [op.vector].
func (o *op) apertures(w *state.Wave, a *state.Access, uniform bool) {
	if uniform && !nearAperture(w, w.V[o.addr+1][0]) {
		return
	}
	for lane, addr := range &a.Addr {
		switch SpaceOf(w, addr) {
		case state.LDS:
			a.LDSLanes |= 1 << lane
		case state.Scratch:
			a.ScratchLanes |= 1 << lane
		}
	}
	a.LDSLanes &= a.Exec
	a.ScratchLanes &= a.Exec
}

func (o *op) loadFlat(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if o.directly(w, p) {
		return o.finish(w, nil)
	}
	crossing := o.flat(w, p, a)
	f := executor.Load(w, p.Mem, o.mem, o.vdst, a.Exec&^a.LDSLanes&^crossing, a)
	if f == nil && a.LDSLanes != 0 {
		f = executor.Load(w, &p.LDS, o.mem, o.vdst, a.LDSLanes, a)
	}
	if f == nil && crossing != 0 {
		f = o.loadBytes(w, p, a, crossing)
	}
	return o.finish(w, f)
}

func (o *op) storeFlat(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) (f *state.Fault) {
	if o.directly(w, p) {
		return nil
	}
	if crossing := o.flat(w, p, a); crossing != 0 {
		f = o.storeBytes(w, p, a, a.Exec&^a.LDSLanes, crossing)
	} else {
		f = executor.Store(w, p.Mem, o.mem, o.vdata, a.Exec&^a.LDSLanes, a)
	}
	if f == nil && a.LDSLanes != 0 {
		f = executor.Store(w, &p.LDS, o.mem, o.vdata, a.LDSLanes, a)
	}
	return f
}

// atomicFlat executes a FLAT atomic. Hardware does not support atomics on private memory: those lanes do nothing and
// raise MEMVIOL (rule F5).
func (o *op) atomicFlat(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	o.flat(w, p, a)
	if a.ScratchLanes != 0 {
		a.Out[0] |= a.ScratchLanes
		w.TrapSts |= state.TrapMemViol
	}
	if f := executor.Atomic(w, p, p.Mem, o.mem, o.vdata, o.second, o.ret, a.Exec&^a.LDSLanes, a); f != nil {
		return f
	}
	return executor.Atomic(w, p, &p.LDS, o.mem, o.vdata, o.second, o.ret, a.LDSLanes, a)
}
