//go:build linux && amd64 && !purego

package block

import (
	"errors"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/vector"
)

// strip emits the machine code for one strip of a run. Vectors live in the registers 0 to 14. If there are too few,
// the vector whose next use is farthest is evicted: a computed vector is spilled, an argument or constant is read
// again.
type strip struct {
	*asm
	r       *run
	live    []bool
	partial bool // some lanes are inactive; their mask is in vector register execReg
	masked  bool // inactive lanes of VGPRs are read as 0, so that they raise no exception
	holds   [execReg]vector.Value
	in      []int8  // the register of a value, -1 if it has none
	spilled []int16 // the spill slot of a value, -1 if it has none
	slots   [maxSpills]bool
	uses    [][]int32 // positions of the remaining uses of a value
	pinned  uint32    // registers that the current instruction needs
	wrong   int       // label to jump to if executors must do the run
	err     error
}

const execReg = 15

// maskRegs are the registers that collect the first lane masks of a run. Other masks are collected in the context,
// where the host waits for the stores of all bytes before it loads the mask in one piece.
var maskRegs = [...]int{rbx, r14, r15}

var errSpills = errors.New("block: a run needs too many vectors at a time")

func newStrip(a *asm, r *run, live []bool, partial, masked bool) *strip {
	n := len(r.code.Instrs)
	s := &strip{asm: a, r: r, live: live, partial: partial, masked: partial && masked,
		in: make([]int8, n), spilled: make([]int16, n), uses: make([][]int32, n)}
	for v := range n {
		s.in[v], s.spilled[v] = -1, -1
	}
	counts, total := make([]int, n), 0
	r.eachUse(live, func(x vector.Value, _ int32) {
		counts[x]++
		total++
	})
	all := make([]int32, total)
	for v, count := range counts {
		s.uses[v], all = all[:0:count], all[count:]
	}
	r.eachUse(live, func(x vector.Value, at int32) { s.uses[x] = append(s.uses[x], at) })
	return s
}

// eachUse calls tell for each use of a value: by the instruction at a position of the list or, after those, by a
// result.
func (r *run) eachUse(live []bool, tell func(x vector.Value, at int32)) {
	for v, i := range r.code.Instrs {
		for _, x := range [...]vector.Value{i.X, i.Y, i.Z} {
			if x != 0 && live[v] {
				tell(x, int32(v))
			}
		}
	}
	for k, v := range r.results() {
		tell(v, int32(len(r.code.Instrs)+k))
	}
}

// next is the position of the next use of v, far away if there is none.
func (s *strip) next(v vector.Value) int32 {
	if len(s.uses[v]) == 0 {
		return math.MaxInt32
	}
	return s.uses[v][0]
}

// releaseAt removes the uses of v up to position at. After its last use, the register and the slot of v are free.
func (s *strip) releaseAt(v vector.Value, at int32) {
	for len(s.uses[v]) > 0 && s.uses[v][0] <= at {
		s.uses[v] = s.uses[v][1:]
	}
	if len(s.uses[v]) > 0 {
		return
	}
	if k := s.in[v]; k >= 0 {
		s.holds[k], s.in[v] = 0, -1
	}
	if slot := s.spilled[v]; slot >= 0 {
		s.slots[slot], s.spilled[v] = false, -1
	}
}

// register returns a register for v.
func (s *strip) register(v vector.Value) int {
	best := -1
	for k, other := range s.holds {
		switch {
		case s.pinned>>k&1 != 0:
		case other == 0:
			best = k
		case best < 0 || s.holds[best] != 0 && s.next(other) > s.next(s.holds[best]):
			best = k
		}
	}
	if other := s.holds[best]; other != 0 {
		s.putAway(other, best)
	}
	s.holds[best], s.in[v] = v, int8(best)
	s.pinned |= 1 << best
	return best
}

// temporary returns a register that holds no value. It is free for one instruction of the list.
func (s *strip) temporary() int {
	k := s.register(0)
	s.holds[k] = 0
	return k
}

