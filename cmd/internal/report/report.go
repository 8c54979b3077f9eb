// Package report implements gcnsim run: it executes programs and dispatches and reports for people. It prints
// accesses, registers, times and findings, and writes traces and HTML pages.
package report

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/abi"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// Options says what a caller wants to see of an execution.
type Options struct {
	MCPU   string      // processor of a text that does not name one; a chip's name also selects the chip
	Chip   string      // chip that provides times and tiling registers
	Timing spec.Timing // whether to print the duration, and which part is timed
	Stats  bool        // print counts, and the issue time of each instruction
	// Sensitivity prints how much each assumed parameter of the time model changes the cycles.
	Sensitivity bool
	Trace       string         // file for a Chrome trace, or ""
	Konata      string         // file for a Konata trace, or ""
	Report      string         // file for an HTML page, or ""
	Debug       string         // command line for debugging, printed on the page; may be ""
	Record      record.Options // which part the page shows step by step
	Check       []string       // kinds of findings to look for
	// Suppressions is a file of known findings, one a line: see [check.ParseSuppression].
	Suppressions string
	Fidelity     bool // print how certain the behaviour of each instruction is
	// Schedules are wave orders for a dispatch, which replace the one of its specification. The memory after the
	// first one is compared with the memory after the others.
	Schedules []string
	Limit     uint64 // instructions that a wave may execute; 0 means the limit in the file, or the default
	Judged    bool   // findings make the command fail, so checks must be enabled
	Rules     string // rule set that replaces the one in the file, or ""
	// TrapHandler is a file with a trap handler's text, which replaces the request's handler. It may be "".
	TrapHandler string
	handler     string // its source text
	// Command selects a code object's kernel and its arguments. If it is empty, the kernels are listed.
	Command request.Command

	// Uses are the files that the caller reads and writes, see [spec.Options]. It may be nil.
	Uses *files.Uses
	// Progress is called with the number of finished work-groups. It may be nil.
	Progress func(done, total int)
	// Leaves receives a function that says what an interrupted execution leaves unfinished. It may be nil.
	Leaves func(func() string)
}

// ofRuns returns the name of a set flag that only affects executions, or "".
func (o *Options) ofRuns() string {
	for _, f := range []struct {
		flag string
		set  bool
	}{
		{"chip", o.Chip != ""}, {"timing", o.Timing != spec.NotTimed}, {"stats", o.Stats}, {"sensitivity", o.Sensitivity},
		{"trace", o.Trace != ""}, {"konata", o.Konata != ""},
		{"report", o.Report != ""}, {"check", len(o.Check) > 0},
		{"suppressions", o.Suppressions != ""},
		{"rules", o.Rules != ""}, {"schedule", len(o.Schedules) > 0}, {"trap-handler", o.TrapHandler != ""},
		{"fidelity", o.Fidelity},
		{request.LimitFlag, o.Limit != 0}, {"fail-on", o.Judged},
	} {
		if f.set {
			return f.flag
		}
	}
	return ""
}

// ErrAnswered says that an execution failed and that the reason was already printed.
var ErrAnswered = errors.New("the run failed")

// Run executes the file name with content data. A text in LLVM syntax executes on one wave whose registers are 0.
// JSON is a dispatch specification or one request of exec. For a code object, or the text of one, Run executes a
// kernel or lists the kernels. For a chip older than GCN, data is a text of copy shaders, which copy a picture. Run
// prints on out and returns the findings. Errors begin with the name of the file; an error that is already on out is
// [ErrAnswered].
func Run(ctx context.Context, name string, data []byte, o *Options, out io.Writer) ([]check.Finding, error) {
	r := &run{Options: o, ctx: ctx, out: out}
	if o.Leaves != nil {
		o.Leaves(func() string { return "the run had not ended" })
	}
	if family, err := r600.ParseFamily(o.MCPU); err == nil {
		return nil, r.before(family, name, data)
	}
	if _, err := chip.ParseTarget(o.MCPU); o.MCPU != "" && err != nil {
		return nil, &request.FlagError{Flag: "mcpu", Err: err}
	}
	if err := o.readHandler(); err != nil {
		return nil, err
	}
	switch start := bytes.TrimSpace(data); {
	case codeobj.IsObject(data), codeobj.IsAssembly(data):
		return r.object(name, data)
	case o.Command.Given():
		return nil, &request.FlagError{Flag: o.Command.Flag(),
			Err: fmt.Errorf("it is for code objects and their texts; %s is none", name)}
	case bytes.HasPrefix(start, []byte("{")), json.Valid(start):
		return r.json(name, data)
	}
	return r.text(name, data)
}

