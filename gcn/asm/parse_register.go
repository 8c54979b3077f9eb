package asm

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// register is a register tuple as written.
type register struct {
	vector bool
	code   uint32 // VGPR number, or scalar operand code
	n      int
	at     int
}

// register takes a register or named operand; ok is false if the text is none.
func (p *parser) register() (r register, ok bool, err *syntaxError) {
	p.space()
	at := p.at
	if p.accept("[") {
		r, err := p.registerList(at)
		return r, err == nil, err
	}
	name := p.folded()
	fail := func() (register, bool, *syntaxError) { p.at = at; return register{}, false, nil }
	if s, found := nameTables[p.g].codes[name]; found {
		r = register{code: uint32(s.code), n: int(s.n), at: at}
		if p.syntax == CLRX && s.n == 2 && p.accept("[") {
			return p.subregisters(r)
		}
		if t := p.cursor.target.Traits(); p.syntax == LLVM && !t.XNACK && s.code&^1 == t.XnackMask {
			return r, false, p.errorf(at, "%v has no %s", p.cursor.target, name).certain()
		}
		return r, true, nil
	}
	file := strings.TrimRight(name, "0123456789")
	if file != "v" && file != "s" && file != "ttmp" || name == file && (p.at == len(p.s) || p.s[p.at] != '[') {
		if r, ok, err := p.namedRegister(p.s[at:p.at], at); ok || err != nil {
			return r, ok, err
		}
		return fail()
	}
	var first int64
	n := int64(1)
	if digits := name[len(file):]; digits != "" {
		first, _ = strconv.ParseInt(digits, 10, 32) // too large a number saturates and is refused
	} else {
		p.at++
		if first, n, err = p.indexRange(at); err != nil {
			return r, false, err
		}
	}
	r = register{vector: file == "v", code: uint32(first), n: int(n), at: at}
	return r, true, p.checkRegister(&r, file)
}

// indexRange takes the rest of [FIRST:LAST] or [FIRST] of a tuple that begins at at, and
// returns the first index and how many there are.
func (p *parser) indexRange(at int) (first, n int64, err *syntaxError) {
	if first, err = p.integer("register index", 0, 1<<16); err != nil {
		return 0, 0, err
	}
	last := first
	if p.accept(":") {
		if last, err = p.integer("register index", 0, 1<<16); err != nil {
			return 0, 0, err
		}
	}
	if err := p.expect("]"); err != nil {
		return 0, 0, err
	}
	if last < first {
		return 0, 0, p.errorf(at, "%s ends before it begins", p.s[at:p.at]).certain()
	}
	return first, last - first + 1, nil
}

// subregisters takes the rest of vcc[0] or vcc[0:1], registers of r.
func (p *parser) subregisters(r register) (register, bool, *syntaxError) {
	first, n, err := p.indexRange(r.at)
	switch {
	case err != nil:
		return r, false, err
	case int(first+n) > r.n:
		return r, false, p.errorf(r.at, "%s is out of range: there are %d registers", p.s[r.at:p.at], r.n).certain()
	}
	r.code, r.n = r.code+uint32(first), int(n)
	return r, true, nil
}

// checkRegister checks range and alignment and turns an index into an operand code.
func (p *parser) checkRegister(r *register, file string) *syntaxError {
	t := p.g.Traits()
	count := 256
	switch file {
	case "s":
		count = t.SGPRs
	case "ttmp":
		count = t.NumTTMP
	}
	if int(r.code)+r.n > count {
		return p.errorf(r.at, "%s is out of range: %v has %s0 to %s%d", p.s[r.at:p.at], p.g, file, file, count-1).certain()
	}
	if file != "v" {
		if err := p.checkAlign(r); err != nil {
			return err
		}
	}
	switch end := int(r.code) + r.n; file {
	case "v":
		p.vgprs = max(p.vgprs, end)
	case "s":
		p.sgprs = max(p.sgprs, end)
	case "ttmp":
		r.code += uint32(t.TTMP)
	}
	return nil
}

// checkAlign checks where scalar registers r begin, unless they are to get a name only.
// Source: AMD GCN ISA manuals, SGPR alignment: pairs even, longer tuples a multiple of 4.
func (p *parser) checkAlign(r *register) *syntaxError {
	align := uint32(1)
	switch {
	case p.anyAlign:
	case r.n > 2:
		align = 4
	case r.n == 2:
		align = 2
	}
	if r.code%align != 0 && !p.inOneLine(r) {
		return p.errorf(r.at, "%s is misaligned: %d scalar registers must begin at a multiple of %d", p.s[r.at:p.at], r.n, align).certain()
	}
	return nil
}

// inOneLine reports whether CLRX takes scalar registers r though they are misaligned:
// operands of vector instructions need not cross a line of four.
func (p *parser) inOneLine(r *register) bool {
	switch p.in.Row().Enc {
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return p.syntax == CLRX && int(r.code%4)+r.n <= 4
	}
	return false
}

// registerList takes the rest of [s0,s1,s2].
func (p *parser) registerList(at int) (register, *syntaxError) {
	var all register
	for {
		p.space()
		if p.peek() == '[' {
			return all, p.errorf(p.at, "expected a register")
		}
		r, ok, err := p.register()
		switch {
		case err != nil:
			return all, err
		case !ok:
			return all, p.errorf(p.at, "expected a register, found %s", p.found())
		case all.n == 0:
			all = r
		case r.vector != all.vector || r.code != all.code+uint32(all.n):
			return all, p.errorf(r.at, "registers of a list must be consecutive")
		default:
			all.n += r.n
		}
		if p.accept("]") {
			break
		}
		if err := p.expect(","); err != nil {
			return all, err
		}
	}
	all.at = at
	if all.vector || all.n == 1 {
		return all, nil
	}
	if align := uint32(min(all.n, 4)+1) &^ 1; all.code%align != 0 {
		return all, p.errorf(at, "%s is misaligned: %d scalar registers must begin at a multiple of %d", p.s[at:p.at], all.n, align)
	}
	return all, nil
}

// takeRegister takes a register of the file and checks its width.
func (p *parser) takeRegister(vector bool, n int) (register, *syntaxError) {
	kind := "a scalar register"
	if vector {
		kind = "a vector register"
	}
	p.space()
	at := p.at
	r, ok, err := p.register()
	switch {
	case err != nil:
		return r, err
	case !ok:
		return r, p.errorf(at, "expected %s, found %s", kind, p.found())
	case r.vector != vector || !vector && r.code >= gcn.NumScalarCodes:
		return r, p.errorf(at, "expected %s, found %s", kind, p.s[at:p.at])
	case n > 0 && r.n != n:
		return r, p.wrongWidth(r, n)
	}
	return r, nil
}

func (p *parser) wrongWidth(r register, n int) *syntaxError {
	have := "registers"
	if r.n == 1 {
		have = "register"
	}
	return p.errorf(r.at, "operand has %d %s, must have %d", r.n, have, n)
}
