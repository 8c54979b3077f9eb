package sim_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// The functions below compute in plain Go what each kernel of testdata/kernels must leave
// in its output buffers, from inputs that a fixed seed gives.

func kernelTests() []kernelTest {
	return slices.Concat(basicTests(), floatTests(), laneTests(), programTests())
}

func basicTests() []kernelTest {
	return []kernelTest{
		vaddTest(), saxpyTest(), reduceTest(), transposeTest(), convertTest(), stencilTest(), gcdTest(), matmulTest(),
		scanTest(), histogramTest(), atomicsTest(), bitsTest(), wideTest(), divideTest(), vectorsTest(), sortTest(),
		callsTest(), crcTest(), dynlocalTest(), doublesTest(), recordsTest(), idsTest(), halvesTest(), flatptrTest(),
		loopTest(), spinTest(), ticketTest(),
	}
}

// raw returns the little-endian bytes of v, a slice of fixed-size values.
func raw(v any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

// input is a buffer the kernel reads, inout one it also writes, output one that is zero.
func input(v any) kernelArg       { return kernelArg{in: raw(v)} }
func inout(v, want any) kernelArg { return kernelArg{in: raw(v), want: raw(want)} }
func output(want any) kernelArg {
	b := raw(want)
	return kernelArg{in: make([]byte, len(b)), want: b}
}

// random returns n values drawn by f.
func random[T any](n int, f func(r *rand.Rand) T) []T {
	r := rand.New(rand.NewPCG(uint64(n), 0x6763_6e73_696d))
	all := make([]T, n)
	for i := range all {
		all[i] = f(r)
	}
	return all
}

func anyInt32(r *rand.Rand) int32   { return int32(r.Uint32()) }
func anyUint32(r *rand.Rand) uint32 { return r.Uint32() }
func anyByte(r *rand.Rand) uint8    { return uint8(r.Uint32()) }
func anyInt16(r *rand.Rand) int16   { return int16(r.Uint32()) }

// between returns a generator of integers from lo to hi.
func between(lo, hi int) func(*rand.Rand) int {
	return func(r *rand.Rand) int { return lo + r.IntN(hi-lo+1) }
}

// small returns a generator of whole numbers of type T, see [between].
func small[T int32 | uint32 | float32](lo, hi int) func(*rand.Rand) T {
	return func(r *rand.Rand) T { return T(between(lo, hi)(r)) }
}

func vaddTest() kernelTest {
	const n = 1000
	ab := random(2*1024, anyInt32)
	a, b, sum := ab[:1024], ab[1024:], make([]int32, 1024)
	for i := range n {
		sum[i] = a[i] + b[i]
	}
	return kernelTest{"vadd", [3]uint32{1024, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(sum), input(a), input(b), i32(n)}}
}

func saxpyTest() kernelTest {
	xy := random(4096, small[float32](-1000, 1000))
	x, y := xy[:2048], xy[2048:]
	want := slices.Clone(y)
	for i := range want {
		want[i] += 2.5 * x[i]
	}
	return kernelTest{"saxpy", [3]uint32{512, 1, 1}, [3]uint32{128, 1, 1},
		[]kernelArg{inout(y, want), input(x), f32(2.5), i32(512)}}
}

func reduceTest() kernelTest {
	in := random(512, anyInt32)
	sums, maxima := make([]int32, 4), make([]int32, 4)
	for g := range sums {
		group := in[g*128 : g*128+128]
		maxima[g] = slices.Max(group)
		for _, v := range group {
			sums[g] += v
		}
	}
	return kernelTest{"reduce", [3]uint32{512, 1, 1}, [3]uint32{128, 1, 1},
		[]kernelArg{output(sums), output(maxima), input(in)}}
}

func transposeTest() kernelTest {
	const width, height = 32, 24
	in := random(width*height, anyUint32)
	out := make([]uint32, len(in))
	for i, v := range in {
		out[i%width*height+i/width] = v
	}
	return kernelTest{"transpose", [3]uint32{width, height, 1}, [3]uint32{8, 8, 1},
		[]kernelArg{output(out), input(in), i32(width), i32(height)}}
}

func convertTest() kernelTest {
	const n = 256
	all := random(4*n, anyByte)
	c := random(n, anyInt16)
	a, b := all[:n], all[n:2*n]
	wide, clamped, wrapped := make([]int16, n), make([]uint8, n), make([]int8, n)
	for i := range n {
		x, z := int(int8(a[i])), int(uint16(c[i]))
		v := x*3 + int(b[i])
		wide[i], clamped[i], wrapped[i] = int16(v-z), uint8(min(max(v, 0), 255)), int8(z+x)
	}
	return kernelTest{"convert", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(wide), output(clamped), output(wrapped), input(a), input(b), input(c)}}
}

