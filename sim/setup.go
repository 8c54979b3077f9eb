package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// start gives wave number i of a work-group its initial state. w.begun has its SGPRs, too, for waves that follow.
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

// prepare sets w.begun to the waves of a work-group of the size of g as they begin, without the number of the
// work-group and without their VGPRs. They are the same in all work-groups that are not at the edge of the grid.
func (w *worker) prepare(g *groupNow) {
	w.begunOf = g.items
	w.numberItems(g)
	for i, wave := range w.waves[:wavesOf(g.count)] {
		w.initialize(wave, i, g)
		wave.Temp() // the copy has it, too
		w.begun[i] = *wave
	}
}

// initialize gives wave number i of a work-group user and system SGPRs, EXEC, MODE (rules ST11 to ST14).
func (w *worker) initialize(wave *state.Wave, i int, g *groupNow) {
	d := w.d
	wave.Reset(d.m.Target)
	wave.ID, wave.LDSBytes = i, uint32(w.ports.LDS.Hi)
	wave.PC = d.c.Program
	wave.Mode = d.mode
	// M0 is undefined at the start (rule ST13). It is no limit here, because compiled code
	// that reaches LDS through FLAT alone never sets it.
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
	for n, v := range [...]uint32{0, 0, 0, info, uint32(w.slot+i) * d.slotBytes} { // start numbers the work-group
		if d.system[n] {
			wave.S[next] = v
			next++
		}
	}
}

// numberItems fills w.local for work-groups of the size of g.
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
