// Command traphandler catches a division by zero and a memory violation of a wave, prints the lane, and lets the wave
// continue, on each generation of GCN.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

const program = `
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1 ; EXCP_EN: division by zero traps
	v_rcp_f32 v2, v0
	buffer_load_dword v3, v1, s[0:3], 0 offen
	s_waitcnt vmcnt(0)`

// handler counts traps in s8 and continues behind the instruction that caused the trap.
const handler = `
	s_add_u32 s8, s8, 1
	s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0
	s_and_b32 ttmp1, ttmp1, 0xffff
	s_nop 0
	s_rfe_b64 ttmp[0:1]`

func main() {
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		if err := run(target); err != nil {
			log.Fatal(err)
		}
	}
}

func run(target gcn.Target) error {
	code, err := asm.Assemble(target, handler, asm.LLVM)
	if err != nil {
		return err
	}
	m := sim.New(target)
	m.TrapHandler = &sim.TrapHandler{Words: code.Words, Trapped: func(reason *state.Fault) {
		fmt.Printf("%v: lane %d, %s: %s\n", target, reason.Lane, reason.Text, reason.What)
	}}
	data, err := m.Allocate(256, 256)
	if err != nil {
		return err
	}
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: data.Addr, NumRecords: 1 << 30}) // more than the buffer has
	var divisors, offsets state.Lanes
	for lane := range divisors {
		divisors[lane], offsets[lane] = math.Float32bits(2), 4*uint32(lane)
	}
	divisors[5], offsets[9] = 0, 1<<20
	w.SetVGPR(0, divisors)
	w.SetVGPR(1, offsets)
	if _, err := m.RunAsm(context.Background(), w, program); err != nil {
		return err
	}
	quotients := w.VGPR(2)
	fmt.Printf("%v: %d traps, and the wave went on: 1/2 is %v, 1/0 is %v\n", target, w.S[8],
		math.Float32frombits(quotients[4]), math.Float32frombits(quotients[5]))
	return nil
}
