package timing

// channel is one channel of L2.
type channel struct {
	id   int
	free uint64 // when it takes the next line
	lost int    // percent of a clock, see Params.L2Gap

	writeStall   uint64 // clocks that a write found its queue full,
	stalledUntil uint64 // the latest of them

	access  uint64 // the latest one
	service int    // its number in Model.services
}

// request says what a cache line is requested for.
type request uint8

const (
	reqRead  request = iota
	reqFetch         // reads a line of code
	reqWrite
	reqAtomic
)

// l2 serves one line that a CU asks for, and returns when the answer is back. Each
// CU sends a line a clock, each channel serves a line a clock (rule CY7), and takes more
// clocks for atomics of several lanes on one dword. A write that misses fetches nothing,
// as if lines kept which bytes are valid; dirty lines go to DRAM when they are displaced,
// and the channel stops while too many of them wait for it.
func (m *Model) l2(a *l2Request) uint64 {
	p, n, at := &m.p, a.n, a.at
	turn, _ := m.dram.chunk.split(n)
	_, to := m.l2Turns.channel(turn)
	ch := &m.channels[to]
	if ch.free > at {
		m.l2Wait += ch.free - at
		at = ch.free
	}
	ch.free = at + 1 + a.more
	if ch.lost += p.of.L2Gap; ch.lost >= 100 {
		ch.free += uint64(ch.lost / 100)
		ch.lost %= 100
	}
	served := m.serve(ch, at, a.q == reqFetch)
	at += a.more
	m.count[tccReq]++
	var set []line
	hit := false
	if !p.NoCache {
		set, hit = m.l2cache.find(n)
	}
	var l *line
	if !hit {
		m.count[tccMiss]++
		served.Misses++
		ready := at + uint64(p.of.L2Latency)
		if a.q != reqWrite {
			ready = m.dram.read(n, at) + m.dramWay + uint64(p.of.L2Latency)
		}
		if p.NoCache {
			if a.q >= reqWrite {
				ready = max(ready, m.write(ch, n, at)+m.dramWay+uint64(p.of.L2Latency))
			}
			return ready - a.sooner(p)
		}
		var out uint64
		l, out = insert(set, n, ready, a.stream)
		if out&dirty != 0 {
			m.write(ch, numberOf(out), at)
		}
	} else {
		m.count[tccHit]++
		l = &set[0]
	}
	if a.q >= reqWrite {
		l.tag |= dirty
	}
	return max(l.ready, at+uint64(p.of.L2Latency)) - a.sooner(p)
}

// sooner returns how much less than a line of L1 the answer takes. L2Latency was measured through L1, whose part scalar
// data and code do not take: they pass the scalar cache instead.
func (a *l2Request) sooner(p *Params) uint64 {
	if !a.scalar {
		return 0
	}
	return uint64(max(min(p.of.L1Latency, p.of.L2Latency)-p.of.ScalarLatency, 0))
}

// write queues a line for DRAM and returns when DRAM takes it. A channel whose queue is
// full serves nothing until there is room.
func (m *Model) write(ch *channel, n, at uint64) uint64 {
	start := m.dram.write(n, at)
	if queue := m.dram.times.line * uint64(m.p.of.WriteQueue) / dramUnit; start > at+queue {
		ch.stall(at, start-queue)
		ch.free = max(ch.free, start-queue)
	}
	return start
}

// serve notes for the trace that ch serves a line from begin on, and returns the note.
func (m *Model) serve(ch *channel, begin uint64, fetch bool) *Work {
	if len(m.spans) == 0 {
		return &m.untraced
	}
	if i := ch.service; ch.access != m.access || i >= len(m.services) {
		ch.access, ch.service = m.access, len(m.services)
		m.services = append(m.services, Work{Channel: ch.id, Begin: begin, Fetch: fetch})
	}
	s := &m.services[ch.service]
	s.Lines++
	s.Clocks = ch.free - s.Begin
	return s
}

// stall counts the clocks from begin to end that a write waits, each one once.
func (ch *channel) stall(begin, end uint64) {
	if begin = max(begin, ch.stalledUntil); end > begin {
		ch.writeStall += end - begin
		ch.stalledUntil = end
	}
}

// vmem puts an access of a wave into TA at time t and returns when TA began it, when it
// has read the data of a store, and when it is done: those of a wave in order, because
// VMCNT counts all of them and goes down in the order of issue. Source: LLVM AMDGPU,
// SIInsertWaitcnts, which waits for a load with later stores outstanding; rule W8. Of FLAT
// it is assumed.
func (k *cluster) vmem(w *wave, op *static, a *access, t uint64) (start, read, done uint64) {
	c, p := w.cu, k.p
	start = max(t, c.ta)
	// L1 takes nothing more while too many of its lines wait for the way to L2.
	if full := start + uint64(p.of.L1Queue); c.toL2 > full {
		c.taStall += c.toL2 - full
		c.taBusy += c.toL2 - full
		start += c.toL2 - full
	}
	took, begin := uint64(a.unit), start
	if op.write && !op.atomic {
		start, begin = k.store(c, start, took)
		took = (took*8/uint64(p.of.StoreEighths) + quadLanes - 1) / quadLanes
	}
	c.ta = start + took
	c.taBusy += took
	read, done = c.ta, start+uint64(p.of.L1Latency)
	lines := uint64(a.lines)
	more := uint64(0) // clocks in L2, of each line
	if op.atomic && lines > 0 {
		more = (uint64(a.same)*uint64(p.of.AtomicSame) + lines - 1) / lines
	}
	// Lines follow one another while TA works, or the way of stores: line i comes at begin + i*unit/lines.
	at, rest, step, part := begin, uint64(0), uint64(a.unit)/max(lines, 1), uint64(a.unit)%max(lines, 1)
	from := len(k.refs)
	k.lines = w.lines(k.lines[:0], a.lines)
	for _, n := range k.lines {
		done = max(done, k.l1(c, op, l2Request{t: t, n: n, at: at, more: more, stream: op.slc}))
		at, rest = at+step, rest+part
		if rest >= lines {
			at, rest = at+1, rest-lines
		}
	}
	k.tally.count[tcpTotalCacheAccesses] += lines
	extra := uint64(0)
	if a.lds != 0 {
		worked, latency := k.useLDS(c, t, uint64(a.lds)), uint64(p.of.LDSLatency)
		if op.ldsSide != 0 { // before or after memory
			done, extra = max(worked, done), latency
		} else {
			done = max(done, worked+latency)
		}
	}
	return start, read, k.await(pendingAccess{w: w, t: t, from: from, done: done, extra: extra, least: c.ta,
		inOrder: true})
}

