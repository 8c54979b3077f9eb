package shrink

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// balanced reports whether all brackets match. It represents the test "it compiles".
func balanced(text []byte) bool {
	units, brackets := tokens(text), 0
	for _, u := range units {
		if strings.ContainsAny(string(u[:1]), "()[]{}") {
			brackets++
		}
	}
	return brackets == 2*len(pairsOf(units))
}

// reduced reduces a text while it is balanced and matches all patterns.
func reduced(t *testing.T, name, text string, patterns ...string) (string, *Program) {
	t.Helper()
	last := len(text)
	p := &Program{Name: name, Text: []byte(text), Test: func(_ context.Context, text []byte) (bool, error) {
		for _, pattern := range patterns {
			if !regexp.MustCompile(pattern).Match(text) {
				return false, nil
			}
		}
		return balanced(text), nil
	}, Smaller: func(text []byte) error {
		assert.Less(t, len(text), last)
		last = len(text)
		return nil
	}}
	require.NoError(t, p.Reduce(t.Context()))
	return string(p.Text), p
}

func TestReduce(t *testing.T) {
	const cl = `// A comment (with a bracket
int helper(int a) {
  return a * 2;
}
kernel void k(global int *out, int n) {
  for (int i = 0; i < n; i++) {
    if (i > 3) { /* always */
      out[i] = helper(i) + 1;
    }
    out[0] = "}";
  }
}
`
	got, _ := reduced(t, "k.cl", cl, `out\[i\] = helper`)
	assert.Equal(t, "out[i] = helper", got)
	got, _ = reduced(t, "k.cl", cl, `void k\b`, `helper\(i\)`)
	assert.Equal(t, "void k{ helper(i) } ", regexp.MustCompile(`\s+`).ReplaceAllString(got, " "))
	const asm = "\t.text\nk:\n\ts_nop 0\n.LBB0_1:\n\tv_add_u32 v0, vcc, v1, v2\n\ts_nop 1\n.LBB0_2:\n\ts_endpgm\n"
	got, _ = reduced(t, "k.s", asm, `v_add_u32 v0, vcc`)
	assert.Equal(t, "v_add_u32 v0, vcc", got)
}

// TestReduceIsFast: removing large units takes few tests.
func TestReduceIsFast(t *testing.T) {
	text := strings.Repeat("void f() {\n  a = 1;\n  b = 2;\n}\n", 500) + "needle\n"
	got, p := reduced(t, "k.cl", text, "needle")
	assert.Equal(t, "needle\n", got)
	assert.Less(t, p.Tests, 40)
}

func TestReduceEnds(t *testing.T) {
	p := &Program{Name: "k.cl", Text: []byte("int x;\n")}
	p.Test = func(context.Context, []byte) (bool, error) { return false, nil }
	require.ErrorIs(t, p.Reduce(t.Context()), ErrFails)
	p = &Program{Name: "k.cl", Text: []byte("int x;\n")}
	p.Test = func(context.Context, []byte) (bool, error) { return true, nil }
	require.ErrorIs(t, p.Reduce(t.Context()), ErrAny)
	p = &Program{Name: "k.cl", Text: []byte("int x;\n")}
	seen := map[string]bool{}
	p.Test = func(_ context.Context, text []byte) (bool, error) {
		again := seen[string(text)]
		seen[string(text)] = true
		return bytes.Contains(text, []byte("x")) && !again, nil
	}
	require.ErrorIs(t, p.Reduce(t.Context()), ErrUnsteady)
	p = &Program{Name: "k.cl", Text: []byte("int x;\n"), Smaller: func([]byte) error { return errors.New("full") }}
	p.Test = func(_ context.Context, text []byte) (bool, error) { return bytes.Contains(text, []byte("x")), nil }
	require.EqualError(t, p.Reduce(t.Context()), "full")
	ctx, cancel := context.WithCancel(t.Context())
	p = &Program{Name: "k.cl", Text: []byte("int x;\nint y;\n"), Smaller: func([]byte) error { cancel(); return nil }}
	p.Test = func(_ context.Context, text []byte) (bool, error) { return bytes.Contains(text, []byte("x")), nil }
	require.ErrorIs(t, p.Reduce(ctx), context.Canceled)
	assert.Equal(t, "int x;\n", string(p.Text))
}

