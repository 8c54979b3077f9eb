package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/tool/near"
)

// refuse makes all commands of root check their command lines in the same way.
func refuse(root *cobra.Command) {
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := checkFlags(cmd); err != nil {
			return err
		}
		return Wrong(claim(cmd, args))
	}
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() { // cobra's own commands exit with 0 whatever their arguments are
		case "help":
			cmd.Args = knownCommand
		case "completion":
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// knownCommand refuses arguments that are not the name of a command.
func knownCommand(cmd *cobra.Command, args []string) error {
	found, rest, err := cmd.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown command %q for %q", rest[0], found.CommandPath())
	}
	return err
}

// flagError rewords an error about a flag.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		nearest := near.To(unknown.GetSpecifiedName())
		cmd.Flags().VisitAll(func(f *pflag.Flag) { nearest.Try(f.Name) })
		if meant := nearest.Name(); meant != "" {
			return fmt.Errorf("%w; did you mean --%s?", err, meant)
		}
		return err
	}
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if _, number := errors.AsType[*strconv.NumError](err); !ok || !number {
		return err
	}
	return fmt.Errorf("invalid argument %q for %q flag: give true or false", invalid.GetValue(),
		"--"+invalid.GetFlag().Name)
}

// needs is the annotation of a flag that has no effect without another flag, whose name it contains.
const needs = "gcnsim_needs"

// Needs makes cmd refuse a flag if another one is not set.
func Needs(cmd *cobra.Command, flag, other string) {
	_ = cmd.Flags().SetAnnotation(flag, needs, []string{other}) // the flag exists
}

// checkFlags refuses flags that are set but have no value or no effect.
func checkFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0
		}
		switch {
		case err != nil:
		case empty && f.Name != mcpu: // an empty processor means the one of the file
			err = fmt.Errorf("--%s: it is empty; give a value, or leave it out", f.Name)
		default:
			for _, other := range f.Annotations[needs] {
				if !cmd.Flags().Changed(other) {
					err = fmt.Errorf("--%s has no effect without --%s", f.Name, other)
				}
			}
		}
	})
	return err
}

// Unused returns an error of usage if one of the flags is set, because they have no effect here. what says for what
// they have one.
func Unused(cmd *cobra.Command, what string, flags ...string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return Wrong(&request.FlagError{Flag: name, Err: fmt.Errorf("it is %s; leave it out", what)})
		}
	}
	return nil
}

// WriteManual writes manual pages for cmd and its subcommands to dir, which must exist: gcnsim-run.1 is the page of
// gcnsim run. It returns the number of pages. The same build always writes the same bytes.
func WriteManual(dir string, cmd *cobra.Command) (int, error) {
	cmd.DisableAutoGenTag = true
	version, _, _ := strings.Cut(cmd.Version, ",")
	date := built()
	err := doc.GenManTree(cmd, &doc.GenManHeader{Section: "1", Date: &date, Source: cmd.Name() + " " + version}, dir)
	if err != nil {
		return 0, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, cmd.Name()+"*.1"))
	return len(pages), err
}

// built returns the time of the built commit, or the start of 1970 if it is unknown.
func built() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return at
			}
		}
	}
	return time.Unix(0, 0).UTC()
}
