package specjson

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// DispatchRequest is a kernel, its grid and its arguments.
type DispatchRequest struct {
	CodeObject string        `json:"code_object"`
	Kernel     string        `json:"kernel"`
	MCPU       string        `json:"mcpu"`
	Grid       extent        `json:"grid"`
	Workgroup  extent        `json:"workgroup"`
	Args       []argument    `json:"args"`
	Dump       []dumpSpec    `json:"dump"`
	Expect     []expectation `json:"expect"`

	GlobalOffset [3]uint64      `json:"global_offset"`
	WorkDim      int            `json:"work_dim"`
	Kernarg      []byte         `json:"kernarg"`
	DynamicLDS   uint32         `json:"dynamic_lds"`
	Registers    *registerSpec  `json:"registers"`
	Entry        uint64         `json:"entry" number:"bits"`
	GroupLimit   *uint32        `json:"max_flat_workgroup_size"`
	Placement    *placementSpec `json:"placement"`
	Schedule     sim.Schedule   `json:"schedule"`
	settings
}

// placementSpec is where buffers lie: see [sim.Memory].Placement.
type placementSpec struct {
	Seed uint64 `json:"seed"`
}

// registerSpec are the registers that a driver has set: see [sim.Registers].
type registerSpec struct {
	User         []uint32  `json:"user" number:"bits"`
	TmpRing      uint32    `json:"tmp_ring" number:"bits"`
	PrivateBase  uint64    `json:"private_base" number:"bits"`
	BorderColors uint64    `json:"border_colors" number:"bits"`
	Start        [3]uint32 `json:"start"`
}

// registers returns r, which may be nil, as a value.
func (r *registerSpec) registers() (*sim.Registers, error) {
	if r == nil {
		return nil, nil
	}
	all := &sim.Registers{TmpRing: r.TmpRing, PrivateBase: r.PrivateBase, BorderColors: r.BorderColors, Start: r.Start}
	if len(r.User) > len(all.UserData) {
		return nil, fmt.Errorf("registers.user: %d are more than the %d that there are", len(r.User), len(all.UserData))
	}
	copy(all.UserData[:], r.User)
	return all, nil
}

