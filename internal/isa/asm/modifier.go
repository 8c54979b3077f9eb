package asm

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// appendWord prints the word of modifier p.
func appendWord(b []byte, _ isa.Inst, p *part) []byte { return append(append(b, ' '), p.word...) }

// appendKey prints the word of modifier p and a colon.
func appendKey(b []byte, p *part) []byte { return append(append(append(b, ' '), p.word...), ':') }

// unlessZero returns a printer that prints nothing if the field is 0, and otherwise calls inner.
func unlessZero(inner printer) printer {
	return func(b []byte, in isa.Inst, p *part) []byte {
		if !in.Bool(p.field) {
			return b
		}
		return inner(b, in, p)
	}
}

func (p *parser) implied(q *part) *syntaxError {
	if !p.acceptWord(q.word) {
		return p.errorf(p.at, "expected %s, found %s", q.word, p.found())
	}
	return nil
}

func (p *parser) keyword(q *part) *syntaxError {
	at := p.begin()
	if r := p.in.Row(); q.field == isa.CLAMP && p.in.Enc == isa.VOP3A && !clampsLLVM(p.in, r) {
		if p.acceptWord(q.word) {
			return p.errorf(at, "%s has no clamp on %v", r.Name, p.in.Target)
		}
		return nil
	}
	if p.flag(q) {
		p.set(q.field, 1)
		p.lds = p.lds || q.field == isa.LDS
	}
	return nil
}

// flag reads the word of q, such as glc, or its negation, such as noglc. It reports whether the flag is set.
func (p *parser) flag(q *part) bool {
	if q.no && p.acceptWord("no"+q.word) {
		return false
	}
	return p.acceptWord(q.word)
}

func (p *parser) keywordCLRX(q *part) *syntaxError {
	p.folded()
	return p.switchOn(q)
}

// switchOn sets the field of q. If :0 follows the word, it clears the field.
func (p *parser) switchOn(q *part) *syntaxError {
	on, err := p.enabled()
	p.set(q.field, b2i(on))
	if q.field == isa.GLC {
		p.glc = on
	}
	return err
}

// enabled parses an optional ":N" after a word. It returns false if N is 0.
func (p *parser) enabled() (bool, *syntaxError) {
	if !p.accept(":") {
		return true, nil
	}
	v, err := p.integer("0 or 1", math.MinInt64, math.MaxInt64)
	return v != 0, err
}

// boundCtrl parses bound_ctrl:1 and its old spelling bound_ctrl:0.
func (p *parser) boundCtrl(q *part) *syntaxError {
	if !p.acceptKey("bound_ctrl") {
		return nil
	}
	_, err := p.integer("bound_ctrl", 0, 1)
	p.set(q.field, 1)
	return err
}

func (p *parser) boundCtrlCLRX(q *part) *syntaxError {
	p.folded()
	if p.accept(":") && !p.accept("0") && !p.accept("1") {
		return p.errorf(p.at, "bound_ctrl must be 0 or 1, and both mean 1; bound_ctrl:0:0 switches it off")
	}
	return p.switchOn(q)
}

func appendDecimalMod(b []byte, in isa.Inst, p *part) []byte {
	return appendDecimal(appendKey(b, p), in, p)
}

func appendHexMod(b []byte, in isa.Inst, p *part) []byte {
	return appendHexField(appendKey(b, p), in, p)
}

func appendSignedMod(b []byte, in isa.Inst, p *part) []byte {
	return strconv.AppendInt(appendKey(b, p), int64(in.Int(p.field)), 10)
}

// appendDMASKCLRX prints a mask unless it is 1, which is the default in CLRX.
func appendDMASKCLRX(b []byte, in isa.Inst, p *part) []byte {
	if in.Get(p.field) == 1 {
		return b
	}
	return appendDecimalMod(b, in, p)
}

// numberMod parses word:N. N must fit the field.
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

var policies = [...]string{"glc", "slc"}

func appendCachePolicy(b []byte, in isa.Inst, _ *part) []byte {
	if in.Bool(isa.GLC) {
		b = append(b, " glc"...)
	}
	if in.Bool(isa.SLC) {
		b = append(b, " slc"...)
	}
	return b
}

// cachePolicy parses glc and slc, or noglc and noslc. Each may occur once.
func (p *parser) cachePolicy(*part) *syntaxError {
	var seen [2]bool
	for {
		at := p.begin()
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
			p.set([...]isa.Field{isa.GLC, isa.SLC}[n], 1)
			p.glc = p.glc || n == 0
		}
	}
}

