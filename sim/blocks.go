package sim

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/state"
)

// hotCode is the machine code of a program. Package block compiles it once waves have executed many of its
// instructions. The run loop enters it if there are no watchers and no traps. For instructions that watchers allow to
// execute unseen, it enters a second version, which traces memory accesses. With traps, instructions execute one by
// one.
type hotCode struct {
	find     func(*isa.Inst) executor.Impl // returns the executor of an instruction
	limit    int64                         // number of instructions to execute before the program is compiled
	executed atomic.Int64                  // instructions executed so far; counting stops near limit
	compiled [2][block.NumModes]atomic.Pointer[blocks]
	compile  sync.Mutex
}

// blocks is the machine code of a program for one mode.
type blocks struct {
	code  *block.Code // nil if the program could not be compiled
	steps []step      // the program's steps, with startsBlock set where a block begins
	notes []note      // the program's notes
	sites map[uint64]findSite
	// before and reaching are the numbers of instructions, and of instructions that access memory, before each step and
	// before the end. They are nil if the code does not trace its accesses.
	before, reaching []uint32
}

// findSite is [executor.Impl.Site].
type findSite func(w *state.Wave, p *executor.Ports) (block.Site, bool)

// newHotCode returns the state of a program of n dwords that is not compiled yet; nil if there is no compiled engine.
func newHotCode(n int, find func(*isa.Inst) executor.Impl) *hotCode {
	if !choice.compiles {
		return nil
	}
	return &hotCode{find: find, limit: int64(hotInstructions + hotTurns*n)}
}

// blocksOf returns the machine code of p that w may enter if all instructions have the flags all, nil if it may not
// enter any.
func (r *runner) blocksOf(p *Program, w *state.Wave, all stepFlags) *blocks {
	h := p.hot
	if !block.Compiles || h == nil || !choice.compiles || all != 0 || !h.isHot() {
		return nil
	}
	key, ok := block.Suits(w.Mode)
	if !ok {
		return nil
	}
	kind := &h.compiled[0]
	if !r.ports.Unseen {
		kind = &h.compiled[1]
	}
	b := kind[key].Load()
	if b == nil {
		b = h.compileFor(p, &kind[key], w.Mode, r.ports.Unseen)
	}
	if b.code == nil {
		return nil
	}
	return b
}

// compileFor compiles p for waves in mode m and stores the result in place. If free is not set, the code traces its
// accesses.
func (h *hotCode) compileFor(p *Program, place *atomic.Pointer[blocks], m state.Mode, free bool) *blocks {
	h.compile.Lock()
	defer h.compile.Unlock()
	if b := place.Load(); b != nil {
		return b
	}
	b := &blocks{}
	does, sizes, sites := h.describe(p)
	if !free {
		b.before, b.reaching = before(p.steps, sizes)
	}
	if code, err := block.Compile(does, sizes, m, !free); err == nil {
		b.code, b.steps, b.notes, b.sites = code, slices.Clone(p.steps), p.notes, sites
		for i := range b.steps {
			if code.Has(i) || !free && b.steps[i].reaches() {
				b.steps[i].flags |= startsBlock
			}
		}
	}
	place.Store(b)
	return b
}

// before returns the numbers of instructions, and of instructions that access memory, before each step and before the
// end. sizes holds the dwords of each instruction.
func before(steps []step, sizes []uint8) (all, reaching []uint32) {
	all, reaching = make([]uint32, len(sizes)+1), make([]uint32, len(sizes)+1)
	next := 0
	for i := range sizes {
		all[i+1], reaching[i+1] = all[i], reaching[i]
		if i == next {
			all[i+1]++
			if steps[i].reaches() {
				reaching[i+1]++
			}
			next += max(int(sizes[i]), 1)
		}
	}
	return all, reaching
}

// describe returns, by step, the instructions of p for package block, their sizes in dwords, and the functions that
// compute the addresses of accesses.
func (h *hotCode) describe(p *Program) (does []*block.Instr, sizes []uint8, sites map[uint64]findSite) {
	does, sizes, sites = make([]*block.Instr, len(p.steps)), make([]uint8, len(p.steps)), map[uint64]findSite{}
	for i := range p.steps {
		s := &p.steps[i]
		sizes[i] = s.in.Size / 4
		if s.exec == nil || s.note >= block.MaxReports {
			continue
		}
		impl := h.find(&s.in)
		if impl.Block == nil {
			continue
		}
		in := impl.Block()
		if in != nil && in.Branch != nil {
			if to := int64(i) + int64(sizes[i]) + in.Branch.Far/4; to < 0 || to > int64(len(does)) {
				in = nil
			}
		}
		if in != nil {
			in.Report = uint8(s.note)
		}
		if does[i] = in; impl.Site != nil {
			sites[uint64(i)] = impl.Site
		}
	}
	return does, sizes, sites
}

