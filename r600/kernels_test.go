package r600

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

// function is a function of testdata/compute.ll, as Go computes it.
type function struct {
	name string
	want func(a, b vec) vec
	ulps uint32 // by which components may differ that are floats
}

// since says from which family on LLVM compiles a function, if not on all.
var since = map[string]Family{"counts": Evergreen, "fields": Evergreen, "indexed": Evergreen}

// each applies op to the components.
func each(op func(a, b uint32) uint32) func(a, b vec) vec {
	return func(a, b vec) (v vec) {
		for i := range v {
			v[i] = op(a[i], b[i])
		}
		return v
	}
}

func bitsOf(f ...float32) (v vec) {
	for i, x := range f {
		v[i] = math.Float32bits(x)
	}
	return v
}

var functions = []function{
	{"muladd", func(a, b vec) (v vec) {
		for i, k := range []uint32{7, 8, 9, ^uint32(9)} {
			v[i] = a[i]*b[i] + a[i] - k
		}
		return v
	}, 0},
	{"logic", func(a, b vec) (v vec) {
		for i, k := range []uint32{1, 256, 65536, 0} {
			v[i] = (^a[i]&b[i] | k) ^ a[i]
		}
		return v
	}, 0},
	{"shifts", each(func(a, b uint32) uint32 { b &= 31; return (a<<b ^ a>>b) + uint32(int32(a)>>b) }), 0},
	{"udivide", each(func(a, b uint32) uint32 { b |= 1; return a/b + a%b*3 }), 0},
	{"sdivide", each(func(a, b uint32) uint32 {
		x, y := int32(a), int32(b|2)
		return uint32(x/y ^ x%y)
	}), 0},
	{"minmax", func(a, b vec) vec {
		x, y := a[0], b[0]
		return vec{uint32(min(int32(x), int32(y))), uint32(max(int32(x), int32(y))), min(x, y), max(x, y)}
	}, 0},
	{"compare", func(a, b vec) (v vec) {
		for i := range v {
			s0, s1 := b[i], a[i]
			if int32(a[i]) < int32(b[i]) {
				s0 = a[i]
			}
			if a[i] >= b[i] {
				s1 = 5 + uint32(i)
			}
			if a[i] == uint32(i) {
				s1 = s0
			}
			v[i] = s0 + s1
		}
		return v
	}, 0},
	{"floats", func(a, b vec) (v vec) {
		for i, k := range []float32{1.5, -2.5, 0.5, 1e6} {
			x, y := float32(int32(a[i]&0xffff)), float32(int32(b[i])>>16)
			p := x * y
			s := p + k
			v[i] = math.Float32bits(s - y)
		}
		return v
	}, 0},
	{"fcompare", func(a, b vec) (v vec) {
		for i := range v {
			x, y := float32(int32(a[i])), float32(int32(b[i]))
			r := min(x, y)
			if x == 0 {
				r = float32(i + 1)
			}
			v[i] = math.Float32bits(r)
		}
		return v
	}, 0},
	{"convert", func(a, b vec) (v vec) {
		for i, k := range []float32{0.25, 0.25, 0.125, 0.0625} {
			n := k
			if i%2 == 1 {
				n = -k
			}
			v[i] = uint32(float32(a[i])*k) ^ uint32(int32(float32(int32(b[i]))*n))
		}
		return v
	}, 0},
	{"rounding", func(a, _ vec) (v vec) {
		for i, round := range []func(float64) float64{math.Floor, math.Ceil, math.Trunc, math.RoundToEven} {
			v[i] = math.Float32bits(float32(round(float64(int32(a[i])>>12) / 8)))
		}
		return v
	}, 0},
	{"roots", func(a, _ vec) (v vec) {
		f := floats(vec{})
		for i := range f {
			f[i] = float32(a[i]&0xfffff) + 1
		}
		return bitsOf(float32(math.Sqrt(float64(f[0]))), 1000/f[1], f[2], f[3])
	}, 3},
	{"transcendentals", func(a, _ vec) vec {
		var x [4]float64
		for i := range x {
			x[i] = float64(a[i]&1023) / 16
		}
		return bitsOf(float32(math.Sin(x[0])), float32(math.Cos(x[1])), float32(math.Exp2(x[2])), float32(math.Log2(x[3]+1)))
	}, 400}, // the angle becomes turns in single precision
	{"collatz", func(a, b vec) vec {
		n, steps := a[0]&255+1, uint32(0)
		for ; n != 1; steps++ {
			if n%2 != 0 {
				n = 3*n + 1
			} else {
				n /= 2
			}
		}
		b[0] = steps
		return b
	}, 0},
	{"gcd", func(a, b vec) vec {
		x, y := a[0]>>20, b[0]>>20
		for y != 0 {
			x, y = y, x%y
		}
		a[3] = x
		return a
	}, 0},
	{"nested", func(a, b vec) vec {
		s := uint32(0)
		for i := range a[0] & 7 {
			for j := range b[0] & 15 {
				if i*j == 12 {
					continue
				}
				if s += i * j; s > 200 {
					break
				}
			}
		}
		b[1] = s
		return b
	}, 0},
	{"counts", func(a, b vec) vec {
		return vec{uint32(bits.LeadingZeros32(b[0])), uint32(bits.TrailingZeros32(b[1])), uint32(bits.OnesCount32(a[2])),
			uint32(bits.OnesCount32(a[3]))}
	}, 0},
	{"fields", func(a, b vec) vec {
		x, y := a[0], b[0]
		return vec{uint32((uint64(x)<<32 | uint64(y)) >> (y & 31)), x >> 5 & 2047, uint32(int32(x<<8) >> 20),
			x&0xff00ff | y&0xff00ff00}
	}, 0},
	{"wide", func(a, b vec) vec {
		s := uint64(a[1])<<32 + uint64(a[0]) + uint64(b[1])<<32 + uint64(b[0])
		p := uint64(a[0]) * uint64(b[0])
		return vec{uint32(s), uint32(s >> 32), uint32(p), uint32(p >> 32)}
	}, 0},
	{"branches", func(a, b vec) vec {
		switch x := b[0]; a[0] & 3 {
		case 0:
			if a[2] = x * a[0]; x > 1000000 {
				a[2] = x / 10
			}
		case 1:
			a[2] = x ^ 255
		default:
			a[2] = a[0] - x
		}
		return a
	}, 0},
	{"indexed", func(a, b vec) vec {
		v := b
		v[b[1]&3] = a[b[0]&3]
		return v
	}, 0},
	{"signs", func(a, _ vec) (v vec) {
		for i := range v {
			v[i] = math.Float32bits(float32(int32(a[i])))
		}
		v[0] &^= 1 << 31
		v[1] = math.Float32bits(2 * (math.Float32frombits(v[0]) - math.Float32frombits(v[1])))
		return v
	}, 0},
	{"dots", func(a, b vec) vec {
		sum := int32(0)
		for i := range a {
			a[i] &= 1023
			sum += int32(a[i]) * (int32(b[i]) >> 22)
		}
		return bitsOf(float32(a[0]), float32(sum), float32(a[2]), float32(a[3]))
	}, 0},
}

