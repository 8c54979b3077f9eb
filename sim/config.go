package sim

import (
	"cmp"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// Config is how programs run: the same for bare waves, as part of a [Machine], and for a
// dispatch, as part of a [Launch] or a [Compute]. The zero value is the default. Who looks at a run
// is added with [Config.Watch].
type Config struct {
	// Rules is the rule set (rule K10).
	Rules state.Rules
	// Align is SH_MEM_CONFIG.alignment_mode (rule L2). GCN 1.0 has no such mode.
	Align state.Alignment
	// Compare makes access records say where the other rule set would have made a
	// difference, and which addresses lost bits to their alignment; see [state.Access]. It
	// costs time.
	Compare bool
	// Limit is how many instructions a wave may execute, more is a fault; 0 is
	// [DefaultLimit] for a bare wave and [DefaultWaveLimit] for a wave of a dispatch.
	Limit uint64
	// TrapHandler, if not nil, is entered by waves on traps. Without it a trap is a fault of kind trap.
	TrapHandler *TrapHandler
	// Exceptions makes TRAPSTS collect the exceptions of arithmetic, for watchers and callers that read it. Without it
	// they are collected where a program or a trap handler can see them (rule ST7), which costs time.
	Exceptions bool

	watchers *watchers // nil without any; see [Config.Watch]
}

// How many instructions a wave may execute.
const (
	DefaultLimit     = 1_000_000   // a bare wave
	DefaultWaveLimit = 100_000_000 // a wave of a dispatch
)

// ofWave returns c with the defaults of a bare wave.
func (c *Config) ofWave() Config {
	d := *c
	d.Rules, d.Align = cmp.Or(c.Rules, state.SeedRules), cmp.Or(c.Align, state.AlignDword)
	d.Limit = cmp.Or(c.Limit, DefaultLimit)
	return d
}

// ofDispatch returns c with the defaults of a dispatch. The alignment is set as amdkfd does
// (rule L2).
func (c *Config) ofDispatch() Config {
	d := *c
	d.Rules, d.Align = cmp.Or(c.Rules, state.DriverRules), cmp.Or(c.Align, state.AlignNone)
	d.Limit = cmp.Or(c.Limit, DefaultWaveLimit)
	return d
}

// configure makes r run as c says, on memory.
func (r *runner) configure(c *Config, mem executor.Memory) {
	w := c.watched()
	compare := c.Compare || w.needs.Compare
	r.watch(w)
	r.limit.Store(c.Limit)
	r.handler, r.collect = c.TrapHandler, c.Exceptions
	r.sliceCut = 0
	r.ports = executor.Ports{Mem: mem, Rules: c.Rules, Align: c.Align,
		Unseen: r.flags == 0 && !compare && c.TrapHandler == nil}
	r.setClock(w)
	if compare {
		r.ports.Compare = new(state.Access)
	}
}
