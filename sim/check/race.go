package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	native "github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// race finds accesses of one memory that nothing orders, and what caches make of them. It
// asks the counters of waits what is complete.
var race = analysis{after: &waits, begin: (*Checker).beginRaces, issue: (*Checker).issueRaces,
	retire: (*Checker).retireRaces, unseen: true}

// races is what a checker keeps of the memory accesses of a dispatch.
//
// Accesses of one wave are ordered (rule RC2), those of work-groups are not (rule RC5).
// Waves of a work-group take turns, each from one barrier to the next, so accesses are
// ordered by barriers if an epoch lies between them: a barrier that has opened or the
// begin of a work-group. An access that a barrier does not publish is kept apart, as a
// [straggler]. All conflicting pairs of instructions are found, in whichever order waves
// had their turns.
type races struct {
	lds, gds, memory shadow
	groups           []raceGroup
	epoch            uint32
	late             []straggler
	begun            bool     // the dispatch has had a work-group
	full             bool     // MaxBytes is reached
	loads            loadList // loads from memory that have no records yet
	listing          listing
	split            bool     // accesses are kept dword by dword alone
	pieces           []piece  // of the access at hand
	marks            []uint64 // for each dword of LDS the number of the latest store there, above four bits for its bytes
	mark             uint64   // numbers stores
	lanes            bool     // findings of kind LaneConflict are wanted
	byLane           bool     // buffers with ADD_TID are private memory, which work-groups take in turn

	// What orders accesses by memory (rule RC4), in a program that can.
	sync      bool
	history   []history // of waves of the dispatch, by number, see historyOf
	numWaves  uint32    // that have begun
	locations map[location]*atomics
	logged    uint64           // bytes of those
	fresh     [numCaches]clock // what the work-group has acquired before it invalidated a cache

	// The work-group and the wave at hand.
	group uint32
	from  uint64 // where view lies
	view  []byte // of the range of memory that was accessed last
	// dispatch is the number of the dispatch, since a checker may see several.
	dispatch uint64
}

// raceGroup is a work-group of the dispatch.
type raceGroup struct {
	id   [3]uint32
	base uint32 // number of its first wave
}

// raceWave is what races keeps of a wave.
type raceWave struct {
	barrier   *site  // the S_BARRIER at which the wave waits, or has waited last
	barrierAt uint64 // how many instructions the wave had executed before it
	waiting   bool   // the barrier has not opened yet

	pending []straggler // accesses that may be incomplete

	number    uint32    // of the wave in the dispatch
	acquiring []acquire // acquires that may be incomplete

	// Instructions are given by how many the wave had executed before them.
	writtenBack uint64 // the latest S_DCACHE_WB
	stored      *site  // a scalar store after writtenBack, nil if there is none
	storedAt    uint64 // when stored was executed

	invalidated   uint64 // the latest S_DCACHE_INV
	invalidatedIn uint32 // the epoch in which it was executed
}

// reset makes w the races of another wave. It keeps storage.
func (w *raceWave) reset() { *w = raceWave{pending: w.pending[:0], acquiring: w.acquiring[:0]} }

// beginRaces prepares c to judge the work-group of c.waves.
func (c *Checker) beginRaces() {
	r := &c.races
	if !r.begun || c.waves[0].Group == [3]uint32{} { // a dispatch begins, or a bare wave
		r.begun = true
		r.dispatch++
		r.lds.begin(state.LDS)
		r.gds.begin(state.GDS)
		r.memory.begin(state.Global)
		r.beginList()
		r.groups, r.epoch, r.full, r.sync = r.groups[:0], 0, false, false
		r.history, r.numWaves, r.locations, r.logged = r.history[:0], 0, map[location]*atomics{}, 0
	}
	for i := range r.late {
		c.waves[0].counters.spare = append(c.waves[0].counters.spare, r.late[i].bytes)
	}
	r.late, r.view = r.late[:0], nil
	r.group = uint32(len(r.groups))
	r.groups = append(r.groups, raceGroup{c.waves[0].Group, r.numWaves})
	for _, w := range c.waves {
		w.race.number = r.numWaves
		r.numWaves++
	}
	r.fresh = [numCaches]clock{}
	r.epoch++
	r.lds.reset()
}

