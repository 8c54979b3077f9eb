package timing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

func perfect(p *timing.Params) { p.PerfectMemory = true }

// metric returns the value of a metric or of a counter.
func metric(r *timing.Result, name string) float64 {
	v, known := r.Metric(name)
	if !known {
		panic("there is no metric " + name)
	}
	return v
}

// TestPriorityGoesBeforeAge: when the youngest wave of a SIMD raises its priority, none of its vector instructions
// waits for another wave.
func TestPriorityGoesBeforeAge(t *testing.T) {
	const adds = 40
	k := kernel{target: gcn.GFX803, waves: 8, params: perfect, text: `
		v_readfirstlane_b32 s4, v0
		s_cbranch_scc0 plain
		s_setprio 3
	plain:
	` + strings.Repeat("v_add_f32 v2, v3, v4\n", adds) + "s_endpgm"}
	ends := func(youngest bool) (first, second uint64) {
		k.scc = func(wave int) uint32 {
			if youngest && wave >= 4 {
				return 1
			}
			return 0
		}
		_, spans := k.run(t, 0)
		for _, s := range spans { // wave n is on SIMD n%4
			if s.SIMD != 0 {
				continue
			}
			if s.Wave == 0 {
				first = max(first, s.Issue)
			} else {
				second = max(second, s.Issue)
			}
		}
		return first, second
	}
	old, young := ends(false)
	assert.Less(t, old, young, "the older one goes first")
	old, young = ends(true)
	assert.Less(t, young, old, "unless the other one has a higher priority")
}

// TestAtomicsOnOneDwordTakeTurns: in L2 the lanes of an atomic on one dword are processed one after another,
// AtomicSame clocks each. Lanes on different dwords of a line are not.
func TestAtomicsOnOneDwordTakeTurns(t *testing.T) {
	effort.Long(t)
	clocks := func(op string, v0 func(uint32) uint32, same int64) (float64, *timing.Result) {
		k := kernel{target: gcn.GFX803, v0: v0, waves: 16, text: loopOf(op),
			params: func(p *timing.Params) { set(p, "AtomicSame", same) }}
		res, _ := k.run(t, 4)
		return k.throughput(t), res
	}
	const global, local = "buffer_atomic_add v2, v0, s[0:3], 0 offen", "ds_add_u32 v0, v2"
	one, many := func(uint32) uint32 { return 64 }, times(4)

	n, _ := clocks(global, many, 1)
	assert.InDelta(t, 16, n, 1, "of TA")
	n, _ = clocks(global, one, 1)
	assert.InDelta(t, 64, n, 1)
	n, _ = clocks(global, one, 0)
	assert.InDelta(t, 16, n, 1)
	n, _ = clocks(global, func(lane uint32) uint32 { return lane / 2 * 4 }, 20)
	assert.InDelta(t, 2*(1+20), n, 1, "pairs in two lines of one channel: one lane of each waits at a time")

	n, res := clocks(local, many, 1)
	assert.InDelta(t, 4, n, 0.3)
	assert.Zero(t, count(res, "SQ_LDS_ADDR_CONFLICT"))
	n, res = clocks(local, one, 1)
	assert.InDelta(t, 4+62, n, 0.1, "31 lanes of each half wait")
	assert.EqualValues(t, 62*count(res, "SQ_INSTS_LDS"), count(res, "SQ_LDS_ADDR_CONFLICT"))
	assert.Zero(t, count(res, "SQ_LDS_BANK_CONFLICT"))
	n, _ = clocks("ds_read_b32 v2, v0", one, 1)
	assert.InDelta(t, 2, n, 0.1, "a load is a broadcast")
}

// TestLaunchTakesTime: the chip starts at most one wave per LaunchClocks and one work-group per GroupClocks
// (mgpusim's measurements on an R9 Nano: max(4, waves) clocks per work-group). Work-groups are distributed over the
// shader engines, round-robin.
func TestLaunchTakesTime(t *testing.T) {
	for _, c := range []struct{ group, clocks int }{{1, 400}, {2, 400}, {5, 500}, {7, 700}} {
		k := kernel{target: gcn.GFX803, waves: 8 * c.group, group: c.group, text: "s_endpgm", params: func(p *timing.Params) {
			p.PerfectMemory = true
			set(p, "LaunchClocks", 100)
			set(p, "GroupClocks", 400)
		}}
		_, spans := k.run(t, 0)
		engines := map[int]int{}
		for _, s := range spans {
			assert.EqualValues(t, int(s.Group[0])*c.clocks+s.Wave*100, s.Ready/100*100)
			engines[s.CU/16]++
		}
		assert.Equal(t, map[int]int{0: 2 * c.group, 1: 2 * c.group, 2: 2 * c.group, 3: 2 * c.group}, engines)
	}
}

