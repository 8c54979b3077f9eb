package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// twice executes a loop of two iterations with a load that is out of range for lanes 2 and up.
func twice(t *testing.T, watchers ...sim.Watcher) *sim.Result {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(8)
	require.NoError(t, m.Watch(watchers...))
	w := m.NewWave()
	w.SetExec(0xf)
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 8})
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
	p := new(trace.Profile)
	twice(t, p)
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
	assert.Equal(t, "pc      count  lanes  bytes  space   instruction\n"+
		"0x0000  2      8      16     global  buffer_load_dword v1, v0, s[0:3], 0 offen\n", table.String())

	var placed trace.Profile // 256 bytes below p
	placed.Add(p, 0x100)
	p.Add(&placed, ^uint64(0xff))
	load.Waves, load.Lanes, load.Bytes, load.Out = 2*load.Waves, 2*load.Lanes, 2*load.Bytes, 2*load.Out
	require.Len(t, p.Rows(), len(rows))
	assert.Equal(t, load, p.Rows()[0])
}

// TestProfileOfASparseRun: instructions that sparse events omit are counted.
func TestProfileOfASparseRun(t *testing.T) {
	var rows [2][]trace.Row
	for i, sparse := range []bool{false, true} {
		p, events := new(trace.Profile), uint64(0)
		m := sim.New(gcn.GFX803)
		observer := sim.Observer
		if sparse {
			observer = sim.SparseObserver
		}
		require.NoError(t, m.Watch(p, observer(func(*sim.Event) { events++ })))
		res, err := m.RunAsm(t.Context(), m.NewWave(), `
			s_movk_i32 s0, 3
		loop:
			v_mov_b32 v1, v0
			v_add_f32 v1, v1, v1
			ds_write_b32 v0, v1
			s_sub_u32 s0, s0, 1
			s_cmp_lg_u32 s0, 0
			s_cbranch_scc1 loop
			s_endpgm`)
		require.NoError(t, err)
		require.Equal(t, sparse, events < res.Instructions)
		rows[i] = p.Rows()
	}
	require.Equal(t, rows[0], rows[1])
}

// timed executes the loop of twice and passes its spans to observe.
func timed(t *testing.T, observe func(*timing.Span)) *sim.Result {
	model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
	require.NoError(t, err)
	model.OnSpan(observe)
	res := twice(t, model)
	_, err = model.Finish()
	require.NoError(t, err)
	return res
}

// TestReportShowsTimes: each cycle of the waves is in a bar and in the summary, and the page refers to no other file.
func TestReportShowsTimes(t *testing.T) {
	p := new(trace.Profile)
	model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
	require.NoError(t, err)
	res := twice(t, p, model)
	times, err := model.Finish()
	require.NoError(t, err)
	r := trace.Report{Title: "timed", Target: "gfx803", Result: res, Profile: p, Times: times}
	var b strings.Builder
	require.NoError(t, r.Write(&b))
	page := b.String()
	assert.Contains(t, page, fmt.Sprintf("<b>%d</b><span>cycles</span>", times.Cycles))
	assert.Contains(t, page, `<i class="dot w0"></i>fetch</td>`)
	colors := regexp.MustCompile(`\.(?:w\d+|busy)\{background:(#[0-9a-f]{6})\}`).FindAllStringSubmatch(page, -1)
	assert.Len(t, colors, 1+int(timing.NumStalls))
	for _, c := range colors {
		assert.GreaterOrEqual(t, svg.Contrast(c[1], "#ffffff"), 3.0, "%s does not stand out in the light theme", c[0])
		assert.GreaterOrEqual(t, svg.Contrast(c[1], "#14181f"), 3.0, "%s does not stand out in the dark theme", c[0])
	}
	assert.Contains(t, page, "<span>TCC_MC_RDREQ</span>")
	assert.Contains(t, page, "<span>L1Latency, clocks of a hit</span><b>127</b>")
	assert.Contains(t, page, times.NotModelled[0])
	assert.Contains(t, page, times.Band().String())
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

// busyKernel uses every unit; its waves share lines and LDS.
const busyKernel = `
	buffer_load_dword v1, v0, s[0:3], 0 offen
	ds_write_b32 v0, v0
	s_waitcnt vmcnt(0)
	buffer_load_dwordx4 v[4:7], v0, s[0:3], 0 offen offset:512
	buffer_atomic_add v1, v2, s[0:3], 0 offen
	ds_read_b64 v[8:9], v0
	buffer_store_dword v1, v0, s[0:3], 0 offen
	s_barrier
	s_waitcnt vmcnt(0) & lgkmcnt(0)
	v_rcp_f32 v3, v1
	s_endpgm`

// busy executes waves of busyKernel on two compute units and passes their spans to observe.
func busy(t *testing.T, observe func(*timing.Span)) *timing.Result {
	p := timing.Default(gcn.GFX803)
	p.CUs = 2
	model, err := timing.New(gcn.GFX803, p)
	require.NoError(t, err)
	model.OnSpan(observe)
	m := sim.New(gcn.GFX803)
	m.LDSSize = 16 << 10
	require.NoError(t, m.Watch(model))
	buf := m.Alloc(1 << 16)
	for n := range 120 {
		w := state.NewWave(gcn.GFX803, 24)
		w.ID, w.Group[0] = n%3, uint32(n/3)
		w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 1 << 16})
		w.S[gcn.M0] = 1 << 16
		w.SetVGPR(0, lane.Times(uint32(4+n%5*32)))
		_, err := m.RunAsm(context.Background(), w, busyKernel)
		require.NoError(t, err)
	}
	res, err := model.Finish()
	require.NoError(t, err)
	return res
}

