package asm

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// lookup returns the symbol called name. It makes an undefined symbol if the name is new.
func (a *assembler) lookup(name string, at int) *symbol {
	s := a.symbols[name]
	if s == nil {
		s = &symbol{name: name}
		s.line, s.col = a.position(at)
		if a.syntax == LLVM && strings.HasPrefix(name, ".") {
			a.predefine(s)
		}
		a.symbols[name] = s
	}
	return s
}

// value returns the value of a name in an expression.
func (a *assembler) value(name string, at int) (value, *syntaxError) {
	if name == "." {
		return value{e: &expr{amount: a.sec.here()}}, nil
	}
	if isDigit(name[0]) {
		return a.numbered(name, at)
	}
	name, how, err := splitVariant(name, at)
	if err != nil {
		return value{}, err
	}
	s := a.lookup(name, at)
	switch {
	case s.kind == registers:
		return value{}, &syntaxError{at: at, what: name + " stands for registers, not for a number"}
	case how == gotpcrel32Lo || how == gotpcrel32Hi:
		return value{e: &expr{sym: a.slot(s), how: how - gotpcrel32Lo + rel32Lo}}, nil
	case s.kind == variable && s.val.e == nil && how == plain:
		return value{i: s.val.i}, nil
	case s.kind == variable && s.val.e != nil: // the current value of the variable, which may change later
		return value{e: &expr{x: s.val.e, how: how, depth: s.val.e.depth + 1}}, nil
	}
	return value{e: &expr{sym: s, how: how}}, nil
}

// splitVariant splits a name such as fn@rel32@lo into the symbol and the relocation.
func splitVariant(name string, at int) (string, variant, *syntaxError) {
	base, text, ok := strings.Cut(name, "@")
	if !ok {
		return name, plain, nil
	}
	how, ok := variants[text]
	if ok && base == "" {
		return base, plain, &syntaxError{at: at, what: "a relocation of no symbol"}
	}
	if !ok {
		return base, plain, &syntaxError{at: at, what: "unknown relocation @" + text +
			"; known are @rel32@lo, @gotpcrel32@lo, @abs32@lo and @hi of them"}
	}
	return base, how, nil
}

// numbered returns the label that 1b (the last label 1) or 1f (the next label 1) refers to.
func (a *assembler) numbered(name string, at int) (value, *syntaxError) {
	digits, forward := strings.CutSuffix(name, "f")
	if !forward {
		digits = strings.TrimSuffix(name, "b")
	}
	n := a.counted[digits]
	if forward {
		n++
	}
	if n == 0 {
		return value{}, &syntaxError{at: at, what: "there is no label " + digits + " before this line"}
	}
	return value{e: &expr{sym: a.lookup(numberedName(digits, n), at)}}, nil
}

// numberedName returns the symbol name of the nth label called digits. It has a quote, as no name in a text does.
func numberedName(digits string, n int) string { return "\"" + digits + " " + strconv.Itoa(n) }

// slot returns the symbol of a GOT entry, the quad word to which a loader writes the address of s.
func (a *assembler) slot(s *symbol) *symbol {
	if a.slots[s] == nil {
		if a.got == nil {
			a.got, a.slots = a.section(".got", "aw"), map[*symbol]*symbol{}
			a.got.align = 8
		}
		a.slots[s] = &symbol{name: s.name, kind: label, place: a.got.here(), line: a.line}
		at := a.got.here()
		a.got.last().data = append(a.got.last().data, make([]byte, 8)...)
		a.fixups = append(a.fixups, fixup{late: late{e: &expr{sym: s}}, place: at, size: 8, line: s.line, col: s.col})
	}
	return a.slots[s]
}

