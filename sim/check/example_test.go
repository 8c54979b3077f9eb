package check_test

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state/lane"
)

// A load through a resource that is not a buffer has no effect, and its result is used
// without a wait.
func Example() {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(256)
	w := m.NewWave()
	w.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256, Type: 2}.Words()...)
	w.SetVGPR(0, lane.Times(4))

	c, err := check.New("all")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Watch(c); err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.RunAsm(context.Background(), w, `
		buffer_load_dword v1, v0, s[0:3], 0 offen
		v_add_f32 v2, v1, v1
		s_endpgm`)
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range c.Findings() {
		fmt.Printf("%v %s: %s (rule %s)\n", f.Severity, f.Kind, f.Message, f.Rule)
	}
	// Output:
	// warning ignored: 2 is no buffer: the instruction does nothing (rule R7)
	// error wait-raw: it is read here and may still hold what it held before buffer_load_dword at 0x0: vmcnt must be at most 0 first (rule W3)
}
