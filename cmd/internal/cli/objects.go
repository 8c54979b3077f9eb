package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gcnsim/gcnsim/cmd/internal/child"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Objects are the flags for comparing code objects with derived launches.
type Objects struct {
	options              verdict.ObjectsOptions
	checks               kindsOrNone
	hints, specs, format string
	proofs, solver       string
	launch               request.Command
	ulp                  uint64
	absolute, relative   string
	file                 string // prefix of kernel names if there are several files
}

// MaxSeconds is the greatest time limit of a kernel.
const MaxSeconds = 1 << 20

// ObjectsFlags adds the flags of such a comparison to cmd.
func ObjectsFlags(cmd *cobra.Command) *Objects {
	o, f := &Objects{}, cmd.Flags()
	f.StringVar(&o.options.Kernel, "kernel", "", "the kernel of two code objects (default: each that both have)")
	NumberFlag(cmd, &o.options.Launches, "launches", 1, MaxJobs, "how many launches of a kernel are tried (default 10)")
	NumberFlag(cmd, &o.options.MaxInstructions, "max-instructions", 1, 1<<40,
		"how many instructions a wave of a launch may execute (default 1048576)")
	o.options.Time = 5 * time.Minute
	TimeFlag(cmd, &o.options.Time, "time", "how long a kernel may take, as in 30s or 2h; 0 is as long as it likes")
	o.options.Prove.Time = 2 * time.Second
	TimeFlag(cmd, &o.options.Prove.Time, "prove", "look so long for a proof that a kernel does the same for all inputs, "+
		"and say why there is none; 10s if no time is given or with --solver, 0: do not; without --prove and --solver only "+
		"easy proofs are found")
	f.Lookup("prove").NoOptDefVal = "10s"
	f.StringVar(&o.solver, "solver", "", "command of an SMT solver, as z3 -in, that reads questions of proofs from its "+
		"standard input (default: the built-in solver)")
	f.StringVar(&o.proofs, "prove-out", "", "directory to which proofs are written for other solvers, as "+
		"KERNEL.smt2; with three programs or more as KERNEL.N.smt2, N being the pair")
	f.Uint64Var(&o.ulp, "ulp", 0, "how many floats apart elements of two code objects may be (default 0)")
	f.StringVar(&o.absolute, "absolute", "", "by how much such elements may differ")
	f.StringVar(&o.relative, "relative", "", "by how much of a's value such elements may differ, as in 1e-6")
	NumberFlag(cmd, &o.options.Coverage, "require-coverage", 0, 100,
		"percent of the instructions that must be executed for \"same\"")
	MCPUFlag(cmd, &o.options.Processor, "processor whose code is taken of bundles of two code objects")
	f.Var(&o.checks, "check", "look for findings of these kinds, or none to look at results alone (default all): "+
		strings.Join(check.Names(), ", "))
	Completes(cmd, "check", append(check.Names(), "none")...)
	FormatFlag(cmd, &o.format, "how code objects are reported")
	f.StringSliceVar(&o.launch.Grid, "grid", nil,
		"how many work-items a launch has, as in 1024 or 64,32 (default: several)")
	f.StringSliceVar(&o.launch.Workgroup, "workgroup", nil, "and in work-groups of how many (default: several)")
	f.StringArrayVar(&o.launch.Args, "arg", nil,
		"the next argument of a launch, as of run: u32=5, buffer=BYTES, random=BYTES:f32, ... (default: found)")
	f.StringVar(&o.hints, "hints", "",
		"source whose GCNSIM: comments say how kernels are launched (default: the one beside A, as k.cl of k.o)")
	Reads(cmd, "hints")
	f.StringVar(&o.specs, "save-spec", "", "directory to which the launch that tells is written, as KERNEL.json")
	return o
}

// Unused returns an error if one of the flags is set, for comparisons without derived launches.
func (o *Objects) Unused(cmd *cobra.Command) error {
	if err := o.unused(cmd); err != nil {
		return err
	}
	return Unused(cmd, "of code objects without a specification, or directories", "format")
}

// unused does so for the flags that control derived launches.
func (o *Objects) unused(cmd *cobra.Command) error {
	return Unused(cmd, "of code objects without a specification", "kernel", "launches", "max-instructions",
		"time", "check",
		"mcpu", "require-coverage", "ulp", "absolute", "relative", "grid", "workgroup", "arg", "hints", "save-spec",
		"prove", "prove-out", "solver")
}

