package timing

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/sim"
)

// port is an instruction type. In a cycle, a SIMD issues at most one instruction of each type, and a wave at most one
// (rule CY1).
type port uint8

const (
	portInternal port = iota // handled in the instruction buffer, without a limit
	portVALU
	portScalar
	portVMEM
	portLDS
	portExport // exports, branches and messages
	numPorts
)

// kind tells which action of the model an instruction causes besides taking time.
type kind uint8

const (
	kindPlain kind = iota
	kindVMEM
	kindDS
	kindSMEM
	kindWaitcnt
	kindBarrier
	kindInvL1
	kindInvScalar
	kindInvInst
	kindPrio
)

// static holds the facts about an instruction of the program, which the model computes once.
type static struct {
	in    isa.Inst
	pc    uint64
	port  port
	kind  kind
	issue uint16 // clocks from its issue to that of the wave's next instruction, without cross
	queue uint16 // vector memory and LDS: clocks between two instructions when the wave's queue to the unit is full
	cross uint16 // clocks that its wave waits afterwards, because its second half is fetched separately
	sleep uint16 // clocks that the wave sleeps after the issue
	unit  uint16 // DS: clocks of the LDS if there are no bank conflicts

	vm, exp, lgkm             uint8 // increments of the three counters
	waitVM, waitEXP, waitLGKM uint8 // kindWaitcnt: limits on the three counters
	prio                      uint8 // priority that kindPrio sets

	ldsSide uint8 // clocks of the LDS in a transfer between memory and LDS

	counts bool // a full counter can delay its issue
	alone  bool // the instruction only takes time and waits for counters

	write, atomic, ret bool // memory: it is a store, an atomic, an atomic with a result
	glc, slc           bool
	sharesLDS          bool // vector memory: some lanes of an access may use the LDS
	classCounter       counter

	from *sim.Program // a program that contains it

	// v is the V# of the latest execution of a buffer load, and seen its decoded layout.
	v     gcn.VSharp
	seen  mubuf.Layout
	known bool

	banked *banked // DS: the latest access and its conflicts
}

// kinds maps the instructions that are more than a duration to their kind.
var kinds = map[isa.Control]kind{
	isa.Waits: kindWaitcnt, isa.Barrier: kindBarrier, isa.SetsPriority: kindPrio, isa.InvalidatesCode: kindInvInst,
	isa.InvalidatesScalar: kindInvScalar, isa.InvalidatesL1: kindInvL1,
}

// newStatic returns the facts about the instruction at pc.
func newStatic(p *Params, in *isa.Inst, pc uint64) static {
	r := in.Row()
	n := in.Counts()
	s := static{in: *in, pc: pc, vm: n.VM, exp: n.EXP, lgkm: n.LGKM, issue: 4, port: portScalar, kind: kinds[r.Control],
		classCounter: sqInstsSalu}
	switch r.Enc {
	case isa.SOPP:
		s.sopp(p, r)
	case isa.SOPK, isa.SOP1, isa.SOP2, isa.SOPC:
		s.issue = p.rate(r.Rate)
		if r.Has(isa.Branch) {
			s.port = portExport
		}
	case isa.SMEM:
		s.smem(r)
	case isa.DS:
		s.ds(r)
	case isa.MUBUF, isa.MTBUF, isa.MIMG, isa.FLAT, isa.GLOBAL, isa.SCRATCH:
		s.vmem(p, r)
	case isa.EXP:
		s.port, s.classCounter = portExport, sqInstsExp
	default:
		s.valu(p, r)
	}
	s.counts = s.kind == kindWaitcnt || s.vm|s.exp|s.lgkm != 0
	s.alone = (s.kind == kindPlain || s.kind == kindWaitcnt) && s.vm|s.exp|s.lgkm == 0 && s.sleep == 0
	// A 64-bit encoding crosses a fetch block (rule CY3). Other waves can issue meanwhile.
	if in.Size == 8 && pc%32 == 28 {
		s.cross = uint16(p.of.FetchCross)
	}
	return s
}

func (s *static) sopp(p *Params, r *isa.Row) {
	s.port, s.classCounter = portInternal, noCounter
	imm := s.in.Get(isa.SIMM16)
	switch {
	case r.Has(isa.Branch):
		s.port, s.classCounter = portExport, sqInstsBranch
	case s.kind == kindWaitcnt:
		c := s.in.Waits()
		s.waitVM, s.waitEXP, s.waitLGKM = c.VM, c.EXP, c.LGKM
	case s.kind == kindPrio:
		s.prio = uint8(imm & 3)
	case r.Control == isa.Sleeps:
		s.sleep = uint16(imm&0x7f) * uint16(p.of.SleepUnit)
	case r.Control == isa.Idles:
		s.issue = 4 * uint16(executor.WaitStates(&s.in))
	case r.Control == isa.Sends:
		s.port, s.classCounter = portExport, sqInstsSendmsg
	case r.Control == isa.Ends: // waits until all counters are 0 (rule CY2)
		s.kind, s.classCounter = kindWaitcnt, sqInstsSendmsg
	}
}

// rate returns the clocks between the issue of an ALU instruction and the next issue.
func (p *Params) rate(r isa.Rate) uint16 {
	return uint16([isa.NumRates]int{
		isa.FullRate: 4, isa.HalfRate: p.of.HalfRate, isa.QuarterRate: p.of.QuarterRate, isa.MultiplyRate: p.of.MultiplyRate,
		isa.FusedRate: p.of.FusedRate, isa.DoubleRate: max(p.of.DoubleRate/2, 4), isa.DoubleMultiplyRate: p.of.DoubleRate,
	}[r])
}

