package timing_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// stream returns a program that moves 64 KiB per wave.
func stream(op string) string {
	return "s_mov_b32 s20, 0\nloop:\nbuffer_" + op + "_dwordx4 v[4:7], v0, s[0:3], s20 offen\n" +
		"s_add_u32 s20, s20, 0x400\ns_cmp_lt_u32 s20, 0x10000\ns_cbranch_scc1 loop\ns_endpgm"
}

// TestDRAMBandwidth streams data that does not fit L2, or misses every cache, through all CUs of each chip. The
// bandwidth must be at most that of the chip and not much less (product data, rule CY9). The runs are short, and L2
// is so small that stores arrive in no order. docs/TIMING.md has the bandwidth of boards.
func TestDRAMBandwidth(t *testing.T) {
	effort.Long(t)
	n := 0
	for _, name := range timing.Presets() {
		for _, op := range []string{"load", "store"} {
			for _, noCache := range []bool{false, true} {
				if n++; effort.LeavesOut(n) {
					continue
				}
				p, err := timing.Preset(name)
				require.NoError(t, err)
				p.NoCache = noCache
				set(&p, "L2Bytes", 16<<10)
				res := cold(t, chip.Lookup(name).Target, p, op)
				rate := float64(coldWaves*coldBytes) / float64(res.Cycles) * float64(p.ClockMHz) / 1000
				assert.Less(t, rate, float64(value(&p, "DRAMGBs"))*1.01, "%s %s, NoCache %t", name, op, noCache)
				assert.Greater(t, rate, float64(value(&p, "DRAMGBs"))*0.5, "%s %s, NoCache %t", name, op, noCache)
				assertPercentages(t, res)
			}
		}
	}
}

const coldWaves, coldBytes = 1024, 4 << 10

// cold executes waves; each accesses its own memory once.
func cold(t *testing.T, target gcn.Target, p timing.Params, op string) *timing.Result {
	t.Helper()
	model, err := timing.New(target, p)
	require.NoError(t, err)
	m := sim.New(target)
	buf := m.Alloc(coldWaves * coldBytes)
	require.NoError(t, m.Watch(model))
	text := ""
	for n := range coldBytes / 1024 {
		text += fmt.Sprintf("buffer_%s_dwordx4 v[2:5], v0, s[0:3], s%d offen\n", op, 8+n)
	}
	prog, err := asm.Assemble(target, text+"s_endpgm", asm.LLVM)
	require.NoError(t, err)
	code := sim.NewProgram(target, 0, prog.Words, kernelVGPRs)
	for n := range uint64(coldWaves) {
		w := state.NewWave(target, kernelVGPRs)
		w.Group[0] = uint32(n)
		w.SetBuffer(0, gcn.Buffer{Base: buf.Addr + n*coldBytes, NumRecords: coldBytes})
		w.SetSGPRs(8, 0, 1024, 2048, 3072)
		w.SetVGPR(0, lane.Times(16))
		_, err := m.RunProgram(context.Background(), code, w)
		require.NoError(t, err)
	}
	res, err := model.Finish()
	require.NoError(t, err)
	return res
}

// TestStoresTakeAsLongAsLoads compares stores and loads of one wave through a DRAM of 1 GB/s.
func TestStoresTakeAsLongAsLoads(t *testing.T) {
	cycles := map[string]uint64{}
	for _, op := range []string{"load", "store"} {
		k := kernel{target: gcn.GFX803, v0: times(16), text: stream(op), params: func(p *timing.Params) {
			set(p, "DRAMGBs", 1)
			set(p, "L2Bytes", 1024)
			set(p, "L2Ways", 1)
		}}
		res, _ := k.run(t, 0)
		cycles[op] = res.Cycles
		assertPercentages(t, res)
	}
	assert.InEpsilon(t, cycles["load"], cycles["store"], 0.07)
}

// percentages are the metrics that are percentages of a whole.
var percentages = []string{
	"GPUBusy", "VALUUtilization", "VALUBusy", "SALUBusy", "MemUnitBusy", "MemUnitStalled", "WriteUnitStalled",
	"ALUStalledByLDS", "LDSBankConflict", "L2CacheHit",
}

func assertPercentages(t *testing.T, r *timing.Result) {
	t.Helper()
	for _, name := range percentages {
		v := metric(r, name)
		assert.True(t, v >= 0 && v <= 100, "%s is %f", name, v)
	}
}
