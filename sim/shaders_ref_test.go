package sim_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// References of the shaders of testdata/shaders. A work-group is one wave, and work-groups execute one after another.
// Lanes that access one address atomically do so in the order of their numbers.

const shaderItems = 256

// texelsAt, imageAt and rowsAt are the offsets of the descriptors after the first two.
const rowsAt, texelsAt, imageAt = 0x20, 0x30, 0x40

func shaderTests() []shaderTest {
	return []shaderTest{blocksShader(), sharedShader(), scratchShader(), uniformsShader(), subgroupShader(),
		texelShader(), imageShader(), fetchShader()}
}

// shaderOf returns a shader that reads in, binding 1, and writes out, binding 0.
func shaderOf(name string, out [][4]uint32, in []uint32, more ...binding) shaderTest {
	bindings := []binding{shaderOut(0, out), {0x10, raw(in), raw(in), dwords}}
	return shaderTest{name, shaderItems / 64, nil, append(bindings, more...), nil}
}

func shaderOut(offset uint32, want any) binding {
	b := raw(want)
	return binding{offset, make([]byte, len(b)), b, dwords}
}

func blocksShader() shaderTest {
	const n = shaderItems
	before := random(2*n, anyUint32)
	type row struct {
		At   [3]float32
		Key  uint32
		Pair [2]uint32
		W    float32
		_    uint32
	}
	type block struct {
		Total, Top, Swaps, Mask uint32
		Rows                    [16]row
	}
	var rows block
	r := rand.New(rand.NewPCG(1, 2))
	for i := range rows.Rows {
		w := &rows.Rows[i]
		*w = row{[3]float32{r.Float32() * 100, float32(i), 7.5}, r.Uint32() >> 4, [2]uint32{r.Uint32(), r.Uint32()},
			float32(i) / 4, 0}
	}
	wantRows, after := rows, slices.Clone(before)
	var out [][4]uint32
	for g := 0; g < n; g += 64 {
		var was, added, top [64]uint32
		var read [64]row
		for l := range was {
			read[l] = wantRows.Rows[before[g+l]&15]
		}
		for l := range was {
			x := before[g+l]
			was[l] = after[n+g+l]
			added[l] = was[l] + (x | 1)
			key := &wantRows.Rows[l&15].Key
			top[l], *key = *key, max(*key, x>>3)
			wantRows.Total += x
			wantRows.Top = max(wantRows.Top, x)
			wantRows.Mask ^= x * 3
			if after[n+g+l] = added[l]; added[l] == x {
				after[n+g+l] = 77
			}
		}
		for l := range was {
			x, w := before[g+l], read[l]
			a, last := was[l]^top[l], uint32(0)
			if a += added[l]; x&1 == 0 {
				last = x
			}
			out = append(out, [4]uint32{
				uint32(w.At[0]*w.W) + w.Key, uint32(w.At[1]*w.W) ^ w.Pair[0], uint32(w.At[2]*w.W) - w.Pair[1], a + last,
			})
		}
	}
	s := shaderOf("blocks", out, before, binding{rowsAt, raw(rows), raw(wantRows), dwords})
	s.bindings[1].want = raw(after)
	return s
}

func sharedShader() shaderTest {
	in := random(shaderItems, anyUint32)
	var out [][4]uint32
	for g := 0; g < len(in); g += 64 {
		x := in[g : g+64]
		var count [16]uint32
		sum := uint32(0)
		for k := range count {
			count[k] = uint32(k) * 100
		}
		for l, v := range x {
			count[v&15] += uint32(l)
			sum += v
		}
		for _, v := range x {
			count[v>>4&15] = max(count[v>>4&15], v&0x3ff)
		}
		for l := range x {
			q := x[63-l]
			wide := float64(x[l^5]>>8)*0.5 + float64(x[l^9]>>8)*0.5
			out = append(out, [4]uint32{q + sum, uint32(g+63-l) ^ ^q, uint32(wide), count[l&15] + uint32(63-l)})
		}
	}
	return shaderOf("shared", out, in)
}

