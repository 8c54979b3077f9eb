package timing

// channel is one channel of L2.
type channel struct {
	id   int
	free uint64 // time at which it accepts the next line
	lost int    // percent of a clock that it has lost; see Params.L2Gap

	writeStall   uint64 // number of clocks in which a write found its queue full
	stalledUntil uint64 // the last clock in which a write found its queue full

	access  uint64 // number of the latest access
	service int    // index of its entry in Model.services
}

// request is the purpose of a request for a cache line.
type request uint8

const (
	reqRead  request = iota
	reqFetch         // reads a line of code
	reqWrite
	reqAtomic
)

// l2 serves one line that a CU requests, and returns the time at which the answer arrives. Each CU sends one line per
// clock and each channel serves one line per clock (rule CY7), or fewer for atomics of several lanes on one dword. A
// write miss fetches nothing, as if lines recorded which bytes are valid. Dirty lines are written to DRAM when they
// are replaced, and the channel stops while too many of them wait.
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

// sooner returns by how much the answer is faster than that for a line of L1. L2Latency was measured through L1;
// scalar data and code use the scalar cache instead.
func (a *l2Request) sooner(p *Params) uint64 {
	if !a.scalar {
		return 0
	}
	return uint64(max(min(p.of.L1Latency, p.of.L2Latency)-p.of.ScalarLatency, 0))
}

// write queues a line for DRAM and returns the time at which DRAM accepts it. A channel with a full queue serves
// nothing until there is room.
func (m *Model) write(ch *channel, n, at uint64) uint64 {
	start := m.dram.write(n, at)
	if queue := m.dram.times.line * uint64(m.p.of.WriteQueue) / dramUnit; start > at+queue {
		ch.stall(at, start-queue)
		ch.free = max(ch.free, start-queue)
	}
	return start
}

// serve records for the trace that ch serves a line from time begin on, and returns the record.
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

// stall counts the clocks from begin to end in which a write waits, each clock once.
func (ch *channel) stall(begin, end uint64) {
	if begin = max(begin, ch.stalledUntil); end > begin {
		ch.writeStall += end - begin
		ch.stalledUntil = end
	}
}

// vmem passes an access of a wave to TA at time t. It returns the times at which TA started, at which it had read the
// data of a store, and at which the access is complete. The accesses of a wave complete in order, because VMCNT
// counts all of them and decreases in the order of issue. Source: LLVM AMDGPU, SIInsertWaitcnts, which waits for a
// load with later stores outstanding; rule W8. For FLAT this is assumed.
func (k *cluster) vmem(w *wave, op *static, a *access, t uint64) (start, read, done uint64) {
	c, p := w.cu, k.p
	start = max(t, c.ta)
	// L1 accepts nothing while too many of its lines wait for the path to L2.
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
	more := uint64(0) // clocks in L2 for each line
	if op.atomic && lines > 0 {
		more = (uint64(a.same)*uint64(p.of.AtomicSame) + lines - 1) / lines
	}
	// Lines are requested evenly while TA works, or the store path: line i at begin + i*unit/lines.
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
		if op.ldsSide != 0 { // LDS before or after memory
			done, extra = max(worked, done), latency
		} else {
			done = max(done, worked+latency)
		}
	}
	return start, read, k.await(pendingAccess{w: w, t: t, from: from, done: done, extra: extra, least: c.ta,
		inOrder: true})
}

// store passes a store to the path to L2 that only stores use and that is busy for clocks with its lanes. It returns
// the time at which TA starts, which stops while too many stores wait, and the time at which the path starts (rule
// CY4).
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

// l1 serves the line in a and returns the time at which it arrives, which may be unknown: see refer. Stores write
// through and allocate nothing; GLC loads miss, and atomics are executed in L2 (rule CY7).
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

// useLDS adds work to the LDS of c and returns the time at which it is complete.
func (k *cluster) useLDS(c *cu, t, clocks uint64) uint64 {
	c.lds = max(t, c.lds) + clocks
	k.tally.count[sqLdsIdxActive] += clocks
	return c.lds
}

// scalar serves a scalar access at time t and returns the time at which it is complete. Stores and atomics are
// executed in L2.
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

// fetchBytes is the size of a block of code, which a wave fetches at a time (CLRX GcnTimings).
const fetchBytes = 32

// fetch returns the time at which w, which reaches a code block at time t, can continue. Hits cost nothing. The
// instruction buffer of a wave requests only the next block; the cache does not prefetch (rule CY7).
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
