// Package suite runs the specifications in a directory and says which kernels leave what they should.
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
	// Objects is the directory that code objects are taken from, at the paths at which specifications have
	// them; "" is where the specifications are.
	Objects string
	Check   []string       // kinds of findings to look for besides those that specifications name
	FailOn  check.Severity // the mildest finding with which a test fails
	Workers int            // work-groups that run at a time; 0 is one for each CPU

	cache sim.ObjectCache
}

// Result is the result of a specification.
type Result struct {
	Name string // of the specification, relative to the directory
	// Verdict is [compare.Same] if the kernel leaves what it should, and [compare.Different] if it does not,
	// faults, or there are findings. There is none if it cannot run, or if nothing is expected of it.
	Verdict compare.Verdict
	Why     string // what is wrong, "" if nothing is
	Reply   *spec.Reply
}

// Names returns the specifications of dispatch in the directory and below, and what else of JSON is there.
// The error says that there are none.
func (s *Suite) Names() (names, skipped []string, err error) {
	c, err := ContentsOf(s.Dir)
	if err == nil && len(c.Specs) == 0 {
		err = fmt.Errorf("%s: there is no specification of dispatch in it, as gcnsim diff --save-spec writes them", s.Dir)
	}
	return c.Specs, c.Other, err
}

// Run runs a specification. The error comes from ctx.
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

// judge returns the verdict on the answer of a kernel, with or without expectations.
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

// words are verdicts as results have them.
var words = map[compare.Verdict]string{compare.Same: "ok", compare.Different: "failed", compare.NoVerdict: "no verdict"}

// Write writes a result for people.
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

// WriteJSON writes a result as one line of JSON, with the answer of gcnsim dispatch.
func (r *Result) WriteJSON(w io.Writer) error {
	return spec.WriteJSON(w, &struct {
		Test    string      `json:"test"`
		Verdict string      `json:"verdict"`
		Why     string      `json:"why,omitempty"`
		Answer  *spec.Reply `json:"answer"`
	}{r.Name, words[r.Verdict], r.Why, r.Reply})
}
