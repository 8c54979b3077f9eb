package gcn

import "fmt"

// DecodeError says why words are not an instruction.
type DecodeError struct {
	Gen   Gen
	Words []uint32 // the words looked at
	Enc   Encoding // Invalid if the prefix belongs to no encoding
	What  string   // what is wrong
}

// Error shows the words and the reason.
func (e *DecodeError) Error() string {
	text := ""
	for _, w := range e.Words {
		text += fmt.Sprintf(" %08x", w)
	}
	if e.Enc == Invalid {
		return fmt.Sprintf("cannot decode%s on %v: %s", text, e.Gen, e.What)
	}
	return fmt.Sprintf("cannot decode%s as %v on %v: %s", text, e.Enc, e.Gen, e.What)
}

// Markers in SRC0 of the VOP1, VOP2 and VOPC words, and the literal marker of every
// 32-bit word. Source: GcnOperands (CLRX), operand codes.
const (
	srcSDWA    = 249
	srcDPP     = 250
	srcLiteral = 255
)

// second names the encodings with a second word of VOP1, VOP2 and VOPC.
var second = [NumEncodings]struct{ sdwa, dpp Encoding }{
	VOP1: {VOP1SDWA, VOP1DPP}, VOP2: {VOP2SDWA, VOP2DPP}, VOPC: {VOPCSDWA, VOPCDPP},
}

// table finds the row of a word: the nine highest bits choose the encoding, whose
// opcodes begin at base in ops.
type table struct {
	enc  [512]Encoding
	base [NumEncodings]uint16
	ops  []entry
}

type entry struct {
	op  Op
	enc Encoding
}

var tables = func() (all [NumGens]table) {
	for g := range all {
		all[g] = newTable(Gen(g))
	}
	return all
}()

func newTable(g Gen) table {
	var t table
	// Longer prefixes win: SOP1 is a special case of SOPK, which is one of SOP2.
	for top := range t.enc {
		word, longest := uint32(top)<<23, uint32(0)
		for e := SOP1; e <= GLOBAL; e++ {
			l := &layouts[g][e]
			mask := l.mask &^ uint32(bits(l.seg))
			if l.mask != 0 && e != VOP3B && word&mask == l.prefix&^uint32(bits(l.seg)) && mask > longest {
				t.enc[top], longest = e, mask
			}
		}
	}
	for e := SOP1; e <= GLOBAL; e++ {
		l := &layouts[g][e]
		t.base[e] = uint16(len(t.ops))
		if l.mask != 0 && e != VOP3B && e != SCRATCH && e != GLOBAL {
			t.ops = append(t.ops, make([]entry, 1<<(l.op.width+l.seg.width))...)
		}
	}
	put := func(e Encoding, code int16, op Op) {
		home, l := e, &layouts[g][e]
		switch e {
		case VOP3B:
			home = VOP3A
		case SCRATCH, GLOBAL:
			home = FLAT
		}
		at := int(t.base[home]) + int(code) | 0
		if l.seg.width != 0 {
			at += int(l.prefix>>l.seg.shift&3) << l.op.width
		}
		t.ops[at] = entry{op, e}
	}
	for op := 1; op < len(rows); op++ {
		r := &rows[op]
		if !r.On(g) || r.Has(Alias) {
			continue
		}
		put(r.Enc, r.Code[g], Op(op))
		if r.Enc != VOP3A && r.Enc != VOP3B && r.Enc != VOP3P {
			if e, code, ok := r.vop3(g); ok {
				put(e, code, Op(op))
			}
		}
	}
	return t
}

// Decode reads the instruction that words begin with, on generation g. It looks at
// one word or two. The error is a *[DecodeError] if no generation rule gives the
// words a meaning or if they end too early.
func Decode(g Gen, words []uint32) (Inst, error) {
	if len(words) == 0 {
		return Inst{}, decodeError(g, Invalid, nil, "there are no words")
	}
	w := words[0]
	t := &tables[g]
	e := t.enc[w>>23]
	if e == Invalid {
		return Inst{}, decodeError(g, e, words[:1], "no encoding has this prefix")
	}
	l := &layouts[g][e]
	code := w >> l.op.shift & (1<<l.op.width - 1)
	if l.seg.width != 0 {
		code |= w >> l.seg.shift & 3 << l.op.width
	}
	found := t.ops[uint32(t.base[e])+code]
	if found.op == 0 {
		return Inst{}, decodeError(g, e, words[:1], fmt.Sprintf("opcode %d is not defined", code))
	}
	i := Inst{Words: uint64(w), Op: found.op, Enc: found.enc, Gen: g, Size: l.bytes}
	if l.bytes == 4 {
		switch i.needsWord() {
		case srcLiteral:
			i.Size = 8
		case srcSDWA:
			i.Enc, i.Size = second[e].sdwa, 8
		case srcDPP:
			i.Enc, i.Size = second[e].dpp, 8
		}
		if i.Size == 4 {
			return i, nil
		}
		if layouts[g][i.Enc].mask == 0 || !rows[i.Op].allows(i.Enc) {
			return Inst{}, decodeError(g, e, words[:1], rows[i.Op].Name+" has no such form (SDWA or DPP)")
		}
	}
	if len(words) < 2 {
		return Inst{}, decodeError(g, e, words, rows[i.Op].Name+" needs a second word and the input ends")
	}
	i.Words |= uint64(words[1]) << 32
	return i, nil
}

func decodeError(g Gen, e Encoding, words []uint32, what string) error {
	return &DecodeError{Gen: g, Enc: e, Words: append([]uint32(nil), words...), What: what}
}

// allows reports whether the row may be used in the second-word encoding e.
func (r *Row) allows(e Encoding) bool {
	switch e {
	case VOP1SDWA, VOP2SDWA, VOPCSDWA:
		return !r.Has(NoSDWA)
	case VOP1DPP, VOP2DPP, VOPCDPP:
		return !r.Has(NoDPP)
	}
	return true
}

// needsWord returns the operand code that makes a second word follow a 32-bit one, or 0.
func (i Inst) needsWord() uint32 {
	w := uint32(i.Words)
	r := &rows[i.Op]
	if r.Has(LiteralK) {
		return srcLiteral
	}
	switch i.Enc {
	case SOP1:
		if w&0xff == srcLiteral {
			return srcLiteral
		}
	case SOP2, SOPC:
		if w&0xff == srcLiteral || w>>8&0xff == srcLiteral {
			return srcLiteral
		}
	case VOP1, VOP2, VOPC:
		if src := w & 0x1ff; src == srcLiteral || i.Gen.Traits().SecondWord && (src == srcSDWA || src == srcDPP) {
			return src
		}
	case SMEM: // GCN 1.1: seed-silent; spec/memory.md 8.1
		if i.Gen.Traits().SMRDLiteral && w&0x1ff == srcLiteral {
			return srcLiteral
		}
	}
	return 0
}

// Encode returns the words of i: one or two of them, and how many.
func (i Inst) Encode() (words [2]uint32, n int) {
	return [2]uint32{uint32(i.Words), uint32(i.Words >> 32)}, int(i.Size) / 4
}
