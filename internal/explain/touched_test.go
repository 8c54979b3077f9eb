package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestInstructionTouches: what an instruction reads, writes and counts without naming it,
// all of it.
func TestInstructionTouches(t *testing.T) {
	for _, c := range []struct {
		target gcn.Target
		text   string
		want   []string
	}{
		{gcn.GFX600, "buffer_store_dword v1, v0, s[0:3], 0 offen", []string{"counted by vmcnt and expcnt"}},
		{gcn.GFX701, "buffer_store_dword v1, v0, s[0:3], 0 offen", []string{"counted by vmcnt"}},
		{gcn.GFX600, "buffer_load_dword v1, v0, s[0:3], 0 offen", []string{"counted by vmcnt"}},
		{gcn.GFX600, "buffer_atomic_add v1, v0, s[0:3], 0 idxen", []string{"counted by vmcnt and expcnt"}},
		{gcn.GFX600, "image_store v[2:5], v[0:1], s[0:7] dmask:0xf unorm", []string{"counted by vmcnt and expcnt"}},
		{gcn.GFX803, "ds_add_u32 v0, v1 gds", []string{"reads M0: base in bits 31:16, size in bits 15:0", "counted by expcnt and lgkmcnt"}},
		{gcn.GFX803, "ds_add_u32 v0, v1", []string{"reads M0: the limit of LDS addresses in bytes", "counted by lgkmcnt"}},
		{gcn.GFX900, "ds_add_u32 v0, v1", []string{"counted by lgkmcnt"}},
		{gcn.GFX803, "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)", []string{"counted by lgkmcnt"}},
		{gcn.GFX803, "ds_permute_b32 v0, v1, v2", []string{"counted by lgkmcnt"}},
		{gcn.GFX803, "ds_bpermute_b32 v0, v1, v2", []string{"counted by lgkmcnt"}},
		{gcn.GFX803, "ds_append v0", []string{"reads M0: base in bits 15:0", "counted by lgkmcnt"}},
		{gcn.GFX900, "ds_consume v0 gds", []string{"reads M0: base in bits 31:16", "counted by expcnt and lgkmcnt"}},
		{gcn.GFX900, "ds_ordered_count v0, v1 gds", []string{"reads M0: base in bits 31:16", "counted by expcnt and lgkmcnt"}},
		{gcn.GFX900, "ds_read_addtid_b32 v0", []string{"reads M0: the LDS address in bits 15:0", "counted by lgkmcnt"}},
		{gcn.GFX803, "ds_gws_barrier v0 gds", []string{"reads M0: the resource in bits 21:16", "counted by expcnt and lgkmcnt"}},
		{gcn.GFX803, "buffer_load_dword off, s[0:3], 0 lds", []string{"reads M0: the LDS address in bits 15:0", "counted by vmcnt"}},
		{gcn.GFX701, "flat_load_dword v0, v[2:3]", []string{"reads FLAT_SCRATCH", "reads M0: the limit of LDS addresses in bytes", "counted by vmcnt and lgkmcnt"}},
		{gcn.GFX900, "flat_load_dword v0, v[2:3]", []string{"reads FLAT_SCRATCH", "counted by vmcnt and lgkmcnt"}},
		{gcn.GFX900, "global_store_dword v[2:3], v0, off", []string{"counted by vmcnt"}},
		{gcn.GFX900, "scratch_load_dword v0, v1, off", []string{"reads FLAT_SCRATCH", "counted by vmcnt"}},
		{gcn.GFX803, "s_load_dword s0, s[2:3], 0", []string{"counted by lgkmcnt"}},
		{gcn.GFX803, "s_load_dwordx4 s[0:3], s[2:3], 0", []string{"counted by lgkmcnt (2)"}},
		{gcn.GFX803, "s_sendmsg sendmsg(MSG_INTERRUPT)", []string{"reads M0: the data of the message", "counted by lgkmcnt"}},
		{gcn.GFX803, "exp mrt0 v0, v1, off, off done vm", []string{"counted by expcnt"}},
		{gcn.GFX803, "s_set_gpr_idx_on s1, gpr_idx(SRC0,DST)", []string{"writes M0", "writes MODE",
			"can reach VGPRs that it does not name, or lets later instructions do so", "reads M0: an index of registers"}},
		{gcn.GFX803, "s_and_saveexec_b64 s[0:1], s[2:3]", []string{"reads EXEC", "writes SCC", "writes EXEC"}},
		{gcn.GFX803, "s_setpc_b64 s[0:1]", []string{"may branch"}},
		{gcn.GFX803, "s_cbranch_vccz 1", []string{"reads VCCZ", "may branch"}},
		{gcn.GFX803, "v_div_fmas_f32 v0, v1, v2, v3", []string{"reads VCC, one bit a lane"}},
		{gcn.GFX803, "v_add_f32 v0, lds_direct, v1", []string{"reads M0: the LDS address of the operand in bits 15:0, its type in bits 18:16"}},
		{gcn.GFX803, "s_mov_b32 s0, scc", []string{"reads SCC"}},
		{gcn.GFX803, "v_interp_p1_f32 v0, v1, attr0.x", []string{"reads M0: where the attributes are"}},
	} {
		assert.Equal(t, c.want, assembled(t, c.target, c.text).touches(), "%s on %v", c.text, c.target)
	}
}

