package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Checker collects findings of the runs that it observes. It is not safe for use by
// several runs at a time.
type Checker struct {
	on        map[Kind]bool
	detectors []detector
	sites     map[siteKey]*site
	order     []*site // the same, as they were met
	settings  []*Finding

	// What the run at hand has been found to use, for findings of kind Ignored.
	mode, status uint32 // bits that were seen
	sharing      map[alias]*sharing
}

// detector looks at an executed instruction. The event is that of [sim.Observer].
type detector func(c *Checker, e *sim.Event, s *site)

// siteKey tells the instructions apart that a checker has seen: several programs may lie
// at one address, one after the other.
type siteKey struct {
	pc    uint64
	words uint64
}

// site is an instruction at its place.
type site struct {
	found []*Finding

	// For findings of kind Ignored.
	static         bool   // fixed and trap are known
	fixed          issues // what follows from the instruction
	trap           string // register of the trap handler that it names
	shares         bool   // registers are in Checker.sharing
	image, sampler descriptor
}

// New returns a checker for the kinds and groups of kinds that names chooses; see
// [Names]. The error is an *[UnknownKindError].
func New(names ...string) (*Checker, error) {
	on, err := chosen(names)
	if err != nil {
		return nil, err
	}
	c := &Checker{on: on, sites: map[siteKey]*site{}}
	for _, k := range kinds {
		if on[k.Kind] {
			c.detectors = append(c.detectors, k.find)
		}
	}
	return c, nil
}

// Has reports whether c looks for findings of a kind.
func (c *Checker) Has(k Kind) bool { return c.on[k] }

// Machine makes c look at what bare waves of m execute from now on, after the observer
// that m has.
func (c *Checker) Machine(m *sim.Machine) {
	m.Observer = after(m.Observer, c.Observe)
	m.Compare = m.Compare || c.Has(RulesDiffer)
	c.begin()
	c.machineSettings(m)
}

// Launch makes c look at what a dispatch of l on m executes, after the observer that l
// has, and at the settings of both.
func (c *Checker) Launch(m *sim.Machine, l *sim.Launch) {
	c.begin()
	c.launchSettings(m, l)
	l.Observer = after(l.Observer, c.Observe)
	l.Compare = l.Compare || c.Has(RulesDiffer)
}

// begin forgets what an earlier run used.
func (c *Checker) begin() { c.mode, c.status, c.sharing = 0, 0, map[alias]*sharing{} }

// after returns an observer that calls both; first may be nil.
func after(first, second sim.Observer) sim.Observer {
	if first == nil {
		return second
	}
	return func(e sim.Event) {
		first(e)
		second(e)
	}
}

// Observe is the [sim.Observer] of c. Findings of kind [RulesDiffer] need Compare of the
// machine or the launch, which [Checker.Machine] and [Checker.Launch] set.
func (c *Checker) Observe(e sim.Event) {
	key := siteKey{e.PC, e.Inst.Words}
	s := c.sites[key]
	if s == nil {
		s = &site{}
		c.sites[key] = s
		c.order = append(c.order, s)
	}
	for _, d := range c.detectors {
		d(c, &e, s)
	}
}

// Findings returns what was found so far, by PC; findings about settings come first.
func (c *Checker) Findings() []Finding {
	var all []Finding
	for _, f := range c.settings {
		all = append(all, *f)
	}
	for _, s := range c.order {
		for _, f := range s.found {
			all = append(all, *f)
		}
	}
	sortFindings(all)
	return all
}

// Setting adds a finding of kind [Ignored] about something that a run is given and that
// has no effect: its name, the rule that says so, "" if none does, and a sentence.
func (c *Checker) Setting(name, rule, message string) { c.setting(Warning, name, rule, message) }

func (c *Checker) setting(severity Severity, name, rule, message string) {
	if !c.Has(Ignored) {
		return
	}
	for _, f := range c.settings {
		if f.Field == name && f.Rule == rule && f.Message == message {
			f.Count++
			return
		}
	}
	c.settings = append(c.settings, &Finding{
		Kind: Ignored, Severity: severity, Field: name, Lane: state.NoLane, Count: 1, Rule: rule, Message: message,
	})
}

// first returns a new finding of s for the caller to fill in, or nil if there is one of
// the kind, field and rule already, which then counts one more.
func (s *site) first(e *sim.Event, k Kind, field, rule string) *Finding {
	for _, f := range s.found {
		if f.Kind == k && f.Field == field && f.Rule == rule {
			f.Count++
			return nil
		}
	}
	f := newFinding(e, k, field, rule)
	s.found = append(s.found, f)
	return f
}

// newFinding returns a finding at the instruction of e.
func newFinding(e *sim.Event, k Kind, field, rule string) *Finding {
	return &Finding{
		Kind: k, Field: field, Rule: rule, Lane: state.NoLane, Count: 1,
		Site: Site{
			PC: e.PC, Inst: *e.Inst, Text: asm.Format(*e.Inst, asm.LLVM), Index: e.Wave.Executed - 1,
			Group: e.Wave.Group, Wave: e.Wave.ID,
		},
	}
}

// touches reports whether e accessed memory.
func touches(e *sim.Event) bool { return e.Access.Op != gcn.NoMem }
