// Package sim executes waves. A [Machine] with simulated memory executes machine code or assembly text on one wave,
// or dispatches a compiled kernel over a grid.
//
// A first test:
//
//	m := sim.New(gcn.GFX803)
//	buf := m.Alloc(256)
//	w := m.NewWave()
//	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256})
//	w.SetVGPR(0, lane.Times(4))
//	_, err := m.RunAsm(ctx, w, "buffer_store_dword v0, v0, s[0:3], 0 offen\ns_endpgm")
//	gcntest.Diff(t, want, buf.Uint32s())
//
// A nil context never ends, here and in all packages.
package sim
