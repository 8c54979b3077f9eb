package sim

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/steps"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/state"
)

// Watcher observes runs. [Config.Watch] adds it to a [Machine], a [Launch] or a [Compute]. It must not change the
// data that it sees. Embed [NoWatcher] for the methods that do nothing.
//
// The calls for one run are: Start once, then Begin once for each work-group, and Issue and Retire for the
// instructions of its waves. Waves take turns: if an instruction waits for others (as s_memtime may), calls for other
// waves come between its Issue and its Retire. There is no call at the end of a run: when the run returns, all calls
// have returned. Calls for one run do not overlap; a watcher of several runs at a time must be safe for concurrent
// calls. The work-groups of a watched dispatch execute one after another, in order, unless a time model orders them.
//
// If a method panics, the run ends with a fault of kind internal that names the watcher.
type Watcher interface {
	// Needs returns the events that the watcher must see. It is called once, when the watcher is added.
	Needs() Needs
	// Start is called when a run begins, before anything has executed. If it returns an error, the run ends with that
	// error. The methods of several watchers are called in the order in which the watchers were added.
	Start(r *Run) error
	// Begin is called with the waves of a work-group before its first instruction. The slice and the waves are reused
	// for other work-groups.
	Begin(waves []*state.Wave)
	// Issue is called before an instruction executes, while its source registers still have their values, if Needs has
	// BeforeAndAfter. It is called once, even if the wave must then wait for another one. It is the last call for an
	// instruction that faults. The access record of the event is not yet that of the instruction. The event is reused.
	Issue(e *Event)
	// Retire is called after an instruction has executed. The event is reused: copy the data that you keep.
	Retire(e *Event)
}

// NoWatcher implements the methods of a [Watcher] that often do nothing, for embedding. A watcher must define Needs
// itself.
type NoWatcher struct{}

// Start does nothing.
func (NoWatcher) Start(*Run) error { return nil }

// Begin does nothing.
func (NoWatcher) Begin([]*state.Wave) {}

// Issue does nothing.
func (NoWatcher) Issue(*Event) {}

// Retire does nothing.
func (NoWatcher) Retire(*Event) {}

// Needs tells what a [Watcher] must see. The zero value means each instruction, after it has executed.
type Needs struct {
	// Events selects the instructions that the watcher must see. It may see more, if another watcher needs them.
	Events Events
	// Compare has the effect of [Config].Compare.
	Compare bool
	// Clock, if not nil, is the clock that waves read. A run has one clock.
	Clock Clock
	// PastEnd, if not nil, is called when a wave alone ends by running past the last word of its program, as a snippet
	// without s_endpgm does (rule ST24).
	PastEnd func(w *state.Wave)
}

// Events selects the instructions that a watcher must see.
type Events uint8

// The sets of instructions that a watcher can select.
const (
	// AllEvents selects all instructions, after they have executed.
	AllEvents Events = iota
	// SparseEvents allows scalar and vector ALU instructions to be left out if they continue at the next instruction and
	// do not change EXEC. The next event has their size in bytes ([Event].Before). This makes runs faster. The first and
	// the last instruction of a wave's turn are never left out.
	SparseEvents
	// BeforeAndAfter selects all instructions, before and after they have executed.
	BeforeAndAfter
)

// Run describes a run that begins: a dispatch, if Compute is not nil, or waves alone.
type Run struct {
	Machine *Machine
	// Launch is the argument of [Machine.Dispatch], nil in other runs.
	Launch *Launch
	// Compute holds the registers of a dispatch: the argument of [Machine.Compute], or the registers that
	// [Machine.Dispatch] has derived from Launch.
	Compute *Compute
	// Program and Waves are the arguments of [Machine.RunProgram].
	Program *Program
	Waves   []*state.Wave
}

// Observer returns a watcher that calls f after each instruction.
func Observer(f func(*Event)) Watcher { return &observer{see: f} }

// SparseObserver returns a watcher that calls f after some instructions; see [SparseEvents].
func SparseObserver(f func(*Event)) Watcher {
	return &observer{see: f, needs: Needs{Events: SparseEvents}}
}

// observer is a watcher that calls a function.
type observer struct {
	NoWatcher
	see   func(*Event)
	needs Needs
}

