package specjson

import (
	"cmp"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// settings are the keys that requests of exec and specifications of a dispatch have in common.
type settings struct {
	Rules           string  `json:"rules"`
	MaxInstructions *uint64 `json:"max_instructions"`
	// TrapHandler is the code that waves enter on traps.
	TrapHandler *trapHandler `json:"trap_handler"`
	TimingSpec
	imageSpec
	checkKeys
}

// settings returns these keys as values of package spec, for a program for target. judged and kinds say what is checked
// and how strictly.
func (s *settings) settings(target gcn.Target, o *Options, judged check.Options, kinds []string) (v spec.Settings,
	err error) {
	v.Check, v.CheckOptions = kinds, judged
	if err := o.adjust(target, &s.TimingSpec); err != nil {
		return v, err
	}
	if v.Rules, err = ParseRules(cmp.Or(o.Rules, s.Rules)); err != nil {
		return v, err
	}
	tiling, times, err := spec.Chip(s.Chip, target)
	if err != nil {
		return v, err
	}
	if err := s.override(tiling, target); err != nil {
		return v, err
	}
	v.Tiling, v.BorderColors = tiling, s.BorderColors
	if v.MaxInstructions, err = o.limit(s.MaxInstructions); err != nil {
		return v, err
	}
	if v.TrapHandler, err = o.trapHandler(s.TrapHandler); err != nil {
		return v, err
	}
	v.Sensitivity = s.Sensitivity
	v.Timing, err = s.wanted(times)
	return v, err
}
