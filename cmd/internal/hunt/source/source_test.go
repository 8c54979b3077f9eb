package source

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// kernels is a digest of the first kernels. If it changes, seeds mean different programs.
const kernels = "f651e08c533c71f1"

// TestNew: a seed gives the same program on every machine.
func TestNew(t *testing.T) {
	effort.Long(t)
	sum := sha256.New()
	seen := map[string]bool{}
	for seed := range uint64(200) {
		k := New(edge.Of(seed), false)
		assert.Equal(t, k, New(edge.Of(seed), false))
		seen[k.Body] = true
		sum.Write([]byte(k.Text(k.Body)))
		sum.Write(k.Input)
		assert.Positive(t, k.Values)
		assert.Equal(t, 8*(k.Group*k.Groups*k.Values+k.Shared), k.Output())
	}
	assert.Len(t, seen, 200)
	assert.Equal(t, kernels, hex.EncodeToString(sum.Sum(nil)[:8]))
}

// TestText: a text contains the prelude definitions that its body needs, directly or indirectly, and no others.
func TestText(t *testing.T) {
	k := &Kernel{Origin: edge.Of(7), Group: 64}
	assert.Equal(t, "// seed 7\n#define GROUP 64\ntypedef int i32;\n#ifndef HOST\n"+
		"#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n#pragma OPENCL "+
		"FP_CONTRACT OFF\n#endif\ni32 x;\n", k.Text("i32 x;\n"))
	text := k.Text("u64 x = bits_f32(1) + WHERE;")
	for _, want := range []string{"typedef float f32;", "#define WHERE", "#define ITEM", "static u64 bits_f32("} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "norm_f64")
}

// TestKernelsHaveEverything: each language feature that generators know occurs in some kernel.
func TestKernelsHaveEverything(t *testing.T) {
	var all strings.Builder
	for seed := range uint64(200) {
		all.WriteString(New(edge.Of(seed), false).Body)
	}
	for _, want := range append(typeNames[:], "struct s ", " : ", "NOINLINE", "switch (",
		"for (", "break", "continue", "BARRIER",
		"ATOMIC(", "LOCAL ", "u32x4", "u16x2", "__builtin_clz", "__builtin_fma(", "div_i32(", "rem_i64(", " >> ", "u32 *a",
		"SUBGROUP_lane(", "SUBGROUP_below(") {
		assert.Contains(t, all.String(), want)
	}
}

// TestGLSL: a shader has GLSL's spelling where it differs from C's, and constructors instead of casts.
func TestGLSL(t *testing.T) {
	k := &Kernel{Origin: edge.Of(7), Group: 64}
	text := k.GLSL("NOINLINE u32 fn(u32 p, struct s z) {\n  return (u32)(i16)p + (u32)(-(u32)z.m0[1] & 3u);\n}\n" +
		"KERNEL void k(GLOBAL u64 *out, GLOBAL const u32 *in) {\n  LOCAL u32 x[GROUP];\n  u32x2 v = {1, 2};\n" +
		"  ATOMIC(add, &x[(u32)(f32)in[3] & 7u], (u32)1.5f);\n  out[0] = (u64)__builtin_floorf(2.0f);\n}\n")
	assert.Contains(t, text, "#version 460\n// seed 7\n#define GROUP 64\n")
	assert.Contains(t, text, `shared u32 x[GROUP];
u32 fn(u32 p, s z) {
  return u32(i16(p)) + u32(-u32(z.m0[1]) & 3u);
}
void main() {
  u32x2 v = u32x2(1, 2);
  ATOMIC_add(x[u32(f32(from[3])) & 7u], u32(1.5f));
  to[0] = u64(floor(2.0f));
}
`)
	assert.NotContains(t, text, "SUBGROUP")
	assert.Equal(t, 1, strings.Count(text, "#extension"))
}

// BenchmarkNew measures the time for generating a program.
func BenchmarkNew(b *testing.B) {
	start := time.Now()
	for i := range b.N {
		k := New(edge.Of(uint64(i)), false)
		k.Text(k.Body)
	}
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "programs/s")
}