// execute executes instructions of p from step i on, as an engine does. If ahead.Bytes is not 0, it executes only
// those bytes of code, and no watcher sees it.
func (r *runner) execute(w *state.Wave, p *Program, i, limit uint64, ahead *unseen.Ahead) *state.Fault {
	skips, flags := ahead.Bytes != 0, r.flags
	if skips {
		flags &^= visible
	}
	blocks := r.blocksOf(p, w, flags)
	if blocks == nil && !skips {
		return r.runPlain(w, p, i, limit)
	}
	steps := p.steps
	if blocks != nil {
		steps = blocks.steps
	}
	return r.runCompiled(w, p, blocks, steps, i, limit, r.native.beginSpan(p, ahead, i, w.Executed), skips)
}

// runCompiled is the engine that enters machine code where a block begins, and executes as the plain engine does
// elsewhere. If skips is set, it does not leave the span, and no watcher sees the instructions.
func (r *runner) runCompiled(w *state.Wave, p *Program, blocks *blocks, steps []step, i, limit uint64, span *span,
	skips bool) *state.Fault {
	for i < span.end && w.Executed < limit {
		s := &steps[i]
		if block.Compiles && s.flags&startsBlock != 0 {
			if next, some := r.runBlocks(w, p, blocks, i, limit); some {
				if i = next; w.Ended || w.AtBarrier || skips && !r.native.isStraight(i, w.Executed) {
					break
				}
				continue
			}
			if r.native.tracing && s.reaches() { // the watcher wants to know the addresses
				r.native.refused = i + 1
				break
			}
		}
		if s.flags&changesFlow == 0 {
			var f *state.Fault
			if i, f = r.runStraight(w, p, steps, i, limit, span.end); f != nil {
				return f
			}
			continue
		}
		if s.exec == nil { // the instruction faults: runTurn returns the fault
			break
		}
		if f := r.executeStep(w, p, s, i, s.flags); f != nil {
			return f
		}
		next := i + uint64(s.in.Size)/4
		if i = (w.PC - p.Base) / 4; w.Ended || w.AtBarrier || w.PC&3 != 0 {
			break
		}
		if skips && i != next {
			if next != span.end || !span.loops || i != span.begin {
				break
			}
			span.executed = w.Executed
		}
	}
	return nil
}

// The runner stops entering the blocks of a program when more than one call in missesOf executed nothing, counted
// after leastMisses such calls.
const (
	leastMisses = 16
	missesOf    = 4
)

// runBlocks executes blocks of p from step i on, until w has executed limit instructions in total or reaches a step
// at which no block begins. some is false if it executed nothing.
func (r *runner) runBlocks(w *state.Wave, p *Program, b *blocks, i, limit uint64) (next uint64, some bool) {
	n := &r.native
	if !b.code.Begins(int(i)) {
		return i, false
	}
	x := n.contextOf()
	if n.of != b {
		r.noteBlocks()
		n.of, n.entered, n.missed, n.forgets = b, 0, 0, true
	}
	if n.misses() || choice.enters != nil && !choice.enters() {
		return i, false
	}
	n.entered++
	r.forgetSites(w, b)
	if b.before != nil && !n.tracing {
		x.BeginTrace()
	}
	lds := r.ports.LDS.Bytes[:r.ports.LDS.Hi]
	begin, next := w.Executed, i
	for found := uint64(noStep); w.Executed < limit; {
		budget := min(limit-w.Executed, slice)
		if b.before != nil {
			budget = n.budgetAt(next, budget)
		}
		var did uint64
		var why block.Left
		next, did, why = b.code.Run(x, w, next, budget, lds)
		w.Executed += did
		if why == block.Unknown && next != found && r.findSite(w, b, next) {
			found = next
			continue
		}
		switch {
		case why == block.Missed:
			n.missed++
		case next == found:
			x.Failed(b.code, next)
		}
		break
	}
	if w.Executed == begin {
		return i, false
	}
	r.at, w.PC = i, p.Base+4*next
	return next, true
}

