package page_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/page"
)

// text is written by one goroutine and read by another.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (x *text) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.Write(p)
}

func (x *text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.String()
}

// A server prints its address, the progress of executions and errors, and ends with its context.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out, log text
	ended := make(chan error, 1)
	go func() { ended <- page.Serve(ctx, 0, nil, &out, &log) }()
	said := func(x *text, want string) string {
		t.Helper()
		var found []string
		require.Eventually(t, func() bool {
			found = regexp.MustCompile(want).FindStringSubmatch(x.String())
			return found != nil
		}, time.Minute, 5*time.Millisecond, want)
		return found[len(found)-1]
	}
	at := said(&out, `^the page is at (http://\S+/), until Ctrl-C ends it\n$`)
	call := func(ctx context.Context, name, body string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, at+"engine/"+name, strings.NewReader(body))
		require.NoError(t, err)
		return http.DefaultClient.Do(req)
	}
	answer := func(name, body string) string {
		t.Helper()
		r, err := call(t.Context(), name, body)
		require.NoError(t, err)
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return string(b)
	}
	assert.Regexp(t, `^answer\n\{"reply":\{"ok":true,"instructions":1`,
		answer("run?progress", `{"mcpu":"fiji","asm":"s_nop 0"}`))
	assert.Regexp(t, `^\{"reply":`, answer("run", `{"mcpu":"fiji","asm":"s_nop 0"}`))
	said(&log, `(?m)^\d\d:\d\d:\d\d run of 1 instructions took `)
	assert.Regexp(t, `^error\nthe call: `, answer("run?progress", `{`))
	said(&log, `(?m) run: the call: `)

	one, stop := context.WithCancel(t.Context())
	r, err := call(one, "run?progress", fmt.Sprintf(`{"mcpu":"fiji","asm":%q}`, "l: s_branch l"))
	require.NoError(t, err)
	defer r.Body.Close()
	line := make([]byte, 9)
	_, err = io.ReadFull(r.Body, line)
	require.NoError(t, err)
	assert.Equal(t, "executed ", string(line))
	stop()
	said(&log, `(?m) run was cancelled after `)

	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// Pages of other origins cannot call the server.
func TestOrigin(t *testing.T) {
	server := httptest.NewServer(page.Handler())
	defer server.Close()
	for header, value := range map[string]string{"Origin": "http://example.org", "Host": "example.org"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		req.Header.Set(header, value)
		if header == "Host" {
			req.Host = value
		}
		r, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		assert.Equal(t, http.StatusForbidden, r.StatusCode, header)
	}
}
