package job

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gcnsim/gcnsim/internal/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/compare"
)

// ReduceRequest makes the input of two programs that differ smaller.
type ReduceRequest struct {
	Spec  []byte // specification of the dispatch
	Name  string // of its file, which its files are relative to
	A, B  string // code objects, relative to the working directory
	Seeds int    // how many inputs are tried until one differs
	// Uses, if not nil, are the files that the caller reads and writes: none of those that it writes
	// is one that the specification reads.
	Uses *files.Uses
	// Progress, if not nil, is told in a few words how far the reduction is.
	Progress func(text string)

	keys    map[string]json.RawMessage
	args    []reducible
	grid    [3]uint32
	group   [3]uint32
	faulted [2]bool // what the programs do on the whole input
	tries   int
	objects *sim.ObjectCache
}

// reducible is an argument as the reduced specification has it.
type reducible struct {
	raw    json.RawMessage // of one that stays as it is
	number *uint64         // of u32 and u64
	key    string          // which of the two
	data   []byte          // of a buffer, with its size
	more   map[string]json.RawMessage
}

// maxTries is how many inputs are tried.
const maxTries = 3000

// ErrSame says that there is nothing to reduce.
var ErrSame = errors.New("both programs do the same on this input; give one on which they differ, or --seeds for more")

// Run returns the smallest specification it finds for which the programs still differ in the
// same manner: by what they leave, or by a fault. The error is ErrSame, a *[KeyError], says what is wrong
// with the specification, is a *[compare.SetupError] or that of ctx.
func (r *ReduceRequest) Run(ctx context.Context) (spec []byte, err error) {
	defer guard(&err)
	r.objects = &sim.ObjectCache{}
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
	return r.text(true)
}

// read finds the input that differs and takes it apart.
func (r *ReduceRequest) read(ctx context.Context) error {
	program := func(object string) (DiffProgram, error) { return parseProgram(r.Spec, r.Name, object) }
	a, err := program(r.A)
	if err != nil {
		return err
	}
	for i := range a.Request.Expect {
		if a.Request.Expect[i].tolerant() {
			return &KeyError{fmt.Sprintf("expect[%d]", i), errors.New("reduce takes any difference for one; leave its tolerances out")}
		}
	}
	if err := a.Request.claimReads(r.Uses, files.Dir(filepath.Dir(r.Name))); err != nil {
		return err
	}
	b, err := program(r.B)
	if err != nil {
		return err
	}
	d := &DiffRequest{A: a, B: b, Seeds: r.Seeds, Objects: r.objects, Progress: r.Progress}
	res, err := d.Run(ctx)
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
	s, err := a.setup(res.Seed, r.objects, nil)()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(r.Spec, &r.keys); err != nil {
		return err
	}
	for _, key := range []string{"dump", "expect", "check", "check_options", "suppressions", "grid", "workgroup"} {
		delete(r.keys, key)
	}
	for i := range r.grid {
		r.grid[i], r.group[i] = max(s.Launch.Grid[i], 1), max(s.Launch.Group[i], 1)
	}
	var args []map[string]json.RawMessage
	if text, ok := r.keys["args"]; ok {
		if err := json.Unmarshal(text, &args); err != nil {
			return err
		}
	}
	for i, arg := range args {
		x, err := reducibleOf(arg, a.Request.Args[i], s.Buffers[i])
		if err != nil {
			return err
		}
		r.args = append(r.args, x)
	}
	return nil
}

// reducibleOf takes an argument apart.
func reducibleOf(arg map[string]json.RawMessage, spec argSpec, b *sim.Buffer) (x reducible, err error) {
	if x.raw, err = json.Marshal(arg); err != nil {
		return x, err
	}
	switch {
	case spec.U32 != nil:
		n := uint64(*spec.U32)
		x.number, x.key = &n, "u32"
	case spec.U64 != nil:
		n := uint64(*spec.U64)
		x.number, x.key = &n, "u64"
	case spec.Buffer != nil && b != nil:
		x.data = append([]byte{}, b.Bytes()...)
		if err := json.Unmarshal(arg["buffer"], &x.more); err != nil {
			return x, err
		}
		for _, key := range []string{"size", "hex", "file", "random", "as", "min", "max", "with"} {
			delete(x.more, key)
		}
	}
	return x, nil
}

