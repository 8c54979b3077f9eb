// Bankconflict reads the LDS with strides of 1 to 64 dwords and shows how many cycles
// the banks make of each: as a table and as a bar chart in an SVG file.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/lds"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state/lane"
)

const maxStride = 64

func main() {
	path := flag.String("svg", filepath.Join(os.TempDir(), "bankconflict.svg"), "file for the drawing")
	flag.Parse()
	if err := run(os.Stdout, *path); err != nil {
		fmt.Fprintln(os.Stderr, "bankconflict:", err)
		os.Exit(1)
	}
	fmt.Println("\ndrawn in", *path)
}

func run(out io.Writer, path string) error {
	uses, err := measure()
	if err != nil {
		return err
	}
	fmt.Fprint(out, "ds_read_b32 of 64 lanes, lane n reads dword n*stride\n\nstride  degree  cycles\n")
	for i, u := range uses {
		fmt.Fprintf(out, "%6d  %6d  %6d  %s\n", i+1, u.Worst, u.Cycles, strings.Repeat("#", u.Worst))
	}
	fmt.Fprint(out, "\nOdd strides are free of conflicts. A table of 32 columns wants a 33rd one.\n")
	return draw(uses).Save(path)
}

// measure runs one wave for each stride and asks what the banks make of the addresses
// in its access record.
func measure() ([]lds.BankUse, error) {
	var uses []lds.BankUse
	m := sim.New(gcn.GFX803)
	err := m.Watch(sim.SparseObserver(func(e *sim.Event) {
		if a := e.Access; a.Op == gcn.Load {
			uses = append(uses, lds.Banks(&a.Addr, a.Exec&^a.Out[0], int(a.Elem)*int(a.Count), false))
		}
	}))
	if err != nil {
		return nil, err
	}
	for stride := range uint32(maxStride) {
		w := m.NewWave()
		w.SetVGPR(0, lane.Times(4*(stride+1)))
		// M0 bounds LDS accesses before GCN 1.4: -1 is no bound.
		if _, err := m.RunAsm(context.Background(), w, "s_mov_b32 m0, -1\nds_read_b32 v1, v0\ns_endpgm"); err != nil {
			return nil, err
		}
	}
	return uses, nil
}

// hue returns the colour of a degree: by its length in bits.
func hue(degree int) string { return svg.Hues[bits.Len(uint(degree))-1] }

// draw plots the degree of each stride.
func draw(uses []lds.BankUse) *svg.Canvas {
	const (
		left, top, step, unit = 64.0, 130.0, 13.0, 12.0
		high                  = lds.NumBanks * unit
		wide                  = maxStride * step
	)
	c := svg.New(left+wide+24, top+high+60, "LDS bank conflicts of ds_read_b32 by stride",
		"A bar for each stride from 1 to 64 dwords: how many cycles half a wave takes. Odd strides take 1, others the "+
			"largest power of two that divides them, 32 at most.")
	y := c.Heading(24, "LDS bank conflicts of ds_read_b32 by stride",
		"64 lanes, lane n reads dword n*stride; 32 banks serve half a wave at a time, one dword a bank and cycle. "+
			"Strides that the same power "+
			"of two divides share as many lanes a bank, so they cost the same: 12, 20 and 28 as much as 4.")
	entries := []svg.Entry{}
	for degree := 1; degree <= lds.NumBanks; degree *= 2 {
		entries = append(entries, svg.Entry{Fill: hue(degree), Text: fmt.Sprint(degree)})
		at := top + high - float64(degree)*unit
		c.Line(left, at, left+wide, at, svg.Grid)
		c.Text(left-8, at+4, svg.Style{Fill: svg.Soft, Anchor: "end"}, fmt.Sprint(degree))
	}
	entries[0].Text = "no conflict"
	entries[1].Text = "lanes in the busiest bank: 2"
	c.Legend(24, y+4, left+wide-24, svg.Style{}, entries...)
	for i, u := range uses {
		x, h := left+float64(i)*step, float64(u.Worst)*unit
		c.Rect(x+1.5, top+high-h, step-3, h, hue(u.Worst))
		if u.Worst >= 4 {
			c.Text(x+step/2, top+high-h-4, svg.Style{Size: 11, Anchor: "middle"}, fmt.Sprint(u.Worst))
		}
		if stride := i + 1; stride == 1 || stride%4 == 0 {
			c.Text(x+step/2, top+high+16, svg.Style{Fill: svg.Soft, Anchor: "middle"}, fmt.Sprint(stride))
		}
	}
	c.Line(left, top+high, left+wide, top+high, svg.Soft)
	c.Text(left+wide/2, top+high+40, svg.Style{Anchor: "middle"}, "stride in dwords")
	c.Text(20, top+high/2, svg.Style{Anchor: "middle", Upward: true}, "cycles for half a wave")
	return c
}
