package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// cache is a cache that is not coherent with stores.
type cache uint8

// The caches.
const (
	vectorCache cache = iota // the L1 of the compute unit (rule RC8)
	scalarCache              // rule RC9
	noCache
	numCaches = int(noCache)
)

// invalidate invalidates a cache: accesses that the wave of x knows about will be read from L2.
func (r *races) invalidate(x *step, k cache) {
	if k == scalarCache {
		x.wave.race.invalidated, x.wave.race.invalidatedIn = x.executed, r.epoch
	}
	if r.fresh[k] == nil {
		r.fresh[k] = clock{}
	}
	r.fresh[k].add(r.historyOf(x.wave.race.number).clock)
}

// meetCache judges a load after the store t: a cache may still have the old value.
func (c *Checker) meetCache(h *hand, t *record) {
	switch c.isStale(h, t) {
	case scalarCache:
		c.stale(h, t, Error, "the scalar cache", "s_dcache_inv", "RC9")
	case vectorCache:
		severity := Note
		if c.races.hasRead(h) {
			severity = Warning
		}
		c.stale(h, t, severity, "the L1 of this compute unit", invalidatesL1(h.inst.Target), "RC8")
	}
}

// isStale returns the cache that may still have the value from before the store t when the current load reads it, or
// noCache.
func (c *Checker) isStale(h *hand, t *record) cache {
	r := &c.races
	if t.nature&stores == 0 || !c.seesStale || h.sh != &r.memory {
		return noCache
	}
	other := t.last.group != r.group
	fresh := func(k cache) bool {
		return r.fresh[k].has(r.number(&t.last), classOf(h.sh.space, t.nature), t.last.index)
	}
	w := &h.wave.race
	switch {
	case h.op&scalar != 0 && t.nature&scalar == 0:
		var stale bool
		switch {
		case other:
			stale = !fresh(scalarCache)
		case t.last.wave == h.now.wave:
			stale = uint64(t.last.index) >= w.invalidated && h.wave.counters.completed(uint64(t.last.index))
		default:
			stale = t.epoch >= w.invalidatedIn
		}
		if stale {
			return scalarCache
		}
	case h.op&(scalar|missesL1) == 0 && other && !fresh(vectorCache):
		return vectorCache
	}
	return noCache
}

// invalidatesL1 returns the processor's instruction that invalidates the vector L1, so that stores of other units
// become visible.
func invalidatesL1(t gcn.Target) string {
	for _, name := range [...]string{"buffer_wbinvl1_vol", "buffer_wbinvl1"} {
		if _, err := isa.Lookup(name, t); err == nil {
			return name
		}
	}
	return ""
}

// lineBytes is the size of a line of the vector L1.
const lineBytes = 64

// hasRead reports whether this work-group has already read the L1 line of the current access.
func (r *races) hasRead(h *hand) bool {
	line := h.addr &^ (lineBytes - 1)
	for at := line; at < line+lineBytes; at += 4 {
		for n := h.sh.find(at); n != 0; n = h.sh.touch(n).next {
			t := h.sh.touch(n)
			same := t.last.wave == h.now.wave && t.last.index == h.now.index
			if t.nature&(stores|scalar|missesL1) == 0 && t.last.group == r.group && (!same || bits.OnesCount32(t.waves) > 1) {
				return true
			}
		}
	}
	return false
}

// stale reports that the current load may not see the store t.
func (c *Checker) stale(h *hand, t *record, severity Severity, where, fix, rule string) {
	from := c.order[t.site]
	f := c.merge(h.site, defect{kind: StaleCache, space: h.sh.space.String(), rule: rule, from: from}, severity)
	if f == nil {
		return
	}
	producer, addr := c.place(from, &t.last), h.addr
	f.Site, f.Producer = c.place(h.site, &h.now), &producer
	f.Severity, f.Lane, f.Addr = severity, laneOf(&h.now), &addr
	f.message = say("%v has stored here, and %s may hold what was there before", from.named(), where)
	f.fix = say("%s before %v", fix, pc(h.at))
}
