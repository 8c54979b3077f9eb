//go:build linux && amd64 && !purego

package sim_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime/pprof"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestProfile takes a CPU profile while a kernel executes in compiled blocks. The profile must end, and name the
// kernel.
func TestProfile(t *testing.T) {
	effort.Long(t)
	if why := block.Unavailable(); why != "" {
		t.Skip(why)
	}
	last := throughputs[len(throughputs)-1]
	require.Equal(t, "mandelbrot", last.name)
	m, l := last.launch(t, 1)
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Skip(err)
	}
	for range 400 { // a third of a second on one core
		_, err := m.Dispatch(ctx, l)
		require.NoError(t, err)
	}
	pprof.StopCPUProfile()
	unpacked, err := gzip.NewReader(&profile)
	require.NoError(t, err)
	text, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	for _, s := range []string{"runtime._ExternalCode", "kernel", "mandelbrot"} {
		require.True(t, bytes.Contains(text, []byte(s)), s)
	}
}
