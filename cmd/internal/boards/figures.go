// Package boards has published figures that were measured on boards, with the time model's prediction for each.
// Package run executes the measured kernels. The program measure compares, and writes docs/TIMING.md.
package boards

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Figure is one measured number.
type Figure struct {
	ID, Benchmark string
	Kernel        string // name of the measured kernel in package run
	Board         string // name of a board in package chip, or of a stand-in in package run
	MHz           int    // engine clock, from the source or from product data
	Measured      float64
	Unit          string // GB/s, GFLOPS, GIOPS, MLUP/s (million cells a second), us, or cycles
	Use           string // whether the figure can be compared, and why not: see Comparable
	Source        string
	Predicted     float64 // prediction of the model, 0 without one
	Kept          string  // the resource that limits the kernel: a class of timing.Band
}

// The classes of figures.
const (
	Streaming  = "reads in order"
	Quarters   = "reads with stride"
	Mixed      = "reads and writes"
	Random     = "random reads"
	Arithmetic = "vector arithmetic"
	Latency    = "latency"
	Lattice    = "many streams"
	OneItem    = "one element an item"
	Caches     = "caches, LDS, few groups"
	Launch     = "launch"
	Code       = "code"
	OneWave    = "issue of one wave"
	Pitch      = "pitch of a power of two"
	Products   = "products of matrices"
)

// Classes are the kinds of kernels that figures are grouped by, in the order of reports.
var Classes = []string{Streaming, Quarters, Mixed, Random, Latency, Arithmetic, Lattice, OneItem, Caches, Launch, Code,
	OneWave, Pitch, Products}

// classOf are the classes of kernels that run on whole boards, by the prefix of their names.
var classOf = map[string]string{"lattice": Lattice, "init": OneItem, "read_64": OneItem, "read_512": OneItem,
	"scale": OneItem, "triad": OneItem, "three": OneItem, "again": Caches, "read_lds": Caches, "write_rows": Caches,
	"read_rows": Caches, "read_own": Caches, "launch": Launch, "cold": Code, "mix_f192": Code, "mix_f0": Streaming,
	"trace_inputs": OneWave, "trace_chains": OneWave, "trace_scalar": Latency, "clock": Latency, "flat": Latency,
	"square_copy": Mixed, "square_lds": Pitch, "product": Products, "write_columns": Mixed, "saxpy": Mixed}

//go:embed figures.tsv
var figures string

//go:embed predicted.tsv
var predicted string

// Figures returns the rows of figures.tsv, with predictions from predicted.tsv.
func Figures() []Figure {
	known := map[string][]string{}
	for _, row := range table(predicted) {
		known[row[0]] = row
	}
	var all []Figure
	for _, row := range table(figures) {
		f := figureOf(row)
		if row := known[f.ID]; row != nil {
			f.Predicted, f.Kept = number(row[1]), row[2]
		}
		all = append(all, f)
	}
	return all
}

// columns are the columns of figures.tsv.
const columns = "id\tbenchmark\tkernel\tboard\tmhz\tmeasured\tunit\tuse\tsource"

// figureOf parses a row of figures.tsv.
func figureOf(row []string) Figure {
	return Figure{
		ID: row[0], Benchmark: row[1], Kernel: row[2], Board: row[3], MHz: int(number(row[4])), Measured: number(row[5]),
		Unit: row[6], Use: row[7], Source: row[8],
	}
}

// ParseFigures parses text with the columns of figures.tsv, which examples/probe writes.
func ParseFigures(text string) (all []Figure, err error) {
	head, _, _ := strings.Cut(text, "\n")
	if head != columns {
		return nil, fmt.Errorf("boards: the first line is %.80q; it must name the columns of a file of figures, %q", head,
			columns)
	}
	for i, row := range table(text) {
		if len(row) != strings.Count(columns, "\t")+1 {
			return nil, fmt.Errorf("boards: line %d has %d columns; it must have those of the first line", i+2, len(row))
		}
		all = append(all, figureOf(row))
	}
	return all, nil
}

// Parameter returns the parameter of the time model that f measures, or "" if it measures something else.
func (f *Figure) Parameter() string {
	name, _ := strings.CutPrefix(f.Kernel, "param_")
	if name == f.Kernel {
		return ""
	}
	return name
}

// Compared returns the figures that can be compared and have a prediction.
func Compared() []Figure {
	return slices.DeleteFunc(Figures(), func(f Figure) bool { return !f.Comparable() || f.Predicted == 0 })
}

// table returns the rows of tab-separated text, without the header.
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

// Comparable reports whether the simulated kernel does the same as the measured one.
func (f *Figure) Comparable() bool { return !strings.HasPrefix(f.Use, "no") }

// Error returns the relative error of the prediction.
func (f *Figure) Error() float64 { return f.Predicted/f.Measured - 1 }

// Class returns the figure's class.
func (f *Figure) Class() string {
	name, _, _ := strings.Cut(f.Kernel, "_")
	for _, k := range []string{f.Kernel, name} {
		if class, ok := classOf[k]; ok {
			return class
		}
	}
	switch name {
	case "bw":
		if strings.HasPrefix(f.Use, "order") {
			return Quarters
		}
		return Streaming
	case "st":
		return Mixed
	case "rnd128":
		return Random
	case "chase":
		return Latency
	}
	return Arithmetic
}

// Summary says how accurate predictions are.
type Summary struct {
	N      int
	Median float64 // median of the absolute errors
	Worst  float64
	Within float64 // fraction of figures within 15 percent
}

// Summarize returns the summary of figures.
func Summarize(all []Figure) (s Summary) {
	var errs []float64
	for i := range all {
		e := math.Abs(all[i].Error())
		errs = append(errs, e)
		if e <= 0.15 {
			s.Within++
		}
	}
	if s.N = len(errs); s.N == 0 {
		return s
	}
	slices.Sort(errs)
	s.Median, s.Worst, s.Within = (errs[s.N/2]+errs[(s.N-1)/2])/2, errs[s.N-1], s.Within/float64(s.N)
	return s
}
