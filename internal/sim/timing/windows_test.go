package timing_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
)

// prologue sets the registers of a dispatch's waves as [randomKernel.run] sets those of waves alone.
const prologue = `
	s_movk_i32 s17, 0x%x
	v_mov_b32 v13, s17
	v_mov_b32 v12, s16
	v_mad_u32_u24 v12, v12, v13, v0
	v_lshlrev_b32 v0, 2, v12
	v_and_b32 v0, 0xfffc, v0
	v_mov_b32 v13, 0x9e3779b9
	v_mul_lo_u32 v1, v12, v13
	v_and_b32 v1, 0xfffc, v1
	v_and_b32 v7, 0xff8, v1
	v_or_b32 v10, s8, v1
	v_mov_b32 v11, s9
`

// dispatch is a launch of text in work-groups of several waves, with the model that times it.
type dispatch struct {
	machine *sim.Machine
	compute sim.Compute
}

// newDispatch returns the dispatch of k.
func newDispatch(t testing.TB, k *randomKernel) *dispatch {
	t.Helper()
	m := sim.New(k.target)
	p, err := asm.Assemble(k.target, fmt.Sprintf(prologue, 64*k.waves)+k.text, asm.LLVM)
	require.NoError(t, err, k.text)
	code, buf := m.Alloc(4*len(p.Words)), m.Alloc(bufferBytes)
	for i, w := range p.Words {
		binary.LittleEndian.PutUint32(code.Bytes()[4*i:], w)
	}
	c := sim.Compute{
		Initiator: sim.ShaderEnable, End: [3]uint32{uint32(k.groups), 1, 1},
		NumThread: [3]uint32{64 * uint32(k.waves), 1, 1}, Program: code.Addr,
		RSRC: gcn.RSRC{uint32(k.vgprs/4-1) | 5<<6 | 0xc0<<12, 16<<1 | 1<<7 | 16<<15},
	}
	copy(c.UserData[:], gcn.Buffer{Base: buf.Addr, NumRecords: bufferBytes}.Words())
	c.UserData[8], c.UserData[9] = uint32(buf.Addr), uint32(buf.Addr>>32)
	return &dispatch{m, c}
}

// oneByOne is a watcher that prevents work-groups from taking turns, and models from skipping events.
type oneByOne struct{ sim.NoWatcher }

func (oneByOne) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

// run executes d under a model with room bytes of room. With a negative room work-groups do not take turns, and the
// model sees each instruction. With a function for spans L2 answers each line immediately.
func (d *dispatch) run(t testing.TB, p timing.Params, room int,
	traces ...func(*timing.Span)) (*timing.Result, *timing.Model) {
	t.Helper()
	model, err := timing.New(d.machine.Target, p)
	require.NoError(t, err)
	for _, f := range traces {
		model.OnSpan(f)
	}
	c := d.compute
	require.NoError(t, c.Watch(model))
	if room >= 0 {
		model.SetRoom(room)
	} else {
		require.NoError(t, c.Watch(oneByOne{}))
	}
	_, err = d.machine.Compute(t.Context(), c)
	require.NoError(t, err)
	res, err := model.Finish()
	require.NoError(t, err)
	return res, model
}

// TestWindowsChangeNoTime: work-groups that pause as often as possible have the same times as those that execute one
// after another.
func TestWindowsChangeNoTime(t *testing.T) {
	paused := 0
	for n := range uint64(effort.Rounds(24)) {
		k := newRandomKernel(n)
		d := newDispatch(t, &k)
		whole, _ := d.run(t, k.params, -1)
		turns, model := d.run(t, k.params, 0)
		require.Equal(t, digest(whole), digest(turns), "kernel %d: %s", n, k.text)
		large, unpaused := d.run(t, k.params, math.MaxInt)
		require.Equal(t, whole, large)
		require.Zero(t, unpaused.Paused())
		if model.Paused() > 0 {
			assert.Contains(t, turns.NotModelled[len(turns.NotModelled)-1], "work-groups took turns")
		}
		paused = max(paused, model.Paused())
	}
	assert.Greater(t, paused, effort.Rounds(10))
}

// TestCoresChangeNoTime: clusters that are simulated in parallel for a window have the same times as clusters whose
// L2 answers each line immediately, on any number of cores.
func TestCoresChangeNoTime(t *testing.T) {
	timing.ShareAll(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for n := range uint64(effort.Rounds(7)) {
		k := newRandomKernel(n)
		k.groups, k.params = k.groups+64, timing.Default(k.target) // use the CUs of all clusters
		d := newDispatch(t, &k)
		atOnce, _ := d.run(t, k.params, math.MaxInt, func(*timing.Span) {})
		for _, cores := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(cores)
			got, _ := d.run(t, k.params, math.MaxInt)
			require.Equal(t, atOnce, got, "kernel %d on %d cores: %s", n, cores, k.text)
		}
	}
}

// gathers returns a long kernel of loads in which each lane accesses another line.
func gathers(turns int) *randomKernel {
	k := &randomKernel{target: gcn.GFX803, groups: 12, waves: 4, vgprs: 24, params: timing.Default(gcn.GFX803)}
	k.params.CUs, k.params.ShaderEngines = 1, 1
	set(&k.params, "L2Bytes", 128<<10)
	k.text = fmt.Sprintf(`
	s_mov_b32 s20, 0
loop:
	buffer_load_dword v2, v1, s[0:3], 0 offen
	v_mul_lo_u32 v1, v1, 5
	v_and_b32 v1, 0xfffc, v1
	s_add_u32 s20, s20, 1
	s_cmp_lt_u32 s20, 0x%x
	s_cbranch_scc1 loop
	s_endpgm`, turns)
	return k
}

// TestMaxBytesBoundsLongWaves: the memory of a model does not depend on the number of instructions of the waves.
func TestMaxBytesBoundsLongWaves(t *testing.T) {
	effort.Long(t)
	k := gathers(1000)
	d := newDispatch(t, k)
	whole, model := d.run(t, k.params, -1)
	all := model.Held()
	p := k.params
	p.MaxBytes = all / 3
	model, err := timing.New(k.target, p)
	require.NoError(t, err)
	c := d.compute
	require.NoError(t, c.Watch(model, oneByOne{}))
	_, err = d.machine.Compute(t.Context(), c)
	require.NoError(t, err)
	_, err = model.Finish()
	require.ErrorIs(t, err, timing.ErrMaxBytes)

	turns, model := d.run(t, p, p.MaxBytes/2)
	assert.Equal(t, digest(whole), digest(turns))
	assert.LessOrEqual(t, model.Held(), p.MaxBytes)
	t.Logf("%d bytes, of %d without turns", model.Held(), all)
}

// TestAClockNeedsWholeWorkGroups: work-groups that read the time do not pause. If one has paused when another reads
// the time, there is an error instead of times, and the run continues.
func TestAClockNeedsWholeWorkGroups(t *testing.T) {
	k := newRandomKernel(3)
	k.text = "buffer_load_dword v2, v0, s[0:3], 0 offen\ns_memtime s[12:13]\ns_waitcnt lgkmcnt(0)\n" + k.text
	d := newDispatch(t, &k)
	for room, fits := range map[int]bool{0: false, 1 << 30: true} {
		model, err := timing.New(k.target, k.params)
		require.NoError(t, err)
		model.SetRoom(room)
		c := d.compute
		require.NoError(t, c.Watch(model))
		_, err = d.machine.Compute(t.Context(), c)
		require.NoError(t, err)
		_, err = model.Finish()
		require.Equal(t, !fits, errors.Is(err, timing.ErrMaxBytes), "%v", err)
	}
}
