//go:build !purego

package simd

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// edges are values around which results change.
var edges = []uint32{
	0, 1, 2, 15, 16, 31, 32, 33, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, // integers, zeros, denormals
	0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3fffffff,
	0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, // the largest finite numbers, infinities
	0x7f800001, 0xff800001, 0x7fbfffff, 0x7fc00000, 0xffc00000, 0x7fc12345, 0xffffffff, // NaNs
	0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, // around 2**31 and 2**32
	// around 2**-100, products that are denormal, halves of a last place
	0x0d800000, 0x0d7fffff, 0x20000000, 0x1fffffff, 0x34000000, 0x33800000,
}

// values returns a register with edges, floats of similar exponents, floats of all kinds, or integers.
func values(r *rand.Rand) (v Lanes) {
	kind := r.IntN(5)
	for i := range v {
		switch kind {
		case 0:
			v[i] = edges[r.IntN(len(edges))]
		case 1:
			v[i] = math.Float32bits(float32(r.NormFloat64()))
		case 2:
			v[i] = r.Uint32()
		case 3:
			v[i] = r.Uint32()>>r.IntN(32) ^ -(r.Uint32() & 1)
		default:
			v[i] = math.Float32bits(float32(r.IntN(64) - 32))
		}
		if kind != 0 && r.IntN(100) == 0 {
			v[i] = edges[r.IntN(len(edges))]
		}
	}
	return v
}

// operands are registers for an operation, the destination last. Sometimes it is one of the others.
type operands struct {
	regs [4]Lanes
	at   [4]int // indexes of the registers d, a, b, c
}

func newOperands(r *rand.Rand) (o operands) {
	for i := range o.regs {
		o.regs[i] = values(r)
	}
	o.at = [4]int{r.IntN(4), 0, 1, 2}
	if r.IntN(8) == 0 {
		o.at[2] = 0
	}
	return o
}

func (o *operands) reg(i int) *Lanes { return &o.regs[o.at[i]] }

const turns = 2000

// needsAVX2 skips the test if there is no vector code.
func needsAVX2(t *testing.T) {
	t.Helper()
	if !avx2 {
		t.Skip("this machine has no AVX2")
	}
}

// testTables compares the vector code for eight lanes, which all operations have, and that for sixteen lanes with the
// Go versions.
func testTables[T any](t *testing.T, plain, eight, sixteen map[string]T,
	run func(op T, o *operands, r *rand.Rand) uint64) {
	require.ElementsMatch(t, slices.Sorted(maps.Keys(plain)), slices.Sorted(maps.Keys(eight)))
	t.Run("AVX2", func(t *testing.T) { testOps(t, plain, eight, run) })
	if len(sixteen) > 0 {
		t.Run("AVX-512", func(t *testing.T) {
			needsAVX512(t)
			testOps(t, plain, sixteen, run)
		})
	}
}

// TestSixteenLanes lists the operations, in tables with code for sixteen lanes, that have no such code. It runs on
// any host, while the comparison needs AVX-512.
func TestSixteenLanes(t *testing.T) {
	check := func(plain, sixteen []string, without ...string) {
		t.Helper()
		require.ElementsMatch(t, plain, append(sixteen, without...))
	}
	check(slices.Collect(maps.Keys(floats)), slices.Collect(maps.Keys(floatAVX512)), "med3", "rcp", "rsq", "sqrt")
	check(slices.Collect(maps.Keys(carries)), slices.Collect(maps.Keys(carryAVX512)))
	check(slices.Collect(maps.Keys(comparisons)), slices.Collect(maps.Keys(compareAVX512)), "eq f16", "lt f16",
		"le f16", "lg f16", "unordered f16")
}

// needsAVX512 skips the test on hosts without AVX-512.
func needsAVX512(t *testing.T) {
	t.Helper()
	if !avx512 {
		t.Skip("this machine has no AVX-512")
	}
}

// testOps compares the vector code of operations with the Go versions.
func testOps[T any](t *testing.T, plain, vector map[string]T, run func(op T, o *operands, r *rand.Rand) uint64) {
	needsAVX2(t)
	for _, name := range slices.Sorted(maps.Keys(vector)) {
		r := rand.New(rand.NewPCG(1, uint64(len(name))))
		for range effort.Rounds(turns) {
			want := newOperands(r)
			start := want
			got := want
			seed := r.Uint64()
			wantOut := run(plain[name], &want, rand.New(rand.NewPCG(seed, 0)))
			gotOut := run(vector[name], &got, rand.New(rand.NewPCG(seed, 0)))
			if got == want && gotOut == wantOut {
				continue
			}
			for lane := range want.regs[0] {
				if g, w := got.reg(0)[lane], want.reg(0)[lane]; g != w {
					t.Errorf("%s of %#x, %#x, %#x is %#x, want %#x", name, start.reg(1)[lane], start.reg(2)[lane],
						start.reg(3)[lane], g, w)
				}
			}
			t.Fatalf("%s returns %#x, want %#x", name, gotOut, wantOut)
		}
	}
}