// defineLabel defines a label at the current address. The name begins at byte at.
func (a *assembler) defineLabel(name string, at int) *Error {
	shown := name
	if isDigit(name[0]) {
		if a.counted == nil {
			a.counted = map[string]int{}
		}
		a.counted[name]++
		name = numberedName(name, a.counted[name])
	}
	s := a.lookup(name, at)
	if s.kind != undefined {
		return a.fail(at, "symbol "+shown+" is defined twice", nil)
	}
	s.kind, s.place = label, a.sec.here()
	if at := a.sec.labels; len(at) > 0 && at[0].place != s.place {
		a.sec.labels = at[:0]
	}
	a.sec.labels = append(a.sec.labels, s)
	return nil
}

// assign sets a symbol to an expression. The name of the symbol begins at byte at. If once is true, the
// symbol must not be defined yet.
func (a *assembler) assign(name string, c *cursor, at int, once bool) *Error {
	if a.syntax == CLRX && c.accept("%") {
		return a.assignRegister(name, c, at)
	}
	from := c.begin()
	v, err := c.expr()
	if err == nil {
		err = c.finish()
	}
	s := a.lookup(name, at)
	switch {
	case err != nil:
		return a.located(err)
	case v.isFloat:
		return a.fail(from, "symbol "+name+" must be an integer", nil)
	case s.kind == label || s.kind == ldsVariable || once && s.kind != undefined:
		return a.fail(at, "symbol "+name+" is defined twice", nil)
	}
	s.kind, s.val = variable, v
	if v.e == nil {
		return nil
	}
	n, labels, failed := v.e.now()
	switch {
	case failed == nil: // a known value is stored, so that uses need not compute it
		s.val.e = &expr{amount: n, labels: labels}
	case failed.cycle:
		return a.fail(from, failed.what, nil)
	}
	return nil
}

// Symbols that LLVM defines: the version numbers of the target, and 1 + the highest register of each file that
// the text has named so far.
const (
	nextVGPR = ".amdgcn.next_free_vgpr"
	nextSGPR = ".amdgcn.next_free_sgpr"
)

// predefine sets s to the value that LLVM predefines for its name, if there is one.
func (a *assembler) predefine(s *symbol) {
	version := isa.TraitsOf(a.target).Version
	var n int
	switch s.name {
	case ".amdgcn.gfx_generation_number", ".option.machine_version_major":
		n = version[0]
	case ".amdgcn.gfx_generation_minor", ".option.machine_version_minor":
		n = version[1]
	case ".amdgcn.gfx_generation_stepping", ".option.machine_version_stepping":
		n = version[2]
	case nextVGPR:
		n, a.vgprs.symbol = a.vgprs.next, s
	case nextSGPR:
		n, a.sgprs.symbol = a.sgprs.next, s
	default:
		return
	}
	s.kind, s.val = variable, value{i: int64(n)}
}

// registerCount counts the used registers of a file.
type registerCount struct {
	next   int // 1 + the highest register
	symbol *symbol
}

// used records that the registers below n are used.
func (c *registerCount) used(n int) {
	c.next = max(c.next, n)
	if s := c.symbol; s != nil && s.val.e == nil { // a program may set the symbol itself
		s.val.i = max(s.val.i, int64(n))
	}
}

// register returns the registers of a CLRX name.
func (a *assembler) register(name string) (register, bool) {
	if s := a.symbols[name]; s != nil && s.kind == registers {
		return s.regs, true
	}
	return register{}, false
}

// assignRegister sets a symbol to a register or an inline constant, which follows the % in c. The name of the
// symbol begins at byte at.
func (a *assembler) assignRegister(name string, c *cursor, at int) *Error {
	p := parser{cursor: *c, g: a.target.Gen(), anyAlign: true}
	r, ok, err := p.register()
	if err == nil && !ok {
		r, err = p.namedConstant()
	}
	if err == nil {
		err = p.cursor.finish()
	}
	s := a.lookup(name, at)
	switch {
	case err != nil:
		return a.located(err)
	case s.kind != undefined && s.kind != variable && s.kind != registers:
		return a.fail(at, "symbol "+name+" is defined twice", nil)
	}
	s.kind, s.regs = registers, r
	return nil
}
