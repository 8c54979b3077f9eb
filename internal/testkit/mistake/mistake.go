// Package mistake changes instructions as a faulty compiler might.
package mistake

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// Mistake is what a faulty compiler may do to an instruction without a change of its size.
type Mistake struct {
	Name string
	// Make returns in with the mistake; ok is false if in has no place for it.
	Make func(in gcn.Inst, r *rand.Rand) (wrong gcn.Inst, ok bool)
}

// In returns an instruction with the mistake, of the same size; ok is false if it has no place for it.
func (m *Mistake) In(in gcn.Inst, r *rand.Rand) (wrong gcn.Inst, ok bool) {
	wrong, ok = m.Make(in, r)
	if !ok || wrong == in || wrong.Size != in.Size {
		return in, false
	}
	words, n := wrong.Encode()
	if n == 0 {
		return in, false
	}
	back, err := in.Target.Decode(words[:n])
	return wrong, err == nil && back == wrong
}

// renamed returns in as the instruction of another mnemonic with the same fields.
func renamed(in gcn.Inst, name string) (gcn.Inst, bool) {
	ops, _ := gcn.Lookup(name, in.Target)
	for _, op := range ops {
		out, err := gcn.New(in.Target, op, in.Enc)
		if err != nil {
			continue
		}
		for f := range gcn.Field(gcn.NumFields) {
			if !in.Has(f) || f == gcn.LITERAL && in.Size == 4 {
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

// pairs renames by a table; each name of a pair becomes the other one.
func pairs(table ...[2]string) func(gcn.Inst, *rand.Rand) (gcn.Inst, bool) {
	return func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
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

// moved adds something to a field.
func moved(in gcn.Inst, f gcn.Field, by int64) (gcn.Inst, bool) {
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
func swapped(in gcn.Inst, a, b gcn.Field) (gcn.Inst, bool) {
	x, y := in.Get(a), in.Get(b)
	if in.Has(gcn.SRC0) && b == gcn.VSRC1 { // a VGPR in nine bits, in eight
		if x < gcn.VGPR0 {
			return in, false
		}
		x, y = x-gcn.VGPR0, y+gcn.VGPR0
	}
	if x == y || x == y-gcn.VGPR0 {
		return in, false
	}
	out, err := in.Set(a, int64(y))
	if err == nil {
		out, err = out.Set(b, int64(x))
	}
	return out, err == nil
}

// All are mistakes of which each changes what a kind of instruction means.
var All = []Mistake{
	{"wrong offset", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		if in.Row().Mem.Op == gcn.NoMem {
			return in, false
		}
		if in.Has(gcn.OFFSET0) && in.Row().Has(gcn.Two) {
			return moved(in, gcn.OFFSET0, 1)
		}
		by := int64(4)
		if in.Enc == gcn.SMEM && in.Target.Gen() < gcn.GCN12 {
			by = 1
		}
		return moved(in, gcn.OFFSET, by<<r.IntN(2))
	}},
	{"wrong mask", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		name := in.Row().Name
		if !strings.Contains(name, "_and_b32") && !strings.Contains(name, "_bfe_") && !strings.Contains(name, "lshl") &&
			!strings.Contains(name, "lshr") {
			return in, false
		}
		if in.Size == 8 && in.Has(gcn.LITERAL) && in.Get(gcn.LITERAL) != 0 {
			out, err := in.Set(gcn.LITERAL, int64(in.Get(gcn.LITERAL)^1<<r.IntN(8)))
			return out, err == nil
		}
		for _, f := range []gcn.Field{gcn.SRC0, gcn.SSRC0, gcn.SSRC1, gcn.SRC1, gcn.SRC2} {
			if code := in.Get(f); in.Has(f) && code > gcn.ConstZero && code < gcn.ConstNeg1-1 {
				return moved(in, f, 1)
			}
		}
		return in, false
	}},
	{"dropped carry", pairs([2]string{"v_addc_u32", "v_add_u32"}, [2]string{"v_addc_co_u32", "v_add_co_u32"}, [2]string{"v_addc_u32", "v_add_i32"},
		[2]string{"v_subb_co_u32", "v_sub_co_u32"}, [2]string{"s_addc_u32", "s_add_u32"},
		[2]string{"s_subb_u32", "s_sub_u32"})},
	{"swapped operands", func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
		switch in.Row().Enc {
		case gcn.SOP2, gcn.SOPC:
			return swapped(in, gcn.SSRC0, gcn.SSRC1)
		case gcn.VOP2, gcn.VOPC, gcn.VOP3A:
			if in.Has(gcn.VSRC1) {
				return swapped(in, gcn.SRC0, gcn.VSRC1)
			}
			return swapped(in, gcn.SRC0, gcn.SRC1)
		}
		return in, false
	}},
	{"wrong swizzle", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		switch {
		case in.Has(gcn.DPPCTRL):
			return moved(in, gcn.DPPCTRL, 1)
		case in.Has(gcn.SRC0SEL):
			out, err := in.Set(gcn.SRC0SEL, int64(in.Get(gcn.SRC0SEL)+1)%6)
			return out, err == nil
		case in.Row().Name == "ds_swizzle_b32":
			out, err := in.Set(gcn.OFFSET, int64(in.Get(gcn.OFFSET)^1<<10))
			return out, err == nil
		case strings.HasPrefix(in.Row().Name, "v_cvt_f32_ubyte"):
			return renamed(in, fmt.Sprintf("v_cvt_f32_ubyte%d", (in.Row().Name[15]-'0'+1)%4))
		case in.Row().Has(gcn.Two) && in.Enc == gcn.DS:
			return swapped(in, gcn.OFFSET0, gcn.OFFSET1)
		case in.Enc == gcn.VOP3P:
			out, err := in.Set(gcn.OPSEL, int64(in.Get(gcn.OPSEL)^1))
			return out, err == nil
		case in.Row().Name == "v_perm_b32" || in.Row().Name == "v_alignbyte_b32" || in.Row().Name == "v_alignbit_b32":
			return swapped(in, gcn.SRC0, gcn.SRC1)
		}
		return in, false
	}},
	{"dropped wait", func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
		if in.Row().Name != "s_waitcnt" {
			return in, false
		}
		return renamed(in, "s_nop")
	}},
	{"wrong EXEC", func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
		writes := slices.ContainsFunc(in.Effects(nil),
			func(f gcn.Effect) bool { return f.Write && f.File == gcn.SReg && f.Code == gcn.EXEC })
		if !writes {
			return in, false
		}
		return pairs([2]string{"s_or_b64", "s_and_b64"}, [2]string{"s_and_saveexec_b64", "s_xor_saveexec_b64"},
			[2]string{"s_andn2_b64", "s_and_b64"}, [2]string{"s_xor_b64", "s_or_b64"},
			[2]string{"s_or_saveexec_b64", "s_and_saveexec_b64"}, [2]string{"s_mov_b64", "s_not_b64"})(in, nil)
	}},
}