// size is what becomes smaller.
func (r *ReduceRequest) size() (n int) {
	n = int(r.grid[0]) + int(r.grid[1]) + int(r.grid[2])
	for i := range r.args {
		n += len(r.args[i].data) + len(trimmed(r.args[i].data))
		for _, b := range r.args[i].data {
			n += int(b)
		}
		if v := r.args[i].number; v != nil {
			n += int(min(*v, 1<<40))
		}
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

// text returns the specification as it is now.
func (r *ReduceRequest) text(pretty bool) ([]byte, error) {
	out := map[string]any{"grid": r.grid, "workgroup": r.group}
	for key, raw := range r.keys {
		out[key] = raw
	}
	args := make([]any, len(r.args))
	for i := range r.args {
		switch x := &r.args[i]; {
		case x.number != nil:
			args[i] = map[string]uint64{x.key: *x.number}
		case x.data != nil:
			buffer := map[string]any{"size": len(x.data)}
			for key, raw := range x.more {
				buffer[key] = raw
			}
			if data := trimmed(x.data); len(data) > 0 {
				buffer["hex"] = hex.EncodeToString(data)
			}
			args[i] = map[string]any{"buffer": buffer}
		default:
			args[i] = x.raw
		}
	}
	out["args"] = args
	if !pretty {
		return json.Marshal(out)
	}
	text, err := json.MarshalIndent(out, "", " ")
	return append(text, '\n'), err
}

// differs reports whether the programs still differ as they did.
func (r *ReduceRequest) differs(ctx context.Context) (bool, error) {
	if r.tries++; r.tries > maxTries {
		return false, ctx.Err()
	}
	if r.Progress != nil {
		r.Progress(fmt.Sprintf("%d of at most %d inputs tried", r.tries-1, maxTries))
	}
	text, err := r.text(false)
	if err != nil {
		return false, err
	}
	var setups [2]compare.Setup
	for i, object := range []string{r.A, r.B} {
		p, err := parseProgram(text, r.Name, object)
		if err != nil {
			return false, err
		}
		setups[i] = p.setup(0, r.objects, nil)
	}
	d, err := compare.Differ(ctx, setups[0], setups[1])
	if err != nil {
		return false, ctx.Err() // this input cannot run
	}
	return d != nil && [2]bool{d.A.Fault != nil, d.B.Fault != nil} == r.faulted, nil
}

// keep calls change, and undo if the programs do not differ any more.
func (r *ReduceRequest) keep(ctx context.Context, change, undo func()) (bool, error) {
	change()
	ok, err := r.differs(ctx)
	if !ok {
		undo()
	}
	return ok, err
}

// lower makes *n as small as it can, not less than least: by halving what it is more.
func lower[T uint32 | uint64 | int](ctx context.Context, r *ReduceRequest, least T, get func() T, set func(T)) error {
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
func (r *ReduceRequest) reduceGrid(ctx context.Context) error {
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
func (r *ReduceRequest) reduceNumbers(ctx context.Context) error {
	for i := range r.args {
		if n := r.args[i].number; n != nil && *n > 0 {
			if err := lower(ctx, r, 0, func() uint64 { return *n }, func(v uint64) { *n = v }); err != nil {
				return err
			}
		}
	}
	return nil
}

// reduceSizes takes bytes away from the ends of buffers.
func (r *ReduceRequest) reduceSizes(ctx context.Context) error {
	for i := range r.args {
		x := &r.args[i]
		if len(x.data) <= 4 {
			continue
		}
		whole := x.data
		if err := lower(ctx, r, 1, func() int { return (len(x.data) + 3) / 4 }, func(n int) { x.data = whole[:min(4*n, len(whole))] }); err != nil {
			return err
		}
	}
	return nil
}

// reduceData makes as many dwords of buffers 0 as it can, then those that are left small.
func (r *ReduceRequest) reduceData(ctx context.Context) error {
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
func (r *ReduceRequest) replace(ctx context.Context, b []byte, change func([]byte)) error {
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

// WriteReduced writes a specification to a file, whole or not at all.
func WriteReduced(name string, spec []byte) error {
	return files.Dir(filepath.Dir(name)).WriteFile(filepath.Base(name), spec)
}
