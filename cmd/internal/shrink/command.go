package shrink

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/cmd/internal/child"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// Placeholder is replaced by the program's file in a command.
const Placeholder = "{}"

// Command is a test by a shell command line. It passes if its exit status is 0. Files that it writes beside the
// program, such as {}.o, are removed.
type Command struct {
	Line string        // with [Placeholder], and maybe [BisectHere]
	Name string        // file name of the program; test files have the same base name
	Time time.Duration // time limit; a command that takes longer has failed

	Output []byte // the end of the last command's output
	// Instructions is the number of instructions in the code object that the last test left beside the program, or 0
	// if it left none. If it left several, the last by name counts: {}.b.o of {}.a.o and {}.b.o.
	Instructions int
}

// maxOutput is how much of a command's output is kept, in bytes.
const maxOutput = 4 << 10

// Check returns an error if the line cannot be a test.
func (c *Command) Check() error {
	if !strings.Contains(c.Line, Placeholder) {
		return fmt.Errorf("it does not name the program: write %s where its file is to be, "+
			"as in 'clang -c %s -o %s.o && ...'",
			Placeholder, Placeholder, Placeholder)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		return fmt.Errorf("it is a line of a shell, and there is none: %w", err)
	}
	return nil
}

// Test executes the command on a text.
func (c *Command) Test(ctx context.Context, text []byte) (passes bool, err error) {
	passes, out, err := c.run(ctx, text, -1)
	out = numbered.ReplaceAll(out, nil)
	c.Output = out[max(0, len(out)-maxOutput):]
	return passes, err
}

// Lowered returns the content of {}.ll after executing the command, which compiles a program to LLVM IR.
func (c *Command) Lowered(ctx context.Context, text []byte) (ir []byte, err error) {
	dir, path, err := c.place(text)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	said, err := Shell(ctx, c.line(Quoted(path), -1), c.Time)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(said[max(0, len(said)-maxOutput):]))
	}
	if ir, err = os.ReadFile(path + ".ll"); err != nil {
		return nil, errors.New("the command has not written {}.ll; compile with -S -emit-llvm {} -o {}.ll")
	}
	return ir, nil
}

// place writes a text to a file with the program's name, in a new directory that the caller must remove.
func (c *Command) place(text []byte) (dir, path string, err error) {
	if dir, err = os.MkdirTemp("", "gcnsim-reduce-"); err != nil {
		return "", "", err
	}
	path = filepath.Join(dir, filepath.Base(c.Name))
	if err = os.WriteFile(path, text, 0o600); err != nil {
		os.RemoveAll(dir)
	}
	return dir, path, err
}

// run executes the command on a text. limit is the value for [BisectHere]. said is all of its output.
func (c *Command) run(ctx context.Context, text []byte, limit int) (passes bool, said []byte, err error) {
	dir, path, err := c.place(text)
	if err != nil {
		return false, nil, err
	}
	defer os.RemoveAll(dir)
	said, err = Shell(ctx, c.line(Quoted(path), limit), c.Time)
	c.Instructions = instructionsIn(dir)
	if _, ended := errors.AsType[*exec.ExitError](err); ended || errors.Is(err, ErrLate) {
		return false, said, nil
	}
	return err == nil, said, err
}

// instructionsIn counts the instructions of the last code object in a directory.
func instructionsIn(dir string) (n int) {
	all, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range all {
		data, err := os.ReadFile(path)
		if err != nil || !codeobj.IsObject(data) {
			continue
		}
		if o, err := codeobj.Parse(data); err == nil {
			n = 0
			for range Instructions(o) { //nolint:errcheck // invalid words count, too
				n++
			}
		}
	}
	return n
}

// Instructions yields the instructions of a code object's functions, or the error of an invalid word.
func Instructions(o *codeobj.Object) iter.Seq2[isa.Inst, error] {
	return func(yield func(isa.Inst, error) bool) {
		for _, f := range o.Functions {
			code, _ := o.Bytes(f.VAddr, f.Size)
			words := make([]uint32, len(code)/4)
			_, _ = binary.Decode(code, binary.LittleEndian, words)
			for len(words) > 0 {
				in, err := isa.Decode(o.Target, words)
				if !yield(in, err) {
					return
				}
				words = words[max(1, int(in.Size)/4):]
			}
		}
	}
}

// line returns the command line for a file and a pass limit.
func (c *Command) line(file string, limit int) string {
	return strings.NewReplacer(Placeholder, file, BisectHere, BisectOption(limit)).Replace(c.Line)
}

// ErrLate says that a command exceeded its time limit.
var ErrLate = errors.New("it took longer than it may")

// Shell executes a shell command line, and ends it and its child processes after limit. TMPDIR is a directory that is
// removed afterwards, because a killed compiler leaves its temporary files there. output is everything that was
// written. The error comes from ctx, or is [ErrLate], or an *[exec.ExitError] for a status other than 0.
func Shell(ctx context.Context, line string, limit time.Duration) (output []byte, err error) {
	temporary, err := os.MkdirTemp("", "gcnsim-shell-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(within, "sh", "-c", line)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // for child processes of the shell
	child.EndTogether(cmd)
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case within.Err() != nil:
		err = ErrLate
	}
	return out.Bytes(), err
}

// Quoted quotes a path for a shell, such that {}.o is one word, too.
func Quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// llvmReduces returns the paths of llvm-reduce, latest version first, because an early version cannot read the output
// of a later compiler.
func llvmReduces() (paths []string) {
	const first, last = 13, 30
	for version := last; version >= first; version-- {
		if path, err := exec.LookPath(fmt.Sprintf("llvm-reduce-%d", version)); err == nil {
			paths = append(paths, path)
		}
	}
	if path, err := exec.LookPath("llvm-reduce"); err == nil {
		paths = append(paths, path)
	}
	return paths
}

// isIR reports whether a file contains LLVM IR.
func isIR(name string) bool { return filepath.Ext(name) == ".ll" }

// LLVM reduces a program in LLVM IR with llvm-reduce, if it is installed. used reports whether it was used.
func (c *Command) LLVM(ctx context.Context, text []byte) (smaller []byte, used bool, err error) {
	if !isIR(c.Name) {
		return text, false, nil
	}
	for _, tool := range llvmReduces() {
		if smaller, err = c.llvm(ctx, tool, text); err == nil || ctx.Err() != nil {
			return smaller, err == nil, err
		}
	}
	return text, false, err
}

// llvm reduces a program with one version of llvm-reduce. If ctx ends first, the result so far is returned.
func (c *Command) llvm(ctx context.Context, tool string, text []byte) (smaller []byte, err error) {
	dir, err := os.MkdirTemp("", "gcnsim-reduce-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	// llvm-reduce passes the path of a file, relative to its own working directory.
	script := fmt.Sprintf("#!/bin/sh\nfile=$(realpath \"$1\")\ncd %s\n%s\n", Quoted(here),
		c.line(`"$file"`, -1))
	in, out, test := filepath.Join(dir, "in.ll"), filepath.Join(dir, "out.ll"), filepath.Join(dir, "test")
	err = errors.Join(os.WriteFile(in, text, 0o600), os.WriteFile(test, []byte(script), 0o700))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, tool, "--test="+test, "-o", out, in)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	cmd.WaitDelay = time.Second
	child.EndTogether(cmd)
	said, err := cmd.CombinedOutput()
	if smaller, read := os.ReadFile(out); read == nil && (err == nil || ctx.Err() != nil) {
		return smaller, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", tool, err, bytes.TrimSpace(said[:min(len(said), maxOutput)]))
	}
	return nil, fmt.Errorf("%s has written nothing", tool)
}
