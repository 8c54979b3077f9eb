package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim/check"
)

func TestRunTellsFilesApart(t *testing.T) {
	kernels := "../../../testdata/kernels/"
	for _, c := range []struct{ name, text, want string }{
		{"a.s", "v_mov_b32 v1, 7", "a.s on gfx803: 1 instruction\n"},
		{"a.json", `{"mcpu":"gfx803","asm":"s_nop 0"}`, `"ok": true`},
		{kernels + "vadd.fiji.json", "", "vadd on gfx803: "},
		{kernels + "vadd.fiji.co", "", "kernel vadd: "},
	} {
		data := []byte(c.text)
		if c.text == "" {
			var err error
			data, err = os.ReadFile(c.name)
			require.NoError(t, err)
		}
		var out strings.Builder
		_, err := Run(t.Context(), c.name, data, &Options{MCPU: "fiji"}, &out)
		require.NoError(t, err, c.name)
		assert.Contains(t, out.String(), c.want, c.name)
	}
}

func TestRunErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		o                Options
	}{
		{"a.s", "s_nop 0", "a.s: it does not say for which processor", Options{}},
		{"a.s", "s_nop 0\ns_foo", "a.s:2:1: ", Options{MCPU: "fiji"}},
		{"a.s", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n.amdhsa_kernel k", "a.s:2:", Options{}},
		{"a.s", ".amdhsa_kernel k", "a.s: code object: assembly: no directive says for which GCN processor", Options{MCPU: "fiji"}},
		{"a.s", "s_nop 0", "--grid: it is for code objects and their texts; a.s is none", Options{MCPU: "fiji", Command: request.Command{Grid: []string{"1"}}}},
		{"a.json", "{", "a.json:1:1: ", Options{}},
		{"a.json", `{"mcpu":"gfx803"}`, ErrAnswered.Error(), Options{}},
		{"a.s", "s_nop 0", `"no" is not known`, Options{MCPU: "gfx803", Chip: "no"}},
	} {
		var out strings.Builder
		_, err := Run(t.Context(), c.name, []byte(c.text), &c.o, &out)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

func TestRunWritesFilesAndReturnsFindings(t *testing.T) {
	dir := t.TempDir()
	o := Options{MCPU: "fiji", Trace: filepath.Join(dir, "t.json"), Konata: filepath.Join(dir, "t.kanata"),
		Report: filepath.Join(dir, "r.html"), Check: []string{"all"}, Stats: true}
	var out strings.Builder
	findings, err := Run(t.Context(), "a.s", []byte("buffer_load_dword v1, v0, s[0:3], 0 offen"), &o, &out)
	require.NoError(t, err)
	require.NotEmpty(t, findings)
	for _, name := range []string{o.Trace, o.Konata, o.Report} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.NotZero(t, info.Size())
		assert.Contains(t, out.String(), "written to "+name)
	}
}

// TestRunAKernel executes a code object's kernel with arguments from the command line.
func TestRunAKernel(t *testing.T) {
	const path = "../../../testdata/kernels/vadd.fiji.co"
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "in.bin")
	require.NoError(t, os.WriteFile(file, []byte("\x01\x00\x00\x00\xff\xff\xff\xff"), 0o600))
	run := func(c request.Command) (string, error) {
		var out strings.Builder
		_, err := Run(t.Context(), path, data, &Options{Command: c}, &out)
		return out.String(), err
	}
	out, err := run(request.Command{Grid: []string{"2"},
		Args: []string{"buffer=8", "buffer=@" + file, `{"buffer":{"hex":"0a0000000b000000"}}`, "u32=2"}})
	require.NoError(t, err)
	assert.Contains(t, out, "vadd on gfx803: ")
	assert.Regexp(t, `(?m)^argument 0.*, 8 bytes:\n  (11 10|0x0000000b 0x0000000a)$`, out)
	out, err = run(request.Command{Kernel: "vadd", Workgroup: []string{"32"},
		Args: []string{"random=4096", "random=4096:i32", "random=4096", "u32=0"}})
	require.NoError(t, err)
	assert.Contains(t, out, "\n  ...\n")
	for want, c := range map[string]request.Command{
		`there is no kernel "x"`:                       {Kernel: "x"},
		`it takes 4 arguments, 0 given`:                {Kernel: "vadd"},
		`--grid: "0" is not a number of work-items`:    {Grid: []string{"0"}},
		`--grid: there are more than 3 numbers`:        {Grid: []string{"1", "1", "1", "1"}},
		`--workgroup: "x" is not a number`:             {Workgroup: []string{"1", "x"}},
		`--arg: number 1: "7" is not an argument`:      {Args: []string{"u32=1", "7"}},
		`--arg: number 0: "u32=x": x is not an int`:    {Args: []string{"u32=x"}},
		`--arg: number 0: 1:2: unknown key "u33"`:      {Args: []string{`{"u33":1}`}},
		`args[0]: give exactly one of`:                 {Args: []string{`{}`}},
		`--arg: number 0: "random=4:f8": f8 is no typ`: {Args: []string{"random=4:f8"}},
	} {
		_, err := run(c)
		assert.ErrorContains(t, err, path+": ", want)
		assert.ErrorContains(t, err, want)
	}
}

func TestSuggest(t *testing.T) {
	assert.Equal(t, "there are L1 to L6", suggest("l99"))
	assert.Contains(t, suggest("swizzled"), "A5, A7")
	assert.Empty(t, suggest("nonsense"))
	assert.Empty(t, suggest(""))
}

func TestParseSuppressions(t *testing.T) {
	all, err := parseSuppressions("# known\n\n  wait-raw\t0x48 \r\nall vadd\nrange vadd+16\n")
	require.NoError(t, err)
	var texts []string
	for _, s := range all {
		texts = append(texts, s.Text)
	}
	require.Equal(t, []string{"wait-raw 0x48", "all vadd", "range vadd+16"}, texts)
	require.Equal(t, []int{3, 4, 5}, []int{all[0].Line, all[1].Line, all[2].Line})
	_, err = parseSuppressions("all vadd\nrace")
	require.ErrorContains(t, err, "2:5: it does not say where")
}

// Consecutive instructions are on one line.
func TestWriteUnexecuted(t *testing.T) {
	var out strings.Builder
	require.NoError(t, writeUnexecuted(&out, nil, 0, 0))
	require.Empty(t, out.String())
	at := func(pc uint64, source string) check.Site {
		return check.Site{PC: pc, Inst: gcn.Inst(isa.Inst{Size: 4}), Text: "s_nop 0", Source: source}
	}
	require.NoError(t, writeUnexecuted(&out, []check.Site{at(0x1010, ""), at(0x1020, "k.cl:9"), at(0x1024, "k.cl:11")},
		7, 0x1000))
	require.Equal(t, `never executed, and so not judged: 10 instructions
  0x10          1  s_nop 0
  0x20 to 0x24  2  s_nop 0 to s_nop 0  k.cl:9 to k.cl:11
  and 7 more
`, out.String())
}
