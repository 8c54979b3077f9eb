package trace_test

import (
	"context"
	"fmt"
	"os"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/trace"
	"github.com/gcnsim/gcnsim/state/lane"
)

// A profile has the executions and bytes of each instruction of a run.
func ExampleProfile() {
	m, p := sim.New(gcn.GFX803), trace.NewProfile()
	if err := m.Watch(p); err != nil {
		fmt.Println(err)
		return
	}
	buf := m.Alloc(256)
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 200})
	w.SetVGPR(0, lane.Times(4))
	if _, err := m.RunAsm(context.Background(), w,
		"buffer_load_dword v1, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)"); err != nil {
		fmt.Println(err)
		return
	}
	_ = p.WriteMemory(os.Stdout, 0)
	// Output:
	// pc      count  lanes  bytes  space   instruction
	// 0x0000  1      64     200    global  buffer_load_dword v1, v0, s[0:3], 0 offen
}