// putAway spills v from its register.
func (s *strip) putAway(v vector.Value, k int) {
	s.in[v] = -1
	switch s.r.code.Instrs[v].Op {
	case vector.Arg, vector.Const, vector.Bytes:
		return
	}
	if s.spilled[v] >= 0 {
		return
	}
	for slot, taken := range s.slots {
		if !taken {
			s.slots[slot], s.spilled[v] = true, int16(slot)
			s.vex(vmovupsTo, k, 0, -1, at(rdx, spillsAt+64*slot))
			return
		}
	}
	s.err = errSpills
}

// reg returns the register of v, and loads v into one if it has none.
func (s *strip) reg(v vector.Value) int {
	if k := s.in[v]; k >= 0 {
		s.pinned |= 1 << k
		return int(k)
	}
	k := s.register(v)
	i := s.r.code.Instrs[v]
	switch {
	case s.err != nil: // v may have no value, in code that nobody uses
	case s.spilled[v] >= 0:
		s.vex(vmovups, k, 0, -1, at(rdx, spillsAt+64*int(s.spilled[v])))
	case i.Op == vector.Const && i.Imm == 0:
		s.vex(two(vector.Xor), k, k, k, mem{})
	case i.Op == vector.Const || i.Op == vector.Bytes:
		s.vex(vmovups, k, 0, -1, s.pooled(constant(i)))
	default:
		s.argument(s.r.inputs[i.Imm], k)
	}
	return k
}

// argument emits the load of an argument into register k.
func (s *strip) argument(in input, k int) {
	switch in.kind {
	case inVGPR:
		if s.masked {
			s.loadMasked(k, execReg, laneOf(rdi, 256*int(in.code)))
			return
		}
		s.vex(vmovups, k, 0, -1, laneOf(rdi, 256*int(in.code)))
	case inScalar:
		s.vex(vbroadcast, k, 0, -1, at(rsi, 4*int(in.code)))
	case inExec:
		if s.partial {
			s.vex(vmovaps, k, 0, execReg, mem{})
		} else {
			s.ones(k)
		}
	case inMask:
		s.laneMask(rax, 4*int(in.code))
		s.expand(k)
	}
}

// constant returns a constant in the form of a vector.
func constant(i vector.Instr) (c pooled) {
	if i.Op == vector.Bytes {
		t := vector.Tables[i.Imm]
		for n := range c {
			c[n] = t[n%16]
		}
		return c
	}
	for n := range c {
		c[n] = byte(i.Imm >> (8 * (n % 4)))
	}
	return c
}

// operand returns v as the last operand of an instruction: a register, or -1 and a memory operand.
func (s *strip) operand(v vector.Value) (k int, m mem) {
	if s.in[v] >= 0 || s.spilled[v] >= 0 {
		return s.reg(v), m
	}
	switch i := s.r.code.Instrs[v]; {
	case i.Op == vector.Const && i.Imm != 0:
		return -1, s.pooled(constant(i))
	case i.Op == vector.Arg && s.r.inputs[i.Imm].kind == inExec && s.partial:
		return execReg, m
	case i.Op == vector.Arg && len(s.uses[v]) == 1 && !s.masked && s.r.inputs[i.Imm].kind == inVGPR:
		return -1, laneOf(rdi, 256*int(s.r.inputs[i.Imm].code))
	}
	return s.reg(v), m
}

// instr emits instruction v of the list.
func (s *strip) instr(v vector.Value) {
	i := s.r.code.Instrs[v]
	switch i.Op {
	case placesOf:
		s.places(v, i)
		return
	case dwordOf:
		s.dword(v, i)
		return
	case ternary:
		s.ternary(v, i)
		return
	case vector.Singles:
		s.singles(v, i)
		return
	}
	s.pinned = 0
	var x, z int
	if i.X != 0 {
		x = s.reg(i.X)
	}
	if i.Z != 0 {
		z = s.reg(i.Z)
	}
	y, m := -1, mem{}
	if i.Y != 0 {
		y, m = s.operand(i.Y)
	}
	if i.Op == vector.FMA || i.Op == vector.AndNot && y < 0 { // they need another register for the result, or for y
		s.emitDestructive(v, i, x, z)
		return
	}
	s.releaseOperands(v, i)
	d := s.result(v)
	one, shift := unary[i.Op], byCount[i.Op]
	switch {
	case i.Op == vector.Blend:
		s.blend(ofLanes, d, x, y, m, z)
	case i.Op == vector.BlendB:
		s.blend(ofBytes, d, x, y, m, z)
	case i.Op == vector.AndNot:
		s.vex(two(i.Op), d, y, x, mem{})
	case i.Op == vector.HighPD:
		s.upperHalf(d, x)
		s.vex(toDoubles, d, 0, d, mem{})
	case i.Op == vector.OddOf:
		s.oddOf(d, x, y, m)
	case i.Op == vector.ComparePS:
		s.compare(two(i.Op), d, x, y, m, byte(i.Imm))
	case i.Op == vector.Equal || i.Op == vector.Greater || i.Op == vector.EqualB || i.Op == vector.GreaterB:
		s.compare(two(i.Op), d, x, y, m)
	case i.Op == compareU:
		s.compare(vpcmpud, d, x, y, m, byte(i.Imm))
	case i.Op == vector.RoundPS:
		s.vex(one, d, 0, x, mem{}, 8|byte(i.Imm))
	case one != form{}:
		s.vex(one, d, 0, x, mem{})
	case shift != count{}:
		s.vex(shift.form, shift.ext, d, x, mem{}, byte(i.Imm))
	default:
		s.vex(two(i.Op), d, x, y, m)
	}
}

