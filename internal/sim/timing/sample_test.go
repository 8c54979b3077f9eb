package timing_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
)

//go:embed testdata/sampled.co
var sampledObject []byte

// manyGroups is a launch of a kernel in sampled.cl.
type manyGroups struct {
	kernel string
	wide   uint32 // work-items in x; 0 means all
	group  [3]uint32
	n      uint32 // the argument; 0 means the number of work-items
	long   bool   // it takes long, so that a quarter of the CUs and of the waves are used
	lines  bool   // its accesses use too many cache lines for sampling
}

// manyKernels are launches in which every work-group has the same work, except for escape, where it depends on the
// position.
var manyKernels = []manyGroups{
	{kernel: "add"}, {kernel: "scale"}, {kernel: "product", wide: 64, group: [3]uint32{16, 16}, long: true},
	{kernel: "bins", n: 1 << 16, long: true, lines: true}, {kernel: "sum", group: [3]uint32{256}, n: 1 << 18},
	{kernel: "escape", wide: 256, n: 256}, {kernel: "sort"}, {kernel: "blur", wide: 256, n: 256},
	{kernel: "pull", n: 1 << 14},
}

// launched holds the results of a launch.
type launched struct {
	times  *timing.Result
	memory []byte
}

// launch returns a launch of k with waves waves, its machine, and its output buffer.
func (k *manyGroups) launch(t testing.TB, waves uint32) (m *sim.Machine, l sim.Launch, to *sim.Buffer) {
	t.Helper()
	m = sim.New(gcn.GFX803)
	mod, err := m.LoadObject(sampledObject)
	require.NoError(t, err)
	l = sim.Launch{Module: mod, Kernel: k.kernel, Grid: [3]uint32{waves * 64}, Group: k.group}
	if l.Group[0] == 0 {
		l.Group[0] = 64
	}
	if k.wide > 0 {
		l.Grid = [3]uint32{k.wide, waves * 64 / k.wide}
		if l.Group[1] == 0 {
			l.Group[1] = 1
		}
	}
	to, from := m.Alloc(int(waves)*64*4), m.Alloc(int(max(waves*64, 1<<18))*4)
	for i := 0; i < len(from.Bytes()); i += 4 {
		binary.LittleEndian.PutUint32(from.Bytes()[i:], math.Float32bits(float32(i*37%101)/64))
	}
	n := k.n
	if n == 0 {
		n = waves * 64
	}
	l.Args = []sim.Arg{sim.BufferArg(to), sim.BufferArg(from), sim.U32(n)}
	return m, l, to
}

// onChip returns the chip for k and the number of waves of its launch: waves, or a quarter of them for a long kernel.
func (k *manyGroups) onChip(t testing.TB, waves uint32) (uint32, timing.Params) {
	t.Helper()
	p := timing.Default(gcn.GFX803)
	if k.long {
		waves /= 4
		require.NoError(t, p.Set("CUs", 16))
	}
	return waves, p
}

// run executes k with waves waves on a chip.
func (k *manyGroups) run(t *testing.T, waves uint32, p timing.Params,
	change func(*sim.Launch, *timing.Model)) (launched, error) {
	t.Helper()
	m, l, to := k.launch(t, waves)
	model, err := timing.New(gcn.GFX803, p)
	require.NoError(t, err)
	if change != nil {
		change(&l, model)
	}
	require.NoError(t, l.Watch(model))
	_, err = m.Dispatch(context.Background(), l)
	require.NoError(t, err)
	res, err := model.Finish()
	return launched{res, bytes.Clone(to.Bytes())}, err
}

// smallChip returns a sixteenth of an R9 Nano, so that a few waves are many generations.
func smallChip(t *testing.T) timing.Params {
	p := timing.Default(gcn.GFX803)
	for name, v := range map[string]int64{"CUs": 4, "ShaderEngines": 1, "L2Channels": 1, "L2Bytes": 128 << 10,
		"DRAMChannels": 2, "DRAMGBs": 32, "GroupClocks": 48} {
		require.NoError(t, p.Set(name, v))
	}
	return p
}

// TestSampled: the estimated time of the parts left out is that of a model of all work-groups within the bound and
// within 3 %, and the memory is equal. A launch with too many lines per access is refused.
func TestSampled(t *testing.T) {
	for i, k := range manyKernels {
		if effort.LeavesOut(i) {
			continue
		}
		t.Run(k.kernel, func(t *testing.T) {
			waves, p := uint32(1<<12), smallChip(t)
			if effort.Full() {
				waves, p = k.onChip(t, 1<<16)
			}
			whole, err := k.run(t, waves, p, nil)
			require.NoError(t, err)
			require.Nil(t, whole.times.Sampled)
			sampled := p
			sampled.Sampled = true
			got, err := k.run(t, waves, sampled, nil)
			if k.lines {
				require.ErrorContains(t, err, "sampled times are refused")
				return
			}
			require.NoError(t, err)
			s := got.times.Sampled
			wrong := 100 * (float64(got.times.Cycles)/float64(whole.times.Cycles) - 1)
			t.Logf("%d of %d work-groups, %d of %d cycles: %+.2f %%, bound %.2f %%", s.Timed, s.Groups, s.Cycles,
				got.times.Cycles, wrong, s.Bound)
			require.Empty(t, s.Why)
			assert.Less(t, s.Timed, s.Groups*2/3)
			assert.LessOrEqual(t, math.Abs(wrong), 3.0)
			assert.LessOrEqual(t, math.Abs(wrong), s.Bound)
			assert.True(t, bytes.Equal(whole.memory, got.memory))
			busy, _ := got.times.Metric("GRBM_COUNT")
			assert.InDelta(t, s.Cycles, busy, 0)
		})
	}
}

