package alu

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// scalarRef computes SDST and SCC from the sources and the old SDST and SCC, as the AMD GCN ISA manuals define them.
type scalarRef func(a, b, old uint64, scc bool) (d uint64, cc bool)

func bigShift(a uint64, n uint, left bool) uint64 {
	x := new(big.Int).SetUint64(a)
	if left {
		x.Lsh(x, n)
	} else {
		x.Rsh(x, n)
	}
	return new(big.Int).And(x, new(big.Int).SetUint64(^uint64(0))).Uint64()
}

func scalarReferences() map[string]scalarRef {
	refs := map[string]scalarRef{}
	// logic defines the 32-bit and 64-bit forms of a bitwise operation; SCC is result != 0.
	logic := func(name string, f func(a, b uint64) uint64) {
		for _, n := range []uint{32, 64} {
			suffix := map[uint]string{32: "_b32", 64: "_b64"}[n]
			refs["s_"+name+suffix] = func(a, b, _ uint64, _ bool) (uint64, bool) {
				d := f(a, b)
				if n == 32 {
					d = low(d, 32)
				}
				return d, d != 0
			}
		}
	}
	logic("and", func(a, b uint64) uint64 { return a & b })
	logic("or", func(a, b uint64) uint64 { return a | b })
	logic("xor", func(a, b uint64) uint64 { return a ^ b })
	logic("andn2", func(a, b uint64) uint64 { return a & ^b })
	logic("orn2", func(a, b uint64) uint64 { return a | ^b })
	logic("nand", func(a, b uint64) uint64 { return ^(a & b) })
	logic("nor", func(a, b uint64) uint64 { return ^(a | b) })
	logic("xnor", func(a, b uint64) uint64 { return ^(a ^ b) })
	logic("not", func(a, _ uint64) uint64 { return ^a })
	quads := func(a uint64, f func(i uint) uint64) (out uint64) {
		for i := range uint(16) {
			if a>>(4*i)%16 != 0 {
				out |= f(i)
			}
		}
		return out
	}
	logic("wqm", func(a, _ uint64) uint64 { return quads(a, func(i uint) uint64 { return 15 << (4 * i) }) })
	logic("quadmask", func(a, _ uint64) uint64 { return quads(a, func(i uint) uint64 { return 1 << i }) })

	// plain defines an instruction that does not change SCC.
	plain := func(name string, f func(a, b, old uint64, scc bool) uint64) {
		refs[name] = func(a, b, old uint64, scc bool) (uint64, bool) { return f(a, b, old, scc), scc }
	}
	for _, n := range []uint{32, 64} {
		s := map[uint]string{32: "b32", 64: "b64"}[n]
		plain("s_mov_"+s, func(a, _, _ uint64, _ bool) uint64 { return a })
		plain("s_cmov_"+s, func(a, _, old uint64, scc bool) uint64 {
			if scc {
				return a
			}
			return old
		})
		plain("s_cselect_"+s, func(a, b, _ uint64, scc bool) uint64 {
			if scc {
				return a
			}
			return b
		})
		plain("s_brev_"+s, func(a, _, _ uint64, _ bool) (out uint64) {
			for i := range n {
				out |= a >> i % 2 << (n - 1 - i)
			}
			return out
		})
		plain("s_bitset0_"+s, func(a, _, old uint64, _ bool) uint64 {
			if old>>(a%uint64(n))%2 != 0 {
				old -= 1 << (a % uint64(n))
			}
			return old
		})
		plain("s_bitset1_"+s, func(a, _, old uint64, _ bool) uint64 {
			if old>>(a%uint64(n))%2 == 0 {
				old += 1 << (a % uint64(n))
			}
			return old
		})
		first := func(a, bit uint64) uint64 {
			for i := range n {
				if a>>i%2 == bit {
					return uint64(i)
				}
			}
			return ^uint64(0)
		}
		last := func(a, bit uint64) uint64 {
			for i := range n {
				if a>>(n-1-i)%2 == bit {
					return uint64(i)
				}
			}
			return ^uint64(0)
		}
		plain("s_ff0_i32_"+s, func(a, _, _ uint64, _ bool) uint64 { return first(a, 0) })
		plain("s_ff1_i32_"+s, func(a, _, _ uint64, _ bool) uint64 { return first(a, 1) })
		plain("s_flbit_i32_"+s, func(a, _, _ uint64, _ bool) uint64 { return last(a, 1) })
		opposite := func(a, _, _ uint64, _ bool) uint64 { return last(a, 1-a>>(n-1)%2) }
		plain(map[uint]string{32: "s_flbit_i32", 64: "s_flbit_i32_i64"}[n], opposite)
		count := func(a, bit uint64) (c uint64) {
			for i := range n {
				if a>>i%2 == bit {
					c++
				}
			}
			return c
		}
		refs["s_bcnt0_i32_"+s] = func(a, _, _ uint64, _ bool) (uint64, bool) { c := count(a, 0); return c, c != 0 }
		refs["s_bcnt1_i32_"+s] = func(a, _, _ uint64, _ bool) (uint64, bool) { c := count(a, 1); return c, c != 0 }
		shift := func(name string, f func(a uint64, by uint) uint64) {
			refs[name] = func(a, b, _ uint64, _ bool) (uint64, bool) {
				d := f(a, uint(b%uint64(n)))
				if n == 32 {
					d = low(d, 32)
				}
				return d, d != 0
			}
		}
		shift("s_lshl_"+s, func(a uint64, by uint) uint64 { return bigShift(a, by, true) })
		shift("s_lshr_"+s, func(a uint64, by uint) uint64 { return bigShift(a, by, false) })
		shift(map[uint]string{32: "s_ashr_i32", 64: "s_ashr_i64"}[n], func(a uint64, by uint) uint64 {
			d := bigShift(a, by, false)
			if a>>(n-1) != 0 { // sign-extend
				for i := n - by; i < n; i++ {
					d |= 1 << i
				}
			}
			return d
		})
		plain("s_bfm_"+s, func(a, b, _ uint64, _ bool) (d uint64) {
			for i := range a % uint64(n) {
				if at := i + b%uint64(n); at < 64 {
					d |= 1 << at
				}
			}
			return d
		})
		extract := func(sign bool) scalarRef {
			return func(a, b, _ uint64, _ bool) (d uint64, cc bool) {
				at, length := uint(b%uint64(n)), uint(b>>16%128)
				length = min(length, n-at)
				for i := range length {
					d |= a >> (at + i) % 2 << i
				}
				if sign && length > 0 && d>>(length-1) != 0 {
					for i := length; i < n; i++ {
						d |= 1 << i
					}
				}
				return d, d != 0
			}
		}
		refs[map[uint]string{32: "s_bfe_u32", 64: "s_bfe_u64"}[n]] = extract(false)
		refs[map[uint]string{32: "s_bfe_i32", 64: "s_bfe_i64"}[n]] = extract(true)
		refs["s_bitcmp0_"+s] = func(a, b, _ uint64, _ bool) (uint64, bool) { return 0, a>>(b%uint64(n))%2 == 0 }
		refs["s_bitcmp1_"+s] = func(a, b, _ uint64, _ bool) (uint64, bool) { return 0, a>>(b%uint64(n))%2 == 1 }
	}
	plain("s_sext_i32_i8", func(a, _, _ uint64, _ bool) uint64 { return uint64(signedOf(a, 8)) })
	plain("s_sext_i32_i16", func(a, _, _ uint64, _ bool) uint64 { return uint64(signedOf(a, 16)) })
	plain("s_bitreplicate_b64_b32", func(a, _, _ uint64, _ bool) (d uint64) {
		for i := range 32 {
			d |= a >> i % 2 * 3 << (2 * i)
		}
		return d
	})
	refs["s_abs_i32"] = func(a, _, _ uint64, _ bool) (uint64, bool) {
		v := signedOf(a, 32)
		if v < 0 {
			v = -v
		}
		return uint64(v), v != 0
	}
	refs["s_absdiff_i32"] = func(a, b, _ uint64, _ bool) (uint64, bool) {
		v := signedOf(low(a-b, 32), 32)
		if v < 0 {
			v = -v
		}
		return uint64(v), v != 0
	}
	carryOf := func(v int64) (uint64, bool) { return uint64(v), v < 0 || v >= 1<<32 }
	in := func(scc bool) int64 {
		if scc {
			return 1
		}
		return 0
	}
	refs["s_add_u32"] = func(a, b, _ uint64, _ bool) (uint64, bool) { return carryOf(int64(a) + int64(b)) }
	refs["s_sub_u32"] = func(a, b, _ uint64, _ bool) (uint64, bool) { return carryOf(int64(a) - int64(b)) }
	refs["s_addc_u32"] = func(a, b, _ uint64, scc bool) (uint64, bool) { return carryOf(int64(a) + int64(b) + in(scc)) }
	refs["s_subb_u32"] = func(a, b, _ uint64, scc bool) (uint64, bool) { return carryOf(int64(a) - int64(b) - in(scc)) }
	over := func(v int64) (uint64, bool) { return uint64(v), v > 1<<31-1 || v < -1<<31 }
	refs["s_add_i32"] = func(a, b, _ uint64, _ bool) (uint64, bool) { return over(signedOf(a, 32) + signedOf(b, 32)) }
	refs["s_sub_i32"] = func(a, b, _ uint64, _ bool) (uint64, bool) { return over(signedOf(a, 32) - signedOf(b, 32)) }
	for n := uint(1); n <= 4; n++ {
		refs["s_lshl"+string(rune('0'+n))+"_add_u32"] = func(a, b, _ uint64, _ bool) (uint64, bool) {
			v := a*(1<<n) + b
			return v, v >= 1<<32
		}
	}
	choose := func(name string, first func(a, b int64) bool, signed bool) {
		refs[name] = func(a, b, _ uint64, _ bool) (uint64, bool) {
			x, y := int64(a), int64(b)
			if signed {
				x, y = signedOf(a, 32), signedOf(b, 32)
			}
			if first(x, y) {
				return a, true
			}
			return b, false
		}
	}
	choose("s_min_i32", func(a, b int64) bool { return a < b }, true)
	choose("s_min_u32", func(a, b int64) bool { return a < b }, false)
	choose("s_max_i32", func(a, b int64) bool { return a > b }, true)
	choose("s_max_u32", func(a, b int64) bool { return a > b }, false)
	plain("s_mul_i32", func(a, b, _ uint64, _ bool) uint64 { return a * b })
	plain("s_mul_hi_u32", func(a, b, _ uint64, _ bool) uint64 { return a * b / (1 << 32) })
	plain("s_mul_hi_i32", func(a, b, _ uint64, _ bool) uint64 { return uint64(signedOf(a, 32) * signedOf(b, 32) >> 32) })
	plain("s_pack_ll_b32_b16", func(a, b, _ uint64, _ bool) uint64 { return low(a, 16) + low(b, 16)<<16 })
	plain("s_pack_lh_b32_b16", func(a, b, _ uint64, _ bool) uint64 { return low(a, 16) + b>>16<<16 })
	plain("s_pack_hh_b32_b16", func(a, b, _ uint64, _ bool) uint64 { return a>>16 + b>>16<<16 })

	for cond, f := range map[string]func(c int) bool{
		"eq": holds["eq"], "lg": holds["lg"], "gt": holds["gt"], "ge": holds["ge"], "lt": holds["lt"], "le": holds["le"],
	} {
		compare := func(signed bool) scalarRef {
			return func(a, b, _ uint64, _ bool) (uint64, bool) {
				c := new(big.Int).SetUint64(a).Cmp(new(big.Int).SetUint64(b))
				if signed {
					c = big.NewInt(signedOf(a, 32)).Cmp(big.NewInt(signedOf(b, 32)))
				}
				return 0, f(c)
			}
		}
		refs["s_cmp_"+cond+"_i32"], refs["s_cmp_"+cond+"_u32"] = compare(true), compare(false)
		if cond == "eq" || cond == "lg" {
			refs["s_cmp_"+cond+"_u64"] = compare(false)
		}
	}
	return refs
}

