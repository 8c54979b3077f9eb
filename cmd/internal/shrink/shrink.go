// Package shrink reduces the text of a program while a test passes: it removes functions, blocks, lines and tokens.
package shrink

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"time"
)

// ErrFails says that the test fails on the original program.
var ErrFails = errors.New("the test fails on the program as it is: it must end with status 0 as long as what is " +
	"looked for is there")

// ErrAny says that the test passes on an invalid program.
var ErrAny = errors.New("the test passes on an empty file, or on one that no compiler takes, too: a compiler that " +
	"fails must make it fail, as in " +
	"'clang -c {} -o {}.o && gcnsim diff --expect=different old.o {}.o'")

// ErrUnsteady says that the test's result for one program is not always the same.
var ErrUnsteady = errors.New("the test fails on the program that it has passed on before: it depends on " +
	"something else, " +
	"random data without a seed for example")

// Program is a text that is being reduced.
type Program struct {
	Name string // file name; its extension selects the language
	Text []byte
	// Test reports whether a text still has the searched property. An error ends the reduction.
	Test func(ctx context.Context, text []byte) (bool, error)
	// Steps yields texts that are one step smaller, for known languages. It may be nil.
	Steps func(text string) iter.Seq[string]
	// Smaller is called with each text that is smaller than all before. It may be nil.
	Smaller func(text []byte) error
	// Progress is called with a short description. It may be nil.
	Progress func(text string)

	Tests int // number of tested texts

	structured bool // llvm-reduce has already removed what it can, so tokens are skipped
	tried      map[[sha256.Size]byte]bool
	failed     error // why the reduction ends early
}

// Reduce reduces p.Text until no pass can remove anything. If ctx ends, p.Text is the smallest text so far, and the
// error comes from ctx.
func (p *Program) Reduce(ctx context.Context) error {
	if p.tried == nil {
		p.tried = map[[sha256.Size]byte]bool{}
	}
	passes, ok := p.test(ctx, p.Text), p.failed == nil
	if ok && !passes {
		return ErrFails
	}
	if ok && (p.test(ctx, nil) || p.test(ctx, []byte("}{\n"))) {
		return ErrAny
	}
	for before := -1; p.failed == nil && before != len(p.Text); {
		before = len(p.Text)
		for p.Steps != nil && p.step(ctx) {
		}
		passes := passesOf(p.Name)
		if p.structured {
			passes = passes[:len(passes)-2]
		}
		for _, pass := range passes {
			if p.failed == nil {
				pass(ctx, p)
			}
		}
	}
	if p.failed != nil {
		return p.failed
	}
	again, err := p.Test(ctx, p.Text)
	if err == nil && !again {
		err = ErrUnsteady
	}
	return err
}

// test reports whether a text passes. It does not test a text twice.
func (p *Program) test(ctx context.Context, text []byte) bool {
	if p.failed == nil {
		p.failed = ctx.Err()
	}
	key := sha256.Sum256(text)
	passes, known := p.tried[key]
	if known || p.failed != nil {
		return passes && p.failed == nil
	}
	p.Tests++
	passes, err := p.Test(ctx, text)
	if err != nil {
		p.failed = err
		return false
	}
	p.tried[key] = passes
	return passes
}

// keeps reports whether the program that consists of units is smaller and passes. If so, it becomes p.Text.
func (p *Program) keeps(ctx context.Context, what string, units [][]byte) bool {
	text := bytes.Join(units, nil)
	if len(text) >= len(p.Text) || len(bytes.TrimSpace(text)) == 0 || !p.test(ctx, text) {
		return false
	}
	p.Text = text
	if p.Smaller != nil {
		if err := p.Smaller(text); err != nil {
			p.failed = err
		}
	}
	if p.Progress != nil {
		p.Progress(fmt.Sprintf("%s: %d bytes after %d tests", what, len(text), p.Tests))
	}
	return true
}

// step applies the first step whose text passes.
func (p *Program) step(ctx context.Context) bool {
	for text := range p.Steps(string(p.Text)) {
		if p.keeps(ctx, "steps", [][]byte{[]byte(text)}) {
			return true
		}
		if p.failed != nil {
			break
		}
	}
	return false
}

// leaveOut removes units, first many at a time.
func (p *Program) leaveOut(ctx context.Context, what string, units [][]byte, most int) {
	for size := min(max(len(units)/2, 1), most); size > 0 && p.failed == nil; size /= 2 {
		for at := 0; at < len(units) && p.failed == nil; {
			end := min(at+size, len(units))
			without := append(append([][]byte{}, units[:at]...), units[end:]...)
			if p.keeps(ctx, what, without) {
				units = without
			} else {
				at = end
			}
		}
	}
}

