package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// An engine executes instructions of a wave in a program, from step i on, until the wave has executed limit
// instructions in all, ends, waits at a barrier or leaves the program, until an instruction faults or must wait
// ([executor.Blocked]), or until a watcher has seen one. It returns that fault. Then runner.pc is that of the
// instruction; else w.PC is that of the next one. There are two:
//   - runPlain, the reference, executes one instruction after the other;
//   - runCompiled also enters machine code, and executes what a watcher skips.
//
// Both leave the same registers, memory, counts and faults, and show the same to watchers: TestEngines compares them.

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
		if s.exec == nil { // a fault: runTurn says which
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

// executeStep executes s, step i of p, and counts it. Where flags say so it may trap.
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

// runStraight executes instructions of p, beginning at step i and below step end, that neither change the flow nor are
// shown to a watcher, and returns the step after the last one. It writes PC and Executed of the wave
// at its end only: none of these instructions reads them. It ends before a block, but executes the first instruction
// in any case.
func (r *runner) runStraight(w *state.Wave, p *Program, steps []step, i, limit, end uint64) (next uint64,
	f *state.Fault) {
	steps = steps[:min(end, i+limit-w.Executed)] // an instruction has a step or more
	r.straightFrom = i + 1
	r.access.Op = gcn.NoMem // only what has something to do after it changes that
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

// interrupted writes what straight would have written where an executor panicked: as elsewhere PC is
// that of the instruction after it.
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

// after does what an instruction leaves to do: counters, and the fidelity report.
func (r *runner) after(w *state.Wave, s *step) {
	if s.count != (isa.Counts{}) {
		executor.Issue(w, s.count)
	}
	if s.note != 0 && !r.told[s.note] {
		r.told[s.note] = true
		r.note(&r.event.Program.notes[s.note])
	}
	if r.access.Doubt != "" || r.access.NumDoubts != 0 {
		// Images leave doubts even if all lanes are in the border, buffers if they have no format.
		if r.access.Op != gcn.NoMem || s.class == ClassMIMG || s.class == ClassMUBUF {
			r.doubt(s)
		}
		if r.ports.Unseen { // the next instruction may leave no record
			r.access.Doubt, r.access.NumDoubts = "", 0
		}
	}
}
