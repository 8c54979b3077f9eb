package sim

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/sim/steps"
	"github.com/gcnsim/gcnsim/state"
)

// Event is one executed instruction as a [Watcher] sees it. Its fields, and all that they point to, are reused for
// the next event: a watcher must copy the data it keeps, and must not change any of it.
type Event struct {
	Wave   *state.Wave // state after the instruction
	PC     uint64      // address of the instruction
	Inst   *gcn.Inst
	Access *state.Access // Op is NoMem if the instruction accessed no memory
	Rules  state.Rules
	Align  state.Alignment
	// Memory is shared by all waves. LDS and GDS belong to the work-group; they are empty if its program has no
	// instruction that accesses them.
	Memory   *Memory
	LDS, GDS []byte
	// Private is the private memory of the work-group's waves if it is not in Memory. Its first byte has the address
	// PrivateBase. It is empty if there is none.
	Private     []byte
	PrivateBase uint64
	// Program is the code that holds the instruction.
	Program *Program
	// Before is the number of bytes of straight code directly before PC that executed since the previous event, and that
	// [SparseEvents] left out.
	Before uint64
}

// stopWith makes r stop before the next instruction when ctx ends. The caller must call release.
func (r *runner) stopWith(ctx context.Context) (release func() bool) {
	if ctx.Done() == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() { r.limit.Store(0) })
}

// slice is the number of instructions after which the turn of a wave ends.
const slice = 1 << 14

// beginEvent sets all fields of the event for wave w, which has not executed an instruction yet.
func (r *runner) beginEvent(w *state.Wave) {
	e, p := &r.event, &r.ports
	*e = Event{Wave: w, Access: &r.access, Rules: p.Rules, Align: p.Align, Memory: r.memory,
		LDS: p.LDS.Bytes[:p.LDS.Hi], GDS: p.GDS.Bytes[:p.GDS.Hi]}
	if v, ok := p.Mem.(*view); ok && v.scratch != nil {
		e.Private, e.PrivateBase = v.scratch.Bytes[:v.scratch.Hi], v.scratch.Base
	}
}

// runner executes work-groups one after another. Each goroutine of a run has one.
type runner struct {
	code    []*Program
	more    func(pc uint64) (*Program, error) // finds code that is not in code; nil if code is complete
	memory  *Memory                           // its ranges are named in faults
	label   string                            // label of the dispatch
	ports   executor.Ports
	access  state.Access
	all     []Watcher             // watchers; each sees every executed instruction
	before  []Watcher             // watchers that also see an instruction before it executes
	pastEnd []func(w *state.Wave) // called when a wave runs past the last word
	inCall  Watcher               // the watcher whose method is executing, or nil
	flags   stepFlags             // visible if there are watchers, mayTrap if exceptions can be seen
	sparse  bool                  // no watcher needs every instruction
	skip    skipper               // the functions of the watcher that skips instructions, if there is one
	event   Event                 // the event that watchers receive
	leftOut leftOut
	turn    *turningGroup // the work-group that executes, if work-groups take turns
	order   order         // the order in which waves take turns
	// director, if not nil, drives work-groups. driven tells whether it drives the current one, number number of total.
	director      steps.Director
	driven        bool
	number, total int64
	clock         Clock
	keeper        Watcher // the watcher whose clock is set
	// limit is the number of instructions after which a wave faults. When ctx ends it becomes 0, so that the run loop
	// compares with one number only.
	limit atomic.Uint64
	ctx   context.Context // context of the current work-group
	// openEnd allows a wave to end by running past the last word, as a snippet does.
	openEnd      bool
	handler      *TrapHandler // nil if there is no trap handler
	collect      bool         // exceptions are collected in TRAPSTS
	raised       executor.Raised
	raisers      map[*Program]*raisers // of the programs that execute while exceptions can be seen
	wave         *state.Wave           // the wave that executes
	at           uint64                // step of the instruction that executes
	straightFrom uint64                // 1 + the first step of the straight run that executes, 0 outside of one
	native       native
	res          tally
	sliceCut     int                  // number of instructions by which the slice is shortened
	noted        map[*Program][]bool  // for each program and index of a note, whether the note is in the fidelity report
	toldOf       *Program             // the program to which told belongs
	told         []bool               // for each index of its notes, whether the note is in the fidelity report
	doubted      map[doubted]struct{} // the lists of doubts that are in the fidelity report
}

// enter makes p the program of the next instructions.
func (r *runner) enter(p *Program) {
	if r.event.Program = p; r.toldOf != p {
		r.toldOf, r.told = p, r.notesOf(p)
	}
}

// pc returns the PC of the instruction that executes, or executed last; 0 if there is none.
func (r *runner) pc() uint64 {
	if p := r.event.Program; p != nil {
		return p.Base + 4*r.at
	}
	return 0
}

// run executes w until it ends, reaches a barrier, must wait for another wave or has executed a slice of
// instructions.
func (r *runner) run(w *state.Wave) *state.Fault {
	r.wave = w
	if len(r.all) > 0 {
		r.beginEvent(w)
		r.leftOut = leftOut{}
	}
	r.arm(w)
	f := r.runTurn(w)
	r.catchUp()
	return f
}

// runTurn executes w until its turn ends. Watchers have not seen all of its last instructions yet: the caller must
// call catchUp.
func (r *runner) runTurn(w *state.Wave) *state.Fault {
	p := r.code[0]
	r.enter(p)
	for n := 0; n+r.sliceCut < slice; {
		i := (w.PC - p.Base) / 4
		if i >= uint64(len(p.steps)) || w.PC&3 != 0 {
			r.catchUp()
			next, f := r.find(w)
			if f != nil {
				return f
			}
			if next == nil {
				w.Ended = true
				if r.openEnd {
					for _, tell := range r.pastEnd {
						tell(w)
					}
				}
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
		until := before + min(uint64(slice-n-r.sliceCut), limit-before)
		ahead := r.askToSkip(w, p, i)
		if ahead.Bytes == 0 && len(r.before) > 0 {
			r.issue(w, w.PC, &s.in)
		}
		f := r.execute(w, p, i, until, &ahead)
		if ahead.Bytes != 0 && r.skip.skipped != nil {
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

// find returns the program that contains w.PC. It returns nil without a fault if the wave ends by running past the
// end.
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
			r.code = append(slices.Clip(r.code), p) // other runners share the elements
			r.lateNote(p)
			return p, nil
		}
		if f := (*state.Fault)(nil); errors.As(err, &f) {
			return nil, r.fault(w, r.code[0], w.PC, f)
		}
		return nil, nil // ctx has ended, which group detects
	}
	f := executor.NewFault(state.FaultPC, "execution left the program; check the branch or a missing s_endpgm")
	if w.PC&3 != 0 {
		f.What = "instructions lie at multiples of 4; check the address that was jumped to"
	}
	return nil, r.fault(w, r.code[0], w.PC, f)
}

// fault completes f with the data that the executor does not have.
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
