package debug

import (
	"context"
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/steps"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

const kernels = "../../../testdata/kernels/"

// barriers is a work-group of three waves that exchange values through LDS. It can be made to fault at the end.
const barriers = `{"mcpu":"fiji","waves":3,"lds":{"size":1024},"mem":[{"addr":4096,"size":4096}],"sgpr":{"8":[4096,0]},
"vgpr":{"0":[0,4,8,12,16,20,24,28]},"states":[{"sgpr":{"4":[1]}},{"sgpr":{"4":[2]}},{"sgpr":{"4":[3]}}],
"asm":"s_mov_b32 m0, -1\ns_mov_b32 s5, 3\nloop:\nv_mov_b32 v1, s4\nv_add_u32 v2, vcc, v1, v2\nds_add_u32 v0, v2` +
	`\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v3, v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v4, s8\nv_mov_b32 v5, s9` +
	`\nflat_atomic_add v6, v[4:5], v3 glc\ns_waitcnt vmcnt(0) & lgkmcnt(0)\ns_sub_u32 s5, s5, 1\ns_cmp_lg_u32 s5, 0` +
	`\ns_cbranch_scc1 loop\nEND\ns_endpgm"}`

// debuggee returns the program of a kernel file, or of a text.
func debuggee(t testing.TB, name, text string) *report.Debuggee {
	data := []byte(text)
	if text == "" {
		var err error
		data, err = os.ReadFile(name)
		require.NoError(t, err)
	}
	d, err := (&report.Options{}).Debuggee(name, data, nil)
	require.NoError(t, err)
	return d
}

// change is an edit in two forms: for a session, and for the model.
type change struct {
	wave, reg, lane int
	value           uint32
}

func (c *change) make(waves []*state.Wave) {
	w := waves[c.wave%len(waves)]
	v := w.VGPR(c.reg)
	v[c.lane] = c.value
	w.SetVGPR(c.reg, v)
}

// model is a reference run. It only runs forward, as a watcher, and does not use the code under test.
type model struct {
	sim.NoWatcher
	seed   maphash.Seed
	run    *spec.Run
	waves  []*state.Wave
	lds    []byte
	states []uint64 // hashes of states, by position
	edits  map[int64][]change
}

func (m *model) Needs() sim.Needs { return sim.Needs{} }

func (m *model) Begin(waves []*state.Wave) {
	if m.waves = waves; len(m.states) > 0 {
		m.states = m.states[:len(m.states)-1]
	}
	m.lds = nil
	m.arrive()
}

func (m *model) Retire(e *sim.Event) {
	m.lds = e.LDS
	m.arrive()
}

func (m *model) arrive() {
	for _, c := range m.edits[int64(len(m.states))] {
		c.make(m.waves)
	}
	m.states = append(m.states, hashOf(m.seed, m.run, m.waves, m.lds))
}

// inBarrier is STATUS.IN_BARRIER. It is not compared: when the last wave reaches a barrier, a session has already
// opened the barrier, but a watcher sees the state before that.
const inBarrier = 1 << 12

// hashOf returns a hash of all state that instructions can read.
func hashOf(seed maphash.Seed, run *spec.Run, waves []*state.Wave, lds []byte) (h uint64) {
	add := func(n uint64) { h = h*31 + n }
	for _, w := range waves {
		add(maphash.Comparable(seed, w.S))
		for i, v := range w.V {
			if v != (state.Lanes{}) {
				add(maphash.Comparable(seed, v) ^ uint64(i))
			}
		}
		add(w.PC ^ uint64(w.SCC)<<40 ^ uint64(w.Mode)<<41)
		add(uint64(w.Status()&^inBarrier) ^ uint64(w.TrapSts)<<32)
		add(w.Executed)
	}
	zero := true
	for _, b := range lds {
		zero = zero && b == 0
	}
	if !zero { // a watcher gets no LDS before the first instruction
		add(maphash.Bytes(seed, lds))
	}
	for _, b := range run.Memory {
		if b != nil && b.Buffer != nil {
			add(maphash.Bytes(seed, b.Buffer.Bytes()))
		}
	}
	return h
}

func (m *model) again(run Run) error {
	m.states = nil
	return run(context.Background(), func(r *spec.Run) []sim.Watcher {
		m.run = r
		return []sim.Watcher{m}
	})
}

// TestBackIsForward steps forward and back and changes a session at random. At each stop, the state must equal the
// state of a plain forward run bit for bit.
func TestBackIsForward(t *testing.T) {
	rounds := 40
	if effort.Full() {
		rounds = 1500
	}
	for _, c := range []struct {
		name, file, text string
		budget           int
		distance         int64
	}{
		{"barriers", "x.json", replaced("s_nop 0"), 1 << 20, 7},
		{"fault", "x.json", replaced(`v_mov_b32 v5, -1\nflat_store_dword v[4:5], v1`), 1 << 20, 11},
		{"deadlock", "x.json", replaced(`s_cmp_lg_u32 s4, 2\ns_cbranch_scc1 end\ns_mov_b32 m0, 0\nv_mov_b32 v0, 5\n` +
			`ds_gws_init v0 gds\nds_gws_barrier v0 gds\nend:`), 1 << 20, 11},
		{"none", "x.json", replaced("s_nop 0"), 0, 1},
		{"reduce", kernels + "reduce.fiji.json", "", 4 << 20, 50},
		{"tight", kernels + "reduce.fiji.json", "", 300 << 10, 20},
		{"calls", kernels + "calls.O0.fiji.json", "", 4 << 20, 300},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := debuggee(t, c.file, c.text)
			r := rand.New(rand.NewPCG(1, 2))
			for range rounds {
				compareSequence(t, d.Run, r, c.budget, c.distance)
			}
		})
	}
}

