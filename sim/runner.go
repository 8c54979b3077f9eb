package sim

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Event is one executed instruction as a [Watcher] sees it. Everything it points to is
// reused: a watcher copies what it keeps, and must not change what it sees.
type Event struct {
	Wave   *state.Wave // after the instruction
	PC     uint64      // of the instruction
	Inst   *gcn.Inst
	Access *state.Access // Op is NoMem if the instruction touched no memory
	Rules  state.Rules
	Align  state.Alignment
	// Memory is what all waves share. LDS and GDS are what the work-group has of them; they are empty
	// if its program has no instruction for them.
	Memory   *Memory
	LDS, GDS []byte
	// Private is the private memory of the waves of the work-group that lies at PrivateBase and
	// above, beside Memory. It is empty if there is none.
	Private     []byte
	PrivateBase uint64
	// Program is the code that holds the instruction.
	Program *Program
	// Before is how many bytes of code right before PC executed since the event before, one
	// instruction after another: those that [SparseEvents] leave out.
	Before uint64
	native *native // has the notes of accesses
}

// stopWith makes r stop before the next instruction when ctx ends, until the function that
// it returns is called.
func (r *runner) stopWith(ctx context.Context) (release func() bool) {
	if ctx.Done() == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() { r.limit.Store(0) })
}

// slice is how many instructions a wave runs before another wave of its work-group gets
// its turn.
const slice = 1 << 14

// beginEvent sets all fields of the event for wave w, which has not executed an instruction yet.
func (r *runner) beginEvent(w *state.Wave) {
	e, p := &r.event, &r.ports
	*e = Event{native: &r.native, Wave: w, Access: &r.access, Rules: p.Rules, Align: p.Align, Memory: r.memory,
		LDS: p.LDS.Bytes[:p.LDS.Hi], GDS: p.GDS.Bytes[:p.GDS.Hi]}
	if v, ok := p.Mem.(*view); ok && v.scratch != nil {
		e.Private, e.PrivateBase = v.scratch.Bytes[:v.scratch.Hi], v.scratch.Base
	}
}

// runner executes the waves of one work-group after another: the part of a run that
// belongs to one goroutine.
type runner struct {
	code    []*Program
	more    func(pc uint64) (*Program, error) // finds code that is not in code; nil if all of it is
	memory  *Memory                           // whose ranges faults name
	label   string                            // of the dispatch
	ports   executor.Ports
	access  state.Access
	all     []Watcher // who sees what executes
	before  []Watcher // who of them also sees it before
	calling int       // n: element n-1 of all has been called and has not returned; ^n: element n of before
	then    then      // shown if there are watchers
	sparse  bool      // none of them must see all
	skip    skipper   // of the one who sees it, if it skips
	event   Event     // that they see
	unseen  unseen
	turn    *Group // the work-group that runs, if it takes turns
	order   order  // of the turns of waves
	clock   Clock
	keeper  int // calling while the clock is called
	// limit is how many instructions a wave may execute; it falls to 0 when ctx ends, so
	// that the run loop looks at one number.
	limit atomic.Uint64
	ctx   context.Context // of the work-group that runs
	// openEnd lets a wave end by running past the last word, as a snippet does.
	openEnd bool
	handler *TrapHandler // nil without one
	collect bool         // exceptions are collected in TRAPSTS
	raised  executor.Raised
	raisers map[*Program]*raisers // of programs that execute where somebody can see exceptions
	wave    *state.Wave           // whose turn it is
	at      uint64                // the step of its instruction
	since   uint64                // the step after the first one of what goes straight on now, 0 if nothing does
	native  native
	res     tally
	shorter int                  // how many instructions the slice loses, from now on
	noted   map[*Program][]bool  // by index of the program's notes: those that are in the fidelity report
	toldOf  *Program             // the program that told belongs to
	told    []bool               // by index of its notes: those that are in the fidelity report
	doubted map[doubted]struct{} // lists of doubts of resources that are there
}

// enter makes p the program of the instructions that follow.
func (r *runner) enter(p *Program) {
	if r.event.Program = p; r.toldOf != p {
		r.toldOf, r.told = p, r.notesOf(p)
	}
}

// pc is the PC of the instruction that executes, or was the last one; 0 if there is none.
func (r *runner) pc() uint64 {
	if p := r.event.Program; p != nil {
		return p.Base + 4*r.at
	}
	return 0
}

