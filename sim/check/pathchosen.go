package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

// This file determines on paths what the state of a wave selects in an execution: the lanes of an instruction, the
// registers that M0 selects, and the memory of FLAT. If that is not known, all candidates are judged.

// A flow also contains the state of GPR indexing (rule ST9): whether it is on, the operands to which the index is
// added, and the index, in M0's format.
const (
	indexingOn = registers.NumRegs + state.MaxVGPRs*state.NumLanes + iota
	indexedOperands
	indexOfVGPRs

	operandBits   = 0xf000 // bits of M0
	vgprIndexBits = 0xff
)

// choose sets the lanes and the registers of x according to the known state.
func (p *paths) choose(x *step, now *flow) {
	p.now, p.mask = now, p.words.KnownMask(p.words.Mask(&now.values, registers.EXEC))
	if exec, ok := p.lanes(p.mask); ok {
		x.exec, p.access.Exec = exec, exec
	}
	p.chooseMemory(x, now)
	w, t := p.wave, isa.TraitsOf(x.Inst.Target)
	m0 := p.words.Get(&now.values, registers.M0)
	on, known := p.words.Number(now.kept[indexingOn])
	switch {
	case x.valu && t.GPRIndexing && (on != 0 || !known):
		operands, of := p.words.Number(now.kept[indexedOperands])
		index, at := now.kept[indexOfVGPRs]
		if !of {
			operands = operandBits
		}
		if !known || !of || !at {
			index = p.words.Constant(vgprIndexBits)
			known = false
		}
		m0 = p.words.Or(p.words.Constant(operands), index)
		w.Mode |= state.ModeGPRIdxEn
	case x.moves && x.Inst.Enc != isa.MIMG:
	default:
		return
	}
	if w.S[gcn.M0], x.shifted = p.words.Ever(m0), true; known && p.words.Ever(m0) == p.words.Always(m0) {
		x.move()
	} else {
		p.widen(x)
	}
	w.Mode &^= state.ModeGPRIdxEn
}

// lanes returns the lanes of a mask, if it is constant.
func (p *paths) lanes(m exact.Mask) (lanes uint64, ok bool) {
	lo, ok := p.words.Number(m[0])
	hi, too := p.words.Number(m[1])
	return uint64(hi)<<32 | uint64(lo), ok && too
}

// widen replaces registers of x that M0 selects by all registers that it may select. M0 of the wave has the bits that
// may be set.
func (p *paths) widen(x *step) {
	x.moved.effects = append(x.moved.effects[:0], x.site.effects...)
	x.effects = x.moved.effects
	more := uint64(p.wave.S[gcn.M0])
	if executor.GPRIndexing(p.wave.Wave) {
		more &= vgprIndexBits
	}
	p.bounded = true
	for i := range x.effects {
		f := &x.effects[i]
		limit := p.kernel.SGPRs
		if f.File == isa.VReg {
			limit = p.kernel.VGPRs
		}
		if left := limit - int(f.Code); registers.CountsFromM0(p.wave.Wave, (*isa.Inst)(x.Inst), f) {
			const most = 255
			n := uint64(f.Dwords) + more
			p.bounded = p.bounded && n <= uint64(max(left, 0))
			f.Dwords = uint8(max(int(f.Dwords), int(min(n, uint64(max(left, 0)), most))))
		}
	}
	x.moved.reads, x.moved.writes = x.sets(x.effects)
	x.reads, x.writes = &x.moved.reads, &x.moved.writes
}

// oneOf reports whether x uses only some registers of f, and it is not known which.
func (x *step) oneOf(f *isa.Effect) bool {
	for i := range x.effects {
		if &x.effects[i] == f {
			return x.shifted && x.wave.onPath() != nil && f.Dwords != x.site.effects[i].Dwords
		}
	}
	return false
}

