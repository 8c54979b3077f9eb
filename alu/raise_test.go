package alu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// interesting returns a number near the borders of t, or any.
func (t ieee) interesting(rnd *rand.Rand) uint64 {
	mant, sign := t.prec-1, rnd.Uint64()%2<<(t.width-1)
	top := uint64(1)<<(t.width-t.prec) - 1
	m := rnd.Uint64() % (1 << mant)
	switch rnd.IntN(8) {
	case 0:
		return sign // zero
	case 1:
		return sign | m // denormal
	case 2:
		return sign | top<<mant | [3]uint64{0, 1, m | 1<<(mant-1)}[rnd.IntN(3)]
	case 3:
		return sign | rnd.Uint64N(top)<<mant // power of two
	case 4:
		return sign | (top/2+rnd.Uint64N(8))<<mant | m&(1<<mant-1<<(mant-4)) // a short number near 1
	case 5:
		return sign | (1+rnd.Uint64N(4))<<mant | m
	case 6:
		return sign | (top-1-rnd.Uint64N(4))<<mant | m | 1<<mant - 1<<3
	}
	return sign | rnd.Uint64N(top)<<mant | m
}

// instruction builds an instruction.
func instruction(t *testing.T, name string, enc gcn.Encoding, g gcn.Gen, fields map[gcn.Field]int64) gcn.Inst {
	t.Helper()
	in, ok := build(t, g, lookup(t, name, g), enc, fields)
	require.True(t, ok, name)
	return in
}

// TestRaisedExceptions compares what rows raise with what IEEE 754 says, in all modes of rounding and of
// denormals, and with some lanes off.
func TestRaisedExceptions(t *testing.T) {
	const operands = 12_096 // seven of eight are in active lanes
	for _, c := range append(raiseCases(), moreRaiseCases()...) {
		rnd := rand.New(rand.NewPCG(33, uint64(len(c.name))))
		fields := map[gcn.Field]int64{gcn.SRC0: 256, gcn.SRC1: 258, gcn.SRC2: 260, gcn.VDST: 6}
		if c.clamp {
			fields[gcn.CLAMP] = 1
		}
		if c.name[:5] == "v_mac" { // the destination is the addend
			delete(fields, gcn.SRC2)
			fields[gcn.VDST] = 4
		}
		in := instruction(t, c.name, gcn.VOP3A, gcn.GCN14, fields)
		raises, why := executor.RaisedBy(&in)
		require.Empty(t, why)
		require.NotNil(t, raises, c.name)
		src, dst := ieeeOf[c.src], ieeeOf[c.dst]
		for range effort.Rounds(operands) / state.NumLanes {
			w := state.NewWave(gcn.GFX900, 8)
			w.Mode = state.Mode(rnd.Uint32() & 0xff)
			w.SetExec(rnd.Uint64() | rnd.Uint64() | rnd.Uint64())
			if c.vcc {
				w.SetScalar64(gcn.VCC, state.FullExec)
			}
			var bits [3]lanes64
			for n := range c.n {
				for i := range state.NumLanes {
					v := src.interesting(rnd)
					if n >= c.floats() {
						v = uint64(int64(rnd.Uint32()) >> rnd.IntN(33) * int64(1-2*rnd.IntN(2)))
					}
					bits[n][i] = v
					w.V[2*n][i], w.V[2*n+1][i] = uint32(v), uint32(v>>32)
				}
			}
			var got executor.Raised
			before := w.V[6]
			raises(w, &got)
			require.Equal(t, before, w.V[6])
			for i := range state.NumLanes {
				want := state.TrapSts(0)
				if w.Exec()>>i&1 != 0 {
					want = c.want(w.Mode, src, dst, [3]uint64{bits[0][i], bits[1][i], bits[2][i]})
				}
				lane := state.TrapSts(0)
				for e, on := range got {
					lane |= state.TrapSts(on >> i & 1 << e)
				}
				if lane != want {
					t.Fatalf("%s of %x with MODE %#x raises %07b, want %07b", c.name,
						[3]uint64{bits[0][i], bits[1][i], bits[2][i]}, w.Mode, lane, want)
				}
			}
		}
	}
}

type lanes64 [state.NumLanes]uint64

func (c *raiseCase) want(m state.Mode, src, dst ieee, v [3]uint64) state.TrapSts {
	fields := func(t ieee) (round int, in, out bool) {
		r, d := int(m>>2&3), m>>6&3
		if t.width == 32 {
			r, d = int(m&3), m>>4&3
		}
		return r, d&1 == 0, d&2 == 0
	}
	l := &raiseLane{to: dst, bits: v}
	_, in, _ := fields(src)
	l.round, _, l.flush = fields(dst)
	if c.flushes {
		in, l.flush = true, true
	}
	if c.nearest {
		l.round = 0
	}
	if c.toZero {
		l.round = 3
	}
	used := l.o[:0]
	for n := range c.floats() {
		used = append(used, src.decode(v[n], in))
	}
	if c.n == 3 && c.name[:9] == "v_div_fix" { // the quotient so far is not judged
		used = used[1:]
	}
	x := given(used...) | c.ref(l)
	if c.only != 0 {
		x &= c.only
	}
	return x
}

// TestExceptionsOfRows tells how many rows with floats raise exceptions, so that a new one is looked at.
func TestExceptionsOfRows(t *testing.T) {
	w := state.NewWave(gcn.GFX900, 8)
	w.SetVGPR(0, [64]uint32{5: 0x3f800000, 7: 0x3f800000})
	in := instruction(t, "v_pk_add_f16", gcn.VOP3P, gcn.GCN14, map[gcn.Field]int64{gcn.SRC0: 256, gcn.SRC1: 257, gcn.VDST: 2,
		gcn.OPSELHI: 3})
	w.V[0][9], w.V[1][9] = 0x7c00<<16, 0xfc00<<16
	raises, _ := executor.RaisedBy(&in)
	var got executor.Raised
	raises(w, &got)
	assert.Equal(t, executor.Raised{1 << 9}, got, "the high halves")

	in = instruction(t, "v_fma_mix_f32", gcn.VOP3P, gcn.GCN141, nil)
	raises, why := executor.RaisedBy(&in)
	assert.Nil(t, raises)
	assert.Contains(t, why, "not collected")
}

// TestRaisesAllocateNothing: what watches exceptions runs once an instruction.
func TestRaisesAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		enc  gcn.Encoding
	}{{"v_add_f32", gcn.VOP3A}, {"v_add_f64", gcn.VOP3A}, {"v_fma_f64", gcn.VOP3A}, {"v_rcp_f16", gcn.VOP3A},
		{"v_cvt_i32_f32", gcn.VOP3A}, {"v_pk_fma_f16", gcn.VOP3P}} {
		in := instruction(t, c.name, c.enc, gcn.GCN14, map[gcn.Field]int64{gcn.SRC0: 256, gcn.SRC1: 258, gcn.SRC2: 260})
		raises, _ := executor.RaisedBy(&in)
		w, to := state.NewWave(gcn.GFX900, 16), &executor.Raised{}
		w.Temp()
		assert.Zero(t, testing.AllocsPerRun(10, func() { raises(w, to) }), c.name)
	}
}
