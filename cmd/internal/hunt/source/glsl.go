package source

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Vulkan is a C program that dispatches the shader in a file. A second file has its input.
//
//go:embed c/vulkan.c
var Vulkan string

//go:embed c/prelude.glsl
var textGLSL string

var preludeGLSL = sync.OnceValue(func() prelude { return newPrelude(textGLSL) })

// Groups is the number of work-groups that [Vulkan] dispatches. OutputGLSL is the size of the output in bytes.
const (
	Groups     = 2
	OutputGLSL = 32 << 10
)

// spelling is text that C and GLSL write differently.
type spelling struct {
	c    *regexp.Regexp
	glsl string
}

// spellings are replacements in the order in which they are applied.
var spellings = sync.OnceValue(func() (all []spelling) {
	for _, s := range [][2]string{
		{`KERNEL void ` + Name + `\(.*\) \{`, "void main() {"},
		{`(?m)^(NOINLINE|static) `, ""},
		{`\bstruct s (\w)`, "s $1"},
		{`\bu32 \*a\b`, "inout u32 a[8]"},
		{`\b([iu]\d+x\d) (\w+) = \{(.*)\};`, "$1 $2 = $1($3);"},
		{`\bATOMIC\((\w+), &`, "ATOMIC_$1("},
		{`\bin\[`, "from["},
		{`\bout\[`, "to["},
		{`\b__builtin_rintf?\b`, "roundEven"},
		{`\b__builtin_fabsf?\b`, "abs"},
		{`\b__builtin_(floor|ceil|trunc)f\b`, "$1"},
		{`\b__builtin_`, ""},
	} {
		all = append(all, spelling{regexp.MustCompile(s[0]), s[1]})
	}
	return all
})

// local matches the declaration of a work-group's variable.
var local = regexp.MustCompile(`(?m)^ *LOCAL (.*;\n)`)

// GLSL returns the program for a body as a compute shader, like [Kernel.Text] in C. The output has [OutputGLSL]
// bytes, and an image has the input.
func (k *Kernel) GLSL(body string) string {
	var shared strings.Builder
	for _, m := range local.FindAllStringSubmatch(body, -1) {
		shared.WriteString("shared " + m[1])
	}
	body = shared.String() + local.ReplaceAllString(body, "")
	for _, s := range spellings() {
		body = s.c.ReplaceAllString(body, s.glsl)
	}
	text := preludeGLSL().before(constructed(body))
	version, rest, _ := strings.Cut(text, "\n")
	return fmt.Sprintf("%s\n// %v\n#define GROUP %d\n%s", version, k.Origin, k.Group, rest)
}

// casts matches the start of a cast.
var casts = regexp.MustCompile(`\(([iuf](?:8|16|32|64))\)`)

// constructed replaces casts by constructors: (u32)x by u32(x).
func constructed(text string) string {
	for {
		at := casts.FindStringSubmatchIndex(text)
		if at == nil {
			return text
		}
		end := operandEnd(text, at[1])
		name, operand := text[at[2]:at[3]], text[at[1]:end]
		if operand == "" || operand[0] != '(' || casts.MatchString(operand[:min(len(operand), 5)]) {
			operand = "(" + operand + ")"
		}
		text = text[:at[0]] + name + operand + text[end:]
	}
}

// operandEnd returns the end of a cast's operand, which begins at i: a sign, names, numbers and bracketed text.
func operandEnd(text string, i int) int {
	depth := 0
	if strings.HasPrefix(text[i:], "-") {
		i++
	}
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(' || c == '[':
			if depth == 0 {
				if m := casts.FindStringIndex(text[i:]); m != nil && m[0] == 0 {
					i += m[1] - 1 // another cast
					continue
				}
			}
			depth++
		case (c == ')' || c == ']') && depth > 0:
			if depth--; depth == 0 && (i+1 == len(text) || !strings.ContainsRune(".[", rune(text[i+1]))) {
				return i + 1
			}
		case depth > 0, c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		default:
			return i
		}
	}
	return i
}
