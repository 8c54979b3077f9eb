package engine

import (
	"bytes"
	"context"
	"errors"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// runAnswer is a run.
type runAnswer struct {
	Reply *spec.Reply `json:"reply"` // as exec answers
	Error *textError  `json:"error,omitempty"`
	recorded
	Memory []memory `json:"memory,omitempty"`
	// Verdicts are about the conditions of the scenario, one each.
	Verdicts []Verdict `json:"verdicts,omitempty"`
}

// recorded holds what a viewer shows of a run.
type recorded struct {
	Record []byte `json:"record,omitempty"` // nil if nothing ran
	Extra  *Extra `json:"extra,omitempty"`
	Cycles uint64 `json:"cycles,omitempty"`
}

// take takes what rec has recorded, with what checks and the model of time say of the run; took may be nil.
func (a *recorded) take(rec *record.Recorder, found []check.Finding, took *timing.Result) (*record.Record, error) {
	r := rec.Record()
	r.AddFindings(found)
	if took != nil {
		r.Chip, r.Cycles = took.Params.Chip, took.Cycles
		a.Cycles = r.Cycles
	}
	return r, a.show(r)
}

// show makes r what the viewer shows.
func (a *recorded) show(r *record.Record) error {
	if len(r.Windows) == 0 {
		return nil
	}
	var file bytes.Buffer
	err := r.Write(&file)
	a.Record, a.Extra = file.Bytes(), ExtraOf(r)
	return err
}

// watch returns who looks at a run: rec, and what tells how far it is. ended tells how far it came.
func (e *Engine) watch(rec *record.Recorder) (watch func(*spec.Run) []sim.Watcher, ended func()) {
	executed := uint64(0)
	tell := func() {
		if e.Progress != nil {
			e.Progress(executed)
		}
	}
	return func(r *spec.Run) []sim.Watcher {
		timing.ModelOf(r.Model).OnSpan(rec.Span)
		return []sim.Watcher{rec, sim.Observer(func(*sim.Event) {
			if executed++; executed%progressSteps == 0 {
				tell()
			}
		})}
	}, tell
}

// memory is a buffer after the run.
type memory struct {
	Name string `json:"name"`
	Addr uint64 `json:"addr"`
	Data []byte `json:"data"`
}

// progressSteps is how many instructions lie between calls of Progress.
const progressSteps = 1 << 12

// run runs a scenario and records it.
func (e *Engine) run(ctx context.Context, s *Scenario) (any, error) {
	if family, err := r600.ParseFamily(s.MCPU); err == nil {
		return e.runBefore(family, s)
	}
	program, err := s.exec()
	if err != nil {
		return nil, err
	}
	rec := record.New(record.Options{})
	watch, ended := e.watch(rec)
	res, failed := program.Run(ctx, &spec.Options{Watch: watch})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ended()
	a := &runAnswer{}
	if failed != nil {
		a.Reply = spec.FailedReply(failed)
		if at := (*asm.Error)(nil); errors.As(failed, &at) {
			one := textErrorOf(at)
			a.Error = &one
		}
		if rec.Fail(failed) {
			program.Params, program.Check = nil, nil // the answer repeats findings that are known
			_, _ = program.Run(ctx, &spec.Options{Watch: func(*spec.Run) []sim.Watcher { return []sim.Watcher{rec} }})
		}
	} else {
		a.Reply, a.Memory = res.Reply(), s.memory(res.Memory)
	}
	r, err := a.take(rec, a.Reply.Findings, timing.ResultOf(a.Reply.Took()))
	if err != nil {
		return nil, err
	}
	return a, a.judge(r, s.Wants)
}

// judge judges conditions about the run whose record is r.
func (a *runAnswer) judge(r *record.Record, wants []string) (err error) {
	if len(wants) > 0 {
		a.Verdicts, err = Judge(wants, r, a)
	}
	return err
}

// memory returns the buffers and images as a run left them.
func (s *Scenario) memory(left []*spec.Memory) (list []memory) {
	for _, b := range s.Buffers {
		list = append(list, memory{Name: b.Name})
	}
	for _, p := range s.Images {
		list = append(list, memory{Name: p.Name})
	}
	for i, m := range left {
		list[i].Addr, list[i].Data = m.Buffer.Addr, m.Buffer.Bytes()
	}
	return list
}
