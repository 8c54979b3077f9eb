// Package compare takes two programs that should do the same and says where they do not.
//
// [Programs] runs two kernels, of different compilers, options or processors, on the same
// inputs and compares what they leave in their buffers. The verdict says what it rests on: what the
// programs stored and executed. Of the first element that differs it says which instruction stored it for which
// work-item in each program, where its value comes from, as far as the programs do not agree on that, and, where
// most of their instructions are the same, which instruction is the first whose result differs. [Order] finds out
// whether what a program leaves depends on the order of its work-groups. [Diverge] is for what is no dispatch: it
// compares two runs of the same instructions step by step.
//
// What is kept does not grow with the length of a run. Programs run several times: once for
// the result, once for who wrote each byte last ([LastStores]), and again for each million
// instructions that a slice goes back; runs that are compared step by step run side by side.
//
// Slices of programs that have other instructions are walked side by side from the two stores on. Instructions that do
// the same thing are paired by the values that they read; the difference begins where both read the same and write
// something else. Where instructions do other things, an instruction agrees with the other program if that computes the
// same, in all lanes that both programs have on, in the same wave and for the element, too. Small numbers agree by
// chance; [Step.Parts] then points too far down.
package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Session is a program about to run: a machine whose memory holds the inputs, and the
// launch. The number of workers of the launch is the number of this package. Who watches the launch sees
// each run of the session.
type Session struct {
	Machine *sim.Machine
	Launch  sim.Launch
	// Buffers are the buffers that are compared, by argument; nil where an argument is not a buffer.
	Buffers []*sim.Buffer
	// Contents, if not nil, holds by argument what is compared in place of the bytes of a buffer, such as the texels of
	// an image that is tiled; nil is the bytes.
	Contents []*Contents
	// Elements are the bytes of the elements of each buffer; 0 is 4.
	Elements []int
	// Near, if not nil, reports whether two elements that differ, at an offset in the buffer of an
	// argument, are as near to each other as they must be. [Programs] asks that of a.
	Near func(arg int, offset uint64, a, b []byte) bool
	// NearAs, if not nil, reports the same of two values of a type of floats in the buffer of an argument. It is asked
	// where both programs have computed what they stored as floats of that type, of buffers that may hold anything.
	NearAs func(arg int, as isa.Type, a, b []byte) bool
}

// Contents is a way to read a buffer.
type Contents struct {
	Read func() ([]byte, error)
	// Address returns the address of a byte of what Read returns.
	Address func(at uint64) (uint64, error)
}

// contents returns how the buffer of an argument is read, nil if its bytes are compared.
func (s *Session) contents(arg int) *Contents {
	if arg < len(s.Contents) {
		return s.Contents[arg]
	}
	return nil
}

// address returns the address of a byte of what is compared of an argument.
func (s *Session) address(arg int, at uint64) (uint64, error) {
	if c := s.contents(arg); c != nil {
		return c.Address(at)
	}
	return s.Buffers[arg].Addr + at, nil
}

// Setup makes a session anew, the same each time: programs are run more than once.
type Setup func() (*Session, error)

// Program is a [Setup] for users, who see no session.
type Program struct{ setup Setup }

// ProgramOf returns a program that begins so.
func ProgramOf(s Setup) Program { return Program{s} }

// SetupOf returns how a program begins.
func SetupOf(p Program) Setup { return p.setup }

// SetupError says that two programs cannot be compared, or that one of them cannot run.
type SetupError struct {
	Side string // "a", "b", or "" if it is about both
	Err  error
}

// Error names the side.
func (e *SetupError) Error() string {
	if e.Side == "" {
		return e.Err.Error()
	}
	return e.Side + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *SetupError) Unwrap() error { return e.Err }

// sideNames are what the two programs are called.
var sideNames = [2]string{"a", "b"}

