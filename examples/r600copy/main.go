// R600copy runs the copy shaders of R600 on a small picture: it prints the clauses as they
// execute, draws source and result, and runs beside each fetch the GCN instruction that does
// the same today, with the descriptor that R600 had as a number in the instruction.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/r600"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state/lane"
)

// The copy: size texels at from of the source go to the pixels at to of the target. They
// reach beyond the last texels, which repeat.
const (
	srcWidth, srcHeight = 13, 7
	dstWidth, dstHeight = 15, 9
	fromX, fromY        = 4, 2
	toX, toY            = 2, 1
	width, height       = 11, 7
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "r600copy:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	m, err := scene(out)
	if err != nil {
		return err
	}
	vs, err := program(r600.CopyVS)
	if err != nil {
		return err
	}
	ps, err := program(r600.CopyPS)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "vertex shader")
	vertices, err := m.Vertices(vs, []uint32{0, 1, 2})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "pixel shader")
	if err := m.Rect(ps, [3]r600.Output(vertices)); err != nil {
		return err
	}
	draw(out, "source", m.Textures[0])
	draw(out, "result", m.Targets[0])
	if want := expected(m.Textures[0].Data); !bytes.Equal(m.Targets[0].Data, want) {
		return errors.New("the result is not the expected bytes")
	}
	fmt.Fprintf(out, "%d bytes as expected\n\nthe same on GCN\n", len(m.Targets[0].Data))
	if err := buffer(out, m.Buffers[0].Data, vertices); err != nil {
		return err
	}
	return image(out, m)
}

// scene makes the resources of the copy.
func scene(out io.Writer) (*r600.Machine, error) {
	rgba8, err := format.Lookup(gcn.Data8_8_8_8, gcn.NumUNORM)
	if err != nil {
		return nil, err
	}
	src, err := r600.NewImage(rgba8, srcWidth, srcHeight, 0)
	if err != nil {
		return nil, err
	}
	for i := range src.Data {
		src.Data[i] = byte(40 + 2*(i/4) + i%4)
	}
	dst, err := r600.NewImage(rgba8, dstWidth, dstHeight, 0)
	if err != nil {
		return nil, err
	}
	var records []byte
	for _, at := range [3][2]float32{{0, 0}, {0, height}, {width, height}} {
		for _, c := range []float32{toX + at[0], toY + at[1], fromX + at[0], fromY + at[1]} {
			records = binary.LittleEndian.AppendUint32(records, math.Float32bits(c))
		}
	}
	return &r600.Machine{
		Buffers:  []r600.Buffer{{Data: records, Stride: 16}},
		Textures: []*r600.Image{src}, Samplers: []r600.Sampler{{}}, Targets: []*r600.Image{dst},
		Trace: func(e r600.Event) {
			indent := "  "
			if e.Clause {
				indent = "    "
			}
			fmt.Fprintf(out, "%swave %d, %2d threads: %d %s\n", indent, e.Wave, e.Threads, e.Slot, e.Inst.Name)
		},
	}, nil
}

// program loads a shader.
func program(text string) (*r600.Program, error) {
	words, _, err := r600.Assemble(r600.R600, text)
	if err != nil {
		return nil, err
	}
	return r600.Load(r600.R600, words)
}

// draw prints the first component of each texel as a character.
func draw(out io.Writer, title string, img *r600.Image) {
	fmt.Fprintln(out, title)
	for y := range img.Height {
		var line strings.Builder
		for x := range img.Width {
			c := byte('.')
			if v := img.Data[4*(y*img.Width+x)]; v != 0 {
				c = '0' + v/2%75
			}
			line.WriteByte(c)
		}
		fmt.Fprintln(out, "  "+line.String())
	}
}

// expected returns what the target must be.
func expected(src []byte) []byte {
	want := make([]byte, 4*dstWidth*dstHeight)
	for y := range height {
		for x := range width {
			u, v := min(fromX+x, srcWidth-1), min(fromY+y, srcHeight-1)
			copy(want[4*((toY+y)*dstWidth+toX+x):], src[4*(v*srcWidth+u):][:4])
		}
	}
	return want
}