func TestCountersOfLanesAndFlat(t *testing.T) {
	k := kernel{target: gcn.GFX900, v0: times(8), text: `
		s_mov_b64 exec, 0xffff
		v_mov_b32 v4, 0
		v_rcp_f32 v4, v4
		s_mov_b64 exec, -1
		v_mov_b32 v1, 0x10000
		flat_load_dword v2, v[0:1]
		buffer_load_dword v3, v0, s[0:3], 0 offen
		s_endpgm`}
	res, _ := k.run(t, 0)
	assert.EqualValues(t, 1+4+1, count(res, "SQ_ACTIVE_INST_VALU"))
	assert.EqualValues(t, 16+4*16+64, count(res, "SQ_THREAD_CYCLES_VALU"))
	assert.InDelta(t, 100*144/384., metric(res, "VALUUtilization"), 1e-9)
	assert.EqualValues(t, 2, count(res, "SQ_INSTS_VMEM_RD"))
	assert.EqualValues(t, 1, metric(res, "VFetchInsts"))
	assert.EqualValues(t, 0, metric(res, "FlatVMemInsts"))
	assert.EqualValues(t, 1, metric(res, "FlatLDSInsts"))
	assert.EqualValues(t, 0, metric(res, "LDSInsts"))
}

// TestL1StopsTA: scattered stores produce more lines for L2 than the path accepts, so that L1 stops TA most of the
// time.
func TestL1StopsTA(t *testing.T) {
	k := kernel{target: gcn.GFX803, v0: times(64), waves: 16,
		text:   loopOf("buffer_store_dword v2, v0, s[0:3], 0 offen"),
		params: func(p *timing.Params) { p.CUs = 1; set(p, "StoreEighths", 2); set(p, "L2Gap", 0) }}
	res, _ := k.run(t, 8)
	busy, stalled := metric(res, "MemUnitBusy"), metric(res, "MemUnitStalled")
	assert.InDelta(t, 97, busy, 3)
	assert.InDelta(t, 75, stalled, 4, "48 of 64 clocks")
	assert.InDelta(t, 64, k.throughput(t), 1)
	assert.EqualValues(t, count(res, "TA_TA_BUSY"), int(busy*float64(res.Cycles)/100+0.5))
}

// TestMemUnitBusyIsAnAverageOverEngines: one busy CU in four engines counts a quarter.
func TestMemUnitBusyIsAnAverageOverEngines(t *testing.T) {
	effort.Long(t)
	k := kernel{target: gcn.GFX803, v0: scattered(4), waves: 16, text: loopOf("buffer_load_dword" + load)}
	one, _ := k.run(t, 20)
	k.waves, k.group = 64, 16
	four, _ := k.run(t, 20)
	assert.InDelta(t, 24, metric(one, "MemUnitBusy"), 2)
	assert.InDelta(t, 96, metric(four, "MemUnitBusy"), 6)
}

func TestGapsAreThoseOfTheRun(t *testing.T) {
	k := kernel{target: gcn.GFX803, text: "s_nop 0\ns_endpgm"}
	res, _ := k.run(t, 0)
	require.NotEmpty(t, res.NotModelled)
	assert.Less(t, len(res.NotModelled), len(timing.LeftOut()))
	k.text = "exp mrt0 v0, v0, v0, v0 done vm\ns_endpgm"
	more, _ := k.run(t, 0)
	assert.Len(t, more.NotModelled, len(res.NotModelled)+1)
}

// TestLaneSlots: instructions whose lanes have no address have the times and counters of instructions that move the
// same data (rules DS6 and DP11).
func TestLaneSlots(t *testing.T) {
	run := func(text string) *timing.Result {
		res, _ := kernel{target: gcn.GFX900, waves: 1, v0: times(4),
			text: strings.Repeat(text+"\n", 64) + "s_waitcnt 0\ns_endpgm"}.run(t, 0)
		return res
	}
	for addtid, plain := range map[string]string{"ds_write_addtid_b32 v1": "ds_write_b32 v0, v1",
		"ds_read_addtid_b32 v1": "ds_read_b32 v1, v0"} {
		got, want := run(addtid), run(plain)
		assert.Positive(t, metric(got, "SQ_LDS_IDX_ACTIVE"))
		assert.InDelta(t, metric(want, "SQ_LDS_IDX_ACTIVE"), metric(got, "SQ_LDS_IDX_ACTIVE"), 0, addtid)
	}
	want := run("buffer_store_dword v0, off, s[0:3], 0")
	// with and without the LDS bit
	for _, text := range []string{"buffer_store_lds_dword s[0:3], 0 lds", ".long 0xe0f40000, 0x80000000"} {
		got := run(text)
		for _, name := range []string{"SQ_INSTS_VMEM_WR", "SQ_INSTS_VMEM_RD", "TCP_TCC_READ_REQ", "TCP_TCC_WRITE_REQ"} {
			assert.InDelta(t, metric(want, name), metric(got, name), 0, "%s: %s", text, name)
		}
		assert.InDelta(t, 64*2, metric(got, "SQ_LDS_IDX_ACTIVE"), 0, text)
	}
}

