// Package source writes random kernels that C99 and OpenCL C define alike: a compiler of the host says what they
// must leave. They have no undefined behaviour, and neither have they results that depend on the order of work-items.
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

// Host is a program in C that runs the kernel of the file that the macro PROGRAM names. The macros GROUP, GROUPS,
// OUT_WORDS and IN_WORDS are those that [Kernel.Macros] returns. Its argument is the file of the input, and a second
// argument lets work-items have their turns in reverse.
//
//go:embed c/host.c
var Host string

//go:embed c/prelude.h
var textC string

var preludeC = sync.OnceValue(func() prelude { return newPrelude(textC) })

// Name is the name of every kernel.
const Name = "k"

// Kernel is a random kernel.
type Kernel struct {
	edge.Origin
	Group  int // work-items of a work-group
	Groups int
	Values int    // 64-bit words that each work-item stores
	Shared int    // 64-bit words behind them that work-items count in
	Input  []byte // of the second argument
	Body   string // the text behind the prelude
}

// inputWords is how many 32-bit words a kernel reads from. The index is masked.
const inputWords = 256

// New returns the kernel of an origin, always the same. One for GLSL has no bit fields and no halves, but images and
// more operations of subgroups.
func New(from edge.Origin, glsl bool) *Kernel {
	g := &generator{Rand: from.Rand(0x6763_6e73_696d), k: &Kernel{Origin: from}, glsl: glsl}
	g.narrow = !glsl || g.chance(3) // few processors have integers of 8 and 16 bits in GLSL
	g.k.Group = []int{64, 64, 128}[g.IntN(3)]
	if g.k.Groups = 1 + g.IntN(2); glsl {
		g.k.Groups = Groups
	}
	g.k.Shared = sharedWords
	g.program()
	g.k.Input = edge.Data(g.Rand, inputWords)
	return g.k
}

// Text returns the program with a body: the kernel's own or a smaller one. The prelude has what the body needs.
func (k *Kernel) Text(body string) string {
	return fmt.Sprintf("// %v\n#define GROUP %d\n%s", k.Origin, k.Group, preludeC().before(body))
}

// Macros are the definitions with which [Host] is compiled.
func (k *Kernel) Macros() []string {
	return []string{fmt.Sprintf("-DGROUP=%d", k.Group), fmt.Sprintf("-DGROUPS=%d", k.Groups),
		fmt.Sprintf("-DOUT_WORDS=%d", k.Output()/8), fmt.Sprintf("-DIN_WORDS=%d", inputWords)}
}

// Output is how many bytes the first argument has.
func (k *Kernel) Output() int { return 8 * (k.Group*k.Groups*k.Values + k.Shared) }

// generator writes one kernel.
type generator struct {
	*rand.Rand
	k    *Kernel
	glsl bool
	// narrow kernels have integers of 8 and 16 bits.
	narrow bool
	vars   []variable // in scope
	// funcs are helper functions that the kernel may call.
	funcs []function
	// text is the text so far, at a depth of indentation.
	text  strings.Builder
	depth int
	names int
	// loops is how many loops are around a statement. Statements that are left bounds their number.
	loops, left int
	structure   []field
	inKernel    bool
}

// variable is a name of a type.
type variable struct {
	name string
	typ  typ
	// fixed variables are counters of loops and the like, which only their loop changes.
	fixed bool
}

// function is a function that a kernel calls.
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

// name returns a new name that begins with a prefix.
func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// twice is a conversion that follows one to the same type.
var twice = regexp.MustCompile(`\(u32\)(\(u32\))|\(u64\)(\(u64\))`)

// line writes a line.
func (g *generator) line(format string, args ...any) {
	text := twice.ReplaceAllString(fmt.Sprintf(format, args...), "$1$2")
	fmt.Fprintf(&g.text, "%s%s\n", strings.Repeat("  ", g.depth), text)
}

// chance reports true once in n times.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

// pick returns one of the list.
func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// scoped calls f and forgets the variables that it declares.
func (g *generator) scoped(f func()) {
	before := len(g.vars)
	g.depth++
	f()
	g.depth--
	g.vars = slices.Clip(g.vars[:before])
}
