package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim/timing"
)

// DispatchRequest is a kernel, its grid and its arguments.
type DispatchRequest struct {
	CodeObject string       `json:"code_object"`
	Kernel     string       `json:"kernel"`
	MCPU       string       `json:"mcpu"`
	Grid       extent       `json:"grid"`
	Workgroup  extent       `json:"workgroup"`
	Args       []argSpec    `json:"args"`
	Rules      string       `json:"rules"`
	Dump       []dumpSpec   `json:"dump"`
	Expect     []expectSpec `json:"expect"`

	GlobalOffset    [3]count64     `json:"global_offset"`
	WorkDim         count32        `json:"work_dim"`
	Kernarg         *hexBytes      `json:"kernarg"`
	DynamicLDS      count32        `json:"dynamic_lds"`
	GroupLimit      *count32       `json:"max_flat_workgroup_size"`
	MaxInstructions *count64       `json:"max_instructions"`
	Placement       *placementSpec `json:"placement"`
	TimingSpec
	imageSpec
	checkKeys
}

// placementSpec is where buffers lie: see [sim.Memory].Placement.
type placementSpec struct {
	Seed count64 `json:"seed"`
}

// defaultPlacement is that of a dispatch which does not choose one.
const defaultPlacement = 1

type dumpSpec struct {
	Arg  count32 `json:"arg"`
	File string  `json:"file"`
	Hex  bool    `json:"hex"`
}

// DispatchReply is what a dispatch counted and the buffers it was asked for, or why it
// failed.
type DispatchReply struct {
	OK           bool    `json:"ok"`
	Kernel       string  `json:"kernel,omitempty"`
	MCPU         string  `json:"mcpu,omitempty"`
	Instructions *counts `json:"instructions,omitempty"`
	Times
	Judgement
	Fidelity *[]fidelity `json:"fidelity,omitempty"`
	Dump     []argDump   `json:"dump,omitempty"`
	Error    *Failure    `json:"error,omitempty"`

	// Result is what the dispatch counted.
	Result *sim.Result `json:"-"`
}

type argDump struct {
	Arg  uint32   `json:"arg"`
	File string   `json:"file,omitempty"`
	Hex  hexViews `json:"hex,omitempty"`
}

// Bytes returns what of the argument is shown as hex.
func (d *argDump) Bytes() []byte { return slices.Concat(d.Hex...) }

// counts is the instruction count in total and by class; classes without any are left out.
type counts sim.Result

