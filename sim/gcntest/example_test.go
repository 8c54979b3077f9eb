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
type printed struct{ testing.TB }

func (printed) Helper()                           {}
func (printed) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// What a test says of an instruction that does not do what it expects.
func Example() {
	var t printed
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
