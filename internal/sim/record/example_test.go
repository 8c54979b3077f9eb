package record_test

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/sim"
)

// The record of a step lists the registers that the instruction changed.
func Example() {
	m := sim.New(gcn.GFX803)
	rec := record.New(record.Options{})
	if err := m.Watch(rec); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := m.RunAsm(context.Background(), m.NewWave(),
		"v_mov_b32 v1, 7\nv_add_u32 v2, vcc, v1, v1\ns_endpgm"); err != nil {
		fmt.Println(err)
		return
	}
	for s, err := range rec.Record().Windows[0].Steps() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if s.Inst != nil {
			fmt.Println(s.Text, s.VGPRs, s.State.V[2][0])
		}
	}
	// Output:
	// v_mov_b32_e32 v1, 7 [1] 0
	// v_add_u32_e32 v2, vcc, v1, v1 [2] 14
	// s_endpgm [] 14
}
