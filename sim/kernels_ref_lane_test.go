package sim_test

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// References of the kernels that operate across lanes, on packed elements, or atomically.

func laneTests() []kernelTest {
	return []kernelTest{
		pairsTest(), dotsTest(), dppTest(), lanesTest(), permuteTest(), mediaTest(), atomics64Test(), ldsatomicsTest(),
		genericatomicsTest(),
		ldswideTest(), shortsTest(), ternaryTest(), memoryatomicsTest(), ldsatomics64Test(), threesTest(), d16Test(),
		movrelTest(),
		buffersTest(), clockTest(),
	}
}

func pairsTest() kernelTest {
	const n = 128
	draw := func(r *rand.Rand) [2]uint16 { return [2]uint16{uint16(r.Uint32()), uint16(r.Uint32())} }
	a, b := random(n, draw), random(n+1, draw)[:n]
	var out [][2]uint16
	for i, x := range a {
		var o [8][2]uint16
		for e := range 2 {
			u, y, z := x[e], b[i][e], b[i][1-e]
			s, t := int16(u), int16(y)
			for k, v := range []uint16{u + y, u - z, u*y + uint16(3+2*e), u << (y & 15), uint16(s >> (y & 15)), u >> (y & 15),
				uint16(min(s, t)), max(u, z)} {
				o[k][e] = v
			}
		}
		out = append(out, o[:]...)
	}
	return line("pairs", n, 64, output(out), input(a), input(b))
}

// dot multiplies the elements of x and y, which have size bits, and adds the products to z.
func dot(x, y uint32, z int64, size int, signed bool) int64 {
	for at := 0; at < 32; at += size {
		p, q := int64(x>>at&(1<<size-1)), int64(y>>at&(1<<size-1))
		if signed {
			p, q = p<<(64-size)>>(64-size), q<<(64-size)>>(64-size)
		}
		z += p * q
	}
	return z
}

func dotsTest() kernelTest {
	const n = 128
	a, b, c := random(n, anyUint32), random(n+1, anyUint32)[:n], random(n+2, anyUint32)[:n]
	copy(a, []uint32{0x7fff7fff, 0x80008000, 0xffffffff, 0x80808080, 0x7f7f7f7f})
	copy(b, []uint32{0x7fff7fff, 0x7fff7fff, 0xffffffff, 0x80808080, 0x80808080})
	copy(c, []uint32{0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffff, 0x80000000})
	clampSigned := func(v int64) uint32 { return uint32(min(max(v, -1<<31), 1<<31-1)) }
	var out [][8]uint32
	for i, x := range a {
		y, s, u := b[i], int64(int32(c[i])), int64(c[i])
		f := x&63*(c[i]&31) + y&63*(x>>8&31) + c[i]&255
		out = append(out, [8]uint32{
			uint32(dot(x, y, s, 8, true)), uint32(dot(x, y, u, 8, false)), uint32(dot(x, y, s, 4, true)),
			uint32(dot(x, y, u, 4, false)),
			clampSigned(dot(x, y, s, 16, true)), uint32(min(dot(x, y, u, 16, false), 1<<32-1)),
			clampSigned(dot(x, y, s, 8, true)), f,
		})
	}
	return line("dots", n, 64, output(out), input(a), input(b), input(c))
}

func dppTest() kernelTest {
	in := random(128, anyInt32)
	var out [][12]int32
	for wave := range slices.Chunk(in, 64) {
		sum, all := int32(0), int32(0)
		for _, v := range wave {
			all += v
		}
		for l, v := range wave {
			row, at := l&^15, l&15
			sum += v
			// pick returns the value of lane from if take is set, else otherwise.
			pick := func(take bool, from int, otherwise int32) int32 {
				if take {
					return wave[from&63]
				}
				return otherwise
			}
			o := [12]int32{
				wave[l^3], pick(at+3 < 16, l+3, 7), pick(at >= 5, l-5, 0), wave[row|(at+9)&15], wave[row|15-at], wave[l&^7|7-l&7],
				v, v, pick(l > 0, l-1, 5), pick(l>>4&1 == 0 && at < 8, l+63, 5), sum, all - v,
			}
			if l>>4&1 == 1 {
				o[6] = wave[row-1] + 1
			}
			if l >= 32 {
				o[7] = wave[31] + 2
			}
			out = append(out, o)
		}
	}
	return line("dpp", 128, 64, output(out), input(in))
}

