package codeobj_test

import (
	"fmt"
	"os"

	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// A code object describes its kernels.
func ExampleParse() {
	data, err := os.ReadFile("../../testdata/kernels/vadd.fiji.co")
	if err != nil {
		fmt.Println(err)
		return
	}
	o, err := codeobj.Parse(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := o.Kernel("vadd")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.Target, k.Name, k.VGPRs, "VGPRs", k.SGPRs, "SGPRs", k.KernargBytes, "bytes of arguments")
	for _, a := range k.Args[:4] {
		fmt.Println(a.Kind, a.Offset, a.Size)
	}
	// Output:
	// gfx803 vadd 8 VGPRs 16 SGPRs 28 bytes of arguments
	// global_buffer 0 8
	// global_buffer 8 8
	// global_buffer 16 8
	// by_value 24 4
}
