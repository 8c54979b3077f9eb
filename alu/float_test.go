package alu

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// floatReference adapts the reference ref to the operands of row r.
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
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		ref, ops := byName[name], isa.Ops(name)
		if ops == nil {
			t.Errorf("%s is no row", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			everywhere(t, name, floatReference(isa.RowOf(ops[0]), ref), nil, rnd, false, tried...)
		})
	}
}

// TestHalves executes every operation with one float16 operand on all 65,536 values.
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

// TestFloatReferencesCover lists the floating-point operations without a reference.
func TestFloatReferencesCover(t *testing.T) {
	for _, keys := range []map[string]bool{names(f32Ops), names(f64Ops), names(softOps), names(convertOps)} {
		for name := range keys {
			if byName[name] == nil && !strings.Contains(name, "_mada") && !strings.Contains(name, "_madm") {
				t.Errorf("%s has no reference", name)
			}
		}
	}
}

// TestSignallingNaNs checks NaN results: a signalling NaN becomes quiet in IEEE mode and stays unchanged otherwise
// (rule FP1). The NaN of an invalid operation is the negative one.
func TestSignallingNaNs(t *testing.T) {
	const one, inf = 0x3f800000, 0x7f800000
	for _, x := range []struct {
		name          string
		target        gcn.Target
		enc           gcn.Encoding
		fields        map[isa.Field]int64
		a, b, c       uint32
		ieee, without uint32
	}{
		{"v_mul_f32", gcn.GFX803, isa.VOP2, nil, 0x7fa00000, one, 0, 0x7fe00000, 0x7fa00000}, // source: LLVM 139622
		{"v_mul_f32", gcn.GFX803, isa.VOP2, nil, one, 0xff800001, 0, 0xffc00001, 0xff800001},
		{"v_mul_f32", gcn.GFX803, isa.VOP2, nil, 0x7fc00002, 0xff800001, 0, 0x7fc00002, 0x7fc00002},
		{"v_add_f32", gcn.GFX803, isa.VOP2, nil, inf, 0xff800000, 0, 0xffc00000, 0xffc00000},
		{"v_sub_f32", gcn.GFX600, isa.VOP2, nil, one, 0x7f800001, 0, 0x7fc00001, 0x7f800001},
		{"v_mac_f32", gcn.GFX803, isa.VOP2, nil, one, one, 0, 0xfff00000, 0xffb00000},
		{"v_fma_f32", gcn.GFX900, isa.VOP3A, nil, one, inf, 0x7f800001, 0x7fc00001, 0x7f800001},
		{"v_mad_f32", gcn.GFX900, isa.VOP3A, nil, 0, inf, 0x7f800001, 0xffc00000, 0xffc00000},
		{"v_mad_legacy_f32", gcn.GFX900, isa.VOP3A, nil, 0, 0x7fc00000, 0x7f800001, 0x7fc00001, 0x7f800001},
		{"v_rcp_f32", gcn.GFX900, isa.VOP1, nil, 0x7f800001, 0, 0, 0x7fc00001, 0x7f800001},
		{"v_floor_f32", gcn.GFX900, isa.VOP1, nil, 0x7f800001, 0, 0, 0x7fc00001, 0x7f800001},
		{"v_mul_legacy_f32", gcn.GFX900, isa.VOP2, nil, 0, 0x7f800001, 0, 0, 0},
		{"v_min_f32", gcn.GFX803, isa.VOP2, nil, 0x7f800001, one, 0, 0x7fc00001, one},
		{"v_div_fixup_f32", gcn.GFX803, isa.VOP3A, nil, one, 0x7f800001, 0x7f800002, 0x7fc00002, 0x7f800002},
		// source: LLVM 208733
		{"v_div_scale_f32", gcn.GFX803, isa.VOP3B, nil, 0x7f800001, 0x7f800001, one, 0x7f800001, 0x7f800001},
		{"v_cvt_f16_f32", gcn.GFX803, isa.VOP1, nil, 0x7fa00000, 0, 0, 0x7f00, 0x7f00}, // source: LLVM 208733
		{"v_cvt_f32_f16", gcn.GFX803, isa.VOP1, nil, 0x7d00, 0, 0, 0x7fe00000, 0x7fa00000},
		{"v_add_f16", gcn.GFX803, isa.VOP2, nil, 0x7c01, 0x3c00, 0, 0x7e01, 0x7c01},
		// source: FuzzX m140
		{"v_pk_add_f16", gcn.GFX900, isa.VOP3P, map[isa.Field]int64{isa.OPSELHI: 3},
			0x7c00fc00, 0xfc007c00, 0, 0xfe00fe00, 0xfe00fe00},
		{"v_pk_mul_f16", gcn.GFX900, isa.VOP3P, map[isa.Field]int64{isa.OPSELHI: 3},
			0x7c013c00, 0x3c00fc02, 0, 0x7e01fe02, 0x7c01fc02},
		{"v_mad_mix_f32", gcn.GFX900, isa.VOP3P, map[isa.Field]int64{isa.OPSELHI: 1},
			0x7d00, one, one, 0x7fe00000, 0x7fa00000},
		{"v_mul_f32", gcn.GFX900, isa.VOP3A, map[isa.Field]int64{isa.OMOD: 1}, 0x7fa00000, one, 0, 0x7fe00000, 0x7fa00000},
	} {
		for _, ieee := range []bool{true, false} {
			for _, exec := range []uint64{state.FullExec, 1 << 5} {
				w := state.NewWave(x.target, 16)
				w.SetExec(exec)
				want := x.without
				if ieee {
					w.Mode, want = state.ModeIEEE, x.ieee
				}
				for r, v := range map[int]uint32{0: x.a, 2: x.b, 4: x.c, 8: 0xffb00000} {
					simd.Fill(&w.V[r], v)
				}
				execute(t, w, x.name, x.enc, x.fields)
				if got := w.V[8][5]; got != want {
					t.Errorf("%s %#x, %#x, %#x: %#x, want %#x, in IEEE mode %v", x.name, x.a, x.b, x.c, got, want, ieee)
				}
			}
		}
	}
}
