// Package lane returns values of vector registers for tests and examples.
package lane

import (
	"math"

	"github.com/gcnsim/gcnsim/state"
)

// ID returns the lane numbers 0 to 63.
func ID() state.Lanes { return Times(1) }

// Times returns k times the lane number, modulo 1<<32.
func Times(k uint32) state.Lanes {
	return Func(func(lane int) uint32 { return uint32(lane) * k })
}

// All returns v in every lane.
func All(v uint32) state.Lanes {
	return Func(func(int) uint32 { return v })
}

// Float returns the bits of f in every lane.
func Float(f float32) state.Lanes { return All(math.Float32bits(f)) }

// Of returns the given values in the lanes from 0 on, and 0 in the other lanes. It panics if there are more than 64.
func Of(values ...uint32) state.Lanes {
	var v state.Lanes
	if copy(v[:], values) < len(values) {
		panic("lane: more than 64 values")
	}
	return v
}

// Func returns f(lane) for each lane.
func Func(f func(lane int) uint32) state.Lanes {
	var v state.Lanes
	for i := range v {
		v[i] = f(i)
	}
	return v
}
