package check

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
)

// counter is a counter of S_WAITCNT.
type counter uint8

// The counters.
const (
	vmcnt counter = iota
	expcnt
	lgkmcnt
	numCounters
)

var counterNames = [numCounters]string{"vmcnt", "expcnt", "lgkmcnt"}

var _ = enum.Full[counter](counterNames[:])

// counterSet is a set of counters.
type counterSet uint8

func (s counterSet) has(c counter) bool { return s>>c&1 != 0 }

// entry is an instruction that is outstanding in a counter.
type entry struct {
	site  *site
	index uint64 // instructions that the wave had executed before
	lanes uint64 // EXEC at issue, or the lanes of its registers

	in    counterSet         // counters that may still count it
	need  counterSet         // counters that prove its results and its memory effects
	order [numCounters]order // for each counter, the order in which it leaves
	since [numCounters]int   // value of added when it issued, for its class
	done  bool               // it is complete, or a finding has already named it
	freed bool               // it has read its sources

	// These fields are only used on paths. mask is EXEC at issue, and the next field says whether only other lanes
	// may have been active since. The others say where it accesses memory, whether there are notes about it, and the
	// blocks since it issued, or nil if it issued in the current block.
	mask  exact.Mask
	apart bool
	bytes byteRange
	noted [2]bool
	via   *trail

	acts   acts // what it does to memory
	memory *footprint
	lds    *footprint
}

// complete reports whether e is proved by all counters that it needs (rule W8).
func (e *entry) complete() bool { return e.done || e.need&e.in == 0 }

// maxOutstanding limits a checker's record of a wave. Instructions that leave their counters in order cannot be that
// many; of others the oldest are forgotten.
const maxOutstanding = 256

// counters are the instructions of a wave that may be outstanding, in issue order.
type counters struct {
	live    []entry
	added   [numCounters][numOrders]int // increments of each counter by all instructions of a class
	results regset                      // registers that live instructions will still write
	sources regset                      // registers that they will still read
	acts    acts                        // memory accesses that they may still make
	spare   []*footprint                // storage for reuse
}

// reset prepares q for a wave without outstanding instructions. It keeps storage.
func (q *counters) reset() {
	for i := range q.live {
		q.recycle(&q.live[i])
	}
	q.live, q.added = q.live[:0], [numCounters][numOrders]int{}
	q.settle()
}

// younger returns the increments of counter c by e and by later instructions of its class.
func (q *counters) younger(e *entry, c counter) int { return q.added[c][e.order[c]] - e.since[c] }

// wait processes a wait until counter c is at most n. What the wait proves depends on the order in which instructions
// of a class leave the counter (rule W8).
func (q *counters) wait(c counter, n int) {
	proved := false
	for i := range q.live {
		e := &q.live[i]
		if e.in.has(c) && (n == 0 || e.order[c] != unordered && q.younger(e, c) > n) {
			e.leave(c)
			proved = true
		}
	}
	if proved {
		q.settle()
	}
}

// waitFor processes an S_WAITCNT.
func (q *counters) waitFor(w *waitFacts) {
	for k, n := range w.until {
		if n < noWait {
			q.wait(counter(k), n)
		}
	}
}

// makeRoom processes the implicit wait of x if a counter is full (rule W9).
func (q *counters) makeRoom(x *step) {
	w := &x.wait
	if w.path == noPath || len(q.live) == 0 {
		return
	}
	top := maxima(isa.TraitsOf(x.Wave.Target))
	for k, n := range w.counts {
		if n > 0 {
			q.wait(counter(k), top[k]-int(n))
		}
	}
}

// leave removes e from counter c.
func (e *entry) leave(c counter) {
	f := &e.site.wait
	e.in &^= 1 << c
	e.freed = e.freed || f.releases.has(c)
	if c == vmcnt && e.in.has(expcnt) && f.order[expcnt] == orderStoreData {
		e.leave(expcnt) // an acknowledged store has read its data (rule W8)
	}
}

// settle removes complete instructions.
func (q *counters) settle() {
	kept := q.live[:0]
	q.results, q.sources, q.acts = regset{}, regset{}, 0
	for i := range q.live {
		e := &q.live[i]
		complete := e.complete()
		if complete && (e.freed || !e.site.wait.late) {
			q.recycle(e)
			continue
		}
		q.count(e, complete)
		kept = append(kept, *e)
	}
	q.live = kept
}

// count adds e to the summary of all instructions in q.
func (q *counters) count(e *entry, complete bool) {
	if !complete {
		q.results.union(&e.site.wait.results)
		q.acts |= e.acts
	}
	if e.site.wait.late && !e.freed {
		q.sources.union(&e.site.wait.sources)
	}
}

// add records e as outstanding. full says that the oldest instruction had to be forgotten.
func (q *counters) add(e *entry) (full bool) {
	if full = len(q.live) >= maxOutstanding; full {
		q.live[0].done, q.live[0].freed = true, true
		q.settle()
	}
	for c := range numCounters {
		if n := e.site.wait.counts[c]; n > 0 {
			e.in |= 1 << c
			e.since[c] = q.added[c][e.order[c]]
			q.added[c][e.order[c]] += int(n)
		}
	}
	q.count(e, e.complete())
	q.live = append(q.live, *e)
	return full
}

// proves returns the largest value of counter c that proves that e is complete.
func (q *counters) proves(e *entry, c counter) int {
	if e.order[c] == unordered {
		return 0
	}
	return q.younger(e, c) - 1
}

// provedToo marks older instructions that write r as complete, if the wait that proves e, on all counters of a set,
// also proves them. A single missing wait is thus reported once.
func (q *counters) provedToo(e *entry, r reg, prove counterSet) {
	for i := range q.live {
		other := &q.live[i]
		if other == e {
			return
		}
		covered := other.site.wait.results.has(r) && other.need&other.in&^prove == 0
		for k := range numCounters {
			if prove.has(k) && e.order[k] != unordered && other.order[k] != e.order[k] {
				covered = false
			}
		}
		other.done = other.done || covered
	}
}

func (q *counters) recycle(e *entry) {
	for _, f := range [...]*footprint{e.memory, e.lds} {
		if f != nil {
			q.spare = append(q.spare, f)
		}
	}
	e.memory, e.lds = nil, nil
}
