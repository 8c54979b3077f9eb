package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Debuggee is a program or a dispatch that a debugger executes repeatedly.
type Debuggee struct {
	Exec     *spec.Exec // nil for a dispatch
	dispatch *spec.Dispatch
	options  *request.Options
	checked  bool // checks are requested
}

// Debuggee returns the program or dispatch in the file name, whose content is data. Other files come from from; nil
// means the directory of name. Errors begin with the name of the file.
func (o *Options) Debuggee(name string, data []byte, from spec.Files) (*Debuggee, error) {
	if err := o.readHandler(); err != nil {
		return nil, err
	}
	options, err := o.watcher().options()
	if err != nil {
		return nil, err
	}
	if options.Watch, options.Files = nil, from; from == nil {
		options.Files = files.Dir(filepath.Dir(name))
	}
	d := &Debuggee{options: options}
	var keys map[string]json.RawMessage
	switch {
	case codeobj.IsObject(data), codeobj.IsAssembly(data):
		if data, err = codeobj.UnbundleKernel(data, o.MCPU, o.Command.Kernel); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		object, err := parse(name, data)
		if err != nil {
			return nil, err
		}
		if d.dispatch, err = o.Command.Request(object, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		options.Files = &beside{files.Dir(""), name, data}
	case o.Command.Given():
		return nil, &request.FlagError{Flag: o.Command.Flag(), Err: fmt.Errorf("it is for code objects; %s is none", name)}
	case bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")):
		if json.Unmarshal(data, &keys) == nil && !spec.IsSpec(keys) {
			d.Exec, err = spec.ParseExec(data)
		} else {
			d.dispatch, err = spec.ParseDispatch(data)
		}
	default:
		d.Exec, err = o.program(name, data)
	}
	if err != nil {
		return nil, request.Located(name, err)
	}
	if d.dispatch != nil && len(o.Schedules) > 0 {
		d.dispatch.Schedule = sim.Schedule(o.Schedules[0])
	}
	adjust := options.Adjust
	options.Adjust = func(t gcn.Target, s *spec.Settings) error {
		err := adjust(t, s)
		d.checked = d.checked || len(s.Check) > 0
		return err
	}
	return d, nil
}

// Setup returns the dispatch for package compare, or nil for a program.
func (d *Debuggee) Setup() compare.Setup {
	if d.dispatch == nil {
		return nil
	}
	all, o := d.plain(nil)
	return compare.SetupOf(all.Program(o))
}

// plain returns the dispatch without checks, times and expectations, and its options.
func (d *Debuggee) plain(watch func(*spec.Run) []sim.Watcher) (*spec.Dispatch, *spec.Options) {
	o := d.options.Options
	o.Watch = watch
	adjust := o.Adjust
	o.Adjust = func(t gcn.Target, s *spec.Settings) error {
		err := adjust(t, s)
		s.Check, s.CheckOptions, s.Suppressions = nil, check.Options{}, nil
		s.Timing, s.Params, s.TimingParams, s.Sensitivity = spec.NotTimed, nil, nil, false
		return err
	}
	if d.dispatch == nil {
		return nil, &o
	}
	all := *d.dispatch
	all.Expect, all.Dump, all.Args = nil, nil, slices.Clone(all.Args)
	for i, a := range all.Args {
		if a.Buffer != nil {
			b := *a.Buffer
			b.NoInit, b.Parts = false, nil
			all.Args[i].Buffer = &b
		}
	}
	return &all, &o
}

// Run executes it without checks and times.
func (d *Debuggee) Run(ctx context.Context, watch func(*spec.Run) []sim.Watcher) (err error) {
	all, o := d.plain(watch)
	if all != nil {
		_, err = all.Run(ctx, o)
		return err
	}
	e := *d.Exec
	e.Mem = slices.Clone(e.Mem)
	for i := range e.Mem {
		e.Mem[i].NoInit, e.Mem[i].Parts = false, nil
	}
	_, err = e.Run(ctx, o)
	return err
}

// Findings returns the findings of a complete execution, if checks are requested. The execution may end with a fault.
func (d *Debuggee) Findings(ctx context.Context) ([]check.Finding, error) {
	if !d.checked {
		return nil, nil
	}
	var res *spec.Result
	var err error
	if d.Exec != nil {
		res, err = d.Exec.Run(ctx, &d.options.Options)
	} else {
		res, err = d.dispatch.Run(ctx, &d.options.Options)
	}
	if stopped, ok := errors.AsType[*spec.StoppedError](err); ok {
		return stopped.Result.Findings, nil
	}
	if err != nil {
		return nil, err
	}
	return res.Findings, nil
}
