// Package suite executes the specifications in a directory and reports which kernels have the expected output.
package suite

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Suite is a directory of specifications.
type Suite struct {
	Dir string
	// Objects is a directory from which code objects are read, at the paths in the specifications. If it is "", they
	// are relative to the specifications.
	Objects string
	Check   []string       // kinds of findings to check besides those in the specifications
	FailOn  check.Severity // the least severity that makes a test fail
	Workers int            // work-groups that execute at a time; 0 means one for each CPU

	cache sim.ObjectCache
}

// Result is the result of a specification.
type Result struct {
	Name string // file of the specification, relative to the directory
	// Verdict is [compare.Same] if the output is as expected. It is [compare.Different] if it is not, or after a
	// fault or findings. There is no verdict if the kernel cannot execute, or if the specification has no
	// expectation.
	Verdict compare.Verdict
	Why     string // reason of the failure, or ""
	Reply   *spec.Reply
}

// Names returns the dispatch specifications in the directory and below, and the other JSON files. It is an error if
// there are no specifications.
func (s *Suite) Names() (names, skipped []string, err error) {
	c, err := ContentsOf(s.Dir)
	if err == nil && len(c.Specs) == 0 {
		err = fmt.Errorf("%s: there is no specification of dispatch in it, as gcnsim diff --save-spec writes them", s.Dir)
	}
	return c.Specs, c.Other, err
}

// Run executes a specification. The error comes from ctx.
func (s *Suite) Run(ctx context.Context, name string) (*Result, error) {
	r, req := &Result{Name: name}, &spec.Dispatch{}
	path := filepath.Join(s.Dir, name)
	text, err := os.ReadFile(path)
	if err == nil {
		req, err = spec.ParseDispatch(text)
	}
	if err == nil && s.Objects != "" && !filepath.IsAbs(req.Name) {
		req.Name, err = filepath.Abs(filepath.Join(s.Objects, filepath.Dir(name), req.Name))
	}
	if err == nil {
		req.Check = append(req.Check, s.Check...)
		o := &spec.Options{Files: files.ReadOnly{Dir: files.Dir(filepath.Dir(path))}, Objects: &s.cache,
			Workers: s.Workers}
		r.Reply, err = req.Answer(ctx, o)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		r.Reply = spec.FailedReply(err)
	}
	r.judge(len(req.Expect) > 0, s.FailOn)
	return r, nil
}

// judge sets the verdict. expects says that the specification has expectations.
func (r *Result) judge(expects bool, failOn check.Severity) {
	bad := slices.ContainsFunc(r.Reply.Findings, func(f check.Finding) bool { return f.Severity >= failOn })
	switch failed := r.Reply.Error; {
	case failed != nil:
		r.Verdict, r.Why = compare.Different, failed.Message
		if slices.Contains([]string{"input", "asm", "internal"}, failed.Kind) {
			r.Verdict = compare.NoVerdict
		}
	case bad:
		r.Verdict, r.Why = compare.Different, check.Summary(r.Reply.Findings)
	case !expects && !r.Reply.Checked:
		r.Why = "it expects nothing; give expect or check"
	default:
		r.Verdict = compare.Same
	}
}

// words are the texts of verdicts.
var words = map[compare.Verdict]string{compare.Same: "ok", compare.Different: "failed", compare.NoVerdict: "no verdict"}

// Write prints a result for people.
func (r *Result) Write(w io.Writer) error {
	text := r.Name + ": " + words[r.Verdict]
	if r.Why != "" {
		text += ": " + r.Why
	}
	_, err := fmt.Fprintln(w, text)
	if err == nil && r.Verdict == compare.Different && r.Reply.Error == nil {
		err = check.Write(w, r.Reply.Findings, r.Reply.Base)
	}
	return err
}

// WriteJSON writes a result as a line of JSON, with the answer of gcnsim dispatch.
func (r *Result) WriteJSON(w io.Writer) error {
	return spec.WriteJSON(w, &struct {
		Test    string      `json:"test"`
		Verdict string      `json:"verdict"`
		Why     string      `json:"why,omitempty"`
		Answer  *spec.Reply `json:"answer"`
	}{r.Name, words[r.Verdict], r.Why, r.Reply})
}
