package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

// This file follows all paths through a kernel, without a run. For the beginning of each block of code it computes the
// outstanding instructions, and the other state of a wave, for the worst of the paths that lead there. The same
// functions judge the instructions of a block and those of a run.

// Paths counts the code that [Checker.Paths] has followed. Only that code is free of defects if there is no finding.
type Paths struct {
	Instructions int // the number of instructions that a path reaches, including those of called functions
	blocks       int // the number of blocks, where those of a function count once for each call
	Unknown      int // the number of instructions where a path was given up, each with a finding of kind [Unfollowed]
}

// Paths looks for defects on all paths through a kernel of a module, whether a run has taken them or not. It detects
// those that instructions alone show: in waits, wait states, VCCZ, M0, barriers, registers without a value, and
// unreachable code. A wave begins with all lanes active. If an instruction does not determine its registers, all
// candidates are judged, and a finding is a note, or a warning if there are few. The path of a finding is
// [Finding.Path]. The error is a *[codeobj.Error], or comes from ctx.
func (c *Checker) Paths(ctx context.Context, mod *sim.Module, kernel string) (Paths, error) {
	ctx = contexts.Given(ctx)
	k, err := mod.Object.Kernel(kernel)
	if err != nil {
		return Paths{}, err
	}
	programs, err := mod.Programs(ctx, kernel)
	if err != nil {
		return Paths{}, err
	}
	c.features = codeobj.FeaturesOf(mod.Object)
	w := state.NewWave(mod.Object.Target, state.MaxVGPRs)
	w.NumSGPRs = k.SGPRs
	p := &paths{c: c, kernel: k, programs: programs, blocks: map[blockKey]*block{}, calls: map[callKey]*call{},
		words: exact.NewEvaluator(w.Target), wave: &wave{Wave: w}, quiet: true,
		doubted: map[*Finding]bool{}}
	p.wave.paths = p
	p.findLeaders()
	defer func() { c.step.wave = nil }()
	p.enter(p.block(mod.Base+k.Entry, nil), p.start(), nil)
	if err := p.settle(ctx); err != nil {
		return Paths{}, err
	}
	p.again()
	if err := p.settle(ctx); err != nil {
		return Paths{}, err
	}
	p.quiet = false
	p.judge()
	return p.followed(), ctx.Err()
}

// followPaths judges the paths of the kernel of a launch, once for each kernel, if a kind of the group paths is chosen.
func (c *Checker) followPaths(l *sim.Launch) {
	key := kernelKey{l.Module, l.Kernel}
	if !c.has(Unfollowed) || c.static[key] != nil {
		return
	}
	s := &Checker{Options: c.Options, on: c.on, seesOrder: c.seesOrder, analyses: c.analyses, sites: map[siteKey]*site{},
		doubts: map[doubt]*Finding{}}
	if _, err := s.Paths(context.Background(), l.Module, l.Kernel); err != nil {
		return // there is no such kernel: the dispatch returns an error
	}
	if c.static == nil {
		c.static = map[kernelKey]*Checker{}
	}
	c.static[key] = s
}

// notMet returns the findings on paths that are not among found, the findings of runs.
func (c *Checker) notMet(found []Finding) (all []Finding) {
	type key struct {
		kind         Kind
		pc, producer uint64
		reg          string
	}
	keyOf := func(f *Finding) key { return key{f.Kind, f.PC, f.producerPC(), f.Reg} }
	met := map[key]bool{}
	for i := range found {
		met[keyOf(&found[i])] = true
	}
	for _, s := range c.static {
		for _, f := range s.Findings() {
			if !met[keyOf(&f)] {
				met[keyOf(&f)] = true
				if c.took(&f) {
					f.Count = 1
				}
				all = append(all, f)
			}
		}
	}
	return all
}