func replaced(end string) string {
	i := len(barriers) - len(`END\ns_endpgm"}`)
	return barriers[:i] + end + barriers[i+3:]
}

// compareSequence makes random moves and compares the states.
func compareSequence(t *testing.T, run Run, r *rand.Rand, budget int, distance int64) {
	m := &model{seed: maphash.MakeSeed(), edits: map[int64][]change{}}
	failed := m.again(run)
	s := &Session{Options: Options{Checkpoints: budget}, run: run, distance: distance, pages: map[steps.Page]struct{}{}}
	require.NoError(t, s.restart())
	defer s.Close()
	never, always := func() bool { return false }, func() bool { return true }
	nothing := func(*state.Wave) bool { return false }
	for range 12 {
		switch last := int64(len(m.states)); r.IntN(7) {
		case 0, 1:
			_ = s.Forward(probe{always, nothing}, never)
		case 2, 3:
			_, err := s.Back(probe{always, nothing}, never)
			require.NoError(t, err)
		case 4: // to the next instruction of a wave, or back
			id := r.IntN(3)
			p := probe{func() bool { return !s.Finished() && s.wave.ID == id }, nothing}
			if r.IntN(2) == 0 {
				_ = s.Forward(p, never)
			} else {
				_, err := s.Back(p, never)
				require.NoError(t, err)
			}
		case 5:
			require.NoError(t, s.GoTo(r.Int64N(last)))
		case 6:
			if s.Finished() {
				break
			}
			c := change{r.IntN(3), 2, r.IntN(64), r.Uint32()}
			require.NoError(t, s.Change(func(s *Session) error {
				c.make(s.group.Waves())
				return nil
			}))
			for pos := range m.edits {
				if pos > s.pos {
					delete(m.edits, pos)
				}
			}
			m.edits[s.pos] = append(m.edits[s.pos], c)
			failed = m.again(run)
		}
		lds, _, _, _ := s.group.Storage()
		require.Equal(t, m.states[s.pos], hashOf(m.seed, s.memory, s.group.Waves(), lds), "position %d of %d", s.pos,
			len(m.states)-1)
		fault := (*state.Fault)(nil)
		if s.fault != nil && errors.As(failed, &fault) {
			require.Equal(t, int64(len(m.states)-1), s.pos)
			require.Equal(t, fault.Error(), s.fault.Error())
		}
		require.LessOrEqual(t, s.used, max(budget, 1))
	}
}

// TestOtherWorkGroupsAreCompiled: work-groups before the first one to debug have the same results as in a plain run.
// The debugger does not see their instructions.
func TestOtherWorkGroupsAreCompiled(t *testing.T) {
	d := debuggee(t, kernels+"reduce.fiji.json", "")
	s, err := New(d.Run, Options{First: 3, Checkpoints: 1 << 20})
	require.NoError(t, err)
	defer s.Close()
	n, total := s.group.Number()
	assert.Equal(t, [2]int64{3, 4}, [2]int64{n, total})
	m := &model{seed: maphash.MakeSeed()}
	require.NoError(t, m.again(d.Run))
	require.NoError(t, s.GoTo(1<<40))
	assert.True(t, s.Finished())
	for i, b := range s.memory.Memory {
		assert.Equal(t, m.run.Memory[i].Buffer.Bytes(), b.Buffer.Bytes())
	}
	for at, want := range map[string]int64{"3,0,0:1:7": 3, "0:0": 0} {
		var place Place
		require.NoError(t, place.Set(at))
		s, err := New(d.Run, Options{At: place})
		require.NoError(t, err)
		n, _ := s.group.Number()
		assert.Equal(t, want, n, at)
		s.Close()
	}
	for _, bad := range []string{"", "1", "1:x", "1:2:3", "1,2:3:4", "-1:0", "1:2 3"} {
		require.Error(t, new(Place).Set(bad), bad)
	}
	_, err = New(d.Run, Options{First: 4})
	require.ErrorIs(t, err, errNoGroup)
}

// TestFarBack: checkpoints of a long run stay within their memory limit, and a step back executes few instructions.
func TestFarBack(t *testing.T) {
	e := &spec.Exec{Target: gcn.GFX803, Asm: "s_mov_b32 s0, 0x10000\nl: v_add_u32 v1, vcc, v1, v1\ns_sub_u32 s0, s0, 1\n" +
		"s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 l\ns_endpgm"}
	s, err := New(func(ctx context.Context, watch func(*spec.Run) []sim.Watcher) error {
		_, err := e.Run(ctx, &spec.Options{Watch: watch})
		return err
	}, Options{Checkpoints: 1 << 20})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.GoTo(1<<40))
	assert.Equal(t, int64(4<<16+2), s.pos)
	assert.LessOrEqual(t, s.used, 1<<20)
	assert.Less(t, s.pos-s.points[len(s.points)-1].pos, 2*s.distance)
	assert.Less(t, s.distance, s.pos/4)
}

func TestListenIsLocal(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "example.org:80", "192.168.0.1:0", "x"} {
		_, err := Listen(address)
		assert.ErrorAs(t, err, new(*request.FlagError), address)
	}
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
}
