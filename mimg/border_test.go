package mimg

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// Border colours are clamped to the range of elements (rule CO5).
func TestClampColour(t *testing.T) {
	bits := math.Float32bits
	nan := bits(float32(math.NaN()))
	for _, c := range []struct {
		data, num uint8
		in, want  [4]uint32
	}{
		{10, gcn.NumUNORM, [4]uint32{bits(-1), bits(0.3), bits(2), nan}, [4]uint32{0, bits(0.3), bits(1), 0}},
		{10, gcn.NumSRGB, [4]uint32{bits(-1), bits(0.3), bits(2), bits(1)}, [4]uint32{0, bits(0.3), bits(1), bits(1)}},
		{10, gcn.NumSNORM, [4]uint32{bits(-3), bits(-0.3), bits(2), nan}, [4]uint32{bits(-1), bits(-0.3), bits(1), 0}},
		{10, 4, [4]uint32{0, 255, 256, 1 << 31}, [4]uint32{0, 255, 255, 255}},
		{10, 5, [4]uint32{127, 128, 0xffffff80, 1 << 31}, [4]uint32{127, 127, 0xffffff80, 0xffffff80}},
		{9, 4, [4]uint32{1023, 2000, 0, 9}, [4]uint32{1023, 1023, 0, 3}},
		{14, 4, [4]uint32{1 << 31, 1, 2, 3}, [4]uint32{1 << 31, 1, 2, 3}},
		{14, 5, [4]uint32{1 << 31, 1<<31 - 1, 2, 3}, [4]uint32{1 << 31, 1<<31 - 1, 2, 3}},
		{12, 7, [4]uint32{bits(-1e9), nan, bits(2), 0}, [4]uint32{bits(-1e9), nan, bits(2), 0}},
		{40, gcn.NumUNORM, [4]uint32{bits(7), 0, 0, 0}, [4]uint32{bits(7), 0, 0, 0}}, // BC6 contains floats
	} {
		f, err := format.LookupImage(gcn.GCN12, c.data, c.num)
		require.NoError(t, err)
		require.Equal(t, c.want, clampColour(f, c.in), f)
	}
}
