// Package compare runs two programs that should do the same, and shows where they differ.
//
// [Programs] runs two kernels on the same inputs and compares the contents of their buffers. The kernels may come from
// different compilers, options or processors. The verdict counts the bytes that the programs stored and the
// instructions that they executed. For the first element that differs, the result shows the instruction and the
// work-item that stored it in each program, and the part of the computation of its value on which the programs do not
// agree. If most instructions are the same, it also shows the first instruction whose result differs. [Order] detects
// whether the results of a program depend on the order of its work-groups. [Diverge] compares two runs of the same
// instructions step by step; the runs need not be dispatches.
//
// The memory used does not grow with the length of a run. Programs run several times: once for
// the result, once to record the last writer of each byte ([LastStores]), and again for each million
// instructions that a slice goes back. Runs that are compared step by step run side by side.
//
// The slices of programs with different instructions are walked side by side from the two stores on. Instructions that
// do the same thing are paired by the values that they read. The difference begins where both read the same values and
// write different ones. Other instructions agree if the other program computes the same value too, in all lanes that
// are on in both programs, in the same wave, for the same element. Small numbers agree by chance. [Step.Parts] then
// points to an instruction that is too late.
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

// Session is a program about to run: a machine whose memory holds the inputs, and the launch.
// This package sets the number of workers of the launch. A watcher of the launch sees each run of
// the session.
type Session struct {
	Machine *sim.Machine
	Launch  sim.Launch
	// Buffers are the compared buffers by argument, nil for an argument that is not a buffer.
	Buffers []*sim.Buffer
	// Contents, if not nil, replaces the bytes of buffers in the comparison, by argument. An example is the texels of a
	// tiled image. An element that is nil compares the bytes.
	Contents []*Contents
	// Elements is the size of the elements of each buffer in bytes; 0 means 4.
	Elements []int
	// Near, if not nil, reports whether elements a and b, which differ, are within tolerance. offset counts bytes in
	// the buffer of argument arg. [Programs] calls Near of session a.
	Near func(arg int, offset uint64, a, b []byte) bool
	// NearAs, if not nil, is Near for values of float type as. It is called for a buffer without an element type, if
	// both programs computed the stored value as a float of type as.
	NearAs func(arg int, as isa.Type, a, b []byte) bool
}

// Contents reads a buffer in another form than its bytes.
type Contents struct {
	Read func() ([]byte, error)
	// Address returns the memory address of byte number at of the bytes that Read returns.
	Address func(at uint64) (uint64, error)
}

// contents returns the Contents of the buffer of an argument, or nil if its bytes are compared.
func (s *Session) contents(arg int) *Contents {
	if arg < len(s.Contents) {
		return s.Contents[arg]
	}
	return nil
}

// address returns the memory address of byte number at of the compared bytes of an argument.
func (s *Session) address(arg int, at uint64) (uint64, error) {
	if c := s.contents(arg); c != nil {
		return c.Address(at)
	}
	return s.Buffers[arg].Addr + at, nil
}

// Setup makes a new session for each run of a program. Each call must return the same session state.
type Setup func() (*Session, error)

// Program wraps a [Setup] for users who have no access to sessions.
type Program struct{ setup Setup }

// ProgramOf returns the program that s sets up.
func ProgramOf(s Setup) Program { return Program{s} }

// SetupOf returns the setup of a program.
func SetupOf(p Program) Setup { return p.setup }

// SetupError is the error of two programs that cannot be compared, or of a program that cannot run.
type SetupError struct {
	Side string // "a", "b", or "" if the error concerns both
	Err  error
}

// Error returns the message, which begins with the side.
func (e *SetupError) Error() string {
	if e.Side == "" {
		return e.Err.Error()
	}
	return e.Side + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *SetupError) Unwrap() error { return e.Err }

// sideNames are the names of the two programs in reports.
var sideNames = [2]string{"a", "b"}

// outcome is the result of one run.
type outcome struct {
	session *Session
	fault   *state.Fault
	result  *sim.Result
	read    [][]byte // contents by argument, for arguments with Contents
}

// memory returns the compared bytes of an argument.
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

// readContents reads the compared bytes of arguments with Contents.
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

// perform runs a session with watchers. If adjust is not nil, it changes the launch first. A fault of the
// program is not an error but part of the outcome. A panic of the setup is an error, since programs
// run on their own goroutines.
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

// recovered turns a panic into an error. It must be deferred.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &crash.Error{Value: v, State: "while a program was set up or run", Stack: string(debug.Stack())}
	}
}

// watch runs a session with one watcher. It has the type [Run].
func (setup Setup) watch(ctx context.Context, w sim.Watcher) error {
	o, err := perform(ctx, setup, nil, w)
	if err == nil && o.fault != nil {
		return o.fault
	}
	return err
}

// Programs runs two programs on the same inputs and compares the contents of their buffers. The
// error comes from ctx or is a *[SetupError].
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

// Glance is [Programs] without the search for the cause of a difference.
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

// failed returns err if it comes from ctx, and a *SetupError otherwise.
func failed(ctx context.Context, side int, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case side < 0:
		return &SetupError{"", err}
	}
	return &SetupError{sideNames[side], err}
}

// Limits on the instructions of a wave of b: limitFactor times the instructions of all waves of a, plus
// limitMore. Compilers do not produce programs that differ by that much.
const limitFactor, limitMore = 16, 1 << 16

// limit limits the instructions of each wave of b, unless the launch has a limit.
func limit(l *sim.Launch, a *sim.Result) {
	if l.Limit == 0 && a != nil {
		l.Limit = min(a.Instructions*limitFactor+limitMore, sim.DefaultWaveLimit)
	}
}

// checkShapes returns an error if the buffers of the two programs do not have the same sizes.
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

// find sets d to the first element that differs and reports whether there is one. Elements for which
// skip returns true are left out; skip may be nil.
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

// Order runs a program with its work-groups in two orders and returns the first element that
// differs. It returns nil if no element differs: the result does not depend on the order, as far as
// two orders can show. Offset counts bytes in the buffer of argument Arg. The error comes from ctx,
// is a fault of the program, or is a *[SetupError]. A fault that only one of the orders causes
// says so.
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
	for _, o := range all { // a tolerance does not hide a dependence on the order
		o.session.Near, o.session.NearAs = nil, nil
	}
	if d := (&Difference{}); d.find(all, nil) {
		return &d.Element, nil
	}
	return nil, nil
}

// orderFault returns the fault of a program that ran in two orders, or nil if both runs ended without a fault.
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

// orders runs a program with its work-groups in ascending and in descending order.
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

// Result is the result of a comparison of two programs, a and b.
type Result struct {
	// Difference is the first difference. It is nil if both programs leave the same contents. If both programs
	// fault, it has only the two faults.
	Difference *Difference
	// Effects has the stores and the executed instructions of a and b.
	Effects [2]Effect
	// Tolerated is the number of elements that differ within tolerance: see [Session].Near.
	Tolerated int
	// Instructions is the number of instructions that a and b executed, 0 for a program that faulted.
	Instructions [2]uint64
}

// Verdict is the outcome of a comparison.
type Verdict uint8

// Verdicts. NoVerdict means that the runs have tested nothing: the programs may do the same or may
// differ.
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

// Verdict returns the verdict and, if it is NoVerdict, the reason.
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

// Written returns the number of bytes that each program stored to, and the total size of the buffers
// that at least one program stored to.
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
