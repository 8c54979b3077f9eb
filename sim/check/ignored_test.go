package check_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// fields returns "FIELD: severity" for each finding of kind Ignored. The rules of these findings must exist.
func fields(t testing.TB, all []check.Finding) (list []string) {
	t.Helper()
	for _, f := range all {
		if f.Kind != check.Ignored {
			continue
		}
		list = append(list, f.Field+": "+f.Severity.String())
		require.NotEmpty(t, f.Message)
		if f.Rule != "" {
			_, ok := handbook.Lookup(f.Rule)
			require.True(t, ok, "%s cites %s", f.Field, f.Rule)
		}
	}
	return list
}

// Each field that a program sets in a V# without effect has a finding. Fields with an effect have none.
func TestIgnoredInVSharps(t *testing.T) {
	const (
		load   = "buffer_load_dword v1, v0, s[0:3], 0 offen"
		loadX4 = "buffer_load_dwordx4 v[1:4], v0, s[0:3], 0 offen"
		index  = "buffer_load_dword v1, v0, s[0:3], 0 idxen"
		format = "buffer_load_format_xyzw v[1:4], v0, s[0:3], 0 offen"
		store  = "buffer_store_format_x v1, v0, s[0:3], 0 offen"
		typed  = "tbuffer_load_format_x v1, v0, s[0:3], dfmt:4, nfmt:7, 0 offen"
		scalar = "s_buffer_load_dword s8, s[0:3], 0x0"
		addr64 = "buffer_load_dword v1, v[2:3], s[0:3], 0 addr64"
	)
	float := gcn.Buffer{DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}, DataFormat: 14, NumFormat: 7}
	with := func(b gcn.Buffer, change func(*gcn.Buffer)) gcn.Buffer {
		change(&b)
		return b
	}
	swizzled := gcn.Buffer{Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 64}
	for _, tt := range []struct {
		name   string
		target gcn.Target
		text   string
		b      gcn.Buffer
		want   []string
	}{
		{"raw", gcn.GFX803, load, gcn.Buffer{}, nil},
		{"TYPE", gcn.GFX803, load, gcn.Buffer{Type: 2}, []string{"V# TYPE: warning"}},
		{"TYPE of a store", gcn.GFX900, store, with(float, func(b *gcn.Buffer) { b.Type = 1 }), []string{"V# TYPE: warning"}},
		{"TYPE of a scalar load", gcn.GFX803, scalar, gcn.Buffer{Type: 1}, []string{"V# TYPE: note"}},
		{"format", gcn.GFX803, format, float, nil},
		{"DST_SEL 2 and 3", gcn.GFX803, format, with(float, func(b *gcn.Buffer) { b.DstSel[1], b.DstSel[3] = 2, 3 }), []string{"V# DST_SEL_W: warning", "V# DST_SEL_Y: warning"}},
		{"DST_SEL of no format", gcn.GFX803, load, with(float, func(b *gcn.Buffer) { b.DstSel[1] = 2 }), nil},
		{"DST_SEL of MTBUF", gcn.GFX803, typed, with(float, func(b *gcn.Buffer) { b.DstSel[1] = 2 }), nil},
		{"DATA_FORMAT 0", gcn.GFX803, format, with(float, func(b *gcn.Buffer) { b.DataFormat = 0 }), []string{"V# DATA_FORMAT: warning"}},
		{"DATA_FORMAT 15", gcn.GFX803, store, with(float, func(b *gcn.Buffer) { b.DataFormat = 15 }), []string{"V# DATA_FORMAT: warning"}},
		{"DFMT 0", gcn.GFX803, "tbuffer_load_format_x v1, v0, s[0:3], dfmt:0, nfmt:7, 0 offen", gcn.Buffer{}, []string{"DFMT: warning"}},
		{"DFMT 15", gcn.GFX803, "tbuffer_store_format_x v1, v0, s[0:3], dfmt:15, nfmt:7, 0 offen", gcn.Buffer{}, []string{"DFMT: warning"}},
		{"scratch", gcn.GFX803, load, swizzled, nil},
		{"large units", gcn.GFX803, loadX4, swizzled, []string{"V# ELEMSIZE: warning"}},
		{"large formats", gcn.GFX803, format, with(float, func(b *gcn.Buffer) { b.Swizzle, b.AddTID, b.ElemSize, b.IndexStride = true, true, 4, 64 }), []string{"V# ELEMSIZE: warning"}},
		{"large elements", gcn.GFX803, loadX4, with(swizzled, func(b *gcn.Buffer) { b.ElemSize = 16 }), nil},
		{"odd STRIDE", gcn.GFX803, index, with(swizzled, func(b *gcn.Buffer) { b.Stride = 6 }), []string{"V# STRIDE: warning"}},
		{"ADD_TID alone", gcn.GFX803, load, gcn.Buffer{AddTID: true}, []string{"V# ADD_TID: note"}},
		{"ADD_TID with STRIDE", gcn.GFX803, load, gcn.Buffer{AddTID: true, Stride: 4}, nil},
		{"sizes of no swizzling", gcn.GFX803, load, gcn.Buffer{ElemSize: 4, IndexStride: 16}, []string{"V# ELEMSIZE: note", "V# INDEX_STRIDE: note"}},
		{"swizzled scalar", gcn.GFX803, scalar, swizzled, []string{"V# SWIZZLE_ENABLE: warning", "V# ADD_TID: note"}},
		{"ADDR64", gcn.GFX701, addr64, gcn.Buffer{}, nil},
		{"swizzled ADDR64", gcn.GFX701, addr64, swizzled, []string{"V# SWIZZLE_ENABLE: warning"}},
		{"hints", gcn.GFX803, load, gcn.Buffer{Hash: true, Heap: true, CacheSwizzle: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.target, "ignored")
			tt.b.Base, tt.b.NumRecords = b.buf.Addr, 256
			if tt.text == addr64 {
				tt.b.Base = 0
				b.w.SetVGPR(2, lane.All(uint32(b.buf.Addr)))
				b.w.SetVGPR(3, lane.All(uint32(b.buf.Addr>>32)))
			}
			if tt.b.Swizzle {
				b.w.SetVGPR(0, lane.All(0))
				b.w.SetExec(1)
			}
			b.w.SetSGPRs(0, tt.b.Words()...)
			require.Equal(t, tt.want, fields(t, b.run(tt.text)))
		})
	}
}

