//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

func TestUsesKnowAFileByAnyName(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("in", nil, 0o666))
	require.NoError(t, os.Mkdir("sub", 0o777))
	for name, to := range map[string]string{"link": "in", "dangling": "sub/new", "dir": "sub"} {
		require.NoError(t, os.Symlink(to, name))
	}
	require.NoError(t, os.Link("in", "hard"))
	for _, c := range []struct{ read, written, second, want string }{
		{"in", "in", "", "--o: in is also the input"},
		{"in", "./sub/../in", "", "--o: ./sub/../in is also the input"},
		{"in", filepath.Join(dir, "in"), "", "--o: " + dir + "/in is also the input"},
		{"in", "link", "", "--o: link is also the input"},
		{"link", "in", "", "--o: in is also the input"},
		{"in", "hard", "", "--o: hard is also the input"},
		{"in", "new", "./new", "--p: ./new is also named by --o"},
		{"in", "dangling", "sub/new", "--p: sub/new is also named by --o"},
		{"in", "dir/new", "sub/new", "--p: sub/new is also named by --o"},
		{"in", "hard", "other", "--o: hard is also the input"},
		{"missing", "missing", "", "--o: missing is also the input"},
		{"in", "new", "sub/new", ""},
		{"in", "/dev/null", "/dev/null", ""},
		{"/dev/null", "/dev/null", "new", ""},
		{"in", "no/file", "", "write no/file: no such file or directory"},
		{"in", "sub", "", "write sub: is a directory"},
		{"in", "in/file", "", "write in/file: not a directory"},
	} {
		var before, after files.Uses // the input is added first, or last
		both := func(err, other error) error {
			if err != nil {
				return err
			}
			return other
		}
		writes := func(u *files.Uses) error {
			err := u.Writes(c.written, "--o")
			if c.second != "" {
				err = both(err, u.Writes(c.second, "--p"))
			}
			return err
		}
		for order, err := range map[string]error{
			"before": both(before.Reads(c.read, files.TheInput), writes(&before)),
			"after":  both(writes(&after), after.Reads(c.read, files.TheInput)),
		} {
			if c.want == "" {
				assert.NoError(t, err, "%v, %s", c, order)
			} else {
				assert.EqualError(t, err, c.want, "%v, %s", c, order)
			}
		}
	}
	left, err := os.ReadDir("sub")
	require.NoError(t, err)
	assert.Empty(t, left, "trying leaves nothing")
}

func TestUsesOfDirectoriesAndOpenFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("results/chunks", 0o777))
	var u files.Uses
	require.NoError(t, u.ReadsIn("results/chunks", files.TheInput))
	require.NoError(t, u.Writes("results/report", "--report"))
	require.EqualError(t, u.Writes("results/chunks/000", "--json"), "--json: results/chunks/000 is also the input")

	f, err := os.Create("stdin")
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, u.ReadsFrom(files.NewInput(t.Context(), f), files.TheInput))
	err = u.Writes("./stdin", "dump[0].file")
	require.EqualError(t, err, "dump[0].file: ./stdin is also the input")
	use := &files.UseError{}
	require.ErrorAs(t, err, &use)
	assert.False(t, use.OfFlags())

	var none *files.Uses
	require.NoError(t, none.Reads("a", files.TheInput))
	require.NoError(t, none.Writes("a", "--o"))
}

func TestWritable(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, files.Writable("new"))
	assert.NoFileExists(t, "new")
	if os.Geteuid() != 0 {
		require.NoError(t, os.Mkdir("closed", 0o555))
		require.EqualError(t, files.Writable("closed/b"), "write closed/b: permission denied")
	}
}
