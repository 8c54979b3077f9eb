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

// kind says how a build is wrong.
type kind string

// Kinds of findings.
const (
	wrong   kind = "answer"  // it leaves something else than the program of the host
	faults  kind = "fault"   // it faults, or does not end
	checked kind = "finding" // it is found wrong by a check
	crash   kind = "crash"   // the compiler fails
	hangs   kind = "hang"    // the compiler does not end
)

// failure describes a wrong build of a program.
type failure struct {
	Kind      kind
	Why       string // explanation, a sentence
	Signature string
	// alike is the same for builds of a program that are wrong in the same way.
	alike string
}

// Files of a program in a directory.
const (
	inputFile   = "input.bin"
	specFile    = "spec.json"
	verdictFile = "verdict.json"
)

// waveLimit is how many instructions a wave may execute.
const waveLimit = 20_000_000

// keys are an object of JSON.
type keys = map[string]any

// specification returns the specification of a kernel that is to leave want, for an object. The directory is that of
// a saved dispatch.
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

// dispatchOf returns the dispatch of a build that is to leave want, and where its files are.
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

// defects are kinds of findings that only a compiler can cause, however a program is written.
var defects = []string{"wait", "wait-state"}

// misuses are kinds of findings that a defined program does not have.
var misuses = []string{"race", "uninit"}

// run runs the object of a build, which must leave want. The finding is nil if it does.
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

// found returns what is wrong with a build that has left reply.
func found(reply *spec.Reply) (*failure, error) {
	if e := reply.Error; e != nil {
		if e.Kind == "internal" || e.Kind == "input" || e.Kind == "asm" {
			return nil, fmt.Errorf("the simulator cannot run it: %s", e.Message)
		}
		name, _, _ := strings.Cut(e.Text, " ")
		if e.Mismatch != nil {
			where, _, _ := strings.Cut(e.Message, "; stored by ")
			f := &failure{Kind: wrong, Why: e.Message, Signature: "answer: " + name, alike: where}
			return f, nil //nolint:nilerr // the mismatch is the finding
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
	return nil, nil //nolint:nilnil // there is nothing to find
}

// misused reports whether the checks find that the program itself is wrong: that it reads what was never written, or
// that work-items race.
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

// assembled returns what a program in assembly leaves as this simulator assembles it. The error wraps errUndefined if
// it cannot be assembled, or faults.
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

// compared compares a right build with a wrong one. The comparison is nil if there is no difference to be seen.
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
		return nil, nil //nolint:nilerr,nilnil // what cannot be compared has no difference to show
	}
	return res, nil
}

// prepare writes the program with a body and its input to a directory of its own.
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
