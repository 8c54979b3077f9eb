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

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
)

// silent returns a standard input that never provides data.
func silent(t *testing.T) io.Reader {
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return r
}

const endless = `{"mcpu":"gfx803","asm":"l: s_branch l","max_instructions":1000000000000000}`

// TestInterrupt cancels the context of each command while it waits for standard input or executes an endless program.
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
		stdin string // the input, after which no more comes
		left  string
	}{
		"asm":              {"asm --mcpu=fiji", "", "nothing was written"},
		"asm, by the line": {"asm --mcpu=fiji --batch", "s_nop 0\n", "1 lines were translated"},
		"dis":              {"dis --mcpu=fiji -", "", "nothing was written"},
		"explain":          {"explain --mcpu=fiji inst", "", "nothing was written"},
		"exec":             {"exec", done + done, "2 requests were answered"},
		"exec that runs":   {"exec --jobs=2", done + endless, "1 requests were answered"},
		"dispatch":         {"dispatch -", "", "nothing was written"},
		"run":              {"run -", "", "nothing was written"},
		"run of a request": {"run " + request, "", "the run had not ended"},
		"page":             {"page --port=0", "", "the page is not served any more"},
		"run and report":   {"run --report=" + report + " " + request, "", "the run had not ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told, begun := "", 100*time.Millisecond // repeat with a longer delay on a busy machine
			for ; !strings.Contains(told, "gcnsim: interrupted; "+c.left) && begun < 30*time.Second; begun *= 4 {
				told = interrupted(t, strings.Fields(c.args), io.MultiReader(strings.NewReader(c.stdin), silent(t)), begun)
			}
			assert.Contains(t, told, "gcnsim: interrupted; "+c.left)
		})
	}
	t.Cleanup(func() { assert.FileExists(t, report) })
}

// interrupted executes a command, interrupts it after a delay, and returns its messages.
func interrupted(t *testing.T, args []string, stdin io.Reader, after time.Duration) string {
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr strings.Builder
	status := make(chan int, 1)
	go func() { status <- run(ctx, args, stdin, &stdout, &stderr) }()
	time.Sleep(after)
	cancel()
	select {
	case got := <-status:
		assert.Equal(t, cli.ExitInterrupted, got, args)
	case <-time.After(time.Minute):
		t.Fatal(args, "goes on")
	}
	return stderr.String()
}

// If the port is in use, the error says what to do.
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
