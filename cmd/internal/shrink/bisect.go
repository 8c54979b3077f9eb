package shrink

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// BisectHere is a placeholder in a command for the LLVM option that disables optional passes after a given one.
const BisectHere = "{bisect}"

// BisectOption returns that option for a pass number; -1 disables none, but makes the compiler list all passes. It
// has two dashes, because clang would read one dash as -o and write its object to the file pt-bisect-limit=N.
func BisectOption(limit int) string { return fmt.Sprintf("--opt-bisect-limit=%d", limit) }

// Pass is the first compiler pass after which the searched property holds.
type Pass struct {
	Number, Of int    // Number is 0 if it holds without any optional pass
	Name       string // the compiler's text: the pass and what it processed
}

// String describes the pass.
func (p *Pass) String() string {
	if p.Number == 0 {
		return fmt.Sprintf("none of %d optional passes brings it", p.Of)
	}
	return fmt.Sprintf("pass %d of %d brings it: %s", p.Number, p.Of, p.Name)
}

// ErrNoPasses says that a compiler's output does not list passes.
var ErrNoPasses = errors.New("the compiler names no passes: give its command " + BisectHere + ", as in 'llc " +
	BisectHere + "' or 'clang -mllvm " + BisectHere + "'")

// numbered matches all lines about pass numbers in a compiler's output.
var numbered = regexp.MustCompile(`(?m)^BISECT: .*\n?`)

// passes matches the passes in a compiler's output, which are numbered from 1.
var passes = regexp.MustCompile(`(?m)^BISECT: running pass \(\d+\) (.*)$`)

// Bisect finds the compiler pass that makes the difference. said is the compiler's output with [BisectOption] -1. has
// reports whether the property holds when passes after limit are disabled.
func Bisect(ctx context.Context, said []byte, has func(ctx context.Context, limit int) (bool, error)) (*Pass, error) {
	names := passes.FindAllSubmatch(said, -1)
	if len(names) == 0 {
		return nil, ErrNoPasses
	}
	p := &Pass{Of: len(names)}
	is, err := has(ctx, 0)
	if is || err != nil {
		return p, err
	}
	without := 0
	for p.Number = p.Of; p.Number > without+1; {
		middle := (without + p.Number) / 2
		switch is, err := has(ctx, middle); {
		case err != nil:
			return nil, err
		case is:
			p.Number = middle
		default:
			without = middle
		}
	}
	p.Name = strings.TrimSpace(string(names[p.Number-1][1]))
	return p, nil
}

// Bisects reports whether the command contains [BisectHere].
func (c *Command) Bisects() bool { return strings.Contains(c.Line, BisectHere) }

// Bisect finds the compiler pass after which a text passes the test.
func (c *Command) Bisect(ctx context.Context, text []byte) (*Pass, error) {
	_, said, err := c.run(ctx, text, -1)
	if err != nil {
		return nil, err
	}
	return Bisect(ctx, said, func(ctx context.Context, limit int) (bool, error) {
		passed, _, err := c.run(ctx, text, limit)
		return passed, err
	})
}
