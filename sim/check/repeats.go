package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/sim"
)

// This file lists the accesses of a batch to LDS without looking at their addresses. If a wave executes a batch again,
// with the same EXEC, and nothing has written an address register in between, its accesses reach the same bytes as the
// time before.

// repeated is a batch that a wave has executed.
type repeated struct {
	*batch
	// known is set if all accesses to LDS were listed the latest time, and neither the batch nor what the wave has
	// executed since has written their addresses.
	known bool
	exec  uint64 // EXEC of then
}

// repeatedBatches are some batches that a wave has executed, since it executed an instruction that is in no segment.
type repeatedBatches struct {
	all      []repeated
	executed uint64 // how many instructions the wave had executed at the end of its latest segment
}

// maxRepeated bounds the batches that are kept of a wave.
const maxRepeated = 4

// pass is called when the wave executes s; it had executed so many instructions before. pass drops all batches if the
// wave has executed an instruction outside of segments since, and marks those unknown whose addresses s writes.
func (k *repeatedBatches) pass(s *segment, executed uint64) {
	if k.executed != executed {
		k.all = k.all[:0]
	}
	k.executed = executed + s.n
	for i := range k.all {
		b := &k.all[i]
		b.known = b.known && !b.addresses.meets(&s.writes)
	}
}

// find returns b, nil if it is not kept.
func (k *repeatedBatches) find(b *batch) *repeated {
	for i := range k.all {
		if k.all[i].batch == b {
			return &k.all[i]
		}
	}
	return nil
}

// add keeps the batch of s, which the wave has just executed with EXEC exec. all is set if the list has all accesses of
// the batch to LDS.
func (k *repeatedBatches) add(s *segment, exec uint64, all bool) {
	at := k.find(s.batch)
	if at == nil {
		if len(k.all) == maxRepeated {
			k.all = k.all[:0]
		}
		k.all = append(k.all, repeated{batch: s.batch})
		at = &k.all[len(k.all)-1]
	}
	at.exec, at.known = exec, all && !s.batch.addresses.meets(&s.writes)
}

// listAgain lists the accesses of b to LDS that wave w has just made, if it made them there the time before. w had
// executed so many instructions before b. listAgain returns those that it has listed, as bits: all up to the first one
// that meets another wave.
func (c *Checker) listAgain(e *sim.Event, w *wave, b *batch, executed uint64) (listed uint64) {
	l, k := &c.races.list, w.repeats.find(b)
	if k == nil || !k.known || k.exec != c.skipping.exec {
		return 0
	}
	l.makeRows(len(e.LDS))
	for listed != b.listable {
		a := &b.accesses[bits.TrailingZeros64(b.listable&^listed)]
		p := a.places[w.ID]
		if !c.mayList(a) || !l.reach(p) {
			break
		}
		l.append(p, a, w, executed)
		listed |= a.group
	}
	return listed
}
