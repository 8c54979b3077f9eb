package asm

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// special is a scalar register with a name, or another operand code with a name.
type special struct {
	name string
	code int16
	n    uint8 // number of registers
}

// specials returns the named operand codes of generation g. Pairs precede their halves.
// Source: rule ST2; names as LLVM prints them.
func specials(g gcn.Gen) []special {
	t := isa.GenTraits(g)
	all := []special{
		{"vcc", gcn.VCC, 2}, {"vcc_lo", gcn.VCC, 1}, {"vcc_hi", gcn.VCC + 1, 1},
		{"exec", gcn.EXEC, 2}, {"exec_lo", gcn.EXEC, 1}, {"exec_hi", gcn.EXEC + 1, 1},
		{"m0", gcn.M0, 1},
		{"src_vccz", isa.VCCZ, 1}, {"src_execz", isa.EXECZ, 1}, {"src_scc", isa.SCC, 1}, {"src_lds_direct", isa.LDSDirect, 1},
	}
	pair := func(name string, code int16) {
		if code >= 0 {
			all = append(all, special{name, code, 2}, special{name + "_lo", code, 1}, special{name + "_hi", code + 1, 1})
		}
	}
	pair("flat_scratch", t.FlatScratch)
	pair("xnack_mask", t.XnackMask)
	pair("tba", t.TBA)
	if t.TBA >= 0 {
		pair("tma", t.TBA+2)
	}
	if t.Apertures {
		all = append(all, special{"src_shared_base", isa.SharedBase, 1}, special{"src_shared_limit", isa.SharedLimit, 1},
			special{"src_private_base", isa.PrivateBase, 1}, special{"src_private_limit", isa.PrivateLimit, 1},
			special{"src_pops_exiting_wave_id", isa.POPSExiting, 1})
	}
	return all
}

// nameTable has the names of the scalar operand codes of a generation.
type nameTable struct {
	one, two [256]string
	codes    map[string]special
}

var nameTables = func() (all [gcn.NumGens]nameTable) {
	for g := range all {
		t := &all[g]
		t.codes = map[string]special{}
		for _, s := range specials(gcn.Gen(g)) {
			t.codes[s.name] = s
			if len(s.name) > 4 && s.name[:4] == "src_" {
				t.codes[clrxConst(s.name)] = s // LLVM also accepts the name of CLRX
				t.codes[s.name[4:]] = s
			}
			if s.n == 2 {
				t.two[s.code] = s.name
			} else {
				t.one[s.code] = s.name
			}
		}
		traits := isa.GenTraits(gcn.Gen(g))
		for n := range traits.SGPRs {
			t.one[n] = "s" + strconv.Itoa(n)
		}
		for n := range traits.NumTTMP {
			t.one[int(traits.TTMP)+n] = "ttmp" + strconv.Itoa(n)
		}
	}
	return all
}()

// constName returns the name of an operand code that is not a register, or "" if it has none.
func constName(g gcn.Gen, code uint32) string { return nameTables[g].one[code] }

// clrxConst returns CLRX's name of the operand that LLVM calls src_NAME.
func clrxConst(name string) string {
	if name == "src_lds_direct" {
		return "lds"
	}
	return name[len("src_"):]
}

// appendVGPR prints n VGPRs from reg on. In CLRX syntax, v0 follows v255.
func appendVGPR(b []byte, reg uint32, n int, s Syntax) []byte {
	if s == LLVM || n <= 1 || int(reg)+n <= 256 {
		return appendRange(b, "v", reg, n)
	}
	b = strconv.AppendUint(append(b, "v["...), uint64(reg), 10)
	b = strconv.AppendUint(append(b, ':'), uint64(reg)+uint64(n)-1-256, 10)
	return append(b, ']')
}

// appendRange prints n registers from reg on.
func appendRange(b []byte, file string, reg uint32, n int) []byte {
	b = append(b, file...)
	if n <= 1 {
		return strconv.AppendUint(b, uint64(reg), 10)
	}
	b = strconv.AppendUint(append(b, '['), uint64(reg), 10)
	b = strconv.AppendUint(append(b, ':'), uint64(reg)+uint64(n)-1, 10)
	return append(b, ']')
}

// appendSGPR prints n scalar registers from operand code code on. Like LLVM, it rounds the number of the
// first register of a misaligned tuple down.
func appendSGPR(b []byte, g gcn.Gen, code uint32, n int) []byte {
	t := isa.GenTraits(g)
	if n > 1 {
		code &^= uint32(min(n, 4) - 1)
	}
	names := &nameTables[g]
	switch {
	case n <= 1 && names.one[code] != "":
		return append(b, names.one[code]...)
	case n == 2 && names.two[code] != "":
		return append(b, names.two[code]...)
	case int(code)+n <= t.SGPRs:
		return appendRange(b, "s", code, n)
	case code >= uint32(t.TTMP) && int(code)+n <= int(t.TTMP)+t.NumTTMP:
		return appendRange(b, "ttmp", code-uint32(t.TTMP), n)
	}
	return appendRange(b, "undefined_", code, n)
}

