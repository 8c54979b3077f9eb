package asm

import (
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// modifiersCLRX reads the modifiers of f, which CLRX takes in any order.
func (p *parser) modifiersCLRX(f *form) *syntaxError {
next:
	for !p.end() {
		at := p.at
		for n := range f.parts {
			q := &f.parts[n]
			if q.operand() {
				continue
			}
			if err := p.modifierCLRX(q); err != nil {
				return err
			}
			if p.at > at {
				continue next
			}
		}
		return p.errorf(at, "unexpected %s%s", p.found(), expected(f, "; modifiers:"))
	}
	return nil
}

// modifierCLRX takes modifier q if it is next.
func (p *parser) modifierCLRX(q *part) *syntaxError {
	p.space()
	at := p.at
	switch q.kind {
	case unused:
		if p.word() == q.word && p.accept("=") {
			v, err := p.integer(q.word, 0, 1<<32-1)
			if err != nil {
				return err
			}
			in, fieldErr := p.in.Set(q.field, v)
			if fieldErr != nil {
				return &syntaxError{at: at, what: fieldErr.Error(), err: fieldErr}
			}
			p.in = in
			p.onlyOurs(true)
			return nil
		}
		p.at = at
	case unusedExp:
		if p.word() == q.word && p.accept("=") {
			p.onlyOurs(true)
			v, err := p.integer(q.word, 0, 255)
			p.in.Words |= uint64(v) << (32 + 8*q.src)
			return err
		}
		p.at = at
	case unusedBit:
		if p.acceptWord(q.word) {
			p.set(q.field, int64(p.in.Get(q.field)|1<<q.src))
			p.onlyOurs(true)
		}
	case unusedFlag:
		if p.acceptWord(q.word) {
			p.set(q.field, 1)
			p.onlyOurs(true)
		}
	case vop3Mark, sdwaMark:
		p.acceptWord(q.word)
	case formatMod:
		if p.acceptKey(q.word) {
			return p.formatCLRX()
		}
	case dstSel, srcSel:
		return p.name(q, sdwaSelsCLRX[:7])
	case dstUnused:
		return p.name(q, sdwaUnusedCLRX[:3])
	case dppCtrl:
		return p.dppCLRX()
	case keyword:
		if p.acceptWord(q.word) {
			p.set(q.field, 1)
			p.glc = p.glc || q.field == gcn.GLC
			if q.field == gcn.BOUNDCTRL && p.accept(":") {
				_, err := p.integer(q.word, 0, 1)
				return err
			}
		}
	default:
		return p.modifier(q)
	}
	return nil
}

// dppCLRX takes a DPP control.
func (p *parser) dppCLRX() *syntaxError {
	at := p.at
	w := p.word()
	for n, f := range &dppFixed {
		if w == dppFixedCLRX[n] {
			p.set(gcn.DPPCTRL, int64(f.ctrl))
			if p.accept(":") {
				_, err := p.integer(w, 1, 1)
				return err
			}
			return nil
		}
	}
	p.at = at
	if w == "dppctrl" && p.acceptKey(w) {
		p.onlyOurs(true)
		v, err := p.integer(w, 0, 511)
		p.set(gcn.DPPCTRL, v)
		return err
	}
	if w == "quad_perm" {
		return p.dpp()
	}
	for _, s := range &dppShifts {
		if w == s.word {
			return p.dpp()
		}
	}
	return nil
}

// formatCLRX takes [DFMT,NFMT], either or both, with or without LLVM's prefixes, in any case.
func (p *parser) formatCLRX() *syntaxError {
	if err := p.expect("["); err != nil {
		return err
	}
	for {
		p.space()
		at := p.at
		for p.at < len(p.s) && (isWordByte(p.s[p.at], false)) {
			p.at++
		}
		w := strings.ToUpper(p.s[at:p.at])
		data, isNumber := strings.CutPrefix(w, dfmtPrefix)
		number, isData := strings.CutPrefix(w, nfmtPrefix)
		found := false
		for d := range uint32(16) {
			if !isData && data == clrxDFMT(d) {
				p.set(gcn.DFMT, int64(d))
				found = true
			}
		}
		for n := range uint32(8) {
			if !isNumber && number == clrxNFMT(n) {
				p.set(gcn.NFMT, int64(n))
				found = true
			}
		}
		if !found {
			p.at = at
			return p.errorf(at, "expected a data or number format, as 32 or float, found %s", p.found())
		}
		if p.accept("]") {
			return nil
		}
		if err := p.expect(","); err != nil {
			return err
		}
	}
}

// operandCLRX takes the operands that CLRX writes in a way of its own; ok is false for
// the others.
func (p *parser) operandCLRX(q *part) (ok bool, err *syntaxError) {
	switch q.kind {
	case vaddr:
		if p.acceptWord("off") {
			return true, nil
		}
	case resource:
		r, err := p.takeRegister(false, 0)
		if err != nil {
			return true, err
		}
		if r.code%4 != 0 {
			return true, p.errorf(r.at, "operand must begin at a multiple of 4")
		}
		p.set(q.field, int64(r.code/4))
		p.widthLater(q, r)
		return true, nil
	case hwreg:
		if !p.call("hwreg") {
			return true, p.imm16(q, "hardware register")
		}
		id, err := p.numberedName(func(id uint32) (string, bool) { name := clrxHwreg(p.g, id); return name, name != "" }, 64)
		if err != nil {
			return true, err
		}
		return true, p.hwregRest(q, id)
	case sendmsg:
		return true, p.sendmsgCLRX(q)
	case gprIndex:
		_, width := p.g.FieldBits(p.in.Enc, q.field)
		return true, p.number("index mode", q.field, func(n int64) (int64, *syntaxError) {
			_, err := within("index mode", 0, 1<<width-1)(n)
			return int64(int16(n)), err
		})
	}
	return false, nil
}

// numberedName takes one of count names, or @N.
func (p *parser) numberedName(name func(uint32) (string, bool), count uint32) (int64, *syntaxError) {
	p.space()
	at := p.at
	if p.accept("@") {
		return p.integer("number", 0, int64(count)-1)
	}
	w := p.word()
	for id := range count {
		if n, ok := name(id); ok && n == w {
			return int64(id), nil
		}
	}
	p.at = at
	return 0, p.errorf(at, "unknown name %s", p.found())
}

func (p *parser) sendmsgCLRX(q *part) *syntaxError {
	if !p.call("sendmsg") {
		return p.imm16(q, "message")
	}
	id, err := p.numberedName(func(id uint32) (string, bool) { return clrxMessage(p.g, id) }, 16)
	if err != nil {
		return err
	}
	op, stream := int64(0), int64(0)
	if p.accept(",") {
		p.space()
		at := p.at
		w := p.word()
		if w == "emit" && p.accept("-cut") {
			w = "emit-cut"
		}
		op = -1
		for n, name := range clrxGSOps {
			if w == name {
				op = int64(n)
			}
		}
		if op < 0 {
			p.at = at
			return p.errorf(at, "operation is %s, must be one of %v", p.found(), clrxGSOps)
		}
		if p.accept(",") {
			if stream, err = p.integer("message stream", 0, 3); err != nil {
				return err
			}
		}
	}
	if err := p.expect(")"); err != nil {
		return err
	}
	p.set(q.field, id|op<<4|stream<<8)
	return p.rawImm(q)
}

// rawImm takes " :0x123", with which clrxdisasm shows bits it has no words for.
func (p *parser) rawImm(q *part) *syntaxError {
	if p.accept(":") {
		p.onlyOurs(true)
		return p.imm16(q, "immediate")
	}
	return nil
}
