package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/cli"
)

// silent is standard input that never comes.
func silent(t *testing.T) io.Reader {
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return r
}

const endless = `{"mcpu":"gfx803","asm":"l: s_branch l","max_instructions":1000000000000000}`

// TestInterrupt ends the context of each command while it waits for standard input or runs
// without an end.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	request := file("endless.json", endless)
	report := filepath.Join(dir, "r.html")
	done := `{"mcpu":"gfx803","words":[]}` + "\n"
	for name, c := range map[string]struct {
		args  string
		stdin io.Reader // nil: none comes
		left  string
	}{
		"asm":              {"asm --mcpu=fiji", nil, "nothing was written"},
		"asm, by the line": {"asm --mcpu=fiji --batch", io.MultiReader(strings.NewReader("s_nop 0\n"), silent(t)), "1 lines were translated"},
		"dis":              {"dis --mcpu=fiji -", nil, "nothing was written"},
		"explain":          {"explain --mcpu=fiji inst", nil, "nothing was written"},
		"exec":             {"exec", io.MultiReader(strings.NewReader(done+done), silent(t)), "2 requests were answered"},
		"exec that runs":   {"exec --jobs=2", strings.NewReader(done + endless), "1 requests were answered"},
		"dispatch":         {"dispatch -", nil, "nothing was written"},
		"run":              {"run -", nil, "nothing was written"},
		"run of a request": {"run " + request, nil, "the run had not ended"},
		"page":             {"page --port=0", nil, "the page is not served any more"},
		"run and report":   {"run --report=" + report + " " + request, nil, "the run had not ended"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if c.stdin == nil {
			c.stdin = silent(t)
		}
		var stdout, stderr strings.Builder
		status := make(chan int, 1)
		go func() { status <- run(ctx, strings.Fields(c.args), c.stdin, &stdout, &stderr) }()
		time.Sleep(100 * time.Millisecond)
		cancel()
		select {
		case got := <-status:
			assert.Equal(t, cli.ExitInterrupted, got, name)
		case <-time.After(10 * time.Second):
			t.Fatal(name, "goes on")
		}
		assert.Contains(t, stderr.String(), "gcnsim: interrupted; "+c.left, name)
	}
	assert.FileExists(t, report)
}

// A port that is taken is an error that says what to do.
func TestPageWithoutAPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	var stdout, stderr strings.Builder
	args := []string{"page", fmt.Sprintf("--port=%d", l.Addr().(*net.TCPAddr).Port)}
	assert.Equal(t, cli.ExitInput, run(t.Context(), args, silent(t), &stdout, &stderr))
	assert.Empty(t, stdout.String())
	assert.Regexp(t, "cannot be served.*choose another port, 0 for any that is free", stderr.String())
}
