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

// runAnswer is the answer to the call run.
type runAnswer struct {
	Reply *spec.Reply `json:"reply"` // in the format of exec
	Error *textError  `json:"error,omitempty"`
	recorded
	Memory []memory `json:"memory,omitempty"`
	// Verdicts are the results of the scenario's conditions, in order.
	Verdicts []Verdict `json:"verdicts,omitempty"`
}

// recorded has the record of an execution, for a viewer.
type recorded struct {
	Record []byte `json:"record,omitempty"` // nil if nothing was executed
	Extra  *Extra `json:"extra,omitempty"`
	Cycles uint64 `json:"cycles,omitempty"`
}

// take sets the record of rec, with findings and times. took may be nil.
func (a *recorded) take(rec *record.Recorder, found []check.Finding, took *timing.Result) (*record.Record, error) {
	r := rec.Record()
	r.AddFindings(found)
	if took != nil {
		r.Chip, r.Cycles = took.Params.Chip, took.Cycles
		a.Cycles = r.Cycles
	}
	return r, a.show(r)
}

// show sets r as the record that the viewer shows.
func (a *recorded) show(r *record.Record) error {
	if len(r.Windows) == 0 {
		return nil
	}
	var file bytes.Buffer
	err := r.Write(&file)
	a.Record, a.Extra = file.Bytes(), ExtraOf(r)
	return err
}

// watch returns the watchers of an execution, rec and the progress counter. ended reports the final count.
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

// memory is a buffer's content after the execution.
type memory struct {
	Name string `json:"name"`
	Addr uint64 `json:"addr"`
	Data []byte `json:"data"`
}

// progressSteps is the number of instructions between two calls of Progress.
const progressSteps = 1 << 12

// run executes a scenario and records it.
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
			program.Params, program.Check = nil, nil // known findings would be repeated in the answer
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

// judge evaluates conditions for the recorded execution r.
func (a *runAnswer) judge(r *record.Record, wants []string) (err error) {
	if len(wants) > 0 {
		a.Verdicts, err = Judge(wants, r, a)
	}
	return err
}

// memory returns the content of buffers and images after an execution.
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
