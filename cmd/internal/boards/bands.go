package boards

import (
	"math"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// holding is the fraction of figures that must lie within a band. narrowest is the least width of a band in percent,
// because repeated measurements on one board differ by as much.
const holding, narrowest = 0.85, 5

// Bands returns error bands for all classes. held is the fraction of figures inside of a band that was computed
// without the benchmark of the figure.
//
// Figures of one benchmark resemble each other more than the kernels of another user. Therefore all bands are widened
// by one factor, chosen such that bands that are computed without a benchmark also hold for its figures.
func Bands(all []Figure) (bands []timing.Band, held float64) {
	var needed []float64 // for each figure, the factor by which its band must be widened
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

// errorsOf returns the errors by the resource that limits the figure, without the figures of one benchmark.
func errorsOf(all []Figure, benchmark string) map[string][]float64 {
	errs := map[string][]float64{}
	for i := range all {
		if f := &all[i]; f.Benchmark != benchmark {
			errs[f.Kept] = append(errs[f.Kept], math.Abs(f.Error()))
		}
	}
	return errs
}

// limit returns the bound of a class's errors. If it has few figures, it is the greatest bound of all classes.
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

// quantile returns the bound that holds for the fraction holding of values.
func quantile(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(math.Ceil(holding*float64(len(sorted))))-1]
}