func lanesTest() kernelTest {
	in := random(128, anyUint32)
	var out [][8]uint32
	for wave := range slices.Chunk(in, 64) {
		var odd uint64
		turn, members := map[uint32]uint32{}, map[uint32]uint32{}
		for l, v := range wave {
			odd |= uint64(v&1) << l
			if _, seen := turn[v&7]; !seen {
				turn[v&7] = uint32(len(turn))
			}
			members[v&7]++
		}
		for l, v := range wave {
			o := [8]uint32{
				uint32(odd), uint32(odd >> 32), uint32(bits.OnesCount64(odd & (1<<l - 1))), wave[17] ^ wave[0], wave[l^1],
				wave[l^2],
				turn[v&7]<<16 | members[v&7], 99,
			}
			if l >= 13 {
				o[7] = 13
			}
			out = append(out, o)
		}
	}
	return line("lanes", 128, 64, output(out), input(in))
}

func permuteTest() kernelTest {
	in, to := random(128, anyInt32), random(128, anyByte)
	out := make([][4]int32, 128)
	for i := range out {
		l, g := i&63, i&^63
		out[i][0] = in[g|int(to[i]&63)]
		out[i][1] = in[g|63-l]
		out[g|l*5&63][2] = in[i]
		if l&1 != 0 {
			out[i][3] = in[i^2]
		}
	}
	return line("permute", 128, 64, output(out), input(in), input(to))
}

// sad adds the absolute differences of the elements of size bits to z. If masked is set, elements whose second
// operand is 0 are skipped.
func sad(x, y uint32, size int, masked bool) (sum uint32) {
	for at := 0; at < 32; at += size {
		p, q := x>>at&(1<<size-1), y>>at&(1<<size-1)
		if !masked || q != 0 {
			sum += max(p, q) - min(p, q)
		}
	}
	return sum
}

func mediaTest() kernelTest {
	const n = 128
	a, b, c := random(n, anyUint32), random(n+1, anyUint32)[:n], random(n+2, anyUint32)[:n]
	copy(b, []uint32{0, 0xff, 0xff00, 0x00ff0000})
	var out [][8]uint32
	for i, x := range a {
		y, z := b[i], c[i]
		var mean uint32
		for at := 0; at < 32; at += 8 {
			mean |= (x>>at&0xff + y>>at&0xff + z>>at&1) >> 1 << at
		}
		width := z & 15
		field := uint32(0)
		if width > 0 {
			field = uint32(int32(y<<(32-5-width)) >> (32 - width))
		}
		out = append(out, [8]uint32{
			sad(x, y, 8, false) + z, sad(x, y, 8, true) + z, sad(x, y, 16, false) + z, mean,
			uint32((uint64(x)<<32 | uint64(y)) >> (8 * (z & 3))), x>>(z&31)&0x7f | field<<8, x&z | y&^z,
			sad(x, y, 8, false)<<16 + z + (x&0xffffff)*(y&0xffffff),
		})
	}
	return line("media", n, 64, output(out), input(a), input(b), input(c))
}

func atomics64Test() kernelTest {
	const n = 256
	in := random(n, func(r *rand.Rand) uint64 { return r.Uint64() })
	before := random(8+n, func(r *rand.Rand) uint64 { return r.Uint64() })
	after, out := slices.Clone(before), make([]uint64, n)
	for g := 0; g < n; g += 64 {
		part := [6]uint64{3: ^uint64(0)}
		for _, v := range in[g : g+64] {
			part[0] += v
			part[1] -= v >> 3
			part[2] |= 1 << (v & 63)
			part[3] &^= 2 << (v & 63)
			part[4] ^= v
			part[5] = max(part[5], v)
			after[0] = min(after[0], v)
			after[1] = uint64(max(int64(after[1]), int64(v)))
			after[2] -= v
			after[3] ^= v << 1
			after[4] += v&0xffff + 1<<32
		}
		for l, v := range in[g : g+64] {
			after[8+g+l], out[g+l] = v, before[8+g+l]+part[l%6]
		}
	}
	return line("atomics64", n, 64, inout(before, after), output(out), input(in))
}

