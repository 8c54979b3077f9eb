package alu

import (
	"math"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Instructions assembled by llvm-mc for gfx900.
var benchWords = map[string][]uint32{
	"v_add_f32":          {0x02040300},             // v_add_f32 v2, v0, v1
	"v_add_f32_sgpr":     {0x02040200},             // v_add_f32 v2, s0, v1
	"v_mul_f32":          {0x0a040300},             // v_mul_f32 v2, v0, v1
	"v_mac_f32":          {0x2c040300},             // v_mac_f32 v2, v0, v1
	"v_fma_f32":          {0xd1cb0002, 0x040a0300}, // v_fma_f32 v2, v0, v1, v2
	"v_add_u32":          {0x68040300},             // v_add_u32 v2, v0, v1
	"v_add_co_u32":       {0x32040300},             // v_add_co_u32 v2, vcc, v0, v1
	"v_cmp_lt_u32":       {0x7d920300},             // v_cmp_lt_u32 vcc, v0, v1
	"v_cmp_lt_f32":       {0x7c820300},             // v_cmp_lt_f32 vcc, v0, v1
	"v_mov_b32":          {0x7e040300},             // v_mov_b32 v2, v0
	"v_add_f64":          {0xd2800004, 0x00020500}, // v_add_f64 v[4:5], v[0:1], v[2:3]
	"v_fma_f16":          {0xd2060002, 0x041a0b04}, // v_fma_f16 v2, v4, v5, v6
	"v_pk_add_f16":       {0xd38f4002, 0x18020b04}, // v_pk_add_f16 v2, v4, v5
	"v_cvt_f16_f32":      {0x7e041500},             // v_cvt_f16_f32 v2, v0
	"v_cvt_f32_f16":      {0x7e041704},             // v_cvt_f32_f16 v2, v4
	"v_exp_f32":          {0x7e044100},             // v_exp_f32 v2, v0
	"v_rcp_f32":          {0x7e044500},             // v_rcp_f32 v2, v0
	"v_min_f32":          {0x14040300},             // v_min_f32 v2, v0, v1
	"v_cndmask_b32":      {0x00040300},             // v_cndmask_b32 v2, v0, v1, vcc
	"v_mul_i32_i24_sdwa": {0x0c0402f9, 0x04050600}, // v_mul_i32_i24_sdwa v2, v0, v1
	"s_add_u32":          {0x80000201},             // s_add_u32 s0, s1, s2
	"s_and_b64":          {0x86800402},             // s_and_b64 s[0:1], s[2:3], s[4:5]
	"s_cbranch_scc1":     {0xbf850000},             // s_cbranch_scc1 0
}

func benchWave() *state.Wave {
	w := state.NewWave(gcn.GFX900, 16)
	for i := range w.V[0] {
		w.V[0][i] = math.Float32bits(float32(i) + 0.5)
		w.V[1][i] = math.Float32bits(float32(i)*1.25 + 3)
		w.V[2][i] = math.Float32bits(float32(i))
		w.V[3][i] = 0x40000000
		w.V[4][i] = 0x3c003c00 + uint32(i)
		w.V[5][i] = 0x40004200 + uint32(i)*3
		w.V[6][i] = 0x34005000 + uint32(i)*7
	}
	w.S[0] = math.Float32bits(2.5)
	return w
}

// BenchmarkAddF32 measures v_add_f32, with the same sums in a Go loop as the reference.
func BenchmarkAddF32(b *testing.B) {
	w := benchWave()
	in, err := isa.Decode(w.Target, benchWords["v_add_f32"])
	if err != nil {
		b.Fatal(err)
	}
	exec := bind(&in).Exec
	b.Run("v_add_f32", func(b *testing.B) {
		for b.Loop() {
			if f := exec(w, nil, &in, nil); f != nil {
				b.Fatal(f)
			}
		}
	})
	b.Run("plain Go", func(b *testing.B) {
		for b.Loop() {
			plainAddF32(&w.V[2], &w.V[0], &w.V[1])
		}
	})
}

// BenchmarkFunctions measures functions of float32, with those of package math as the reference.
func BenchmarkFunctions(b *testing.B) {
	for name, plain := range map[string]func(float64) float64{
		"v_exp_f32": math.Exp2, "v_log_f32": math.Log2, "v_sin_f32": math.Sin, "v_rcp_f32": reciprocal,
		"v_floor_f32": math.Floor,
	} {
		w := benchWave()
		in, ok := build(b, gcn.GCN14, isa.Ops(name)[0], isa.VOP1, nil)
		if !ok {
			b.Fatal(name)
		}
		exec := bind(&in).Exec
		b.Run(name+"/all lanes", func(b *testing.B) {
			for b.Loop() {
				if f := exec(w, nil, &in, nil); f != nil {
					b.Fatal(f)
				}
			}
		})
		b.Run(name+"/plain Go", func(b *testing.B) {
			for b.Loop() {
				for i, v := range &w.V[0] {
					w.V[8][i] = math.Float32bits(float32(plain(float64(math.Float32frombits(v)))))
				}
			}
		})
	}
}

//go:noinline
func plainAddF32(d, a, b *state.Lanes) {
	for i := range d {
		d[i] = math.Float32bits(math.Float32frombits(a[i]) + math.Float32frombits(b[i]))
	}
}

// TestNoAllocations executes every row in every encoding, with all lanes active and with few.
func TestNoAllocations(t *testing.T) {
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX803, gcn.GFX906} {
		for op := 1; op < isa.NumOps(); op++ {
			r := isa.RowOf(gcn.Op(op))
			if r.Enc > isa.VOP3P {
				continue
			}
			for _, enc := range []gcn.Encoding{r.Enc, isa.VOP3A, isa.VOP2SDWA, isa.VOP2DPP} {
				in, ok := build(t, target.Gen(), gcn.Op(op), enc, nil)
				if !ok {
					continue
				}
				im := bind(&in)
				if im.Exec == nil {
					continue
				}
				w := state.NewWave(target, 16)
				for _, mask := range []uint64{state.FullExec, 0x5555} {
					w.SetExec(mask)
					var f *state.Fault
					// AllocsPerRun rounds down, because the runtime may allocate as well
					n := testing.AllocsPerRun(2, func() { f = im.Exec(w, nil, &in, nil) })
					if n != 0 && f == nil {
						t.Errorf("%v %v %v: %v allocations", target, r.Name, enc, n)
					}
				}
			}
		}
	}
}
