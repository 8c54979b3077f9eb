package r600

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// action is the effect of an instruction in the simulator.
type action uint8

const (
	notModelled action = iota
	doNext             // nothing
	doEnd
	doFetch
	doExport
	doAlu
	doAluPush
	doAluPop
	doAluPop2
	doAluContinue
	doAluBreak
	doAluElse
	doJump
	doPush
	doOtherwise
	doPop
	doLoop
	doEndlessLoop
	doLoopEnd
	doLoopContinue
	doLoopBreak
	doCallFetch
	doRet
	doKillAll
	doVertexFetch // in clauses
	doSample
	doPart
	actions = iota
)

// flows has a function for each control flow instruction (rule FS10).
var flows = [actions]func(w *wave, s *step) error{
	doNext:  func(*wave, *step) error { return nil },
	doEnd:   func(*wave, *step) error { return nil }, // see Inst.ends
	doFetch: (*wave).runFetches, doExport: (*wave).export,
	doAlu:         (*wave).runALU,
	doAluPush:     func(w *wave, s *step) error { w.push(); return w.runALU(s) },
	doAluPop:      func(w *wave, s *step) error { return w.thenPop(s, 1) },
	doAluPop2:     func(w *wave, s *step) error { return w.thenPop(s, 2) },
	doAluContinue: func(w *wave, s *step) error { return w.thenLeave(s, func(l *loop) *uint64 { return &l.continued }) },
	doAluBreak:    func(w *wave, s *step) error { return w.thenLeave(s, func(l *loop) *uint64 { return &l.broken }) },
	doAluElse: func(w *wave, s *step) error {
		if err := w.runALU(s); err != nil {
			return err
		}
		return w.invert(s)
	},
	doJump: (*wave).skip, doPush: func(w *wave, s *step) error { w.push(); return w.skip(s) },
	doOtherwise: func(w *wave, s *step) error {
		if err := w.invert(s); err != nil {
			return err
		}
		return w.skip(s)
	},
	doPop: func(w *wave, s *step) error {
		err := w.popMasks(s, int(s.in.get(fieldPopCount)))
		if w.Active == 0 {
			w.pc = s.addr
		}
		return err
	},
	doLoop: (*wave).startCounted, doEndlessLoop: func(w *wave, s *step) error { return w.startLoop(s, &loop{left: -1}) },
	doLoopEnd:      (*wave).endLoop,
	doLoopContinue: func(w *wave, s *step) error { return w.leaveLoop(s, func(l *loop) *uint64 { return &l.continued }) },
	doLoopBreak:    func(w *wave, s *step) error { return w.leaveLoop(s, func(l *loop) *uint64 { return &l.broken }) },
	doCallFetch:    func(*wave, *step) error { return nil }, // see run
	doRet: func(w *wave, s *step) error {
		if !w.called {
			return faultAt(illegal, s.slot, s.in.Name, "only a fetch shader returns")
		}
		return nil
	},
	doKillAll: func(w *wave, _ *step) error { w.Valid &^= w.Active; return nil },
}

var _ = enum.Full[action](flows[:], notModelled, doVertexFetch, doSample, doPart)

// hasAddr reports whether the instruction's ADDR is the index of a step.
func (a action) hasAddr() bool { return a >= doJump && a <= doLoopBreak }

// pops reports whether POP_COUNT is valid for the instruction.
func (a action) pops() bool {
	return a >= doJump && a <= doPop || a == doLoopBreak || a == doLoopContinue
}

// Loop is a loop constant: the number of iterations, the initial loop index, and its increment.
type Loop struct {
	Count, Start, Step int
}

// loop is a loop in progress.
type loop struct {
	entry             uint64 // threads that have entered the loop
	broken, continued uint64 // threads that have left it, and threads that wait for the end of the iteration
	depth             int    // depth of the mask stack at its start
	left              int    // remaining iterations, including the current one; negative without a limit
	Loop
	indexed bool // whether it has a loop index
}

// push pushes the mask of active threads.
func (w *wave) push() { w.stack = append(w.stack, w.Active) }

// popMasks pops n masks. The last one becomes the active mask, without threads that have left the loop.
func (w *wave) popMasks(s *step, n int) error {
	if n == 0 {
		return nil
	}
	if n > len(w.stack) {
		return faultAt(illegal, s.slot, s.in.Name, "it pops %d of %d masks", n, len(w.stack))
	}
	rest := len(w.stack) - n
	w.Active = w.inLoop(w.stack[rest])
	w.stack = w.stack[:rest]
	return nil
}

