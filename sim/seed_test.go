package sim_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// departure shows one point in which the rule set seed differs from the letter of the documents: a program and its
// result.
type departure struct {
	target gcn.Target // default GFX803
	text   string
	words  []uint32 // replaces text
	buffer gcn.Buffer
	num    uint32 // replaces the NUM_RECORDS of 256, if set
	vgpr   map[int]uint32
	sgpr   map[int]uint32
	wave   func(w *state.Wave)
	memory []uint32                   // contents of the buffer, default 1, 2, 3, ...
	image  gcn.Image                  // a linear image in s[8:15], over the same memory
	smp    gcn.SamplerState           // the sampler in s[16:19]
	see    func(w *state.Wave) uint32 // returns the result, default v1
	want   uint32
	fault  string // text of the expected error
}

// sgpr reads an SGPR.
func sgpr(n int) func(*state.Wave) uint32 { return func(w *state.Wave) uint32 { return w.S[n] } }

const (
	loadDword  = "buffer_load_dword v1, off, s[0:3], 0"
	loadFormat = "buffer_load_format_xyzw v[1:4], off, s[0:3], 0"
	loadTexels = "image_load v[1:4], v[5:8], s[8:15] dmask:0xf unorm"
)

var bitsOf = math.Float32bits

// linearImage returns an image of at least 4 x 4 texels, with 256 bytes per row.
func linearImage(data, num uint8, change func(*gcn.Image)) gcn.Image {
	img := gcn.Image{
		Type: gcn.Image2D, DataFormat: data, NumFormat: num, Width: 4, Height: 4, Depth: 1, Pitch: 64, TileMode: 8,
		DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA},
	}
	if change != nil {
		change(&img)
	}
	return img
}

