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

// Watcher looks at runs: it is added with [Config.Watch] to a [Machine], a [Launch] or a [Compute].
// It must not change what it sees. Embed [NoWatcher] for the methods that have nothing to do.
//
// The calls for one run are: Start once, then for each work-group Begin once, and Issue and Retire
// for the instructions of its waves. Waves take turns, so that between Issue and Retire of an
// instruction that waits for others (as s_memtime may) there are calls for other waves. No call says
// that a run has ended: all of them have returned when the run does. Calls for one run do not
// overlap; a watcher of runs that continue at the same time must be safe for that. The work-groups of a
// dispatch that is watched run one after another, in order, unless a time model orders them.
//
// If a method panics the run ends with a fault of kind internal that names the watcher.
type Watcher interface {
	// Needs returns what the watcher must see. It is called once, when the watcher is added.
	Needs() Needs
	// Start is called when a run begins, before anything has executed. An error ends the run, which
	// returns it. Watchers are called in the order in which they were added, also below.
	Start(r *Run) error
	// Begin is called before the first instruction of a work-group, with its waves. Both are used
	// again for other work-groups.
	Begin(waves []*state.Wave)
	// Issue is called before an instruction executes, while registers hold what it is going to
	// read, if Needs says BeforeAndAfter: once, even if the wave must then wait for another one. It
	// is the last call for an instruction that faults. The access record of the event is not that
	// of the instruction yet. The event is used again; copy what is kept.
	Issue(e *Event)
	// Retire is called after an instruction has executed. The event is used again; copy what is kept.
	Retire(e *Event)
}

// NoWatcher has the methods of a [Watcher] that may have nothing to do, for others to embed. What a
// watcher needs it says itself.
type NoWatcher struct{}

// Start does nothing.
func (NoWatcher) Start(*Run) error { return nil }

// Begin does nothing.
func (NoWatcher) Begin([]*state.Wave) {}

// Issue does nothing.
func (NoWatcher) Issue(*Event) {}

// Retire does nothing.
func (NoWatcher) Retire(*Event) {}

// Needs says what a [Watcher] must see. The zero value is each instruction, after it has executed.
type Needs struct {
	// Events says which instructions the watcher must see. It sees more if another watcher must.
	Events Events
	// Compare makes access records compare, as [Config].Compare does.
	Compare bool
	// Clock, if not nil, is the clock that waves read. A run has one clock.
	Clock Clock
	// PastEnd, if not nil, is called when a bare wave ends because it has run past the last word of its program, as a
	// snippet without s_endpgm does (rule ST24).
	PastEnd func(w *state.Wave)
}

// Events says which instructions a watcher must see.
type Events uint8

// Which instructions a watcher must see.
const (
	// AllEvents are all instructions, after they have executed.
	AllEvents Events = iota
	// SparseEvents may lack instructions of the scalar and the vector ALU that go on to the next one
	// and leave EXEC as it was; the event after them says how many bytes they take. That costs less
	// time. The first and the last one of a wave's turn are never left out.
	SparseEvents
	// BeforeAndAfter are all instructions, before and after they have executed.
	BeforeAndAfter
)

// Run is a run that begins: a dispatch, where Compute is not nil, or bare waves.
type Run struct {
	Machine *Machine
	// Launch is the argument of [Machine.Dispatch], nil for other runs.
	Launch *Launch
	// Compute are the registers of a dispatch: the argument of [Machine.Compute], or what
	// [Machine.Dispatch] has made of Launch.
	Compute *Compute
	// Program and Waves are the arguments of [Machine.RunProgram].
	Program *Program
	Waves   []*state.Wave
}

// Observer returns a watcher that calls f after each instruction.
func Observer(f func(*Event)) Watcher { return &observer{see: f} }

// SparseObserver returns a watcher that calls f after instructions: see [SparseEvents].
func SparseObserver(f func(*Event)) Watcher {
	return &observer{see: f, needs: Needs{Events: SparseEvents}}
}

// observer is a function that looks at a run.
type observer struct {
	NoWatcher
	see   func(*Event)
	needs Needs
}