func scratchShader() shaderTest {
	in := random(shaderItems+96, anyUint32)
	var out [][4]uint32
	for id := range uint32(shaderItems) {
		var a [96]uint32
		var z [24]uint32 // components other than those of v do not change
		for k := range a {
			a[k] = in[int(id)+k] * uint32(k+1)
		}
		for k := range z {
			z[k] = uint32(2 * k)
		}
		n := in[id]
		for k := range uint32(10) {
			n = n*1103515245 + 12345
			a[(n>>8)%96] ^= n
			z[(n>>16)%24] += k
		}
		s := uint32(0)
		for k := uint32(0); k < 96; k += 1 + n&1 {
			s = s*31 + a[k]
		}
		out = append(out, [4]uint32{s, n%24 + a[n%96], z[n%24], id})
	}
	return shaderOf("scratch", out, in)
}

func uniformsShader() shaderTest {
	const items, most, divisor, turns, slope, offset = 200, 90, 1003, 3, 1.5, 17.25
	in := random(shaderItems, func(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(30) })
	in[5], in[6] = 0, 1
	out := make([][4]uint32, shaderItems)
	for id := range uint32(items) {
		x := in[id]
		n, steps := x, uint32(0)
		for ; n != 1 && steps < most; steps++ {
			if n&1 == 0 {
				n /= 2
			} else {
				n = n*3 + 1
			}
		}
		o := [4]uint32{steps, x / divisor, x % (divisor + id&7), x >> 5 & 0x7ff}
		last := uint32(0xffffffff) // findLSB of 0 is -1 as well
		if x != 0 {
			last = uint32(bits.TrailingZeros32(x))
		}
		for k := range turns {
			for e, v := range []uint32{uint32(bits.OnesCount32(x)), uint32(bits.Len32(x) - 1), last, bits.Reverse32(x)} {
				o[3-e] += v >> k
			}
		}
		o[0] ^= uint32(slope*float32(id) + offset)
		out[id] = o
	}
	s := shaderOf("uniforms", out, in)
	s.push = []uint32{items, most, divisor, turns, math.Float32bits(slope), math.Float32bits(offset)}
	return s
}

func subgroupShader() shaderTest {
	in := random(shaderItems, anyUint32)
	var out [][4]uint32
	for g := range slices.Chunk(in, 64) {
		var odd uint64
		var sum, quarter, before, top uint32
		first := -1
		for l, v := range g {
			odd |= uint64(v&1) << l
			sum += v
			if v&3 == 2 {
				if quarter += v >> 4; first < 0 {
					first = l
				}
			}
		}
		for l, v := range g {
			top = max(top, v)
			some := uint32(0)
			if v&3 == 2 {
				some = quarter + g[first]
			}
			rank := uint32(bits.OnesCount64(odd & (1<<l - 1)))
			out = append(out, [4]uint32{
				uint32(odd) ^ (uint32(odd>>32) + rank), sum + before, top - (g[l^21] ^ g[v&63]), some + g[l^3],
			})
			before += v
		}
	}
	return shaderOf("subgroup", out, in)
}

func texelShader() shaderTest {
	in := random(shaderItems, anyUint32)
	texels := random(100, func(r *rand.Rand) [4]uint8 { return [4]uint8{anyByte(r), anyByte(r), anyByte(r), anyByte(r)} })
	image := random(2*shaderItems, func(r *rand.Rand) [2]uint16 {
		return [2]uint16{uint16(r.Uint32()),
			uint16(r.Uint32())}
	})
	left := slices.Clone(image)
	var out [][4]uint32
	for i, x := range in {
		var t [4]uint8 // zero for texels out of range
		if at := x & 127; at < uint32(len(texels)) {
			t = texels[at]
		}
		left[i] = [2]uint16{uint16(t[0])<<8 | uint16(t[1]), uint16(x)}
		out = append(out, [4]uint32{uint32(t[0]) + uint32(t[1]), uint32(t[2]), uint32(t[3]), uint32(image[i+shaderItems][1])})
	}
	return shaderOf("texel", out, in, binding{texelsAt, raw(texels), nil, unorm8},
		binding{imageAt, raw(image), raw(left), uint16Pair})
}
