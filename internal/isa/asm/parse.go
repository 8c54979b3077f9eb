package asm

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/mnemonic"
)

// parser parses one instruction of one form.
type parser struct {
	cursor
	progress
	g        gcn.Gen
	anyAlign bool // scalar registers may be misaligned
	in       isa.Inst
	shape    *form
	size     uint8 // size in bytes that a suffix requires, 0 without a suffix
	widths   [6]struct {
		p *part
		r register
	} // numWidths entries are valid
}

// progress is the state of a parser within a form.
type progress struct {
	late    []late
	literal literalState
	glc     bool // the text has glc
	lds     bool
	bare    bool // the form has no destination
	legacy  bool // dfmt or nfmt gave the format of MTBUF
	renamed renaming

	noAddress bool // SCRATCH: the address is off
	moffset   bool // SMEM: the offset is a register, and an immediate may follow
	scalarAt  int  // position of the last scalar register or constant
	exps      [4]int
	vgprs     int // 1 + the highest VGPR
	sgprs     int
	numWidths int
}

// parsers reuses parsers. Functions of writings receive the address of a parser, so that it is allocated on the heap.
var parsers = sync.Pool{New: func() any { return new(parser) }}

func (p *parser) release() {
	p.cursor, p.progress = cursor{}, progress{}
	parsers.Put(p)
}

// literalState is the state of LITERAL.
type literalState uint8

const (
	noLiteral literalState = iota
	literalSet
	literalLate // to a number that is known later
)

// set sets a field to a value that must fit.
func (p *parser) set(f isa.Field, v int64) {
	if in, err := p.in.Set(f, v); err == nil {
		p.in = in
	}
}

// parsed is the result of parsing an instruction.
type parsed struct {
	isa.Inst
	late         []late // operands that are known only after the whole text has been read
	vgprs, sgprs int    // 1 + the highest register
}

// instruction parses one instruction. It tries all forms of the mnemonic. If none fits, it returns the error of
// the form that was parsed furthest.
func (c *cursor) instruction() (parsed, *syntaxError) {
	t, g, s := c.target, c.target.Gen(), c.syntax
	at := c.begin()
	name := strings.ToLower(c.word())
	if name == "" {
		return parsed{}, c.errorf(at, "expected an instruction, found %s", c.found())
	}
	name, renamed, failed := c.gcnName(name, at)
	if failed != nil {
		return parsed{}, failed
	}
	ops, end := candidates(t, s, name)
	if ops == nil {
		_, err := isa.Lookup(baseName(name), t)
		if err == nil { // the name is known, but not with this suffix
			_, err = isa.Lookup(name, t)
		}
		return parsed{}, &syntaxError{at: at, what: err.Error(), err: err}
	}
	p := parsers.Get().(*parser)
	p.g, p.size = g, end.size
	defer p.release()
	var worst *syntaxError
	tried, foreign := false, false
	for _, e := range end.encs {
		for _, op := range ops {
			f := formOf(t, op, e, s)
			if f.foreign {
				foreign = foreign || f != &noForm
				continue
			}
			in, err := isa.New(t, op, e)
			if err != nil {
				continue
			}
			tried = true
			for _, preset := range renamed.presets(in, s) {
				p.cursor, p.progress, p.in = *c, progress{renamed: renamed, lds: renamed.how == mnemonic.ToLDS}, in
				err := p.form(f, preset)
				if err == nil {
					return parsed{canonical(renamed.apply(p.in)), p.late, p.vgprs, p.sgprs}, nil
				}
				if err.better(worst) && (e != isa.VOPC || preset == noField) {
					worst = err
				}
			}
		}
	}
	if !tried && foreign {
		return parsed{}, c.errorf(at, "%s is not a name of %v syntax on %v%s", name, s, t, c.elsewhere(name))
	}
	if !tried {
		_, err := isa.New(t, ops[0], end.encs[0])
		if e, ok := errors.AsType[*gcn.Error](err); ok && e.Kind == gcn.NoForm {
			return parsed{}, &syntaxError{at: at, what: err.Error(), err: err}
		}
		return parsed{}, c.errorf(at, "%s has no such form", name)
	}
	return parsed{}, worst
}

// canonical returns in with the original row if the row of in is another name for it.
func canonical(in isa.Inst) isa.Inst {
	if in.Row().Has(isa.Alias) {
		words, n := in.Encode()
		if own, err := isa.Decode(in.Target, words[:n]); err == nil {
			return own
		}
	}
	return in
}

// presets returns the modifiers that decide which operands there are (see skipped). The list has VDST if the
// destination may be missing.
func presets(in isa.Inst, s Syntax) []isa.Field {
	switch {
	case s == CLRX && flatAtomic(in):
		return []isa.Field{noField, isa.VDST} // with VDST, and without
	case flatAtomic(in):
		return []isa.Field{isa.GLC, noField}
	case s == LLVM && in.Enc != isa.FLAT && in.Has(isa.LDS) && lds32(in.Row()):
		return []isa.Field{noField, isa.LDS}
	case s == LLVM && in.Enc == isa.VOPC:
		return []isa.Field{noField, isa.VDST} // with vcc, and without
	}
	return []isa.Field{noField}
}

