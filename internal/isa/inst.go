package isa

import "fmt"

// Inst is one encoded instruction: its words, the row that they select and the encoding that they have. Fields are
// read from the words, so that Encode is the inverse of Decode and bits that an instruction does not use are
// preserved. Two Insts are the same instruction if and only if they are ==.
type Inst struct {
	Words  uint64 // the first word in bits 31:0, the second one, if it exists, in 63:32
	Op     Op
	Enc    Encoding // the encoding: the row's own, VOP3, SDWA or DPP
	Target Target
	Size   uint8 // size in bytes: 4 or 8
}

// layoutsOf has the encodings of each processor.
var layoutsOf = func() (all [NumTargets]*encodings) {
	for t := range all {
		all[t] = &layouts[Target(t).Gen()]
	}
	return all
}()

// Row returns the row of the instruction.
func (i Inst) Row() *Row { return &rows[i.Op] }

// Get returns the bits of field f, 0 if the encoding has no such field.
func (i Inst) Get(f Field) uint32 {
	s := &layoutsOf[i.Target][i.Enc].fields[f]
	return uint32(i.Words>>s.shift) & uint32(1<<s.width-1)
}

// Int returns field f, sign-extended if the field is signed.
func (i Inst) Int(f Field) int32 {
	s := &layoutsOf[i.Target][i.Enc].fields[f]
	v := uint32(i.Words>>s.shift) & uint32(1<<s.width-1)
	if s.signed {
		drop := 32 - s.width
		return int32(v<<drop) >> drop
	}
	return int32(v)
}

// Bool reports whether field f is not 0.
func (i Inst) Bool(f Field) bool { return i.Get(f) != 0 }

// Has reports whether the encoding has field f.
func (i Inst) Has(f Field) bool { return layoutsOf[i.Target][i.Enc].fields[f].width != 0 }

// Set returns i with field f set to v. The error is an *[Error] of kind [NoField] if v does not fit or the encoding
// has no such field.
func (i Inst) Set(f Field, v int64) (Inst, error) {
	s := layoutsOf[i.Target][i.Enc].fields[f]
	lo, hi := int64(0), int64(1)<<s.width-1
	if s.signed {
		lo, hi = -(int64(1) << (s.width - 1)), int64(1)<<(s.width-1)-1
	}
	if s.width == 0 {
		return i, noField(i, f, v, 0, -1)
	}
	if v < lo || v > hi {
		return i, noField(i, f, v, lo, hi)
	}
	mask := uint64(1)<<s.width - 1
	i.Words = i.Words&^(mask<<s.shift) | uint64(v)&mask<<s.shift
	if f == LITERAL {
		i.Size = 8
	}
	return i, nil
}

func bits(s span) uint64 { return (1<<s.width - 1) << s.shift }

// hasSecondWord reports whether an SDWA or DPP word follows, so that SRC0 of the first word is a marker.
func hasSecondWord(l *layout) bool {
	return l.fields[DPPCTRL].width != 0 || l.fields[SRC0SEL].width != 0
}

// New returns the instruction of row op on processor t in encoding e with all fields 0. Pass Invalid as e for the
// row's own encoding. The error is an *[Error] of kind [UnknownMnemonic] if t has no such instruction, of [NoForm] if
// not in that encoding.
func New(t Target, op Op, e Encoding) (Inst, error) {
	if t >= NumTargets || op == 0 || int(op) >= len(rows) {
		return Inst{}, &Error{Kind: NoForm, what: fmt.Sprintf("there is no instruction %v on %v", op, t),
			form: Inst{Op: op, Target: t, Enc: e}}
	}
	r, g := &rows[op], t.Gen()
	if !r.On(t) {
		return Inst{}, noMnemonic(r.Name, t)
	}
	if e == Invalid {
		e = r.Enc
	}
	code, marker, ok := r.form(t, e)
	l := &layouts[g][e]
	if !ok || l.mask == 0 {
		return Inst{}, noForm(op, t, e)
	}
	i := Inst{Op: op, Enc: e, Target: t, Size: l.bytes}
	i.Words = uint64(l.prefix) | marker | uint64(code)&bits0(l.op)<<l.op.shift
	if r.Has(LiteralK) && e == r.Enc {
		i.Size = 8
	}
	return i, nil
}

// form returns the opcode of r in encoding e on processor t, which has the instruction, and the marker in SRC0 if e
// has a second word. ok is false if r has no such form.
func (r *Row) form(t Target, e Encoding) (code int16, marker uint64, ok bool) {
	code = r.Code[t.Gen()]
	switch e {
	case r.Enc:
		return code, 0, true
	case VOP3A, VOP3B:
		form, code, ok := r.vop3(t)
		return code, 0, ok && form == e
	case second[r.Enc].sdwa:
		return code, srcSDWA, r.allows(e)
	case second[r.Enc].dpp:
		return code, srcDPP, r.allows(e)
	}
	return 0, 0, false
}

func bits0(s span) uint64 { return 1<<s.width - 1 }
