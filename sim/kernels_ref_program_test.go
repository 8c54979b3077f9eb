package sim_test

import (
	"crypto/aes"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// References of the kernels that are whole programs, and of those that use calls, arguments, tables and registers.

func programTests() []kernelTest {
	return []kernelTest{
		sha256Test(), aesTest(), nttTest(), bitonicTest(), queensTest(), distanceTest(), structsTest(), stackTest(),
		globalsTest(),
		spillTest(), scalarsTest(), volumeTest(), primesTest(), fptrTest(),
	}
}

func sha256Test() kernelTest {
	const n, length = 128, 37
	in := random(n*length, anyByte)
	var out []uint32
	for row := range slices.Chunk(in, length) {
		sum := sha256.Sum256(row)
		for word := range slices.Chunk(sum[:], 4) {
			out = append(out, binary.BigEndian.Uint32(word))
		}
	}
	return line("sha256", n, 64, output(out), input(in), i32(length))
}

// sbox returns the substitution table of AES: the inverse in GF(2^8), then an affine map.
func sbox() []uint8 {
	box := make([]uint8, 256)
	p, q := uint8(1), uint8(1)
	for {
		p ^= p<<1 ^ -(p>>7)&0x1b // p times 3
		q ^= q << 1              // q divided by 3
		q ^= q << 2
		q ^= q << 4
		q ^= -(q >> 7) & 9
		box[p] = q ^ bits.RotateLeft8(q, 1) ^ bits.RotateLeft8(q, 2) ^ bits.RotateLeft8(q, 3) ^ bits.RotateLeft8(q, 4) ^ 0x63
		if p == 1 {
			box[0] = 0x63
			return box
		}
	}
}

func aesTest() kernelTest {
	const n = 128
	in, key := random(16*n, anyByte), random(16, anyByte)
	cipher, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]uint8, len(in))
	for i := 0; i < len(in); i += 16 {
		cipher.Encrypt(out[i:], in[i:])
	}
	return line("aes", n, 64, output(out), input(in), input(key), input(sbox()))
}

func nttTest() kernelTest {
	const p, size = 998244353, 128
	in := random(2*size, func(r *rand.Rand) uint32 { return r.Uint32N(p) })
	root := uint64(1) // a root of unity of order size
	for range (p - 1) / size {
		root = root * 3 % p
	}
	var out []uint32
	for x := range slices.Chunk(in, size) {
		step := uint64(1)
		for range size {
			sum, w := uint64(0), uint64(1)
			for _, v := range x {
				sum, w = (sum+w*uint64(v))%p, w*step%p
			}
			out = append(out, uint32(sum))
			step = step * root % p
		}
	}
	return line("ntt", 2*64, 64, output(out), input(in))
}