func TestIgnoredWords(t *testing.T) {
	b := newBench(t, gcn.GFX803, "ignored")
	b.w.SetSGPRs(0, 0, 0, 0, 0)
	require.Equal(t, []string{"V#: warning"}, fields(t, b.run("buffer_store_dword v1, v0, s[0:3], 0 offen")))
	require.Equal(t, []string{"V#: warning", "V#: warning", "V#: warning"},
		fields(t, b.run("s_buffer_load_dwordx2 s[8:9], s[0:3], 0x0\ns_buffer_load_dwordx2 s[8:9], s[0:3], 0x0")))

	b = newBench(t, gcn.GFX803, "ignored") // LLVM's words have ATC and MTYPE
	v := gcn.Buffer{Base: b.buf.Addr, NumRecords: 256}.Words()
	b.w.SetSGPRs(0, v[0], v[1], v[2], v[3]|1<<24|7<<27)
	require.Empty(t, b.run("buffer_load_dword v1, v0, s[0:3], 0 offen"))

	// A changed V# is judged again, and so is a V# under another rule set.
	b = newBench(t, gcn.GFX900, "ignored")
	v = gcn.Buffer{Base: b.buf.Addr, NumRecords: 256, Stride: 4, Swizzle: true, ElemSize: 4}.Words()
	text := "s_mov_b32 s8, 2\nloop: buffer_load_dword v1, v0, s[0:3], 0 idxen\ns_bitset1_b32 s3, 30\ns_sub_u32 s8, " +
		"s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop"
	b.w.SetSGPRs(0, v...)
	require.Equal(t, []string{"V# TYPE: warning"}, fields(t, b.run(text)))
	b = newBench(t, gcn.GFX900, "ignored")
	b.m.Rules = state.DriverRules
	b.w.SetSGPRs(0, v...)
	require.Equal(t, []string{"V# SWIZZLE_ENABLE: warning", "V# TYPE: warning"}, fields(t, b.run(text)))
}

