package check

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/hidden"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

// This file tracks values on paths, to find the registers with the V# of private memory, and with halves of addresses
// in LDS and in private memory.

// generic is the low half of an address whose high half selects LDS or private memory (rule F11).
type generic struct {
	space state.Space
	from  *site // an instruction that reads both halves
}

// values judges instructions by the values of registers on paths.
type values struct {
	*paths
	lows map[exact.Word]generic
}

var noLanes, everyLane = exact.Mask{exact.Zero, exact.Zero}, exact.Mask{exact.Ones, exact.Ones}

// judgeSpaces reports addresses that are used for another memory than their own.
func (v *values) judgeSpaces() {
	if len(v.lows) == 0 || !v.c.has(WrongSpace) {
		return
	}
	for _, b := range v.order {
		now := v.load(b)
		v.each(b, func(x *step) {
			if v.choose(x, now); v.mask != noLanes {
				v.judgeSpace(x, now)
			}
			v.compute(x, now)
		})
	}
}

// given sets the initial values of registers at the start of the kernel (rules ST8 and ST12).
func (p *paths) given(now *exact.Registers) {
	now.SetMask(registers.EXEC, exact.Mask{exact.All, exact.All})
	const memBases = registers.FlagRegs + reg(isa.FlagHwreg) + 15 // the evaluator knows what is in it
	now.Set(memBases, exact.Zero)
	for _, item := range codeobj.InitSGPRs(p.kernel) {
		first := registers.ScalarRegs + reg(item.First)
		switch item.Item {
		case codeobj.KernargSegmentPtr:
			p.kernarg = p.words.Mask(now, first)
		case codeobj.QueuePtr:
			p.queue = p.words.Mask(now, first)
		case codeobj.PrivateSegmentBuffer:
			p.frame = p.words.Mask(now, first+2)
		}
	}
}

// get returns the value of a register; for a VGPR in the lanes that are active at x.
func (p *paths) get(x *step, now *flow, r reg) exact.Word {
	return p.words.InLanes(p.words.Get(&now.values, r.Canonical(x.sgprs)), p.mask)
}

// loadArguments sets the values that x loads from the kernel's arguments and its queue, which are never stored to:
// the apertures that the runtime has put there (rule F11), or unknown values.
func (p *paths) loadArguments(x *step, from byteRange, now *flow) {
	if from.base == (exact.Mask{}) || from.base != p.kernarg && from.base != p.queue {
		return
	}
	for i := range x.effects {
		f := &x.effects[i]
		first, n := registers.Span(f)
		for k := range n {
			if f.Write {
				now.values.Set((first + reg(k)).Canonical(x.sgprs), p.argument(from.base, uint32(from.offset)+4*uint32(k)))
			}
		}
	}
}

// argument returns the dword at an address.
func (p *paths) argument(base exact.Mask, off uint32) exact.Word {
	const sharedHigh, privateHigh = 0x40, 0x44
	t := isa.TraitsOf(p.wave.Target)
	if base == p.queue {
		switch off {
		case sharedHigh:
			return p.words.Constant(t.SharedBase)
		case privateHigh:
			return p.words.Constant(t.PrivateBase)
		}
	}
	for i := range p.kernel.Args {
		a := &p.kernel.Args[i]
		switch {
		case base != p.kernarg || !a.Hidden || uint64(off)-uint64(a.Offset) >= uint64(a.Size):
		case a.Kind == hidden.SharedBase:
			return p.words.Constant(t.SharedBase)
		case a.Kind == hidden.PrivateBase:
			return p.words.Constant(t.PrivateBase)
		case a.Kind == hidden.QueuePtr:
			if p.queue == (exact.Mask{}) {
				p.queue = exact.Mask{p.words.Loaded(base, off), p.words.Loaded(base, off+4)}
			}
		}
	}
	return p.words.Loaded(base, off)
}

// meet records pairs of registers that x uses as an address.
func (v *values) meet(x *step, now *flow) {
	for i := range x.effects {
		f := &x.effects[i]
		if first, n := registers.Span(f); !f.Write && f.File == isa.VReg && n == 2 {
			v.meetHalves(x, v.get(x, now, first), v.get(x, now, first+1))
		}
	}
}

// meetHalves records that x uses an address with these halves.
func (v *values) meetHalves(x *step, low, high exact.Word) {
	t, w := isa.TraitsOf(v.wave.Target), v.words
	spaces := map[exact.Word]state.Space{w.Constant(t.PrivateBase): state.Scratch, w.Constant(t.SharedBase): state.LDS}
	var found []state.Space
	w.Choices(high, func(high exact.Word) {
		if space, ok := spaces[high]; ok {
			found = append(found, space)
		}
	})
	if t.SharedBase == 0 || len(found) != 1 {
		return
	}
	w.Choices(low, func(low exact.Word) {
		if _, constant := w.Number(low); !constant && v.lows[low].from == nil {
			v.lows[low] = generic{found[0], x.site}
		}
	})
}

// isFrame reports whether scalar registers from code on have the V# of private memory with the wave's offset added.
func (v *values) isFrame(x *step, now *flow, code uint32) bool {
	first := registers.ScalarRegs + reg(code)
	return v.frame == exact.Mask{v.get(x, now, first+2), v.get(x, now, first+3)}
}

// judgeSpace reports the low half of an LDS address that is used as an offset in private memory, or the other way
// round.
func (v *values) judgeSpace(x *step, now *flow) {
	in, space := (*isa.Inst)(x.Inst), state.LDS
	switch {
	case in.Enc == isa.MUBUF && in.Bool(isa.OFFEN) && !in.Bool(isa.IDXEN) && v.isFrame(x, now, 4*in.Get(isa.SRSRC)),
		in.Enc == isa.SCRATCH && in.Get(isa.SADDR) == isa.NoSADDR:
		space = state.Scratch
	case in.Enc != isa.DS || in.Bool(isa.GDS) || !in.Has(isa.ADDR) || in.Row().Has(isa.NoAddr):
		return
	}
	addr := reg(in.Get(isa.ADDR))
	var low generic
	v.words.Choices(v.get(x, now, addr), func(a exact.Word) {
		if other, ok := v.lows[a]; ok && other.space != space {
			low = other
		}
	})
	if low.from == nil {
		return
	}
	name := addr.Operand(in, 1)
	f := x.first(defect{kind: WrongSpace, reg: name, rule: "F11", from: low.from})
	if f == nil {
		return
	}
	words := map[state.Space]string{state.LDS: "LDS", state.Scratch: "private memory"}
	at := low.from.place(x.Wave, 0)
	f.Severity, f.Producer, f.Space = Warning, &at, space.String()
	f.message = say("%s is an offset in %s here, and the low half of an address in %s in %v", name, words[space],
		words[low.space], low.from.named())
	f.fix = say("the variable must be in %s, or the address must not be cast", words[space])
}
