package check

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Checker collects findings of the runs that it watches: it is a [sim.Watcher]. It is not safe for
// use by several runs at a time.
type Checker struct {
	Options  Options // set them before the first run
	on       map[Kind]bool
	analyses []*analysis
	settings []*Finding
	doubts   map[doubt]*Finding
	features codeobj.Features // the features that the code object of the current run declares

	// The instructions that the checker has seen: by key, in the order in which they first executed, and by address in
	// the latest programs.
	sites map[siteKey]*site
	order []*site
	code  []*code

	bare *sim.Machine // the machine of the previous run if that run was of bare waves, else nil

	// The current work-group, and the instruction that it executes.
	waves    []*wave
	anyEnded bool // a wave of the work-group has ended
	step     step
	pool     []*wave // waves of ended work-groups, which are reused

	trial    *trial // judges segments
	skipping skipping
	noAccess state.Access // the empty access record of the last instruction of a batch, see [Checker.retireLast]
	whole    bool         // each instruction is judged by itself: there are no segments

	// Whether the checker looks for waits, races and some kinds that the code tests often.
	seesWaits, seesRaces, seesOrder, seesStale, seesBarriers bool

	forgotten    *Finding // says that more instructions were outstanding than the checker keeps, see [Checker.forgot]
	movedTouches touches  // the registers of the current instruction, if they depend on M0 or GPR indexing
	races        races

	// What the current run uses, for findings of kind Ignored.
	mode, status uint32 // the bits of MODE and STATUS that were already judged
	sharing      map[alias]*sharing

	undef       undefined
	pools, next []pool // the pools of [Checker.Parts] for the current run, and for the next one
	frame       uint64 // bytes of private memory of a work-item, 0 if the size is not known

	static map[kernelKey]*Checker // what [Checker.Paths] found in the kernels that were dispatched
}

// kernelKey is a kernel of a module.
type kernelKey struct {
	module *sim.Module
	kernel string
}

// New returns a checker for the kinds and groups of kinds that names chooses; see
// [Names]. The error is a *[SyntaxError].
func New(names ...string) (*Checker, error) {
	on, err := chosen(names)
	if err != nil {
		return nil, err
	}
	c := &Checker{on: on, seesOrder: on[WaitOrder], seesStale: on[StaleCache], seesBarriers: on[SkippedBarrier],
		sites: map[siteKey]*site{}, doubts: map[doubt]*Finding{}, sharing: map[alias]*sharing{}}
	c.races.lanes = on[LaneConflict]
	for _, k := range kinds {
		if on[k.Kind] {
			c.add(k.by)
		}
	}
	return c, nil
}

// add makes a one of the analyses of c.
func (c *Checker) add(a *analysis) {
	if slices.Contains(c.analyses, a) {
		return
	}
	if a.after != nil {
		c.add(a.after)
	}
	c.seesWaits, c.seesRaces = c.seesWaits || a == &waits, c.seesRaces || a == &race
	c.whole = c.whole || !a.unseen
	c.analyses = append(c.analyses, a)
}

// has reports whether c looks for findings of a kind.
func (c *Checker) has(k Kind) bool { return c.on[k] }

// Needs implements [sim.Watcher].
func (c *Checker) Needs() sim.Needs {
	n := sim.Needs{Events: sim.BeforeAndAfter, Compare: c.compares()}
	if c.has(PastEnd) && !c.Options.Snippet {
		n.PastEnd = c.pastEnd
	}
	return n
}

// Unseen returns the functions by which instructions may execute without events: see package unseen.
func (c *Checker) Unseen() any {
	return unseen.Needs[*sim.Event]{Skip: c.skip, Skipped: c.skipped}
}

// pastEnd adds the finding about w, which has executed past the last word of its program.
func (c *Checker) pastEnd(w *state.Wave) {
	severity := Note
	if c.Options.Whole {
		severity = Error
	}
	c.general(PastEnd, severity, "", "ST24", fmt.Sprintf(
		"the program ends at 0x%x without s_endpgm; hardware executes what lies behind it", w.PC))
}