// maxHandlerBytes is the greatest size of a trap handler's text.
const maxHandlerBytes = 16 << 20

// readHandler reads the file of the trap handler, if set.
func (o *Options) readHandler() error {
	if o.TrapHandler == "" {
		return nil
	}
	text, err := files.Dir("").ReadFile(o.TrapHandler, maxHandlerBytes)
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = fmt.Errorf("%s is empty; give a text that ends with s_rfe_b64", o.TrapHandler)
	}
	if err != nil {
		return &request.FlagError{Flag: "trap-handler", Err: err}
	}
	o.handler = string(text)
	return nil
}

// run is one call of [Run].
type run struct {
	*Options
	ctx   context.Context
	out   io.Writer
	steps *record.Before // steps of a chip older than GCN, nil if they are not needed
}

// text executes assembly text on one wave whose registers are all 0. It prints the accesses and the final state.
func (r *run) text(path string, src []byte) ([]check.Finding, error) {
	program, err := r.program(path, src)
	if err != nil {
		return nil, err
	}
	watch := r.watcher()
	o, err := watch.options()
	if err != nil {
		return nil, err
	}
	o.Watch = watch.watch // accesses are always printed
	title := filepath.Base(path)
	res, err := program.Run(r.ctx, &o.Options)
	if err != nil {
		failed := r.ended(title, watch, err, func(o *request.Options) { _, _ = program.Run(r.ctx, &o.Options) })
		return nil, errors.Join(request.Located(path, err), failed)
	}
	if res.Instructions == 0 {
		return nil, fmt.Errorf("%s: it has no instruction; give at least one, such as s_endpgm", path)
	}
	out := r.out
	fmt.Fprintf(out, "%s on %v: %s\n\n", path, res.Target, plural.Of(int(res.Instructions), "instruction"))
	if err := watch.profile.WriteMemory(out, 0); err != nil {
		return nil, err
	}
	if r.Stats || r.Timing != spec.NotTimed {
		if err := writeTimes(out, timing.ResultOf(res.Times), 0); err != nil {
			return nil, err
		}
	}
	r.sensitivity(out, res)
	writeRegisters(out, res.Waves[0])
	if err := watch.fidelity(out, res.Result); err != nil {
		return nil, err
	}
	if err := r.judge(res); err != nil {
		return nil, err
	}
	return res.Findings, watch.write(out, &outcome{title, res.Result, timing.ResultOf(res.Times), res, nil})
}

// program returns the request for a text.
func (o *Options) program(path string, src []byte) (*spec.Exec, error) {
	name := cmp.Or(o.MCPU, o.Chip)
	if target, named := abi.TargetOf(string(src)); o.MCPU == "" && named {
		name = target.String()
	}
	if named, found := abi.Directive(string(src), ".amdgcn_target"); found && name == "" {
		_, err := gcn.ParseTarget(abi.Processor(named))
		return nil, fmt.Errorf("%s: .amdgcn_target: %w", path, err)
	}
	if name == "" {
		return nil, fmt.Errorf("%s: it does not say for which processor; give --mcpu or .amdgcn_target", path)
	}
	if err := o.oneOrder(); err != nil {
		return nil, err
	}
	target, err := chip.ParseTarget(name)
	if err != nil {
		return nil, fmt.Errorf("%s: mcpu: %w", path, err)
	}
	program := &spec.Exec{Target: target, Asm: string(src)}
	program.CheckOptions.Whole = len(o.Check) > 0
	if program.Asm == "" { // an empty program ends at once
		program.Words = []uint32{}
	}
	return program, nil
}

// oneOrder refuses wave orders if the input is not a dispatch.
func (o *Options) oneOrder() error {
	if len(o.Schedules) == 0 {
		return nil
	}
	return &request.FlagError{Flag: "schedule", Err: errors.New("it is for a dispatch: give a specification of one, or " +
		"an object with --kernel")}
}

// writeRegisters prints the registers that are not 0.
func writeRegisters(out io.Writer, w *state.Wave) {
	fmt.Fprintf(out, "\nexec 0x%016x  vcc 0x%016x  m0 0x%08x  scc %d\n", w.Exec(), w.Scalar64(gcn.VCC), w.S[gcn.M0], w.SCC)
	for i, v := range w.S[:isa.TraitsOf(w.Target).SGPRs] {
		if v != 0 {
			fmt.Fprintf(out, "s%-3d 0x%08x\n", i, v)
		}
	}
	for i := range w.V {
		if v := &w.V[i]; *v != (state.Lanes{}) {
			fmt.Fprintf(out, "v%-3d", i)
			for lane, x := range v {
				if lane > 0 && lane%8 == 0 {
					fmt.Fprintf(out, "\n    ")
				}
				fmt.Fprintf(out, " %08x", x)
			}
			fmt.Fprintln(out)
		}
	}
}