var scalarTargets = []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906}

func scalarValue(rnd *rand.Rand) uint64 {
	v := rnd.Uint64()
	switch rnd.IntN(4) {
	case 0:
		v &= 0xff
	case 1:
		v = []uint64{0, ^uint64(0), 1 << 63, 1<<63 - 1, 0x80000000, 0x7fffffff, 0xffffffff}[rnd.IntN(7)]
	}
	return v
}

func TestScalar(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	refs := scalarReferences()
	for name, ref := range refs {
		for _, target := range scalarTargets {
			ops, _ := isa.Lookup(name, target)
			for _, op := range ops {
				in, err := isa.New(target, op, isa.Invalid)
				if err != nil {
					t.Fatal(err)
				}
				set := func(f isa.Field, v int64) {
					if in.Has(f) {
						in, _ = in.Set(f, v)
					}
				}
				set(isa.SSRC0, 4)
				set(isa.SSRC1, 8)
				set(isa.SDST, 12)
				in.Size = 4
				im := bind(&in)
				if im.Exec == nil {
					t.Errorf("%s: %s", name, im.Why)
					continue
				}
				r := isa.RowOf(op)
				for range 50 {
					w := state.NewWave(target, 1)
					a, b, old, scc := scalarValue(rnd), scalarValue(rnd), rnd.Uint64(), rnd.IntN(2) == 1
					w.SetScalar64(4, a)
					w.SetScalar64(8, b)
					w.SetScalar64(12, old)
					w.SCC = b2u(scc)
					trim := func(v uint64, t isa.Type) uint64 {
						if t.Info().Dwords < 2 {
							return low(v, 32)
						}
						return v
					}
					if f := im.Exec(w, nil, &in, nil); f != nil {
						t.Fatal(f)
					}
					d, cc := ref(trim(a, r.Sig.Src[0]), trim(b, r.Sig.Src[1]), trim(old, r.Sig.Dst), scc)
					want := old
					switch r.Sig.Dst.Info().Dwords {
					case 1:
						want = old>>32<<32 | low(d, 32)
					case 2:
						want = d
					}
					if got := w.Scalar64(12); got != want || (w.SCC == 1) != cc {
						t.Fatalf("%v %s(%#x, %#x) old %#x scc %v: %#x scc %d, want %#x scc %v", target, name, a, b, old, scc, got,
							w.SCC, want, cc)
					}
				}
			}
		}
	}
	for op := range gcn.Op(isa.NumOps()) {
		bound, _ := operations.Row(op)
		name := op.String()
		if _, ok := bound.(scalarOp); ok && refs[name] == nil && !strings.Contains(name, "k_") && name != "s_cmp_ne_u64" &&
			name != "s_mov_fed_b32" && name != "s_mov_regrd_b32" {
			t.Errorf("%s has no reference", name)
		}
	}
}