// releaseOperands removes the uses of the operands of v, which have been read.
func (s *strip) releaseOperands(v vector.Value, i vector.Instr) {
	for _, x := range [...]vector.Value{i.X, i.Y, i.Z} {
		if x != 0 {
			s.releaseAt(x, int32(v))
		}
	}
}

// result returns a register for v. It may be the register of an operand without further use. Other registers of
// operands keep their values.
func (s *strip) result(v vector.Value) int {
	for k, other := range s.holds {
		if other == 0 {
			s.pinned &^= 1 << k
		}
	}
	return s.register(v)
}

// emitDestructive emits FMA and AndNot, whose result must not be in the register of an operand that is overwritten.
func (s *strip) emitDestructive(v vector.Value, i vector.Instr, x, z int) {
	y := s.reg(i.Y)
	d := s.register(v)
	if i.Op == vector.AndNot {
		s.vex(two(i.Op), d, y, x, mem{})
	} else {
		s.vex(vmovaps, d, 0, x, mem{})
		s.vex(vfmadd213ps, d, y, z, mem{})
	}
	s.releaseOperands(v, i)
}

// singles emits [vector.Singles].
func (s *strip) singles(v vector.Value, i vector.Instr) {
	s.pinned = 0
	x, y := s.reg(i.X), s.reg(i.Y)
	upper, d := s.temporary(), s.register(v)
	s.vex(toSingles, d, 0, x, mem{})
	s.vex(toSingles, upper, 0, y, mem{})
	s.halves(d, d, upper)
	s.releaseOperands(v, i)
}

// emit emits the strip.
func (s *strip) emit() {
	for n := 1; n < len(s.r.code.Instrs); n++ {
		switch s.r.code.Instrs[n].Op {
		case vector.Arg, vector.Const, vector.Bytes, vector.NoteOperand, vector.NoteFinite:
		default:
			if s.live[n] {
				s.instr(vector.Value(n))
			}
		}
	}
	at := int32(len(s.r.code.Instrs))
	take := func(v vector.Value) int {
		s.pinned = 0
		return s.reg(v)
	}
	if v := s.r.watch; v != 0 {
		s.signs(rax, take(v))
		s.regs(false, opOR, rax, r11)
		s.releaseAt(v, at)
		at++
	}
	for slot, code := range s.r.wroteMasks {
		v := s.r.masks[code]
		s.signs(rax, take(v))
		if slot < len(maskRegs) {
			s.storeMask(maskRegs[slot], mem{})
		} else {
			s.storeMask(-1, stripOf(rdx, masksAt+8*slot))
		}
		s.releaseAt(v, at)
		at++
	}
	var saved []uint32
	if !s.r.final {
		saved = s.r.saved()
	}
	for _, code := range s.r.wroteVGPRs {
		v := s.r.vgprs[code]
		k := take(v)
		s.writeBack(int(code), k, saved)
		s.releaseAt(v, at)
		at++
	}
}

