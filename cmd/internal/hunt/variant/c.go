// Package variant changes kernels into variants that must have the same output. It adds code that is never executed,
// conditions that are always false but not obviously so, loops with one iteration, and branches with equal sides.
package variant

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// change is a macro around a statement. P in its text is a condition that is always false.
type change struct {
	name, text string
	// fits reports whether the change is valid for a statement. nil means valid for all.
	fits func(statement string) bool
}

// changes are the macros that can surround statements.
var changes = []change{
	{"GCNSIM_DEAD_BEFORE", "{ if (P) { __VA_ARGS__ } __VA_ARGS__ }", nil},
	{"GCNSIM_DEAD_BEHIND", "{ __VA_ARGS__ if (P) { __VA_ARGS__ } }", nil},
	{"GCNSIM_GUARDED", "{ if (!(P)) { __VA_ARGS__ } }", nil},
	{"GCNSIM_LOOP", "{ for (int gcnsim = 0; gcnsim < 1 + (P); gcnsim++) { __VA_ARGS__ } }", staysInside},
	{"GCNSIM_DO", "{ do { __VA_ARGS__ } while (P); }", staysInside},
	// Work-items take both sides, so the statement must not synchronize work-items.
	{"GCNSIM_BOTH", "{ if (GCNSIM_ITEM & 5u) { __VA_ARGS__ } else { __VA_ARGS__ } }", alone},
}

// falsehoods are conditions that are false for every unsigned X below 2^24.
var falsehoods = []string{"((X * X + X) & 1u) != 0u", "(X * X & 3u) == 2u",
	"7u * X * X - 1u == X * X", "X > 0xfffffff0u"}

// item defines a number below 2^24 that is different in each work-item.
const item = "#define GCNSIM_ITEM ((unsigned)__builtin_amdgcn_workitem_id_x())\n"

var (
	jumps = regexp.MustCompile(`\b(break|continue|goto)\b`)
	call  = regexp.MustCompile(`\b(\w+)\s*\(`)
)

// staysInside reports whether a statement does not jump out of a loop around it.
func staysInside(statement string) bool { return !jumps.MatchString(statement) }

// alone reports whether a statement contains no call.
func alone(statement string) bool {
	for _, m := range call.FindAllStringSubmatch(statement, -1) {
		if !control.MatchString(m[1]) {
			return false
		}
	}
	return true
}

// defined returns a body preceded by the macros that it uses.
func defined(body string, text func(*change) string) string {
	var b strings.Builder
	b.WriteString(item)
	for n, f := range falsehoods {
		fmt.Fprintf(&b, "#define GCNSIM_FALSE%d (%s)\n", n, strings.ReplaceAll(f, "X", "GCNSIM_ITEM"))
	}
	for i := range changes {
		fmt.Fprintf(&b, "#define %s(P, ...) %s\n", changes[i].name, text(&changes[i]))
	}
	var used strings.Builder
	for line := range strings.Lines(b.String()) {
		name, _, _ := strings.Cut(strings.Fields(line)[1], "(")
		if name == "GCNSIM_ITEM" || strings.Contains(body, name) {
			used.WriteString(line)
		}
	}
	return used.String() + body
}

// changeC puts macros around at most n statements of a text.
func changeC(r *rand.Rand, text string, n int) string {
	hidden := masked(text)
	all := statements(hidden)
	inserted := map[int]string{}
	for range min(n, len(all)) {
		s, c := pick(r, all), pick(r, changes)
		used := inserted[s[0]] != "" || inserted[s[1]] != ""
		if used || c.fits != nil && !c.fits(text[s[0]:s[1]]) || strings.Contains(hidden[s[0]:s[1]], "#") {
			continue
		}
		inserted[s[0]] = fmt.Sprintf("%s(GCNSIM_FALSE%d, ", c.name, r.IntN(len(falsehoods)))
		inserted[s[1]] = ")"
	}
	var b strings.Builder
	for at := range len(text) {
		b.WriteString(inserted[at])
		b.WriteByte(text[at])
	}
	return b.String()
}

