package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// issue is what a finding of kind [Ignored] says.
type issue struct {
	severity Severity
	field    string
	rule     string
	message  string
	fix      string
}

// is appends an issue to list if cond is true.
func (list *issues) is(cond bool, severity Severity, field, rule, message string) {
	if cond {
		*list = append(*list, issue{severity: severity, field: field, rule: rule, message: message})
	}
}

type issues []issue

// ignored finds what has no effect, or not the one that it asks for: bits and registers of
// the instruction, fields of its resources, and parts of MODE and STATUS.
func (c *Checker) ignored(e *sim.Event, s *site) {
	if !s.static {
		s.static = true
		s.fixed = append(s.fixed, encodingIssues(e.Inst)...)
		s.fixed = append(s.fixed, registerIssues(e.Inst, e.Wave)...)
		s.trap = trapRegister(e.Inst)
	}
	s.report(e, s.fixed)
	c.shared(e, s)
	c.trapRegisters(e, s)
	c.stateBits(e, s)
	switch in := e.Inst; in.Enc {
	case gcn.MUBUF, gcn.MTBUF:
		s.resource(e, int(in.Get(gcn.SRSRC))*4, len(gcn.VSharp{}), bufferIssues)
	case gcn.MIMG:
		n := len(gcn.TSharp{})
		if in.Bool(gcn.R128) {
			n /= 2
		}
		s.resource(e, int(in.Get(gcn.SRSRC))*4, n, imageIssues)
		if in.Row().Has(gcn.Sampler) {
			s.samplerResource(e, int(in.Get(gcn.SSAMP))*4, len(gcn.SSharp{}), samplerIssues)
			levelIssue(e, s)
		}
	case gcn.SMEM:
		if in.Row().Has(gcn.BufferBase) {
			s.resource(e, int(in.Get(gcn.SBASE))*2, len(gcn.VSharp{}), scalarIssues)
		}
	case gcn.FLAT:
		if m := privateAtomics(e); m != 0 {
			if f := s.lanes(e, Ignored, Error, "F5", m); f != nil {
				f.Message += "in private memory, where there are no atomics: MEMVIOL, and nothing is done"
			}
		}
	}
}

// report counts issues of s, or makes findings of them.
func (s *site) report(e *sim.Event, list issues) {
	for i := range list {
		x := &list[i]
		if f := s.first(e, Ignored, x.field, x.rule); f != nil {
			f.Severity, f.Message, f.Fix = x.severity, x.message, x.fix
		}
	}
}

// descriptor is what a site made of the words of a resource.
type descriptor struct {
	words [8]uint32
	rules state.Rules
	known bool
	list  issues
}

// resource reports what find says about the resource in n SGPRs from first on. It is
// asked again only if the words change.
func (s *site) resource(e *sim.Event, first, n int, find func(e *sim.Event, words []uint32) issues) {
	s.image.update(e, first, n, find)
	s.report(e, s.image.list)
}

// samplerResource is resource of a second one.
func (s *site) samplerResource(e *sim.Event, first, n int, find func(e *sim.Event, words []uint32) issues) {
	s.sampler.update(e, first, n, find)
	s.report(e, s.sampler.list)
}

func (d *descriptor) update(e *sim.Event, first, n int, find func(e *sim.Event, words []uint32) issues) {
	var words [8]uint32
	copy(words[:n], e.Wave.S[first:])
	if d.known && d.words == words && d.rules == e.Ports.Rules {
		return
	}
	d.words, d.rules, d.known = words, e.Ports.Rules, true
	d.list = find(e, words[:n])
}
