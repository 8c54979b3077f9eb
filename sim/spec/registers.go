package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// Registers are initial registers of a wave. Those that are nil, or not in a map, keep their values.
type Registers struct {
	Exec        *uint64 `json:"exec"`
	VCC         *uint64 `json:"vcc"`
	M0          *uint32 `json:"m0"`
	SCC         *bool   `json:"scc"`
	Mode        *uint32 `json:"mode"`
	FlatScratch *uint64 `json:"flat_scratch"`
	// SGPRs maps the number of a first scalar register to the values of consecutive registers.
	SGPRs map[int][]uint32 `json:"sgpr"`
	// VGPRs maps the number of a vector register to the values of its lanes from lane 0 on. Missing lanes are 0.
	VGPRs map[int][]uint32 `json:"vgpr"`
}

// maxWaves is the largest number of waves in a work-group.
const maxWaves = 16

// newWaves returns the waves of e. All have its registers, then those of their own state.
func (e *Exec) newWaves(m *sim.Machine) ([]*state.Wave, error) {
	n := max(e.Waves, 1)
	switch {
	case e.Waves == 0 && e.States != nil:
		return nil, errors.New("states is of several waves; give waves, how many there are")
	case e.Waves < 0 || e.Waves > maxWaves:
		return nil, fmt.Errorf("waves: %d is not in 1 to %d, what a work-group can have", e.Waves, maxWaves)
	case len(e.States) > n:
		return nil, fmt.Errorf("states: there are %d for %d waves", len(e.States), n)
	}
	var waves []*state.Wave
	for i := range n {
		w := m.NewWave()
		if err := e.set(w); err != nil {
			return nil, err
		}
		if i < len(e.States) {
			if err := e.States[i].set(w); err != nil {
				return nil, fmt.Errorf("states[%d]: %w", i, err)
			}
		}
		waves = append(waves, w)
	}
	return waves, nil
}

// set sets the registers in r of w.
func (r *Registers) set(w *state.Wave) error {
	if r.Exec != nil {
		w.SetExec(*r.Exec)
	}
	if r.VCC != nil {
		w.SetScalar64(gcn.VCC, *r.VCC)
	}
	if r.FlatScratch != nil {
		w.SetFlatScratch(*r.FlatScratch)
	}
	if r.SCC != nil {
		w.SCC = 0
		if *r.SCC {
			w.SCC = 1
		}
	}
	if r.M0 != nil {
		w.S[gcn.M0] = *r.M0
	}
	if r.Mode != nil {
		w.Mode = state.Mode(*r.Mode)
	}
	next, end := 0, isa.TraitsOf(w.Target).SGPRs
	for _, first := range slices.Sorted(maps.Keys(r.SGPRs)) {
		values := r.SGPRs[first]
		switch n := len(values); {
		case first < 0 || first > end || n > end-first:
			return fmt.Errorf("sgpr: \"%d\" with %d values is not within s0 to s%d", first, n, end-1)
		case first < next:
			return fmt.Errorf("sgpr: s%d is given twice", first)
		default:
			next = first + n
		}
		w.SetSGPRs(first, values...)
	}
	for _, reg := range slices.Sorted(maps.Keys(r.VGPRs)) {
		values := r.VGPRs[reg]
		switch {
		case reg < 0 || reg >= w.NumVGPRs:
			return fmt.Errorf("vgpr: \"%d\" is not a register from 0 to %d", reg, w.NumVGPRs-1)
		case len(values) > state.NumLanes:
			return fmt.Errorf("vgpr: register %d has %d values; a wave has %d lanes", reg, len(values), state.NumLanes)
		}
		w.SetVGPR(reg, lane.Of(values...))
	}
	return nil
}

// given returns all registers that e sets.
func (e *Exec) given() []*Registers {
	all := []*Registers{&e.Registers}
	for i := range e.States {
		all = append(all, &e.States[i])
	}
	return all
}

// inputs returns the registers that e sets in any of its waves; the others are undefined. It is nil if e sets no
// register: then all are defined, because e does not state its inputs.
func (e *Exec) inputs(w *state.Wave) *check.Inputs {
	named := false
	in := &check.Inputs{LDS: e.LDS != nil, GDS: e.GDS != nil}
	give := func(first, n int) {
		for i := range n {
			in.Scalars[(first+i)&(isa.NumScalarCodes-1)] = true
		}
	}
	for _, r := range e.given() {
		named = named || r.VCC != nil || r.M0 != nil || r.SCC != nil || r.FlatScratch != nil || len(r.SGPRs) > 0 ||
			len(r.VGPRs) > 0
		in.SCC = in.SCC || r.SCC != nil
		for _, pair := range []struct {
			code  int
			given bool
			n     int
		}{{gcn.VCC, r.VCC != nil, 2}, {gcn.M0, r.M0 != nil, 1},
			{int(isa.TraitsOf(w.Target).FlatScratch), r.FlatScratch != nil, 2}} {
			if pair.given && pair.code >= 0 {
				give(pair.code, pair.n)
			}
		}
		for first, values := range r.SGPRs {
			give(first, len(values))
		}
		for reg := range r.VGPRs {
			in.VGPRs[reg] = true
		}
	}
	if !named {
		return nil
	}
	return in
}
