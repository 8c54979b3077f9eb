package spec

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// vadd returns a dispatch that adds arguments 1 and 2, with 64 work-items.
func vadd(t *testing.T) Dispatch {
	t.Helper()
	object, err := os.ReadFile("../../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	return Dispatch{
		Object: object, Kernel: "vadd", Grid: [3]uint32{64},
		Args: []Arg{
			{Buffer: &Buffer{Size: 256}}, {Buffer: &Buffer{Size: 256, Random: &Random{Seed: 1, With: []string{"edges"}}}},
			{Buffer: &Buffer{Data: make([]byte, 256)}},
			{U32: new(uint32(64))},
		},
	}
}

// TestDispatchRunsTwice: one value can be executed twice at the same time, with equal results.
func TestDispatchRunsTwice(t *testing.T) {
	d := vadd(t)
	d.Params = new(timing.Default(gcn.GFX803))
	d.Check = []string{"all"}
	want := make([]byte, 4)
	d.Expect = []Expect{{Arg: 2, Offset: 252, Want: want}}
	var left [4][]byte
	var cycles [4]uint64
	var group sync.WaitGroup
	for i := range left {
		group.Go(func() {
			res, err := d.Run(t.Context(), nil)
			if !assert.NoError(t, err) {
				return
			}
			assert.True(t, res.Checked)
			assert.Nil(t, res.Mismatch)
			left[i], err = res.Memory[0].contents()
			assert.NoError(t, err)
			cycles[i] = res.Times.Cycles
		})
	}
	group.Wait()
	require.Len(t, left[0], 256)
	for i := range left {
		assert.Equal(t, left[0], left[i])
		assert.Equal(t, cycles[0], cycles[i])
	}
	assert.Equal(t, make([]byte, 256), d.Args[2].Buffer.Data)
	other, err := d.Run(t.Context(), &Options{Seed: 1})
	require.NoError(t, err)
	assert.NotEqual(t, left[0], other.Memory[0].Buffer.Bytes())
}

