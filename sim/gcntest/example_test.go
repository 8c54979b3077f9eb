package gcntest_test

import (
	"fmt"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/gcntest"
	"github.com/gcnsim/gcnsim/state/lane"
)

// printed stands for the *testing.T of a test.
type printed struct {
	testing.TB
	end func() // of the test
}

func (*printed) Helper()                           {}
func (*printed) Error(args ...any)                 { fmt.Println(args...) }
func (*printed) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (p *printed) Cleanup(f func())                { p.end = f }

// What a test says of an instruction that does not do what it expects.
func Example() {
	t := &printed{}
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	w.SetVGPR(0, lane.ID())
	gcntest.Run(t, m, w, "v_lshlrev_b32 v1, 1, v0")
	want := lane.Times(2)
	gcntest.DiffVGPR(t, w, 1, want) // says nothing
	want[5] = 11
	gcntest.DiffVGPR(t, w, 1, want)
	// Output:
	// v1, by lane: 1 of 64 elements differ:
	//   [5] want 0x0000000b (11) got 0x0000000a (10)
}

// A column of a matrix of 32 columns in LDS: all lanes need the same bank.
func ExampleNoBankConflicts() {
	t := &printed{}
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	w.SetVGPR(0, lane.Times(32*4))
	gcntest.NoBankConflicts(t, m, nil)
	gcntest.Run(t, m, w, "s_mov_b32 m0, -1\nds_read_b32 v1, v0")
	t.end()
	// Output:
	// ds_read_b32 v1, v0 at 0x4: a bank serves 32 lanes one after another, of the lanes 0x00000000ffffffff (rule CY10)
}

// Lanes that are 64 bytes apart take a cache line each.
func ExampleMaxLines() {
	t := &printed{}
	m := sim.New(gcn.GFX900)
	w := m.NewWave()
	buf := m.Alloc(4096)
	w.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: 4096}.Words()...)
	w.SetVGPR(0, lane.Times(64))
	gcntest.MaxLines(t, m, nil, 4)
	gcntest.Run(t, m, w, "buffer_load_dword v1, v0, s[0:3], 0 offen")
	t.end()
	// Output:
	// buffer_load_dword v1, v0, s[0:3], 0 offen at 0x0: it touches 64 cache lines, more than 4
}

// A pause is longer than the test allows.
func ExampleMaxCycles() {
	t := &printed{}
	m := sim.New(gcn.GFX803)
	gcntest.MaxCycles(t, m, nil, "fiji", 100)
	gcntest.Run(t, m, m.NewWave(), "s_endpgm")
	t.end()
	// Output:
	// 480 cycles on fiji are more than 100
}
