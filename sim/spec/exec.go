package spec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Exec is a program and the initial state of the work-group that executes it: waves alone, without a kernel.
type Exec struct {
	ID     json.RawMessage `json:"id"` // repeated in the answer
	Target gcn.Target      `json:"mcpu"`
	Asm    string          `json:"asm"`   // the program as assembly text in LLVM syntax
	Words  []uint32        `json:"words"` // the program as machine words, instead of Asm
	// Registers are the initial registers of all waves. Other registers are 0, except that EXEC has all lanes set.
	Registers
	Waves  int         `json:"waves"`  // number of waves in the work-group, at most 16; 0 means 1
	States []Registers `json:"states"` // registers of the first waves that differ from Registers
	Mem    []Buffer    `json:"mem"`    // ranges of memory; each must have Addr
	LDS    *Storage    `json:"lds"`    // nil means zeros, of the largest size of a work-group
	GDS    *Storage    `json:"gds"`
	// Alignment is SH_MEM_CONFIG.alignment_mode.
	Alignment state.Alignment `json:"alignment"`
	Settings
	Dump View `json:"dump"` // state that the answer shows

	settled bool // files are read, and settings are resolved for Target
}

// maxProgramWords is the largest number of Words.
const maxProgramWords = 16 << 20

// Run executes e on its own machine. Machine, Memory and Waves of the result have the final state. The error
// describes a mistake in e, is the error of [asm.Assemble], or a *[StoppedError] with the error of
// [sim.Machine.RunProgram].
func (e *Exec) Run(ctx context.Context, o *Options) (*Result, error) {
	ctx = contexts.Given(ctx)
	if o == nil {
		o = &Options{}
	}
	e, err := e.settle(o)
	if err != nil {
		return nil, err
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
	var given []declared
	for i := range e.Mem {
		given = append(given, declared{&e.Mem[i], memory[i].Buffer})
	}
	checks, err := e.checker(o, given)
	if err != nil {
		return nil, err
	}
	if m.TrapHandler, err = e.handler(e.Target, nil); err != nil {
		return nil, err
	}
	m.Exceptions = e.Exceptions
	w := waves[0]
	if checks != nil {
		checks.Options.Snippet = !checks.Options.Whole
		if checks.Options.Inputs == nil {
			checks.Options.Inputs = e.inputs(w)
		}
		sets := func(r *Registers) bool { return r.FlatScratch != nil && *r.FlatScratch != 0 }
		if isa.TraitsOf(w.Target).FlatScratch < 0 && slices.ContainsFunc(e.given(), sets) {
			checks.Setting("flat_scratch", "ST1", fmt.Sprintf("%v has no FLAT_SCRATCH", e.Target))
		}
	}
	if err := e.Dump.check(m, w); err != nil {
		return nil, err
	}
	run := &Run{Target: e.Target, Model: timing.WatchOf(model), Machine: m, Waves: waves, Memory: memory}
	r, err := o.execute(ctx, &m.Config, run, checks, func() (*sim.Result, error) {
		return m.RunProgram(ctx, sim.NewProgram(e.Target, 0, words, w.NumVGPRs), waves...)
	})
	if err != nil {
		return nil, err
	}
	if r.Sensitivity, err = e.sensitivity(ctx, o, e.Target, timing.ResultOf(r.Times), e.Run); err != nil {
		return nil, &StoppedError{err, r}
	}
	return r, nil
}

// settle returns a copy of e with the contents of its files and resolved settings.
func (e *Exec) settle(o *Options) (_ *Exec, err error) {
	if e.settled {
		return e, nil
	}
	next := *e
	next.settled, next.Exceptions = true, e.Exceptions || e.Dump.Regs
	if next.Settings, err = e.Settings.settle(e.Target, o); err != nil {
		return nil, err
	}
	next.Mem = slices.Clone(e.Mem)
	from := &reader{o.files(), maxFileBytes}
	for i := range next.Mem {
		b, err := from.buffer(&next.Mem[i])
		if err != nil {
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		}
		next.Mem[i] = *b
	}
	return &next, nil
}

// program returns the machine words of the program.
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
