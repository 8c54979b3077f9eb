package spec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/state"
)

// Failure is the error object in the answers of exec and dispatch.
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	failedAt
	Text   string `json:"text,omitempty"`
	Symbol string `json:"symbol,omitempty"`
	Source string `json:"source,omitempty"`
	// Mismatch is set if a run had other results than expected.
	Mismatch *mismatch `json:"mismatch,omitempty"`
	// State and Stack are set for an internal error. Include them in a bug report.
	State string `json:"state,omitempty"`
	Stack string `json:"stack,omitempty"`
}

// failedAt is the location of a failure, nil if it is unknown.
type failedAt struct {
	PC   *address `json:"pc,omitempty"`
	Wave *int     `json:"wave,omitempty"`
	Lane *int     `json:"lane,omitempty"`
	Addr *address `json:"addr,omitempty"`
}

// Failed converts err to its object: a fault by its kind (a memory fault is "fault"), an assembler error "asm", an
// unexpected value "mismatch", a cancelled run "cancelled", a panic "internal", everything else "input".
func Failed(err error) *Failure {
	r := &Failure{Kind: "input", Message: err.Error()}
	var f *state.Fault
	var a *asm.Error
	var m *Mismatch
	var before *r600.Error
	if p, ok := errors.AsType[*crash.Error](err); ok {
		r.Kind, r.State, r.Stack = state.FaultInternal.String(), p.State, p.Stack
		r.Message = fmt.Sprintf("the simulator panicked: %v; this is a defect of it: please report it with this answer",
			p.Value)
	}
	switch {
	case errors.As(err, &f):
		r.Kind, r.Message, r.Text, r.Symbol, r.Source = faultKind(f.Kind), f.What, f.Text, f.Symbol, f.Source
		pc, wave := address(f.PC), f.Wave
		r.PC, r.Wave = &pc, &wave
		if f.Lane != state.NoLane {
			lane := f.Lane
			r.Lane = &lane
		}
		if f.Kind == state.FaultMemory {
			addr := address(f.Addr)
			r.Addr = &addr
		}
	case errors.As(err, &a):
		r.Kind = "asm"
	case errors.As(err, &m):
		r.mismatch(m)
	case errors.As(err, &before):
		r.failedBefore(before)
	case errors.Is(err, context.Canceled):
		r.Kind = "cancelled"
	}
	return r
}

// faultKind returns the name of a kind of faults in answers.
func faultKind(k state.FaultKind) string {
	if k == state.FaultMemory {
		return "fault"
	}
	return k.String()
}

// mismatch is the first element of a buffer that is not as expected, and the store that wrote it.
type mismatch struct {
	*Mismatch
	Group *[3]uint32 `json:"group,omitempty"` // work-group of the wave
	Item  *[3]uint64 `json:"item,omitempty"`
}

// mismatch sets r to the failure for m.
func (r *Failure) mismatch(m *Mismatch) {
	r.Kind, r.Mismatch = "mismatch", &mismatch{Mismatch: m}
	if s := m.store; s != nil {
		pc := address(m.base + uint64(s.PC))
		r.PC, r.Wave, r.Lane, r.Text, r.Symbol, r.Source = &pc, &s.Wave, &s.Lane, s.Text, s.Symbol, s.Source
		r.Mismatch.Group, r.Mismatch.Item = &s.Group, &s.Item
	}
}

// ParseRules returns the rule set with that name; "" is the default.
func ParseRules(s string) (state.Rules, error) {
	if s == "" {
		return state.DefaultRules, nil
	}
	var names []string
	for r := state.SeedRules; r < state.NumRules; r++ {
		if s == r.String() {
			return r, nil
		}
		names = append(names, r.String())
	}
	return 0, fmt.Errorf("%q is not known; known are %s", s, strings.Join(names, ", "))
}

// alignments maps names to values of SH_MEM_CONFIG.alignment_mode.
var alignments = map[string]state.Alignment{
	"": state.DefaultAlign, "dword": state.AlignDword, "dword_strict": state.AlignDwordStrict,
	"strict": state.AlignStrict, "unaligned": state.AlignNone,
}

func parseAlignment(s string) (state.Alignment, error) {
	if a, ok := alignments[s]; ok {
		return a, nil
	}
	return 0, fmt.Errorf("%q is not known; known are dword, dword_strict, strict, unaligned", s)
}
