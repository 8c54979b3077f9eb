package draw

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/draw/touched"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Sizes of a cache line of L1 and L2, in dwords and in bytes (rule CY7).
const (
	lineDwords = touched.LineDwords
	lineBytes  = 4 * lineDwords
)

// maxLines is the greatest number of cache lines that a picture shows of one access.
const maxLines = 16

// lineAccess is a memory access of a wave.
type lineAccess struct {
	name   string
	dwords map[uint64][]int // lanes that access each dword; the key is the byte address / 4
}

// lines returns the numbers of the cache lines that the access touches, in ascending order.
func (a *lineAccess) lines() []uint64 {
	numbers := map[uint64]bool{}
	for dword := range a.dwords {
		numbers[dword/lineDwords] = true
	}
	return slices.Sorted(maps.Keys(numbers))
}

// linesPicture shows the cache lines of memory accesses.
type linesPicture struct {
	all      []lineAccess
	filtered string // an access with texels whose addresses are unknown
}

// See records an access to memory.
func (p *linesPicture) See(e *sim.Event) {
	a := e.Access
	switch {
	case a.Op == gcn.NoMem || a.Space != state.Global || len(p.all) > maxAccesses:
	case a.Taps > 0:
		p.filtered = asm.Format(*e.Inst, asm.LLVM)
	default:
		access := lineAccess{asm.Format(*e.Inst, asm.LLVM), touched.Dwords(a)}
		if len(access.dwords) > 0 {
			p.all = append(p.all, access)
		}
	}
}

// Canvas draws the lines. The error says that there is no memory access, or that there are too many.
func (p *linesPicture) Canvas() (*svg.Canvas, error) {
	switch {
	case p.filtered != "":
		return nil, fmt.Errorf("%s: the lines of all texels that a sampler filters are not in the record of the run",
			p.filtered)
	case len(p.all) == 0:
		return nil, errors.New("no lane accesses memory; give an instruction such as buffer_load_dword v1, v0, s[0:3], 0 " +
			"offen, with s[0:3] a V# of 64 KiB")
	case len(p.all) > maxAccesses:
		return nil, tooMany("accesses to memory")
	}
	return drawLines(p.all), nil
}

// drawLines draws a row for each cache line of each access, with a cell for each dword.
func drawLines(all []lineAccess) *svg.Canvas {
	const side, left, top, between, note = 36.0, 132.0, 120.0, 58.0, 22.0
	text := Text{
		Title: "Which lanes touch which cache lines",
		Caption: "A row is a line of 64 bytes, a cell one of its 16 dwords, a number a lane that touches it; 0+3 is lane 0 " +
			"and three others. L1 looks lines up one by one (rule CY7): the fewer rows, the better.",
		Description: "For each access a row for each cache line that it touches, and in it the lanes by dword.",
	}
	high := top
	for i := range all {
		high += between + side*float64(min(len(all[i].lines()), maxLines))
		if len(all[i].lines()) > maxLines {
			high += note
		}
	}
	c := svg.New(left+lineDwords*side+24, high, text.Title, text.Description)
	c.Heading(24, text.Title, text.Caption)
	y := top
	for i := range all {
		a := &all[i]
		lines := a.lines()
		c.Text(24, y+16, svg.Style{Size: 13, Bold: true}, a.name+": "+plural.Of(len(lines), "line"))
		y += 28
		for _, line := range lines[:min(len(lines), maxLines)] {
			a.row(c, line, left, y, side)
			y += side
		}
		if more := len(lines) - maxLines; more > 0 {
			c.Text(left, y+16, svg.Style{Fill: svg.Soft}, "and "+plural.Of(more, "more line"))
			y += note
		}
		y += between - 28
	}
	return c
}

// row draws one cache line. Each quarter of the wave has its own colour.
func (a *lineAccess) row(c *svg.Canvas, line uint64, left, y, side float64) {
	c.Text(left-8, y+side/2+4, svg.Style{Size: 11, Fill: svg.Soft, Anchor: "end"}, fmt.Sprintf("0x%x", line*lineBytes))
	for i := range lineDwords {
		x := left + float64(i)*side
		lanes := a.dwords[line*lineDwords+uint64(i)]
		if len(lanes) == 0 {
			c.Box(x+0.5, y+0.5, side-1, side-1, svg.None)
			continue
		}
		c.Box(x+0.5, y+0.5, side-1, side-1, svg.Tints[lanes[0]/(state.NumLanes/4)])
		label := fmt.Sprint(lanes[0])
		if others := distinct(lanes) - 1; others > 0 {
			label += fmt.Sprintf("+%d", others)
		}
		c.Text(x+side/2, y+side/2+4, svg.Style{Size: 11, Fill: svg.OnTint, Anchor: "middle"}, label)
	}
}

// distinct returns the number of different lanes in a list.
func distinct(lanes []int) int {
	var mask uint64
	for _, n := range lanes {
		mask |= 1 << n
	}
	return bits.OnesCount64(mask)
}
