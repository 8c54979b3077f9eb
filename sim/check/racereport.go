package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// pair describes two accesses that nothing orders, from the view of the later one.
type pair struct {
	at       *site
	from     moment
	addr     uint64
	severity Severity
	excuse   string // why it is only a note, or ""
	load     *site  // the load, if the pair is a load and an atomic
	past     *site  // a barrier between them that does not publish the earlier one, or nil
}

// place returns the site of an access that a wave made at moment m.
func (c *Checker) place(s *site, m *moment) Site {
	return Site{PC: s.at, Inst: gcn.Inst(s.inst), Text: s.text(), Symbol: s.from.Symbol(s.at), Source: s.from.Source(s.at),
		Index: uint64(m.index), Group: c.races.groups[m.group].id, Wave: int(m.wave)}
}

// merge returns a new finding of a defect at s for the caller to fill in. If a finding of at least this severity
// exists, it counts one more there and returns nil.
func (c *Checker) merge(s *site, d defect, severity Severity) *Finding {
	for _, f := range s.found {
		if f.defect == d {
			f.Count++
			if f.Severity >= severity {
				return nil
			}
			return f
		}
	}
	f := &Finding{Kind: d.kind, Severity: severity, Space: d.space, Rule: d.rule, Lane: state.NoLane, Count: 1,
		defect: d, load: loaded(s.from)}
	s.found = append(s.found, f)
	return f
}

// report reports that nothing orders the current access and an earlier one. The finding belongs to the later one in
// the program, whichever wave was first.
func (c *Checker) report(h *hand, p *pair) {
	if !c.on[Race] {
		return
	}
	first, last := p.at, h.site
	one, two := &p.from, &h.now
	if first.at > last.at {
		first, last, one, two = last, first, two, one
	}
	f := c.merge(last, defect{kind: Race, space: h.sh.space.String(), from: first}, p.severity)
	if f == nil {
		return
	}
	producer, addr := c.place(first, one), p.addr
	f.Site, f.Producer = c.place(last, two), &producer
	f.Severity, f.Lane, f.Addr, f.Rule = p.severity, laneOf(two), &addr, "RC1"
	f.message, f.fix = c.explain(h, p, first, last)
	f.guess = p.load
	if p.excuse != "" {
		f.Rule = "RC6"
		f.message = f.message.and(": %s", p.excuse)
	}
}

// excused lowers f to a note if it is about an atomic and a load whose value is only a guess: the wave then compares
// it with memory and swaps. Compilers generate this for operations that hardware does not have (rule RC6).
func (f Finding) excused() Finding {
	if f.guess != nil && f.guess.guesses {
		f.Severity, f.Rule = Note, "RC6"
		f.message = f.message.and(": the value that is loaded is compared with memory later")
	}
	return f
}

// laneOf returns the lane of m, [state.NoLane] of a scalar access.
func laneOf(m *moment) int { return int(int8(m.lane)) }

// explain describes the problem with first and last, and the fix.
func (c *Checker) explain(h *hand, p *pair, first, last *site) (message, fix said) {
	does := func(s *site) string {
		switch op := s.inst.Row().Mem.Op; {
		case s.wait.transfer != gcn.NoMem:
			return "accesses"
		case op == gcn.Load:
			return "reads"
		case op == gcn.Store:
			return "writes"
		}
		return "changes"
	}
	who := "another wave"
	if p.from.group != h.now.group {
		who = "a wave of another work-group"
	}
	message = say("it %s bytes that %s %s with %v, and nothing says which comes first", does(last), who, does(first),
		first.named())
	switch k := c.released(h, &p.from); {
	case k != nil:
		return message.and(": it may not be complete when %v releases it", k.named()),
			say("%s before %v", waitFor(p.at), pc(k.at))
	case p.from.group != h.now.group:
		return message, say("make both atomic, or order them by a release and an acquire")
	case p.past != nil:
		return message.and(": %v orders only what is complete", p.past.named()),
			say("%s before %v", waitFor(p.at), pc(p.past.at))
	case first == last: // a barrier does not order an instruction with itself
		return message, say("let work-items reach different bytes there, or make it atomic")
	}
	order := "s_barrier"
	if h.sh.space != state.Global && !c.waited(first, last) {
		order = waitFor(first) + " and s_barrier"
	}
	return message, say("%s before %v", order, pc(last.at))
}

// released returns a release after an access. It is nil if the wave of h has not acquired one.
func (c *Checker) released(h *hand, from *moment) *site {
	r := &c.races
	if k := r.historyOf(h.wave.race.number).clock[r.number(from)]; k.seen > from.index && k.site != noSite {
		return c.order[k.site]
	}
	return nil
}

// waitFor describes the wait that completes s, including its write-back from the scalar cache.
func waitFor(s *site) string {
	need := results[s.wait.path]
	switch {
	case need == 1<<vmcnt:
		return "s_waitcnt vmcnt(0)"
	case need == 1<<lgkmcnt && s.wait.path == pathScalar && s.inst.Row().Mem.Op == gcn.Store:
		return "s_dcache_wb and s_waitcnt lgkmcnt(0)"
	case need == 1<<lgkmcnt:
		return "s_waitcnt lgkmcnt(0)"
	}
	return "s_waitcnt vmcnt(0) & lgkmcnt(0)"
}

// waited reports whether the program waits for the first instruction before the later one, as far as its text tells.
func (c *Checker) waited(first, last *site) bool {
	p := c.code[0].Program
	need := results[first.wait.path]
	for pc := first.at; pc < last.at; {
		in, ok := p.Inst(pc)
		if !ok {
			return false
		}
		if isa.Inst(in).Row().Control == isa.Waits {
			n := isa.Inst(in).Waits()
			if (!need.has(vmcnt) || n.VM == 0) && (!need.has(lgkmcnt) || n.LGKM == 0) {
				return true
			}
		}
		pc += uint64(in.Size)
	}
	return false
}