// MarshalJSON writes the total first, then the classes in their order.
func (c *counts) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"total":%d`, c.Instructions)
	for class, n := range c.ByClass {
		if n > 0 {
			fmt.Fprintf(&b, `,"%v":%d`, sim.Class(class), n)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// FailedDispatch returns the reply that says why there is none.
func FailedDispatch(err error) *DispatchReply {
	reply := &DispatchReply{Error: Failed(err)}
	reply.Judgement = foundBefore(err)
	return reply
}

// ParseDispatch reads a specification. The error is a *[RequestError].
func ParseDispatch(text []byte) (req *DispatchRequest, err error) {
	defer guard(&err)
	req = &DispatchRequest{}
	return req, decode(text, req)
}

// prepared is a dispatch whose arguments are in memory.
type prepared struct {
	launch  *sim.Launch
	machine *sim.Machine
	memory  []*held       // by argument, nil where that has none
	model   *timing.Model // nil without timing
}

// prepare maps the object and the arguments, at the same addresses each time.
func (req *DispatchRequest) prepare(o *Options) (*prepared, error) {
	l, m, err := req.launch(o)
	if err != nil {
		return nil, err
	}
	memory, err := req.setArgs(l, m, o)
	if err != nil {
		return nil, err
	}
	model, err := req.model(m.Target)
	if err != nil {
		return nil, err
	}
	return &prepared{l, m, memory, model}, nil
}

// Run runs the kernel. Output files are written last. The reply of a run that left something
// else than it should says so. The error says what is wrong with the specification, is that of
// [sim.Machine.Dispatch] or [Files], or is a *[crash.Error].
func (req *DispatchRequest) Run(ctx context.Context, o *Options) (reply *DispatchReply, err error) {
	defer guard(&err)
	if o == nil {
		o = &Options{}
	}
	if o.Files == nil {
		o.Files = noFiles{}
	}
	checks, err := req.checker(o)
	if err != nil {
		return nil, err
	}
	r, err := req.prepare(o)
	if err != nil {
		return nil, err
	}
	if err := noInit(checks, req.empty(r.memory)); err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	if err := req.checkDumps(r.memory); err != nil {
		return nil, err
	}
	expected, err := req.expectations(r.memory, o.Files)
	if err != nil {
		return nil, err
	}
	defer stopWith(ctx, r.model)()
	l, m := r.launch, r.machine
	run := Run{m.Target, l.Module.Base, r.model}
	if err := o.watch(&l.Config, run, checks); err != nil {
		return nil, err
	}
	res, err := m.Dispatch(ctx, *l)
	if err != nil {
		return nil, o.stopped(err, res, checks, run)
	}
	reply = &DispatchReply{
		OK: true, Kernel: req.Kernel, MCPU: m.Target.String(),
		Instructions: (*counts)(res), Judgement: judgement(checks, l.Module.Base), Fidelity: fidelityOf(res), Result: res,
	}
	if r.model == nil { // a dispatch always answers these
		reply.Cycles, reply.Counters = new(uint64), &metrics{}
	} else if err := reply.fill(ctx, r.model); err != nil {
		return nil, o.stopped(err, res, checks, run)
	} else {
		*reply.Fidelity = append(*reply.Fidelity, reply.fidelity())
	}
	wrong, err := req.judge(ctx, o, expected, r.memory)
	if err != nil {
		return nil, err
	}
	if wrong != nil {
		reply.OK, reply.Error = false, Failed(wrong)
	}
	if err := ctx.Err(); err != nil { // in the second run
		return nil, o.stopped(err, res, checks, run)
	}
	if err := req.dump(reply, r.memory, o.Files); err != nil {
		return nil, err
	}
	return reply, nil
}

// empty returns the buffers whose contents are undefined.
func (req *DispatchRequest) empty(memory []*held) (empty []*sim.Buffer) {
	for i, a := range req.Args {
		if a.Buffer != nil && a.Buffer.NoInit {
			empty = append(empty, memory[i].Buffer)
		}
	}
	return empty
}

// dump shows buffers and images in the reply and writes their files.
func (req *DispatchRequest) dump(reply *DispatchReply, memory []*held, files Files) error {
	for _, d := range req.Dump {
		h := memory[d.Arg]
		data, err := h.contents()
		if err != nil {
			return fmt.Errorf("dump: argument %d: %w", d.Arg, err)
		}
		out := argDump{Arg: uint32(d.Arg), File: d.File}
		if d.Hex {
			out.Hex = hexViews{data}
		}
		if h.image != nil && isPNG(d.File) {
			if data, err = writePNG(h.image); err != nil {
				return fmt.Errorf("dump: argument %d: %w", d.Arg, err)
			}
		}
		if d.File != "" {
			if err := files.WriteFile(d.File, data); err != nil {
				return err
			}
		}
		reply.Dump = append(reply.Dump, out)
	}
	return nil
}

// noFiles is [Files] for who has none.
type noFiles struct{}

func (noFiles) ReadFile(name string, _ int64) ([]byte, error) {
	return nil, fmt.Errorf("there are no files here, %q cannot be read", name)
}

func (noFiles) WriteFile(name string, _ []byte) error {
	return fmt.Errorf("there are no files here, %q cannot be written", name)
}

// maxObjectBytes is the size of the largest code object.
const maxObjectBytes = 1 << 30

// stdinName is what commands call a code object that comes from standard input.
const stdinName = "<stdin>"

// launch returns a machine and what it runs, without arguments.
func (req *DispatchRequest) launch(o *Options) (*sim.Launch, *sim.Machine, error) {
	if req.CodeObject == "" {
		return nil, nil, errors.New("code_object is missing; give the file of one")
	}
	data, err := o.Files.ReadFile(req.CodeObject, maxObjectBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("code_object: %w", err)
	}
	if data, err = codeobj.Unbundle(data, req.MCPU); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", req.CodeObject, err)
	}
	target, err := req.target(o.Objects, data)
	if err != nil {
		return nil, nil, err
	}
	if err := o.adjust(target, &req.TimingSpec); err != nil {
		return nil, nil, err
	}
	m := sim.New(target)
	m.Objects = o.Objects
	m.Placement = defaultPlacement
	if req.Placement != nil {
		m.Placement = uint64(req.Placement.Seed)
	}
	if err := req.setImages(m, req.Chip); err != nil {
		return nil, nil, err
	}
	mod, err := m.LoadObject(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", req.CodeObject, err)
	}
	if name := filepath.Base(req.CodeObject); name != stdinName {
		mod.TextName = name
	}
	rules, err := parseRules(req.Rules)
	if err != nil {
		return nil, nil, err
	}
	group := req.Workgroup
	if k, err := mod.Object.Kernel(req.Kernel); err == nil && group == (extent{}) { // Dispatch says that there is none
		group = defaultGroup(k)
	}
	l := &sim.Launch{
		Module: mod, Kernel: req.Kernel, Grid: req.Grid, Group: group, Config: sim.Config{Rules: rules},
		Offset: [3]uint64{uint64(req.GlobalOffset[0]), uint64(req.GlobalOffset[1]), uint64(req.GlobalOffset[2])}, WorkDim: int(req.WorkDim),
		DynamicLDS: uint32(req.DynamicLDS), Workers: o.Workers, Progress: o.Progress,
	}
	if req.Kernarg != nil {
		l.Kernarg = append([]byte{}, *req.Kernarg...)
	}
	if req.GroupLimit != nil {
		if l.GroupLimit = uint32(*req.GroupLimit); l.GroupLimit == 0 {
			return nil, nil, errors.New("max_flat_workgroup_size: no work-item may run; give 1 or more")
		}
	}
	l.Limit, err = o.limit(req.MaxInstructions)
	return l, m, err
}

// defaultGroup returns the work-group of a dispatch of k that names none: what k requires, or 64
// work-items, or all that a work-group of k can have if that is less.
func defaultGroup(k *codeobj.Kernel) extent {
	const items = 64
	if k.ReqdGroupSize[0] != 0 {
		return k.ReqdGroupSize
	}
	return extent{min(items, cmp.Or(k.MaxFlatGroupSize, items))}
}

func (req *DispatchRequest) target(objects *sim.ObjectCache, data []byte) (gcn.Target, error) {
	if req.MCPU == "" {
		o, err := objects.Parse(data)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", req.CodeObject, err)
		}
		return o.Target, nil
	}
	target, err := chip.ParseTarget(req.MCPU)
	if err != nil {
		return 0, fmt.Errorf("mcpu: %w", err)
	}
	return target, nil
}

// checkDumps refuses a dump of what is no buffer or that goes nowhere, before anything
// runs.
func (req *DispatchRequest) checkDumps(memory []*held) error {
	left := uint64(maxDumpBytes)
	for i, d := range req.Dump {
		if uint64(d.Arg) >= uint64(len(memory)) || memory[d.Arg] == nil {
			return fmt.Errorf("dump: argument %d is not a buffer", d.Arg)
		}
		if d.File == "" && !d.Hex {
			return fmt.Errorf("dump: argument %d goes nowhere; give file or hex", d.Arg)
		}
		if !d.Hex {
			continue
		}
		if err := spend(&left, memory[d.Arg].size()); err != nil {
			return fmt.Errorf("dump[%d]: %w; give file instead of hex", i, err)
		}
	}
	return nil
}

// OutputFiles returns how many files the dispatch writes.
func (req *DispatchRequest) OutputFiles() int {
	n := 0
	for _, d := range req.Dump {
		if d.File != "" {
			n++
		}
	}
	return n
}
