package sim_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// A wave stores a dword from each lane.
func ExampleMachine_RunAsm() {
	m := sim.New(gcn.GFX803)
	buf := m.Alloc(256) // zeroed memory
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256})
	w.SetVGPR(0, lane.Times(4))
	res, err := m.RunAsm(context.Background(), w, "buffer_store_dword v0, v0, s[0:3], 0 offen\ns_endpgm")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Instructions, "instructions;", buf.Uint32s()[:4], "...")
	// Output:
	// 2 instructions; [0 4 8 12] ...
}

// A fault has the instruction, the lane and the address.
func ExampleMachine_RunAsm_fault() {
	m := sim.New(gcn.GFX900)
	w := m.NewWave()
	w.SetVGPR(3, lane.All(1))
	_, err := m.RunAsm(context.Background(), w, "v_mov_b32 v0, 0\nglobal_load_dword v1, v[2:3], off")
	if fault, ok := errors.AsType[*state.Fault](err); ok {
		fmt.Printf("%v at 0x%x: lane %d reads 0x%x: %s\n", fault.Kind, fault.PC, fault.Lane, fault.Addr, fault.Text)
	}
	// Output:
	// memory at 0x4: lane 0 reads 0x100000000: global_load_dword v1, v[2:3], off
}

// A compiled kernel executes over a grid, and an observer sees each instruction.
func ExampleMachine_Dispatch() {
	object, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := sim.New(gcn.GFX803)
	mod, err := m.LoadObject(object)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, x, y := m.Alloc(1024), m.Alloc(1024), m.Alloc(1024)
	x.SetUint32s(1, 2, 3)
	y.SetUint32s(10, 20, 30)
	loads := 0
	l := sim.Launch{
		Module: mod, Kernel: "vadd", Grid: [3]uint32{256}, Group: [3]uint32{64},
		Args: []sim.Arg{sim.BufferArg(sum), sim.BufferArg(x), sim.BufferArg(y), sim.U32(256)},
	}
	err = l.Watch(sim.Observer(func(e *sim.Event) {
		if e.Access.Op == gcn.Load && !e.Access.Scalar {
			loads++
		}
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Dispatch(context.Background(), l)
	fmt.Println(sum.Uint32s()[:3], loads, "vector loads", err)
	// Output:
	// [11 22 33] 8 vector loads <nil>
}
