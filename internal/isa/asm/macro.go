package asm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// macro is a macro with its parameters and its text.
type macro struct {
	name   string
	params []param
	body   string
}

type param struct {
	name, value string // value is the default
	required    bool
	rest        bool // receives all remaining arguments, with their commas
}

// body collects the text of a macro or a repetition.
type body struct {
	open, close string // the directives that begin and end the text
	line, col   int
	depth       int
	text        strings.Builder
	done        func(text string) *Error // called with the complete text
}

const (
	maxCalls    = 20       // limit of the nesting of macro calls, as in LLVM
	maxExpanded = 16 << 20 // limit of the bytes of all expansions together
	leastText   = 64       // an expansion counts as at least this number of bytes
)

// closers maps directives that begin a text to the directives that end it.
var closers = map[string]string{".macro": ".endm", ".rept": ".endr", ".rep": ".endr", ".irp": ".endr", ".irpc": ".endr"}

// endings maps other names of closing directives to their usual names.
var endings = map[string]string{".endmacro": ".endm", ".endrept": ".endr"}

// base returns the innermost expansion, or the zero value outside of expansions.
func (a *assembler) base() expansion {
	if e := a.reader.expansions; len(e) > 0 {
		return e[len(e)-1]
	}
	return expansion{}
}

// collectBody starts collecting lines up to the directive that closes open. done is called with their text. The
// directive open is at byte at of its line.
func (a *assembler) collectBody(open string, at int, done func(text string) *Error) *Error {
	b := &body{open: open, close: closers[open], done: done}
	b.line, b.col = a.position(at)
	a.reader.body = b
	return nil
}

// collect adds a line to the body.
func (a *assembler) collect(c *cursor) *Error {
	b := a.reader.body
	start := c.at
	c.space()
	name := c.word()
	if end := endings[name]; end != "" {
		name = end
	}
	switch {
	case closers[name] == b.close:
		b.depth++
	case name == b.close && b.depth == 0:
		a.reader.body = nil
		if err := c.finish(); err != nil && b.close != ".endm" { // .endm may be followed by the name of the macro
			return a.located(err)
		}
		return b.done(b.text.String())
	case name == b.close:
		b.depth--
	}
	b.text.WriteString(c.s[start:])
	b.text.WriteByte('\n')
	return nil
}

// defineMacro executes .macro NAME PARAMETERS.
func (a *assembler) defineMacro(open string, c *cursor, at int) *Error {
	m := &macro{name: c.word()}
	switch {
	case m.name == "":
		return a.fail(c.at, "expected the name of a macro, found "+c.found(), nil)
	case a.reader.macros[m.name] != nil:
		return a.fail(at, "macro "+m.name+" is defined twice", nil)
	}
	c.accept(",")
	for !c.end() {
		p, err := c.param()
		if err != nil {
			return a.located(err)
		}
		if len(m.params) > 0 && m.params[len(m.params)-1].rest {
			return a.fail(c.at, "parameter "+m.params[len(m.params)-1].name+" takes all arguments that are left: it must "+
				"be the last one", nil)
		}
		for _, q := range m.params {
			if q.name == p.name {
				return a.fail(c.at, "parameter "+p.name+" is there twice", nil)
			}
		}
		m.params = append(m.params, p)
		c.accept(",")
	}
	return a.collectBody(open, at, func(text string) *Error {
		m.body = text
		if a.reader.macros == nil {
			a.reader.macros = map[string]*macro{}
		}
		a.reader.macros[m.name] = m
		return nil
	})
}

// param parses name, name=value, name:req or name:vararg.
func (c *cursor) param() (p param, err *syntaxError) {
	if p.name = c.word(); p.name == "" {
		return p, c.errorf(c.at, "expected the name of a parameter, found %s", c.found())
	}
	if c.accept(":") {
		switch at, kind := c.at, c.word(); kind {
		case "req":
			p.required = true
		case "vararg":
			p.rest = true
		default:
			return p, c.errorf(at, "parameter %s is %q, must be req or vararg", p.name, kind)
		}
	}
	if c.accept("=") {
		p.value, err = c.argument()
	}
	return p, err
}

// switchMacros executes .altmacro and .noaltmacro. Between them an argument %EXPRESSION is its number, and an argument
// <TEXT> is the text, in which ! quotes the next character. A parameter needs no backslash.
func (a *assembler) switchMacros(name string, c *cursor, _ int) *Error {
	a.reader.alternate = name == ".altmacro"
	if err := c.finish(); err != nil {
		return a.located(err)
	}
	return nil
}

