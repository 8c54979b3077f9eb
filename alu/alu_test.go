package alu

import (
	"sync"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// run decodes words on target t and executes them on w.
func run(t testing.TB, w *state.Wave, words ...uint32) {
	t.Helper()
	for len(words) > 0 {
		in, err := isa.Decode(w.Target, words)
		if err != nil {
			t.Fatal(err)
		}
		im := bind(&in)
		if im.Exec == nil {
			t.Fatalf("%v does not execute: %s", in.Op, im.Why)
		}
		w.PC += uint64(in.Size)
		if f := im.Exec(w, nil, &in, nil); f != nil {
			t.Fatal(f)
		}
		words = words[in.Size/4:]
	}
}

// TestSharedExec runs one bound instruction on many waves at a time, as work-groups do.
func TestSharedExec(t *testing.T) {
	for name, words := range benchWords {
		in, err := isa.Decode(gcn.GFX900, words)
		if err != nil {
			t.Fatal(err)
		}
		exec := bind(&in).Exec
		waves := make([]*state.Wave, 4)
		var wg sync.WaitGroup
		for i := range waves {
			waves[i] = benchWave()
			wg.Go(func() {
				for range 10 {
					if f := exec(waves[i], nil, &in, nil); f != nil {
						t.Error(f)
					}
				}
			})
		}
		wg.Wait()
		for _, w := range waves[1:] {
			if w.V[2] != waves[0].V[2] || w.S != waves[0].S {
				t.Errorf("%s: waves differ", name)
			}
		}
	}
}
