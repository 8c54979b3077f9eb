// Package cli holds the parts that the commands of gcnsim share: how one ends, what it reads, what it
// leaves when it is interrupted, flags that several have, and what is wrong with a command line.
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
	ExitInput       = 1 // the input was wrong, a check failed or output could not be written
	ExitUsage       = 2 // the command line was wrong
	ExitNoVerdict   = 3 // of a command that [Judges]: it could not tell
	ExitInterrupted = 128 + 2
)

// inputError is an error of the input, not of the command line.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// Wrong marks err, unless it is nil, as an error of the input. A *[request.FlagError], or a
// *[files.UseError] about a flag, in it is of the command line all the same.
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

// Exited ends a command with a status, after its output has said why.
type Exited int

func (e Exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// ErrFailed ends a command with ExitInput after its output has said why.
const ErrFailed = Exited(ExitInput)

// judges annotates commands that compare.
const judges = "gcnsim_judges"

// Judges makes cmd, which compares, end with [ExitNoVerdict] wherever another command ends with
// [ExitInput], so that ErrFailed alone says that something differs.
func Judges(cmd *cobra.Command) { cmd.Annotations = map[string]string{judges: ""} }

// HasVerdict reports whether cmd [Judges].
func HasVerdict(cmd *cobra.Command) bool {
	_, is := cmd.Annotations[judges]
	return is
}

// exitWrong returns the status with which the command that args choose ends if its input is wrong.
func exitWrong(root *cobra.Command, args []string) int {
	if of, _, err := root.Find(args); err == nil && HasVerdict(of) {
		return ExitNoVerdict
	}
	return ExitInput
}

// Run executes one command line of root and returns the exit status. When ctx ends, it returns
// soon, even if the command does not, unless that is patient: then nothing more is written.
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
	_ = messages.Close() // there is nowhere to say it
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

// end is how a command ended.
type end struct {
	of  *cobra.Command
	err error
}

// execute runs the command that the arguments of root choose, and returns it. A panic is an error.
func execute(ctx context.Context, root *cobra.Command) (of *cobra.Command, err error) {
	defer func() {
		if v := recover(); v != nil {
			of, err = root, Wrong(fmt.Errorf("gcnsim: this is a defect of the simulator, please report it with what it read: %w",
				&crash.Error{Value: v, Stack: string(debug.Stack())}))
		}
	}()
	return root.ExecuteContextC(ctx)
}

// Version says which build this is: the version of the module, which names the commit where it is not
// a release, and the version of Go. Builds of one source for two systems have the same version.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return fmt.Sprintf("%s, built with %s", info.Main.Version, info.GoVersion)
}

// Build says what else tells builds apart: the system, build tags and the commit, as far as known, and why programs
// are not compiled to machine code if they are not.
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

// settings puts the settings of a build into words.
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
