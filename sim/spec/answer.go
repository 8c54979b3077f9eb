package spec

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// Reply is the answer to an [Exec] or a [Dispatch], which [WriteJSON] writes: the counts, findings and requested
// state of a run, or the reason why it failed. docs/cli describes its keys.
type Reply struct {
	ID     stdjson.RawMessage `json:"id,omitempty"`
	OK     bool               `json:"ok"`
	Kernel string             `json:"kernel,omitempty"`
	MCPU   string             `json:"mcpu,omitempty"`
	shown
	Instructions any `json:"instructions,omitempty"` // number of instructions; in a dispatch by class
	times
	judgement
	Fidelity *[]fidelity `json:"fidelity,omitempty"`
	Dump     []Dumped    `json:"dump,omitempty"`
	Error    *Failure    `json:"error,omitempty"`

	// Result is the result of the run, nil if it failed.
	Result *Result `json:"-"`
	// Err is the error in Error.
	Err error `json:"-"`
}

// Dumped is the memory of an argument after a run.
type Dumped struct {
	Arg  uint32 `json:"arg"`
	File string `json:"file,omitempty"`
	Hex  views  `json:"hex,omitempty"`
}

// Bytes returns the part of the argument that is shown as hex digits.
func (d *Dumped) Bytes() []byte { return slices.Concat(d.Hex...) }

// WriteJSON writes an answer as one line of JSON. It copies memory in the answer to w piece by piece.
func WriteJSON(w io.Writer, answer any) error { return jsonout.Write(w, answer) }

// FailedReply returns the answer to a run that failed with err.
func FailedReply(err error) *Reply {
	r := &Reply{Error: Failed(err), Err: err}
	if stopped, ok := errors.AsType[*StoppedError](err); ok {
		// without findings the answer has no keys of checks
		if r.judgement = judgementOf(stopped.Result); len(r.Findings) == 0 {
			r.Findings, r.Suppressed = nil, nil
		}
	}
	return r
}

// Took returns the times of the run, nil if it was not timed.
func (r *Reply) Took() *timing.Took {
	if r.Result == nil {
		return nil
	}
	return r.Result.Times
}

// Executed returns the number of instructions that an [Exec] has executed.
func (r *Reply) Executed() uint64 {
	n, ok := r.Instructions.(*uint64)
	if !ok {
		return 0
	}
	return *n
}

// Untimed returns r without its times.
func (r *Reply) Untimed() *Reply {
	untimed := *r
	untimed.times = times{}
	return &untimed
}

// Reply returns the answer to an [Exec], without the state that it requests.
func (r *Result) Reply() *Reply {
	notes := []fidelity{}
	for _, n := range r.Fidelity {
		notes = append(notes, fidelity{n.Mnemonic, n.Level.String(), n.Why, handbook.Cited(n.Why)})
	}
	if r.Times != nil {
		notes = append(notes, r.fidelity())
	}
	reply := &Reply{OK: true, Instructions: &r.Instructions, judgement: judgementOf(r), Fidelity: &notes, Result: r}
	reply.fill(r)
	return reply
}

// Answer executes e and returns its answer, or the error of [Exec.Run].
func (e *Exec) Answer(ctx context.Context, o *Options) (reply *Reply, err error) {
	defer crash.Guard(&err)
	res, err := e.Run(contexts.Given(ctx), o)
	if err != nil {
		return nil, err
	}
	reply = res.Reply()
	reply.ID = e.ID
	return reply, e.Dump.fill(res.Machine, res.Waves, reply)
}

// Answer answers one request of exec. Errors in the request or in its program are in the answer.
func Answer(ctx context.Context, text []byte, o *Options) *Reply {
	if family, ok := processorOf(text); ok {
		return answerBefore(family, text)
	}
	e, err := ParseExec(text)
	if err != nil {
		return unread(text, err)
	}
	reply, err := e.Answer(contexts.Given(ctx), o)
	if err != nil {
		reply = FailedReply(err)
		reply.ID = e.ID
	}
	return reply
}

// unread returns the answer to a text that is not a request, because of err. It has the id if the text is an object
// with an id. It has no line number, because a request is one line.
func unread(text []byte, err error) *Reply {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(text, &named) // an error means that there is no id
	switch e, of := errors.AsType[*RequestError](err); {
	case of && e.Line == 1:
		err = fmt.Errorf("the request: column %d: %s", e.Col, e.message())
	case of:
		err = fmt.Errorf("the request: %w", err)
	}
	return &Reply{ID: []byte(named.ID), Error: Failed(err)}
}

// Answer executes d and returns its answer. It writes output files last. If memory differs from the expected
// contents, the answer has the mismatch. The error is that of [Dispatch.Run] or of [Files].
func (d *Dispatch) Answer(ctx context.Context, o *Options) (reply *Reply, err error) {
	defer crash.Guard(&err)
	if o == nil {
		o = &Options{}
	}
	res, err := d.Run(contexts.Given(ctx), o)
	if err != nil {
		return nil, err
	}
	reply = res.Reply()
	reply.Kernel, reply.MCPU, reply.Instructions = d.Kernel, res.Target.String(), (*counts)(res.Result)
	if res.Times == nil { // these keys are always in the answer to a dispatch
		reply.Cycles, reply.Counters = new(uint64), &metrics{}
	}
	if res.Mismatch != nil {
		reply.OK, reply.Error = false, Failed(res.Mismatch)
	}
	return reply, d.dump(reply, res.Memory, o.files())
}

// counts is the number of instructions in total and by class, without classes that are 0.
type counts sim.Result

// MarshalJSON writes the total first, then the classes in order.
func (c *counts) MarshalJSON() ([]byte, error) {
	b := fmt.Appendf(nil, `{"total":%d`, c.Instructions)
	for class, n := range c.ByClass {
		if n > 0 {
			b = fmt.Appendf(b, `,"%v":%d`, sim.Class(class), n)
		}
	}
	return append(b, '}'), nil
}

// fidelity is one line of the fidelity report.
type fidelity struct {
	Mnemonic string `json:"mnemonic"`
	Level    string `json:"level"`
	Why      string `json:"why"`
	// Rules are the handbook rules that Why cites.
	Rules []string `json:"rules,omitempty"`
}

// judgement holds the results of checks.
type judgement struct {
	// Findings is nil in an answer without keys of checks, and empty if checks found nothing.
	Findings []check.Finding `json:"diagnostics,omitzero"`
	Missed   missed          `json:"unexecuted,omitempty"`
	// More is the number of instructions that Missed omits.
	More       int                 `json:"unexecuted_more,omitempty"`
	Suppressed []check.Suppression `json:"suppressions,omitempty"`

	Checked bool   `json:"-"` // at least one check was enabled
	Base    uint64 `json:"-"` // address in the code object's file to which PCs are relative
}

func judgementOf(r *Result) judgement {
	return judgement{append([]check.Finding{}, r.Findings...), r.Unexecuted, r.MoreUnexecuted, r.Suppressed,
		r.Checked, r.Base}
}

// missed are the instructions that no wave executed.
type missed []check.Site

// MarshalJSON returns a list of positions of instructions.
func (m missed) MarshalJSON() ([]byte, error) {
	type place struct {
		PC     address `json:"pc"`
		Text   string  `json:"text"`
		Source string  `json:"source,omitempty"`
	}
	places := make([]place, len(m))
	for i := range m {
		places[i] = place{address(m[i].PC), m[i].Text, m[i].Source}
	}
	return jsonout.Marshal(places)
}
