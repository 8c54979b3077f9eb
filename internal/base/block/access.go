//go:build linux && amd64 && !purego

package block

import (
	"slices"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// site is a [Site] in the form that machine code reads, with the values of the keys for which it holds.
type site struct {
	first                *byte
	add, last, low, high uint32
	keys                 [maxKeys]uint64
	base                 uint64 // the address of First
	// how often the access could not use its site; from mostFailed on also how often no other site was looked for
	failed int
}

// Offsets of the fields of a site, and of the sites in a context. R11 holds the address of the first site.
const (
	siteBytes = int(unsafe.Sizeof(site{}))
	firstAt   = int(unsafe.Offsetof(site{}.first))
	addAt     = int(unsafe.Offsetof(site{}.add))
	lastOfAt  = int(unsafe.Offsetof(site{}.last))
	lowAt     = int(unsafe.Offsetof(site{}.low))
	highAt    = int(unsafe.Offsetof(site{}.high))
	keysAt    = int(unsafe.Offsetof(site{}.keys))
	baseAt    = int(unsafe.Offsetof(site{}.base))
)

// SetSite records the site of the access at a step of code c. The site holds while the scalar registers that the
// access reads have the values that they have in w now.
func (x *Context) SetSite(c *Code, step uint64, w *state.Wave, at Site) {
	n := c.accesses[step]
	s := site{first: at.First, add: at.Add, last: min(at.Last, 1<<31-1), low: at.Low, high: at.High, base: at.Base}
	for i, k := range c.keys[step] {
		s.keys[i] = uint64(w.S[k.Code])
		if k.Wide {
			s.keys[i] |= uint64(w.S[k.Code+1]) << 32
		}
	}
	s.failed = x.sites[n].failed
	x.sites[n] = s
}

// Failed records that the access at a step could not use a site.
func (x *Context) Failed(c *Code, step uint64) { x.sites[c.accesses[step]].failed++ }

// MayHaveSite reports whether another site may be looked for, for the access at a step: the access has failed seldom,
// or not lately.
func (x *Context) MayHaveSite(c *Code, step uint64) bool {
	s := &x.sites[c.accesses[step]]
	if s.failed < mostFailed {
		return true
	}
	if s.failed++; s.failed == mostFailed+failedPause {
		s.failed = 0
	}
	return false
}

// After mostFailed failures of an access, no other site is looked for the next failedPause times that it needs one.
const (
	mostFailed  = 64
	failedPause = 4 * mostFailed
)

// Forget forgets all sites. From now on x is used for code c, in a memory that has changed, or for no code (nil).
func (x *Context) Forget(c *Code) {
	clear(x.sites[:cap(x.sites)])
	n := 0
	if c != nil {
		n = len(c.traced)
	}
	x.sites = slices.Grow(x.sites[:0], n)[:n]
}

// Vector registers that an access uses.
const (
	placesReg = iota
	addReg
	lastReg
	lowReg
	highReg
	badReg    // bits that must be 0
	withinReg // all bits are set in lanes within the range
	nextReg   // offsets of lanes whose dwords are consecutive
	dataReg   // dataReg and the next three are temporaries
	maskReg   //
	shiftReg  //
	constReg  //
	strideReg // the size of a strip in bytes, in all lanes
)

// access emits access n. The code jumps to miss, with nothing changed, if it cannot do the access.
func (a *asm) access(in *Access, n, miss int) {
	at0 := func(disp int) mem { return mem{base: r11, index: -1, disp: n*siteBytes + disp} }
	a.load(true, r11, at(rdx, sitesAt))
	a.load(true, r10, at0(firstAt))
	a.regs(true, opTEST, r10, r10)
	a.jump(ccZero, miss)
	if in.Scalar {
		a.scalarLoad(in, n, at0, miss)
		a.accessed(in)
		return
	}
	for i, k := range in.Keys {
		a.load(k.Wide, rax, at(rsi, 4*int(k.Code)))
		a.op(true, opCMPFrom, rax, at0(keysAt+8*i), 0)
		a.jump(ccNotZero, miss)
	}
	general, done := a.label(), a.label()
	if in.Size == 4 && in.Atomic == isa.NoAtomic {
		a.inOrder(in, n, at0, general)
		a.jump(ccAlways, done)
	}
	a.place(general)
	a.vex(vbroadcast, addReg, 0, -1, at0(addAt))
	a.vex(vbroadcast, lastReg, 0, -1, at0(lastOfAt))
	a.vex(vbroadcast, lowReg, 0, -1, at0(lowAt))
	if in.High {
		a.vex(vbroadcast, highReg, 0, -1, at0(highAt))
	}
	if a.traces {
		a.load(true, r11, at(rdx, nextEntryAt))
	}
	a.allPlaces(in, miss)
	if a.traces {
		a.load(true, rax, at(rsi, 4*gcn.EXEC))
		a.store(true, rax, at(r11, entryExecAt))
		a.number(0, n)
		a.addEntries(1)
	}
	for e := range in.N {
		switch {
		case in.Atomic != isa.NoAtomic:
			a.atomicLanes(in)
		case in.Store:
			a.storeLanes(in, e)
		default:
			a.loadLanes(in, e)
		}
	}
	a.place(done)
	a.accessed(in)
}

// scalarLoad emits a load of scalar registers from the memory at R10; site returns the operand of a field of the
// site.
func (a *asm) scalarLoad(in *Access, n int, site func(disp int) mem, miss int) {
	a.load(true, rax, at(rsi, 4*int(in.Addr)))
	if a.traces { // traced addresses must be exact
		a.opcode(opTESTAL)
		a.emit(3)
		a.jump(ccNotZero, miss)
	}
	a.regs(true, opByImm8, byAND, rax)
	a.emit(0xfc) // -4
	a.op(true, opLEA, rax, at(rax, int(int32(in.Disp[0]))), 0)
	a.op(true, opSUBFrom, rax, site(baseAt), 0)
	a.load(false, r9, site(lastOfAt))
	a.regs(true, opCMP, r9, rax)
	a.jump(ccAbove, miss)
	for k := 0; k < in.N; k++ {
		wide := k+1 < in.N
		a.load(wide, r9, mem{base: rax, index: r10, disp: 4 * k})
		a.store(wide, r9, at(rsi, 4*(int(in.Regs[0])+k)))
		if wide {
			k++
		}
	}
	if a.traces {
		a.load(true, r11, at(rdx, nextEntryAt))
		a.store(false, rax, at(r11, entryPlacesAt))
		a.number(0, n)
		a.addEntries(1)
	}
}

// accessed emits the counting of an access that has executed.
func (a *asm) accessed(in *Access) {
	a.op(true, opINC, byINC, at(rdx, didAt+8*int(in.Class)), 0)
	for i, counter := range [...]int{vmAt, expAt, lgkmAt} {
		a.grow(counter, in.Issues[i])
	}
}

// strips emits a loop over the strips that have active lanes. In the body EAX holds their bits, and RCX and R8 are
// set. The next strip begins at the label next.
func (a *asm) strips(body func(next int)) {
	head, next := a.label(), a.label()
	a.regs(false, opXOR, rcx, rcx)
	a.regs(false, opXOR, r8, r8)
	a.place(head)
	a.laneMask(rax, 4*gcn.EXEC)
	a.regs(false, opTEST, rax, rax)
	a.jump(ccZero, next)
	body(next)
	a.place(next)
	a.nextStrip()
	a.byImm(byCMP, rcx, 256)
	a.jump(ccBelow, head)
}

// allPlaces emits code that stores the offsets of all active lanes in the context, and 0 for other lanes. It jumps to
// miss if an offset is wrong.
func (a *asm) allPlaces(in *Access, miss int) {
	or, xor := two(vector.Or), two(vector.Xor)
	a.vex(xor, badReg, badReg, badReg, mem{})
	a.ones(withinReg)
	a.strips(func(int) {
		a.expand(execReg)
		a.vex(two(vector.Add), placesReg, addReg, -1, laneOf(rdi, 256*int(in.Addr)))
		a.vex(vand, placesReg, placesReg, execReg, mem{})
		a.vex(vmovupsTo, placesReg, 0, -1, laneOf(rdx, placesAt))
		if a.traces {
			a.vex(vmovupsTo, placesReg, 0, -1, laneOf(r11, entryPlacesAt))
		}
		a.vex(two(vector.MinU), dataReg, placesReg, lastReg, mem{})
		a.compare(vequal, dataReg, dataReg, placesReg, mem{})
		a.vex(vand, withinReg, withinReg, dataReg, mem{})
		a.vex(vand, dataReg, placesReg, lowReg, mem{})
		a.vex(or, badReg, badReg, dataReg, mem{})
		if in.High {
			a.vex(xor, dataReg, highReg, -1, laneOf(rdi, 256*int(in.Addr+1)))
			a.vex(vand, dataReg, dataReg, execReg, mem{})
			a.vex(or, badReg, badReg, dataReg, mem{})
		}
	})
	a.some(badReg, badReg, mem{})
	a.jump(ccNotZero, miss)
	a.signs(rax, withinReg)
	a.byImm(byCMP, rax, a.allLanes())
	a.jump(ccNotZero, miss)
}

// inOrder emits a copy of the dwords of 64 lanes that are consecutive in the memory at R10. The code jumps to general
// if a lane is not active, is elsewhere, or is wrong.
func (a *asm) inOrder(in *Access, n int, site func(disp int) mem, general int) {
	or, xor := two(vector.Or), two(vector.Xor)
	a.op(true, opByImm8, byCMP, at(rsi, 4*gcn.EXEC), 1) // CMPQ EXEC, $-1
	a.emit(0xff)
	a.jump(ccNotZero, general)
	a.vex(vbroadcast, nextReg, 0, -1, at(rdi, 256*int(in.Addr)))
	a.vex(two(vector.Add), nextReg, nextReg, -1, a.pooled(dwordIDs))
	a.vex(vmovups, strideReg, 0, -1, a.pooled(constant(vector.Instr{Imm: uint32(4 * a.lanes)})))
	if in.High {
		a.vex(vbroadcast, highReg, 0, -1, site(highAt))
	}
	a.vex(xor, badReg, badReg, badReg, mem{})
	for strip := 0; strip < 256; strip += 4 * a.lanes {
		a.vex(xor, dataReg, nextReg, -1, at(rdi, 256*int(in.Addr)+strip))
		a.vex(or, badReg, badReg, dataReg, mem{})
		if in.High {
			a.vex(xor, maskReg, highReg, -1, at(rdi, 256*int(in.Addr+1)+strip))
			a.vex(or, badReg, badReg, maskReg, mem{})
		}
		a.vex(two(vector.Add), nextReg, nextReg, strideReg, mem{})
	}
	a.some(badReg, badReg, mem{})
	a.jump(ccNotZero, general)
	a.load(false, rax, at(rdi, 256*int(in.Addr)))
	a.op(false, opADDFrom, rax, site(addAt), 0) // ADDL: the offset of the first lane
	a.op(false, opLEA, r9, at(rax, 4*63), 0)    // LEAL: the offset of the last lane
	for _, place := range []int{rax, r9} {      // a sum that wraps is above every last offset, which is below 2^31
		a.op(false, opCMPFrom, place, site(lastOfAt), 0)
		a.jump(ccAbove, general)
	}
	a.op(false, opLEA, r9, at(rax, 4), 0) // LEAL: the second element, which is aligned to no more than a dword
	for _, place := range []int{rax, r9} {
		a.op(false, opTEST, place, site(lowAt), 0)
		a.jump(ccNotZero, general)
	}
	if a.traces {
		a.load(true, r11, at(rdx, nextEntryAt))
		a.store(false, rax, at(r11, entryPlacesAt))
		a.number(0, n)
		a.op(false, opINC, byINC, at(r11, entryInOrderAt), 0)
		a.addEntries(1)
	}
	a.regs(true, opADD, rax, r10)
	for e := range in.N {
		for strip := 0; strip < 256; strip += 4 * a.lanes {
			memory, lanes := at10(strip+int(in.Disp[e])), at(rdi, 256*int(in.Regs[e])+strip)
			if in.Store {
				memory, lanes = lanes, memory
			}
			a.vex(vmovups, dataReg+strip/(4*a.lanes)%4, 0, -1, memory)
			a.vex(vmovupsTo, dataReg+strip/(4*a.lanes)%4, 0, -1, lanes)
		}
	}
}

// at10 is the memory operand at R10 + disp.
func at10(disp int) mem { return mem{base: r10, index: -1, disp: disp} }

// inStrip emits a move of element e of the active lanes of a strip, and a jump to next, if the dwords of these lanes
// are consecutive. EAX holds the bits of the active lanes.
func (a *asm) inStrip(in *Access, e, next int) {
	other := a.label()
	a.regs(false, opBSF, r9, rax) // BSFL AX, R9: the first active lane
	a.regs(false, opShiftImm, bySHL, r9)
	a.emit(2)
	a.regs(false, opMOV, r9, r11)
	a.regs(false, opADD, rcx, r9)
	a.load(false, r9, mem{base: rdx, index: r9, disp: placesAt})
	a.regs(false, opSUB, r11, r9) // SUBL: the offset that lane 0 would have
	a.vex(vmovd, nextReg, 0, r9, mem{})
	a.vex(vspread, nextReg, 0, nextReg, mem{})
	a.vex(two(vector.Add), nextReg, nextReg, -1, a.pooled(dwordIDs))
	a.vex(two(vector.Xor), nextReg, nextReg, placesReg, mem{})
	a.some(execReg, nextReg, mem{})
	a.jump(ccNotZero, other)
	a.regs(true, opMOVSXD, r9, r9) // MOVSXD: it may lie before the range
	memory, register := mem{base: r10, index: r9, disp: int(in.Disp[e])}, laneOf(rdi, 256*int(in.Regs[e]))
	a.vex(vmovups, dataReg, 0, -1, register)
	if in.Store {
		a.storeMasked(dataReg, execReg, memory)
	} else {
		a.loadMasked(nextReg, execReg, memory)
		a.blend(ofLanes, dataReg, dataReg, nextReg, mem{}, execReg)
		a.vex(vmovupsTo, dataReg, 0, -1, register)
	}
	a.jump(ccAlways, next)
	a.place(other)
}

// loadLanes emits the load of element e of the active lanes.
func (a *asm) loadLanes(in *Access, e int) {
	register := laneOf(rdi, 256*int(in.Regs[e]))
	a.strips(func(next int) {
		a.expand(execReg)
		a.vex(vmovups, placesReg, 0, -1, laneOf(rdx, placesAt))
		if in.Size == 4 {
			a.inStrip(in, e, next)
		}
		a.vex(vmovups, dataReg, 0, -1, register)
		if in.Size == 4 {
			a.vex(vmovaps, maskReg, 0, execReg, mem{})
			a.gather(dataReg, maskReg, mem{base: r10, index: placesReg, disp: int(in.Disp[e])})
			a.vex(vmovupsTo, dataReg, 0, -1, register)
			return
		}
		// The aligned dword that holds the element, and the count by which it is shifted.
		a.vex(vand, shiftReg, placesReg, -1, a.pooled(constant(vector.Instr{Imm: 3})))
		a.vex(two(vector.Xor), placesReg, placesReg, shiftReg, mem{})
		a.vex(shiftLeft.form, shiftLeft.ext, shiftReg, shiftReg, mem{}, 3)
		a.vex(vmovaps, maskReg, 0, execReg, mem{})
		a.vex(two(vector.Xor), constReg, constReg, constReg, mem{})
		a.gather(constReg, maskReg, mem{base: r10, index: placesReg, disp: int(in.Disp[e])})
		a.vex(two(vector.Shr), constReg, constReg, shiftReg, mem{})
		drop := byte(32 - 8*in.Size)
		a.vex(shiftLeft.form, shiftLeft.ext, constReg, constReg, mem{}, drop)
		back := shiftRight
		if in.Signed {
			back = shiftSign
		}
		a.vex(back.form, back.ext, constReg, constReg, mem{}, drop)
		a.blend(ofLanes, dataReg, dataReg, constReg, mem{}, execReg)
		a.vex(vmovupsTo, dataReg, 0, -1, register)
	})
}

// storeLanes emits the store of element e of the active lanes, the highest lane last.
func (a *asm) storeLanes(in *Access, e int) {
	a.strips(func(next int) {
		if in.Size == 4 {
			a.expand(execReg)
			a.vex(vmovups, placesReg, 0, -1, laneOf(rdx, placesAt))
			a.inStrip(in, e, next)
			if a.lanes == 16 {
				a.vex(vmovups, dataReg, 0, -1, laneOf(rdi, 256*int(in.Regs[e])))
				a.scatter(dataReg, execReg, mem{base: r10, index: placesReg, disp: int(in.Disp[e])})
				return
			}
		}
		a.eachLane(func() {
			a.load(false, rax, mem{base: rdi, index: rax, disp: 256 * int(in.Regs[e])})
			to := mem{base: r10, index: r11, disp: int(in.Disp[e])}
			switch in.Size {
			case 4:
				a.store(false, rax, to)
			case 2:
				a.emit(operandSize)
				a.store(false, rax, to)
			default:
				a.op(false, opMOVB, rax, to, 0)
			}
		})
	})
}

// eachLane emits a loop over the lanes of a strip whose bits in EAX are set, in ascending order; at least one bit is
// set. In the body R11 is the offset of the lane, and RAX the byte at which the lane begins in a vector register.
func (a *asm) eachLane(body func()) {
	a.regs(false, opMOV, rax, r9) // the remaining lanes
	head := a.label()
	a.place(head)
	a.regs(false, opBSF, rax, r9) // BSFL R9, AX
	a.regs(false, opShiftImm, bySHL, rax)
	a.emit(2)
	a.regs(false, opADD, rcx, rax)
	a.load(false, r11, mem{base: rdx, index: rax, disp: placesAt})
	body()
	a.dropBit(r9)
	a.jump(ccNotZero, head)
}

// dropBit emits code that clears the lowest set bit of a register of 32 bits. It uses RAX.
func (a *asm) dropBit(reg int) {
	a.op(false, opLEA, rax, at(reg, -1), 0)
	a.regs(false, opAND, rax, reg)
}

// grow emits the increment of a counter.
func (a *asm) grow(counter int, by Issue) {
	if by.By == 0 {
		return
	}
	full := a.label()
	a.op(false, opByImmB, byADD, at(rsi, counter), 1)
	a.emit(by.By)
	a.op(false, opByImmB, byCMP, at(rsi, counter), 1)
	a.emit(by.Most)
	a.jump(ccNotAbove, full)
	a.op(false, opMOVImmB, byMOV, at(rsi, counter), 1)
	a.emit(by.Most)
	a.place(full)
}