func stencilTest() kernelTest {
	const width, height = 37, 13
	in := random(width*height, anyInt32)
	out := make([]int32, len(in))
	at := func(x, y int) int32 {
		if x < 0 || x >= width || y < 0 || y >= height {
			return 0
		}
		return in[y*width+x]
	}
	for i := range out {
		x, y := i%width, i/width
		for k := range 9 {
			out[i] += at(x+k%3-1, y+k/3-1)
		}
		out[i] += 3 * at(x, y)
	}
	return kernelTest{"stencil", [3]uint32{48, 16, 1}, [3]uint32{16, 4, 1},
		[]kernelArg{output(out), input(in), i32(width), i32(height)}}
}

func gcdTest() kernelTest {
	const n = 256
	ab := random(2*n, small[uint32](0, 3000))
	out, steps := make([]uint32, n), make([]uint32, n)
	for i := range n {
		u, v := ab[i], ab[n+i]
		for u != v && steps[i] < 500 {
			if u > v {
				u -= v
			} else {
				v -= u
			}
			steps[i]++
		}
		out[i] = u
	}
	return kernelTest{"gcd", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(out), output(steps), input(ab[:n]), input(ab[n:])}}
}

func matmulTest() kernelTest {
	const n = 24
	ab := random(2*n*n, anyInt32)
	a, b, c := ab[:n*n], ab[n*n:], make([]int32, n*n)
	for i := range c {
		for k := range n {
			c[i] += a[i/n*n+k] * b[k*n+i%n]
		}
	}
	return kernelTest{"matmul", [3]uint32{n, n, 1}, [3]uint32{8, 8, 1}, []kernelArg{output(c), input(a), input(b), i32(n)}}
}

func scanTest() kernelTest {
	in := random(512, anyInt32)
	out := slices.Clone(in)
	for i := range out {
		if i%256 != 0 {
			out[i] += out[i-1]
		}
	}
	return kernelTest{"scan", [3]uint32{512, 1, 1}, [3]uint32{256, 1, 1}, []kernelArg{output(out), input(in)}}
}

func histogramTest() kernelTest {
	const groups, perItem = 4, 20
	in := random(groups*perItem*64, anyByte)
	bins := make([]uint32, groups*16)
	for i, v := range in {
		bins[i/(perItem*64)*16+int(v>>4)]++
	}
	return kernelTest{"histogram", [3]uint32{groups * 64, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(bins), input(in), i32(perItem)}}
}

func atomicsTest() kernelTest {
	in := random(512, anyUint32)
	bins := make([]uint32, 9)
	start := [4]int32{math.MinInt32, math.MaxInt32, 0x1234, 0}
	extremes, total := start, uint64(5)
	for _, v := range in {
		bins[v&7] += v >> 24
		bins[8] += v & 15
		extremes[0] = max(extremes[0], int32(v))
		extremes[1] = min(extremes[1], int32(v))
		extremes[2] ^= int32(v)
		extremes[3] |= 1 << (v & 31)
		total += uint64(v) << 8
	}
	return kernelTest{"atomics", [3]uint32{512, 1, 1}, [3]uint32{128, 1, 1},
		[]kernelArg{output(bins), inout(start, extremes), inout(uint64(5), total), input(in)}}
}

func bitsTest() kernelTest {
	in := random(256, anyUint32)
	copy(in, []uint32{0, 1, 0x80000000, 0xffffffff, 0x00010000})
	var out [][8]uint32
	for _, v := range in {
		out = append(out, [8]uint32{
			uint32(bits.OnesCount32(v)), uint32(bits.LeadingZeros32(v)), uint32(bits.TrailingZeros32(v)), bits.Reverse32(v),
			bits.RotateLeft32(v, int(v&31)), v >> 5 & 0x7ff, uint32(int32(v<<7) >> 20),
			bits.ReverseBytes32(v) ^ v&0xff00ff ^ (^v | 0x10),
		})
	}
	return kernelTest{"bits", [3]uint32{256, 1, 1}, [3]uint32{64, 1, 1}, []kernelArg{output(out), input(in)}}
}

func wideTest() kernelTest {
	const n = 256
	ab := random(2*n, func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(3) * 0x10001 })
	a, b := ab[:n], ab[n:]
	copy(a[:8], b) // some are equal
	out, order := make([]uint64, n), make([]int64, n)
	for i, u := range a {
		s := int64(b[i])
		out[i] = u*uint64(s) + u>>(s&63)
		out[i] ^= u<<(s&31) - uint64(s>>7)
		order[i] = int64(bits.OnesCount64(u)) << 8
		for k, set := range []bool{u < uint64(s), int64(u) < s, u == uint64(s)} {
			if set {
				order[i] |= 1 << k
			}
		}
	}
	return kernelTest{"wide", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(out), output(order), input(a), input(b)}}
}