// highHalf is the bit of SRC0 that selects the upper half of an attribute.
const highHalf = 0x100

func appendHigh(b []byte, in isa.Inst, p *part) []byte {
	if in.Get(p.field)&highHalf == 0 {
		return b
	}
	return appendWord(b, in, p)
}

func (p *parser) high(q *part) *syntaxError {
	if p.flag(q) {
		p.set(q.field, int64(p.in.Get(q.field)|highHalf))
	}
	return nil
}

func (p *parser) highCLRX(q *part) *syntaxError {
	p.folded()
	on, err := p.enabled()
	p.set(q.field, int64(p.in.Get(q.field)&^highHalf)|b2i(on)*highHalf)
	return err
}

var omods = [4]string{"", " mul:2", " mul:4", " div:2"}

func appendOMOD(b []byte, in isa.Inst, p *part) []byte { return append(b, omods[in.Get(p.field)&3]...) }

func (p *parser) omod(*part) *syntaxError {
	for _, key := range [...]string{"mul", "div"} {
		if p.acceptKey(key) {
			return p.factor(key, 1, "mul:2, mul:4 or div:2")
		}
	}
	return nil
}

func (p *parser) omodCLRX(*part) *syntaxError {
	w := p.folded()
	if err := p.expect(":"); err != nil {
		return err
	}
	if w == "omod" {
		return p.field(w, isa.OMOD)
	}
	return p.factor(w, 2, "mul:2, mul:4, div:2 or omod:0 to 3")
}

// factor parses the number after mul or div. The factor 1 has no effect.
func (p *parser) factor(key string, least int64, known string) *syntaxError {
	at := p.begin()
	n, err := p.integer(key, least, 4)
	if err != nil || n == 1 {
		return err
	}
	v := slices.Index(omods[:], " "+key+":"+string(rune('0'+n)))
	if v < 0 {
		if p.syntax == CLRX {
			at = p.at
		}
		return p.errorf(at, "output modifier must be %s", known)
	}
	p.set(isa.OMOD, int64(v))
	return nil
}

// modifierBits returns the bits of a modifier that is a list. Bit 0 is the first element.
func modifierBits(in isa.Inst, p *part) uint32 {
	v := in.Get(p.field)
	switch p.kind {
	case opSel: // the bit of the destination is bit 3, and the last element of the list
		return v&(1<<p.n-1) | v>>3&1<<p.n
	case opSelHi:
		v |= in.Get(isa.OPSELHI2) << 2
	}
	return v & (1<<p.n - 1)
}

// listLen returns the number of elements of a modifier that is a list.
func listLen(p *part) int {
	if p.kind == opSel {
		return int(p.n) + 1
	}
	return int(p.n)
}

// mixRow reports whether r mixes F16 and F32 sources (v_mad_mix_f32). OPSELHI then selects the type of a source.
func mixRow(r *isa.Row) bool { return r.Sig.Src[0] == isa.F32 }

func appendBits(b []byte, in isa.Inst, p *part) []byte { return appendList(b, in, p, 0) }

// appendOpSelHi prints op_sel_hi if an element is 0. For instructions that mix F16 and F32, LLVM prints
// it if an element is 1.
func appendOpSelHi(b []byte, in isa.Inst, p *part) []byte {
	if p.syntax == LLVM && mixRow(in.Row()) {
		return appendBits(b, in, p)
	}
	return appendList(b, in, p, 1<<p.n-1)
}

// appendList prints a modifier that is a list of bits. It prints nothing if the bits equal absent, the
// value that the parser assumes if the modifier is missing.
func appendList(b []byte, in isa.Inst, p *part, absent uint32) []byte {
	v := modifierBits(in, p)
	if v == absent {
		return b
	}
	b = append(appendKey(b, p), '[')
	for n := range listLen(p) {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(b, '0'+byte(v>>n&1))
	}
	return append(b, ']')
}

// bits parses word:[0,1,...] with at most four elements.
func (p *parser) bits(q *part) *syntaxError {
	if !p.acceptKey(q.word) {
		return nil
	}
	if err := p.expect("["); err != nil {
		return err
	}
	v, n, err := p.elements(q.word, 4)
	if err == nil && !p.accept("]") {
		if err = p.expect(","); err == nil && n == 4 {
			err = p.errorf(p.at, "%s has at most 4 elements", q.word)
		}
	}
	if err != nil {
		return err
	}
	return p.setBits(q, v)
}