// pass is one method of reducing a program.
type pass func(ctx context.Context, p *Program)

// maxDepth is the greatest depth of braces at which blocks are removed as a whole.
const maxDepth = 8

// passesOf returns the passes for a file name.
func passesOf(name string) []pass {
	all := []pass{}
	if strings.EqualFold(filepath.Ext(name), ".s") {
		all = append(all, func(ctx context.Context, p *Program) { p.leaveOut(ctx, "labels", labelled(p.Text), len(p.Text)) })
	} else {
		for depth := range maxDepth {
			all = append(all, func(ctx context.Context, p *Program) {
				p.leaveOut(ctx, "blocks", blocks(p.Text, depth), len(p.Text))
			})
		}
	}
	return append(all,
		func(ctx context.Context, p *Program) { p.leaveOut(ctx, "lines", lines(p.Text), len(p.Text)) },
		func(ctx context.Context, p *Program) { p.unwrap(ctx) },
		func(ctx context.Context, p *Program) { p.leaveOut(ctx, "tokens", tokens(p.Text), maxTokens) })
}

// maxTokens is the number of tokens that are removed at a time. Longer pieces are removed as lines.
const maxTokens = 8

// unwrap removes pairs of brackets: with their content, without it, and, for a block, with the text before it, such
// as the condition of a statement.
func (p *Program) unwrap(ctx context.Context) {
	for at := 0; p.failed == nil; at++ {
		units := tokens(p.Text)
		pairs := pairsOf(units)
		if at >= len(pairs) {
			return
		}
		open, end := pairs[at][0], pairs[at][1]
		head := open
		for head > 0 && !strings.Contains(";{}", sign(units[head-1])) {
			head--
		}
		for _, cut := range [][2][2]int{{{open, end + 1}}, {{open, open + 1}, {end, end + 1}},
			{{head, open + 1}, {end, end + 1}}} {
			var rest [][]byte
			for i, u := range units {
				if (i < cut[0][0] || i >= cut[0][1]) && (i < cut[1][0] || i >= cut[1][1]) {
					rest = append(rest, u)
				}
			}
			if p.keeps(ctx, "brackets", rest) {
				at--
				break
			}
		}
	}
}

// ReduceWith is [Program.Reduce] with a command as the test. If requested and possible, it first uses llvm-reduce. It
// stops after limit, unless that is 0, without an error. note describes what was done, in lines.
func (p *Program) ReduceWith(ctx context.Context, c *Command, limit time.Duration, others bool) (note string,
	err error) {
	p.Test, p.tried = c.Test, map[[sha256.Size]byte]bool{}
	was, insts := len(p.Text), instsOfIR(p.Text)
	within, cancel := context.WithCancel(ctx)
	if limit > 0 {
		within, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	if !p.test(within, p.Text) {
		if within.Err() != nil && ctx.Err() == nil {
			return "", fmt.Errorf("%s: the first test took longer than the time limit of %v", p.Name, limit)
		}
		return string(c.Output), cmp.Or(p.failed, ErrFails)
	}
	first := c.Instructions
	if others {
		text, used, err := c.LLVM(within, p.Text)
		switch {
		case used && within.Err() != nil: // each text that llvm-reduce keeps has passed
			note += fmt.Sprintf("llvm-reduce has left %d of %d bytes\n", len(text), was)
			p.Text = text
		case within.Err() != nil:
		case err != nil:
			note += fmt.Sprintf("llvm-reduce is left out: %v\n", err)
		case used && !p.test(within, text):
			note += "llvm-reduce is left out: the test fails on what it has left\n"
		case used:
			note += fmt.Sprintf("llvm-reduce has left %d of %d bytes\n", len(text), was)
			p.Text, p.structured = text, true
		}
	}
	err = p.Reduce(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		note += fmt.Sprintf("it may be smaller still: the time limit of %v had passed\n", limit)
		err = nil
	}
	note += fmt.Sprintf("%s: %d of %d bytes are left after %d tests", p.Name, len(p.Text), was, p.Tests)
	if isIR(p.Name) {
		note += fmt.Sprintf(", %d of %d instructions of LLVM IR", instsOfIR(p.Text), insts)
	}
	if within.Err() == nil && err == nil && c.Instructions > 0 { // the last test was of the final text
		note += fmt.Sprintf(", %d of %d instructions", c.Instructions, first)
	}
	return note + "\n", err
}