func divideTest() kernelTest {
	in := random(256, func(r *rand.Rand) [2]uint32 { return [2]uint32{r.Uint32(), r.Uint32()>>r.IntN(31) | 1} })
	copy(in, [][2]uint32{{0, 1}, {math.MaxUint32, 1}, {math.MaxUint32, math.MaxUint32}, {math.MaxUint32, 2},
		{7, math.MaxUint32}, {1 << 31, 3}})
	var out [][4]uint32
	var out64 [][2]uint64
	for _, v := range in {
		x, y := int32(v[0]), int32(v[1])
		out = append(out, [4]uint32{v[0] / v[1], v[0] % v[1], uint32(x / y), uint32(x % y)})
		n, d := uint64(v[0])<<21|uint64(v[1]), uint64(v[1])<<3|5
		out64 = append(out64, [2]uint64{n / d, n % d})
	}
	return kernelTest{"divide", [3]uint32{256, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(out), output(out64), input(in)}}
}

func vectorsTest() kernelTest {
	const n = 128
	a := random(n, func(r *rand.Rand) [4]uint8 { return [4]uint8{anyByte(r), anyByte(r), anyByte(r), anyByte(r)} })
	b := random(n, func(r *rand.Rand) [2]int16 { return [2]int16{anyInt16(r), anyInt16(r)} })
	c := random(n, func(r *rand.Rand) [4]int32 { return [4]int32{anyInt32(r), anyInt32(r), anyInt32(r), anyInt32(r)} })
	odd := random(3*n, anyByte)
	var bytes [][4]uint8
	var shorts [][2]uint16
	var dwords [][4]int32
	for i := range n {
		p, q, r := a[i], b[i], c[i]
		bytes = append(bytes, [4]uint8{p[3], p[1] + 1, uint8(q[0]), uint8(r[2])})
		shorts = append(shorts, [2]uint16{uint16(q[1]) - uint16(p[0]), uint16(q[0]) * uint16(p[2])})
		o := int32(odd[3*i]) | int32(odd[3*i+1])<<8 | int32(odd[3*i+2])<<16
		dwords = append(dwords, [4]int32{r[3] + r[0], r[2] + r[1], r[1] + r[2], r[0] + o})
	}
	return kernelTest{"vectors", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(bytes), output(shorts), output(dwords), input(a), input(b), input(c), input(odd)}}
}

func sortTest() kernelTest {
	in := random(128*12, anyInt16)
	out := slices.Clone(in)
	for rows := out; len(rows) > 0; rows = rows[12:] {
		slices.Sort(rows[:12])
	}
	return kernelTest{"sort", [3]uint32{128, 1, 1}, [3]uint32{64, 1, 1}, []kernelArg{output(out), input(in)}}
}

func callsTest() kernelTest {
	in := random(128, anyInt32)
	out := make([]int32, len(in))
	for i, v := range in {
		s := int32(i)
		mix := func(v int32) int32 {
			r := [3]int32{v*3 ^ s, v*4 ^ s, v*5 ^ s}
			s = r[v&1] + r[2]
			return r[v>>1&1]
		}
		twice := func(v int32) int32 {
			first := mix(v)
			return first + mix(first^0x55)
		}
		r := twice(v)
		if i&1 != 0 {
			r -= twice(r)
		}
		out[i] = r ^ s
	}
	return kernelTest{"calls", [3]uint32{128, 1, 1}, [3]uint32{64, 1, 1}, []kernelArg{output(out), input(in)}}
}

func crcTest() kernelTest {
	const length = 20
	in := random(128*length, anyByte)
	var out []uint32
	for row := range slices.Chunk(in, length) {
		out = append(out, crc32.ChecksumIEEE(row))
	}
	return kernelTest{"crc", [3]uint32{128, 1, 1}, [3]uint32{64, 1, 1}, []kernelArg{output(out), input(in), i32(length)}}
}

func dynlocalTest() kernelTest {
	in := random(256, anyInt16)
	var out []int16
	for g := range slices.Chunk(in, 64) {
		for l := range g {
			out = append(out, g[63-l]+g[0]-g[63])
		}
	}
	return kernelTest{"dynlocal", [3]uint32{256, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(out), input(in), localBytes(128), localBytes(4)}}
}

func doublesTest() kernelTest {
	const n = 256
	a := random(n, small[int32](-1<<20, 1<<20))
	b := random(n, small[float32](-1000, 1000))
	out, rounded := make([]float64, n), make([]int32, n)
	for i := range n {
		x, y := float64(a[i]), float64(b[i])
		r := x*y + 0.5
		if r < 0 {
			r = -r - x
		}
		out[i] = r*1024 - y
		rounded[i] = int32(r*0.25) + a[i]&0xfff - int32(math.Abs(y))
	}
	return kernelTest{"doubles", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(out), output(rounded), input(a), input(b)}}
}