// image returns a machine with a texture of 8 by 8 floats and four levels, whose T# is in
// s[8:15], and a sampler in s[16:19].
func image(t testing.TB, target gcn.Target, change func(*gcn.Image), sampler gcn.SamplerState) *bench {
	b := newBench(t, target, "ignored")
	x, err := texture.New(b.m, gcn.Image{DataFormat: 4, NumFormat: 7, Width: 8, Height: 8, LastLevel: 3,
		TileMode: linearMode(target)})
	require.NoError(t, err)
	img := x.Image
	if change != nil {
		change(&img)
	}
	b.w.SetSGPRs(8, img.Words(target.Gen())...)
	b.w.SetSGPRs(16, sampler.Words(target.Gen())...)
	return b
}

// linearMode is the tiling index or swizzle mode of linear images.
func linearMode(target gcn.Target) int {
	if isa.GenTraits(target.Gen()).SwizzleModes {
		return 0
	}
	return 8
}

func TestIgnoredInTSharps(t *testing.T) {
	const (
		load   = "image_load v[1:4], v[0:1], s[8:15] dmask:0xf unorm"
		raw    = "image_load_pck v1, v[0:1], s[8:15] dmask:0x1 unorm"
		store  = "image_store v[1:4], v[0:1], s[8:15] dmask:0xf unorm"
		sample = "image_sample_l v[4:7], v[0:3], s[8:15], s[16:19] dmask:0xf"
	)
	for _, tt := range []struct {
		name   string
		target gcn.Target
		text   string
		change func(*gcn.Image)
		want   []string
	}{
		{"image", gcn.GFX803, load, nil, nil},
		{"image of GCN 1.4", gcn.GFX900, sample, nil, nil},
		{"TYPE", gcn.GFX803, load, func(i *gcn.Image) { i.Type = 3 }, []string{"T# TYPE: warning"}},
		{"DATA_FORMAT 0", gcn.GFX803, load, func(i *gcn.Image) { i.DataFormat = 0 }, []string{"T# DATA_FORMAT: warning"}},
		{"DATA_FORMAT reserved", gcn.GFX803, store, func(i *gcn.Image) { i.DataFormat = 15 }, []string{"T# DATA_FORMAT: warning"}},
		{"DST_SEL", gcn.GFX803, load, func(i *gcn.Image) { i.DstSel = [4]gcn.Sel{} }, []string{"T# DST_SEL: warning"}},
		{"DST_SEL of a store", gcn.GFX803, store, func(i *gcn.Image) { i.DstSel = [4]gcn.Sel{} }, []string{"T# DST_SEL: warning"}},
		{"DST_SEL 2 and 3", gcn.GFX900, sample, func(i *gcn.Image) { i.DstSel[0], i.DstSel[2] = 3, 2 }, []string{"T# DST_SEL_X: warning", "T# DST_SEL_Z: warning"}},
		{"DST_SEL of raw texels", gcn.GFX803, raw, func(i *gcn.Image) { i.DstSel = [4]gcn.Sel{} }, nil},
		{"levels", gcn.GFX803, load, func(i *gcn.Image) { i.BaseLevel, i.LastLevel = 2, 1 }, []string{"T# BASE_LEVEL: warning"}},
		{"layers", gcn.GFX803, load, func(i *gcn.Image) { i.Type, i.BaseArray, i.LastArray = gcn.Image2DArray, 2, 1 }, []string{"T# BASE_ARRAY: warning"}},
		{"metadata", gcn.GFX803, load, func(i *gcn.Image) { i.Meta = 0x100 }, []string{"T# META_ADDRESS: note"}},
		{"hints", gcn.GFX803, load, func(i *gcn.Image) { i.MType, i.ATC, i.CounterBank, i.LODCount, i.PerfMod = 3, true, 5, true, 7 }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := image(t, tt.target, tt.change, gcn.SamplerState{MaxLOD: 15})
			require.Equal(t, tt.want, fields(t, b.run(tt.text)))
		})
	}
	b := image(t, gcn.GFX803, nil, gcn.SamplerState{})
	b.w.SetSGPRs(8, make([]uint32, 8)...)
	require.Equal(t, []string{"T#: warning"}, fields(t, b.run(load)))
	b = image(t, gcn.GFX600, nil, gcn.SamplerState{})
	b.w.S[9] |= 3 << 30
	require.Equal(t, []string{"T# reserved bits: note"}, fields(t, b.run(load)))
}

