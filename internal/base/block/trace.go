//go:build linux && amd64 && !purego

package block

import (
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// traceEntry is the record that machine code writes about an access. For several loads of a run with the same address,
// only the first entry has exec and places; the others have only the number, see [traced].
type traceEntry struct {
	number  uint32 // number of the access
	inOrder uint32 // not 0: all 64 lanes are active, and their dwords follow the dword at places[0]
	exec    uint64 // the active lanes, if inOrder is 0
	places  state.Lanes
}

// traced is an access that may be traced, and its step. Only the first of several loads of a run with one address
// records its addresses. The addresses of the other loads follow from the differences of their offsets.
type traced struct {
	*Access
	step    uint64
	back    int    // how many entries back the addresses are, 0 if they are in its own entry
	further uint64 // bytes from those addresses to its own
	second  uint64 // bytes from its first element to its second one, if there is one
}

// Offsets of the fields of a trace entry.
const (
	entryBytes     = int(unsafe.Sizeof(traceEntry{}))
	entryInOrderAt = int(unsafe.Offsetof(traceEntry{}.inOrder))
	entryExecAt    = int(unsafe.Offsetof(traceEntry{}.exec))
	entryPlacesAt  = int(unsafe.Offsetof(traceEntry{}.places))
)

// maxTrace is the maximum number of traced accesses. Machine code traces at most one for each instruction.
const maxTrace = 256

// loop is a branch back that code which traces accesses may take: a loop, or one that is executed once.
type loop struct {
	branch uint32 // the step of the branch that closes it
	body   uint32 // instructions that may execute behind the branch for each iteration
	turns  uint32 // how often the branch may still be taken
}

// Offsets of the fields of a loop.
const (
	branchAt = int(unsafe.Offsetof(Context{}.loop)) + int(unsafe.Offsetof(loop{}.branch))
	bodyAt   = int(unsafe.Offsetof(Context{}.loop)) + int(unsafe.Offsetof(loop{}.body))
	turnsAt  = int(unsafe.Offsetof(Context{}.loop)) + int(unsafe.Offsetof(loop{}.turns))
)

// Loop lets the branch at a step be taken up to turns times; for each time, body more instructions may execute. Any
// other taken branch returns to the run loop. If turns is 0, all do.
func (x *Context) Loop(branch, body, turns uint64) {
	x.loop = loop{uint32(branch), uint32(body), uint32(turns)}
}

// goesRound returns the label of a stub that jumps from a branch back to the code at label body, which begins at step
// to, if the branch closes the loop of [Context.Loop]. Otherwise the stub returns to the run loop.
func (c *compiler) goesRound(from, to, body int) int {
	label, leaves := c.label(), c.leavesTo(to)
	c.stubs = append(c.stubs, func() {
		c.place(label)
		c.op(false, opByImm, byCMP, at(rdx, branchAt), 4)
		c.imm32(uint32(from))
		c.jump(ccNotZero, leaves)
		c.op(false, opByImm8, byCMP, at(rdx, turnsAt), 1) // CMPL $0
		c.emit(0)
		c.jump(ccZero, leaves)
		c.op(false, opINC, byDEC, at(rdx, turnsAt), 0)
		c.op(false, opADDFrom, r13, at(rdx, bodyAt), 0)
		c.jump(ccAlways, body)
	})
	return label
}

// BeginTrace deletes the trace of accesses, and the loop.
func (x *Context) BeginTrace() {
	x.loop = loop{}
	if x.trace == nil {
		x.trace = make([]traceEntry, maxTrace+1) // one more, so that next never points behind the slice
	}
	x.next = unsafe.Pointer(unsafe.SliceData(x.trace))
}

// Traced returns the number of accesses in the trace, and the number for which there is still room.
func (x *Context) Traced() (n, room int) {
	n = int(uintptr(x.next)-uintptr(unsafe.Pointer(unsafe.SliceData(x.trace)))) / entryBytes
	return n, maxTrace - n
}

// TracedStep returns the step of traced access n of code c.
func (x *Context) TracedStep(c *Code, n int) uint64 { return c.traced[x.trace[n].number].step }

// Trace sets in a the lanes' addresses and the first register of traced access n of code c. a.Split is set if the
// elements of a lane have separate addresses. If a becomes dense and each lane has a dword, only the address of lane
// 0 is set. Sites must not have changed since the access.
func (x *Context) Trace(c *Code, n int, a *state.Access) {
	k := &x.trace[n]
	in := &c.traced[k.number]
	exec, base, places, second := x.LaneAddresses(c, n)
	a.Addr[0], a.Reg, a.Exec = base+uint64(places[0]), uint16(in.Regs[0]), exec
	if a.Scalar = in.Scalar; a.Scalar {
		return
	}
	a.Dense = places == &simd.InOrder
	if !a.Dense || a.Split || in.N > 1 {
		simd.Place(&a.Addr, places, 0, base, ^uint64(0))
	}
	if a.Split {
		simd.Place(&a.More[0], places, 0, base+second, ^uint64(0))
	}
}

// LaneAddresses returns the addresses of traced access n of code c: base plus the element of places, for each lane of
// exec. A second element lies second bytes behind the first. places is [simd.InOrder] if the dwords of all lanes are
// consecutive.
func (x *Context) LaneAddresses(c *Code, n int) (exec, base uint64, places *state.Lanes, second uint64) {
	number := x.trace[n].number
	in := &c.traced[number]
	k := &x.trace[n-in.back]
	exec, base, places, second = k.exec, x.sites[number].base+in.further, &k.places, in.second
	switch {
	case k.inOrder != 0:
		exec, base, places = state.FullExec, base+uint64(k.places[0]), &simd.InOrder
	case in.Scalar:
		exec = 1
	}
	return exec, base, places, second
}

// traceLoads emits the trace entries of the loads of a run, whose addresses are traced already.
func (a *asm) traceLoads(r *run) {
	a.load(true, r11, at(rdx, nextEntryAt))
	a.load(true, rax, at(rsi, 4*gcn.EXEC))
	for n := range r.loads {
		if r.firstLike(n) == n {
			a.store(true, rax, at(r11, n*entryBytes+entryExecAt))
		}
		a.number(n, r.number+n)
	}
	a.addEntries(len(r.loads))
}

// number begins trace entry k, counted from R11, for access n. Its lanes are not marked as consecutive.
func (a *asm) number(k, n int) {
	a.op(true, opMOVImm, byMOV, at(r11, k*entryBytes), 4)
	a.imm32(uint32(n))
}

// addEntries adds n complete trace entries.
func (a *asm) addEntries(n int) {
	a.op(true, opByImm, byADD, at(rdx, nextEntryAt), 4)
	a.imm32(uint32(n * entryBytes))
}
