package alu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

func TestLaneMoves(t *testing.T) {
	for _, x := range []struct {
		target gcn.Target
		text   string
		words  []uint32
		exec   uint64
		check  func(w *state.Wave) (got, want uint32)
	}{
		{gcn.GFX803, "v_readfirstlane_b32 s3, v0", []uint32{0x7e060500}, 0xf00, func(w *state.Wave) (uint32, uint32) { return w.S[3], 108 }},
		{gcn.GFX803, "v_readfirstlane_b32 s3, v0 without lanes", []uint32{0x7e060500}, 0, func(w *state.Wave) (uint32, uint32) { return w.S[3], 100 }},
		{gcn.GFX803, "v_readlane_b32 s3, v0, s1", []uint32{0xd2890003, 0x00000300}, 0, func(w *state.Wave) (uint32, uint32) { return w.S[3], 107 }},
		{gcn.GFX803, "v_writelane_b32 v1, s1, 5", []uint32{0xd28a0001, 0x00010a01}, 0, func(w *state.Wave) (uint32, uint32) { return w.V[1][5], 71 }},
		{gcn.GFX803, "v_writelane_b32 v1, -1, m0", []uint32{0xd28a0001, 0x0000f8c1}, 0, func(w *state.Wave) (uint32, uint32) { return w.V[1][9], 0xffffffff }},
		{gcn.GFX600, "v_readlane_b32 s3, v0, s1", []uint32{0x02060300}, 0, func(w *state.Wave) (uint32, uint32) { return w.S[3], 107 }},
		{gcn.GFX600, "v_writelane_b32 v1, s1, 5", []uint32{0x04030a01}, 0, func(w *state.Wave) (uint32, uint32) { return w.V[1][5], 71 }},
	} {
		w := state.NewWave(x.target, 4)
		for i := range w.V[0] {
			w.V[0][i] = uint32(100 + i)
		}
		w.S[1] = 71 // 71 modulo 64 is lane 7
		w.S[gcn.M0] = 9
		w.SetExec(x.exec)
		run(t, w, x.words...)
		if got, want := x.check(w); got != want {
			t.Errorf("%s: %#x, want %#x", x.text, got, want)
		}
	}
}

func TestVectorMoveRelative(t *testing.T) {
	for name, want := range map[string][2]uint32{"v_movreld_b32": {11, 100}, "v_movrels_b32": {8, 103},
		"v_movrelsd_b32": {11, 103}} {
		w := state.NewWave(gcn.GFX803, 16)
		for r := range w.V {
			simd.Fill(&w.V[r], uint32(100+r))
		}
		w.S[gcn.M0] = 3
		w.SetExec(1 << 6)
		execute(t, w, name, isa.VOP1, nil)
		if got := w.V[want[0]][6]; got != want[1] {
			t.Errorf("%s: v%d is %d, want %d", name, want[0], got, want[1])
		}
		if w.V[want[0]][5] != 100+want[0] {
			t.Errorf("%s writes an inactive lane", name)
		}
	}
}

