package source

import (
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

// defined finds the name that a line of a prelude defines.
var defined = regexp.MustCompile(`^#define (\w+)|^typedef .*\b(\w+);|^(?:static )?[iuf]\d+ (\w+)\(|image2D (\w+);`)

// newPrelude returns the prelude of a text.
func newPrelude(text string) (p prelude) {
	for line := range strings.Lines(text) {
		l := preludeLine{text: line}
		if m := defined.FindStringSubmatch(line); m != nil {
			l.uses = regexp.MustCompile(`\b` + strings.Join(m[1:], "") + `\b`)
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