// Compare compares the kernels of code objects with derived launches, and prints the results for people or as JSON
// lines. It ends like [Compare]: with a difference if a kernel differs, or without a verdict if a kernel has none.
func (o *Objects) Compare(cmd *cobra.Command, names []string, more verdict.DiffOptions, asJSON bool) error {
	if err := o.setForm(asJSON); err != nil {
		return Wrong(err)
	}
	p := ProgressOf(cmd)
	o.options.DiffOptions = more
	o.options.Progress = p.Tell
	all, err := o.results(cmd, names)
	p.End()
	if err != nil {
		return incomparable(cmd.OutOrStdout(), names, err, o.format)
	}
	ended := Results(cmd.OutOrStdout(), diffSuite(names), strings.Join(names[1:], " "), all, o.format)
	if _, written := errors.AsType[Exited](ended); ended != nil && !written {
		return ended
	}
	for _, r := range all {
		if err := o.save(r); err != nil {
			return Wrong(err)
		}
	}
	return ended
}

// diffSuite returns the JUnit suite's name for a comparison of files.
func diffSuite(names []string) string { return "gcnsim diff " + strings.Join(names, " ") }

// results compares the kernels of two or more files.
func (o *Objects) results(cmd *cobra.Command, names []string) (all []*Result, err error) {
	data, ctx := make([][]byte, len(names)), cmd.Context()
	for i, name := range names {
		if data[i], err = ReadFile(name); err != nil {
			return nil, err
		}
	}
	if err := o.read(cmd, names[0], data[0]); err != nil {
		return nil, err
	}
	if len(data) == 2 {
		pairs, err := verdict.DiffObjects(ctx, data[0], data[1], [2]string(names), &o.options)
		for _, k := range pairs {
			k.Kernel = o.file + k.Kernel
			all = append(all, resultOfPair(k, [2]string(names)))
		}
		return all, err
	}
	groups, err := verdict.GroupObjects(ctx, data, names, &o.options)
	for _, g := range groups {
		all = append(all, resultOfGroups(g))
	}
	return all, err
}

// read applies the flags to the options, and adds launch hints from the first program if it is a text.
func (o *Objects) read(cmd *cobra.Command, name string, program []byte) error {
	if cmd.Flags().Changed("prove") && o.options.Prove.Time == 0 && (o.solver != "" || o.proofs != "") {
		return &request.FlagError{Flag: "prove", Err: errors.New("0 leaves proofs out; --solver and --prove-out need one")}
	}
	o.options.Prove.Easy = !cmd.Flags().Changed("prove") && o.solver == ""
	if o.solver != "" {
		if !cmd.Flags().Changed("prove") {
			o.options.Prove.Time = 10 * time.Second
		}
		if err := o.findSolver(cmd.Context()); err != nil {
			return &request.FlagError{Flag: "solver", Err: err}
		}
	}
	if o.options.Check = o.checks.kinds; o.checks.none {
		o.options.Check = []string{}
	}
	for flag, text := range map[string]string{"absolute": o.absolute, "relative": o.relative} {
		if v, err := strconv.ParseFloat(text, 64); text != "" && (err != nil || !(v >= 0)) {
			return &request.FlagError{Flag: flag, Err: fmt.Errorf("%q is not a number from 0 on", text)}
		}
	}
	if cmd.Flags().Changed("ulp") {
		o.options.Tolerance.ULP = &o.ulp
	}
	o.options.Tolerance.Absolute, o.options.Tolerance.Relative = spec.Number(o.absolute), spec.Number(o.relative)
	if err := o.readHints(name, program); err != nil || !o.launch.Given() {
		return err
	}
	h, err := o.launch.Hint()
	if err == nil {
		o.options.Hints = append(o.options.Hints, *h)
	}
	return err
}

// findSolver puts the command of --solver into the options.
func (o *Objects) findSolver(ctx context.Context) error {
	words := strings.Fields(o.solver)
	if len(words) == 0 {
		return errors.New("give a command, as z3 -in")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return err
	}
	o.options.Prove.Solver = func(question string, limit time.Duration) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, words[1:]...)
		printed, complaint := limited{most: 64 << 20, stop: cancel}, limited{most: 200, stop: func() {}}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(question), &printed, &complaint
		cmd.WaitDelay = time.Second
		child.EndTogether(cmd)
		err := cmd.Run()
		switch {
		case printed.full:
			return "", fmt.Errorf("it printed more than %d bytes", printed.most)
		case ctx.Err() != nil:
			return "timeout", nil
		case printed.kept.Len() > 0: // solvers end with an error where they have no values
			return printed.kept.String(), nil
		case err != nil && complaint.kept.Len() > 0:
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(complaint.kept.Bytes()))
		}
		return "", err
	}
	return nil
}

// limited keeps the first bytes that are written to it. It drops the others and calls stop.
type limited struct {
	kept bytes.Buffer // not embedded: its ReadFrom would read without a limit
	most int
	full bool // bytes were dropped
	stop func()
}

