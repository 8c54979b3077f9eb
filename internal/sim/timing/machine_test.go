package timing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// TestPresetsAreTheChips compares presets with product data (rule CY9).
func TestPresetsAreTheChips(t *testing.T) {
	// CUs, MHz, KiB of L2, GB/s, shader engines, ratio of single to double precision rate
	for chip, want := range map[string][6]int{
		"tahiti": {32, 925, 768, 264, 2, 4}, "hawaii": {44, 1000, 1024, 320, 4, 8}, "fiji": {64, 1050, 2048, 512, 4, 16},
		"polaris10": {36, 1266, 2048, 256, 4, 16},
		"vega10":    {64, 1546, 4096, 484, 4, 16},
		"vega20":    {60, 1725, 4096, 1024, 4, 2},
	} {
		p, err := timing.Preset(chip)
		require.NoError(t, err)
		assert.Equal(t, want, [6]int{p.CUs, p.ClockMHz, value(&p, "L2Bytes") >> 10, value(&p, "DRAMGBs"),
			p.ShaderEngines, value(&p, "DoubleRate") / 4}, chip)
	}
}

// TestRegistersLimitWaves checks the number of waves that a SIMD can hold (rule CY2).
func TestRegistersLimitWaves(t *testing.T) {
	for vgprs, want := range map[int]int{24: 10, 25: 9, 28: 9, 32: 8, 36: 7, 40: 6, 48: 5, 64: 4, 84: 3, 128: 2, 129: 1,
		256: 1} {
		k := kernel{target: gcn.GFX803, vgprs: vgprs, waves: 48, group: 1, text: "s_sleep 127\ns_endpgm",
			params: func(p *timing.Params) {
				p.CUs, p.PerfectMemory = 1, true
			}}
		_, spans := k.run(t, 0)
		slots := map[int]bool{}
		for _, s := range spans {
			if s.SIMD == 0 {
				slots[s.Slot] = true
			}
		}
		assert.Len(t, slots, want, "%d VGPRs", vgprs)
	}
}

// TestPolarisHoldsEightWaves: a SIMD of Polaris holds eight waves, whatever their registers (Mesa, ac_gpu_info; the
// documentation of the Radeon GPU Profiler).
func TestPolarisHoldsEightWaves(t *testing.T) {
	for board, want := range map[string]int{"rx480": 8, "rx460": 8, "fiji": 10, "vega-64": 10} {
		p, err := timing.Preset(board)
		require.NoError(t, err)
		assert.Equal(t, want, value(&p, "WavesPerSIMD"), board)
	}
}

// TestCodeIsFetchedOnce: 64 bytes of new code cost a wave the latency to memory, minus the block that its buffer
// prefetches. Code that another wave has executed costs nothing.
func TestCodeIsFetchedOnce(t *testing.T) {
	k := kernel{target: gcn.GFX803, waves: 2, group: 2, text: strings.Repeat("v_add_f32 v1, v2, v3\n", 128) + "s_endpgm",
		params: func(p *timing.Params) { p.CUs, p.ShaderEngines = 1, 1 }}
	res, spans := k.run(t, 0)
	assert.EqualValues(t, 128/16+1, count(res, "SQC_ICACHE_MISSES"))
	var issue [128]uint64
	for _, s := range spans {
		if s.Wave == 0 && s.Seq < 128 {
			issue[s.Seq] = s.Issue
		}
	}
	p := timing.Default(k.target)
	dram := uint64(value(&p, "DRAMLatency") * p.ClockMHz / 1000)
	least := uint64(value(&p, "L2Latency")-value(&p, "L1Latency")+value(&p, "ScalarLatency")) + dram + 32
	assert.InDelta(t, least+15, issue[96]-issue[80], 16, "a line from memory, with the times of its bank")
}

// TestScalarRegistersLimitWaves: a SIMD has 512 SGPRs before GCN 1.2, then 800 (LLVM AMDGPU).
func TestScalarRegistersLimitWaves(t *testing.T) {
	for target, waves := range map[gcn.Target]map[int]int{
		gcn.GFX600: {48: 10, 56: 9, 64: 8, 72: 7, 104: 4}, gcn.GFX701: {48: 10, 80: 6, 104: 4},
		gcn.GFX803: {80: 10, 96: 8, 112: 7}, gcn.GFX900: {80: 10, 112: 7},
	} {
		for sgprs, want := range waves {
			k := kernel{target: target, sgprs: sgprs, waves: 48, group: 1, text: "s_sleep 127\ns_endpgm",
				params: func(p *timing.Params) {
					p.CUs, p.PerfectMemory = 1, true
				}}
			_, spans := k.run(t, 0)
			slots := map[int]bool{}
			for _, s := range spans {
				if s.SIMD == 0 {
					slots[s.Slot] = true
				}
			}
			assert.Len(t, slots, want, "%v, %d SGPRs", target, sgprs)
		}
	}
}

