package explain

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// does says what the instruction does: in the words of its row, if it has some, or what it
// moves to or from memory, or from which operands it computes what.
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

// places names the memory that an encoding reaches.
var places = [gcn.NumEncodings]string{
	gcn.SMEM: "memory", gcn.DS: "LDS", gcn.MUBUF: "the buffer", gcn.MTBUF: "the buffer", gcn.MIMG: "the image",
	gcn.FLAT: "global, LDS or scratch memory", gcn.GLOBAL: "global memory", gcn.SCRATCH: "scratch memory",
}

// place names the memory that the instruction reaches.
func (x *Inst) place() string {
	switch {
	case x.Inst.Bool(gcn.GDS):
		return "GDS"
	case x.row().Has(gcn.BufferBase):
		return "the buffer"
	}
	return places[x.row().Enc]
}

// whose says whether a lane or the wave moves the data.
func (x *Inst) whose() string { return either(x.row().Enc == gcn.SMEM, "for the wave", "a lane") }

// accesses says what an instruction with the traits m does to memory.
func (x *Inst) accesses(m *gcn.Mem) string {
	switch m.Op {
	case gcn.Load:
		return x.loads(m)
	case gcn.Store:
		return fmt.Sprintf("stores %s %s to %s", x.amount(m), x.whose(),
			x.place()) + x.conversion(m) + when(m.D16 == gcn.HighHalf, ", taken from bits 31:16")
	}
	size := int(m.Elem) * int(m.Count)
	if x.Inst.Enc == gcn.MIMG { // DMASK says which (rule IM5)
		size = max(4*bits.OnesCount32(x.Inst.Get(gcn.DMASK))/int(m.Dwords), size)
	}
	moved := fmt.Sprintf("%s %s in %s", plural.Of(size, "byte"), x.whose(), x.place())
	switch {
	case m.InLDS && m.Atomic == gcn.NoAtomic: // ds_write_src2
		return "copies " + moved + " from another place there; returns nothing"
	case m.InLDS:
		return fmt.Sprintf("atomic %v of %s, with an operand that lies there, too; returns nothing", m.Atomic, moved)
	}
	text := fmt.Sprintf("atomic %v of %s; ", m.Atomic, moved)
	switch {
	case m.Ret:
		return text + "returns the old value"
	case x.Inst.Bool(gcn.GLC):
		return text + "returns the old value because GLC is set"
	case x.row().Enc == gcn.DS:
		return text + "returns nothing"
	}
	return text + "returns nothing because GLC is not set"
}

// loads is [Inst.accesses] of a load.
func (x *Inst) loads(m *gcn.Mem) string {
	verb := "loads"
	switch {
	case x.row().Has(gcn.Gathers):
		return "returns a component of four texels a lane of the image, not filtered"
	case x.row().Has(gcn.Sampler):
		verb = "samples"
	}
	text := fmt.Sprintf("%s %s %s from %s", verb, x.amount(m), x.whose(), x.place())
	if m.Elem < 4 && !m.Format && m.D16 == gcn.Full {
		text += either(m.Signed, ", sign-extended", ", zero-extended")
	}
	if x.Inst.Enc == gcn.MUBUF && x.Inst.Bool(gcn.LDS) {
		text += " into LDS at M0[15:0] + lane*4"
	}
	text += x.conversion(m)
	switch m.D16 {
	case gcn.LowHalf:
		text += " into bits 15:0; bits 31:16 are kept"
	case gcn.HighHalf:
		text += " into bits 31:16; bits 15:0 are kept"
	}
	return text
}

// amount says how much moves: "4 dwords", "2 bytes", "3 components".
func (x *Inst) amount(m *gcn.Mem) string {
	switch {
	case x.Inst.Enc == gcn.MIMG:
		return plural.Of(max(bits.OnesCount32(x.Inst.Get(gcn.DMASK)), 1), either(m.Format, "component", "dword"))
	case m.Format:
		return plural.Of(int(m.Count), "component")
	case x.row().Has(gcn.Two):
		return fmt.Sprintf("2 times %s, at two addresses,", plural.Of(int(m.Elem), "byte"))
	case m.Elem == 4:
		return plural.Of(int(m.Count), "dword")
	}
	return plural.Of(int(m.Elem)*int(m.Count), "byte")
}

