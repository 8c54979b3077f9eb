// Quickstart runs a kernel compiled by clang for gfx803 on a simulated GPU, checks what
// it computed, and shows its memory instructions: how many lanes and bytes each touched.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/trace"
)

//go:embed kernel.cl
var source string

//go:embed kernel.gfx803.co
var object []byte

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	const n = 1000
	m := sim.New(gcn.GFX803)
	mod, err := m.LoadObject(object)
	if err != nil {
		return err
	}
	x, y, sum := m.Alloc(4*n), m.Alloc(4*n), m.Alloc(4*n)
	var a, b [n]uint32
	for i := range a {
		a[i], b[i] = uint32(i), uint32(i*i)
	}
	x.SetUint32s(a[:]...)
	y.SetUint32s(b[:]...)

	profile := trace.NewProfile()
	launch := sim.Launch{
		Module: mod, Kernel: "vadd", Grid: [3]uint32{1024}, Group: [3]uint32{64},
		Args: []sim.Arg{sim.BufferArg(sum), sim.BufferArg(x), sim.BufferArg(y), sim.U32(n)},
	}
	if err := launch.Watch(profile); err != nil {
		return err
	}
	res, err := m.Dispatch(context.Background(), launch)
	if err != nil {
		return err
	}
	got := sum.Uint32s()
	for i := range got {
		if got[i] != a[i]+b[i] {
			return fmt.Errorf("sum[%d] is %d, must be %d", i, got[i], a[i]+b[i])
		}
	}
	fmt.Fprintf(out, "%s\nran on %v: %d work-items in 16 waves, %d instructions\n", source, m.Target, 1024,
		res.Instructions)
	fmt.Fprintf(out, "sum[999] = %d + %d = %d; all %d sums are right\n\n", a[999], b[999], got[999], n)
	fmt.Fprintln(out, "its memory instructions (1000 of 1024 work-items pass the bounds check):")
	return profile.WriteMemory(out, mod.Base+mod.Object.Kernels[0].Entry)
}
