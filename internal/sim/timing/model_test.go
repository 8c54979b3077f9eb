package timing_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

func TestPresetsSayWhereTheirValuesComeFrom(t *testing.T) {
	assert.Subset(t, timing.Presets(), []string{"fiji", "hawaii", "polaris10", "tahiti", "vega10", "vega20"})
	for _, name := range timing.Presets() {
		p, err := timing.Preset(name)
		require.NoError(t, err)
		_, err = timing.New(chip.Lookup(name).Target, p)
		require.NoError(t, err)
		assumed := 0
		for _, f := range p.Fields() {
			assert.NotEmpty(t, f.Unit, f.Name)
			assert.NotEmpty(t, f.Source, f.Name)
			if f.Assumed {
				assumed++
			}
		}
		assert.Greater(t, assumed, 5, "latencies have no public source")
	}
	_, err := timing.Preset("navi10")
	assert.ErrorContains(t, err, "there are of bonaire, ")
	p := timing.Default(gcn.GFX600)
	assert.Equal(t, "tahiti", p.Chip)
	p.CUs = 0
	_, err = timing.New(gcn.GFX600, p)
	assert.EqualError(t, err, "timing: CUs is 0; it must be 1 to 256")
	p.CUs = 1 << 30
	_, err = timing.New(gcn.GFX600, p)
	assert.EqualError(t, err, "timing: CUs is 1073741824; it must be 1 to 256")
	p.CUs = 1
	set(&p, "L1Latency", -1)
	_, err = timing.New(gcn.GFX600, p)
	assert.EqualError(t, err, "timing: L1Latency is -1; it must be 0 to 1048576")
}

// TestNewRefuses has parameters that are impossible, or not of the program's generation.
func TestNewRefuses(t *testing.T) {
	for want, change := range map[string]func(p *timing.Params){
		"L1Bytes is 1000; it must be a multiple of 256, 64 bytes for each of 4 " +
			"L1Ways": func(p *timing.Params) { set(p, "L1Bytes", 1000) },
		"ScalarBytes is 64; it must be a multiple of 256, 64 bytes for each of 4 " +
			"ScalarWays": func(p *timing.Params) { set(p, "ScalarBytes", 64) },
		"L2Interleave is 100; it must be a multiple of 64": func(p *timing.Params) { set(p, "L2Interleave", 100) },
		"PerfectMemory and NoCache contradict each other; " +
			"give one": func(p *timing.Params) { p.PerfectMemory, p.NoCache = true, true },
		"chip vega10 does not run programs for gfx803; it is gfx900": func(p *timing.Params) {
			*p,
				_ = timing.Preset("vega10")
		},
	} {
		p := timing.Default(gcn.GFX803)
		change(&p)
		_, err := timing.New(gcn.GFX803, p)
		assert.EqualError(t, err, "timing: "+want)
	}
}

// TestOneGeneration: a model refuses runs of another generation.
func TestOneGeneration(t *testing.T) {
	p, err := timing.Preset("vega10")
	require.NoError(t, err)
	m := sim.New(gcn.GFX803)
	code := m.Alloc(256)
	code.SetUint32s(0xbf810000) // s_endpgm
	model, err := timing.New(gcn.GFX900, p)
	require.NoError(t, err)
	c := sim.Compute{Initiator: sim.ShaderEnable, End: [3]uint32{4, 1, 1}, NumThread: [3]uint32{64, 1, 1},
		Program: code.Addr}
	require.NoError(t, c.Watch(model))
	_, err = m.Compute(context.Background(), c)
	assert.EqualError(t, err, "timing: a model of gfx900 observes a run of gfx803; make it for the target of the machine")
	require.NoError(t, m.Watch(model))
	_, err = m.RunAsm(context.Background(), m.NewWave(), "s_endpgm")
	assert.EqualError(t, err, "timing: a model of gfx900 observes a run of gfx803; make it for the target of the machine")
}

// TestWaitsAreReal executes a load, a wait and a use: the wait stalls for the latency.
func TestWaitsAreReal(t *testing.T) {
	k := kernel{target: gcn.GFX803, v0: times(4),
		text:   "buffer_load_dword v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2\ns_endpgm",
		params: func(p *timing.Params) { p.PerfectMemory = true }}
	res, spans := k.run(t, 0)
	load, wait, use := spans[0], spans[1], spans[2]
	assert.EqualValues(t, 127+3, load.Done-load.Issue, "an L1 hit, four lines one after another")
	assert.GreaterOrEqual(t, wait.Issue, load.Done)
	assert.Less(t, wait.Issue, load.Done+4)
	assert.Equal(t, timing.StallVM, wait.Why)
	assert.Equal(t, wait.Free, use.Issue)
	assert.Equal(t, wait.Issue-wait.Ready, res.Insts[1].Stalled)
	assert.Equal(t, timing.StallVM, res.Insts[1].Why)
	assert.EqualValues(t, 1, count(res, "SQ_INSTS_VMEM_RD"))
	assert.EqualValues(t, 4, count(res, "TCP_TOTAL_CACHE_ACCESSES"))

	k.params = nil
	cold, _ := k.run(t, 0)
	assert.Greater(t, cold.Cycles, res.Cycles+300, "DRAM")
	k.params = func(p *timing.Params) { p.NoCache = true }
	none, _ := k.run(t, 0)
	assert.EqualValues(t, 0, count(none, "TCC_HIT"))
}