// TestScalarConstant executes SOPK instructions and literals that llvm-mc assembled for fiji.
func TestScalarConstant(t *testing.T) {
	for _, x := range []struct {
		text     string
		words    []uint32
		s0, scc  uint32
		want, cc uint32
	}{
		{"s_movk_i32 s0, 0x8000", []uint32{0xb0008000}, 0, 1, 0xffff8000, 1},
		{"s_cmovk_i32 s0, 5", []uint32{0xb0800005}, 9, 0, 9, 0},
		{"s_cmovk_i32 s0, 5", []uint32{0xb0800005}, 9, 1, 5, 1},
		{"s_addk_i32 s0, 0xffff", []uint32{0xb700ffff}, 0x80000000, 0, 0x7fffffff, 1},
		{"s_mulk_i32 s0, 0xfffe", []uint32{0xb780fffe}, 3, 1, 0xfffffffa, 1},
		{"s_cmpk_eq_i32 s0, 0xffff", []uint32{0xb100ffff}, 0xffffffff, 0, 0xffffffff, 1},
		{"s_cmpk_eq_u32 s0, 0xffff", []uint32{0xb400ffff}, 0xffffffff, 1, 0xffffffff, 0},
		{"s_cmpk_lt_i32 s0, 2", []uint32{0xb3000002}, 0x80000000, 0, 0x80000000, 1},
		{"s_cmpk_lt_u32 s0, 2", []uint32{0xb6000002}, 0x80000000, 1, 0x80000000, 0},
		{"s_mov_b32 s0, 0x12345678", []uint32{0xbe8000ff, 0x12345678}, 0, 0, 0x12345678, 0},
		{"s_mov_b32 s0, 1.0", []uint32{0xbe8000f2}, 0, 0, 0x3f800000, 0},
		{"s_mov_b32 s0, -16", []uint32{0xbe8000d0}, 0, 0, 0xfffffff0, 0},
		{"s_mov_b32 s0, src_scc", []uint32{0xbe8000fd}, 7, 1, 1, 1},
		{"s_add_u32 s0, s0, 64", []uint32{0x8000c000}, 0xffffffff, 0, 63, 1},
	} {
		w := state.NewWave(gcn.GFX803, 1)
		w.S[0], w.SCC = x.s0, x.scc
		run(t, w, x.words...)
		if w.S[0] != x.want || w.SCC != x.cc {
			t.Errorf("%s: s0 %#x scc %d, want %#x scc %d", x.text, w.S[0], w.SCC, x.want, x.cc)
		}
	}
}

