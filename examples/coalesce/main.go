// Coalesce copies the same memory five times, each time in another order of lanes, and
// shows what the texture unit and the caches make of it: as a table and as a bar chart in
// an SVG file.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/timing"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// A wave copies steps dwords a lane; a work-group has groupWaves waves.
const (
	steps      = 16
	waves      = 16
	groupWaves = 4
	waveDwords = steps * state.NumLanes
	waveBytes  = 4 * waveDwords
	vgprs      = 64
)

// pattern is an order in which a wave reads its dwords, all of them once.
type pattern struct {
	name     string
	swizzled bool
	// dword returns which one a lane reads in a step; if swizzled, the V# does that.
	dword func(step, lane int) int
}

// strided reads every n-th dword, and begins again at the next one where they end.
func strided(n int) func(step, at int) int {
	return func(step, at int) int {
		k := (step*state.NumLanes + at) * n
		return k%waveDwords + k/waveDwords
	}
}

func patterns() []pattern {
	shuffled := rand.New(rand.NewPCG(1, 2)).Perm(waveDwords)
	return []pattern{
		{name: "stride 1", dword: strided(1)},
		{name: "stride 2", dword: strided(2)},
		{name: "stride 16", dword: strided(steps)},
		{name: "swizzled", swizzled: true, dword: strided(1)},
		{name: "random", dword: func(step, lane int) int { return shuffled[step*state.NumLanes+lane] }},
	}
}

// measure is what one pattern costs.
type measure struct {
	name    string
	lines   float64 // of 64 bytes, looked up in L1 by a load
	clocks  float64 // of the texture unit for a load
	hitRate float64 // of loads in L1, percent
	cycles  uint64
}

func main() {
	path := flag.String("svg", filepath.Join(os.TempDir(), "coalesce.svg"), "file for the drawing")
	flag.Parse()
	if err := run(os.Stdout, *path); err != nil {
		fmt.Fprintln(os.Stderr, "coalesce:", err)
		os.Exit(1)
	}
	fmt.Println("\ndrawn in", *path)
}

func run(out io.Writer, path string) error {
	var all []measure
	fmt.Fprintf(out, "%d waves on one compute unit of fiji copy %d KiB; each load takes a dword a lane\n\n", waves,
		waves*waveBytes/1024)
	fmt.Fprint(out, "order      lines  clocks  L1 hits  cycles\n")
	for _, p := range patterns() {
		m, err := p.copy()
		if err != nil {
			return err
		}
		all = append(all, m)
		fmt.Fprintf(out, "%-9s  %5.1f  %6.1f  %6.1f%%  %6d\n", m.name, m.lines, m.clocks, m.hitRate, m.cycles)
	}
	fmt.Fprint(out, "\nLines and clocks of the texture unit are for a load. Lanes side by side share both: four lines,\n"+
		"four clocks. Records of 64 bytes cost a line a lane; a swizzled buffer of the same records does not.\n")
	return draw(all).Save(path)
}

// program loads all dwords of a lane, then stores them in a row.
func (p *pattern) program() string {
	var b strings.Builder
	for i := range steps {
		if p.swizzled {
			fmt.Fprintf(&b, "buffer_load_dword v%d, v1, s[0:3], 0 idxen offset:%d\n", 32+i, 4*i)
		} else {
			fmt.Fprintf(&b, "buffer_load_dword v%d, v%d, s[0:3], 0 offen\n", 32+i, 16+i)
		}
	}
	b.WriteString("s_waitcnt vmcnt(0)\n")
	for i := range steps {
		fmt.Fprintf(&b, "buffer_store_dword v%d, v0, s[4:7], 0 offen offset:%d\n", 32+i, 4*state.NumLanes*i)
	}
	return b.String() + "s_endpgm"
}

