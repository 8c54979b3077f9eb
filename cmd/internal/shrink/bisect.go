package shrink

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// BisectHere stands in a command for the option of LLVM after whose pass optional passes are left out.
const BisectHere = "{bisect}"

// BisectOption returns the option for a pass; -1 leaves out none, but makes the compiler name all. With one dash clang
// would take it for -o, and write its object to a file pt-bisect-limit=N.
func BisectOption(limit int) string { return fmt.Sprintf("--opt-bisect-limit=%d", limit) }

// Pass is the first pass of a compiler after which a program has what is looked for.
type Pass struct {
	Number, Of int    // Number is 0 if it has it without an optional pass
	Name       string // as the compiler says it, with what the pass ran on
}

// String puts the pass into words.
func (p *Pass) String() string {
	if p.Number == 0 {
		return fmt.Sprintf("none of %d optional passes brings it", p.Of)
	}
	return fmt.Sprintf("pass %d of %d brings it: %s", p.Number, p.Of, p.Name)
}

// ErrNoPasses says that a compiler has not named its passes.
var ErrNoPasses = errors.New("the compiler names no passes: give its command " + BisectHere + ", as in 'llc " +
	BisectHere + "' or 'clang -mllvm " + BisectHere + "'")

// numbered finds all that a compiler writes about the numbers of its passes.
var numbered = regexp.MustCompile(`(?m)^BISECT: .*\n?`)

// passes finds in what a compiler has written the passes that it numbers from 1 on.
var passes = regexp.MustCompile(`(?m)^BISECT: running pass \(\d+\) (.*)$`)

// Bisect looks for the pass of a compiler that makes the difference. said is the output of the compiler with
// [BisectOption] of -1, and has reports whether the program has what is looked for with that of a limit.
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

// Bisects reports whether the command has a place for the option of a pass.
func (c *Command) Bisects() bool { return strings.Contains(c.Line, BisectHere) }

// Bisect looks for the compiler pass after which a text passes the test.
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