// followIndexing updates the state of GPR indexing after x.
func (p *paths) followIndexing(x *step, now *flow) {
	r, e := (*isa.Inst)(x.Inst).Row(), p.words
	bits := func(a exact.Word, bits uint32) exact.Word { return e.And(a, e.Constant(bits)) }
	switch r.Name {
	case "s_set_gpr_idx_on", "s_set_gpr_idx_idx":
		source := exact.None
		for i := range x.effects {
			f := &x.effects[i]
			if first, _ := registers.Span(f); !f.Write && f.File == isa.SReg && first != registers.M0 {
				source = e.Get(&now.values, first.Canonical(x.sgprs))
			}
		}
		if source == exact.None {
			source = e.Constant(executor.Source(p.wave.Wave, (*isa.Inst)(x.Inst).Get(isa.SSRC0),
				(*isa.Inst)(x.Inst).Get(isa.LITERAL)))
		}
		now.kept[indexOfVGPRs] = bits(source, vgprIndexBits)
		if r.Has(isa.WritesMODE) {
			now.kept[indexingOn], now.kept[indexedOperands] = exact.Ones,
				e.Constant((*isa.Inst)(x.Inst).Get(isa.SSRC1)<<12&operandBits)
		}
	case "s_set_gpr_idx_mode":
		now.kept[indexedOperands] = e.Constant((*isa.Inst)(x.Inst).Get(isa.SIMM16) << 12 & operandBits)
	case "s_set_gpr_idx_off":
		now.kept[indexingOn] = exact.Zero
	default:
		if x.writes.has(registers.M0) {
			m0 := e.Get(&now.values, registers.M0)
			now.kept[indexOfVGPRs], now.kept[indexedOperands] = bits(m0, vgprIndexBits), bits(m0, operandBits)
		}
		id, shift, mask := executor.Hwreg((*isa.Inst)(x.Inst))
		if r.Imm == isa.HwregImm && r.Sig.Dst == isa.None && isa.FlagHwreg+isa.Flag(id) == isa.FlagHwregMODE &&
			uint64(mask)<<shift&uint64(state.ModeGPRIdxEn) != 0 {
			delete(now.kept, indexingOn)
		}
	}
}

// taken records the condition under which b branches; x is its last instruction. It returns the branch targets, if
// known.
func (p *paths) taken(x *step, b *block, now *flow) (to []uint64) {
	b.taken, b.behind = exact.None, x.PC+uint64(x.Inst.Size)
	if r := (*isa.Inst)(x.Inst).Row(); r.Sig.Dst != isa.None || forks((*isa.Inst)(x.Inst)) {
		return nil
	}
	if c, ok := p.words.Taken(x.exact(), &now.values); ok {
		b.taken = c
	}
	switch b.taken {
	case exact.Ones:
		pc, _ := (*isa.Inst)(x.Inst).BranchTarget(x.PC)
		return []uint64{pc}
	case exact.Zero:
		return []uint64{b.behind}
	}
	return nil
}

// chooseMemory sets the lanes of a FLAT instruction that access LDS, as far as its address may be there (rule F11).
func (p *paths) chooseMemory(x *step, now *flow) {
	if x.wait.path != pathFLAT {
		return
	}
	high := reg((*isa.Inst)(x.Inst).Get(isa.ADDR)) + 1
	base := isa.TraitsOf(x.Inst.Target).SharedBase
	switch n, known := p.words.Number(p.words.InLanes(p.words.Get(&now.values, high), p.mask)); {
	case known && n == base:
		p.access.LDSLanes = x.exec
	case !known && now.inLDS.has(high):
		p.access.LDSLanes = x.exec & (x.exec - 1) // a part of the lanes
	}
}

// apertures are registers that may have the high half of an LDS address (rule F11).
type apertures struct {
	inLDS  regset
	fresh  regset // those among them that were written after EXEC: in all active lanes
	stored bool   // memory may also contain such a half
}

// join adds the apertures on another path.
func (a *apertures) join(other *apertures) (changed bool) {
	before := *a
	a.inLDS.union(&other.inLDS)
	for i := range a.fresh {
		a.fresh[i] &= other.fresh[i]
	}
	a.stored = a.stored || other.stored
	return *a != before
}

// follow updates a after x. has says that x writes such a half to a register.
func (a *apertures) follow(x *step, has bool) {
	accesses := (*isa.Inst)(x.Inst).Row().Mem.Op != gcn.NoMem
	for r, f := range eachRegister(x.effects) {
		switch {
		case f.Write || !a.inLDS.has(r):
		case accesses:
			a.stored = a.stored || isVectorData(f)
		default:
			has = true
		}
	}
	if accesses {
		has = has || a.stored && (*isa.Inst)(x.Inst).Row().Mem.Op == gcn.Load
	}
	if x.writes.has(registers.EXEC) {
		a.fresh = regset{}
	}
	for r, f := range eachRegister(x.effects) {
		isMask := x.vector && f.File == isa.SReg && f.Dwords > 1
		switch {
		case !f.Write || r >= registers.FlagRegs:
		case has && !isMask:
			a.inLDS.add(r)
			a.fresh.add(r)
		case f.File == isa.SReg || a.fresh.has(r):
			a.inLDS.drop(r)
			a.fresh.drop(r)
		}
	}
}