// Progress returns a function that shows the progress of a dispatch on a terminal. It is nil if out is not a
// terminal.
func Progress(out io.Writer) func(done, total int) {
	if !files.IsTerminal(out) {
		return nil
	}
	return func(done, total int) {
		fmt.Fprintf(out, "\r%d of %d work-groups", done, total)
		if done == total {
			fmt.Fprintln(out)
		}
	}
}

// json executes a dispatch specification or one exec request, and prints the result.
func (r *run) json(path string, text []byte) ([]check.Finding, error) {
	var keys map[string]json.RawMessage
	if json.Unmarshal(text, &keys) != nil {
		_, err := spec.ParseDispatch(text)
		return nil, request.Located(path, err)
	}
	if !spec.IsSpec(keys) {
		return r.request(text, filepath.Base(path), files.Dir(filepath.Dir(path)))
	}
	watch := r.watcher()
	o, err := watch.options()
	if err != nil {
		return nil, err
	}
	o.Progress = r.Progress
	reply, err := request.RunSpec(r.ctx, text, path, o, r.Leaves)
	if err != nil {
		failed := r.ended(kernelOf(keys, path), watch, err,
			func(o *request.Options) { _, _ = request.RunSpec(r.ctx, text, path, o, nil) })
		return nil, errors.Join(request.Located(path, err), failed)
	}
	return r.dispatched(path, watch, reply, nil)
}

// kernelOf returns the kernel's name in a specification, or the file's name.
func kernelOf(keys map[string]json.RawMessage, path string) string {
	var name string
	if json.Unmarshal(keys["kernel"], &name) != nil || name == "" {
		return filepath.Base(path)
	}
	return name
}

// request executes one exec request and prints its answer, then the output that the options ask for.
func (r *run) request(text []byte, title string, dir files.Dir) ([]check.Finding, error) {
	out := r.out
	if err := r.oneOrder(); err != nil {
		return nil, err
	}
	watch := r.watcher()
	o, err := watch.options()
	if err != nil {
		return nil, err
	}
	o.Files = dir
	reply := spec.Answer(r.ctx, text, &o.Options)
	shown := reply
	if r.timed() { // the times are printed for people below
		shown = reply.Untimed()
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(shown); err != nil {
		return nil, err
	}
	if !reply.OK {
		if err := r.ended(title, watch, reply.Err, func(o *request.Options) {
			o.Files = dir
			spec.Answer(r.ctx, text, &o.Options)
		}); err != nil {
			return nil, err
		}
		return nil, ErrAnswered
	}
	if err := watch.stats(out, timing.ResultOf(reply.Took()), reply.Base); err != nil {
		return nil, err
	}
	res := cmp.Or(reply.Result, &spec.Result{}) // a chip older than GCN has no result
	r.sensitivity(out, res)
	if r.Fidelity {
		if err := watch.fidelity(out, res.Result); err != nil {
			return nil, err
		}
	}
	if len(r.Check) > 0 {
		if err := r.judge(res); err != nil {
			return nil, err
		}
	}
	return reply.Findings, watch.write(out, &outcome{title, res.Result, timing.ResultOf(res.Times), res, nil})
}

// Window is the value of a flag that selects the part of an execution that the page shows: the number of the first
// wave, and after a colon the number of each wave's first instruction.
type Window struct{ *record.Options }

// String returns the value.
func (w Window) String() string {
	if w.Options == nil {
		return "0"
	}
	return fmt.Sprintf("%d:%d", w.FirstWave, w.From)
}

// Set parses a value.
func (w Window) Set(text string) error {
	wave, from, both := strings.Cut(text, ":")
	n, err := strconv.ParseUint(wave, 0, 31)
	if err == nil && both {
		w.From, err = strconv.ParseUint(from, 0, 64)
	}
	if err != nil {
		return fmt.Errorf("%q is no window; give the number of a wave, or WAVE:INSTRUCTION, both from 0 on", text)
	}
	w.FirstWave = int(n)
	return nil
}

// Type returns the value's name in help texts.
func (Window) Type() string { return "wave[:instruction]" }
