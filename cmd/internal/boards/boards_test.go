package boards_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/testkit/svgtest"
)

// TestFigures: every figure is complete, and its board exists.
func TestFigures(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range boards.Figures() {
		assert.False(t, seen[f.ID], f.ID)
		seen[f.ID] = true
		assert.Positive(t, f.Measured, f.ID)
		assert.Positive(t, f.MHz, f.ID)
		assert.NotEmpty(t, f.Source, f.ID)
		assert.NotEmpty(t, f.Use, f.ID)
		assert.Contains(t, []string{"GB/s", "GFLOPS", "GIOPS", "MLUP/s", "us", "cycles"}, f.Unit, f.ID)
		assert.Contains(t, boards.Classes, f.Class(), f.ID)
		assert.True(t, f.Board == "mi100" || f.Board == "vega-7" || chip.LookupBoard(f.Board).Name == f.Board, f.ID)
		assert.Equal(t, f.Comparable(), f.Predicted != 0, f.ID)
	}
}

// TestGoals: the accuracy that docs/TIMING.md claims holds.
func TestGoals(t *testing.T) {
	s := boards.Summarize(boards.Compared())
	assert.GreaterOrEqual(t, s.N, 69)
	assert.Less(t, s.Median, 0.08)
	assert.Greater(t, s.Within, 0.85)
}

// TestDocumentIsCurrent: make boards would write the same docs/TIMING.md and plot.
func TestDocumentIsCurrent(t *testing.T) {
	text, err := os.ReadFile("../../../docs/TIMING.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), boards.Report(boards.Compared()), "run make boards")
	plot, err := os.ReadFile("../../../docs/timing.svg")
	require.NoError(t, err)
	assert.Equal(t, string(plot), boards.Plot(boards.Compared()), "run make boards")
}

// TestPlot: the plot has a dot for each figure, besides background and legend.
func TestPlot(t *testing.T) {
	assert.Equal(t, 1+len(boards.Classes)+len(boards.Compared()), svgtest.Check(t, "../../../docs/timing.svg"))
}

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	require.NoError(t, os.WriteFile(path, []byte("a\n<!-- x -->\nold\n<!-- /x -->\nb\n"), 0o600))
	require.NoError(t, boards.Replace(path, "x", "new\n"))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb\n", string(text))
	require.ErrorContains(t, boards.Replace(path, "y", "new\n"), "has no lines <!-- y -->")
	require.ErrorIs(t, boards.Replace(path+"x", "x", ""), os.ErrNotExist)
}

// How well the figures of a board are predicted.
func Example() {
	s := boards.Summarize([]boards.Figure{{Measured: 100, Predicted: 90}, {Measured: 100, Predicted: 104},
		{Measured: 100, Predicted: 120}})
	fmt.Printf("median %.0f %%, worst %.0f %%, %.0f %% within 15 %%\n", 100*s.Median, 100*s.Worst, 100*s.Within)
	// Output: median 10 %, worst 20 %, 67 % within 15 %
}
