package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
)

// writeBundle writes an offload bundle like hipcc --genco: the vector addition for each processor. processors maps a
// processor to the name of its file.
func writeBundle(t *testing.T, processors map[string]string) string {
	t.Helper()
	var ids, data []byte
	le := binary.LittleEndian
	const first = 4096
	for processor, file := range processors {
		object, err := os.ReadFile("../../testdata/kernels/" + file)
		require.NoError(t, err)
		id := "hipv4-amdgcn-amd-amdhsa--" + processor
		ids = le.AppendUint64(ids, uint64(first+len(data)))
		ids = le.AppendUint64(ids, uint64(len(object)))
		ids = append(le.AppendUint64(ids, uint64(len(id))), id...)
		data = append(data, object...)
	}
	b := append(le.AppendUint64([]byte("__CLANG_OFFLOAD_BUNDLE__"), uint64(len(processors))), ids...)
	b = append(append(b, make([]byte, first-len(b))...), data...)
	name := filepath.Join(t.TempDir(), "k.hsaco")
	require.NoError(t, os.WriteFile(name, b, 0o600))
	return name
}

// writeArchive writes an archive of kernels under their file names.
func writeArchive(t *testing.T, names ...string) string {
	t.Helper()
	b := []byte("!<arch>\n")
	for _, name := range names {
		data, err := os.ReadFile("../../testdata/kernels/" + name)
		require.NoError(t, err)
		b = fmt.Appendf(b, "%-48s%-10d`\n%s", name+"/", len(data), data)
		b = append(b, make([]byte, len(data)%2)...)
	}
	name := filepath.Join(t.TempDir(), "lib.a")
	require.NoError(t, os.WriteFile(name, b, 0o600))
	return name
}

// TestBundles: commands that accept a code object also accept a bundle, from which --mcpu or mcpu selects one, and an
// archive, from which the kernel's name selects one.
func TestBundles(t *testing.T) {
	one := writeBundle(t, map[string]string{"gfx803": "vadd.fiji.co"})
	both := writeBundle(t, map[string]string{"gfx803": "vadd.fiji.co", "gfx900:xnack-": "vadd.gfx900.co"})
	archive, twice := writeArchive(t, "vadd.fiji.co", "sort.fiji.co"), writeArchive(t, "vadd.fiji.co", "vadd.gfx900.co")
	saved := t.TempDir()
	spec := func(object, mcpu string) string {
		name := filepath.Join(t.TempDir(), "s.json")
		require.NoError(t, os.WriteFile(name, fmt.Appendf(nil, `{"code_object":%q,"mcpu":%q,"kernel":"vadd","grid":[64],"args":[{"buffer":{"size":256}},{"buffer":{"size":256}},{"buffer":{"size":256}},{"u32":64}]}`, object, mcpu), 0o600))
		return name
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"run", one}, cli.ExitOK, "code object v4 for gfx803"},
		{[]string{"run", both}, cli.ExitInput, "; choose one: --mcpu, or mcpu in a specification"},
		{[]string{"run", "--mcpu=vega10", both}, cli.ExitOK, "code object v4 for gfx900"},
		{[]string{"run", "--mcpu=hawaii", both}, cli.ExitInput, "not for hawaii"},
		{[]string{"dis", "--mcpu=gfx900", both}, cli.ExitOK, "global_store_dword"},
		{[]string{"dis", one}, cli.ExitOK, "flat_store_dword"},
		{[]string{"explain", "inst", one}, cli.ExitOK, "flat_store_dword"},
		{[]string{"dispatch", spec(one, "")}, cli.ExitOK, `"mcpu":"gfx803"`},
		{[]string{"dispatch", spec(both, "gfx900")}, cli.ExitOK, `"mcpu":"gfx900"`},
		{[]string{"dispatch", spec(both, "")}, cli.ExitInput, "it holds code for"},
		{[]string{"diff", spec(both, "gfx900"), spec(both, "fiji")}, cli.ExitOK, "same: 1 run"},
		{[]string{"diff", one, both}, cli.ExitNoVerdict, "; choose one: --mcpu"},
		{[]string{"diff", "--mcpu=gfx803", one, both}, cli.ExitOK, " launches, grids to "},
		{[]string{"run", archive}, cli.ExitOK, "lib.a(sort.fiji.co): code object v4 for gfx803"},
		{[]string{"run", "--kernel=vadd", archive}, cli.ExitInput, "it takes 4 arguments, 0 given"},
		{[]string{"run", "--grid=64", archive}, cli.ExitInput,
			"it holds 2 code objects: vadd.fiji.co, sort.fiji.co; name a kernel"},
		{[]string{"dispatch", spec(archive, "")}, cli.ExitOK, `"kernel":"vadd"`},
		{[]string{"diff", "--kernel=vadd", "--launches=1", archive, one}, cli.ExitOK, "vadd: same: "},
		{[]string{"diff", "--save-spec=" + saved, "--kernel=vadd", "--launches=1", archive, archive}, cli.ExitOK, "vadd: same"},
		{[]string{"dispatch", filepath.Join(saved, "vadd.json")}, cli.ExitOK, `"ok":true`},
		{[]string{"diff", twice, one}, cli.ExitNoVerdict, "both have kernel vadd; give the objects that are meant"},
	} {
		var stdout, stderr strings.Builder
		assert.Equal(t, c.status, run(t.Context(), c.args, silent(t), &stdout, &stderr), "%v: %s", c.args, stderr.String())
		assert.Contains(t, stdout.String()+stderr.String(), c.says, c.args)
	}
}
