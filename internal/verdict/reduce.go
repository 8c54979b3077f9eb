package verdict

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// reduction shrinks an input on which two dispatches differ.
type reduction struct {
	*DiffOptions
	programs [2]*spec.Dispatch // the two dispatches; their code objects run on each smaller input
	grid     [3]uint32
	group    [3]uint32
	args     []reducible
	faulted  [2]bool // which dispatches fault on the unreduced input
	tries    int
	ctx      context.Context
}

// reducible is an argument in its reduced form.
type reducible struct {
	spec.Arg
	number uint64 // value of U32 and U64
	data   []byte // contents of a buffer, in its full size
}

// maxTries is the limit of inputs to try.
const maxTries = 3000

// ErrSame is the error if there is no difference to reduce.
var ErrSame = errors.New("both programs do the same on this input; give one on which they differ, or more seeds")

// Reduce returns a copy of a with the smallest input it finds for which a and b still differ in the same way, by
// their results or by a fault. The copy has a smaller grid, smaller numbers, smaller buffers with more zeros, no
// random data and no expectations. Arguments of b are not examined beyond the first difference. The error is
// [ErrSame], a *[KeyError], a *[compare.SetupError], the error of ctx, or says what is wrong with a
// dispatch.
func Reduce(ctx context.Context, a, b *spec.Dispatch, o *DiffOptions) (*spec.Dispatch, error) {
	r := &reduction{DiffOptions: o.withObjects(), programs: [2]*spec.Dispatch{a, b}, ctx: ctx}
	if err := r.read(); err != nil {
		return nil, err
	}
	for range 3 {
		before := r.size()
		for i := range r.grid { // work-items of each dimension, the last ones first
			lower(r, &r.grid[i], 1, func() {})
		}
		for i := range r.args {
			lower(r, &r.args[i].number, 0, func() {})
		}
		for i := range r.args { // bytes at the ends of buffers
			x := &r.args[i]
			whole, dwords := x.data, (len(x.data)+3)/4
			lower(r, &dwords, 1, func() { x.data = whole[:min(4*dwords, len(whole))] })
		}
		for i := range r.args {
			r.reduceData(r.args[i].data)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if r.size() == before {
			break
		}
	}
	return r.dispatch(a), nil
}

// read finds an input on which the programs differ and splits it into arguments.
func (r *reduction) read() error {
	a := r.programs[0]
	for i := range a.Expect {
		if tolerant(&a.Expect[i]) {
			return &KeyError{fmt.Sprintf("expect[%d]", i),
				errors.New("reduce takes any difference for one; leave its tolerances out")}
		}
	}
	res, err := Diff(r.ctx, a, r.programs[1], r.DiffOptions)
	if err != nil {
		return err
	}
	switch v, why := res.Verdict(); v {
	case compare.Same:
		return ErrSame
	case compare.NoVerdict:
		return errors.New(why)
	}
	r.faulted = [2]bool{res.Difference.A.Fault != nil, res.Difference.B.Fault != nil}
	all := *a
	all.Expect = nil // otherwise a session of a driver lacks buffers
	s, err := compare.SetupOf(all.Program(&spec.Options{Seed: res.Seed, Objects: r.Objects}))()
	if err != nil {
		return err
	}
	for i := range r.grid {
		r.grid[i], r.group[i] = max(s.Launch.Grid[i], 1), max(s.Launch.Group[i], 1)
	}
	for i, arg := range a.Args {
		x := reducible{Arg: arg}
		switch {
		case arg.U32 != nil:
			x.number = uint64(*arg.U32)
		case arg.U64 != nil:
			x.number = *arg.U64
		case arg.Buffer != nil:
			x.data = append([]byte{}, s.Buffers[i].Bytes()...)
		}
		r.args = append(r.args, x)
	}
	return nil
}

// dispatch returns a copy of d with the current input.
func (r *reduction) dispatch(d *spec.Dispatch) *spec.Dispatch {
	small := *d
	small.Grid, small.Group, small.Args, small.Expect = r.grid, r.group, nil, nil
	for i := range r.args {
		x := r.args[i]
		switch {
		case x.U32 != nil:
			x.U32 = new(uint32(x.number))
		case x.U64 != nil:
			x.U64 = &x.number
		case x.Buffer != nil:
			b := *x.Buffer
			b.Size, b.Data, b.Random = uint64(len(x.data)), nil, nil
			if data := trimmed(x.data); len(data) > 0 || b.Size == 0 {
				b.Data = append([]byte{}, data...)
			}
			x.Buffer = &b
		}
		small.Args = append(small.Args, x.Arg)
	}
	return &small
}

// size returns a measure of the input, which the reduction lowers.
func (r *reduction) size() (n int) {
	n = int(r.grid[0]) + int(r.grid[1]) + int(r.grid[2])
	for i := range r.args {
		n += len(r.args[i].data) + len(trimmed(r.args[i].data))
		for _, b := range r.args[i].data {
			n += int(b)
		}
		n += int(min(r.args[i].number, 1<<40))
	}
	return n
}

// trimmed returns data without the zeros at its end. The size of a buffer implies these.
func trimmed(data []byte) []byte { return bytes.TrimRight(data, "\x00") }

// differs reports whether the programs still differ in the same way.
func (r *reduction) differs() bool {
	if r.tries++; r.tries > maxTries || r.ctx.Err() != nil {
		return false
	}
	if r.Progress != nil {
		r.Progress(fmt.Sprintf("%d of at most %d inputs tried", r.tries-1, maxTries))
	}
	var setups [2]compare.Setup
	for i, d := range r.programs {
		setups[i] = compare.SetupOf(r.dispatch(d).Program(&spec.Options{Objects: r.Objects}))
	}
	res, err := compare.Glance(r.ctx, setups[0], setups[1])
	if err != nil || res.Difference == nil { // an error means that this input cannot run
		return false
	}
	d := res.Difference
	return [2]bool{d.A.Fault != nil, d.B.Fault != nil} == r.faulted
}

// lower makes *n as small as possible, but not less than least, in steps that are halved. It calls changed after each
// change of *n.
func lower[T uint32 | uint64 | int](r *reduction, n *T, least T, changed func()) {
	if *n < least {
		return
	}
	for step := *n - least; step > 0; {
		before := *n
		if before < least+step {
			step = before - least
			continue
		}
		*n = before - step
		if changed(); !r.differs() {
			*n = before
			changed()
			step /= 2
		}
	}
}

// reduceData sets as many dwords of a buffer to 0 as possible, and then makes the remaining ones small.
func (r *reduction) reduceData(data []byte) {
	for piece := (len(data) + 3) &^ 3; piece >= 4; piece = piece / 2 &^ 3 {
		for at := 0; at < len(data); at += piece {
			r.replace(data[at:min(at+piece, len(data))], func(b []byte) { clear(b) })
		}
	}
	for at := 0; at+4 <= len(data); at += 4 {
		for keep := 1; keep < 4; keep++ {
			r.replace(data[at:at+4], func(b []byte) { clear(b[keep:]) })
		}
		r.replace(data[at:at+4], func(b []byte) {
			if len(trimmed(b)) > 0 {
				clear(b)
				b[0] = 1
			}
		})
	}
}

// replace changes b and keeps the change if the programs still differ. It does not run them if b does not change.
func (r *reduction) replace(b []byte, change func([]byte)) {
	before := string(b)
	if change(b); string(b) != before && !r.differs() {
		copy(b, before)
	}
}
