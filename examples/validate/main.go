// Validate finds the wrong instruction in a compiled kernel. It executes two code objects of one kernel on the same
// random input and prints the first instruction after which their states differ. Here the second code object is a
// copy of the first with one changed instruction, as a faulty compiler might produce it.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/compare"
)

//go:embed kernel.cl
var source string

//go:embed kernel.gfx900.co
var object []byte

const target = gcn.GFX900

// bugs are compiler bugs: the right instruction, and the wrong one.
var bugs = []struct{ what, right, wrong string }{
	{"reads the wrong byte", "v_cvt_f32_ubyte1_e32 v4, v3", "v_cvt_f32_ubyte3_e32 v4, v3"},
	{"compares signed numbers", "v_cmp_lt_u32_e32 vcc, s2, v3", "v_cmp_lt_i32_e32 vcc, s2, v3"},
	{"does not turn lanes on again", "s_or_b64 exec, exec, s[2:3]", "s_and_b64 exec, exec, s[2:3]"},
	{"stores to the next element", "global_store_dword v[0:1], v2, off", "global_store_dword v[0:1], v2, off offset:4"},
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "validate:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	fmt.Fprintln(out, source)
	for i, bug := range bugs {
		broken, err := plant(object, bug.right, bug.wrong)
		if err != nil {
			return err
		}
		base := uint64(0)
		d, err := compare.Diverge(context.Background(), kernel(object, &base), kernel(broken, &base))
		if err != nil {
			return err
		}
		if d == nil {
			return fmt.Errorf("no difference where the code %s", bug.what)
		}
		fmt.Fprintf(out, "%d. The actual code %s.\n", i+1, bug.what)
		d.Base = base
		fmt.Fprintln(out, d)
	}
	return nil
}

// kernel returns an execution of the code object on a new machine with random pixels. It stores the address of the
// code in base.
func kernel(object []byte, base *uint64) compare.Run {
	return func(ctx context.Context, w sim.Watcher) error {
		const n = 200
		m := sim.New(target)
		mod, err := m.LoadObject(object)
		if err != nil {
			return err
		}
		*base = mod.Base + mod.Object.Kernels[0].Entry
		brightness, pixels := m.Alloc(4*(n+1)), m.Alloc(4*n)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			binary.LittleEndian.PutUint32(pixels.Bytes()[4*i:], r.Uint32()>>(r.IntN(8)))
		}
		l := sim.Launch{
			Module: mod, Kernel: "brightness", Grid: [3]uint32{256}, Group: [3]uint32{64},
			Args: []sim.Arg{sim.BufferArg(brightness), sim.BufferArg(pixels), sim.U32(n)},
		}
		if err := l.Watch(w); err != nil {
			return err
		}
		_, err = m.Dispatch(ctx, l)
		return err
	}
}

// plant returns a copy of a code object in which the first instruction right is replaced by wrong.
func plant(object []byte, right, wrong string) ([]byte, error) {
	var words [2][]byte
	for i, text := range []string{right, wrong} {
		p, err := asm.Assemble(target, text, asm.LLVM)
		if err != nil {
			return nil, err
		}
		for _, w := range p.Words {
			words[i] = binary.LittleEndian.AppendUint32(words[i], w)
		}
	}
	at := bytes.Index(object, words[0])
	if at < 0 || len(words[0]) != len(words[1]) {
		return nil, fmt.Errorf("%q is not in the code, or %q is of another size", right, wrong)
	}
	broken := bytes.Clone(object)
	copy(broken[at:], words[1])
	return broken, nil
}
