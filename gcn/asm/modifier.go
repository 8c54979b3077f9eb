package asm

import (
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// modifier takes modifier q if it is next. Modifiers are optional, but their order is
// that of the form, as LLVM has it.
func (p *parser) modifier(q *part) *syntaxError {
	switch q.kind {
	case keyword:
		return p.keyword(q)
	case implied:
		if !p.acceptWord(q.word) {
			return p.errorf(p.at, "expected %s, found %s", q.word, p.found())
		}
	case number, dmask, flatOffset:
		return p.numberMod(q)
	case smemMore:
		return p.smemMore(q)
	case hexMask:
		return p.numberMod(q)
	case cachePol:
		return p.cachePolicy()
	case high:
		if p.flag(q) {
			p.set(gcn.SRC0, int64(p.in.Get(gcn.SRC0)|0x100))
		}
	case omod:
		return p.omod()
	case opSel, opSelP, opSelHi, negLo, negHi:
		return p.bits(q)
	case dstSel, srcSel:
		return p.name(q, sdwaSels[:7])
	case dstUnused:
		return p.name(q, sdwaUnused[:3])
	case dppCtrl:
		return p.dpp()
	case swizzle:
		return p.swizzle(q)
	}
	return nil
}

func (p *parser) keyword(q *part) *syntaxError {
	if q.field == gcn.BOUNDCTRL { // bound_ctrl:0 is an old spelling of bound_ctrl:1
		if !p.acceptKey("bound_ctrl") {
			return nil
		}
		if _, err := p.integer("bound_ctrl", 0, 1); err != nil {
			return err
		}
		p.set(q.field, 1)
		return nil
	}
	p.space()
	at := p.at
	if r := p.in.Row(); q.field == gcn.CLAMP && p.syntax == LLVM && p.in.Enc == gcn.VOP3A && !clampsLLVM(p.in, r) {
		if p.acceptWord(q.word) {
			return p.errorf(at, "%s has no clamp on %v", r.Name, p.in.Target)
		}
		return nil
	}
	if p.flag(q) {
		p.set(q.field, 1)
		p.lds = p.lds || q.field == gcn.LDS
	}
	return nil
}

// flag takes the word of q, or what says that it does not apply, and reports whether it does.
func (p *parser) flag(q *part) bool {
	if q.no && p.syntax == LLVM && p.acceptWord("no"+q.word) {
		return false
	}
	return p.acceptWord(q.word)
}

// cachePolicy takes glc and slc, or noglc and noslc, each once.
func (p *parser) cachePolicy() *syntaxError {
	var seen [2]bool
	for {
		p.space()
		at := p.at
		w := p.word()
		n := slices.Index(policies[:], strings.TrimPrefix(w, "no"))
		switch {
		case n < 0:
			p.at = at
			return nil
		case seen[n]:
			return p.errorf(at, "%s twice", policies[n])
		}
		seen[n] = true
		if w == policies[n] {
			p.set([...]gcn.Field{gcn.GLC, gcn.SLC}[n], 1)
			p.glc = p.glc || n == 0
		}
	}
}

var policies = [...]string{"glc", "slc"}

// numberMod takes word:N within the range of its field.
func (p *parser) numberMod(q *part) *syntaxError {
	if !p.acceptKey(q.word) && !(q.kind == flatOffset && (p.acceptKey("inst_offset") || p.acceptKey("offset"))) {
		return nil
	}
	if !p.in.Has(q.field) { // FLAT before GCN 1.4
		_, err := p.integer(q.word, 0, 0)
		return err
	}
	return p.number(q.word, q.field, func(n int64) (int64, *syntaxError) { return n, nil })
}

// smemMore takes the immediate beside a register offset.
func (p *parser) smemMore(q *part) *syntaxError {
	if !p.moffset || !p.acceptKey(q.word) {
		return nil
	}
	p.set(gcn.SOFFSET, int64(p.in.Get(gcn.OFFSET)))
	p.set(gcn.OFFSET, 0)
	p.set(gcn.SOE, 1)
	p.set(gcn.IMM, 1)
	return p.smemImmediate()
}

func (p *parser) omod() *syntaxError {
	for _, key := range [...]string{"mul", "div"} {
		if !p.acceptKey(key) {
			continue
		}
		p.space()
		at := p.at
		n, err := p.integer(key, 1, 4)
		if err != nil {
			return err
		}
		switch {
		case n == 1:
		case key == "mul" && n == 2:
			p.set(gcn.OMOD, 1)
		case key == "mul" && n == 4:
			p.set(gcn.OMOD, 2)
		case key == "div" && n == 2:
			p.set(gcn.OMOD, 3)
		default:
			return p.errorf(at, "output modifier must be mul:2, mul:4 or div:2")
		}
		return nil
	}
	return nil
}

// bits takes word:[0,1,...].
func (p *parser) bits(q *part) *syntaxError {
	if !p.acceptKey(q.word) {
		return nil
	}
	if err := p.expect("["); err != nil {
		return err
	}
	v := uint32(0)
	for n := 0; ; n++ {
		p.space()
		at := p.at
		bit, err := p.integer(q.word+" element", 0, 1)
		if err != nil {
			return err
		}
		if n >= 4 {
			return p.errorf(at, "%s has at most 4 elements", q.word)
		}
		v |= uint32(bit) << n
		if p.accept("]") {
			break
		}
		if err := p.expect(","); err != nil {
			return err
		}
	}
	return p.setBits(q, v)
}

// setBits sets the field of q, a modifier that is a list, to bits v.
func (p *parser) setBits(q *part, v uint32) *syntaxError {
	if q.kind == opSel {
		v = v&(1<<q.n-1) | v>>q.n&1<<3
	}
	if q.kind == opSelHi {
		if q.n > 2 || p.syntax == CLRX {
			p.set(gcn.OPSELHI2, int64(v>>2&1))
		}
		v &= 3
	}
	in, err := p.in.Set(q.field, int64(v))
	if err != nil {
		return p.errorf(p.at, "%s: %v", q.word, err)
	}
	p.in = in
	return nil
}

// name takes word:NAME, NAME being one of names or the number of one.
func (p *parser) name(q *part, names []string) *syntaxError {
	if !p.acceptKey(q.word) {
		return nil
	}
	p.space()
	at := p.at
	if !isWordByte(p.peek(), true) {
		v, err := p.integer(q.word, 0, int64(len(names))-1)
		p.set(q.field, v)
		return err
	}
	w := p.word()
	for n, name := range names {
		if w == name {
			p.set(q.field, int64(n))
			return nil
		}
	}
	p.at = at
	return p.errorf(at, "%s is %s, must be one of %v", q.word, p.found(), names)
}
