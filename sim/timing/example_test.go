package timing_test

import (
	"context"
	"fmt"
	"os"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/timing"
	"github.com/gcnsim/gcnsim/state/lane"
)

// A wave waits for memory: the time according to the model, and as the wave measures it. Latencies are assumed.
func ExampleModel() {
	model, _ := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
	m := sim.New(gcn.GFX803)
	if err := m.Watch(model); err != nil {
		fmt.Println(err)
		return
	}
	buf := m.Alloc(4096)
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 4096})
	w.SetVGPR(0, lane.Times(4))
	_, err := m.RunAsm(context.Background(), w, `
		s_memtime s[4:5]
		buffer_load_dword v1, v0, s[0:3], 0 offen
		s_waitcnt vmcnt(0)
		s_memtime s[6:7]
		s_waitcnt lgkmcnt(0)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := model.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Cycles, "cycles; between the clocks", w.Scalar64(6)-w.Scalar64(4))
	misses, _ := res.Metric("TCC_MISS")
	fmt.Println(misses, "lines from DRAM, one of them code")
	_ = res.WriteTimeline(os.Stdout, 0)
	// Output:
	// 920 cycles; between the clocks 468
	// 5 lines from DRAM, one of them code
	//     pc  cycle  count  stall  for      done   time  instruction
	// 0x0000    400      1    400  fetch     +48  43.9%  s_memtime s[4:5]
	// 0x0008    404      1                  +459   0.4%  buffer_load_dword v1, v0, s[0:3], 0 offen
	// 0x0010    864      1    456  vmcnt          50.0%  s_waitcnt vmcnt(0)
	// 0x0014    868      1                   +48   0.4%  s_memtime s[6:7]
	// 0x001c    916      1     44  lgkmcnt         5.2%  s_waitcnt lgkmcnt(0)
}
