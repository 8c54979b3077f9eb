package timing

import "unsafe"

// dramUnit is the resolution of DRAM times: the number of units in a clock.
const dramUnit = 1 << 10

// dram is the memory of a board: channels with banks. A bank has one open DRAM row. All times are in units of
// 1/dramUnit engine clocks.
type dram struct {
	dramUse
	channels []dramChannel
	times    dramTimes
	chunk    divisor // lines that one channel serves before the next
	turns    divisor // number of channels
	row      divisor // lines in a DRAM row
	banks    divisor
	batch    int    // number of writes that a channel collects
	queue    uint64 // largest backlog, in which lines are reordered
	budget   *budget
}

// dramUse counts the operations of DRAM in a run.
type dramUse struct {
	Reads, Writes uint64 // lines of 64 bytes
	Rows          uint64 // row activations
	Turns         uint64 // direction changes of a bus from reads to writes
	Refreshes     uint64 // refreshes of a channel while it had work
}

// dramTimes has the times from data sheets (rule CY14).
type dramTimes struct {
	line     uint64 // transfer of a line on the bus of a channel
	rowCycle uint64 // minimum between two activations of a bank
	rowOpen  uint64 // precharge of a bank and activation of a row
	activate uint64 // minimum between two activations of a channel
	bubble   uint64 // clocks that the bus loses for each activation
	written  uint64 // further clocks that it loses for an activation by a write
	turn     uint64 // two direction changes of the bus
	refresh  uint64 // interval between refreshes of a channel
	stop     uint64 // duration of a refresh
}

// dramChannel is a channel. Its waiting accesses are reordered as controllers do: lines of a row that is open, or
// will be, are transferred together, and banks work in parallel, so that the bus waits only if no bank is ready.
// Writes are collected and transferred in batches.
type dramChannel struct {
	bus       uint64 // time at which the bus has finished its transfers
	activated uint64 // time of the latest activation
	refreshed uint64 // time of the next refresh
	written   uint64 // time at which the latest write is complete
	banks     []dramBank
	writes    []uint64 // rows of the collected writes
	writing   bool     // the bus is in the direction of writes
}

// dramBank is a bank. It remembers the rows that it had open recently and when the last line of each is complete. A
// line for such a row joins the waiting ones.
type dramBank struct {
	rows  [recentRows]uint64 // row numbers + 1, the latest first
	ends  [recentRows]uint64
	ready uint64 // earliest time of the next activation
}

// recentRows is the number of rows of a bank for which lines can wait.
const recentRows = 4

func newDRAM(p *Params, b *budget) *dram {
	ns := func(n int) uint64 { return uint64(n) * uint64(p.ClockMHz) * dramUnit / 1000 }
	d := &dram{
		channels: make([]dramChannel, p.of.DRAMChannels), chunk: newDivisor(p.of.L2Interleave / LineBytes),
		turns: newDivisor(p.of.DRAMChannels),
		row:   newDivisor(p.of.RowBytes / LineBytes), banks: newDivisor(p.of.DRAMBanks),
		batch: max(p.of.WriteBatch, 1), budget: b,
		times: dramTimes{
			line: uint64(LineBytes) * dramUnit * uint64(p.of.DRAMChannels) * uint64(p.ClockMHz) /
				(uint64(p.of.DRAMGBs) * 1000) * uint64(100+p.of.BurstGap) / 100,
			bubble:   ns(p.of.RowBubble) / 1000,
			written:  ns(p.of.WriteBubble) / 1000,
			rowCycle: ns(p.of.RowCycle), rowOpen: ns(p.of.RowOpen), activate: ns(p.of.RowGap), turn: ns(p.of.BusTurn),
			refresh: ns(p.of.RefreshEvery), stop: ns(p.of.RefreshTime),
		},
	}
	d.queue = uint64(p.of.DRAMQueue) * d.times.line
	b.take(unsafe.Sizeof(*d) + uintptr(len(d.channels))*unsafe.Sizeof(dramChannel{}))
	for i := range d.channels {
		// channels refresh one after another
		d.channels[i].refreshed = d.times.refresh * uint64(i+1) / uint64(len(d.channels))
	}
	return d
}

// place returns the channel and the row of a line. Assumed: channels are interleaved in units of L2Interleave bytes,
// and the rows of a channel are consecutive.
func (d *dram) place(n uint64) (ch *dramChannel, row uint64) {
	turn, in := d.chunk.split(n)
	turn, to := d.turns.channel(turn)
	row, _ = d.row.split(turn*d.chunk.n + in)
	return &d.channels[to], row
}

