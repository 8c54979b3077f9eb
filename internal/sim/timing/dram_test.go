package timing

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// memoryOf returns the memory of a board with an engine clock of 1000 MHz, so that a clock is a nanosecond.
func memoryOf(t *testing.T, board string, change func(*Params)) (*dram, *Params) {
	t.Helper()
	p, err := Preset(board)
	require.NoError(t, err)
	p.ClockMHz = 1000
	if change != nil {
		change(&p)
	}
	require.NoError(t, p.check(targetOf(board)))
	return newDRAM(&p, &budget{}), &p
}

func targetOf(board string) gcn.Target {
	if board == "radeon-vii" {
		return gcn.GFX906
	}
	return gcn.GFX701
}

// share returns the bandwidth as a fraction of the peak, for n lines that are requested at the same time.
func share(p *Params, n int, done uint64) float64 {
	return float64(n) * LineBytes / float64(done) / float64(p.of.DRAMGBs)
}

// TestRowsDecideBandwidth compares an idle bank, consecutive rows and random rows with costs computed by hand.
func TestRowsDecideBandwidth(t *testing.T) {
	d, p := memoryOf(t, "r9-390", func(p *Params) { p.of.RefreshEvery = 0 })
	assert.InDelta(t, 100+p.of.RowOpen+3, d.read(0, 100), 1, "a row is opened and a line moved")
	assert.InDelta(t, 1000+3, d.read(1, 1000), 1, "the row is open")
	assert.EqualValues(t, 1, d.Rows)

	const lines = 1 << 15
	last := uint64(0)
	d, p = memoryOf(t, "r9-390", func(p *Params) { p.of.RefreshEvery = 0 })
	for n := range uint64(lines) {
		last = max(last, d.read(n, 0))
	}
	rows := lines * LineBytes / p.of.RowBytes
	assert.EqualValues(t, rows, d.Rows)
	bus := float64(lines)*LineBytes/float64(p.of.DRAMGBs) + float64(rows*p.of.RowBubble)/1000/float64(p.of.DRAMChannels)
	assert.InEpsilon(t, bus, last, 0.02)

	d, p = memoryOf(t, "r9-390", func(p *Params) { p.of.RefreshEvery = 0 })
	r := rand.New(rand.NewPCG(3, 3))
	last = 0
	for range lines {
		last = max(last, d.read(r.Uint64N(1<<30), 0))
	}
	assert.InEpsilon(t, float64(lines*p.of.RowGap)/float64(p.of.DRAMChannels), last, 0.1, "a row for each line")
}

// TestRefresh: a busy channel stops for each refresh, and an idle one only for the last.
func TestRefresh(t *testing.T) {
	const lines = 1 << 16
	var shares [2]float64
	for i, every := range []int{0, 1900} {
		d, p := memoryOf(t, "r9-390", func(p *Params) { p.of.RefreshEvery = every })
		last := uint64(0)
		for n := range uint64(lines) {
			last = max(last, d.read(n, 0))
		}
		shares[i] = share(p, lines, last)
	}
	assert.InEpsilon(t, 1-110.0/1900, shares[1]/shares[0], 0.02)

	d, p := memoryOf(t, "radeon-vii", nil)
	before := d.read(0, 0)
	late := uint64(1e12)
	assert.Less(t, d.read(1, late)-late, before+uint64(p.of.RefreshTime)+uint64(p.of.RowOpen))
	assert.EqualValues(t, 1, d.Refreshes)

	p.of.RefreshTime = p.of.RefreshEvery
	require.EqualError(t, p.check(gcn.GFX906), "timing: RefreshTime is 3900; it must be at most half of "+
		"RefreshEvery, 1950")
	p.of.RefreshTime = 1950
	p.ClockMHz = 1
	d = newDRAM(p, &budget{})
	for n := range uint64(100) {
		d.read(n, 0) // completes early
	}
}

// TestWritesGoInBatches: the bus changes its direction once per batch of writes between reads, and only once for
// writes alone. Remaining writes are transferred at the end.
func TestWritesGoInBatches(t *testing.T) {
	d, p := memoryOf(t, "r9-390", nil)
	oneChannel := uint64(p.of.DRAMChannels * p.of.L2Interleave / LineBytes) // distance between lines
	for n := range uint64(4 * p.of.WriteBatch) {
		d.read(2*n*oneChannel, 0)
		d.write((2*n+1)*oneChannel, 0)
	}
	assert.EqualValues(t, 4, d.Turns)
	d.read(0, 0)
	for n := range uint64(4 * p.of.WriteBatch) {
		d.write(n*oneChannel, 0)
	}
	assert.EqualValues(t, 5, d.Turns)
	rows := d.Rows
	end := d.finish()
	d.write(1<<20, end)
	assert.Equal(t, rows, d.Rows, "it waits")
	assert.Greater(t, d.finish(), end)
	assert.Equal(t, rows+1, d.Rows)
}

// TestLinesWaitTogether: a line joins the waiting lines of its row, even if the bank has been given another row
// meanwhile. Later it must open the row again.
func TestLinesWaitTogether(t *testing.T) {
	d, p := memoryOf(t, "r9-390", func(p *Params) { p.of.RefreshEvery = 0 })
	perRow := uint64(p.of.RowBytes/LineBytes) * uint64(p.of.DRAMChannels)
	bank := func(row uint64) *dramBank {
		d.read(0, 0)
		return d.bank(&d.channels[0], row)
	}
	other := uint64(1)
	for bank(other) != bank(0) {
		other++
	}
	d, _ = memoryOf(t, "r9-390", func(p *Params) { p.of.RefreshEvery = 0 })
	d.read(0, 0)
	d.read(other*perRow, 0)
	d.read(1, 1)
	assert.EqualValues(t, 2, d.Rows)
	d.read(2, 1000)
	assert.EqualValues(t, 3, d.Rows)
}

// TestDivisor compares with / and %.
func TestDivisor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 4, 12, 16, 64, 100} {
		d := newDivisor(n)
		for range 100 {
			x := r.Uint64() >> r.UintN(64)
			q, rest := d.split(x)
			assert.Equal(t, [2]uint64{x / uint64(n), x % uint64(n)}, [2]uint64{q, rest})
		}
	}
}

// TestChannels: each chunk number of a channel occurs once, and steps of 16 chunks (4 KB) reach most of 12 channels.
func TestChannels(t *testing.T) {
	for n, reached := range map[int]int{3: 3, 12: 9, 16: 1} {
		d := newDivisor(n)
		seen, stepped := map[[2]uint64]bool{}, map[uint64]bool{}
		for turn := range uint64(48 * n) {
			before, to := d.channel(turn)
			assert.Less(t, to, uint64(n))
			seen[[2]uint64{before, to}] = true
			_, to = d.channel(16 * turn)
			stepped[to] = true
		}
		assert.Len(t, seen, 48*n)
		assert.Len(t, stepped, reached)
	}
}
