package ranges_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/tool/ranges"
)

type entry = ranges.Entry[int]

// plain is the reference: the value at each address, 0 for none.
type plain [4096]int

func (p *plain) entries() (all []entry) {
	for at, v := range p {
		switch last := len(all) - 1; {
		case v == 0:
		case last >= 0 && all[last].Hi == uint64(at) && all[last].Value == v:
			all[last].Hi++
		default:
			all = append(all, entry{Lo: uint64(at), Hi: uint64(at) + 1, Value: v})
		}
	}
	return all
}

// check compares a list with the reference.
func check(t *testing.T, p *plain, l *ranges.List[int]) {
	t.Helper()
	want := p.entries()
	require.Equal(t, want, slices.Collect(l.From(0)))
	require.Equal(t, len(want), l.Len())
	back := slices.Collect(l.Before(uint64(len(p))))
	slices.Reverse(back)
	require.Equal(t, want, back)
	for at, v := range p {
		got, ok := l.Find(uint64(at))
		require.Equal(t, v, got)
		require.Equal(t, v != 0, ok)
	}
	require.NoError(t, l.Check())
}

// step sets the addresses from lo up to hi to v, or removes them if v is 0. Entries that overlap the range in part
// keep their other part.
func step(p *plain, l *ranges.Draft[int], lo, hi uint64, v int) {
	for at := lo; at < hi; at++ {
		p[at] = v
	}
	var with []entry
	for e := range l.From(lo) {
		if e.Lo >= hi {
			break
		}
		if e.Lo < lo {
			with = append(with, entry{Lo: e.Lo, Hi: lo, Value: e.Value})
		}
		if e.Hi > hi {
			with = append(with, entry{Lo: hi, Hi: e.Hi, Value: e.Value})
		}
	}
	if v != 0 {
		at := 0
		if len(with) > 0 && with[0].Hi == lo {
			at = 1
		}
		with = slices.Insert(with, at, entry{Lo: lo, Hi: hi, Value: v})
	}
	l.Replace(lo, hi, with...)
}

// TestListIsAsThePlainOne: a list equals the reference after random changes. Most are single addresses, which build a
// tree of several levels; some are wide ranges, which remove whole branches.
func TestListIsAsThePlainOne(t *testing.T) {
	for seed := range uint64(effort.Rounds(6)) {
		r := rand.New(rand.NewPCG(seed, 7))
		var p plain
		var l ranges.Draft[int]
		var old ranges.List[int]
		var then plain
		for i := range 6000 {
			lo := r.Uint64N(uint64(len(p)))
			size := uint64(1)
			if r.IntN(200) == 0 {
				size = 1 + r.Uint64N(1500)
			}
			v := i + 1
			if r.IntN(4) == 0 {
				v = 0
			}
			step(&p, &l, lo, min(lo+size, uint64(len(p))), v)
			if i%500 == 0 {
				check(t, &p, &l.List)
				check(t, &then, &old)
				old, then = *l.Freeze(), p
			}
		}
		check(t, &then, &old)
		step(&p, &l, 0, uint64(len(p)), 0)
		check(t, &p, &l.List)
	}
}

// FuzzList: a list equals the reference after any sequence of changes, of three bytes each.
func FuzzList(f *testing.F) {
	f.Add([]byte{0, 1, 1, 5, 200, 2, 3, 4, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p plain
		var l ranges.Draft[int]
		var old ranges.List[int]
		var then plain
		for i := 0; i+2 < len(b); i += 3 {
			lo := uint64(b[i]) * 16
			hi := min(lo+1+uint64(b[i+1])*3, uint64(len(p)))
			v := i + 1
			if b[i+2]%3 == 0 {
				v = 0
			}
			step(&p, &l, lo, hi, v)
			if b[i+2]%5 == 1 {
				old, then = *l.Freeze(), p
			}
			if b[i+2]%7 == 1 { // many small changes at once
				for at := lo; at+1 < hi; at += 2 {
					step(&p, &l, at, at+1, i+2+int(at))
				}
			}
		}
		check(t, &p, &l.List)
		check(t, &then, &old)
	})
}

// TestLongLists: lists that grow at one end, at both ends, or in the middle have trees of low depth.
func TestLongLists(t *testing.T) {
	n := uint64(effort.Rounds(50_000))
	for name, place := range map[string]func(i uint64) uint64{
		"ascending":  func(i uint64) uint64 { return i },
		"descending": func(i uint64) uint64 { return n - i },
		"scattered":  func(i uint64) uint64 { return i * 7919 % n },
	} {
		t.Run(name, func(t *testing.T) {
			var l ranges.Draft[uint64]
			for i := range n {
				at := place(i) * 2
				l.Replace(at, at+1, ranges.Entry[uint64]{Lo: at, Hi: at + 1, Value: i})
			}
			require.EqualValues(t, n, l.Len())
			require.NoError(t, l.Check())
			for i := range n {
				v, ok := l.Find(place(i) * 2)
				require.True(t, ok)
				require.Equal(t, i, v)
				_, ok = l.Find(place(i)*2 + 1)
				require.False(t, ok)
			}
			for i := range n {
				l.Replace(place(i)*2, place(i)*2+1)
			}
			require.Zero(t, l.Len())
		})
	}
}
