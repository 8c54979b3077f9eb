package check_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// crew is a set of work-groups whose waves execute one program in an order that a test chooses.
type crew struct {
	t      testing.TB
	m      *sim.Machine
	c      *check.Checker
	p      *sim.Program
	groups [][]*state.Wave
	pcs    []uint64
	steps  int // the maximal number of instructions of a wave
}

// members is the watcher of a crew. Start and Begin do nothing, because the crew calls those of the checker.
type members struct{ *check.Checker }

func (members) Start(*sim.Run) error { return nil }
func (members) Begin([]*state.Wave)  {}

// newCrew returns n work-groups of so many waves each that execute text. SGPRs 0 to 3 and
// 4 to 7 have V#s of two buffers. SGPR 8 has the number of the work-group, and SGPR 9 has
// the number of the wave.
func newCrew(t testing.TB, target gcn.Target, n, waves int, text string) *crew {
	c, err := check.New("race")
	require.NoError(t, err)
	a, err := asm.Assemble(target, text, asm.LLVM)
	require.NoError(t, err, text)
	w := &crew{t: t, m: sim.New(target), c: c, p: sim.NewProgram(target, 0, a.Words, 16), steps: 10000}
	w.m.Limit, w.m.LDSSize = 1, 4096
	require.NoError(t, w.m.Watch(members{c}))
	for d := range asm.Disassemble(target, a.Words) {
		w.pcs = append(w.pcs, uint64(d.Offset))
	}
	var vsharps []uint32
	for range 2 {
		buf := w.m.Alloc(4096)
		vsharps = append(vsharps, gcn.Buffer{Base: buf.Addr, NumRecords: uint32(buf.Size)}.Words()...)
	}
	for g := range n {
		var group []*state.Wave
		for i := range waves {
			one := state.NewWave(target, 16)
			one.ID, one.Group = i, [3]uint32{uint32(g)}
			one.SetSGPRs(0, vsharps...)
			one.SetSGPRs(8, uint32(g), uint32(i))
			one.S[gcn.M0] = ^uint32(0)
			group = append(group, one)
		}
		w.groups = append(w.groups, group)
	}
	return w
}

// set sets VGPR v of all waves to of(id) for each work-item id.
func (w *crew) set(v int, of func(id int) uint32) {
	for _, group := range w.groups {
		for i, one := range group {
			var x state.Lanes
			for lane := range x {
				x[lane] = of(64*i + lane)
			}
			one.SetVGPR(v, x)
		}
	}
}

// run executes the waves of each work-group, one instruction at a time, and returns the
// findings. turn chooses the next wave among those that are ready.
func (w *crew) run(turn func(ready []*state.Wave) *state.Wave) []check.Finding {
	w.t.Helper()
	for _, group := range w.groups {
		w.c.Begin(group)
		stopped := map[*state.Wave]bool{} // the waves that wait at a barrier
		for range w.steps {
			var ready []*state.Wave
			ended := 0
			for _, one := range group {
				switch {
				case one.Ended:
					ended++
				case !stopped[one]:
					ready = append(ready, one)
				}
			}
			if ended == len(group) {
				break
			}
			if len(ready) == 0 {
				clear(stopped)
				continue
			}
			one := turn(ready)
			in, ok := w.p.Inst(one.PC)
			w.step(one)
			stopped[one] = ok && isa.Inst(in).Row().Control == isa.Barrier
		}
	}
	return w.c.Findings()
}

// step executes one instruction of a wave.
func (w *crew) step(one *state.Wave) {
	_, err := w.m.RunProgram(context.Background(), w.p, one)
	var f *state.Fault
	if err != nil {
		require.ErrorAs(w.t, err, &f)
		require.Equal(w.t, state.FaultLimit, f.Kind, "%v", err)
	}
}

// inOrder chooses the first wave, so that each wave executes until it ends or waits.
func inOrder(ready []*state.Wave) *state.Wave { return ready[0] }

// backwards chooses the last wave, which the others interrupt now and then.
func backwards() func(ready []*state.Wave) *state.Wave {
	turns := 0
	return func(ready []*state.Wave) *state.Wave {
		if turns++; turns%40 == 0 {
			return ready[0]
		}
		return ready[len(ready)-1]
	}
}

// tell returns findings in the format of the zoo, see testdata/races.tsv.
func (w *crew) tell(all []check.Finding) string {
	var list []string
	for _, f := range all {
		from := ""
		if f.Producer != nil {
			from = fmt.Sprintf("<-%d", slices.Index(w.pcs, f.Producer.PC))
		}
		list = append(list, strings.TrimSpace(fmt.Sprintf("%v %s@%d%s %s %s", f.Severity, f.Kind,
			slices.Index(w.pcs, f.PC), from, f.Space, f.Rule)))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