func TestSleepNopAndBranches(t *testing.T) {
	perfect := func(p *timing.Params) { p.PerfectMemory = true }
	k := kernel{target: gcn.GFX803, params: perfect,
		text: "s_sleep 2\ns_nop 3\ns_branch next\nnext:\ns_cbranch_scc1 next\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, " +
			"4), 0\ns_endpgm"}
	_, spans := k.run(t, 0)
	var costs []uint64
	for _, s := range spans {
		costs = append(costs, s.Free-s.Issue)
	}
	// A branch to the next instruction counts as not taken.
	assert.Equal(t, []uint64{4, 4 * 4, 4, 4, 8, 4}, costs)
	assert.EqualValues(t, 2*64, spans[1].Issue-spans[1].Ready)
	assert.Equal(t, timing.StallSleep, spans[1].Why)

	k.text = "s_branch next\ns_nop 0\nnext:\ns_endpgm"
	_, spans = k.run(t, 0)
	assert.EqualValues(t, 20, spans[0].Free-spans[0].Issue)
}

// TestFetchBlocks: on GCN 1.0 an 8-byte encoding that crosses a multiple of 32 takes 4 more clocks.
func TestFetchBlocks(t *testing.T) {
	for target, more := range map[gcn.Target]uint64{gcn.GFX600: 4, gcn.GFX803: 0} {
		k := kernel{target: target, text: strings.Repeat("s_nop 0\n", 7) + "v_mad_f32 v2, v3, v4, v5\ns_endpgm",
			params: func(p *timing.Params) { p.PerfectMemory = true }}
		_, spans := k.run(t, 0)
		assert.EqualValues(t, 4+more, spans[7].Free-spans[7].Issue, target)
	}
}

// TestFetchBlocksAreHidden: with one wave per SIMD, crossing encodings, one in four, and the loop cost time. With
// eight waves the others use the vector ALU meanwhile (rule CY3).
func TestFetchBlocksAreHidden(t *testing.T) {
	const loop = float64(4+4+20) / unrolled
	for waves, want := range map[int]float64{4: 4 + 1 + loop, 32: 4} {
		k := kernel{target: gcn.GFX600, waves: waves, params: perfect, text: loopOf("v_mad_f32 v2, v3, v4, v5")}
		assert.InDelta(t, want, k.throughput(t)*4, 0.3, "%d waves", waves)
	}
}

// TestCountersOverflow: LGKMCNT counts scalar loads of more than a dword twice, so that 16 of them exceed it.
func TestCountersOverflow(t *testing.T) {
	k := kernel{target: gcn.GFX803, text: strings.Repeat("s_load_dwordx2 s[8:9], s[0:1], 0x0\n", 20) + "s_endpgm",
		params: func(p *timing.Params) { p.PerfectMemory = true; set(p, "ScalarLatency", 1000) }}
	res, spans := k.run(t, 0)
	assert.Less(t, spans[14].Issue, uint64(100))
	assert.Greater(t, spans[15].Issue, uint64(999))
	assert.Equal(t, timing.StallCounter, spans[15].Why)
	assert.Greater(t, res.Cycles, uint64(2000))
}

func TestCacheInvalidates(t *testing.T) {
	load := "buffer_load_dword v2, v0, s[0:3], 0 offen%s\ns_waitcnt vmcnt(0)\n"
	plain := fmt.Sprintf(load, "")
	for name, test := range map[string]struct {
		text   string
		misses uint64
	}{
		"hits":       {plain + plain, 4},
		"invalidate": {plain + "buffer_wbinvl1\n" + plain, 8},
		"GLC":        {plain + fmt.Sprintf(load, " glc"), 8},
	} {
		t.Run(name, func(t *testing.T) {
			res, _ := (&kernel{target: gcn.GFX803, text: test.text + "s_endpgm", v0: times(4)}).run(t, 0)
			assert.Equal(t, test.misses, count(res, "TCP_TCC_READ_REQ"))
			assert.EqualValues(t, 2*(4+count(res, "SQC_ICACHE_MISSES")), count(res, "TCC_MC_RDREQ"),
				"the second time L2 has it")
		})
	}
}

