package hunt

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// kind is the way in which a build is wrong.
type kind string

// Kinds of findings.
const (
	wrong   kind = "answer"  // its output differs from the host program's
	faults  kind = "fault"   // it faults or does not end
	checked kind = "finding" // a check reports a finding
	crash   kind = "crash"   // the compiler fails
	hangs   kind = "hang"    // the compiler does not end
)

// failure describes a wrong build of a program.
type failure struct {
	Kind      kind
	Why       string // explanation, as a sentence
	Signature string
	// alike is equal for builds of a program that are wrong in the same way.
	alike string
}

// Names of files in a program's directory.
const (
	inputFile   = "input.bin"
	specFile    = "spec.json"
	verdictFile = "verdict.json"
)

// waveLimit is the number of instructions that a wave may execute.
const waveLimit = 20_000_000

// keys is a JSON object.
type keys = map[string]any

// specification returns the specification for executing an object whose output must be want. saved is the directory
// of a saved dispatch.
func specification(k *program, saved, object string, want []byte, checks ...string) ([]byte, error) {
	all := keys{
		"code_object": object, "kernel": kernelName, "grid": []int{k.group * k.groups}, "workgroup": []int{k.group},
		"args": []keys{{"buffer": keys{"size": k.output}},
			{"buffer": keys{"size": len(k.input), "hex": hex.EncodeToString(k.input)}}},
		"expect": []keys{{"arg": 0, "as": "u64", "hex": hex.EncodeToString(want)}},
	}
	if k.saved {
		var err error
		if all, err = savedDispatch(saved, want); err != nil {
			return nil, err
		}
	}
	all["max_instructions"] = waveLimit
	if len(checks) > 0 {
		all["check"] = checks
	}
	text, err := json.Marshal(all)
	return append(text, '\n'), err
}

// dispatchOf returns the dispatch of a build, which expects the output want, and the directory of its files.
func dispatchOf(k *program, dir string, b *build, want []byte, checks ...string) (*spec.Dispatch,
	files.ReadOnly, error) {
	object := b.Name + ".o"
	saved := filepath.Join(dir, object)
	text, err := specification(k, saved, object, want, checks...)
	if err != nil {
		return nil, files.ReadOnly{}, err
	}
	if k.saved {
		dir = saved
	}
	req, err := spec.ParseDispatch(text)
	return req, files.ReadOnly{Dir: files.Dir(dir)}, err
}

// defects are kinds of findings that only a compiler can cause, whatever the source program is.
var defects = []string{"wait", "wait-state"}

// misuses are kinds of findings that a program with defined behaviour cannot have.
var misuses = []string{"race", "uninit"}

// run executes a build. It returns nil if the output is want, or else the failure.
func (h *Hunt) run(ctx context.Context, dir string, b *build, k *program, want []byte) (*failure, error) {
	if k.plain != nil {
		return runVariant(ctx, dir, b, k)
	}
	req, from, err := dispatchOf(k, dir, b, want, defects...)
	if err != nil {
		return nil, err
	}
	reply, err := req.Answer(ctx, &spec.Options{Files: from, Workers: 1})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		reply = spec.FailedReply(err)
	}
	return found(reply)
}

// found returns the failure of a build whose execution returned reply, or nil.
func found(reply *spec.Reply) (*failure, error) {
	if e := reply.Error; e != nil {
		if e.Kind == "internal" || e.Kind == "input" || e.Kind == "asm" {
			return nil, fmt.Errorf("the simulator cannot run it: %s", e.Message)
		}
		name, _, _ := strings.Cut(e.Text, " ")
		if e.Mismatch != nil {
			where, _, _ := strings.Cut(e.Message, "; stored by ")
			f := &failure{Kind: wrong, Why: e.Message, Signature: "answer: " + name, alike: where}
			return f, nil //nolint:nilerr // the mismatch is the failure
		}
		return &failure{Kind: faults, Why: e.Message, Signature: fmt.Sprintf("fault: %s %s", e.Kind, name)}, nil
	}
	var bad []check.Finding
	for _, f := range reply.Findings {
		if f.Severity >= check.Warning {
			bad = append(bad, f)
		}
	}
	if len(bad) > 0 {
		return &failure{Kind: checked, Why: check.Summary(bad), Signature: verdict.SignatureOf(bad)}, nil
	}
	return nil, nil //nolint:nilnil // the build is right
}

// misused reports whether checks find errors of the program itself: reads of values that were never written, or races
// between work-items.
func misused(ctx context.Context, dir string, b *build, k *program, want []byte) (bool, error) {
	req, from, err := dispatchOf(k, dir, b, want, misuses...)
	if err != nil {
		return false, err
	}
	reply, err := req.Answer(ctx, &spec.Options{Files: from, Workers: 1})
	if err != nil {
		reply = spec.FailedReply(err)
	}
	for _, f := range reply.Findings {
		if f.Severity >= check.Warning {
			return true, nil
		}
	}
	return false, ctx.Err()
}

// assembled returns the output of an assembly program as assembled by this simulator. The error wraps errUndefined if
// the program cannot be assembled, or if it faults.
func assembled(ctx context.Context, dir string, k *program, body string) ([]byte, error) {
	const name = "answer.s"
	text := ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n" + k.text(body)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		return nil, err
	}
	all := keys{}
	plain, err := specification(k, "", name, nil)
	if err = errors.Join(err, json.Unmarshal(plain, &all)); err != nil {
		return nil, err
	}
	delete(all, "expect")
	all["dump"] = []keys{{"arg": 0, "hex": true}}
	if plain, err = json.Marshal(all); err != nil {
		return nil, err
	}
	req, err := spec.ParseDispatch(plain)
	if err != nil {
		return nil, err
	}
	o := &spec.Options{Files: files.ReadOnly{Dir: files.Dir(dir)}, Workers: 1}
	reply, err := req.Answer(ctx, o)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errUndefined, err)
	case len(reply.Dump) != 1:
		return nil, fmt.Errorf("%w: %s", errUndefined, reply.Error.Message)
	}
	return reply.Dump[0].Bytes(), nil
}

// compared compares a right build with a wrong one. The comparison is nil if it shows no difference.
func compared(ctx context.Context, dir string, right, bad *build, k *program, want []byte) (*verdict.Comparison,
	error) {
	r := &request.DiffRequest{}
	r.Jobs = 1
	for i, b := range []*build{right, bad} {
		req, from, err := dispatchOf(k, dir, b, want)
		if err != nil {
			return nil, err
		}
		*[]*request.DiffProgram{&r.A, &r.B}[i] = request.DiffProgram{Request: req, Files: from}
	}
	res, err := r.Run(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || res.Difference == nil {
		return nil, nil //nolint:nilerr,nilnil // builds that cannot be compared have no difference to show
	}
	return res, nil
}

// prepare writes the program with a body, and its input, to a new directory.
func prepare(body string, k *program) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "gcnsim-hunt-"); err != nil {
		return "", err
	}
	if k.plain != nil {
		err = os.WriteFile(filepath.Join(dir, k.plainFile()), []byte(k.plain(body)), 0o600)
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, k.file()), []byte(k.text(body)), 0o600),
		os.WriteFile(filepath.Join(dir, inputFile), k.input, 0o600))
	return dir, err
}
