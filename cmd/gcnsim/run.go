package main

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/state"
)

// runFlags are the flags of run.
type runFlags struct {
	mcpu   string
	chip   string
	stats  bool
	trace  string
	konata string
	report string
	check  []string
	fail   failOn
}

func runCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a program, or a dispatch, and print for people what it did",
		Long: `Run a program, or a dispatch, and print for people what it did.

FILE, or - for standard input, is a text in LLVM syntax, which runs on one wave whose registers are 0; a code object, whose kernels are
shown; or JSON, a specification of a dispatch or one request of exec.`,
		Example: `  gcnsim run --mcpu=fiji --stats program.s
  gcnsim run kernel.co
  gcnsim run --report=vadd.html vadd.json`,
		Args: arguments(1, 1, "one FILE, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, name, err := readAll(cmd, args, maxInputBytes)
			if err != nil {
				return err
			}
			leaves(cmd, func() string { return "the run had not ended" })
			switch start := bytes.TrimSpace(data); {
			case isObject(data):
				err = describe(cmd.OutOrStdout(), name, data)
			case bytes.HasPrefix(start, []byte("{")):
				err = runJSON(cmd, name, data, &flags)
			default:
				err = runText(cmd, name, data, &flags)
			}
			if err != nil {
				return wrong(err)
			}
			return nil
		},
	}
	mcpuFlag(cmd, &flags.mcpu, "processor of a text without .amdgcn_target; a chip name chooses the chip, too")
	cmd.Flags().StringVar(&flags.chip, "chip", "", "chip whose times and tiling registers are taken")
	completes(cmd, "chip", tile.Chips()...)
	cmd.Flags().BoolVar(&flags.stats, "stats", false, "count instructions, lanes and bytes by instruction, and show when each issued and what it waited for")
	cmd.Flags().StringVar(&flags.trace, "trace", "", "write a Chrome trace (for Perfetto), in cycles, to this file")
	cmd.Flags().StringVar(&flags.konata, "konata", "", "write a trace for the Konata pipeline viewer to this file")
	cmd.Flags().StringVar(&flags.report, "report", "", "write an HTML page about the run to this file")
	cmd.Flags().StringSliceVar(&flags.check, "check", nil, "look for findings of these kinds: "+strings.Join(check.Names(), ", "))
	failOnFlag(cmd, &flags.fail)
	return cmd
}

