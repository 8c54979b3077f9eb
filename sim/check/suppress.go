package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/sim"
)

// Suppression describes known findings that are not reported: findings of some kinds at an instruction, or in a
// kernel or a function.
type Suppression struct {
	// Text is the text of the suppression. It starts with a kind or a group of kinds, as for [New]. Then follows the
	// address of the instruction, as in disassemblies or in a [Finding], or the symbol of the kernel or function, or
	// both as in "vadd+0x48".
	Text string `json:"suppression"`
	Line int    `json:"-"` // line in the file, 0 without a file
	// Findings is the number of findings that were not reported: see [Checker.Suppressed]. If it is 0, the
	// suppression has no effect.
	Findings int `json:"findings"`

	kinds  map[Kind]bool
	symbol string
	offset uint64 // relative to symbol, or an absolute address if symbol is ""
	whole  bool   // it applies to all instructions of symbol
}

// SyntaxError is an error in the name of a kind or in a suppression, with its location.
type SyntaxError struct {
	Line, Col int // location of a suppression, from 1; Line is 0 without a file
	What      string
}

// Error returns the location, if there is one, and the error.
func (e *SyntaxError) Error() string {
	switch {
	case e.Col == 0:
		return e.What
	case e.Line == 0:
		return fmt.Sprintf("column %d: %s", e.Col, e.What)
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.What)
}

// ParseSuppression parses one suppression. line is its line in a file, or 0. The error is a *[SyntaxError].
func ParseSuppression(text string, line int) (Suppression, error) {
	fail := func(at int, format string, args ...any) (Suppression, error) {
		return Suppression{}, &SyntaxError{line, at + 1, fmt.Sprintf(format, args...)}
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return fail(0, "a kind is missing, and where it is suppressed")
	}
	first := strings.Index(text, words[0])
	behind := first + len(words[0])
	on, err := chosen(words[:1])
	switch {
	case err != nil:
		return fail(first, "%v", err)
	case len(words) == 1:
		return fail(behind, "it does not say where; give the pc of the finding or an address of dis --addresses (0x48), "+
			"a symbol (vadd) or both (vadd+0x48)")
	}
	second := behind + strings.Index(text[behind:], words[1])
	if len(words) > 2 {
		at := second + len(words[1])
		return fail(at+strings.Index(text[at:], words[2]),
			"%q is too much: a suppression is a kind and a place; a comment is a line that begins with #", words[2])
	}
	s := Suppression{Text: words[0] + " " + words[1], Line: line, kinds: on}
	at := words[1]
	if at[0] >= '0' && at[0] <= '9' {
		if s.offset, err = strconv.ParseUint(at, 0, 64); err != nil {
			return fail(second, "%q is no address; give one as in 0x48", at)
		}
		return s, nil
	}
	if plus := strings.LastIndexByte(at, '+'); plus >= 0 {
		if s.offset, err = strconv.ParseUint(at[plus+1:], 0, 64); err != nil {
			return fail(second+plus+1, "%q is no offset; give how many bytes behind the symbol the instruction is, as in "+
				"vadd+0x48", at[plus+1:])
		}
		at = at[:plus]
	} else {
		s.whole = true
	}
	if at == "" {
		return fail(second, "a symbol is missing before the +")
	}
	s.symbol = at
	return s, nil
}

// matches reports whether s applies to findings of a kind at pc of p.
func (s *Suppression) matches(k Kind, p *sim.Program, pc uint64) bool {
	if !s.kinds[k] {
		return false
	}
	if s.symbol == "" {
		return s.offset == pc-loaded(p) || s.offset == pc
	}
	at := p.Symbol(pc)
	if s.whole {
		return at[:max(strings.LastIndexByte(at, '+'), 0)] == s.symbol
	}
	return at == fmt.Sprintf("%s+0x%x", s.symbol, s.offset)
}

// loaded returns the load address of p. A PC minus this address is the address in disassemblies.
func loaded(p *sim.Program) uint64 {
	if p.Load != 0 {
		return p.Load
	}
	return p.Base
}

// Suppressed returns the suppressions of the options, each with the number of findings that it has suppressed. If
// several apply to a finding, the first one counts.
func (c *Checker) Suppressed() []Suppression {
	all := slices.Clone(c.Options.Suppressions)
	for i := range all {
		all[i].Findings = 0
	}
	for _, static := range c.static {
		for i, s := range static.Suppressed() {
			all[i].Findings += s.Findings
		}
	}
	for _, s := range c.order {
		for _, f := range s.found {
			if i := c.suppressor(f.Kind, s); i >= 0 {
				all[i].Findings++
			}
		}
	}
	return all
}

// suppressor returns the index of the first suppression that applies to findings of a kind at s, or -1.
func (c *Checker) suppressor(k Kind, s *site) int {
	for i := range c.Options.Suppressions {
		if c.Options.Suppressions[i].matches(k, s.from, s.at) {
			return i
		}
	}
	return -1
}
