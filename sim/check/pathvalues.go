package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim/internal/hidden"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file follows values on paths, to know which registers hold the V# of private memory, and halves of addresses in
// LDS and in private memory.

// generic is the low half of an address with a high half that stands for LDS or private memory (rule F11).
type generic struct {
	space state.Space
	from  *site // an instruction that reads both halves
}

// values follows values on the paths that are known.
type values struct {
	*paths
	*exact.Evaluator
	in, out        map[*block]*exact.Registers
	kernarg, queue exact.Mask // addresses
	frame          exact.Mask // the last words of the V# of private memory
	lows           map[exact.Word]generic
	numbers        map[*block]uint64 // what the unknown values of a block are named by
}

var noLanes = exact.Mask{exact.Zero, exact.Zero}

// judgeValues reports what only values tell.
func (p *paths) judgeValues() {
	if !p.c.has(Stack) && !p.c.has(WrongSpace) {
		return
	}
	v := &values{paths: p, Evaluator: exact.NewEvaluator(p.wave.Target), in: map[*block]*exact.Registers{},
		out: map[*block]*exact.Registers{}, lows: map[exact.Word]generic{}, numbers: map[*block]uint64{}}
	again := map[*block]bool{}
	for i, b := range p.order {
		again[b], v.numbers[b] = true, uint64(i)
	}
	for n := 0; len(again) > 0; n++ {
		if n == maxRounds {
			return
		}
		v.round(again)
	}
	for _, b := range p.order {
		in := v.in[b]
		if in == nil {
			continue
		}
		now := *in
		p.in, p.way, p.here = b.call, b.first, &trail{nil, b.start}
		p.each(b, func(x *step) {
			if v.Mask(&now, registers.EXEC) != noLanes {
				v.judgeStack(x, &now)
				v.judgeSpace(x, &now)
			}
			v.execute(x, &now)
		})
	}
}

// round visits the blocks of again, in order. Afterwards again has the blocks to which a visit brought something new.
func (v *values) round(again map[*block]bool) {
	for _, b := range v.order {
		if !again[b] {
			continue
		}
		delete(again, b)
		now := v.entering(b)
		if now == nil {
			continue
		}
		in := *now
		v.in[b] = &in
		v.each(b, func(x *step) { v.execute(x, now) })
		if b.unknown != "" { // a function that is not known has changed registers
			now = &exact.Registers{At: ^now.At}
		}
		if old := v.out[b]; old == nil || *old != *now {
			v.out[b] = now
			for _, next := range b.next {
				again[next] = true
			}
		}
	}
}

// entering returns what registers hold at the beginning of b, nil if no path leads there yet.
func (v *values) entering(b *block) (now *exact.Registers) {
	at := v.numbers[b]
	if b == v.order[0] {
		return v.given()
	}
	for _, from := range b.prev {
		switch out := v.out[from]; {
		case out == nil:
		case from.call != nil && from.call.again: // it may return to any of its calls
			return &exact.Registers{At: at}
		case now == nil:
			copied := *out
			now = &copied
			now.At = at
		default:
			now.Join(out)
		}
	}
	return now
}

// given returns what registers hold at the start of the kernel (rules ST8 and ST12).
func (v *values) given() *exact.Registers {
	now := &exact.Registers{}
	now.SetMask(registers.EXEC, exact.Mask{exact.Ones, exact.Ones})
	const memBases = registers.FlagRegs + reg(isa.FlagHwreg) + 15 // the evaluator knows what is in it
	now.Set(memBases, exact.Zero)
	for _, item := range v.kernel.InitSGPRs {
		first := registers.ScalarRegs + reg(item.First)
		switch item.Item {
		case codeobj.KernargSegmentPtr:
			v.kernarg = v.Mask(now, first)
		case codeobj.QueuePtr:
			v.queue = v.Mask(now, first)
		case codeobj.PrivateSegmentBuffer:
			v.frame = v.Mask(now, first+2)
		}
	}
	return now
}

// execute lets x change values.
func (v *values) execute(x *step, now *exact.Registers) {
	for i := range x.effects {
		f := &x.effects[i]
		if first, n := registers.Span(f); !f.Write && f.File == isa.VReg && n == 2 {
			v.meet(x, v.get(x, now, first), v.get(x, now, first+1))
		}
	}
	base, off, ok := v.loaded(x, now)
	v.Execute(x.exact(), now)
	for i := range x.effects {
		f := &x.effects[i]
		first, n := registers.Span(f)
		for k := range n {
			if f.Write && ok {
				now.Set((first + reg(k)).Canonical(x.sgprs), v.load(base, off+4*uint32(k)))
			}
		}
	}
}

