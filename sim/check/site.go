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

// siteKey identifies an instruction that a checker has seen. An address does not suffice, because several programs may
// be loaded there, one after the other.
type siteKey struct {
	pc     uint64
	words  uint64
	target gcn.Target
	sgprs  int // the number of allocated SGPRs, which determines where VCC is
}

// site is an instruction at an address, with the facts that do not depend on the state of a wave.
type site struct {
	at     uint64       // PC
	from   *sim.Program // a program that contains the instruction
	number uint32       // index in [Checker.order]
	inst   isa.Inst
	found  []*Finding

	// The reads and writes of the instruction, unless the state of a wave changes them, see [step].shifted.
	effects []isa.Effect
	reads   regset
	writes  regset
	sgprs   int
	valu    bool // GPR indexing moves its registers
	vector  bool // the instruction has lanes
	// branches says that the next pc may be another than the one behind. to holds the next pcs that waves took.
	branches bool
	to       []uint64
	moves    bool // the registers depend on M0 or on a T#
	selects  bool // a scalar operand selects a lane

	execute executor.Exec // the function that executes the instruction, nil if there is none
	idles   bool          // the instruction is a branch that is taken if EXEC is 0

	toM0        bool // the instruction writes M0
	hasResource bool // the instruction reads a V# or a T#
	writesHalf  bool // the instruction is a load into half of a register, see [Checker.losesHalf]
	losesMask   bool // the lane mask that the instruction computes cannot be used
	addsOffset  bool // the instruction adds an offset to an address in LDS, as GCN 1.0 does

	polls    bool   // the instruction loads a flag that another wave sets
	acquires bool   // the instruction polls, or [mayAcquire] holds
	through  nature // the cache that the accesses use
	guesses  bool   // the instruction is a load whose result waves use in a later compare-and-swap

	batchActs acts       // the memory that the instruction reads or writes within a batch
	view      memoryView // the memory that the instruction accessed last
	loads     *listed    // the lists of loads of the instruction, nil if they are not listed

	wait  waitFacts
	state stateFacts

	// For findings of kind Ignored.
	static         bool   // fixed and trap are known
	fixed          issues // the findings that follow from the instruction alone
	trap           string // the register of the trap handler that the instruction names, "" if there is none
	shares         bool   // the registers of the instruction are in Checker.sharing
	image, sampler descriptor
}

// code is a program with the sites of its instructions. sites has an element for each dword.
type code struct {
	*sim.Program
	sgprs int
	sites []*site
	// batches holds the segments by the memories that have undefined bits, and by the dword of their first instruction.
	// nil means not made yet. A segment without instructions says that there is no batch.
	batches [noAccesses + 1][]*segment
	parts   map[batchKey]*segment // the first instructions of batches
	dma     bool                  // an instruction of the program moves data between memory and LDS
	// acquires says that an instruction of the program may acquire what another wave releases (rule RC4).
	acquires bool
}

// maxCode is the number of programs whose sites are kept by dword, the most recent ones.
const maxCode = 8

// site returns the site of the instruction of e, which it makes if there is none.
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

// program returns the code of the program of e, and moves it to the front of c.code.
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

// look sets dma and acquires from all instructions of p, for the analyses of races and of the order of accesses.
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

// isAlone reports whether each execution of s must be judged by itself, outside of segments and batches.
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

// core executes instructions that use only the registers of a wave.
type core struct {
	ports  executor.Ports
	access state.Access
}

// executes executes s in w, and reports whether that succeeds without a fault.
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

// exact returns s in the form that the exact evaluator accepts.
func (s *site) exact() *exact.Instruction {
	return &exact.Instruction{PC: s.at, Inst: &s.inst, Effects: s.effects, Execute: s.execute, SGPRs: s.sgprs}
}

// touches reports whether s reads or writes a register of a set.
func (s *site) touches(some *regset) bool { return s.reads.meets(some) || s.writes.meets(some) }

// writesVCC reports whether s writes a half of VCC.
func (s *site) writesVCC() bool { return s.writes.has(registers.VCC) || s.writes.has(registers.VCC+1) }

// text returns the instruction as LLVM writes it.
func (s *site) text() string { return asm.Format(gcn.Inst(s.inst), asm.LLVM) }

// named returns the name and the address of s, for messages.
func (s *site) named() said { return say("%s at %v", s.inst.Row().Name, pc(s.at)) }

// place returns s as the site of a finding. index is the number of instructions that w executed before s.
func (s *site) place(w *state.Wave, index uint64) Site {
	return Site{
		PC: s.at, Inst: gcn.Inst(s.inst), Text: s.text(), Symbol: s.from.Symbol(s.at), Source: s.from.Source(s.at),
		Index: index, Group: w.Group, Wave: w.ID,
	}
}

// defect identifies a finding among those at one instruction.
type defect struct {
	kind  Kind
	field string // the field of the instruction or of its resource
	reg   string // the register
	space string // the memory
	rule  string
	from  *site // the earlier instruction of a pair, nil if there is none
}

// first returns a new finding at x for the caller to fill in. If there is a finding of this defect at x
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
// such finding, at the instruction that detects it first. If it exists, doubt adds 1 to its Count and returns
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

// doubt identifies a finding of severity [Doubt].
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