// appendCode prints operand code code of a source of type t.
func appendCode(b []byte, in isa.Inst, code uint32, t isa.Type) []byte {
	if code >= isa.VGPR0 {
		return appendVGPR(b, code-isa.VGPR0, t.Info().Dwords, LLVM)
	}
	if code < isa.NumScalarCodes {
		return appendSGPR(b, in.Target.Gen(), code, t.Info().Dwords)
	}
	if code == isa.Literal {
		return appendLiteral(b, in, in.Get(isa.LITERAL), t)
	}
	if code == isa.ConstInvTwoPi && t.Info().Dwords == 2 && isa.TraitsOf(in.Target).InvTwoPi {
		return append(b, "0.15915494309189532"...)
	}
	if b, ok := appendInline(b, in, code); ok {
		return b
	}
	if name := constName(in.Target.Gen(), code); name != "" {
		return append(b, name...)
	}
	b = append(b, "undefined_"...)
	return strconv.AppendUint(b, uint64(code), 10)
}

// appendCodeCLRX prints n registers from operand code code on, or a constant. It marks codes without a meaning
// in the same way as clrxdisasm.
func appendCodeCLRX(b []byte, in isa.Inst, code uint32, n int) []byte {
	t := isa.TraitsOf(in.Target)
	names := &nameTables[in.Target.Gen()]
	switch {
	case code >= isa.VGPR0:
		return appendVGPR(b, code-isa.VGPR0, n, CLRX)
	case int(code) < t.SGPRs:
		return appendRange(b, "s", code, n)
	case code >= uint32(t.TTMP) && code < gcn.M0:
		return appendRange(b, "ttmp", code-uint32(t.TTMP), n)
	case code == isa.Literal:
		return appendLiteralCLRX(b, in)
	case n >= 2 && code < isa.NumScalarCodes && names.two[code&^1] != "":
		b = append(b, names.two[code&^1]...)
		if code&1 != 0 {
			b = append(b, "_u!"...)
		}
		if n > 2 {
			b = append(b, "&ill!"...)
		}
		return b
	case code == gcn.M0 && n > 1:
		return append(b, "m0&ill!"...)
	case names.one[code] != "":
		name := names.one[code]
		if code >= isa.NumScalarCodes {
			name = clrxConst(name)
		}
		return append(b, name...)
	}
	if b, ok := appendInline(b, in, code); ok {
		return b
	}
	return strconv.AppendUint(append(b, "ill_"...), uint64(code), 10)
}

// appendOperandCode prints operand code code of part p, which is registers or a constant.
func appendOperandCode(b []byte, in isa.Inst, p *part, code uint32) []byte {
	if p.syntax == CLRX {
		return appendCodeCLRX(b, in, code, int(p.n))
	}
	return appendCode(b, in, code, p.typ)
}

func appendScalar(b []byte, in isa.Inst, p *part) []byte {
	code := in.Get(p.field) * p.scale()
	if p.syntax == CLRX {
		return appendCodeCLRX(b, in, code, width(in, p))
	}
	return appendSGPR(b, in.Target.Gen(), code, int(p.n)) // a T# has eight registers, even with R128
}

func appendVCC(b []byte, _ isa.Inst, _ *part) []byte { return append(b, "vcc"...) }

func appendVCCOut(b []byte, in isa.Inst, p *part) []byte {
	if !in.Bool(isa.SDSTEN) {
		return appendVCC(b, in, p)
	}
	return appendScalar(b, in, p)
}

// register is a register tuple in the text.
type register struct {
	vector bool
	code   uint32 // number of a VGPR, or operand code of a scalar register
	n      int
	at     int
}

// registerNamer is a namer that also has names of registers, which CLRX defines by
// x = %s[4:7].
type registerNamer interface {
	// register returns the registers of a name. ok is false if the name does not mean registers.
	register(name string) (r register, ok bool)
}

