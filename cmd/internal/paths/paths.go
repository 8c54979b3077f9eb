// Package paths checks the kernels of code objects on all paths, without executing them.
package paths

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Options select what is checked.
type Options struct {
	Kernel       string   // "" means every kernel
	Processor    string   // selects the code object in files with several
	Kinds        []string // kinds of findings; nil means all
	Suppressions []check.Suppression
	FailOn       check.Severity // the least severity that makes the check fail
}

// Result has the findings in a kernel.
type Result struct {
	File, Kernel string
	Verdict      compare.Verdict // [compare.Different] if a finding has at least the severity FailOn
	Why          string          // why there is no verdict, or ""
	Paths        check.Paths
	Findings     []check.Finding
	Suppressed   []check.Suppression

	base uint64
}

// Check checks the kernels in a file. A code object that cannot be loaded gives a result without a verdict. The error
// begins with the name of the file, or comes from ctx.
func (o *Options) Check(ctx context.Context, file string, data []byte) (all []*Result, err error) {
	parts, err := codeobj.CodeObjects(data, o.Processor)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, part := range parts {
		name := file
		if part.Name != "" {
			name = fmt.Sprintf("%s(%s)", file, part.Name)
		}
		found, err := o.object(ctx, name, part.Data)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			found = []*Result{{File: name, Why: err.Error()}}
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no kernel %s", file, o.Kernel)
	}
	return all, nil
}

// object checks the kernels of a code object.
func (o *Options) object(ctx context.Context, name string, data []byte) (all []*Result, err error) {
	object, err := codeobj.Parse(data)
	if err != nil {
		return nil, err
	}
	mod, err := sim.New(object.Target).LoadObject(data)
	if err != nil {
		return nil, err
	}
	defer mod.Unload()
	mod.TextName = name
	for i := range object.Kernels {
		if k := &object.Kernels[i]; o.Kernel == "" || o.Kernel == k.Name {
			r, err := o.kernel(ctx, mod, k.Name)
			if err != nil {
				return nil, err
			}
			r.File = name
			all = append(all, r)
		}
	}
	return all, nil
}

func (o *Options) kernel(ctx context.Context, mod *sim.Module, name string) (*Result, error) {
	kinds := o.Kinds
	if len(kinds) == 0 {
		kinds = []string{"all"}
	}
	c, err := check.New(kinds...)
	if err != nil {
		return nil, err
	}
	c.Options.Suppressions = o.Suppressions
	r := &Result{Kernel: name, Verdict: compare.Same, base: mod.Base}
	if r.Paths, err = c.Paths(ctx, mod, name); err != nil {
		return nil, err
	}
	r.Findings, r.Suppressed = c.Findings(), c.Suppressed()
	if slices.ContainsFunc(r.Findings, func(f check.Finding) bool { return f.Severity >= o.FailOn }) {
		r.Verdict = compare.Different
	}
	return r, nil
}

// Name returns the name of the test case for JUnit.
func (r *Result) Name() string {
	if r.Kernel == "" {
		return r.File
	}
	return r.File + " " + r.Kernel
}

// rests describes how complete the check was.
func (r *Result) rests() string {
	text := plural.Of(r.Paths.Instructions, "instruction") + " on all paths"
	if n := r.Paths.Unknown; n > 0 {
		text = fmt.Sprintf("%s on the paths that can be followed; %s", plural.Of(r.Paths.Instructions, "instruction"),
			plural.Of(n, "place")+" leads where is not known")
	}
	return text
}

// Write prints a result for people.
func (r *Result) Write(w io.Writer) error {
	if r.Why != "" {
		_, err := fmt.Fprintf(w, "%s: no verdict: %s\n", r.File, r.Why)
		return err
	}
	said := "clean"
	if len(r.Findings) > 0 {
		said = check.Summary(r.Findings)
	}
	if _, err := fmt.Fprintf(w, "%s: %s: %s; %s\n", r.File, r.Kernel, said, r.rests()); err != nil {
		return err
	}
	return check.Write(w, r.Findings, r.base)
}

// WriteJSON writes a result as a line of JSON.
func (r *Result) WriteJSON(w io.Writer) error {
	findings := []check.Finding{}
	for _, f := range r.Findings {
		findings = append(findings, f.From(r.base))
	}
	return spec.WriteJSON(w, &struct {
		File         string              `json:"file"`
		Kernel       string              `json:"kernel,omitempty"`
		OK           bool                `json:"ok"`
		Why          string              `json:"why,omitempty"` // why there is no verdict
		Instructions int                 `json:"instructions"`
		Unknown      int                 `json:"unknown"`
		Diagnostics  []check.Finding     `json:"diagnostics"`
		Suppressed   []check.Suppression `json:"suppressed,omitempty"`
	}{r.File, r.Kernel, r.Verdict == compare.Same, r.Why, r.Paths.Instructions, r.Paths.Unknown, findings, r.Suppressed})
}
