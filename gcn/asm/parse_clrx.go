package asm

import (
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// reservedFormats are the names that clrxdisasm prints of codes that have none.
var reservedFormats = [16]string{0: "INVALID", 15: "RESERVED"}

// formatCLRX takes [DFMT,NFMT], either or both, with or without LLVM's prefixes, in any case.
func (p *parser) formatCLRX() *syntaxError {
	if err := p.expect("["); err != nil {
		return err
	}
	seen := false
	for {
		p.space()
		at := p.at
		if p.accept("@") { // a number: the first is that of the data format
			f := gcn.DFMT
			if seen {
				f = gcn.NFMT
			}
			if err := p.field("format", f); err != nil {
				return err
			}
			if p.accept("]") {
				return nil
			}
			seen = true
			if err := p.expect(","); err != nil {
				return err
			}
			continue
		}
		for p.at < len(p.s) && (isWordByte(p.s[p.at], false)) {
			p.at++
		}
		w := strings.ToUpper(p.s[at:p.at])
		data, isNumber := strings.CutPrefix(w, dfmtPrefix)
		number, isData := strings.CutPrefix(w, nfmtPrefix)
		found := false
		for d := range uint32(16) {
			if !isData && (data == clrxDFMT(d) || w != "" && data == reservedFormats[d]) {
				p.set(gcn.DFMT, int64(d))
				p.onlyOurs(data == reservedFormats[d])
				found = true
			}
		}
		for n := range uint32(8) {
			if !isNumber && number == clrxNFMT(n) {
				p.set(gcn.NFMT, int64(n))
				found = true
			}
		}
		seen = true
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
		p.space()
		at := p.at
		if r, found, err := p.register(); err == nil && found && !r.vector { // left out
			p.at = at
			p.widthLater(q, register{at: at})
			return true, nil
		}
		p.at = at
	case smemOffset:
		if !p.g.Traits().SMRDLiteral || p.size != 8 && !p.call("lit") {
			return false, nil
		}
		return true, p.literalOffset()
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
		return true, p.hwregCLRX(q)
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

// literalOffset takes the rest of lit(N), or N of an instruction that a suffix makes long.
func (p *parser) literalOffset() *syntaxError {
	p.space()
	at := p.at
	v, err := p.expr()
	if err == nil && p.size != 8 {
		err = p.expect(")")
	}
	switch {
	case err != nil:
		return err
	case v.isFloat:
		return p.errorf(at, "offset must be an integer")
	}
	p.set(gcn.OFFSET, gcn.Literal)
	if v.e != nil {
		return p.lateLiteral(v.e, at)
	}
	if v.i < math.MinInt32 || v.i > math.MaxUint32 {
		return p.errorf(at, "offset is %d, which does not fit 32 bits", v.i)
	}
	return p.setLiteral(uint32(v.i), at)
}

// numberedName takes one of count names, with or without the prefix, or @N.
func (p *parser) numberedName(prefix string, name func(uint32) (string, bool), count uint32) (int64, *syntaxError) {
	p.space()
	at := p.at
	if p.accept("@") {
		return p.integer("number", 0, int64(count)-1)
	}
	w := strings.TrimPrefix(p.folded(), prefix)
	if other := otherNames[w]; other != "" {
		w = other
	}
	for id := range count {
		if n, ok := name(id); ok && n == w {
			return int64(id), nil
		}
	}
	p.at = at
	return 0, p.errorf(at, "unknown name %s", p.found())
}

// otherNames are second names that CLRX takes for hardware registers, messages and their
// operations.
var otherNames = map[string]string{
	"emit_cut": "emit-cut",
	"tba_lo":   "sq_shader_tba_lo", "tba_hi": "sq_shader_tba_hi", "tma_lo": "sq_shader_tma_lo", "tma_hi": "sq_shader_tma_hi", "sysmsg": "system",
}

// hwregCLRX takes the hardware register and its bits, which CLRX does not leave out.
func (p *parser) hwregCLRX(q *part) *syntaxError {
	if !p.call("hwreg") {
		return p.errorf(p.at, "expected hwreg(NAME, OFFSET, SIZE), found %s", p.found())
	}
	id, err := p.numberedName("hwreg_", func(id uint32) (string, bool) { name := clrxHwreg(p.g, id); return name, name != "" }, 64)
	switch {
	case err != nil:
		return err
	case p.peek() != ',':
		return p.expect(",")
	}
	return p.hwregRest(q, id)
}

func (p *parser) sendmsgCLRX(q *part) *syntaxError {
	if !p.call("sendmsg") {
		return p.errorf(p.at, "expected sendmsg(NAME), found %s", p.found())
	}
	id, err := p.numberedName("msg_", p.messageCLRX, 16)
	if err != nil {
		return err
	}
	op, stream := int64(0), int64(0)
	isGS := id == msgGS || id == msgGSDone
	p.onlyOurs(!isGS && p.peek() == ',')
	if isGS && p.peek() != ',' {
		return p.expect(",")
	}
	if p.accept(",") {
		op, err = p.numberedName("gs_op_", func(id uint32) (string, bool) { return clrxGSOps[id], true }, uint32(len(clrxGSOps)))
		if err != nil {
			return err
		}
		if p.accept("-cut") && clrxGSOps[op] == "emit" {
			op++
		}
		if op != 0 && p.peek() != ',' {
			return p.expect(",")
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

// messageCLRX returns the name of message id. That of GCN 1.2 is read, but not printed.
func (p *parser) messageCLRX(id uint32) (name string, ok bool) {
	if p.g == gcn.GCN12 && messages[id].since == gcn.GCN12 {
		return clrxMessages[id], true
	}
	return clrxMessage(p.g, id)
}

// rawImm takes " :0x123", with which clrxdisasm shows bits it has no words for.
func (p *parser) rawImm(q *part) *syntaxError {
	if p.accept(":") {
		p.onlyOurs(true)
		return p.imm16(q, "immediate")
	}
	return nil
}