// departures are the rows of docs/SEED.md, by their subject.
var departures = map[string]departure{
	"STRIDE under ADD_TID_ENABLE": {
		text: loadDword + "\nv_readlane_b32 s20, v1, 1", buffer: gcn.Buffer{DataFormat: 1, AddTID: true},
		see: sgpr(20), want: 1 + 1<<14/4,
	},
	"NUM_RECORDS - SGPR_OFFSET": {text: "buffer_load_dword v1, off, s[0:3], s8", num: 16, sgpr: map[int]uint32{8: 32}},
	"OFFSET >= STRIDE": {
		text: "buffer_load_dword v1, v[2:3], s[0:3], 0 idxen offen", buffer: gcn.Buffer{Stride: 16},
		vgpr: map[int]uint32{3: 20},
	},
	"range of accesses of several dwords": {
		text: "buffer_load_dwordx4 v[1:4], off, s[0:3], 0",
		num:  8, see: func(w *state.Wave) uint32 { return w.V[1][0]<<8 | w.V[3][0] }, want: 1 << 8,
	},
	"sum of an address": {
		text: "buffer_load_dword v1, off, s[0:3], s8",
		num:  math.MaxUint32, sgpr: map[int]uint32{1: 0xffff, 0: 0xfffff000, 8: 4096 + base}, want: 1,
	},
	"DST_SEL = 1 out of range": {
		text: loadFormat, buffer: gcn.Buffer{DataFormat: 4, NumFormat: 7, Stride: 4, DstSel: [4]gcn.Sel{gcn.Sel1}},
		num: 1, wave: func(w *state.Wave) { w.S[3] |= 1 << 23 }, see: lane1, want: bitsOf(1),
	},
	"DST_SEL of stores": {
		text:   "buffer_store_format_xyzw v[1:4], off, s[0:3], 0\n" + loadDword,
		buffer: gcn.Buffer{DataFormat: 10, NumFormat: 4, DstSel: [4]gcn.Sel{gcn.SelG, gcn.SelB, gcn.SelR, gcn.SelA}},
		vgpr:   map[int]uint32{1: 1, 2: 2, 3: 3, 4: 4}, want: 0x04020103,
	},
	"signed alpha of 2_10_10_10": {
		text: loadFormat, buffer: gcn.Buffer{DataFormat: 9, NumFormat: 5},
		memory: []uint32{math.MaxUint32}, see: func(w *state.Wave) uint32 { return w.V[4][0] }, want: 3,
	},
	"normalized and scaled numbers of 32 bits": {text: loadFormat, buffer: gcn.Buffer{DataFormat: 4}, fault: "32 with UNORM has no meaning"},
	"floats of 16, 11 and 10 bits":             {text: loadFormat, buffer: gcn.Buffer{DataFormat: 2, NumFormat: 7}, memory: []uint32{0x3c00}, want: bitsOf(1)},
	"names of the data formats 8 and 9": {
		text:   "tbuffer_load_format_xyzw v[1:4], off, s[0:3], 0 format:[BUF_DATA_FORMAT_10_10_10_2,BUF_NUM_FORMAT_UINT]",
		memory: []uint32{0xffffffff}, want: 3,
	},
	"alignment of 64-bit atomics": {
		text: "buffer_atomic_add_x2 v[1:2], off, s[0:3], 0 offset:4 glc",
		see:  func(w *state.Wave) uint32 { return w.V[1][0] | uint32(w.TrapSts) }, want: uint32(state.TrapMemViol),
	},
	"a buffer instruction with another resource": {text: loadDword, buffer: gcn.Buffer{Type: 2}, vgpr: map[int]uint32{1: 9}, want: 9},
	"SGPRs 102 and 103 of GCN 1.4": {
		target: gcn.GFX906, words: []uint32{0xbe940066},
		wave: func(w *state.Wave) { w.SetFlatScratch(5) }, see: sgpr(20), want: 5,
	},
	"the last SGPRs": {text: "s_mov_b32 s14, 3\ns_mov_b64 vcc, 0", wave: func(w *state.Wave) { w.NumSGPRs = 16 }, see: sgpr(14), want: 3},
	"size of LDS":    {text: "s_mov_b32 m0, -1\nds_write_b32 v5, v6\nds_read_b32 v1, v5", vgpr: map[int]uint32{5: 65532, 6: 7}, want: 7},
	"LGKMCNT":        {text: strings.Repeat("ds_read_b32 v1, v0\n", 17) + "s_waitcnt 0x107f\ns_getreg_b32 s20, hwreg(7, 8, 4)", see: sgpr(20)},
	"VMCNT of GCN 1.4": {
		target: gcn.GFX900, text: strings.Repeat(loadDword+"\n",
			60) + "s_waitcnt vmcnt(50)\ns_getreg_b32 s20, hwreg(7, 22, 2)",
		see: sgpr(20), want: 50 >> 4,
	},
	"SCC in STATUS": {text: "s_cmp_eq_u32 0, 0\ns_getreg_b32 s20, hwreg(2, 0, 2)", see: sgpr(20), want: 1},
	"GPR indexing of GCN 1.4": {
		target: gcn.GFX900, text: "s_set_gpr_idx_on s8, 1\nv_mov_b32 v1, v5\ns_set_gpr_idx_off",
		sgpr: map[int]uint32{8: 1}, vgpr: map[int]uint32{6: 8}, want: 8,
	},
	"exceptions of mixed halves":   {target: gcn.GFX906, text: "v_fma_mix_f32 v1, v0, v0, v0\ns_getreg_b32 s20, hwreg(3, 0, 7)", see: sgpr(20)},
	"an exception that traps":      {text: "s_setreg_imm32_b32 hwreg(1, 14, 1), 1\nv_rcp_f32 v1, 0", fault: "no trap handler"},
	"cache swizzle, HASH and HEAP": {text: loadDword, buffer: gcn.Buffer{CacheSwizzle: true, Hash: true, Heap: true}, want: 1},
	"slice of an array with a sampler": {
		text:  "image_sample_lz v1, v[5:7], s[8:15], s[16:19] dmask:0x1 da",
		image: linearImage(4, 7, func(i *gcn.Image) { i.Type, i.Depth, i.LastArray = gcn.Image2DArray, 4, 3 }),
		vgpr:  map[int]uint32{7: bitsOf(2)}, memory: rows(4 * 64 * 4), want: bitsOf(8),
	},
	"face of a cube without a sampler": {
		text:  "image_load v1, v[5:7], s[8:15] dmask:0x1 unorm da",
		image: linearImage(4, 7, func(i *gcn.Image) { i.Type, i.LastArray = gcn.ImageCube, 5 }),
		vgpr:  map[int]uint32{7: 2}, memory: rows(4 * 64 * 6), want: bitsOf(8),
	},
	"SRGB and FORCE_DEGAMMA": {text: loadTexels, image: linearImage(10, 9, nil), memory: []uint32{128}, want: 0x3e5d0a89},
	"GB_GR and BG_RG": {
		text: loadTexels, image: linearImage(32, 0, nil),
		memory: []uint32{0xff000000}, vgpr: map[int]uint32{5: 1}, see: func(w *state.Wave) uint32 { return w.V[2][0] },
		want: bitsOf(1),
	},
	"FMASK formats":                   {text: loadTexels, image: linearImage(44, 4, nil), memory: []uint32{3}, want: 0x88},
	"data format 15 of images":        {text: loadTexels, image: linearImage(15, 0, nil)},
	"data formats 61 to 63 of images": {text: loadTexels, image: linearImage(61, 0, nil), fault: "32_AS_8, whose size in memory no source tells"},
	"image TYPE 0":                    {text: loadTexels, image: linearImage(4, 7, func(i *gcn.Image) { i.Type = 0 })},
	"INTERLACED and POW2PAD of GCN 1.4": {
		target: gcn.GFX900, text: loadTexels, image: linearImage(4, 7, func(i *gcn.Image) { i.TileMode, i.Pitch = 0, 1 }),
		memory: []uint32{bitsOf(7)},
		wave:   func(w *state.Wave) { w.S[10], w.S[11] = w.S[10]|1<<31, w.S[11]|1<<25 }, want: bitsOf(7),
	},
	"MINLODWARN": {
		text:  "image_sample_lz v1, v[5:7], s[8:15], s[16:19] dmask:0x1 lwe",
		image: linearImage(4, 7, func(i *gcn.Image) { i.MinLODWarn = 1 }),
		see:   func(w *state.Wave) uint32 { return w.V[2][0] }, want: 1,
	},
	"texel coordinates with mipmaps": {
		text:  "image_sample_l v1, v[5:7], s[8:15], s[16:19] dmask:0x1 unorm",
		image: linearImage(4, 7, func(i *gcn.Image) { i.LastLevel, i.MaxMip, i.Pow2Pad = 2, 2, true }),
		smp:   gcn.SamplerState{MaxLOD: 15, MipFilter: 1},
		vgpr:  map[int]uint32{7: bitsOf(1)}, memory: rows(4 * 64 * 4), want: bitsOf(4)},
	"DISABLE_LSB_CEIL, FILTER_PREC_FIX, MIP_POINT_PRECLAMP": {
		text: "image_sample_lz v1, v[5:7], s[8:15], s[16:19] dmask:0x1", image: linearImage(4, 7, nil),
		smp: gcn.SamplerState{NoLSBCeil: true, PrecFix: true, MipPointPreclamp: true}, memory: rows(256), want: bitsOf(0),
	},
	"PERF_MIP and PERF_Z": {
		text: "image_sample_lz v1, v[5:7], s[8:15], s[16:19] dmask:0x1", image: linearImage(4, 7, nil),
		smp: gcn.SamplerState{PerfMip: 7, PerfZ: 7}, memory: rows(256), want: bitsOf(0),
	},
}

