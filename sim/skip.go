package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/state"
)

// skipper holds the functions of a watcher that skips instructions; see [unseen.Needs].
type skipper struct {
	skip    func(e *Event, accesses bool) unseen.Ahead
	skipped func(e *Event, n uint64, trace unseen.Trace)
}

// weight returns the factor by which executed instructions count towards compilation. A watched instruction takes
// about ten times as long as an unwatched one until its program is compiled.
func (s *skipper) weight() uint64 {
	if s.skip == nil {
		return 1
	}
	return 8
}

// reaches reports whether an instruction may access memory or LDS.
func (s *step) reaches() bool { return s.class > ClassVALU }

// askToSkip asks the watcher for the code from step i of p on that need not be shown. It also decides whether
// accesses are traced: they are if blocks can trace them, unless that has just failed. Only traced code may loop.
func (r *runner) askToSkip(w *state.Wave, p *Program, i uint64) (a unseen.Ahead) {
	n := &r.native
	n.tracing = false
	if r.skip.skip == nil || r.flags&mayTrap != 0 {
		return a
	}
	accesses := r.skip.skipped != nil && n.refused != i+1 && !n.misses() && r.blocksOf(p, w, 0) != nil
	n.refused = 0
	r.event.PC, r.event.Inst = w.PC, (*gcn.Inst)(&p.steps[i].in)
	r.inCall = r.all[0]
	a = r.skip.skip(&r.event, accesses)
	r.inCall = nil
	if a.Bytes != 0 {
		r.catchUp()
	}
	if n.tracing = accesses && a.Bytes != 0; n.tracing {
		if n.context == nil {
			n.context = blockContexts.Get().(*block.Context)
		}
		n.context.BeginTrace()
	}
	return a
}

// tellSkipped tells the watcher that w has executed instructions which the watcher skipped. If the next one faulted
// with f, the watcher sees the wave before that instruction.
func (r *runner) tellSkipped(w *state.Wave, executed uint64, f *state.Fault) {
	tracing := r.native.tracing
	r.native.tracing, r.native.traced = false, 0
	if executed == 0 {
		return
	}
	pc := w.PC
	if f != nil {
		w.PC = r.pc()
	}
	r.inCall = r.all[0]
	if tracing {
		r.skip.skipped(&r.event, executed, (*trace)(r))
	} else {
		r.skip.skipped(&r.event, executed, noTrace{})
	}
	r.inCall = nil
	w.PC = pc
}

// noTrace is the empty [unseen.Trace], for code whose accesses are not traced.
type noTrace struct{}

// Next implements [unseen.Trace].
func (noTrace) Next(int, bool) bool { return false }

// Lanes implements [unseen.Trace].
func (noTrace) Lanes(int) (exec, base uint64, places *state.Lanes, second uint64) {
	return 0, 0, nil, 0
}

// trace is the [unseen.Trace] of the code that the runner has executed.
type trace runner

// Next implements [unseen.Trace].
func (r *trace) Next(pass int, record bool) bool {
	n := &r.native
	count, _ := n.context.Traced()
	if n.traced = min(n.traced+pass, count); n.traced == count {
		return false
	}
	code := n.of.code
	i := n.context.TracedStep(code, n.traced)
	in := &r.event.Program.steps[i].in
	r.event.PC, r.event.Inst = r.event.Program.Base+4*i, (*gcn.Inst)(in)
	n.traced++
	if !record {
		return true
	}
	space := state.Global
	if in.Enc == isa.DS {
		space = state.LDS
	}
	row := in.Row()
	executor.Begin(&r.access, &row.Mem, space, 0)
	r.access.Regs, r.access.Split = row.Mem.Dwords, row.Has(isa.Two)
	n.context.Trace(code, n.traced-1, &r.access)
	return true
}

// Lanes implements [unseen.Trace].
func (r *trace) Lanes(ahead int) (exec, base uint64, places *state.Lanes, second uint64) {
	n := &r.native
	if count, _ := n.context.Traced(); n.traced+ahead == 0 || n.traced+ahead > count {
		return 0, 0, nil, 0
	}
	return n.context.LaneAddresses(n.of.code, n.traced+ahead-1)
}

// span is the range of steps that [runner.execute] executes, from begin up to end, of a wave that had executed
// executed instructions before. If it loops, the steps execute as often as the branch at their end returns to the
// first one, else once.
type span struct {
	begin, end uint64
	executed   uint64
	loops      bool
}

// beginSpan begins the span of the code a of p at step i, or of the rest of p if a.Bytes is 0. It does not loop if
// accesses are not traced.
func (n *native) beginSpan(p *Program, a *unseen.Ahead, i, executed uint64) *span {
	s := &n.span
	*s = span{begin: i, end: uint64(len(p.steps)), executed: executed, loops: n.tracing && a.Loops}
	if a.Bytes != 0 {
		s.end = min(s.end, i+a.Bytes/4)
	}
	return s
}

// count returns the number of instructions from one step up to another.
func (b *blocks) count(from, to uint64) uint64 { return uint64(b.before[to] - b.before[from]) }

// budgetAt returns how many instructions blocks may execute from step i on: at most limit, at most the rest of the
// span, and no more than their accesses can be traced. It allows the branch at the end to loop as often as the trace
// has room.
func (n *native) budgetAt(i, limit uint64) uint64 {
	b, s := n.of, &n.span
	_, free := n.context.Traced()
	room, reaching := uint64(free), uint64(b.reaching[s.end]-b.reaching[i])
	rest := b.count(i, s.end)
	if reaching > room {
		return min(rest, limit, room) // each instruction has at most one trace entry
	}
	if s.loops {
		body, entries := b.count(s.begin, s.end), uint64(b.reaching[s.end]-b.reaching[s.begin])
		n.context.Loop(s.end-1, body, min((limit-min(rest, limit))/body, (room-reaching)/max(entries, 1)))
	}
	return min(rest, limit)
}

// isStraight reports whether a wave that has executed executed instructions reached step i of the span without
// branches, except the branch that loops, and may continue. It returns false at an iteration whose accesses cannot
// all be traced.
func (n *native) isStraight(i, executed uint64) bool {
	b, s := n.of, &n.span
	done, at := executed-s.executed, b.count(s.begin, i)
	if own := b.count(s.begin, s.end); s.loops && done >= own {
		_, room := n.context.Traced()
		return done%own == at%own && (i != s.begin || room >= int(b.reaching[s.end]-b.reaching[i]))
	}
	return done == at
}
