package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/wholefile"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim/timing"
	"github.com/gcnsim/gcnsim/state"
)

// dispatchSpec is dispatch's input.
type dispatchSpec struct {
	CodeObject string     `json:"code_object"`
	Kernel     string     `json:"kernel"`
	MCPU       string     `json:"mcpu"`
	Grid       [3]number  `json:"grid"`
	Workgroup  [3]number  `json:"workgroup"`
	Args       []argSpec  `json:"args"`
	Rules      string     `json:"rules"`
	Check      []string   `json:"check"`
	Dump       []dumpSpec `json:"dump"`
	timingSpec
	imageSpec
}

// argSpec is one argument: exactly one of its keys.
type argSpec struct {
	Buffer *bufferSpec `json:"buffer"`
	U32    *number     `json:"u32"`
	F32    *float32    `json:"f32"`
	U64    *number     `json:"u64"`
	Local  *number     `json:"local"`
	Hex    *hexBytes   `json:"hex"`
}

type bufferSpec struct {
	Size number   `json:"size"`
	Hex  hexBytes `json:"hex"`
	File string   `json:"file"`
}

type dumpSpec struct {
	Arg  int    `json:"arg"`
	File string `json:"file"`
	Hex  bool   `json:"hex"`
}

// dispatchReply is dispatch's output.
type dispatchReply struct {
	OK           bool    `json:"ok"`
	Kernel       string  `json:"kernel,omitempty"`
	MCPU         string  `json:"mcpu,omitempty"`
	Instructions *counts `json:"instructions,omitempty"`
	times
	Diagnostics *[]diagnostic `json:"diagnostics,omitempty"`
	Fidelity    *[]fidelity   `json:"fidelity,omitempty"`
	Dump        []argDump     `json:"dump,omitempty"`
	Error       *errorReply   `json:"error,omitempty"`
}

type argDump struct {
	Arg  int      `json:"arg"`
	File string   `json:"file,omitempty"`
	Hex  hexBytes `json:"hex,omitempty"`
}

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

