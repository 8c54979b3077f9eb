package draw

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// Place identifies the owner of a dword in memory: the lane, and the index of the dword in the lane's record.
type Place struct{ Lane, Dword int }

// Layout is the arrangement of 64 lanes' dwords in memory.
type Layout struct {
	Title string
	At    map[int]Place // by index of the dword in memory
}

// firstLines returns how many cache lines the lanes' first dwords touch.
func (l *Layout) firstLines() int {
	touched := map[int]bool{}
	for at, p := range l.At {
		if p.Dword == 0 {
			touched[at/lineDwords] = true
		}
	}
	return len(touched)
}

// lines returns the numbers of the cache lines that contain a dword, in ascending order.
func (l *Layout) lines() []int {
	touched := map[int]bool{}
	for at := range l.At {
		touched[at/lineDwords] = true
	}
	return slices.Sorted(maps.Keys(touched))
}

// offset formats the offset of a cache line.
func offset(line int) string { return fmt.Sprintf("+0x%03x", line*lineBytes) }

// offsetStyle is the text style of offsets.
var offsetStyle = svg.Style{Size: 11, Fill: svg.Soft, Anchor: "end"}

// offsetWidth returns the width of the longest offset.
func (l *Layout) offsetWidth() (width float64) {
	for _, line := range l.lines() {
		width = max(width, offsetStyle.Width(offset(line)))
	}
	return width
}

// Limits of a picture of records.
const (
	maxLayouts = 3
	maxRows    = 32
	maxDwords  = 16 // dwords of a record
)

// quarters is the number of parts of a wave that have a colour of their own.
const quarters = 4

// Layouts draws memory as rows of 16 dwords, with the layouts side by side. The cell of a record's dword 0 is filled
// with the colour of the lane's quarter of the wave. Other cells are hollow. In the legend, first names the filled
// cells and rest the hollow ones.
func Layouts(text Text, first, rest string, layouts []Layout) *svg.Canvas {
	const (
		cell, top, note = 20.0, 150.0, 20.0
		panel           = lineDwords * cell
	)
	left, gap := 64.0, 68.0 // space for offsets to the left of the cells
	for i := range layouts {
		left = max(left, layouts[i].offsetWidth()+12)
		gap = max(gap, left+4)
	}
	across := float64(len(layouts))
	rows, more := 0, 0.0
	for i := range layouts {
		rows = max(rows, min(len(layouts[i].lines()), maxRows))
		if len(layouts[i].lines()) > maxRows || !layouts[i].fits(panel) {
			more = note
		}
	}
	wide := max(left+across*panel+(across-1)*gap+20, 640)
	c := svg.New(wide, top+float64(rows)*cell+20+more, text.Title, text.Description)
	y := c.Heading(24, text.Title, text.Caption)
	var entries []svg.Entry
	for quarter := range quarters {
		from := quarter * state.NumLanes / quarters
		entries = append(entries, svg.Entry{Fill: svg.Hues[2*quarter],
			Text: fmt.Sprintf("lanes %d to %d", from, from+state.NumLanes/quarters-1)})
	}
	entries[0].Text = first + ", " + entries[0].Text
	c.Legend(24, y+4, wide-48, svg.Style{}, append(entries, svg.Entry{Fill: svg.None, Text: rest})...)
	for i := range layouts {
		layouts[i].draw(c, left+float64(i)*(panel+gap), top, cell)
	}
	return c
}

// Styles of the texts above a layout.
var (
	titleStyle = svg.Style{Size: 13, Bold: true}
	costStyle  = svg.Style{Anchor: "end", Fill: svg.Soft}
)

// cost describes how many cache lines a store of the first dwords touches.
func (l *Layout) cost() string { return plural.Of(l.firstLines(), "line") + " a store" }

// fits reports whether the layout's title and cost fit side by side into width.
func (l *Layout) fits(width float64) bool {
	return titleStyle.Width(l.Title)+8+costStyle.Width(l.cost()) <= width
}