// run executes w until it ends, reaches a barrier, must wait for another wave or has executed a slice
// of instructions.
func (r *runner) run(w *state.Wave) *state.Fault {
	r.wave = w
	if len(r.all) > 0 {
		r.beginEvent(w)
		r.unseen = unseen{}
	}
	r.arm(w)
	f := r.runTurn(w)
	r.catchUp()
	return f
}

// runTurn executes w until its turn ends. Watchers have not been told of the instructions since the last
// one that they saw: the caller tells them (catchUp).
func (r *runner) runTurn(w *state.Wave) *state.Fault {
	p := r.code[0]
	r.enter(p)
	for n := 0; n+r.shorter < slice; {
		i := (w.PC - p.Base) / 4
		if i >= uint64(len(p.steps)) || w.PC&3 != 0 {
			r.catchUp()
			next, f := r.find(w)
			if f != nil {
				return f
			}
			if next == nil {
				w.Ended = true
				return nil
			}
			p, i = next, (w.PC-next.Base)/4
			p.hold(w)
			r.enter(p)
		}
		r.at = i
		s := &p.steps[i]
		if s.exec == nil {
			if len(r.before) > 0 && s.in.Op != 0 {
				r.issue(w, w.PC, &s.in)
			}
			f := *p.why[int(i)]
			if r.trapIllegal(w, p, s, &f) {
				continue
			}
			return r.fault(w, p, w.PC, &f)
		}
		limit := r.limit.Load()
		if w.Executed >= limit {
			if r.ctx.Err() != nil {
				return nil //nolint:nilerr // group looks at ctx after each turn
			}
			return r.fault(w, p, w.PC, executor.NewFault(state.FaultLimit,
				"the limit of %d instructions a wave is reached; look for an endless loop, or raise it", limit))
		}
		before := w.Executed
		until := before + min(uint64(slice-n-r.shorter), limit-before)
		ahead := r.askToSkip(w, p, i)
		if ahead.Bytes == 0 && len(r.before) > 0 {
			r.issue(w, w.PC, &s.in)
		}
		f := r.runWithin(w, p, i, until, &ahead)
		if block.Compiles && r.native.noting {
			r.tellSkipped(w, w.Executed-before, f)
		}
		n += int(w.Executed - before)
		p.hot.count((w.Executed - before) * r.skip.weight())
		switch {
		case f == executor.Blocked:
			w.PC = r.pc()
			return nil
		case f != nil:
			return r.fault(w, p, r.pc(), f)
		}
		if w.Ended || w.AtBarrier {
			return nil
		}
	}
	return nil
}

// runWithin executes instructions of p, beginning at step i, until w has executed limit instructions in all, ends,
// reaches a barrier or leaves p, or until a watcher has seen an instruction. If unseen has bytes, it executes that
// code, and no watcher sees it.
func (r *runner) runWithin(w *state.Wave, p *Program, i, limit uint64, unseen *Ahead) *state.Fault {
	steps, all, skips := p.steps, r.then, unseen.Bytes != 0
	if skips {
		all &^= shown
	}
	blocks := r.blocksOf(p, w, all)
	if blocks != nil {
		steps = blocks.steps
	}
	span := r.native.beginSpan(p, unseen, i, w.Executed)
	for i < span.end && w.Executed < limit {
		s := &steps[i]
		then := s.then | all
		if block.Compiles && then&enters != 0 {
			if next, some := r.runBlocks(w, p, blocks, i, limit); some {
				if i = next; w.Ended || w.AtBarrier || skips && !r.native.isStraight(i, w.Executed) {
					break
				}
				continue
			}
			if r.native.noting && s.reaches() { // the watcher wants to know where
				r.native.refused = i + 1
				break
			}
		}
		if then&(flows|shown|traps) == 0 {
			var f *state.Fault
			if i, f = r.runStraight(w, p, steps, i, limit, span.end); f != nil {
				return f
			}
			continue
		}
		if s.exec == nil { // a fault: run says which
			break
		}
		r.at = i
		w.PC += uint64(s.in.Size)
		r.access.Op = gcn.NoMem
		var f *state.Fault
		if then&traps == 0 {
			f = s.exec(w, &r.ports, &s.in, &r.access)
		} else {
			f = r.execute(w, p, s, i)
		}
		if f != nil {
			return f
		}
		r.res.ByClass[s.class]++
		i += uint64(s.in.Size) / 4
		w.Executed++
		if then&leaves != 0 {
			r.after(w, s)
		}
		if then&shown != 0 && r.seen(w, s) { // who has seen it may have made the slice shorter
			break
		}
		if then&(flows|traps) != 0 {
			next := i
			if i = (w.PC - p.Base) / 4; w.Ended || w.AtBarrier || w.PC&3 != 0 {
				break
			}
			if skips && i != next {
				if next != span.end || span.back.end == 0 || i != span.back.begin {
					break
				}
				span.goBack(w.Executed)
			}
		}
	}
	return nil
}