// copy runs the waves, checks what they copied and returns what it cost.
func (p *pattern) copy() (measure, error) {
	params := timing.Default(gcn.GFX803)
	params.CUs = 1
	model, err := timing.New(gcn.GFX803, params)
	if err != nil {
		return measure{}, err
	}
	var loads, lines, clocks, hits uint64
	model.OnSpan(func(s *timing.Span) {
		if s.Inst.Op.String() == "buffer_load_dword" {
			loads++
			clocks += s.TA.Clocks
			hits += s.L1Hits
			lines += s.L1Hits + s.L1Misses
		}
	})
	m := sim.New(gcn.GFX803)
	if err := m.Watch(model); err != nil {
		return measure{}, err
	}
	src, dst := m.Alloc(waves*waveBytes), m.Alloc(waves*waveBytes)
	count := make([]uint32, waves*waveDwords)
	for i := range count {
		count[i] = uint32(i)
	}
	src.SetUint32s(count...)
	for n := range waves {
		w := state.NewWave(gcn.GFX803, vgprs)
		w.Group[0], w.ID = uint32(n/groupWaves), n%groupWaves
		from := gcn.Buffer{Base: src.Addr + uint64(n*waveBytes), NumRecords: waveBytes}
		if p.swizzled {
			from.Stride, from.NumRecords = 4*steps, state.NumLanes
			from.Swizzle, from.ElemSize, from.IndexStride = true, 4, state.NumLanes
		}
		w.SetSGPRs(0, from.Words()...)
		w.SetSGPRs(4, gcn.Buffer{Base: dst.Addr + uint64(n*waveBytes), NumRecords: waveBytes}.Words()...)
		w.SetVGPR(0, lane.Times(4))
		w.SetVGPR(1, lane.Times(1))
		for i := range steps {
			var offset state.Lanes
			for l := range offset {
				offset[l] = uint32(4 * p.dword(i, l))
			}
			w.SetVGPR(16+i, offset)
		}
		if _, err := m.RunAsm(context.Background(), w, p.program()); err != nil {
			return measure{}, err
		}
	}
	res, err := model.Finish()
	if err != nil {
		return measure{}, err
	}
	for i, got := range dst.Uint32s() {
		n, k := i/waveDwords, i%waveDwords
		want := uint32(n*waveDwords + p.dword(k/state.NumLanes, k%state.NumLanes))
		if got != want {
			return measure{}, fmt.Errorf("%s: dword %d is %d, not %d", p.name, i, got, want)
		}
	}
	per := func(sum, n uint64) float64 { return float64(sum) / float64(n) }
	return measure{p.name, per(lines, loads), per(clocks, loads), 100 * per(hits, lines), res.Cycles}, nil
}

// draw plots the cycles of each pattern. Two colours are enough: a load whose lanes coalesce
// takes 4 clocks of the texture unit, any other one 16.
func draw(all []measure) *svg.Canvas {
	const (
		left, top, step, high = 110.0, 136.0, 46.0, 26.0
		wide                  = 560.0
		quads                 = state.NumLanes / 4 // clocks of a load whose lanes do not coalesce
	)
	most := uint64(0)
	for _, m := range all {
		most = max(most, m.cycles)
	}
	c := svg.New(left+wide+200, top+step*float64(len(all))+12, "The same copy, five orders of lanes",
		"A bar for each order: how many cycles the copy takes. Stride 1 and the swizzled buffer, whose lanes coalesce, "+
			"take two thirds of what the others do.")
	y := c.Heading(24, "The same copy, five orders of lanes",
		fmt.Sprintf("Cycles of %d waves on one compute unit; below, for a load: lines of 64 bytes, clocks of the "+
			"texture unit, hits in L1. Lanes that do not lie side by side "+
			"go by quads, one a clock: how far apart they lie changes the lines, but hardly the cycles, because the clocks "+
			"are what a load waits for.", waves))
	c.Legend(24, y+4, left+wide, svg.Style{},
		svg.Entry{Fill: svg.Hues[0], Text: "lanes coalesce: 4 clocks a load"},
		svg.Entry{Fill: svg.Hues[4], Text: fmt.Sprintf("lanes go by quads: %d clocks a load", quads)})
	for i, m := range all {
		y := top + step*float64(i)
		long := wide * float64(m.cycles) / float64(most)
		fill := svg.Hues[0]
		if m.clocks >= quads {
			fill = svg.Hues[4]
		}
		c.Text(left-10, y+high*0.7, svg.Style{Size: 13, Anchor: "end"}, m.name)
		c.Rect(left, y, long, high, fill)
		c.Text(left+long+8, y+high*0.45, svg.Style{}, fmt.Sprintf("%d cycles", m.cycles))
		c.Text(left+long+8, y+high, svg.Style{Size: 11, Fill: svg.Soft},
			fmt.Sprintf("%.0f lines, %.0f clocks, %.0f%%", m.lines, m.clocks, m.hitRate))
	}
	c.Line(left-1, top-8, left-1, top+step*float64(len(all))-8, svg.Soft)
	return c
}