// issueRaces opens the barrier that the wave of x waited at (rule RC3).
func (c *Checker) issueRaces(x *step) {
	if c.races.full {
		return
	}
	if x.wave.race.waiting {
		c.openBarrier()
	}
	if len(x.wave.race.acquiring) > 0 {
		c.races.settleAcquires(x)
	}
}

// retireRaces judges what x has done to memory.
func (c *Checker) retireRaces(x *step) {
	r := &c.races
	if r.full {
		return
	}
	if !x.isNoted() {
		c.control(x)
	}
	does := x.does()
	if x.wait.path == pathGDS && x.Access.Op != gcn.NoMem && x.Access.Op != gcn.Special {
		does = ldsRead | ldsWrite // which wait for counters in the same way
	}
	if does == 0 {
		return
	}
	if !r.sync && c.code[0].acquires {
		c.endList() // while accesses of a wave are ordered by nothing but barriers
		r.sync = true
	}
	if r.sync && x.Access.Op != gcn.Load {
		r.record(x.wave, uint32(x.executed))
	}
	if x.wait.path == pathScalar && x.Access.Op == gcn.Store {
		x.wave.race.stored, x.wave.race.storedAt = x.site, x.executed
	}
	c.reach(x, does)
	if r.bytes() > c.Options.maxBytes() {
		c.giveUp(x)
	}
}

// control follows what x does to barriers and caches.
func (c *Checker) control(x *step) {
	switch (*isa.Inst)(x.Inst).Row().Control {
	case isa.Barrier:
		if len(c.waves) > 1 {
			c.arrive(x)
		}
	case isa.WritesBackScalar:
		x.wave.race.writtenBack, x.wave.race.stored = x.executed, nil
	case isa.InvalidatesL1:
		c.races.invalidate(x, vectorCache)
	case isa.InvalidatesScalar:
		c.races.invalidate(x, scalarCache)
	case isa.Ends:
		c.endRaces(x)
	}
}

// reach judges what x does to the memories that it reaches.
func (c *Checker) reach(x *step, does acts) {
	h := c.handOf(x)
	if does&(ldsRead|ldsWrite|transferIn|transferOut) != 0 {
		c.reachLDS(&h, x.Access)
	}
	if does&(vectorRead|vectorWrite|scalarRead|scalarWrite) != 0 {
		c.reachMemory(&h, x.Access)
	}
}

// handOf returns the access of x.
func (c *Checker) handOf(x *step) hand {
	return hand{
		step: x, op: x.accessNature(), swaps: (*isa.Inst)(x.Inst).Row().Mem.Compares,
		now: moment{c.races.group, uint32(x.executed), uint8(x.wave.ID), 0},
	}
}

// hand is the access at hand.
type hand struct {
	*step
	op       nature // of all lanes; without a size
	now      moment
	sh       *shadow
	swaps    bool // it is a compare and swap
	overlaps bool // it is overtaken, and lanes of it may reach the same bytes

	// The part of it that reaches one dword: the first byte, how, which bytes, and what it leaves there
	// if it stores.
	addr   uint64
	nature nature
	bytes  uint8
	value  uint32
}

// accessNature returns the nature of the access of x, without its size.
func (x *step) accessNature() nature {
	switch x.Access.Op {
	case gcn.Store:
		return x.through | stores
	case gcn.Atomic:
		return x.through | stores | atomic
	}
	return x.through
}

// cacheNature returns the part of the nature of accesses that says which cache s accesses.
func (s *site) cacheNature() nature {
	switch p := s.wait.path; {
	case p == pathScalar:
		return scalar
	case (p == pathVMEM || p == pathFLAT) && s.inst.Bool(isa.GLC):
		return missesL1
	}
	return 0
}

