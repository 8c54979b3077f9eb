package hunt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

// evidence is a program with a bug, in a directory together with its objects.
type evidence struct {
	h    *Hunt
	k    *program
	dir  string
	body string // body of the program's text
	text string
	want []byte
	bad  *build
	// right is a build without the bug, or nil.
	right *build
	is    *failure
	diff  *verdict.Comparison // comparison of both builds, nil without a right build
	pass  string              // the first pass after which the bad build has the bug, "" if unknown
}

// reproduce compiles a program and reports whether it has the bug: the bad build shows the same kind of failure, the
// other build is right, and the program is defined. The results are in e.
func (e *evidence) reproduce(ctx context.Context, body string) (bool, error) {
	if e.dir != "" {
		os.RemoveAll(e.dir)
	}
	var err error
	e.body, e.text = body, e.k.text(body)
	if e.dir, err = prepare(body, e.k); err != nil {
		return false, err
	}
	f, refused, err := e.h.compile(ctx, e.dir, e.k, e.bad)
	if err != nil || refused != "" {
		return false, err
	}
	if f != nil {
		e.is = f
		return true, nil
	}
	if e.right != nil {
		if f, refused, err := e.h.compile(ctx, e.dir, e.k, e.right); f != nil || refused != "" || err != nil {
			return false, err
		}
	}
	if e.want, err = e.k.strict(ctx, e.dir, body); err != nil {
		return false, ignored(ctx, err)
	}
	if e.is, err = e.h.run(ctx, e.dir, e.bad, e.k, e.want); e.is == nil || err != nil {
		return false, ignored(ctx, err)
	}
	if e.right != nil {
		if f, err := e.h.run(ctx, e.dir, e.right, e.k, e.want); f != nil || err != nil {
			return false, ignored(ctx, err)
		}
	}
	if e.k.plain != nil {
		return true, nil
	}
	b := e.right
	if b == nil {
		b = e.bad
	}
	misused, err := misused(ctx, e.dir, b, e.k, e.want)
	return !misused, err
}

// miscompiled reports whether the build has a wrong output or faults.
func (e *evidence) miscompiled() bool { return e.is.Kind == wrong || e.is.Kind == faults }

// named reports whether the signature of a program that is not reduced yet identifies its bug. It does not if no
// build is right, because then the signature is only the instruction that stores a wrong value.
func (e *evidence) named() bool {
	return !e.miscompiled() ||
		e.k.signature == nil && (e.right != nil || e.k.plain != nil || e.is.Kind == faults)
}

// computes names the operations of the small program, as the end of its signature.
func (e *evidence) computes() string {
	o, err := object(e.k, e.dir, e.bad)
	if err != nil {
		return ""
	}
	names := map[string]bool{}
	for in, err := range shrink.Instructions(o) {
		if name := in.Row().Name; err == nil && strings.HasPrefix(name, "v_") && !strings.HasPrefix(name, "v_mov") {
			names[name] = true
		}
	}
	return "; " + strings.Join(slices.Sorted(maps.Keys(names)), ",")
}

// ignored returns ctx's error and drops err: other errors mean that the program does not have the bug.
func ignored(ctx context.Context, _ error) error { return ctx.Err() }

// compare returns the signature of the program. It names the program's operations if its language can tell them, and
// otherwise the difference of the builds. Small programs have few operations, so one bug has one signature.
func (e *evidence) compare(ctx context.Context, small bool) (signature string, err error) {
	signature, err = e.difference(ctx, small)
	switch {
	case e.miscompiled() && e.k.signature != nil:
		return fmt.Sprintf("%s: %s", e.is.Kind, e.k.signature(e.body)), err
	case e.named():
		return unspelled(signature), err
	}
	return unspelled(signature) + e.computes(), err
}

// difference returns the signature of the builds' difference, with processor-specific names.
func (e *evidence) difference(ctx context.Context, small bool) (signature string, err error) {
	signature = e.is.Signature
	if e.k.plain != nil && e.miscompiled() {
		e.diff, err = differs(ctx, e.dir, e.bad, e.k)
		return signature, err
	}
	if e.right == nil || !e.miscompiled() {
		return signature, nil
	}
	if e.diff, err = compared(ctx, e.dir, e.right, e.bad, e.k, e.want); e.diff == nil || err != nil {
		return signature, err
	}
	if small {
		return blamed(e.diff.Difference), nil
	}
	return e.diff.Difference.Signature(), nil
}

// everywhere records in b which builds have the same kind of bug, and which are right.
func (e *evidence) everywhere(ctx context.Context, b *Bug) error {
	for i := range e.h.builds {
		x := &e.h.builds[i]
		is := e.is
		if x != e.bad {
			f, refused, err := e.h.compile(ctx, e.dir, e.k, x)
			if err != nil {
				return err
			}
			// if the compiler fails there is nothing to execute
			if f == nil && refused == "" && (e.want != nil || e.k.plain != nil) {
				f, err = e.h.run(ctx, e.dir, x, e.k, e.want)
			}
			if refused != "" || err != nil {
				continue // neither wrong nor right
			}
			is = f
		}
		switch {
		case is == nil:
			b.Right = append(b.Right, x.Command)
		case is.Kind == e.is.Kind:
			b.Wrong = append(b.Wrong, x.Command)
			b.Processors = append(b.Processors, processor.FindAllString(x.Command, -1)...)
		}
	}
	slices.Sort(b.Processors)
	b.Processors = slices.Compact(b.Processors)
	return ctx.Err()
}

