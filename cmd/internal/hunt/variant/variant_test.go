package variant

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStatements(t *testing.T) {
	const text = `struct s { int a; f(x); };
#define M(x) { x = 1; }
kernel void k(global int *out, int n) {
  int a[2] = {1, 2}; // out[0] = 1;
  int b;
  b = n ? 1 : 2;
  for (int i = 0; i < n; i++) { b += i; if (b > 3) break; else b--; }
  if (n) out[1] = b;
  else { *out = ")"[0]; g(a, b); }
  switch (n) { case 1: b = 2; }
  return;
}`
	var got []string
	for _, s := range statements(masked(text)) {
		got = append(got, strings.Join(strings.Fields(text[s[0]:s[1]]), " "))
	}
	assert.Equal(t, []string{"f(x);", "b = n ? 1 : 2;",
		"for (int i = 0; i < n; i++) { b += i; if (b > 3) break; else b--; }",
		"b += i;", "if (b > 3) break; else b--;", `if (n) out[1] = b; else { *out = ")"[0]; g(a, b); }`, `*out = ")"[0];`,
		"g(a, b);"}, got)
}

const irText = `define amdgpu_kernel void @k(ptr addrspace(1) %0, i32 %1) {
  %3 = add i32 %1, 5
  %4 = icmp eq i32 %3, 7
  br i1 %4, label %5, label %8
5:
  %6 = mul i32 %3, %3
  %7 = xor i32 %6, 9
  br label %8
8:
  %9 = phi i32 [ %3, %2 ], [ %7, %5 ]
  store i32 %9, ptr addrspace(1) %0
  ret void
}
`

// TestPlain: a variant contains its original text, and the same seed gives the same variant.
func TestPlain(t *testing.T) {
	for seed := range uint64(50) {
		k := New(irText, "ll", seed)
		require.NotNil(t, k)
		assert.NotEqual(t, irText, k.Text(k.Body))
		assert.Equal(t, irText, k.Plain(k.Body), k.Body)
		assert.Equal(t, k, New(irText, "ll", seed))
	}
	assert.Nil(t, New("target triple = \"amdgcn\"\n", "ll", 1))
	assert.Nil(t, New("kernel void k() {}\n", "cl", 1))
}

// TestVerified: LLVM accepts the variants of an LLVM IR text.
func TestVerified(t *testing.T) {
	llc, err := exec.LookPath("llc-19")
	if err != nil {
		t.Skip("llc-19 is not installed")
	}
	var all strings.Builder
	for seed := range uint64(20) {
		name := string(rune('a' + seed))
		all.WriteString(strings.ReplaceAll(New(irText, "ll", seed).Body, "@k", "@"+name))
	}
	cmd := exec.CommandContext(t.Context(), llc, "-mtriple=amdgcn", "-O0", "-o", os.DevNull)
	cmd.Stdin = strings.NewReader(all.String())
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
}

// TestSameOnHost: variants and the original text, compiled for the host, have the same output.
func TestSameOnHost(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("the host has no compiler cc")
	}
	const text = `static int f(int n) {
  int a = 1, b = 0;
  for (int i = 0; i < n; i++) { a = a * 3 + i; if (a & 1) { b ^= a; continue; } b += i; }
  b &= 1023;
  while (b > 100) b -= 37;
  if (b & 2) a++; else { a -= b; }
  return a ^ b;
}
`
	body := "#define __builtin_amdgcn_workitem_id_x() item\nstatic int item; int printf(const char *, ...);\n"
	for seed := range uint64(40) {
		k := New(text, "cl", seed)
		require.NotNil(t, k)
		require.NotContains(t, k.Plain(k.Body), "5u")
		// All variants are compiled in one program, in which the first definition of each macro counts.
		body += strings.ReplaceAll(undefining(k.Text(k.Body)), "f(int", "f"+fmt.Sprint(seed)+"(int")
	}
	body += undefining(text) + "int main() { int bad = 0; for (item = 0; item < 300; item++) {\n"
	for seed := range 40 {
		body += "bad |= f" + fmt.Sprint(seed) + "(item) != f(item);\n"
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "all.c")
	require.NoError(t, os.WriteFile(file, []byte(body+"} return bad; }\n"), 0o600))
	all := filepath.Join(dir, "all")
	said, err := exec.CommandContext(t.Context(), cc, "-fwrapv", "-w", "-o", all, file).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.NoError(t, exec.CommandContext(t.Context(), all).Run())
}

// undefining adds #undef lines, so that a text can define its macros again.
func undefining(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest, is := strings.CutPrefix(line, "#define "); is {
			name, _, _ := strings.Cut(strings.Fields(rest)[0], "(")
			b.WriteString("#undef " + name + "\n")
		}
		b.WriteString(line)
	}
	return b.String()
}
