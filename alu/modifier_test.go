package alu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// lookup returns the row of a mnemonic on g.
func lookup(t *testing.T, name string, g gcn.Gen) gcn.Op {
	t.Helper()
	ops, err := isa.Lookup(name, g.Target())
	if err != nil {
		t.Fatal(err)
	}
	return ops[0]
}

// execute binds and executes one instruction that build returned.
func execute(t *testing.T, w *state.Wave, name string, enc gcn.Encoding, fields map[isa.Field]int64) {
	t.Helper()
	in, ok := build(t, w.Target.Gen(), lookup(t, name, w.Target.Gen()), enc, fields)
	if !ok {
		t.Fatalf("%s has no %v form on %v", name, enc, w.Target.Gen())
	}
	im := bind(&in)
	if im.Exec == nil {
		t.Fatalf("%s: %s", name, im.Why)
	}
	if f := im.Exec(w, nil, &in, nil); f != nil {
		t.Fatal(f)
	}
}

func random(rnd *rand.Rand, target gcn.Target) *state.Wave {
	w := state.NewWave(target, 16)
	for i := range w.V {
		for l := range w.V[i] {
			w.V[i][l] = rnd.Uint32()
		}
	}
	return w
}

func TestSDWA(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	// part returns the part of v that an SDWA selection names, shifted to bit 0, with its mask, shift and width.
	part := func(v uint32, sel int64) (mask uint32, value uint32, shift int64, width uint) {
		switch {
		case sel < 4:
			return 0xff << (8 * sel), v >> (8 * sel) & 0xff, 8 * sel, 8
		case sel < 6:
			return 0xffff << (16 * (sel - 4)), v >> (16 * (sel - 4)) & 0xffff, 16 * (sel - 4), 16
		}
		return 0xffffffff, v, 0, 32
	}
	for range 3000 {
		target := []gcn.Target{gcn.GFX803, gcn.GFX900}[rnd.IntN(2)]
		w := random(rnd, target)
		w.SetExec(rnd.Uint64())
		sel := [3]int64{int64(rnd.IntN(7)), int64(rnd.IntN(7)), int64(rnd.IntN(7))}
		sext := [2]int64{int64(rnd.IntN(2)), int64(rnd.IntN(2))}
		rest := int64(rnd.IntN(3))
		fields := map[isa.Field]int64{isa.SRC0SEL: sel[0], isa.SRC1SEL: sel[1], isa.DSTSEL: sel[2], isa.DSTUNUSED: rest,
			isa.SRC0SEXT: sext[0], isa.SRC1SEXT: sext[1]}
		scalar := target == gcn.GFX900 && rnd.IntN(3) == 0
		if scalar {
			fields[isa.SRC1SGPR], fields[isa.VSRC1], w.S[7] = 1, 7, rnd.Uint32()
		}
		before := append([]state.Lanes(nil), w.V...)
		execute(t, w, "v_xor_b32", isa.VOP2SDWA, fields)
		for i := range state.NumLanes {
			old := before[8][i]
			want := old
			if w.Exec()>>i&1 != 0 {
				var src [2]uint32
				for n := range src {
					v := before[2*n][i]
					if n == 1 && scalar {
						v = w.S[7]
					}
					_, value, _, width := part(v, sel[n])
					src[n] = value
					if sext[n] != 0 {
						src[n] = uint32(signedOf(uint64(value), width))
					}
				}
				mask, _, shift, width := part(0, sel[2])
				r := src[0] ^ src[1]
				switch rest {
				case 0:
					want = r << shift & mask
				case 1:
					want = uint32(signedOf(uint64(r), width)) << shift
				case 2:
					want = old&^mask | r<<shift&mask
				}
			}
			if w.V[8][i] != want {
				t.Fatalf("sel %v sext %v unused %d lane %d: %#x, want %#x", sel, sext, rest, i, w.V[8][i], want)
			}
		}
	}
}

// dppSource returns the lane that lane i reads, from the tables of the AMD GCN3 ISA manual.
func dppSource(ctrl int64, i int) int {
	row := i / 16 * 16
	n := int(ctrl % 16)
	in := func(j int) int {
		if j < row || j > row+15 {
			return -1
		}
		return j
	}
	switch {
	case ctrl < 0x100:
		return i/4*4 + int(ctrl>>(i%4*2)%4)
	case ctrl < 0x110:
		return in(i + n)
	case ctrl < 0x120:
		return in(i - n)
	case ctrl < 0x130:
		return row + (i-row+16-n)%16
	case ctrl == 0x130:
		return i + 1
	case ctrl == 0x134:
		return (i + 1) % 64
	case ctrl == 0x138:
		return i - 1
	case ctrl == 0x13c:
		return (i + 63) % 64
	case ctrl == 0x140:
		return row + 15 - i%16
	case ctrl == 0x141:
		return i/8*8 + 7 - i%8
	case ctrl == 0x142 && i >= 16:
		return row - 1
	case ctrl == 0x143 && i >= 32:
		return 31
	}
	return i
}