// Needs implements [Watcher].
func (o *observer) Needs() Needs { return o.needs }

// Retire implements [Watcher].
func (o *observer) Retire(e *Event) { o.see(e) }

// watchers are the watchers of a run, with their combined needs. They are immutable, so that copies of a Config share
// them.
type watchers struct {
	all        []Watcher
	before     []Watcher // the watchers that see instructions before they execute
	sparse     bool      // no watcher needs every instruction
	skip       skipper
	needs      Needs               // combined needs, without Events and PastEnd
	pastEnd    []func(*state.Wave) // all functions PastEnd that are not nil
	keeper     int                 // the watcher with the clock is element keeper-1 of all
	schedule   func(next func() (g unseen.Group, more bool))
	scheduler  Watcher        // the watcher with schedule
	schedulers int            // number of watchers with a Scheduler
	driver     steps.Director // the director among the watchers, or nil
}

// nobody is an empty list of watchers.
var nobody watchers

// watched returns the watchers in c.
func (c *Config) watched() *watchers {
	if c.watchers == nil {
		return &nobody
	}
	return c.watchers
}

// Watch adds watchers to c. Each sees all events that it needs, independent of other watchers and of their order.
// Earlier copies of c do not change.
//
// If a watcher cannot be added, the error is an *[Error] of kind [BadWatcher], and no watcher is added. This is the
// case for a nil watcher, one that is not comparable, one that has been added before, and a second one with a clock.
func (c *Config) Watch(list ...Watcher) error {
	next := *c.watched()
	for _, w := range list {
		if err := next.add(w); err != nil {
			return err
		}
	}
	c.watchers = &next
	return nil
}

// Watchers returns the watchers of c in the order in which they were added.
func (c *Config) Watchers() []Watcher { return slices.Clone(c.watched().all) }

// add adds a watcher to l. It copies the lists of l, because other watchers share them.
func (l *watchers) add(w Watcher) error {
	switch {
	case isNil(w):
		return badWatcher("a watcher is nil; leave it out")
	case !reflect.ValueOf(w).Comparable():
		return badWatcher("%s cannot be told from others, since its values do not compare; add a pointer to it", nameOf(w))
	case slices.Contains(l.all, w):
		return badWatcher("%s looks at the run already; add it once", nameOf(w))
	}
	n := w.Needs()
	switch {
	case n.Events > BeforeAndAfter:
		return badWatcher("%s needs events of kind %d; there are AllEvents, SparseEvents and BeforeAndAfter", nameOf(w),
			n.Events)
	case n.Clock != nil && l.needs.Clock != nil:
		return badWatcher("%s and %s both tell waves the time; a run has one clock, so let one of them hide its own",
			nameOf(l.all[l.keeper-1]), nameOf(w))
	}
	own := unseen.Of[*Event](w)
	if d, ok := w.(steps.Director); ok {
		l.driver = d
	}
	l.skip = skipper{}
	if len(l.all) == 0 {
		l.skip = skipper{own.Skip, own.Skipped}
	}
	l.sparse = (l.sparse || len(l.all) == 0) && n.Events == SparseEvents
	l.all = append(slices.Clip(l.all), w)
	if n.Events == BeforeAndAfter {
		l.before = append(slices.Clip(l.before), w)
	}
	l.needs.Compare = l.needs.Compare || n.Compare
	if n.PastEnd != nil {
		l.pastEnd = append(slices.Clip(l.pastEnd), n.PastEnd)
	}
	if n.Clock != nil {
		l.needs.Clock, l.keeper = n.Clock, len(l.all)
	}
	if own.Scheduler != nil {
		l.schedule, l.scheduler = own.Scheduler, w
		l.schedulers++
	}
	return nil
}

// isNil reports whether w is nil, or an interface that contains nil.
func isNil(w Watcher) bool {
	switch v := reflect.ValueOf(w); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Map:
		if v.IsNil() {
			return true
		}
	}
	o, ok := w.(*observer)
	return ok && o.see == nil
}

// nameOf returns the name of w in messages.
func nameOf(w Watcher) string {
	if _, ok := w.(*observer); ok {
		return "the observer"
	}
	return fmt.Sprintf("the watcher %T", w)
}

