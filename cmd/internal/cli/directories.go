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

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/cmd/internal/suite"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim"
)

// IsDirectory reports whether name is a directory.
func IsDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// CompareDirectories compares the files with the same names in two directories: dispatch specifications, or code
// objects if neither directory has a specification. It writes the results in the format of --format, or as JSON. A
// file that only one directory has gets no verdict.
func (o *Objects) CompareDirectories(cmd *cobra.Command, dirs []string, more verdict.DiffOptions, asJSON bool) error {
	var there, objects [2][]string
	for i, dir := range dirs {
		c, err := suite.ContentsOf(dir)
		if err != nil {
			return incomparable(cmd.OutOrStdout(), dirs, err, o.format)
		}
		there[i], objects[i] = c.Specs, c.Objects
	}
	if len(there[0])+len(there[1]) == 0 && len(objects[0]) > 0 && len(objects[1]) > 0 {
		return o.compareBuilds(cmd, dirs, objects, more, asJSON)
	}
	if err := o.setForm(asJSON); err != nil {
		return err
	}
	if err := o.unused(cmd); err != nil {
		return err
	}
	for i, dir := range dirs {
		if len(there[i]) == 0 {
			return incomparable(cmd.OutOrStdout(), dirs, fmt.Errorf("%s: there is no specification of dispatch in it, as "+
				"gcnsim gpu --save writes them, and not in both directories a code object", dir), o.format)
		}
	}
	all, err := compareNames(cmd, there, more, func(name string, more verdict.DiffOptions) ([]*Result, error) {
		r, err := resultOfFiles(cmd.Context(), dirs, name, there, more)
		return []*Result{r}, err
	})
	if err != nil {
		return err
	}
	return Results(cmd.OutOrStdout(), diffSuite(dirs), dirs[1], all, o.format)
}

// compareNames compares the files in two directories, in the order of names, and shows progress.
func compareNames(cmd *cobra.Command, there [2][]string, more verdict.DiffOptions,
	one func(name string, more verdict.DiffOptions) ([]*Result, error)) (all []*Result, err error) {
	names := namesOf(there)
	p := ProgressOf(cmd)
	defer p.End()
	more.Objects = &sim.ObjectCache{}
	for i, name := range names {
		more.Progress = func(text string) { p.Tell(fmt.Sprintf("%d of %d, %s", i+1, len(names), text)) }
		results, err := one(name, more)
		if err != nil {
			return nil, Wrong(err)
		}
		all = append(all, results...)
	}
	return all, nil
}

// namesOf returns the sorted names of all files in either directory.
func namesOf(there [2][]string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(there[0], there[1]))))
}

// setForm sets the format for --json.
func (o *Objects) setForm(asJSON bool) error {
	switch {
	case asJSON && o.format != "" && o.format != "json":
		return &request.FlagError{Flag: "format", Err: fmt.Errorf("it is %s, and --json says otherwise", o.format)}
	case asJSON:
		o.format = "json"
	}
	return nil
}

// compareBuilds compares the code objects with the same names in two directories. For people it prints a table with a
// line for each kernel, and the number of each verdict in the last line.
func (o *Objects) compareBuilds(cmd *cobra.Command, dirs []string, there [2][]string, more verdict.DiffOptions,
	asJSON bool) error {
	if err := o.setForm(asJSON); err != nil {
		return Wrong(err)
	}
	own := o.options.Hints
	all, err := compareNames(cmd, there, more, func(name string, more verdict.DiffOptions) ([]*Result, error) {
		o.options.DiffOptions, o.options.Hints, o.file = more, slices.Clone(own), name+" "
		return o.resultsOfBuild(cmd, dirs, name, there)
	})
	if err != nil {
		return err
	}
	ended := Results(cmd.OutOrStdout(), diffSuite(dirs), dirs[1], all, o.format)
	if o.format != "" && o.format != "text" {
		return ended
	}
	count := map[compare.Verdict]int{}
	for _, r := range all {
		count[r.Verdict]++
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s of %s: %d same, %d different, %d without a verdict\n",
		plural.Of(len(all), "kernel"), plural.Of(len(namesOf(there)), "file"), count[compare.Same], count[compare.Different],
		count[compare.NoVerdict])
	return errors.Join(ended, err)
}

// resultsOfBuild compares the kernels of one file in two directories. The error comes from ctx or concerns a flag.
func (o *Objects) resultsOfBuild(cmd *cobra.Command, dirs []string, name string, there [2][]string) ([]*Result, error) {
	files := [2]string{filepath.Join(dirs[0], name), filepath.Join(dirs[1], name)}
	var err error
	for i := range there {
		if !slices.Contains(there[i], name) {
			err = fmt.Errorf("%s alone has it", dirs[1-i])
		}
	}
	var all []*Result
	if err == nil {
		all, err = o.results(cmd, files[:])
	}
	if usage := (*request.FlagError)(nil); cmd.Context().Err() != nil || errors.As(err, &usage) {
		return nil, err
	}
	if err != nil {
		return []*Result{withoutVerdict(name, files[1], err)}, nil
	}
	for _, r := range all {
		full := r.Text
		r.Text = func(w io.Writer) error {
			var text strings.Builder
			_ = full(&text) // writing to a builder cannot fail
			first, _, _ := strings.Cut(text.String(), "\n")
			_, err := fmt.Fprintln(w, first)
			return err
		}
		if err := o.save(r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// withoutVerdict returns the result for files that cannot be compared.
func withoutVerdict(name, file string, err error) *Result {
	return &Result{
		Name: name,
		Text: func(w io.Writer) error {
			_, failed := fmt.Fprintf(w, "%s: no verdict: %v\n", name, err)
			return failed
		},
		Lines:  func(w io.Writer) error { return verdict.WriteNoKernel(w, name, err) },
		Alerts: []Alert{{noVerdict, "note", err.Error(), "", file}},
	}
}

// resultOfFiles compares the specifications of one name, if both directories have it. The error comes from ctx or
// concerns a flag.
func resultOfFiles(ctx context.Context, dirs []string, name string, there [2][]string,
	o verdict.DiffOptions) (*Result, error) {
	kernel := strings.TrimSuffix(name, filepath.Ext(name))
	files := [2]string{filepath.Join(dirs[0], name), filepath.Join(dirs[1], name)}
	var err error
	for i := range there {
		if !slices.Contains(there[i], name) {
			err = fmt.Errorf("%s alone has it", dirs[1-i])
		}
	}
	k := &verdict.KernelComparison{Kernel: kernel, Launches: 1}
	if err == nil {
		var r *request.DiffRequest
		if r, err = request.DiffFiles(ReadFile, "", files[0], files[1]); err == nil {
			r.DiffOptions = o
			var res *verdict.Comparison
			if res, err = r.Run(ctx); err == nil {
				k.Comparison = *res
				return resultOfPair(k, files), nil
			}
		}
	}
	if usage := (*request.FlagError)(nil); ctx.Err() != nil || errors.As(err, &usage) {
		return nil, err
	}
	return withoutVerdict(kernel, files[1], err), nil
}