// direct executes a wave that has just begun and is alone in work-group n, in blocks. Waves of the work-groups before
// number to may execute after it in the same call; then n and wave become the last of them. It reports whether the
// last wave has ended. If so, the run loop, which checks much that does not concern such waves, need not run.
func (w *worker) direct(wave *state.Wave, n *int64, to int64) bool {
	r := &w.runner
	if !block.Compiles || len(r.all) > 0 || r.order.kind != "" || r.ports.Sync != nil || wave.PC&3 != 0 {
		return false
	}
	p := r.code[0]
	r.arm(wave)
	b, i := r.blocksOf(p, wave, r.flags), (wave.PC-p.Base)/4
	if b == nil || i >= uint64(len(b.steps)) || b.steps[i].flags&startsBlock == 0 {
		return false
	}
	r.wave = wave
	r.enter(p)
	x := r.native.contextOf()
	if more := w.alike(to - 1 - *n); more > 0 {
		id := -1
		if w.d.system[0] {
			id = w.d.user
		}
		x.Follow(b.code, i, more, slice, &w.begun[0], &w.local[0], id)
	}
	r.runBlocks(wave, p, b, i, min(r.limit.Load(), slice))
	waves, executed := x.Followed()
	*n += int64(waves)
	r.native.entered += int(waves)
	r.res.Instructions += executed
	return wave.Ended
}

// alike returns how many of the next n work-groups start their wave in the same state as this one, except for the X
// work-group id. It is 0 if there is LDS or private memory, which must be cleared.
func (w *worker) alike(n int64) int64 {
	d, g := w.d, &w.now
	if g.items != d.full || len(w.ports.LDS.Words) > 0 || d.private.size > 0 {
		return 0
	}
	last := d.first[0] + d.groups[0] - 1
	if d.last[0] != d.full[0] {
		last--
	}
	return min(n, int64(last-g.id[0]))
}

// tallied returns the result, including the counts by class of instructions that blocks executed.
func (r *runner) tallied() *tally {
	if r.native.context != nil {
		r.noteBlocks()
		n := r.native.context.Counted()
		r.native.executed += n.Executed
		all := &r.res.ByClass
		all[ClassVALU] += n.VALU
		all[ClassDS] += n.DS
		all[ClassFLAT] += n.FLAT
		all[ClassGLOBAL] += n.GLOBAL
		all[ClassMUBUF] += n.MUBUF
		all[ClassSMEM] += n.SMEM
		all[ClassSALU] += n.Executed - n.VALU - n.DS - n.FLAT - n.GLOBAL - n.MUBUF - n.SMEM
	}
	return &r.res
}

// findSite finds the addresses of the access at a step for compiled code. It returns false if only an executor can
// find them, lane by lane.
func (r *runner) findSite(w *state.Wave, b *blocks, step uint64) bool {
	if x := r.native.context; x.MayHaveSite(b.code, step) {
		if site, ok := b.sites[step](w, &r.ports); ok {
			x.SetSite(b.code, step, w, site)
			return true
		}
		x.Failed(b.code, step)
	}
	return false
}

// noStep is a value that is not the number of a step.
const noStep = 1 << 62

// forgetSites makes the context forget the addresses that accesses of b used, if they may be out of date.
func (r *runner) forgetSites(w *state.Wave, b *blocks) {
	var now reached
	if r.memory != nil {
		now.ranges = r.memory.list()
	}
	now.lds = unsafe.SliceData(r.ports.LDS.Bytes)
	now.shared, now.private = w.SharedBase, w.PrivateBase
	if n := &r.native; n.forgets || n.reached != now {
		n.context.Forget(b.code)
		n.reached, n.forgets = now, false
	}
}

// reached holds the state on which the addresses of accesses depend, except for registers that instructions name.
type reached struct {
	ranges          *rangeList
	lds             *byte
	shared, private uint32 // high dwords of the LDS and private apertures
}

// native holds the state that a runner needs to enter blocks.
type native struct {
	of              *blocks // the blocks to which entered and missed belong
	entered, missed int
	forgets         bool    // the context has sites of other blocks
	reached         reached // the state on which the context's sites depend
	tracing         bool    // the instructions execute unseen and their accesses are traced
	span            span
	refused         uint64         // 1 + the step of an access that compiled code could not make, 0 if there was none
	traced          int            // number of trace entries that the watcher has read
	executed        uint64         // number of instructions executed in blocks, for tests
	context         *block.Context // nil until it is used
}

// misses reports whether so many calls executed nothing that the runner should stop entering blocks.
func (n *native) misses() bool { return n.missed > leastMisses && n.missed*missesOf > n.entered }

// contextOf returns the context of n, allocating one if necessary.
func (n *native) contextOf() *block.Context {
	if n.context == nil {
		n.context = blockContexts.Get().(*block.Context)
	}
	return n.context
}

// blockContexts are the contexts that no runner uses at present.
var blockContexts = sync.Pool{New: func() any { return new(block.Context) }}

// release returns the context of n to blockContexts.
func (n *native) release() {
	if n.context != nil {
		n.context.Forget(nil)
		n.context.Counted() // reset after a run that panicked
		n.context.Reported()
		n.context.Followed()
		blockContexts.Put(n.context)
		n.context, n.of = nil, nil
	}
}
