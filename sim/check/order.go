package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// acts are an instruction's memory accesses, by hardware path.
type acts uint16

// The acts.
const (
	scalarRead acts = 1 << iota
	scalarWrite
	vectorRead
	vectorWrite
	ldsRead // DS instructions, and FLAT lanes in LDS
	ldsWrite
	transferIn  // from memory to LDS, without registers
	transferOut // from LDS to memory
	graphicsDone
	allActs = 1<<iota - 1
)

// crossing is a pair of paths to the same bytes that hardware does not keep in order: a counter must prove the access
// on the first path before one on the second path (rule W6). The order of FLAT lanes in LDS and DS instructions is
// not documented.
type crossing struct {
	first, then acts
	prove       counter
	level       Severity
	also        string // a requirement besides the wait
}

// crossings are the pairs of rule W6. Sources: LLVM SIInsertWaitcnts, AMDGPUUsage; Mesa ACO. If only one of them
// requires the order, it is a warning.
var crossings = []crossing{
	{transferIn, ldsRead | ldsWrite, vmcnt, Error, ""},
	{ldsRead | ldsWrite, transferIn, lgkmcnt, Error, ""},
	{ldsWrite, transferOut, lgkmcnt, Error, ""},
	{scalarRead, scalarWrite | vectorWrite, lgkmcnt, Warning, ""},
	{vectorWrite, scalarRead, vmcnt, Error, " and s_dcache_inv"},
	{scalarWrite, scalarRead | scalarWrite, lgkmcnt, Error, ""},
	{scalarWrite, vectorRead, lgkmcnt, Error, ", s_dcache_wb and s_waitcnt lgkmcnt(0)"},
	{vectorWrite, graphicsDone, vmcnt, Warning, ""},
}

// firsts has for each set of acts the acts that must not be outstanding before it.
var firsts = func() (all [allActs + 1]acts) {
	for then := range acts(len(all)) {
		for _, x := range crossings {
			if x.then&then != 0 {
				all[then] |= x.first
			}
		}
	}
	return all
}()

// messageGSDone is the message of S_SENDMSG, in SIMM16 3:0, that a geometry shader is done. Source: AMD GCN3 ISA
// manual, S_SENDMSG.
const messageGSDone = 3

// does returns the memory accesses of x, which has executed.
func (x *step) does() acts {
	path, op := x.wait.path, x.Access.Op
	if path == noPath || op == gcn.NoMem {
		return 0
	}
	choose := func(read, write acts) acts {
		switch op {
		case gcn.Load:
			return read
		case gcn.Store:
			return write
		}
		return read | write
	}
	switch path {
	case pathScalar:
		if op == gcn.Load {
			return scalarRead
		}
		return scalarWrite
	case pathLDS:
		return choose(ldsRead, ldsWrite)
	case pathVMEM:
		a := choose(vectorRead, vectorWrite)
		switch x.wait.transfer {
		case gcn.Load:
			a |= transferIn
		case gcn.Store:
			a |= transferOut
		}
		return a
	case pathFLAT:
		var a acts
		if x.Access.LDSLanes != 0 {
			a |= choose(ldsRead, ldsWrite)
		}
		if x.Access.LDSLanes != x.exec {
			a |= choose(vectorRead, vectorWrite)
		}
		return a
	}
	return 0
}

// footprint is the set of bytes that an instruction accesses.
type footprint struct {
	bounded bool   // lo and hi are known
	lo, hi  uint64 // all bytes are from lo up to, but not including, hi
	size    uint64 // size of each element
	n       int    // number of addresses for each lane
	lanes   [4]uint64
	dense   bool // at[0] only has the address of lane 0; each of the 64 lanes begins 4 bytes after the previous one
	at      [4][state.NumLanes]uint64
}

// onMemory sets f to the bytes of memory that x has accessed.
func (f *footprint) onMemory(x *step) {
	a := x.Access
	f.bounded, f.dense = false, false
	switch {
	case a.Scalar:
		f.n, f.size, f.lanes[0], f.at[0][0] = 1, uint64(a.Elem)*uint64(a.Count), 1, a.Addr[0]
	case a.Space == state.Scratch:
		f.n = 0
	default:
		f.vector(a, a.Exec&^(a.LDSLanes|a.ScratchLanes))
	}
}

// onLDS sets f to the bytes of LDS that x has accessed.
func (f *footprint) onLDS(x *step) {
	a := x.Access
	f.bounded, f.dense = false, false
	switch {
	case x.wait.transfer != gcn.NoMem:
		f.n, f.size, f.lanes[0] = 1, 4, a.Exec
		for lane := range f.at[0] {
			f.at[0][lane] = a.LDSSlot + 4*uint64(lane)
		}
	case x.wait.path == pathFLAT:
		f.vector(a, a.LDSLanes)
	default:
		f.vector(a, a.Exec)
	}
}

// vector sets f to the bytes of the lanes of a in mask.
func (f *footprint) vector(a *state.Access, mask uint64) {
	f.n, f.size = 1, uint64(a.Elem)*uint64(a.Count)
	if a.Split {
		f.n, f.size = int(a.Count), uint64(a.Elem)
	}
	f.lanes[0] = mask &^ a.Out[0]
	if f.dense = a.Dense && !a.Split; f.dense {
		f.at[0][0] = a.Addr[0]
		return
	}
	f.at[0] = a.Addr
	for i := 1; i < f.n; i++ {
		f.lanes[i], f.at[i] = mask&^a.Out[i], a.More[i-1]
	}
}