func dispatchCommand() *cobra.Command {
	var jobs int
	cmd := &cobra.Command{
		Use:   "dispatch SPEC.json",
		Short: "Run a compiled kernel over a grid: a JSON specification in, a JSON result out",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			reply := &dispatchReply{}
			if err := dispatchFile(cmd.Context(), args[0], jobs, nil, nil, reply); err != nil {
				*reply = dispatchReply{Error: replyTo(err)}
			}
			reply.OK = reply.Error == nil
			b, err := marshal(reply)
			if err != nil {
				return wrong(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", b)
			if !reply.OK {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&jobs, "jobs", 0, "how many work-groups run at a time (default: one for each CPU)")
	return cmd
}

// dispatchFile runs the specification in the file path, with what flags of run say unless
// they are nil, and fills reply. Output files are written
// last, and each whole or not at all.
func dispatchFile(ctx context.Context, path string, jobs int, flags *runFlags, adapt func(*sim.Launch, *timing.Model), reply *dispatchReply) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var spec dispatchSpec
	if err := decodeStrict(text, &spec); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := refuseUnknown(spec.Check); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	l, m, buffers, err := spec.launch(dir, flags)
	if err != nil {
		return err
	}
	l.Workers = jobs
	model, err := spec.model(m.Target)
	if err != nil {
		return err
	}
	if k, err := l.Module.Object.Kernel(spec.Kernel); err == nil && model != nil {
		model.SGPRs = k.SGPRs
	}
	found, collect := watch(spec.Check)
	l.Clock = modelClock(model)
	l.Observer, l.Compare = observers(collect, modelObserver(model)), wants(spec.Check, checkRulesDiffer)
	if adapt != nil {
		adapt(l, model)
	}
	res, err := m.Dispatch(ctx, *l)
	if err != nil {
		return err
	}
	reply.Kernel, reply.MCPU = spec.Kernel, m.Target.String()
	reply.Instructions, reply.Diagnostics, reply.Fidelity = (*counts)(res), found, fidelityOf(res)
	if model == nil { // a dispatch always answers these
		reply.Cycles, reply.Counters = new(uint64), &metrics{}
	} else if err := reply.fill(model); err != nil {
		return err
	}
	for _, d := range spec.Dump {
		out := argDump{Arg: d.Arg, File: d.File}
		if d.Hex {
			out.Hex = buffers[d.Arg].Bytes()
		}
		if d.File != "" {
			if err := wholefile.Write(within(dir, d.File), buffers[d.Arg].Bytes()); err != nil {
				return err
			}
		}
		reply.Dump = append(reply.Dump, out)
	}
	return nil
}

// within returns path relative to dir unless it is absolute.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// launch builds a machine and what it runs. Buffers are given by argument, nil where
// the argument is no buffer.
func (spec *dispatchSpec) launch(dir string, flags *runFlags) (*sim.Launch, *sim.Machine, []*sim.Buffer, error) {
	fail := func(err error) (*sim.Launch, *sim.Machine, []*sim.Buffer, error) { return nil, nil, nil, err }
	data, err := os.ReadFile(within(dir, spec.CodeObject))
	if err != nil {
		return fail(fmt.Errorf("code_object: %w", err))
	}
	target, err := spec.target(data)
	if err != nil {
		return fail(err)
	}
	if err := flags.choose(&spec.timingSpec, target); err != nil {
		return fail(err)
	}
	m := sim.New(target)
	if err := spec.setImages(m, spec.Chip); err != nil {
		return fail(err)
	}
	mod, err := m.LoadObject(data)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", spec.CodeObject, err))
	}
	l := &sim.Launch{Module: mod, Kernel: spec.Kernel}
	rules, err := parseRules(spec.Rules, state.DriverRules)
	if err != nil {
		return fail(err)
	}
	l.Rules = &rules
	for i := range 3 {
		if l.Grid[i], err = spec.Grid[i].u32(); err != nil {
			return fail(fmt.Errorf("grid: %w", err))
		}
		if l.Group[i], err = spec.Workgroup[i].u32(); err != nil {
			return fail(fmt.Errorf("workgroup: %w", err))
		}
	}
	buffers := make([]*sim.Buffer, len(spec.Args))
	for i, a := range spec.Args {
		arg, b, err := a.arg(m, dir)
		if err != nil {
			return fail(fmt.Errorf("args[%d]: %w", i, err))
		}
		l.Args, buffers[i] = append(l.Args, arg), b
	}
	for _, d := range spec.Dump {
		if d.Arg < 0 || d.Arg >= len(buffers) || buffers[d.Arg] == nil {
			return fail(fmt.Errorf("dump: argument %d is not a buffer", d.Arg))
		}
		if d.File == "" && !d.Hex {
			return fail(fmt.Errorf("dump: argument %d goes nowhere; give file or hex", d.Arg))
		}
	}
	return l, m, buffers, nil
}

func (spec *dispatchSpec) target(data []byte) (gcn.Target, error) {
	if spec.MCPU == "" {
		o, err := codeobj.Parse(data)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", spec.CodeObject, err)
		}
		return o.Target, nil
	}
	target, err := gcn.ParseTarget(spec.MCPU)
	if err != nil {
		return 0, fmt.Errorf("mcpu: %w", err)
	}
	return target, nil
}

// arg returns the argument, and its buffer if it is one.
func (a *argSpec) arg(m *sim.Machine, dir string) (sim.Arg, *sim.Buffer, error) {
	given := 0
	for _, set := range []bool{a.Buffer != nil, a.U32 != nil, a.F32 != nil, a.U64 != nil, a.Local != nil, a.Hex != nil} {
		if set {
			given++
		}
	}
	if given != 1 {
		return sim.Arg{}, nil, errors.New("give exactly one of buffer, u32, f32, u64, local, hex")
	}
	switch {
	case a.Buffer != nil:
		b, err := a.Buffer.load(m, dir)
		if err != nil {
			return sim.Arg{}, nil, err
		}
		return sim.BufferArg(b), b, nil
	case a.U32 != nil:
		v, err := a.U32.u32()
		return sim.U32(v), nil, err
	case a.F32 != nil:
		return sim.F32(*a.F32), nil, nil
	case a.U64 != nil:
		return sim.U64(a.U64.v), nil, nil
	case a.Local != nil:
		v, err := a.Local.u32()
		return sim.Local(v), nil, err
	}
	return sim.Bytes(append([]byte{}, *a.Hex...)), nil, nil
}

// load maps the buffer with its contents.
func (s *bufferSpec) load(m *sim.Machine, dir string) (*sim.Buffer, error) {
	data := []byte(s.Hex)
	if s.File != "" {
		if s.Hex != nil {
			return nil, errors.New("buffer has both hex and file; give one")
		}
		var err error
		if data, err = os.ReadFile(within(dir, s.File)); err != nil {
			return nil, err
		}
	}
	size := max(s.Size.v, uint64(len(data)))
	if size == 0 || size > maxHostBytes {
		return nil, fmt.Errorf("a buffer of %d bytes; it must have 1 to %d", size, maxHostBytes)
	}
	b := m.Alloc(int(size))
	copy(b.Bytes(), data)
	return b, nil
}
