package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// ExecRequest is a program and the state of the wave that it runs on.
type ExecRequest struct {
	ID    json.RawMessage `json:"id"`
	MCPU  string          `json:"mcpu"`
	Asm   *string         `json:"asm"`
	Words []word          `json:"words"`
	waveState
	// Waves is how many waves the work-group has, and States what registers of theirs differ.
	Waves     *count32    `json:"waves"`
	States    []waveState `json:"states"`
	Mem       []memInput  `json:"mem"`
	LDS       *storage    `json:"lds"`
	GDS       *storage    `json:"gds"`
	Rules     string      `json:"rules"`
	Alignment string      `json:"alignment"`
	TimingSpec
	imageSpec
	checkKeys
	MaxInstructions *count64    `json:"max_instructions"`
	Dump            dumpRequest `json:"dump"`
}

// ExecReply is what a request asked to see, or why there is nothing to see.
type ExecReply struct {
	ID           json.RawMessage `json:"id,omitempty"`
	OK           bool            `json:"ok"`
	SGPR         registers       `json:"sgpr,omitempty"`
	VGPR         registers       `json:"vgpr,omitempty"`
	Mem          []memDump       `json:"mem,omitempty"`
	LDS          []ldsDump       `json:"lds,omitempty"`
	GDS          []ldsDump       `json:"gds,omitempty"`
	Regs         *regsDump       `json:"regs,omitempty"`
	Waves        []waveDump      `json:"waves,omitempty"` // of several waves what else is above
	Instructions *uint64         `json:"instructions,omitempty"`
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
	defer guard(&err)
	req = &ExecRequest{}
	return req, decode(text, req)
}

// Exec answers one request. What is wrong with it, or with its program, is in the reply.
func Exec(ctx context.Context, text []byte, o *Options) *ExecReply {
	req, err := ParseExec(text)
	if err != nil {
		return &ExecReply{ID: requestID(text), Error: Failed(fmt.Errorf("the request: %w", inLine(err)))}
	}
	reply, err := req.Run(ctx, o)
	if err != nil {
		reply := &ExecReply{ID: req.ID, Error: Failed(err), Err: err}
		reply.Judgement = foundBefore(err)
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
// [sim.Machine.Run] or [asm.Assemble], or is a *[crash.Error]; that of a run may be in a
// *[StoppedError].
func (req *ExecRequest) Run(ctx context.Context, o *Options) (reply *ExecReply, err error) {
	defer guard(&err)
	if o == nil {
		o = &Options{}
	}
	if req.MCPU == "" {
		return nil, errors.New("mcpu is missing; give a processor, as in gfx803")
	}
	target, err := chip.ParseTarget(req.MCPU)
	if err != nil {
		return nil, fmt.Errorf("mcpu: %w", err)
	}
	if err := o.adjust(target, &req.TimingSpec); err != nil {
		return nil, err
	}
	m, err := req.machine(target, o)
	if err != nil {
		return nil, err
	}
	words, err := req.program(target)
	if err != nil {
		return nil, err
	}
	waves, err := req.newWaves(m)
	if err != nil {
		return nil, err
	}
	w := waves[0]
	empty, err := req.setMemory(m, o)
	if err != nil {
		return nil, err
	}
	if err := req.Dump.check(m, w); err != nil {
		return nil, err
	}
	model, err := req.model(target)
	if err != nil {
		return nil, err
	}
	defer stopWith(ctx, model)()
	checks, err := req.checkerOf(w, empty, o)
	if err != nil {
		return nil, err
	}
	run := Run{Target: target, Model: model}
	if err := o.watch(&m.Config, run, checks); err != nil {
		return nil, err
	}
	res, err := m.RunProgram(ctx, sim.NewProgram(target, 0, words, w.NumVGPRs), waves...)
	if err != nil {
		return nil, o.stopped(err, res, checks, run)
	}
	reply = &ExecReply{
		ID: req.ID, OK: true, Instructions: &res.Instructions, Judgement: judgement(checks, 0), Fidelity: fidelityOf(res),
		Target: target, Wave: w, Result: res,
	}
	if err := reply.fill(ctx, model); err != nil {
		return nil, o.stopped(err, res, checks, run)
	}
	if model != nil {
		*reply.Fidelity = append(*reply.Fidelity, reply.fidelity())
	}
	if err := req.Dump.fill(m, waves, reply); err != nil {
		return nil, err
	}
	return reply, nil
}

// checkerOf returns what looks for findings in a run of w, nil if nothing does. Buffers in empty hold nothing.
func (req *ExecRequest) checkerOf(w *state.Wave, empty []*sim.Buffer, o *Options) (*check.Checker, error) {
	checks, err := req.checker(o)
	if err != nil {
		return nil, err
	}
	if err := noInit(checks, empty); err != nil {
		return nil, fmt.Errorf("mem: %w", err)
	}
	if checks == nil {
		return nil, nil
	}
	checks.Options.Inputs = req.inputs(w)
	if req.setsFlatScratch() && w.Target.Traits().FlatScratch < 0 {
		checks.Setting("flat_scratch", "ST1", fmt.Sprintf("%v has no FLAT_SCRATCH", w.Target))
	}
	return checks, nil
}

// machine returns the machine that the request describes, without its memory.
func (req *ExecRequest) machine(target gcn.Target, o *Options) (m *sim.Machine, err error) {
	m = sim.New(target)
	if m.Rules, err = parseRules(req.Rules); err != nil {
		return nil, err
	}
	if m.Align, err = parseAlignment(req.Alignment); err != nil {
		return nil, err
	}
	if err := req.setImages(m, req.Chip); err != nil {
		return nil, err
	}
	if limit, err := o.limit(req.MaxInstructions); err != nil {
		return nil, err
	} else if limit != 0 {
		m.Limit = limit
	}
	return m, nil
}

// program returns the words of the request, from whichever key gives them.
func (req *ExecRequest) program(target gcn.Target) ([]uint32, error) {
	switch {
	case req.Asm != nil && req.Words != nil:
		return nil, errors.New("asm and words are both given; give one")
	case req.Asm != nil:
		p, err := asm.Assemble(target, *req.Asm, asm.LLVM)
		if err != nil {
			return nil, err
		}
		return p.Words, nil
	case len(req.Words) > maxProgramWords:
		return nil, fmt.Errorf("words: %d are more than the %d that a program may have", len(req.Words), maxProgramWords)
	case req.Words != nil:
		words := make([]uint32, len(req.Words))
		for i, w := range req.Words {
			words[i] = uint32(w)
		}
		return words, nil
	}
	return nil, errors.New("there is no program; give asm or words")
}