func TestTimelineFitsAHundredColumns(t *testing.T) {
	k := kernel{target: gcn.GFX900, v0: times(4),
		text: "buffer_load_dwordx4 v[20:23], v0, s[0:3], s20 offen offset:4095 glc slc\n" +
			"s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)\nv_mad_mix_f32 v1, -|v2|, v3, v4 op_sel:[1,0,0] " +
			"op_sel_hi:[0,1,1]\ns_endpgm"}
	res, _ := k.run(t, 0)
	var b strings.Builder
	require.NoError(t, res.WriteTimeline(&b, 0))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	require.Len(t, lines, 5)
	for _, line := range lines {
		assert.LessOrEqual(t, len(line), 100, line)
	}
	assert.Regexp(t, `^0x0008 +[0-9]+ +1 +[0-9]+ +vmcnt +[0-9.]+% +s_waitcnt`, lines[2])
}

// TestFlatAccessToLDSUsesTheLDS: lanes in the LDS aperture of GCN 1.4 access no cache line.
func TestFlatAccessToLDSUsesTheLDS(t *testing.T) {
	k := kernel{target: gcn.GFX900, v0: times(8),
		text: "ds_read_b32 v4, v0\nv_mov_b32 v1, 0x10000\nflat_load_dword v2, v[0:1]\ns_waitcnt lgkmcnt(0)\ns_endpgm"}
	res, spans := k.run(t, 0)
	assert.Zero(t, count(res, "TCP_TOTAL_CACHE_ACCESSES"))
	assert.EqualValues(t, 4+4, count(res, "SQ_LDS_IDX_ACTIVE"), "2 cycles each, and 2 for stride 2")
	assert.EqualValues(t, 2, count(res, "SQ_LDS_BANK_CONFLICT"), "of DS instructions")
	assert.Equal(t, timing.StallLGKM, spans[3].Why)
}

// program returns n random instructions that use every part of the model.
func program(r *rand.Rand, n int) string {
	menu := []string{
		"buffer_load_dword v2, v0, s[0:3], 0 offen", "buffer_load_dwordx4 v[4:7], v0, s[0:3], 0 offen glc",
		"buffer_store_dword v2, v0, s[0:3], 0 offen slc",
		"buffer_atomic_add v2, v0, s[0:3], 0 offen", "ds_read_b32 v3, v0", "ds_write_b64 v0, v[4:5]",
		"ds_add_rtn_u32 v3, v0, v2",
		"s_load_dwordx2 s[8:9], s[0:1], 0x0", "s_buffer_load_dword s10, s[0:3], 0x4", "v_add_f32 v3, v2, v2",
		"v_rcp_f32 v3, v2", "v_fma_f64 v[8:9], v[4:5], v[6:7], v[8:9]",
		"s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(1) lgkmcnt(2) expcnt(0)", "s_barrier", "s_sleep 1",
		"s_nop 2", "s_mov_b32 s12, 1",
		"s_setprio 3", "s_setprio 0", "s_memtime s[14:15]", "flat_load_dword v2, v[0:1]",
		"buffer_atomic_cmpswap v[2:3], v0, s[0:3], 0 offen glc",
		"buffer_wbinvl1", "s_dcache_inv", "s_icache_inv", "s_mov_b64 exec, -1", "s_mov_b64 exec, 0xff0f", "s_mov_b64 exec, 0",
	}
	var b strings.Builder
	for range n {
		b.WriteString(menu[r.IntN(len(menu))] + "\n")
	}
	return b.String() + "s_endpgm"
}

