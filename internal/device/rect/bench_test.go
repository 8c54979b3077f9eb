package rect

import (
	"testing"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

func BenchmarkPixels(b *testing.B) {
	d := newBench(b, *chip.Lookup("fiji"), corner, place)
	for b.Loop() {
		if err := d.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(width*height), "ns/pixel")
}
