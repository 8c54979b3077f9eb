package specjson

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// ExecRequest is a program and the state of the wave that it runs on.
type ExecRequest struct {
	ID    json.RawMessage `json:"id"`
	MCPU  string          `json:"mcpu"`
	Asm   *string         `json:"asm"`
	Words []word          `json:"words"`
	spec.Registers
	// Waves is how many waves the work-group has, and States what registers of theirs differ.
	Waves     *uint32          `json:"waves"`
	States    []spec.Registers `json:"states"`
	Mem       []memInput       `json:"mem"`
	LDS       *storage         `json:"lds"`
	GDS       *storage         `json:"gds"`
	Alignment string           `json:"alignment"`
	settings
	Dump dumpRequest `json:"dump"`
}

// memRange is a range of memory.
type memRange struct {
	Addr uint64  `json:"addr" number:"bits"`
	Hex  []byte  `json:"hex"`
	Size *uint64 `json:"size"`
}

// memInput is a range that a request maps.
type memInput struct {
	memRange
	NoInit bool   `json:"noinit"` // its contents are undefined
	Parts  []part `json:"parts"`
	randomKeys
}

// storage is the LDS or the GDS.
type storage struct {
	Size *uint64 `json:"size"`
	Hex  []byte  `json:"hex"`
}

// storage returns s, which may be nil, as a value.
func (s *storage) storage() (*spec.Storage, error) {
	switch {
	case s == nil:
		return nil, nil
	case s.Size == nil:
		return &spec.Storage{Data: s.Hex}, nil
	case *s.Size == 0:
		return &spec.Storage{}, refuseData(s.Hex)
	}
	return &spec.Storage{Size: int(min(*s.Size, math.MaxInt)), Data: s.Hex}, nil
}

// ExecReply is what a request asked to see, or why there is nothing to see.
type ExecReply struct {
	ID   json.RawMessage `json:"id,omitempty"`
	OK   bool            `json:"ok"`
	SGPR registers       `json:"sgpr,omitempty"`
	VGPR registers       `json:"vgpr,omitempty"`
	Mem  []memDump       `json:"mem,omitempty"`
	LDS  []ldsDump       `json:"lds,omitempty"`
	GDS  []ldsDump       `json:"gds,omitempty"`
	Regs *regsDump       `json:"regs,omitempty"`
	beforeReply
	Waves        []waveDump `json:"waves,omitempty"` // of several waves what else is above
	Instructions *uint64    `json:"instructions,omitempty"`
	Times
	Judgement
	Fidelity *[]fidelity `json:"fidelity,omitempty"`
	Error    *Failure    `json:"error,omitempty"`

	// Target, Wave and Result are what ran, the state that it left, of the first wave, and what
	// it counted.
	Target gcn.Target  `json:"-"`
	Wave   *state.Wave `json:"-"`
	Result *sim.Result `json:"-"`
	// Err is what Error says.
	Err error `json:"-"`
}

// ParseExec reads a request. The error is a *[RequestError].
func ParseExec(text []byte) (req *ExecRequest, err error) {
	defer crash.Guard(&err)
	req = &ExecRequest{}
	return req, decode(text, req)
}

// Exec answers one request. What is wrong with it, or with its program, is in the reply.
func Exec(ctx context.Context, text []byte, o *Options) *ExecReply {
	if family, ok := processorOf(text); ok {
		return execBefore(family, text)
	}
	req, err := ParseExec(text)
	if err != nil {
		return &ExecReply{ID: requestID(text), Error: Failed(fmt.Errorf("the request: %w", inLine(err)))}
	}
	reply, err := req.Run(ctx, o)
	if err != nil {
		reply := &ExecReply{ID: req.ID, Error: Failed(err), Err: err}
		reply.Judgement = FoundBefore(err)
		return reply
	}
	return reply
}

// requestID returns the id of a request that does not decode, so that its error is told
// apart from others, nil if text is no JSON object.
func requestID(text []byte) json.RawMessage {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(text, &named) != nil {
		return nil
	}
	return named.ID
}

// inLine is err without a line number: a request of exec is one line.
func inLine(err error) error {
	var e *RequestError
	if errors.As(err, &e) && e.Line == 1 {
		return fmt.Errorf("column %d: %s", e.Col, e.Message())
	}
	return err
}

// Run executes the request. The error says what is wrong with the request, is that of
// [spec.Exec.Run], or is a *[crash.Error].
func (req *ExecRequest) Run(ctx context.Context, o *Options) (reply *ExecReply, err error) {
	defer crash.Guard(&err)
	if o == nil {
		o = &Options{}
	}
	e, err := req.exec(o)
	if err != nil {
		return nil, err
	}
	res, err := e.Run(ctx, o.runs(func(r *spec.Run) error { return req.Dump.check(r.Machine, r.Waves[0]) }))
	if err != nil {
		return nil, o.stopped(err)
	}
	reply = NewExecReply(res)
	reply.ID = req.ID
	return reply, req.Dump.fill(res.Machine, res.Waves, reply)
}

// NewExecReply returns the answer of a run, without a dump.
func NewExecReply(res *spec.Result) *ExecReply {
	reply := &ExecReply{
		OK: true, Instructions: &res.Instructions, Judgement: judgement(res), Fidelity: fidelityOf(res.Result),
		Target: res.Target, Wave: res.Waves[0], Result: res.Result,
	}
	if reply.fill(res); res.Times != nil {
		*reply.Fidelity = append(*reply.Fidelity, reply.fidelity())
	}
	return reply
}

// exec returns the request as a value.
func (req *ExecRequest) exec(o *Options) (*spec.Exec, error) {
	if req.MCPU == "" {
		return nil, errors.New("mcpu is missing; give a processor, as in gfx803")
	}
	target, err := chip.ParseTarget(req.MCPU)
	if err != nil {
		return nil, fmt.Errorf("mcpu: %w", err)
	}
	kinds, judged, err := req.judged(o)
	if err != nil {
		return nil, err
	}
	e := &spec.Exec{Target: target, Registers: req.Registers, States: req.States}
	if e.Settings, err = req.settings.settings(target, o, judged, kinds); err != nil {
		return nil, err
	}
	e.Exceptions = req.Dump.Regs
	if e.Alignment, err = parseAlignment(req.Alignment); err != nil {
		return nil, err
	}
	if req.Words != nil {
		e.Words = make([]uint32, len(req.Words))
		for i, w := range req.Words {
			e.Words[i] = uint32(w)
		}
	}
	if req.Asm != nil {
		if e.Asm = *req.Asm; e.Asm == "" && e.Words == nil { // a program that ends at once
			e.Words = []uint32{}
		}
	}
	if req.Waves != nil {
		if e.Waves = int(*req.Waves); e.Waves == 0 {
			return nil, errors.New("waves: 0 is not in 1 to 16, what a work-group can have")
		}
	}
	return e, req.memory(e)
}

// memory gives e the memory of the request.
func (req *ExecRequest) memory(e *spec.Exec) (err error) {
	for i := range req.Mem {
		r := &req.Mem[i]
		b, err := ranged(r.Size, r.Hex, r.NoInit, r.Parts, &r.Addr, &r.randomKeys)
		if err != nil {
			return fmt.Errorf("mem[%d]: %w", i, err)
		}
		e.Mem = append(e.Mem, *b)
	}
	if e.LDS, err = req.LDS.storage(); err != nil {
		return fmt.Errorf("lds: %w", err)
	}
	if e.GDS, err = req.GDS.storage(); err != nil {
		return fmt.Errorf("gds: %w", err)
	}
	return nil
}
