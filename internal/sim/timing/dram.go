package timing

import "unsafe"

// dramUnit is the resolution of DRAM time: parts of a clock.
const dramUnit = 1 << 10

// dram is the memory of a board: channels of banks, each with one open DRAM row. All
// times are in parts of a clock of the engine.
type dram struct {
	dramUse
	channels []dramChannel
	times    dramTimes
	chunk    divisor // lines of a channel's turn
	turns    divisor // channels
	row      divisor // lines of a row
	banks    divisor
	batch    int    // writes that a channel gathers
	queue    uint64 // the backlog in which lines are reordered
	budget   *budget
}

// dramUse counts what DRAM did in a run.
type dramUse struct {
	Reads, Writes uint64 // lines of 64 bytes
	Rows          uint64 // activations
	Turns         uint64 // of a bus from reads to writes
	Refreshes     uint64 // of a channel, with something to do
}

// dramTimes are the times of data sheets (rule CY14).
type dramTimes struct {
	line     uint64 // a line on the bus of a channel
	rowCycle uint64 // from one activation of a bank to the next
	rowOpen  uint64 // to precharge a bank and activate a row of it
	activate uint64 // from one activation of a channel to the next
	bubble   uint64 // clocks that the bus loses for each activation,
	written  uint64 // and more if a write needs it
	turn     uint64 // the bus changes its direction, and back
	refresh  uint64 // how often a channel is refreshed,
	stop     uint64 // and how long that stops it
}

// dramChannel is a channel. What waits for it is reordered as controllers do: lines of a
// row that is open, or will be, go together, and banks work at the same time, so that the
// bus waits only if no bank has anything ready. Writes are gathered and done in batches.
type dramChannel struct {
	bus       uint64 // when the bus has done what it was given
	activated uint64 // the latest activation
	refreshed uint64 // when the next refresh is due
	written   uint64 // when the latest write is done
	banks     []dramBank
	writes    []uint64 // rows of the lines that wait to be written
	writing   bool     // the bus has the direction of writes
}

// dramBank is a bank: the rows that it had open lately, and when the last line of each is
// done: a line for one whose lines still wait joins them.
type dramBank struct {
	rows  [recentRows]uint64 // numbers plus 1, the latest first
	ends  [recentRows]uint64
	ready uint64 // when the next row can be activated
}

// recentRows is how many rows of a bank the lines that wait may be for.
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
		d.channels[i].refreshed = d.times.refresh * uint64(i+1) / uint64(len(d.channels)) // one channel after another
	}
	return d
}

// place returns where a line lies, its channel and row (assumed: channels take turns of
// L2Interleave bytes, and rows of a channel follow one another).
func (d *dram) place(n uint64) (ch *dramChannel, row uint64) {
	turn, in := d.chunk.split(n)
	turn, to := d.turns.channel(turn)
	row, _ = d.row.split(turn*d.chunk.n + in)
	return &d.channels[to], row
}

// bank returns the bank of a row, which all bits of the row choose, a bank's number of bits at a time (assumed).
func (d *dram) bank(ch *dramChannel, row uint64) *dramBank {
	n := uint64(0)
	for row != 0 {
		q, r := d.banks.split(row)
		n, row = n^r, q
	}
	_, n = d.banks.split(n)
	return &ch.banks[n]
}

// read returns when DRAM has read a line that is asked for at a time, in clocks.
func (d *dram) read(n, at uint64) uint64 {
	d.Reads++
	ch, row := d.place(n)
	ch.writing = false
	return d.access(ch, row, at*dramUnit) / dramUnit
}

// write gathers a line to write and returns when DRAM takes it.
func (d *dram) write(n, at uint64) uint64 {
	d.Writes++
	ch, row := d.place(n)
	ch.writes = append(ch.writes, row)
	if len(ch.writes) >= d.batch {
		d.drain(ch, at*dramUnit)
	}
	return max(at, ch.bus/dramUnit)
}

// drain writes what was gathered.
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

// access moves a line and returns when it has.
func (d *dram) access(ch *dramChannel, row, at uint64) uint64 {
	t := &d.times
	if ch.banks == nil {
		ch.banks = make([]dramBank, d.banks.n)
		d.budget.take(uintptr(d.banks.n)*unsafe.Sizeof(dramBank{}) + 2*uintptr(d.batch)*8)
	}
	if ch.bus > at+d.queue {
		at = ch.bus - d.queue // there is room
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

// refresh stops a channel for the refreshes that are due by a time, or by when the bus has
// done what it was given. Refreshes while no access waited cost nothing, except for the last.
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

// find returns the number of a row that is open, or whose lines still wait at a time; below
// 0 if it is neither.
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

// finish writes what is left and returns when all is written, in clocks.
func (d *dram) finish() (end uint64) {
	for i := range d.channels {
		ch := &d.channels[i]
		d.drain(ch, ch.bus)
		end = max(end, (ch.written+dramUnit-1)/dramUnit)
	}
	return end
}
