//go:build linux && (amd64 || arm64)

package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// readsUndefined stores the value of a register that was never written.
const readsUndefined = `
	s_mov_b32 s4, s0
	s_mov_b32 s5, s1
	s_mov_b32 s6, -1
	s_mov_b32 s7, 0xf000
	v_lshlrev_b32 v2, 2, v3
	buffer_store_dword v0, v2, s[4:7], 0 offen
	s_endpgm`

// Kernels are distinguished by their code, sum up their dispatches, and may have a checker each.
func TestKernels(t *testing.T) {
	seen, checkers := 0, map[*Kernel]*check.Checker{}
	c := newClient(t, Options{
		Chip: "fiji",
		Watch: func(d *Dispatch) []sim.Watcher {
			if checkers[d.Kernel] == nil {
				k, err := check.New("all")
				require.NoError(t, err)
				checkers[d.Kernel] = k
			}
			require.Nil(t, d.Model)
			return []sim.Watcher{checkers[d.Kernel], sim.Observer(func(*sim.Event) { seen++ })}
		},
	})
	c.mapped(dataVA, 64<<10)
	q := c.queue(ipCompute, 0, commandsVA)
	words := q.program(storeGroup)
	for range 3 {
		q.submit(append(words, packet(0x15, 2, 1, 1, 5)...)...)
	}
	c.f.space.clear(codeVA, codeVA+64<<10)
	words = q.program(readsUndefined)
	q.submit(append(words, packet(0x15, 1, 1, 1, 5)...)...)

	kernels := c.f.dev.Kernels()
	require.Len(t, kernels, 2)
	assert.Equal(t, 3, kernels[0].Dispatches)
	assert.EqualValues(t, 3*2*11, kernels[0].Total.Instructions)
	assert.EqualValues(t, 3*2, kernels[0].Total.ByClass[sim.ClassMUBUF])
	assert.Empty(t, errorsOf(checkers[kernels[0]]))
	assert.Equal(t, 2, kernels[1].Number)
	assert.Equal(t, kernels[0].Address, kernels[1].Address)
	assert.NotEqual(t, kernels[0].Code, kernels[1].Code)
	assert.Equal(t, []check.Kind{check.Uninit}, errorsOf(checkers[kernels[1]]))
	assert.Equal(t, 3*2*11+7, seen)
}

func errorsOf(c *check.Checker) (kinds []check.Kind) {
	for _, f := range c.Findings() {
		if f.Severity == check.Error {
			kinds = append(kinds, f.Kind)
		}
	}
	return kinds
}

// With a time model the GPU's clock is the model's clock: dispatches with more work take longer, caches stay warm,
// and timestamps show it.
func TestTimes(t *testing.T) {
	p, err := timing.Preset("hawaii")
	require.NoError(t, err)
	var (
		records []*Dispatch
		total   *timing.Result
		spans   int
	)
	c := newClient(t, Options{
		Chip: "hawaii", Timing: &p,
		Dispatched: func(d *Dispatch) { records = append(records, d) },
		Timed:      func(file int, r *timing.Result) { assert.Equal(t, 1, file); total = r },
		Watch: func(d *Dispatch) []sim.Watcher {
			if d.Number == 1 {
				d.Model.OnSpan(func(*timing.Span) { spans++ })
			}
			return nil
		},
	})
	_, data := c.mapped(dataVA, 64<<10)
	q := c.queue(ipCompute, 0, commandsVA)
	words := q.program(storeGroup)
	stamp := func(at uint64) []uint32 { return packet(0x49, 0x14|5<<8, 3<<29, low(at), high(at), 0, 0) }
	words = append(words, stamp(dataVA+60<<10)...)
	const groups = 5 // so few that the first one, whose code is not in a cache, ends last
	words = append(words, packet(0x15, groups, 1, 1, 5)...)
	q.submit(append(words, stamp(dataVA+60<<10+8)...)...)
	q.submit(append(words, stamp(dataVA+60<<10+8)...)...)
	require.Len(t, records, 2)
	assert.Greater(t, records[0].Cycles, records[1].Cycles, "caches are warm")
	ticks := dword(data, 15<<10+2) - dword(data, 15<<10)
	assert.InDelta(t, float64(records[1].Cycles)*27/float64(p.ClockMHz), float64(ticks), 8)
	require.NoError(t, c.f.Close())
	require.NotNil(t, total)
	assert.GreaterOrEqual(t, total.Cycles, records[0].Cycles+records[1].Cycles)
	waves, _ := total.Metric("SQ_WAVES")
	assert.EqualValues(t, 2*groups, waves)
	assert.Equal(t, 2*groups*11, spans)
}

// Without a time model the clock has the same values in each execution.
func TestVirtualClock(t *testing.T) {
	var first []uint64
	for run := range 2 {
		var times []uint64
		c := newClient(t, Options{Chip: "tahiti", Dispatched: func(d *Dispatch) { times = append(times, d.Begin, d.End) }})
		c.mapped(dataVA, 64<<10)
		q := c.queue(ipCompute, 0, commandsVA)
		words := q.program(storeGroup)
		q.submit(append(words, packet(0x15, 200, 1, 1, 5)...)...)
		q.submit(append(words, packet(0x15, 2, 1, 1, 5)...)...)
		if run == 0 {
			first = times
			assert.Greater(t, times[1]-times[0], times[3]-times[2])
		}
		assert.Equal(t, first, times)
	}
}

// TestNumbersOfKernels: the same code has the same number at every address. Code with an unknown end gets a new
// number each time.
func TestNumbersOfKernels(t *testing.T) {
	var e engine
	for i, k := range []Kernel{{text: 5}, {text: 6}, {text: 5, Address: 0x100}, {text: 5, RSRC: gcn.RSRC{1}}, {}, {}} {
		assert.Equal(t, []int{1, 2, 1, 3, 4, 5}[i], e.numberOf(&k))
	}
}
