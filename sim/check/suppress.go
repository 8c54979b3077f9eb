package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/sim"
)

// Suppression says which findings are known and left out: findings of some kinds at an instruction, or
// in a kernel or a function.
type Suppression struct {
	// Text is how the suppression is written: a kind or a group of kinds, as [New] takes
	// them, then the address of the instruction as disassemblers of the code object print it
	// or as [Finding] has it, or the symbol of the kernel or function, or both as in "vadd+0x48".
	Text string `json:"suppression"`
	Line int    `json:"-"` // in the file, 0 if it does not come from one
	// Findings is how many findings it has left out: see [Checker.Suppressed]. With 0 it has no effect.
	Findings int `json:"findings"`

	kinds  map[Kind]bool
	symbol string
	offset uint64 // counts from symbol, or is an address if symbol is ""
	whole  bool   // all instructions of symbol are meant
}

// SyntaxError says what is wrong with the name of a kind or with a suppression, and where.
type SyntaxError struct {
	Line, Col int // of a suppression, counted from 1; Line is 0 if it does not come from a file
	What      string
}

// Error begins with the place, if there is one.
func (e *SyntaxError) Error() string {
	switch {
	case e.Col == 0:
		return e.What
	case e.Line == 0:
		return fmt.Sprintf("column %d: %s", e.Col, e.What)
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.What)
}

// ParseSuppression reads one suppression; line is where it stands in a file, 0 for none. The
// error is a *[SyntaxError].
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

// matches reports whether s is about findings of a kind at pc of p.
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

// loaded returns where p was loaded: PCs less that are what disassemblers show.
func loaded(p *sim.Program) uint64 {
	if p.Load != 0 {
		return p.Load
	}
	return p.Base
}

// Suppressed returns the suppressions of the options with how many findings each left out so
// far. A finding is left out by the first one that is about it.
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

// suppressor returns the index of the first suppression of findings of a kind at s, -1 if
// there is none.
func (c *Checker) suppressor(k Kind, s *site) int {
	for i := range c.Options.Suppressions {
		if c.Options.Suppressions[i].matches(k, s.from, s.at) {
			return i
		}
	}
	return -1
}