// base is the address of the memory that departures use.
const base = 1 << 16

// lane1 returns lane 1 of v1.
func lane1(w *state.Wave) uint32 { return w.V[1][1] }

// rows returns n texels that contain the number of their row as a float.
func rows(n int) (all []uint32) {
	for i := range n {
		all = append(all, bitsOf(float32(i/64)))
	}
	return all
}

// run executes the program of d and returns the wave and the fidelity notes.
func (d *departure) run(t *testing.T) (w *state.Wave, said string, err error) {
	target := d.target
	if target == 0 {
		target = gcn.GFX803
	}
	m := sim.New(target)
	buf, err := m.Map(base, 1<<17)
	require.NoError(t, err)
	for i := range buf.Size / 4 {
		v := uint32(i + 1)
		if d.memory != nil {
			v = 0
			if i < uint64(len(d.memory)) {
				v = d.memory[i]
			}
		}
		binary.LittleEndian.PutUint32(buf.Bytes()[4*i:], v)
	}
	w = m.NewWave()
	w.SetExec(3)
	b := d.buffer
	b.Base, b.NumRecords = base, 256
	if d.num != 0 {
		b.NumRecords = d.num
	}
	w.SetSGPRs(0, b.Words()...)
	img := d.image
	img.Base = base
	w.SetSGPRs(8, img.On(target.Gen()).Words(target.Gen())...)
	if img.DataFormat == 0 {
		w.S[8] = 0
	}
	w.SetSGPRs(16, d.smp.Words(target.Gen())...)
	for n, v := range d.sgpr {
		w.S[n] = v
	}
	for n, v := range d.vgpr {
		w.SetVGPR(n, state.Lanes{v, v})
	}
	if d.wave != nil {
		d.wave(w)
	}
	c, err := check.New("all")
	require.NoError(t, err)
	require.NoError(t, m.Watch(c))
	words := d.words
	if words == nil {
		words, err = asmWords(target, d.text)
		require.NoError(t, err)
	}
	res, err := m.Run(ctx, w, words)
	for _, f := range c.Findings() {
		said += fmt.Sprintf("`%s` ", f.Kind)
	}
	if len(res.Fidelity) > 0 {
		said += "fidelity "
	}
	if err != nil {
		said += "a fault"
	}
	return w, said, err
}

