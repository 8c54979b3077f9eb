package term

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pair is a term and its expected value.
type pair struct {
	t *Term
	v uint64
}

// TestBuilders builds random terms and compares their values with values computed without terms.
func TestBuilders(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := NewBank(1 << 20)
		values := map[string]uint64{}
		of := &Values{Var: func(t *Term) uint64 { return values[t.Name] }}
		all := map[uint8][]pair{}
		add := func(t *Term, v uint64) { all[t.Width] = append(all[t.Width], pair{t, v & Mask(t.Width)}) }
		for _, w := range []uint8{1, 8, 10, 32, 64} {
			for i := range 3 {
				name := string(rune('a'+i)) + string(rune('0'+w))
				values[name] = interesting(r) & Mask(w)
				add(b.Var(w, name, i > 0), values[name])
			}
			add(b.Const(w, interesting(r)), 0)
			last := &all[w][len(all[w])-1]
			last.v = last.t.K
		}
		widths := []uint8{1, 8, 10, 32, 32, 32, 64, 64}
		for range 60 {
			w := widths[r.IntN(len(widths))]
			pick := func(w uint8) pair { return all[w][r.IntN(len(all[w]))] }
			grow(b, r, w, pick, add)
		}
		for _, w := range []uint8{1, 8, 10, 32, 64} {
			for _, p := range all[w] {
				require.Equal(t, p.v, of.Get(p.t), "seed %d: %v", seed, p.t)
				require.Zero(t, p.v&^p.t.Poss, "seed %d: possible bits of %v", seed, p.t)
			}
		}
		require.False(t, b.Full)
	}
}

// interesting returns a random number. It is often near 0, near a power of two, or a run of ones.
func interesting(r *rand.Rand) uint64 {
	switch r.IntN(4) {
	case 0:
		return uint64(r.IntN(5)) - 2
	case 1:
		return 1<<r.IntN(64) - uint64(r.IntN(2))
	case 2:
		return Mask(uint8(r.IntN(65))) << r.IntN(40)
	}
	return r.Uint64()
}

// grow adds a term with the operands that pick returns, and its expected value. Most of the terms have w bits.
func grow(b *Bank, r *rand.Rand, w uint8, pick func(uint8) pair, add func(*Term, uint64)) {
	x, y, z, c := pick(w), pick(w), pick(w), pick(1)
	k := interesting(r)
	small := pair{b.Const(w, uint64(r.IntN(70))), 0}
	small.v = small.t.K
	if r.IntN(2) == 0 {
		small = y
	}
	switch r.IntN(17) {
	case 0:
		add(b.Add(x.t, y.t), x.v+y.v)
	case 1:
		add(b.Sub(x.t, y.t), x.v-y.v)
	case 2:
		add(b.Scale(x.t, k), x.v*k)
	case 3:
		add(b.Mul(x.t, y.t), x.v*y.v)
	case 4:
		add(b.And(x.t, y.t, z.t), x.v&y.v&z.v)
	case 5:
		add(b.Or(x.t, y.t, z.t), x.v|y.v|z.v)
	case 6:
		add(b.Xor(x.t, y.t, z.t), x.v^y.v^z.v)
	case 7:
		add(b.Not(x.t), ^x.v)
	case 8:
		add(b.Shl(x.t, small.t), x.v<<small.v)
	case 9:
		add(b.Shr(x.t, small.t), x.v>>small.v)
	case 10:
		add(b.Sar(x.t, small.t), uint64(extend(x.v, w)>>min(small.v, 63)))
	case 11:
		lo := uint8(r.IntN(int(w)))
		if w > 10 && r.IntN(2) == 0 {
			add(b.Extract(w-1, w/2, x.t), x.v>>(w/2))
			return
		}
		n := uint8(r.IntN(int(w-lo))) + 1
		for _, have := range []uint8{1, 8, 10, 32} {
			if have <= n {
				add(b.Extract(lo+have-1, lo, x.t), x.v>>lo)
			}
		}
	case 12:
		for _, to := range []uint8{8, 10, 32, 64} {
			if to >= w {
				add(b.Zext(to, x.t), x.v)
				add(b.Sext(to, x.t), uint64(extend(x.v, w)))
			}
		}
	case 13:
		add(b.Ite(c.t, x.t, y.t), map[uint64]uint64{1: x.v, 0: y.v}[c.v])
	case 14:
		add(b.Eq(x.t, y.t), uint64(b2i(x.v == y.v)))
		add(b.Eq(x.t, b.Const(w, k)), uint64(b2i(x.v == k&Mask(w))))
	case 15:
		add(b.Ult(x.t, y.t), uint64(b2i(x.v < y.v)))
		add(b.Slt(x.t, y.t), uint64(b2i(extend(x.v, w) < extend(y.v, w))))
	case 16:
		h, l := pick(32), pick(32)
		add(b.Concat(h.t, l.t), h.v<<32|l.v)
		add(b.Concat(b.Extract(31, 8, h.t), b.Extract(7, 0, h.t)), h.v)
	}
}

// TestNormalForm checks pairs of different constructions that must return the same term.
func TestNormalForm(t *testing.T) {
	b := NewBank(1 << 16)
	x, y, p := b.Var(32, "x", true), b.Var(32, "y", true), b.Var(64, "p", false)
	c, d := b.Var(1, "c", true), b.Var(1, "d", true)
	low, high := b.Extract(31, 0, p), b.Extract(63, 32, p)
	sum := b.Add(b.Zext(64, low), b.Zext(64, x)) // a 64-bit addition in halves, with a carry
	k := func(v uint64) *Term { return b.Const(32, v) }
	for _, same := range [][2]*Term{
		{b.Add(p, b.Zext(64, x)), b.Concat(b.Extract(63, 32, b.Add(sum, b.Scale(b.Zext(64, high), 1<<32))), b.Add(low, x))},
		{b.Shl(b.Add(x, y), k(2)), b.Add(b.Scale(y, 4), b.Shl(x, k(2)))},
		{b.Shr(b.Shl(x, k(16)), k(16)), b.And(x, k(0xffff))},
		{b.Or(b.Shl(x, k(8)), b.Shr(x, k(24))), b.Add(b.Scale(x, 256), b.Zext(32, b.Extract(31, 24, x)))},
		{b.Not(b.And(b.Not(c), b.Not(d))), b.Or(d, c)},
		{b.Or(b.And(c, d), b.And(c, b.Not(d))), c},
		{b.Xor(b.And(c, d), c), b.And(c, b.Not(d))},
		{b.Ite(c, b.Ite(c, x, y), y), b.Ite(b.Not(c), y, x)},
		{b.Sub(x, y), b.Not(b.Add(b.Not(x), y))},
		{b.Slt(x, k(0)), b.Not(b.Slt(k(0xffffffff), x))},
	} {
		require.Same(t, same[0], same[1], "%v and %v", same[0], same[1])
	}
}

// TestTimeEnds checks that Full is set if terms are built after the time limit.
func TestTimeEnds(t *testing.T) {
	b := NewBank(1 << 20)
	b.Until = time.Now().Add(-time.Second)
	for n := range uint64(2 * timeEvery) {
		b.Const(64, n)
	}
	require.True(t, b.Full)
}