// paths follows the paths through a kernel.
type paths struct {
	c        *Checker
	kernel   *codeobj.Kernel
	programs []*sim.Program
	leaders  map[uint64]bool // addresses at which blocks begin

	blocks map[blockKey]*block
	order  []*block // the blocks in the order in which they were reached
	calls  map[callKey]*call
	todo   []*block
	visits map[*block]visit // nil as long as not all paths are known
	full   bool             // a path was not followed because there are too many
	quiet  bool             // no findings are made, because the state at the beginning of blocks may still change
	met    int              // the number of findings that were not made because of quiet
	// doubted has the findings as keys. The value says whether the conditions on each path found contradict each other.
	doubted    map[*Finding]bool
	impossible bool // the conditions of the current path contradict each other

	// The EXEC of the current instruction, and whether the bits of M0 bound the registers that it may select.
	mask    exact.Mask
	bounded bool
	now     *flow

	words  *exact.Evaluator // computes symbolic values
	places uint64           // the number of the last block, see [block].place
	// Addresses that the kernel receives, and the last two words of the V# of private memory.
	kernarg, queue, frame exact.Mask

	// The wave that follows the current path.
	wave  *wave
	in    *call  // the function that the wave executes, nil in the kernel
	way   *trail // the path to the current block
	here  *trail // the path that consists of the current block alone
	event sim.Event
	inst  isa.Inst
	core
}

// block is code that is entered only at its beginning and branches only at its end, for one chain of calls.
type block struct {
	blockKey
	flow          // the state of a wave at the beginning of the block
	last   uint64 // the address of the last instruction
	queued bool
	known  bool // a path leads to the block
	next   []*block
	prev   []*block
	came   map[*block]*flow // the state behind each preceding block, by that block; nil for the start of the kernel
	joins  int              // the number of times that a state was joined, see [block.join]
	first  *trail           // the first path that led to the block
	place  uint64           // the number of the block, from 1

	// The condition under which the branch at the end of the block is taken, None if the condition is not known.
	taken    exact.Condition
	behind   uint64
	left     []entry      // the instructions that may be outstanding at the end
	ends     *site        // the last instruction
	masks    []exact.Mask // EXEC before each instruction, and after the last one
	setsExec bool         // an instruction of the block writes EXEC
	from     uint64       // the address of the instruction before the block on the path first

	unknown string // why the path was not followed behind the block, "" if it was
}

type blockKey struct {
	start uint64
	call  *call // nil in the kernel
}

// call is a function, for one instruction that calls it.
type call struct {
	callKey
	returns []blockKey // the blocks at which waves continue after the function
	exits   []*block   // the blocks of the function that return
	again   bool       // the function calls itself
}

type callKey struct {
	caller   *call
	at       uint64 // the address behind the call
	function uint64
}

// trail is a path: its last block, and the path to that block, nil at the beginning.
type trail struct {
	before *trail
	*block
}

// from returns the last but one block of a path, nil if there is only one.
func (t *trail) from() *block {
	if t.before == nil {
		return nil
	}
	return t.before.block
}

// maxBlocks bounds the number of blocks of a kernel, including those of the functions that it calls.
const maxBlocks = 1 << 15

// findLeaders finds the targets of branches. Blocks begin there, and behind instructions for which [leaves] is true.
func (p *paths) findLeaders() {
	p.leaders = map[uint64]bool{}
	for _, program := range p.programs {
		for pc, in := range program.Insts(program.Base, program.End) {
			if to, ok := isa.Inst(in).BranchTarget(pc); ok {
				p.leaders[to] = true
			}
		}
	}
}

// leaves reports whether in may continue elsewhere than at the instruction behind it, or ends the wave.
func leaves(in *isa.Inst) bool {
	r := in.Row()
	switch r.Control {
	case isa.Ends, isa.GoesAway, isa.LeavesTrap:
		return true
	}
	return r.Has(isa.Branch) || r.Has(isa.Jumps) || forks(in) || traps(in)
}

// traps reports whether in enters the trap handler.
func traps(in *isa.Inst) bool { return in.Row().Has(isa.EntersTrap) }

// forks reports whether in uses the stack of branches, by which EXEC changes (as s_cbranch_g_fork does).
func forks(in *isa.Inst) bool { return in.Row().Has(isa.WritesMODE) && in.Row().Has(isa.WritesEXEC) }

// at returns the instruction at pc and its program. The program is nil if there is no instruction.
func (p *paths) at(pc uint64) (*sim.Program, isa.Inst) {
	for _, program := range p.programs {
		if in, ok := program.Inst(pc); ok {
			return program, isa.Inst(in)
		}
	}
	return nil, isa.Inst{}
}

// block returns the block that begins at start in the function of a call. It is nil if there are too many blocks.
func (p *paths) block(start uint64, in *call) *block {
	key := blockKey{start, in}
	b := p.blocks[key]
	if b == nil && len(p.order) < maxBlocks {
		p.places++
		b = &block{blockKey: key, place: p.places, came: map[*block]*flow{}}
		p.blocks[key] = b
		p.order = append(p.order, b)
	}
	p.full = p.full || b == nil
	return b
}

