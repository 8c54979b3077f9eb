//go:build s3

package s3

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/sweep"
)

// TestMain makes the test binary a worker of a sweep where that is asked for.
func TestMain(m *testing.M) {
	if os.Getenv("SWEEP_WORKER") == "" {
		os.Exit(m.Run())
	}
	if err := sweep.Serve(context.Background(), os.Stdin, os.Stdout, sweep.Judge{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// server starts versitygw, a server of the protocol over a directory, and makes a bucket.
func server(t *testing.T) {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		t.Skip("versitygw is not installed: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	cmd := exec.Command(program, "--access", "key", "--secret", "secret", "--port", addr, "posix", "--sidecar",
		t.TempDir(), t.TempDir())
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Setenv("AWS_ENDPOINT_URL", "http://"+addr)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_REGION", "us-east-1")
	b, err := open(context.Background(), "s3://results")
	require.NoError(t, err)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.NoError(c, b.(*Bucket).client.MakeBucket(context.Background(), "results", minio.MakeBucketOptions{}))
	}, time.Minute, 50*time.Millisecond)
}

func TestStore(t *testing.T) {
	server(t)
	b, err := open(context.Background(), "s3://results/some/prefix/")
	require.NoError(t, err)
	assert.Equal(t, "s3://results/some/prefix", fmt.Sprint(b))
	for name, s := range map[string]sweep.Store{"bucket": b, "directory": sweep.Dir(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Read("chunks/1")
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.NoError(t, s.Remove("chunks/1"))
			names, err := s.List("chunks")
			require.NoError(t, err)
			require.Empty(t, names)
			for _, name := range []string{"chunks/b", "chunks/a", "top"} {
				require.NoError(t, s.Write(name, []byte(name)))
			}
			names, err = s.List("chunks")
			require.NoError(t, err)
			require.Equal(t, []string{"chunks/a", "chunks/b"}, names)
			for range 2 {
				j, err := s.Journal("journals/1")
				require.NoError(t, err)
				require.NoError(t, j.Add([]byte("line\n")))
				require.NoError(t, j.Close())
			}
			data, err := s.Read("journals/1")
			require.NoError(t, err)
			require.Equal(t, "line\nline\n", string(data))
			require.NoError(t, s.Remove("journals/1"))
			_, err = s.Read("journals/1")
			require.ErrorIs(t, err, fs.ErrNotExist)
		})
	}
}

// TestSweep: a bucket and a directory give the same merged bytes.
func TestSweep(t *testing.T) {
	server(t)
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf(`{"id":"c%d","exec":{"mcpu":"fiji","asm":"s_mov_b32 s0, %d"}}`, i, i))
	}
	name := filepath.Join(t.TempDir(), "corpus.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o666))
	b, err := open(context.Background(), "s3://results/sweep")
	require.NoError(t, err)
	var texts []string
	for _, s := range []sweep.Store{b, sweep.Dir(t.TempDir())} {
		c, err := sweep.Open(name)
		require.NoError(t, err)
		run := &sweep.Sweep{Corpus: c, Store: s, Version: "v1", Jobs: 2, Worker: func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "SWEEP_WORKER=1")
			return cmd
		}}
		_, err = run.Run(context.Background())
		require.NoError(t, err)
		m, err := sweep.Merge(s)
		require.NoError(t, err)
		require.Equal(t, map[string]int{"ok": 30}, m.Status)
		texts = append(texts, string(m.Text()))
	}
	require.Equal(t, texts[0], texts[1])
}

func TestNames(t *testing.T) {
	_, err := open(context.Background(), "s3:///prefix")
	require.ErrorContains(t, err, "names no bucket")
	t.Setenv("AWS_ENDPOINT_URL", "nowhere")
	_, err = open(context.Background(), "s3://bucket")
	require.ErrorContains(t, err, "AWS_ENDPOINT_URL")
}
