package sim_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// vadd loads the vadd kernel for fiji and returns a launch over n work-items.
func vadd(t testing.TB, m *sim.Machine, n uint32) (l sim.Launch, sum *sim.Buffer) {
	t.Helper()
	mod, err := m.LoadObject(kernelObject(t, "vadd.fiji.co"))
	require.NoError(t, err)
	x, y := m.Alloc(int(4*n)), m.Alloc(int(4*n))
	sum = m.Alloc(int(4 * n))
	v := make([]uint32, n)
	for i := range v {
		v[i] = uint32(i)
	}
	x.SetUint32s(v...)
	y.SetUint32s(v...)
	return sim.Launch{
		Module: mod, Kernel: "vadd", Grid: [3]uint32{n}, Group: [3]uint32{64},
		Args: []sim.Arg{sim.BufferArg(sum), sim.BufferArg(x), sim.BufferArg(y), sim.U32(n)},
	}, sum
}

func TestDispatchRefusesWhatCannotStart(t *testing.T) {
	m := sim.New(gcn.GFX803)
	l, _ := vadd(t, m, 64)
	for name, c := range map[string]struct {
		change func(*sim.Launch)
		what   string
	}{
		"no such kernel":     {func(l *sim.Launch) { l.Kernel = "vsub" }, `no kernel "vsub"`},
		"too few arguments":  {func(l *sim.Launch) { l.Args = l.Args[:3] }, "takes 4 arguments, 3 given"},
		"too many arguments": {func(l *sim.Launch) { l.Args = append(l.Args, sim.U32(0)) }, "5 given"},
		"argument size":      {func(l *sim.Launch) { l.Args[0] = sim.U32(0) }, "has 8 bytes, 4 are given"},
		"LDS for a buffer":   {func(l *sim.Launch) { l.Args[0] = sim.Local(64) }, "no __local pointer"},
		"large work-group":   {func(l *sim.Launch) { l.Group = [3]uint32{2048} }, "of 2048 x 1 x 1 work-items is larger than the 256 it can have"},
		"no workers":         {func(l *sim.Launch) { l.Workers = -1 }, "kernel vadd: Workers is -1; it must be 0, which is one for each CPU, or more"},
		"large grid":         {func(l *sim.Launch) { l.Grid = [3]uint32{1 << 31, 1 << 31}; l.Group = [3]uint32{1} }, "more than 2^31-1 work-groups"},
	} {
		changed := l
		changed.Args = append([]sim.Arg(nil), l.Args...)
		c.change(&changed)
		_, err := m.Dispatch(ctx, changed)
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), c.what, name)
	}
	_, err := sim.New(gcn.GFX900).LoadObject(kernelObject(t, "vadd.fiji.co"))
	var target *sim.Error
	require.ErrorAs(t, err, &target)
	assert.Equal(t, sim.BadTarget, target.Kind)
	_, err = m.LoadObject([]byte("not an object"))
	var object *codeobj.Error
	require.ErrorAs(t, err, &object)
}

func TestDispatchLeavesNothingMapped(t *testing.T) {
	m := sim.New(gcn.GFX803)
	l, _ := vadd(t, m, 64)
	probe := m.Alloc(1)
	m.Free(probe)
	_, err := m.Dispatch(ctx, l)
	require.NoError(t, err)
	again := m.Alloc(1)
	assert.Equal(t, probe.Addr, again.Addr)
}

func TestPartialWorkGroupsRunOnlyTheirItems(t *testing.T) {
	for _, n := range []uint32{1, 63, 64, 65, 130} {
		m := sim.New(gcn.GFX803)
		l, sum := vadd(t, m, n)
		l.Args[3] = sim.U32(1 << 30) // the kernel's bounds check accepts every work-item
		_, err := m.Dispatch(ctx, l)
		require.NoError(t, err, "an item too many would access unmapped memory")
		for i, v := range sum.Uint32s() {
			require.EqualValues(t, 2*i, v)
		}
	}
}

func TestTheFirstWorkGroupsFaultIsReported(t *testing.T) {
	m := sim.New(gcn.GFX803)
	l, _ := vadd(t, m, 64*50)
	short := m.Alloc(4 * 64 * 20) // work-groups from 20 on read beyond its end
	l.Args[1] = sim.BufferArg(short)
	for _, workers := range []int{1, 2, 8} {
		l.Workers = workers
		_, err := m.Dispatch(ctx, l)
		var f *state.Fault
		require.ErrorAs(t, err, &f)
		assert.Equal(t, state.FaultMemory, f.Kind)
		assert.Equal(t, [3]uint32{20}, f.Group)
		assert.Equal(t, 0, f.Lane)
		assert.Equal(t, short.Addr+short.Size, f.Addr)
		assert.Contains(t, f.Text, "flat_load_dword")
	}
}

func TestDispatchStopsAtItsLimitAndWhenCancelled(t *testing.T) {
	m := sim.New(gcn.GFX803)
	l, _ := vadd(t, m, 64)
	l.Limit = 3
	_, err := m.Dispatch(ctx, l)
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, state.FaultLimit, f.Kind)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	l.Limit = 0
	_, err = m.Dispatch(cancelled, l)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestProgressCountsWorkGroups(t *testing.T) {
	m := sim.New(gcn.GFX803)
	l, _ := vadd(t, m, 64*250)
	var calls atomic.Int64
	last := 0
	l.Progress = func(done, total int) {
		calls.Add(1)
		assert.Greater(t, done, last)
		assert.Equal(t, 250, total)
		last = done
	}
	_, err := m.Dispatch(ctx, l)
	require.NoError(t, err)
	assert.Equal(t, 250, last)
	assert.LessOrEqual(t, calls.Load(), int64(130))
}

func TestObserverSeesWorkGroupsInOrder(t *testing.T) {
	m := sim.New(gcn.GFX803)
	l, _ := vadd(t, m, 64*5)
	var groups []string
	require.NoError(t, l.Watch(sim.Observer(func(e *sim.Event) {
		if g := fmt.Sprint(e.Wave.Group); len(groups) == 0 || groups[len(groups)-1] != g {
			groups = append(groups, g)
		}
	})))
	_, err := m.Dispatch(ctx, l)
	require.NoError(t, err)
	assert.Equal(t, []string{"[0 0 0]", "[1 0 0]", "[2 0 0]", "[3 0 0]", "[4 0 0]"}, groups)
}

func TestDispatchUsesDriverRulesUnlessToldOtherwise(t *testing.T) {
	for rules, want := range map[state.Rules]state.Rules{
		state.DefaultRules: state.DriverRules, state.SeedRules: state.SeedRules, state.DriverRules: state.DriverRules,
	} {
		m := sim.New(gcn.GFX803)
		l, _ := vadd(t, m, 64)
		l.Rules = rules
		require.NoError(t, l.Watch(sim.Observer(func(e *sim.Event) { require.Equal(t, want, e.Rules) })))
		_, err := m.Dispatch(ctx, l)
		require.NoError(t, err)
	}
}