func (s *static) valu(p *Params, r *isa.Row) {
	s.port, s.classCounter = portVALU, sqInstsValu
	s.issue = p.rate(r.Rate)
}

// smem sets the issue cost of scalar loads (rule CY12; x16 has 16 to 24; the middle is used).
func (s *static) smem(r *isa.Row) {
	s.classCounter = sqInstsSmem
	dwords := int(r.Mem.Dwords)
	if s.kind == kindInvScalar || r.Control == isa.WritesBackScalar {
		return
	}
	s.kind = kindSMEM
	s.access(r)
	if dwords >= 16 {
		s.issue = 20
	}
}

func (s *static) access(r *isa.Row) {
	op := registers.MemOp(&s.in)
	s.write, s.atomic = op == gcn.Store, op == gcn.Atomic
	s.glc, s.slc = s.in.Bool(isa.GLC), s.in.Bool(isa.SLC)
	s.ret = s.atomic && (s.glc || r.Mem.Ret)
}

// vmem sets the cost in the queue of MUBUF (rule CY6); other encodings are assumed to be equal. MIMG has its address
// rate.
func (s *static) vmem(p *Params, r *isa.Row) {
	s.port = portVMEM
	s.access(r)
	s.classCounter = sqInstsVmemRd
	if s.write || s.atomic {
		s.classCounter = sqInstsVmemWr
	}
	if s.kind != kindInvL1 {
		s.kind = kindVMEM
	}
	switch registers.Transfer(&s.in) { // adjacent dwords, with the cost of the DS instruction (assumed)
	case gcn.Load:
		s.ldsSide = uint8(dsCosts[dsShape{gcn.Store, false, 4}].unit)
	case gcn.Store:
		s.ldsSide = uint8(dsCosts[dsShape{gcn.Load, false, 4}].unit)
	}
	s.sharesLDS = s.ldsSide != 0 || r.Enc == isa.FLAT
	s.queue = 16
	switch m := &r.Mem; {
	case s.kind == kindInvL1:
		s.queue, s.classCounter = 4, noCounter // an invalidation neither reads nor writes
	case s.atomic:
		if m.Second {
			s.queue = 32
		}
		if s.glc {
			s.queue += uint16(m.Elem / 4)
		}
	case r.Enc == isa.MIMG, s.write:
	case m.Count == 1:
		s.queue = 8
	case m.Count == 2:
		s.queue = uint16(2 * p.of.PairEighths)
	}
}

// dsCost is the number of clocks in the queue, and of clocks of the LDS.
type dsCost struct{ queue, unit uint16 }

// dsShape holds the properties on which the cost of a DS instruction depends.
type dsShape struct {
	op    gcn.MemOp
	two   bool  // the instruction has two addresses, or is an atomic with two operands
	bytes uint8 // bytes at one address
}

// dsCosts has the cost of DS instructions (rule CY11).
var dsCosts = map[dsShape]dsCost{
	{gcn.Load, false, 1}: {4, 2}, {gcn.Load, false, 2}: {4, 2}, {gcn.Load, false, 4}: {4, 2},
	{gcn.Load, false, 8}: {8, 4}, {gcn.Load, true, 4}: {8, 4},
	{gcn.Load, true, 8}: {16, 8}, {gcn.Load, false, 12}: {16, 8}, {gcn.Load, false, 16}: {16, 8},
	{gcn.Store, false, 1}: {8, 4}, {gcn.Store, false, 2}: {8, 4}, {gcn.Store, false, 4}: {8, 4},
	{gcn.Store, false, 8}: {12, 8}, {gcn.Store, true, 4}: {12, 6},
	{gcn.Store, true, 8}: {20, 10}, {gcn.Store, false, 16}: {20, 10}, {gcn.Store, false, 12}: {16, 10},
	{gcn.Atomic, false, 4}: {8, 4}, {gcn.Atomic, false, 8}: {12, 6},
	{gcn.Atomic, true, 4}: {12, 6}, {gcn.Atomic, true, 8}: {20, 10},
	// *_SRC2 and swizzles
	{gcn.Special, false, 0}: {4, 2}, {gcn.Special, false, 4}: {4, 2}, {gcn.Special, false, 8}: {8, 8},
	{gcn.Special, true, 4}: {4, 4}, // *_SRC2 of 4 bytes
	{gcn.Special, true, 8}: {8, 8},
}

// exchangePairs64 is the cost of DS_WRXCHG2_RTN_B64, which is slower than other atomics with its shape.
var exchangePairs64 = dsCost{20, 12}

func (s *static) ds(r *isa.Row) {
	m := &r.Mem
	s.port, s.kind, s.classCounter = portLDS, kindDS, sqInstsLds
	s.access(r)
	if s.in.Bool(isa.GDS) {
		s.classCounter = sqInstsGds
	}
	shape := dsShape{registers.MemOp(&s.in), r.Has(isa.Two) || m.Second, m.Elem * m.Count}
	if r.Has(isa.Two) {
		shape.bytes = m.Elem
	}
	if m.Op == gcn.Special && (m.Atomic != isa.NoAtomic || m.InLDS) {
		shape.two = true // both operands are in the LDS
	}
	c := dsCosts[shape]
	if shape == (dsShape{gcn.Atomic, true, 8}) && r.Has(isa.Two) {
		c = exchangePairs64
	}
	if c == (dsCost{}) {
		c = dsCost{4, 2} // ordered counts and GWS (assumed); waves do not wait for one another here
	}
	s.queue, s.unit = c.queue, c.unit
}
