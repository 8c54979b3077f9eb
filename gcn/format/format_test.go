package format_test

import "math"

func f32(f float32) uint32 { return math.Float32bits(f) }
func f64(v uint32) float64 { return float64(math.Float32frombits(v)) }
