package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

// siteKey tells the instructions apart that a checker has seen: several programs may lie
// at one address, one after the other.
type siteKey struct {
	pc     uint64
	words  uint64
	target gcn.Target
	sgprs  int // allocated; which of them is VCC follows from it
}

// site is an instruction at its place, with what follows from it alone.
type site struct {
	at     uint64       // PC
	from   *sim.Program // one that it is in
	number uint32       // in [Checker.order]
	inst   isa.Inst
	found  []*Finding

	// What it reads and writes, unless the state of a wave moves that.
	effects []isa.Effect
	reads   regset
	writes  regset
	sgprs   int
	valu    bool // GPR indexing moves its registers
	vector  bool // it has lanes
	// branches: another instruction than the one behind it may follow. Those at the addresses of to have.
	branches bool
	to       []uint64
	moves    bool // the registers depend on M0 or on a T#
	selects  bool // a scalar operand selects a lane

	execute executor.Exec // nil if nothing does
	idles   bool          // it is a branch that is taken if EXEC is 0

	toM0        bool // it writes M0
	hasResource bool // it reads a V# or a T#
	writesHalf  bool // it is a load into half of a register, see [Checker.losesHalf]
	losesMask   bool // nobody can use its lane mask
	addsOffset  bool // it adds an offset to an address in LDS as GCN 1.0 does

	polls    bool   // it loads a flag that another wave sets
	acquires bool   // see [mayAcquire]; or it polls
	through  nature // through which cache its accesses go
	guesses  bool   // it is a load whose result waves later compare with memory, and swap

	batchActs acts       // what it does as an access of a batch
	view      memoryView // where it has accessed memory last
	loads     *listed    // its loads from memory in lists, nil if they are not listed

	wait  waitFacts
	state stateFacts

	// For findings of kind Ignored.
	static         bool   // fixed and trap are known
	fixed          issues // what follows from the instruction
	trap           string // register of the trap handler that it names
	shares         bool   // registers are in Checker.sharing
	image, sampler descriptor
}

// code is a program with the sites of its instructions, by dword.
type code struct {
	*sim.Program
	sgprs int
	sites []*site
	// batches are the segments that begin at each dword, by the memories that have undefined bits, nil if they are not
	// known. One without instructions says that there is none.
	batches [noAccesses + 1][]*segment
	parts   map[batchKey]*segment // the first instructions of batches
	dma     bool                  // an instruction moves data between memory and LDS
	// acquires: an instruction may acquire what another wave releases (rule RC4).
	acquires bool
}

// maxCode is how many programs have their sites at hand.
const maxCode = 8

// site returns the site of the instruction of e.
func (c *Checker) site(e *sim.Event) *site {
	at := c.program(e)
	i := (e.PC - e.Program.Base) / 4
	if s := at.sites[i]; s != nil {
		return s
	}
	key := siteKey{e.PC, e.Inst.Words, e.Inst.Target, e.Wave.NumSGPRs}
	s := c.sites[key]
	if s == nil {
		s = newSite(e)
		s.from, s.polls = e.Program, c.seesRaces && polls(e.Program, e.PC, (*isa.Inst)(e.Inst))
		s.acquires = s.polls || mayAcquire((*isa.Inst)(e.Inst))
		c.waitFacts(s)
		s.through = s.cacheNature()
		s.batchActs = s.acts()
		if s.isListableLoad() {
			s.loads = &listed{}
		}
		c.stateFacts(s)
		s.number = uint32(len(c.order))
		c.sites[key] = s
		c.order = append(c.order, s)
	}
	at.sites[i] = s
	return s
}

// program returns what c keeps of the program of e, which moves to the front.
func (c *Checker) program(e *sim.Event) *code {
	for i, p := range c.code {
		if p.Program != e.Program || p.sgprs != e.Wave.NumSGPRs {
			continue
		}
		if i > 0 {
			copy(c.code[1:i+1], c.code[:i])
			c.code[0] = p
		}
		return p
	}
	p := &code{Program: e.Program, sgprs: e.Wave.NumSGPRs, sites: make([]*site, (e.Program.End-e.Program.Base)/4)}
	p.parts = map[batchKey]*segment{}
	if c.seesRaces || c.seesOrder {
		p.look()
	}
	if len(c.code) < maxCode {
		c.code = append(c.code, nil)
	}
	copy(c.code[1:], c.code)
	c.code[0] = p
	return p
}

// look finds what races, and the order of accesses, ask of all instructions of p.
func (p *code) look() {
	for pc, in := range p.Insts(p.Base, p.End) {
		p.dma = p.dma || registers.Transfer((*isa.Inst)(&in)) != gcn.NoMem
		p.acquires = p.acquires || mayAcquire((*isa.Inst)(&in)) || polls(p.Program, pc, (*isa.Inst)(&in))
	}
}

