package source

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// prelude has the lines before a program, each used only if needed.
type prelude []preludeLine

// preludeLine is a line with a pattern for the name that it defines. The pattern is nil if the line is always needed.
type preludeLine struct {
	text string
	uses *regexp.Regexp
}

// defined matches a prelude line, with the defined name and an extension of extensions, if the line needs one.
var defined = regexp.MustCompile(`^#define (\w+)|^typedef .*\b(\w+);|^(?:static )?[iuf]\d+ (\w+)\(|image2D (\w+);|` +
	`(atomic_int64|subgroup_\w+) :`)

// extensions maps features of programs to the GLSL extensions that they need.
var extensions = map[string]string{
	"atomic_int64":        `ATOMIC_\w+\(to\b`,
	"subgroup_basic":      `subgroup`,
	"subgroup_arithmetic": `subgroup(Add|Min|Max|And|Or|Xor|InclusiveAdd)\(`,
	"subgroup_ballot":     `subgroupB`,
	"subgroup_shuffle":    `subgroupShuffle`,
}

// newPrelude returns the prelude of a text.
func newPrelude(text string) (p prelude) {
	for line := range strings.Lines(text) {
		l := preludeLine{text: line}
		if m := defined.FindStringSubmatch(line); m != nil {
			name := strings.Join(m[1:], "")
			l.uses = regexp.MustCompile(cmp.Or(extensions[name], `\b`+name+`\b`))
		}
		p = append(p, l)
	}
	return p
}

// before returns text preceded by the lines that it needs, directly or indirectly.
func (p prelude) before(text string) string {
	for _, line := range slices.Backward(p) {
		if line.uses == nil || line.uses.MatchString(text) {
			text = line.text + text
		}
	}
	return text
}