func TestIgnoredInSSharps(t *testing.T) {
	const sample = "image_sample_l v4, v[0:2], s[8:15], s[16:19] dmask:0x1"
	for _, tt := range []struct {
		name string
		text string
		lod  float32
		s    gcn.SamplerState
		want []string
	}{
		{"sampler", sample, 2, gcn.SamplerState{MaxLOD: 15, MipFilter: 2, MagFilter: 1, MinFilter: 1}, nil},
		{"texels", sample, 0, gcn.SamplerState{MaxLOD: 15, MipFilter: 1, Unnormalized: true}, nil},
		{"texels of a level", sample, 1, gcn.SamplerState{MaxLOD: 15, MipFilter: 1, Unnormalized: true}, []string{"UNRM: warning"}},
		{"texels between levels", sample, 0.25, gcn.SamplerState{MaxLOD: 15, MipFilter: 2, Unnormalized: true}, []string{"UNRM: warning"}},
		{"texels by the instruction", sample + " unorm", 1, gcn.SamplerState{MaxLOD: 15, MipFilter: 1}, []string{"UNRM: warning"}},
		{"texels without mipmaps", sample + " unorm", 1, gcn.SamplerState{MaxLOD: 15}, nil},
		{"border", sample, 0, gcn.SamplerState{BorderColorPtr: 5}, []string{"S# BORDER_COLOR_PTR: note"}},
		{"border of the table", sample, 0, gcn.SamplerState{BorderColorPtr: 5, BorderColorType: 3}, nil},
		{"anisotropy", sample, 0, gcn.SamplerState{MaxAniso: 6}, []string{"S# MAX_ANISO_RATIO: note"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := image(t, gcn.GFX803, nil, tt.s)
			b.w.SetVGPR(2, lane.All(math.Float32bits(tt.lod)))
			require.Equal(t, tt.want, fields(t, b.run(tt.text)))
		})
	}
	b := image(t, gcn.GFX803, nil, gcn.SamplerState{})
	b.w.S[19] |= 1 << 20
	require.Equal(t, []string{"S# reserved bits: note"}, fields(t, b.run(sample)))
}

// Bits of instruction words without a meaning have findings. Those that compilers set have none.
func TestIgnoredBitsOfInstructions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		target gcn.Target
		words  []uint32
		want   string
	}{
		{"ADDR64 before GCN 1.2", gcn.GFX803, []uint32{0xe0509000, 0x80000100}, "bit 15 (ADDR64 on gcn1.0)"},
		{"a reserved bit", gcn.GFX900, []uint32{0xd1010000 | 1<<8, 0x00020300}, ""},
		{"NEG of an integer", gcn.GFX803, []uint32{0xd1130001, 0x20020501}, "NEG (1)"},
		{"a third source", gcn.GFX803, []uint32{0xd1010001, 0x04020501}, "SRC2 (256)"},
		{"S_SETPRIO", gcn.GFX803, []uint32{0xbf8f0009}, "SIMM16 (9)"},
		{"GDS of a permute", gcn.GFX803, []uint32{0xd87f0000, 0x03000201}, "GDS (1)"},
		{"a plain load", gcn.GFX803, []uint32{0xe0501000, 0x80000100}, ""},
		{"a wait with unused bits", gcn.GFX803, []uint32{0xbf8ce07f}, ""},
		{"a nop", gcn.GFX803, []uint32{0xbf80000f}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := newBench(t, tt.target, "ignored").words(tt.words...)
			if tt.want == "" {
				require.Empty(t, all)
				return
			}
			f := one(t, all)
			require.Equal(t, [2]any{"encoding", check.Note}, [2]any{f.Field, f.Severity})
			require.Contains(t, f.Message, tt.want)
		})
	}
}

