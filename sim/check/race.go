package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	native "github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// race finds accesses to the same memory that nothing orders, and effects of caches on them. It uses the counters of
// waits to find out which accesses are complete.
var race = analysis{after: &waits, begin: (*Checker).beginRaces, issue: (*Checker).issueRaces,
	retire: (*Checker).retireRaces, unseen: true}

// races is a checker's record of a dispatch's memory accesses.
//
// Accesses of one wave are ordered (rule RC2), those of different work-groups are not (rule RC5). Waves of a
// work-group execute in turns, each from one barrier to the next. Accesses are ordered by barriers if an epoch begins
// between them, with the opening of a barrier or with the start of a work-group. An access that a barrier does not
// publish is kept separately as a [straggler]. All conflicting pairs of instructions are found, in whatever order the
// waves had their turns.
type races struct {
	lds, gds, memory shadow
	groups           []raceGroup
	epoch            uint32
	late             []straggler
	begun            bool     // the dispatch has had a work-group
	full             bool     // MaxBytes is reached
	loads            loadList // loads from memory without records
	listing          listing
	split            bool    // all accesses are recorded dword by dword
	pieces           []piece // of the current access
	// for each dword of LDS, the number of the latest store there, and in the low four bits the stored bytes
	marks  []uint64
	mark   uint64 // number of the latest store
	lanes  bool   // findings of kind LaneConflict are enabled
	byLane bool   // buffers with ADD_TID are private memory, which work-groups use one after another

	// Ordering of accesses by memory (rule RC4), if the program can acquire.
	sync      bool
	history   []history // histories of the dispatch's waves, by number, see historyOf
	numWaves  uint32    // number of waves that have begun
	locations map[location]*atomics
	logged    uint64           // bytes of the histories
	fresh     [numCaches]clock // for each cache, what the work-group has acquired before it invalidated the cache

	// The current work-group and wave.
	group uint32
	from  uint64 // address of view
	view  []byte // the range of memory that was accessed last
	// dispatch is the number of the dispatch, because a checker may check several.
	dispatch uint64
}

// raceGroup is a work-group of the dispatch.
type raceGroup struct {
	id   [3]uint32
	base uint32 // number of its first wave
}

// raceWave has the data of races for one wave.
type raceWave struct {
	barrier   *site  // the S_BARRIER at which the wave waits, or has waited last
	barrierAt uint64 // instructions that the wave had executed before it
	waiting   bool   // the barrier has not opened yet

	pending []straggler // accesses that may be incomplete

	number    uint32    // number of the wave in the dispatch
	acquiring []acquire // acquires that may be incomplete

	// Instructions are identified by the number of instructions that the wave had executed before them.
	writtenBack uint64 // the latest S_DCACHE_WB
	stored      *site  // a scalar store after writtenBack, or nil
	storedAt    uint64 // when stored was executed

	invalidated   uint64 // the latest S_DCACHE_INV
	invalidatedIn uint32 // the epoch in which that was executed
}

// reset prepares w for another wave. It reuses storage.
func (w *raceWave) reset() { *w = raceWave{pending: w.pending[:0], acquiring: w.acquiring[:0]} }

