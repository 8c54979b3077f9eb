package house

import (
	"context"
	"fmt"
	"image"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// The snippets of docs/GO.md, in order. TestSnippets compares them, so that they compile and execute.

func TestSnippetWatch(t *testing.T) {
	ctx, m, text := context.Background(), sim.New(gcn.GFX803), "s_nop 0\ns_endpgm"
	w := m.NewWave()
	checks, err := check.New("all")
	require.NoError(t, err)
	model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
	require.NoError(t, err)
	err = m.Watch(checks, model, sim.Observer(func(e *sim.Event) { fmt.Println(e.PC, e.Wave.Exec()) }))
	require.NoError(t, err)
	_, err = m.RunAsm(ctx, w, text)
	require.NoError(t, err)
	times, err := model.Finish()
	require.NoError(t, err)
	fmt.Println(checks.Findings(), times.Cycles)
}

func TestSnippetImage(t *testing.T) {
	ctx, m := context.Background(), sim.New(gcn.GFX803)
	w, picture := m.NewWave(), image.NewRGBA(image.Rect(0, 0, 64, 64))
	// 2D tiles
	tex, err := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, NumFormat: gcn.NumUNORM, Width: 64, Height: 64,
		TileMode: 14}) // 2D tiles
	require.NoError(t, err)
	err = tex.SetPicture(0, 0, picture) // level 0, slice 0
	require.NoError(t, err)
	w.SetSGPRs(0, tex.Words()...)
	w.SetSGPRs(8, gcn.SamplerState{MagFilter: gcn.FilterBilinear, MinFilter: gcn.FilterBilinear}.Words(gcn.GCN12)...)
	_, err = m.RunAsm(ctx, w, "image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf")
	require.NoError(t, err)
}

var snippet = regexp.MustCompile("(?s)\n```go\n(.*?)```")

func TestSnippets(t *testing.T) {
	page, err := os.ReadFile("docs/GO.md")
	require.NoError(t, err)
	source, err := os.ReadFile("internal/testkit/house/snippets_test.go")
	require.NoError(t, err)
	var lines []string // lines of this file, without indentation
	for line := range strings.Lines(string(source)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	snippets := snippet.FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, snippets)
	for _, s := range snippets {
		if strings.HasPrefix(s[1], "package ") {
			file, err := os.ReadFile("examples/firsttest/wave_test.go")
			require.NoError(t, err)
			assert.Equal(t, string(file), s[1])
			continue
		}
		at := 0
		for line := range strings.Lines(s[1]) {
			line = strings.TrimSpace(line)
			next := at
			for next < len(lines) && lines[next] != line {
				next++
			}
			if !assert.Less(t, next, len(lines), "snippets_test.go does not have this line, after those before it: %s",
				line) {
				break
			}
			at = next + 1
		}
	}
}