// SGPRs beyond the allocation have findings, and so have those that VCC and the like occupy (rule ST3).
func TestIgnoredAllocation(t *testing.T) {
	for _, tt := range []struct {
		name   string
		target gcn.Target
		sgprs  int
		text   string
		want   []string
	}{
		{"all", gcn.GFX803, 0, "s_mov_b32 s101, 1\ns_mov_b64 vcc, 0", nil},
		{"within", gcn.GFX803, 16, "s_mov_b32 s9, 1", nil},
		{"beyond", gcn.GFX803, 16, "s_mov_b32 s16, 1", []string{"s16: error"}},
		{"half beyond", gcn.GFX803, 18, "s_load_dwordx4 s[16:19], s[4:5], 0x0", []string{"s18: error"}},
		{"beyond as a source", gcn.GFX803, 16, "v_mov_b32 v1, s20", []string{"s20: error"}},
		{"VCC", gcn.GFX803, 16, "s_mov_b64 vcc, 0\ns_mov_b32 s14, 1", []string{"s[14:15]: warning"}},
		{"VCC, later", gcn.GFX803, 16, "s_mov_b32 s15, 1\nv_cmp_eq_u32 vcc, v0, v1", []string{"s[14:15]: warning"}},
		{"VCC unused", gcn.GFX803, 16, "s_mov_b32 s15, 1", nil},
		{"an implied VCC", gcn.GFX600, 16, "s_mov_b32 s15, 1\nv_cndmask_b32 v1, v0, v1, vcc", []string{"s[14:15]: warning"}},
		{"FLAT_SCRATCH of GCN 1.1", gcn.GFX701, 16, "s_mov_b64 s[12:13], 0\ns_mov_b64 flat_scratch, 0", []string{"s[12:13]: warning"}},
		{"FLAT_SCRATCH of GCN 1.2", gcn.GFX803, 16, "s_mov_b64 s[12:13], 0\ns_mov_b64 flat_scratch, 0\ns_mov_b32 s10, 0", []string{"s[10:11]: warning"}},
		{"XNACK_MASK", gcn.GFX810, 16, "s_mov_b64 s[12:13], 0\ns_mov_b64 xnack_mask, 0", []string{"s[12:13]: warning"}},
		{"M0 beyond", gcn.GFX803, 16, "s_mov_b32 m0, 30\ns_movrels_b32 s0, s1", []string{"M0: error"}},
		{"M0 beyond, destination", gcn.GFX803, 16, "s_mov_b32 m0, 16\ns_movreld_b64 s[0:1], s[2:3]", []string{"M0: error"}},
		{"M0 beyond the VGPRs", gcn.GFX803, 0, "s_movk_i32 m0, 0x7fff\nv_movrels_b32 v1, v0", []string{"M0: error"}},
		{"M0 beyond the VGPRs, destination", gcn.GFX803, 0, "s_movk_i32 m0, 0x7fff\nv_movreld_b32 v1, v0\nv_mov_b32 v2, v1", []string{"M0: error"}},
		{"an index beyond the VGPRs", gcn.GFX900, 0, "s_movk_i32 s0, 0xff\ns_set_gpr_idx_on s0, 9\nv_mov_b32 v1, v0", []string{"M0: error"}},
		{"an index within the VGPRs", gcn.GFX900, 0, "s_mov_b32 s0, 1\ns_set_gpr_idx_on s0, 9\nv_mov_b32 v1, v0", nil},
		{"an index that chooses nothing", gcn.GFX900, 0, "s_movk_i32 s0, 0xff\ns_set_gpr_idx_on s0, 0\nv_mov_b32 v1, v0", nil},
		{"M0 within", gcn.GFX803, 16, "s_mov_b32 m0, 3\ns_movrels_b32 s0, s1", nil},
		{"VCC by a code that would be an SGPR of the allocation", gcn.GFX906, 112, "v_div_scale_f32 v1, vcc, v0, v0, v0\ns_mov_b64 flat_scratch, 0", nil},
		{"FLAT that needs no FLAT_SCRATCH", gcn.GFX803, 16, "s_mov_b64 s[10:11], 0\nflat_load_dword v1, v[2:3]", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.target, "ignored")
			b.w.NumSGPRs = tt.sgprs
			b.w.SetSGPRs(4, uint32(b.buf.Addr), uint32(b.buf.Addr>>32))
			b.w.SetVGPR(2, lane.All(uint32(b.buf.Addr)))
			b.w.SetVGPR(3, lane.All(uint32(b.buf.Addr>>32)))
			require.Equal(t, tt.want, fields(t, b.run(tt.text)))
		})
	}
}