// isObject reports whether data is a file that holds, or could hold, compiled kernels.
func isObject(data []byte) bool {
	for _, magic := range []string{elf.ELFMAG, "__CLANG_OFFLOAD_BUNDLE__", "CCOB", "BC\xc0\xde"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return false
}

// targetDirective is how compilers name the processor of a text.
var targetDirective = regexp.MustCompile(`\.amdgcn_target\s+"[^"]*--?(gfx[0-9a-f]+)`)

// kernelDirective begins the description of a kernel, which a bare wave does not read.
var kernelDirective = regexp.MustCompile(`(?m)^\s*\.(?:amdhsa_kernel|amdgpu_hsa_kernel)\s+(\S+)`)

// runText runs assembly text on one wave whose registers are all 0 and prints what it
// did and what it left.
func runText(cmd *cobra.Command, path string, src []byte, flags *runFlags) error {
	name := cmp.Or(flags.mcpu, flags.chip)
	if found := targetDirective.FindSubmatch(src); flags.mcpu == "" && found != nil {
		name = string(found[1])
	}
	if name == "" {
		return fmt.Errorf("%s: it does not say for which processor; give --mcpu or .amdgcn_target", path)
	}
	if at := kernelDirective.FindSubmatchIndex(src); at != nil {
		return fmt.Errorf("%s:%d: kernel %s needs arguments, which a bare wave does not have; make a code object, "+
			"clang -x assembler --target=amdgcn-amd-amdhsa -mcpu=%s -o k.co %s, and give its arguments in a JSON file: gcnsim run SPEC.json",
			path, 1+bytes.Count(src[:at[2]], []byte("\n")), src[at[2]:at[3]], name, path)
	}
	text := string(src)
	watch := flags.watcher()
	o := watch.options()
	o.Observe = watch.observe // what it accessed is always shown
	reply, err := (&job.ExecRequest{MCPU: name, Asm: &text}).Run(cmd.Context(), o)
	if err != nil {
		return located(path, err)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s on %v: %d instructions\n\n", path, reply.Target, reply.Result.Instructions)
	if err := watch.profile.WriteMemory(out, 0); err != nil {
		return err
	}
	if flags.stats {
		if err := writeTimes(out, reply.Model, 0); err != nil {
			return err
		}
	}
	writeRegisters(out, reply.Wave)
	writeFidelity(out, reply.Result)
	if err := flags.writeFindings(out, reply.Findings); err != nil {
		return err
	}
	return cmp.Or(watch.write(out, filepath.Base(path), reply.Result, reply.Model), flags.fail.judge(reply.Findings))
}

// writeRegisters shows the registers that are not 0.
func writeRegisters(out io.Writer, w *state.Wave) {
	fmt.Fprintf(out, "\nexec 0x%016x  vcc 0x%016x  m0 0x%08x  scc %d\n", w.Exec(), w.VCC(), w.M0(), w.SCC)
	for i, v := range w.S[:w.T.SGPRs] {
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

func writeFidelity(out io.Writer, res *sim.Result) {
	if len(res.Fidelity) == 0 {
		return
	}
	fmt.Fprintln(out, "\nnot exact:")
	for _, n := range res.Fidelity {
		fmt.Fprintf(out, "  %s: %v, %s\n", n.Mnemonic, n.Level, n.Why)
	}
}

// writeFindings shows what checks found, if the command line or the file asks for some.
func (f *runFlags) writeFindings(out io.Writer, findings []check.Finding) error {
	switch {
	case len(findings) > 0:
		fmt.Fprintln(out)
	case len(f.check) > 0:
		fmt.Fprintln(out, "\nno findings")
	}
	return check.Write(out, findings)
}

// describe prints the kernels of a code object: they need arguments to run.
func describe(out io.Writer, path string, data []byte) error {
	o, err := codeobj.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(out, "%s: code object v%d for %v\n", path, o.Version, o.Target)
	for _, k := range o.Kernels {
		fmt.Fprintf(out, "\nkernel %s: %d VGPRs, %d SGPRs, %d bytes of LDS, %d bytes of private memory a lane\n",
			k.Name, k.VGPRs, k.SGPRs, k.GroupBytes, k.PrivateBytes)
		for _, a := range k.Args {
			if a.Kind.Hidden() {
				continue
			}
			fmt.Fprintf(out, "  %-16s %s, %d bytes at %d\n", strings.TrimSpace(a.TypeName+" "+a.Name), a.Kind, a.Size, a.Offset)
		}
	}
	fmt.Fprintln(out, "\nTo run a kernel give its arguments in a JSON file: gcnsim run SPEC.json")
	return nil
}

// runJSON runs a dispatch specification, or one exec request, and prints what it did.
func runJSON(cmd *cobra.Command, path string, text []byte, flags *runFlags) error {
	var keys map[string]json.RawMessage
	if json.Unmarshal(text, &keys) != nil {
		_, err := job.ParseDispatch(text)
		return located(path, err)
	}
	out := cmd.OutOrStdout()
	if keys["code_object"] == nil {
		return runRequest(cmd, text, filepath.Base(path), flags)
	}
	watch := flags.watcher()
	o := watch.options()
	if isTerminal(cmd.ErrOrStderr()) {
		o.Progress = func(done, total int) {
			fmt.Fprintf(cmd.ErrOrStderr(), "\r%d of %d work-groups", done, total)
			if done == total {
				fmt.Fprintln(cmd.ErrOrStderr())
			}
		}
	}
	reply, err := dispatchSpec(cmd, text, path, o)
	if err != nil {
		return located(path, err)
	}
	fmt.Fprintf(out, "%s on %s: %d instructions", reply.Kernel, reply.MCPU, reply.Result.Instructions)
	sep := " ("
	for class, n := range reply.Result.ByClass {
		if n > 0 {
			fmt.Fprintf(out, "%s%v %d", sep, sim.Class(class), n)
			sep = ", "
		}
	}
	fmt.Fprintln(out, ")")
	for _, d := range reply.Dump {
		if d.File != "" {
			fmt.Fprintf(out, "argument %d written to %s\n", d.Arg, d.File)
		}
	}
	if err := watch.stats(out, reply.Model); err != nil {
		return err
	}
	writeFidelity(out, reply.Result)
	if err := flags.writeFindings(out, reply.Findings); err != nil {
		return err
	}
	return cmp.Or(watch.write(out, reply.Kernel, reply.Result, reply.Model), flags.fail.judge(reply.Findings))
}

// runRequest runs one exec request and prints its answer, then what the flags ask for.
func runRequest(cmd *cobra.Command, text []byte, title string, flags *runFlags) error {
	out := cmd.OutOrStdout()
	watch := flags.watcher()
	reply := job.Exec(cmd.Context(), text, watch.options())
	took := reply.Model
	if flags.timed() { // it is shown for people below
		reply.Times = job.Times{}
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(reply); err != nil {
		return err
	}
	if !reply.OK {
		return errFailed
	}
	if err := watch.stats(out, took); err != nil {
		return err
	}
	return cmp.Or(watch.write(out, title, reply.Result, took), flags.fail.judge(reply.Findings))
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.w
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