// opcodes is at which bit of its first dword an encoding has the opcode; VOP3 one higher before GCN 1.2.
var opcodes = map[gcn.Encoding]int{gcn.SOP2: 23, gcn.SOP1: 8, gcn.SOPC: 16, gcn.VOP1: 9, gcn.VOP2: 25, gcn.VOPC: 17,
	gcn.VOP3A: 16, gcn.VOP3P: 16}

// Anywhere are mistakes that most instructions have a place for.
var Anywhere = []Mistake{
	{"other opcode", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		shift, ok := opcodes[in.Enc]
		if in.Enc == gcn.VOP3A && in.Target.Gen() < gcn.GCN12 {
			shift++
		}
		words, n := in.Encode()
		words[0] += uint32(r.IntN(3)-1) << shift
		out, err := in.Target.Decode(words[:n])
		return out, ok && err == nil && out.Enc == in.Enc
	}},
	{"other operand", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		return moved(in, []gcn.Field{gcn.SRC0, gcn.SRC1, gcn.VSRC1, gcn.SSRC0, gcn.SSRC1, gcn.VDST, gcn.SDST, gcn.ADDR,
			gcn.VDATA}[r.IntN(9)], 1)
	}},
	{"other constant", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		if in.Size == 8 && in.Has(gcn.LITERAL) && in.Get(gcn.LITERAL) != 0 {
			out, err := in.Set(gcn.LITERAL, int64(in.Get(gcn.LITERAL)^1<<r.IntN(32)))
			return out, err == nil
		}
		for _, f := range []gcn.Field{gcn.SRC0, gcn.SSRC0, gcn.SSRC1, gcn.SRC1, gcn.SRC2} {
			if code := in.Get(f); in.Has(f) && code >= gcn.ConstZero && code < 248 {
				return moved(in, f, 1)
			}
		}
		return in, false
	}},
	{"dropped", func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
		if in.Size != 4 {
			return in, false
		}
		nop, err := in.Target.Decode([]uint32{0xbf800000})
		return nop, err == nil
	}},
}
