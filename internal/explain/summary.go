package explain

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// does describes the operation of the instruction: in the words of its row if there are any, else by the data it
// moves to or from memory, or by its operands and result.
func (x *Inst) does() string {
	switch r := x.row(); {
	case r.Mem.Op == gcn.NoMem:
		return x.computes()
	case r.Does != "":
		return r.Does
	default:
		return x.accesses(&r.Mem)
	}
}

// places has the name of the memory that each encoding accesses.
var places = [isa.NumEncodings]string{
	isa.SMEM: "memory", isa.DS: "LDS", isa.MUBUF: "the buffer", isa.MTBUF: "the buffer", isa.MIMG: "the image",
	isa.FLAT: "global, LDS or scratch memory", isa.GLOBAL: "global memory", isa.SCRATCH: "scratch memory",
}

// place returns the name of the memory that the instruction accesses.
func (x *Inst) place() string {
	switch {
	case x.Inst.Bool(isa.GDS):
		return "GDS"
	case x.row().Has(isa.BufferBase):
		return "the buffer"
	}
	return places[x.row().Enc]
}

// whose tells whether each lane or the wave moves the data.
func (x *Inst) whose() string { return either(x.row().Enc == isa.SMEM, "for the wave", "a lane") }

// accesses describes the memory operation of an instruction with traits m.
func (x *Inst) accesses(m *isa.Mem) string {
	switch m.Op {
	case gcn.Load:
		return x.loads(m)
	case gcn.Store:
		return fmt.Sprintf("stores %s %s to %s", x.amount(m), x.whose(),
			x.place()) + x.conversion(m) + when(m.D16 == isa.HighHalf, ", taken from bits 31:16")
	}
	size := int(m.Elem) * int(m.Count)
	if x.Inst.Enc == isa.MIMG { // DMASK selects them (rule IM5)
		size = max(4*bits.OnesCount32(x.Inst.Get(isa.DMASK))/int(m.Dwords), size)
	}
	moved := fmt.Sprintf("%s %s in %s", plural.Of(size, "byte"), x.whose(), x.place())
	switch {
	case m.InLDS && m.Atomic == isa.NoAtomic: // ds_write_src2
		return "copies " + moved + " from another place there; returns nothing"
	case m.InLDS:
		return fmt.Sprintf("atomic %v of %s, with an operand that lies there, too; returns nothing", m.Atomic, moved)
	}
	text := fmt.Sprintf("atomic %v of %s; ", m.Atomic, moved)
	switch {
	case m.Ret:
		return text + "returns the old value"
	case x.Inst.Bool(isa.GLC):
		return text + "returns the old value because GLC is set"
	case x.row().Enc == isa.DS:
		return text + "returns nothing"
	}
	return text + "returns nothing because GLC is not set"
}

// loads does what [Inst.accesses] does, for a load.
func (x *Inst) loads(m *isa.Mem) string {
	verb := "loads"
	switch {
	case x.row().Has(isa.Gathers):
		return "returns a component of four texels a lane of the image, not filtered"
	case x.row().Has(isa.Sampler):
		verb = "samples"
	}
	text := fmt.Sprintf("%s %s %s from %s", verb, x.amount(m), x.whose(), x.place())
	if m.Elem < 4 && !m.Format && m.D16 == isa.Full {
		text += either(m.Signed, ", sign-extended", ", zero-extended")
	}
	if x.Inst.Enc == isa.MUBUF && x.Inst.Bool(isa.LDS) {
		text += " into LDS at M0[15:0] + lane*4"
	}
	text += x.conversion(m)
	switch m.D16 {
	case isa.LowHalf:
		text += " into bits 15:0; bits 31:16 are kept"
	case isa.HighHalf:
		text += " into bits 31:16; bits 15:0 are kept"
	}
	return text
}

// amount returns the amount of data: "4 dwords", "2 bytes", "3 components".
func (x *Inst) amount(m *isa.Mem) string {
	switch {
	case x.Inst.Enc == isa.MIMG:
		return plural.Of(max(bits.OnesCount32(x.Inst.Get(isa.DMASK)), 1), either(m.Format, "component", "dword"))
	case m.Format:
		return plural.Of(int(m.Count), "component")
	case x.row().Has(isa.Two):
		return fmt.Sprintf("2 times %s, at two addresses,", plural.Of(int(m.Elem), "byte"))
	case m.Elem == 4:
		return plural.Of(int(m.Count), "dword")
	}
	return plural.Of(int(m.Elem)*int(m.Count), "byte")
}

