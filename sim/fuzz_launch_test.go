package sim_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/testkit/elftest"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// FuzzLaunch loads code objects with damaged headers and launches their kernels over any grid. The outcome must be a
// result or an error, within bounded memory.
func FuzzLaunch(f *testing.F) {
	var objects [][]byte
	for _, name := range []string{"vadd.fiji.co", "structs.O0.gfx900.co", "dynlocal.v2.tahiti.co", "ids.v5.gfx906.co",
		"picture.hawaii.co"} {
		objects = append(objects, kernelObject(f, name))
	}
	edges := []uint32{0, 1, 2, 63, 64, 65, 255, 256, 1024, 1025, 1 << 16, 1 << 31, math.MaxUint32 - 1, math.MaxUint32}
	f.Add(byte(0), []byte{}, uint64(0x123456), uint64(1))
	f.Add(byte(3), []byte("\x01\x01\x06\x03\x3f\x00\x02\x03\x05\x02\x00\x00"), uint64(0x654321abc), uint64(2))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	f.Fuzz(func(t *testing.T, file byte, script []byte, sizes, flags uint64) {
		data := elftest.Mutate(objects[int(file)%len(objects)], script)
		o, err := codeobj.Parse(data)
		if err != nil {
			return
		}
		m := sim.New(o.Target)
		m.MaxBytes = 64 << 20
		m.Placement = flags % 3
		mod, err := m.LoadObject(data)
		if err != nil {
			return
		}
		size := func() uint32 { e := edges[sizes%uint64(len(edges))]; sizes /= uint64(len(edges)); return e }
		for _, k := range mod.Object.Kernels {
			l := sim.Launch{Module: mod, Kernel: k.Name, Config: sim.Config{Limit: 64}, Workers: 2}
			l.Group, l.Grid = [3]uint32{size(), size(), size()}, [3]uint32{size(), size(), size()}
			l.DynamicLDS, l.GroupLimit, l.WorkDim = size(), size(), int(int8(flags>>8))%5
			if flags>>2&1 != 0 {
				l.Kernarg = make([]byte, k.KernargBytes+uint32(flags>>16%4096)*uint32(flags>>3&1))
				l.Group, l.Offset, l.DynamicLDS, l.GroupLimit = [3]uint32{32, 2, 1}, [3]uint64{}, l.DynamicLDS%4096, 0
			}
			for range flags >> 32 % 8 * (1 - flags>>2&1) {
				l.Args = append(l.Args, []sim.Arg{sim.U64(flags), sim.U32(1), sim.Local(size()),
					sim.BufferArg(m.Alloc(64))}[len(l.Args)%4])
			}
			if l.Kernarg == nil {
				l.Offset[flags>>40%3] = flags >> 50
			}
			c, groups := ctx, uint64(1)
			for i := range 3 {
				groups *= min(uint64(l.Grid[i])/max(uint64(l.Group[i]), 1)+1, 1<<20)
			}
			if groups > 64 {
				c = cancelled
			}
			var f *state.Fault
			if _, err := m.Dispatch(c, l); errors.As(err, &f) && f.Kind == state.FaultInternal {
				t.Fatalf("%+v: %v\n%v", l, err, f.Err)
			}
		}
	})
}
