package check_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// hints has the fields of resources that change no result and that nothing reports, with the
// reason. Any other field changes a result, or the checks or the fidelity report name it.
var hints = map[string]string{
	"V# CACHE_SWIZZLE": "banks of the L1 (rule R9)",
	"V# HASH":          "channels of memory (rule R9)",
	"V# HEAP":          "no effect on results (rule R9)",

	"T# MTYPE": "caching", "T# MTYPE[2]": "caching", "T# ATC": "translation", "T# NV": "caching",
	"T# COUNTER_BANK_ID": "counters", "T# LOD_HDW_CNT_EN": "counters",
	"T# ALPHA_IS_ON_MSB": "of metadata, which COMPRESSION_EN asks for", "T# COLOR_TRANSFORM": "of metadata",
	"T# LOST_ALPHA_BITS": "of metadata", "T# LOST_COLOR_BITS": "of metadata",
	"T# META_DIRECT": "of metadata", "T# META_LINEAR": "of metadata", "T# META_PIPE_ALIGNED": "of metadata",
	"T# META_RB_ALIGNED": "of metadata",
	"T# ARRAY_PITCH":     "of quilted arrays, which GCN 1.4 does not have",

	"S# ANISO_THRESHOLD": "anisotropic filters are reported as a whole", "S# ANISO_BIAS": "the same",
	"S# COMPAT_MODE": "the same",
}

// scene is a program, with the resources that the program reads.
type scene struct {
	text    string
	buffer  gcn.Buffer
	image   gcn.Image
	sampler gcn.SamplerState
	rules   state.Rules
	lod     float32
}

// result is the state of a wave after a scene, or the error of the run.
type result struct {
	err   string
	vgprs [12]state.Lanes
	sgprs [4]uint32
	mode  state.Mode
}

// trial runs a scene with bit n of the words from SGPR first on flipped, or no bit if n is
// -1. It returns the result, and the text of the findings and of the fidelity report.
func (s *scene) trial(t testing.TB, target gcn.Target, first, n int) (left result, said string) {
	c, err := check.New("ignored")
	require.NoError(t, err)
	m := sim.New(target)
	m.Rules = s.rules
	m.BorderColors = [][4]uint32{floats(1, 2, 3, 4), floats(5, 6, 7, 8)}
	w := m.NewWave()
	buf := m.Alloc(1 << 13)
	for i := range buf.Bytes() {
		buf.Bytes()[i] = byte(i ^ i>>8*31)
	}
	if s.image.DataFormat != 0 {
		x, err := texture.New(m, s.image)
		require.NoError(t, err)
		for i := range len(x.Buffer.Bytes()) / 4 {
			binary.LittleEndian.PutUint32(x.Buffer.Bytes()[4*i:], math.Float32bits(float32(i%251)/64))
		}
		w.SetSGPRs(8, x.Words()...)
	}
	s.buffer.Base = buf.Addr + 1<<12
	w.SetSGPRs(0, s.buffer.Words()...)
	w.SetSGPRs(16, s.sampler.Words(target.Gen())...)
	w.SetVGPR(0, lane.Times(4))
	w.SetVGPR(1, state.Lanes{0: 1, 1: 5, 2: 2})
	if strings.Contains(s.text, "sample") {
		for i := range 4 {
			w.SetVGPR(i, lane.All(math.Float32bits(0.3+float32(i)*0.45)))
		}
		w.SetVGPR(s.lodAt(), lane.All(math.Float32bits(s.lod)))
	}
	if strings.Contains(s.text, "image_load") {
		for i := range 4 {
			w.SetVGPR(i, state.Lanes{0: 1, 1: 2, 2: 3, 3: 7})
		}
	}
	w.SetExec(15)
	if n >= 0 {
		w.S[first+n/32] ^= 1 << (n % 32)
	}
	require.NoError(t, m.Watch(c))
	res, err := m.RunAsm(context.Background(), w, s.text)
	if err != nil {
		require.GreaterOrEqual(t, n, 0, "%s on %v: %v", s.text, target, err)
		return result{err: err.Error()}, ""
	}
	for _, f := range c.Findings() {
		said += f.Field + f.Message
	}
	return result{vgprs: [12]state.Lanes(w.V), sgprs: [4]uint32(w.S[20:24]), mode: w.Mode}, said + fmt.Sprint(res.Fidelity)
}

// floats returns the bit patterns of four numbers.
func floats(r, g, b, a float32) [4]uint32 {
	return [4]uint32{math.Float32bits(r), math.Float32bits(g), math.Float32bits(b), math.Float32bits(a)}
}

// lodAt returns the number of the VGPR with the LOD.
func (s *scene) lodAt() int {
	switch {
	case strings.Contains(s.text, "v[2:4]"):
		return 4
	case strings.Contains(s.text, "v[0:3]"):
		return 3
	case strings.Contains(s.text, "sample_c_l"):
		return 3
	}
	return 2
}

// judge requires that each field is read or reported in at least one of the scenes. A field
// of hints must be neither.
func judge(t testing.TB, target gcn.Target, scenes []scene, kind string, first int, fields []isa.BitField) {
	t.Helper()
	plain, plainSaid := make([]result, len(scenes)), make([]string, len(scenes))
	for i := range scenes {
		plain[i], plainSaid[i] = scenes[i].trial(t, target, first, -1)
	}
	for _, f := range fields {
		name, verdict := kind+" "+f.Name, ""
		for i := 0; i < len(scenes) && verdict != "read"; i++ {
			for bit := 0; bit < f.Width && verdict != "read"; bit++ {
				left, said := scenes[i].trial(t, target, first, f.Shift+bit)
				if left != plain[i] {
					verdict = "read"
				} else if said != plainSaid[i] {
					verdict = "reported"
				}
			}
		}
		if hints[name] != "" {
			assert.Empty(t, verdict, "%s on %v is no hint", name, target)
		} else {
			assert.NotEmpty(t, verdict, "%s on %v: nothing looks at it and nobody says so", name, target)
		}
	}
}

