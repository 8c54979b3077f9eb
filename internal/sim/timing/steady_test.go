package timing_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// randomKernel is a program of all kinds of instructions whose times differ, and a number of waves.
type randomKernel struct {
	target        gcn.Target
	text          string
	params        timing.Params
	groups, waves int
	vgprs         int
	trace         func(*timing.Span)
	stop          func() // ends the calls of OnSpan's function
}

// bodies are the pieces of random programs. Addresses are adjacent in v0, scattered in v1, in LDS in v7; the buffer
// is in v[10:11] and s[8:9].
var bodies = []string{
	"buffer_load_dword v2, v0, s[0:3], 0 offen", "buffer_load_dword v2, v1, s[0:3], 0 offen",
	"buffer_load_dwordx2 v[2:3], v0, s[0:3], 0 offen glc",
	"buffer_load_dwordx4 v[2:5], v1, s[0:3], 0 offen", "buffer_load_ubyte v2, v1, s[0:3], 0 offen",
	"buffer_store_dword v3, v0, s[0:3], 0 offen",
	"buffer_store_dwordx2 v[3:4], v1, s[0:3], 0 offen slc", "buffer_atomic_add v3, v1, s[0:3], 0 offen",
	"buffer_atomic_add v3, v0, s[0:3], 0 offen glc",
	"flat_load_dword v2, v[10:11]", "flat_store_dword v[10:11], v3", "s_load_dwordx2 s[12:13], s[8:9], 0x0",
	"s_load_dwordx8 s[24:31], s[8:9], 0x10",
	"ds_read_b32 v2, v7", "ds_write_b64 v7, v[3:4]", "ds_add_u32 v7, v3",
	"ds_read2_b32 v[2:3], v7 offset0:0 offset1:33", "ds_read_b64 v[2:3], v0",
	"s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(1) & lgkmcnt(2)", "s_waitcnt 0", "s_barrier",
	"s_sleep 3", "s_setprio 2", "s_setprio 0", "s_nop 4",
	"v_add_f32 v5, v5, v4", "v_mul_f32 v6, v5, v4", "v_mul_lo_u32 v5, v5, v4",
	"v_fma_f64 v[12:13], v[12:13], v[12:13], v[12:13]", "v_rcp_f32 v6, v6", "s_add_u32 s21, s21, 1",
	"s_mov_b64 exec, 0xff", "s_mov_b64 exec, -1",
	"s_cmp_eq_u32 s20, 2\n\ts_cbranch_scc1 skip%d\n\tv_mov_b32 v6, 0\nskip%d:", "buffer_wbinvl1", "s_dcache_inv",
}