func (l *limited) Write(p []byte) (int, error) {
	kept := p[:min(len(p), l.most-l.kept.Len())]
	if len(kept) < len(p) {
		l.full = true
		l.stop()
	}
	l.kept.Write(kept)
	return len(p), nil
}

// sources are the extensions of source files that may contain launch hints.
var sources = []string{".cl", ".hip", ".ll", ".s"}

// readHints adds launch hints to the options. They come from the first program if it is a text, from the source that
// a flag names, or from a source file beside the first program.
func (o *Objects) readHints(name string, program []byte) error {
	if utf8.Valid(program) { // the program is a text
		own, err := verdict.ParseHints(program)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		o.options.Hints = own
	}
	if o.hints == "" {
		for _, extension := range sources {
			beside := strings.TrimSuffix(name, filepath.Ext(name)) + extension
			source, err := os.ReadFile(beside)
			if err != nil || beside == name {
				continue // the file is optional
			}
			more, err := verdict.ParseHints(source)
			if err != nil {
				return fmt.Errorf("%s: %w", beside, err)
			}
			o.options.Hints = append(o.options.Hints, more...)
		}
		return nil
	}
	source, err := ReadFile(o.hints)
	if err != nil {
		return err
	}
	given, err := verdict.ParseHints(source)
	if err == nil && len(given) == 0 {
		err = errors.New("it has no GCNSIM: comment, as in // GCNSIM: grid=1024 n=u32:1000")
	}
	if err != nil {
		return &request.FlagError{Flag: "hints", Err: fmt.Errorf("%s: %w", o.hints, err)}
	}
	o.options.Hints = append(o.options.Hints, given...)
	return nil
}

// save writes the proofs of r if --prove-out is set, and the launch that shows a difference if --save-spec is set.
func (o *Objects) save(r *Result) error {
	for i, p := range r.proofs {
		if o.proofs == "" || p == nil || !p.Proved {
			continue
		}
		if err := os.MkdirAll(o.proofs, 0o777); err != nil {
			return &request.FlagError{Flag: "prove-out", Err: err}
		}
		name := fileName(r.Name)
		if len(r.proofs) > 1 {
			name += fmt.Sprintf(".%d", i+1)
		}
		question := p.SMT("unsat if the programs do the same, given:", strings.Join(p.Assumed, "\n"))
		if err := files.Write(filepath.Join(o.proofs, name+".smt2"), []byte(question)); err != nil {
			return err
		}
	}
	if o.specs == "" || r.launch == nil {
		return nil
	}
	if err := os.MkdirAll(o.specs, 0o777); err != nil {
		return &request.FlagError{Flag: "save-spec", Err: err}
	}
	from, err := filepath.Abs(o.specs)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(r.object)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(from, to); err == nil {
		to = rel
	}
	text, err := spec.Save(r.launch, filepath.ToSlash(to), o.options.Processor)
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(o.specs, fileName(r.Name)+".json"), text)
}

// fileName replaces characters that are special on some system by _.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

// Annotations of flags whose values are file names.
const (
	reads  = "gcnsim_reads"
	writes = "gcnsim_writes"
)

// Reads marks flags of cmd as names of files that it reads.
func Reads(cmd *cobra.Command, flags ...string) { annotate(cmd, reads, flags) }

// Writes marks flags of cmd as names of files that it writes. Before cmd executes, it is checked that they can be
// written and that no other argument names them.
func Writes(cmd *cobra.Command, flags ...string) { annotate(cmd, writes, flags) }

func annotate(cmd *cobra.Command, what string, flags []string) {
	for _, name := range flags {
		_ = cmd.Flags().SetAnnotation(name, what, nil) // the flag exists
	}
}

// Uses returns the files on the command line of cmd. The caller adds the files that those name.
func Uses(cmd *cobra.Command) *files.Uses {
	u, _ := cmd.Context().Value(usesKey).(*files.Uses)
	return u
}

// claim adds the files on the command line to cmd's uses.
func claim(cmd *cobra.Command, args []string) error {
	u := Uses(cmd)
	var all []error
	for _, arg := range args {
		if arg == "-" {
			all = append(all, u.ReadsFrom(cmd.InOrStdin(), files.TheInput))
		} else {
			all = append(all, u.Reads(arg, files.TheInput))
		}
	}
	each := func(what string, add func(path, by string) error) {
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if _, is := f.Annotations[what]; is {
				all = append(all, add(f.Value.String(), "--"+f.Name))
			}
		})
	}
	each(reads, u.Reads)
	each(writes, u.Writes)
	return errors.Join(all...)
}
