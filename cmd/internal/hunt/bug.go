package hunt

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
	"github.com/gcnsim/gcnsim/cmd/internal/hunt/source"
)

// bugFile is the name of the description in a bug's directory.
const bugFile = "bug.json"

// Bug describes a bug, as stored in its directory.
type Bug struct {
	Name      string `json:"-"` // name of the directory
	Kind      string `json:"kind"`
	Signature string `json:"signature"`
	Why       string `json:"why"`
	edge.Origin
	Lines int `json:"lines"` // lines of the reduced program
	// Pass is the first LLVM pass after which the program is wrong, or "" if unknown.
	Pass  string   `json:"pass,omitempty"`
	Wrong []string `json:"wrong"` // commands of builds for which the reduced program is wrong
	Right []string `json:"right"`
	// Processors are the processors of the wrong builds, as named in their commands.
	Processors []string `json:"processors,omitempty"`
}

// Bugs returns the bugs in the directory of a hunt.
func Bugs(dir string) (all []*Bug, err error) {
	if _, err := readState(dir); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(globbed(dir), "*", bugFile))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		b := &Bug{Name: filepath.Base(filepath.Dir(name))}
		if err := json.Unmarshal(text, b); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *Bug) int { return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Name, b.Name)) })
	return all, nil
}

// Show prints the bugs in directories of hunts, one a line. If several have the same signature it prints the
// first.
func Show(dirs []string, w io.Writer) error {
	var text strings.Builder
	seen := map[string]bool{}
	for _, dir := range dirs {
		bugs, err := Bugs(dir)
		if err != nil {
			return err
		}
		for _, b := range bugs {
			if seen[b.Signature] {
				continue
			}
			seen[b.Signature] = true
			if err := b.Write(&text); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// globbed returns a pattern that matches only path, by escaping special characters.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Write prints a bug as one line.
func (b *Bug) Write(w io.Writer) error {
	pass, on := "", ""
	if b.Pass != "" {
		pass = "; " + b.Pass
	}
	if len(b.Processors) > 0 {
		on = "; " + strings.Join(b.Processors, ", ")
	}
	_, err := fmt.Fprintf(w, "%s: %s%s; %d lines, seed %d; %d builds wrong, %d right%s\n", b.Name, b.Signature, pass,
		b.Lines, b.Seed, len(b.Wrong), len(b.Right), on)
	return err
}

// write writes the directory of a bug, completely or not at all.
func (t *trial) write(ctx context.Context, e *evidence, s *suspect, signature, original string) error {
	sum := sha256.Sum256([]byte(signature))
	b := &Bug{Name: fmt.Sprintf("%s-%x", s.Kind, sum[:4]), Kind: string(s.Kind), Signature: signature, Why: e.is.Why,
		Origin: t.k.Origin, Lines: strings.Count(e.body, "\n"), Pass: e.pass}
	if err := e.everywhere(ctx, b); err != nil {
		return err
	}
	all, err := t.contents(b, e)
	if err != nil {
		return err
	}
	all[t.k.original()] = []byte(original)
	dir, err := os.MkdirTemp(t.Out, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, text := range all {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o666)); err != nil {
			return err
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	return os.Rename(dir, filepath.Join(t.Out, b.Name))
}

// contents returns the files of a bug, without the program before its reduction.
func (t *trial) contents(b *Bug, e *evidence) (map[string][]byte, error) {
	const right, bad = "right.o", "wrong.o"
	commands := []string{e.bad.line(t.k.file(), bad)}
	all := map[string][]byte{t.k.file(): []byte(e.text), "signature": []byte(b.Signature + "\n")}
	var difference bytes.Buffer
	runs := kind(b.Kind) != crash && kind(b.Kind) != hangs
	if runs {
		if err := e.objects(all, e.bad, bad); err != nil {
			return nil, err
		}
	}
	reference, from, how, spec := e.right, t.k.file(), "--spec="+specFile, specFile
	if t.k.saved {
		spec, how = bad+"/"+savedFile, ""
		all[runnerFile], all[inputFile] = []byte(source.Vulkan), t.k.input
		commands = append([]string{runnerLine("cc", runnerFile, "vulkan")}, commands...)
	}
	if t.k.plain != nil {
		reference, from, how = plainOf(e.bad), t.k.plainFile(), "--fp=contract --check=none"
		all[from] = []byte(t.k.plain(e.body))
		if len(t.k.hints) > 0 {
			how += " --hints=" + from
		}
	} else if runs {
		checks, more := []string(nil), ""
		if b.Kind == string(checked) {
			checks, more = defects, "--fail-on=warning "
		}
		text, err := specification(t.k, filepath.Join(e.dir, e.bad.Name+".o"), bad, e.want, checks...)
		if err != nil {
			return nil, err
		}
		all[spec] = text
		commands = append(commands, "gcnsim dispatch "+more+spec)
	}
	if e.diff != nil {
		if err := e.objects(all, reference, right); err != nil {
			return nil, err
		}
		commands = append(commands, reference.line(from, right), fmt.Sprintf("gcnsim diff %s %s %s", how, right, bad))
		var verdict bytes.Buffer
		if err := errors.Join(e.diff.WriteJSON(&verdict), e.diff.Write(&difference)); err != nil {
			return nil, err
		}
		all[verdictFile] = verdict.Bytes()
	}
	all["commands.txt"] = []byte(strings.Join(commands, "\n") + "\n")
	all["report.md"] = report(b, e, commands, difference.String())
	var err error
	all[bugFile], err = json.MarshalIndent(b, "", " ")
	return all, err
}

// titles are titles of bug reports, by kind.
var titles = map[kind]string{wrong: "Wrong code", faults: "Code that faults", checked: "Code without its waits",
	crash: "The compiler fails", hangs: "The compiler does not end"}

// report returns the text of a bug report.
func report(b *Bug, e *evidence, commands []string, difference string) []byte {
	var r strings.Builder
	fmt.Fprintf(&r, "# %s: %s\n\n%s\n\n", titles[kind(b.Kind)], b.Signature, b.Why)
	fmt.Fprintf(&r, "## Program\n\nThe program is defined: %s.\n\n```%s\n%s```\n\n", e.k.proof, e.k.suffix, e.text)
	fmt.Fprintf(&r, "## Commands\n\n```\n%s\n```\n\n", strings.Join(commands, "\n"))
	list := func(title string, all []string) {
		if len(all) > 0 {
			fmt.Fprintf(&r, "%s:\n\n- `%s`\n\n", title, strings.Join(all, "`\n- `"))
		}
	}
	if b.Pass != "" {
		fmt.Fprintf(&r, "Of the passes of LLVM (`-opt-bisect-limit`) %s.\n\n", b.Pass)
	}
	fmt.Fprint(&r, "## Builds\n\n")
	list("The program is wrong with", b.Wrong)
	list("It is right with", b.Right)
	if difference != "" {
		fmt.Fprintf(&r, "## What differs\n\nA is %s, b is %s.\n\n```\n%s```\n", "right.o", "wrong.o", difference)
	}
	return []byte(r.String())
}
