package check

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// This file orders accesses by releases and acquires (rule RC4). A release is a store or an atomic. An acquire is a
// later access to the same dword: an atomic that returns a value, a load with GLC, or a load from LDS that polls. All
// accesses that were complete when the release issued are before all instructions that issue after the acquire is
// complete. A barrier is a release and an acquire of all its waves. In programs that cannot acquire none of this is
// done.

// class is the kind of an access, by the counter that proves its completion.
type class uint8

// The classes.
const (
	ofVector class = iota
	ofLDS
	ofScalar
	numClasses
)

// classOf returns the class of a touch of a memory.
func classOf(space state.Space, n nature) class {
	switch {
	case n&scalar != 0:
		return ofScalar
	case space != state.Global:
		return ofLDS
	}
	return ofVector
}

// progress describes which accesses were complete when a wave had executed index instructions: for each class, all
// accesses of instructions before a number.
type progress struct {
	index uint32
	until [numClasses]uint32
}

// release identifies the instruction of a release, by the wave's number in the dispatch.
type release struct {
	wave, index uint32
	site        uint32
}

// noSite is the site of a barrier's release.
const noSite = ^uint32(0)

// acquire is an acquire of a wave: it has acquired all that the releases publish.
type acquire struct {
	at    uint32 // instructions that the wave had executed before the acquire
	since uint32 // instructions before the first one after the acquire is complete
	where location
	from  []release
}

// history orders a wave with other waves.
type history struct {
	progress []progress // at each release, by index
	acquired []acquire  // complete acquires, sorted by since
	clock    clock
}

// historyOf returns the history of a wave. The first call creates the histories of all waves that have begun, so a
// dispatch whose memory orders nothing has none.
func (r *races) historyOf(wave uint32) *history {
	for uint32(len(r.history)) < r.numWaves {
		r.history = append(r.history, history{})
	}
	return &r.history[wave]
}

// known describes which accesses of another wave are before the next access of a wave.
type known struct {
	until    [numClasses]uint32 // accesses of each class before these instructions
	seen     uint32             // instructions up to the latest release that was acquired
	acquired uint32             // number of the other wave's acquires that were applied
	site     uint32             // site of that release
	where    location           // dword at which it was acquired
}

// clock has, for each other wave, the accesses that are before the next access of a wave.
type clock map[uint32]known

// has reports whether an access is before the wave's next one.
func (c clock) has(wave uint32, k class, index uint32) bool { return c[wave].until[k] > index }

// add adds the entries of other.
func (c clock) add(other clock) {
	for wave, b := range other {
		a := c[wave]
		for k := range a.until {
			a.until[k] = max(a.until[k], b.until[k])
		}
		c[wave] = a
	}
}

// location is a dword.
type location struct {
	space state.Space
	dword uint64
}

// atomics are the atomics on a location, which later ones may acquire.
type atomics struct {
	all  []release
	kept int // the first kept entries must not change, because they were acquired
}

// number returns the number of a wave in the dispatch.
func (r *races) number(m *moment) uint32 { return r.groups[m.group].base + uint32(m.wave) }

// record records which accesses of w are complete. w has executed index instructions.
func (r *races) record(w *wave, index uint32) {
	p := progress{index: index, until: [numClasses]uint32{index, index, index}}
	live := w.counters.live
	for i := range live {
		e := &live[i]
		if e.complete() {
			continue
		}
		of := func(a acts, k class) {
			if e.acts&a != 0 {
				p.until[k] = min(p.until[k], uint32(e.index))
			}
		}
		of(vectorRead|vectorWrite, ofVector)
		of(ldsRead|ldsWrite|transferIn|transferOut, ofLDS)
		if e.site.wait.path == pathGDS {
			p.until[ofLDS] = min(p.until[ofLDS], uint32(e.index))
		}
		of(scalarRead|scalarWrite, ofScalar)
	}
	h := r.historyOf(w.race.number)
	h.progress = append(h.progress, p)
	r.logged += progressBytes
}

// Sizes for [races.bytes].
const (
	progressBytes = 16
	releaseBytes  = 12
	acquireBytes  = 48
	historyBytes  = 64
)

// at returns the progress at a release.
func (h *history) at(index uint32) progress {
	i, ok := slices.BinarySearchFunc(h.progress, index,
		func(p progress, index uint32) int { return int(p.index) - int(index) })
	if ok {
		return h.progress[i]
	}
	return progress{}
}

