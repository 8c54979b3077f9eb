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
}

// Launch makes c look at what a dispatch of l executes, after the observer that l
// has.
func (c *Checker) Launch(l *sim.Launch) {
	l.Observer = after(l.Observer, c.Observe)
	l.Compare = l.Compare || c.Has(RulesDiffer)
}

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
	}
	for _, d := range c.detectors {
		d(c, &e, s)
	}
}

// Findings returns what was found so far, by PC.
func (c *Checker) Findings() []Finding {
	var all []Finding
	for _, s := range c.sites {
		for _, f := range s.found {
			all = append(all, *f)
		}
	}
	sortFindings(all)
	return all
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
	f := &Finding{
		Kind: k, Field: field, Rule: rule, Lane: state.NoLane, Count: 1,
		Site: Site{
			PC: e.PC, Inst: *e.Inst, Text: asm.Format(*e.Inst, asm.LLVM), Index: e.Wave.Executed - 1,
			Group: e.Wave.Group, Wave: e.Wave.ID,
		},
	}
	s.found = append(s.found, f)
	return f
}

// touches reports whether e accessed memory.
func touches(e *sim.Event) bool { return e.Access.Op != gcn.NoMem }
