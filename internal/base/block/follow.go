//go:build linux && amd64 && !purego

package block

import (
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// follow describes the waves that execute after one that ends.
type follow struct {
	more   int64          // number of waves that may still follow
	room   int64          // number of instructions of ended waves after which only one more wave follows
	scalar unsafe.Pointer // the scalar registers at the beginning of a wave
	vector unsafe.Pointer // the first VGPRs at the beginning of a wave
	number int64          // offset from the scalar registers to the one for the work-group's number
	entry  uintptr        // where the code of a wave begins
	whole  uint64         // the budget at the beginning of a wave
	ended  uint64         // instructions of the waves that another wave followed
	waves  uint64         // number of waves that followed
}

// Offsets of the fields in a context.
const (
	valuAt = int(unsafe.Offsetof(Context{}.valu))

	followAt  = int(unsafe.Offsetof(Context{}.follow))
	moreAt    = followAt + int(unsafe.Offsetof(follow{}.more))
	roomForAt = followAt + int(unsafe.Offsetof(follow{}.room))
	scalarAt  = followAt + int(unsafe.Offsetof(follow{}.scalar))
	vectorAt  = followAt + int(unsafe.Offsetof(follow{}.vector))
	numberAt  = followAt + int(unsafe.Offsetof(follow{}.number))
	entryAt   = followAt + int(unsafe.Offsetof(follow{}.entry))
	wholeAt   = followAt + int(unsafe.Offsetof(follow{}.whole))
	endedByAt = followAt + int(unsafe.Offsetof(follow{}.ended))
	wavesAt   = followAt + int(unsafe.Offsetof(follow{}.waves))

	groupAt = int(unsafe.Offsetof(state.Wave{}.Group)) - int(unsafe.Offsetof(state.Wave{}.S))
)

// Follow lets up to more waves follow a wave that ends in code c, until [Context.Followed] is called. Once the ended
// waves have executed room instructions, only one more follows. Each wave begins at step with the registers of begun,
// with ids as its first VGPRs and 0 in the others. Its work-group, which has no LDS, is the next one in the first
// dimension. The number of the work-group is also written to the scalar register id, unless id is negative.
func (x *Context) Follow(c *Code, step uint64, more, room int64, begun *state.Wave, ids *[3]state.Lanes, id int) {
	f := &x.follow
	f.more, f.room = more, room
	f.scalar, f.vector, f.number = unsafe.Pointer(&begun.S), unsafe.Pointer(ids), int64(groupAt)
	if id >= 0 {
		f.number = int64(4 * id)
	}
	f.entry = c.address(step)
}

// Followed returns how many waves have followed since [Context.Follow] was called, and how many instructions the
// waves before them executed. After that no wave follows.
func (x *Context) Followed() (waves, executed uint64) {
	f := &x.follow
	waves, executed = f.waves, f.ended
	*f = follow{}
	return waves, executed
}

// goToNext emits the jump, at the end of a wave, to the code that begins the next wave if one may follow.
func (c *compiler) goToNext() {
	if c.again < 0 {
		c.again = c.label()
	}
	c.op(true, opByImm8, bySUB, at(rdx, moreAt), 1) // SUBQ $1
	c.emit(1)
	c.jump(ccNotBelow, c.again)
	c.op(true, opByImm8, byADD, at(rdx, moreAt), 1) // ADDQ $1: there was no more wave
	c.emit(1)
}

// beginNext emits code that counts the instructions of a wave that has ended, changes its state to that of the next
// wave, and begins it. Only registers that the code writes can differ from the initial ones.
func (c *compiler) beginNext() {
	if c.again < 0 {
		return
	}
	c.place(c.again)
	goesOn := c.label()
	c.load(true, rax, at(rdx, wholeAt))
	c.regs(true, opSUB, r13, rax)
	c.load(true, r13, at(rdx, wholeAt))
	add := func(reg, disp int) { c.op(true, opADD, reg, at(rdx, disp), 0) }
	add(rax, endedByAt)
	c.op(true, opINC, byINC, at(rdx, wavesAt), 0)
	c.op(true, opSUB, rax, at(rdx, roomForAt), 0)
	c.jump(ccMore, goesOn)
	c.regs(true, opXOR, rax, rax)
	c.store(true, rax, at(rdx, moreAt))
	c.place(goesOn)
	add(r12, valuAt) // without LDS no load in a run has executed
	c.regs(false, opXOR, r12, r12)
	c.resetScalars()
	c.resetVectors()
	c.load(false, rax, at(rsi, groupAt))
	c.byImm(byADD, rax, 1)
	c.store(false, rax, at(rsi, groupAt))
	c.load(true, rcx, at(rdx, numberAt))
	c.store(false, rax, mem{base: rsi, index: rcx})
	c.op(false, opINC, byJMP, at(rdx, entryAt), 0)
}

// resetScalars emits the reset of scalar registers, SCC and counters to their first values.
func (c *compiler) resetScalars() {
	c.load(true, rcx, at(rdx, scalarAt))
	for code := 0; code < isa.NumScalarCodes; code += c.lanes {
		var part codes
		part.add(uint32(code), uint32(c.lanes))
		if c.scalars.meets(part) {
			c.vex(vmovups, 0, 0, -1, at(rcx, 4*code))
			c.vex(vmovupsTo, 0, 0, -1, at(rsi, 4*code))
		}
	}
	c.load(false, rax, at(rcx, sccAt))
	c.store(false, rax, at(rsi, sccAt))
	for _, counter := range [...]int{vmAt, expAt, lgkmAt} {
		c.op(false, opMOVBFrom, rax, at(rcx, counter), 0)
		c.op(false, opMOVB, rax, at(rsi, counter), 0)
	}
}

// resetVectors emits the reset of VGPRs to their first values.
func (c *compiler) resetVectors() {
	c.load(true, rcx, at(rdx, vectorAt))
	c.vex(two(vector.Xor), 1, 1, 1, mem{})
	for code := range state.MaxVGPRs {
		var one codes
		one.add(uint32(code), 1)
		if !c.vectors.meets(one) {
			continue
		}
		for strip := 256 * code; strip < 256*(code+1); strip += 4 * c.lanes {
			from := 1
			if code < len([3]state.Lanes{}) {
				from = 0
				c.vex(vmovups, 0, 0, -1, at(rcx, strip))
			}
			c.vex(vmovupsTo, from, 0, -1, at(rdi, strip))
		}
	}
}
