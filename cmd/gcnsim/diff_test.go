package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
)

// vaddSpec writes a specification of the vector addition to the kernels' directory and returns its name. keys are
// more JSON keys, starting with a comma.
func vaddSpec(t *testing.T, items, n int, keys string) string {
	t.Helper()
	object, err := filepath.Abs("../../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	const buffer = `{"buffer":{"size":512,"random":%d,"as":"f32"}}`
	text := fmt.Sprintf(`{"code_object":%q,"kernel":"vadd","grid":[%d],`+
		`"args":[{"buffer":{"size":512}},`+buffer+`,`+buffer+`,{"u32":%d}]%s}`, object, items, 1, 2, n, keys)
	name := filepath.Join(t.TempDir(), "s.json")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// TestDiffStatus: status 1 only means that programs differ. A comparison that tested nothing or could not be made
// exits with 3 and says why, also as JSON.
func TestDiffStatus(t *testing.T) {
	good := vaddSpec(t, 128, 128, "")
	wild := vaddSpec(t, 8192, 8192, "")
	off := vaddSpec(t, 128, 0, "")
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "x")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	object := "../../testdata/kernels/vadd.fiji.co"
	for name, c := range map[string]struct {
		args    []string
		status  int
		verdict string
		says    string
	}{
		"same":            {[]string{good, good}, cli.ExitOK, "same", "same: 1 run; 512 of 512 bytes written; 0 of 27 instructions never executed"},
		"different":       {[]string{good, vaddSpec(t, 128, 100, "")}, cli.ExitInput, "different", "different: argument 0, byte 400"},
		"one faults":      {[]string{good, wild}, cli.ExitInput, "different", "different: one faults"},
		"both fault":      {[]string{wild, wild}, cli.ExitNoVerdict, "none", "no verdict: both programs fault"},
		"nothing written": {[]string{off, off}, cli.ExitNoVerdict, "none", "no verdict: neither program stored anything to a buffer"},
		"no kernel":       {[]string{"--spec=" + good, object, "../../testdata/kernels/reduce.fiji.co"}, cli.ExitNoVerdict, "none", `there is no kernel "vadd"`},
		"no file":         {[]string{good, "nothing.json"}, cli.ExitNoVerdict, "none", "nothing.json: " + syscall.ENOENT.Error()},
		"no object":       {[]string{"--spec=" + good, object, file("")}, cli.ExitNoVerdict, "none", "not an ELF file"},
		"no JSON":         {[]string{good, file("{")}, cli.ExitNoVerdict, "none", "this is not JSON"},
		"an object":       {[]string{good, object}, cli.ExitNoVerdict, "none", "it is an object; write a specification of the dispatch and give it with --spec"},
		"empty":           {[]string{good, file("")}, cli.ExitNoVerdict, "none", "it is neither a code object, nor an assembly text with a kernel, nor a specification in JSON: it is empty"},
		"timing":          {[]string{good, vaddSpec(t, 1, 1, `,"timing":true`)}, cli.ExitNoVerdict, "none", "timing: diff does not look at time"},
		"tolerances":      {[]string{good, vaddSpec(t, 1, 1, `,"expect":[{"arg":0,"hex":"00000000","as":"f32","ulp":1}]`)}, cli.ExitNoVerdict, "none", "expect: a and b have other tolerances"},
		"usage":           {[]string{good}, cli.ExitUsage, "", "give two programs"},
		"no seeds":        {[]string{"--seeds=2", file(`{"code_object":"x","kernel":"k"}`), file(`{"code_object":"x","kernel":"k"}`)}, cli.ExitUsage, "", "--seeds: more than one seed is asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			assert.Equal(t, c.status, run(t.Context(), append([]string{"diff"}, c.args...), silent(t), &stdout, &stderr))
			assert.Contains(t, stdout.String()+stderr.String(), c.says)
			stdout.Reset()
			assert.Equal(t, c.status, run(t.Context(), append([]string{"diff", "--json"}, c.args...), silent(t), &stdout,
				&stderr))
			var reply struct {
				Verdict, Why string
				Same         *bool
			}
			if c.verdict == "" {
				assert.Empty(t, stdout.String())
				return
			}
			require.NoError(t, json.Unmarshal([]byte(stdout.String()), &reply), stdout.String())
			assert.Equal(t, c.verdict, reply.Verdict)
			assert.Equal(t, c.verdict == "none", reply.Why != "")
			assert.Equal(t, c.verdict == "none", reply.Same == nil)
			if c.status == cli.ExitNoVerdict && !strings.HasPrefix(c.says, "no verdict") {
				assert.Contains(t, reply.Why, c.says)
			}
		})
	}
}

// TestDiffExpect: with --expect the status is 0 only for that verdict. Wrong usage still exits with 2.
func TestDiffExpect(t *testing.T) {
	good := vaddSpec(t, 128, 128, "")
	for verdict, args := range map[string][]string{
		"same":   {good, good},
		"memory": {good, vaddSpec(t, 128, 100, "")},
		"fault":  {good, vaddSpec(t, 8192, 8192, "")},
		"none":   {good, "nothing.json"},
	} {
		for _, want := range []string{"same", "different", "memory", "fault", "findings", "none"} {
			status := cli.ExitInput
			if want == verdict || want == "different" && (verdict == "memory" || verdict == "fault") {
				status = cli.ExitOK
			}
			var stdout, stderr strings.Builder
			got := run(t.Context(), append([]string{"diff", "--expect=" + want}, args...), silent(t), &stdout, &stderr)
			assert.Equal(t, status, got, "%s, of %s", verdict, want)
			assert.NotEmpty(t, stdout.String())
		}
	}
	for _, args := range [][]string{{"--expect=none", good}, {"--expect=nothing", good, good}} {
		var stdout, stderr strings.Builder
		assert.Equal(t, cli.ExitUsage, run(t.Context(), append([]string{"diff"}, args...), silent(t), &stdout, &stderr))
	}
}

// TestReduceStatus: reduce exits with 1 if there is no difference, and with 3 if there is no verdict.
func TestReduceStatus(t *testing.T) {
	object := "../../testdata/kernels/vadd.fiji.co"
	for spec, want := range map[string]int{vaddSpec(t, 128, 128, ""): cli.ExitInput,
		vaddSpec(t, 128, 0, ""): cli.ExitNoVerdict, "nothing.json": cli.ExitNoVerdict} {
		var stdout, stderr strings.Builder
		assert.Equal(t, want, run(t.Context(), []string{"reduce", "--spec=" + spec, object, object}, silent(t), &stdout,
			&stderr), stderr.String())
		assert.NotEmpty(t, stderr.String())
		assert.Empty(t, stdout.String())
	}
}

// TestVerdictToAFullOutput: if the output cannot be written there is no verdict.
func TestVerdictToAFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	good := vaddSpec(t, 128, 128, "")
	for _, args := range [][]string{{"diff", good, good}, {"check", "../../testdata/kernels/vadd.fiji.co"}} {
		var stderr strings.Builder
		assert.Equal(t, cli.ExitNoVerdict, run(t.Context(), args, silent(t), full, &stderr), args)
		assert.Contains(t, stderr.String(), "standard output")
	}
}
