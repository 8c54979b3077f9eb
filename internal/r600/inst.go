package r600

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// class is the format of an instruction: which words it has.
type class uint8

const (
	classFlow     class = iota // control flow without a clause
	classFetch                 // control flow that starts a clause of vertex or texture fetches
	classALU                   // control flow that starts an ALU clause
	classExport                // export of a position, a parameter or a colour
	classMemory                // export to memory
	classVertex                // vertex fetch into a register
	classSemantic              // vertex fetch into the register of a semantic
	classTexture               // texture fetch
	classOp2                   // ALU instruction with at most two sources
	classOp3                   // ALU instruction with three sources
	classes       = iota
)

// forms are the kinds of the words of each class.
var forms = [classes][]word{
	classFlow: {cf0, cf1}, classFetch: {cf0, cf1}, classALU: {alu0, alu1}, classExport: {export0, swiz1},
	classMemory: {memory0, buf1},
	classVertex: {vtx0, vtx1GPR, vtx2, vtxPad}, classSemantic: {vtx0, vtx1SEM, vtx2, vtxPad},
	classTexture: {tex0, tex1, tex2, texPad}, classOp2: {op0, op12}, classOp3: {op0, op13},
}

var _ = enum.Full[class](forms[:])

// Inst is an instruction of control flow, of a fetch clause or of an ALU clause.
type Inst struct {
	Family Family
	Name   string // such as VTX, EXPORT_DONE or SAMPLE
	class  class
	does   action
	values [numFields]uint32
}

// get returns the bits of a field, or 0 if the instruction does not have it. COUNT and similar fields are stored less
// one.
func (in *Inst) get(f field) uint32 { return in.values[f] }

// Field returns the bits of a field, by its name in the notation, such as DST_GPR, and the field's text. COUNT and
// similar fields are stored less one. ok is false if the instruction has no such field.
func (in *Inst) Field(name string) (bits uint32, text string, ok bool) {
	for _, w := range forms[in.class] {
		for _, s := range w.spans(in.Family) {
			if s.field.String() == name {
				return in.get(s.field), in.argument(w, s.field), true
			}
		}
	}
	return 0, "", false
}

// indexOf returns the index in ops of the instruction with a code in family f, or -1.
func indexOf(ops []op, f Family, code uint32) int {
	return slices.IndexFunc(ops, func(o op) bool { return o.codes[f] != none && uint32(o.codes[f]) == code })
}

// find returns the instruction with a code in family f, or nil.
func find(ops []op, f Family, code uint32) *op {
	if i := indexOf(ops, f, code); i >= 0 {
		return &ops[i]
	}
	return nil
}

// decodeInst decodes the control flow instruction at the start of words (rule FS2). The error is an *[Error] of kind
// [NoInstruction].
func decodeInst(f Family, words []uint32) (Inst, error) {
	if len(words) < 2 {
		return Inst{}, noInstruction(f, 0, 0, "a control flow instruction has two words")
	}
	if words[1]>>29&1 != 0 { // codes that start an ALU clause have the top bit of CF_INST set
		return decode(f, aluOps, alu1, fieldALUInst, 1, words)
	}
	return decode(f, cfOps, cf1, fieldCFInst, 1, words)
}

// decodeFetch decodes the fetch instruction at the start of words (rules FS3 and FS4). The error is an *[Error] of
// kind [NoInstruction].
func decodeFetch(f Family, words []uint32) (Inst, error) {
	if len(words) < 4 {
		return Inst{}, noInstruction(f, 0, 0, "an instruction of a fetch clause has four words")
	}
	if find(vtxOps, f, words[0]&0x1f) != nil {
		return decode(f, vtxOps, vtx0, fieldVTXInst, 0, words)
	}
	return decode(f, texOps, tex0, fieldTEXInst, 0, words)
}

// decodeALU decodes the ALU instruction at the start of words (rule FS9). The error is an *[Error] of kind
// [NoInstruction].
func decodeALU(f Family, words []uint32) (Inst, error) {
	switch {
	case len(words) < 2:
		return Inst{}, noInstruction(f, 0, 0, "an ALU instruction has two words")
	case words[1]>>15&7 == 0:
		return decode(f, ops2, op12, fieldOp2, 1, words)
	}
	return decode(f, ops3, op13, fieldOp3, 1, words)
}

// decode decodes an instruction. Its code is in the given field of words[at], a word of kind w.
func decode(f Family, ops []op, w word, code field, at int, words []uint32) (Inst, error) {
	in := Inst{Family: f}
	in.take(w, words[at])
	o := find(ops, f, in.values[code])
	if o == nil {
		return Inst{}, noInstruction(f, at, words[at], fmt.Sprintf("%s %d is no instruction", code, in.values[code]))
	}
	in = Inst{Family: f, Name: o.name, class: o.class, does: o.does}
	for i, w := range forms[o.class] {
		if rest := in.take(w, words[i]); rest != 0 {
			return Inst{}, noInstruction(f, i, words[i], fmt.Sprintf("the bits 0x%x are no field of %s", rest, macros[w]))
		}
	}
	return in, nil
}

// take sets the fields of in from a word of kind w. It returns the set bits that belong to no field.
func (in *Inst) take(w word, bits uint32) (rest uint32) {
	rest = bits
	for _, s := range w.spans(in.Family) {
		in.values[s.field] |= bits >> s.at & s.mask() << s.from
		rest &^= s.mask() << s.at
	}
	return rest
}
