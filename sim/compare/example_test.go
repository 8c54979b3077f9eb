package compare_test

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/compare"
	"github.com/gcnsim/gcnsim/state/lane"
)

// The first instruction after which two programs part.
func ExampleDiverge() {
	run := func(text string) compare.Run {
		return func(ctx context.Context, watcher sim.Watcher) error {
			m := sim.New(gcn.GFX803)
			if err := m.Watch(watcher); err != nil {
				return err
			}
			w := m.NewWave()
			w.SetVGPR(0, lane.ID())
			_, err := m.RunAsm(ctx, w, text)
			return err
		}
	}
	d, err := compare.Diverge(context.Background(),
		run("v_lshlrev_b32 v1, 2, v0\nv_add_u32 v2, vcc, v1, v0"),
		run("v_lshlrev_b32 v1, 2, v0\nv_sub_u32 v2, vcc, v1, v0"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(d)
	// Output:
	// wave 0 of work-group 0,0,0, after 1 instructions that agree:
	//     pc      expected                       actual
	//     0x0000  v_lshlrev_b32_e32 v1, 2, v0    the same
	// =>  0x0004  v_add_u32_e32 v2, vcc, v1, v0  v_sub_u32_e32 v2, vcc, v1, v0
	//
	// v2 differs in 63 of 64 lanes, 63 of them active (lanes 1-63):
	//     lane  v1 was         v0 was        expected       actual
	//     1     0x00000004 4   0x00000001 1  0x00000005 5   0x00000003 3
	//     2     0x00000008 8   0x00000002 2  0x0000000a 10  0x00000006 6
	//     3     0x0000000c 12  0x00000003 3  0x0000000f 15  0x00000009 9
	//     4     0x00000010 16  0x00000004 4  0x00000014 20  0x0000000c 12
	//     5     0x00000014 20  0x00000005 5  0x00000019 25  0x0000000f 15
	//     6     0x00000018 24  0x00000006 6  0x0000001e 30  0x00000012 18
	//     and 57 more
}
