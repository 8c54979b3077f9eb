package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/timing"
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

// timed runs the loop of twice and gives its spans to observe.
func timed(t *testing.T, observe func(*timing.Span)) *sim.Result {
	model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
	require.NoError(t, err)
	model.Trace = observe
	res := twice(t, model.Observe)
	_, err = model.Finish()
	require.NoError(t, err)
	return res
}

// TestReportShowsTimes: each cycle of the waves is in a bar and in the summary, and the
// page needs nothing from elsewhere.
func TestReportShowsTimes(t *testing.T) {
	p := trace.NewProfile()
	model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
	require.NoError(t, err)
	res := twice(t, func(e sim.Event) {
		p.Observe(e)
		model.Observe(e)
	})
	times, err := model.Finish()
	require.NoError(t, err)
	r := trace.Report{Title: "timed", Target: "gfx803", Result: res, Profile: p, Times: times}
	var b strings.Builder
	require.NoError(t, r.Write(&b))
	page := b.String()
	assert.Contains(t, page, fmt.Sprintf("<b>%d</b><span>cycles</span>", times.Cycles))
	assert.Contains(t, page, `<i class="dot w0"></i>fetch</td>`)
	assert.Contains(t, page, ".w1{background:#c0392b}")
	assert.Contains(t, page, "<span>TCC_MC_RDREQ</span>")
	assert.Contains(t, page, "<span>L1Latency, clocks of a hit</span><b>114</b>")
	assert.Contains(t, page, times.NotModelled[0])
	for _, word := range []string{"http:", "https:", "src=", "url(", "ZgotmplZ"} {
		assert.NotContains(t, page, word)
	}
	shares := 0.0
	for _, m := range regexp.MustCompile(`class="n">([0-9.]+)%</td>`).FindAllStringSubmatch(page, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		shares += v
	}
	assert.InDelta(t, 100, shares, 0.3)
	var again strings.Builder
	require.NoError(t, r.Write(&again))
	assert.Equal(t, page, again.String())
}

func TestChromeTraceHasTracksStallsAndUnits(t *testing.T) {
	var b bytes.Buffer
	c := trace.NewChrome(&b, 0)
	res := timed(t, c.Observe)
	require.NoError(t, c.Close())
	var got struct {
		TraceEvents []struct {
			Name, Ph, Cat string
			TS, Dur       uint64
			PID, TID      int
			Args          map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got), b.String())
	tracks, n, ta, l1, end := map[any]bool{}, uint64(0), 0, 0, uint64(0)
	for _, e := range got.TraceEvents {
		switch {
		case e.Ph == "M":
			tracks[e.Args["name"]] = true
		case e.Ph == "C" && e.Name == "L1":
			l1++
		case e.Cat == "TA":
			ta++
		case e.Ph == "X": // instructions and stalls of one wave follow one another
			assert.GreaterOrEqual(t, e.TS, end)
			end = e.TS + e.Dur
			if e.Cat != "stall" {
				n++
			}
		}
	}
	assert.Equal(t, res.Instructions, n)
	assert.Equal(t, map[any]bool{"CU 0": true, "SIMD 0 wave slot 0": true, "TA": true, "L2": true}, tracks)
	assert.Equal(t, 2, ta)
	assert.Equal(t, 2, l1)
	assert.Contains(t, b.String(), `"name":"stall: fetch","cat":"stall"`)
	assert.Contains(t, b.String(), `"name":"buffer_load_dword v1, v0, s[0:3], 0 offen"`)
}

func TestKonataTraceIsInTheOrderOfTime(t *testing.T) {
	k := trace.NewKonata(0)
	res := timed(t, k.Observe)
	var b strings.Builder
	require.NoError(t, k.Write(&b))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	assert.Equal(t, "Kanata\t0004", lines[0])
	count := map[string]uint64{}
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, "\t")
		count[kind]++
		if kind == "C" {
			assert.NotEqual(t, "-", rest[:1])
		}
	}
	assert.Equal(t, res.Instructions, count["I"])
	assert.Equal(t, res.Instructions, count["R"])
	assert.Contains(t, b.String(), "L\t0\t0\t0000: buffer_load_dword v1")
	assert.Contains(t, b.String(), "S\t0\t0\tMe")
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
