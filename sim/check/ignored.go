package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// issue is the content of a finding of kind [Ignored].
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

// ignored finds settings without an effect, or with another effect than they suggest: bits and registers of the
// instruction, fields of its resources, and parts of MODE and STATUS.
func (c *Checker) ignored(x *step) {
	s := x.site
	if !s.static {
		s.static = true
		s.fixed = append(s.fixed, encodingIssues((*isa.Inst)(x.Inst))...)
		s.fixed = append(s.fixed, registerIssues((*isa.Inst)(x.Inst), s.effects, x.Wave)...)
		s.trap = trapRegister((*isa.Inst)(x.Inst))
	}
	c.reportIssues(x, s.fixed)
	if x.shifted && x.outside >= 0 {
		x.outsideRegisters()
	}
	x.aligned()
	c.shared(x)
	c.trapRegisters(x)
	c.stateBits(x)
	switch in := (*isa.Inst)(x.Inst); in.Enc {
	case isa.MUBUF, isa.MTBUF:
		c.resource(x, &s.image, int(in.Get(isa.SRSRC))*4, len(gcn.VSharp{}), bufferIssues)
	case isa.MIMG:
		n := len(gcn.TSharp{})
		if in.Bool(isa.R128) {
			n /= 2
		}
		c.resource(x, &s.image, int(in.Get(isa.SRSRC))*4, n, imageIssues)
		if in.Row().Has(isa.Sampler) {
			c.resource(x, &s.sampler, int(in.Get(isa.SSAMP))*4, len(gcn.SSharp{}), samplerIssues)
			levelIssue(x)
		}
	case isa.SMEM:
		if in.Row().Has(isa.BufferBase) {
			c.resource(x, &s.image, int(in.Get(isa.SBASE))*2, len(gcn.VSharp{}), scalarIssues)
		}
	case isa.DS:
		x.negativeBase()
	case isa.FLAT:
		if m := x.privateAtomics(); m != 0 {
			if f := x.lanesFound(Ignored, Error, "F5", m); f != nil {
				f.message = f.message.and("in private memory, where there are no atomics: MEMVIOL, and nothing is done")
			}
		}
	}
}

// reportIssues makes findings of issues, or counts them if they exist.
func (c *Checker) reportIssues(x *step, list issues) {
	for i := range list {
		v := &list[i]
		d := defect{kind: Ignored, field: v.field, rule: v.rule}
		var f *Finding
		if v.severity == Doubt {
			f = c.doubt(x, d, "")
		} else {
			f = x.first(d)
		}
		if f != nil {
			f.Severity, f.message, f.fix = v.severity, say("%s", v.message), say("%s", v.fix)
		}
	}
}

// descriptor has the issues that a site found in the words of a resource.
type descriptor struct {
	words [8]uint32
	rules state.Rules
	known bool
	list  issues
}

// resource reports the issues that find returns for the resource in n SGPRs from first on. find is called again only
// if the words have changed.
func (c *Checker) resource(x *step, d *descriptor, first, n int, find func(e *sim.Event, words []uint32) issues) {
	d.update(x.Event, first, n, find)
	c.reportIssues(x, d.list)
}

func (d *descriptor) update(e *sim.Event, first, n int, find func(e *sim.Event, words []uint32) issues) {
	var words [8]uint32
	copy(words[:n], e.Wave.S[first:])
	if d.known && d.words == words && d.rules == e.Rules {
		return
	}
	d.words, d.rules, d.known = words, e.Rules, true
	d.list = find(e, words[:n])
}