// TestInstructionDoes: sentences that once told something else than the executors do.
func TestInstructionDoes(t *testing.T) {
	for _, c := range []struct {
		target     gcn.Target
		text, want string
	}{
		{gcn.GFX803, "s_set_gpr_idx_on s1, gpr_idx(SRC0,DST)", "for the wave: reads S0 = s1 (b32), gpr_idx(SRC0,DST): " +
			"turns the indexing of VGPRs on: M0[7:0] becomes S0[7:0], the index, and M0[15:12] which operands it is added to"},
		{gcn.GFX803, "ds_gws_sema_p gds", "takes a semaphore of global wave sync: waits until its counter is not 0 and lowers it by 1"},
		{gcn.GFX803, "ds_add_src2_u32 v0", "atomic add of 4 bytes a lane in LDS, with an operand that lies there, too; returns nothing"},
		{gcn.GFX803, "ds_write_src2_b64 v0", "copies 8 bytes a lane in LDS from another place there; returns nothing"},
		{gcn.GFX803, "tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_10_10_10_2,BUF_NUM_FORMAT_UINT]",
			"loads 1 component a lane from the buffer, converted by the format 10_10_10_2 UINT"},
		{gcn.GFX803, "tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_2_10_10_10,BUF_NUM_FORMAT_UINT]",
			"loads 1 component a lane from the buffer, converted by the format 2_10_10_10 UINT"},
		{gcn.GFX803, "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)", "for the wave: writes s0 (b32) from hwreg(HW_REG_MODE, 0, 4): the bits of the hardware register, from bit 0 on"},
		{gcn.GFX803, "v_cmp_lt_u32 vcc, v1, v2", "for each lane of EXEC: writes vcc from S0 = v1 (u32), S1 = v2 (u32): 1 where S0 < S1"},
		{gcn.GFX803, "v_cmp_lg_f32 vcc, v1, v2", "for each lane of EXEC: writes vcc from S0 = v1 (f32), S1 = v2 (f32): 1 where S0 != S1 and neither is NaN"},
		{gcn.GFX803, "v_cmp_nge_f32 vcc, v1, v2", "for each lane of EXEC: writes vcc from S0 = v1 (f32), S1 = v2 (f32): 1 where S0 < S1 or one is NaN"},
		{gcn.GFX803, "v_cmp_o_f32 vcc, v1, v2", "for each lane of EXEC: writes vcc from S0 = v1 (f32), S1 = v2 (f32): 1 where neither S0 nor S1 is NaN"},
		{gcn.GFX803, "v_cmp_tru_f32 vcc, v1, v2", "for each lane of EXEC: writes vcc from v1 (f32), v2 (f32): 1 everywhere"},
		{gcn.GFX803, "v_cmp_f_i32 vcc, v1, v2", "for each lane of EXEC: writes vcc from v1 (i32), v2 (i32): 1 nowhere"},
		{gcn.GFX803, "v_cmp_ne_i32 vcc, v1, v2", "for each lane of EXEC: writes vcc from S0 = v1 (i32), S1 = v2 (i32): 1 where S0 != S1"},
		{gcn.GFX803, "v_cmp_class_f32 vcc, v1, v2", "for each lane of EXEC: writes vcc from S0 = v1 (f32), S1 = v2 (b32): 1 where S0 is of a class that S1 names"},
		{gcn.GFX803, "s_cmp_ge_u32 s1, s2", "for the wave: reads S0 = s1 (u32), S1 = s2 (u32): SCC: S0 >= S1"},
		{gcn.GFX803, "s_barrier", "waits until all waves of the work-group have come to a barrier"},
		{gcn.GFX900, "v_pk_max_i16 v0, v1, v2", "for each lane of EXEC: writes v0 (v2i16) from S0 = v1 (v2i16), S1 = v2 (v2i16): of each half the larger one of S0 and S1"},
	} {
		assert.Equal(t, c.want, assembled(t, c.target, c.text).Does, c.text)
	}
	for _, c := range []struct {
		text, field, want string
	}{
		{"ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)", "ADDR", "v1, data"},
		{"ds_permute_b32 v0, v1, v2", "ADDR", "v1, lane times 4"},
		{"s_atc_probe 1, s[2:3], 0x10", "SDST", "1, a number"},
		{"v_add_u32_sdwa v0, vcc, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD", "SRC0_NEG", "not used"},
		{"tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_10_10_10_2]", "DFMT", "10_10_10_2 (an older page of the CLRX documents calls it 2_10_10_10)"},
		{"tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_2_10_10_10]", "DFMT", "2_10_10_10 (an older page of the CLRX documents calls it 10_10_10_2)"},
		{"v_interp_mov_f32 v0, p20, attr3.w", "VSRC1", "p20"},
		{"v_interp_mov_f32_e64 v0, p20, attr3.w", "SRC1", "p20"},
		{"v_interp_p1_f32_e64 v0, v1, attr3.w", "SRC0", "attr3.w"},
		{"v_interp_p1_f32_e64 v0, v1, attr3.w", "SRC1", "v1, f32"},
	} {
		x := assembled(t, gcn.GFX803, c.text)
		i := slices.IndexFunc(x.Fields, func(f Field) bool { return f.Name == c.field })
		if assert.GreaterOrEqual(t, i, 0, "%s: %s of %v", c.text, c.field, x.Fields) {
			assert.Equal(t, c.want, x.Fields[i].Meaning, c.text)
		}
	}
}

