// Package timing predicts the duration of a run on a chip or board. A [Model] is a watcher: add it to a run, and call
// Finish afterwards. docs/TIMING.md compares it with boards.
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

// Result holds the duration of a run and its causes.
type Result = timing.Took

// Default returns the parameters of the chip that represents a processor.
func Default(t gcn.Target) Params { return timing.Default(t) }

// Preset returns the parameters of a chip or board by its name, for example "fiji" or "R9 390". The error lists the
// known names.
func Preset(name string) (Params, error) { return timing.Preset(name) }

// Presets returns the names of the chips that [Preset] accepts.
func Presets() []string { return timing.Presets() }

// New returns a model for one run on processor t. The error names an invalid parameter.
func New(t gcn.Target, p Params) (*Model, error) {
	m, err := timing.New(t, p)
	return timing.WatchOf(m), err
}
