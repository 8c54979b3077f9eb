package isa

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Markers in SRC0 of the VOP1, VOP2 and VOPC words, and the literal marker of all 32-bit words. Source: rule ST2.
const (
	srcSDWA    = 249
	srcDPP     = 250
	srcLiteral = 255
)

// second maps VOP1, VOP2 and VOPC to their encodings with a second word.
var second = [NumEncodings]struct{ sdwa, dpp Encoding }{
	VOP1: {VOP1SDWA, VOP1DPP}, VOP2: {VOP2SDWA, VOP2DPP}, VOPC: {VOPCSDWA, VOPCDPP},
}

// table maps a word to its row. The nine highest bits of the word select the encoding, whose opcodes begin at base in
// ops.
type table struct {
	enc    [512]Encoding
	opcode [NumEncodings]opcode
	ops    []entry
}

// opcode describes the position of an encoding's opcode and of its entries.
type opcode struct {
	base     uint16 // index in ops of its first entry
	mask     uint16 // mask of the opcode
	shift    uint8
	segShift uint8 // position of a second part of the opcode, two bits wide, above the first
	segUp    uint8 // position of the second part in the index
	segMask  uint8 // 0 if the encoding has no second part
}

// entry is the row of an opcode, with the conditions under which a second word follows.
type entry struct {
	op    Op
	enc   Encoding
	marks bool // SRC0 can be a marker of SDWA or DPP
	asks  [2]match
}

// match is a condition on the low half of a word.
type match struct{ mask, want uint16 }

func (m match) holds(w uint32) bool { return uint16(w)&m.mask == m.want }

var (
	always = match{}
	never  = match{0, 1}
)

// tables holds the table of each processor for which an instruction was decoded. Processors with the same instructions
// share one.
var tables [NumTargets]atomic.Pointer[table]

// making is held while a table is made.
var making sync.Mutex

// tableOf returns the table of t. If there is none yet, it takes that of a processor with the same instructions, or
// makes one.
func tableOf(t Target) *table {
	making.Lock()
	defer making.Unlock()
	var tab *table
	for other := range Target(NumTargets) {
		if made := tables[other].Load(); made != nil && other.Gen() == t.Gen() &&
			TraitsOf(other).features == TraitsOf(t).features {
			tab = made
		}
	}
	if tab == nil {
		tab = newTable(t)
	}
	tables[t].Store(tab)
	return tab
}

func newTable(target Target) *table {
	t := new(table)
	t.findEncodings(target.Gen())
	t.makeRoom(target.Gen())
	for op := 1; op < len(rows); op++ {
		r := &rows[op]
		if !r.On(target) || r.Has(Alias) {
			continue
		}
		t.put(target, r.Enc, r.Code[target.Gen()], Op(op))
		if e, code, ok := r.vop3(target); ok && e != r.Enc {
			t.put(target, e, code, Op(op))
		}
	}
	return t
}

// findEncodings sets the encoding of each word. Longer prefixes take precedence: SOP1 is a special case of SOPK,
// which is one of SOP2. VOP3B has the prefix of VOP3A.
func (t *table) findEncodings(g Gen) {
	var longest [len(t.enc)]uint32
	for e := SOP1; e <= GLOBAL; e++ {
		l := &layouts[g][e]
		if l.mask == 0 || e == VOP3B {
			continue
		}
		mask := l.mask &^ uint32(bits(l.seg))
		for top := l.prefix & mask >> 23; top <= (l.prefix|^mask)>>23; top++ {
			if mask > longest[top] {
				t.enc[top], longest[top] = e, mask
			}
		}
	}
}

// makeRoom sets the position of the opcodes of each encoding, and allocates their entries.
func (t *table) makeRoom(g Gen) {
	n := 0
	for e := SOP1; e <= GLOBAL; e++ {
		l := &layouts[g][e]
		if l.mask == 0 || tableEncoding(e) != e {
			continue
		}
		t.opcode[e] = opcode{base: uint16(n), mask: uint16(bits0(l.op)), shift: l.op.shift,
			segShift: l.seg.shift, segUp: l.op.width, segMask: uint8(bits0(l.seg))}
		n += 1 << (l.op.width + l.seg.width)
	}
	t.ops = make([]entry, n)
}

// put sets the row of an opcode of encoding e.
func (t *table) put(target Target, e Encoding, code int16, op Op) {
	g, r := target.Gen(), &rows[op]
	l := &layouts[g][e]
	at := int(t.opcode[tableEncoding(e)].base) + int(code)
	if l.seg.width != 0 {
		at += int(l.prefix>>l.seg.shift&3) << l.op.width
	}
	if t.ops[at].op != 0 {
		panic(fmt.Sprintf("gcn: %v and %v have the same opcode %d of %v on %v", t.ops[at].op, op, code, e, target))
	}
	t.ops[at] = entry{op: op, enc: e, marks: GenTraits(g).SecondWord && second[e].sdwa != Invalid && !r.Has(LiteralK),
		asks: asks(g, r, e)}
}