// address returns address i of a lane.
func (f *footprint) address(i, lane int) uint64 {
	if f.dense {
		return f.at[0][0] + 4*uint64(lane)
	}
	return f.at[i][lane]
}

// bound sets lo and hi.
func (f *footprint) bound() {
	f.bounded, f.lo, f.hi = true, ^uint64(0), 0
	if f.n == 0 {
		f.lo = 0
	}
	for i := range f.n {
		for m := f.lanes[i]; m != 0; m &= m - 1 {
			at := f.address(i, bits.TrailingZeros64(m))
			f.lo, f.hi = min(f.lo, at), max(f.hi, at+f.size)
		}
	}
}

// meets returns the first lane of f that accesses a byte of g, and its address.
func (f *footprint) meets(g *footprint) (lane int, addr uint64, ok bool) {
	for _, one := range [...]*footprint{f, g} {
		if !one.bounded {
			one.bound()
		}
	}
	if f.lo >= g.hi || g.lo >= f.hi {
		return 0, 0, false
	}
	for i := range f.n {
		for m := f.lanes[i]; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			if addr := f.address(i, lane); g.touches(addr, f.size) {
				return lane, addr, true
			}
		}
	}
	return 0, 0, false
}

// touches reports whether f includes one of the size bytes at addr.
func (f *footprint) touches(addr, size uint64) bool {
	for i := range f.n {
		for m := f.lanes[i]; m != 0; m &= m - 1 {
			if at := f.address(i, bits.TrailingZeros64(m)); at < addr+size && addr < at+f.size {
				return true
			}
		}
	}
	return false
}

// The acts of outstanding instructions whose footprints are kept: those with which a crossing begins.
const (
	keptOnMemory = scalarRead | scalarWrite | vectorWrite
	keptOnLDS    = ldsRead | ldsWrite | transferIn
)

// remember stores the footprint of x in e, if later instructions need it.
func (c *Checker) remember(x *step, e *entry) {
	if !c.seesOrder {
		return
	}
	if p := x.wave.paths; p != nil {
		if p.words != nil {
			e.bytes = p.bytesOf(x, p.now)
		}
		return
	}
	q := &x.wave.counters
	if e.acts&keptOnMemory != 0 {
		e.memory = q.storage()
		e.memory.onMemory(x)
	}
	if e.acts&keptOnLDS != 0 && c.code[0].dma {
		e.lds = q.storage()
		e.lds.onLDS(x)
	}
}

// storage returns a footprint to fill in.
func (q *counters) storage() *footprint { return takeSpare(&q.spare) }

// takeSpare removes and returns the last element of spare, or returns a new one.
func takeSpare[T any](spare *[]*T) *T {
	last := len(*spare) - 1
	if last < 0 {
		return new(T)
	}
	one := (*spare)[last]
	*spare = (*spare)[:last]
	return one
}

// judgeOrder reports bytes that x accesses on another path than an outstanding instruction (rule W6). does are the
// acts of x.
func (c *Checker) judgeOrder(x *step, does acts) {
	q, p := &x.wave.counters, x.wave.onPath()
	isTrial := p == nil && x.wave.paths != nil
	if q.acts&firsts[does] == 0 || !c.seesOrder || isTrial && does != graphicsDone {
		return
	}
	var memory, lds *footprint // of x
	for i := len(q.live) - 1; i >= 0; i-- {
		e := &q.live[i]
		if e.complete() || e.acts&firsts[does] == 0 {
			continue
		}
		for k := range crossings {
			cross := &crossings[k]
			switch {
			case cross.first&e.acts == 0 || cross.then&does == 0 || !e.in.has(cross.prove):
				continue
			case p != nil && cross.then != graphicsDone:
				p.cross(x, e, cross)
				continue
			}
			space := state.Global
			mine, theirs := &memory, e.memory
			if cross.first&keptOnLDS != 0 {
				space, mine, theirs = state.LDS, &lds, e.lds
			}
			if cross.then != graphicsDone {
				if *mine == nil {
					*mine = q.storage()
					if space == state.LDS {
						(*mine).onLDS(x)
					} else {
						(*mine).onMemory(x)
					}
				}
				lane, addr, ok := (*mine).meets(theirs)
				if ok {
					c.crossed(x, e, cross, space, lane, &addr)
				}
				continue
			}
			c.crossed(x, e, cross, space, state.NoLane, nil)
		}
	}
	for _, f := range [...]*footprint{memory, lds} {
		if f != nil {
			q.spare = append(q.spare, f)
		}
	}
	q.settle()
}

// crossed reports that x uses the second path of a crossing while e is outstanding on the first.
func (c *Checker) crossed(x *step, e *entry, cross *crossing, space state.Space, lane int, addr *uint64) {
	e.done = true
	f := x.firstOf(e, defect{kind: WaitOrder, space: space.String(), rule: "W6", from: e.site})
	if f == nil {
		return
	}
	f.Severity, f.Lane, f.Addr = cross.level, lane, addr
	prove := counterSet(1) << cross.prove
	f.message = say("%v has not been waited for and takes another way to the same bytes: ", e.named())
	if cross.then == graphicsDone {
		f.message = say("%v has not been waited for: ", e.named())
	}
	f.message = f.message.and("%s", x.outstanding(e, prove))
	x.needs(f, e, prove)
	f.fix = say("s_waitcnt %s(%d)%s before %v", counterNames[cross.prove], x.wave.counters.proves(e, cross.prove),
		cross.also, pc(x.PC))
}
