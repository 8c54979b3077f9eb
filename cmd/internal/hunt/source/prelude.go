package source

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// prelude is the lines that stand before a program, if it needs them.
type prelude []preludeLine

// preludeLine is a line with what finds the name that it defines, nil if the line always stays.
type preludeLine struct {
	text string
	uses *regexp.Regexp
}

// defined finds the name that a line of a prelude defines, and the extension for which there is one in extensions.
var defined = regexp.MustCompile(`^#define (\w+)|^typedef .*\b(\w+);|^(?:static )?[iuf]\d+ (\w+)\(|image2D (\w+);|` +
	`(atomic_int64|subgroup_\w+) :`)

// extensions maps features of programs to the extensions of GLSL that they need.
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

// before returns a text behind those lines that it needs, and that these need.
func (p prelude) before(text string) string {
	for _, line := range slices.Backward(p) {
		if line.uses == nil || line.uses.MatchString(text) {
			text = line.text + text
		}
	}
	return text
}
