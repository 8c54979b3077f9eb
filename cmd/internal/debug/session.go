// Package debug runs a program forward and back, for the command gcnsim debug. [Session] is the run. [Serve] lets a
// client control a session by the Debug Adapter Protocol.
//
// A run is deterministic. To restore the state before instruction n, a session executes from an earlier checkpoint, or
// from the beginning, up to n.
package debug

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/gcnsim/gcnsim/internal/sim/steps"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// Run runs a specification from its beginning. watch returns the watchers of the run.
type Run func(ctx context.Context, watch func(*spec.Run) []sim.Watcher) error

// Session is a run at a position. The position is the number of instructions executed since the start of the first
// work-group that is debugged. Waves execute in the same order as without a debugger.
type Session struct {
	Options
	run Run

	// These belong to the current run.
	group    steps.Group
	launched *sim.Run
	memory   *spec.Run
	resume   func() (struct{}, bool)
	halt     func()
	ended    error

	pos      int64
	wave     *state.Wave    // executes next; nil at the end of the last work-group
	fault    error          // why the next instruction cannot execute, nil if it can
	spoilt   bool           // an instruction has executed only in part
	calls    map[int][]call // by wave; checkpoints share the slices
	points   []point        // checkpoints in ascending order of position
	pages    map[steps.Page]struct{}
	used     int
	distance int64 // instructions between checkpoints
	edits    []edit
}

// call is a call that has not returned yet.
type call struct{ from, back uint64 } // PC of the call and its return address

// point is a checkpoint. It has the state at a position before the edits at this position.
type point struct {
	pos, group int64
	state      *steps.State
	calls      map[int][]call
}

// edit is a change by the user at a position.
type edit struct {
	pos  int64
	make func(*Session) error
}

// The distance of checkpoints is at least leastDistance instructions, and distanceOfPages instructions per saved page.
const (
	leastDistance   = 4 << 10
	distanceOfPages = 4
)

// Options are the options of a debugging session.
type Options struct {
	First       int64 // number of the first work-group to debug; earlier ones run to their ends without the debugger
	At          Place // the instruction at which to stop first; First is then the number of its work-group
	Checkpoints int   // limit of the bytes of all checkpoints
}

// DefaultCheckpoints is the default limit of the bytes of all checkpoints.
const DefaultCheckpoints = 256 << 20

