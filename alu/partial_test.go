package alu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// TestSomeLanes executes every row that treats lanes separately, with few active lanes. All sources are one register,
// as in compiled divisions, or different registers. An active lane has the same result as when all lanes are active.
// An inactive lane keeps its value and has a 0 bit in lane masks.
func TestSomeLanes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(41, 42))
	done := 0
	for _, target := range scalarTargets {
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			for _, enc := range []gcn.Encoding{isa.Invalid, isa.VOP3A, isa.VOP3B} {
				in, err := isa.New(target, op, enc)
				if err != nil || enc == isa.Invalid && effort.LeavesOut(int(op)) {
					continue
				}
				for _, apart := range []uint32{0, 2} {
					if in, ok := withSources(in, apart); ok && someLanes(t, rnd, &in) {
						done++
					}
				}
			}
		}
	}
	require.Greater(t, done, effort.Rounds(2000))
}

// withSources returns in with the VGPR sources v2, v2+apart and so on, destination v16 and lane mask s[20:21]. ok is
// false for rows that read other lanes.
func withSources(in isa.Inst, apart uint32) (_ isa.Inst, ok bool) {
	r := in.Row()
	switch r.Enc {
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3A, isa.VOP3B:
	default:
		return in, false
	}
	if slices.ContainsFunc([]isa.Flags{isa.IndexesVGPRs, isa.ScalarDst, isa.ScalarSrc1, isa.IgnoresEXEC, isa.WritesEXEC,
		isa.Swaps}, r.Has) {
		return in, false
	}
	for f, v := range map[isa.Field]uint32{
		isa.SRC0: isa.VGPR0 + 2, isa.SRC1: isa.VGPR0 + 2 + apart, isa.SRC2: isa.VGPR0 + 2 + 2*apart, isa.VSRC1: 2 + apart,
		isa.SDST: 20,
	} {
		switch {
		case !in.Has(f):
			continue
		case f == isa.SRC2 && r.Has(isa.CarryIn):
			v = 22
		}
		in, _ = in.Set(f, int64(v))
	}
	dst := int64(16)
	if r.Sig.Dst == isa.Mask {
		dst = 20
	}
	if in.Has(isa.VDST) {
		in, _ = in.Set(isa.VDST, dst)
	}
	return in, true
}

// someLanes compares in with few active lanes with in with all lanes active. It returns false if in does not execute.
func someLanes(t *testing.T, rnd *rand.Rand, in *isa.Inst) bool {
	impl := bind(in)
	if impl.Exec == nil {
		return false
	}
	w := state.NewWave(in.Target, 24)
	if executor.Check(in, len(w.V), nil) != nil {
		return false
	}
	w.Mode |= state.Mode(rnd.Uint32() & 0xff) // random rounding and denormal modes
	for r := range w.V {
		for lane := range w.V[r] {
			w.V[r][lane] = math.Float32bits(float32(rnd.IntN(64)) - 16)
			if rnd.IntN(8) == 0 {
				w.V[r][lane] = rnd.Uint32()
			}
		}
	}
	w.SetScalar64(22, rnd.Uint64())
	w.SetScalar64(gcn.VCC, rnd.Uint64())
	run := func(exec uint64) *state.Wave {
		c := state.NewWave(in.Target, len(w.V))
		copy(c.V, w.V)
		c.S, c.Mode = w.S, w.Mode
		c.SetExec(exec)
		require.Nil(t, impl.Exec(c, nil, in, nil), in.Row().Name)
		return c
	}
	all := run(state.FullExec)
	for _, exec := range []uint64{0, 1 << 63, 0x5555555555555555, rnd.Uint64()} {
		some := run(exec)
		for r := range w.V {
			for lane, got := range some.V[r] {
				want := w.V[r][lane]
				if exec>>lane&1 != 0 {
					want = all.V[r][lane]
				}
				if got != want {
					assert.Failf(t, "lanes", "%v of %v, words %x: EXEC %#x, v%d[%d] is %#x, want %#x", in.Op, in.Target, in.Words,
						exec, r, lane, got, want)
					return true
				}
			}
		}
		for _, mask := range []uint32{20, gcn.VCC} {
			if got, want := some.Scalar64(mask), all.Scalar64(mask)&exec; got != want && all.Scalar64(mask) != w.Scalar64(mask) {
				assert.Failf(t, "mask", "%v of %v, words %x: EXEC %#x, s[%d] is %#x, want %#x", in.Op, in.Target, in.Words, exec,
					mask, got, want)
				return true
			}
		}
	}
	return true
}