// TestSampledFull: clocks during which L2 becomes full, between parts left out, do not count for these parts.
func TestSampledFull(t *testing.T) {
	const waves = 4 << 10
	k := manyKernels[slices.IndexFunc(manyKernels, func(k manyGroups) bool { return k.kernel == "pull" })]
	p := smallChip(t)
	require.NoError(t, p.Set("L2Bytes", 256<<10)) // holds the stores of a quarter of the work-groups
	whole, err := k.run(t, waves, p, nil)
	require.NoError(t, err)
	p.Sampled = true
	got, err := k.run(t, waves, p, nil)
	require.NoError(t, err)
	assert.InEpsilon(t, whole.times.Cycles, got.times.Cycles, 0.01)
}

// heldOut are launches that were not used to tune sampling.
var heldOut = []manyGroups{{kernel: "turned"}, {kernel: "apart"}, {kernel: "pitched"}, {kernel: "window"},
	{kernel: "scattered"}, {kernel: "rows", wide: 1024, group: [3]uint32{32, 8}}, {kernel: "halves"}}

// TestSampledBound: the stated bound holds for kernels that were not used to tune sampling, whose accesses are
// scattered or depend on the position. A refusal is correct as well.
func TestSampledBound(t *testing.T) {
	answers, refused := 0, 0
	for _, k := range heldOut {
		whole, err := k.run(t, 1<<12, smallChip(t), nil)
		require.NoError(t, err)
		p := smallChip(t)
		p.Sampled = true
		got, err := k.run(t, 1<<12, p, nil)
		if err != nil {
			assert.ErrorContains(t, err, "sampled times are refused", k.kernel)
			refused++
			continue
		}
		s := got.times.Sampled
		wrong := 100 * math.Abs(float64(whole.times.Cycles)/float64(got.times.Cycles)-1)
		t.Logf("%s: %d of %d work-groups, %.2f %% wrong, bound %.1f %%", k.kernel, s.Timed, s.Groups, wrong, s.Bound)
		assert.LessOrEqual(t, wrong, s.Bound, k.kernel)
		if s.Timed < s.Groups {
			answers++
		}
	}
	assert.GreaterOrEqual(t, answers, 3, "too few launches are sampled to say anything")
	assert.GreaterOrEqual(t, refused, 4, "launches whose lanes are far apart")
}

// TestSampledAlike: times do not depend on the number of concurrent work-groups, nor on another watcher, which sees
// all work-groups.
func TestSampledAlike(t *testing.T) {
	p := smallChip(t)
	p.Sampled = true
	k := &manyKernels[0]
	const waves = 4 << 10
	seen := 0
	watch := func(l *sim.Launch, _ *timing.Model) {
		require.NoError(t, l.Watch(sim.SparseObserver(func(e *sim.Event) {
			if e.Wave.Ended {
				seen++
			}
		})))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, err := k.run(t, waves, p, nil)
	require.NoError(t, err)
	require.Empty(t, one.times.Sampled.Why)
	runtime.GOMAXPROCS(4)
	four, err := k.run(t, waves, p, nil)
	require.NoError(t, err)
	watched, err := k.run(t, waves, p, watch)
	require.NoError(t, err)
	assert.Equal(t, one.times, four.times)
	assert.Equal(t, one.times, watched.times)
	assert.Equal(t, waves, seen)
}

// TestSampledWhole: runs that cannot be sampled are timed completely, and the result has the reason.
func TestSampledWhole(t *testing.T) {
	p := smallChip(t)
	for _, c := range []struct {
		why    string
		waves  uint32
		change func(*sim.Launch, *timing.Model)
	}{
		{"all work-groups run at a time", 64, nil},
		{"160 work-groups run at a time, and sampling takes 12 times as many", 1024, nil},
		{"each instruction is shown with its times", 2048, func(_ *sim.Launch, m *timing.Model) {
			m.OnSpan(func(*timing.Span) {})
		}},
		{"work-groups run one after another, because their order matters or another watcher wants it", 2048,
			func(l *sim.Launch, _ *timing.Model) { l.Schedule = sim.RoundRobin }},
	} {
		t.Run(c.why, func(t *testing.T) {
			whole, err := manyKernels[0].run(t, c.waves, p, c.change)
			require.NoError(t, err)
			sampled := p
			sampled.Sampled = true
			got, err := manyKernels[0].run(t, c.waves, sampled, c.change)
			require.NoError(t, err)
			s := got.times.Sampled
			assert.Equal(t, timing.Sampling{Groups: uint64(c.waves), Timed: uint64(c.waves), Cycles: whole.times.Cycles,
				Why: c.why}, *s)
			assert.Equal(t, whole.times.Cycles, got.times.Cycles)
			assert.Equal(t, whole.times.Metrics, got.times.Metrics)
		})
	}
}

// TestSampledRefused: if work-groups of two kinds follow one another, there is no result.
func TestSampledRefused(t *testing.T) {
	p := smallChip(t)
	p.Sampled = true
	require.NoError(t, p.Set("CUs", 2)) // 80 work-groups execute at a time, and 256 in a row are of one kind
	k := manyGroups{kernel: "uneven", n: 1 << 18}
	_, err := k.run(t, 2<<10, p, nil)
	require.ErrorContains(t, err, "timing: sampled times are refused: instructions take other times in other parts of the "+
		"grid (")
}
