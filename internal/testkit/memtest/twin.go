package memtest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// Twin is two waves with equal state and memory. One executes with an access record, the other one without.
type Twin struct {
	Rand *rand.Rand
	Wave *state.Wave // the recorded wave; [Twin.Run] copies it
	Port executor.Ports

	spans  [2][]*executor.Span // ranges of global memory, then LDS and GDS
	direct int                 // number of instructions that the other wave executed without computing addresses
	ran    int
}

// The memory ranges of a Twin: two adjacent ones, a read-only one behind them, one whose ends are not aligned, and
// one at high addresses. One more range is at the shared aperture, where FLAT instructions access LDS and buffers
// find nothing.
const (
	TwinBase = 0x2_0000_0000
	TwinSize = 0x1000
	twinOdd  = TwinBase + 0x8006
	twinHigh = 0x7fff_ffff_f000
)

// NewTwin returns waves of target t with 24 VGPRs.
func NewTwin(r *rand.Rand, t gcn.Target) *Twin {
	w := &Twin{Rand: r, Wave: state.NewWave(t, 24)}
	for i := range w.spans {
		w.spans[i] = []*executor.Span{
			NewSpan(TwinBase, TwinSize), NewSpan(TwinBase+TwinSize, TwinSize), NewSpan(TwinBase+2*TwinSize, TwinSize),
			NewSpan(twinOdd&^15, TwinSize), NewSpan(twinHigh, TwinSize), NewSpan(w.shared(), TwinSize), NewSpan(0, LDSSize),
			NewSpan(0, GDSSize),
		}
		w.spans[i][2].Seal = executor.ReadOnly
		w.spans[i][3].Lo, w.spans[i][3].Hi = twinOdd&15, TwinSize-3
	}
	return w
}

// States returns the number of random states for each opcode: n, or a few in a short test.
func (w *Twin) States(n int) int {
	if !effort.Full() {
		n /= 5
	}
	return States(n)
}

// shared returns the address of the shared aperture.
func (w *Twin) shared() uint64 { return uint64(w.Wave.SharedBase) << 32 }

// Renew randomizes registers, modes and memory.
func (w *Twin) Renew(rules state.Rules) {
	r := w.Rand
	w.Wave.Reset(w.Wave.Target)
	for _, spans := range w.spans {
		for _, s := range spans {
			fill(s.Bytes)
		}
	}
	for i := range w.Wave.V {
		for lane := range w.Wave.V[i] {
			w.Wave.V[i][lane] = r.Uint32()
		}
	}
	for i := range 100 {
		w.Wave.S[i] = r.Uint32()
	}
	w.Wave.S[gcn.M0] = one(r, uint32(0xffffffff), LDSSize, 0x800, 0x100_0800)
	w.Wave.SetExec(one(r, state.FullExec, state.FullExec, r.Uint64(), 1<<r.IntN(64), state.FullExec<<r.IntN(64),
		state.FullExec>>r.IntN(64), 0))
	w.Port = executor.Ports{Rules: rules, Align: one(r, state.DefaultAlign, state.AlignDword, state.AlignDwordStrict,
		state.AlignStrict, state.AlignNone)}
}

// Address returns an address near the boundary of a range.
func (w *Twin) Address() uint64 {
	at := one[uint64](w.Rand, TwinBase, TwinBase+TwinSize, TwinBase+2*TwinSize, TwinBase+3*TwinSize, twinOdd,
		twinOdd+TwinSize-9, twinHigh, twinHigh+TwinSize, w.shared())
	return at + uint64(w.Rand.IntN(0x200)&^one(w.Rand, 0, 3, 3, 15)) - 0x100*uint64(w.Rand.IntN(2))
}

// Spread fills v with offsets of lanes, as programs compute them: consecutive elements, the same for all lanes, rows,
// or random ones. Now and then a few lanes have wild offsets.
func (w *Twin) Spread(v *state.Lanes, from uint32) {
	r := w.Rand
	size := one[uint32](r, 1, 2, 4, 4, 4, 8, 16)
	kind := r.IntN(5)
	for lane := range uint32(state.NumLanes) {
		switch kind {
		case 0, 1:
			v[lane] = lane * size
		case 2:
			v[lane] = lane / 8 * 64
		case 3:
			v[lane] = lane/8*64*uint32(r.IntN(2)) + lane%8*size
		default:
			v[lane] = r.Uint32N(0x200/size) * size
		}
		v[lane] += from
	}
	for n := max(r.IntN(5)-2, 0); n > 0; n-- {
		v[r.IntN(state.NumLanes)] += one[uint32](r, 1, 2, 4, -4&(1<<32-1), 0x1000, 1<<31, -0x1000&(1<<32-1))
	}
}

// untouched is the content of an access record before an executor fills it.
const untouched = 0xdead_dead_dead_dead

// Run executes in on both waves and compares the results. direct reports whether the unrecorded wave computed no
// addresses.
func (w *Twin) Run(t testing.TB, in isa.Inst, exec executor.Exec) (direct bool) {
	t.Helper()
	var waves [2]*state.Wave
	var ports [2]executor.Ports
	var faults [2]*state.Fault
	var access [2]state.Access
	for i := range waves {
		waves[i], ports[i] = state.NewWave(w.Wave.Target, len(w.Wave.V)), w.Port
		v := waves[i].V
		*waves[i] = *w.Wave
		waves[i].V = v
		copy(v, w.Wave.V)
		n := len(w.spans[i])
		ports[i].Mem, ports[i].LDS, ports[i].GDS, ports[i].Unseen = Memory(w.spans[i][:n-2]), *w.spans[i][n-2],
			*w.spans[i][n-1], i == 1
		for lane := range access[i].Addr {
			access[i].Addr[lane] = untouched
		}
		faults[i] = exec(waves[i], &ports[i], &in, &access[i])
	}
	w.ran++
	if a := &access[1]; a.Op == gcn.NoMem && a.Exec == 0 && a.Addr[0] == untouched && a.Addr[63] == untouched {
		direct = true
		w.direct++
	} else {
		require.Equal(t, access[0].Op, access[1].Op)
	}
	what := in.Row().Name
	require.Equal(t, faults[0], faults[1], what)
	for i := range w.spans[0] {
		require.Equal(t, w.spans[0][i].Bytes, w.spans[1][i].Bytes, "%s: range %d", what, i)
	}
	for i := range waves[0].V {
		require.Equal(t, waves[0].V[i], waves[1].V[i], "%s: v%d", what, i)
	}
	require.Equal(t, waves[0], waves[1], what)
	require.Equal(t, access[0].Doubt != "" || access[0].NumDoubts > 0, access[1].Doubt != "" || access[1].NumDoubts > 0,
		what)
	return direct
}

// Direct returns the fraction of instructions that the unrecorded wave executed without addresses.
func (w *Twin) Direct() float64 { return float64(w.direct) / float64(w.ran) }
