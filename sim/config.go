package sim

import (
	"cmp"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// Config holds settings for the execution of programs: for waves alone as part of a [Machine], for a dispatch as part
// of a [Launch] or a [Compute]. The zero value has the defaults. [Config.Watch] adds watchers.
type Config struct {
	// Rules is the rule set (rule K10).
	Rules state.Rules
	// Align is SH_MEM_CONFIG.alignment_mode (rule L2). GCN 1.0 has no such mode.
	Align state.Alignment
	// Compare makes executors set Differs and Cut in access records; see [state.Access]. They show where the other rule
	// set would have decided differently, and which addresses lost bits to their alignment. It makes runs slower.
	Compare bool
	// Limit is the number of instructions after which a wave faults. 0 means [DefaultLimit] for waves alone and
	// [DefaultWaveLimit] for a wave of a dispatch.
	Limit uint64
	// TrapHandler, if not nil, is the code that waves enter on traps. Without it a trap is a fault of kind trap.
	TrapHandler *TrapHandler
	// Exceptions makes TRAPSTS collect arithmetic exceptions, for watchers and callers that read it. Without it they are
	// collected only if a program or a trap handler can see them (rule ST7), because it makes runs slower.
	Exceptions bool

	watchers *watchers // nil if there are none; see [Config.Watch]
}

// Default limits on the instructions of a wave.
const (
	DefaultLimit     = 1_000_000   // limit for a wave alone
	DefaultWaveLimit = 100_000_000 // limit for a wave of a dispatch
)

// ofWave returns c with the defaults for waves alone.
func (c *Config) ofWave() Config {
	d := *c
	d.Rules, d.Align = cmp.Or(c.Rules, state.SeedRules), cmp.Or(c.Align, state.AlignDword)
	d.Limit = cmp.Or(c.Limit, DefaultLimit)
	return d
}

// ofDispatch returns c with the defaults for a dispatch. The alignment mode is the one that amdkfd sets (rule L2).
func (c *Config) ofDispatch() Config {
	d := *c
	d.Rules, d.Align = cmp.Or(c.Rules, state.DriverRules), cmp.Or(c.Align, state.AlignNone)
	d.Limit = cmp.Or(c.Limit, DefaultWaveLimit)
	return d
}

// configure applies the settings c to r. mem is the memory that r accesses.
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