// buffer fetches what the vertex shader does with a V#: stride, format and DST_SEL moved
// there from the resource and the instruction.
func buffer(out io.Writer, records []byte, want []r600.Output) error {
	m := sim.New(gcn.GFX803)
	mem := m.Alloc(len(records))
	copy(mem.Bytes(), records)
	v := gcn.Buffer{
		Base: mem.Addr, Stride: 16, NumRecords: uint32(len(records) / 16), DataFormat: gcn.Data32_32,
		NumFormat: gcn.NumFLOAT,
		DstSel:    [4]gcn.Sel{gcn.SelR, gcn.SelR + 1, gcn.Sel0, gcn.Sel1},
	}
	const text = "buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen"
	const second = "buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:8"
	w := m.NewWave()
	w.SetSGPRs(0, v.Words()...)
	w.SetVGPR(0, lane.Times(1))
	if _, err := m.RunAsm(context.Background(), w, text+"\n"+second+"\ns_endpgm"); err != nil {
		return err
	}
	for i := range want {
		for c := range 4 {
			if w.VGPR(4 + c)[i] != want[i].Position[c] || w.VGPR(8 + c)[i] != want[i].Params[0][c] {
				return fmt.Errorf("component %d of vertex %d is not that of R600", c, i)
			}
		}
	}
	fmt.Fprintf(out, "  4 FETCH: %s\n  6 FETCH: %s\n    V# %08x: stride 16, 32_32 FLOAT, DST_SEL XY01\n    the same "+
		"positions and coordinates\n", text, second, v.Words())
	return nil
}

// image samples what the pixel shader does with a T# and an S#.
func image(out io.Writer, old *r600.Machine) error {
	m := sim.New(gcn.GFX803)
	// linear
	tex, err := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, NumFormat: gcn.NumUNORM, Width: srcWidth,
		Height: srcHeight, TileMode: 8})
	if err != nil {
		return err
	}
	var rows []uint32
	for i := 0; i < len(old.Textures[0].Data); i += 4 {
		rows = append(rows, binary.LittleEndian.Uint32(old.Textures[0].Data[i:]))
	}
	if err := texture.Upload(tex, 0, 0, 0, rows); err != nil {
		return err
	}
	s := gcn.SamplerState{Clamp: [3]gcn.Clamp{gcn.ClampLastTexel, gcn.ClampLastTexel, gcn.ClampLastTexel},
		Unnormalized: true}
	const text = "image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf unorm"
	for first := 0; first < width*height; first += 64 {
		w := m.NewWave()
		w.SetSGPRs(0, tex.Words()...)
		w.SetSGPRs(8, s.Words(gcn.GCN12)...)
		w.SetVGPR(4, lane.Func(func(i int) uint32 { return math.Float32bits(fromX + 0.5 + float32((first+i)%width)) }))
		w.SetVGPR(5, lane.Func(func(i int) uint32 { return math.Float32bits(fromY + 0.5 + float32((first+i)/width)) }))
		if _, err := m.RunAsm(context.Background(), w, text+"\ns_waitcnt vmcnt(0)\ns_endpgm"); err != nil {
			return err
		}
		for i := range min(64, width*height-first) {
			x, y := toX+(first+i)%width, toY+(first+i)/width
			for c := range 4 {
				got := math.Round(255 * float64(math.Float32frombits(w.VGPR(c)[i])))
				if got != float64(old.Targets[0].Data[4*(y*dstWidth+x)+c]) {
					return fmt.Errorf("component %d of pixel %d,%d is not that of R600", c, x, y)
				}
			}
		}
	}
	fmt.Fprintf(out, "  2 SAMPLE: %s\n    T# %08x: 8_8_8_8 UNORM, linear\n    S# %08x: point, CLAMP_LAST_TEXEL, "+
		"FORCE_UNNORM\n    the same texels\n", text, tex.Words(), s.Words(gcn.GCN12))
	return nil
}