// inputs are pairs of vectors: numbers of all sizes.
func inputs() (a, b []vec) {
	x := uint32(2463534242)
	next := func(i, c int) uint32 {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		if c > 0 && i%4 == 0 {
			return x & 3
		}
		return x >> (uint(i) % 29)
	}
	for i := range 2 * Threads {
		var p, q vec
		for c := range p {
			p[c], q[c] = next(i, c), next(i/3, c)
		}
		if i%5 == 0 {
			q[0] = p[0]
		}
		a, b = append(a, p), append(b, q)
	}
	return a, b
}

// matches compares a vector with what it is to be.
func (f *function) matches(t *testing.T, a, b, got vec, of string) bool {
	t.Helper()
	want := f.want(a, b)
	for c := range want {
		x, y := math.Float32frombits(got[c]), math.Float32frombits(want[c])
		apart := uint32(max(int64(got[c]), int64(want[c])) - min(int64(got[c]), int64(want[c])))
		near := f.ulps > 1 && math.Abs(float64(x-y)) < 2e-5
		if apart > f.ulps && !near {
			return assert.Failf(t, "wrong result", "%s of %#x and %#x: component %d is %#x (%g), not %#x (%g)", of, a, b, c,
				got[c], x, want[c], y)
		}
	}
	return true
}