// Start implements [sim.Watcher]: it judges the settings of the run, and forgets the state of registers and memory.
// Bare waves that follow other bare waves on the same machine keep that state, and do not race with the earlier
// waves. In a dispatch from registers, the memory that the host provides counts as written.
func (c *Checker) Start(r *sim.Run) error {
	c.races.begun = false
	if r.Compute == nil && c.bare == r.Machine {
		return nil
	}
	c.bare = nil
	c.forget()
	switch {
	case r.Compute == nil:
		c.bare = r.Machine
		c.undef.bare(c.Options.Inputs)
		c.alignSetting(r.Machine, &r.Machine.Config)
	case r.Launch != nil:
		c.features, c.frame = codeobj.FeaturesOf(r.Launch.Module.Object), frameOfLaunch(r.Launch)
		c.featureSettings()
		c.dispatchSettings(r, "Launch")
		c.undef.launch(r.Launch, c.Options.Inputs)
		c.followPaths(r.Launch)
	default:
		c.races.byLane = true
		c.dispatchSettings(r, "Compute")
		c.undef.compute(r.Machine.Target, r.Compute, c.Options.Inputs)
	}
	return nil
}

// compares reports whether c needs Differs and Cut in access records, see [sim.Config].Compare.
func (c *Checker) compares() bool { return c.has(RulesDiffer) || c.has(Ignored) }

// forget resets the state that belongs to a single run.
func (c *Checker) forget() {
	c.mode, c.status, c.forgotten, c.features, c.frame = 0, 0, nil, codeobj.Features{}, 0
	c.pools, c.next = c.next, nil
	clear(c.sharing)
	c.races.byLane = false
}

// Begin implements [sim.Watcher].
func (c *Checker) Begin(waves []*state.Wave) {
	c.pool = append(c.pool, c.waves...)
	c.waves, c.anyEnded = c.waves[:0], false
	for _, w := range waves {
		n := takeSpare(&c.pool)
		n.begin(w)
		c.waves = append(c.waves, n)
	}
	c.step.wave = nil
	for _, a := range c.analyses {
		if a.begin != nil {
			a.begin(c)
		}
	}
}

// Issue implements [sim.Watcher].
func (c *Checker) Issue(e *sim.Event) {
	x := &c.step
	c.switchWave(e)
	x.issue(e, c.site(e))
	if x.wave.comesTo(e.PC); x.branches {
		x.wave.branched = x.site
	}
	for _, a := range c.analyses {
		if a.issue != nil {
			a.issue(c, x)
		}
	}
}

// Retire implements [sim.Watcher].
func (c *Checker) Retire(e *sim.Event) {
	x := &c.step
	if c.switchWave(e) { // the wave has waited while other waves executed
		x.issue(e, c.site(e))
	}
	x.Event = e
	for _, a := range c.analyses {
		if a.retire != nil {
			a.retire(c, x)
		}
	}
}

// switchWave switches c.step to the wave of event e. It reports whether the wave changes.
func (c *Checker) switchWave(e *sim.Event) (other bool) {
	if w := c.step.wave; w != nil && w.Wave == e.Wave {
		return false
	}
	if n := e.Wave.ID; n < len(c.waves) && c.waves[n].Wave == e.Wave { // most often
		c.step.wave = c.waves[n]
		return true
	}
	for _, w := range c.waves {
		if w.Wave == e.Wave {
			c.step.wave = w
			return true
		}
	}
	panic("check: an event of a wave that no call of Begin named")
}

// Findings returns all findings so far that are not suppressed, sorted by PC. Findings about settings come first.
func (c *Checker) Findings() []Finding {
	var found []Finding
	for _, f := range c.settings {
		found = append(found, *f)
	}
	for _, s := range c.order {
		for _, f := range s.found {
			if c.suppressor(f.Kind, s) < 0 {
				told := f.excused()
				told.Message, told.Fix = told.message.String(), told.fix.String()
				found = append(found, told)
			}
		}
	}
	found = append(found, c.notMet(found)...)
	sortFindings(found)
	return found
}

// Setting adds a finding of kind [Ignored] about a setting of a run that has no effect. rule is the id of the rule that
// says so, or "" if there is none. message is a sentence.
func (c *Checker) Setting(name, rule, message string) { c.setting(Warning, name, rule, message) }

func (c *Checker) setting(severity Severity, name, rule, message string) {
	if c.has(Ignored) {
		c.general(Ignored, severity, name, rule, message)
	}
}

// general adds a finding that is not about an instruction.
func (c *Checker) general(kind Kind, severity Severity, name, rule, message string) {
	for _, f := range c.settings {
		if f.Field == name && f.Rule == rule && f.Message == message {
			f.Count++
			return
		}
	}
	c.settings = append(c.settings, &Finding{
		Kind: kind, Severity: severity, Field: name, Lane: state.NoLane, Count: 1, Rule: rule, Message: message,
	})
}