// Needs is part of [Watcher].
func (o *observer) Needs() Needs { return o.needs }

// Retire is part of [Watcher].
func (o *observer) Retire(e *Event) { o.see(e) }

// watchers are the watchers of a run, and what they need together. They never change: configs
// that are copies of one another share them.
type watchers struct {
	all        []Watcher
	before     []Watcher // watchers of all that look before an instruction
	sparse     bool      // watchers may miss instructions
	skip       skipper
	needs      Needs               // without Events and PastEnd
	pastEnd    []func(*state.Wave) // PastEnd of those that have it
	keeper     int                 // the watcher that sets the clock: element keeper-1 of all
	schedule   func(next func() (g unseen.Group, more bool))
	scheduler  Watcher        // the watcher with schedule
	schedulers int            // how many watchers have a Scheduler
	driver     steps.Director // one of them, or nil
}

// nobody is the list of watchers of a run without any.
var nobody watchers

// watched returns the watchers of what c runs.
func (c *Config) watched() *watchers {
	if c.watchers == nil {
		return &nobody
	}
	return c.watchers
}

// Watch adds watchers to those that look at what runs with c: each sees all that it needs, whatever
// others there are and in whichever order they are added. Copies of c that were made before stay as
// they are.
//
// If one cannot be added the error is an *[Error] of kind [BadWatcher], and none is: a watcher that is
// nil, that does not compare, or that has been added before, and the second one with a clock.
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

// Watchers returns who looks at what runs with c, in the order in which they were added.
func (c *Config) Watchers() []Watcher { return slices.Clone(c.watched().all) }

// add adds a watcher to l, which shares its lists with others.
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

// isNil reports whether there is no watcher, or none behind its type.
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

// nameOf returns what messages call w.
func nameOf(w Watcher) string {
	if _, ok := w.(*observer); ok {
		return "the observer"
	}
	return fmt.Sprintf("the watcher %T", w)
}

// badWatcher says why a watcher cannot be added.
func badWatcher(format string, args ...any) error {
	return &Error{Kind: BadWatcher, What: fmt.Sprintf(format, args...)}
}

// start tells the watchers that r begins. The error is theirs, or a *[state.Fault] if one panics.
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

// begin shows the watchers the waves of a work-group.
func (r *runner) begin(waves []*state.Wave) {
	for _, w := range r.all {
		r.inCall = w
		w.Begin(waves)
	}
	r.inCall = nil
}

// issue shows an instruction to those that look before it executes.
func (r *runner) issue(w *state.Wave, pc uint64, in *isa.Inst) {
	if w.Wait != state.NoWait { // Issue was called before the wait
		return
	}
	r.event.PC, r.event.Inst = pc, (*gcn.Inst)(in)
	for _, w := range r.before {
		r.inCall = w
		w.Issue(&r.event)
	}
	r.inCall = nil
}

// leftOut are instructions that have executed, one after another, and that sparse watchers have not
// seen yet.
type leftOut struct {
	last *step  // nil if there is none
	from uint64 // PC of the first one
	pc   uint64 // PC of the last one
	exec uint64 // EXEC after the latest instruction that was seen
	seen bool   // one was seen in this turn of the wave: the first one always is
}

// seen shows the instruction of s, which has executed, if it must be seen, and reports whether.
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

// catchUp shows the latest instruction that has executed if it was not seen: the wave as it was
// then, if the next one has faulted.
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

// retire shows an instruction that has executed to all watchers. Then its work-group pauses, if one
// of them has asked for that.
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

// watch makes l see what r executes.
func (r *runner) watch(l *watchers) {
	r.all, r.before, r.pastEnd, r.sparse, r.skip, r.flags = l.all, l.before, l.pastEnd, l.sparse, l.skip, 0
	if l.driver != nil { // it looks by itself
		r.all = slices.DeleteFunc(slices.Clone(r.all), func(w Watcher) bool { return w == l.driver.(Watcher) })
		r.director = l.driver
	}
	if len(r.all) > 0 {
		r.flags = visible
	}
}