// outcome holds the results of a run.
type outcome struct {
	session *Session
	fault   *state.Fault
	result  *sim.Result
	read    [][]byte // by argument, what is compared in place of the bytes of a buffer
}

// memory returns what is compared of an argument.
func (o *outcome) memory(arg int) []byte {
	switch b := o.session.Buffers[arg]; {
	case b == nil:
		return nil
	case o.session.contents(arg) != nil:
		return o.read[arg]
	default:
		return b.Bytes()
	}
}

// readContents reads what is compared in place of the bytes of buffers.
func (o *outcome) readContents() (err error) {
	o.read = make([][]byte, len(o.session.Buffers))
	for arg := range o.read {
		if c := o.session.contents(arg); c != nil {
			if o.read[arg], err = c.Read(); err != nil {
				return fmt.Errorf("argument %d: %w", arg, err)
			}
		}
	}
	return nil
}

// perform runs a session, whose launch adjust may change if it is not nil, with watchers. The error is
// not a fault: that is an outcome. Panics of the setup are errors, since programs run on goroutines of
// their own.
func perform(ctx context.Context, setup Setup, adjust func(*sim.Launch), watchers ...sim.Watcher) (o *outcome,
	err error) {
	defer recovered(&err)
	s, err := setup()
	switch {
	case err != nil:
		return nil, err
	case s == nil || s.Machine == nil:
		return nil, errors.New("the setup gave no session with a machine, and no error")
	}
	l := s.Launch
	l.Workers = 1
	if adjust != nil {
		adjust(&l)
	}
	if err := l.Watch(watchers...); err != nil {
		return nil, err
	}
	o = &outcome{session: s}
	o.result, err = s.Machine.Dispatch(ctx, l)
	if errors.As(err, &o.fault) && o.fault.Kind != state.FaultInternal {
		err = nil
	}
	if err == nil {
		err = o.readContents()
	}
	return o, err
}

// recovered, deferred, makes an error of a panic.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &crash.Error{Value: v, State: "while a program was set up or run", Stack: string(debug.Stack())}
	}
}

// watch runs a session with a watcher: it is a [Run].
func (setup Setup) watch(ctx context.Context, w sim.Watcher) error {
	o, err := perform(ctx, setup, nil, w)
	if err == nil && o.fault != nil {
		return o.fault
	}
	return err
}

// Programs runs two programs on the same inputs and compares what they leave in the buffers. The
// error comes from ctx or a *[SetupError].
func Programs(ctx context.Context, a, b Setup) (*Result, error) {
	r, all, err := glance(ctx, a, b)
	if err != nil || r.Difference == nil || r.Difference.A.Fault != nil && r.Difference.B.Fault != nil {
		return r, err
	}
	limited := func() (*Session, error) {
		s, err := b()
		if err == nil {
			limit(&s.Launch, all[0].result)
		}
		return s, err
	}
	c := &inquiry{ctx: ctx, d: r.Difference, setups: [2]Setup{a, limited}, all: all,
		code: [2][]*sim.Program{r.Effects[0].code, r.Effects[1].code}}
	if err := c.explain(); err != nil {
		return nil, failed(ctx, -1, err)
	}
	return r, nil
}

// Glance runs two programs as [Programs] does, and does not look for the cause of a difference.
func Glance(ctx context.Context, a, b Setup) (*Result, error) {
	r, _, err := glance(ctx, a, b)
	return r, err
}