// ldsatomicsTest assumes that lanes access the same address in the order of their numbers, which the simulator
// guarantees.
func ldsatomicsTest() kernelTest {
	const n = 128
	in := random(n, anyUint32)
	var out, last [][12]uint32
	for g := range slices.Chunk(in, 64) {
		var m [12]uint32
		for k := range m {
			m[k] = uint32(k) * 0x01010101
		}
		for l, v := range g {
			out = append(out, m)
			m[0] += v
			m[1] -= v
			m[2] &= v | 0xfff0
			m[3] |= v & 0x8421
			m[4] ^= v
			m[5] = uint32(min(int32(m[5]), int32(v)))
			m[6] = uint32(max(int32(m[6]), int32(v)))
			m[7], m[8] = min(m[7], v), max(m[8], v)
			if m[9]++; m[9] > 0x0909090f {
				m[9] = 0
			}
			if m[10]--; m[10] >= 70 {
				m[10] = 70
			}
			if expect := uint32(0x0b0b0b0b); l&1 == 0 && m[11] == expect || l&1 != 0 && m[11] == v {
				m[11] = v
			}
		}
		last = append(last, m)
	}
	return line("ldsatomics", n, 64, output(out), output(last), input(in))
}

func genericatomicsTest() kernelTest {
	const n = 128
	in := random(n, func(r *rand.Rand) [4]uint32 { return [4]uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()} })
	out := make([][4]uint32, n)
	var narrow [2]uint32
	var wide [2]uint64
	for i := range out {
		l := i & 63
		if out[i] = in[i^1]; l&1 != 0 {
			out[i] = in[i&^63|63-l]
		}
		own := out[i]
		narrow[l&1] += own[0]
		// Lanes with bit 1 set accumulate in LDS, whose maximum goes to wide[0]. The sums are treated in the same way.
		to := &wide[1-l>>1&1]
		*to = max(*to, uint64(own[1])<<20|uint64(own[2]))
	}
	return line("genericatomics", n, 64, output(out), output(wide), output(narrow), input(in))
}

func ldswideTest() kernelTest {
	in := random(128, func(r *rand.Rand) [4]uint32 { return [4]uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()} })
	var out [][4]uint32
	for g := range slices.Chunk(in, 64) {
		for l := range g {
			a, b := g[63-l], [4]uint32{g[l^1][0], g[l^2][1], g[l^4][2], g[l^8][3]}
			for k := range a {
				a[k] += b[k]
			}
			sum := int64(g[(l+1)&63][0]) + int64(int32(g[(l+2)&63][1]))
			t, odd := g[(l+3)&63], g[(l+5)&63]
			out = append(out, a, [4]uint32{uint32(sum), t[1] ^ odd[0]&0xffff, t[2] + odd[3], t[3] - odd[1]*odd[2]})
		}
	}
	return line("ldswide", 128, 64, output(out), input(in))
}

func shortsTest() kernelTest {
	const n = 128
	a := random(3*n+2, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) })
	b := random(n+8, func(r *rand.Rand) int8 { return int8(r.Uint32()) })
	pairs, bytes, sums := make([][2]uint16, 2*n), make([]uint8, 2*n), make([]int16, n)
	for i := range n {
		pairs[i] = [2]uint16{a[i], a[i+64]}
		pairs[i+n] = [2]uint16{uint16(b[i+3]), uint16(uint8(b[i+5]))}
		bytes[2*i], bytes[2*i+1] = uint8(a[3*i]>>8), uint8(a[3*i+1])
		for k := range 7 {
			sums[i] += int16(b[i+k]) * int16(a[i+2*k])
		}
	}
	return line("shorts", n, 64, output(pairs), output(bytes), output(sums), input(a), input(b))
}