// hidden matches text that contains no statements: comments, string and character literals, and preprocessor lines.
var hidden = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|(?m:^[ \t]*#(\\\n|[^\n])*)`)

// masked replaces text without statements by blanks, and preprocessor lines by #.
func masked(text string) string {
	return hidden.ReplaceAllStringFunc(text, func(s string) string {
		by := " "
		if strings.HasPrefix(strings.TrimSpace(s), "#") {
			by = "#"
		}
		return strings.Repeat(by, len(s))
	})
}

var (
	// begin matches the start of a statement, behind the end of the previous one or of an enclosing header.
	begin = regexp.MustCompile(`[;{}]\s*(?:(if|for|while)\b|\*?\w+\s*(?:[-+*/&|^%]?=[^=]|<<=|>>=|\[|\.|->|\+\+|--|\())`)
	// control matches words before parentheses that are not calls. After the last ones no statement starts that can
	// be changed.
	loop    = regexp.MustCompile(`^(if|for|while)$`)
	control = regexp.MustCompile(`^(if|for|while|switch|sizeof|return|else|do|__attribute__|_Static_assert)$`)
	word    = regexp.MustCompile(`^\*?\w+`)
)

// statements returns start and end of all statements that can be put into a block: loops, conditions, assignments,
// calls.
func statements(text string) (all [][2]int) {
	for at := 0; ; {
		m := begin.FindStringIndex(text[at:])
		if m == nil {
			return all
		}
		at += m[0] + 1
		from := skipped(text, at)
		first := word.FindString(text[from:])
		if end := endOf(text, from); end > 0 && open(text[:from], "{", "}") > 0 && open(text[:from], "(", ")") == 0 &&
			(loop.MatchString(first) || !control.MatchString(first)) {
			all = append(all, [2]int{from, end})
		}
	}
}

// open returns the number of open parentheses at the end of a text.
func open(text, opens, closes string) int {
	return strings.Count(text, opens) - strings.Count(text, closes)
}

// endOf returns the end of the statement that starts at an offset, or 0 if it is not found.
func endOf(text string, at int) int {
	at = skipped(text, at)
	switch first := word.FindString(text[at:]); first {
	case "if", "for", "while":
		body := closing(text, skipped(text, at+len(first)), '(', ')')
		if body == 0 {
			return 0
		}
		end := endOf(text, body)
		if next := skipped(text, end); first == "if" && end > 0 && word.FindString(text[next:]) == "else" {
			return endOf(text, next+len("else"))
		}
		return end
	case "do", "else", "case", "default":
		return 0
	}
	if strings.HasPrefix(text[at:], "{") {
		return closing(text, at, '{', '}')
	}
	for i, depth := at, 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return 0
			}
		case ';':
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// skipped returns the offset of the next character that is not blank.
func skipped(text string, at int) int {
	return at + len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
}

// closing returns the offset behind the parenthesis that closes the one at an offset, or 0.
func closing(text string, at int, opens, closes byte) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case opens:
			depth++
		case closes:
			if depth--; depth == 0 {
				return i + 1
			}
		}
		if depth == 0 {
			return 0
		}
	}
	return 0
}

// Kernel is a variant of a text. Both are derived from one body: [Kernel.Text] returns the variant and [Kernel.Plain]
// the original text, so that a reduction of the body reduces both.
type Kernel struct {
	Suffix string // suffix of the file: "cl" or "ll"
	Body   string
}

// most is the greatest number of changes in a text.
const most = 6

// New returns the variant of a text for a seed. suffix is the language, "cl" or "ll". The same seed gives the same
// variant. The result is nil if the text has no place to change.
func New(text, suffix string, seed uint64) *Kernel {
	r := rand.New(rand.NewPCG(seed, 0x7661_7269_616e))
	k := &Kernel{Suffix: suffix, Body: text}
	change := changeC
	if suffix == "ll" {
		change = changeIR
	}
	for range most { // more than one attempt, because a change may not fit its statement
		if k.Body = change(r, text, 1+r.IntN(most)); k.Body != text {
			return k
		}
	}
	return nil
}

// Text returns the variant for a body, the kernel's own or a reduced one.
func (k *Kernel) Text(body string) string {
	if k.Suffix == "ll" {
		return body
	}
	return defined(body, func(kind *change) string { return kind.text })
}

// Plain returns the original text for a body.
func (k *Kernel) Plain(body string) string {
	if k.Suffix == "ll" {
		return plainIR(body)
	}
	return defined(body, func(*change) string { return "__VA_ARGS__" })
}

// pick returns a random element of list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