// bank returns the bank of a row. The bank number is the XOR of all groups of bits of the row (assumed).
func (d *dram) bank(ch *dramChannel, row uint64) *dramBank {
	n := uint64(0)
	for row != 0 {
		q, r := d.banks.split(row)
		n, row = n^r, q
	}
	_, n = d.banks.split(n)
	return &ch.banks[n]
}

// read returns the time in clocks at which DRAM has read a line that is requested at time at.
func (d *dram) read(n, at uint64) uint64 {
	d.Reads++
	ch, row := d.place(n)
	ch.writing = false
	return d.access(ch, row, at*dramUnit) / dramUnit
}

// write collects a line to write and returns the time at which DRAM accepts it.
func (d *dram) write(n, at uint64) uint64 {
	d.Writes++
	ch, row := d.place(n)
	ch.writes = append(ch.writes, row)
	if len(ch.writes) >= d.batch {
		d.drain(ch, at*dramUnit)
	}
	return max(at, ch.bus/dramUnit)
}

// drain transfers the collected writes.
func (d *dram) drain(ch *dramChannel, at uint64) {
	if len(ch.writes) == 0 {
		return
	}
	ch.bus = max(ch.bus, at)
	if !ch.writing {
		ch.writing = true
		ch.bus += d.times.turn
		d.Turns++
	}
	for _, row := range ch.writes {
		ch.written = max(ch.written, d.access(ch, row, at))
	}
	ch.writes = ch.writes[:0]
}

// access transfers a line and returns the time at which it is complete.
func (d *dram) access(ch *dramChannel, row, at uint64) uint64 {
	t := &d.times
	if ch.banks == nil {
		ch.banks = make([]dramBank, d.banks.n)
		d.budget.take(uintptr(d.banks.n)*unsafe.Sizeof(dramBank{}) + 2*uintptr(d.batch)*8)
	}
	if ch.bus > at+d.queue {
		at = ch.bus - d.queue // the time at which there is room
	}
	d.refresh(ch, at)
	b := d.bank(ch, row)
	ready := at
	ch.bus = max(ch.bus, at)
	k := b.find(row+1, at)
	if k < 0 {
		d.Rows++
		ch.bus += t.bubble
		if ch.writing {
			ch.bus += t.written
		}
		ch.activated = max(ch.activated+t.activate, at)
		open := max(ch.activated, b.ready)
		ready = open + t.rowOpen
		b.ready = open + t.rowCycle
		k = b.open(row + 1)
	}
	ch.bus += t.line
	done := max(ch.bus, ready+t.line)
	b.ends[k] = max(b.ends[k], done)
	return done
}

// refresh stops a channel for the refreshes that are due by time at, or by the time when the bus has finished.
// Refreshes of an idle channel cost nothing, except for the last one.
func (d *dram) refresh(ch *dramChannel, at uint64) {
	every, stop := d.times.refresh, d.times.stop
	if every == 0 {
		return
	}
	if ch.bus >= ch.refreshed {
		n := (ch.bus-ch.refreshed)/(every-stop) + 1
		ch.bus += n * stop
		ch.refreshed += n * every
		d.Refreshes += n
	}
	if at >= ch.refreshed {
		ch.refreshed += (at - ch.refreshed) / every * every
		ch.bus = ch.refreshed + stop
		ch.refreshed += every
		d.Refreshes++
	}
}

// find returns the index of a row that is open, or has waiting lines at time at; negative if there is none.
func (b *dramBank) find(row, at uint64) int {
	if b.rows[0] == row {
		return 0
	}
	for k := 1; k < recentRows; k++ {
		if b.rows[k] == row && b.ends[k] > at {
			return k
		}
	}
	return -1
}

// open makes a row the latest one.
func (b *dramBank) open(row uint64) int {
	copy(b.rows[1:], b.rows[:recentRows-1])
	copy(b.ends[1:], b.ends[:recentRows-1])
	b.rows[0], b.ends[0] = row, 0
	return 0
}

// finish transfers the remaining writes and returns the time in clocks at which all are complete.
func (d *dram) finish() (end uint64) {
	for i := range d.channels {
		ch := &d.channels[i]
		d.drain(ch, ch.bus)
		end = max(end, (ch.written+dramUnit-1)/dramUnit)
	}
	return end
}
