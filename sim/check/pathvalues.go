package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim/internal/hidden"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file follows values on paths, to know which registers hold the V# of private memory, and halves of addresses in
// LDS and in private memory. It executes instructions, with all lanes active. An unknown value is a random number that
// depends on where the value comes from, the same in all lanes: so a copy of it has the same number.

// valuesAt is what registers hold at a place.
type valuesAt struct {
	start uint64 // of the block; a register without a number has one that belongs to it
	all   [registers.NumRegs]uint32
	has   regset // registers with a number
	sure  regset // those whose numbers do not come from a random one
}

// generic is the low half of an address with a high half that stands for LDS or private memory (rule F11).
type generic struct {
	space state.Space
	from  *site // an instruction that reads both halves
}

// values follows values on the paths that are known.
type values struct {
	*paths
	in, out        map[*block]*valuesAt
	kernarg, queue uint64    // addresses
	frame          [4]uint32 // the V# of private memory
	lows           map[uint32]generic
	lanes          [state.MaxVGPRs]allLanesAre // of the wave
}

// allLanesAre is the number that all lanes of a register hold, if they do.
type allLanesAre struct {
	n    uint32
	same bool
}

// judgeValues reports what only values tell.
func (p *paths) judgeValues() {
	if !p.c.has(Stack) && !p.c.has(WrongSpace) {
		return
	}
	v := &values{paths: p, in: map[*block]*valuesAt{}, out: map[*block]*valuesAt{}, lows: map[uint32]generic{}}
	again := map[*block]bool{}
	for _, b := range p.order {
		again[b] = true
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
		now := in.clone()
		p.in, p.way, p.here = b.call, b.first, &trail{nil, b.start}
		p.each(b, func(x *step) {
			if now.get(registers.EXEC)|now.get(registers.EXEC+1) != 0 {
				v.judgeStack(x, now)
				v.judgeSpace(x, now)
			}
			v.execute(x, now)
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
		v.in[b] = now.clone()
		v.each(b, func(x *step) { v.execute(x, now) })
		if b.unknown != "" { // a function that is not known has changed registers
			now = &valuesAt{start: now.start + 1}
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
func (v *values) entering(b *block) (now *valuesAt) {
	if b == v.order[0] {
		return v.given(b)
	}
	for _, from := range b.prev {
		switch out := v.out[from]; {
		case out == nil:
		case from.call != nil && from.call.again: // it may return to any of its calls
			return &valuesAt{start: b.start}
		case now == nil:
			now = out.clone()
			now.start = b.start
		default:
			now.join(out)
		}
	}
	return now
}

// join keeps what registers hold on another path, too.
func (now *valuesAt) join(other *valuesAt) {
	for r := range now.has.all() {
		if !other.has.has(r) || other.all[r] != now.all[r] {
			now.has.drop(r)
			now.all[r] = 0
		}
	}
	for i := range now.sure {
		now.sure[i] &= other.sure[i] & now.has[i]
	}
}

// given returns what registers hold at the start of the kernel (rule ST12).
func (v *values) given(b *block) *valuesAt {
	now := &valuesAt{start: b.start}
	now.set(registers.EXEC, ^uint32(0))
	now.set(registers.EXEC+1, ^uint32(0))
	for _, item := range v.kernel.InitSGPRs {
		first := registers.ScalarRegs + reg(item.First)
		switch item.Item {
		case codeobj.KernargSegmentPtr:
			v.kernarg = now.address(first)
		case codeobj.QueuePtr:
			v.queue = now.address(first)
		case codeobj.PrivateSegmentBuffer:
			for i := range v.frame {
				v.frame[i] = now.get(first + reg(i))
			}
		}
	}
	return now
}

// address gives a pair of registers an address that no other pair has, and returns it.
func (now *valuesAt) address(first reg) uint64 {
	now.set(first, now.get(first)&^0xffff)
	now.set(first+1, now.get(first+1)&0xffff)
	return uint64(now.all[first+1])<<32 | uint64(now.all[first])
}

func (now *valuesAt) clone() *valuesAt {
	other := *now
	return &other
}

// set gives r a number.
func (now *valuesAt) set(r reg, n uint32) {
	now.all[r] = n
	now.has.add(r)
}

// get returns what r holds.
func (now *valuesAt) get(r reg) uint32 {
	if !now.has.has(r) {
		now.set(r, anyOf(now.start, uint64(r)))
	}
	return now.all[r]
}

// anyOf is the number of an unknown value: a step of SplitMix64.
func anyOf(at, which uint64) uint32 {
	n := at*0x9e3779b97f4a7c15 + which*0xd1342543de82ef95
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return uint32(n >> 32)
}

// execute lets x change values.
func (v *values) execute(x *step, now *valuesAt) {
	sure := true
	for i := range x.effects {
		f := &x.effects[i]
		first, n := registers.Span(f)
		for k := range n {
			r := first + reg(k)
			sure = sure && (f.Write || r&^1 == registers.EXEC || now.sure.has(r))
			v.setAll(r, now.get(r))
		}
		if !f.Write && f.File == gcn.VReg && n == 2 {
			v.meet(x, now.get(first), now.get(first+1))
		}
	}
	load, loads := v.loaded(x)
	ran := !loads && v.runs(x)
	sure = sure && ran && x.Inst.Row().Imm != gcn.HwregImm
	for i := range x.effects {
		f := &x.effects[i]
		first, n := registers.Span(f)
		for k := range n {
			r := first + reg(k)
			if !f.Write {
				continue
			}
			n, known := anyOf(x.PC, uint64(r)), false
			if loads {
				n = v.load(load + 4*uint64(k))
			} else if ran {
				if got, ok := v.getAll(r); ok {
					n, known = got, true
				}
			}
			now.set(r, n)
			if now.sure.drop(r); known && sure {
				now.sure.add(r)
			}
		}
	}
	v.wave.SetExec(state.FullExec)
}

// runs executes x if it only computes, and reports whether it did.
func (v *values) runs(x *step) bool {
	r := x.Inst.Row()
	if pathOf(x.Inst) != noPath || r.Mem.Op != gcn.NoMem || r.Control != gcn.NoControl || r.Has(gcn.Jumps) ||
		r.Has(gcn.Branch) || r.Has(gcn.WritesMODE) || r.Has(gcn.WritesTRAPSTS) || x.moves ||
		r.Imm == gcn.HwregImm && r.Sig.Dst == gcn.None {
		return false
	}
	if x.vector {
		v.wave.SetExec(state.FullExec)
	}
	v.wave.PC = x.PC + uint64(x.Inst.Size)
	return v.executes(v.wave.Wave, x.site)
}

// setAll gives r of the wave a value, in all lanes.
func (v *values) setAll(r reg, n uint32) {
	if r >= registers.ScalarRegs {
		v.wave.set(r, n)
		return
	}
	if now := (allLanesAre{n, true}); v.lanes[r] != now {
		v.lanes[r] = now
		lanes := &v.wave.V[r]
		for lane := range lanes {
			lanes[lane] = n
		}
	}
}

// getAll returns the value of r of the wave, which an instruction has written; ok is false if lanes have others.
func (v *values) getAll(r reg) (n uint32, ok bool) {
	w := v.wave
	switch {
	case r < registers.ScalarRegs:
		lanes := &w.V[r]
		n, differ := lanes[0], uint32(0)
		for _, other := range lanes {
			differ |= other ^ n
		}
		v.lanes[r] = allLanesAre{n, differ == 0}
		return n, differ == 0
	case r&^1 == registers.EXEC:
		return uint32(w.Exec() >> (32 * (r & 1))), true
	}
	return w.get(r)
}

// nothing is memory in which nothing is mapped.
type nothing struct{}

func (nothing) Find(uint64) *executor.Span { return nil }

// loaded returns the address that x loads scalar registers from; ok is false if it is no such load.
func (v *values) loaded(x *step) (addr uint64, ok bool) {
	r := x.Inst.Row()
	if r.Enc != gcn.SMEM || r.Mem.Op != gcn.Load || r.Has(gcn.BufferBase) || r.Mem.Lanes64 {
		return 0, false
	}
	if x.execute == nil {
		return 0, false
	}
	v.ports.Mem = nothing{}
	_ = v.executes(v.wave.Wave, x.site) // which fails, and leaves the address
	return v.access.Addr[0], true
}

// load returns the dword at an address: the aperture that the runtime has put there (rule F11), or the number of an
// unknown value.
func (v *values) load(addr uint64) uint32 {
	const sharedHigh, privateHigh = 0x40, 0x44
	t := v.wave.Target.Traits()
	if v.queue != 0 {
		switch addr - v.queue {
		case sharedHigh:
			return t.SharedBase
		case privateHigh:
			return t.PrivateBase
		}
	}
	for i := range v.kernel.Args {
		a := &v.kernel.Args[i]
		switch off := addr - v.kernarg; {
		case v.kernarg == 0 || !a.Hidden || off-uint64(a.Offset) >= uint64(a.Size):
		case a.Kind == hidden.SharedBase:
			return t.SharedBase
		case a.Kind == hidden.PrivateBase:
			return t.PrivateBase
		case a.Kind == hidden.QueuePtr:
			if v.queue == 0 {
				v.queue = uint64(anyOf(0, 0)) << 16 &^ 0xffff
			}
			return uint32(v.queue >> (8 * (off - uint64(a.Offset))))
		}
	}
	return anyOf(addr, 1)
}

// meet notes that an instruction reads two registers as an address.
func (v *values) meet(x *step, low, high uint32) {
	t := v.wave.Target.Traits()
	space := state.LDS
	switch {
	case t.SharedBase == 0 || low < maxOffset || low > ^uint32(maxOffset):
		return // a constant
	case high == t.PrivateBase:
		space = state.Scratch
	case high != t.SharedBase:
		return
	}
	if v.lows[low].from == nil {
		v.lows[low] = generic{space, x.site}
	}
}

// maxOffset is a number that no constant offset in LDS or private memory reaches.
const maxOffset = 1 << 20

// isFrame reports whether scalar registers from code on hold the V# of private memory, moved by the wave's part of it.
func (v *values) isFrame(now *valuesAt, code uint32) bool {
	first := registers.ScalarRegs + reg(code)
	return v.frame != [4]uint32{} && now.get(first+2) == v.frame[2] && now.get(first+3) == v.frame[3]
}

// judgeSpace reports the low half of an address in LDS where an offset in private memory is needed, and the other way
// round.
func (v *values) judgeSpace(x *step, now *valuesAt) {
	in, space := x.Inst, state.LDS
	switch {
	case in.Enc == gcn.MUBUF && in.Bool(gcn.OFFEN) && !in.Bool(gcn.IDXEN) && v.isFrame(now, 4*in.Get(gcn.SRSRC)),
		in.Enc == gcn.SCRATCH && in.Get(gcn.SADDR) == gcn.NoSADDR:
		space = state.Scratch
	case in.Enc != gcn.DS || in.Bool(gcn.GDS) || !in.Has(gcn.ADDR) || in.Row().Has(gcn.NoAddr):
		return
	}
	addr := reg(in.Get(gcn.ADDR))
	low, ok := v.lows[now.get(addr)]
	if !ok || low.space == space || !v.c.has(WrongSpace) {
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