// include executes .include "FILE".
func (a *assembler) include(name string, c *cursor, at int) *Error {
	file, err := c.str()
	if err == nil {
		err = c.finish()
	}
	switch {
	case err != nil:
		return a.located(err)
	case a.openFile == nil:
		return a.fail(at, name+" would read another file, which is not allowed here; gcnsim asm does", nil)
	}
	text, wrong := a.openFile(file)
	if wrong != nil {
		return a.fail(at, name+": "+wrong.Error(), wrong)
	}
	return a.expand(includedFile+file, text, nil, nil, at)
}

// includedFile begins the names of expansions of .include. The name of the file follows.
const includedFile = "file "

// alternateArgument parses an argument in a form of .altmacro. ok is false if the argument has another form.
func (c *cursor) alternateArgument() (text string, ok bool, err *syntaxError) {
	switch c.peek() {
	case '%':
		c.accept("%")
		n, err := c.integer("an argument behind %", math.MinInt64, math.MaxInt64)
		return strconv.FormatInt(n, 10), true, err
	case '<':
		var b strings.Builder
		for i := c.at + 1; i < len(c.s); i++ {
			switch {
			case c.s[i] == '>':
				c.at = i + 1
				return b.String(), true, nil
			case c.s[i] == '!' && i+1 < len(c.s):
				i++
			}
			b.WriteByte(c.s[i])
		}
	}
	return "", false, nil
}

// argument parses an argument of a macro. It ends at a comma, or at a space that is not next to an operator,
// outside of parentheses and quotes. Quotes around a string are removed.
func (c *cursor) argument() (string, *syntaxError) {
	c.space()
	if c.alternate {
		if text, ok, err := c.alternateArgument(); ok {
			return text, err
		}
	}
	start, depth := c.at, 0
	for c.at < len(c.s) {
		switch b := c.s[c.at]; {
		case b == '"':
			at := c.at
			if _, err := c.str(); err != nil {
				return "", err
			}
			if at == start && (c.end() || c.s[c.at] == ',') {
				return strings.TrimSuffix(strings.TrimSpace(c.s[at+1:c.at]), `"`), nil
			}
			continue
		case b == '(':
			depth++
		case b == ')':
			depth--
		case b == ',' && depth <= 0:
			return strings.TrimSpace(c.s[start:c.at]), nil
		case (b == ' ' || b == '\t') && depth <= 0:
			end := c.at
			c.space()
			if c.end() || !strings.ContainsRune("+-*/%<>=!&|^~", rune(c.s[c.at])) &&
				!strings.ContainsRune("+-*/%<>=!&|^~", rune(c.s[end-1])) {
				return c.s[start:end], nil
			}
			continue
		}
		c.at++
	}
	if depth > 0 {
		return "", c.errorf(start, "( without )")
	}
	return strings.TrimSpace(c.s[start:]), nil
}

// arguments parses the arguments of a call of m and returns a value for each parameter.
func (c *cursor) arguments(m *macro) (values []string, err *syntaxError) {
	values = make([]string, len(m.params))
	given := make([]bool, len(m.params))
	for next := 0; !c.end(); {
		at, n := c.at, next
		if name := c.word(); name != "" && c.peek() == '=' && !strings.HasPrefix(c.s[c.at:], "==") {
			for n = 0; n < len(m.params) && m.params[n].name != name; n++ {
			}
			if n == len(m.params) {
				return nil, c.errorf(at, "macro %s has no parameter %s", m.name, name)
			}
			c.accept("=")
		} else {
			c.at = at
		}
		if n >= len(m.params) {
			return nil, c.errorf(at, "macro %s has %d parameters only", m.name, len(m.params))
		}
		if m.params[n].rest {
			values[n], given[n] = strings.TrimSpace(c.s[c.at:]), true
			c.at = len(c.s)
			break
		}
		v, err := c.argument()
		if err != nil {
			return nil, err
		}
		values[n], given[n], next = v, v != "", n+1
		c.accept(",")
	}
	for n, p := range m.params {
		if given[n] {
			continue
		}
		if p.required {
			return nil, c.errorf(c.at, "macro %s needs parameter %s", m.name, p.name)
		}
		values[n] = p.value
	}
	return values, nil
}

// call expands a macro. The name of the macro begins at byte at.
func (a *assembler) call(m *macro, c *cursor, at int) *Error {
	values, err := c.arguments(m)
	if err != nil {
		return a.located(err)
	}
	a.reader.calls++
	names := make([]string, len(m.params))
	for n := range m.params {
		names[n] = m.params[n].name
	}
	return a.expand("macro "+m.name, m.body, names, values, at)
}

