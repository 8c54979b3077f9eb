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
	features codeobj.Features // what the code object of the run at hand says

	// The instructions that were met: by what tells them apart, in order, and by their
	// place in the latest programs.
	sites map[siteKey]*site
	order []*site
	code  []*code

	bare *sim.Machine // whose bare waves ran last, nil if none did

	// The work-group at hand, and the instruction that it executes.
	waves    []*wave
	anyEnded bool // a wave of it has ended
	step     step
	pool     []*wave // of work-groups that have ended

	trial    *trial // judges segments
	skipping skipping
	noAccess state.Access // of the last instruction of a batch, see [Checker.retireLast]
	whole    bool         // each instruction is judged by itself

	// Whether it looks for races, and for some kinds that are asked for often.
	seesWaits, seesRaces, seesOrder, seesStale, seesBarriers bool

	forgotten    *Finding // that an outstanding instruction was
	movedTouches touches  // of the instruction at hand, if its registers move
	races        races

	// What the run at hand has been found to use, for findings of kind Ignored.
	mode, status uint32 // bits that were seen
	sharing      map[alias]*sharing

	undef       undefined
	pools, next []pool // of [Checker.Parts], of the run at hand and of the next one
	frame       uint64 // bytes of private memory of a work-item, 0 if that is not known

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

// Needs is part of [sim.Watcher].
func (c *Checker) Needs() sim.Needs {
	n := sim.Needs{Events: sim.BeforeAndAfter, Compare: c.compares()}
	if c.has(PastEnd) && !c.Options.Snippet {
		n.PastEnd = c.pastEnd
	}
	return n
}

// Unseen says what the checker need not see: see package unseen.
func (c *Checker) Unseen() any {
	return unseen.Needs[*sim.Event]{Skip: c.skip, Skipped: c.skipped}
}

// pastEnd adds the finding of a wave that has run past the last word of its program.
func (c *Checker) pastEnd(w *state.Wave) {
	severity := Note
	if c.Options.Whole {
		severity = Error
	}
	c.general(PastEnd, severity, "", "ST24", fmt.Sprintf(
		"the program ends at 0x%x without s_endpgm; hardware executes what lies behind it", w.PC))
}

// Start is part of [sim.Watcher]: it looks at the settings of the run, and makes c forget what it knew
// of registers and memory. Bare waves that follow others on the same machine go on with what those
// left; they race with none of them. In a dispatch from registers, what the host has in memory counts
// as written.
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

// compares reports whether c needs access records that compare.
func (c *Checker) compares() bool { return c.has(RulesDiffer) || c.has(Ignored) }

// forget forgets what an earlier run used.
func (c *Checker) forget() {
	c.mode, c.status, c.forgotten, c.features, c.frame = 0, 0, nil, codeobj.Features{}, 0
	c.pools, c.next = c.next, nil
	clear(c.sharing)
	c.races.byLane = false
}

// Begin is part of [sim.Watcher].
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

// Issue is part of [sim.Watcher].
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

// Retire is part of [sim.Watcher].
func (c *Checker) Retire(e *sim.Event) {
	x := &c.step
	if c.switchWave(e) { // it waited, while other waves had their turn
		x.issue(e, c.site(e))
	}
	x.Event = e
	for _, a := range c.analyses {
		if a.retire != nil {
			a.retire(c, x)
		}
	}
}

// switchWave switches c.step to the wave of event e. It reports whether that is another wave than before.
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

// Findings returns what was found so far and is not suppressed, by PC; findings about
// settings come first.
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

// Setting adds a finding of kind [Ignored] about something that a run is given and that
// has no effect: its name, the rule that says so, "" if none does, and a sentence.
func (c *Checker) Setting(name, rule, message string) { c.setting(Warning, name, rule, message) }

func (c *Checker) setting(severity Severity, name, rule, message string) {
	if c.has(Ignored) {
		c.general(Ignored, severity, name, rule, message)
	}
}

// general adds a finding about something that is no instruction.
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