// The documented departures, the rules they cite, the rules listed in rule K20 and the results of execution must
// agree.
func TestSeedIsTheLetterButForWhatThePageLists(t *testing.T) {
	page, err := os.ReadFile("../docs/SEED.md")
	require.NoError(t, err)
	listed, cited := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || strings.HasPrefix(cells[1], "-") || cells[1] == " subject " {
			continue
		}
		subject, said := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[5])
		listed[subject] = true
		ids := handbook.Cited(cells[3])
		assert.Len(t, ids, 1, "%s cites one rule", subject)
		for _, id := range ids {
			cited[id] = true
		}
		if subject == "alignment in a dispatch" {
			testAlignmentOfADispatch(t)
			continue
		}
		d, ok := departures[subject]
		require.True(t, ok, "%s is not shown", subject)
		t.Run(subject, func(t *testing.T) {
			w, heard, err := d.run(t)
			if d.fault != "" {
				require.ErrorContains(t, err, d.fault)
			} else {
				require.NoError(t, err)
				see := d.see
				if see == nil {
					see = func(w *state.Wave) uint32 { return w.V[1][0] }
				}
				require.Equal(t, d.want, see(w))
			}
			for how := range strings.SplitSeq(said, ", ") {
				require.Contains(t, heard, how)
			}
		})
	}
	for subject := range departures {
		assert.True(t, listed[subject], "%s is not on the page", subject)
	}
	k20, ok := handbook.Lookup("K20")
	require.True(t, ok)
	require.Equal(t, slices.Sorted(maps.Keys(cited)), slices.Sorted(slices.Values(handbook.Cited(k20.Text))), "rule K20")
}

func testAlignmentOfADispatch(t *testing.T) {
	m := sim.New(gcn.GFX803)
	l, _ := vadd(t, m, 64)
	l.Rules = state.SeedRules
	require.NoError(t, l.Watch(sim.Observer(func(e *sim.Event) { require.Equal(t, state.AlignNone, e.Align) })))
	_, err := m.Dispatch(ctx, l)
	require.NoError(t, err)
}