// A row whose other facts do not tell what it does tells it in words, of what the row has: its
// sources, the mask or SCC that it writes, the old value that it reads.
func TestRowsTellWhatTheyDo(t *testing.T) {
	immediate := []string{"SIMM16", "the label", "the source", "first source", "the constant", "hardware register",
		"parameter", "M0[15:12]"}
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		r := isa.RowOf(op)
		computes := r.Mem.Op == gcn.NoMem && r.Enc != isa.EXP
		silent := r.Mem.Op == gcn.Special && !r.Mem.InLDS || computes && r.Enc != isa.VOPC && r.Cond == 0 && r.Half == 0
		assert.Equal(t, silent, r.Does != "", "%s: %q", r.Name, r.Does)
		if !silent || !computes {
			continue
		}
		for n := range len(r.Sig.Src) {
			named := strings.Contains(r.Does, fmt.Sprintf("S%d", n))
			if n < r.Sig.NumSrc && !named {
				named = r.Enc == isa.SOPP || slices.ContainsFunc(immediate,
					func(s string) bool { return strings.Contains(r.Does, s) })
			}
			assert.Equal(t, n < r.Sig.NumSrc, named, "%s: %q: S%d", r.Name, r.Does, n)
		}
		assert.Equal(t, r.Has(isa.CarryOut), strings.Contains(r.Does, "the mask:"), "%s: %q: the mask", r.Name, r.Does)
		assert.Equal(t, r.Has(isa.WritesSCC), strings.Contains(r.Does, "SCC:"), "%s: %q: SCC", r.Name, r.Does)
		assert.Equal(t, r.Has(isa.ReadsDst), strings.Contains(r.Does, "the old value"), "%s: %q: the old value", r.Name,
			r.Does)
	}
}

// TestInstructionTellsEffects: for random forms of every instruction of every generation,
// the text says of registers and counters what [isa.Inst.Effects] and [isa.Inst.Counts] say.
func TestInstructionTellsEffects(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, target := range append(targetOf[:], gcn.GFX810) {
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			if effort.LeavesOut(int(op) + int(target)) {
				continue
			}
			for e := range gcn.Encoding(isa.NumEncodings) {
				plain, err := isa.New(target, op, e)
				if err != nil {
					continue
				}
				tellsEffects(t, Instruction(plain))
				if in, ok := scramble(rng, plain); ok {
					tellsEffects(t, Instruction(in))
				}
			}
		}
	}
}