// TestStopped: a StoppedError has the counts and findings before a fault, and before a cancellation.
func TestStopped(t *testing.T) {
	e := Exec{Target: gcn.GFX803, Asm: "v_mov_b32 v1, v2\nflat_load_dword v0, v[0:1]",
		Settings: Settings{Check: []string{"wait"}, Params: new(timing.Default(gcn.GFX803))}}
	_, err := e.Run(t.Context(), nil)
	var stopped *StoppedError
	require.ErrorAs(t, err, &stopped)
	assert.EqualValues(t, 1, stopped.Result.Instructions)
	assert.True(t, stopped.Result.Checked)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e.Asm = "l: s_branch l"
	_, err = e.Run(ctx, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestDispatchRefuses(t *testing.T) {
	for want, change := range map[string]func(*Dispatch){
		"code_object is missing":              func(d *Dispatch) { d.Object = nil },
		"k.co: code object":                   func(d *Dispatch) { d.Object, d.Name = []byte("no"), "k.co" },
		"args[3]: give exactly one of buffer": func(d *Dispatch) { d.Args[3] = Arg{} },
		"args[0]: a buffer of no size":        func(d *Dispatch) { d.Args[0].Buffer = &Buffer{} },
		"args[0]: a size of 1 bytes": func(d *Dispatch) {
			d.Args[0].Buffer = &Buffer{Size: 1,
				Data: []byte{1, 2}}
		},
		"args[0]: random makes the data": func(d *Dispatch) {
			d.Args[0].Buffer = &Buffer{Data: []byte{1},
				Random: &Random{}}
		},
		"args[0]: noinit says that there is no data": func(d *Dispatch) {
			d.Args[0].Buffer = &Buffer{Data: []byte{1},
				NoInit: true}
		},
		"noinit: undefined values are not looked for": func(d *Dispatch) { d.Args[0].Buffer.NoInit = true },
		"args[1]: element.Element(99) is no type":     func(d *Dispatch) { d.Args[1].Buffer.Random.As = 99 },
		"expect[0]: element.Element(99) is no type":   func(d *Dispatch) { d.Expect = []Expect{{Want: []byte{1}, As: 99}} },
		"expect[0]: argument -1 is not a buffer":      func(d *Dispatch) { d.Expect = []Expect{{Arg: -1, Want: []byte{1}}} },
		"expect[0]: nothing is expected":              func(d *Dispatch) { d.Expect = []Expect{{Want: []byte{}}} },
		"check_options: nothing is checked":           func(d *Dispatch) { d.CheckOptions = check.Options{XNACK: true} },
	} {
		d := vadd(t)
		change(&d)
		_, err := d.Run(t.Context(), nil)
		assert.ErrorContains(t, err, want)
	}
}

func TestExecRefuses(t *testing.T) {
	for want, e := range map[string]Exec{
		"there is no program":                {},
		"asm and words are both given":       {Asm: "s_nop 0", Words: []uint32{}},
		"mem[0]: it has no address":          {Asm: "s_nop 0", Mem: []Buffer{{Size: 4}}},
		"waves: -1 is not in 1 to 16":        {Asm: "s_nop 0", Waves: -1},
		`sgpr: "-1" with 0 values`:           {Asm: "s_nop 0", Registers: Registers{SGPRs: map[int][]uint32{-1: nil}}},
		"sgpr: s1 is given twice":            {Asm: "s_nop 0", Registers: Registers{SGPRs: map[int][]uint32{0: {1, 2}, 1: {3}}}},
		`vgpr: "-1" is not a register`:       {Asm: "s_nop 0", Registers: Registers{VGPRs: map[int][]uint32{-1: nil}}},
		"lds: a size of 1 bytes":             {Asm: "s_nop 0", LDS: &Storage{Size: 1, Data: []byte{1, 2}}},
		"lds: 18446744073709551615 bytes":    {Asm: "s_nop 0", LDS: &Storage{Size: -1}},
		"check: ":                            {Asm: "s_nop 0", Settings: Settings{Check: []string{"spelling"}}},
		"states is of several waves; give w": {Asm: "s_nop 0", States: []Registers{{}}},
	} {
		_, err := e.Run(t.Context(), nil)
		assert.ErrorContains(t, err, want)
	}
}

// TestPanicIsAnError: a panic in a watcher, or in the function that returns it, is an error, as a panic in the
// simulator would be.
func TestPanicIsAnError(t *testing.T) {
	for name, watch := range map[string]func(*Run) []sim.Watcher{
		"before the run": func(*Run) []sim.Watcher { panic("boom") },
		"in the run":     func(*Run) []sim.Watcher { return []sim.Watcher{sim.Observer(func(*sim.Event) { panic("boom") })} },
	} {
		reply := Answer(t.Context(), []byte(`{"id":7,"mcpu":"gfx803","asm":"s_nop 0"}`), &Options{Watch: watch})
		assert.False(t, reply.OK, name)
		assert.Equal(t, "7", string(reply.ID), name)
		require.NotNil(t, reply.Error, name)
		assert.Equal(t, "internal", reply.Error.Kind, name)
		assert.Contains(t, reply.Error.Message, "panicked: boom", name)
		assert.Contains(t, reply.Error.Stack, "spec_test.go", name)

		req, err := ParseDispatch([]byte(`{"code_object":"vadd.fiji.co","kernel":"vadd","grid":[1],` +
			`"args":[{"buffer":{"size":64}},{"buffer":{"size":64}},{"buffer":{"size":64}},{"u32":1}],"dump":[{"arg":0,` +
			`"file":"never"}]}`))
		require.NoError(t, err, name)
		_, err = req.Answer(t.Context(), &Options{Watch: watch, Files: kernels{}})
		require.Error(t, err, name)
		assert.Equal(t, "internal", Failed(err).Kind, name)
	}
}
