// Package mistake modifies instructions in ways in which a faulty compiler might.
package mistake

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Mistake is a modification that keeps the instruction's size.
type Mistake struct {
	Name string
	// Make returns in with the mistake. ok is false if the mistake cannot be made in it.
	Make func(in isa.Inst, r *rand.Rand) (wrong isa.Inst, ok bool)
}

// In returns in with the mistake, if the result has the same size. ok is false if the mistake cannot be made in it.
func (m *Mistake) In(in isa.Inst, r *rand.Rand) (wrong isa.Inst, ok bool) {
	wrong, ok = m.Make(in, r)
	if !ok || wrong == in || wrong.Size != in.Size {
		return in, false
	}
	words, n := wrong.Encode()
	if n == 0 {
		return in, false
	}
	back, err := isa.Decode(in.Target, words[:n])
	return wrong, err == nil && back == wrong
}

// renamed returns the instruction with another mnemonic and the same fields.
func renamed(in isa.Inst, name string) (isa.Inst, bool) {
	ops, _ := isa.Lookup(name, in.Target)
	for _, op := range ops {
		out, err := isa.New(in.Target, op, in.Enc)
		if err != nil {
			continue
		}
		for f := range isa.Field(isa.NumFields) {
			if !in.Has(f) || f == isa.LITERAL && in.Size == 4 {
				continue
			}
			if out, err = out.Set(f, int64(in.Int(f))); err != nil {
				return in, false
			}
		}
		out.Size = in.Size
		return out, true
	}
	return in, false
}

// pairs returns a mistake that exchanges mnemonics: each name of a pair becomes the other one.
func pairs(table ...[2]string) func(isa.Inst, *rand.Rand) (isa.Inst, bool) {
	return func(in isa.Inst, _ *rand.Rand) (isa.Inst, bool) {
		for _, p := range table {
			for i, name := range p {
				if in.Row().Name == name {
					return renamed(in, p[1-i])
				}
			}
		}
		return in, false
	}
}

// moved adds by to a field.
func moved(in isa.Inst, f isa.Field, by int64) (isa.Inst, bool) {
	if !in.Has(f) {
		return in, false
	}
	for _, n := range []int64{by, -by} {
		if out, err := in.Set(f, int64(in.Int(f))+n); err == nil {
			return out, true
		}
	}
	return in, false
}

// swapped exchanges two fields.
func swapped(in isa.Inst, a, b isa.Field) (isa.Inst, bool) {
	x, y := in.Get(a), in.Get(b)
	if in.Has(isa.SRC0) && b == isa.VSRC1 { // SRC0 encodes a VGPR in nine bits, VSRC1 in eight
		if x < isa.VGPR0 {
			return in, false
		}
		x, y = x-isa.VGPR0, y+isa.VGPR0
	}
	if x == y || x == y-isa.VGPR0 {
		return in, false
	}
	out, err := in.Set(a, int64(y))
	if err == nil {
		out, err = out.Set(b, int64(x))
	}
	return out, err == nil
}

