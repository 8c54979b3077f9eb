package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// raceSteps are the steps of random programs. v0 to v3 have addresses. Stored values do not depend on the order of
// waves, but a program may be a loop whose iterations store different values.
var raceSteps = []string{
	"ds_write_b32 v%d, v5", "ds_write_b32 v%d, v6", "ds_write_b8 v%d, v5 offset:1", "ds_write_b16 v%d, v6",
	"ds_read_b32 v15, v%d", "ds_read_u8 v15, v%d offset:2",
	"ds_read_b64 v[14:15], v%d", "ds_add_u32 v%d, v6", "ds_write2_b32 v%d, v5, v6 offset1:3",
	"buffer_store_dword v5, v%d, s[0:3], 0 offen", "buffer_store_short v6, v%d, s[0:3], 0 offen",
	"buffer_load_dwordx2 v[14:15], v%d, s[0:3], 0 offen",
	"buffer_load_ubyte v15, v%d, s[0:3], 0 offen offset:3", "buffer_atomic_add v6, v%d, s[0:3], 0 offen",
}

// randomRaces returns a program of random steps.
func randomRaces(r *rand.Rand) string {
	var lines []string
	for range 4 + r.IntN(8) {
		switch r.IntN(9) {
		case 0, 1:
			lines = append(lines, "s_barrier")
		case 2, 3:
			lines = append(lines, "s_waitcnt lgkmcnt(0)")
		case 4:
			lines = append(lines, "v_xor_b32 v5, 1, v5")
		default:
			lines = append(lines, fmt.Sprintf(raceSteps[r.IntN(len(raceSteps))], r.IntN(4)))
		}
	}
	if r.IntN(2) == 0 {
		lines = slices.Insert(lines, 0, "s_mov_b32 s10, 3", "loop:")
		lines = append(lines, "s_sub_u32 s10, s10, 1", "s_cmp_lg_u32 s10, 0", "s_cbranch_scc1 loop")
	}
	return strings.Join(lines, "\n")
}

// raceRun runs text on some waves, in the order that turn chooses. It returns the PCs of the
// pairs that are errors for the checker, and of those that are races for the reference.
func raceRun(t testing.TB, text string, groups, waves int,
	turn func([]*state.Wave) *state.Wave) (got map[[2]uint64]bool, want *plainRaces) {
	w := newCrew(t, gcn.GFX803, groups, waves, text)
	want = newPlainRaces()
	require.NoError(t, w.m.Watch(sim.Observer(want.observe)))
	w.set(0, func(id int) uint32 { return uint32(4 * id) })
	w.set(1, func(id int) uint32 { return uint32(4 * (127 - id)) })
	w.set(2, func(int) uint32 { return 64 })
	w.set(3, func(id int) uint32 { return uint32(256 * (id / 64)) })
	w.set(5, func(int) uint32 { return 0x01020304 })
	w.set(6, func(id int) uint32 { return uint32(id/64)*0x1010101 + 7 })
	got = map[[2]uint64]bool{}
	for _, f := range w.run(turn) {
		if f.Kind == check.Race && f.Severity == check.Error {
			got[[2]uint64{f.Producer.PC, f.PC}] = true
		}
	}
	return got, want
}

// waveOrders are the names of the orders in which waves execute.
var waveOrders = []string{"in order", "backwards", "random"}

// checkRaces compares the checker with the reference, in several orders of waves. The checker may be
// stricter about stores of the same value that no barrier publishes.
func checkRaces(t testing.TB, seed uint64, orders ...string) {
	r := rand.New(rand.NewPCG(seed, 7))
	text := randomRaces(r)
	groups, waves := 1+r.IntN(2), 1+r.IntN(3)
	turns := map[string]func([]*state.Wave) *state.Wave{
		"in order": inOrder, "backwards": backwards(),
		"random": func(ready []*state.Wave) *state.Wave { return ready[r.IntN(len(ready))] },
	}
	for _, name := range orders {
		turn := turns[name]
		got, want := raceRun(t, text, groups, waves, turn)
		for pair := range want.pairs {
			require.True(t, got[pair], "%s, %d groups of %d waves, not found: %x\n%s", name, groups, waves, pair, text)
		}
		for pair := range got {
			require.True(t, want.pairs[pair] || want.alike[pair], "%s, %d groups of %d waves, no race: %x\n%s", name, groups,
				waves, pair, text)
		}
	}
}

func TestRacesAgainstPlainReference(t *testing.T) {
	for seed := range uint64(effort.Rounds(400)) {
		checkRaces(t, seed, waveOrders...)
	}
}

// FuzzRaces: in any order of waves, checker and plain reference find the same races in a random program.
func FuzzRaces(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRaces(t, seed, waveOrders[seed%uint64(len(waveOrders))]) })
}