// TestStoresTakeTheirLanes: a lane of a store takes a clock, whatever its size; on GCN 1.4 eight lanes take five
// (rule CY6).
func TestStoresTakeTheirLanes(t *testing.T) {
	effort.Long(t)
	for target, want := range map[gcn.Target]float64{gcn.GFX600: 64, gcn.GFX803: 64, gcn.GFX900: 40, gcn.GFX906: 40} {
		for _, op := range []string{"buffer_store_byte v2", "buffer_store_dword v2", "buffer_store_dwordx2 v[2:3]"} {
			k := kernel{target: target, v0: times(8), text: loopOf(op + ", v0, s[0:3], 0 offen")}
			assert.InDelta(t, want, k.throughput(t), 2, "%v %s", target, op)
		}
		k := kernel{target: target, v0: times(4),
			text: "s_mov_b64 exec, 0xffff\n" + loopOf("buffer_store_dword v2, v0, s[0:3], 0 offen")}
		assert.InDelta(t, want/4, k.throughput(t), 2, target)
	}
}

// TestL1IsHashed: lines 4 KB apart share a set of an L1 with 64 sets only if their numbers are not folded.
func TestL1IsHashed(t *testing.T) {
	hits := func(hashed int64) uint64 {
		k := kernel{target: gcn.GFX803, v0: func(lane uint32) uint32 { return lane % 16 * 4096 }, waves: 1,
			text:   loopOf("buffer_load_dword v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)"),
			params: func(p *timing.Params) { set(p, "L1Hash", hashed) }}
		res, _ := k.run(t, 4)
		return count(res, "TCP_TCC_READ_REQ")
	}
	assert.EqualValues(t, 16, hits(1), "each line is read once")
	assert.Greater(t, hits(0), uint64(500))
}

// TestEndWaits: s_endpgm waits until the stores of the wave have arrived (rule CY2).
func TestEndWaits(t *testing.T) {
	k := kernel{target: gcn.GFX803, v0: times(4), text: "buffer_store_dword v2, v0, s[0:3], 0 offen\ns_endpgm"}
	_, spans := k.run(t, 0)
	assert.GreaterOrEqual(t, spans[1].Issue, spans[0].Done)
	assert.Equal(t, timing.StallVM, spans[1].Why)
}

// TestL2Gap: an L2 channel loses a fraction of a clock with each line.
func TestL2Gap(t *testing.T) {
	clocks := func(gap int64) float64 {
		k := kernel{target: gcn.GFX803, v0: func(lane uint32) uint32 { return lane * 64 }, waves: 16,
			text:   loopOf("buffer_load_dword v2, v0, s[0:3], 0 offen glc"),
			params: func(p *timing.Params) { set(p, "L2Gap", gap); set(p, "L2Channels", 1) }}
		return k.throughput(t)
	}
	assert.InDelta(t, 1.5*clocks(0), clocks(50), 2)
}

// TestWhyWavesWait: the first instruction of the younger wave on a SIMD waits until the older wave has issued three:
// for the issue of each, and until the vector ALU has finished the slow ones.
func TestWhyWavesWait(t *testing.T) {
	for op, want := range map[string]struct {
		others, working uint64
		why             timing.Stall
	}{
		"v_add_f32 v2, v3, v4":    {2 * 4, 0, timing.StallIssue},
		"v_mul_lo_u32 v2, v3, v4": {2 * 4, 3 * 12, timing.StallVALU},
	} {
		k := kernel{target: gcn.GFX803, waves: 5, params: perfect, text: strings.Repeat(op+"\n", 3) + "s_endpgm"}
		res, spans := k.run(t, 0)
		first := slices.IndexFunc(spans, func(s timing.Span) bool { return s.Wave == 4 }) // wave n is on SIMD n%4
		assert.Equal(t, want.others+want.working, spans[first].Issue-spans[first].Ready, op)
		assert.Equal(t, want.why, spans[first].Why, op)
		assert.Equal(t, want.others, res.Insts[0].Stalls[timing.StallIssue], op)
		assert.Equal(t, want.working, res.Insts[0].Stalls[timing.StallVALU], op)
	}
}
