package r600

import (
	"math"

	"github.com/gcnsim/gcnsim/state"
)

// row has one value for each thread.
type row = [Threads]uint32

// runALU executes the groups of a clause.
func (w *wave) runALU(s *step) error {
	for i := range s.groups {
		g := &s.groups[i]
		if err := w.spend(g.slot); err != nil {
			return err
		}
		for j := range g.parts {
			w.trace(g.parts[j].slot, true, &g.parts[j].in)
		}
		if err := w.runGroup(g, &s.in); err != nil {
			return err
		}
	}
	return nil
}

// runGroup executes a group: it reads all operands before it writes any result.
func (w *wave) runGroup(g *group, cf *Inst) error {
	var results [transSlot + 1]row
	for i := range g.parts {
		p := &g.parts[i]
		var operands [3]row
		for j, s := range p.src {
			if err := w.operand(&operands[j], s, p, g, cf); err != nil {
				return err
			}
		}
		to := &results[p.unit]
		for t := range w.count {
			to[t] = p.arith.result(operands[0][t], operands[1][t], operands[2][t])
		}
	}
	if g.parts[0].arith.effect&dot != 0 {
		w.sumDots(&results)
	}
	active, passed := w.Active, w.passed
	// the address register last: its new value is valid from the next group on
	for _, last := range [...]effect{0, address} {
		for i := range g.parts {
			if p := &g.parts[i]; p.arith.effect&address == last {
				if err := w.leave(p, &results[p.unit], active, passed); err != nil {
					return err
				}
			}
		}
	}
	w.previous = results
	return nil
}

// sumDots replaces the four vector results by their sum.
func (w *wave) sumDots(results *[transSlot + 1]row) {
	for t := range w.count {
		sum := float32(0)
		for unit := range transSlot {
			sum += math.Float32frombits(results[unit][t])
		}
		for unit := range transSlot {
			results[unit][t] = result32(sum)
		}
	}
}

// operand reads a source operand of all threads.
func (w *wave) operand(to *row, s source, p *part, g *group, cf *Inst) error {
	constant, isConstant := inline[s.sel]
	for t := range w.count {
		switch {
		case isConstant:
			to[t] = constant
		case s.sel == srcLiteral:
			to[t] = g.literals[s.elem]
		case s.sel == srcPV:
			to[t] = w.previous[s.elem][t]
		case s.sel == srcPS:
			to[t] = w.previous[transSlot][t]
		case s.sel == srcLoop:
			to[t] = uint32(w.loopIndex())
		default:
			v, err := w.indexed(s, p, cf, t)
			if err != nil {
				return err
			}
			to[t] = v
		}
		if s.abs {
			to[t] &^= 1 << 31
		}
		if s.neg {
			to[t] ^= 1 << 31
		}
	}
	return nil
}

// indexed returns the register or constant of one thread's source.
func (w *wave) indexed(s source, p *part, cf *Inst, t int) (uint32, error) {
	index := int(s.sel)
	if s.rel {
		index += w.offset(p, t)
	}
	if s.sel < srcKCache0 {
		if index < 0 || index >= gprs {
			return 0, w.unless(t, noRegister, p, "thread %d reads register %d; there are 0 to %d", t, index, gprs-1)
		}
		return w.GPR[t][index][s.elem], nil
	}
	bank, line := cf.get(fieldKCacheBank0), int(cf.get(fieldKCacheAddr0))
	if index -= srcKCache0; s.sel >= srcKCache1 {
		index -= srcKCache1 - srcKCache0
		bank, line = cf.get(fieldKCacheBank1), int(cf.get(fieldKCacheAddr1))
	}
	if index += 16 * line; int(bank) >= len(w.m.Constants) || index < 0 || index >= len(w.m.Constants[bank]) {
		return 0, w.unless(t, noMemory, p, "there is no constant %d of bank %d", index, bank)
	}
	return w.m.Constants[bank][index][s.elem], nil
}

// unless returns a fault of an instruction in thread t, or nil if the thread is not active.
func (w *wave) unless(t int, kind state.FaultKind, p *part, text string, args ...any) error {
	if w.Active>>t&1 == 0 {
		return nil
	}
	return faultAt(kind, p.slot, p.in.Name, text, args...)
}

// offset returns the number that INDEX_MODE adds to relative registers in thread t.
func (w *wave) offset(p *part, t int) int {
	if mode := p.in.get(fieldIndexMode); mode != indexLoop {
		return int(w.address[mode][t])
	}
	return w.loopIndex()
}

// leave writes the result of an ALU instruction, one of the parts of an instruction group, to its destination in the
// active lanes, and applies its side effects: it sets the predicate, kills lanes or pushes EXEC.
func (w *wave) leave(p *part, result *row, active, passed uint64) error {
	active &= selected(&p.in, passed)
	effects := p.arith.effect
	for t := range w.count {
		v := result[t]
		switch {
		case effects&predicate != 0:
			result[t] = oneFloat * (1 - v)
			if active>>t&1 != 0 {
				w.decide(&p.in, t, v != 0)
			}
		case effects&kill != 0:
			result[t] = oneFloat * v
			if v != 0 && active>>t&1 != 0 {
				w.Valid &^= 1 << t
			}
		case effects&address != 0:
			if active>>t&1 != 0 {
				w.address[p.in.get(fieldDstElem)][t] = max(-256, min(int32(v), 255))
			}
		case effects&dstFloat != 0:
			result[t] = modified(&p.in, v)
		}
		if active>>t&1 == 0 || effects&address != 0 || p.in.class == classOp2 && p.in.get(fieldWriteMask) == 0 {
			continue
		}
		index := int(p.in.get(fieldDstGPR))
		if p.in.get(fieldDstRel) != 0 {
			index += w.offset(p, t)
		}
		if index < 0 || index >= gprs {
			return faultAt(noRegister, p.slot, p.in.Name, "thread %d writes register %d; there are 0 to %d", t, index, gprs-1)
		}
		w.GPR[t][index][p.in.get(fieldDstElem)] = result[t]
	}
	return nil
}

// decide updates the masks of thread t after a predicate.
func (w *wave) decide(in *Inst, t int, passes bool) {
	bit := uint64(1) << t
	if in.get(fieldUpdateExec) != 0 && !passes {
		w.Active &^= bit
	}
	if in.get(fieldUpdatePred) != 0 {
		w.passed &^= bit
		if passes {
			w.passed |= bit
		}
	}
}

// modified applies OMOD and CLAMP.
func modified(in *Inst, v uint32) uint32 {
	omod, clamp := in.get(fieldOMod), in.get(fieldClamp) != 0
	if omod == 0 && !clamp {
		return v
	}
	f := math.Float32frombits(v) * [...]float32{1, 2, 4, 0.5}[omod]
	if clamp && !(f > 0) { // also for a NaN
		f = 0
	} else if clamp {
		f = min(f, 1)
	}
	return result32(f)
}

// selected returns the threads in which the instruction executes, according to PRED_SEL.
func selected(in *Inst, passed uint64) uint64 {
	switch in.get(fieldPredSel) {
	case 2:
		return ^passed
	case 3:
		return passed
	}
	return math.MaxUint64
}