// TestBarrierWaitsForTheSlowest: waves wait at s_barrier until the last one arrives.
func TestBarrierWaitsForTheSlowest(t *testing.T) {
	k := kernel{target: gcn.GFX803, waves: 3, params: perfect, scc: func(wave int) uint32 { return uint32(wave / 2) }, text: `
		s_cbranch_scc0 ready
		s_sleep 100
	ready:
		s_barrier
		v_mov_b32 v2, 0
		s_endpgm`}
	_, spans := k.run(t, 0)
	came, left := uint64(0), map[int]timing.Span{}
	for _, s := range spans {
		switch (*isa.Inst)(s.Inst).Row().Name {
		case "s_barrier":
			came = max(came, s.Issue)
		case "v_mov_b32":
			left[s.Wave] = s
		}
	}
	assert.Greater(t, came, uint64(6400))
	for n, s := range left {
		assert.Greater(t, s.Issue, came, "wave %d", n)
		if n < 2 {
			assert.Equal(t, timing.StallBarrier, s.Why)
			assert.Greater(t, s.Issue-s.Ready, uint64(6300))
		}
	}
}

// TestExpcntWaitsForStoreData: on GCN 1.0 EXPCNT waits until TA has read the data of a store; later stores do not
// count (rule W5).
func TestExpcntWaitsForStoreData(t *testing.T) {
	store := "buffer_store_dword v2, v0, s[0:3], 0 offen\n"
	for target, stalls := range map[gcn.Target]bool{gcn.GFX600: true, gcn.GFX701: false, gcn.GFX803: false,
		gcn.GFX900: false} {
		k := kernel{target: target, v0: times(4), params: perfect, waves: 12,
			text: strings.Repeat(store, 3) + "s_waitcnt expcnt(0)\nv_mov_b32 v2, 0\ns_endpgm"}
		res, _ := k.run(t, 0)
		waited := uint64(0)
		for i := range res.Insts {
			waited += res.Insts[i].Stalls[timing.StallEXP]
		}
		assert.Equal(t, stalls, waited > 100, "%v: %d", target, waited)
	}
}

// TestSLCStreams: lines of SLC accesses are the first to be replaced in L2, so that other lines remain.
func TestSLCStreams(t *testing.T) {
	for flag, misses := range map[string]uint64{"slc": 1 + 20, "": 1 + 20 + 1} {
		again := "buffer_load_dword v2, v1, s[0:3], 0 offen glc\ns_waitcnt vmcnt(0)\n"
		text := again
		for n := range 20 {
			text += fmt.Sprintf("buffer_load_dword v2, v1, s[0:3], 0 offen offset:%d %s\ns_waitcnt vmcnt(0)\n", 64*(n+1), flag)
		}
		k := kernel{target: gcn.GFX803, text: text + again + "s_endpgm", params: func(p *timing.Params) {
			set(p, "L2Ways", 16)
			set(p, "L2Channels", 1)
			set(p, "L2Bytes", 64*16) // one set, which the code uses as well
		}}
		k.v0 = times(0)
		k.text = "v_mov_b32 v1, 0\n" + k.text
		res, _ := k.run(t, 0)
		assert.Equal(t, misses, count(res, "TCC_MISS")-count(res, "SQC_ICACHE_MISSES"), "SLC%q", flag)
	}
}

// TestScalarInvalidates: s_dcache_inv and s_icache_inv empty their caches; L2 keeps the lines.
func TestScalarInvalidates(t *testing.T) {
	load := "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
	for _, test := range []struct {
		text       string
		data, code uint64
	}{
		{load + load, 1, 1},
		{load + "s_dcache_inv\n" + load, 2, 2}, // the end is in the second block, so that the buffer requests the third
		{load + "s_icache_inv\n" + load, 1, 2},
	} {
		k := kernel{target: gcn.GFX803, text: test.text + "s_endpgm"}
		res, _ := k.run(t, 0)
		assert.Equal(t, test.data, count(res, "SQC_DCACHE_MISSES"), test.text)
		assert.Equal(t, test.code, count(res, "SQC_ICACHE_MISSES"), test.text)
		assert.EqualValues(t, test.data+test.code, count(res, "TCC_MISS")+count(res, "TCC_HIT"), test.text)
	}
}

