package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// start sets the initial state of wave number i of a work-group. Its SGPRs are also stored in w.begun, for waves that
// execute after it in machine code.
func (w *worker) start(wave *state.Wave, i int, g *groupNow) {
	v := wave.V
	*wave = w.begun[i]
	wave.V, wave.Group = v, g.id
	ids := min(w.d.ids, len(v))
	for n := range ids {
		simd.Copy(&v[n], &w.local[i][n])
	}
	clear(v[ids:])
	next := w.d.user
	for n, id := range g.id {
		if w.d.system[n] {
			wave.S[next], w.begun[i].S[next] = id, id
			next++
		}
	}
}

// prepare sets w.begun to the initial waves of a work-group of the size of g, without work-group id and VGPRs. They
// are the same for all work-groups except those at the edge of the grid.
func (w *worker) prepare(g *groupNow) {
	w.begunOf = g.items
	w.numberItems(g)
	for i, wave := range w.waves[:wavesOf(g.count)] {
		w.initialize(wave, i, g)
		wave.Temp() // allocated before the copy, so that the copy shares it
		w.begun[i] = *wave
	}
}

// initialize sets the user and system SGPRs, EXEC and MODE of wave number i of a work-group (rules ST11 to ST14).
func (w *worker) initialize(wave *state.Wave, i int, g *groupNow) {
	d := w.d
	wave.Reset(d.m.Target)
	wave.ID, wave.LDSBytes = i, uint32(w.ports.LDS.Hi)
	wave.PC = d.c.Program
	wave.Mode = d.mode
	// M0 is undefined at the start (rule ST13). Here it imposes no limit, because compiled code that accesses LDS only
	// through FLAT never sets it.
	wave.S[gcn.M0] = ^uint32(0)
	if live := g.count - i*state.NumLanes; live < state.NumLanes {
		wave.SetExec(1<<live - 1)
	}
	status := state.StatusValid
	if g.count > state.NumLanes {
		status |= state.StatusInTG
	}
	wave.SetStatus(status)
	w.giveHandler(wave)
	copy(wave.S[:d.user], d.c.UserData[:])
	info := uint32(wavesOf(g.count)) | uint32(i)<<6
	if i == 0 {
		info |= 1 << 31
	}
	next := d.user
	for n, v := range [...]uint32{0, 0, 0, info, uint32(w.slot+i) * d.slotBytes} { // start writes the work-group id
		if d.system[n] {
			wave.S[next] = v
			next++
		}
	}
}

// numberItems sets w.local to the work-item ids in work-groups of the size of g.
func (w *worker) numberItems(g *groupNow) {
	items := &g.items
	var id [3]uint32
	left := uint32(g.count)
	for i := 0; left > 0; i++ {
		ids := &w.local[i]
		*ids = [3]state.Lanes{}
		for lane := range min(left, state.NumLanes) {
			ids[0][lane], ids[1][lane], ids[2][lane] = id[0], id[1], id[2]
			if id[0]++; id[0] < items[0] {
				continue
			}
			id[0] = 0
			if id[1]++; id[1] == items[1] {
				id[1] = 0
				id[2]++
			}
		}
		clear(ids[w.d.ids:])
		left -= min(left, state.NumLanes)
	}
}
