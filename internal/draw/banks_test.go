package draw_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/testkit/svgtest"
)

// TestLDS draws accesses and looks for the number of clocks of rule CY10.
func TestLDS(t *testing.T) {
	tests := map[string]struct {
		program string
		cells   int // dwords that banks deliver, in all phases
		hues    int // number of clock colours
		titles  []string
	}{
		"linear": {"v_lshlrev_b32 v0, 2, v0\nds_read_b32 v1, v0", 64, 1,
			[]string{"part 1 of 2: 1 clock<", "part 2 of 2: 1 clock<"}},
		"stride 8": {"v_lshlrev_b32 v0, 5, v0\nds_read_b32 v1, v0", 64, 8,
			[]string{"part 1 of 2: 8 clocks<"}},
		"stride 32": {"v_lshlrev_b32 v0, 7, v0\nds_write_b32 v0, v1", 64, 8,
			[]string{"part 2 of 2: 32 clocks<", ">8 and later<"}},
		"broadcast": {"ds_read_b32 v1, v2", 2, 1,
			[]string{"part 1 of 2: 1 clock<", ">0*<", ">32*<"}},
		"64 bits": {"v_lshlrev_b32 v0, 3, v0\nds_read_b64 v[2:3], v0", 128, 1,
			[]string{"part 4 of 4: 1 clock<"}},
		"128 bits": {"v_lshlrev_b32 v0, 4, v0\nds_write_b128 v0, v[4:7]", 256, 1,
			[]string{"part 8 of 8: 1 clock<"}},
		"adjacent": {"v_lshlrev_b32 v0, 3, v0\nds_read2_b32 v[2:3], v0 offset1:1", 128, 1,
			[]string{"part 4 of 4: 1 clock<"}},
		"apart": {"v_lshlrev_b32 v0, 2, v0\nds_read2_b32 v[2:3], v0 offset1:64", 128, 1,
			[]string{"first address, part 1 of 2", "second address, part 2 of 2"}},
		"one lane": {"s_mov_b64 exec, 1\nds_read_b32 v1, v0", 1, 1,
			[]string{"ds_read_b32 v1, v0: 1 clock<"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := draw.Of(draw.Program(t.Context(), gcn.GFX803, test.program), draw.New("lds"))
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "banks.svg")
			require.NoError(t, c.Save(path))
			assert.Equal(t, 1+test.hues+test.cells, svgtest.Check(t, path), "with background and legend")
			for _, title := range test.titles {
				assert.Contains(t, c.String(), title)
			}
		})
	}
}

func TestLDSRefuses(t *testing.T) {
	tests := map[string][2]string{
		"no access":    {"v_mov_b32 v1, v0", "no lane accesses the LDS"},
		"out of range": {"v_mov_b32 v1, 0x100000\nds_read_b32 v2, v1", "no lane accesses the LDS"},
		"no lane":      {"s_mov_b64 exec, 0\nds_read_b32 v2, v0", "no lane accesses the LDS"},
		"wrong text":   {"ds_read_b99 v1, v0", "ds_read_b99"},
		"too many":     {strings.Repeat("ds_read_b32 v1, v0\n", 9), "more than 8 accesses to the LDS"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := draw.Of(draw.Program(t.Context(), gcn.GFX803, test[0]), draw.New("lds"))
			assert.ErrorContains(t, err, test[1])
		})
	}
}
