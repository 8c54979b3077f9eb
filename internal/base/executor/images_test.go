package executor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
)

// sized is a view of so many bytes.
type sized int

func (s sized) Bytes() int { return int(s) }

// What is kept of T#s has a bound in bytes, however many and however large they are.
func TestImagesAreBounded(t *testing.T) {
	for _, size := range []int{1 << 12, 1 << 20, 12 << 20, 1 << 30} {
		var im executor.Images
		const limit = 256 << 20
		for i := range 100_000 {
			d := gcn.TSharp{uint32(i)}
			im.Keep(&d, sized(size))
			im.Keep(&d, sized(size)) // of another wave
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