// reachLDS judges the accesses of h to LDS or GDS.
func (c *Checker) reachLDS(h *hand, a *state.Access) {
	h.sh = &c.races.lds
	op := h.op
	switch {
	case h.wait.transfer != gcn.NoMem:
		h.op &^= stores | missesL1
		if h.wait.transfer == gcn.Load {
			h.op |= stores
		}
		for m := a.Exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			c.touch(h, lane, a.LDSSlot+4*uint64(lane), 4)
		}
	case h.wait.path == pathFLAT:
		h.op &^= missesL1
		c.touchLanes(h, a, a.LDSLanes)
	case a.Space == state.GDS:
		h.sh = &c.races.gds
		c.touchLanes(h, a, a.Exec)
	case len(c.waves) > 1 || c.races.sync || c.races.split || h.plain() && c.races.lanes && c.races.overlap(h, a):
		c.touchLanes(h, a, a.Exec) // else no access can conflict with another one
	}
	c.straggle(h)
	h.op = op
}

// reachMemory judges the accesses of h to global memory.
func (c *Checker) reachMemory(h *hand, a *state.Access) {
	h.sh = &c.races.memory
	switch {
	case a.Space == state.Scratch, c.races.byLane && h.addsTID():
	case native.Compiles && h.loads != nil && c.mayListLoads() && c.listAccess(h.step, a):
	case a.Scalar:
		c.touchScalars(h, a)
	default:
		c.touchLanes(h, a, a.Exec&^(a.LDSLanes|a.ScratchLanes))
	}
	if a.Scalar || len(c.races.late) > 0 {
		c.straggle(h)
	}
}

// touchScalars judges the elements of a, an access of the wave.
func (c *Checker) touchScalars(h *hand, a *state.Access) {
	h.now.lane = noLane
	if c.touchRows(h, a, 1) {
		return
	}
	for i := range int(a.Count) {
		if a.Out[0]>>i&1 == 0 {
			c.touch(h, state.NoLane, a.At(i, 0), uint64(a.Elem))
		}
	}
}

// addsTID reports whether x accesses a buffer with ADD_TID: each lane has bytes of its own.
func (x *step) addsTID() bool {
	if x.Inst.Enc != isa.MUBUF && x.Inst.Enc != isa.MTBUF {
		return false
	}
	var v gcn.VSharp
	copy(v[:], x.Wave.S[4*(*isa.Inst)(x.Inst).Get(isa.SRSRC):])
	return isa.VAddTID.In(&v) != 0
}

// touchLanes judges the lanes of a in mask.
func (c *Checker) touchLanes(h *hand, a *state.Access, mask uint64) {
	if c.touchRows(h, a, mask) {
		return
	}
	fillLanes(a)
	whole := registers.Whole(a, mask)
	last := ^uint64(0)                                     // address of the lane before
	alike := h.op&(stores|atomic) != stores && !h.acquires // lanes at one address do the same
	h.overlaps = h.overtaken && h.plain() && c.races.overlap(h, a)
	size := uint64(a.Elem) * uint64(a.Count)
	var latest [state.NumLanes]uint8 // 1 + the latest lane of a store, by some bits of its address
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if addr := a.Addr[lane]; whole>>lane&1 != 0 {
			if alike && addr == last {
				continue
			}
			last = addr
			at := &latest[addr/uint64(a.Elem)%state.NumLanes]
			other := *at
			if *at = uint8(lane) + 1; h.plain() && other != 0 && a.Addr[other-1] == addr {
				c.laneAgain(h, lane, int(other-1), addr, size)
				continue
			}
			c.touch(h, lane, addr, size)
			continue
		}
		for i := range int(a.Count) {
			if a.Out[min(i, len(a.Out)-1)]>>lane&1 == 0 {
				c.touch(h, lane, a.At(i, lane), uint64(a.Elem))
			}
		}
	}
}

// laneAgain judges a lane that stores where another lane of the access at hand has stored. The record of that lane has
// what both leave in memory.
func (c *Checker) laneAgain(h *hand, lane, other int, addr, size uint64) {
	r := &c.races
	if h.now.lane = uint8(lane); !r.lanes || h.sameData(lane, other) || h.sh == &r.memory && !r.maps(h.step, addr) {
		return
	}
	for size > 0 {
		n := min(4-addr&3, size)
		h.addr = addr
		c.laneMeets(h, uint8(other), uint8((1<<n-1)<<(addr&3)))
		addr, size = addr+n, size-n
	}
}