// tableEncoding returns the encoding under which the opcodes of e are listed: VOP3A for VOP3B, for example.
func tableEncoding(e Encoding) Encoding {
	switch e {
	case VOP3B:
		return VOP3A
	case SCRATCH, GLOBAL:
		return FLAT
	}
	return e
}

// asks returns the conditions under which a second word follows row r in encoding e: a literal or a marker in a field
// that is a source of the row. In other fields these codes have no meaning.
func asks(g Gen, r *Row, e Encoding) [2]match {
	switch {
	case layouts[g][e].bytes == 8, r.Has(LiteralK):
		return [2]match{always, never}
	}
	switch e {
	case SOP1, SOP2, SOPC: // SSRC0 or SSRC1 is a literal
		found := [2]match{never, never}
		if r.Sig.Src[0] != None {
			found[0] = match{0xff, srcLiteral}
		}
		if r.Sig.Src[1] != None && r.Imm != IndexImm {
			found[1] = match{0xff00, srcLiteral << 8}
		}
		return found
	case VOP1, VOP2, VOPC: // SRC0 is a literal, or a marker: 249, 250
		found := [2]match{never, never}
		if r.Sig.Src[0] != None {
			found[0] = match{0x1ff, srcLiteral}
		}
		if GenTraits(g).SecondWord && (r.Sig.Src[0] != None || !r.Has(NoSDWA|NoDPP)) {
			found[1] = match{0x1fc, srcSDWA &^ 3}
		}
		return found
	case SMEM: // IMM = 0 and OFFSET = 255 (rule SM1)
		if GenTraits(g).SMRDLiteral && !r.Has(NoOffset) {
			return [2]match{{0x1ff, srcLiteral}, never}
		}
	}
	return [2]match{never, never}
}

// Decode decodes the instruction at the start of words for processor t. It reads one word or two. The error is an
// *[Error] of kind [NoInstruction] if the words are not an instruction of t, or end too early.
func Decode(t Target, words []uint32) (Inst, error) {
	g := t.Gen()
	if len(words) == 0 {
		return Inst{}, noInstruction(t, Invalid, nil, "there are no words")
	}
	w := words[0]
	tab := tables[t].Load()
	if tab == nil {
		tab = tableOf(t)
	}
	e := tab.enc[w>>23]
	o := &tab.opcode[e]
	code := w>>(o.shift&31)&uint32(o.mask) | w>>(o.segShift&31)&uint32(o.segMask)<<(o.segUp&31)
	found := &tab.ops[uint32(o.base)+code]
	if e == Invalid || found.op == 0 {
		return Inst{}, undefined(t, e, w, code)
	}
	if !found.asks[0].holds(w) && !found.asks[1].holds(w) {
		return Inst{Words: uint64(w), Op: found.op, Enc: found.enc, Target: t, Size: 4}, nil
	}
	e = found.enc
	if found.marks {
		switch w & 0x1ff {
		case srcSDWA:
			e = second[e].sdwa
		case srcDPP:
			e = second[e].dpp
		case srcLiteral:
		default: // the markers 248 and 251 have the same bits set
			return Inst{Words: uint64(w), Op: found.op, Enc: e, Target: t, Size: 4}, nil
		}
		if layouts[g][e].mask == 0 || !rows[found.op].allows(e) {
			return Inst{}, noInstruction(t, found.enc, words[:1], found.op.String()+" has no such form (SDWA or DPP)")
		}
	}
	if len(words) < 2 {
		return Inst{}, noInstruction(t, found.enc, words, found.op.String()+" needs a second word and the input ends")
	}
	return Inst{Words: uint64(w) | uint64(words[1])<<32, Op: found.op, Enc: e, Target: t, Size: 8}, nil
}

// undefined returns the error for a word w without a row.
func undefined(t Target, e Encoding, w, code uint32) error {
	if e == Invalid {
		return noInstruction(t, e, []uint32{w}, "no encoding has this prefix")
	}
	return noInstruction(t, e, []uint32{w}, fmt.Sprintf("opcode %d is not defined", code))
}

// allows reports whether the row exists in encoding e, which has a second word.
func (r *Row) allows(e Encoding) bool {
	switch e {
	case VOP1SDWA, VOP2SDWA, VOPCSDWA:
		return !r.Has(NoSDWA)
	case VOP1DPP, VOP2DPP, VOPCDPP:
		return !r.Has(NoDPP)
	}
	return true
}

// Encode returns the words of i and their number, 1 or 2.
func (i Inst) Encode() (words [2]uint32, n int) {
	return [2]uint32{uint32(i.Words), uint32(i.Words >> 32)}, int(i.Size) / 4
}
