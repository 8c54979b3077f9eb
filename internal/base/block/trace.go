//go:build linux && amd64 && !purego

package block

import (
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// traceEntry is the record that machine code writes of an access. Among the loads of a run with the same address only
// the first entry has exec and places; the others have only the number, see [traced].
type traceEntry struct {
	number  uint32 // of the access
	inOrder uint32 // not 0: all 64 lanes are active, and their dwords follow the one at places[0]
	exec    uint64 // the active lanes, if inOrder is 0
	places  state.Lanes
}

// traced is an access that may be traced, and its step. Among the loads of a run with one address the first traces its
// places: those of the others are further on by so many bytes as their offsets differ.
type traced struct {
	*Access
	step    uint64
	back    int    // how many entries before its own the entry with the places is, 0 if it is its own
	further uint64 // how many bytes behind those places it is
	second  uint64 // how many bytes there are from its first element to the second one, if it has two
}

// Where parts of a trace entry lie.
const (
	entryBytes     = int(unsafe.Sizeof(traceEntry{}))
	entryInOrderAt = int(unsafe.Offsetof(traceEntry{}.inOrder))
	entryExecAt    = int(unsafe.Offsetof(traceEntry{}.exec))
	entryPlacesAt  = int(unsafe.Offsetof(traceEntry{}.places))
)

// maxTrace is how many accesses can be traced. Machine code traces at most one for each instruction.
const maxTrace = 256

// loop is a branch back that code which traces accesses may take, once or round a loop.
type loop struct {
	branch uint32 // the step of the branch that closes it
	body   uint32 // instructions that may execute behind it each time
	turns  uint32 // how often the branch may go back
}

// Where parts of a loop lie.
const (
	branchAt = int(unsafe.Offsetof(Context{}.loop)) + int(unsafe.Offsetof(loop{}.branch))
	bodyAt   = int(unsafe.Offsetof(Context{}.loop)) + int(unsafe.Offsetof(loop{}.body))
	turnsAt  = int(unsafe.Offsetof(Context{}.loop)) + int(unsafe.Offsetof(loop{}.turns))
)

// Loop lets the branch at a step go back up to turns times: until then, each time body more instructions may execute.
// Other branches leave the code. If turns is 0 all do.
func (x *Context) Loop(branch, body, turns uint64) {
	x.loop = loop{uint32(branch), uint32(body), uint32(turns)}
}

// goesRound returns the label of a stub that goes back from a branch to the code at label body, which begins at step
// to, if that is the loop which may be gone round. It leaves otherwise.
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

// BeginTrace forgets the trace of accesses, and the loop.
func (x *Context) BeginTrace() {
	x.loop = loop{}
	if x.trace == nil {
		x.trace = make([]traceEntry, maxTrace+1) // so that next never points behind all of them
	}
	x.next = unsafe.Pointer(unsafe.SliceData(x.trace))
}

// Traced returns how many accesses are in the trace, and how many more may be.
func (x *Context) Traced() (n, room int) {
	n = int(uintptr(x.next)-uintptr(unsafe.Pointer(unsafe.SliceData(x.trace)))) / entryBytes
	return n, maxTrace - n
}

// TracedStep returns the step of traced access n of code c.
func (x *Context) TracedStep(c *Code, n int) uint64 { return c.traced[x.trace[n].number].step }

// Trace sets in a where traced access n of code c was: the addresses of its lanes, and its first register. Split of a
// says whether the elements of a lane have addresses of their own. If a becomes dense and each lane has a dword, only
// the address of lane 0 is set. Sites must not have changed since.
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

// LaneAddresses returns where traced access n of code c was: each lane of exec at its place from base on. The second
// one of two elements is second bytes behind the first. If the lanes reach dwords that follow one another, places is
// [simd.InOrder].
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

// traceLoads writes the trace entries of the loads of a run, whose places are traced already.
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

// number begins trace entry k, from R11 on: it is one of access n, whose lanes are not in order.
func (a *asm) number(k, n int) {
	a.op(true, opMOVImm, byMOV, at(r11, k*entryBytes), 4)
	a.imm32(uint32(n))
}

// addEntries adds trace entries that are complete.
func (a *asm) addEntries(n int) {
	a.op(true, opByImm, byADD, at(rdx, nextEntryAt), 4)
	a.imm32(uint32(n * entryBytes))
}