// masks returns random masks of the bits that denormals lose.
func masks(r *rand.Rand) (in, out uint32) {
	return Flush * uint32(r.IntN(2)), Flush * uint32(r.IntN(2))
}

func runOp(op Op, o *operands, _ *rand.Rand) uint64 {
	op(o.reg(0), o.reg(1), o.reg(2), o.reg(3))
	return 0
}

func runFloat(op FloatOp, o *operands, r *rand.Rand) uint64 {
	in, out := masks(r)
	op(o.reg(0), o.reg(1), o.reg(2), o.reg(3), in, out)
	return 0
}

// runHalf sets the operands to halves of all kinds; for conversions they stay float32.
func runHalf(op FloatOp, o *operands, r *rand.Rand) uint64 {
	in, out := FlushHalf*uint32(r.IntN(2)), FlushHalf*uint32(r.IntN(2))
	if r.IntN(4) != 0 {
		for i := 1; i < 4; i++ {
			for lane := range o.reg(i) {
				v := r.Uint32()
				if r.IntN(4) == 0 {
					v = v&^0x7fff | []uint32{0, 1, 0x3ff, 0x400, 0x401, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff}[r.IntN(11)]
				}
				if r.IntN(4) == 0 { // of similar magnitude, so that sums are inexact
					v = v&0x83ff | 0x3000 + uint32(r.IntN(8))<<10
				}
				o.reg(i)[lane] = v
			}
		}
	}
	op(o.reg(0), o.reg(1), o.reg(2), o.reg(3), in, out)
	return 0
}

func TestVectorHalf(t *testing.T) { testTables(t, halves, halfAVX2, nil, runHalf) }

// Operations with one half are compared for all halves.
func TestEveryHalf(t *testing.T) {
	needsAVX2(t)
	for _, name := range []string{"rcp", "rsq", "sqrt", "trunc", "ceil", "floor", "rndne", "fract", "to f32"} {
		for base := uint32(0); base < 1<<16; base += NumLanes {
			var a, got, want Lanes
			for i := range a {
				a[i] = base + uint32(i)
			}
			halves[name](&want, &a, nil, nil, 0, 0)
			halfAVX2[name](&got, &a, nil, nil, 0, 0)
			require.Equal(t, want, got, "%s from %#x on", name, base)
		}
	}
}

func runCompare(op CompareOp, o *operands, r *rand.Rand) uint64 {
	in, _ := masks(r)
	if r.IntN(2) == 0 { // otherwise hardly any would be equal
		copy(o.reg(2)[:], o.reg(1)[:r.IntN(64)])
	}
	return op(o.reg(1), o.reg(2), in)
}

// runCarry executes op, half of the time without carries in.
func runCarry(op CarryOp, o *operands, r *rand.Rand) uint64 {
	return op(o.reg(0), o.reg(1), o.reg(2), r.Uint64()*uint64(r.IntN(2)))
}

// runWide shifts the registers of a and b by c into those of d and another one.
func runWide(op WideOp, o *operands, r *rand.Rand) uint64 {
	high := &o.regs[(o.at[0]+1+r.IntN(3))%4]
	op(o.reg(0), high, o.reg(1), o.reg(2), o.reg(3))
	return hash64(high[:])
}

func TestVectorWide(t *testing.T)    { testTables(t, wides, wideAVX2, nil, runWide) }
func TestVectorInt(t *testing.T)     { testTables(t, ints, intAVX2, nil, runOp) }
func TestVectorFloat(t *testing.T)   { testTables(t, floats, floatAVX2, floatAVX512, runFloat) }
func TestVectorPart(t *testing.T)    { testTables(t, partOps, partAVX2, nil, runFloat) }
func TestVectorConvert(t *testing.T) { testTables(t, conversions, convertAVX2, nil, runOp) }
func TestVectorCompare(t *testing.T) {
	testTables(t, comparisons, compareAVX2, compareAVX512, runCompare)
}
func TestVectorCarry(t *testing.T) { testTables(t, carries, carryAVX2, carryAVX512, runCarry) }

