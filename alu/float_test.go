package alu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// floatReference adapts ref to the operands of a row.
func floatReference(r *isa.Row, ref floatRef) reference {
	f := formatOf(r.Sig.Src[0])
	return func(x refLane) uint64 { return ref(f, x.a, x.b, x.c, modeOf(f, x.mode), x) }
}

func TestFloats(t *testing.T) {
	effort.Long(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	var tried []state.Mode
	for i, m := range modes {
		if !effort.LeavesOut(i) {
			tried = append(tried, m)
		}
	}
	for name, ref := range byName {
		ops := isa.Ops(name)
		if ops == nil {
			t.Errorf("%s is no row", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			everywhere(t, name, floatReference(isa.RowOf(ops[0]), ref), nil, rnd, false, tried...)
		})
	}
}

// TestHalves runs every operation on one half over all 65,536 of them.
func TestHalves(t *testing.T) {
	for name, ref := range byName {
		ops := isa.Ops(name)
		if r := isa.RowOf(ops[0]); r.Sig.NumSrc != 1 || r.Sig.Src[0] != isa.F16 {
			continue
		}
		fn := floatReference(isa.RowOf(ops[0]), ref)
		for _, mode := range []state.Mode{0xc0, 0x35, 0x0a} {
			w := state.NewWave(gcn.GFX900, 16)
			w.Mode = mode
			in, ok := build(t, gcn.GCN14, ops[0], isa.VOP1, nil)
			if !ok {
				t.Fatalf("%s has no VOP1 form", name)
			}
			im := bind(&in)
			for base := 0; base < 1<<16; base += 64 {
				if effort.LeavesOut(base / 64) {
					continue
				}
				for i := range w.V[0] {
					w.V[0][i] = uint32(base + i)
				}
				if f := im.Exec(w, nil, &in, nil); f != nil {
					t.Fatal(f)
				}
				for i := range w.V[0] {
					want := fn(refLane{a: uint64(base + i), mode: mode, gen: gcn.GCN14})
					if in.Row().Sig.Dst.Info().Bits16 {
						want = low(want, 16)
					}
					if got := w.V[8][i]; uint64(got) != low(want, 32) {
						t.Fatalf("%s of %#x in mode %#x is %#x, want %#x", name, base+i, mode, got, want)
					}
				}
			}
		}
	}
}

// TestFloatReferencesCover names the floating-point operations without a reference.
func TestFloatReferencesCover(t *testing.T) {
	for _, keys := range []map[string]bool{names(f32Ops), names(f64Ops), names(softOps), names(convertOps)} {
		for name := range keys {
			if byName[name] == nil && !strings.Contains(name, "_mada") && !strings.Contains(name, "_madm") {
				t.Errorf("%s has no reference", name)
			}
		}
	}
}
