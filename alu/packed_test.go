package alu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// packedRef returns one half of a packed result from the halves of the sources.
type packedRef func(a, b, c uint64, e env, clamp bool) uint64

func packedReferences() map[string]packedRef {
	refs := map[string]packedRef{}
	integer := func(name string, signed bool, f func(a, b, c int64) int64) {
		refs[name] = func(a, b, c uint64, _ env, clamp bool) uint64 {
			x := [3]int64{int64(a), int64(b), int64(c)}
			if signed {
				x = [3]int64{signedOf(a, 16), signedOf(b, 16), signedOf(c, 16)}
			}
			v := f(x[0], x[1], x[2])
			switch {
			case clamp && signed:
				return low(clampTo(v, -32768, 32767), 16)
			case clamp:
				return clampTo(v, 0, 65535)
			}
			return low(uint64(v), 16)
		}
	}
	for suffix, signed := range map[string]bool{"i16": true, "u16": false} {
		integer("v_pk_mad_"+suffix, signed, func(a, b, c int64) int64 { return a*b + c })
		integer("v_pk_add_"+suffix, signed, func(a, b, _ int64) int64 { return a + b })
		integer("v_pk_sub_"+suffix, signed, func(a, b, _ int64) int64 { return a - b })
		integer("v_pk_max_"+suffix, signed, func(a, b, _ int64) int64 { return max(a, b) })
		integer("v_pk_min_"+suffix, signed, func(a, b, _ int64) int64 { return min(a, b) })
	}
	integer("v_pk_mul_lo_u16", false, func(a, b, _ int64) int64 { return a * b })
	integer("v_pk_lshlrev_b16", false, func(a, b, _ int64) int64 { return b << (a % 16) })
	integer("v_pk_lshrrev_b16", false, func(a, b, _ int64) int64 { return b >> (a % 16) })
	refs["v_pk_ashrrev_i16"] = func(a, b, _ uint64, _ env,
		_ bool) uint64 {
		return low(uint64(signedOf(b, 16)>>(a%16)), 16)
	}
	float := func(name string, f func(a, b, c uint64, e env) uint64) {
		refs[name] = func(a, b, c uint64, e env, clamp bool) uint64 {
			v := f(a, b, c, e)
			if !clamp {
				return v
			}
			switch {
			case isNaNRef(half, v):
				return v // without MODE.DX10_CLAMP a NaN is not clamped
			case v >= half.sign():
				return 0
			}
			return min(v, one(half))
		}
	}
	x := refLane{gen: gcn.GCN14}
	float("v_pk_fma_f16", func(a, b, c uint64, e env) uint64 { return refFMA(half, a, b, c, true, e) })
	float("v_pk_mul_f16", func(a, b, _ uint64, e env) uint64 { return refFMA(half, a, b, 0, false, e) })
	float("v_pk_add_f16", func(a, b, _ uint64, e env) uint64 { return refFMA(half, a, one(half), b, true, e) })
	float("v_pk_min_f16", func(a, b, _ uint64, e env) uint64 { return minRef(half, a, b, 0, e, x) })
	float("v_pk_max_f16", func(a, b, _ uint64, e env) uint64 { return maxRef(half, a, b, 0, e, x) })
	return refs
}