// chromeTrace has the parts of a trace that tests read.
type chromeTrace struct {
	TraceEvents []struct {
		Name, Ph, Cat, Cname string
		TS, Dur              uint64
		PID, TID             int
		Args                 map[string]any
	}
	Truncated *struct{ Recorded int }
}

func readChrome(t *testing.T, b []byte) *chromeTrace {
	var got chromeTrace
	require.NoError(t, json.Unmarshal(b, &got))
	return &got
}

func TestChromeTraceHasTracksStallsAndUnits(t *testing.T) {
	var b bytes.Buffer
	c := trace.NewChrome(&b, 0)
	spans := 0
	res := busy(t, func(s *timing.Span) {
		spans++
		c.Observe(s)
	})
	require.NoError(t, c.Close())
	got := readChrome(t, b.Bytes())
	type slice struct{ begin, end uint64 }
	tracks, slices, cats := map[[2]int]string{}, map[[2]int][]slice{}, map[string]uint64{}
	stalled := uint64(0)
	for _, e := range got.TraceEvents {
		at := [2]int{e.PID, e.TID}
		switch {
		case e.Name == "thread_name":
			tracks[at] = e.Args["name"].(string)
		case e.Ph == "X":
			require.Contains(t, tracks, at, "a track has a name before it has slices")
			assert.Positive(t, e.Dur)
			slices[at] = append(slices[at], slice{e.TS, e.TS + e.Dur})
			cats[e.Cat]++
			if e.Cat == "stall" && e.Name != "stopped by L1" {
				assert.NotEmpty(t, e.Cname)
				stalled += e.Dur
			}
		}
	}
	for at, all := range slices {
		sort.Slice(all, func(i, j int) bool { return all[i].begin < all[j].begin })
		for i := range all[1:] {
			require.LessOrEqual(t, all[i].end, all[i+1].begin, "%s of process %d", tracks[at], at[0])
		}
		assert.LessOrEqual(t, all[len(all)-1].end, res.Cycles+4, tracks[at])
	}
	for _, name := range []string{"TA", "L1", "LDS", "SIMD 3 wave slot 1", "channel 15"} {
		assert.Contains(t, names(tracks), name)
	}
	count := func(name string) uint64 {
		v, known := res.Metric(name)
		require.True(t, known, name)
		return uint64(v)
	}
	assert.EqualValues(t, 4*count("SQ_WAIT_ANY"), stalled, "all that waves wait is shown")
	assert.EqualValues(t, spans, cats["MUBUF"]+cats["DS"]+cats["SOPP"]+cats["VOP1"])
	assert.Equal(t, count("SQ_INSTS_VMEM_RD")+count("SQ_INSTS_VMEM_WR"), cats["TA"])
	assert.Equal(t, count("SQ_INSTS_LDS"), cats["LDS"])
	assert.Equal(t, cats["TA"], cats["L1"])

	var again bytes.Buffer
	c = trace.NewChrome(&again, 0)
	busy(t, c.Observe)
	require.NoError(t, c.Close())
	assert.True(t, bytes.Equal(b.Bytes(), again.Bytes()), "the same run gives the same trace")
}

