package spec

import (
	"context"
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/internal/disasm"
	"github.com/gcnsim/gcnsim/state"
)

// Exec is a program and the state of the work-group that it runs on: bare waves, without a kernel.
type Exec struct {
	Target gcn.Target
	Asm    string   // the program as text in LLVM syntax
	Words  []uint32 // the program as machine words, in place of Asm
	// Registers are what all waves begin with. Others are 0, and EXEC is full.
	Registers
	Waves  int         // of the work-group, at most 16; 0 is 1
	States []Registers // what registers of the first waves differ from Registers
	Mem    []Buffer    // ranges of memory, each with Addr
	LDS    *Storage    // nil is all that a work-group can have, of zeros
	GDS    *Storage
	// Alignment is SH_MEM_CONFIG.alignment_mode.
	Alignment state.Alignment
	Settings
}

// maxProgramWords is how many Words a program may have.
const maxProgramWords = 16 << 20

// Run runs e on a machine of its own. What it leaves is in Machine, Memory and Waves of the result. The error
// says what is wrong with e, is the error of [asm.Assemble], or a *[StoppedError] with that of
// [sim.Machine.RunProgram].
func (e *Exec) Run(ctx context.Context, o *Options) (*Result, error) {
	ctx = contexts.Given(ctx)
	if o == nil {
		o = &Options{}
	}
	m := sim.New(e.Target)
	m.Rules, m.Align, m.Limit, m.Tiling, m.BorderColors = e.Rules, e.Alignment, e.MaxInstructions, e.Tiling, e.BorderColors
	words, err := e.program()
	if err != nil {
		return nil, err
	}
	waves, err := e.newWaves(m)
	if err != nil {
		return nil, err
	}
	memory, err := e.setMemory(m, o.Seed)
	if err != nil {
		return nil, err
	}
	model, err := e.model(e.Target, o)
	if err != nil {
		return nil, err
	}
	checks, err := e.checker(o, e.declared(memory))
	if err != nil {
		return nil, err
	}
	if m.TrapHandler, err = e.handler(e.Target, nil); err != nil {
		return nil, err
	}
	m.Exceptions = e.Exceptions
	w := waves[0]
	if checks != nil {
		if checks.Options.Inputs == nil {
			checks.Options.Inputs = e.inputs(w)
		}
		if e.setsFlatScratch() && isa.TraitsOf(w.Target).FlatScratch < 0 {
			checks.Setting("flat_scratch", "ST1", fmt.Sprintf("%v has no FLAT_SCRATCH", e.Target))
		}
	}
	run := &Run{Target: e.Target, Model: model, Machine: m, Waves: waves, Memory: memory}
	defer run.stopAt(ctx)()
	seen, err := o.watch(&m.Config, run, checks)
	if err != nil {
		return nil, err
	}
	res, err := m.RunProgram(ctx, sim.NewProgram(e.Target, 0, words, w.NumVGPRs), waves...)
	r, err := seen.ended(ctx, res, err)
	if err != nil {
		return nil, err
	}
	if r.Sensitivity, err = e.sensitivity(ctx, o, e.Target, r.Times, e.Run); err != nil {
		return nil, &StoppedError{err, r}
	}
	return r, nil
}

// declared returns the ranges of e.
func (e *Exec) declared(memory []*Memory) (all []declared) {
	for i := range e.Mem {
		all = append(all, declared{&e.Mem[i], memory[i].Buffer})
	}
	return all
}

// program returns the words of the program.
func (e *Exec) program() ([]uint32, error) {
	switch {
	case e.Asm != "" && e.Words != nil:
		return nil, errors.New("asm and words are both given; give one")
	case e.Asm != "":
		p, err := disasm.Assemble(e.Target, e.Asm, e.Rules)
		if err != nil {
			return nil, err
		}
		return p.Words, nil
	case e.Words == nil:
		return nil, errors.New("there is no program; give asm or words")
	case len(e.Words) > maxProgramWords:
		return nil, fmt.Errorf("words: %d are more than the %d that a program may have", len(e.Words), maxProgramWords)
	}
	return e.Words, nil
}
