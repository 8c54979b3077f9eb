package job

import (
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// waveState is what a request says of the registers of a wave.
type waveState struct {
	Exec        *bits64    `json:"exec"`
	VCC         *bits64    `json:"vcc"`
	M0          *bits32    `json:"m0"`
	SCC         *bit       `json:"scc"`
	Mode        *bits32    `json:"mode"`
	FlatScratch *bits64    `json:"flat_scratch"`
	SGPR        byRegister `json:"sgpr"`
	VGPR        byRegister `json:"vgpr"`
}

// maxWaves is how many waves a work-group has at most.
const maxWaves = 16

// newWaves returns the waves of the request: all have its registers, then those of their own
// state.
func (req *ExecRequest) newWaves(m *sim.Machine) ([]*state.Wave, error) {
	n := 1
	switch {
	case req.Waves == nil && req.States != nil:
		return nil, errors.New("states is of several waves; give waves, how many there are")
	case req.Waves == nil:
	case *req.Waves == 0 || *req.Waves > maxWaves:
		return nil, fmt.Errorf("waves: %d is not in 1 to %d, what a work-group can have", *req.Waves, maxWaves)
	case len(req.States) > int(*req.Waves):
		return nil, fmt.Errorf("states: there are %d for %d waves", len(req.States), *req.Waves)
	default:
		n = int(*req.Waves)
	}
	var waves []*state.Wave
	for i := range n {
		w := m.NewWave()
		if err := req.set(w); err != nil {
			return nil, err
		}
		if i < len(req.States) {
			if err := req.States[i].set(w); err != nil {
				return nil, fmt.Errorf("states[%d]: %w", i, err)
			}
		}
		waves = append(waves, w)
	}
	return waves, nil
}

// set gives w the registers that s names.
func (s *waveState) set(w *state.Wave) error {
	if s.Exec != nil {
		w.SetExec(uint64(*s.Exec))
	}
	if s.VCC != nil {
		w.SetScalar64(gcn.VCC, uint64(*s.VCC))
	}
	if s.FlatScratch != nil {
		w.SetFlatScratch(uint64(*s.FlatScratch))
	}
	if s.SCC != nil {
		w.SCC = uint32(min(*s.SCC, 1))
	}
	if s.M0 != nil {
		w.S[gcn.M0] = uint32(*s.M0)
	}
	if s.Mode != nil {
		w.Mode = state.Mode(*s.Mode)
	}
	next := 0
	for _, r := range s.SGPR {
		switch n := len(r.values); {
		case r.first > w.Target.Traits().SGPRs || n > w.Target.Traits().SGPRs-r.first:
			return fmt.Errorf("sgpr: \"%d\" with %d values is not within s0 to s%d", r.first, n, w.Target.Traits().SGPRs-1)
		case r.first < next:
			return fmt.Errorf("sgpr: s%d is given twice", r.first)
		default:
			next = r.first + n
		}
		w.SetSGPRs(r.first, r.values...)
	}
	for i, r := range s.VGPR {
		switch {
		case r.first >= w.NumVGPRs:
			return fmt.Errorf("vgpr: \"%d\" is not a register from 0 to %d", r.first, w.NumVGPRs-1)
		case len(r.values) > state.NumLanes:
			return fmt.Errorf("vgpr: register %d has %d values; a wave has %d lanes", r.first, len(r.values), state.NumLanes)
		case i > 0 && r.first == s.VGPR[i-1].first:
			return fmt.Errorf("vgpr: v%d is given twice", r.first)
		}
		v := lane.Of(r.values...)
		if r.single {
			v = lane.All(r.values[0])
		}
		w.SetVGPR(r.first, v)
	}
	return nil
}

// given returns the states that the request names.
func (req *ExecRequest) given() []*waveState {
	all := []*waveState{&req.waveState}
	for i := range req.States {
		all = append(all, &req.States[i])
	}
	return all
}

// setsFlatScratch reports whether a wave is to have a FLAT_SCRATCH other than 0.
func (req *ExecRequest) setsFlatScratch() bool {
	for _, s := range req.given() {
		if value(s.FlatScratch) != 0 {
			return true
		}
	}
	return false
}

// inputs returns what of its waves the request names, of any of them: the rest is undefined. It
// is nil, and all is defined, if the request names no register: then it does not say what is
// given.
func (req *ExecRequest) inputs(w *state.Wave) *check.Inputs {
	named := false
	in := &check.Inputs{LDS: req.LDS != nil, GDS: req.GDS != nil}
	give := func(first, n int) {
		for i := range n {
			in.Scalars[(first+i)&(gcn.NumScalarCodes-1)] = true
		}
	}
	for _, s := range req.given() {
		named = named || s.VCC != nil || s.M0 != nil || s.SCC != nil || s.FlatScratch != nil || len(s.SGPR) > 0 || len(s.VGPR) > 0
		in.SCC = in.SCC || s.SCC != nil
		for _, pair := range []struct {
			code  int
			given bool
			n     int
		}{{gcn.VCC, s.VCC != nil, 2}, {gcn.M0, s.M0 != nil, 1}, {int(w.Target.Traits().FlatScratch), s.FlatScratch != nil, 2}} {
			if pair.given && pair.code >= 0 {
				give(pair.code, pair.n)
			}
		}
		for _, r := range s.SGPR {
			give(r.first, len(r.values))
		}
		for _, r := range s.VGPR {
			in.VGPRs[r.first] = true
		}
	}
	if !named {
		return nil
	}
	return in
}