// runFunction runs the shader or the kernel of a function.
func (f *function) run(t *testing.T, fam Family, p *Program) {
	a, b := inputs()
	var got []vec
	if fam < Evergreen {
		threads := make([]Thread, len(a))
		for i := range threads {
			threads[i].GPR[0], threads[i].GPR[1] = a[i], b[i]
		}
		require.NoError(t, (&Machine{}).Group(p, threads, nil))
		for i := range threads {
			got = append(got, threads[i].Colours[0])
		}
	} else {
		memory := compute(t, p, a, b, Grid{Groups: [3]int{2}, Size: [3]int{Threads}})
		got = vectors(memory[:16*len(a)])
	}
	for i := range a {
		if !f.matches(t, a[i], b[i], got[i], fmt.Sprintf("%s on %v", f.name, fam)) {
			return
		}
	}
}

// compute runs a kernel with arguments out, a and b, 4 KiB of memory each, and returns the memory.
func compute(t *testing.T, p *Program, a, b []vec, g Grid) []byte {
	memory := make([]byte, 4096, 3*4096)
	for _, all := range [][]vec{a, b} {
		for _, v := range all {
			for _, x := range v {
				memory = binary.LittleEndian.AppendUint32(memory, x)
			}
		}
		memory = memory[:(len(memory)+4095)&^4095]
	}
	for _, arg := range []uint32{0, 4096, 8192} {
		g.Args = binary.LittleEndian.AppendUint32(g.Args, arg)
	}
	m := &Machine{Buffers: []Buffer{{}, {Data: memory, Stride: 1}}, RATs: [][]byte{memory}}
	require.NoError(t, m.Compute(p, g))
	return memory
}

func vectors(b []byte) (all []vec) {
	for ; len(b) >= 16; b = b[16:] {
		var v vec
		for c := range v {
			v[c] = binary.LittleEndian.Uint32(b[4*c:])
		}
		all = append(all, v)
	}
	return all
}

// kernels are those of testdata/memory.ll, with what they leave at out.
var kernels = []struct {
	name string
	grid Grid
	want func(a []uint32) []uint32
}{
	{"reverse", Grid{Groups: [3]int{2}, Size: [3]int{128}, LDS: 512}, func(a []uint32) (out []uint32) {
		for i := range 256 {
			out = append(out, a[i/128*128+127-i%128])
		}
		return out
	}},
	{"bytes", Grid{Size: [3]int{64}}, func(a []uint32) (out []uint32) {
		for _, v := range a[:16] {
			sum := uint32(0)
			for i := 0; i < 32; i += 8 {
				sum |= (v>>i + 3) & 0xff << i
			}
			out = append(out, sum)
		}
		return out
	}},
	{"shorts", Grid{Size: [3]int{64}}, func(a []uint32) (out []uint32) {
		for _, v := range a[:32] {
			out = append(out, v&0xffff*5&0xffff|v>>16*5<<16)
		}
		return out
	}},
	// LLVM gives atomics an address in bytes, which the hardware takes as one in dwords (rule FS11).
	{"atomics", Grid{Size: [3]int{64}}, func(a []uint32) []uint32 {
		out := make([]uint32, 16)
		for _, v := range a[:64] {
			out[0] += v
			out[4] = max(out[4], v)
			out[8] = uint32(min(int32(out[8]), int32(v)))
			out[12] ^= v
		}
		return out
	}},
	{"shared", Grid{Size: [3]int{100}, LDS: 4}, func(a []uint32) (out []uint32) {
		sum := uint32(0)
		for _, v := range a[:100] {
			sum += v
		}
		for range 100 {
			out = append(out, sum)
		}
		return out
	}},
}