func bitonicTest() kernelTest {
	in := random(512, func(r *rand.Rand) [2]uint32 { return [2]uint32{r.Uint32N(100) << 24, r.Uint32()} })
	out := slices.Clone(in)
	for g := range slices.Chunk(out, 256) {
		slices.SortFunc(g, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	}
	return line("bitonic", 512, 256, inout(in, out))
}

func queensTest() kernelTest {
	const n = 8
	var first []uint8
	var out []uint32
	for a := range n {
		for b := range n {
			first = append(first, uint8(a|b<<4))
			out = append(out, place([]int{a}, b, n))
		}
	}
	return line("queens", n*n, 64, output(out), input(first), i32(n))
}

// place returns the number of solutions that have a queen in column q of the next row.
func place(rows []int, q, n int) (count uint32) {
	for r, c := range rows {
		if d := len(rows) - r; c == q || c == q+d || c == q-d {
			return 0
		}
	}
	if len(rows) == n-1 {
		return 1
	}
	rows = append(slices.Clone(rows), q)
	for next := range n {
		count += place(rows, next, n)
	}
	return count
}

func distanceTest() kernelTest {
	const n, stride = 64, 24
	letter := func(r *rand.Rand) uint8 { return "acgt"[r.IntN(4)] }
	a, b := random(n*stride, letter), random(n*stride+1, letter)
	lengths := random(n, func(r *rand.Rand) [2]uint8 {
		return [2]uint8{uint8(r.IntN(stride + 1)),
			uint8(r.IntN(stride + 1))}
	})
	out := make([]uint16, n)
	for i, l := range lengths {
		s, t := a[i*stride:][:l[0]], b[i*stride:][:l[1]]
		var d [stride + 1][stride + 1]int // for the first x and y letters
		for x := range len(s) + 1 {
			for y := range len(t) + 1 {
				switch {
				case x == 0 || y == 0:
					d[x][y] = x + y
				case s[x-1] == t[y-1]:
					d[x][y] = d[x-1][y-1]
				default:
					d[x][y] = 1 + min(d[x-1][y-1], d[x-1][y], d[x][y-1])
				}
			}
		}
		out[i] = uint16(d[len(s)][len(t)])
	}
	return line("distance", n, 64, output(out), input(a), input(b), input(lengths), i32(stride))
}

func structsTest() kernelTest {
	const n = 128
	p := struct {
		Tag   int8
		_     uint8
		Step  int16
		_     uint32
		Base  int64
		RGB   [4]uint8
		Scale float32
		Shift [4]uint8
		_     uint32
	}{Tag: -7, Step: -300, Base: 1<<40 + 12345, RGB: [4]uint8{200, 3, 77}, Scale: 2.5, Shift: [4]uint8{0, 1, 3}}
	const c, s, u, d, mask = int8(-100), int16(-2000), uint8(250), 0.75, uint64(0xf0f0ff00ff12345f)
	pair, quad, three := [2]uint16{65535, 1000}, [4]int32{1, -2, 3, -4}, [4]int32{-70000, 90000, 5}
	out := make([]int64, n)
	for i := range out {
		v := p.Base + int64(p.Step)*int64(i) + int64(p.Tag)
		v ^= int64(p.RGB[0])<<8 | int64(p.RGB[1])<<16 | int64(p.RGB[2])<<24
		v += int64(int32(p.Scale*float32(i)) >> p.Shift[i%3])
		v += int64(int32(c)*int32(s) + int32(pair[0]) - int32(pair[1])*int32(u))
		v += int64(d * float64(i))
		hi, lo := quad[0], uint32(quad[1])
		if i&2 != 0 {
			hi = quad[3]
		}
		if i&1 != 0 {
			lo = uint32(three[2])
		}
		v ^= int64(mask & (uint64(hi)<<32 | uint64(lo)))
		out[i] = v + int64(three[0])*int64(three[1])
	}
	return line("structs", n, 64, output(out), value(p), value(c), value(pair), value(s), value(quad), value(u),
		value(d), value(mask), value(three))
}

// big is the structure that kernel stack passes by value.
type big struct {
	a [6]int32
	b int64
	c int8
}

func (x *big) turn(by int32) {
	r := *x
	for k := range r.a {
		r.a[k] = x.a[(int32(k)+by)%6] + by
	}
	r.b = x.b*3 - int64(r.a[by%6])
	r.c = x.c + int8(by)
	*x = r
}

// both adds the values of the many arguments, element by element.
func (x *big) both(v int32) int64 {
	x.turn(v & 15)
	var s [4]int32
	for k, q := range [4]int32{v, v + 1, v * 2, x.a[1]} {
		s[k] = q - (q + 1) + (q-2)*3 - q*3 + (q^4)*5 - (q | 5) + (q<<1 ^ q>>2) + (q+7)&(q-9)
	}
	r := s[0] + s[1]*2 + s[2]*4 - s[3] + int32(int16(v))*int32(x.c) + int32(x.b>>7)
	return int64(r + x.a[3])
}

func stackTest() kernelTest {
	const n = 128
	in := random(n, anyInt32)
	var out [][2]int64
	for i, v := range in {
		x := big{[6]int32{int32(i), int32(i + 1), v, v * 2, 5, 6}, int64(v), int8(i)}
		r := x.both(v)
		if v&1 != 0 {
			r += x.both(v >> 4)
		}
		out = append(out, [2]int64{r, x.b + int64(x.c) + int64(x.a[uint32(v)%6])})
	}
	return line("stack", n, 64, output(out), input(in))
}

func globalsTest() kernelTest {
	const n = 128
	rows := []struct {
		weight int16
		kind   uint8
		factor float32
	}{{-3, 1, 0.5}, {7, 2, 1.5}, {0, 3, -2}, {300, 0, 4}, {-1000, 2, 0.25}}
	steps := []int64{0x123456789abcdef, -1, 1 << 40}
	const text = "the quick brown fox jumps over the lazy dog"
	tables := [2][12]int64{}
	for k := range 12 {
		if tables[0][k] = 1; k > 1 {
			tables[0][k] = tables[0][k-1] + tables[0][k-2]
		}
		tables[1][k] = int64(k * k)
	}
	in := random(n, anyByte)
	out := make([]int64, n)
	for i, v := range in {
		r := rows[v%5]
		s := steps[v%3] + int64(r.weight)*1000 + int64(r.kind) + int64(r.factor*8)
		s ^= int64(text[v%43]) << 48
		s += tables[v>>7][v%12]
		out[i] = s - int64(rows[4-v>>3%5].weight)
	}
	return line("globals", n, 64, output(out), input(in))
}

func spillTest() kernelTest {
	const n = 128
	in, uniform := random(n*40, anyUint32), random(48, anyUint32)
	var out []uint32
	for row := range slices.Chunk(in, 40) {
		v := slices.Clone(row)
		for k := range v {
			v[k] ^= uniform[k] * 3
		}
		for round := range 3 {
			for k := range v {
				v[k] = v[k]*9 + v[(k+17)%40]>>3 + uniform[(k+round)%48]*3
			}
		}
		sum := uint32(0)
		for k := range v {
			sum += v[k]
			out = append(out, v[39-k]+sum)
		}
	}
	return line("spill", n, 64, output(out), input(in), input(uniform))
}

func scalarsTest() kernelTest {
	const groups, n = 8, 50
	a, m := uint32(0x40000000), uint64(0x0f1e2d3c4b5a6978)
	in := random(groups, func(r *rand.Rand) uint64 { return r.Uint64() })
	var out []uint64
	for _, v := range in {
		s, r := m^v, uint64(0)
		for k := range uint(n) {
			lo, hi := uint32(s), uint32(s>>32)
			r += uint64(bits.OnesCount64(s)) * uint64(lo|1)
			r ^= s<<k | s>>(63-k)
			if lo&1 != 0 {
				r = ^r & (s | m)
			} else if hi > a {
				r -= uint64(bits.LeadingZeros32(hi|1)) << 5
			}
			r += uint64(bits.TrailingZeros64(s|1<<63)) + uint64(hi>>7&0x3ff) + uint64(int32(lo<<9)>>21)
			r ^= bits.Reverse64(s) + uint64(bits.Reverse32(hi)) + uint64(min(hi, lo))
			s = s*6364136223846793005 + uint64(a)
			if r&0xff == n {
				break
			}
		}
		for l := range uint64(64) {
			out = append(out, r+l)
		}
	}
	return line("scalars", groups*64, 64, output(out), input(in), value(a), value(m), i32(n))
}

func volumeTest() kernelTest {
	const nx, ny, nz = 19, 10, 6
	in := random(nx*ny*nz, anyInt32)
	at := func(x, y, z int) int32 {
		if x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz {
			return -1
		}
		return in[(z*ny+y)*nx+x]
	}
	out := make([]int32, len(in))
	for i := range out {
		x, y, z := i%nx, i/nx%ny, i/nx/ny
		for d := range 3 {
			out[i] += at(x, y, z+d-1)*int32(d+2) + at(x, y+d-1, z)*int32(d-3) + at(x+d-1, y, z)
		}
	}
	return kernelTest{"volume", [3]uint32{24, 12, 8}, [3]uint32{8, 4, 4},
		[]kernelArg{output(out), input(in), i32(nx), i32(ny), i32(nz)}}
}

func primesTest() kernelTest {
	const groups, base, span = 3, 4096, 2048
	out, counts := make([]uint16, groups*400), make([]uint32, groups)
	for g := range counts {
		for v := base + g*span; v < base+(g+1)*span; v++ {
			prime := true
			for d := 2; d*d <= v && prime; d++ {
				prime = v%d != 0
			}
			if prime {
				out[g*400+int(counts[g])] = uint16(v)
				counts[g]++
			}
		}
	}
	return line("primes", groups*256, 256, output(out), output(counts), i32(base))
}

func fptrTest() kernelTest {
	in := random(128, anyInt32)
	call := func(pick, a, b int32) int32 {
		switch pick & 3 {
		case 3:
			return a + b*3
		case 1:
			return a - b>>2
		case 2:
			return (a ^ b) * 5
		}
		for k := range b & 7 {
			a = a*3 + k
		}
		return a
	}
	out := make([]int32, len(in))
	for i, v := range in {
		out[i] = call(v, v, int32(i)) + call(v, int32(i), v>>3)
	}
	return line("fptr", 128, 64, output(out), input(in))
}