// beginRaces prepares c for the work-group of c.waves.
func (c *Checker) beginRaces() {
	r := &c.races
	if !r.begun || c.waves[0].Group == [3]uint32{} { // a dispatch or a bare wave begins
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

// issueRaces opens the barrier at which the wave of x waited (rule RC3).
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

// retireRaces judges the memory accesses of x.
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
		does = ldsRead | ldsWrite // all kinds of LDS accesses, which wait for the same counters
	}
	if does == 0 {
		return
	}
	if !r.sync && c.code[0].acquires {
		c.endList() // now, while only barriers order accesses of different waves
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

// control tracks the effect of x on barriers and caches.
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

// reach judges the accesses of x to each memory.
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

// hand is the access that is being judged.
type hand struct {
	*step
	op       nature // for all lanes; without a size
	now      moment
	sh       *shadow
	swaps    bool // it is a compare and swap
	overlaps bool // it may be reordered, and lanes of it may access the same bytes

	// The part of the access in one dword: address of the first byte, nature, mask of the bytes, and the value after
	// a store.
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

// cacheNature returns the part of an access's nature that says which cache s accesses.
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
		c.touchLanes(h, a, a.Exec) // otherwise no access can conflict with another one
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

// touchScalars judges the elements of a, an access of the whole wave.
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

// addsTID reports whether x accesses a buffer with ADD_TID, in which each lane has its own bytes.
func (x *step) addsTID() bool {
	if x.Inst.Enc != isa.MUBUF && x.Inst.Enc != isa.MTBUF {
		return false
	}
	var v gcn.VSharp
	copy(v[:], x.Wave.S[4*(*isa.Inst)(x.Inst).Get(isa.SRSRC):])
	return isa.VAddTID.In(&v) != 0
}

// touchLanes judges the lanes of a that are set in mask.
func (c *Checker) touchLanes(h *hand, a *state.Access, mask uint64) {
	if c.touchRows(h, a, mask) {
		return
	}
	fillLanes(a)
	whole := registers.Whole(a, mask)
	last := ^uint64(0)                                     // address of the previous lane
	alike := h.op&(stores|atomic) != stores && !h.acquires // lanes with the same address do the same
	h.overlaps = h.overtaken && h.plain() && c.races.overlap(h, a)
	size := uint64(a.Elem) * uint64(a.Count)
	var latest [state.NumLanes]uint8 // 1 + the latest lane of a store, indexed by some bits of its address
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

// laneAgain judges a lane that stores to bytes of another lane of the same access. The record of that lane already
// has the memory content after both.
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

// touch judges and records the access of a lane to size bytes at addr.
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

// touchDword judges and records the current access to bytes of the dword at addr.
func (c *Checker) touchDword(h *hand, nature nature, addr uint64, bytes uint8) {
	r := &c.races
	h.addr, h.nature, h.bytes, h.value = addr&^3+uint64(bits.TrailingZeros8(bytes)), nature, bytes, 0
	head := h.sh.head(addr)
	own := r.own(h, *head)
	again := own != nil && r.madeNow(&own.record, h)
	plain := nature&(stores|atomic) == stores
	if again && !plain && !r.sync { // the common case
		own.last = h.now
		return
	}
	if nature&stores != 0 {
		h.value = c.value(h, addr, bytes)
	}
	if plain && r.lanes {
		c.lanesMeet(h, *head, bytes)
	}
	if again && !r.sync && own.value == h.value && own.last.wave == h.now.wave { // there is nothing new to judge
		own.last = h.now
		return
	}
	c.meetAll(h, *head)
	r.keep(h, head, own)
	if r.sync {
		c.synchronize(h, *head, addr)
	}
}

// isLike reports whether the current access has the same instruction, bytes and nature as t.
func (t *record) isLike(h *hand) bool {
	return t.site == h.number && t.bytes == h.bytes && t.nature == h.nature
}

// madeNow reports whether the current wave has made an access of t in this epoch. An epoch belongs to one work-group,
// so comparing the wave's number is sufficient.
func (r *races) madeNow(t *record, h *hand) bool {
	return t.epoch == r.epoch && t.waves>>h.now.wave&1 != 0
}

// own returns the dword's touch to which the current access belongs, or nil if it needs a new one. If memory may
// order the program's waves, each wave has touches of its own.
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

// meetAll judges the current access against all earlier ones to the dword.
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

// keep adds the current access to own. If own is nil, it reuses a touch that is no longer needed, or creates one.
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

// meet judges the current access against an earlier one (rule RC1).
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

// excuse says why a programmer may intend that the current access and an access of t are unordered, or returns "". at
// is the instruction of t.
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

// unordered returns the latest access of t by another wave that nothing orders before the current one.
func (c *Checker) unordered(h *hand, t *record) (from moment, ok bool) {
	r := &c.races
	others := t.others(r.group, r.epoch, int(h.now.wave))
	switch {
	case others == 0 && (t.first.group == r.group || h.sh == &r.lds):
		return moment{}, false
	case r.sync: // then t belongs to one wave
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

// maxAlike limits the touches of one instruction at one dword, if each wave has touches of its own.
const maxAlike = 24

// replace returns a touch of a dword that is like the current access and no longer needed, because every access that
// conflicts with it also conflicts with the current one. It returns nil if there is none.
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

// isFlag reports whether one of two accesses is an aligned load with GLC and the other a store or an atomic of the
// same size (rule RC6).
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