// settleAcquires applies acquires of w that are complete before x issues.
func (r *races) settleAcquires(x *step) {
	w := &x.wave.race
	kept := w.acquiring[:0]
	for _, a := range w.acquiring {
		if !x.wave.counters.completed(uint64(a.at)) {
			kept = append(kept, a)
			continue
		}
		a.since = uint32(x.executed)
		r.acquired(w.number, &a)
	}
	w.acquiring = kept
}

// acquired applies an acquire to the wave's history.
func (r *races) acquired(wave uint32, a *acquire) {
	h := r.historyOf(wave)
	h.acquired = append(h.acquired, *a)
	r.logged += acquireBytes + uint64(len(a.from))*releaseBytes
	if h.clock == nil {
		h.clock = clock{}
	}
	todo := slices.Clone(a.from)
	for len(todo) > 0 {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		k := h.clock[from.wave]
		if from.wave == wave || k.seen > from.index {
			continue
		}
		other := r.historyOf(from.wave)
		for class, n := range other.at(from.index).until {
			k.until[class] = max(k.until[class], n)
		}
		k.seen, k.site, k.where = from.index+1, from.site, a.where
		for ; int(k.acquired) < len(other.acquired) && other.acquired[k.acquired].since <= from.index; k.acquired++ {
			todo = append(todo, other.acquired[k.acquired].from...)
		}
		h.clock[from.wave] = k
	}
}

// mayAcquire reports whether an instruction may acquire a release: it reads memory that all waves share.
func mayAcquire(in *isa.Inst) bool {
	switch r := in.Row(); {
	case r.Mem.Op == gcn.Atomic && r.Enc == isa.DS:
		return r.Mem.Ret
	case r.Mem.Op == gcn.Atomic, r.Mem.Op == gcn.Load && r.Enc != isa.SMEM && r.Enc != isa.DS:
		return in.Bool(isa.GLC)
	}
	return false
}

// synchronize makes the current access to the dword at addr acquire and release.
func (c *Checker) synchronize(h *hand, head uint32, addr uint64) {
	r := &c.races
	at := location{h.sh.space, addr / 4}
	list := r.locations[at]
	if list == nil {
		list = &atomics{}
	}
	if h.acquires {
		from := slices.Clip(list.all)
		for n := head; n != 0; n = h.sh.touch(n).next {
			t := h.sh.touch(n)
			if t.nature&(stores|atomic) == stores {
				from = append(from, release{r.number(&t.last), t.last.index, t.site})
			}
		}
		if slices.ContainsFunc(from, func(f release) bool { return !r.knows(h.wave, f) }) {
			h.wave.race.acquiring = append(h.wave.race.acquiring, acquire{at: h.now.index, where: at, from: from})
			list.kept = len(list.all)
		}
	}
	if h.op&atomic == 0 {
		return
	}
	now := release{h.wave.race.number, h.now.index, h.number}
	if n := len(list.all); n > list.kept && list.all[n-1].wave == now.wave {
		list.all[n-1] = now
		return
	}
	list.all = append(list.all, now)
	r.locations[at] = list
	r.logged += releaseBytes
}

// knows reports whether w has acquired a release, or has an acquire of it that is not complete.
func (r *races) knows(w *wave, f release) bool {
	if f.wave == w.race.number || r.historyOf(w.race.number).clock[f.wave].seen > f.index {
		return true
	}
	for _, a := range w.race.acquiring {
		if slices.Contains(a.from, f) {
			return true
		}
	}
	return false
}

// observed reports whether the current wave has acquired the value that t stored to the current dword of LDS. The
// store has then reached LDS, whether it is counted as complete or not. In memory this does not hold, because a cache
// may have another value.
func (r *races) observed(h *hand, t *record) bool {
	if h.sh.space != state.LDS {
		return false
	}
	k := r.historyOf(h.wave.race.number).clock[r.number(&t.last)]
	return k.seen == t.last.index+1 && k.site != noSite && k.where == location{h.sh.space, h.addr / 4}
}

// before reports whether releases and acquires order an access before the next access of w.
func (r *races) before(w *wave, space state.Space, n nature, m *moment) bool {
	return r.historyOf(w.race.number).clock.has(r.number(m), classOf(space, n), m.index)
}

// meetAtBarrier makes the accesses of all waves before a barrier known to all waves.
func (c *Checker) meetAtBarrier() {
	r := &c.races
	from := make([]release, len(c.waves))
	for i, w := range c.waves {
		index := uint32(w.Executed)
		if w.Ended {
			r.record(w, index)
		}
		from[i] = release{w.race.number, index, noSite}
	}
	r.logged += uint64(len(from)) * releaseBytes
	for _, w := range c.waves {
		r.acquired(w.race.number, &acquire{since: uint32(w.Executed), from: from})
	}
}