// TestLoadsToLDSUseBoth: they take the time of a load, then that of a DS write.
func TestLoadsToLDSUseBoth(t *testing.T) {
	k := kernel{target: gcn.GFX803, v0: times(4), params: perfect,
		text: "buffer_load_dword v2, v0, s[0:3], 0 offen\nbuffer_load_dword v0, s[0:3], 0 offen lds\ns_endpgm"}
	res, spans := k.run(t, 0)
	load, both := spans[0], spans[1]
	assert.Equal(t, load.Done-load.Issue+40, both.Done-both.Issue)
	assert.EqualValues(t, 4, count(res, "SQ_LDS_IDX_ACTIVE"))
	assert.EqualValues(t, 8, count(res, "TCP_TOTAL_CACHE_ACCESSES"))
}

// TestCUsShareL2: each CU misses its own L1, and only the first CU misses L2. Neighbours share the scalar and the
// instruction cache.
func TestCUsShareL2(t *testing.T) {
	k := kernel{target: gcn.GFX803, waves: 8, group: 1, v0: times(4), text: `
		s_load_dword s8, s[0:1], 0x0
		buffer_load_dword v2, v0, s[0:3], 0 offen
		s_waitcnt vmcnt(0) & lgkmcnt(0)
		s_endpgm`, params: func(p *timing.Params) { p.CUs, p.ShaderEngines = 8, 1 }}
	res, spans := k.run(t, 0)
	cus := map[int]bool{}
	for _, s := range spans {
		cus[s.CU] = true
	}
	require.Len(t, cus, 8)
	assert.EqualValues(t, 8*4, count(res, "TCP_TCC_READ_REQ"))
	assert.EqualValues(t, 2, count(res, "SQC_DCACHE_MISSES"), "four CUs share a scalar cache")
	assert.EqualValues(t, 6, count(res, "SQC_DCACHE_HITS"))
	assert.EqualValues(t, 2, count(res, "SQC_ICACHE_MISSES"))
	assert.EqualValues(t, 4+1, count(res, "TCC_MISS"), "four lines of data, the first has the scalar, and one of code")
	assert.EqualValues(t, 8*4+2+2-(4+1), count(res, "TCC_HIT"))
	assert.Equal(t, 2*count(res, "TCC_MISS"), count(res, "TCC_MC_RDREQ"))
}

// TestCUsShareDRAM: the bandwidth is that of the chip, however many CUs access memory.
func TestCUsShareDRAM(t *testing.T) {
	run := func(groups int) uint64 {
		k := kernel{target: gcn.GFX803, waves: groups * 16, group: 16, v0: times(64), text: `
			buffer_load_dword v2, v0, s[0:3], 0 offen
			buffer_load_dword v3, v0, s[0:3], 0 offen offset:2048
			s_endpgm`, params: func(p *timing.Params) { p.NoCache = true; set(p, "DRAMGBs", 16) }}
		res, _ := k.run(t, 0)
		return res.Cycles
	}
	one, many := run(1), run(16)
	assert.InDelta(t, 16, float64(many)/float64(one), 1.5)
}

// TestVMCNTInOrder: accesses that VMCNT counts complete in the order of issue, whatever their kind (LLVM AMDGPU,
// SIInsertWaitcnts), so that vmcnt(1) proves that a load before a store is complete.
func TestVMCNTInOrder(t *testing.T) {
	const load, buffer = "buffer_load_dword v2, v0, s[0:3], 0 offen\n", " v3, v0, s[0:3], 0 offen offset:2048\n"
	for _, first := range []string{load, "buffer_atomic_add" + buffer, "buffer_store_dword" + buffer} {
		for _, second := range []string{"buffer_store_dword" + buffer, "buffer_atomic_add" + buffer, "buffer_wbinvl1\n",
			load} {
			k := kernel{target: gcn.GFX803, v0: times(4),
				text: first + second + "s_waitcnt vmcnt(1)\nv_add_f32 v4, v2, v2\ns_endpgm"}
			_, spans := k.run(t, 0)
			assert.LessOrEqual(t, spans[0].Done, spans[1].Done, first+second)
			assert.GreaterOrEqual(t, spans[2].Issue, spans[0].Done, first+second)
		}
	}
}

// TestInvalidateIsNoRead: buffer_wbinvl1 is not counted by counters of vector memory instructions.
func TestInvalidateIsNoRead(t *testing.T) {
	k := kernel{target: gcn.GFX803, text: "buffer_wbinvl1\ns_waitcnt vmcnt(0)\ns_endpgm"}
	res, _ := k.run(t, 0)
	assert.Zero(t, count(res, "SQ_INSTS_VMEM_RD")+count(res, "SQ_INSTS_VMEM_WR"))
}