// runStraight executes instructions of p, beginning at step i and below step end, that neither change the flow nor are
// shown to a watcher, and returns the step after the last one. It writes PC and Executed of the wave
// at its end only: none of these instructions reads them. It ends before a block, but executes the first instruction
// in any case.
func (r *runner) runStraight(w *state.Wave, p *Program, steps []step, i, limit, end uint64) (next uint64,
	f *state.Fault) {
	steps = steps[:min(end, i+limit-w.Executed)] // an instruction has a step or more
	r.since = i + 1
	r.access.Op = gcn.NoMem // only what has something to do after it changes that
	n := uint64(0)
	for i < uint64(len(steps)) {
		s := &steps[i]
		if s.then&(flows|enters) != 0 && (s.then&flows != 0 || n > 0) {
			break
		}
		r.at = i
		i += uint64(s.in.Size) / 4
		if f = s.exec(w, &r.ports, &s.in, &r.access); f != nil {
			break
		}
		n++
		r.res.ByClass[s.class]++
		if s.then&leaves != 0 {
			r.after(w, s)
			r.access.Op = gcn.NoMem
		}
	}
	w.PC = p.Base + 4*i
	w.Executed += n
	r.since = 0
	return i, f
}

// interrupted writes what straight would have written where an executor panicked: as elsewhere PC is
// that of the instruction after it.
func (r *runner) interrupted() {
	if r.since == 0 {
		return
	}
	words := func(i uint64) uint64 { return uint64(r.event.Program.steps[i].in.Size) / 4 }
	for i := r.since - 1; i < r.at; i += words(i) {
		r.wave.Executed++
	}
	r.wave.PC = r.pc() + 4*words(r.at)
	r.since = 0
}

// after does what an instruction leaves to do: counters, and the fidelity report.
func (r *runner) after(w *state.Wave, s *step) {
	if s.count != (isa.Counts{}) {
		executor.Issue(w, s.count)
	}
	if s.note != 0 && !r.told[s.note] {
		r.told[s.note] = true
		r.note(&r.event.Program.notes[s.note])
	}
	if r.access.Doubt != "" || r.access.NumDoubts != 0 {
		// Images leave doubts even if all lanes are in the border, buffers if they have no format.
		if r.access.Op != gcn.NoMem || s.class == ClassMIMG || s.class == ClassMUBUF {
			r.doubt(s)
		}
		if r.ports.Unseen { // the next instruction may leave no record
			r.access.Doubt, r.access.NumDoubts = "", 0
		}
	}
}

// find returns the program that holds w.PC; nil without a fault if running past the
// end is how this code ends.
func (r *runner) find(w *state.Wave) (*Program, *state.Fault) {
	for _, p := range r.code {
		if p.contains(w.PC) && w.PC&3 == 0 {
			return p, nil
		}
		if r.openEnd && w.PC == p.End {
			return nil, nil
		}
	}
	if r.more != nil {
		p, err := r.more(w.PC)
		if err == nil {
			r.code = append(slices.Clip(r.code), p) // others begin with the same
			r.lateNote(p)
			return p, nil
		}
		if f := (*state.Fault)(nil); errors.As(err, &f) {
			return nil, r.fault(w, r.code[0], w.PC, f)
		}
		return nil, nil // ctx has ended: group looks at it
	}
	f := executor.NewFault(state.FaultPC, "execution left the program; check the branch or a missing s_endpgm")
	if w.PC&3 != 0 {
		f.What = "instructions lie at multiples of 4; check the address that was jumped to"
	}
	return nil, r.fault(w, r.code[0], w.PC, f)
}

// fault adds to f what the executor does not know.
func (r *runner) fault(w *state.Wave, p *Program, pc uint64, f *state.Fault) *state.Fault {
	f.Wave, f.Group, f.PC, f.Symbol, f.Source, f.Dispatch = w.ID, w.Group, pc, p.Symbol(pc), p.Source(pc), r.label
	if f.Kind == state.FaultMemory && r.memory != nil {
		if near := r.memory.near(f.Addr); near != "" {
			f.What += "; it lies " + near
		}
	}
	if f.Text == "" {
		f.Text = p.text(pc)
	}
	return f
}