// Registers of the trap handler have findings, and so have fields that s_setreg does not change.
func TestIgnoredPrivileges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		target gcn.Target
		text   string
		want   []string
	}{
		{"write TTMP", gcn.GFX803, "s_mov_b32 ttmp3, 1", []string{"ttmp3: warning"}},
		{"read TTMP", gcn.GFX900, "s_mov_b32 s0, ttmp15", []string{"ttmp15: warning"}},
		{"TBA", gcn.GFX701, "s_mov_b32 tba_lo, 1", []string{"tba_lo: warning"}},
		{"TMA", gcn.GFX803, "s_mov_b64 s[0:1], tma", []string{"tma_lo: warning"}},
		{"SGPR", gcn.GFX803, "s_mov_b32 s101, 1", nil},
		{"STATUS", gcn.GFX803, "s_setreg_b32 hwreg(2), s0", []string{"STATUS: warning"}},
		{"LDS_ALLOC", gcn.GFX803, "s_setreg_imm32_b32 hwreg(6), 1", []string{"LDS_ALLOC: warning"}},
		{"read STATUS", gcn.GFX803, "s_getreg_b32 s0, hwreg(2)", nil},
		{"rounding", gcn.GFX803, "s_setreg_imm32_b32 hwreg(1, 0, 8), 0x3f", nil},
		{"DEBUG", gcn.GFX803, "s_setreg_imm32_b32 hwreg(1, 11, 1), 1", nil},
		{"EXCP_EN", gcn.GFX803, "s_setreg_imm32_b32 hwreg(1, 12, 7), 4", nil},
		{"FP16_OVFL", gcn.GFX900, "s_setreg_imm32_b32 hwreg(1, 23, 1), 1", []string{"MODE.FP16_OVFL: warning"}},
		{"no FP16_OVFL", gcn.GFX803, "s_setreg_imm32_b32 hwreg(1, 23, 1), 1", []string{"MODE: note"}},
		{"VSKIP", gcn.GFX701, "s_setreg_imm32_b32 hwreg(1, 28, 1), 1", []string{"MODE.VSKIP: warning"}},
		{"GPR_IDX_EN", gcn.GFX701, "s_setreg_imm32_b32 hwreg(1, 27, 1), 1", []string{"MODE.GPR_IDX_EN: warning"}},
		{"GPR indexing", gcn.GFX803, "s_set_gpr_idx_on s0, gpr_idx(SRC0)\ns_set_gpr_idx_off", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := newBench(t, tt.target, "ignored").run(tt.text)
			require.Equal(t, tt.want, fields(t, all))
			for _, f := range all {
				require.NotEmpty(t, f.Text)
			}
		})
	}
	b := newBench(t, gcn.GFX803, "ignored")
	b.w.SetStatus(state.StatusValid | state.StatusPriv)
	require.Empty(t, b.run("s_mov_b32 ttmp3, 1"))

	handler, err := asm.Assemble(gcn.GFX803,
		"s_add_u32 ttmp0, ttmp0, 4\ns_and_b32 ttmp1, ttmp1, 0xffff\ns_rfe_b64 ttmp[0:1]",
		asm.LLVM)
	require.NoError(t, err)
	b = newBench(t, gcn.GFX803)
	b.m.TrapHandler = &sim.TrapHandler{Words: handler.Words}
	require.Empty(t, b.run("s_trap 1"))

	b = newBench(t, gcn.GFX803, "ignored") // equal to the initial value of a wave
	b.w.Mode |= state.ModeVSkip
	b.w.SetStatus(state.StatusValid | state.StatusHalt)
	all := b.run("s_nop 0\ns_nop 0")
	require.Equal(t, []string{"MODE.VSKIP: warning", "STATUS.HALT: warning"}, fields(t, all))
	require.Empty(t, all[0].Text)
	require.Equal(t, uint64(1), all[0].Count)
}

func TestIgnoredFLATAtomics(t *testing.T) {
	b := newBench(t, gcn.GFX900)
	b.w.SetVGPR(3, lane.All(b.w.PrivateBase))
	b.w.SetFlatScratch(b.buf.Addr)
	b.w.SetExec(3)
	f := one(t, b.run("flat_atomic_add v[2:3], v1"))
	require.Equal(t, [4]any{check.Ignored, check.Error, "F5", 0}, [4]any{f.Kind, f.Severity, f.Rule, f.Lane})
}

