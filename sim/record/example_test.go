package record_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/record"
)

// A recorder writes the first 100 steps of a run to a file for the viewer.
func Example() {
	m, rec := sim.New(gcn.GFX803), record.New(record.Options{Steps: 100})
	if err := m.Watch(rec); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := m.RunAsm(context.Background(), m.NewWave(),
		"v_mov_b32 v1, 7\nv_add_u32 v2, vcc, v1, v1\ns_endpgm"); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	err := rec.Write(&file)
	fmt.Printf("%.7s %v\n", file.Bytes(), err)
	// Output: GCNREC1 <nil>
}
