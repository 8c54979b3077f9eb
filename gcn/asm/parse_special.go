package asm

import (
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// special takes the operands that are written as expressions of their own. It is the
// inverse of appendSpecial.
func (p *parser) special(q *part) *syntaxError {
	switch q.kind {
	case waitcnt:
		return p.waitcnt(q)
	case hwreg:
		return p.hwreg(q)
	case sendmsg:
		return p.sendmsg(q)
	case gprIndex:
		return p.gprIndex(q)
	case format:
		return p.format()
	case expTarget:
		return p.target(q)
	case expSource:
		if p.acceptWord("off") {
			p.exps[q.src] = -1
			return nil
		}
		r, err := p.takeRegister(true, 1)
		p.exps[q.src] = int(r.code)
		return err
	case interpParam:
		return p.param(q)
	case interpAttr:
		return p.attr(q)
	}
	return p.errorf(p.at, "cannot read this operand")
}

func (p *parser) waitcnt(q *part) *syntaxError {
	v := allIdle(p.g)
	for first := true; ; first = false {
		p.space()
		at := p.at
		name := p.folded()
		var c *counter
		for n := range counters {
			if name == counters[n].name || name == counters[n].name+"_sat" {
				c = &counters[n]
			}
		}
		if c == nil || p.peek() != '(' {
			p.at = at
			if first {
				return p.imm16(q, "wait count")
			}
			return p.errorf(at, "expected vmcnt, expcnt or lgkmcnt, found %s", p.found())
		}
		p.accept("(")
		top := int64(c.max(p.g.Traits()))
		hi := top
		if strings.HasSuffix(name, "_sat") {
			hi = 1 << 62
		}
		n, err := p.integer(c.name, 0, hi)
		if err != nil {
			return err
		}
		if err := p.expect(")"); err != nil {
			return err
		}
		v = c.set(v, uint8(min(n, top)))
		if p.accept("&") || p.syntax == LLVM && p.accept(",") || p.syntax == CLRX && isWordByte(p.peek(), true) {
			continue
		}
		if p.end() || p.syntax == CLRX {
			p.set(q.field, int64(int16(v)))
			return p.rawImm(q)
		}
	}
}

func (p *parser) hwreg(q *part) *syntaxError {
	if p.accept("{") {
		return p.hwregFields(q)
	}
	if !p.call("hwreg") {
		return p.imm16(q, "hardware register")
	}
	p.space()
	at := p.at
	id := int64(-1)
	if w := p.word(); w != "" {
		for n := range hwregNames {
			if name := hwregName(p.g, uint32(n)); name != "" && name == w {
				id = int64(n)
			}
		}
		if id < 0 && len(w) > 7 && w[:7] == "HW_REG_" {
			return p.errorf(at, "%v has no hardware register %s", p.g, w)
		}
	}
	if id < 0 {
		p.at = at
		var err *syntaxError
		if id, err = p.integer("hardware register", 0, 63); err != nil {
			return err
		}
	}
	return p.hwregRest(q, id)
}

// hwregFields takes the rest of {id: N, offset: N, size: N}, which may leave fields out.
func (p *parser) hwregFields(q *part) *syntaxError {
	fields := [...]struct {
		name      string
		lo, hi, v int64
		seen      bool
	}{{"id", 0, 63, 0, false}, {"offset", 0, 31, 0, false}, {"size", 1, 32, 32, false}}
	for first := true; !p.accept("}"); first = false {
		if !first {
			if err := p.expect(","); err != nil {
				return err
			}
		}
		p.space()
		at := p.at
		w := p.word()
		n := 0
		for n < len(fields) && (fields[n].name != w || fields[n].seen) {
			n++
		}
		if n == len(fields) {
			p.at = at
			return p.errorf(at, "expected id, offset or size, each once, found %s", p.found())
		}
		err := p.expect(":")
		if err == nil {
			fields[n].v, err = p.integer(w, fields[n].lo, fields[n].hi)
		}
		if err != nil {
			return err
		}
		fields[n].seen = true
	}
	p.set(q.field, int64(int16(fields[0].v|fields[1].v<<6|(fields[2].v-1)<<11)))
	return nil
}

// hwregRest takes the bits of hardware register id, and the closing parenthesis.
func (p *parser) hwregRest(q *part, id int64) *syntaxError {
	offset, size := int64(0), int64(32)
	if p.accept(",") {
		var err *syntaxError
		if offset, err = p.integer("bit offset", 0, 31); err != nil {
			return err
		}
		if err := p.expect(","); err != nil {
			return err
		}
		if size, err = p.integer("bitfield width", 1, 32); err != nil {
			return err
		}
	}
	if err := p.expect(")"); err != nil {
		return err
	}
	p.set(q.field, int64(int16(id|offset<<6|(size-1)<<11)))
	return nil
}

func (p *parser) sendmsg(q *part) *syntaxError {
	if !p.call("sendmsg") {
		return p.imm16(q, "message")
	}
	p.space()
	at := p.at
	id, op, stream := int64(-1), int64(0), int64(0)
	var m *message
	if w := p.word(); w != "" {
		for n := range messages {
			if messages[n].name == w && messages[n].since <= p.g {
				id, m = int64(n), &messages[n]
			}
		}
		if id < 0 && strings.HasPrefix(w, "MSG_") {
			return p.errorf(at, "%v has no message %s", p.g, w)
		}
	}
	var err *syntaxError
	if id < 0 {
		p.at = at
		if id, err = p.integer("message", 0, 15); err != nil {
			return err
		}
	}
	ops := 0
	if p.accept(",") {
		ops++
		p.space()
		at := p.at
		op = -1
		if w := p.word(); w != "" && int(id) < len(messages) {
			for n, name := range messages[id].ops {
				if name == w && name != "" {
					op = int64(n)
				}
			}
		}
		if op < 0 {
			p.at = at
			if op, err = p.integer("message operation", 0, 7); err != nil {
				return err
			}
		}
		if m != nil && m.ops == nil {
			return p.errorf(at, "%s takes no operation", m.name)
		}
		if m != nil && !m.hasOp(uint32(op), p.g) {
			return p.errorf(at, "%s has no such operation", m.name)
		}
		if p.accept(",") {
			at := p.at
			if stream, err = p.integer("message stream", 0, 3); err != nil {
				return err
			}
			if m != nil && (!m.stream || op == 0) {
				return p.errorf(at, "%s takes no stream here", m.name)
			}
		}
	}
	if m != nil && m.ops != nil && ops == 0 {
		return p.errorf(p.at, "%s needs an operation", m.name)
	}
	if err := p.expect(")"); err != nil {
		return err
	}
	p.set(q.field, id|op<<4|stream<<8)
	return nil
}

func (p *parser) gprIndex(q *part) *syntaxError {
	if !p.call("gpr_idx") {
		v, err := p.integer("index mode", 0, 1<<len(gprIndexModes)-1)
		p.set(q.field, int64(int16(v)))
		return err
	}
	v := int64(0)
	for !p.accept(")") {
		p.space()
		at := p.at
		w, bit := p.word(), int64(0)
		for n, name := range gprIndexModes {
			if w == name {
				bit = 1 << n
			}
		}
		switch {
		case bit == 0:
			p.at = at
			return p.errorf(at, "index mode is %s, must be one of %v", p.found(), gprIndexModes)
		case v&bit != 0:
			return p.errorf(at, "%s twice", w)
		}
		v |= bit
		if !p.accept(",") && p.peek() != ')' {
			return p.expect(")")
		}
	}
	p.set(q.field, v)
	return nil
}

func (p *parser) target(q *part) *syntaxError {
	p.space()
	at := p.at
	w := p.folded()
	if p.syntax == CLRX { // which takes pos02
		stem := strings.TrimRight(w, "0123456789")
		if digits := strings.TrimLeft(w[len(stem):], "0"); len(stem) < len(w) {
			w = stem + max(digits, "0")
		}
	}
	for _, t := range &expTargets {
		for v := t.first; v <= t.last; v++ {
			if string(appendTarget(nil, v)) == w {
				p.set(q.field, int64(v))
				return nil
			}
		}
	}
	p.at = at
	return p.errorf(at, "export target is %s, must be mrt0 to mrt7, mrtz, null, pos0 to pos3 or param0 to param31", p.found())
}

// finishExport sets EN and the sources, which depend on COMPR.
func (p *parser) finishExport() {
	var regs [4]int
	en := int64(0)
	copy(regs[:], p.exps[:])
	if p.in.Bool(gcn.COMPR) {
		for n, from := range [2]int{0, 2} {
			regs[n] = p.exps[from]
			if regs[n] >= 0 {
				en |= 3 << (2 * n)
			}
		}
		regs[2], regs[3] = 0, 0
	} else {
		for n, r := range regs {
			if r >= 0 {
				en |= 1 << n
			}
		}
	}
	p.set(gcn.EN, en)
	for n, r := range regs {
		p.in.Words |= uint64(max(r, 0)) << (32 + 8*n)
	}
}

func (p *parser) param(q *part) *syntaxError {
	p.space()
	at := p.at
	w := p.folded()
	for n, name := range interpParams {
		if w == name {
			p.set(q.field, int64(n))
			return nil
		}
	}
	p.at = at
	return p.errorf(at, "parameter is %s, must be p10, p20 or p0", p.found())
}

func (p *parser) attr(q *part) *syntaxError {
	p.space()
	at := p.at
	w := p.folded()
	last := int64(32)
	if p.syntax == CLRX {
		last = 63
		if !strings.Contains(w, ".") && p.accept(".") { // attr0 . x
			w += "." + p.folded()
		} else if strings.HasSuffix(w, ".") {
			w += p.folded()
		}
	}
	bad := p.errorf(at, "expected an attribute and channel, as attr0.x, found %q", w)
	name, ch, ok := strings.Cut(w, ".")
	digits, isAttr := strings.CutPrefix(name, "attr")
	channel := strings.Index(attrChans, ch)
	if !ok || !isAttr || len(ch) != 1 || channel < 0 || digits == "" {
		return bad
	}
	n := int64(0)
	for _, d := range digits {
		if d < '0' || d > '9' {
			return bad
		}
		n = min(10*n+int64(d-'0'), 1000)
	}
	if n > last {
		return p.errorf(at, "attribute is %d, must be 0 to %d", n, last)
	}
	if q.field == gcn.SRC0 {
		p.set(q.field, n|int64(channel)<<6)
		return nil
	}
	p.set(gcn.ATTR, n)
	p.set(gcn.ATTRCHAN, int64(channel))
	return nil
}
