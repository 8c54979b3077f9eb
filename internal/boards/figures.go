// Package boards compares the time model with figures that were measured on boards and
// published: it runs kernels that do what each figure measures, on a part of the board, and
// says what the model predicts. docs/TIMING.md is written by it.
package boards

import (
	_ "embed"
	"strconv"
	"strings"
)

// Figure is one measured number.
type Figure struct {
	ID, Benchmark string
	Kernel        string // of testdata/kernels.cl, or what it stands for, see [Figure.Predict]
	Board         string // of [chip.Boards]; mi100 is a later chip, see proxies
	MHz           int    // of the engine as the source or product data have it
	Measured      float64
	Unit          string // GB/s, GFLOPS, GIOPS, or cycles
	Use           string // whether the figure can be compared, and why not: see Comparable
	Source        string
	Predicted     float64 // what the model said when docs/TIMING.md was written; 0 if it was not asked
}

//go:embed figures.tsv
var figures string

//go:embed predicted.tsv
var predicted string

// Figures returns the figures of the table figures.tsv with the predictions of
// predicted.tsv.
func Figures() []Figure {
	known := map[string]float64{}
	for _, row := range table(predicted) {
		known[row[0]] = number(row[1])
	}
	var all []Figure
	for _, row := range table(figures) {
		mhz, _ := strconv.Atoi(row[4])
		all = append(all, Figure{row[0], row[1], row[2], row[3], mhz, number(row[5]), row[6], row[7], row[8], known[row[0]]})
	}
	return all
}

// table returns the rows of tab-separated text, without its heading.
func table(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
}

func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// Comparable reports whether what was measured is what the kernel does.
func (f *Figure) Comparable() bool { return !strings.HasPrefix(f.Use, "no") }

// Error returns how far a prediction is off, as a part of the figure.
func (f *Figure) Error() float64 { return f.Predicted/f.Measured - 1 }

// Class returns what kind of figure it is.
func (f *Figure) Class() string {
	if k := kernelOf(f); k != nil {
		return k.class
	}
	return ""
}
