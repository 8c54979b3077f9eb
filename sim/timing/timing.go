// Package timing predicts how long a run takes on a chip or board. A [Model] is a watcher: add it to a run, and ask it
// afterwards. docs/TIMING.md compares it with boards.
//
//	model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
//	err = m.Watch(model)
//	...
//	took, err := model.Finish()
package timing

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// Params are the parameters of a chip or board.
type Params = timing.Params

// Field is a parameter with its unit and source.
type Field = timing.Field

// Model is a watcher that computes times.
type Model = timing.Watch

// Result is how long a run took, and why.
type Result = timing.Took

// Default returns the parameters of the chip that stands for a processor.
func Default(t gcn.Target) Params { return timing.Default(t) }

// Preset returns the parameters of a chip or board by its name, as in "fiji" or "R9 390".
func Preset(name string) (Params, error) { return timing.Preset(name) }

// Presets returns the names that [Preset] knows.
func Presets() []string { return timing.Presets() }

// New returns a model for one run of a processor.
func New(t gcn.Target, p Params) (*Model, error) {
	m, err := timing.New(t, p)
	return timing.WatchOf(m), err
}
