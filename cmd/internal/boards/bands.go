package boards

import (
	"math"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// holding is the part of figures that a band holds, and narrowest the least that a band says, in percent: runs of one
// board differ by as much.
const holding, narrowest = 0.85, 5

// Bands returns the bands of all classes that figures show, and which part of the figures lies within a band that was
// made without the benchmark of the figure.
//
// The figures of one benchmark are alike, more than those of another user's kernel are. So bands are wider than the
// errors of their figures, by one factor: with it the bands that are made without a benchmark hold for its figures.
func Bands(all []Figure) (bands []timing.Band, held float64) {
	var needed []float64 // how much wider bands must be, for each figure
	for i := range all {
		f := &all[i]
		errs := errorsOf(all, f.Benchmark)
		needed = append(needed, math.Abs(f.Error())/limit(errs, f.Kept))
	}
	factor := max(quantile(needed), 1)
	for _, n := range needed {
		if n <= factor {
			held += 1 / float64(len(needed))
		}
	}
	errs := errorsOf(all, "")
	for _, b := range timing.Bands {
		b.Figures = len(errs[b.Class])
		b.Percent = max(int(math.Ceil(100*factor*limit(errs, b.Class))), narrowest)
		bands = append(bands, b)
	}
	return bands, held
}

// errorsOf returns the errors of figures by what keeps them, without those of a benchmark.
func errorsOf(all []Figure, benchmark string) map[string][]float64 {
	errs := map[string][]float64{}
	for i := range all {
		if f := &all[i]; f.Benchmark != benchmark {
			errs[f.Kept] = append(errs[f.Kept], math.Abs(f.Error()))
		}
	}
	return errs
}

// limit returns what holds errors of a class; with few of them, those of the class whose errors are largest.
func limit(errs map[string][]float64, class string) (most float64) {
	if len(errs[class]) >= timing.LeastFigures {
		return quantile(errs[class])
	}
	for _, other := range errs {
		if len(other) >= timing.LeastFigures {
			most = max(most, quantile(other))
		}
	}
	return most
}

// quantile returns what holds values.
func quantile(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(math.Ceil(holding*float64(len(sorted))))-1]
}
