//go:build unix

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}

func TestPermissions(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, Write(path, []byte("new")))
	assert.Equal(t, fs.FileMode(0o640), mode(t, path), "the umask")
	require.NoError(t, os.Chmod(path, 0o700))
	require.NoError(t, Write(path, []byte("again")))
	assert.Equal(t, fs.FileMode(0o700), mode(t, path), "those of the older file")
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Mkdir(path("far"), 0o755))
	require.NoError(t, os.Symlink("far/file", path("link")))
	require.NoError(t, os.Symlink(path("link"), path("link2")))
	for _, text := range []string{"through a dangling link", "through a link"} {
		require.NoError(t, Write(path("link2"), []byte(text)))
		got, err := os.ReadFile(path("far/file"))
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
		to, err := os.Readlink(path("link"))
		require.NoError(t, err)
		assert.Equal(t, "far/file", to)
	}
	require.NoError(t, os.Symlink("loop", path("loop")))
	assert.Error(t, Write(path("loop"), nil))
}

func TestDevicesAndPipesAreWritten(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	got := make(chan []byte)
	go func() {
		b, _ := os.ReadFile(pipe)
		got <- b
	}()
	require.NoError(t, Write(pipe, []byte("text")))
	assert.Equal(t, "text", string(<-got))
	info, err := os.Stat(pipe)
	require.NoError(t, err)
	assert.Equal(t, fs.ModeNamedPipe, info.Mode().Type())

	require.NoError(t, Write("/dev/null", []byte("text")))
	info, err = os.Stat("/dev/null")
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&fs.ModeDevice)
}

func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]error{
		filepath.Join(dir, "missing", "a"): fs.ErrNotExist,
		dir:                                syscall.EISDIR,
		"/dev/full":                        syscall.ENOSPC,
	} {
		if _, err := os.Stat("/dev/full"); err != nil && path == "/dev/full" {
			continue
		}
		err := Write(path, []byte("text"))
		var e *fs.PathError
		require.ErrorAs(t, err, &e, path)
		assert.Equal(t, path, e.Path)
		assert.ErrorIs(t, err, want, path)
	}
	if os.Getuid() == 0 { // root may write everything
		return
	}
	path := filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(path, []byte("kept"), 0o400))
	require.ErrorIs(t, Write(path, nil), fs.ErrPermission)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(got))
}