// switched are functions that select their code themselves.
var switched = map[string]func(o *operands, r *rand.Rand) uint64{
	"Copy": func(o *operands, _ *rand.Rand) uint64 {
		Copy(o.reg(0), o.reg(1))
		return 0
	},
	"Fill":   func(o *operands, r *rand.Rand) uint64 { Fill(o.reg(0), r.Uint32()); return 0 },
	"Select": func(o *operands, r *rand.Rand) uint64 { Select(o.reg(0), o.reg(1), o.reg(2), r.Uint64()); return 0 },
	"Merge":  func(o *operands, r *rand.Rand) uint64 { Merge(o.reg(0), o.reg(1), r.Uint64()); return 0 },
	"Field": func(o *operands, r *rand.Rand) uint64 {
		Field(o.reg(0), o.reg(1), uint32(r.IntN(32)), r.Uint32(), r.Uint32())
		return 0
	},
	"Insert": func(o *operands, r *rand.Rand) uint64 {
		m := r.Uint32()
		Insert(o.reg(0), o.reg(1), o.reg(2), uint32(r.IntN(32)), m, r.Uint32()&^m)
		return 0
	},
	"Uniform": func(o *operands, r *rand.Rand) uint64 {
		if r.IntN(2) == 0 {
			Fill(o.reg(1), r.Uint32())
			o.reg(1)[r.IntN(64)] ^= uint32(r.IntN(2))
		}
		return bit(Uniform(o.reg(1)))
	},
	"Place": func(o *operands, r *rand.Rand) uint64 {
		if r.IntN(2) == 0 {
			for i := range o.reg(1) {
				o.reg(1)[i] = o.reg(1)[0] + 4*uint32(i)
			}
			o.reg(1)[r.IntN(64)] ^= uint32(r.IntN(2))
		}
		var addr [NumLanes]uint64
		bound, uneven := Place(&addr, o.reg(1), r.Uint32(), r.Uint64(), ^uint64(0)<<r.IntN(4)>>r.IntN(17))
		return hash(addr[:]...) ^ uint64(bound)<<32 ^ bit(uneven == 0)
	},
	"Place64": func(o *operands, r *rand.Rand) uint64 {
		var addr [NumLanes]uint64
		Place64(&addr, o.reg(1), o.reg(2), r.Uint64(), ^uint64(0)<<r.IntN(4)>>r.IntN(17))
		return hash(addr[:]...)
	},
	"Gather": func(o *operands, r *rand.Rand) uint64 {
		words, addr, base := place(r)
		mask := r.Uint64() | -(r.Uint64() & 1)
		return bit(Gather(o.reg(0), words, &addr, base, mask))
	},
	"GatherAmong": func(o *operands, r *rand.Rand) uint64 {
		words, addr, base := place(r)
		mask := mask(r)
		var d Lanes
		ok := GatherAmong(&d, words, &addr, base, mask)
		if ok {
			Merge(o.reg(0), &d, mask)
		}
		return bit(ok)
	},
	"GatherSmall": func(o *operands, r *rand.Rand) uint64 {
		words, addr, base := place(r)
		addr[0]++
		return bit(GatherSmall(o.reg(0), bytesOf(words), &addr, base, 1+r.IntN(2)))
	},
	"ScatterSmall": func(o *operands, r *rand.Rand) uint64 {
		words, addr, base := place(r)
		addr[0]++
		b := bytesOf(words)
		ok := ScatterSmall(o.reg(1), b, &addr, base, 1+r.IntN(2))
		for i, v := range b {
			words[i/4] ^= uint32(v) << (i % 4)
		}
		return hash64(words)<<1 | bit(ok)
	},
	"Records.Places": func(o *operands, r *rand.Rand) uint64 {
		at := &Records{Index: o.reg(1), ID: o.reg(2), Offset: o.reg(3), Add: r.Uint32() >> r.IntN(32),
			Stride: r.Uint32N(1 << 18), Group: r.Uint32N(7), Elem: 1 << r.IntN(5)}
		e := at.Places(o.reg(0), mask(r))
		return hash(uint64(e.Index), uint64(e.Offset), uint64(e.Bits), uint64(e.Place))
	},
	"Window.Load": func(o *operands, r *rand.Rand) uint64 {
		e := elements[r.IntN(len(elements))]
		disp := []uint32{r.Uint32N(40), 0, r.Uint32N(40), 8}[:1+r.IntN(4)]
		v := r.IntN(5 - len(disp) + 1) // the address may be overwritten by the first loaded register
		_, at := window(r, &o.regs[min(v, 3)], e, disp)
		return bit(at.Load(o.regs[4-len(disp):], e, disp, mask(r)))
	},
	"Window.Store": func(o *operands, r *rand.Rand) uint64 {
		e, disp := elements[r.IntN(len(elements))], r.Uint32N(40)
		b, at := window(r, o.reg(1), e, []uint32{disp})
		ok := at.Store(o.reg(2), e, disp, mask(r))
		h := bit(ok)
		for _, v := range b {
			h = hash(h, uint64(v))
		}
		return h
	},
	"Scatter": func(o *operands, r *rand.Rand) uint64 {
		words, addr, base := place(r)
		ok := Scatter(o.reg(1), words, &addr, base)
		return hash64(words)<<1 | bit(ok)
	},
}

