// Swizzle stores four dwords a lane to scratch memory through three buffer resources,
// linear and swizzled, and shows which lane lands where: as text and in an SVG file.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

const (
	perLane = 4                        // dwords that each lane owns
	line    = 16                       // dwords of a cache line
	lines   = state.NumLanes * perLane // dwords of all lanes
	rows    = lines / line
)

// program stores the dwords of a lane, one instruction each. Addresses need no VGPR:
// ADD_TID makes the lane the index.
const program = `
buffer_store_dword v0, off, s[0:3], 0
buffer_store_dword v1, off, s[0:3], 0 offset:4
buffer_store_dword v2, off, s[0:3], 0 offset:8
buffer_store_dword v3, off, s[0:3], 0 offset:12
s_endpgm`

// layout is what memory looks like after the program.
type layout struct {
	title  string
	v      gcn.Buffer
	memory [lines]draw.Place
	first  int // cache lines that the first store touches
}

func main() {
	path := flag.String("svg", filepath.Join(os.TempDir(), "swizzle.svg"), "file for the drawing")
	flag.Parse()
	if err := run(os.Stdout, *path); err != nil {
		fmt.Fprintln(os.Stderr, "swizzle:", err)
		os.Exit(1)
	}
	fmt.Println("\ndrawn in", *path)
}

func run(out io.Writer, path string) error {
	scratch := gcn.Buffer{Stride: 4 * perLane, NumRecords: state.NumLanes, AddTID: true, ElemSize: 4}
	layouts := []*layout{
		{title: "linear", v: scratch},
		{title: "swizzled, index stride 16", v: scratch},
		{title: "swizzled, index stride 64", v: scratch},
	}
	layouts[1].v.Swizzle, layouts[1].v.IndexStride = true, 16
	layouts[2].v.Swizzle, layouts[2].v.IndexStride = true, 64
	for _, l := range layouts {
		if err := l.run(); err != nil {
			return err
		}
	}
	if err := write(out, layouts); err != nil {
		return err
	}
	return picture(layouts).Save(path)
}

// run executes the program, follows its stores and checks memory against them.
func (l *layout) run() error {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(4 * lines)
	l.v.Base = buf.Addr
	w := m.NewWave()
	w.SetSGPRs(0, l.v.Words()...)
	for k := range perLane { // what lane n stores as dword k is 4*n + k
		values := lane.Times(perLane)
		for n := range values {
			values[n] += uint32(k)
		}
		w.SetVGPR(k, values)
	}
	stores := 0
	err := m.Watch(sim.SparseObserver(func(e *sim.Event) {
		a := e.Access
		if a.Op != gcn.Store {
			return
		}
		touched := map[uint64]bool{}
		for n := range state.NumLanes {
			at := (a.At(0, n) - buf.Addr) / 4
			l.memory[at] = draw.Place{Lane: n, Dword: stores}
			touched[at/line] = true
		}
		if stores == 0 {
			l.first = len(touched)
		}
		stores++
	}))
	if err != nil {
		return err
	}
	if _, err := m.RunAsm(context.Background(), w, program); err != nil {
		return err
	}
	for at, v := range buf.Uint32s() {
		if p := l.memory[at]; v != uint32(perLane*p.Lane+p.Dword) {
			return fmt.Errorf("%s: dword %d of memory is %d, but lane %d stored its dword %d there", l.title, at, v,
				p.Lane, p.Dword)
		}
	}
	return nil
}

// write prints a grid for each layout: a cache line a row, and in it the lanes whose
// first dword is there.
func write(w io.Writer, layouts []*layout) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%d dwords a lane; rows are cache lines of %d dwords; numbers are the lanes of the first store, "+
		"dots other dwords\n", perLane, line)
	for _, l := range layouts {
		fmt.Fprintf(out, "\n%s: the first buffer_store_dword touches %d cache lines\n", l.title, l.first)
		for row := range rows {
			fmt.Fprintf(out, "  +0x%03x ", 4*line*row)
			for _, p := range l.memory[row*line : (row+1)*line] {
				if p.Dword == 0 {
					fmt.Fprintf(out, " %2d", p.Lane)
				} else {
					fmt.Fprint(out, "  .")
				}
			}
			fmt.Fprintln(out)
		}
	}
	return out.Flush()
}

// picture shows the layouts side by side.
func picture(layouts []*layout) *svg.Canvas {
	var all []draw.Layout
	for _, l := range layouts {
		drawn := draw.Layout{Title: l.title, At: map[int]draw.Place{}}
		for at, p := range l.memory {
			drawn.At[at] = p
		}
		all = append(all, drawn)
	}
	return draw.Layouts(draw.Text{
		Title: "Where 64 lanes with 4 dwords each land in scratch memory",
		Caption: "A row is a cache line of 16 dwords, a cell is a dword with its lane. A store costs by how many lines it " +
			"touches, not by where they lie: both swizzled layouts touch 4 and cost the same, the linear one touches 16.",
		Description: "Three layouts of 16 cache lines. Linear: the first store touches all 16 lines, 4 lanes in each. " +
			"Swizzled with an index stride of 16: 4 lines, every fourth one. Swizzled with an index stride of 64: the " +
			"first 4 lines.",
	}, "first buffer_store_dword", "the three other stores", all)
}