// newRandomKernel returns kernel n.
func newRandomKernel(n uint64) randomKernel {
	r := rand.New(rand.NewPCG(n, 20))
	k := randomKernel{target: []gcn.Target{gcn.GFX701, gcn.GFX803, gcn.GFX900}[r.IntN(3)], groups: 1 + r.IntN(24),
		waves: 1 + r.IntN(8), vgprs: 16 + 4*r.IntN(20)}
	k.params = timing.Default(k.target)
	if r.IntN(3) > 0 {
		k.params.CUs, k.params.ShaderEngines = 1+r.IntN(4), 1
		set(&k.params, "L2Bytes", 64<<10)
		set(&k.params, "L2Channels", 4)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\ts_mov_b32 s20, 0\n\tv_lshlrev_b32 v8, 2, v9\nloop:\n")
	for i := range 3 + r.IntN(30) {
		line := bodies[r.IntN(len(bodies))]
		if strings.Contains(line, "%d") {
			line = fmt.Sprintf(line, i, i)
		}
		fmt.Fprintf(&b, "\t%s\n", line)
	}
	fmt.Fprintf(&b, "\tv_xor_b32 v1, 0x%x, v1\n\ts_add_u32 s20, s20, 1\n\ts_cmp_lt_u32 s20, %d\n\ts_cbranch_scc1 "+
		"loop\n\ts_endpgm", 4*(1+r.IntN(4000)), 1+r.IntN(12))
	k.text = b.String()
	return k
}

// run executes k with a model.
func (k *randomKernel) run(t testing.TB, params timing.Params) *timing.Result {
	t.Helper()
	p, err := asm.Assemble(k.target, k.text, asm.LLVM)
	require.NoError(t, err, k.text)
	m := sim.New(k.target)
	buf := m.Alloc(bufferBytes)
	model, err := timing.New(k.target, params)
	require.NoError(t, err)
	if k.trace != nil {
		stop := model.OnSpan(func(s *timing.Span) { k.trace(s) })
		k.stop = func() { k.trace = nil; stop() }
	}
	require.NoError(t, m.Watch(model))
	code := sim.NewProgram(k.target, 0, p.Words, k.vgprs)
	for g := range k.groups {
		waves := make([]*state.Wave, k.waves)
		for i := range waves {
			w := state.NewWave(k.target, k.vgprs)
			w.Group[0] = uint32(g)
			w.S[gcn.M0] = ^uint32(0)
			w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: bufferBytes})
			w.SetSGPRs(8, uint32(buf.Addr), uint32(buf.Addr>>32))
			for lane := range state.NumLanes {
				n := uint32(lane + state.NumLanes*(i+k.waves*g))
				w.V[0][lane] = 4 * n % bufferBytes
				w.V[1][lane] = n * 2654435769 % bufferBytes &^ 3
				w.V[7][lane] = n * 40503 % 4096 &^ 7
				addr := buf.Addr + uint64(n*2246822519%bufferBytes&^3)
				w.V[10][lane], w.V[11][lane] = uint32(addr), uint32(addr>>32)
			}
			waves[i] = w
		}
		_, err := m.RunProgram(t.Context(), code, waves...)
		require.NoError(t, err, k.text)
	}
	res, err := model.Finish()
	require.NoError(t, err, k.text)
	return res
}

// digest returns a hash of all times and counters of a result.
func digest(res *timing.Result) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, res.Cycles, res.Counts(), res.Metrics)
	for i := range res.Insts {
		x := &res.Insts[i]
		fmt.Fprint(h, x.PC, x.Count, x.First, x.Busy, x.Latency, x.Stalls)
	}
	return h.Sum64()
}

// TestTimesStay compares all times and counters of random kernels with a file, so that an optimization of the model
// does not change them.
func TestTimesStay(t *testing.T) {
	var got bytes.Buffer
	for n := range uint64(60) {
		if effort.LeavesOut(int(n)) {
			continue
		}
		k := newRandomKernel(n)
		res := k.run(t, k.params)
		fmt.Fprintf(&got, "%d %v %d %016x\n", n, k.target, res.Cycles, digest(res))
	}
	compare := golden.Compare
	if !effort.Full() {
		compare = golden.Sample
	}
	compare(t, "testdata/times.txt", got.Bytes())
}

// TestTracedRunsTakeTheSameTime: the fast path of issue, used without OnSpan functions, has the same times as the
// slow path, also if the function is removed at any instruction.
func TestTracedRunsTakeTheSameTime(t *testing.T) {
	for n := uint64(60); n < 120; n++ {
		if effort.LeavesOut(int(n)) {
			continue
		}
		k := newRandomKernel(n)
		untraced := k.run(t, k.params)
		spans := uint64(0)
		k.trace = func(*timing.Span) { spans++ }
		require.Equal(t, digest(untraced), digest(k.run(t, k.params)), "kernel %d: %s", n, k.text)
		left := n * 2654435769 % spans
		k.trace = func(*timing.Span) {
			if left--; left == ^uint64(0) {
				k.stop()
			}
		}
		require.Equal(t, digest(untraced), digest(k.run(t, k.params)), "kernel %d: %s", n, k.text)
		require.Nil(t, k.trace, "a span after the end would panic")
	}
}
