package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ReadAll returns inputs of all sizes unchanged, also from readers that return little at a time.
func TestReadAllPieces(t *testing.T) {
	for _, size := range []int{0, 1, firstPiece - 1, firstPiece, firstPiece + 1, 3 * firstPiece, 3*firstPiece + 1,
		5*largestPiece + 7} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(i * 7 >> 3)
		}
		for _, r := range []io.Reader{bytes.NewReader(want), iotest.HalfReader(bytes.NewReader(want)),
			iotest.DataErrReader(bytes.NewReader(want))} {
			got, err := ReadAll(r, "in", int64(size))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got), size)
			require.True(t, string(want) == String(got), size)
		}
		if size > 0 {
			_, err := ReadAll(bytes.NewReader(want), "in", int64(size-1))
			require.EqualError(t, err, (&SizeError{"in", int64(size - 1)}).Error())
		}
	}
	_, err := ReadAll(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("four"))), "in", 4)
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

func TestReadAllLimit(t *testing.T) {
	got, err := ReadAll(strings.NewReader("four"), "in", 4)
	require.NoError(t, err)
	assert.Equal(t, "four", string(got))
	_, err = ReadAll(strings.NewReader("five!"), "in", 4)
	assert.Equal(t, &SizeError{"in", 4}, err)
	assert.EqualError(t, err, "in: it is larger than the 4 bytes that are read")
}

func TestDir(t *testing.T) {
	root := t.TempDir()
	d := Dir(root)
	require.NoError(t, d.WriteFile("a", []byte("text")))
	for _, name := range []string{"a", filepath.Join(root, "a")} {
		got, err := d.ReadFile(name, 4)
		require.NoError(t, err)
		assert.Equal(t, "text", string(got))
	}
	_, err := d.ReadFile("a", 3)
	assert.Equal(t, &SizeError{filepath.Join(root, "a"), 3}, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, "b"), 0o755))
	_, err = d.ReadFile("b", 3)
	assert.ErrorContains(t, err, "it is no regular file")
	_, err = d.ReadFile("missing", 3)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestLines(t *testing.T) {
	var got []string
	err := Lines(strings.NewReader("ab\n\nabcd\nabc"), 3, "", func(line []byte, err error) error {
		if err != nil {
			line = []byte(err.Error())
		}
		got = append(got, string(line))
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"ab\n", "\n", "the line is longer than the 3 bytes that are read", "abc"}, got)
	stop := errors.New("stop")
	assert.Equal(t, stop, Lines(strings.NewReader("a\nb"), 3, "", func([]byte, error) error { return stop }))
}

// TestLinesWithoutEnd: the start of a long line is checked before the line is kept in memory.
func TestLinesWithoutEnd(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	object := `  {"a":"` + long + `"}`
	var got []string
	err := Lines(strings.NewReader(long+"\n"+object+"\n\x00\n"+long), 4<<20, "{", func(line []byte, err error) error {
		if err != nil {
			line = []byte(err.Error())
		}
		got = append(got, string(line))
		return nil
	})
	require.NoError(t, err)
	other := "the line has more than 65536 bytes and does not begin with {"
	assert.Equal(t, []string{other, object + "\n", "\x00\n", other}, got)

	for _, start := range []string{"", "a\n", `{"a":1`, strings.Repeat("{", 1<<20)} {
		zero := &zeros{}
		err := Lines(io.MultiReader(strings.NewReader(start), zero), 1<<30, "{", func([]byte, error) error { return nil })
		assert.EqualError(t, err, "this is no text: it has a byte 0 in a line of more than 65536 bytes")
		assert.LessOrEqual(t, zero.read, 256<<10)
	}
}

// zeros is an endless device. It counts the bytes that were read from it.
type zeros struct{ read int }

func (z *zeros) Read(b []byte) (int, error) {
	clear(b)
	z.read += len(b)
	return len(b), nil
}

// failing is a writer that always fails.
type failing struct{}

func (failing) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/full", Err: errors.New("no space")}
}

func TestOutputKeepsItsFirstError(t *testing.T) {
	o := NewOutput(failing{}, "standard output")
	for range 2 {
		_, err := o.Write([]byte("a"))
		assert.EqualError(t, err, "standard output: no space")
	}
	assert.EqualError(t, o.Close(), "standard output: no space")
	var b strings.Builder
	o = NewOutput(&b, "b")
	_, err := io.WriteString(o, "a")
	require.NoError(t, err)
	require.NoError(t, o.Close())
	_, err = io.WriteString(o, "b")
	require.ErrorIs(t, err, os.ErrClosed)
	assert.Equal(t, "a", b.String())
	assert.False(t, IsTerminal(o))
}

func TestInputStopsWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	in := NewInput(ctx, r)
	go func() { _, _ = io.WriteString(w, "abc") }()
	got := make([]byte, 3)
	_, err := io.ReadFull(in, got)
	require.NoError(t, err)
	assert.Equal(t, "abc", string(got))
	time.AfterFunc(time.Millisecond, cancel)
	_, err = in.Read(got)
	assert.ErrorIs(t, err, context.Canceled)
}
