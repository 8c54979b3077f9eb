package format_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

type lanes [64]uint32

// wave holds the elements and registers of 64 lanes.
type wave struct{ words, regs [4]lanes }

func newWave() *wave {
	w := new(wave)
	x := uint32(1)
	for j := range w.words {
		for i := range w.words[j] {
			x = x*1664525 + 1013904223
			w.words[j][i] = x
		}
	}
	return w
}

func (w *wave) slices() (regs, words [4][]uint32) {
	for j := range w.words {
		regs[j], words[j] = w.regs[j][:], w.words[j][:]
	}
	return regs, words
}

func mustLookup(t testing.TB, data, num uint8) *format.Format {
	f, err := format.Lookup(data, num)
	require.NoError(t, err)
	return f
}

var measured = []struct{ data, num uint8 }{{10, 0}, {10, 4}, {12, 0}, {12, 7}, {9, 0}, {6, 7}, {14, 7}}

func TestNoAllocations(t *testing.T) {
	w := newWave()
	for _, n := range measured {
		f := mustLookup(t, n.data, n.num)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			f, err := format.Lookup(f.Data, f.Num)
			if err != nil {
				return
			}
			regs, words := w.slices()
			f.Unpack(&regs, &words)
			executor.Narrow(f, regs[0])
			executor.Widen(f, regs[0])
			f.Pack(&words, &regs)
		}), f.String())
	}
}