func ternaryTest() kernelTest {
	const n = 128
	draw := func(r *rand.Rand) int32 { return int32(r.Uint32()) >> r.IntN(30) }
	a, b, c := random(n, draw), random(n+1, draw)[:n], random(n+2, draw)[:n]
	var out [][16]int32
	for i, x := range a {
		y, z := b[i], c[i]
		ux, uy, uz := uint32(x), uint32(y), uint32(z)
		sx, sy, sz := int16(x), int16(y), int16(z)
		tx, ty, tz := uint16(x), uint16(y), uint16(z)
		out = append(out, [16]int32{
			min(x, y, z), max(x, y, z), int32(min(ux, uy, uz)), int32(max(ux, uy, uz)), min(max(x, -100), 1000),
			int32(min(max(ux, 100), 0x40000000)),
			int32(min(sx, sy, sz)) + int32(max(sx, sy, sz)), int32(min(max(sx, -12), 300)),
			int32(min(tx, ty, tz)) + int32(max(tx, ty, tz)), int32(min(max(tx, 12), 30000)),
			x<<5 + y, (x + y) << (uz & 31), int32(ux&uy | uz), int32(max(ux, uy)-min(ux, uy)) + z,
			int32(sx*sy+sz) ^ int32(tx*ty+tz), (x ^ y) + z - (x ^ ^y),
		})
	}
	return line("ternary", n, 64, output(out), input(a), input(b), input(c))
}

// atomicOps are the atomics of kernels memoryatomics and ldsatomics64, in order, without increment and decrement,
// which follow. The operands have size bits.
func atomicOps(size int) []func(old, v uint64) uint64 {
	signed := func(v uint64) int64 { return int64(v) << (64 - size) >> (64 - size) }
	pick := func(first bool, a, b uint64) uint64 {
		if first {
			return a
		}
		return b
	}
	return []func(old, v uint64) uint64{
		func(old, v uint64) uint64 { return old + v },
		func(old, v uint64) uint64 { return old - v },
		func(old, v uint64) uint64 { return old & v },
		func(old, v uint64) uint64 { return old | v },
		func(old, v uint64) uint64 { return old ^ v },
		func(_, v uint64) uint64 { return v },
		func(old, v uint64) uint64 { return min(old, v) },
		func(old, v uint64) uint64 { return max(old, v) },
		func(old, v uint64) uint64 { return pick(signed(old) < signed(v), old, v) },
		func(old, v uint64) uint64 { return pick(signed(old) > signed(v), old, v) },
		func(old, v uint64) uint64 { return pick(old >= v, 0, old+1) },
		func(old, v uint64) uint64 { return pick(old == 0 || old > v, v, old-1) },
	}
}

// runAtomics applies each operation to two neighbouring elements, and returns the result of the first of each pair as
// a signed or unsigned number of size bits.
func runAtomics(m []uint64, v uint64, size int) (old []uint64) {
	mask := ^uint64(0) >> (64 - size)
	for k, op := range atomicOps(size) {
		first := v & mask
		if k >= 10 {
			first = v & 7
		}
		was := m[2*k]
		if k == 8 || k == 9 {
			was = uint64(int64(was) << (64 - size) >> (64 - size))
		}
		old = append(old, was)
		m[2*k] = op(m[2*k], first) & mask
		m[2*k+1] = op(m[2*k+1], v&mask) & mask
	}
	return old
}

func memoryatomicsTest() kernelTest {
	const n = 64
	in := random(n, func(r *rand.Rand) uint64 { return r.Uint64() })
	narrow, wide := random(24*n, anyUint32), random(24*n, func(r *rand.Rand) uint64 { return r.Uint64() })
	narrow[20], narrow[22], wide[20], wide[22] = 3, 3, 3, 0
	var wantNarrow []uint32
	var wantWide, old []uint64
	for i, v := range in {
		m, w := make([]uint64, 24), slices.Clone(wide[24*i:24*i+24])
		for k := range m {
			m[k] = uint64(narrow[24*i+k])
		}
		a, b := runAtomics(m, v, 32), runAtomics(w, v, 64)
		for k := range 10 {
			old = append(old, a[k], b[k])
		}
		old = append(old, a[10], a[11], b[10], b[11])
		for _, v := range m {
			wantNarrow = append(wantNarrow, uint32(v))
		}
		wantWide = append(wantWide, w...)
	}
	return line("memoryatomics", n, 64, inout(narrow, wantNarrow), inout(wide, wantWide), output(old), input(in))
}

