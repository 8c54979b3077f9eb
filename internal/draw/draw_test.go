package draw_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/testkit/svgtest"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// checked checks a drawing and returns its text and the number of its rectangles.
func checked(t *testing.T, c *svg.Canvas, err error) (text string, rects int) {
	t.Helper()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.svg")
	require.NoError(t, c.Save(path))
	return c.String(), svgtest.Check(t, path)
}

// ofProgram returns the picture of a program's execution.
func ofProgram(t *testing.T, name, program string) (*svg.Canvas, error) {
	return draw.Of(draw.Program(t.Context(), gcn.GFX803, program), draw.New(name))
}

func TestLines(t *testing.T) {
	const load = "buffer_load_dword v1, v0, s[0:3], 0 offen"
	tests := map[string]struct {
		program string
		rows    int
		texts   []string
	}{
		"side by side":  {"v_lshlrev_b32 v0, 2, v0\n" + load, 4, []string{load + ": 4 lines<", ">63<"}},
		"64 bytes":      {"v_lshlrev_b32 v0, 6, v0\n" + load, 16, []string{load + ": 64 lines<", ">and 48 more lines<"}},
		"bytes":         {"buffer_load_ubyte v1, v0, s[0:3], 0 offen", 1, []string{": 1 line<", ">0+3<", ">60+3<"}},
		"across a line": {"buffer_load_dwordx2 v[4:5], v1, s[0:3], 0 offen offset:60", 2, []string{": 2 lines<", ">0+63<"}},
		"scalar":        {"s_load_dwordx4 s[8:11], s[4:5], 0x3c", 2, []string{": 2 lines<"}},
		"flat":          {"flat_store_dword v[2:3], v0", 1, []string{"flat_store_dword v[2:3], v0: 1 line<", ">0+63<"}},
		"out of range":  {"v_lshlrev_b32 v0, 15, v0\n" + load, 2, []string{": 2 lines<"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := ofProgram(t, "lines", test.program)
			text, rects := checked(t, c, err)
			assert.Equal(t, 1+16*test.rows, rects)
			for _, s := range test.texts {
				assert.Contains(t, text, s)
			}
		})
	}
}

func TestExec(t *testing.T) {
	c, err := ofProgram(t, "exec", "v_cmp_gt_u32 vcc, 20, v0\ns_and_saveexec_b64 s[6:7], vcc\ns_mov_b64 exec, s[6:7]")
	text, rects := checked(t, c, err)
	assert.Equal(t, 1+2+3*64, rects, "with background and legend")
	assert.Contains(t, text, ">20</text>")
	assert.Equal(t, 1+64+20+64, strings.Count(text, svg.Tints[0]))
}

func TestRunsWithoutPictures(t *testing.T) {
	tests := map[string][3]string{
		"no memory":     {"lines", "v_mov_b32 v1, v0", "no lane accesses memory"},
		"out of range":  {"lines", "buffer_load_dword v1, v0, s[8:11], 0 offen", "no lane accesses memory"},
		"many accesses": {"lines", strings.Repeat("s_load_dword s8, s[4:5], 0x0\n", 9), "more than 8 accesses to memory"},
		"fault":         {"lines", "s_load_dword s8, s[8:9], 0x0", "no mapped range"},
		"many steps":    {"exec", strings.Repeat("s_nop 0\n", 65), "executes 65 instructions"},
		"wrong text":    {"exec", "s_nop", "1:6: expected a number"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ofProgram(t, test[0], test[1])
			assert.ErrorContains(t, err, test[2])
		})
	}
	assert.Nil(t, draw.New("banks"))
}

// An instruction in a loop is shown four times.
func TestOnly(t *testing.T) {
	const loop = "s_mov_b32 s8, 6\nagain:\nds_read_b32 v1, v0\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\n" +
		"s_cbranch_scc1 again\nds_write_b32 v0, v1"
	run := draw.Program(t.Context(), gcn.GFX803, loop)
	c, err := draw.Of(run, &draw.Only{PC: 4, Picture: draw.New("lds")})
	text, _ := checked(t, c, err)
	assert.Equal(t, 4*2, strings.Count(text, "ds_read_b32 v1, v0, part"))
	assert.NotContains(t, text, "ds_write_b32")
	_, err = draw.Of(run, &draw.Only{PC: 0x100})
	assert.EqualError(t, err, "no instruction at 0x100 executes")
}