func TestPacked(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 20))
	refs := packedReferences()
	for op := range gcn.Op(isa.NumOps()) {
		if r := isa.RowOf(op); r.Half != 0 && refs[r.Name] == nil {
			t.Errorf("%s has no reference", r.Name)
		}
	}
	for name, ref := range refs {
		r := isa.RowOf(isa.Ops(name)[0])
		float := strings.HasSuffix(name, "f16")
		for range 60 {
			w := random(rnd, gcn.GFX900)
			fill(rnd, w, r)
			w.Mode = state.Mode(rnd.IntN(256))
			w.SetExec(rnd.Uint64())
			fields := map[isa.Field]int64{isa.OPSEL: int64(rnd.IntN(8)), isa.OPSELHI: int64(rnd.IntN(4)),
				isa.OPSELHI2: int64(rnd.IntN(2))}
			if float {
				fields[isa.NEG], fields[isa.NEGHI] = int64(rnd.IntN(8)), int64(rnd.IntN(8))
			}
			clamp := rnd.IntN(2) == 1 && !strings.Contains(name, "_m") && !strings.Contains(name, "rev") ||
				name == "v_pk_mad_i16"
			if clamp {
				fields[isa.CLAMP] = 1
			}
			before := append([]state.Lanes(nil), w.V...)
			execute(t, w, name, isa.VOP3P, fields)
			for i := range state.NumLanes {
				want := before[8][i]
				if w.Exec()>>i&1 != 0 {
					var out [2]uint64
					for h := range out {
						sel, neg := fields[isa.OPSEL], fields[isa.NEG]
						if h == 1 {
							sel, neg = fields[isa.OPSELHI]+fields[isa.OPSELHI2]*4, fields[isa.NEGHI]
						}
						var s [3]uint64
						for n := range s {
							s[n] = uint64(before[2*n][i])
							if sel>>n&1 != 0 {
								s[n] >>= 16
							}
							s[n] = low(s[n], 16) ^ uint64(neg>>n&1)<<15
						}
						out[h] = ref(s[0], s[1], s[2], modeOf(half, w.Mode), clamp)
					}
					want = uint32(out[0] | out[1]<<16)
				}
				if w.V[8][i] != want {
					t.Fatalf("%s %v mode %#x lane %d: %#x, want %#x", name, fields, w.Mode, i, w.V[8][i], want)
				}
			}
		}
	}
}

func TestDotProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for name, width := range map[string]uint{"v_dot2_i32_i16": 16, "v_dot2_u32_u16": 16, "v_dot4_i32_i8": 8,
		"v_dot4_u32_u8": 8, "v_dot8_i32_i4": 4, "v_dot8_u32_u4": 4} {
		signed := strings.Contains(name, "_i32_")
		for range 20 {
			for clamp := range int64(2) {
				w := random(rnd, gcn.GFX906)
				before := append([]state.Lanes(nil), w.V...)
				execute(t, w, name, isa.VOP3P, map[isa.Field]int64{isa.OPSELHI: 3, isa.OPSELHI2: 1, isa.CLAMP: clamp})
				for i := range state.NumLanes {
					read := func(v uint64, n uint) int64 {
						if signed {
							return signedOf(v, n)
						}
						return int64(low(v, n))
					}
					want := read(uint64(before[4][i]), 32)
					for at := uint(0); at < 32; at += width {
						want += read(uint64(before[0][i])>>at, width) * read(uint64(before[2][i])>>at, width)
					}
					switch {
					case clamp == 1 && signed:
						want = int64(clampTo(want, -1<<31, 1<<31-1))
					case clamp == 1:
						want = int64(clampTo(want, 0, 1<<32-1))
					}
					if w.V[8][i] != uint32(want) {
						t.Fatalf("%s clamp %d lane %d: %#x, want %#x", name, clamp, i, w.V[8][i], uint32(want))
					}
				}
			}
		}
	}
	w := state.NewWave(gcn.GFX906, 16)
	w.V[0][0], w.V[2][0], w.V[4][0] = 0x40003c00, 0x42004400, 0x3f800000 // (1, 2) . (4, 3) + 1
	execute(t, w, "v_dot2_f32_f16", isa.VOP3P, map[isa.Field]int64{isa.OPSELHI: 3, isa.OPSELHI2: 1})
	check(t, "v_dot2_f32_f16", uint64(w.V[8][0]), 0x41300000)
	execute(t, w, "v_dot2_f32_f16", isa.VOP3P, map[isa.Field]int64{isa.OPSELHI: 3, isa.OPSELHI2: 1, isa.NEG: 5,
		isa.NEGHI: 2})
	check(t, "v_dot2_f32_f16 with signs", uint64(w.V[8][0]), 0xc1300000) // the result -4 - 6 - 1
}

