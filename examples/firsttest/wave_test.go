package firsttest

import (
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/gcntest"
	"github.com/gcnsim/gcnsim/state/lane"
)

func TestStore(t *testing.T) {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(256) // mapped, zeroed
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256})
	w.SetVGPR(0, lane.Times(4)) // 0, 4, 8, ... in the 64 lanes
	if _, err := m.RunAsm(t.Context(), w, "buffer_store_dword v0, v0, s[0:3], 0 offen\ns_endpgm"); err != nil {
		t.Fatal(err)
	}
	want := make([]uint32, 64)
	for i := range want {
		want[i] = 4 * uint32(i)
	}
	gcntest.Diff(t, want, buf.Uint32s())
}
