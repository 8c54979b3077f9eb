package mtbuf_test

import (
	"context"
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state/lane"
)

// The format of a typed load is in the instruction: four bytes become four numbers from 0 to 1, whatever format the
// V# has.
func Example() {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(256)
	buf.SetUint32s(0xff336600)
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256})
	w.SetVGPR(0, lane.Times(4))
	_, err := m.RunAsm(context.Background(), w, "tbuffer_load_format_xyzw v[1:4], v0, s[0:3], dfmt:10, nfmt:0, 0 offen")
	if err != nil {
		fmt.Println(err)
		return
	}
	for reg := 1; reg <= 4; reg++ {
		fmt.Printf("%.1f ", math.Float32frombits(w.V[reg][0]))
	}
	// Output:
	// 0.0 0.4 0.2 1.0
}