func TestMixed(t *testing.T) {
	for name, want := range map[string]uint32{
		"v_mad_mix_f32": 0x41300000, "v_mad_mixlo_f16": 0xabcd4980, "v_mad_mixhi_f16": 0x49801234,
	} {
		w := state.NewWave(gcn.GFX900, 16)
		w.V[0][5] = 0x4000dead // SRC0: 2.0 in the high half
		w.V[2][5] = 0xc0a00000 // SRC1: -5.0, to become 5.0
		w.V[4][5] = 0xdeadbc00 // SRC2: -1.0 in the low half, to become 1.0
		w.V[8][5] = 0xabcd1234
		execute(t, w, name, isa.VOP3P, map[isa.Field]int64{isa.OPSEL: 1, isa.OPSELHI: 1, isa.OPSELHI2: 1, isa.NEGHI: 2,
			isa.NEG: 4})
		if w.V[8][5] != want {
			t.Errorf("%s: %#x, want %#x", name, w.V[8][5], want)
		}
	}
}

// TestFlushedWhateverMODESays has values measured on hardware (rules FP2 and FP3), in one lane and in all, and
// repeats them with MODE's other denormal and rounding modes.
func TestFlushedWhateverMODESays(t *testing.T) {
	dot := map[isa.Field]int64{isa.OPSELHI: 3, isa.OPSELHI2: 1}
	mix := map[isa.Field]int64{}
	for _, x := range []struct {
		name    string
		target  gcn.Target
		fields  map[isa.Field]int64
		a, b, c uint32
		want    uint32
	}{
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x8001, 0x0400, 0, 0}, // source: LLVM 205101, on gfx90a
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x80010000, 0x04000000, 0, 0},
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x3c00, 0x0001, 0x3f800000, 0x3f800000},
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0, 0, 0x00400000, 0},
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x3c00, 0x3c00, 0x00400000, 0x3f800000},
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x0400, 0x8400, 0x32000000, 0x31800000},
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x3c003c00, 0x3c007e00, 0, 0xffc00000}, // source: FuzzX m128, on MI300
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x3c003c00, 0x3c003c00, 0x7fc00000, 0xffc00000},
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x3c003c00, 0x3c003c00, 0x7f800001, 0xffc00000},
		{"v_dot2_f32_f16", gcn.GFX906, dot, 0x7c000000, 0, 0, 0xffc00000},
		{"v_mad_mixlo_f16", gcn.GFX900, mix, 0x33800000, 0x3f800000, 0, 0xabcd0000}, // the result 2**-24
		{"v_mad_mixhi_f16", gcn.GFX900, mix, 0xb3800000, 0x3f800000, 0, 0x8000abcd},
		{"v_mad_mixlo_f16", gcn.GFX900, mix, 0x38800000, 0x3f800000, 0, 0xabcd0400},
		{"v_mad_mix_f32", gcn.GFX900, mix, 0x33800000, 0x3f800000, 0, 0x33800000},
		{"v_fma_mixlo_f16", gcn.GFX906, mix, 0x33800000, 0x3f800000, 0, 0xabcd0001},
	} {
		for _, exec := range []uint64{state.FullExec, 2} {
			for mode := range state.Mode(1 << 8) {
				const down = 2 // with this rounding the sum of opposite zeros is -0
				if mode&state.ModeRound32 == down || strings.Contains(x.name, "fma") && mode>>4 != 0xf {
					continue
				}
				w := state.NewWave(x.target, 16)
				w.Mode = mode
				w.SetExec(exec)
				for r, v := range map[int]uint32{0: x.a, 2: x.b, 4: x.c, 8: 0xabcdabcd} {
					simd.Fill(&w.V[r], v)
				}
				execute(t, w, x.name, isa.VOP3P, x.fields)
				if got := w.V[8][1]; got != x.want {
					t.Fatalf("%s %#x, %#x, %#x: %#x, want %#x, with MODE %#x, EXEC %#x", x.name, x.a, x.b, x.c, got, x.want,
						mode, exec)
				}
			}
		}
	}
}