// someTargets returns the targets, in short tests only the first one: each costs thousands of programs.
func someTargets(targets ...gcn.Target) []gcn.Target {
	if !effort.Full() {
		return targets[:1]
	}
	return targets
}

func TestEveryFieldOfABufferIsReadOrReported(t *testing.T) {
	float := gcn.Buffer{NumRecords: 64, Stride: 16, DataFormat: 14, NumFormat: 7}
	swizzled := gcn.Buffer{NumRecords: 64, Stride: 16, Swizzle: true, AddTID: true, ElemSize: 4, IndexStride: 8}
	scenes := []scene{
		{text: "buffer_load_dword v4, v0, s[0:3], 0 offen", buffer: gcn.Buffer{NumRecords: 64}},
		{text: "buffer_load_dword v4, v[0:1], s[0:3], 0 idxen offen", buffer: swizzled},
		{text: "buffer_load_format_xyzw v[4:7], v1, s[0:3], 0 idxen", buffer: float},
		{text: "s_buffer_load_dwordx4 s[20:23], s[0:3], 0x8", buffer: float},
	}
	for _, target := range someTargets(gcn.GFX600, gcn.GFX803, gcn.GFX906) {
		judge(t, target, scenes, "V#", 0, isa.VSharpFields[:])
	}
}

func TestEveryFieldOfAnImageIsReadOrReported(t *testing.T) {
	for _, target := range someTargets(gcn.GFX803, gcn.GFX600, gcn.GFX701, gcn.GFX906) {
		img := gcn.Image{DataFormat: 4, NumFormat: 7, Width: 16, Height: 16, LastLevel: 3, TileMode: linearMode(target),
			DstSel: [4]gcn.Sel{4, 4, 4, 4}}
		array := img
		array.Type, array.Depth, array.LastLevel, array.MaxMip = gcn.Image2DArray, 8, 0, 0
		border := gcn.SamplerState{MaxLOD: 15, MipFilter: 1, Clamp: [3]gcn.Clamp{6, 6, 6}, BorderColorType: 3, MaxAniso: 2}
		inside := border
		inside.Clamp, inside.MagFilter, inside.MinFilter, inside.MipFilter = [3]gcn.Clamp{}, 1, 1, 2
		short, aniso := inside, inside
		short.MaxLOD = 2
		aniso.MagFilter, aniso.MinFilter, aniso.LODBiasSec = 3, 3, 1
		bytes, cube, volume, single, warned := img, array, img, img, img
		bytes.DataFormat, bytes.NumFormat = 10, 0
		cube.Type, cube.Depth, cube.DataFormat, cube.NumFormat = gcn.ImageCube, 1, 4, 7
		if isa.GenTraits(target.Gen()).SwizzleModes {
			cube.Depth = 6
		}
		srgb := bytes
		srgb.NumFormat = 9
		volume.Type, volume.Depth = gcn.Image3D, 8
		single.LastLevel, warned.MinLODWarn = 0, 1
		scenes := []scene{
			{text: "image_sample_l v4, v[0:2], s[8:15], s[16:19] dmask:0x1", image: bytes, sampler: inside},
			{text: "image_sample_lz v4, v[0:2], s[8:15], s[16:19] dmask:0x1 da", image: cube, sampler: inside, lod: 1},
			{text: "image_sample_l v4, v[0:3], s[8:15], s[16:19] dmask:0x1", image: volume, sampler: inside},
			{text: "image_sample_d v4, v[0:5], s[8:15], s[16:19] dmask:0x1", image: single, sampler: aniso},
			{text: "image_sample_l v4, v[0:2], s[8:15], s[16:19] dmask:0x1 lwe", image: warned, sampler: border, lod: 0.6},
			{text: "image_sample_l v4, v[0:2], s[8:15], s[16:19] dmask:0x1", image: img, sampler: short, lod: 2.9},
			{text: "image_load_mip v[4:7], v[0:2], s[8:15] dmask:0xf unorm", image: img},
			{text: "image_load v[4:7], v[0:2], s[8:15] dmask:0xf unorm da", image: array},
			{text: "image_sample_l v[8:11], v[2:4], s[8:15], s[16:19] dmask:0xf", image: img, sampler: border},
			{text: "image_sample_l v[4:7], v[0:2], s[8:15], s[16:19] dmask:0xf lwe", image: img, sampler: inside, lod: 0.6},
			{text: "image_sample_c_l v4, v[0:3], s[8:15], s[16:19] dmask:0x1", image: img, sampler: inside, lod: 1.5},
			{text: "image_sample_d v4, v[0:5], s[8:15], s[16:19] dmask:0x1", image: img, sampler: aniso},
			{text: "image_sample_b v4, v[0:2], s[8:15], s[16:19] dmask:0x1", image: img, sampler: aniso, lod: 3},
			{text: "image_sample_l v4, v[0:2], s[8:15], s[16:19] dmask:0x1", image: srgb, sampler: inside},
			{text: "image_get_resinfo v[4:7], v0, s[8:15] dmask:0xf", image: array},
		}
		t.Run(target.String(), func(t *testing.T) {
			judge(t, target, scenes, "T#", 8, isa.TSharpFields[target.Gen()])
			judge(t, target, scenes, "S#", 16, isa.SSharpFields[target.Gen()])
		})
	}
}