// FuzzConservation: every executed instruction issues and completes once, nothing remains, and equal runs take equal
// time.
func FuzzConservation(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(37*seed), uint8(3*seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, waves, chip uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := program(r, 1+r.IntN(60))
		preset := timing.Presets()[int(chip)%len(timing.Presets())]
		k := kernel{target: gcn.GFX803, text: text, clock: seed%2 == 0, waves: 1 + int(waves)%48,
			group: 1 + int(waves)/16%16, v0: times(4 * (1 + uint32(chip)%40)), params: func(p *timing.Params) {
				*p, _ = timing.Preset(preset)
				p.Chip = "of another generation"
				p.CUs = 1 + int(chip)%3
			}}
		res, spans := k.run(t, 0)
		assertPercentages(t, res)
		issued := map[[3]int]bool{}
		between := uint64(0)
		together := map[[4]uint64]int{}
		for _, s := range spans {
			between += s.Issue - s.Ready
			together[[4]uint64{uint64(s.CU), uint64(s.SIMD), s.Issue, unitOf((*isa.Inst)(s.Inst))}]++
			key := [3]int{int(s.Group[0]), s.Wave, s.Seq}
			if issued[key] {
				t.Errorf("wave %d of group %d issues %d twice", s.Wave, s.Group[0], s.Seq)
			}
			issued[key] = true
			if s.Ready > s.Issue || s.Issue >= s.Free || s.Free > s.Done || s.Done > res.Cycles {
				t.Errorf("ready at %d, issued at %d, its SIMD free at %d, done at %d of %d", s.Ready, s.Issue, s.Free, s.Done,
					res.Cycles)
			}
			if (s.Issue-uint64(s.SIMD))%4 != 0 {
				t.Errorf("SIMD %d issues at %d, which is not its turn", s.SIMD, s.Issue)
			}
		}
		for at, n := range together {
			if at[3] != 0 && n != 1 {
				t.Errorf("%d instructions of a type are issued by SIMD %d of CU %d at %d", n, at[1], at[0], at[2])
			}
		}
		total, waited := uint64(0), uint64(0)
		for i := range res.Insts {
			total += res.Insts[i].Count
			waited += res.Insts[i].Stalled
		}
		assert.EqualValues(t, len(spans), total)
		assert.Equal(t, between, waited, "every cycle of waiting has a cause")
		assert.Equal(t, 4*count(res, "SQ_WAIT_ANY"), waited)
		assert.Equal(t, count(res, "TCC_REQ"), count(res, "TCC_HIT")+count(res, "TCC_MISS"))
		if seed%4 == 0 {
			again, _ := k.run(t, 0)
			assert.Equal(t, res.Counts(), again.Counts())
		}
	})
}

// unitOf returns a number for an instruction type that issues one at a time, 0 if there is no limit.
func unitOf(in *isa.Inst) uint64 {
	switch in.Row().Enc {
	case isa.SOPP:
		return 0
	case isa.SOP1, isa.SOP2, isa.SOPC, isa.SOPK, isa.SMEM:
		return 1
	case isa.DS:
		return 2
	case isa.MUBUF, isa.FLAT:
		return 3
	}
	return 4
}

// dispatchLike executes a grid of work-groups under a model, as a dispatch would.
func dispatchLike(t testing.TB, groups, waves int, p timing.Params) (*timing.Result, error) {
	t.Helper()
	prog, err := asm.Assemble(gcn.GFX803, copyText, asm.LLVM)
	require.NoError(t, err)
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(bufferBytes)
	model, err := timing.New(gcn.GFX803, p)
	require.NoError(t, err)
	require.NoError(t, m.Watch(model))
	code := sim.NewProgram(gcn.GFX803, 0, prog.Words, kernelVGPRs)
	w := state.NewWave(gcn.GFX803, kernelVGPRs)
	for g := range groups {
		for i := range waves {
			w.Reset(gcn.GFX803)
			w.ID, w.Group = i, [3]uint32{uint32(g), 0, 0}
			w.S[gcn.M0] = ^uint32(0)
			w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: bufferBytes})
			var v state.Lanes
			for lane := range v {
				v[lane] = uint32(g*waves*256+lane*4) % bufferBytes
			}
			w.SetVGPR(0, v)
			_, err := m.RunProgram(context.Background(), code, w)
			require.NoError(t, err)
		}
	}
	return model.Finish()
}

const copyText = "buffer_load_dword v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\nbuffer_store_dword v2, v0, " +
	"s[0:3], 0 offen\ns_barrier\ns_endpgm"

func TestMoreCUsTakeLessTime(t *testing.T) {
	p := timing.Default(gcn.GFX803)
	var before uint64
	for _, cus := range []int{16, 4, 1} {
		p.CUs = cus
		res, err := dispatchLike(t, 256, 4, p)
		require.NoError(t, err)
		assert.EqualValues(t, 1024, count(res, "SQ_WAVES"))
		assert.Greater(t, res.Cycles, before)
		before = res.Cycles
	}
}

func TestCyclesAreTheSameEveryTime(t *testing.T) {
	p := timing.Default(gcn.GFX803)
	want, err := dispatchLike(t, 64, 3, p)
	require.NoError(t, err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(n)
		got, err := dispatchLike(t, 64, 3, p)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestWhatDoesNotFitIsAnError(t *testing.T) {
	p := timing.Default(gcn.GFX803)
	set(&p, "WavesPerSIMD", 1)
	_, err := dispatchLike(t, 2, 5, p)
	assert.EqualError(t, err, "timing: a work-group of 5 waves with 24 VGPRs, 0 SGPRs and 0 bytes of LDS does not "+
		"fit a CU of fiji")
	p = timing.Default(gcn.GFX803)
	p.MaxBytes = 70
	_, err = dispatchLike(t, 2, 2, p)
	assert.ErrorContains(t, err, "raise MaxBytes or lower CUs")
}
