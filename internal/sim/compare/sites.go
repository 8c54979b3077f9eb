package compare

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// site is an instruction at an address, with facts that do not depend on the state of a wave.
type site struct {
	pc      uint64
	inst    isa.Inst
	from    *sim.Program
	effects []isa.Effect
	valu    bool
	moves   bool // M0 or a T# selects its registers
	number  uint32
	skipped []reg // for a branch forward: the VGPRs that the skipped instructions write
	looked  bool  // skipped is valid
}

// mostSkipped is the maximum distance of a branch, in bytes, for which skips looks at the skipped instructions.
const mostSkipped = 4096

// skips returns the VGPRs that are written by the instructions which a branch forward skips.
func (s *site) skips() []reg {
	if to, _ := s.inst.BranchTarget(s.pc); !s.looked && to > s.pc && to-s.pc < mostSkipped {
		for _, in := range s.from.Insts(s.pc+uint64(s.inst.Size), to) {
			for _, f := range isa.Inst(in).Effects(nil) {
				if first, n := registers.Span(&f); f.Write && f.File == isa.VReg {
					for k := range n {
						s.skipped = append(s.skipped, first+reg(k))
					}
				}
			}
		}
		slices.Sort(s.skipped)
		s.skipped = slices.Compact(s.skipped)
	}
	s.looked = true
	return s.skipped
}

func (s *site) text() string { return asm.Format(gcn.Inst(s.inst), asm.LLVM) }

// scalar reports whether s is a scalar instruction.
func (s *site) scalar() bool { return s.inst.Row().Enc < isa.VOP1 || s.inst.Row().Enc == isa.SMEM }

// effectsOf returns the effects of s for w. It uses buf for effects that depend on the state of w.
func (s *site) effectsOf(w *state.Wave, buf *[]isa.Effect) []isa.Effect {
	if !s.moves && (!s.valu || !executor.GPRIndexing(w)) {
		return s.effects
	}
	*buf = append((*buf)[:0], s.effects...)
	registers.Move(w, &s.inst, *buf)
	return *buf
}

// sites holds the instructions that a run has executed, by program and dword of its code.
type sites struct {
	all  []*site
	code map[*sim.Program][]*site
	last *sim.Program
	at   []*site // instructions of program last
}

// of returns the site of the instruction of e. It allocates the site at the first execution.
func (s *sites) of(e *sim.Event) *site {
	if e.Program != s.last || s.at == nil {
		if s.code == nil {
			s.code = map[*sim.Program][]*site{}
		}
		at, ok := s.code[e.Program]
		if !ok {
			at = make([]*site, (e.Program.End-e.Program.Base)/4)
			s.code[e.Program] = at
		}
		s.last, s.at = e.Program, at
	}
	i := (e.PC - e.Program.Base) / 4
	if at := s.at[i]; at != nil {
		return at
	}
	at := &site{
		pc: e.PC, inst: isa.Inst(*e.Inst), from: e.Program, effects: (*isa.Inst)(e.Inst).Effects(nil),
		valu:  registers.IsGPRIndexed((*isa.Inst)(e.Inst)),
		moves: registers.Moves((*isa.Inst)(e.Inst)), number: uint32(len(s.all)),
	}
	s.at[i] = at
	s.all = append(s.all, at)
	return at
}