// Settings that a run does not use have findings.
func TestIgnoredSettings(t *testing.T) {
	b := newBench(t, gcn.GFX600)
	b.m.Align = state.AlignStrict
	f := one(t, b.run("s_nop 0"))
	require.Equal(t, [3]any{"alignment", "L2", ""}, [3]any{f.Field, f.Rule, f.Text})
	b.c.Setting("flat_scratch", "ST1", "there is none")
	require.Len(t, b.c.Findings(), 2)

	b = newBench(t, gcn.GFX701)
	b.m.Align = state.AlignStrict
	require.Empty(t, b.run("s_nop 0"))
	b = newBench(t, gcn.GFX600, "range")
	b.m.Align = state.AlignStrict
	require.Empty(t, b.run("s_nop 0"))
	b.c.Setting("flat_scratch", "ST1", "there is none")
	require.Empty(t, b.c.Findings())
}

// Low bits of an address that alignment clears have findings.
func TestIgnoredAddressBits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		target gcn.Target
		text   string
		align  state.Alignment
		rule   string // "" if no finding is expected
		lanes  string
	}{
		{"buffer", gcn.GFX803, "buffer_load_dword v1, v0, s[0:3], 0 offen offset:2", 0, "L1", "64 lanes"},
		{"aligned", gcn.GFX803, "buffer_load_dword v1, v0, s[0:3], 0 offen offset:4", 0, "", ""},
		{"short", gcn.GFX803, "buffer_load_ushort v1, v0, s[0:3], 0 offen offset:2", 0, "", ""},
		{"odd short", gcn.GFX803, "buffer_load_ushort v1, v0, s[0:3], 0 offen offset:1", 0, "L1", "64 lanes"},
		{"unaligned mode", gcn.GFX803, "buffer_load_dword v1, v0, s[0:3], 0 offen offset:2", state.AlignNone, "", ""},
		{"no modes", gcn.GFX600, "buffer_load_dword v1, v0, s[0:3], 0 offen offset:2", 0, "L1", "64 lanes"},
		{"atomic without modes", gcn.GFX600, "buffer_atomic_add_x2 v[4:5], off, s[0:3], 0 offset:4", 0, "L4", "64 lanes"},
		{"format", gcn.GFX803, "tbuffer_load_format_x v1, v0, s[0:3], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT] offen offset:1", state.AlignNone, "L3", "64 lanes"},
		{"FLAT", gcn.GFX803, "flat_load_dword v1, v[2:3]", 0, "L1", "64 lanes"},
		{"FLAT bytes", gcn.GFX803, "flat_load_ubyte v1, v[2:3]", 0, "", ""},
		{"GLOBAL", gcn.GFX900, "global_load_dword v1, v[2:3], off", 0, "L1", "64 lanes"},
		{"LDS", gcn.GFX803, "s_mov_b32 m0, -1\nds_read_b64 v[4:5], v0", 0, "DS2", "32 lanes"},
		{"LDS dwords", gcn.GFX803, "s_mov_b32 m0, -1\nds_read_b32 v4, v0", 0, "", ""},
		{"scalar", gcn.GFX803, "s_load_dword s20, s[4:5], 0x1", 0, "SM2", "1 lane"},
		{"scalar base", gcn.GFX803, "s_load_dword s20, s[6:7], 0x0", 0, "SM2", "1 lane"},
		{"scalar, aligned", gcn.GFX803, "s_load_dword s20, s[4:5], 0x4", 0, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.target, "ignored")
			b.m.Align = tt.align
			addr := b.buf.Addr
			b.w.SetSGPRs(4, uint32(addr), uint32(addr>>32), uint32(addr)+2, uint32(addr>>32))
			b.w.SetVGPR(2, lane.All(uint32(addr)+3))
			b.w.SetVGPR(3, lane.All(uint32(addr>>32)))
			all := b.run(tt.text)
			if tt.rule == "" {
				require.Empty(t, all)
				return
			}
			f := one(t, all)
			require.Equal(t, tt.rule, f.Rule)
			require.Contains(t, f.Message, tt.lanes)
		})
	}
}