// conversion says which format the data are converted by.
func (x *Inst) conversion(m *gcn.Mem) string {
	switch {
	case !m.Format || x.Inst.Enc == gcn.MIMG:
		return ""
	case x.Inst.Enc == gcn.MTBUF:
		return fmt.Sprintf(", converted by the format %s %s", formatName(x.Inst.Get(gcn.DFMT)),
			numFormat(x.Inst.Target.Gen(), x.Inst.Get(gcn.NFMT)))
	}
	return ", converted by the format in the V#"
}

// computes describes an instruction that does not reach memory by its operands, and by what
// its row says that it makes of them.
func (x *Inst) computes() string {
	switch x.row().Enc {
	case gcn.EXP:
		return "exports VGPRs to " + asm.FormatField(x.Inst, gcn.TGT)
	case gcn.SOPP:
		if text, used := x.meaning(gcn.SIMM16); used {
			return x.row().Does + ": " + text
		}
		return x.row().Does
	}
	result := x.result()
	dst, src := x.dataflow(result)
	scope := "for each lane of EXEC: "
	if x.row().Enc <= gcn.SOPK || x.row().Has(gcn.ScalarDst) || x.row().Has(gcn.ScalarSrc1) {
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

// result says what the instruction makes of its sources S0 to S2.
func (x *Inst) result() string {
	switch r := x.row(); {
	case r.Half != 0:
		return "of each half " + r.Half.Row().Does
	case r.Enc == gcn.VOPC:
		return "1 " + where(r.Cond, r.Sig.Src[0].Info().Float)
	case r.Cond != 0:
		relation, _ := strings.CutPrefix(where(r.Cond, false), "where ")
		return "SCC: " + relation
	default:
		return r.Does
	}
}

// relations are the outcomes of a compare that are not NaN.
var relations = [...]string{
	gcn.CondLess: "S0 < S1", gcn.CondEqual: "S0 == S1", gcn.CondLessEqual: "S0 <= S1", gcn.CondGreater: "S0 > S1",
	gcn.CondUnequal: "S0 != S1", gcn.CondGreaterEqual: "S0 >= S1",
	gcn.CondLessEqual | gcn.CondGreater: "neither S0 nor S1 is NaN",
}

// where says where a condition holds.
func where(c gcn.Cond, float bool) string {
	const ordered = gcn.CondLessEqual | gcn.CondGreater
	switch c {
	case 0:
		return "nowhere"
	case ordered | gcn.CondUnordered:
		return "everywhere"
	case gcn.CondUnordered:
		return "where S0 or S1 is NaN"
	case gcn.CondClass:
		return "where S0 is of a class that S1 names"
	}
	text := "where " + relations[c&^gcn.CondUnordered]
	switch {
	case c&gcn.CondUnordered != 0:
		return text + " or one is NaN"
	case c == gcn.CondUnequal && float:
		return text + " and neither is NaN"
	}
	return text
}

// dataflow returns what is written and what is read, constants included, by the names that the
// result has for its sources.
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
		text := asm.FormatOperand(in, o)
		if o.Type != gcn.None {
			text += " (" + o.Type.String() + ")"
		}
		if o.Write {
			dst = append(dst, text)
		}
		if o.Read {
			if !o.Write || x.row().Has(gcn.Swaps) && o.Field == gcn.SRC0 {
				text = named(text)
			}
			src = append(src, text)
		}
	}
	imm, used := x.meaning(gcn.SIMM16)
	switch {
	case !in.Has(gcn.SIMM16) || !used || x.row().Has(gcn.Branch):
	case x.row().Imm == gcn.HwregImm && x.row().Sig.Dst == gcn.None:
		dst = append(dst, imm)
	default:
		src = append(src, named(imm))
	}
	if x.row().Imm == gcn.IndexImm && in.Has(gcn.SSRC1) {
		src = append(src, asm.FormatField(in, gcn.SSRC1))
	}
	if x.row().Has(gcn.LiteralK) {
		src = append(src, fmt.Sprintf("0x%x", in.Get(gcn.LITERAL)))
	}
	return dst, src
}
