package gcntest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/draw/touched"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// NoBankConflicts fails t if lanes of a DS instruction wait for one another in a run, because they access different
// dwords of an LDS bank (rule CY10). The run is a dispatch of l on m or, if l is nil, of waves alone on m. It reports
// each instruction once, with the slowest group of lanes. It ignores LDS accesses of FLAT instructions. Call it
// before the run.
func NoBankConflicts(t testing.TB, m *sim.Machine, l *sim.Launch) {
	t.Helper()
	params := timing.Default(m.Target)
	watchAccesses(t, m, l, func(e *sim.Event) (clocks float64, what string) {
		if (*isa.Inst)(e.Inst).Row().Enc != isa.DS || e.Access.Space != state.LDS {
			return 0, ""
		}
		for _, group := range timing.LaneGroups(&params, e) {
			if group.Clocks > max(clocks, 1) {
				clocks = group.Clocks
				what = fmt.Sprintf("a bank serves %.0f lanes one after another, of the lanes 0x%016x (rule CY10)", clocks,
					group.Lanes)
			}
		}
		return clocks, what
	})
}

// MaxLines fails t if a vector memory access uses more than n cache lines of 64 bytes in a run. The run is a dispatch
// of l on m or, if l is nil, of waves alone on m. It reports each instruction once, with its largest number of lines.
// An image instruction that filters texels fails t as well, because its lines are not known. Call it before the run.
func MaxLines(t testing.TB, m *sim.Machine, l *sim.Launch, n int) {
	t.Helper()
	watchAccesses(t, m, l, func(e *sim.Event) (lines float64, what string) {
		a := e.Access
		switch {
		case a.Scalar || (*isa.Inst)(e.Inst).Row().Enc == isa.DS || a.LDSLanes == a.Exec:
			return 0, ""
		case a.Taps > 1:
			return 1, "its lanes fetch several texels each, whose cache lines are not recorded"
		}
		if lines := touched.Lines(a); lines > n {
			return float64(lines), fmt.Sprintf("it touches %s, more than %d", plural.Of(lines, "cache line"), n)
		}
		return 0, ""
	})
}

// MaxCycles fails t if a run takes more than n cycles. The run is a dispatch of l on m or, if l is nil, of waves
// alone on m. The cycles are those of the time model of a chip or board, such as "fiji" ([timing.Presets]); ""
// selects the chip that represents the processor of m. The model is approximate: allow for its error
// ([timing.Bands]). Call it before the run.
func MaxCycles(t testing.TB, m *sim.Machine, l *sim.Launch, chip string, n uint64) {
	t.Helper()
	params, err := timing.Default(m.Target), error(nil)
	if chip != "" {
		params, err = timing.Preset(chip)
	}
	if err != nil {
		t.Fatal(err)
	}
	model, err := timing.New(m.Target, params)
	if err != nil {
		t.Fatal(err)
	}
	watch(t, m, l, model, func() {
		t.Helper()
		res, err := model.Finish()
		if err != nil {
			t.Errorf("times: %v", err)
		} else if res.Cycles > n {
			t.Errorf("%d cycles on %s are more than %d (%s)", res.Cycles, res.Params.Chip, n, res.Band())
		}
	})
}

// witness is a watcher that records whether a run began.
type witness struct {
	sim.Watcher
	began bool
}

// Start implements [sim.Watcher].
func (w *witness) Start(r *sim.Run) error {
	w.began = true
	return w.Watcher.Start(r)
}

// Unseen returns the needs of the watcher; see package unseen.
func (w *witness) Unseen() any { return unseen.Of[*sim.Event](w.Watcher) }

// watch adds a watcher to m or, if l is not nil, to l. When the test ends it calls judge, or fails t if the watcher
// saw no run and the test has not failed for another reason.
func watch(t testing.TB, m *sim.Machine, l *sim.Launch, w sim.Watcher, judge func()) {
	t.Helper()
	watched, advice := &m.Config, "without a launch a helper watches the bare waves that run on the machine after the call; "+
		"give it the launch, before the dispatch, to watch a dispatch"
	if l != nil {
		watched, advice = &l.Config, "call the helper before the dispatch, with the launch that is dispatched: "+
			"copies of it that were made before are not watched"
	}
	seen := &witness{Watcher: w}
	if err := watched.Watch(seen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Helper() // reports the line of the call
		switch {
		case seen.began || t.Failed():
			judge()
		case !t.Skipped():
			t.Error("no run was watched: " + advice)
		}
	})
}

// watchAccesses fails t when it ends, once for each instruction with a problem. judge returns the size of an access's
// problem and its description, "" if there is none.
func watchAccesses(t testing.TB, m *sim.Machine, l *sim.Launch, judge func(e *sim.Event) (much float64, what string)) {
	t.Helper()
	type site struct {
		program *sim.Program
		pc      uint64
	}
	type wrong struct {
		much float64
		text string
	}
	found := map[site]wrong{}
	var order []site
	watch(t, m, l, sim.Observer(func(e *sim.Event) {
		if e.Access == nil || e.Access.Op == gcn.NoMem {
			return
		}
		much, what := judge(e)
		at := site{e.Program, e.PC}
		old, known := found[at]
		if what == "" || known && old.much >= much {
			return
		}
		if !known {
			order = append(order, at)
		}
		place := fmt.Sprintf("0x%x", e.PC)
		if symbol := e.Program.Symbol(e.PC); symbol != "" {
			place = symbol
		}
		if source := e.Program.Source(e.PC); source != "" {
			place += ", " + source
		}
		found[at] = wrong{much, fmt.Sprintf("%s at %s: %s", asm.Format(*e.Inst, asm.LLVM), place, what)}
	}), func() {
		t.Helper()
		lines := make([]string, len(order))
		for i, at := range order {
			lines[i] = found[at].text
		}
		if len(lines) > 0 {
			t.Error(strings.Join(lines, "\n"))
		}
	})
}
