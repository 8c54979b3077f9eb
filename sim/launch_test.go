package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// TestGroupLimit: metadata may lower the limit of the hardware, or say nothing.
func TestGroupLimit(t *testing.T) {
	for _, c := range []struct {
		stated, group uint32
		what          string
	}{
		{0, 1024, ""},
		{0, 1025, "kernel k: a work-group of 1025 work-items is larger than the 1024 it can have"},
		{256, 256, ""},
		{256, 257, "kernel k: a work-group of 257 work-items is larger than the 256 it can have"},
		{4096, 2000, "kernel k: a work-group of 2000 work-items is larger than the 1024 it can have"},
	} {
		l := Launch{Grid: [3]uint32{4096}, Group: [3]uint32{c.group}}
		err := l.check(&codeobj.Kernel{Name: "k", MaxFlatGroupSize: c.stated})
		if c.what == "" {
			require.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.what)
		}
	}
}