func glance(ctx context.Context, a, b Setup) (r *Result, all [2]*outcome, err error) {
	r = &Result{}
	for i, setup := range []Setup{a, b} {
		e := &effectWatcher{Effect: &r.Effects[i]}
		all[i], err = perform(ctx, e.of(setup), func(l *sim.Launch) {
			if i == 1 {
				limit(l, all[0].result)
			}
		}, e)
		if err != nil {
			return nil, all, failed(ctx, i, err)
		}
		if all[i].result != nil {
			r.Instructions[i] = all[i].result.Instructions
		}
	}
	if err := checkShapes(all); err != nil {
		return nil, all, err
	}
	d := &Difference{}
	d.A.Fault, d.B.Fault = all[0].fault, all[1].fault
	if d.Faulted = d.A.Fault != nil || d.B.Fault != nil; !d.Faulted {
		d.find(all, nil)
		if err := d.passFloats(ctx, [2]Setup{a, b}, all); err != nil {
			return nil, all, failed(ctx, -1, err)
		}
	}
	r.Tolerated = d.tolerated
	if d.Faulted || d.Elements > 0 {
		r.Difference = d
	}
	return r, all, nil
}

// failed returns err as one of this package.
func failed(ctx context.Context, side int, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case side < 0:
		return &SetupError{"", err}
	}
	return &SetupError{sideNames[side], err}
}

// A wave of b may execute this many times the instructions of all waves of a, and so many
// more: far more than any compiler makes of a program.
const limitFactor, limitMore = 16, 1 << 16

// limit keeps b from running without an end, unless the launch says how long it may run.
func limit(l *sim.Launch, a *sim.Result) {
	if l.Limit == 0 && a != nil {
		l.Limit = min(a.Instructions*limitFactor+limitMore, sim.DefaultWaveLimit)
	}
}

// checkShapes refuses programs whose results are not of one shape.
func checkShapes(all [2]*outcome) error {
	a, b := all[0].session, all[1].session
	if len(a.Buffers) != len(b.Buffers) {
		return &SetupError{"", fmt.Errorf("a has %d arguments, b has %d; they must have the same", len(a.Buffers),
			len(b.Buffers))}
	}
	for i := range a.Buffers {
		x, y := all[0].memory(i), all[1].memory(i)
		if (a.Buffers[i] == nil) != (b.Buffers[i] == nil) || len(x) != len(y) {
			return &SetupError{"", fmt.Errorf("argument %d is a buffer of %d bytes in a and of %d in b; it must be the same",
				i, len(x), len(y))}
		}
	}
	return nil
}

// find makes d about the first element that differs and that skip, if not nil, does not
// leave out; it reports whether there is one.
func (d *Difference) find(all [2]*outcome, skip func(arg int, offset uint64, size int) bool) bool {
	d.Elements, d.Of, d.tolerated = 0, 0, 0
	found, near := false, all[0].session.Near
	for arg := range all[0].session.Buffers {
		x, y := all[0].memory(arg), all[1].memory(arg)
		size := all[0].session.element(arg)
		n := (len(x) + size - 1) / size
		if bytes.Equal(x, y) {
			continue
		}
		d.Of += n
		for i := range n {
			lo, hi := i*size, min((i+1)*size, len(x))
			if bytes.Equal(x[lo:hi], y[lo:hi]) {
				continue
			}
			if near != nil && near(arg, uint64(lo), x[lo:hi], y[lo:hi]) || d.floats[Element{arg, uint64(lo), hi - lo}] {
				d.tolerated++
				continue
			}
			d.Elements++
			if found || skip != nil && skip(arg, uint64(lo), hi-lo) {
				continue
			}
			found = true
			d.Arg, d.Offset, d.Size = arg, uint64(lo), hi-lo
			d.A.Value, d.B.Value = bytes.Clone(x[lo:hi]), bytes.Clone(y[lo:hi])
		}
	}
	return found
}

func (s *Session) element(arg int) int {
	if arg < len(s.Elements) && s.Elements[arg] > 0 {
		return s.Elements[arg]
	}
	return 4
}