// touch judges the access of a lane to size bytes at addr, and keeps it.
func (c *Checker) touch(h *hand, lane int, addr, size uint64) {
	if h.sh == &c.races.memory && !c.races.maps(h.step, addr) {
		return
	}
	op := h.op.ofSize(addr, size)
	h.now.lane = uint8(lane)
	for size > 0 {
		n := min(4-addr&3, size)
		c.touchDword(h, op, addr, uint8((1<<n-1)<<(addr&3)))
		addr += n
		size -= n
	}
}

// touchDword judges the access at hand to bytes of the dword at addr, and keeps it.
func (c *Checker) touchDword(h *hand, nature nature, addr uint64, bytes uint8) {
	r := &c.races
	h.addr, h.nature, h.bytes, h.value = addr&^3+uint64(bits.TrailingZeros8(bytes)), nature, bytes, 0
	head := h.sh.head(addr)
	own := r.own(h, *head)
	again := own != nil && r.madeNow(&own.record, h)
	plain := nature&(stores|atomic) == stores
	if again && !plain && !r.sync { // most often
		own.last = h.now
		return
	}
	if nature&stores != 0 {
		h.value = c.value(h, addr, bytes)
	}
	if plain && r.lanes {
		c.lanesMeet(h, *head, bytes)
	}
	if again && !r.sync && own.value == h.value && own.last.wave == h.now.wave { // all that it meets is known
		own.last = h.now
		return
	}
	c.meetAll(h, *head)
	r.keep(h, head, own)
	if r.sync {
		c.synchronize(h, *head, addr)
	}
}

// isLike reports whether the access at hand has the instruction, the bytes and the nature of t.
func (t *record) isLike(h *hand) bool {
	return t.site == h.number && t.bytes == h.bytes && t.nature == h.nature
}

// madeNow reports whether the wave at hand has made an access of t in this epoch. An epoch belongs to one
// work-group, so that the number of the wave says enough.
func (r *races) madeNow(t *record, h *hand) bool {
	return t.epoch == r.epoch && t.waves>>h.now.wave&1 != 0
}

// own returns the touch of a dword to which the access at hand belongs, nil if it needs a new one. In a
// program whose waves may be ordered by memory, each wave has touches of its own.
func (r *races) own(h *hand, head uint32) *touch {
	for n := head; n != 0; {
		t := h.sh.touch(n)
		if t.isLike(h) && (!r.sync || t.last.group == r.group && t.last.wave == h.now.wave) {
			return t
		}
		n = t.next
	}
	return nil
}

// meetAll judges the access at hand against those that the dword has had.
func (c *Checker) meetAll(h *hand, head uint32) {
	for n := head; n != 0; {
		t := h.sh.touch(n)
		n = t.next
		if h.swaps && t.nature&stores == 0 && t.bytes == h.bytes && c.races.madeNow(&t.record, h) {
			c.order[t.site].guesses = true
		}
		if t.bytes&h.bytes != 0 && (t.nature|h.nature)&stores != 0 {
			c.meet(h, t)
		}
	}
}

// keep adds the access at hand to own. If own is nil, it goes to a touch that is no longer needed, or to a
// new one.
func (r *races) keep(h *hand, head *uint32, own *touch) {
	if own == nil && r.sync {
		own = r.replace(h, *head)
	}
	if own == nil {
		own = h.sh.add(head)
		own.site, own.nature, own.bytes, own.value, own.first = h.number, h.nature, h.bytes, h.value, h.now
	}
	if own.last.group != r.group || own.epoch != r.epoch {
		own.epoch, own.waves = r.epoch, 0
	}
	own.value, own.varied = h.value, own.varied || own.value != h.value
	own.last, own.waves = h.now, own.waves|1<<h.now.wave
}