// enter adds a path from the block from, which ends with the state out, to b. from is nil at the start of the kernel.
func (p *paths) enter(b *block, out *flow, from *block) {
	if b == nil {
		return
	}
	if from != nil && !slices.Contains(from.next, b) {
		from.next, b.prev = append(from.next, b), append(b.prev, from)
	}
	if b.first == nil {
		b.first = &trail{nil, b}
		if from != nil {
			b.first.before, b.from = from.first, from.last
		}
	}
	changed := b.join(p.words.Words, from, out) || !b.known
	b.known = true
	if changed {
		p.enqueue(b)
	}
}

// enqueue adds b to the blocks to be visited. If the order of blocks is known, b comes before its successors.
func (p *paths) enqueue(b *block) {
	if !b.queued {
		b.queued = true
		comesAfter := func(o *block, end int) int { return p.visits[o].end - end }
		at, _ := slices.BinarySearchFunc(p.todo, p.visits[b].end+1, comesAfter)
		p.todo = slices.Insert(p.todo, at, b)
	}
}

// settle follows paths until the state at the beginning of no block changes any more. The error comes from ctx.
func (p *paths) settle(ctx context.Context) error {
	for len(p.todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := p.todo[len(p.todo)-1]
		p.todo = p.todo[:len(p.todo)-1]
		b.queued = false
		now := p.load(b)
		var to []uint64
		pc, in := p.each(b, func(x *step) {
			p.choose(x, now)
			b.ends = x.site
			if to = p.taken(x, b, now); (*isa.Inst)(x.Inst).Row().Has(isa.Jumps) {
				to = p.targets(now, (*isa.Inst)(x.Inst).Get(isa.SSRC0))
			}
			p.advance(x, now)
		})
		if in.Op == 0 {
			b.unknown = "a run that comes here ends with a fault: there is no instruction"
			continue
		}
		b.last = pc
		out := p.store(now)
		b.left = out.live
		p.goOn(b, pc, &in, to, out)
	}
	return nil
}

// again forgets outstanding instructions and enqueues all blocks. Masks of lanes are final, unlike in the first pass.
func (p *paths) again() {
	p.visits = p.walk()
	for _, b := range p.order {
		b.live, b.vccz, b.m0, b.joins = nil, vccz{}, nil, 0
		if b.known {
			p.enqueue(b)
		}
	}
}

// each calls do for each instruction of b, and returns the last one. Its Op is 0 if there is no instruction at pc.
func (p *paths) each(b *block, do func(x *step)) (pc uint64, in isa.Inst) {
	for pc = b.start; ; {
		program, in := p.at(pc)
		if program == nil {
			return pc, isa.Inst{}
		}
		do(p.step(program, pc, in))
		next := pc + uint64(in.Size)
		if leaves(&in) || p.leaders[next] {
			return pc, in
		}
		pc = next
	}
}

// step returns the instruction at pc as a step with unknown lanes, addresses and values. The next call reuses it.
func (p *paths) step(program *sim.Program, pc uint64, in isa.Inst) *step {
	p.inst = in
	executor.Begin(&p.access, &isa.Mem{}, state.Global, allLanes)
	if op := in.Row().Mem.Op; in.Row().Mem.Move == isa.NoMove && (op != gcn.Special || in.Row().Enc != isa.SMEM) {
		p.access.Op = op
	}
	p.event = sim.Event{Wave: p.wave.Wave, PC: pc, Inst: (*gcn.Inst)(&p.inst), Program: program, Access: &p.access}
	x := &p.c.step
	x.wave, x.Event, x.site = p.wave, &p.event, p.c.site(&p.event)
	x.exec, x.shifted, x.outside, x.executed = allLanes, false, -1, 0
	x.effects, x.reads, x.writes = x.site.effects, &x.site.reads, &x.site.writes
	return x
}