// All are the mistakes. Each changes the behaviour of one kind of instruction.
var All = []Mistake{
	{"wrong offset", func(in isa.Inst, r *rand.Rand) (isa.Inst, bool) {
		if in.Row().Mem.Op == gcn.NoMem {
			return in, false
		}
		if in.Has(isa.OFFSET0) && in.Row().Has(isa.Two) {
			return moved(in, isa.OFFSET0, 1)
		}
		by := int64(4)
		if in.Enc == isa.SMEM && in.Target.Gen() < gcn.GCN12 {
			by = 1
		}
		return moved(in, isa.OFFSET, by<<r.IntN(2))
	}},
	{"wrong mask", func(in isa.Inst, r *rand.Rand) (isa.Inst, bool) {
		name := in.Row().Name
		if !strings.Contains(name, "_and_b32") && !strings.Contains(name, "_bfe_") && !strings.Contains(name, "lshl") &&
			!strings.Contains(name, "lshr") {
			return in, false
		}
		if in.Size == 8 && in.Has(isa.LITERAL) && in.Get(isa.LITERAL) != 0 {
			out, err := in.Set(isa.LITERAL, int64(in.Get(isa.LITERAL)^1<<r.IntN(8)))
			return out, err == nil
		}
		for _, f := range []isa.Field{isa.SRC0, isa.SSRC0, isa.SSRC1, isa.SRC1, isa.SRC2} {
			if code := in.Get(f); in.Has(f) && code > isa.ConstZero && code < isa.ConstNeg1-1 {
				return moved(in, f, 1)
			}
		}
		return in, false
	}},
	{"dropped carry", pairs([2]string{"v_addc_u32", "v_add_u32"}, [2]string{"v_addc_co_u32", "v_add_co_u32"}, [2]string{"v_addc_u32", "v_add_i32"},
		[2]string{"v_subb_co_u32", "v_sub_co_u32"}, [2]string{"s_addc_u32", "s_add_u32"},
		[2]string{"s_subb_u32", "s_sub_u32"})},
	{"swapped operands", func(in isa.Inst, _ *rand.Rand) (isa.Inst, bool) {
		switch in.Row().Enc {
		case isa.SOP2, isa.SOPC:
			return swapped(in, isa.SSRC0, isa.SSRC1)
		case isa.VOP2, isa.VOPC, isa.VOP3A:
			if in.Has(isa.VSRC1) {
				return swapped(in, isa.SRC0, isa.VSRC1)
			}
			return swapped(in, isa.SRC0, isa.SRC1)
		}
		return in, false
	}},
	{"wrong swizzle", func(in isa.Inst, r *rand.Rand) (isa.Inst, bool) {
		switch {
		case in.Has(isa.DPPCTRL):
			return moved(in, isa.DPPCTRL, 1)
		case in.Has(isa.SRC0SEL):
			out, err := in.Set(isa.SRC0SEL, int64(in.Get(isa.SRC0SEL)+1)%6)
			return out, err == nil
		case in.Row().Name == "ds_swizzle_b32":
			out, err := in.Set(isa.OFFSET, int64(in.Get(isa.OFFSET)^1<<10))
			return out, err == nil
		case strings.HasPrefix(in.Row().Name, "v_cvt_f32_ubyte"):
			return renamed(in, fmt.Sprintf("v_cvt_f32_ubyte%d", (in.Row().Name[15]-'0'+1)%4))
		case in.Row().Has(isa.Two) && in.Enc == isa.DS:
			return swapped(in, isa.OFFSET0, isa.OFFSET1)
		case in.Enc == isa.VOP3P:
			out, err := in.Set(isa.OPSEL, int64(in.Get(isa.OPSEL)^1))
			return out, err == nil
		case in.Row().Name == "v_perm_b32" || in.Row().Name == "v_alignbyte_b32" || in.Row().Name == "v_alignbit_b32":
			return swapped(in, isa.SRC0, isa.SRC1)
		}
		return in, false
	}},
	{"dropped wait", func(in isa.Inst, _ *rand.Rand) (isa.Inst, bool) {
		if in.Row().Name != "s_waitcnt" {
			return in, false
		}
		return renamed(in, "s_nop")
	}},
	{"wrong EXEC", func(in isa.Inst, _ *rand.Rand) (isa.Inst, bool) {
		writes := slices.ContainsFunc(in.Effects(nil),
			func(f isa.Effect) bool { return f.Write && f.File == isa.SReg && f.Code == gcn.EXEC })
		if !writes {
			return in, false
		}
		return pairs([2]string{"s_or_b64", "s_and_b64"}, [2]string{"s_and_saveexec_b64", "s_xor_saveexec_b64"},
			[2]string{"s_andn2_b64", "s_and_b64"}, [2]string{"s_xor_b64", "s_or_b64"},
			[2]string{"s_or_saveexec_b64", "s_and_saveexec_b64"}, [2]string{"s_mov_b64", "s_not_b64"})(in, nil)
	}},
}

// opcodes is the bit position of the opcode in an encoding's first dword. For VOP3 it is one higher before GCN 1.2.
var opcodes = map[gcn.Encoding]int{isa.SOP2: 23, isa.SOP1: 8, isa.SOPC: 16, isa.VOP1: 9, isa.VOP2: 25, isa.VOPC: 17,
	isa.VOP3A: 16, isa.VOP3P: 16}

// Anywhere are mistakes that can be made in most instructions.
var Anywhere = []Mistake{
	{"other opcode", func(in isa.Inst, r *rand.Rand) (isa.Inst, bool) {
		shift, ok := opcodes[in.Enc]
		if in.Enc == isa.VOP3A && in.Target.Gen() < gcn.GCN12 {
			shift++
		}
		words, n := in.Encode()
		words[0] += uint32(r.IntN(3)-1) << shift
		out, err := isa.Decode(in.Target, words[:n])
		return out, ok && err == nil && out.Enc == in.Enc
	}},
	{"other operand", func(in isa.Inst, r *rand.Rand) (isa.Inst, bool) {
		return moved(in, []isa.Field{isa.SRC0, isa.SRC1, isa.VSRC1, isa.SSRC0, isa.SSRC1, isa.VDST, isa.SDST, isa.ADDR,
			isa.VDATA}[r.IntN(9)], 1)
	}},
	{"other constant", func(in isa.Inst, r *rand.Rand) (isa.Inst, bool) {
		if in.Size == 8 && in.Has(isa.LITERAL) && in.Get(isa.LITERAL) != 0 {
			out, err := in.Set(isa.LITERAL, int64(in.Get(isa.LITERAL)^1<<r.IntN(32)))
			return out, err == nil
		}
		for _, f := range []isa.Field{isa.SRC0, isa.SSRC0, isa.SSRC1, isa.SRC1, isa.SRC2} {
			if code := in.Get(f); in.Has(f) && code >= isa.ConstZero && code < 248 {
				return moved(in, f, 1)
			}
		}
		return in, false
	}},
	{"dropped", func(in isa.Inst, _ *rand.Rand) (isa.Inst, bool) {
		if in.Size != 4 {
			return in, false
		}
		nop, err := isa.Decode(in.Target, []uint32{0xbf800000})
		return nop, err == nil
	}},
}