func names(tracks map[[2]int]string) (names []string) {
	for _, name := range tracks {
		names = append(names, name)
	}
	return names
}

// TestChromeTraceHasATrackForEachQueue: dispatches are slices of the track of their queue.
func TestChromeTraceHasATrackForEachQueue(t *testing.T) {
	var b bytes.Buffer
	c := trace.NewChrome(&b, 0)
	c.Dispatch("ring 1", "1: fill", 0, 40)
	c.Dispatch("ring 0", "2: add", 40, 50)
	c.Dispatch("ring 1", "3: add", 50, 70)
	require.NoError(t, c.Close())
	var all []string
	for _, e := range readChrome(t, b.Bytes()).TraceEvents {
		switch {
		case e.Name == "thread_name":
			all = append(all, fmt.Sprintf("%d.%d is %v", e.PID, e.TID, e.Args["name"]))
		case e.Ph == "X":
			all = append(all, fmt.Sprintf("%d.%d %s from %d for %d", e.PID, e.TID, e.Name, e.TS, e.Dur))
		}
	}
	assert.Equal(t, []string{"0.0 is ring 1", "0.0 1: fill from 0 for 40", "0.1 is ring 0", "0.1 2: add from 40 for 10",
		"0.0 3: add from 50 for 20"}, all)
}

func TestChromeTraceIsBounded(t *testing.T) {
	var b bytes.Buffer
	c := trace.NewChrome(&b, 0)
	c.Limit = 100
	res := busy(t, c.Observe)
	require.NoError(t, c.Close())
	got := readChrome(t, b.Bytes())
	assert.Less(t, len(got.TraceEvents), 100+40)
	assert.True(t, c.Cut)
	require.NotNil(t, got.Truncated)
	executed := uint64(0)
	for i := range res.Insts {
		executed += res.Insts[i].Count
	}
	assert.Positive(t, got.Truncated.Recorded)
	assert.Less(t, uint64(got.Truncated.Recorded), executed)
}

func TestKonataTraceIsInTheOrderOfTime(t *testing.T) {
	var b strings.Builder
	k := trace.NewKonata(&b, 0)
	res := timed(t, k.Observe)
	require.NoError(t, k.Close())
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
	p := new(trace.Profile)
	res := twice(t, p)
	var b strings.Builder
	r := trace.Report{Title: "a <test>", Target: "gfx803", Result: res, Profile: p}
	require.NoError(t, r.Write(&b))
	page := b.String()
	assert.Contains(t, page, "a &lt;test&gt;")
	assert.Contains(t, page, "gfx803: 8 wave-instructions; memory instructions moved 16 bytes in 8 lane accesses")
	assert.Contains(t, page, "buffer_load_dword v1, v0, s[0:3], 0 offen")
	assert.Contains(t, page, `<span class="out">4</span>`)
}

// TestProfileOfProgramsAtOneAddress: different instructions at one address are counted separately, equal ones
// together.
func TestProfileOfProgramsAtOneAddress(t *testing.T) {
	p := new(trace.Profile)
	m := sim.New(gcn.GFX803)
	require.NoError(t, m.Watch(p))
	for _, text := range []string{"s_nop 0\nv_mov_b32 v0, v1", "s_nop 0\ns_mov_b32 s0, 1", "s_nop 0\nv_mov_b32 v0, v1"} {
		_, err := m.RunAsm(t.Context(), m.NewWave(), text)
		require.NoError(t, err)
	}
	var got []string
	for _, r := range p.Rows() {
		got = append(got, fmt.Sprintf("%d %v %d", r.PC, r.Inst.Op, r.Waves))
	}
	assert.Equal(t, []string{"0 s_nop 3", "4 v_mov_b32 2", "4 s_mov_b32 1"}, got)
}

// TestEmptyReport: a report without data is a page without these parts.
func TestEmptyReport(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, (&trace.Report{}).Write(&b))
	assert.Contains(t, b.String(), "</html>")
}