// draw draws the cache lines of a layout that contain a dword.
func (l *Layout) draw(c *svg.Canvas, x0, top, cell float64) {
	const width = lineDwords
	all := l.lines()
	shown := all[:min(len(all), maxRows)]
	bottom := top + float64(len(shown))*cell
	c.Text(x0, top-14, titleStyle, l.Title)
	if l.fits(width * cell) {
		c.Text(x0+width*cell, top-14, costStyle, l.cost())
	} else {
		c.Text(x0+width*cell, bottom+14, costStyle, l.cost())
	}
	for row, line := range shown {
		y := top + float64(row)*cell
		c.Text(x0-6, y+14, offsetStyle, offset(line))
		for i := range lineDwords {
			if p, there := l.At[line*lineDwords+i]; there {
				p.draw(c, x0+float64(i)*cell, y, cell)
			}
		}
	}
	if more := len(all) - len(shown); more > 0 {
		c.Text(x0, bottom+14, svg.Style{Size: 11, Fill: svg.Soft}, "and "+plural.Of(more, "more line"))
	}
}

// draw draws the cell of a dword.
func (p *Place) draw(c *svg.Canvas, x, y, cell float64) {
	ink := svg.Soft
	if p.Dword == 0 {
		fill := svg.Hues[2*(p.Lane*quarters/state.NumLanes)]
		c.Rect(x+0.5, y+0.5, cell-1, cell-1, fill)
		ink = svg.On(fill)
	} else {
		c.Box(x+0.5, y+0.5, cell-1, cell-1, svg.None)
	}
	c.Text(x+cell/2, y+14, svg.Style{Size: 11, Fill: ink, Anchor: "middle"}, fmt.Sprint(p.Lane))
}

// Swizzle draws the records of 64 lanes in buffers, with one panel for each V#, at most three. Lane n accesses record
// n, by IDXEN or ADD_TID. The error names the V# that has no such records.
func Swizzle(g gcn.Gen, buffers []gcn.VSharp) (*svg.Canvas, error) {
	if len(buffers) > maxLayouts {
		return nil, fmt.Errorf("%d V# are given, and a picture shows at most %d", len(buffers), maxLayouts)
	}
	var layouts []Layout
	dwords := 0
	for _, v := range buffers {
		l, n, err := layoutOf(g, v)
		if err != nil {
			return nil, err
		}
		layouts = append(layouts, l)
		dwords = max(dwords, n)
	}
	return Layouts(Text{
		Title: fmt.Sprintf("Where 64 lanes with records of up to %s land in memory", plural.Of(dwords, "dword")),
		Caption: "A row is a cache line of 16 dwords, a cell is a dword with its lane. Lines without a dword are left out; " +
			"the rest count from the lowest one that a lane in range accesses (rules A4 and A5). An access costs by how many " +
			"lines it touches.",
		Description: "For each V# the cache lines that its records fill, and in each dword the number of the lane.",
	}, "dword 0 of a record", "its other dwords", layouts), nil
}

// layoutOf returns the layout of 64 lanes' records in a buffer, and the number of dwords in a record.
func layoutOf(g gcn.Gen, v gcn.VSharp) (Layout, int, error) {
	form := mubuf.Form{Elem: 4, Count: 1, IdxEn: !v.Fields().AddTID}
	seen := mubuf.LayoutOf(state.DefaultRules, g, &form, v)
	if seen.Stride == 0 {
		return Layout{}, 0, fmt.Errorf("the V# %08x has STRIDE 0, so that all lanes access one record; give a V# with records", v)
	}
	dwords := min(max(int(seen.Stride)/4, 1), maxDwords)
	ids := lane.Times(1)
	at := map[uint64]Place{}
	for k := range dwords {
		form.Offset = uint32(4 * k)
		a := state.Access{Exec: state.FullExec}
		o := mubuf.Operands{V: &v, VAddr: [2]*state.Lanes{&ids}}
		mubuf.Addresses(state.DefaultRules, g, &form, &o, &a)
		for n := range state.NumLanes {
			if a.Out[0]>>n&1 == 0 {
				if _, taken := at[a.At(0, n)/4]; !taken {
					at[a.At(0, n)/4] = Place{n, k}
				}
			}
		}
	}
	if len(at) == 0 {
		return Layout{}, 0, fmt.Errorf("of the V# %08x no lane is in range; look at NUM_RECORDS", v)
	}
	lowest := ^uint64(0)
	for dword := range at {
		lowest = min(lowest, dword)
	}
	lowest -= lowest % lineDwords
	l := Layout{Title: fmt.Sprintf("stride %d", seen.Stride), At: map[int]Place{}}
	if seen.Swizzled {
		l.Title += fmt.Sprintf(", elements of %d, index stride %d", seen.ElemSize, seen.IndexStride)
	}
	for dword, p := range at {
		l.At[int(min(dword-lowest, 1<<30))] = p
	}
	return l, dwords, nil
}
