package engine_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// The lessons' pictures are those of their first steps.
func TestPicturesOfLessons(t *testing.T) {
	list, err := engine.Lessons()
	require.NoError(t, err)
	pictures := map[string][]string{}
	for i := range list {
		l := &list[i]
		pictures[l.Name] = pictureOf(t, l)
		assert.NotEmpty(t, pictures[l.Name], l.Name)
	}
	text, err := json.MarshalIndent(pictures, "", " ")
	require.NoError(t, err)
	golden.Compare(t, "../lessons/pictures.json", append(text, '\n'))
}

// maxRows is how many rows a picture has.
const maxRows = 8

// pictureOf draws the cache lines or banks that the first step accesses, by groups of lanes. If it accesses none, it
// draws the active lanes if some are inactive, otherwise the accesses of another step, otherwise VCC.
func pictureOf(t *testing.T, l *engine.Lesson) (rows []string) {
	t.Helper()
	r := call[ran](t, "run", &l.Scenario)
	file, err := record.Read(bytes.NewReader(r.Record))
	require.NoError(t, err)
	n, vcc := 0, uint64(0)
	var other []string
	for s, err := range file.Windows[l.Wave].Steps() {
		require.NoError(t, err)
		if s.Inst == nil {
			continue
		}
		n++
		switch first := n == l.Start; {
		case first && s.Access != nil:
			return touched(s)
		case first && s.State.Exec() != ^uint64(0):
			return masks(s.State.Exec())
		case first:
			vcc = s.State.Scalar64(gcn.VCC)
		case s.Access != nil && other == nil:
			other = touched(s)
		}
	}
	if other == nil {
		other = masks(vcc)
	}
	return other
}

// masks draws 64 lanes in four rows.
func masks(exec uint64) (rows []string) {
	for row := range 4 {
		line := ""
		for lane := range 16 {
			line += string("ba"[exec>>(16*row+lane)&1])
		}
		rows = append(rows, line)
	}
	return rows
}

// touched draws the dwords that the lanes of a step access.
func touched(s *record.Step) (rows []string) {
	a, wide := s.Access, uint64(16)
	if a.Space != 0 {
		wide = 32
	}
	lines := map[uint64][]byte{}
	lanes := a.Exec
	if a.Scalar {
		lanes = 1
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros64(lanes)
		if a.Out[0]>>lane&1 != 0 {
			continue
		}
		for element := range max(int(a.Count), 1) {
			dword := a.At(element, lane) / 4
			line := lines[dword/wide]
			if line == nil {
				line = bytes.Repeat([]byte("."), int(wide))
			}
			group := max(slices.IndexFunc(s.LaneGroups, func(x timing.LaneGroup) bool { return x.Lanes>>lane&1 != 0 }), 0)
			line[dword%wide] = byte('a' + group%8)
			lines[dword/wide] = line
		}
	}
	for _, number := range slices.Sorted(maps.Keys(lines)) {
		if len(rows) < maxRows {
			rows = append(rows, string(lines[number]))
		}
	}
	return rows
}
