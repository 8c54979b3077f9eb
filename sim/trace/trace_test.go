package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/trace"
	"github.com/gcnsim/gcnsim/state/lane"
)

// twice runs a loop of two turns with a load that is out of range for lanes 2 and up.
func twice(t *testing.T, observers ...sim.Observer) *sim.Result {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(8)
	m.Observer = func(e sim.Event) {
		for _, o := range observers {
			o(e)
		}
	}
	w := m.NewWave()
	w.SetExec(0xf)
	w.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: 8}.Words()...)
	w.SetVGPR(0, lane.Times(4))
	res, err := m.RunAsm(context.Background(), w, `
	loop:
		buffer_load_dword v1, v0, s[0:3], 0 offen
		s_add_u32 s8, s8, 1
		s_cmp_lt_u32 s8, 2
		s_cbranch_scc1 loop`)
	require.NoError(t, err)
	return res
}

func TestProfileCounts(t *testing.T) {
	p := trace.NewProfile()
	twice(t, p.Observe)
	rows := p.Rows()
	require.Len(t, rows, 4)
	load := rows[0]
	assert.EqualValues(t, 2, load.Waves)
	assert.EqualValues(t, 2*4, load.Lanes)
	assert.EqualValues(t, 2*2*4, load.Bytes, "two lanes are in range")
	assert.EqualValues(t, 2*2, load.Out)
	assert.False(t, rows[1].Memory)

	var table strings.Builder
	require.NoError(t, p.WriteMemory(&table, 0))
	assert.Equal(t, "pc      waves  lanes  bytes  space   instruction\n"+
		"0x0000  2      8      16     global  buffer_load_dword v1, v0, s[0:3], 0 offen\n", table.String())
	table.Reset()
	require.NoError(t, p.WriteAll(&table, 0))
	assert.Equal(t, 5, strings.Count(table.String(), "\n"))
}

func TestChromeTraceIsJSONWithOneEventAnInstruction(t *testing.T) {
	var b bytes.Buffer
	c := trace.NewChrome(&b, 0)
	res := twice(t, c.Observe)
	require.NoError(t, c.Close())
	var got struct {
		TraceEvents []struct {
			Name string
			Ph   string
			TS   uint64
			PID  int
			Args map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got), b.String())
	n := uint64(0)
	for _, e := range got.TraceEvents {
		assert.Equal(t, 1, e.PID)
		if e.Ph == "X" {
			assert.Equal(t, n, e.TS)
			n++
		}
	}
	assert.Equal(t, res.Instructions, n)
	load := got.TraceEvents[2]
	assert.Equal(t, "buffer_load_dword v1, v0, s[0:3], 0 offen", load.Name)
	assert.EqualValues(t, 4, load.Args["lanes"])
	assert.EqualValues(t, 8, load.Args["bytes"])
}

func TestReportShowsWhatRan(t *testing.T) {
	p := trace.NewProfile()
	res := twice(t, p.Observe)
	var b strings.Builder
	r := trace.Report{Title: "a <test>", Target: "gfx803", Result: res, Profile: p}
	require.NoError(t, r.Write(&b))
	page := b.String()
	assert.Contains(t, page, "a &lt;test&gt;")
	assert.Contains(t, page, "gfx803: 8 wave-instructions; memory instructions moved 16 bytes in 8 lane accesses")
	assert.Contains(t, page, "buffer_load_dword v1, v0, s[0:3], 0 offen")
	assert.Contains(t, page, `<span class="out">4</span>`)
}