// window returns memory surrounded by zeros, and a Window with lanes mostly in it: random, in order, or in groups of
// eight at one position or in order.
func window(r *rand.Rand, v *Lanes, e Element, disp []uint32) (b []byte, at *Window) {
	size := []uint32{Dword: 4, Ubyte: 1, Sbyte: 1, Ushort: 2, Sshort: 2}[e]
	far := slices.Max(disp) + size
	b = make([]byte, int(far)+r.IntN(600))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	last := uint32(len(b)) - far
	places := last/size + 1
	kind := r.IntN(4)
	for lane := range v {
		group := uint32(lane/8) * 0x9e3779b1 >> 16
		switch kind {
		case 0:
			v[lane] = r.Uint32N(places) * size
		case 1:
			v[lane] = uint32(lane) % places * size
		case 2:
			v[lane] = group % places * size
		default:
			v[lane] = (group + uint32(lane)%8) % places * size
		}
	}
	at = &Window{Bytes: b, V: v, Add: r.Uint32(), Last: last, Low: (size - 1) * r.Uint32N(2), End: far}
	for n := r.IntN(3); n > 0; n-- {
		v[r.IntN(64)] = []uint32{0, last, last + 1, last + 3, last - 1, 1, 2, 1 << 31, math.MaxUint32}[r.IntN(9)]
	}
	for lane := range v {
		v[lane] -= at.Add
	}
	return b, at
}

var elements = []Element{Dword, Ubyte, Sbyte, Ushort, Sshort}

// mask returns a full mask often, else a random one in some groups of eight lanes.
func mask(r *rand.Rand) (m uint64) {
	if r.IntN(3) == 0 {
		return math.MaxUint64
	}
	for i := range 8 {
		m |= []uint64{0, 0xff, r.Uint64() & 0xff}[r.IntN(3)] << (8 * i)
	}
	return m
}

// place returns dwords at address base, and addresses of lanes mostly among them.
func place(r *rand.Rand) (words []uint32, addr [NumLanes]uint64, base uint64) {
	words = make([]uint32, 1+r.IntN(100))
	for i := range words {
		words[i] = r.Uint32()
	}
	base = r.Uint64() >> r.IntN(64)
	for i := range addr {
		addr[i] = base + 4*uint64(r.IntN(len(words)))
	}
	switch r.IntN(4) {
	case 0:
		addr[r.IntN(64)] += []uint64{1, 2, 3, 1 << 62, 1 << 63}[r.IntN(5)]
	case 1:
		addr[r.IntN(64)] = base + 4*uint64(len(words)) - uint64(r.IntN(6))
	case 2:
		addr[r.IntN(64)] = base - uint64(r.IntN(6))
	}
	return words, addr, base
}

func bytesOf(words []uint32) (b []byte) {
	for _, v := range words {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func hash(v ...uint64) (h uint64) {
	for _, x := range v {
		h = (h ^ x) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

func hash64(v []uint32) (h uint64) {
	for _, x := range v {
		h = hash(h, uint64(x))
	}
	return h
}

func TestVectorMoves(t *testing.T) { testSwitched(t, switched) }

// testSwitched compares functions that select their code themselves with their Go versions.
func testSwitched(t *testing.T, functions map[string]func(o *operands, r *rand.Rand) uint64) {
	plain := map[string]func(o *operands, r *rand.Rand) uint64{}
	for name, f := range functions {
		plain[name] = func(o *operands, r *rand.Rand) (out uint64) {
			Plain(func() { out = f(o, r) })
			return out
		}
	}
	run := func(op func(o *operands, r *rand.Rand) uint64, o *operands, r *rand.Rand) uint64 { return op(o, r) }
	testOps(t, plain, functions, run)
	if avx512 {
		avx512 = false
		defer func() { avx512 = true }()
		testOps(t, plain, functions, run)
	}
}
