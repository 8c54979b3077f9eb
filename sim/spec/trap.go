package spec

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TrapHandler is code that waves enter on traps, see [sim.TrapHandler].
type TrapHandler struct {
	Asm   string   `json:"asm"`  // the code as text in LLVM syntax
	File  string   `json:"file"` // the file that holds it, in place of Asm
	Words []uint32 `json:"-"`    // the code as machine words, in place of Asm
	// TMA is the address that the code finds in the register TMA.
	TMA uint64 `json:"tma"`
	// TMAArg, if not nil, is the number of the argument of a dispatch whose buffer TMA is, in place of TMA.
	TMAArg *int `json:"tma_arg"`
	// Trapped is as in [sim.TrapHandler].
	Trapped func(reason *state.Fault) `json:"-"`
}

// handler returns the trap handler of s for a machine of the target, nil if there is none. memory is the
// memory of the arguments.
func (s *Settings) handler(target gcn.Target, memory []*Memory) (*sim.TrapHandler, error) {
	h := s.TrapHandler
	if h == nil {
		return nil, nil
	}
	fail := func(format string, args ...any) (*sim.TrapHandler, error) {
		return nil, fmt.Errorf("trap_handler: "+format, args...)
	}
	to := &sim.TrapHandler{Words: h.Words, TMA: h.TMA, Trapped: h.Trapped}
	switch {
	case h.Asm != "" && h.Words != nil:
		return fail("it has both asm and words; give one")
	case h.Asm != "":
		p, err := disasm.Assemble(target, h.Asm, s.Rules)
		if err != nil {
			return fail("%s", err) // whose line is no line of the program
		}
		to.Words = p.Words
	}
	if len(to.Words) == 0 {
		return fail("there is no code; give asm that ends with s_rfe_b64")
	}
	if h.TMAArg != nil {
		n := *h.TMAArg
		switch {
		case h.TMA != 0:
			return fail("it has both tma and tma_arg; give one")
		case n < 0 || n >= len(memory) || memory[n] == nil || memory[n].Buffer == nil:
			return fail("tma_arg: there is no buffer that is argument %d; give the number of one", n)
		}
		to.TMA = memory[n].Buffer.Addr
	}
	return to, nil
}