// processor matches processors in a command, or the chip of `gcnsim gpu`.
var processor = regexp.MustCompile(`\bgfx[0-9a-f]+\b|--chip=\w+`)

// report reduces the program of a suspect and writes a description, unless its bug is known.
func (t *trial) report(ctx context.Context, s *suspect) error {
	e := &evidence{h: t.Hunt, k: t.k, bad: s.builds[0]}
	defer func() { os.RemoveAll(e.dir) }()
	original := t.k.text(t.k.body)
	has, err := e.gatherBeside(ctx, t.nearest(e.bad))
	if err != nil {
		return err
	}
	if !has || e.is.Kind != s.Kind {
		t.note(&t.sum.Undefined, "seed "+seedText(t.k)+": the program is not defined: please report it")
		return nil
	}
	raw, err := e.compare(ctx, false)
	if err != nil || !t.admits(raw, s, e.named()) {
		return err
	}
	small, ended := t.k.body, error(nil)
	if s.Kind != hangs {
		small, ended = t.reduced(ctx, e)
	}
	// The result is also written if ctx has ended.
	whole := ctx
	ctx = context.WithoutCancel(ctx)
	if has, err = e.reproduce(ctx, small); err != nil || !has {
		return errors.Join(ended, err)
	}
	signature, err := e.compare(ctx, true)
	if err != nil {
		return err
	}
	if signature != raw && !t.claim(signature) {
		return ended
	}
	if s.Kind != hangs && ended == nil {
		e.bisect(whole)
	}
	if err := t.write(ctx, e, s, signature, original); err != nil {
		return err
	}
	signatures := []string{signature}
	if raw != signature && e.named() {
		signatures = append(signatures, raw)
	}
	return errors.Join(ended, t.settle(signatures...))
}

// gatherBeside calls reproduce with right builds, until checks find no misuse in one. If a compiler makes a value
// undefined, some builds are right by chance, and checks find in them that the value was never written. Only a
// finding in every build means that the program itself is undefined.
func (e *evidence) gatherBeside(ctx context.Context, right []*build) (has bool, err error) {
	for n := 0; n == 0 || n < len(right) && !has && err == nil; n++ {
		if n < len(right) {
			e.right = right[n]
		}
		has, err = e.reproduce(ctx, e.k.body)
	}
	return has, err
}

// nearest sorts the right builds by how similar their commands are to the bad build's. Objects of similar commands
// differ in little else than the bug.
func (t *trial) nearest(bad *build) []*build {
	words := strings.Fields(bad.Command)
	common := func(b *build) (n int) {
		for word := range strings.FieldsSeq(b.Command) {
			if slices.Contains(words, word) {
				n++
			}
		}
		return n
	}
	right := slices.Clone(t.right)
	slices.SortStableFunc(right, func(a, b *build) int { return common(b) - common(a) })
	return right
}

// reduced returns the smallest body that has the same bug. The error comes from ctx.
func (t *trial) reduced(ctx context.Context, e *evidence) (string, error) {
	first := *e.is
	within, cancel := context.WithTimeout(ctx, t.ReduceTime)
	defer cancel()
	trying := &evidence{h: e.h, k: e.k, bad: e.bad, right: e.right}
	defer func() { os.RemoveAll(trying.dir) }()
	p := &shrink.Program{Name: t.k.file(), Text: []byte(t.k.body), Steps: t.k.steps,
		Test: func(ctx context.Context, body []byte) (bool, error) {
			if !t.k.holds(string(body)) {
				return false, nil
			}
			has, err := trying.reproduce(ctx, string(body))
			return has && trying.is.Kind == first.Kind && (first.Kind != crash || trying.is.Signature == first.Signature), err
		}}
	if t.Progress != nil {
		p.Progress = func(text string) { t.Progress("seed " + seedText(t.k) + ": " + text) }
	}
	// An error of the test comes from the time limit. The text is then the smallest one so far.
	_ = p.Reduce(within)
	return string(p.Text), ctx.Err()
}

// objects adds the object of a build to files, by name. It is one file, or the files of a saved dispatch.
func (e *evidence) objects(files map[string][]byte, b *build, name string) error {
	from := filepath.Join(e.dir, b.Name+".o")
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[name+filepath.ToSlash(path[len(from):])] = data
		return err
	})
}

// bisect searches for the pass of the bad build that introduces the bug, if the compiler is LLVM.
func (e *evidence) bisect(ctx context.Context) {
	if e.k.saved {
		return
	}
	for _, before := range []string{" -mllvm ", " "} { // for clang, for llc
		with := func(limit int) *evidence {
			bad := *e.bad
			bad.Command += before + shrink.BisectOption(limit)
			return &evidence{h: e.h, k: e.k, bad: &bad}
		}
		b := with(-1).bad
		said, _ := shrink.Shell(ctx, b.line(shrink.Quoted(filepath.Join(e.dir, e.k.file())), os.DevNull), e.h.CompileTime)
		pass, err := shrink.Bisect(ctx, said, func(ctx context.Context, limit int) (bool, error) {
			tried := with(limit)
			defer func() { os.RemoveAll(tried.dir) }()
			has, err := tried.reproduce(ctx, e.body)
			return has && tried.is.Kind == e.is.Kind, err
		})
		if err == nil {
			e.pass = pass.String()
			return
		}
	}
}
