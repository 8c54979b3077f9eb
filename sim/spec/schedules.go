package spec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// Ordering is the comparison of a dispatch under several schedules.
type Ordering struct {
	schedules []sim.Schedule
	// Other is the index of the first schedule under which the results differ from those with schedules[0]; 0 if all are
	// equal.
	Other int
	// faults are the errors of the runs with schedules[0] and schedules[Other], nil if a run succeeded. Memory is
	// compared only if both succeeded.
	faults [2]error
	// arg and offset are the position of the first different dword, relative to [Memory.contents]; dwords are its values
	// in the two runs, and bytes is the total number of different bytes.
	arg, offset int
	dwords      [2]uint32
	bytes       int
	// Races are pairs of accesses whose order matters: race findings of a checked run. There may be none if the
	// difference is caused by atomics or by the order in which waves wait for one another.
	Races []check.Finding
}

// Schedules executes d once with each schedule, without times and checks, and reports whether the results are equal.
// The error describes a mistake in d or a schedule, or is the error of ctx.
func (d *Dispatch) Schedules(ctx context.Context, o *Options, list []sim.Schedule) (*Ordering, error) {
	ctx = contexts.Given(ctx)
	if o == nil {
		o = &Options{}
	}
	d, err := d.settle(o)
	if err != nil {
		return nil, err
	}
	bare := Options{bare: true, Seed: o.Seed, Objects: o.Objects, Workers: o.Workers}
	res := &Ordering{schedules: list}
	var first *Result
	for i, s := range list {
		one := *d
		one.Schedule, one.Params, one.Sensitivity = s, nil, false
		got, err := one.Run(ctx, &bare)
		stopped, began := errors.AsType[*StoppedError](err)
		if err != nil && (!began || ctx.Err() != nil) {
			return nil, err
		}
		if began {
			got, err = nil, stopped.Err
		}
		switch {
		case i == 0:
			first, res.faults[0] = got, err
			continue
		case err == nil && res.faults[0] == nil:
			if err := res.differ(i, first.Memory, got.Memory); err != nil {
				return nil, err
			}
		case !endAlike(err, res.faults[0]):
			res.Other, res.faults[1] = i, err
		}
		if res.Other > 0 {
			return res, d.races(ctx, &bare, res)
		}
	}
	return res, nil
}

// endAlike reports whether two runs ended in the same way: with the same fault at the same instruction, in any wave.
func endAlike(a, b error) bool {
	x, isX := errors.AsType[*state.Fault](a)
	y, isY := errors.AsType[*state.Fault](b)
	if isX && isY {
		return x.Kind == y.Kind && x.PC == y.PC
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// differ sets the differences between memory a of the first run and memory b of the run with schedule i.
func (r *Ordering) differ(i int, a, b []*Memory) error {
	for arg := range a {
		if a[arg] == nil {
			continue
		}
		x, errX := a[arg].contents()
		y, errY := b[arg].contents()
		if err := errors.Join(errX, errY); err != nil {
			return fmt.Errorf("argument %d: %w", arg, err)
		}
		if bytes.Equal(x, y) {
			continue
		}
		for at := range x {
			if x[at] == y[at] {
				continue
			}
			if r.bytes++; r.bytes == 1 {
				r.Other, r.arg, r.offset = i, arg, at&^3
				r.dwords = [2]uint32{dwordAt(x, at&^3), dwordAt(y, at&^3)}
			}
		}
	}
	return nil
}

// dwordAt returns the dword at an offset in data. Bytes beyond the end are 0.
func dwordAt(data []byte, at int) (v uint32) {
	for i, b := range data[at:min(at+4, len(data))] {
		v |= uint32(b) << (8 * i)
	}
	return v
}

// races sets the race findings of d. If checks end the dispatch early, they are those up to that point.
func (d *Dispatch) races(ctx context.Context, o *Options, res *Ordering) error {
	one := *d
	one.Schedule, one.Params, one.Sensitivity, one.Expect = res.schedules[0], nil, false, nil
	// A buffer without contents is an error unless undefined values are checked.
	one.Check, one.CheckOptions = []string{string(check.Race), string(check.Uninit)}, check.Options{}
	got, err := one.Run(ctx, &Options{Seed: o.Seed, Objects: o.Objects, Workers: o.Workers})
	if stopped, ok := errors.AsType[*StoppedError](err); ok && ctx.Err() == nil {
		got, err = stopped.Result, nil
	}
	if err != nil {
		return err
	}
	for i := range got.Findings {
		if got.Findings[i].Kind == check.Race {
			res.Races = append(res.Races, got.Findings[i].From(got.Base))
		}
	}
	return nil
}

// Write writes the result as text for people. The error comes from w.
func (r *Ordering) Write(w io.Writer) error {
	if r.Other == 0 {
		names := make([]string, len(r.schedules))
		for i, s := range r.schedules {
			names[i] = name(s)
		}
		if r.faults[0] != nil {
			_, err := fmt.Fprintf(w, "the same fault in %s: %s\n", plural.Of(len(names), "schedule"),
				strings.Join(names, ", "))
			return err
		}
		_, err := fmt.Fprintf(w, "same in %s: %s\n", plural.Of(len(names), "schedule"), strings.Join(names, ", "))
		return err
	}
	a, b := name(r.schedules[0]), name(r.schedules[r.Other])
	if r.bytes > 0 {
		fmt.Fprintf(w, "the order of waves shows: argument %d, byte %d: 0x%08x with %s, 0x%08x with %s; %s\n", r.arg,
			r.offset, r.dwords[0], a, r.dwords[1], b, plural.Of(r.bytes, "byte")+" in all")
	} else {
		fmt.Fprintf(w, "the order of waves shows: with %s the run %s, with %s it %s\n", a, end(r.faults[0]), b,
			end(r.faults[1]))
	}
	if len(r.Races) == 0 {
		_, err := fmt.Fprintln(w, "no two accesses race: atomics, or waves that wait for one another, decide")
		return err
	}
	fmt.Fprintln(w, "the first of the accesses that race:")
	return check.Write(w, r.Races[:1], 0)
}

// name returns the name of a schedule in texts.
func name(s sim.Schedule) string {
	if s == "" {
		return "one work-group after another"
	}
	return string(s)
}

// end returns the end of a run as text.
func end(err error) string {
	if err == nil {
		return "ends"
	}
	return "fails: " + err.Error()
}