// substitute replaces \name by its value, \@ by the number of earlier calls, and \() by nothing. With .altmacro it also
// replaces name without a backslash, and removes a & behind it.
func substitute(text string, names, values []string, calls int, alternate bool) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, `\`)
		if alternate {
			before = substituteWords(before, names, values)
		}
		b.WriteString(before)
		if !ok || b.Len() > maxExpanded {
			return b.String()
		}
		end := 0
		for end < len(after) && isWordByte(after[end], end == 0) && after[end] != '@' && after[end] != '.' {
			end++
		}
		found := false
		for n, name := range names {
			if name == after[:end] {
				b.WriteString(values[n])
				found = true
			}
		}
		switch {
		case found:
		case strings.HasPrefix(after, "@"):
			b.WriteString(strconv.Itoa(calls - 1))
			end = 1
		case strings.HasPrefix(after, "()"):
			end = 2
		default:
			b.WriteByte('\\')
			end = 0
		}
		text = after[end:]
	}
}

// substituteWords replaces each word of names by its value. It removes a & behind the word.
func substituteWords(text string, names, values []string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isWordByte(text[end], end == i) {
			end++
		}
		switch n := slices.Index(names, text[i:end]); {
		case end == i: // not a word, or a digit; no name begins after a digit
			for end++; end < len(text) && isDigit(text[i]) && isWordByte(text[end], false); end++ {
			}
			b.WriteString(text[i:end])
		case n >= 0:
			b.WriteString(values[n])
			if end < len(text) && text[end] == '&' {
				end++
			}
		default:
			b.WriteString(text[i:end])
		}
		i = end
	}
	return b.String()
}

// expand replaces parameters in text and reads the result. what describes the source of the text: a macro, a
// repetition or .include at byte at.
func (a *assembler) expand(what, text string, names, values []string, at int) *Error {
	r := &a.reader
	if len(r.expansions) == maxCalls {
		return a.fail(at, fmt.Sprintf("macros and repetitions are nested more than %d deep", maxCalls), nil)
	}
	file := strings.HasPrefix(what, includedFile)
	if !file {
		text = substitute(text, names, values, r.calls, r.alternate)
	}
	if r.expanded += max(len(text), leastText); r.expanded > maxExpanded {
		return a.fail(at, tooLarge("the text that macros and repetitions become", maxExpanded), nil)
	}
	r.expansions = append(r.expansions, expansion{what: what, at: at, condition: len(r.conditions)})
	depth := len(r.expansions)
	inBlock := false
	for more := true; more && !r.ended && !r.expansions[depth-1].exit; {
		var line string
		line, text, more = strings.Cut(text, "\n")
		r.expansions[depth-1].line++
		if file {
			line, inBlock = stripComments(line, inBlock, a.syntax)
		}
		if err := a.statements(line); err != nil {
			return err
		}
	}
	if b := r.body; b != nil {
		return a.failAt(b.line, b.col, b.open+" without "+b.close+" in "+what, nil)
	}
	e := r.expansions[depth-1]
	r.expansions = r.expansions[:depth-1]
	if len(r.conditions) > e.condition && !e.exit {
		return a.fail(at, ".if without .endif in "+what, nil)
	}
	r.conditions = r.conditions[:min(e.condition, len(r.conditions))]
	return nil
}

// exitMacro executes .exitm.
func (a *assembler) exitMacro(_ string, _ *cursor, at int) *Error {
	e := a.reader.expansions
	for n := len(e) - 1; n >= 0; n-- { // repetitions inside the macro end, too
		e[n].exit = true
		if strings.HasPrefix(e[n].what, "macro ") {
			return nil
		}
	}
	return a.fail(at, ".exitm outside of a macro", nil)
}

// purgeMacro executes .purgem NAME.
func (a *assembler) purgeMacro(_ string, c *cursor, at int) *Error {
	name := c.word()
	if a.reader.macros[name] == nil {
		return a.fail(at, "there is no macro "+name, nil)
	}
	delete(a.reader.macros, name)
	return nil
}

// repeat executes .rept N.
func (a *assembler) repeat(open string, c *cursor, at int) *Error {
	n, err := c.integer(open, 0, maxExpanded)
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return a.located(err)
	}
	return a.collectBody(open, at, func(text string) *Error {
		for range n {
			if err := a.expand(open, text, nil, nil, at); err != nil || a.base().exit {
				return err
			}
		}
		return nil
	})
}

// repeatWith executes .irp NAME, VALUES and .irpc NAME, CHARACTERS.
func (a *assembler) repeatWith(open string, c *cursor, at int) *Error {
	name := c.word()
	if name == "" {
		return a.fail(c.at, "expected the name of a parameter, found "+c.found(), nil)
	}
	if err := c.expect(","); err != nil {
		return a.located(err)
	}
	var values []string
	for !c.end() {
		v, err := c.argument()
		if err != nil {
			return a.located(err)
		}
		values = append(values, v)
		c.accept(",")
	}
	if open == ".irpc" {
		values = strings.Split(strings.Join(values, ""), "")
	}
	return a.collectBody(open, at, func(text string) *Error {
		for _, v := range values {
			if err := a.expand(open, text, []string{name}, []string{v}, at); err != nil || a.base().exit {
				return err
			}
		}
		return nil
	})
}