func recordsTest() kernelTest {
	type packed struct {
		Tag   uint8
		Value uint32
		Mark  uint16
	}
	type plain struct {
		Tag   uint8
		_     [3]uint8
		Value uint32
		Mark  uint16
		_     [6]uint8
		Sum   int64
	}
	in := random(128, func(r *rand.Rand) packed { return packed{anyByte(r), r.Uint32(), uint16(anyInt16(r))} })
	out := make([]plain, len(in))
	for i, p := range in {
		o := &out[i]
		o.Tag, o.Value, o.Mark = p.Tag^0x80, p.Value+uint32(p.Mark), p.Mark-uint16(p.Tag)
		o.Sum = int64(int32(p.Value)) * int64(p.Mark)
	}
	return kernelTest{"records", [3]uint32{128, 1, 1}, [3]uint32{64, 1, 1}, []kernelArg{output(out), input(in)}}
}

func idsTest() kernelTest {
	grid, group := [3]uint32{20, 6, 4}, [3]uint32{8, 4, 2} // the last groups are partial
	var out []uint32
	for z := range grid[2] {
		for y := range grid[1] {
			for x := range grid[0] {
				out = append(out, x/8|y/4<<4|z/2<<8|x%8<<12|y%4<<20|z%2<<28)
			}
		}
	}
	return kernelTest{"ids", grid, group, []kernelArg{output(out)}}
}

// half returns the half-precision bits of a number that has them, zero or normal.
func half(v float32) uint16 {
	b := math.Float32bits(v)
	if v == 0 {
		return uint16(b >> 16)
	}
	return uint16(b>>16&0x8000 | (b>>23&0xff-112)<<10 | b>>13&0x3ff)
}

func halvesTest() kernelTest {
	const n = 128
	quarters := random(n, small[float32](-1000, 1000))
	in, out, wide := make([]uint16, n), make([]uint16, n), make([]float32, n)
	for i, q := range quarters {
		v := q / 4
		in[i], out[i], wide[i] = half(v), half(2*v+1), v/8
	}
	return kernelTest{"halves", [3]uint32{n, 1, 1}, [3]uint32{64, 1, 1}, []kernelArg{output(out), output(wide), input(in)}}
}

func flatptrTest() kernelTest {
	in := random(256, anyInt32)
	out := make([]int32, len(in))
	for i := range out {
		switch l := i % 64; l % 3 {
		case 0: // LDS: what lane 63-l wrote
			out[i] = int32(7 + i - l + 63 - l)
		case 1: // scratch
			if out[i] = int32(7 + i); l&3 != 0 {
				out[i] = int32((l&3 + 1) * l)
			}
		case 2: // memory
			out[i] = in[i]
		}
	}
	return kernelTest{"flatptr", [3]uint32{256, 1, 1}, [3]uint32{64, 1, 1}, []kernelArg{output(out), input(in)}}
}

func loopTest() kernelTest {
	program := random(64, anyByte)
	in := random(256, small[int32](-5000, 5000))
	out := make([]int32, len(in))
	for i, acc := range in {
		out[i] = runLoop(program, i, acc)
	}
	return kernelTest{"loop", [3]uint32{256, 1, 1}, [3]uint32{64, 1, 1},
		[]kernelArg{output(out), input(program), input(in)}}
}

func runLoop(program []uint8, i int, acc int32) int32 {
	for pc := int32(0); pc < 40; pc++ {
		switch program[(int(pc)+i)&63] & 7 {
		case 0:
			acc += pc
		case 1:
			acc ^= acc << 1
			continue
		case 2:
			acc = -acc
		case 3:
			if acc > 1000000 {
				return -1
			}
			acc *= 3
		case 4:
			acc >>= 1
		case 5:
			pc += acc & 1
		default:
			acc += int32(program[pc])
		}
		if acc&0xff == 0x7f {
			break
		}
	}
	return acc
}

// spinTest ends only if waves that wait for one another get turns.
func spinTest() kernelTest {
	const n = 128
	want := make([]int32, n)
	for i := range want {
		want[i] = 42 + int32(i)
	}
	return kernelTest{name: "spin", grid: [3]uint32{n, 1, 1}, group: [3]uint32{n, 1, 1}, args: []kernelArg{output(want)}}
}

// ticketTest passes on any number of cores only if work-groups take their turns in order.
func ticketTest() kernelTest {
	want := make([]uint32, 64*32)
	for i := range want {
		want[i] = uint32(i)
	}
	return kernelTest{
		name: "ticket", grid: [3]uint32{uint32(len(want)), 1, 1}, group: [3]uint32{64, 1, 1},
		args: []kernelArg{output(want), inout(uint32(0), uint32(len(want)))},
	}
}