// runKernel runs a kernel of testdata/memory.ll.
func runKernel(t *testing.T, i int, p *Program) {
	a, b := inputs()
	memory := compute(t, p, a, b, kernels[i].grid)
	var flat []uint32
	for _, v := range a {
		flat = append(flat, v[:]...)
	}
	want := kernels[i].want(flat)
	for at, v := range want {
		require.Equal(t, v, binary.LittleEndian.Uint32(memory[4*at:]), "%s: dword %d", kernels[i].name, at)
	}
}

// cpus are the processors for which kernels were compiled.
var cpus = []string{"rv770", "redwood", "cayman"}

// wrappers makes a kernel, or before Evergreen a pixel shader, of each function: LLVM reads no memory there.
func wrappers(fam Family) string {
	var b strings.Builder
	b.WriteString("declare void @llvm.r600.store.swizzle(<4 x float>, i32, i32)\ndeclare i32 @llvm.r600.read.tidig.x()\n" +
		"declare i32 @llvm.r600.read.tgid.x()\n")
	for _, f := range functions {
		if fam < since[f.name] {
			continue
		}
		if fam < Evergreen {
			fmt.Fprintf(&b, `define amdgpu_ps void @go_%[1]s(<4 x float> inreg %%x, <4 x float> inreg %%y) {
  %%a = bitcast <4 x float> %%x to <4 x i32>
  %%b = bitcast <4 x float> %%y to <4 x i32>
  %%v = call <4 x i32> @%[1]s(<4 x i32> %%a, <4 x i32> %%b)
  %%f = bitcast <4 x i32> %%v to <4 x float>
  call void @llvm.r600.store.swizzle(<4 x float> %%f, i32 0, i32 0)
  ret void
}
`, f.name)
			continue
		}
		fmt.Fprintf(&b, `define amdgpu_kernel void @go_%[1]s(ptr addrspace(1) %%out, ptr addrspace(1) %%x,
  ptr addrspace(1) %%y) {
  %%t = call i32 @llvm.r600.read.tidig.x()
  %%g = call i32 @llvm.r600.read.tgid.x()
  %%h = shl i32 %%g, 6
  %%i = add i32 %%h, %%t
  %%p = getelementptr <4 x i32>, ptr addrspace(1) %%x, i32 %%i
  %%q = getelementptr <4 x i32>, ptr addrspace(1) %%y, i32 %%i
  %%o = getelementptr <4 x i32>, ptr addrspace(1) %%out, i32 %%i
  %%a = load <4 x i32>, ptr addrspace(1) %%p
  %%b = load <4 x i32>, ptr addrspace(1) %%q
  %%v = call <4 x i32> @%[1]s(<4 x i32> %%a, <4 x i32> %%b)
  store <4 x i32> %%v, ptr addrspace(1) %%o
  ret void
}
`, f.name)
	}
	return b.String()
}

var label = regexp.MustCompile(`^(\w+):`)

// compile returns the words of each function of a text that llc emits.
func compile(t *testing.T, llc, cpu, text string) map[string][]uint32 {
	t.Helper()
	cmd := exec.Command(llc, "-march=r600", "-mcpu="+cpu, "-show-mc-encoding")
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), os.Stderr
	listing, err := cmd.Output()
	require.NoError(t, err, "%s for %s", llc, cpu)
	all, name := map[string][]uint32{}, ""
	for line := range strings.Lines(string(listing)) {
		if m := label.FindStringSubmatch(line); m != nil {
			name = m[1]
		} else if _, code, ok := strings.Cut(line, "; encoding: ["); ok && !strings.HasPrefix(code, "]") {
			all[name] = append(all[name], wordsOf(t, strings.TrimSuffix(strings.TrimSpace(code), "]"))...)
		}
	}
	return all
}

