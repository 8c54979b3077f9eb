package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gcnsim": main})
}

func TestScripts(t *testing.T) {
	kernels, err := os.Getwd()
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("KERNELS", kernels+"/../../testdata/kernels")
			return nil
		},
	})
}

// TestExecAnswersEachLineAtOnce converses over a pipe with more jobs than lines.
func TestExecAnswersEachLineAtOnce(t *testing.T) {
	in, requests := io.Pipe()
	replies, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- execLines(context.Background(), in, out, 4, nil, new(atomic.Int64)) }()
	answers := bufio.NewReader(replies)
	for _, id := range []string{"1", `"<a&b>"`, "null"} {
		_, err := io.WriteString(requests, `{"id":`+id+`,"mcpu":"gfx803","words":[]}`+"\n")
		require.NoError(t, err)
		answer, err := answers.ReadString('\n')
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(answer, `{"id":`+id+`,"ok":true`), answer)
	}
	require.NoError(t, requests.Close())
	require.NoError(t, <-done)
}
