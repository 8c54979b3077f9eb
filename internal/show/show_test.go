package show

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/sim/check"
)

func TestRunTellsFilesApart(t *testing.T) {
	kernels := "../../testdata/kernels/"
	for _, c := range []struct{ name, text, want string }{
		{"a.s", "v_mov_b32 v1, 7", "a.s on gfx803: 1 instructions"},
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
		{"a.s", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n.amdhsa_kernel k", "a.s:2: kernel k needs arguments", Options{}},
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
	o := Options{MCPU: "fiji", Trace: filepath.Join(dir, "t.json"), Konata: filepath.Join(dir, "t.kanata"), Report: filepath.Join(dir, "r.html"), Check: []string{"all"}, Stats: true}
	var out strings.Builder
	findings, err := Run(t.Context(), "a.s", []byte("buffer_load_dword v1, v0, s[0:3], 0 offen"), &o, &out)
	require.NoError(t, err)
	require.NotEmpty(t, findings)
	_, ok := check.Worst(findings)
	assert.True(t, ok)
	for _, name := range []string{o.Trace, o.Konata, o.Report} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.NotZero(t, info.Size())
		assert.Contains(t, out.String(), "written to "+name)
	}
}
