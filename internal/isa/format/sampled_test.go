package format_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// Formats that can contain infinities and NaN, and formats of four bytes that mean 0 to 1.
func TestKindsOfTexels(t *testing.T) {
	for _, c := range []struct {
		data, num     uint8
		floats, bytes bool
	}{
		{10, gcn.NumUNORM, false, true}, {10, gcn.NumSNORM, false, false}, {10, gcn.NumSRGB, false, false},
		{10, 4, false, false}, {3, gcn.NumUNORM, false, false}, {35, gcn.NumUNORM, false, false},
		{32, gcn.NumUNORM, false, false}, {4, 7, true, false}, {4, 4, false, false}, {12, 7, true, false},
		{6, 7, true, false}, {34, 7, true, false}, {40, gcn.NumSNORM, true, false},
	} {
		f, err := format.LookupImage(gcn.GCN12, c.data, c.num)
		require.NoError(t, err)
		require.Equal(t, c.floats, f.Floats, f)
		require.Equal(t, c.bytes, f.UnormBytes, f)
	}
}