// scramble gives the fields of in random values.
func scramble(rng *rand.Rand, in isa.Inst) (isa.Inst, bool) {
	for f := range isa.Field(isa.NumFields) {
		if f == isa.SEG || f == isa.LITERAL || !in.Has(f) {
			continue
		}
		shift, width := isa.FieldBits(in.Target.Gen(), in.Enc, f)
		in.Words = in.Words&^((1<<width-1)<<shift) | rng.Uint64()&(1<<width-1)<<shift
	}
	op := in.Op
	in, err := isa.Decode(in.Target, []uint32{uint32(in.Words), uint32(in.Words >> 32)})
	return in, err == nil && in.Op == op
}

// tellsEffects compares the text of x with the effects and counts of its instruction.
func tellsEffects(t *testing.T, x *Inst) {
	in := x.Inst
	effects := map[string]bool{}   // without a name, as "reads SCC"
	fields := map[string][2]bool{} // by name: read, written
	for _, e := range in.Effects(nil) {
		switch {
		case e.Named:
			is := fields[e.Field.String()]
			is[b2i(e.Write)] = true
			fields[e.Field.String()] = is
		case e.Role == isa.RoleExec && !e.Write: // the lanes
		case in.Row().Imm == isa.HwregImm && e.File == isa.FlagReg: // SIMM16 says it
			id, _, _ := executor.Hwreg(&in)
			require.Equal(t, isa.FlagHwreg+isa.Flag(id), isa.Flag(e.Code), x.Text)
		default:
			effects[[]string{"reads ", "writes "}[b2i(e.Write)]+effectName(in, e)] = true
		}
	}
	told := map[string]bool{}
	counted := ""
	text := x.String()
	require.NotContains(t, text, " \n", x.Text)
	facts, _, ok := strings.Cut(text, "\nencoding")
	require.True(t, ok, x.Text)
	for n, line := range strings.Split(facts, "\n") {
		line = strings.TrimSpace(line)
		switch verb, what, _ := strings.Cut(line, " "); {
		case n < 3: // the text and the sentence
		case verb == "reads", verb == "writes":
			what, _, _ = strings.Cut(what, ":")
			what, _, _ = strings.Cut(what, ",")
			told[verb+" "+what] = true
		case verb == "counted":
			counted = strings.TrimPrefix(what, "by ")
		}
	}
	require.Equal(t, effects, told, x.Text)

	var want []string
	c := in.Counts()
	for _, n := range []struct {
		name string
		n    uint8
	}{{"vmcnt", c.VM}, {"expcnt", c.EXP}, {"lgkmcnt", c.LGKM}} {
		switch n.n {
		case 0:
		case 1:
			want = append(want, n.name)
		case 2:
			want = append(want, n.name+" (2)")
		default:
			t.Fatal(x.Text, c)
		}
	}
	require.Equal(t, and(want), counted, x.Text)

	for _, f := range x.Fields {
		if strings.HasPrefix(f.Meaning, "a second word") { // has the name of a field of it
			continue
		}
		is := fields[f.Name]
		switch {
		case in.Enc == isa.EXP: // the sources follow one another in lines of their own
			is = [2]bool{f.Read, false}
			require.Equal(t, strings.HasSuffix(f.Meaning, "not used"),
				!f.Read && (f.Name == "VDATA" || strings.HasPrefix(f.Name, "VSRC")), "%s: %v", x.Text, f)
		case in.Enc == isa.MIMG && f.Name != "VDATA" && f.Name != "TFE": // only read
			require.False(t, is[1], x.Text)
		default:
			require.Equal(t, is[1], strings.HasSuffix(f.Meaning, ", written") ||
				strings.HasSuffix(f.Meaning, ", read and written"), "%s: %v", x.Text, f)
			require.Equal(t, is[0] && is[1], strings.HasSuffix(f.Meaning, "read and written"), "%s: %v", x.Text, f)
		}
		require.Equal(t, is, [2]bool{f.Read, f.Written}, "%s: %v", x.Text, f)
		require.False(t, f.Unused && (f.Read || f.Written), "%s: %v", x.Text, f)
	}
}

// effectName names the register of an effect.
func effectName(in isa.Inst, e isa.Effect) string {
	if e.File == isa.FlagReg {
		return isa.Flag(e.Code).String()
	}
	return strings.ToUpper(asm.FormatOperand(gcn.Inst(in), isa.Operand{File: e.File, Code: e.Code, Dwords: e.Dwords}))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