// badWatcher returns the error for a watcher that cannot be added.
func badWatcher(format string, args ...any) error {
	return &Error{Kind: BadWatcher, What: fmt.Sprintf(format, args...)}
}

// start calls Start of the watchers. The error is theirs, or a *[state.Fault] if one panics.
func (l *watchers) start(r *Run, label string) (err error) {
	now := 0
	defer func() {
		if v := recover(); v != nil {
			f := (&runner{label: label}).internal(v)
			f.What = fmt.Sprintf("%s panicked: %v", nameOf(l.all[now]), v)
			err = f
		}
	}()
	for now = range l.all {
		if err := l.all[now].Start(r); err != nil {
			return err
		}
	}
	return nil
}

// begin calls Begin of the watchers with the waves of a work-group.
func (r *runner) begin(waves []*state.Wave) {
	for _, w := range r.all {
		r.inCall = w
		w.Begin(waves)
	}
	r.inCall = nil
}

// issue calls Issue of the watchers that see instructions before they execute.
func (r *runner) issue(w *state.Wave, pc uint64, in *isa.Inst) {
	if w.Wait != state.NoWait { // Issue was called before the wave began to wait
		return
	}
	r.event.PC, r.event.Inst = pc, (*gcn.Inst)(in)
	for _, w := range r.before {
		r.inCall = w
		w.Issue(&r.event)
	}
	r.inCall = nil
}

// leftOut describes the instructions that have executed since the last event for sparse watchers, one after another.
type leftOut struct {
	last *step  // nil if there are none
	from uint64 // PC of the first of these instructions
	pc   uint64 // PC of the last of these instructions
	exec uint64 // EXEC after the instruction of the last event
	seen bool   // an event has been shown in this turn of the wave, as for the first instruction
}

// seen shows instruction s, which has executed, to the watchers if they must see it, and reports whether they must.
func (r *runner) seen(w *state.Wave, s *step) bool {
	u := &r.leftOut
	goesOn := s.flags&changesFlow == 0 || w.PC == r.pc()+uint64(s.in.Size) && !w.Ended && !w.AtBarrier
	if r.sparse && u.seen && goesOn && s.class <= ClassVALU && r.access.Op == gcn.NoMem && w.Exec() == u.exec {
		if u.last == nil {
			u.from = r.pc()
		}
		u.last, u.pc = s, r.pc()
		return false
	}
	r.event.Before = 0
	if u.last != nil {
		r.event.Before = r.pc() - u.from
	}
	u.last, u.exec, u.seen = nil, w.Exec(), true
	r.retire(r.pc(), &s.in)
	return true
}

// catchUp shows the last executed instruction to the watchers, if they have not seen it. If the next instruction has
// faulted, they see the wave before that.
func (r *runner) catchUp() {
	u, w := &r.leftOut, r.wave
	if u.last == nil {
		return
	}
	in, pc := &u.last.in, w.PC
	w.PC, r.access.Op = u.pc+uint64(in.Size), gcn.NoMem
	r.event.Before, u.last = u.pc-u.from, nil
	r.retire(u.pc, in)
	w.PC = pc
}

// retire calls Retire of all watchers for an executed instruction. Afterwards the work-group pauses, if a watcher
// requested it.
func (r *runner) retire(pc uint64, in *isa.Inst) {
	r.event.PC, r.event.Inst = pc, (*gcn.Inst)(in)
	for _, w := range r.all {
		r.inCall = w
		w.Retire(&r.event)
	}
	r.inCall = nil
	if r.turn != nil && r.turn.pausing {
		r.turn.pausing = false
		r.turn.yield(struct{}{})
	}
}

// watch makes the watchers in l see the instructions of r.
func (r *runner) watch(l *watchers) {
	r.all, r.before, r.pastEnd, r.sparse, r.skip, r.flags = l.all, l.before, l.pastEnd, l.sparse, l.skip, 0
	if l.driver != nil { // the director observes by itself
		r.all = slices.DeleteFunc(slices.Clone(r.all), func(w Watcher) bool { return w == l.driver.(Watcher) })
		r.director = l.driver
	}
	if len(r.all) > 0 {
		r.flags = visible
	}
}
