package asm

import "strings"

// condition is an open .if.
type condition struct {
	line, col int
	on        bool // the lines are assembled
	done      bool // a branch was taken, or the condition is inside skipped lines
	last      bool // .else was read
}

// skipping reports whether the current lines are skipped.
func (a *assembler) skipping() bool {
	c := a.reader.conditions
	return len(c) > 0 && !c[len(c)-1].on
}

// skip reads a skipped line. It looks only for directives that begin, divide or end
// conditions.
func (a *assembler) skip(c *cursor) *Error {
	at := c.begin()
	switch name := c.word(); {
	case name == ".endif" || name == ".else" || strings.HasPrefix(name, ".elseif"):
		return a.directive(name, c, at)
	case strings.HasPrefix(name, ".if"):
		return a.open(condition{done: true}, at)
	}
	return nil
}

// maxConditions limits the nesting of conditions.
const maxConditions = 1000

func (a *assembler) open(c condition, at int) *Error {
	if len(a.reader.conditions) == maxConditions {
		return a.fail(at, "conditions are nested too deeply", nil)
	}
	c.line, c.col = a.position(at)
	a.reader.conditions = append(a.reader.conditions, c)
	return nil
}

// ifs has, for each directive, a function that evaluates the rest of its line as a condition.
var ifs = map[string]func(a *assembler, c *cursor) (bool, *syntaxError){
	".if": ifNumber(&opNe), ".ifne": ifNumber(&opNe), ".ifeq": ifNumber(&opEq), ".ifge": ifNumber(&opGe),
	".ifgt": ifNumber(&opGt), ".ifle": ifNumber(&opLe), ".iflt": ifNumber(&opLt),
	".ifdef": ifDefined(true), ".ifndef": ifDefined(false), ".ifnotdef": ifDefined(false),
	".ifb": ifBlank(true), ".ifnb": ifBlank(false), ".ifc": ifSame(true), ".ifnc": ifSame(false),
	".ifeqs": ifEqual(true), ".ifnes": ifEqual(false),
}

// ifNumber returns a condition that compares a number with 0.
func ifNumber(op *operator) func(*assembler, *cursor) (bool, *syntaxError) {
	return func(_ *assembler, c *cursor) (bool, *syntaxError) {
		n, err := c.known("condition")
		if err == nil {
			err = c.finish()
		}
		return op.do(n, 0) != 0, err
	}
}

func ifDefined(want bool) func(*assembler, *cursor) (bool, *syntaxError) {
	return func(a *assembler, c *cursor) (bool, *syntaxError) {
		name := c.wordOrQuoted()
		if name == "" {
			return false, c.errorf(c.at, "expected a symbol, found %s", c.found())
		}
		s := a.symbols[name]
		return (s != nil && s.kind != undefined) == want, c.finish()
	}
}

func ifBlank(want bool) func(*assembler, *cursor) (bool, *syntaxError) {
	return func(_ *assembler, c *cursor) (bool, *syntaxError) { return c.end() == want, nil }
}

// ifSame returns a condition that compares two texts, which a comma separates.
func ifSame(want bool) func(*assembler, *cursor) (bool, *syntaxError) {
	return func(_ *assembler, c *cursor) (bool, *syntaxError) {
		x, y, ok := strings.Cut(c.s[c.at:], ",")
		if !ok {
			return false, c.errorf(c.at, "expected two texts with a comma between them")
		}
		return (strings.TrimSpace(x) == strings.TrimSpace(y)) == want, nil
	}
}

// ifEqual returns a condition that compares two strings.
func ifEqual(want bool) func(*assembler, *cursor) (bool, *syntaxError) {
	return func(_ *assembler, c *cursor) (bool, *syntaxError) {
		x, err := c.str()
		if err == nil {
			err = c.expect(",")
		}
		if err != nil {
			return false, err
		}
		y, err := c.str()
		if err == nil {
			err = c.finish()
		}
		return (x == y) == want, err
	}
}

// condition executes .if and similar directives, .elseif, .else and .endif.
func (a *assembler) condition(name string, c *cursor, at int) *Error {
	if holds := ifs[name]; holds != nil {
		on, err := holds(a, c)
		if err != nil {
			return a.located(err)
		}
		return a.open(condition{on: on, done: on}, at)
	}
	open := a.reader.conditions
	if base := a.base().condition; len(open) == base {
		return a.fail(at, name+" without .if", nil)
	}
	top := &open[len(open)-1]
	switch {
	case name == ".endif":
		a.reader.conditions = open[:len(open)-1]
		return nil
	case top.last:
		return a.fail(at, name+" behind .else", nil)
	case name == ".else":
		top.on, top.done, top.last = !top.done, true, true
		return nil
	case top.done:
		top.on = false
		return nil
	}
	on, err := ifs[strings.Replace(name, "else", "", 1)](a, c)
	if err != nil {
		return a.located(err)
	}
	top.on, top.done = on, on
	return nil
}
