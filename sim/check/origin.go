package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// tag is the origin of an undefined value. 1 to registers.NumRegs is a register that was never written; higher ones
// are indices in [origins]. Origins are best effort, shadows are exact.
type tag uint32

// neverWritten returns the origin of a register that was never written.
func neverWritten(r reg) tag { return tag(r) + 1 }

// maxOrigins limits the number of origins. If it is reached, a copied value keeps the origin of its source.
const maxOrigins = 1 << 16

// originEntry is undefined memory, described by text, or the latest instruction that copied a value.
type originEntry struct {
	root tag    // the origin that it is a copy of
	text string // of a root
	site *site  // of a copy
	at   Site   // the same, without text
}

type originKey struct {
	root tag
	site *site
}

// origins are the origins besides registers.
type origins struct {
	list []originEntry
	of   map[originKey]tag
}

func (o *origins) entry(from tag) *originEntry {
	if from <= numRegsOrigin {
		return nil
	}
	return &o.list[from-numRegsOrigin-1]
}

const numRegsOrigin = tag(registers.NumRegs)

// memory returns an origin for memory that text describes.
func (o *origins) memory(text string) tag {
	o.list = append(o.list, originEntry{text: text})
	return numRegsOrigin + tag(len(o.list))
}

// left returns the origin of bits that instruction s leaves undefined. text describes the bits.
func (o *origins) left(text string, s *site) tag {
	key := originKey{site: s}
	to, ok := o.of[key]
	if !ok {
		if o.of == nil {
			o.of = map[originKey]tag{}
		}
		to = o.memory(text)
		o.of[key] = to
	}
	return to
}

// through returns the origin of x's result, computed from a value with origin from.
func (o *origins) through(from tag, x *step) tag {
	root := from
	if e := o.entry(from); e != nil && e.site != nil {
		root = e.root
	}
	key := originKey{root, x.site}
	if to, ok := o.of[key]; ok {
		return to
	}
	if len(o.list) >= maxOrigins {
		return from
	}
	o.list = append(o.list, originEntry{root: root, site: x.site,
		at: Site{PC: x.at, Inst: gcn.Inst(x.inst), Index: x.executed, Group: x.Wave.Group, Wave: x.Wave.ID}})
	to := numRegsOrigin + tag(len(o.list))
	if o.of == nil {
		o.of = map[originKey]tag{}
	}
	o.of[key] = to
	return to
}

// describe describes where a value came from, and returns the latest instruction that copied it, or nil.
func (o *origins) describe(from tag, in *isa.Inst) (text said, by *site, at Site) {
	e := o.entry(from)
	if e == nil {
		return say("%s", o.rootText(from, in)), nil, Site{}
	}
	if e.site == nil {
		return say("%s", e.text), nil, Site{}
	}
	at = e.at
	s := e.site
	at.Text, at.Symbol, at.Source = s.text(), s.from.Symbol(s.at), s.from.Source(s.at)
	return say("%s; it came here through %v", o.rootText(e.root, in), pc(e.site.at)), e.site, at
}

func (o *origins) rootText(root tag, in *isa.Inst) string {
	if e := o.entry(root); e != nil {
		return e.text
	}
	r := reg(root - 1)
	return r.Name(in, &isa.Effect{Dwords: 1}) + " was never written"
}