func TestDPP(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	controls := []int64{0x1b, 0xe4, 0x00, 0x93, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143}
	for n := int64(1); n < 16; n++ {
		controls = append(controls, 0x100+n, 0x110+n, 0x120+n)
	}
	for range 20 {
		for _, ctrl := range controls {
			w := random(rnd, gcn.GFX803)
			if rnd.IntN(2) == 0 {
				w.SetExec(rnd.Uint64())
			}
			bank, row, bound := int64(rnd.IntN(16)), int64(rnd.IntN(16)), int64(rnd.IntN(2))
			before := append([]state.Lanes(nil), w.V...)
			execute(t, w, "v_sub_u16", isa.VOP2DPP, map[isa.Field]int64{isa.DPPCTRL: ctrl, isa.BANKMASK: bank,
				isa.ROWMASK: row, isa.BOUNDCTRL: bound})
			for i := range state.NumLanes {
				want := before[8][i]
				from := dppSource(ctrl, i)
				valid := from >= 0 && from < 64 && w.Exec()>>(from&63)&1 != 0
				if w.Exec()>>i&1 != 0 && row>>(i/16)&1 != 0 && bank>>(i/4%4)&1 != 0 && (valid || bound != 0) {
					var a uint32
					if valid {
						a = before[0][from]
					}
					want = (a - before[2][i]) & 0xffff
				}
				if w.V[8][i] != want {
					t.Fatalf("ctrl %#x bank %x row %x bound %d exec %#x lane %d: %#x, want %#x", ctrl, bank, row, bound, w.Exec(),
						i, w.V[8][i], want)
				}
			}
		}
	}
}

// TestFloatModifiers checks ABS, NEG, OMOD and CLAMP on V_MUL of each precision.
func TestFloatModifiers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		for _, x := range []struct {
			name string
			f    format
			t    isa.Type
		}{{"v_mul_f32", single, isa.F32}, {"v_mul_f16", half, isa.F16}, {"v_mul_f64", double, isa.F64}} {
			w := random(rnd, gcn.GFX900)
			w.Mode = state.Mode(rnd.IntN(1 << 10))
			e := modeOf(x.f, w.Mode)
			op := lookup(t, x.name, w.Target.Gen())
			fill(rnd, w, isa.RowOf(op))
			abs, neg, omod, clamp := rnd.IntN(4), rnd.IntN(4), rnd.IntN(4), rnd.IntN(2)
			before := *w
			before.V = append([]state.Lanes(nil), w.V...)
			execute(t, w, x.name, isa.VOP3A, map[isa.Field]int64{isa.ABS: int64(abs), isa.NEG: int64(neg),
				isa.OMOD: int64(omod), isa.CLAMP: int64(clamp)})
			for i := range state.NumLanes {
				s := [2]uint64{cut(&before, 0, i, x.t), cut(&before, 2, i, x.t)}
				for n := range s {
					if abs>>n&1 != 0 {
						s[n] %= x.f.sign()
					}
					if neg>>n&1 != 0 {
						s[n] ^= x.f.sign()
					}
				}
				want := refFMA(x.f, s[0], s[1], 0, false, e)
				if omod != 0 && e.flushOut && !e.ieee && !isNaNRef(x.f, want) {
					factor := []float64{1, 2, 4, 0.5}[omod]
					k := roundBig(x.f, bigOf(double, math.Float64bits(factor)), env{})
					want = flushRef(x.f, refFMA(x.f, want, k, 0, false, e), env{flushIn: true})
					if want == x.f.sign() {
						want = 0
					}
				}
				if clamp != 0 {
					switch c := cmpRef(x.f, want, one(x.f)); {
					case c == 2 && w.Mode>>8&1 == 1:
						want = 0
					case c == 2:
					case c == 1:
						want = one(x.f)
					case want >= x.f.sign():
						want = 0
					}
				}
				if got := cut(w, 8, i, x.t); got != want {
					t.Fatalf("%s mode %#x abs %d neg %d omod %d clamp %d lane %d (%#x, %#x): %#x, want %#x", x.name, w.Mode, abs,
						neg, omod, clamp, i, s[0], s[1], got, want)
				}
			}
		}
	}
}

// TestHalfRegisters checks OP_SEL and the half of a register that a 16-bit result does not occupy.
func TestHalfRegisters(t *testing.T) {
	const a, b, c, old = 0x00030005, 0x00070002, 0x000b0001, 0xaaaabbbb
	for _, x := range []struct {
		target gcn.Target
		name   string
		opsel  int64
		want   uint32
	}{
		{gcn.GFX803, "v_mad_u16", 0, 5*2 + 1},
		{gcn.GFX900, "v_mad_u16", 0, 0xaaaa0000 | 5*2 + 1},
		{gcn.GFX900, "v_mad_u16", 1, 0xaaaa0000 | 3*2 + 1},
		{gcn.GFX900, "v_mad_u16", 2, 0xaaaa0000 | 5*7 + 1},
		{gcn.GFX900, "v_mad_u16", 4, 0xaaaa0000 | 5*2 + 11},
		{gcn.GFX900, "v_mad_u16", 8, (5*2+1)<<16 | 0xbbbb},
		{gcn.GFX900, "v_mad_u16", 15, (3*7+11)<<16 | 0xbbbb},
		{gcn.GFX900, "v_mad_legacy_u16", 0, 5*2 + 1},
		{gcn.GFX900, "v_add_u16", 0, 5 + 2},
		{gcn.GFX900, "v_add_i16", 8, (5+2)<<16 | 0xbbbb},
		{gcn.GFX900, "v_mad_u32_u16", 7, 3*7 + c}, // SRC2 is 32 bits wide
	} {
		w := state.NewWave(x.target, 16)
		w.V[0][1], w.V[2][1], w.V[4][1], w.V[8][1] = a, b, c, old
		fields := map[isa.Field]int64{}
		if x.opsel != 0 {
			fields[isa.OPSEL] = x.opsel
		}
		execute(t, w, x.name, isa.VOP3A, fields)
		if w.V[8][1] != x.want {
			t.Errorf("%v %s op_sel %d: %#x, want %#x", x.target, x.name, x.opsel, w.V[8][1], x.want)
		}
	}
}
