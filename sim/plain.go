package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// An engine executes instructions of a wave in a program from step i on. It stops when the wave has executed limit
// instructions in total, ends, waits at a barrier or leaves the program, when an instruction faults or must wait
// ([executor.Blocked]), or when a watcher has seen an instruction. It returns the fault; then runner.pc returns the
// PC of the faulting instruction. Without a fault w.PC is the address of the next instruction. There are two engines:
//   - runPlain, the reference, executes one instruction after the other;
//   - runCompiled also enters machine code, and executes the instructions that a watcher skips.
//
// Both produce the same registers, memory, counts and faults, and show the same events to watchers. TestEngines
// compares them.

// runPlain is the engine that executes, counts and shows one instruction after the other.
func (r *runner) runPlain(w *state.Wave, p *Program, i, limit uint64) (f *state.Fault) {
	for i < uint64(len(p.steps)) && w.Executed < limit {
		s := &p.steps[i]
		flags := s.flags | r.flags
		if flags&(changesFlow|visible|mayTrap) == 0 {
			if i, f = r.runStraight(w, p, p.steps, i, limit, uint64(len(p.steps))); f != nil {
				return f
			}
			continue
		}
		if s.exec == nil { // the instruction faults: runTurn returns the fault
			return nil
		}
		if f := r.executeStep(w, p, s, i, flags); f != nil {
			return f
		}
		if flags&visible != 0 && r.seen(w, s) || w.Ended || w.AtBarrier || w.PC&3 != 0 {
			return nil
		}
		i = (w.PC - p.Base) / 4
	}
	return nil
}

// executeStep executes s, step i of p, and counts it. It may trap if flags has mayTrap.
func (r *runner) executeStep(w *state.Wave, p *Program, s *step, i uint64, flags stepFlags) (f *state.Fault) {
	r.at = i
	w.PC += uint64(s.in.Size)
	r.access.Op = gcn.NoMem
	if flags&mayTrap == 0 {
		f = s.exec(w, &r.ports, &s.in, &r.access)
	} else {
		f = r.executeTrapping(w, p, s, i)
	}
	if f != nil {
		return f
	}
	r.res.ByClass[s.class]++
	w.Executed++
	if flags&hasEffects != 0 {
		r.after(w, s)
	}
	return nil
}

// runStraight executes instructions of p from step i up to step end that neither change the flow nor are shown to a
// watcher, and returns the step after the last one. It writes w.PC and w.Executed only at its end, since none of
// these instructions reads them. It stops before a block, but executes the first instruction in any case.
func (r *runner) runStraight(w *state.Wave, p *Program, steps []step, i, limit, end uint64) (next uint64,
	f *state.Fault) {
	steps = steps[:min(end, i+limit-w.Executed)] // each instruction has at least one step
	r.straightFrom = i + 1
	r.access.Op = gcn.NoMem // only instructions with effects change it
	n := uint64(0)
	for i < uint64(len(steps)) {
		s := &steps[i]
		if s.flags&(changesFlow|startsBlock) != 0 && (s.flags&changesFlow != 0 || n > 0) {
			break
		}
		r.at = i
		i += uint64(s.in.Size) / 4
		if f = s.exec(w, &r.ports, &s.in, &r.access); f != nil {
			break
		}
		n++
		r.res.ByClass[s.class]++
		if s.flags&hasEffects != 0 {
			r.after(w, s)
			r.access.Op = gcn.NoMem
		}
	}
	w.PC = p.Base + 4*i
	w.Executed += n
	r.straightFrom = 0
	return i, f
}

// interrupted writes the PC and counts that runStraight would have written, after a panic of an executor. PC is the
// address after the instruction, as everywhere else.
func (r *runner) interrupted() {
	if r.straightFrom == 0 {
		return
	}
	words := func(i uint64) uint64 { return uint64(r.event.Program.steps[i].in.Size) / 4 }
	for i := r.straightFrom - 1; i < r.at; i += words(i) {
		r.wave.Executed++
	}
	r.wave.PC = r.pc() + 4*words(r.at)
	r.straightFrom = 0
}

// after updates counters and the fidelity report after an instruction.
func (r *runner) after(w *state.Wave, s *step) {
	if s.count != (isa.Counts{}) {
		executor.Issue(w, s.count)
	}
	if s.note != 0 && !r.told[s.note] {
		r.told[s.note] = true
		r.note(&r.event.Program.notes[s.note])
	}
	if r.access.Doubt != "" || r.access.NumDoubts != 0 {
		// Image instructions have doubts even if all lanes are in the border, buffer instructions even without a format.
		if r.access.Op != gcn.NoMem || s.class == ClassMIMG || s.class == ClassMUBUF {
			r.doubt(s)
		}
		if r.ports.Unseen { // the next instruction may leave this record unchanged
			r.access.Doubt, r.access.NumDoubts = "", 0
		}
	}
}