type dumpSpec struct {
	Arg  uint32 `json:"arg"`
	File string `json:"file"`
	Hex  bool   `json:"hex"`
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

// FailedDispatch returns the reply of a dispatch that failed with err.
func FailedDispatch(err error) *DispatchReply {
	reply := &DispatchReply{Error: Failed(err)}
	reply.Judgement = FoundBefore(err)
	return reply
}

// ParseDispatch reads a specification. The error is a *[RequestError].
func ParseDispatch(text []byte) (req *DispatchRequest, err error) {
	defer crash.Guard(&err)
	req = &DispatchRequest{}
	return req, decode(text, req)
}

// Run runs the kernel. Output files are written last. The reply of a run that left something
// else than it should says so. The error says what is wrong with the specification, is that of
// [spec.Dispatch.Run] or [Files], or is a *[crash.Error].
func (req *DispatchRequest) Run(ctx context.Context, o *Options) (reply *DispatchReply, err error) {
	defer crash.Guard(&err)
	if o == nil {
		o = &Options{}
	}
	d, err := req.dispatch(o)
	if err != nil {
		return nil, err
	}
	if len(o.Schedules) > 0 {
		d.Schedule = o.Schedules[0]
	}
	if len(o.Schedules) > 1 && o.Ordered != nil {
		all, err := d.Schedules(ctx, &spec.Options{Seed: o.Seed, Objects: o.Objects, Workers: o.Workers}, o.Schedules)
		if err != nil {
			return nil, o.stopped(err)
		}
		o.Ordered(all)
	}
	res, err := d.Run(ctx, o.runs(func(r *spec.Run) error { return req.checkDumps(r.Memory) }))
	if err != nil {
		return nil, o.stopped(err)
	}
	reply = &DispatchReply{
		OK: true, Kernel: req.Kernel, MCPU: res.Target.String(),
		Instructions: (*counts)(res.Result), Judgement: judgement(res), Fidelity: fidelityOf(res.Result), Result: res.Result,
	}
	if res.Times == nil { // a dispatch always answers these
		reply.Cycles, reply.Counters = new(uint64), &metrics{}
	} else {
		reply.fill(res)
		*reply.Fidelity = append(*reply.Fidelity, reply.fidelity())
	}
	if res.Mismatch != nil {
		reply.OK, reply.Error = false, Failed(res.Mismatch)
	}
	if err := req.dump(reply, res.Memory, o.Files); err != nil {
		return nil, err
	}
	return reply, nil
}

// dispatch returns the specification as a value, with the contents of its files.
func (req *DispatchRequest) dispatch(o *Options) (*spec.Dispatch, error) {
	if o.Files == nil {
		o.Files = noFiles{}
	}
	kinds, judged, err := req.judged(o)
	if err != nil {
		return nil, err
	}
	object, target, err := req.object(o)
	if err != nil {
		return nil, err
	}
	d := &spec.Dispatch{
		Object: object, Name: req.CodeObject, Kernel: req.Kernel, Target: &target, Grid: req.Grid, Group: req.Workgroup,
		Offset: req.GlobalOffset, WorkDim: req.WorkDim, DynamicLDS: req.DynamicLDS, Kernarg: req.Kernarg,
		Entry: req.Entry, Schedule: req.Schedule,
	}
	if d.Registers, err = req.Registers.registers(); err != nil {
		return nil, err
	}
	if d.Settings, err = req.settings.settings(target, o, judged, kinds); err != nil {
		return nil, err
	}
	if req.Placement != nil {
		d.Placement = &req.Placement.Seed
	}
	if req.GroupLimit != nil {
		if d.GroupLimit = *req.GroupLimit; d.GroupLimit == 0 {
			return nil, errors.New("max_flat_workgroup_size: no work-item may run; give 1 or more")
		}
	}
	files := &reader{o.Files, maxFileBytes}
	for i := range req.Args {
		arg, err := req.Args[i].argument(files)
		if err != nil {
			return nil, fmt.Errorf("args[%d]: %w", i, err)
		}
		d.Args = append(d.Args, arg)
	}
	for i := range req.Expect {
		x, err := req.Expect[i].expect(files)
		if err != nil {
			return nil, fmt.Errorf("expect[%d]: %w", i, err)
		}
		d.Expect = append(d.Expect, x)
	}
	return d, nil
}

// dump shows buffers and images in the reply and writes their files.
func (req *DispatchRequest) dump(reply *DispatchReply, memory []*spec.Memory, files Files) error {
	for _, d := range req.Dump {
		h := memory[d.Arg]
		data, err := h.Contents()
		if err != nil {
			return fmt.Errorf("dump: argument %d: %w", d.Arg, err)
		}
		out := argDump{Arg: d.Arg, File: d.File}
		if d.Hex {
			out.Hex = hexViews{data}
		}
		if h.Image != nil && isPNG(d.File) {
			if data, err = writePNG(h.Image); err != nil {
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

// object returns the code object, of a bundle that of the request's processor, and which processor runs
// it.
func (req *DispatchRequest) object(o *Options) ([]byte, gcn.Target, error) {
	if req.CodeObject == "" {
		return nil, 0, errors.New("code_object is missing; give the file of one")
	}
	data, err := o.Files.ReadFile(req.CodeObject, maxObjectBytes)
	if err != nil {
		return nil, 0, fmt.Errorf("code_object: %w", err)
	}
	if data, err = codeobj.UnbundleKernel(data, req.MCPU, req.Kernel); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", req.CodeObject, err)
	}
	if req.MCPU != "" {
		target, err := chip.ParseTarget(req.MCPU)
		if err != nil {
			return nil, 0, fmt.Errorf("mcpu: %w", err)
		}
		return data, target, nil
	}
	object, err := o.Objects.Parse(data)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", req.CodeObject, err)
	}
	return data, object.Target, nil
}

// checkDumps refuses a dump of what is no buffer or that goes nowhere, before anything
// runs.
func (req *DispatchRequest) checkDumps(memory []*spec.Memory) error {
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
		if err := spend(&left, memory[d.Arg].Size()); err != nil {
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
