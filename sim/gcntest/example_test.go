package gcntest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/gcntest"
	"github.com/gcnsim/gcnsim/state/lane"
)

// printed replaces the *testing.T of a test.
type printed struct {
	testing.TB
	failed   bool
	cleanups []func()
}

func (*printed) Helper()             {}
func (*printed) Logf(string, ...any) {}
func (p *printed) Failed() bool      { return p.failed }
func (p *printed) Cleanup(f func())  { p.cleanups = append(p.cleanups, f) }
func (p *printed) Error(args ...any) {
	p.failed = true
	fmt.Println(args...)
}

func (p *printed) Errorf(format string, args ...any) { p.Error(fmt.Sprintf(format, args...)) }

// end ends the test.
func (p *printed) end() {
	for _, f := range slices.Backward(p.cleanups) {
		f()
	}
}

// DiffVGPR reports an instruction whose result differs from the expected one.
func Example() {
	t := &printed{}
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	w.SetVGPR(0, lane.ID())
	gcntest.Run(t, m, w, "v_lshlrev_b32 v1, 1, v0")
	want := lane.Times(2)
	gcntest.DiffVGPR(t, w, 1, want) // reports nothing
	want[5] = 11
	gcntest.DiffVGPR(t, w, 1, want)
	// Output:
	// v1, by lane: 1 of 64 elements differ:
	//   [5] want 0x0000000b (11) got 0x0000000a (10)
}

// A column of a matrix with 32 columns in LDS: all lanes access the same bank.
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

// Lanes that are 64 bytes apart access a cache line each.
func ExampleMaxLines() {
	t := &printed{}
	m := sim.New(gcn.GFX900)
	w := m.NewWave()
	buf := m.Alloc(4096)
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 4096})
	w.SetVGPR(0, lane.Times(64))
	gcntest.MaxLines(t, m, nil, 4)
	gcntest.Run(t, m, w, "buffer_load_dword v1, v0, s[0:3], 0 offen")
	t.end()
	// Output:
	// buffer_load_dword v1, v0, s[0:3], 0 offen at 0x0: it touches 64 cache lines, more than 4
}

// A sleep takes longer than the test allows.
func ExampleMaxCycles() {
	t := &printed{}
	m := sim.New(gcn.GFX803)
	gcntest.MaxCycles(t, m, nil, "fiji", 100)
	gcntest.Run(t, m, m.NewWave(), "s_endpgm")
	t.end()
	// Output:
	// 404 cycles on fiji are more than 100 (no figures of this kind (code): as the widest band of others, 85 in 100 within 25 %)
}

// The test fails, so that Picture draws the banks of its access.
func ExamplePicture() {
	t := &printed{}
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "banks.svg")
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	w.SetVGPR(0, lane.Times(8))
	gcntest.Picture(t, m, nil, "lds", file)
	gcntest.NoBankConflicts(t, m, nil)
	gcntest.Run(t, m, w, "s_mov_b32 m0, -1\nds_read_b32 v1, v0")
	t.end()
	drawing, err := os.ReadFile(file)
	fmt.Println(strings.Contains(string(drawing), "ds_read_b32 v1, v0, part 1 of 2: 2 clocks"), err)
	// Output:
	// ds_read_b32 v1, v0 at 0x4: a bank serves 2 lanes one after another, of the lanes 0x00000000ffffffff (rule CY10)
	// true <nil>
}

// The second number is two units in the last place too large.
func ExampleDiffULP() {
	t := &printed{}
	gcntest.DiffULP(t, []float32{1, 2}, []float32{1, 2.0000005}, 1)
	// Output:
	// more than 1 ulp apart: 1 of 2 elements differ:
	//   [1] want 2 (0x40000000) got 2.0000005 (0x40000002)
}
