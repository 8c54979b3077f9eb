package handbook_test

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/lds"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// The buffer in the picture: number of records, and of dwords in a record.
const (
	records = 8
	dwords  = 4
)

// storeRecords is the program of the picture: each lane stores the dwords of its record.
const storeRecords = `
s_mov_b64 exec, 0xff
buffer_store_dword v0, off, s[0:3], 0
buffer_store_dword v1, off, s[0:3], 0 offset:4
buffer_store_dword v2, off, s[0:3], 0 offset:8
buffer_store_dword v3, off, s[0:3], 0 offset:12
s_endpgm`

// inMemory executes storeRecords on a buffer and returns the buffer's dwords. A dword's value is record times dwords
// plus element.
func inMemory(v gcn.Buffer) ([]uint32, error) {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(4 * records * dwords)
	v.Base = buf.Addr
	w := m.NewWave()
	w.SetSGPRs(0, v.Words()...)
	for k := range dwords {
		var values state.Lanes
		for n := range values {
			values[n] = uint32(dwords*n + k)
		}
		w.SetVGPR(k, values)
	}
	_, err := m.RunAsm(context.Background(), w, storeRecords)
	return buf.Uint32s(), err
}

// touched is the colour of loaded dwords.
var touched = svg.Hues[0]

func drawSwizzle() (*svg.Canvas, error) {
	const cell, high, left, top, gap = 40.0, 34.0, 64.0, 142.0, 76.0
	linear := gcn.Buffer{Stride: 4 * dwords, NumRecords: records, AddTID: true, ElemSize: 4}
	swizzled := linear
	swizzled.Swizzle, swizzled.IndexStride = true, records
	c := svg.New(2*(left+records*cell)+20, top+dwords*high+16, "Linear and swizzled buffers",
		"Memory as rows of 8 dwords. In the linear buffer the 4 dwords of a record follow one another; in the swizzled "+
			"one a row holds the same dword of all 8 records.")
	y := c.Heading(24, "Eight records of four dwords in memory",
		"The first number is the record, the second its dword. Eight lanes load dword 0 of their records: from four "+
			"rows of the linear buffer, from one row of the swizzled one.")
	c.Legend(24, y+4, 2*records*cell, svg.Style{Size: 13}, svg.Entry{Fill: touched, Text: "what the lanes load"},
		svg.Entry{Fill: svg.None, Text: "the rest of the records"})
	for i, p := range []struct {
		title string
		v     gcn.Buffer
	}{{"linear", linear}, {"swizzled, index stride 8", swizzled}} {
		memory, err := inMemory(p.v)
		if err != nil {
			return nil, err
		}
		x0 := left + float64(i)*(records*cell+gap)
		c.Text(x0, top-10, svg.Style{Size: 14, Bold: true}, p.title)
		for at, v := range memory {
			x, y := x0+float64(at%records)*cell, top+float64(at/records)*high
			if at%records == 0 {
				c.Text(x-8, y+22, svg.Style{Fill: svg.Soft, Anchor: "end"}, fmt.Sprintf("+0x%02x", 4*at))
			}
			ink := svg.Ink
			if v%dwords == 0 {
				c.Rect(x+1, y+1, cell-2, high-2, touched)
				ink = svg.On(touched)
			} else {
				c.Box(x+1, y+1, cell-2, high-2, svg.None)
			}
			c.Text(x+cell/2, y+22, svg.Style{Size: 13, Fill: ink, Anchor: "middle"},
				fmt.Sprintf("%d.%d", v/dwords, v%dwords))
		}
	}
	return c, nil
}

func drawBanks() (*svg.Canvas, error) {
	strides := []int{1, 2, 8, 33}
	clocks := []int{1, 2, 8, 1} // clocks of the busiest bank
	var all []draw.BankAccess
	for i, stride := range strides {
		a := draw.BankAccess{Name: fmt.Sprintf("stride %d", stride), Exec: 1<<32 - 1, Size: 4}
		for n := range a.Addr {
			a.Addr[n] = uint64(4 * stride * n)
		}
		if use := lds.Banks(&a.Addr, a.Exec, a.Size, false); use.Worst != clocks[i] {
			return nil, fmt.Errorf("stride %d takes %d clocks, not %d", stride, use.Worst, clocks[i])
		}
		all = append(all, a)
	}
	return draw.Banks(draw.Text{
		Title: "Which lanes of a half-wave read from which bank",
		Caption: "Numbers are lanes. A bank gives one dword a clock, so the tallest column is what the half-wave takes: " +
			"strides 1 and 33 leave one lane a bank and cost the same.",
		Description: "For each stride the 32 banks and the lanes of a half-wave that read from each: one lane a bank at " +
			"strides 1 and 33, two at 2, eight at 8.",
	}, all), nil
}