func newSite(e *sim.Event) *site {
	in := (*isa.Inst)(e.Inst)
	r := in.Row()
	s := &site{at: e.PC, inst: *in, sgprs: e.Wave.NumSGPRs, valu: registers.IsGPRIndexed(in), moves: registers.Moves(in),
		vector: r.Enc >= isa.VOP1 && r.Enc != isa.SMEM, branches: leaves(in)}
	s.effects = in.Effects(nil)
	for i := range s.effects {
		f := &s.effects[i]
		s.selects = s.selects || f.Lanes == isa.SelectLane
		s.writesHalf = s.writesHalf || f.Write && f.File == isa.VReg && f.Bytes != 0xf && r.Mem.Op == gcn.Load &&
			isa.TraitsOf(in.Target).SRAMECC
	}
	s.reads, s.writes = s.sets(s.effects)
	s.toM0 = s.writes.has(registers.M0)
	s.execute = executor.Find(in).Exec
	s.idles = s.branchesWithoutLanes()
	s.losesMask = in.Target.Gen() == gcn.GCN10 && r.Name == "v_div_scale_f64"
	s.addsOffset = in.Target.Gen() == gcn.GCN10 && in.Enc == isa.DS && r.Mem.Op != gcn.NoMem && r.Mem.Move == isa.NoMove &&
		!r.Has(isa.NoAddr) && in.Get(isa.OFFSET) != 0
	s.hasResource = in.Enc == isa.MUBUF || in.Enc == isa.MTBUF || in.Enc == isa.MIMG || r.Has(isa.BufferBase)
	return s
}

// isAlone reports whether each execution of s must be judged by itself, whatever comes before and behind it.
func (c *Checker) isAlone(s *site) bool {
	return s.moves || s.trap != "" || s.losesMask || s.addsOffset || len(s.fixed) > 0 || c.losesHalf(s)
}

// sets returns the registers that effects read and write.
func (s *site) sets(effects []isa.Effect) (reads, writes regset) {
	for r, f := range eachRegister(effects) {
		if f.Write {
			writes.add(r.Canonical(s.sgprs))
		} else {
			reads.add(r.Canonical(s.sgprs))
		}
	}
	return reads, writes
}

// core executes instructions that need nothing but the registers of a wave.
type core struct {
	ports  executor.Ports
	access state.Access
}

// executes lets w execute s, and reports whether that ends without a fault.
func (c *core) executes(w *state.Wave, s *site) bool {
	return s.execute != nil && s.execute(w, &c.ports, &s.inst, &c.access) == nil
}

// branchesWithoutLanes reports whether s is a branch that is taken if EXEC is 0.
func (s *site) branchesWithoutLanes() bool {
	if !s.inst.Row().Has(isa.Branch) || !s.inst.Row().Has(isa.ReadsEXECZ) {
		return false
	}
	w, next := state.NewWave(s.inst.Target, 1), s.at+uint64(s.inst.Size)
	w.SetExec(0)
	w.PC = next
	return new(core).executes(w, s) && w.PC != next
}

// exact returns s as the exact evaluator takes it.
func (s *site) exact() *exact.Instruction {
	return &exact.Instruction{PC: s.at, Inst: &s.inst, Effects: s.effects, Execute: s.execute, SGPRs: s.sgprs}
}

// touches reports whether s reads or writes a register of a set.
func (s *site) touches(some *regset) bool { return s.reads.meets(some) || s.writes.meets(some) }

// writesVCC reports whether s writes a half of VCC.
func (s *site) writesVCC() bool { return s.writes.has(registers.VCC) || s.writes.has(registers.VCC+1) }

// text returns the instruction as LLVM writes it.
func (s *site) text() string { return asm.Format(gcn.Inst(s.inst), asm.LLVM) }

// named says which instruction s is.
func (s *site) named() said { return say("%s at %v", s.inst.Row().Name, pc(s.at)) }

// place returns s as the site of a finding: w executed it after index other instructions.
func (s *site) place(w *state.Wave, index uint64) Site {
	return Site{
		PC: s.at, Inst: gcn.Inst(s.inst), Text: s.text(), Symbol: s.from.Symbol(s.at), Source: s.from.Source(s.at),
		Index: index, Group: w.Group, Wave: w.ID,
	}
}

// defect is what tells findings at one instruction apart.
type defect struct {
	kind  Kind
	field string // of the instruction or its resource
	reg   string // the register
	space string // the memory
	rule  string
	from  *site // the other instruction, nil if there is none
}

// first returns a new finding at x for the caller to fill in. If there is a finding of the defect at x
// already, first adds 1 to its Count and returns nil.
func (x *step) first(d defect) *Finding {
	if p := x.wave.paths; p != nil {
		return p.first(x, d, nil)
	}
	for _, f := range x.found {
		if f.defect == d {
			f.Count++
			return nil
		}
	}
	f := x.finding(d)
	x.found = append(x.found, f)
	return f
}

// doubt returns a new finding of severity [Doubt] about subject for the caller to fill in. A checker has one
// such finding, at the instruction that met it first: if there is one, doubt adds 1 to its Count and returns
// nil. Instructions at which it is suppressed have findings of their own.
func (c *Checker) doubt(x *step, d defect, subject string) *Finding {
	key := doubt{d, subject}
	if c.suppressor(d.kind, x.site) >= 0 {
		return x.first(d)
	}
	if f := c.doubts[key]; f != nil {
		f.Count++
		return nil
	}
	f := x.finding(d)
	f.Severity = Doubt
	x.found = append(x.found, f)
	c.doubts[key] = f
	return f
}

// doubt is what tells findings of severity [Doubt] apart.
type doubt struct {
	defect
	subject string
}

// finding returns a new note at x. It does not add it to the findings of the site.
func (x *step) finding(d defect) *Finding {
	f := &Finding{
		Kind: d.kind, Severity: Note, Field: d.field, Reg: d.reg, Space: d.space, Rule: d.rule, Lane: state.NoLane,
		Count: 1, defect: d,
		Site: x.place(x.Wave, x.executed), load: loaded(x.from),
	}
	if p := x.wave.paths; p != nil {
		f.Count, f.Path = 0, p.path(p.way)
	}
	return f
}
