package asm

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// expTargets are the export targets. Each is a range of codes. Names of longer ranges have a number.
// Source: AMD GCN ISA manuals, EXP.
var expTargets = [...]struct {
	name        string
	first, last uint32
}{{"mrt", 0, 7}, {"mrtz", 8, 8}, {"null", 9, 9}, {"pos", 12, 15}, {"param", 32, 63}}

// appendTargetName appends the name of export target v. ok is false if the target has no name.
func appendTargetName(b []byte, v uint32) (text []byte, ok bool) {
	for _, t := range &expTargets {
		if v >= t.first && v <= t.last {
			b = append(b, t.name...)
			if t.first != t.last {
				b = strconv.AppendUint(b, uint64(v-t.first), 10)
			}
			return b, true
		}
	}
	return b, false
}

func appendTarget(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	b, ok := appendTargetName(b, v)
	switch {
	case ok:
		return b
	case p.syntax == CLRX:
		b = append(b, "ill_"...)
	default:
		b = append(b, "invalid_target_"...)
	}
	return strconv.AppendUint(b, uint64(v), 10)
}

func (p *parser) target(q *part) *syntaxError {
	at := p.begin()
	w := p.folded()
	if p.syntax == CLRX { // CLRX accepts pos02
		stem := strings.TrimRight(w, "0123456789")
		if digits := strings.TrimLeft(w[len(stem):], "0"); len(stem) < len(w) {
			w = stem + max(digits, "0")
		}
	}
	for _, t := range &expTargets {
		for v := t.first; v <= t.last; v++ {
			if name, _ := appendTargetName(nil, v); string(name) == w {
				p.set(q.field, int64(v))
				return nil
			}
		}
	}
	p.at = at
	return p.errorf(at, "export target is %s, must be mrt0 to mrt7, mrtz, null, pos0 to pos3 or param0 to param31",
		p.found())
}

// appendExpSource prints source p.src of an export. VSRC0 to VSRC3 are bytes of the second word.
// With COMPR, each of the first two sources holds two channels.
func appendExpSource(b []byte, in isa.Inst, p *part) []byte {
	if in.Get(isa.EN)>>p.src&1 == 0 {
		return append(b, "off"...)
	}
	reg := p.src
	if in.Bool(isa.COMPR) {
		reg /= 2
	}
	return appendVGPR(b, uint32(in.Words>>(32+8*reg)&0xff), 1, p.syntax)
}

func (p *parser) expSource(q *part) *syntaxError {
	if p.acceptWord("off") {
		p.exps[q.src] = -1
		return nil
	}
	r, err := p.takeRegister(true, 1)
	p.exps[q.src] = int(r.code)
	return err
}

// exportUses reports whether an export reads source byte n.
func exportUses(in isa.Inst, n uint8) bool {
	en := in.Get(isa.EN)
	if in.Bool(isa.COMPR) {
		return n < 2 && en>>(2*n)&3 != 0
	}
	return en>>n&1 != 0
}

// finishExport sets EN and the sources. With COMPR, LLVM uses the first source of each pair. In
// CLRX syntax, both sources of a pair must be equal, or one of them is off.
func (p *parser) finishExport() *syntaxError {
	regs, en := p.exps, int64(0)
	for n, reg := range regs {
		if reg >= 0 {
			en |= 1 << n
		}
	}
	if p.in.Bool(isa.COMPR) {
		for n := 0; n < len(regs); n += 2 {
			switch first, second := regs[n], regs[n+1]; {
			case p.syntax == LLVM && first >= 0:
				en |= 3 << n
			case p.syntax == LLVM:
				en &^= 3 << n
			case first >= 0 && second >= 0 && first != second:
				return p.errorf(p.at, "with compr sources %d and %d must be the same", n, n+1)
			}
		}
		regs = [4]int{regs[0], regs[2]}
	}
	p.set(isa.EN, en)
	for n, reg := range regs {
		p.in.Words |= uint64(max(reg, 0)) << (32 + 8*n)
	}
	return nil
}

var interpParams = [3]string{"p10", "p20", "p0"}

func appendParam(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	switch {
	case int(v) < len(interpParams):
		return append(b, interpParams[v]...)
	case p.syntax == CLRX:
		b = append(b, "invalid_"...)
	default:
		b = append(b, "invalid_param_"...)
	}
	return strconv.AppendUint(b, uint64(v), 10)
}

func (p *parser) param(q *part) *syntaxError {
	n := p.oneOf(interpParams[:]...)
	if n < 0 {
		return p.errorf(p.at, "parameter is %s, must be p10, p20 or p0", p.found())
	}
	p.set(q.field, int64(n))
	return nil
}

const attrChans = "xyzw"

// appendAttr prints an attribute and its channel. In VOP3, both are in SRC0.
func appendAttr(b []byte, in isa.Inst, p *part) []byte {
	attr, ch := in.Get(isa.ATTR), in.Get(isa.ATTRCHAN)
	if p.field == isa.SRC0 {
		attr, ch = in.Get(isa.SRC0)&63, in.Get(isa.SRC0)>>6&3
	}
	b = strconv.AppendUint(append(b, "attr"...), uint64(attr), 10)
	return append(b, '.', attrChans[ch])
}

func (p *parser) attr(q *part) *syntaxError {
	at := p.begin()
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
	if q.field == isa.SRC0 {
		p.set(q.field, n|int64(channel)<<6)
		return nil
	}
	p.set(isa.ATTR, n)
	p.set(isa.ATTRCHAN, int64(channel))
	return nil
}
