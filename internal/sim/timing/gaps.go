package timing

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// gap is an effect of hardware that the model omits.
type gap struct {
	what string
	// in reports whether the effect concerns a program with the instruction; nil means every program
	in func(*isa.Inst) bool
}

var gaps = []gap{
	{"address translation takes no time: boards take 60 ns more for accesses all over a gigabyte", nil},
	{"private memory has one address for all work-groups: caches serve it better than on hardware", nil},
	{"units keep the order of issue; what a cache has is decided when an instruction issues", nil},
	{"a line of L2 that a store wrote in part has all its bytes: a load of the others does not go to DRAM", func(in *isa.Inst) bool { return in.Row().Mem.Op == gcn.Store }},
	{"a loop that waits for another wave turns as often as in the run, where waves take turns", func(in *isa.Inst) bool {
		return in.Row().Has(isa.Branch) && in.Has(isa.SIMM16) && int16(in.Get(isa.SIMM16)) < 0
	}},
	{"the clock that waves read runs work-groups one after another, alone on the chip", func(in *isa.Inst) bool {
		return in.Row().Control == isa.ReadsClock
	}},
	{"waves do not wait for one another at GWS resources and ordered counts", func(in *isa.Inst) bool {
		return in.Row().Has(isa.GDSOnly)
	}},
	{"of the texels that a filter takes only those of the first address are looked up in caches", func(in *isa.Inst) bool { return in.Row().Has(isa.Sampler) }},
	{"FLAT accesses complete in the order of issue", func(in *isa.Inst) bool { return in.Row().Enc == isa.FLAT }},
	{"exports take no time beyond their issue", func(in *isa.Inst) bool { return in.Row().Enc == isa.EXP }},
}

// leftOut returns the effects that the model omits.
func leftOut() []string {
	var all []string
	for _, g := range gaps {
		all = append(all, g.what)
	}
	return all
}

// notModelled returns the omitted effects that concern the program.
func (m *Model) notModelled() []string {
	var all []string
	for _, g := range gaps {
		for i := range m.rec.ops {
			if g.in == nil || g.in(&m.rec.ops[i].in) {
				all = append(all, g.what)
				break
			}
		}
	}
	if m.mostPaused > 0 {
		all = append(all, tookTurns)
	}
	if s := &m.sampler.all; s.Groups > 0 { // sampling omitted work-groups
		all = append(all, fmt.Sprintf("sampled: counters, metrics and the timeline are those of the %s that were timed",
			plural.Of(int(s.Timed), "work-group")))
	}
	return all
}