// TestBeyondRegisters selects, with M0 and with GPR indexing, the last register of the wave, the next one, and a
// distant one. Out of range, V0 replaces a source and a destination is not written (rule ST23).
func TestBeyondRegisters(t *testing.T) {
	for _, x := range []struct {
		name        string
		enc         gcn.Encoding
		index       uint32 // M0[15:12]; 0 for V_MOVREL
		destination bool
		first, size uint32 // first register that is moved, and number of registers
	}{
		{"v_movrels_b32", isa.VOP1, 0, false, 0, 1}, {"v_movreld_b32", isa.VOP1, 0, true, 8, 1},
		{"v_movrelsd_b32", isa.VOP1, 0, true, 8, 1},
		{"v_mov_b32", isa.VOP1, 1, false, 0, 1}, {"v_mov_b32", isa.VOP1, 8, true, 8, 1},
		{"v_add_u16", isa.VOP2, 8, true, 8, 1}, {"v_add_u32", isa.VOP2, 8, true, 8, 1},
		{"v_addc_u32", isa.VOP2, 8, true, 8, 1}, {"v_add_f32", isa.VOP2, 8, true, 8, 1},
		{"v_mul_f64", isa.VOP3A, 8, true, 8, 2}, {"v_div_scale_f64", isa.VOP3B, 8, true, 8, 2},
		{"v_mad_u64_u32", isa.VOP3B, 8, true, 8, 2}, {"v_mqsad_u32_u8", isa.VOP3A, 8, true, 8, 4},
		{"v_add_f16", isa.VOP2, 8, true, 8, 1},
	} {
		for _, exec := range []uint64{state.FullExec, 0xff00, 0} {
			for _, m0 := range []uint32{16 - x.size - x.first, 17 - x.size - x.first, 200} {
				w := random(rand.New(rand.NewPCG(1, 2)), gcn.GFX803)
				if w.NumVGPRs != 16 {
					t.Fatal(w.NumVGPRs)
				}
				w.SetExec(exec)
				w.Mode &^= state.ModeGPRIdxEn
				w.S[gcn.M0] = m0 | x.index<<12
				if x.index != 0 {
					w.Mode |= state.ModeGPRIdxEn
				}
				before, vcc := append([]state.Lanes(nil), w.V...), w.Scalar64(gcn.VCC)
				execute(t, w, x.name, x.enc, nil)
				beyond := x.first+m0+x.size > 16
				switch {
				case x.destination && beyond:
					if !slices.Equal(before, w.V) || w.Scalar64(gcn.VCC) != vcc {
						t.Errorf("%s, M0 %#x, EXEC %#x: registers changed", x.name, w.S[gcn.M0], exec)
					}
				case !x.destination:
					from := before[0][9]
					if !beyond {
						from = before[m0][9]
					}
					if exec>>9&1 != 0 && w.V[8][9] != from {
						t.Errorf("%s, M0 %#x: v8 is %#x, want %#x", x.name, w.S[gcn.M0], w.V[8][9], from)
					}
				case exec != 0 && slices.Equal(before, w.V):
					t.Errorf("%s, M0 %#x, EXEC %#x: nothing is written", x.name, w.S[gcn.M0], exec)
				}
			}
		}
	}
}

func TestMoveRelativeForms(t *testing.T) {
	for _, enc := range []gcn.Encoding{isa.VOP1SDWA, isa.VOP1DPP} {
		in, ok := build(t, gcn.GCN12, lookup(t, "v_movrels_b32", gcn.GCN12), enc, nil)
		if !ok {
			continue
		}
		if im := bind(&in); im.Exec != nil {
			t.Errorf("v_movrels_b32 executes as %v", enc)
		}
	}
}

// TestGPRIndex checks that M0[7:0] is added to the operands that M0[15:12] selects (rule ST9).
func TestGPRIndex(t *testing.T) {
	for mode := range uint32(16) {
		w := state.NewWave(gcn.GFX803, 16)
		for r := range w.V {
			simd.Fill(&w.V[r], uint32(1)<<r)
		}
		w.S[0] = 3
		run(t, w, 0xbf110000|mode<<8) // s_set_gpr_idx_on s0, mode
		check(t, "M0", uint64(w.S[gcn.M0]), uint64(mode<<12|3))
		execute(t, w, "v_bfi_b32", isa.VOP3A, nil) // v8 = v0 & v2 | v4 &^ v0
		a, b, c, d := 0, 2, 4, 8
		for n, r := range []*int{&a, &b, &c, &d} {
			if mode>>n&1 != 0 {
				*r += 3
			}
		}
		want := uint32(1)<<a&(1<<b) | 1<<c&^(1<<a)
		if w.V[d][0] != want {
			t.Errorf("mode %d: v%d is %#x, want %#x", mode, d, w.V[d][0], want)
		}
		run(t, w, 0xbf9c0000) // s_set_gpr_idx_off
		if executor.GPRIndexing(w) {
			t.Error("s_set_gpr_idx_off leaves indexing on")
		}
	}
	w := state.NewWave(gcn.GFX803, 16)
	simd.Fill(&w.V[0], 77)
	w.S[0] = 200
	run(t, w, 0xbf110100) // source 0 is out of range: v0 replaces it
	execute(t, w, "v_or_b32", isa.VOP3A, map[isa.Field]int64{isa.SRC0: 256 + 5, isa.SRC1: 256 + 6})
	check(t, "an index beyond the registers", uint64(w.V[8][0]), 77)
	w.S[5] = 5
	execute(t, w, "v_mov_b32", isa.VOP1, map[isa.Field]int64{isa.SRC0: 5})
	check(t, "an indexed SGPR", uint64(w.V[8][0]), 77)
	run(t, w, 0xbf9d0008) // s_set_gpr_idx_mode 8
	check(t, "M0 after s_set_gpr_idx_mode", uint64(w.S[gcn.M0]), 8<<12|200)
	w.S[0] = 0x101
	run(t, w, 0xbe803200) // s_set_gpr_idx_idx s0
	check(t, "M0 after s_set_gpr_idx_idx", uint64(w.S[gcn.M0]), 8<<12|1)
}

