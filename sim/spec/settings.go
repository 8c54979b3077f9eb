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

// Settings are what an [Exec] and a [Dispatch] have in common. The zero value is the default.
type Settings struct {
	Rules state.Rules `json:"rules"`
	// MaxInstructions is how many instructions a wave may execute, see [sim.Config]; 0 leaves the default.
	MaxInstructions uint64 `json:"max_instructions"`
	// TrapHandler, if not nil, is what waves enter on traps. Without it a trap is a fault of kind trap.
	TrapHandler *TrapHandler `json:"trap_handler"`
	// Timing says whether the run is timed. The chip is Chip, with the parameters that TimingParams name.
	Timing Timing `json:"timing"`
	// Chip is the chip whose tiling registers and times count, see [Chip]; "" is one that stands for the target.
	Chip         string           `json:"chip"`
	TimingParams map[string]int64 `json:"timing_params"`
	// Params, if not nil, are the parameters of the chip that is timed, in place of Timing, Chip and TimingParams: see
	// [timing.Default] and [timing.Preset].
	Params *timing.Params `json:"-"`
	// Sensitivity asks by how much each assumed parameter of the times moves the cycles: the run is repeated twice for
	// each.
	Sensitivity bool `json:"sensitivity"`
	// TileMode, MacrotileMode and GBAddrConfig are tiling registers in place of the registers of Chip.
	TileMode      []uint32 `json:"tile_mode"`
	MacrotileMode []uint32 `json:"macrotile_mode"`
	GBAddrConfig  *uint32  `json:"gb_addr_config"`
	// Tiling, if not nil, are all tiling registers.
	Tiling *tile.Registers `json:"-"`
	// BorderColors is the table that BORDER_COLOR_PTR selects of, see [sim.Machine].
	BorderColors [][4]uint32 `json:"border_colors"`
	// Check names kinds of findings to look for, see [check.New]; with none nothing is checked.
	Check []string `json:"check"`
	// CheckOptions say how strictly. If Inputs is nil, the inputs of an Exec are the registers and memories
	// that it sets.
	CheckOptions check.Options `json:"check_options"`
	// Suppressions are known findings, beside those of CheckOptions.
	Suppressions []check.Suppression `json:"suppressions"`
	// Exceptions makes TRAPSTS collect exceptions of arithmetic, see [sim.Config].
	Exceptions bool `json:"-"`
}

// Options say how a specification runs; nil is the default. None but Seed changes what the run leaves.
type Options struct {
	// Watch, if not nil, is called before the first instruction. It returns who looks at the run besides
	// checks and the model of time. Work-groups that are watched run one after another.
	Watch func(*Run) []sim.Watcher
	// Seed is added to the seeds of random data.
	Seed uint64
	// Objects, if not nil, keeps code objects and what is decoded of them for later dispatches,
	// which may run at the same time.
	Objects *sim.ObjectCache
	// Workers is how many work-groups of a dispatch run at a time; 0 is one for each CPU.
	Workers int
	// Progress, if not nil, is told how far a dispatch is: see [sim.Launch].
	Progress func(done, total int)
	// Files are where the files are that a specification names; with nil there are none.
	Files Files
	// Adjust, if not nil, may change the settings once it is known for which target the program is.
	Adjust func(gcn.Target, *Settings) error
	// LimitBy is what a message says raises the limit of instructions, "" for the key of the specification.
	LimitBy string

	// bare: the run is neither checked nor judged. Its times, if not nil, are those of these parameters.
	bare  bool
	times *timing.Params
}

// Run is a run that is about to begin.
type Run struct {
	Target gcn.Target
	Base   uint64        // what PCs count from in the file of a code object
	Model  *timing.Watch // nil without Timing
	// Machine has the memory of the run.
	Machine *sim.Machine
	Waves   []*state.Wave // of an Exec
	// Memory is the memory of [Exec.Mem], or that of the arguments of a Dispatch, nil where an argument has none.
	Memory []*Memory
}

// Result is what a run counted, found and left.
type Result struct {
	*sim.Result
	*Run
	// Times is nil without Timing.
	Times *timing.Took
	// Sensitivity is nil unless [Settings.Sensitivity] asks for it. What moves the cycles most comes first.
	Sensitivity []Sensitivity

	Checked  bool // Check named something
	Findings []check.Finding
	// Unexecuted are instructions of the kernel that no wave executed, and MoreUnexecuted is how many of
	// them are left out.
	Unexecuted     []check.Site
	MoreUnexecuted int
	Suppressed     []check.Suppression

	// Mismatch is the first element that is not as [Dispatch.Expect] wants it, nil if all are.
	Mismatch *Mismatch
}

// StoppedError is why a run that had begun ended early.
type StoppedError struct {
	Err error
	// Result is what was counted and found until then. Its Times are nil if waves cannot be timed to
	// where they were.
	Result *Result
}

// Error returns the text of the error that ended the run.
func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap returns the error that ended the run.
func (e *StoppedError) Unwrap() error { return e.Err }

// model returns the model of time, nil if there is none.
func (s *Settings) model(target gcn.Target, o *Options) (*timing.Model, error) {
	if p := cmp.Or(o.times, s.Params); p != nil {
		return timing.New(target, *p)
	}
	return nil, nil
}

// declared is a buffer with what a specification says of it.
type declared struct {
	*Buffer
	at *sim.Buffer
}

// checker returns what looks for the kinds of findings that s names, nil if it names none. buffers are those of the
// run.
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

// execute runs what start starts with a configuration: with the model of r, with checks, which may be nil, and with the
// watchers that o names. If start returns no result, the run had not begun. Otherwise the error is a *[StoppedError].
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
		if failed == nil { // otherwise waves may wait for what has failed
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
