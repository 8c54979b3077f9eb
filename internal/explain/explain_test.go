package explain

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// targetOf is a target of each generation.
var targetOf = [gcn.NumGens]gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906}

// explained returns the text about words, with runs of spaces made one.
func explained(t *testing.T, kind string, g gcn.Gen, words ...uint32) string {
	t.Helper()
	return explainedOn(t, kind, targetOf[g], words...)
}

func explainedOn(t *testing.T, kind string, target gcn.Target, words ...uint32) string {
	t.Helper()
	x, err := Words(kind, target, words)
	require.NoError(t, err)
	for line := range strings.SplitSeq(x.String(), "\n") {
		assert.Equal(t, strings.TrimRight(line, " "), line)
	}
	return oneSpace(x.String())
}

// oneSpace makes runs of spaces one.
func oneSpace(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }), " ")
}

// assembled explains an instruction given as text.
func assembled(t *testing.T, target gcn.Target, text string) *Inst {
	t.Helper()
	p, err := asm.Assemble(target, text, asm.LLVM)
	require.NoError(t, err, text)
	in, err := isa.Decode(target, p.Words)
	require.NoError(t, err, text)
	return Instruction(in)
}

func TestExplainInst(t *testing.T) {
	for _, c := range []struct {
		target gcn.Target
		text   string
		want   []string
	}{
		{gcn.GFX600, "buffer_load_dword v1, v[2:3], s[4:7], s8 addr64 offset:16", []string{
			"does loads 1 dword a lane from the buffer", "0-11 OFFSET 0x10 +16 bytes", "15 ADDR64 1 ADDR is a 64-bit address",
			"32-39 ADDR 2 v[2:3], 64-bit address", "48-52 SRSRC 1 s[4:7], V#"}},
		{gcn.GFX803, "buffer_load_dwordx4 v[0:3], v[8:9], s[0:3], 0 idxen offen", []string{
			"loads 4 dwords a lane", "32-39 ADDR 8 v[8:9], index, then offset"}},
		{gcn.GFX803, "buffer_load_sbyte v0, off, s[0:3], 0", []string{"loads 1 byte a lane from the buffer, sign-extended", "32-39 ADDR 0 not used"}},
		{gcn.GFX803, "buffer_load_dword off, s[0:3], 0 lds", []string{"into LDS at M0[15:0] + lane*4", "reads M0: the LDS address", "40-47 VDATA 0 not used"}},
		{gcn.GFX900, "buffer_load_short_d16_hi v0, off, s[0:3], 0", []string{"loads 2 bytes a lane from the buffer into bits 31:16; bits 15:0 are kept"}},
		{gcn.GFX803, "buffer_atomic_add_x2 v[1:2], v0, s[0:3], 0 idxen glc", []string{
			"atomic add of 8 bytes a lane in the buffer; returns the old value because GLC is set",
			"v[1:2], data, read and written"}},
		{gcn.GFX803, "buffer_atomic_add v1, v0, s[0:3], 0 idxen", []string{"returns nothing because GLC is not set"}},
		{gcn.GFX803, "buffer_load_format_xyz v[0:2], v4, s[0:3], 0 idxen", []string{"loads 3 components a lane", "converted by the format in the V#"}},
		{gcn.GFX700, "tbuffer_store_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]", []string{
			"stores 1 component a lane to the buffer, converted by the format 32 FLOAT", "DFMT 4 32", "NFMT 7 FLOAT"}},
		{gcn.GFX803, "ds_read2st64_b64 v[0:3], v5 offset0:1 offset1:2", []string{"OFFSET1 2 2 * 512 = +1024 bytes", "the limit of LDS addresses"}},
		{gcn.GFX900, "ds_add_rtn_u32 v0, v1, v2 gds", []string{"atomic add of 4 bytes a lane in GDS; returns the old value", "reads M0: base in bits 31:16"}},
		{gcn.GFX803, "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)", []string{"LDS is not touched"}},
		{gcn.GFX900, "global_load_dword v0, v[2:3], off offset:-8", []string{"0-12 OFFSET 0x1ff8 -8 bytes", "SADDR 127 no scalar base", "SEG 2 GLOBAL", "counted by vmcnt"}},
		{gcn.GFX803, "flat_load_dword v0, v[2:3]", []string{"from global, LDS or scratch memory", "counted by vmcnt and lgkmcnt"}},
		{gcn.GFX600, "s_load_dwordx2 s[0:1], s[4:5], 0x11", []string{"loads 2 dwords for the wave from memory", "OFFSET 17 +68 bytes"}},
		{gcn.GFX701, "s_load_dword s0, s[2:3], 0x12345", []string{"OFFSET 255 a literal follows", "LITERAL 0x12345 +298260 bytes"}},
		{gcn.GFX803, "s_waitcnt vmcnt(3) lgkmcnt(0)", []string{"waits for vmcnt at most 3, lgkmcnt at most 0"}},
		{gcn.GFX803, "s_cbranch_scc1 65529", []string{"to this one -24 bytes", "may branch"}},
		{gcn.GFX803, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s1", []string{"hwreg(HW_REG_MODE, 0, 4)", "SDST 1 s1"}},
		{gcn.GFX803, "s_addc_u32 s0, s1, 5", []string{"for the wave: writes s0 (u32) from S0 = s1 (u32), S1 = 5 (u32): S0 + S1 + SCC; SCC: carry", "reads SCC", "writes SCC"}},
		{gcn.GFX803, "v_addc_u32 v0, vcc, v1, v2, vcc", []string{"reads VCC", "writes VCC", "executes gfx6, gfx7, gfx8: exact"}},
		{gcn.GFX803, "v_cmp_lt_f32_e64 s[2:3], |v1|, -v2", []string{"absolute value of SRC0", "negates SRC1", "SRC2 0 not used"}},
		{gcn.GFX803, "v_cmpx_lt_f32 vcc, v1, v2", []string{"writes EXEC", "writes vcc from"}},
		{gcn.GFX803, "v_mac_f16 v0, v1, v2", []string{"clears bits 31:16"}},
		{gcn.GFX803, "v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0x3", []string{"a second word of DPP follows", "quad_perm:[3,2,1,0]", "writes banks 0, 1"}},
		{gcn.GFX900, "v_add_f16_sdwa v1, v2, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:DWORD",
			[]string{
				"DST_SEL 1 BYTE_1", "UNUSED_PRESERVE", "SRC0_SEL 5 WORD_1"}},
		{gcn.GFX803, "v_add_f32 v0, 0x3fc00000, v1", []string{"as f32 1.5", "SRC0 255 0x3fc00000, f32"}},
		{gcn.GFX803, "image_sample v[0:2], v[0:1], s[0:7], s[8:11] dmask:0x7", []string{"samples 3 components a lane from the image", "components R, G, B", "SSAMP 2 s[8:11]"}},
		{gcn.GFX900, "v_readlane_b32 s0, v1, s2", []string{"for the wave: writes s0 (b32) from S0 = v1 (b32), S1 = s2 (u32): S0 of lane S1[5:0]"}},
		{gcn.GFX803, "s_movk_i32 s0, 0xfffe", []string{"writes s0 (i32) from -2"}},
		{gcn.GFX803, "s_cmpk_eq_u32 s0, 0xffff", []string{"reads S0 = s0, S1 = 65535: SCC: S0 == S1"}},
		{gcn.GFX803, "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0xf0", []string{"writes hwreg(HW_REG_MODE) from 0xf0"}},
		{gcn.GFX803, "s_nop 3", []string{"does does nothing for some clocks: 3"}},
		{gcn.GFX803, "s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)", []string{"SSRC1 9 gpr_idx(SRC0,DST)"}},
		{gcn.GFX900, "s_scratch_load_dword s0, s[2:3], s4", []string{"OFFSET 0x4 s4, offset in bytes of one lane: times 64"}},
		{gcn.GFX803, "v_cvt_f32_f16_sdwa v0, v1 src0_sel:WORD_1", []string{"SRC1_SEL 0 not used", "executes gfx8, gfx900, gfx906: exact"}},
		{gcn.GFX900, "image_sample v[0:4], v[4:5], s[0:7], s[8:11] dmask:0xf tfe",
			[]string{"gfx906: approximate (the LOD of a footprint",
				"in this form: approximate (what hardware writes to the register of TFE"}},
		{gcn.GFX900, "buffer_load_format_d16_x v[1:2], off, s[0:3], 0 tfe",
			[]string{"gfx906: exact", "in this form: assumed (every page is resident"}},
		{gcn.GFX904, "v_fma_mix_f32 v0, v1, v2, v3", []string{"executes gfx904, gfx906: assumed ("}},
		{gcn.GFX906, "v_fma_mix_f32 v0, v1, v2, v3", []string{"executes gfx904, gfx906: assumed ("}},
		{gcn.GFX900, "v_mad_mix_f32 v0, v1, |v2|, v3 op_sel:[0,1,0] op_sel_hi:[1,1,0]", []string{
			"NEG_HI 2 absolute value of SRC1", "OP_SEL 2 high half of SRC1", "OP_SEL_HI 3 16 bits: SRC0, SRC1"}},
		{gcn.GFX900, "v_pk_add_f16 v0, v1, v2 neg_hi:[1,0]", []string{"NEG_HI 1 negates the high half of SRC0", "for the high result the high half of SRC0, SRC1"}},
		{gcn.GFX803, "exp mrt0 v0, v1, off, off done vm", []string{"exports VGPRs to mrt0", "components X, Y", "VSRC2 0 not used"}},
	} {
		got := oneSpace(assembled(t, c.target, c.text).String())
		for _, want := range c.want {
			assert.Contains(t, got, want, c.text)
		}
	}
}

func TestExplainNotesWhatIsOdd(t *testing.T) {
	got := explained(t, "inst", gcn.GCN12, 0xe01c8fff, 0xffffffff)
	assert.Empty(t, assembled(t, gcn.GFX904, "v_fma_mix_f32 v0, v1, v2, v3").Notes)
	for _, want := range []string{"reserved bits are set: 15, 53, 54", "ADDR is 255, but", "VDATA is v255 of 5 dwords"} {
		assert.Contains(t, got, want)
	}
}

// Every field of every instruction has a meaning, or is one the instruction ignores.
func TestExplainKnowsEveryField(t *testing.T) {
	register := map[isa.Field]bool{}
	for _, f := range []isa.Field{isa.SDST, isa.SSRC0, isa.SSRC1, isa.SBASE, isa.SOFFSET, isa.VDST, isa.SRC0, isa.SRC1,
		isa.SRC2, isa.VSRC1,
		isa.ADDR, isa.DATA0, isa.DATA1, isa.VDATA, isa.SRSRC, isa.SSAMP, isa.SADDR} {
		register[f] = true
	}
	for f := range isa.Field(isa.NumFields) {
		_, isSwitch := switches[f]
		assert.True(t, register[f] || isSwitch || values[f] != nil, "%v", f)
	}
}

func TestExplainVSharpNotes(t *testing.T) {
	identity := [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}
	good := gcn.Buffer{Base: 0x10000, NumRecords: 256, DstSel: identity, NumFormat: 7, DataFormat: 4, ElemSize: 4,
		IndexStride: 64}
	for _, c := range []struct {
		name   string
		gen    gcn.Gen
		change func(*gcn.Buffer)
		want   []string // notes, "" for none
	}{
		{"good", gcn.GCN12, func(*gcn.Buffer) {}, nil},
		{"type", gcn.GCN12, func(b *gcn.Buffer) { b.Type = 2 }, []string{"TYPE is 2"}},
		{"empty", gcn.GCN12, func(b *gcn.Buffer) { b.NumRecords = 0 }, []string{"NUM_RECORDS is 0"}},
		{"select", gcn.GCN12, func(b *gcn.Buffer) { b.DstSel[1], b.DstSel[3] = 2, 3 }, []string{"DST_SEL_Y = 2 DST_SEL_W = 3"}},
		{"no format", gcn.GCN12, func(b *gcn.Buffer) { b.DataFormat = 0 }, []string{"DATA_FORMAT is 0"}},
		{"reserved format", gcn.GCN12, func(b *gcn.Buffer) { b.DataFormat = 15 }, []string{"15 is reserved"}},
		{"float bytes", gcn.GCN12, func(b *gcn.Buffer) { b.DataFormat = 10 }, []string{"components of 8 bits"}},
		{"stride and element", gcn.GCN12, func(b *gcn.Buffer) { b.Swizzle, b.Stride, b.ElemSize = true, 12, 8 }, []string{"no multiple of the element size (both rules)", "not checked"}},
		{"one record", gcn.GCN12, func(b *gcn.Buffer) { b.Swizzle = true }, []string{"groups of 64 records lie on one another"}},
		{"odd base", gcn.GCN12, func(b *gcn.Buffer) { b.Base = 2 }, []string{"aligned down"}},
		{"odd swizzled base", gcn.GCN12, func(b *gcn.Buffer) { b.Swizzle, b.Stride, b.Base = true, 16, 2 }, []string{"aligned dwords", "not checked"}},
		{"lane without effect", gcn.GCN10, func(b *gcn.Buffer) { b.AddTID = true }, []string{"does nothing"}},
		{"linear scratch", gcn.GCN10, func(b *gcn.Buffer) { b.AddTID, b.Stride = true, 64 }, []string{"after that of the lane before"}},
		{"18 bits", gcn.GCN12, func(b *gcn.Buffer) { b.AddTID, b.Swizzle, b.Stride = true, true, 64 }, []string{"bits 14 to 17"}},
		{"wrap", gcn.GCN12, func(b *gcn.Buffer) { b.Base = 1<<48 - 128 }, []string{"wraps to address 0"}},
		{"records or bytes", gcn.GCN12, func(b *gcn.Buffer) { b.Stride = 16 }, []string{"NUM_RECORDS counts records by the seed rules", "not checked"}},
		{"element of GCN 1.4", gcn.GCN14, func(b *gcn.Buffer) { b.AddTID, b.Swizzle, b.ElemSize, b.Stride, b.DataFormat = true, true, 8, 64, 0 },
			[]string{"DATA_FORMAT is 0", "ELEMSIZE is 8 bytes by the seed rules and fixed to 4"}},
		{"swizzle of GCN 1.4", gcn.GCN14, func(b *gcn.Buffer) { b.Swizzle, b.Stride = true, 64 }, []string{"the seed rules swizzle", "not checked"}},
	} {
		b := good
		c.change(&b)
		assertNotes(t, c.name, c.want, VSharp(c.gen, gcn.VSharp(b.Words())).Notes)
	}
	assert.Equal(t, []string{"all words are 0, an unbound resource: loads give 0, stores are dropped"},
		VSharp(gcn.GCN12, gcn.VSharp{}).Notes)
}

func TestExplainTakesEveryVSharp(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		g := gcn.Gen(rng.IntN(gcn.NumGens))
		got := explained(t, "vsharp", g, rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32())
		assert.Contains(t, got, "s_buffer_load both")
	}
}