// goOn enters the blocks that may follow b, whose last instruction is in at pc. far has the possible targets of that
// instruction, nil if they are not known.
func (p *paths) goOn(b *block, pc uint64, in *isa.Inst, far []uint64, out *flow) {
	b.unknown = ""
	r, next := in.Row(), pc+uint64(in.Size)
	to, branches := in.BranchTarget(pc)
	switch {
	case r.Control == isa.Ends, r.Control == isa.LeavesTrap:
	case forks(in):
		b.unknown = "where waves go on that have forked is in registers: those paths are not followed"
		p.enter(p.block(next, b.call), out, b)
		if branches {
			p.enter(p.block(to, b.call), out, b)
		}
	case traps(in):
		b.unknown = "what the trap handler does is not judged"
		out.live, out.vccz = nil, vccz{} // the trap handler may have waited
		p.enter(p.block(next, b.call), out, b)
	case branches && r.Sig.Dst != isa.None:
		p.goInto(b, to, next, out)
	case branches && far != nil:
		p.enter(p.block(far[0], b.call), out, b)
	case branches:
		p.enter(p.block(to, b.call), out, b)
		if r.Control != isa.GoesAway {
			p.enter(p.block(next, b.call), out, b)
		}
	case r.Has(isa.Jumps) && r.Sig.Dst == isa.None:
		p.jump(b, far, out)
	case r.Has(isa.Jumps):
		for _, function := range far {
			p.goInto(b, function, next, out)
		}
		if far == nil { // an unknown function is assumed to follow the calling convention
			b.unknown = "the function that it calls is in registers: what it does is not judged"
			p.enter(p.block(next, b.call), p.returned(out), b)
		}
	default:
		p.enter(p.block(next, b.call), out, b)
	}
}

// goInto enters a function that b calls, and notes that it returns to next.
func (p *paths) goInto(b *block, function, next uint64, out *flow) {
	key := callKey{b.call, next, function}
	k := p.calls[key]
	for up := b.call; k == nil && up != nil; up = up.caller {
		if up.function == function {
			k, up.again = up, true
		}
	}
	if k == nil {
		k = &call{callKey: key}
	}
	p.calls[key] = k
	if back := (blockKey{next, b.call}); !slices.Contains(k.returns, back) {
		k.returns = append(k.returns, back)
		for _, exit := range k.exits {
			p.enqueue(exit)
		}
	}
	p.enter(p.block(function, k), out, b)
}

// jump enters the blocks behind s_setpc_b64: those at the addresses to, or behind the calls of a function that it ends.
func (p *paths) jump(b *block, to []uint64, out *flow) {
	isReturn := func(k blockKey) bool { return slices.Contains(to, k.start) }
	switch {
	case to != nil && (b.call == nil || !slices.ContainsFunc(b.call.returns, isReturn)):
		for _, pc := range to {
			p.enter(p.block(pc, b.call), out, b)
		}
	case b.call == nil:
		b.unknown = "where it goes on is in registers: that path is not followed"
	default:
		if !slices.Contains(b.call.exits, b) {
			b.call.exits = append(b.call.exits, b)
		}
		if b.call.again { // symbolic values have the same names at each depth
			out.values, out.kept = exact.Registers{}, map[reg]exact.Word{indexingOn: exact.Zero}
		}
		for _, back := range b.call.returns {
			p.enter(p.block(back.start, back.call), out, b)
		}
	}
}

// path returns the last blocks of a trail as sites, first to last, without the text of their instructions.
func (p *paths) path(t *trail) []Site {
	const most = 64 // more blocks than people read
	all := []Site{}
	for ; t != nil && len(all) < most; t = t.before {
		if program, in := p.at(t.start); program != nil {
			all = append(all, Site{PC: t.start, Inst: gcn.Inst(in), Symbol: program.Symbol(t.start),
				Source: program.Source(t.start)})
		}
	}
	slices.Reverse(all)
	return all
}

// followed counts the code that paths have reached, and adds findings about code that they have not reached.
func (p *paths) followed() Paths {
	all := Paths{blocks: len(p.order)}
	reached := map[uint64]bool{}
	for _, b := range p.order {
		last := b.from
		p.each(b, func(x *step) { last, reached[x.PC] = x.PC, true })
		if b.unknown != "" {
			all.Unknown++
			p.way = b.first
			p.note(last, Unfollowed, b.unknown)
		}
	}
	if p.full {
		all.Unknown++
		p.note(p.order[0].start, Unfollowed, fmt.Sprintf("the kernel has more than %d blocks, those of functions counted "+
			"for each call: not all paths were followed", maxBlocks))
	}
	if all.Instructions = len(reached); all.Unknown == 0 {
		p.unreached(reached)
	}
	return all
}