// sourceOf returns the text of all kernels for a processor.
func sourceOf(t *testing.T, fam Family) string {
	t.Helper()
	text, err := os.ReadFile("testdata/compute.ll")
	require.NoError(t, err)
	all := string(text) + wrappers(fam)
	if fam >= Evergreen {
		more, err := os.ReadFile("testdata/memory.ll")
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(more), "declare i32 @llvm.r600.read.tgid.x()\n") // wrappers declare it
		all += rest
	}
	return all
}

// runAll runs every function and kernel that a map has the words of.
func runAll(t *testing.T, cpu string, words map[string][]uint32) {
	fam, err := ParseFamily(cpu)
	require.NoError(t, err)
	load := func(t *testing.T, name string) *Program {
		require.NotEmpty(t, words[name])
		p, err := Load(fam, words[name])
		require.NoError(t, err)
		return p
	}
	if fam == Cayman || effort.Full() {
		for name := range words {
			again, _, err := Assemble(fam, Disassemble(fam, words[name]))
			require.NoError(t, err)
			require.Equal(t, words[name], again)
		}
	}
	for i := range functions {
		if f := &functions[i]; fam >= since[f.name] {
			t.Run(f.name, func(t *testing.T) { f.run(t, fam, load(t, "go_"+f.name)) })
		}
	}
	for i := range kernels {
		if fam >= Evergreen {
			t.Run(kernels[i].name, func(t *testing.T) { runKernel(t, i, load(t, kernels[i].name)) })
		}
	}
}

// Compiled kernels, as they lie in testdata, give on each processor what Go computes.
func TestCompiledKernels(t *testing.T) {
	for _, cpu := range cpus {
		t.Run(cpu, func(t *testing.T) {
			file, err := os.ReadFile("testdata/" + cpu + ".hex")
			require.NoError(t, err)
			runAll(t, cpu, unlist(t, file))
		})
	}
}

// list writes a line for each program: its name and its words.
func list(words map[string][]uint32) []byte {
	var names []string
	for _, f := range functions {
		names = append(names, "go_"+f.name)
	}
	for _, k := range kernels {
		names = append(names, k.name)
	}
	var b bytes.Buffer
	for _, name := range names {
		if words[name] == nil {
			continue
		}
		b.WriteString(name)
		for _, w := range words[name] {
			fmt.Fprintf(&b, " %08x", w)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// unlist reads what list writes.
func unlist(t testing.TB, file []byte) map[string][]uint32 {
	t.Helper()
	all := map[string][]uint32{}
	for line := range strings.Lines(string(file)) {
		fields := strings.Fields(line)
		for _, field := range fields[1:] {
			w, err := strconv.ParseUint(field, 16, 32)
			require.NoError(t, err)
			all[fields[0]] = append(all[fields[0]], uint32(w))
		}
	}
	return all
}

// What the compilers on this machine make of the same kernels gives the same results.
func TestKernelsOfLLC(t *testing.T) {
	llcName(t)
	for i, llc := range []string{"llc-22", "llc-19", "llc-15"} {
		if _, err := exec.LookPath(llc); err != nil || i > 0 && !effort.Full() {
			continue
		}
		for j, cpu := range cpus {
			if effort.LeavesOut(j) {
				continue
			}
			t.Run(llc+" "+cpu, func(t *testing.T) {
				fam, err := ParseFamily(cpu)
				require.NoError(t, err)
				words := compile(t, llc, cpu, sourceOf(t, fam))
				runAll(t, cpu, words)
				if i == 0 && golden.Rewriting() {
					require.NoError(t, os.WriteFile("testdata/"+cpu+".hex", list(words), 0o644))
				}
			})
		}
	}
}