// meet judges the access at hand against one that was before (rule RC1).
func (c *Checker) meet(h *hand, t *touch) {
	if t.nature&h.nature&atomic != 0 && t.bytes == h.bytes && t.nature.size() == h.nature.size() {
		return
	}
	from, ok := c.unordered(h, &t.record)
	if !ok {
		if h.nature&(stores|atomic) == 0 {
			c.meetCache(h, &t.record)
		}
		return
	}
	p := pair{at: c.order[t.site], from: from, addr: h.addr, severity: Error}
	if t.bytes == h.bytes && (t.nature^h.nature)&atomic != 0 && t.nature&h.nature&stores == 0 {
		if p.load = h.site; t.nature&stores == 0 {
			p.load = p.at
		}
	}
	if p.excuse = h.excuse(t, p.at); p.excuse != "" {
		p.severity = Note
	}
	c.report(h, &p)
}

// excuse says why a programmer may want the access at hand and an access of t to be unordered. at is the
// instruction of t. excuse returns "" if there is no such reason.
func (h *hand) excuse(t *touch, at *site) string {
	either, both := t.nature|h.nature, t.nature&h.nature
	common := byteMasks[t.bytes&h.bytes]
	switch {
	case both&atomic != 0:
		return "atomics of different sizes"
	case either&atomic == 0 && both&stores != 0 && !t.varied && (t.value^h.value)&common == 0:
		return "both store the same value"
	case isFlag(t.nature, h.nature):
		return "a load with GLC and a store or an atomic of the same size may be a flag"
	case (h.polls || at.polls) && t.bytes == h.bytes && h.nature.size() != 0 && t.nature.size() == h.nature.size():
		return "the loop of the load waits for the store or the atomic, of the same size: it is a flag"
	}
	return ""
}

// unordered returns the latest access of t that another wave has made and nothing orders
// before the one at hand.
func (c *Checker) unordered(h *hand, t *record) (from moment, ok bool) {
	r := &c.races
	others := t.others(r.group, r.epoch, int(h.now.wave))
	switch {
	case others == 0 && (t.first.group == r.group || h.sh == &r.lds):
		return moment{}, false
	case r.sync: // then t is about one wave
		return t.last, !r.before(h.wave, h.sh.space, t.nature, &t.last) && !r.observed(h, t)
	case others == 0:
		return t.first, true
	}
	from = t.last
	switch {
	case from.wave != h.now.wave:
	case t.first.group == r.group && others>>t.first.wave&1 != 0:
		from = t.first
	default:
		from.wave = uint8(bits.TrailingZeros32(others))
	}
	return from, true
}

// maxAlike bounds the touches of one instruction at one dword, where each wave has a touch of its own.
const maxAlike = 24

// replace returns a touch of a dword that is like the access at hand and is no longer needed: what would
// meet it meets the access at hand, too. It returns nil if there is none.
func (r *races) replace(h *hand, head uint32) *touch {
	alike := 0
	for n := head; n != 0; {
		t := h.sh.touch(n)
		n = t.next
		if !t.isLike(h) {
			continue
		}
		alike++
		ordered := t.last.group == r.group && t.epoch != r.epoch || r.before(h.wave, h.sh.space, h.nature, &t.last)
		if ordered || alike >= maxAlike {
			*t = touch{record: record{next: t.next, site: t.site, nature: h.nature, bytes: h.bytes, first: h.now}}
			return t
		}
	}
	return nil
}

// isFlag reports whether one of two accesses is an aligned load with GLC and the other a
// store or an atomic of its size (rule RC6).
func isFlag(a, b nature) bool {
	if a&stores != 0 {
		a, b = b, a
	}
	return a&(missesL1|stores) == missesL1 && b&stores != 0 && a.size() != 0 && a.size() == b.size()
}

// bytes returns how many bytes of memory r uses.
func (r *races) bytes() uint64 {
	return r.lds.bytes + r.gds.bytes + r.memory.bytes + r.loads.bytes() + r.logged + uint64(len(r.history))*historyBytes
}