// inLoop returns the threads of a mask that have not left the loop.
func (w *wave) inLoop(mask uint64) uint64 {
	if len(w.loops) == 0 {
		return mask
	}
	l := w.loops[len(w.loops)-1]
	return mask &^ (l.broken | l.continued)
}

// skip pops masks and jumps to ADDR if no thread is active.
func (w *wave) skip(s *step) error {
	if w.Active != 0 {
		return nil
	}
	w.pc = s.addr
	return w.popMasks(s, int(s.in.get(fieldPopCount)))
}

// invert activates the threads of the top mask that are not active, and deactivates the others.
func (w *wave) invert(s *step) error {
	if len(w.stack) == 0 {
		return faultAt(illegal, s.slot, s.in.Name, "there is no mask that it could invert")
	}
	w.Active = w.inLoop(w.stack[len(w.stack)-1]) &^ w.Active
	return nil
}

func (w *wave) thenPop(s *step, n int) error {
	if err := w.runALU(s); err != nil {
		return err
	}
	return w.popMasks(s, n)
}

// thenLeave executes a clause. Threads that its predicate deactivates leave the loop.
func (w *wave) thenLeave(s *step, mask func(*loop) *uint64) error {
	before := w.Active
	if err := w.runALU(s); err != nil {
		return err
	}
	l, err := w.innermost(s)
	if err == nil {
		*mask(l) |= before &^ w.Active
	}
	return err
}

func (w *wave) innermost(s *step) (*loop, error) {
	if len(w.loops) == 0 {
		return nil, faultAt(illegal, s.slot, s.in.Name, "it is outside of a loop")
	}
	return w.loops[len(w.loops)-1], nil
}

func (w *wave) startLoop(s *step, l *loop) error {
	if l.left == 0 || w.Active == 0 {
		w.pc = s.addr
		return nil
	}
	l.entry, l.depth = w.Active, len(w.stack)
	w.loops = append(w.loops, l)
	return nil
}

func (w *wave) startCounted(s *step) error {
	id := int(s.in.get(fieldCFConst))
	if id >= len(w.m.Loops) {
		return faultAt(noMemory, s.slot, s.in.Name, "there is no loop constant %d", id)
	}
	l := &loop{Loop: w.m.Loops[id], indexed: s.in.Name != "LOOP_START_NO_AL"}
	l.left = max(0, l.Count)
	return w.startLoop(s, l)
}

// endLoop starts the next iteration for the threads that have not left the loop, or ends the loop.
func (w *wave) endLoop(s *step) error {
	l, err := w.innermost(s)
	if err != nil {
		return err
	}
	w.stack, w.Active, l.continued = w.stack[:l.depth], l.entry&^l.broken, 0
	l.left = max(-1, l.left-1)
	l.Start += l.Step
	if w.Active != 0 && l.left != 0 {
		w.pc = s.addr
		return nil
	}
	w.loops, w.Active = w.loops[:len(w.loops)-1], l.entry
	return nil
}

// leaveLoop removes the active threads from the loop. If none remain, it jumps to ADDR.
func (w *wave) leaveLoop(s *step, mask func(*loop) *uint64) error {
	l, err := w.innermost(s)
	if err != nil {
		return err
	}
	*mask(l) |= w.Active
	w.Active = 0
	if l.entry&^(l.broken|l.continued) == 0 {
		if err := w.popMasks(s, int(s.in.get(fieldPopCount))); err != nil {
			return err
		}
		w.pc, w.Active = s.addr, 0
	}
	return nil
}

// loopIndex returns the index of the innermost loop with an index, or 0 outside of loops.
func (w *wave) loopIndex() int {
	for _, l := range slices.Backward(w.loops) {
		if l.indexed {
			return l.Start
		}
	}
	return 0
}

// callFetch executes the fetch shader.
func (w *wave) callFetch(s *step) error {
	if w.m.Fetch == nil || w.called {
		return faultAt(noMemory, s.slot, s.in.Name, "there is no fetch shader")
	}
	pc := w.pc
	w.called = true
	err := w.run(w.m.Fetch)
	w.pc, w.called = pc, false
	return err
}
