package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/record"
)

// runAnswer is a run.
type runAnswer struct {
	Reply  *job.ExecReply `json:"reply"` // as exec answers
	Error  *textError     `json:"error,omitempty"`
	Record []byte         `json:"record,omitempty"` // nil if nothing ran
	Extra  *Extra         `json:"extra,omitempty"`
	Memory []memory       `json:"memory,omitempty"`
	Cycles uint64         `json:"cycles,omitempty"`
}

// memory is a buffer after the run.
type memory struct {
	Name string `json:"name"`
	Addr uint64 `json:"addr"`
	Data []byte `json:"data"`
}

// progressSteps is how many instructions lie between calls of Progress.
const progressSteps = 1 << 12

// run compiles and runs a scenario and records it.
func (e *Engine) run(ctx context.Context, s *Scenario) (any, error) {
	compiled, err := s.request()
	if err != nil {
		return nil, err
	}
	req, err := compiled.parsed()
	if err != nil {
		return nil, err
	}
	rec := record.New(record.Options{})
	executed := uint64(0)
	reply, failed := req.Run(ctx, &job.Options{Watch: func(r job.Run) []sim.Watcher {
		if r.Model != nil {
			r.Model.OnSpan(rec.Span)
		}
		return []sim.Watcher{rec, sim.Observer(func(*sim.Event) {
			if executed++; executed%progressSteps == 0 && e.Progress != nil {
				e.Progress(executed)
			}
		})}
	}})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e.Progress != nil {
		e.Progress(executed)
	}
	a := &runAnswer{}
	if failed != nil {
		reply = &job.ExecReply{Error: job.Failed(failed)}
		if at := (*asm.Error)(nil); errors.As(failed, &at) {
			one := textErrorOf(at)
			a.Error = &one
		}
		if stopped, ok := errors.AsType[*job.StoppedError](failed); ok {
			reply.Judgement = stopped.Judgement
		}
		if rec.Fail(failed) {
			delete(compiled.Request, "timing") // what they say is known
			delete(compiled.Request, "check")
			if req, err = compiled.parsed(); err != nil {
				return nil, err
			}
			_, _ = req.Run(ctx, &job.Options{Watch: func(job.Run) []sim.Watcher { return []sim.Watcher{rec} }})
		}
	}
	a.Reply = reply
	r := rec.Record()
	r.AddFindings(reply.Findings)
	if reply.Model != nil {
		r.Chip, r.Cycles = reply.Model.Params.Chip, reply.Model.Cycles
		a.Cycles = r.Cycles
	}
	if len(r.Windows) > 0 {
		var file bytes.Buffer
		if err := r.Write(&file); err != nil {
			return nil, err
		}
		a.Record, a.Extra = file.Bytes(), ExtraOf(r)
	}
	if failed == nil {
		a.Memory, err = compiled.memory(reply)
		reply.Mem = nil // it would be there twice
	}
	return a, err
}

// parsed returns the request as exec reads it.
func (c *compiled) parsed() (*job.ExecRequest, error) {
	text, err := json.Marshal(c.Request)
	if err != nil {
		return nil, err
	}
	return job.ParseExec(text)
}

// memory returns the buffers as the reply dumped them.
func (c *compiled) memory(reply *job.ExecReply) ([]memory, error) {
	text, err := json.Marshal(reply)
	if err != nil {
		return nil, err
	}
	var dumped struct {
		Mem []struct {
			Hex hexBytes `json:"hex"`
		} `json:"mem"`
	}
	if err := json.Unmarshal(text, &dumped); err != nil {
		return nil, err
	}
	if len(dumped.Mem) != len(c.dumped) {
		return nil, fmt.Errorf("%d ranges were dumped, %d asked for", len(dumped.Mem), len(c.dumped))
	}
	list := make([]memory, len(c.dumped))
	for i, d := range c.dumped {
		list[i] = memory{d.Name, d.Addr, dumped.Mem[i].Hex}
	}
	return list, nil
}