// nothing is memory in which nothing is mapped.
type nothing struct{}

func (nothing) Find(uint64) *executor.Span { return nil }

// loaded returns the address that x loads scalar registers from, as a pair of registers and an offset. ok is false if x
// is no such load, or its offset is not known.
func (v *values) loaded(x *step, now *exact.Registers) (base exact.Mask, off uint32, ok bool) {
	r := (*isa.Inst)(x.Inst).Row()
	if r.Enc != isa.SMEM || r.Mem.Op != gcn.Load || r.Has(isa.BufferBase) || r.Mem.Lanes64 || x.execute == nil {
		return base, 0, false
	}
	const far = 1 << 10 // the high half of an address
	for i := range x.effects {
		f := &x.effects[i]
		first, _ := registers.Span(f)
		switch {
		case f.Write:
		case f.Field == isa.SBASE:
			base = exact.Mask{v.get(x, now, first), v.get(x, now, first+1)}
			v.wave.set(first, 0)
			v.wave.set(first+1, far)
		default:
			n, known := v.Number(v.get(x, now, first))
			if !known {
				return base, 0, false
			}
			v.wave.set(first, n)
		}
	}
	v.ports.Mem = nothing{}
	_ = v.executes(v.wave.Wave, x.site) // which fails, and leaves the address
	return base, uint32(v.access.Addr[0]), true
}

// get returns the value of a register, of a VGPR in the lanes that are active at x.
func (v *values) get(x *step, now *exact.Registers, r reg) exact.Word {
	return v.InLanes(v.Get(now, r.Canonical(x.sgprs)), v.Mask(now, registers.EXEC))
}

// load returns the dword at an address: the aperture that the runtime has put there (rule F11), or an unknown value.
func (v *values) load(base exact.Mask, off uint32) exact.Word {
	const sharedHigh, privateHigh = 0x40, 0x44
	t := isa.TraitsOf(v.wave.Target)
	if base == v.queue {
		switch off {
		case sharedHigh:
			return v.Constant(t.SharedBase)
		case privateHigh:
			return v.Constant(t.PrivateBase)
		}
	}
	for i := range v.kernel.Args {
		a := &v.kernel.Args[i]
		switch {
		case base != v.kernarg || !a.Hidden || uint64(off)-uint64(a.Offset) >= uint64(a.Size):
		case a.Kind == hidden.SharedBase:
			return v.Constant(t.SharedBase)
		case a.Kind == hidden.PrivateBase:
			return v.Constant(t.PrivateBase)
		case a.Kind == hidden.QueuePtr:
			if v.queue == (exact.Mask{}) {
				v.queue = exact.Mask{v.Loaded(base, off), v.Loaded(base, off+4)}
			}
		}
	}
	return v.Loaded(base, off)
}

// meet notes that x reads two registers as an address.
func (v *values) meet(x *step, low, high exact.Word) {
	t := isa.TraitsOf(v.wave.Target)
	spaces := map[exact.Word]state.Space{v.Constant(t.PrivateBase): state.Scratch, v.Constant(t.SharedBase): state.LDS}
	var found []state.Space
	v.Choices(high, func(high exact.Word) {
		if space, ok := spaces[high]; ok {
			found = append(found, space)
		}
	})
	if t.SharedBase == 0 || len(found) != 1 {
		return
	}
	v.Choices(low, func(low exact.Word) {
		if _, constant := v.Number(low); !constant && v.lows[low].from == nil {
			v.lows[low] = generic{found[0], x.site}
		}
	})
}

// isFrame reports whether scalar registers from code on hold the V# of private memory, moved by the wave's part of it.
func (v *values) isFrame(x *step, now *exact.Registers, code uint32) bool {
	first := registers.ScalarRegs + reg(code)
	return v.frame == exact.Mask{v.get(x, now, first+2), v.get(x, now, first+3)}
}

// judgeSpace reports the low half of an address in LDS where an offset in private memory is needed, and the other way
// round.
func (v *values) judgeSpace(x *step, now *exact.Registers) {
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
	v.Choices(v.get(x, now, addr), func(a exact.Word) {
		if other, ok := v.lows[a]; ok && other.space != space {
			low = other
		}
	})
	if low.from == nil || !v.c.has(WrongSpace) {
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
