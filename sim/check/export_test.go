package check

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
)

// Loss says which facts are no longer proved if a program lacks a wait.
type Loss uint8

// The losses, from the smallest to the largest.
const (
	NoLoss     Loss = iota // all that the wait proves is proved without the wait
	MemoryOnly             // the wait proves accesses to memory, and no registers
	Registers              // the wait proves registers
)

// Lost returns the loss if the S_WAITCNT of e, which is about to issue, is replaced by instead, or deleted if instead
// is nil. If next is not nil, only the registers that next reads or writes count.
func (c *Checker) Lost(e *sim.Event, instead, next *isa.Inst) (loss Loss) {
	c.switchWave(e)
	q := &c.step.wave.counters
	outstanding := func(in *isa.Inst) map[uint64]*site {
		left := counters{live: slices.Clone(q.live), added: q.added}
		if in != nil {
			s := &site{inst: *in}
			c.waitFacts(s)
			for k, n := range s.wait.until {
				left.wait(counter(k), n)
			}
		}
		all := map[uint64]*site{}
		for i := range left.live {
			if x := &left.live[i]; !x.complete() || x.site.wait.late && !x.freed {
				all[x.index] = x.site
			}
		}
		return all
	}
	with := outstanding((*isa.Inst)(e.Inst))
	for index, s := range outstanding(instead) {
		switch {
		case with[index] != nil:
		case next != nil && !involves(next, s):
		case s.wait.results != (regset{}) || s.wait.late:
			return Registers
		default:
			loss = MemoryOnly
		}
	}
	return loss
}

// involves reports whether in reads or writes a register that s writes, or writes a register that s reads late.
func involves(in *isa.Inst, s *site) bool {
	for _, f := range in.Effects(nil) {
		var some regset
		for first, n := registers.Span(&f); n > 0; n-- {
			some.add(first + reg(n) - 1)
		}
		if some.meets(&s.wait.results) || f.Write && s.wait.late && some.meets(&s.wait.sources) {
			return true
		}
	}
	return false
}

// Has reports whether c looks for findings of kind k.
func (c *Checker) Has(k Kind) bool { return c.has(k) }

// FoundHere reports whether there is a finding at the latest instruction.
func (c *Checker) FoundHere() bool { return len(c.step.found) > 0 }

// SetSGPRs marks n scalar registers, from operand code first on, as initialized.
func (i *Inputs) SetSGPRs(first, n int) {
	for k := range n {
		i.Scalars[(first+k)&(isa.NumScalarCodes-1)] = true
	}
}

// OneByOne makes c judge each instruction by itself.
func (c *Checker) OneByOne() { c.whole = true }

// ByDwords makes c keep a record for each dword of memory, instead of records for many dwords.
func (c *Checker) ByDwords() { c.races.split = true }