func TestSwap(t *testing.T) {
	w := random(rand.New(rand.NewPCG(23, 24)), gcn.GFX900)
	w.SetExec(0x0f0f)
	before := append([]state.Lanes(nil), w.V...)
	execute(t, w, "v_swap_b32", isa.VOP1, nil)
	for i := range state.NumLanes {
		a, b := before[8][i], before[0][i]
		if w.Exec()>>i&1 != 0 {
			a, b = b, a
		}
		if w.V[8][i] != a || w.V[0][i] != b {
			t.Fatalf("lane %d: %#x, %#x", i, w.V[8][i], w.V[0][i])
		}
	}
}

func TestMaskedQuadSad(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 26))
	for range 50 {
		w := random(rnd, gcn.GFX803)
		w.V[2][0] &= 0xff00ffff
		w.V[5][0] = 0xffffffff
		w.SetExec(rnd.Uint64() | 1)
		before := append([]state.Lanes(nil), w.V...)
		execute(t, w, "v_mqsad_u32_u8", isa.VOP3A, nil)
		for i := range state.NumLanes {
			from := uint64(before[0][i]) | uint64(before[1][i])<<32
			for n := range 4 {
				want := uint64(before[8+n][i])
				if w.Exec()>>i&1 != 0 {
					want = min(uint64(before[4+n][i])+uint64(sadOf(from>>(8*n), uint64(before[2][i]), 4, 8, true)), 0xffffffff)
				}
				check(t, "v_mqsad_u32_u8", uint64(w.V[8+n][i]), want)
			}
		}
	}
}