// writeBack emits the write of register k to a VGPR, whose old value is saved if the run may have to be repeated.
func (s *strip) writeBack(code, k int, saved []uint32) {
	slot := -1
	for n, c := range saved {
		if int(c) == code {
			slot = n
		}
	}
	place := laneOf(rdi, 256*code)
	if s.partial || slot >= 0 {
		old := s.temporary()
		s.vex(vmovups, old, 0, -1, place)
		if slot >= 0 {
			s.vex(vmovupsTo, old, 0, -1, laneOf(rdx, savedAt+256*slot))
		}
		if s.partial {
			s.blend(ofLanes, old, old, k, mem{}, execReg)
			k = old
		}
	}
	s.vex(vmovupsTo, k, 0, -1, place)
}

// emitRun emits a run: its strips, its checks and its writes to scalar registers. The code jumps to wrong if
// executors must do the run; only VGPRs have changed then.
func (a *asm) emitRun(r *run, wrong int) error {
	r.fold()
	r.watchNaNs(r.products)
	live := r.needed()
	if a.lanes == 16 {
		live = r.fuse(live)
	}
	r.alive = live
	checked := r.isChecked(live)
	r.final = !checked && r.watch == 0 && len(r.loads) == 0
	part, done := a.label(), a.label()
	a.regs(false, opXOR, rcx, rcx)
	a.regs(false, opXOR, r8, r8)
	a.bound(r.loads, wrong)
	if r.watch != 0 {
		a.regs(false, opXOR, r11, r11)
	}
	a.op(true, opByImm8, byCMP, at(rsi, 4*gcn.EXEC), 1) // CMPQ EXEC, $-1
	a.emit(0xff)
	a.jump(ccNotZero, part)
	for _, partial := range []bool{false, true} {
		head, next := a.label(), a.label()
		if partial {
			a.place(part)
		}
		a.place(head)
		s := newStrip(a, r, live, partial, checked || r.watch != 0)
		s.wrong = wrong
		if partial {
			a.laneMask(rax, 4*gcn.EXEC)
			a.regs(false, opTEST, rax, rax)
			a.jump(ccZero, next)
			s.expand(execReg)
		}
		s.emit()
		if s.err != nil {
			return s.err
		}
		a.place(next)
		for slot := range min(len(r.wroteMasks), len(maskRegs)) {
			a.regs(true, opShiftImm, byROR, maskRegs[slot]) // RORQ: the first strip ends in the lowest bits
			a.emit(byte(a.lanes))
		}
		a.nextStrip()
		a.byImm(byCMP, rcx, 256)
		a.jump(ccBelow, head)
		if !partial {
			a.jump(ccAlways, done)
		}
	}
	a.place(done)
	if checked {
		a.checkExceptions(r.mode, wrong)
	}
	if r.watch != 0 {
		a.regs(false, opTEST, r11, r11)
		a.jump(ccNotZero, wrong)
	}
	if a.traces && len(r.loads) > 0 {
		a.traceLoads(r)
	}
	a.writeMasks(r)
	return nil
}

// checkExceptions emits a jump to wrong, taken if the host has raised an exception which shows that a result may
// differ: an invalid operation or, if denormals are flushed, an underflow.
func (a *asm) checkExceptions(mode modeKey, wrong int) {
	flags := byte(1)
	if mode.flushes() {
		flags |= 1 << 4
	}
	a.op(false, opMXCSR, bySTMXCSR, at(rdx, mxcsrAt), 0)
	a.op(false, opTESTImmB, byTEST, at(rdx, mxcsrAt), 1)
	a.emit(flags)
	a.jump(ccNotZero, wrong)
}

// writeMasks emits the writes of the lane masks of a run, for active lanes, EXEC last.
func (a *asm) writeMasks(r *run) {
	write := func(slot int, code uint32) {
		if slot < len(maskRegs) {
			a.regs(true, opMOV, maskRegs[slot], rax)
		} else {
			a.load(true, rax, at(rdx, masksAt+8*slot))
		}
		a.op(true, opANDFrom, rax, at(rsi, 4*gcn.EXEC), 0)
		a.store(true, rax, at(rsi, 4*int(code)))
	}
	exec := -1
	for slot, code := range r.wroteMasks {
		if r.ends && code == r.execFrom {
			exec = slot
		}
		if code != gcn.EXEC {
			write(slot, code)
		}
	}
	if exec >= 0 {
		write(exec, gcn.EXEC)
	}
}