func ldsatomics64Test() kernelTest {
	const n = 128
	in := random(n, func(r *rand.Rand) uint64 { return r.Uint64() })
	var out []uint64
	for i, v := range in {
		m, w := make([]uint64, 24), make([]uint64, 24)
		for k := range m {
			w[k] = in[i^1] * uint64(k+1)
			m[k] = w[k] & 0xffffffff
		}
		a, b := runAtomics(m, v, 32), runAtomics(w, v, 64)
		s := uint64(0)
		for _, v := range slices.Concat(a[:10], b[:10], a[10:], b[10:]) {
			s = s*5 + v
		}
		for k := range m {
			out = append(out, m[k], w[k])
		}
		out[len(out)-1] += s
	}
	return line("ldsatomics64", n, 64, output(out), input(in))
}

func threesTest() kernelTest {
	const n = 128
	in := random(n, func(r *rand.Rand) [3]uint32 { return [3]uint32{r.Uint32(), r.Uint32(), r.Uint32()} })
	more := random(3*(n+1), anyUint32)
	var out [][3]uint32
	for i, a := range in {
		b := in[i&^63|i*7&63]
		out = append(out, [3]uint32{a[0] + b[2], a[1] ^ b[1], a[2] - b[0] + more[3*i+4]})
	}
	return line("threes", n, 64, output(out), input(in), input(more))
}

func d16Test() kernelTest {
	const n = 128
	a := random(2*n, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) })
	b := random(n+2, func(r *rand.Rand) int8 { return int8(r.Uint32()) })
	var out [][2]uint16
	var bytes []uint8
	var shorts []uint16
	for i := range n {
		l, g := i&63, i&^63
		x, y := a[2*i], a[2*i+1]
		high := func(l int) uint16 { return a[2*(g+l)+1] }
		out = append(out, [][2]uint16{
			{x, a[i+1]}, {a[i+2], y}, {x, uint16(b[i+1])}, {uint16(uint8(b[i+2])), y}, {x, a[g+l^3]}, {high(63 - l ^ 5), y},
			{x, uint16(b[g+l^7])}, {uint16(uint8(int16(high(l^9)) >> 3)), y},
		}...)
		bytes, shorts = append(bytes, uint8(y)), append(shorts, y)
	}
	return line("d16", n, 64, output(out), output(bytes), output(shorts), input(a), input(b))
}

func movrelTest() kernelTest {
	const n, k = 256, 9
	in, where := random(256, anyInt32), random(n, anyByte)
	var out [][4]int32
	for i := range n {
		var v [16]int32
		copy(v[:], in[i&15*16:])
		v[k] += int32(i)
		var o [4]int32
		o[0] = v[(k+3)&15] + v[k]
		g := (i/64*5 + k) & 15
		v[g] = -v[(g+1)&15]
		o[1] = v[(g+15)&15] ^ v[g]
		w := int(where[i] & 15)
		v[w] = int32(i * 3)
		o[2] = v[w] + v[w*7&15]
		o[3] = v[0] + v[1]*2 + v[2]*3 + v[7]*4 + v[15]*5
		out = append(out, o)
	}
	return line("movrel", n, 64, output(out), input(in), i32(k), input(where))
}

func buffersTest() kernelTest {
	const n, size = 256, 4096 + 128
	in := random(size, anyByte)
	dword := func(at int) uint32 {
		if at >= size {
			return 0 // out of range
		}
		return binary.LittleEndian.Uint32(in[at:])
	}
	out := make([][16]uint32, n)
	for i := range out {
		at := 16 * i
		s := uint32(in[at+1]) + dword(at)>>16 + dword(at+68)
		o := &out[i]
		for k := range 4 {
			o[k] = dword(at + 4080 + 4*k)
			if k < 3 {
				o[4+k] = dword(at + 16 + 4*k)
			}
		}
		o[8], o[9], o[10] = dword(at+32), dword(at+36), s
		o[11] = s & 0xffff
		o[11] |= s & 0xff << 16
		if i&1 == 0 {
			o[12] = uint32(i)
		}
	}
	return line("buffers", n, 64, output(out), input(in), i32(size), i32(0x27fac))
}

func clockTest() kernelTest {
	return line("clock", 128, 64, output(slices.Repeat([]uint32{42}, 128)))
}
