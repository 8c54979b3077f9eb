package sim

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/state"
)

// refuse returns an *[Error] of a kind that has no range and no kernel.
func refuse(kind ErrorKind, format string, args ...any) error {
	return &Error{Kind: kind, What: fmt.Sprintf(format, args...)}
}

// check returns an error for invalid settings.
func (c *Config) check() error {
	switch {
	case c.Rules >= state.NumRules:
		return refuse(BadConfig, "Rules is %v; the rule sets are %v to %v", c.Rules, state.SeedRules, state.NumRules-1)
	case c.Align > state.AlignNone:
		return refuse(BadConfig, "Align is %v; SH_MEM_CONFIG.alignment_mode is one of the constants of package state, "+
			"up to AlignNone", enum.Number(c.Align))
	}
	return c.TrapHandler.check()
}

// checkLDS returns an error for an invalid LDSSize, or one that was changed after the first run.
func (m *Machine) checkLDS() error {
	if most := isa.TraitsOf(m.Target).MaxLDS; m.LDSSize < 0 || m.LDSSize > most {
		return refuse(BadConfig, "LDSSize is %d; a work-group of %v has up to %d bytes", m.LDSSize, m.Target, most)
	}
	m.own.Lock()
	defer m.own.Unlock()
	if m.lds != nil && m.lds.Hi != uint64(m.LDSSize) {
		return refuse(BadConfig, "LDSSize is %d, but the machine has LDS of %d bytes since it was first used; set "+
			"LDSSize before", m.LDSSize, m.lds.Hi)
	}
	return nil
}

// noWave returns the error for wave number i, which is nil.
func noWave(i int) error {
	return refuse(BadWave, "wave %d is nil; make it with Machine.NewWave", i)
}

// maxWaveID is the largest number of a wave in its work-group, because synchronization uses a mask with a bit for
// each.
const maxWaveID = 63

// checkBare returns an error for waves that do not belong to m or to p.
func (m *Machine) checkBare(p *Program, waves []*state.Wave) error {
	if err := m.check(); err != nil {
		return err
	}
	if err := m.checkLDS(); err != nil {
		return err
	}
	switch {
	case len(waves) == 0 || len(waves) > maxGroupWaves:
		return refuse(BadWave, "a work-group of %d waves; it has 1 to %d", len(waves), maxGroupWaves)
	case p == nil:
		return refuse(BadWave, "there is no program; make it with NewProgram")
	case p.target != m.Target:
		return refuse(BadTarget, "the program is decoded for %v, the machine is %v; decode it for that", p.target, m.Target)
	case p.Base&3 != 0:
		return refuse(BadWave, "the program is at 0x%x; its address must be a multiple of 4", p.Base)
	}
	for i, w := range waves {
		if w == nil {
			return noWave(i)
		}
		switch first := slices.Index(waves, w); {
		case first < i:
			return refuse(BadWave, "wave %d is wave %d, too; each has registers of its own: give another one", i, first)
		case w.Target != m.Target:
			return refuse(BadTarget, "wave %d is of %v, the machine is %v; make it with Machine.NewWave", i, w.Target, m.Target)
		case w.NumVGPRs < 0 || w.NumVGPRs > state.MaxVGPRs || w.NumVGPRs < len(w.V):
			return refuse(BadWave, "wave %d has NumVGPRs %d and %d registers in V; it has 0 to %d, and no more in V; make "+
				"it with Machine.NewWave or state.NewWave",
				i, w.NumVGPRs, len(w.V), state.MaxVGPRs)
		case p.decodedFor > w.NumVGPRs:
			return refuse(BadWave, "the program is decoded for waves of %d VGPRs, wave %d has %d; decode it for as many",
				p.decodedFor, i, w.NumVGPRs)
		case w.ID < 0 || w.ID > maxWaveID:
			return refuse(BadWave, "the ID of wave %d is %d; a wave has a number from 0 to %d in its work-group", i, w.ID,
				maxWaveID)
		}
	}
	return nil
}
