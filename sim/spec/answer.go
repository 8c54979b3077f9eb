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

// Reply is the answer to an [Exec] or a [Dispatch], which [WriteJSON] writes: what a run counted, found and was asked
// to show, or why it failed. docs/cli describes its keys.
type Reply struct {
	ID     stdjson.RawMessage `json:"id,omitempty"`
	OK     bool               `json:"ok"`
	Kernel string             `json:"kernel,omitempty"`
	MCPU   string             `json:"mcpu,omitempty"`
	shown
	Instructions any `json:"instructions,omitempty"` // how many; of a dispatch by class
	times
	judgement
	Fidelity *[]fidelity `json:"fidelity,omitempty"`
	Dump     []Dumped    `json:"dump,omitempty"`
	Error    *Failure    `json:"error,omitempty"`

	// Result is the run, nil if it has failed.
	Result *Result `json:"-"`
	// Err is what Error says.
	Err error `json:"-"`
}

// Dumped is memory of an argument as a run has left it.
type Dumped struct {
	Arg  uint32 `json:"arg"`
	File string `json:"file,omitempty"`
	Hex  views  `json:"hex,omitempty"`
}

// Bytes returns what of the argument is shown as hex digits.
func (d *Dumped) Bytes() []byte { return slices.Concat(d.Hex...) }

// WriteJSON writes an answer as one line of JSON. Memory in it goes from where it lies to w, without a copy of the
// whole.
func WriteJSON(w io.Writer, answer any) error { return jsonout.Write(w, answer) }

// FailedReply returns the answer of a run that failed with err.
func FailedReply(err error) *Reply {
	r := &Reply{Error: Failed(err), Err: err}
	if stopped, ok := errors.AsType[*StoppedError](err); ok {
		if r.judgement = judgementOf(stopped.Result); len(r.Findings) == 0 { // then answers do not speak of checks
			r.Findings, r.Suppressed = nil, nil
		}
	}
	return r
}

// Took returns what the model of time has found, nil if nothing was timed.
func (r *Reply) Took() *timing.Took {
	if r.Result == nil {
		return nil
	}
	return r.Result.Times
}

// Executed returns how many instructions an [Exec] has executed.
func (r *Reply) Executed() uint64 {
	n, ok := r.Instructions.(*uint64)
	if !ok {
		return 0
	}
	return *n
}

// Untimed returns r without what it says of time.
func (r *Reply) Untimed() *Reply {
	untimed := *r
	untimed.times = times{}
	return &untimed
}

// Reply returns the answer of a run of an [Exec], without what it was asked to show.
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

// Answer runs e and returns its answer, or the error of [Exec.Run].
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

// Answer answers one request of exec. What is wrong with it, or with its program, is in the answer.
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

// unread returns the answer to a request that is not one, because of err. It has the id if the text is an object that
// has one. A request is one line, so that the line has no number.
func unread(text []byte, err error) *Reply {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(text, &named) // then there is none
	switch e, of := errors.AsType[*RequestError](err); {
	case of && e.Line == 1:
		err = fmt.Errorf("the request: column %d: %s", e.Col, e.message())
	case of:
		err = fmt.Errorf("the request: %w", err)
	}
	return &Reply{ID: []byte(named.ID), Error: Failed(err)}
}

// Answer runs d and returns its answer. Output files are written last. The answer of a run that left something else
// than it should says so. The error is the error of [Dispatch.Run] or of [Files].
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
	if res.Times == nil { // a dispatch always answers these
		reply.Cycles, reply.Counters = new(uint64), &metrics{}
	}
	if res.Mismatch != nil {
		reply.OK, reply.Error = false, Failed(res.Mismatch)
	}
	return reply, d.dump(reply, res.Memory, o.files())
}

// counts is the instruction count in total and by class; classes without any are left out.
type counts sim.Result

// MarshalJSON writes the total first, then the classes in their order.
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
	// Rules are the rules of the handbook that Why cites.
	Rules []string `json:"rules,omitempty"`
}

// judgement is what checks say of a run.
type judgement struct {
	// Findings is nil in an answer that does not speak of checks, and empty if there are none.
	Findings []check.Finding `json:"diagnostics,omitzero"`
	Missed   missed          `json:"unexecuted,omitempty"`
	// More is how many instructions Missed leaves out.
	More       int                 `json:"unexecuted_more,omitempty"`
	Suppressed []check.Suppression `json:"suppressions,omitempty"`

	Checked bool   `json:"-"` // something was looked for
	Base    uint64 `json:"-"` // what PCs count from in the file of a code object
}

func judgementOf(r *Result) judgement {
	return judgement{append([]check.Finding{}, r.Findings...), r.Unexecuted, r.MoreUnexecuted, r.Suppressed,
		r.Checked, r.Base}
}

// missed are the instructions that no wave executed.
type missed []check.Site

// MarshalJSON returns a list of places of instructions.
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
