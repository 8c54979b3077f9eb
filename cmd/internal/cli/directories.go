package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/sweep"
	"github.com/gcnsim/gcnsim/internal/specjson"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// IsDirectory reports whether there is a directory of that name.
func IsDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// CompareDirectories compares the specifications of dispatches that two directories have by the same names, and
// writes what that came to in the form of --format, or as JSON. What one directory has alone has no verdict.
func (o *Objects) CompareDirectories(cmd *cobra.Command, dirs []string, more spec.DiffOptions, asJSON bool) error {
	if err := o.unusedByDirectories(cmd, asJSON); err != nil {
		return err
	}
	var there [2][]string
	for i, dir := range dirs {
		var err error
		if there[i], _, err = sweep.Specs(dir); err == nil && len(there[i]) == 0 {
			err = fmt.Errorf("%s: there is no specification of dispatch in it, as gcnsim gpu --save writes them", dir)
		}
		if err != nil {
			return incomparable(cmd.OutOrStdout(), dirs, err, o.format)
		}
	}
	names := slices.Compact(slices.Sorted(slices.Values(slices.Concat(there[0], there[1]))))
	p := ProgressOf(cmd)
	more.Objects = &sim.ObjectCache{}
	var all []*Result
	for i, name := range names {
		more.Progress = func(text string) { p.Tell(fmt.Sprintf("%d of %d, %s", i+1, len(names), text)) }
		r, err := resultOfFiles(cmd.Context(), dirs, name, there, more)
		if err != nil {
			p.End()
			return Wrong(err)
		}
		all = append(all, r)
	}
	p.End()
	return Results(cmd.OutOrStdout(), diffSuite(dirs), dirs[1], all, o.format)
}

// unusedByDirectories refuses flags without effect, and sets the form.
func (o *Objects) unusedByDirectories(cmd *cobra.Command, asJSON bool) error {
	switch {
	case asJSON && o.format != "" && o.format != "json":
		return &specjson.FlagError{Flag: "format", Err: fmt.Errorf("it is %s, and --json says otherwise", o.format)}
	case asJSON:
		o.format = "json"
	}
	return o.unused(cmd)
}

// resultOfFiles compares the specifications of a name in two directories, if both are there. The error comes from ctx,
// or of a flag.
func resultOfFiles(ctx context.Context, dirs []string, name string, there [2][]string,
	o spec.DiffOptions) (*Result, error) {
	kernel := strings.TrimSuffix(name, filepath.Ext(name))
	files := [2]string{filepath.Join(dirs[0], name), filepath.Join(dirs[1], name)}
	var err error
	for i := range there {
		if !slices.Contains(there[i], name) {
			err = fmt.Errorf("%s alone has it", dirs[1-i])
		}
	}
	k := &spec.KernelComparison{Kernel: kernel, Launches: 1}
	if err == nil {
		var r *specjson.DiffRequest
		if r, err = specjson.DiffFiles(ReadFile, "", files[0], files[1]); err == nil {
			r.DiffOptions = o
			var res *spec.Comparison
			if res, err = r.Run(ctx); err == nil {
				k.Comparison = *res
				return resultOfPair(k, files), nil
			}
		}
	}
	if usage := (*specjson.FlagError)(nil); ctx.Err() != nil || errors.As(err, &usage) {
		return nil, err
	}
	return &Result{
		Name: kernel,
		Text: func(w io.Writer) error {
			_, failed := fmt.Fprintf(w, "%s: no verdict: %v\n", kernel, err)
			return failed
		},
		Lines:  func(w io.Writer) error { return specjson.WriteNoKernel(w, kernel, err) },
		Alerts: []Alert{{noVerdict, "note", err.Error(), "", files[1]}},
	}, nil
}