// FuzzUnits: the units of any text concatenate to the text.
func FuzzUnits(f *testing.F) {
	f.Add([]byte("k:\n{ a (b) \"c\\\" }\" /* } */ }\n// x\n}{"), 1)
	f.Fuzz(func(t *testing.T, text []byte, depth int) {
		for _, units := range [][][]byte{lines(text), tokens(text), labelled(text), blocks(text, depth)} {
			assert.Equal(t, string(text), string(bytes.Join(units, nil)))
		}
		pairsOf(tokens(text))
	})
}

// needsShell skips a test of a command line on systems without a shell.
func needsShell(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell, sh")
	}
}

func TestCommand(t *testing.T) {
	needsShell(t)
	c := &Command{Name: "dir/it's.cl", Line: "echo said; grep -q needle {} && cp {} {}.o", Time: time.Minute}
	require.NoError(t, c.Check())
	for text, want := range map[string]bool{"a needle": true, "nothing": false} {
		got, err := c.Test(t.Context(), []byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, "said\n", string(c.Output))
	}
	c.Line = "sleep 100 & sleep 100; : {}"
	c.Time = time.Millisecond
	got, err := c.Test(t.Context(), nil)
	require.NoError(t, err)
	assert.False(t, got)
	c.Line = "true"
	require.ErrorContains(t, c.Check(), "it does not name the program: write {} where its file is to be")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Test(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// TestShellRemovesTemporaryFiles: temporary files of a command are removed, also if the command is killed.
func TestShellRemovesTemporaryFiles(t *testing.T) {
	needsShell(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, end := range []string{"true", "kill -KILL $$"} {
		said, _ := Shell(t.Context(), `touch "$TMPDIR/cc1.s"; echo "$TMPDIR"/*; `+end, time.Minute)
		assert.Regexp(t, "gcnsim-shell-.*cc1.s", string(said))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, left, end)
	}
}

// TestInstructions: the instructions in the last code object that a test leaves are counted, before and after.
func TestInstructions(t *testing.T) {
	needsShell(t)
	kernels, err := filepath.Abs("../../../testdata/kernels")
	require.NoError(t, err)
	kernels = "'" + kernels + "'"
	line := "grep -q x {} && cp " + kernels + "/reduce.fiji.co {}.a.o && if grep -q long {}; " +
		"then cp " + kernels + "/vadd.fiji.co {}.b.o; else cp " + kernels + "/vadd.gfx900.co {}.b.o; fi"
	p := &Program{Name: "k.cl", Text: []byte("x\nlong\n")}
	note, err := p.ReduceWith(t.Context(), &Command{Name: "k.cl", Line: line, Time: time.Minute}, 0, true)
	require.NoError(t, err)
	assert.Regexp(t, `^k.cl: [12] of 7 bytes are left after \d+ tests, 26 of 27 instructions\n$`, note)
}

func TestInstsOfIR(t *testing.T) {
	assert.Equal(t, 4, instsOfIR([]byte(`declare i32 @g()
define void @f(i32 %a) {
entry: ; preds
  %b = add i32 %a, 7

  switch i32 %b, label %"an end" [
    i32 0, label %entry
  ]
"an end":
  ; nothing
  ret void
}
define void @h() { ; one
  unreachable
}
`)))
}

// TestLLVM: LLVM IR is reduced by llvm-reduce, with the command line as its test.
func TestLLVM(t *testing.T) {
	effort.Long(t)
	text := []byte("define i32 @f(i32 %a) {\n  %b = add i32 %a, 7\n  %c = mul i32 %b, 3\n  ret i32 %c\n}\n" +
		"define void @g() {\n  ret void\n}\n")
	c := &Command{Name: "k.cl", Line: "grep -q mul {}", Time: time.Minute}
	same, used, err := c.LLVM(t.Context(), text)
	require.NoError(t, err)
	assert.False(t, used)
	assert.Equal(t, text, same)
	if _, err := exec.LookPath("llvm-reduce"); err != nil {
		t.Skip("llvm-reduce is not installed: ", err)
	}
	c.Name = "k.ll"
	p := &Program{Name: "k.ll", Text: text}
	note, err := p.ReduceWith(t.Context(), c, 0, true)
	require.NoError(t, err)
	assert.Contains(t, note, "llvm-reduce has left ")
	assert.Contains(t, note, ", 0 of 4 instructions of LLVM IR")
	assert.NotContains(t, string(p.Text), "@g")
	assert.Contains(t, string(p.Text), "mul")
	_, err = os.Stat(filepath.Join(os.TempDir(), "k.ll"))
	require.Error(t, err)
}

func TestReduceWith(t *testing.T) {
	needsShell(t)
	p := &Program{Name: "k.cl", Text: []byte(strings.Repeat("int x;\n", 2000))}
	_, err := p.ReduceWith(t.Context(), &Command{Name: "k.cl", Line: "grep -q x {}", Time: time.Minute},
		time.Nanosecond, true)
	require.EqualError(t, err, "k.cl: the first test took longer than the time limit of 1ns")
	p = &Program{Name: "k.cl", Text: []byte("int x;\n")}
	note, err := p.ReduceWith(t.Context(), &Command{Name: "k.cl", Line: "echo why; grep -q y {}", Time: time.Minute}, 0,
		false)
	require.ErrorIs(t, err, ErrFails)
	assert.Equal(t, "why\n", note)
}

// TestBisect: for each pass that may introduce the searched property, Bisect finds that pass.
func TestBisect(t *testing.T) {
	said := []byte("a warning\nBISECT: running pass (1) one on f\nBISECT: running pass (2) two on f\nBISECT: running pass (3) " +
		"three on module\nBISECT: running pass (4) four on f\n")
	for brings, want := range []string{
		"none of 4 optional passes brings it", "pass 1 of 4 brings it: one on f", "pass 2 of 4 brings it: two on f",
		"pass 3 of 4 brings it: three on module", "pass 4 of 4 brings it: four on f",
	} {
		p, err := Bisect(t.Context(), said, func(_ context.Context, limit int) (bool, error) { return limit >= brings, nil })
		require.NoError(t, err)
		assert.Equal(t, want, p.String())
	}
	_, err := Bisect(t.Context(), []byte("nothing"), nil)
	require.ErrorIs(t, err, ErrNoPasses)
	_, err = Bisect(t.Context(), said, func(context.Context, int) (bool, error) { return false, context.Canceled })
	require.ErrorIs(t, err, context.Canceled)
}

// TestBisectCommand: the option replaces the command's placeholder, and the compiler's lines about passes are not
// shown as the test's output.
func TestBisectCommand(t *testing.T) {
	needsShell(t)
	c := &Command{Name: "k.ll", Time: time.Minute, Line: `n=$(echo {bisect} | sed s/.*=//)
		echo "BISECT: running pass (1) a on k"; echo "BISECT: running pass (2) b on k"; echo seen
		grep -q x {} && { test $n -lt 0 || test $n -ge 2; }`}
	has, err := c.Test(t.Context(), []byte("x"))
	require.NoError(t, err)
	assert.True(t, has)
	assert.Equal(t, "seen\n", string(c.Output))
	require.True(t, c.Bisects())
	p, err := c.Bisect(t.Context(), []byte("x"))
	require.NoError(t, err)
	assert.Equal(t, "pass 2 of 2 brings it: b on k", p.String())
}
