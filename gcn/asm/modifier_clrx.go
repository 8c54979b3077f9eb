package asm

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// modifiersCLRX reads the modifiers of f, which CLRX takes in any order.
func (p *parser) modifiersCLRX(f *form) *syntaxError {
	for !p.end() {
		at := p.at
		w := p.folded()
		taken := false
		for n := range f.parts {
			q := &f.parts[n]
			if q.operand() || !p.begins(q, w) {
				continue
			}
			if err := p.modifierCLRX(q, w, at); err != nil {
				return err
			}
			taken = p.at > at // an offset beside no register is none
			break
		}
		if !taken {
			var err *syntaxError
			if taken, err = p.sourceModifier(w); err != nil {
				return err
			}
		}
		if !taken {
			p.at = at
			return p.errorf(at, "unexpected %s%s", p.found(), expected(f, "; modifiers:"))
		}
	}
	return nil
}

// begins reports whether word w, which was read, begins modifier q.
func (p *parser) begins(q *part, w string) bool {
	switch q.kind {
	case unused, unusedExp:
		return w == q.word && p.peek() == '='
	case omod:
		return w == "mul" || w == "div" || w == "omod"
	case dstUnused:
		return w == q.word || w == "dst_un"
	case flatOffset:
		return w == q.word || w == "offset"
	case dppCtrl:
		_, ok := dppWordsCLRX[w]
		return ok
	}
	return w == q.word && p.peek() != '='
}

// modifierCLRX takes the rest of modifier q, behind its word w, which is at at.
func (p *parser) modifierCLRX(q *part, w string, at int) *syntaxError {
	switch q.kind {
	case number, dmask, flatOffset, smemMore:
		p.at = at
		return p.modifier(q)
	case unused:
		p.onlyOurs(true)
		p.accept("=")
		return p.field(q.word, q.field)
	case unusedExp:
		p.onlyOurs(true)
		p.accept("=")
		v, err := p.integer(q.word, 0, 255)
		p.in.Words |= uint64(v) << (32 + 8*q.src)
		return err
	case unusedBit, unusedFlag:
		p.onlyOurs(true)
		p.set(q.field, int64(p.in.Get(q.field)|1<<q.src))
		return nil
	case vop3Mark, secondMark:
		_, err := p.enabled() // 0 leaves it to the other modifiers
		return err
	case keyword, high:
		if q.field == gcn.BOUNDCTRL && p.accept(":") && !p.accept("0") && !p.accept("1") {
			return p.errorf(p.at, "bound_ctrl must be 0 or 1, and both mean 1; bound_ctrl:0:0 switches it off")
		}
		on, err := p.enabled()
		p.enable(q, on)
		return err
	case opSel, opSelP, opSelHi, negLo, negHi:
		v, err := p.bitList(w, listLen(q))
		if err != nil {
			return err
		}
		return p.setBits(q, v)
	}
	if q.kind == dppCtrl {
		return p.dppCLRX(w)
	}
	if err := p.expect(":"); err != nil {
		return err
	}
	switch q.kind {
	case formatMod:
		return p.formatCLRX()
	case dstSel, srcSel:
		return p.choice(q, "", sdwaSelNames)
	case dstUnused:
		return p.choice(q, "unused_", sdwaUnusedNames)
	case omod:
		return p.omodCLRX(w)
	}
	return p.field(q.word, q.field)
}

// field takes a number for field f.
func (p *parser) field(what string, f gcn.Field) *syntaxError {
	p.space()
	at := p.at
	v, err := p.integer(what, math.MinInt64, math.MaxInt64)
	if err != nil {
		return err
	}
	in, wrong := p.in.Set(f, v)
	if wrong != nil {
		return &syntaxError{at: at, what: wrong.Error(), err: wrong}
	}
	p.in = in
	return nil
}

// enabled takes ":N" behind a word, where 0 switches off what the word alone switches on.
func (p *parser) enabled() (bool, *syntaxError) {
	if !p.accept(":") {
		return true, nil
	}
	v, err := p.integer("0 or 1", math.MinInt64, math.MaxInt64)
	return v != 0, err
}

func (p *parser) enable(q *part, on bool) {
	switch {
	case q.kind == high && on:
		p.set(q.field, int64(p.in.Get(q.field)|0x100))
	case q.kind == high:
		p.set(q.field, int64(p.in.Get(q.field)&^0x100))
	default:
		p.set(q.field, b2i(on))
	}
	if q.field == gcn.GLC {
		p.glc = on
	}
}

// bitList takes ":N" or ":[0,1,...]", n bits.
func (p *parser) bitList(what string, n int) (v uint32, err *syntaxError) {
	if err := p.expect(":"); err != nil {
		return 0, err
	}
	if !p.accept("[") {
		v, err := p.integer(what, 0, 1<<n-1)
		return uint32(v), err
	}
	for bit := range n {
		if bit > 0 {
			if err := p.expect(","); err != nil {
				return 0, err
			}
		}
		x, err := p.integer(what+" element", 0, 1)
		if err != nil {
			return 0, err
		}
		v |= uint32(x) << bit
	}
	return v, p.expect("]")
}