// form parses the operands and modifiers of f. preset is an element of presets.
func (p *parser) form(f *form, preset isa.Field) *syntaxError {
	p.onlyOurs(false)
	p.bare = preset == isa.VDST
	if preset != noField && !p.bare {
		p.set(preset, 1)
	}
	p.shape = f
	p.defaults(f)
	err := p.parts(f)
	if err == nil && p.syntax == CLRX {
		err = p.modifiersCLRX(f)
	}
	if err != nil {
		return err
	}
	if !p.end() {
		return p.errorf(p.at, "unexpected %s%s", p.found(), expected(f, "; modifiers, in this order:"))
	}
	if err := p.checkPreset(preset); err != nil {
		return err
	}
	return p.finish()
}

// parts parses the operands of f. In LLVM syntax it also parses the modifiers, which have a fixed order.
func (p *parser) parts(f *form) *syntaxError {
	first := true
	for n := range f.parts {
		q := &f.parts[n]
		if p.leftOut(q) {
			continue
		}
		start := p.begin()
		if p.syntax == CLRX && !first {
			p.accept(",")
		}
		first = false
		if err := writings[q.kind][p.syntax].parse(p, q); err != nil {
			return err
		}
		if p.syntax == LLVM && p.at > start {
			p.accept(",") // a comma may follow modifiers and the last part
		}
	}
	return nil
}

// leftOut reports whether parts must skip q. It has no text, or is a CLRX modifier, which modifiersCLRX parses.
func (p *parser) leftOut(q *part) bool {
	switch {
	case p.syntax == CLRX && !q.operand(), p.bare && (q.kind == vdata || q.kind == vcc):
		return true
	case q.kind == format || q.kind == smemMore:
		return false
	}
	return skipped(p.in, q, p.syntax)
}

// checkPreset refuses modifiers that do not fit the operands that preset selects: such operands without glc
// or lds, or glc or lds with other operands.
func (p *parser) checkPreset(preset isa.Field) *syntaxError {
	llvm := p.syntax == LLVM
	switch {
	case preset == isa.GLC && !p.glc:
		return p.errorf(p.at, "these operands need modifier glc")
	case preset == isa.LDS && !p.lds:
		return p.errorf(p.at, "these operands need modifier lds")
	case p.lds && llvm && preset != isa.LDS && lds32(p.in.Row()):
		return p.errorf(p.at, "lds loads to LDS: there is no data register")
	case p.glc && (p.bare || llvm && preset != isa.GLC && flatAtomic(p.in)):
		return p.errorf(p.at, "glc returns a value: it needs a destination")
	}
	return nil
}

// flatAtomic reports whether in is an atomic of FLAT, GLOBAL or SCRATCH.
func flatAtomic(in isa.Inst) bool {
	return in.Row().Mem.Op == gcn.Atomic && (in.Enc == isa.FLAT || in.Enc == isa.GLOBAL || in.Enc == isa.SCRATCH)
}

// expected returns the modifiers of f as text for an error.
func expected(f *form, lead string) string {
	var text strings.Builder
	for _, q := range f.parts {
		switch {
		case q.kind == cachePol:
			text.WriteString(" " + strings.Join(policies[:], " "))
		case q.kind == omod:
			text.WriteString(strings.Join(omods[:], ""))
		case !q.operand() && q.word != "" && q.kind != unused:
			text.WriteString(" " + q.word)
		}
	}
	if text.String() == "" {
		return ""
	}
	return lead + text.String()
}

// beginsModifier reports whether the next word is a modifier of the instruction.
func (p *parser) beginsModifier() bool {
	at := p.begin()
	w := p.word()
	p.at = at
	return w != "" && slices.ContainsFunc(p.shape.parts, func(q part) bool {
		return !q.operand() && (w == q.word || q.kind == cachePol && slices.Contains(policies[:], w)) ||
			q.kind == format && (w == "format" || w == "dfmt" || w == "nfmt")
	})
}

// defaults sets the fields whose default is not 0.
func (p *parser) defaults(f *form) {
	if p.in.Enc == isa.VOP3P && (p.syntax == CLRX || !mixRow(p.in.Row())) { // also without halves to select
		p.set(isa.OPSELHI, 3)
		p.set(isa.OPSELHI2, 1)
	}
	for n := range f.parts {
		q := &f.parts[n]
		switch q.kind {
		case sdwaSel:
			p.set(q.field, sdwaDWORD)
		case dstUnused:
			if p.syntax == LLVM {
				p.set(q.field, 2)
			}
		case dppCtrl:
			p.set(q.field, 0xe4) // quad_perm:[0,1,2,3]
			p.set(isa.ROWMASK, 15)
			p.set(isa.BANKMASK, 15)
		case dmask:
			if p.syntax == CLRX {
				p.set(q.field, 1)
			}
		case format, formatMod:
			p.set(isa.DFMT, defaultDFMT)
		case implied:
			p.set(q.field, 1)
		}
	}
}
