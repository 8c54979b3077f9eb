package run_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/cmd/internal/boards/run"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
)

// quick are figures of every class that take little time.
var quick = map[string]bool{"b070": true, "b118": true, "b130": true, "s003": true, "s048": true, "s107": true,
	"s180": true, "s225": true, "s232": true,
	"s234": true}

// TestPredictionsAreThose: the predictions in docs/TIMING.md are current. Executions are deterministic.
func TestPredictionsAreThose(t *testing.T) {
	effort.Long(t)
	slow := map[string]bool{"s102": true, "s006": true, "s039": true, "s059": true, "s066": true}
	for _, f := range boards.Compared() {
		if !quick[f.ID] && (!effort.Full() || !slow[f.ID]) {
			continue
		}
		v, res, err := run.Predict(context.Background(), &f, nil)
		require.NoError(t, err, f.ID)
		assert.InEpsilon(t, f.Predicted, v, 0.001, "%s %s on %s: run make boards", f.ID, f.Kernel, f.Board)
		assert.NotZero(t, res.Cycles, f.ID)
	}
}

// TestMechanisms: each parameter of memory has its effect.
func TestMechanisms(t *testing.T) {
	predict := func(kernel string, change func(*timing.Params)) float64 {
		f := boards.Figure{Kernel: kernel, Board: "r9-390", MHz: 1000, Use: "yes"}
		v, _, err := run.Predict(context.Background(), &f, change)
		require.NoError(t, err)
		return v
	}
	to := func(name string, value int) func(*timing.Params) {
		return func(p *timing.Params) { run.Change(p, name, func(int) int { return value }) }
	}
	times := func(name string, n, by int) func(*timing.Params) {
		return func(p *timing.Params) { run.Change(p, name, func(v int) int { return v * n / by }) }
	}
	plain := func(kernel string) func() float64 {
		return sync.OnceValue(func() float64 { return predict(kernel, nil) })
	}
	read, random, mixed := plain("bw_v4"), plain("rnd128"), plain("st_copy")
	for i, check := range []func(){
		func() { assert.Less(t, random(), 0.9*read(), "rows are opened for 128 bytes") },
		func() { assert.Less(t, mixed(), read(), "the bus turns") },
		func() {
			assert.Less(t, predict("bw_v4", times("RefreshTime", 4, 1)), 0.9*read())
		},
		func() { assert.Greater(t, predict("st_copy", to("BusTurn", 0)), 1.05*mixed()) },
		func() { assert.Less(t, predict("rnd128", to("RowGap", 20)), 0.7*random()) },
		func() {
			assert.Less(t, predict("rnd128", to("RowBubble", 9000)), 0.7*random())
		},
		func() {
			assert.InEpsilon(t, read()/2, predict("bw_v4", times("DRAMGBs", 1, 2)), 0.1)
		},
	} {
		if !effort.LeavesOut(i) {
			check()
		}
	}
}

// The prediction for a board without published figures.
func Example() {
	f := boards.Figure{Kernel: "bw_v4", Board: "rx560", MHz: 1275, Use: "yes"}
	v, res, err := run.Predict(context.Background(), &f, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	peak, _ := res.Params.Get("DRAMGBs")
	fmt.Printf("%d of %d GB/s\n", int(v), 4*peak)
	// Output: 99 of 112 GB/s
}

func TestUnknown(t *testing.T) {
	_, _, err := run.Predict(context.Background(), &boards.Figure{Kernel: "none", Board: "fury-x"}, nil)
	require.EqualError(t, err, "run: no kernel does what none measures")
	_, _, err = run.Predict(context.Background(), &boards.Figure{Kernel: "bw_v1", Board: "none"}, nil)
	require.ErrorContains(t, err, `there are no times of chip "none"`)
}

// A step of the lattice stores to the 19 places that the same work-item read, exchanged in pairs, like FluidX3D. Two
// steps that change no value restore the original state.
func TestLatticeStoresWhereItRead(t *testing.T) {
	const cells, most = 3 << 16, 1 << 16 // planes have 2^16 cells; the cells of inner planes have all neighbours
	object, err := os.ReadFile("testdata/whole.gfx803.co")
	require.NoError(t, err)
	m := sim.New(gcn.GFX803)
	module, err := m.LoadObject(object)
	require.NoError(t, err)
	values, walls := m.Alloc(19*cells*4), m.Alloc(cells)
	for i := range walls.Bytes() {
		walls.Bytes()[i] = 1
	}
	clear(walls.Bytes()[most+512:][:256])
	for i := range 19 * cells {
		binary.LittleEndian.PutUint32(values.Bytes()[4*i:], math.Float32bits(float32(i%4093)))
	}
	before := slices.Clone(values.Bytes())
	step := func() {
		_, err := m.Dispatch(context.Background(), sim.Launch{
			Module: module, Kernel: "lattice_f32", Grid: [3]uint32{cells}, Group: [3]uint32{64},
			Args: []sim.Arg{sim.BufferArg(values), sim.BufferArg(walls), sim.U32(cells), sim.U32(cells), sim.U32(0)},
		})
		require.NoError(t, err)
	}
	step()
	moved := 0
	for i := range 19 * cells {
		if !bytes.Equal(before[4*i:4*i+4], values.Bytes()[4*i:4*i+4]) {
			moved++
		}
	}
	assert.Equal(t, 18*256, moved, "all but the population at rest")
	step()
	assert.True(t, bytes.Equal(before, values.Bytes()))
}