// store puts a store on the way to L2 that only stores take, on which its lanes need so many clocks. It returns when TA
// begins it, which stops while too many of them wait, and when the way does (rule CY4).
func (k *cluster) store(c *cu, start, clocks uint64) (ta, way uint64) {
	if full := start + uint64(k.p.of.StoreBacklog); c.stores > full {
		c.taStall += c.stores - full
		c.taBusy += c.stores - full
		start += c.stores - full
	}
	way = max(start, c.stores)
	c.stores = way + clocks
	return start, way
}

// l1 serves the line of a and returns when it is there, as far as that is known: see refer. Stores write through and
// allocate nothing; GLC loads miss, atomics are done in L2 (rule CY7).
func (k *cluster) l1(c *cu, op *static, a l2Request) uint64 {
	p := k.p
	switch {
	case p.PerfectMemory:
		return a.at + uint64(p.of.L1Latency)
	case op.atomic:
		which := tcpTccAtomicWithoutRetReq
		if op.ret {
			which = tcpTccAtomicWithRetReq
		}
		k.tally.count[which]++
		a.q = reqAtomic
		return k.refer(k.request(c, a))
	case op.write:
		k.tally.count[tcpTccWriteReq]++
		a.q = reqWrite
		return k.refer(k.request(c, a))
	}
	set, hit := c.l1.find(a.n)
	if hit && !op.glc && !p.NoCache {
		c.l1Hits++
		return max(k.refer(set[0].ready), a.at+uint64(p.of.L1Latency))
	}
	c.l1Misses++
	k.tally.count[tcpTccReadReq]++
	a.to = &c.l1
	ready := k.request(c, a)
	if hit {
		set[0].ready = ready
	} else {
		insert(set, a.n, ready, false)
	}
	return k.refer(ready)
}

// useLDS puts work into the LDS of c and returns when it has done it.
func (k *cluster) useLDS(c *cu, t, clocks uint64) uint64 {
	c.lds = max(t, c.lds) + clocks
	k.tally.count[sqLdsIdxActive] += clocks
	return c.lds
}

// scalar serves a scalar access at time t and returns when it is done. Stores and
// atomics go to L2.
func (k *cluster) scalar(w *wave, op *static, t uint64) uint64 {
	p, from := k.p, len(k.refs)
	done := t + uint64(p.of.ScalarLatency)
	a := w.access(op, p.of.AtomicSame)
	k.lines = w.lines(k.lines[:0], a.lines)
	for _, n := range k.lines {
		ready := t + uint64(p.of.ScalarLatency)
		switch set, hit := k.data.find(n); {
		case p.PerfectMemory:
		case op.write || op.atomic:
			q := reqWrite
			if op.atomic {
				q = reqAtomic
			}
			ready = k.refer(k.request(w.cu, l2Request{t: t, n: n, at: t, q: q, scalar: true}))
		case hit && !p.NoCache:
			k.tally.count[sqcDcacheHits]++
			ready = max(k.refer(set[0].ready), ready)
		default:
			k.tally.count[sqcDcacheMisses]++
			ready = k.request(w.cu, l2Request{t: t, n: n, at: t, to: &k.data, scalar: true})
			if hit {
				set[0].ready = ready
			} else {
				insert(set, n, ready, false)
			}
			ready = k.refer(ready)
		}
		done = max(done, ready)
	}
	return k.await(pendingAccess{w: w, t: t, from: from, done: done})
}

// fetchBytes are the bytes of a block of code: what a wave fetches at a time (CLRX GcnTimings).
const fetchBytes = 32

// fetch returns when w, which reaches a block of the code at time t, can continue. Hits cost nothing. The instruction
// buffer of a wave asks for the block that follows, no more: the cache prefetches nothing (rule CY7).
func (k *cluster) fetch(w *wave, block, t uint64) (ready uint64) {
	const blocks = LineBytes / fetchBytes
	before := w.fetched
	if w.fetched = block; k.p.PerfectMemory {
		return t
	}
	if len(k.m.spans) > 0 {
		k.m.access++
	}
	if ready = t; block%blocks == 0 || block != before+1 {
		ready = k.fetchLine(w.cu, block/blocks, t)
	}
	if next := block + 1; next%blocks == 0 {
		k.fetchLine(w.cu, next/blocks, t)
	}
	return ready
}

func (k *cluster) fetchLine(c *cu, n, t uint64) uint64 {
	set, hit := k.code.find(n)
	if hit {
		k.tally.count[sqcIcacheHits]++
		return max(set[0].ready, t)
	}
	k.tally.count[sqcIcacheMisses]++
	ready := k.request(c, l2Request{t: t, n: n, at: t, q: reqFetch, to: &k.code, scalar: true})
	insert(set, n, ready, false)
	return ready
}
