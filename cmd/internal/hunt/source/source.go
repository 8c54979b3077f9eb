// Package source writes random kernels that mean the same in C99 and in OpenCL C, so a compiler for the host shows
// the right output. The kernels have no undefined behaviour, and no results that depend on the order of work-items.
package source

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
)

// Host is a C program that executes the kernel in the file named by the macro PROGRAM. It also needs the macros of
// [Kernel.Macros]: GROUP, GROUPS, OUT_WORDS and IN_WORDS. Its first argument is the input file. A second argument
// reverses the order of work-items.
//
//go:embed c/host.c
var Host string

//go:embed c/prelude.h
var textC string

var preludeC = sync.OnceValue(func() prelude { return newPrelude(textC) })

// Name is the name of every kernel.
const Name = "k"

// Kernel is a generated kernel.
type Kernel struct {
	edge.Origin
	Group  int // work-items in a work-group
	Groups int
	Values int    // number of 64-bit words that each work-item stores
	Shared int    // number of 64-bit words behind them that are counters of all work-items
	Input  []byte // content of the second argument
	Body   string // the text behind the prelude
}

// inputWords is the number of 32-bit words that a kernel may read. Indices are masked.
const inputWords = 256

// New returns the kernel for an origin, always the same. A kernel for GLSL has no bit fields and no 16-bit floats,
// but it has images and more subgroup operations.
func New(from edge.Origin, glsl bool) *Kernel {
	g := &generator{Rand: from.Rand(0x6763_6e73_696d), k: &Kernel{Origin: from}, glsl: glsl}
	g.narrow = !glsl || g.chance(3) // few processors support integers of 8 and 16 bits in GLSL
	g.k.Group = []int{64, 64, 128}[g.IntN(3)]
	if g.k.Groups = 1 + g.IntN(2); glsl {
		g.k.Groups = Groups
	}
	g.k.Shared = sharedWords
	g.program()
	g.k.Input = edge.Data(g.Rand, inputWords)
	return g.k
}

// Text returns the program for a body, the kernel's own or a reduced one. The prelude has the definitions that the
// body needs.
func (k *Kernel) Text(body string) string {
	return fmt.Sprintf("// %v\n#define GROUP %d\n%s", k.Origin, k.Group, preludeC().before(body))
}

// Macros returns the macros with which [Host] is compiled.
func (k *Kernel) Macros() []string {
	return []string{fmt.Sprintf("-DGROUP=%d", k.Group), fmt.Sprintf("-DGROUPS=%d", k.Groups),
		fmt.Sprintf("-DOUT_WORDS=%d", k.Output()/8), fmt.Sprintf("-DIN_WORDS=%d", inputWords)}
}

// Output returns the size of the first argument in bytes.
func (k *Kernel) Output() int { return 8 * (k.Group*k.Groups*k.Values + k.Shared) }

// generator writes one kernel.
type generator struct {
	*rand.Rand
	k    *Kernel
	glsl bool
	// narrow allows integers of 8 and 16 bits.
	narrow bool
	vars   []variable // in scope
	// funcs are helper functions that the kernel may call.
	funcs []function
	// text is the text so far. depth is its indentation.
	text  strings.Builder
	depth int
	names int
	// loops is the number of enclosing loops. left is the number of statements that may still be written.
	loops, left int
	structure   []field
	inKernel    bool
}

// variable is a variable with its type.
type variable struct {
	name string
	typ  typ
	// fixed marks variables that only their loop may change, such as counters.
	fixed bool
}

// function is a function that a kernel may call.
type function struct {
	name   string
	result typ
	params []typ
	struc  bool // its last parameter is a structure
	array  bool // its last parameter is an array of eight u32
}

// field is a member of the structure.
type field struct {
	name string
	typ  typ
	bits int // width of a bit field, 0 for others
}

// name returns a new name with a prefix.
func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// twice matches a conversion that is repeated.
var twice = regexp.MustCompile(`\(u32\)(\(u32\))|\(u64\)(\(u64\))`)

// line writes a line.
func (g *generator) line(format string, args ...any) {
	text := twice.ReplaceAllString(fmt.Sprintf(format, args...), "$1$2")
	fmt.Fprintf(&g.text, "%s%s\n", strings.Repeat("  ", g.depth), text)
}

// chance returns true with a probability of 1/n.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

// pick returns a random element of list.
func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// scoped calls f, and then forgets the variables that f declared.
func (g *generator) scoped(f func()) {
	before := len(g.vars)
	g.depth++
	f()
	g.depth--
	g.vars = slices.Clip(g.vars[:before])
}
