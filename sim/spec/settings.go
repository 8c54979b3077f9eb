package spec

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// Settings are the common settings of an [Exec] and a [Dispatch]. The zero value has the defaults.
type Settings struct {
	Rules state.Rules `json:"rules"`
	// MaxInstructions is the number of instructions after which a wave faults, see [sim.Config]; 0 means the default.
	MaxInstructions uint64 `json:"max_instructions"`
	// TrapHandler, if not nil, is the code that waves enter on traps. Without it a trap is a fault of kind trap.
	TrapHandler *TrapHandler `json:"trap_handler"`
	// Timing selects whether the run is timed. The chip is Chip, with the parameters in TimingParams.
	Timing Timing `json:"timing"`
	// Chip is the chip that determines tiling registers and times, see [Chip]; "" means the one that represents the
	// target.
	Chip         string           `json:"chip"`
	TimingParams map[string]int64 `json:"timing_params"`
	// Params, if not nil, are the parameters of the timed chip, instead of Timing, Chip and TimingParams: see
	// [timing.Default] and [timing.Preset].
	Params *timing.Params `json:"-"`
	// Sensitivity requests by how much each assumed timing parameter changes the cycles. The run is repeated twice for
	// each parameter.
	Sensitivity bool `json:"sensitivity"`
	// TileMode, MacrotileMode and GBAddrConfig are tiling registers that replace those of Chip.
	TileMode      []uint32 `json:"tile_mode"`
	MacrotileMode []uint32 `json:"macrotile_mode"`
	GBAddrConfig  *uint32  `json:"gb_addr_config"`
	// Tiling, if not nil, has all tiling registers.
	Tiling *tile.Registers `json:"-"`
	// BorderColors is the table that BORDER_COLOR_PTR indexes, see [sim.Machine].
	BorderColors [][4]uint32 `json:"border_colors"`
	// Check names the kinds of findings to look for, see [check.New]. If it is empty, nothing is checked.
	Check []string `json:"check"`
	// CheckOptions are the options of checks. If Inputs is nil, the inputs of an Exec are the registers and memory that
	// it sets.
	CheckOptions check.Options `json:"check_options"`
	// Suppressions are known findings, in addition to those in CheckOptions.
	Suppressions []check.Suppression `json:"suppressions"`
	// Exceptions makes TRAPSTS collect arithmetic exceptions, see [sim.Config].
	Exceptions bool `json:"-"`
}

// Options are options for executing a specification; nil means the defaults. Only Seed and Adjust change the results.
type Options struct {
	// Watch, if not nil, is called before the first instruction. It returns watchers in addition to checks and the time
	// model. Watched work-groups execute one after another.
	Watch func(*Run) []sim.Watcher
	// Seed is added to the seeds of random data.
	Seed uint64
	// Objects, if not nil, caches code objects and decoded code for later and concurrent dispatches.
	Objects *sim.ObjectCache
	// Workers is the number of work-groups that execute at a time; 0 means one for each CPU.
	Workers int
	// Progress, if not nil, receives the progress of a dispatch: see [sim.Launch].
	Progress func(done, total int)
	// Files gives access to the files that a specification names; nil means that there are none.
	Files Files
	// Adjust, if not nil, is called with the program's target when it is known, and may change the settings.
	Adjust func(gcn.Target, *Settings) error
	// LimitBy is the name in messages of the option that raises the instruction limit, "" for the key of the
	// specification.
	LimitBy string

	// bare: the run is neither checked nor compared with expectations. Its times, if not nil, have these parameters.
	bare  bool
	times *timing.Params
}

// Run describes a run that is about to begin.
type Run struct {
	Target gcn.Target
	Base   uint64        // address in the code object's file to which PCs are relative
	Model  *timing.Watch // nil without Timing
	// Machine has the memory of the run.
	Machine *sim.Machine
	Waves   []*state.Wave // the waves of an Exec
	// Memory is the memory of [Exec.Mem], or that of a Dispatch's arguments, nil for arguments without memory.
	Memory []*Memory
}

// Result holds the counts, findings and final state of a run.
type Result struct {
	*sim.Result
	*Run
	// Times is nil without Timing.
	Times *timing.Took
	// Sensitivity is nil unless [Settings.Sensitivity] is set. The parameter that changes the cycles most is first.
	Sensitivity []Sensitivity

	Checked  bool // at least one check was enabled
	Findings []check.Finding
	// Unexecuted are instructions of the kernel that no wave executed. MoreUnexecuted is the number of further ones.
	Unexecuted     []check.Site
	MoreUnexecuted int
	Suppressed     []check.Suppression

	// Mismatch is the first element that differs from [Dispatch.Expect], nil if there is none.
	Mismatch *Mismatch
}

