package r600

import (
	"bytes"
	"fmt"
	"math"
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

// function is a function of testdata/compute.ll, computed in Go.
type function struct {
	name string
	want func(a, b vec) vec
	ulps uint32 // tolerance of float components
}

// each applies op to each component.
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
	}, 400}, // the angle is converted to circles in single precision
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

// inputs returns pairs of vectors with numbers of all magnitudes.
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

// matches compares a vector with the expected one.
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

// run executes the shader of a function.
func (f *function) run(t *testing.T, p *Program) {
	a, b := inputs()
	threads := make([]Thread, len(a))
	for i := range threads {
		threads[i].GPR[0], threads[i].GPR[1] = a[i], b[i]
	}
	require.NoError(t, (&Machine{}).Group(p, threads))
	for i := range threads {
		if !f.matches(t, a[i], b[i], threads[i].Colours[0], f.name) {
			return
		}
	}
}

// wrappers returns LLVM text with a pixel shader for each function, because LLVM does not support memory reads on
// R700.
func wrappers() string {
	var b strings.Builder
	b.WriteString("declare void @llvm.r600.store.swizzle(<4 x float>, i32, i32)\n")
	for _, f := range functions {
		fmt.Fprintf(&b, `define amdgpu_ps void @go_%[1]s(<4 x float> inreg %%x, <4 x float> inreg %%y) {
  %%a = bitcast <4 x float> %%x to <4 x i32>
  %%b = bitcast <4 x float> %%y to <4 x i32>
  %%v = call <4 x i32> @%[1]s(<4 x i32> %%a, <4 x i32> %%b)
  %%f = bitcast <4 x i32> %%v to <4 x float>
  call void @llvm.r600.store.swizzle(<4 x float> %%f, i32 0, i32 0)
  ret void
}
`, f.name)
	}
	return b.String()
}

var label = regexp.MustCompile(`^(\w+):`)

// compile returns the words that llc emits for each function, for RV770.
func compile(t *testing.T, llc, text string) map[string][]uint32 {
	t.Helper()
	cmd := exec.Command(llc, "-march=r600", "-mcpu=rv770", "-show-mc-encoding")
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), os.Stderr
	listing, err := cmd.Output()
	require.NoError(t, err, llc)
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

// runAll executes all functions in a map of words.
func runAll(t *testing.T, words map[string][]uint32) {
	for name := range words {
		again, _, err := Assemble(R700, Disassemble(R700, words[name]))
		require.NoError(t, err)
		require.Equal(t, words[name], again)
	}
	for i := range functions {
		f := &functions[i]
		t.Run(f.name, func(t *testing.T) {
			require.NotEmpty(t, words["go_"+f.name])
			p, err := Load(R700, words["go_"+f.name])
			require.NoError(t, err)
			f.run(t, p)
		})
	}
}

// Compiled functions in testdata have the same results as in Go.
func TestCompiledKernels(t *testing.T) {
	file, err := os.ReadFile("testdata/rv770.hex")
	require.NoError(t, err)
	runAll(t, unlist(t, file))
}

// list formats each program as a line: its name and its words.
func list(words map[string][]uint32) []byte {
	var b bytes.Buffer
	for _, f := range functions {
		b.WriteString("go_" + f.name)
		for _, w := range words["go_"+f.name] {
			fmt.Fprintf(&b, " %08x", w)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// unlist parses the output of list.
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

// Functions compiled by the compilers of this machine have the same results.
func TestKernelsOfLLC(t *testing.T) {
	llcName(t)
	text, err := os.ReadFile("testdata/compute.ll")
	require.NoError(t, err)
	for i, llc := range []string{"llc-22", "llc-19", "llc-15"} {
		if _, err := exec.LookPath(llc); err != nil || i > 0 && !effort.Full() {
			continue
		}
		t.Run(llc, func(t *testing.T) {
			words := compile(t, llc, string(text)+wrappers())
			runAll(t, words)
			if i == 0 && golden.Rewriting() {
				require.NoError(t, os.WriteFile("testdata/rv770.hex", list(words), 0o644))
			}
		})
	}
}