func TestExplainRefusals(t *testing.T) {
	for _, c := range []struct {
		kind   string
		target gcn.Target
		words  []uint32
		want   error
	}{
		{"tsharp", gcn.GFX803, []uint32{1, 2, 3, 4, 5}, &WordCountError{5, 8, "a T#"}},
		{"tsharp", gcn.GFX900, []uint32{1, 2, 3, 4}, &WordCountError{4, 8, "a T#"}}, // no R128
		{"ssharp", gcn.GFX803, []uint32{1}, &WordCountError{1, 4, "an S#"}},
		{"vsharp", gcn.GFX803, nil, &WordCountError{0, 4, "a V#"}},
		{"inst", gcn.GFX803, []uint32{0xbf810000, 0}, &WordCountError{2, 1, "s_endpgm"}},
	} {
		_, err := Words(c.kind, c.target, c.words)
		assert.Equal(t, c.want, err)
	}
	for _, words := range [][]uint32{{0xffffffff}, nil} {
		_, err := Words("inst", gcn.GFX803, words)
		var decode *gcn.Error
		assert.ErrorAs(t, err, &decode)
	}
	assert.PanicsWithValue(t, "explain: unknown kind shader", func() { _, _ = Words("shader", gcn.GFX803, nil) })
}

// FuzzExplain: every instruction that decodes and any words of a descriptor have a text, which is right about effects.
func FuzzExplain(f *testing.F) {
	f.Add(uint8(0), uint32(0xe0501000), uint32(0x80000100))
	f.Add(uint8(3), uint32(0x020206fa), uint32(0xff010102))
	f.Fuzz(func(t *testing.T, number uint8, w0, w1 uint32) {
		target := gcn.Target(number % gcn.NumTargets)
		if in, err := isa.Decode(target, []uint32{w0, w1}); err == nil {
			x := Instruction(in)
			require.NotEmpty(t, x.String())
			tellsEffects(t, x)
		}
		require.NotEmpty(t, VSharp(target.Gen(), gcn.VSharp{w0, w1, w1, w0}).String())
		require.NotEmpty(t, TSharp(target, gcn.TSharp{w0, w1, w1, w0, w0, w1, w0, w1}, false).String())
		require.NotEmpty(t, SSharp(target.Gen(), gcn.SSharp{w0, w1, w1, w0}).String())
	})
}
