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

// TestKnownWords runs words that llvm-mc made for fiji, with results worked out by hand.
func TestKnownWords(t *testing.T) {
	w := state.NewWave(gcn.GFX803, 8)
	for i := range w.V[0] {
		w.V[0][i] = uint32(i)
		w.V[1][i] = 0xffffffff
	}
	eq := func(what string, got, want uint64) {
		t.Helper()
		if got != want {
			t.Errorf("%s is %#x, want %#x", what, got, want)
		}
	}
	run(t, w, 0x32040300) // v_add_u32 v2, vcc, v0, v1
	eq("v2[5]", uint64(w.V[2][5]), 4)
	eq("vcc", w.Scalar64(gcn.VCC), ^uint64(1))
	run(t, w, 0x7d9800a0) // v_cmp_gt_u32 vcc, 32, v0
	eq("vcc", w.Scalar64(gcn.VCC), 0xffffffff)
	run(t, w, 0xbe80206a) // s_and_saveexec_b64 s[0:1], vcc
	eq("s[0:1]", w.Scalar64(0), ^uint64(0))
	eq("exec", w.Exec(), 0xffffffff)
	eq("scc", uint64(w.SCC), 1)
	w.SetScalar64(2, 0xf0)
	run(t, w, 0xd1000004, 0x000a0300) // v_cndmask_b32 v4, v0, v1, s[2:3]
	eq("v4[3]", uint64(w.V[4][3]), 3)
	eq("v4[4]", uint64(w.V[4][4]), 0xffffffff)
	eq("v4[40]", uint64(w.V[4][40]), 0) // not active
	run(t, w, 0xd2890000, 0x00010b00)   // v_readlane_b32 s0, v0, 5
	eq("s0", uint64(w.S[0]), 5)
	run(t, w, 0x0c0402f9, 0x04050600) // v_mul_i32_i24_sdwa v2, v0, v1 src0_sel:WORD_1 src1_sel:WORD_0
	eq("v2[5]", uint64(w.V[2][5]), 0)
	run(t, w, 0x7e0402fa, 0xff011100) // v_mov_b32_dpp v2, v0 row_shr:1
	eq("v2[0]", uint64(w.V[2][0]), 0) // no source: kept
	eq("v2[17]", uint64(w.V[2][17]), 16)
	w.S[1], w.S[2] = 0xffffffff, 2
	run(t, w, 0x80000201) // s_add_u32 s0, s1, s2
	eq("s0", uint64(w.S[0]), 1)
	pc := w.PC
	run(t, w, 0xbf850003) // s_cbranch_scc1 3
	eq("pc", w.PC, pc+16)
	w.S[0] = 0x40000000                     // 2.0
	w.SetVGPR(1, [64]uint32{0: 0x3fc00000}) // 1.5
	run(t, w, 0x0a060200)                   // v_mul_f32 v3, s0, v1
	eq("v3[0]", uint64(w.V[3][0]), 0x40400000)
	run(t, w, 0x02060303) // v_add_f32 v3, v3, v1
	eq("v3[0]", uint64(w.V[3][0]), 0x40900000)
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