// Order runs a program with its work-groups in two orders and returns the first element
// that differs, nil if none does: then what it leaves does not depend on the order, as far as
// two of them show. Offset counts bytes in the buffer of argument Arg. The error is that of
// ctx, a fault of the program, which says so if it comes in one of the orders alone, or a
// *[SetupError].
func Order(ctx context.Context, program Setup) (*Element, error) {
	all, err := orders(ctx, program)
	if err != nil {
		return nil, failed(ctx, -1, err)
	}
	if f := orderFault(all); f != nil {
		return nil, f
	}
	if err := checkShapes(all); err != nil {
		return nil, err
	}
	for _, o := range all { // an order that matters a little matters
		o.session.Near, o.session.NearAs = nil, nil
	}
	if d := (&Difference{}); d.find(all, nil) {
		return &d.Element, nil
	}
	return nil, nil
}

// orderFault returns the fault of a program that ran in two orders, or nil if both runs ended without one.
func orderFault(all [2]*outcome) *state.Fault {
	first, last := all[0].fault, all[1].fault
	if first != nil && last != nil {
		return first
	}
	only, order := first, "first to last"
	if first == nil {
		only, order = last, "last to first"
	}
	if only == nil {
		return nil
	}
	f := *only
	f.What += "; only if the work-groups run " + order + ", not the other way round: the program depends on their order"
	return &f
}

// orders runs a program forwards and backwards.
func orders(ctx context.Context, program Setup) (all [2]*outcome, err error) {
	group, ctx := errgroup.WithContext(ctx)
	for i := range all {
		group.Go(func() (err error) {
			all[i], err = perform(ctx, program, func(l *sim.Launch) { l.Schedule = [...]sim.Schedule{"", sim.Reverse}[i] })
			return err
		})
	}
	return all, group.Wait()
}

// Result is what comparing two programs came to.
type Result struct {
	// Difference is where they differ. It is nil if both leave the same. If both fault, it holds
	// their faults alone.
	Difference *Difference
	// Effects are what a and b have done.
	Effects [2]Effect
	// Tolerated is how many elements differ and are near enough: see [Session].Near.
	Tolerated int
	// Instructions is how many a and b have executed, 0 of one that faulted.
	Instructions [2]uint64
}

// Verdict is what is known of two programs once they have run.
type Verdict uint8

// Verdicts. NoVerdict is of runs that have tested nothing: they say neither that the programs do the
// same nor that they differ.
const (
	NoVerdict Verdict = iota
	Same
	Different
	numVerdicts = iota
)

var verdictNames = [numVerdicts]string{NoVerdict: "none", Same: "same", Different: "different"}

var _ = enum.Full[Verdict](verdictNames[:])

// String returns "none", "same" or "different".
func (v Verdict) String() string {
	return enum.Name(verdictNames[:], v)
}

// Verdict returns the verdict and, if there is none, why.
func (r *Result) Verdict() (v Verdict, why string) {
	if d := r.Difference; d != nil {
		if d.A.Fault != nil && d.B.Fault != nil {
			return NoVerdict, "both programs fault, so there is nothing to compare"
		}
		return Different, ""
	}
	var wrote [2]bool
	for i := range r.Effects {
		wrote[i] = r.Effects[i].Stored() > 0
	}
	const tested = "; see that work-items pass the checks of the kernel, and give buffers other contents than it stores"
	switch wrote {
	case [2]bool{}:
		return NoVerdict, "neither program stored anything to a buffer" + tested
	case [2]bool{true, false}:
		return NoVerdict, "b stored nothing to a buffer, and what a stored makes no difference" + tested
	case [2]bool{false, true}:
		return NoVerdict, "a stored nothing to a buffer, and what b stored makes no difference" + tested
	}
	return Same, ""
}

// Written returns how many bytes each program stored to, and how many bytes the buffers have that
// one of them stored to.
func (r *Result) Written() (written [2]uint64, size uint64) {
	for arg, n := range r.Effects[0].sizes {
		x, y := r.Effects[0].Written(arg), r.Effects[1].Written(arg)
		written[0], written[1] = written[0]+x, written[1]+y
		if x+y > 0 {
			size += n
		}
	}
	return written, size
}
