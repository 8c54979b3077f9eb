package smem_test

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// A scalar load by address, and a scalar load by V# whose second dword is out of range and returns 0.
func Example() {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(64)
	buf.SetUint32s(1, 2, 3, 4)
	w := m.NewWave()
	w.SetSGPRs(0, uint32(buf.Addr), uint32(buf.Addr>>32))
	w.SetBuffer(4, gcn.Buffer{Base: buf.Addr, NumRecords: 16})
	_, err := m.RunAsm(context.Background(), w, "s_load_dwordx2 s[8:9], s[0:1], 0x4\ns_buffer_load_dwordx2 s[10:11], "+
		"s[4:7], 0xc")
	fmt.Println(w.S[8], w.S[9], w.S[10], w.S[11], err)
	// Output:
	// 2 3 4 0 <nil>
}