func TestSaveExec(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	for name, f := range map[string]func(s, e bool) bool{
		"s_and_saveexec_b64":   func(s, e bool) bool { return s && e },
		"s_or_saveexec_b64":    func(s, e bool) bool { return s || e },
		"s_xor_saveexec_b64":   func(s, e bool) bool { return s != e },
		"s_andn2_saveexec_b64": func(s, e bool) bool { return s && !e },
		"s_orn2_saveexec_b64":  func(s, e bool) bool { return s || !e },
		"s_nand_saveexec_b64":  func(s, e bool) bool { return !(s && e) },
		"s_nor_saveexec_b64":   func(s, e bool) bool { return !(s || e) },
		"s_xnor_saveexec_b64":  func(s, e bool) bool { return s == e },
		"s_andn1_saveexec_b64": func(s, e bool) bool { return !s && e },
		"s_orn1_saveexec_b64":  func(s, e bool) bool { return !s || e },
		"s_andn1_wrexec_b64":   func(s, e bool) bool { return !s && e },
		"s_andn2_wrexec_b64":   func(s, e bool) bool { return s && !e },
	} {
		in, err := isa.New(gcn.GFX900, lookup(t, name, gcn.GCN14), isa.Invalid)
		if err != nil {
			t.Fatal(err)
		}
		in, _ = in.Set(isa.SSRC0, 4)
		in, _ = in.Set(isa.SDST, 4) // the destination is the source register
		in.Size = 4
		for range 20 {
			w := state.NewWave(gcn.GFX900, 1)
			src, exec := rnd.Uint64(), rnd.Uint64()
			w.SetScalar64(4, src)
			w.SetExec(exec)
			if f := bind(&in).Exec(w, nil, &in, nil); f != nil {
				t.Fatal(f)
			}
			var want uint64
			for i := range 64 {
				if f(src>>i&1 != 0, exec>>i&1 != 0) {
					want |= 1 << i
				}
			}
			saved := exec
			if strings.Contains(name, "wrexec") {
				saved = want
			}
			if w.Exec() != want || w.Scalar64(4) != saved || (w.SCC == 1) != (want != 0) {
				t.Errorf("%s(%#x) of %#x: exec %#x, saved %#x, scc %d", name, src, exec, w.Exec(), w.Scalar64(4), w.SCC)
			}
		}
	}
}