// sourceModifier takes neg:N, abs:N and sext:N, which have a bit for each source, and in
// encodings without such bits, or without a mark, its 0. ok is false if w is none of them.
func (p *parser) sourceModifier(w string) (ok bool, err *syntaxError) {
	r := p.in.Row()
	n := r.Sig.NumSrc
	if r.Has(gcn.Interpolates) {
		n++
	}
	var fields [2]gcn.Field
	switch w {
	case "neg":
		fields = [2]gcn.Field{gcn.SRC0NEG, gcn.SRC1NEG}
	case "abs":
		fields = [2]gcn.Field{gcn.SRC0ABS, gcn.SRC1ABS}
	case "sext":
		fields = [2]gcn.Field{gcn.SRC0SEXT, gcn.SRC1SEXT}
	case "vop3", "sdwa", "dpp", "clamp", "omod":
		return p.switched(w)
	default:
		return false, nil
	}
	at := p.at
	v, err := p.bitList(w, n)
	whole := gcn.NEG
	if w == "abs" {
		whole = gcn.ABS
	}
	switch {
	case err != nil || v == 0:
	case p.in.Has(fields[0]):
		for i, f := range fields {
			p.set(f, int64(p.in.Get(f)|v>>i&1))
		}
	case p.in.Has(whole) && w != "sext" && n > 0:
		p.set(whole, int64(p.in.Get(whole)|v))
	default:
		err = p.errorf(at, "this encoding has no %s", w)
	}
	return true, err
}

// switched takes vop3 of an instruction that has that encoding only, and w:0 where the
// encoding has no w.
func (p *parser) switched(w string) (bool, *syntaxError) {
	always := false
	switch p.in.Row().Enc {
	case gcn.VOP1, gcn.VOP2, gcn.VOPC:
	case gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		always = w == "vop3"
	default:
		return false, nil
	}
	if p.peek() != ':' && !always {
		return false, nil
	}
	on, err := p.enabled()
	if err == nil && on && !always {
		err = p.errorf(p.at, "this encoding has no %s", w)
	}
	return true, err
}

func (p *parser) omodCLRX(w string) *syntaxError {
	if w == "omod" {
		return p.field(w, gcn.OMOD)
	}
	n, err := p.integer(w, 2, 4)
	if err != nil {
		return err
	}
	for v, text := range omods {
		if text == " "+w+":"+string(rune('0'+n)) {
			p.set(gcn.OMOD, int64(v))
			return nil
		}
	}
	return p.errorf(p.at, "output modifier must be mul:2, mul:4, div:2 or omod:0 to 3")
}

// sdwaSelNames and sdwaUnusedNames are the names that CLRX takes for what SDWA selects.
var (
	sdwaSelNames = func() map[string]int64 {
		names := map[string]int64{"dword": sdwaDWORD}
		for n := range int64(6) {
			stem, i := "byte", n
			if n >= 4 {
				stem, i = "word", n-4
			}
			digit := string(rune('0' + i))
			names[stem+digit], names[stem+"_"+digit], names[stem[:1]+digit] = n, n, n
		}
		return names
	}()
	sdwaUnusedNames = map[string]int64{"pad": 0, "sext": 1, "preserve": 2}
)

// choice takes one of names, with or without the prefix, or @N.
func (p *parser) choice(q *part, prefix string, names map[string]int64) *syntaxError {
	p.space()
	at := p.at
	if p.accept("@") {
		return p.field(q.word, q.field)
	}
	w := p.folded()
	v, ok := names[strings.TrimPrefix(w, prefix)]
	if !ok {
		p.at = at
		return p.errorf(at, "%s is %s, must be one of %v", q.word, p.found(), slices.Sorted(maps.Keys(names)))
	}
	p.set(q.field, v)
	return nil
}

// dppWordsCLRX are the words that begin a DPP control, and its code or base.
var dppWordsCLRX = func() map[string]uint32 {
	words := map[string]uint32{"quad_perm": 0, "dppctrl": 0, "row_bcast": 0, "row_hmirror": 0x141}
	for _, s := range &dppShifts {
		words[s.word] = s.base
	}
	for n, f := range &dppFixed {
		words[dppFixedCLRX[n]] = f.ctrl
	}
	return words
}()

// dppCLRX takes the rest of the DPP control that begins with w.
func (p *parser) dppCLRX(w string) *syntaxError {
	set := func(ctrl int64, err *syntaxError) *syntaxError {
		p.set(gcn.DPPCTRL, ctrl)
		return err
	}
	number := func(lo, hi int64) (int64, *syntaxError) {
		if err := p.expect(":"); err != nil {
			return 0, err
		}
		return p.integer(w, lo, hi)
	}
	ctrl := int64(dppWordsCLRX[w])
	switch {
	case w == "quad_perm":
		return set(p.quadPerm())
	case w == "dppctrl":
		p.onlyOurs(true)
		return set(number(0, 511))
	case w == "row_bcast":
		at := p.at
		n, err := number(15, 31)
		if err == nil && n != 15 && n != 31 {
			err = p.errorf(at, "row_bcast is %d, must be 15 or 31", n)
		}
		return set(int64(dppWordsCLRX[fmt.Sprint(w, n)]), err)
	case ctrl < 0x130: // a shift
		n, err := number(1, 15)
		return set(ctrl+n, err)
	case strings.HasPrefix(w, "wave_") && p.peek() == ':':
		_, err := number(1, 1)
		return set(ctrl, err)
	}
	return set(ctrl, nil)
}
