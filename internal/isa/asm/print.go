package asm

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Format returns the text of in in syntax s. See [Append].
func Format(in gcn.Inst, s Syntax) string { return string(Append(nil, in, s)) }

// Append appends the text of in in syntax s to dst. The text is a line that assembles to the words of in
// again, bit for bit, here and with the assembler whose syntax it is. Branch targets are the number in
// SIMM16 (LLVM) or a distance in bytes (CLRX). Words without such a text, for example words with reserved
// bits, become data, and the text of the instruction becomes a comment:
//
//	.long 0xd86c0010, 0x01070002 // ds_read_b32 v1, v2 offset:16
func Append(dst []byte, in gcn.Inst, s Syntax) []byte {
	start := len(dst)
	dst = appendInst(dst, isa.Inst(in), s)
	if in.Op == 0 || standsFor(string(dst[start:]), isa.Inst(in), s) {
		return dst
	}
	text := string(dst[start:])
	words, n := in.Encode()
	dst = fmt.Appendf(dst[:start], ".long 0x%08x", words[0])
	if n == 2 {
		dst = fmt.Appendf(dst, ", 0x%08x", words[1])
	}
	return append(append(dst, commentMark[s]...), text...)
}

var commentMark = [numSyntaxes]string{LLVM: " // ", CLRX: " # "}

var _ = enum.Full[Syntax](commentMark[:])

// standsFor reports whether text assembles to in, here and with the assembler whose syntax it is. It uses
// the parser, so that rules about valid text exist only once.
func standsFor(text string, in isa.Inst, s Syntax) bool {
	ours := false
	c := cursor{syntax: s, target: in.Target, s: text, ours: &ours, names: atStart{}}
	back, err := c.instruction()
	if err == nil {
		for _, l := range back.late {
			v, _, failed := l.e.now()
			if failed != nil {
				return false
			}
			if back.Inst, err = l.set(back.Inst, v, 0); err != nil {
				return false
			}
		}
	}
	return err == nil && back.Inst == in && !ours && (s == CLRX || inLLVM(in))
}

// atStart is a namer for an instruction at the start of the program. It has the value of the current place,
// from which CLRX syntax counts distances, but no other names.
type atStart struct{}

func (atStart) value(name string, at int) (value, *syntaxError) {
	if name != "." {
		return value{}, &syntaxError{at: at, what: "unknown register or symbol"}
	}
	return value{}, nil
}

// appendInst appends the text of in without a check that it keeps all bits of the words. It does not
// allocate memory except to grow dst.
func appendInst(dst []byte, in isa.Inst, s Syntax) []byte {
	f := formOf(in.Target, in.Op, in.Enc, s)
	dst = append(dst, f.name...)
	first := true
	for n := range f.parts {
		p := &f.parts[n]
		if skipped(in, p, s) {
			continue
		}
		if p.operand() {
			switch {
			case p.kind == format || p.kind == endImm && in.Get(isa.SIMM16) == 0:
			case p.kind == expSource && p.src == 0 && s == LLVM, first:
				dst = append(dst, ' ')
			default:
				dst = append(dst, ", "...)
			}
			first = false
		}
		dst = writings[p.kind][s].print(dst, in, p)
	}
	return dst
}

// skipped reports whether the text of in omits part p: the data with LDS, or the destination of an atomic
// without GLC.
func skipped(in isa.Inst, p *part, s Syntax) bool {
	switch p.kind {
	case vdata:
		switch in.Enc {
		case isa.MUBUF:
			return s == LLVM && in.Bool(isa.LDS) && lds32(in.Row())
		case isa.FLAT, isa.GLOBAL, isa.SCRATCH:
			return s == LLVM && (in.Row().Mem.Op == gcn.Atomic && !in.Bool(isa.GLC) ||
				in.Enc != isa.FLAT && in.Bool(isa.LDS) && lds32(in.Row()))
		}
	case format, formatMod:
		return defaultFormat(in)
	case smemMore:
		return !in.Bool(isa.SOE) || !in.Bool(isa.IMM)
	}
	return false
}

// FormatOperand returns the text of operand o of in as LLVM prints it without
// modifiers: "v[0:1]", "s[4:7]", "vcc", "1.0", "0x3f800001".
func FormatOperand(in gcn.Inst, o isa.Operand) string {
	switch o.File {
	case isa.VReg:
		return string(appendVGPR(nil, uint32(o.Code), int(o.Dwords), LLVM))
	case isa.SReg:
		return string(appendSGPR(nil, in.Target.Gen(), uint32(o.Code), int(o.Dwords)))
	}
	return string(appendCode(nil, isa.Inst(in), uint32(o.Code), o.Type))
}

// FormatField returns the text of field f of in if LLVM prints it neither as a plain number nor as a
// register: "hwreg(HW_REG_MODE, 0, 4)", "quad_perm:[3,2,1,0]", "WORD_1", "swizzle(SWAP,1)", "mrt0". It
// returns "" for other fields.
func FormatField(in gcn.Inst, f isa.Field) string {
	form := formOf(in.Target, in.Op, in.Enc, LLVM)
	for n := range form.parts {
		p := &form.parts[n]
		if p.field != f {
			continue
		}
		switch p.kind {
		case waitcnt, hwreg, sendmsg, gprIndex, expTarget, interpParam, interpAttr:
			return string(writings[p.kind][LLVM].print(nil, isa.Inst(in), p))
		case sdwaSel, dstUnused, dppCtrl, swizzle:
			text := strings.TrimSpace(string(writings[p.kind][LLVM].print(nil, isa.Inst(in), p)))
			return strings.TrimPrefix(text, p.word+":")
		}
	}
	return ""
}
