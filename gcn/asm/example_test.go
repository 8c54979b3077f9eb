package asm_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
)

// A program from text to words and back; an error has a line and a column.
func Example() {
	p, err := asm.Assemble(gcn.GFX803, "buffer_load_dword v1, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)", asm.LLVM)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%08x\n", p.Words)
	for d := range asm.Disassemble(gcn.GFX803, p.Words) {
		fmt.Println(d.Offset, asm.Format(d.Inst, asm.CLRX))
	}
	_, err = asm.Assemble(gcn.GFX803, "s_waitcnt vmcnt(0)\nbuffer_load_dwrod v1, v0, s[0:3], 0 offen", asm.LLVM)
	fmt.Println(err)
	// Output:
	// [e0501000 80000100 bf8c0f70]
	// 0 buffer_load_dword v1, v0, s[0:3], 0 offen
	// 8 s_waitcnt vmcnt(0)
	// 2:1: unknown instruction "buffer_load_dwrod"; did you mean buffer_load_dword?
}