// compareBarriers reports that waves wait at different barrier instructions (rule RC3).
func (c *Checker) compareBarriers() {
	var first, last *wave
	for _, w := range c.waves {
		if !w.race.waiting {
			continue
		}
		if first == nil || w.race.barrier.at < first.race.barrier.at {
			first = w
		}
		if last == nil || w.race.barrier.at > last.race.barrier.at {
			last = w
		}
	}
	if first.race.barrier == last.race.barrier || !c.on[Race] {
		return
	}
	f := c.merge(last.race.barrier, defect{kind: Race, rule: "RC3", from: first.race.barrier}, Note)
	if f == nil {
		return
	}
	producer := first.race.barrier.place(first.Wave, first.race.barrierAt)
	f.Site, f.Producer = last.race.barrier.place(last.Wave, last.race.barrierAt), &producer
	f.message = say("waves of the work-group meet at this s_barrier and at that at %v, which is legal and seldom meant",
		pc(first.race.barrier.at))
}

// lanesMeet compares a lane with other lanes of the same instruction that have stored to the same dword. head is the
// list of the dword's records.
func (c *Checker) lanesMeet(h *hand, head uint32, bytes uint8) {
	for n := head; n != 0; n = h.sh.touch(n).next {
		t := h.sh.touch(n)
		if bytes&t.bytes != 0 && t.site == h.number && t.last.index == h.now.index && t.last.wave == h.now.wave &&
			t.last.group == h.now.group && t.last.lane != h.now.lane {
			c.laneMeets(h, t.last.lane, bytes&t.bytes)
		}
	}
}

// laneMeets reports that two lanes of an instruction store different values to the same bytes (rule RC7).
func (c *Checker) laneMeets(h *hand, other, bytes uint8) {
	lane := h.now.lane
	if h.sameBytes(int(other), int(lane), bytes) {
		return
	}
	f := h.first(defect{kind: LaneConflict, space: h.sh.space.String(), rule: "RC7"})
	if f == nil {
		return
	}
	addr := h.addr
	f.Severity, f.Lane, f.Addr = Note, int(lane), &addr
	f.message = say("lane %d stores to this address, too, and another value: which one remains, no document says", other)
}

// sameBytes reports whether two lanes store the same values to the given bytes of the current dword.
func (h *hand) sameBytes(a, b int, bytes uint8) bool {
	if m := &(*isa.Inst)(h.Inst).Row().Mem; m.Format || h.Inst.Enc == isa.MIMG || h.wait.transfer != gcn.NoMem {
		return h.sameData(a, b) // the memory content depends on the format
	}
	dword := h.addr &^ 3
	for i := range uint64(4) {
		if bytes>>i&1 != 0 && h.storedByte(a, dword+i) != h.storedByte(b, dword+i) {
			return false
		}
	}
	return true
}

// storedByte returns the value that a lane of a store writes to the byte at addr.
func (x *step) storedByte(lane int, addr uint64) (value byte) {
	for i := range int(x.Access.Count) {
		if v, ok := x.elementByte(i, lane, addr); ok {
			value = v
		}
	}
	return value
}

// elementByte returns the value that element i of a lane writes to the byte at addr. ok is false if the element does
// not include the byte.
func (x *step) elementByte(i, lane int, addr uint64) (value byte, ok bool) {
	a := x.Access
	at := addr - a.At(i, lane)
	if at >= uint64(a.Elem) || outside(a, i, lane) {
		return 0, false
	}
	shift := 8 * (at % 4)
	if (*isa.Inst)(x.Inst).Row().Mem.D16 == isa.HighHalf {
		shift += 16
	}
	return byte(x.Wave.V[x.dataRegister(i, (i*int(a.Elem)+int(at))/4)][lane] >> shift), true
}

// sameData reports whether two lanes have the same data to store.
func (x *step) sameData(a, b int) bool {
	if x.wait.transfer != gcn.NoMem {
		return false
	}
	for r, f := range eachRegister(x.effects) {
		if !f.Write && isVectorData(f) && x.Wave.V[r][a] != x.Wave.V[r][b] {
			return false
		}
	}
	return true
}

// endRaces reports scalar stores of an ending wave that were never written back (rule RC9).
func (c *Checker) endRaces(x *step) {
	w := &x.wave.race
	if w.stored == nil || !c.on[ScalarStore] {
		return
	}
	f := x.first(defect{kind: ScalarStore, rule: "RC9", from: w.stored})
	if f == nil {
		return
	}
	producer := w.stored.place(x.Wave, w.storedAt)
	f.Severity, f.Producer = Note, &producer
	f.message = say("%v is still in the scalar cache: nobody else sees it", w.stored.named())
	f.fix = say("s_dcache_wb before %v", pc(x.PC))
}

// giveUp reports that the search for races ends.
func (c *Checker) giveUp(x *step) {
	r := &c.races
	r.full = true
	r.lds, r.gds, r.memory, r.history, r.locations = shadow{}, shadow{}, shadow{}, nil, nil
	r.dropList()
	f := x.first(defect{kind: Race})
	if f == nil {
		return
	}
	f.Severity = Note
	f.message = say("the dispatch reaches so much memory that what is known of it takes more than %d bytes: from "+
		"here on no races are looked for", c.Options.maxBytes())
	f.fix = say("raise MaxBytes (max_bytes) or run fewer work-groups")
}