// register parses a register or a named operand. ok is false if the text is something else.
func (p *parser) register() (r register, ok bool, err *syntaxError) {
	at := p.begin()
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
		if t := isa.TraitsOf(p.cursor.target); p.syntax == LLVM && !t.XNACK && s.code&^1 == t.XnackMask {
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

// namedRegister parses the rest of an operand that began with name at byte at: an index or a range. ok is
// false if name does not mean registers.
func (p *parser) namedRegister(name string, at int) (r register, ok bool, err *syntaxError) {
	namer, knows := p.names.(registerNamer)
	if !knows || p.syntax != CLRX {
		return r, false, nil
	}
	if r, ok = namer.register(name); !ok {
		return r, false, nil
	}
	r.at = at
	switch {
	case !p.accept("["):
	case r.n > 0:
		if r, _, err = p.subregisters(r); err != nil {
			return r, false, err
		}
	default: // a constant
		var first, n int64
		if first, n, err = p.indexRange(at); err == nil && first != 0 {
			err = p.errorf(at, "the registers of a constant begin at 0")
		}
		if n > 1 { // otherwise the operand decides the number
			r.n = int(n)
		}
		return r, err == nil, err
	}
	if !r.vector && int(r.code) < isa.GenTraits(p.g).SGPRs {
		err = p.checkAlign(&r)
	}
	return r, err == nil, err
}

// indexRange parses the rest of [FIRST:LAST] or [FIRST]. The tuple begins at byte at. It returns the first
// index and the number of registers.
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

// subregisters parses the rest of vcc[0] or vcc[0:1]. r is the whole tuple.
func (p *parser) subregisters(r register) (register, bool, *syntaxError) {
	first, n, err := p.indexRange(r.at)
	switch {
	case err != nil:
		return r, false, err
	case int(first+n) > r.n:
		return r, false, p.errorf(r.at, "%s is out of range: there are %d", p.s[r.at:p.at], r.n).certain()
	}
	r.code, r.n = r.code+uint32(first), int(n)
	return r, true, nil
}

// checkRegister checks the range and the alignment of r. It converts an index to an operand code.
func (p *parser) checkRegister(r *register, file string) *syntaxError {
	t := isa.GenTraits(p.g)
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

// checkAlign checks the alignment of scalar registers r, unless they only get a name.
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
		return p.errorf(r.at, "%s is misaligned: %d scalar registers must begin at a multiple of %d", p.s[r.at:p.at], r.n,
			align).certain()
	}
	return nil
}

// inOneLine reports whether CLRX accepts the misaligned scalar registers r. It does for operands of vector
// instructions that are within a line of four registers.
func (p *parser) inOneLine(r *register) bool {
	switch p.in.Row().Enc {
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3A, isa.VOP3B, isa.VOP3P:
		return p.syntax == CLRX && int(r.code%4)+r.n <= 4
	}
	return false
}

// registerList parses the rest of [s0,s1,s2]. The list begins at byte at.
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
		return all, p.errorf(at, "%s is misaligned: %d scalar registers must begin at a multiple of %d", p.s[at:p.at],
			all.n, align)
	}
	return all, nil
}

// takeRegister parses a VGPR or a scalar register and checks that it is a tuple of n registers.
func (p *parser) takeRegister(vector bool, n int) (register, *syntaxError) {
	kind := "a scalar register"
	if vector {
		kind = "a vector register"
	}
	at := p.begin()
	r, ok, err := p.register()
	switch {
	case err != nil:
		return r, err
	case !ok:
		return r, p.errorf(at, "expected %s, found %s", kind, p.found())
	case r.vector != vector || !vector && r.code >= isa.NumScalarCodes:
		return r, p.errorf(at, "expected %s, found %s", kind, p.s[at:p.at])
	case n > 0 && r.n != n:
		return r, p.wrongWidth(r, n)
	}
	return r, nil
}

func (p *parser) wrongWidth(r register, n int) *syntaxError {
	return p.errorf(r.at, "operand has %s, must have %d", plural.Of(r.n, "register"), n)
}

// setRegister parses the registers of q and sets its field.
func (p *parser) setRegister(q *part, vector bool) *syntaxError {
	r, err := p.takeRegister(vector, int(q.n))
	unit := q.scale()
	if err != nil {
		return err
	}
	switch {
	case r.code%unit != 0:
		return p.errorf(r.at, "operand must begin at a multiple of %d", unit)
	case q.file == belowM0 && p.syntax == LLVM && r.code >= gcn.M0:
		return p.errorf(r.at, "this operand cannot be m0 or exec")
	}
	p.set(q.field, int64(r.code/unit))
	return nil
}

// scale returns the number of registers for a step of the field of p.
func (p *part) scale() uint32 { return max(uint32(p.unit), 1) }

func (p *parser) scalar(q *part) *syntaxError { return p.setRegister(q, false) }

// vcc parses the word vcc. In CLRX syntax it also accepts vcc[0:1].
func (p *parser) vcc(*part) *syntaxError {
	if p.syntax == LLVM && p.in.Enc == isa.VOP2 && !p.in.Row().Has(isa.CarryOut) && p.end() {
		return nil // v_cndmask_b32 without vcc
	}
	at := p.begin()
	if !p.acceptWord("vcc") {
		if r := p.in.Row(); r.Has(isa.CarryOut) && !r.Has(isa.ReadsVCC) {
			return p.errorf(at, "expected vcc, found %s; %s writes a carry on %v", p.found(), r.Name, p.in.Target)
		}
		return p.errorf(at, "expected vcc, found %s", p.found())
	}
	if p.syntax == CLRX && p.accept("[") {
		first, n, err := p.indexRange(at)
		if err == nil && (first != 0 || n != 2) {
			err = p.errorf(at, "expected vcc, found %s", p.s[at:p.at])
		}
		return err
	}
	return nil
}

func (p *parser) vccOut(*part) *syntaxError {
	r, err := p.takeRegister(false, 2)
	if err == nil && r.code != gcn.VCC {
		p.set(isa.SDSTEN, 1)
		p.set(isa.SDST, int64(r.code))
	}
	return err
}
