package pm4_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

// Command buffers of drivers are decoded without errors. Each file of testdata has the command buffers of a program,
// is named after chip, interface and ring, and has its listing beside it.
func TestBuffersOfDrivers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.hex"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			parts := strings.Split(strings.TrimSuffix(filepath.Base(file), ".hex"), "_")
			require.Len(t, parts, 3)
			s := pm4.Stream{Gen: chip.Lookup(parts[0]).Target.Gen()}
			if parts[2] == pm4.Compute.String() {
				s.Ring = pm4.Compute
			}
			var list bytes.Buffer
			for i, words := range buffers(t, file) {
				if i > 0 {
					list.WriteByte('\n')
				}
				for at := 0; at < len(words); {
					p, n, err := s.Next(words, at)
					require.NoError(t, err)
					assert.NotEmpty(t, p.Name)
					at += n
				}
				require.NoError(t, s.List(&list, words))
			}
			assert.Contains(t, list.String(), "DISPATCH_DIRECT")
			golden.Compare(t, strings.TrimSuffix(file, ".hex")+".list", list.Bytes())
		})
	}
}

// buffers parses words in hex; an empty line ends a buffer.
func buffers(t *testing.T, file string) (all [][]uint32) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	all = [][]uint32{nil}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 && len(all[len(all)-1]) > 0 {
			all = append(all, nil)
		}
		for _, f := range fields {
			v, err := strconv.ParseUint(f, 16, 32)
			require.NoError(t, err)
			all[len(all)-1] = append(all[len(all)-1], uint32(v))
		}
	}
	return all
}