// StoppedError is the error of a run that had begun and ended early.
type StoppedError struct {
	Err error
	// Result has the counts and findings up to the instruction at which the run ended. Its Times are nil if that part of
	// the run cannot be timed.
	Result *Result
}

// Error returns the text of the error that ended the run.
func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap returns the error that ended the run.
func (e *StoppedError) Unwrap() error { return e.Err }

// model returns the time model, nil if the run is not timed.
func (s *Settings) model(target gcn.Target, o *Options) (*timing.Model, error) {
	if p := cmp.Or(o.times, s.Params); p != nil {
		return timing.New(target, *p)
	}
	return nil, nil
}

// declared is a buffer with its description in a specification.
type declared struct {
	*Buffer
	at *sim.Buffer
}

// checker returns the checker for the kinds of findings in s, nil if there are none. buffers are those of the run.
func (s *Settings) checker(o *Options, buffers []declared) (c *check.Checker, err error) {
	switch {
	case o.bare:
		return nil, nil
	case len(s.Check) > 0:
		if c, err = check.New(s.Check...); err != nil {
			return nil, fmt.Errorf("check: %w", err)
		}
		c.Options = s.CheckOptions
	}
	for _, b := range buffers {
		if b.NoInit && (c == nil || !c.NoInit(b.at)) {
			return nil, errors.New("noinit: undefined values are not looked for, so it has no effect; give check uninit")
		}
		for i, k := range b.Parts {
			if k.Offset > b.at.Size || k.Size > b.at.Size-k.Offset {
				return nil, fmt.Errorf("parts[%d]: %d bytes at %d of a buffer of %d bytes", i, k.Size, k.Offset, b.at.Size)
			}
		}
		if b.Parts != nil && (c == nil || !c.Parts(b.at, b.Parts...)) {
			return nil, errors.New("parts: accesses outside of them are not looked for, so they have no effect; give check " +
				"bounds")
		}
	}
	return c, nil
}

// execute calls start with a configuration that has the model of r, checks, which may be nil, and the watchers in o.
// If start returns no result, the run has not begun. Otherwise the error is a *[StoppedError].
func (o *Options) execute(ctx context.Context, c *sim.Config, r *Run, checks *check.Checker,
	start func() (*sim.Result, error)) (*Result, error) {
	var all []sim.Watcher
	if r.Model != nil {
		defer context.AfterFunc(ctx, timing.ModelOf(r.Model).Stop)()
		all = append(all, timing.ModelOf(r.Model))
	}
	if checks != nil {
		all = append(all, checks)
	}
	if o.Watch != nil {
		all = append(all, o.Watch(r)...)
	}
	if err := c.Watch(all...); err != nil {
		return nil, err
	}
	counted, failed := start()
	if counted == nil {
		return nil, o.stopped(failed)
	}
	res := &Result{Result: counted, Run: r}
	if checks != nil {
		res.Checked, res.Findings, res.Suppressed = true, checks.Findings(), checks.Suppressed()
	}
	if r.Model != nil {
		var err error
		if res.Times, err = r.Model.Finish(); errors.Is(err, timing.ErrStopped) {
			err = ctx.Err()
		}
		if failed == nil { // otherwise waves may wait for the failed work-group
			failed = err
		}
	}
	if failed != nil {
		return nil, o.stopped(&StoppedError{failed, res})
	}
	if checks != nil {
		res.Unexecuted, res.MoreUnexecuted = checks.Unexecuted()
	}
	return res, nil
}

// TrapHandler is code that waves enter on traps, see [sim.TrapHandler].
type TrapHandler struct {
	Asm   string   `json:"asm"`  // the code as assembly text in LLVM syntax
	File  string   `json:"file"` // the file with the text, instead of Asm
	Words []uint32 `json:"-"`    // the code as machine words, instead of Asm
	// TMA is the value of the register TMA.
	TMA uint64 `json:"tma"`
	// TMAArg, if not nil, is the number of a dispatch's argument whose buffer address is the value of TMA.
	TMAArg *int `json:"tma_arg"`
	// Trapped has the meaning of [sim.TrapHandler].Trapped.
	Trapped func(reason *state.Fault) `json:"-"`
}

// handler returns the trap handler of s for a machine of target, nil if there is none. memory is the memory of the
// arguments.
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
			return fail("%s", err) // its line is not a line of the program
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
