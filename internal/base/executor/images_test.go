package executor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
)

// sized is a view with that size in bytes.
type sized int

func (s sized) Bytes() int { return int(s) }

// The cache of decoded T#s is bounded in bytes, independent of their number and size.
func TestImagesAreBounded(t *testing.T) {
	for _, size := range []int{1 << 12, 1 << 20, 12 << 20, 1 << 30} {
		var im executor.Images
		const limit = 256 << 20
		for i := range 100_000 {
			d := gcn.TSharp{uint32(i)}
			im.Keep(&d, sized(size))
			im.Keep(&d, sized(size)) // added by another wave
			if im.View(&d) == nil {
				t.Fatalf("image %d of %d bytes is not kept", i, size)
			}
		}
		kept := 0
		for i := range 100_000 {
			if im.View(&gcn.TSharp{uint32(i)}) != nil {
				kept++
			}
		}
		require.LessOrEqual(t, kept*size, max(limit, size))
		require.Positive(t, kept)
	}
}
