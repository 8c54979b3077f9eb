package spec_test

import (
	"os"
	"testing"

	"github.com/gcnsim/gcnsim/sim/spec"
)

func BenchmarkZZ(b *testing.B) {
	x, _ := os.ReadFile("../../testdata/kernels/" + os.Getenv("K") + ".fiji.co")
	y, _ := os.ReadFile("../../testdata/kernels/" + os.Getenv("K") + ".gfx900.co")
	for range b.N {
		_, err := spec.DiffObjects(b.Context(), x, y, [2]string{"a", "b"}, nil)
		if err != nil {
			b.Fatal(err)
		}
	}
}