// conversion names the format by which the data are converted.
func (x *Inst) conversion(m *isa.Mem) string {
	switch {
	case !m.Format || x.Inst.Enc == isa.MIMG:
		return ""
	case x.Inst.Enc == isa.MTBUF:
		return fmt.Sprintf(", converted by the format %s %s", formatName(x.Inst.Get(isa.DFMT)),
			numFormat(x.Inst.Target.Gen(), x.Inst.Get(isa.NFMT)))
	}
	return ", converted by the format in the V#"
}

// computes describes an instruction that does not access memory by its operands and by the result in its row.
func (x *Inst) computes() string {
	switch x.row().Enc {
	case isa.EXP:
		return "exports VGPRs to " + asm.FormatField(gcn.Inst(x.Inst), isa.TGT)
	case isa.SOPP:
		if text, used := x.meaning(isa.SIMM16); used {
			return x.row().Does + ": " + text
		}
		return x.row().Does
	}
	result := x.result()
	dst, src := x.dataflow(result)
	scope := "for each lane of EXEC: "
	if x.row().Enc <= isa.SOPK || x.row().Has(isa.ScalarDst) || x.row().Has(isa.ScalarSrc1) {
		scope = "for the wave: "
	}
	switch {
	case len(dst) > 0 && len(src) > 0:
		return scope + "writes " + strings.Join(dst, " and ") + " from " + strings.Join(src, ", ") + ": " + result
	case len(dst) > 0:
		return scope + "writes " + strings.Join(dst, " and ") + ": " + result
	case len(src) > 0:
		return scope + "reads " + strings.Join(src, ", ") + ": " + result
	}
	return result
}

// result describes the result as a function of the sources S0 to S2.
func (x *Inst) result() string {
	switch r := x.row(); {
	case r.Half != 0:
		return "of each half " + isa.RowOf(r.Half).Does
	case r.Enc == isa.VOPC:
		return "1 " + where(r.Cond, r.Sig.Src[0].Info().Float)
	case r.Cond != 0:
		relation, _ := strings.CutPrefix(where(r.Cond, false), "where ")
		return "SCC: " + relation
	default:
		return r.Does
	}
}

// relations are the outcomes of a comparison without NaN.
var relations = [...]string{
	isa.CondLess: "S0 < S1", isa.CondEqual: "S0 == S1", isa.CondLessEqual: "S0 <= S1", isa.CondGreater: "S0 > S1",
	isa.CondUnequal: "S0 != S1", isa.CondGreaterEqual: "S0 >= S1",
	isa.CondLessEqual | isa.CondGreater: "neither S0 nor S1 is NaN",
}

// where describes when a condition is true.
func where(c isa.Cond, float bool) string {
	const ordered = isa.CondLessEqual | isa.CondGreater
	switch c {
	case 0:
		return "nowhere"
	case ordered | isa.CondUnordered:
		return "everywhere"
	case isa.CondUnordered:
		return "where S0 or S1 is NaN"
	case isa.CondClass:
		return "where S0 is of a class that S1 names"
	}
	text := "where " + relations[c&^isa.CondUnordered]
	switch {
	case c&isa.CondUnordered != 0:
		return text + " or one is NaN"
	case c == isa.CondUnequal && float:
		return text + " and neither is NaN"
	}
	return text
}

// dataflow returns the operands that are written and read, including constants, by the names that the result uses.
func (x *Inst) dataflow(result string) (dst, src []string) {
	in, sources := x.Inst, 0
	named := func(text string) string {
		name := fmt.Sprintf("S%d", sources)
		sources++
		if !strings.Contains(result, name) {
			return text
		}
		return name + " = " + text
	}
	for _, o := range in.Operands(nil) {
		text := asm.FormatOperand(gcn.Inst(in), o)
		if o.Type != isa.None {
			text += " (" + o.Type.String() + ")"
		}
		if o.Write {
			dst = append(dst, text)
		}
		if o.Read {
			if !o.Write || x.row().Has(isa.Swaps) && o.Field == isa.SRC0 {
				text = named(text)
			}
			src = append(src, text)
		}
	}
	imm, used := x.meaning(isa.SIMM16)
	switch {
	case !in.Has(isa.SIMM16) || !used || x.row().Has(isa.Branch):
	case x.row().Imm == isa.HwregImm && x.row().Sig.Dst == isa.None:
		dst = append(dst, imm)
	default:
		src = append(src, named(imm))
	}
	if x.row().Imm == isa.IndexImm && in.Has(isa.SSRC1) {
		src = append(src, asm.FormatField(gcn.Inst(in), isa.SSRC1))
	}
	if x.row().Has(isa.LiteralK) {
		src = append(src, fmt.Sprintf("0x%x", in.Get(isa.LITERAL)))
	}
	return dst, src
}