func TestSwizzle(t *testing.T) {
	linear := gcn.Buffer{Base: 0x1000, Stride: 16, NumRecords: 64}
	swizzled := linear
	swizzled.Swizzle, swizzled.ElemSize, swizzled.IndexStride = true, 4, 16
	short := linear
	short.NumRecords, short.AddTID = 3, true
	vs := func(all ...gcn.Buffer) (words []gcn.VSharp) {
		for _, b := range all {
			words = append(words, gcn.VSharp(b.Words()))
		}
		return words
	}
	c, err := draw.Swizzle(gcn.GCN12, vs(linear, swizzled, short))
	text, rects := checked(t, c, err)
	assert.Equal(t, 1+5+2*256+3*4, rects)
	for _, s := range []string{">16 lines a store<", ">4 lines a store<", ">1 line a store<",
		">stride 16, elements of 4, index stride 16<"} {
		assert.Contains(t, text, s)
	}
	_, err = draw.Swizzle(gcn.GCN12, vs(gcn.Buffer{NumRecords: 64}))
	assert.ErrorContains(t, err, "has STRIDE 0")
	_, err = draw.Swizzle(gcn.GCN12, vs(gcn.Buffer{Stride: 16}))
	assert.ErrorContains(t, err, "no lane is in range")
	_, err = draw.Swizzle(gcn.GCN12, vs(linear, linear, linear, linear))
	assert.ErrorContains(t, err, "at most 3")
}

func TestTiles(t *testing.T) {
	regs, err := tile.Preset("fiji")
	require.NoError(t, err)
	var images []gcn.TSharp
	for _, mode := range []int{8, 13, 14} {
		tex, err := texture.New(sim.New(gcn.GFX803), gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 40, Height: 20,
			TileMode: mode})
		require.NoError(t, err)
		images = append(images, gcn.TSharp(tex.Words()))
	}
	c, err := draw.Tiles(regs, images)
	text, rects := checked(t, c, err)
	assert.Equal(t, 1+32+3*32*20, rects)
	assert.Contains(t, text, ">2D_THIN1, 40 by 20 of 4 bytes<")
	_, err = draw.Tiles(regs, []gcn.TSharp{{}})
	assert.Error(t, err, "no format")
}

func TestFilter(t *testing.T) {
	for _, name := range []string{"tahiti", "bonaire", "fiji", "vega10", "vega20"} {
		target, err := chip.ParseTarget(name)
		require.NoError(t, err)
		s := gcn.SamplerState{Clamp: [3]gcn.Clamp{gcn.ClampBorder, gcn.ClampBorder}, MaxLOD: 2, TruncCoord: true,
			MipFilter: gcn.MipPoint, BorderColorType: gcn.BorderRegister}
		c, err := draw.Filter(t.Context(), target, []gcn.SSharp{gcn.SSharp(s.Words(target.Gen()))})
		text, rects := checked(t, c, err)
		assert.Equal(t, 1+6+128, rects)
		count := func(fill string) int { return strings.Count(text, `fill="`+fill+`" class="shade"`) }
		// 64 positions cover 12 texels. Eight of them are border. LOD 2 is the last level.
		assert.InDelta(t, 64*8/12, count(draw.BorderFill()), 1, name)
		assert.Zero(t, count(draw.TexelFill(4)), name)
		assert.InDelta(t, 64*4.5/7+64/12, count(draw.TexelFill(2)), 3, name)
	}
}

func TestFormats(t *testing.T) {
	element := func(data, num uint8, sel ...gcn.Sel) draw.Element {
		b := gcn.Buffer{DataFormat: data, NumFormat: num}
		copy(b.DstSel[:], sel)
		e, err := draw.OfBuffer(gcn.VSharp(b.Words()))
		require.NoError(t, err)
		return e
	}
	c, err := draw.Formats([]draw.Element{
		element(gcn.Data2_10_10_10, gcn.NumSNORM, gcn.SelB, gcn.SelG, gcn.SelR, gcn.Sel1),
		element(gcn.Data16_16_16_16, gcn.NumFLOAT, gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA),
		element(gcn.Data8, gcn.NumUINT, gcn.SelR),
	})
	text, rects := checked(t, c, err)
	assert.Equal(t, 1+4+4+1, rects)
	for _, s := range []string{">v0 = Z,   v1 = Y,   v2 = X,   v3 = 1<",
		">0x0: 0,   0x1: 0.00195695,   0x1ff: 1,   0x200: -1,   0x3ff: -0.00195695<",
		">0x0: 0,   0x1: 5.96046e-08,   0x7fff: NaN,   0x8000: -0,   0xffff: NaN<",
		">0x0: 0,   0x1: 1,   0x7f: 127,   0x80: 128,   0xff: 255<"} {
		assert.Contains(t, text, s)
	}
	_, err = draw.OfBuffer(gcn.VSharp{})
	assert.Error(t, err)
}

// Black and white lines are visible on all colours of addresses.
func TestRamp(t *testing.T) {
	last := 0.0
	for i := range 100 {
		color := svg.Mix(float64(i)/99, draw.Ramp...)
		assert.GreaterOrEqual(t, svg.Contrast(color, "#ffffff"), 3.0, color)
		black := svg.Contrast(color, "#000000")
		assert.GreaterOrEqual(t, black, 3.0, color)
		assert.Greater(t, black, 0.99*last, color) // except for rounding
		last = black
	}
}