// TestConstants checks that inline constants and literals are decoded according to the operand's type.
func TestConstants(t *testing.T) {
	for _, x := range []struct {
		name string
		code int64
		want uint64
	}{
		{"v_mov_b32", 242, 0x3f800000}, {"v_mov_b32", 193, 0xffffffff}, {"v_mov_b32", 192, 64},
		{"v_mov_b32", 248, 0x3e22f983}, {"v_cvt_f32_f16", 242, 0x3f800000}, {"v_trunc_f16", 244, 0x4000},
		{"v_cvt_f16_u16", 130, 0x4000}, {"v_rndne_f64", 245, 0xc000000000000000}, {"v_cvt_f32_f64", 240, 0x3f000000},
		{"v_cvt_f64_i32", 194, 0xc000000000000000}, {"v_mov_b32", 253, 1}, {"v_mov_b32", 252, 0},
		{"v_mov_b32", 3, 0x33333333}, {"v_cvt_f32_f64", 4, 0x40000000},
	} {
		w := state.NewWave(gcn.GFX803, 16)
		w.SCC, w.S[3], w.S[5] = 1, 0x33333333, 0x40000000
		execute(t, w, x.name, isa.VOP1, map[isa.Field]int64{isa.SRC0: x.code})
		got := uint64(w.V[8][63])
		if isa.RowOf(isa.Ops(x.name)[0]).Sig.Dst.Info().Dwords == 2 {
			got |= uint64(w.V[9][63]) << 32
		}
		if got != x.want {
			t.Errorf("%s of operand %d is %#x, want %#x", x.name, x.code, got, x.want)
		}
	}
	// For packed 16-bit integers a float constant is the 32-bit constant (LLVM, getInlineEncodingV216), whose low 16
	// bits are 0.
	for _, x := range []struct {
		name string
		want uint32
	}{{"v_pk_add_u16", 0x3f800000}, {"v_pk_max_i16", 0x3f800000}, {"v_pk_add_f16", 0x00003c00}, {"v_pk_mul_lo_u16", 0}} {
		w := state.NewWave(gcn.GFX900, 16)
		execute(t, w, x.name, isa.VOP3P, map[isa.Field]int64{isa.SRC0: 242, isa.SRC1: 256 + 1, isa.OPSELHI: 3})
		check(t, x.name, uint64(w.V[8][63]), uint64(x.want))
	}
	// v_madmk_f32 v8, v0, 3.0, v2 and v_madak_f32 v8, v0, v2, 3.0; f16 on fiji as well.
	w := state.NewWave(gcn.GFX803, 16)
	w.V[0][0], w.V[2][0] = 0x40000000, 0x40a00000 // the values 2 and 5
	run(t, w, 0x2e100500, 0x40400000)
	check(t, "v_madmk_f32", uint64(w.V[8][0]), 0x41300000) // the result 11
	run(t, w, 0x30100500, 0x40400000)
	check(t, "v_madak_f32", uint64(w.V[8][0]), 0x41500000) // the result 13
	w.V[0][0], w.V[2][0] = 0x4000, 0x4500
	run(t, w, 0x48100500, 0x4200)
	check(t, "v_madmk_f16", uint64(w.V[8][0]), 0x4980)
	run(t, w, 0x4a100500, 0x4200)
	check(t, "v_madak_f16", uint64(w.V[8][0]), 0x4a80)
}

// TestGPRIndexingOfOldGenerations checks that MODE bit 27 has no effect on generations without GPR indexing.
func TestGPRIndexingOfOldGenerations(t *testing.T) {
	for target, want := range map[gcn.Target]uint32{gcn.GFX600: 1, gcn.GFX701: 1, gcn.GFX803: 2, gcn.GFX900: 2} {
		w := state.NewWave(target, 8)
		w.Mode |= 1 << 27
		w.S[gcn.M0] = 1<<12 | 8<<12 | 1 // selects SRC0 and VDST
		w.SetVGPR(1, state.Lanes{1})
		w.SetVGPR(2, state.Lanes{2})
		run(t, w, 0x7e080301) // v_mov_b32 v4, v1
		check(t, target.String(), uint64(w.V[3+want][0]), uint64(want))
	}
}

// TestGPRIndexOfWideOperands indexes a register pair beyond the wave's registers, and a group of four registers.
func TestGPRIndexOfWideOperands(t *testing.T) {
	w := state.NewWave(gcn.GFX900, 1)
	w.Mode |= 1 << 27
	w.S[gcn.M0] = 1 << 12
	w.SetScalar64(2, 0x3ff0000000000000)
	run(t, w, 0x7e001e02) // v_cvt_f32_f64 v0, s[2:3]: there is no v[0:1] to replace the source
	check(t, "a pair in a wave of one VGPR", uint64(w.V[0][0]), 0x3f800000)

	w = state.NewWave(gcn.GFX900, 16)
	w.Mode |= 1 << 27
	w.S[gcn.M0] = (4|8)<<12 | 2 // selects SRC2 and VDST
	for i := range 4 {
		w.V[10+i][0] = uint32(100 * i)
	}
	run(t, w, 0xd1e70000, 0x04220104) // v_mqsad_u32_u8 v[0:3], v[4:5], v0, v[8:11]
	for i := range 4 {
		check(t, "a sum", uint64(w.V[2+i][0]), uint64(100*i))
	}
}
