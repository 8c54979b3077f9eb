// Package cli has what the commands of gcnsim share: exit statuses, inputs, interrupts, common flags, and errors of
// command lines.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Exit statuses.
const (
	ExitOK          = 0
	ExitInput       = 1 // the input was wrong, a check failed, or output could not be written
	ExitUsage       = 2 // the command line was wrong
	ExitNoVerdict   = 3 // a command that [Judges] has no verdict
	ExitInterrupted = 128 + 2
)

// inputError is an error of the input, in contrast to the command line.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// Wrong marks err as an error of the input, unless it is nil. If it wraps a *[request.FlagError], or a
// *[files.UseError] about a flag, it stays an error of the command line.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrFailed) {
		return ErrFailed
	}
	if flag, ok := errors.AsType[*request.FlagError](err); ok {
		return flag
	}
	if use, ok := errors.AsType[*files.UseError](err); ok && use.OfFlags() {
		return use
	}
	return &inputError{err}
}

// Exited ends a command with a status. The command's output has already said why.
type Exited int

func (e Exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// ErrFailed ends a command with ExitInput. The command's output has already said why.
const ErrFailed = Exited(ExitInput)

// judges is the annotation of commands that compare.
const judges = "gcnsim_judges"

// Judges marks cmd as a command that compares. It ends with [ExitNoVerdict] where other commands end with
// [ExitInput], so only ErrFailed means a difference.
func Judges(cmd *cobra.Command) { cmd.Annotations = map[string]string{judges: ""} }

// HasVerdict reports whether cmd is marked by [Judges].
func HasVerdict(cmd *cobra.Command) bool {
	_, is := cmd.Annotations[judges]
	return is
}

// exitWrong returns the exit status for wrong input of the command that args select.
func exitWrong(root *cobra.Command, args []string) int {
	if of, _, err := root.Find(args); err == nil && HasVerdict(of) {
		return ExitNoVerdict
	}
	return ExitInput
}

// Run executes a command line of root and returns the exit status. When ctx ends, it soon returns, even if the
// command does not, unless the command is patient. Nothing is written after that.
func Run(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out, messages := files.NewOutput(stdout, "standard output"), files.NewOutput(stderr, "standard error")
	left := &leftover{}
	root.SetArgs(args)
	root.SetIn(files.NewInput(ctx, stdin))
	root.SetOut(out)
	root.SetErr(messages)
	refuse(root)
	done := make(chan end, 1)
	go func() {
		ctx := context.WithValue(context.WithValue(ctx, leftoverKey, left), usesKey, &files.Uses{})
		of, err := execute(ctx, root)
		done <- end{of, err}
	}()
	var ended end
	var text string
	select {
	case ended = <-done:
	case <-ctx.Done():
		ended, text = left.await(done, end{root, ctx.Err()})
	}
	err := ended.err
	failed := out.Close()
	_ = messages.Close() // there is nowhere to report an error
	var input *inputError
	var status Exited
	switch {
	case ctx.Err() != nil && err != nil && !left.patient.Load():
		fmt.Fprintf(stderr, "gcnsim: %v\n", &request.Interrupted{Left: cmp.Or(text, left.String()), Err: err})
		return ExitInterrupted
	case failed != nil:
		fmt.Fprintf(stderr, "gcnsim: %v\n", failed)
		return exitWrong(root, args)
	case err == nil:
		return ExitOK
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &input):
		fmt.Fprintln(stderr, err)
		return exitWrong(root, args)
	}
	fmt.Fprintf(stderr, "gcnsim: %v\nRun '%s --help' for usage.\n", err, ended.of.CommandPath())
	return ExitUsage
}

// end is the way in which a command ended.
type end struct {
	of  *cobra.Command
	err error
}

// execute executes the command that root's arguments select, and returns it. A panic becomes an error.
func execute(ctx context.Context, root *cobra.Command) (of *cobra.Command, err error) {
	defer func() {
		if v := recover(); v != nil {
			of, err = root, Wrong(fmt.Errorf("gcnsim: this is a defect of the simulator, please report it with what it read: %w",
				&crash.Error{Value: v, Stack: string(debug.Stack())}))
		}
	}()
	return root.ExecuteContextC(ctx)
}

// Version identifies the build: the version of the module, which contains the commit if it is not a release, and the
// version of Go. It is the same for all systems.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return fmt.Sprintf("%s, built with %s", info.Main.Version, info.GoVersion)
}

// Build distinguishes builds further: the system, build tags and the commit, if known. It also says why programs are
// not compiled to machine code, if they are not.
func Build() string {
	list := []string{runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		list = append(list, settings(info.Settings)...)
	}
	if why := block.Unavailable(); why != "" {
		list = append(list, "no compiled blocks: "+why)
	}
	return strings.Join(list, ", ")
}

// settings formats the settings of a build.
func settings(of []debug.BuildSetting) (list []string) {
	values := make(map[string]string)
	for _, s := range of {
		values[s.Key] = s.Value
	}
	if tags := values["-tags"]; tags != "" {
		list = append(list, "tags "+tags)
	}
	if commit := values["vcs.revision"]; commit != "" {
		list = append(list, fmt.Sprintf("commit %s of %s", commit, values["vcs.time"]))
	}
	if values["vcs.modified"] == "true" {
		list = append(list, "modified")
	}
	return list
}