// elements parses bits separated by commas. There may be at most most of them.
func (p *parser) elements(what string, most int) (v uint32, n int, err *syntaxError) {
	for n == 0 || n < most && p.accept(",") {
		bit, err := p.integer(what+" element", 0, 1)
		if err != nil {
			return 0, 0, err
		}
		v |= uint32(bit) << n
		n++
	}
	return v, n, nil
}

// setBits sets the field of q, a modifier that is a list, to the bits v.
func (p *parser) setBits(q *part, v uint32) *syntaxError {
	if q.kind == opSel {
		v = v&(1<<q.n-1) | v>>q.n&1<<3
	}
	if q.kind == opSelHi {
		if q.n > 2 || p.syntax == CLRX {
			p.set(isa.OPSELHI2, int64(v>>2&1))
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

func (p *parser) bitsCLRX(q *part) *syntaxError {
	v, err := p.bitList(p.folded(), listLen(q))
	if err != nil {
		return err
	}
	return p.setBits(q, v)
}

// bitList parses ":N" or ":[0,1,...]" with at most most bits.
func (p *parser) bitList(what string, most int) (v uint32, err *syntaxError) {
	if err := p.expect(":"); err != nil {
		return 0, err
	}
	if !p.accept("[") {
		v, err := p.integer(what, 0, 1<<most-1)
		return uint32(v), err
	}
	v, n, err := p.elements(what, most)
	if err == nil && n < most {
		err = p.expect(",")
	}
	if err == nil {
		err = p.expect("]")
	}
	return v, err
}

func appendUnused(b []byte, in isa.Inst, p *part) []byte {
	switch v := in.Get(p.field); {
	case v == 0:
	case p.field == isa.IMM:
		b = append(b, " imm=1"...)
	default:
		b = appendHex(append(appendWord(b, in, p), '='), uint64(v))
	}
	return b
}

func (p *parser) unused(q *part) *syntaxError {
	p.folded()
	p.onlyOurs(true)
	p.accept("=")
	return p.field(q.word, q.field)
}

func appendUnusedBit(b []byte, in isa.Inst, p *part) []byte {
	if in.Get(p.field)>>p.src&1 == 0 {
		return b
	}
	return appendWord(b, in, p)
}

func (p *parser) unusedBit(q *part) *syntaxError {
	p.folded()
	p.onlyOurs(true)
	p.set(q.field, int64(p.in.Get(q.field)|1<<q.src))
	return nil
}

func appendUnusedExp(b []byte, in isa.Inst, p *part) []byte {
	reg := uint32(in.Words>>(32+8*p.src)) & 0xff
	if reg == 0 || exportUses(in, p.src) {
		return b
	}
	return appendHex(append(appendWord(b, in, p), '='), uint64(reg))
}

func (p *parser) unusedExp(q *part) *syntaxError {
	p.folded()
	p.onlyOurs(true)
	p.accept("=")
	v, err := p.integer(q.word, 0, 255)
	p.in.Words |= uint64(v) << (32 + 8*q.src)
	return err
}

// appendMark prints the name of the encoding if the rest of the text could be the text of another encoding.
func appendMark(b []byte, in isa.Inst, p *part) []byte {
	second := in.Has(isa.SRC0SEL)
	if in.Has(isa.DPPCTRL) || second && !looksPlain(in) || !second && !looksShort(in) {
		return b
	}
	return appendWord(b, in, p)
}

// mark parses the name of the encoding. With :0 the other modifiers decide the encoding.
func (p *parser) mark(*part) *syntaxError {
	p.folded()
	_, err := p.enabled()
	return err
}

// looksShort reports whether the text of a VOP3 instruction could also mean its 32-bit encoding. A mark
// must then distinguish them.
func looksShort(in isa.Inst) bool {
	r := in.Row()
	switch {
	case longOnly(in, r):
		return false
	case r.Has(isa.Interpolates):
		isParam := in.Get(isa.SRC1) < isa.VGPR0
		return in.Get(isa.SRC0) < 0x100 && isParam == isInterpMov(r)
	case r.Enc == isa.VOP1:
		return !in.Bool(isa.SRC1)
	case r.Enc == isa.VOPC:
		return in.Get(isa.VDST) == gcn.VCC && in.Get(isa.SRC1) >= isa.VGPR0
	}
	return (in.Get(isa.SRC1) >= isa.VGPR0) != r.Has(isa.ScalarSrc1)
}

// longOnly reports whether the text of a VOP3 instruction shows a modifier, a third source or a carry
// that its 32-bit encoding does not have.
func longOnly(in isa.Inst, r *isa.Row) bool {
	neg, abs, third := in.Get(isa.NEG), in.Get(isa.ABS), in.Get(isa.SRC2)
	if r.Has(isa.CarryIn) { // the third source is the carry, which may be VCC
		neg, third = neg&3, third^gcn.VCC
		if abs == 4 {
			abs = 0
		}
	}
	if in.Enc == isa.VOP3A && (in.Bool(isa.CLAMP) || abs != 0) || in.Enc == isa.VOP3B && in.Get(isa.SDST) != gcn.VCC {
		return true
	}
	return in.Bool(isa.OMOD) || neg != 0 || in.Bool(isa.OPSEL) || third != 0
}

// looksPlain reports whether the text of an SDWA instruction could also mean another encoding, because
// the instruction selects no parts of registers.
func looksPlain(in isa.Inst) bool {
	return (!in.Has(isa.DSTSEL) || in.Get(isa.DSTSEL) == sdwaDWORD && in.Get(isa.DSTUNUSED) == 0) &&
		in.Get(isa.SRC0SEL) == sdwaDWORD && !in.Bool(isa.SRC0SEXT) && in.Get(isa.SRC1SEL) == sdwaDWORD &&
		!in.Bool(isa.SRC1SEXT)
}

// modifiersCLRX parses the modifiers of f. CLRX accepts them in any order.
func (p *parser) modifiersCLRX(f *form) *syntaxError {
	for !p.end() {
		at := p.at
		w := p.folded()
		q := p.findModifier(f, w)
		if q != nil {
			p.at = at
			if err := writings[q.kind][CLRX].parse(p, q); err != nil {
				return err
			}
		}
		taken := q != nil && p.at > at // an offset without a register is not consumed
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

// wordsCLRX are the words that begin a modifier in CLRX syntax if they differ from the word of the part.
var wordsCLRX = [numKinds][]string{
	omod: {"mul", "div", "omod"}, dstUnused: {"dst_unused", "dst_un"}, flatOffset: {"inst_offset", "offset"},
	dppCtrl: slices.Collect(maps.Keys(dppWordsCLRX)),
}

// findModifier returns the modifier of f that begins with word w, or nil if f has no such modifier. The
// cursor is behind w.
func (p *parser) findModifier(f *form, w string) *part {
	for n := range f.parts {
		q := &f.parts[n]
		value := q.kind == unused || q.kind == unusedExp // name=N
		switch words := wordsCLRX[q.kind]; {
		case q.operand():
		case words != nil && slices.Contains(words, w), words == nil && w == q.word && (p.peek() == '=') == value:
			return q
		}
	}
	return nil
}

// sourceModifier parses neg:N, abs:N and sext:N, which have a bit for each source. In encodings without
// such bits, or without a mark, N must be 0. ok is false if w is another word.
func (p *parser) sourceModifier(w string) (ok bool, err *syntaxError) {
	sign := slices.Index(signNames[:], w)
	switch {
	case sign >= 0:
	case w == "vop3" || w == "sdwa" || w == "dpp" || w == "clamp" || w == "omod":
		return p.switched(w)
	default:
		return false, nil
	}
	r := p.in.Row()
	n := r.Sig.NumSrc
	if r.Has(isa.Interpolates) {
		n++
	}
	at := p.at
	v, err := p.bitList(w, n)
	whole := wholeSigns[sign]
	switch {
	case err != nil || v == 0:
	case p.in.Has(wordSigns[0][sign]):
		for i := range wordSigns {
			f := wordSigns[i][sign]
			p.set(f, int64(p.in.Get(f)|v>>i&1))
		}
	case whole != noField && p.in.Has(whole) && n > 0:
		p.set(whole, int64(p.in.Get(whole)|v))
	default:
		err = p.errorf(at, "this encoding has no %s", w)
	}
	return true, err
}

// switched parses vop3 in an instruction that has only this encoding. It also parses w:0 if the encoding
// does not have w.
func (p *parser) switched(w string) (bool, *syntaxError) {
	always := false
	switch p.in.Row().Enc {
	case isa.VOP1, isa.VOP2, isa.VOPC:
	case isa.VOP3A, isa.VOP3B, isa.VOP3P:
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