// New returns a session before the first instruction of the first work-group to debug.
func New(run Run, o Options) (*Session, error) {
	s := &Session{Options: o, run: run, distance: leastDistance, pages: map[steps.Page]struct{}{}}
	if err := s.restart(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the run.
func (s *Session) Close() {
	if s.halt != nil {
		s.halt()
	}
}

// director passes the work-groups of a run to a session.
type director struct {
	sim.NoWatcher
	s     *Session
	skip  int64
	yield func(struct{}) bool
}

// Needs implements [sim.Watcher].
func (d *director) Needs() sim.Needs { return sim.Needs{} }

// Start implements [sim.Watcher].
func (d *director) Start(r *sim.Run) error {
	d.s.launched = r
	if d.s.At.given {
		d.s.First = numberOf(d.s.At.group, r.Launch)
	}
	return nil
}

// From implements [steps.Director].
func (d *director) From() (skip, direct int64) { return d.skip, max(d.skip, d.s.First) }

// numberOf returns the number of a work-group in the order in which work-groups of a launch start. It is 0 if l is nil.
func numberOf(group [3]uint32, l *sim.Launch) int64 {
	if l == nil {
		return 0
	}
	n, total := int64(0), int64(1)
	for axis := range 3 {
		size, first := max(l.Group[axis], 1), uint32(0)
		if l.Registers != nil {
			first = l.Registers.Start[axis]
		}
		n += total * int64(group[axis]-first)
		total *= int64((max(l.Grid[axis], 1)-1)/size + 1 - first)
	}
	if l.Schedule == sim.Reverse {
		return total - 1 - n
	}
	return n
}

// Direct implements [steps.Director].
func (d *director) Direct(g steps.Group) error {
	if d.s.group = g; !d.yield(struct{}{}) {
		return errHalted
	}
	return nil
}

var (
	errHalted  = errors.New("debug: the run was left")
	errNoGroup = errors.New("no work-group executes an instruction: the grid has fewer of them than --group or --at says")
)

// launch starts a run that does not execute work-groups before number skip.
func (s *Session) launch(skip int64) error {
	s.Close()
	d := &director{s: s, skip: skip}
	s.group, s.ended = nil, nil
	s.resume, s.halt = iter.Pull(func(yield func(struct{}) bool) {
		d.yield = yield
		s.ended = s.run(context.Background(), func(r *spec.Run) []sim.Watcher {
			s.memory = r
			return []sim.Watcher{d}
		})
	})
	return s.nextGroup()
}

// nextGroup continues the run to the next work-group that is debugged.
func (s *Session) nextGroup() error {
	if _, ok := s.resume(); !ok {
		s.group = nil
		return cmp.Or(s.ended, errNoGroup)
	}
	s.calls = map[int][]call{}
	return nil
}

// restart returns to position 0 by a new run.
func (s *Session) restart() error {
	if err := s.launch(0); err != nil {
		return err
	}
	s.pos, s.spoilt = 0, false
	return s.arrive()
}

// arrive determines the wave that executes next. If all waves have ended, it starts the next work-group.
// Then it repeats the edits at the position.
func (s *Session) arrive() (err error) {
	s.fault = nil
	for {
		s.wave, err = s.group.Turn()
		if err != nil {
			s.fault = err // a deadlock
			s.wave = s.group.Waves()[slices.IndexFunc(s.group.Waves(), func(w *state.Wave) bool { return !w.Ended })]
			return nil //nolint:nilerr // the user sees the error as the fault
		}
		n, total := s.group.Number()
		if s.wave != nil || n+1 >= total {
			break
		}
		if err := s.nextGroup(); err != nil {
			return err
		}
	}
	s.keep()
	for i := range s.edits {
		if s.edits[i].pos == s.pos {
			if err := s.edits[i].make(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finished reports whether all work-groups have ended.
func (s *Session) Finished() bool { return s.wave == nil }

// before returns the index of the last checkpoint at or before a position. It is -1 if all checkpoints lie behind it.
func (s *Session) before(pos int64) int {
	return sort.Search(len(s.points), func(i int) bool { return s.points[i].pos > pos }) - 1
}

// keep makes a checkpoint if the last one is far enough away. If all checkpoints exceed the memory limit, it deletes
// every other one.
func (s *Session) keep() {
	i := s.before(s.pos)
	if i >= 0 && s.pos-s.points[i].pos < s.distance || s.Checkpoints == 0 {
		return
	}
	var last *steps.State
	if i >= 0 {
		last = s.points[i].state
	}
	n, _ := s.group.Number()
	p := point{s.pos, n, s.group.Save(last), maps.Clone(s.calls)}
	s.points = slices.Insert(s.points, i+1, p)
	s.used += p.state.Add(s.pages)
	s.distance = max(s.distance, distanceOfPages*int64(len(s.pages)))
	for s.used > s.Checkpoints && len(s.points) > 0 {
		rest := s.points[:0]
		for i, p := range s.points {
			if i%2 == 0 && len(s.points) > 1 {
				rest = append(rest, p)
			}
		}
		clear(s.points[len(rest):])
		s.points, s.used, s.distance = rest, 0, 2*s.distance
		clear(s.pages)
		for _, p := range s.points {
			s.used += p.state.Add(s.pages)
		}
		if len(rest) == 0 { // a single checkpoint is too large
			s.Checkpoints = 0
		}
	}
}

// step executes the next instruction. If the instruction faults, step returns the fault and sets s.spoilt.
func (s *Session) step() error {
	if s.fault != nil {
		return s.fault
	}
	for !s.Finished() {
		w, pc := s.wave, s.wave.PC
		executed, err := s.group.Step()
		if err != nil {
			s.spoilt = true
			return err
		}
		if executed {
			s.pos++
			s.called(w, pc)
			return s.arrive()
		}
		if s.wave, err = s.group.Turn(); err != nil { // continue with another wave, if any: w ran past the last word
			return err
		}
	}
	return nil
}

// called updates the calls of w, which has executed the instruction at pc.
func (s *Session) called(w *state.Wave, pc uint64) {
	in, _ := s.group.Inst(pc)
	calls := s.calls[w.ID]
	switch in.Row().Name {
	case "s_swappc_b64", "s_call_b64":
		s.calls[w.ID] = append(slices.Clip(calls), call{pc, pc + uint64(in.Size)})
	case "s_setpc_b64":
		if i := slices.IndexFunc(calls, func(c call) bool { return c.back == w.PC }); i >= 0 {
			s.calls[w.ID] = calls[:i]
		}
	}
}

// GoTo moves to a position. If the program ends before the position, it moves to the end.
func (s *Session) GoTo(to int64) error {
	i := s.before(to)
	switch {
	case s.group != nil && !s.spoilt && s.pos <= to && !s.Finished() && (i < 0 || s.points[i].pos <= s.pos):
	case i < 0:
		if err := s.restart(); err != nil {
			return err
		}
	default:
		if err := s.load(&s.points[i]); err != nil {
			return err
		}
	}
	for s.pos < to && !s.Finished() {
		if err := s.step(); err != nil {
			return err
		}
	}
	return nil
}

// load restores the state of a checkpoint.
func (s *Session) load(p *point) error {
	n := int64(math.MinInt64)
	if s.group != nil {
		n, _ = s.group.Number()
	}
	if n != p.group {
		if err := s.launch(p.group); err != nil {
			return err
		}
	}
	s.group.Load(p.state)
	s.pos, s.spoilt, s.calls = p.pos, false, maps.Clone(p.calls)
	return s.arrive()
}

// Change changes the state at the current position. The change is repeated whenever the run reaches this position. It
// deletes the changes at later positions.
func (s *Session) Change(change func(*Session) error) error {
	if err := change(s); err != nil {
		return err
	}
	s.edits = slices.DeleteFunc(s.edits, func(e edit) bool { return e.pos > s.pos })
	s.edits = append(s.edits, edit{s.pos, change})
	i := s.before(s.pos) + 1
	clear(s.points[i:])
	s.points = s.points[:i]
	return nil
}

// probe decides where to stop. at is called at each position, after is called behind each executed instruction.
type probe struct {
	at    func() bool
	after func(w *state.Wave) bool
}

// Forward executes at least one instruction. It stops at a position where the probe holds, if pause returns true, or at
// the end. The error is a fault; s is then at the instruction that faults.
func (s *Session) Forward(p probe, pause func() bool) error {
	for !s.Finished() {
		w := s.wave
		if err := s.step(); err != nil {
			return s.faulted(err)
		}
		if p.after(w) || s.Finished() || p.at() || pause() {
			return nil
		}
	}
	return nil
}

// faulted returns to the instruction that faulted, and returns its fault.
func (s *Session) faulted(err error) error {
	if s.spoilt {
		if again := s.GoTo(s.pos); again != nil {
			return again
		}
	}
	s.fault = err
	return err
}

// Back moves to the last earlier position where the probe holds, or to position 0. held reports whether the probe
// holds there. If pause returns true meanwhile, Back restores the position from which it started.
func (s *Session) Back(p probe, pause func() bool) (held bool, err error) {
	begin := s.pos
	for to := begin; to > 0; {
		from, found := int64(0), int64(-1)
		if i := s.before(to - 1); i >= 0 {
			from = s.points[i].pos
		}
		if err := s.GoTo(from); err != nil {
			return false, err
		}
		for s.pos < to && !s.Finished() {
			now, w, held := s.pos, s.wave, p.at()
			if err := s.step(); err != nil {
				return false, err
			}
			if p.after(w) || held {
				found = now
			}
			if pause() {
				return false, s.GoTo(begin)
			}
		}
		if found >= 0 {
			return true, s.GoTo(found)
		}
		to = from
	}
	return false, s.GoTo(0)
}
