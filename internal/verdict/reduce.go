package verdict

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// reduction makes the input of two dispatches that differ smaller.
type reduction struct {
	*DiffOptions
	programs [2]*spec.Dispatch // whose objects run
	grid     [3]uint32
	group    [3]uint32
	args     []reducible
	faulted  [2]bool // what the dispatches do on the whole input
	tries    int
}

// reducible is an argument as the reduced dispatch has it.
type reducible struct {
	spec.Arg
	number uint64 // of U32 and U64
	data   []byte // of a buffer, with its size
}

// maxTries is how many inputs are tried.
const maxTries = 3000

// ErrSame says that there is nothing to reduce.
var ErrSame = errors.New("both programs do the same on this input; give one on which they differ, or more seeds")

// Reduce returns a with the smallest input it finds for which a and b still differ in the same manner:
// by what they leave, or by a fault. It has a smaller grid, smaller numbers, smaller buffers and more
// zeros in them, no random data, and expects nothing. The arguments of b are not looked at beyond the
// first difference. The error is [ErrSame], a *[KeyError], says what is wrong with a dispatch, is a
// *[compare.SetupError] or the error of ctx.
func Reduce(ctx context.Context, a, b *spec.Dispatch, o *DiffOptions) (*spec.Dispatch, error) {
	ctx = contexts.Given(ctx)
	r := &reduction{DiffOptions: o.withObjects(), programs: [2]*spec.Dispatch{a, b}}
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	for range 3 {
		before := r.size()
		for _, step := range []func(context.Context) error{r.reduceGrid, r.reduceNumbers, r.reduceSizes, r.reduceData} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		if r.size() == before {
			break
		}
	}
	return r.dispatch(a), nil
}

// read finds the input that differs and takes it apart.
func (r *reduction) read(ctx context.Context) error {
	a := r.programs[0]
	for i := range a.Expect {
		if tolerant(&a.Expect[i]) {
			return &KeyError{fmt.Sprintf("expect[%d]", i),
				errors.New("reduce takes any difference for one; leave its tolerances out")}
		}
	}
	res, err := Diff(ctx, a, r.programs[1], r.DiffOptions)
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
	all.Expect = nil // else a session of a driver lacks buffers
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

// dispatch returns d with the input as it is now.
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
				b.Data = slices.Clone(data)
			}
			x.Buffer = &b
		}
		small.Args = append(small.Args, x.Arg)
	}
	return &small
}

// size is what becomes smaller.
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

// trimmed returns data without the zeros at its end, which a size stands for.
func trimmed(data []byte) []byte {
	for len(data) > 0 && data[len(data)-1] == 0 {
		data = data[:len(data)-1]
	}
	return data
}

// differs reports whether the programs still differ as they did.
func (r *reduction) differs(ctx context.Context) (bool, error) {
	if r.tries++; r.tries > maxTries {
		return false, ctx.Err()
	}
	if r.Progress != nil {
		r.Progress(fmt.Sprintf("%d of at most %d inputs tried", r.tries-1, maxTries))
	}
	var setups [2]compare.Setup
	for i, d := range r.programs {
		setups[i] = compare.SetupOf(r.dispatch(d).Program(&spec.Options{Objects: r.Objects}))
	}
	d, err := compare.Differ(ctx, setups[0], setups[1])
	if err != nil {
		return false, ctx.Err() // this input cannot run
	}
	return d != nil && [2]bool{d.A.Fault != nil, d.B.Fault != nil} == r.faulted, nil
}

// keep calls change, and undo if the programs do not differ any more.
func (r *reduction) keep(ctx context.Context, change, undo func()) (bool, error) {
	change()
	ok, err := r.differs(ctx)
	if !ok {
		undo()
	}
	return ok, err
}

// lower makes *n as small as it can, not less than least: by halving what it is more.
func lower[T uint32 | uint64 | int](ctx context.Context, r *reduction, least T, get func() T, set func(T)) error {
	for step := get() - least; step > 0; {
		before := get()
		if before < least+step {
			step = before - least
			continue
		}
		ok, err := r.keep(ctx, func() { set(before - step) }, func() { set(before) })
		if err != nil {
			return err
		}
		if !ok {
			step /= 2
		}
	}
	return nil
}

// reduceGrid takes work-items away, of each dimension from the last one on.
func (r *reduction) reduceGrid(ctx context.Context) error {
	for i := range r.grid {
		if r.grid[i] <= 1 {
			continue
		}
		n := &r.grid[i]
		if err := lower(ctx, r, 1, func() uint32 { return *n }, func(v uint32) { *n = v }); err != nil {
			return err
		}
	}
	return nil
}

// reduceNumbers makes arguments that are numbers smaller.
func (r *reduction) reduceNumbers(ctx context.Context) error {
	for i := range r.args {
		if n := &r.args[i].number; *n > 0 {
			if err := lower(ctx, r, 0, func() uint64 { return *n }, func(v uint64) { *n = v }); err != nil {
				return err
			}
		}
	}
	return nil
}

// reduceSizes takes bytes away from the ends of buffers.
func (r *reduction) reduceSizes(ctx context.Context) error {
	for i := range r.args {
		x := &r.args[i]
		if len(x.data) <= 4 {
			continue
		}
		whole := x.data
		if err := lower(ctx, r, 1, func() int { return (len(x.data) + 3) / 4 },
			func(n int) { x.data = whole[:min(4*n, len(whole))] }); err != nil {
			return err
		}
	}
	return nil
}

// reduceData makes as many dwords of buffers 0 as it can, then those that are left small.
func (r *reduction) reduceData(ctx context.Context) error {
	for i := range r.args {
		x := &r.args[i]
		for piece := (len(x.data) + 3) &^ 3; piece >= 4; piece = piece / 2 &^ 3 {
			for at := 0; at < len(x.data); at += piece {
				if err := r.replace(ctx, x.data[at:min(at+piece, len(x.data))], func(b []byte) { clear(b) }); err != nil {
					return err
				}
			}
		}
		for at := 0; at+4 <= len(x.data); at += 4 {
			for keep := 1; keep < 4; keep++ {
				if err := r.replace(ctx, x.data[at:at+4], func(b []byte) { clear(b[keep:]) }); err != nil {
					return err
				}
			}
			if err := r.replace(ctx, x.data[at:at+4], func(b []byte) {
				if trimmed(b) != nil && len(trimmed(b)) > 0 {
					clear(b)
					b[0] = 1
				}
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace changes b for good if the programs still differ. What changes nothing is not tried.
func (r *reduction) replace(ctx context.Context, b []byte, change func([]byte)) error {
	before := string(b)
	change(b)
	if string(b) == before {
		return nil
	}
	ok, err := r.differs(ctx)
	if !ok {
		copy(b, before)
	}
	return err
}
