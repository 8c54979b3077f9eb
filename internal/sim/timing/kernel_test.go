package timing_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// kernel is a small program for waves.
type kernel struct {
	target gcn.Target
	text   string
	v      gcn.Buffer // the buffer in s[0:3], without its base
	v0     func(lane uint32) uint32
	scc    func(wave int) uint32
	vgprs  int  // default kernelVGPRs
	sgprs  int  // 0 means no limit
	clock  bool // waves read the time of the model
	waves  int  // default 1
	group  int  // waves in a work-group, default all
	params func(p *timing.Params)
}

// set sets a parameter by its name.
func set(p *timing.Params, name string, v int64) {
	if err := p.Set(name, v); err != nil {
		panic(err)
	}
}

// value returns a parameter by its name.
func value(p *timing.Params, name string) int {
	v, err := p.Get(name)
	if err != nil {
		panic(err)
	}
	return int(v)
}

// count returns a counter by its name.
func count(r *timing.Result, name string) uint64 { return uint64(metric(r, name)) }

const (
	bufferBytes = 64 << 10
	kernelVGPRs = 24 // ten waves per SIMD
)

// run executes k, whose text has %d for a number of iterations, and returns its times and spans.
func (k kernel) run(t testing.TB, turns int) (*timing.Result, []timing.Span) {
	t.Helper()
	text := k.text
	if strings.Contains(text, "%d") {
		text = fmt.Sprintf(text, turns)
	}
	program, err := asm.Assemble(k.target, text, asm.LLVM)
	require.NoError(t, err)
	m := sim.New(k.target)
	buf := m.Alloc(bufferBytes)
	p := timing.Default(k.target)
	if k.params != nil {
		k.params(&p)
	}
	model, err := timing.New(k.target, p)
	require.NoError(t, err)
	var spans []timing.Span
	model.HideClock = !k.clock
	model.OnSpan(func(s *timing.Span) { spans = append(spans, *s) })
	require.NoError(t, m.Watch(model))
	vgprs := kernelVGPRs
	if k.vgprs != 0 {
		vgprs = k.vgprs
	}
	code := sim.NewProgram(k.target, 0, program.Words, vgprs) // decoded once, as in a dispatch
	for i := range max(k.waves, 1) {
		w := state.NewWave(k.target, vgprs)
		w.ID = i
		if k.group > 0 {
			w.ID, w.Group[0] = i%k.group, uint32(i/k.group)
		}
		w.S[gcn.M0], w.NumSGPRs = ^uint32(0), k.sgprs
		if k.scc != nil {
			w.SCC = k.scc(i)
		}
		v := k.v
		v.Base = buf.Addr
		if v.NumRecords == 0 {
			v.NumRecords = bufferBytes
		}
		w.SetSGPRs(0, v.Words()...)
		var offsets, hi state.Lanes
		for lane := range offsets {
			if k.v0 != nil {
				offsets[lane] = k.v0(uint32(lane))
			}
			hi[lane] = uint32((buf.Addr + uint64(offsets[lane])) >> 32)
		}
		w.SetVGPR(0, offsets)
		w.SetVGPR(1, hi)
		_, err := m.RunProgram(context.Background(), code, w)
		require.NoError(t, err)
	}
	res, err := model.Finish()
	require.NoError(t, err)
	return res, spans
}

// unrolled is the number of times that a loop from loopOf repeats its instruction in one iteration.
const unrolled = 16

// loopOf returns a loop that repeats an instruction.
func loopOf(inst string) string {
	return "s_mov_b32 s20, 0\nloop:\n" + strings.Repeat(inst+"\n", unrolled) +
		"s_add_u32 s20, s20, 1\ns_cmp_lt_u32 s20, %d\ns_cbranch_scc1 loop\ns_endpgm"
}

// throughput returns the clocks per instruction of a loop when several waves execute it. It compares a long with a
// short run, so that the start has no influence.
func (k kernel) throughput(t testing.TB) float64 {
	t.Helper()
	if k.waves == 0 {
		k.waves = 16
	}
	short, _ := k.run(t, 2)
	long, _ := k.run(t, 10)
	return float64(long.Cycles-short.Cycles) / float64(8*unrolled*k.waves)
}

// spacing returns the clocks between the instructions of one wave: first while they fill the queue to their unit,
// then after that. They do not fill a counter. One lane is active, so that the unit is faster than the queue.
func (k kernel) spacing(t testing.TB) (first, then float64) {
	t.Helper()
	const n = 64
	k.text = "s_mov_b64 exec, 1\n" + strings.Repeat(k.text+"\n", n) + "s_endpgm"
	k.params = func(p *timing.Params) {
		p.PerfectMemory = true
		set(p, "L1Latency", 1)
		set(p, "LDSLatency", 1)
	}
	_, spans := k.run(t, 0)
	spans = spans[1:]
	then = float64(spans[n-1].Issue-spans[n/2-1].Issue) / (n / 2)
	p := timing.Default(k.target)
	fill := min(float64(value(&p, "VMEMBacklog"))/then, 3) // distance in clocks while the queue has room
	return float64(spans[int(fill)].Issue-spans[0].Issue) / float64(int(fill)), then
}

// overlap returns the largest number of outstanding instructions of a wave when memory is so slow that it alone is
// the limit.
func (k kernel) overlap(t testing.TB) float64 {
	t.Helper()
	k.params = func(p *timing.Params) { p.NoCache = true; set(p, "DRAMLatency", 5000) }
	k.text = loopOf(k.text)
	_, spans := k.run(t, 12)
	most := 0
	for _, s := range spans {
		n := 0
		for _, o := range spans {
			if o.Issue <= s.Issue && s.Issue < o.Done && (*isa.Inst)(o.Inst).Row().Enc == isa.MUBUF {
				n++
			}
		}
		most = max(most, n)
	}
	return float64(most)
}

// scattered returns scattered offsets in 8 KiB that are multiples of align.
func scattered(align uint32) func(uint32) uint32 {
	return func(lane uint32) uint32 {
		x := (lane + 1) * 2654435761
		x ^= x >> 15
		x *= 2246822519
		return (x >> 13) % (8192 - 16) / align * align
	}
}

func times(n uint32) func(uint32) uint32 { return func(lane uint32) uint32 { return lane * n } }
