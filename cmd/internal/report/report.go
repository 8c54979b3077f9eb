// Package report runs programs and dispatches for people: what gcnsim run does. It prints what
// was accessed, registers, times and findings, and writes traces and reports.
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

// Options says what a caller wants to see of a run.
type Options struct {
	MCPU   string      // processor of a text that does not name it; a chip's name chooses the chip, too
	Chip   string      // chip whose times and tiling registers are taken
	Timing spec.Timing // whether to show how long the run takes, and which part of it is timed
	Stats  bool        // counts, and when each instruction issued
	// Sensitivity is how much each assumed parameter of the model of time moves the cycles.
	Sensitivity bool
	Trace       string         // file of a Chrome trace, "" for none
	Konata      string         // file of a trace for Konata
	Report      string         // file of an HTML page
	Debug       string         // command that debugs the run, for the page; "" without one
	Record      record.Options // which part of the run the page shows step by step
	Check       []string       // kinds of findings to look for
	// Suppressions is a file of findings that are known, one a line: see [check.ParseSuppression].
	Suppressions string
	Fidelity     bool // how surely each instruction was executed
	// Schedules are the orders of waves in which a dispatch runs, in place of the schedule of its specification; what
	// it leaves with the first one is compared with what it leaves with the others.
	Schedules []string
	Limit     uint64 // how many instructions a wave may execute, 0 for what the file says, or the default
	Judged    bool   // findings make the command fail, so that there must be a check
	Rules     string // in place of those of the file, "" for those or the default
	// TrapHandler is a file with the text of a trap handler, in place of the handler of the request; "" keeps that.
	TrapHandler string
	handler     string // its source text
	// Command is which kernel of a code object runs, and with what; without it they are listed.
	Command request.Command

	// Uses, if not nil, are the files that the caller reads and writes, see [spec.Options].
	Uses *files.Uses
	// Progress, if not nil, is told how far a dispatch is.
	Progress func(done, total int)
	// Leaves, if not nil, receives a function that says what an interrupted run leaves unfinished.
	Leaves func(func() string)
}

// ofRuns returns a flag that has an effect on a run alone, "" if none is set.
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

// ErrAnswered says that a run failed and that its output has said why.
var ErrAnswered = errors.New("the run failed")

// Run runs the file name, which holds data: a text in LLVM syntax, on one wave whose registers are 0; JSON, a
// specification of a dispatch or one request of exec; of a code object, or the text of one, it runs a kernel or
// shows which there are. For a chip before GCN it is a text of copy shaders, which copy a picture. It prints on out
// and returns what checks found. Errors begin with the name of the file, except for those of JSON that out has shown:
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

// maxHandlerBytes is the size of the largest text of a trap handler.
const maxHandlerBytes = 16 << 20

// readHandler reads the file of the trap handler, if there is one.
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
	steps *record.Before // of a chip before GCN, nil if nobody asks for them
}

// text runs assembly text on one wave whose registers are all 0 and prints what it
// did and what it left.
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
	o.Watch = watch.watch // what it accessed is always shown
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

// program returns what a text runs.
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
	if program.Asm == "" { // it ends at once
		program.Words = []uint32{}
	}
	return program, nil
}

// oneOrder refuses orders for what is no dispatch.
func (o *Options) oneOrder() error {
	if len(o.Schedules) == 0 {
		return nil
	}
	return &request.FlagError{Flag: "schedule", Err: errors.New("it is for a dispatch: give a specification of one, or " +
		"an object with --kernel")}
}

// writeRegisters shows the registers that are not 0.
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

// Progress returns what shows on a terminal how far a dispatch is, nil if out is no terminal.
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

// json runs a dispatch specification, or one exec request, and prints what it did.
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

// kernelOf returns the kernel that a specification names, or else the name of its file.
func kernelOf(keys map[string]json.RawMessage, path string) string {
	var name string
	if json.Unmarshal(keys["kernel"], &name) != nil || name == "" {
		return filepath.Base(path)
	}
	return name
}

// request runs one exec request and prints its answer, then what the caller asks for.
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
	if r.timed() { // it is shown for people below
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
	res := cmp.Or(reply.Result, &spec.Result{}) // a chip before GCN has no result
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

// Window is a flag that says which part of a run a report shows step by step: the number of the
// first wave, and after a colon that of the first instruction of each.
type Window struct{ *record.Options }

// String returns the value.
func (w Window) String() string {
	if w.Options == nil {
		return "0"
	}
	return fmt.Sprintf("%d:%d", w.FirstWave, w.From)
}

// Set reads a value.
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

// Type names the kind of value.
func (Window) Type() string { return "wave[:instruction]" }
