package sweep

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// BenchmarkCase runs one case through a worker; Baseline is the dispatch alone, in process.
func BenchmarkCase(b *testing.B) {
	const name = "../../../testdata/kernels/saxpy.fiji.json"
	text, err := os.ReadFile(name)
	require.NoError(b, err)
	dir, err := filepath.Abs(filepath.Dir(name))
	require.NoError(b, err)
	b.Run("Baseline", func(b *testing.B) {
		o := &spec.Options{Files: files.ReadOnly{Dir: files.Dir(dir)}, Objects: &sim.ObjectCache{}, Workers: 1}
		for b.Loop() {
			req, err := spec.ParseDispatch(text)
			require.NoError(b, err)
			_, err = req.Answer(context.Background(), o)
			require.NoError(b, err)
		}
	})
	b.Run("Worker", func(b *testing.B) {
		p := &process{start: worker(b)}
		defer p.end(true)
		c := &Case{ID: "saxpy", Kind: "dispatch", Dir: dir, Spec: lineOf(nil)}
		c.Spec = text
		for b.Loop() {
			a, err := p.do(context.Background(), c)
			require.NoError(b, err)
			require.Equal(b, passed, a.Status, a.Message)
		}
	})
}
