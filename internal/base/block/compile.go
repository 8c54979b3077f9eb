//go:build linux && amd64 && !purego

package block

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// Context holds the state of machine code other than the wave. Only one goroutine uses it at a time.
type Context struct {
	budget uint64 // number of instructions that may still execute
	counts uint64 // vector instructions executed, plus loads in runs times 1 << 16
	mxcsr  uint32 // MXCSR for the machine code, with its exceptions
	host   uint32 //nolint:unused // MXCSR of Go, which the assembly of call keeps here
	valid  uint32 // number of lanes that had been executed when the run was found wrong, divided by 8
	room   uint32 // size of LDS in bytes
	lds    unsafe.Pointer
	last   [maxLoads][2]uint32 // the largest offset of each load
	sites  []site
	masks  [maxMasks]uint64
	trace  []traceEntry
	next   unsafe.Pointer // the trace entry of the next access
	loop   loop
	// Numbers of instructions executed since the last [Context.Counted]: accesses and loads in runs by class, vector
	// instructions, and all.
	did            [numClasses]uint64
	valu, executed uint64
	reported       [MaxReports]bool
	follow         follow
	_              [6]uint64 // pads, so that the address of places is a multiple of 64 bytes

	places state.Lanes // lanes of an access; vectors begin at multiples of 64 bytes
	spills [maxSpills][16]uint32
	saved  [maxSaved]state.Lanes // old values of the VGPRs of a run
}

var _ [-(unsafe.Offsetof(Context{}.places) % 64)]struct{} // does not compile unless places is at a multiple of 64 bytes

// Offsets of the fields of a context.
const (
	validAt   = int(unsafe.Offsetof(Context{}.valid))
	roomAt    = int(unsafe.Offsetof(Context{}.room))
	ldsAt     = int(unsafe.Offsetof(Context{}.lds))
	lastAt    = int(unsafe.Offsetof(Context{}.last))
	mxcsrAt   = int(unsafe.Offsetof(Context{}.mxcsr))
	didAt     = int(unsafe.Offsetof(Context{}.did))
	reportsAt = int(unsafe.Offsetof(Context{}.reported))
	sitesAt   = int(unsafe.Offsetof(Context{}.sites))

	nextEntryAt = int(unsafe.Offsetof(Context{}.next))

	placesAt = int(unsafe.Offsetof(Context{}.places))
	masksAt  = int(unsafe.Offsetof(Context{}.masks))
	spillsAt = int(unsafe.Offsetof(Context{}.spills))
	savedAt  = int(unsafe.Offsetof(Context{}.saved))
)

// maxBlock bounds the number of instructions of a block, so that several blocks fit in a slice of instructions.
const maxBlock = 512

// A block must save this much to be worth a call, in units of about 5 ns. A vector instruction saves three units, a
// scalar instruction one. A load from LDS alone saves nothing.
const (
	callCosts   = 9
	vectorSaves = 3
)

// undo describes a run that executors may have to repeat.
type undo struct {
	step  int      // step of its first instruction
	saved []uint32 // VGPRs whose old values are in the context
}

// Marks in the value that machine code returns. Without a mark the value is the next step. The marks stand for the
// number of a run, and for the step of an access, that executors must do.
const (
	wrongRun  = 1 << 31
	wrongSite = 1 << 30
)

// compiler makes machine code of the steps of a program.
type compiler struct {
	*asm
	mode    modeKey
	longest int         // the maximum number of instructions of a run
	steps   []*Instr    // nil if no instruction begins here, or one that no block can contain
	sizes   []uint8     // dwords
	labels  map[int]int // labels of the steps that begin a block
	entries []int32
	worthy  []bool         // steps at which the run loop enters a block
	access  map[uint64]int // number of the access at a step
	keys    map[uint64][]Key
	traced  []traced // by number
	undos   []undo
	stubs   []func()
	maxVGPR int
	scalars codes // scalar registers that the code writes
	vectors codes // VGPRs that the code writes
	again   int   // label of the code that begins the next wave, -1 while no wave ends
}

// leaders reports for each step whether a block begins there: the step is the target of a branch, or follows the end
// of a block. The first vector instruction under a new EXEC begins a block, too. If accesses are traced, so does a
// step that follows a store, a scalar instruction that writes EXEC, a barrier, or the end of a program: a part that a
// watcher skips may end there. entries are the steps inside of blocks at which a wave may also begin: the first of
// several loads, if accesses are traced.
func leaders(steps []*Instr, sizes []uint8, traces bool) (l, entries []bool) {
	l, entries = make([]bool, len(steps)+1), make([]bool, len(steps)+1)
	changed := false // EXEC has changed since the last vector instruction
	loads := false   // the last instruction is a load in a run
	for i := 0; i < len(steps); {
		next := i + max(int(sizes[i]), 1)
		in := steps[i]
		switch {
		case in == nil || in.Branch != nil:
			changed = false
		case in.Vector != nil:
			l[i], entries[i] = l[i] || changed, traces && in.Vector.Load != nil && !loads
			u := in.Vector.uses()
			changed = u.writesEXEC()
		case in.Scalar != nil:
			u := in.Scalar.uses()
			changed = changed || u.writesEXEC()
			l[i] = l[i] || traces && u.writesEXEC()
		case in.Stop != GoesOn:
			l[i] = l[i] || traces
		}
		if in == nil || in.Stop != GoesOn || traces && in.Access != nil && in.Access.Store {
			l[min(next, len(steps))] = true
		}
		if in != nil && in.Access != nil { // the access has a site
			l[i] = true
		}
		if in != nil && in.Branch != nil {
			l[min(next, len(steps))] = true
			if to := int64(next) + in.Branch.Far/4; to >= 0 && to < int64(len(steps)) {
				l[to] = true
			}
		}
		loads = in != nil && in.Vector != nil && in.Vector.Load != nil
		i = next
	}
	return l, entries
}

// compile makes machine code for all blocks; c.entries are their positions, -1 for steps at which no block begins. A
// run is as long as the host has registers for its vectors.
func compile(steps []*Instr, sizes []uint8, mode modeKey, traces bool) (c *compiler, code []byte, err error) {
	for longest := maxRun; ; longest /= 2 {
		c, code, err = compileRuns(steps, sizes, mode, traces, longest)
		if longest == 1 || !errors.Is(err, errSpills) {
			return c, code, err
		}
	}
}

// compileRuns does what compile does, with at most longest instructions in a run.
func compileRuns(steps []*Instr, sizes []uint8, mode modeKey, traces bool, longest int) (c *compiler, code []byte,
	err error) {
	c = &compiler{asm: newAsm(lanesOfMachine, len(steps)), mode: mode, sizes: sizes, again: -1, longest: longest,
		labels: map[int]int{}, access: map[uint64]int{}, keys: map[uint64][]Key{}}
	c.traces = traces
	c.entries, c.worthy = make([]int32, len(steps)), make([]bool, len(steps))
	for i := range c.entries {
		c.entries[i] = -1
	}
	steps = slices.Clone(steps)
	for i, in := range steps {
		switch {
		case in == nil || in.Vector == nil:
		case !in.Vector.suits(mode):
			steps[i] = nil
		}
	}
	c.steps = steps
	l, entries := leaders(steps, sizes, traces)
	var blocks [][]int // the steps of each block
	for i := 0; i < len(steps); {
		var b []int
		for i < len(steps) && steps[i] != nil && len(b) < maxBlock && (len(b) == 0 || !l[i]) {
			b = append(b, i)
			i += int(sizes[i])
		}
		if len(b) == 0 {
			i += max(int(sizes[i]), 1)
			continue
		}
		c.labels[b[0]] = c.label()
		blocks = append(blocks, b)
	}
	for n, b := range blocks {
		if err := c.emitChain(blocks[n:]); err != nil {
			return nil, nil, err
		}
		if err := c.emitEntries(b, entries, blocks[n+1:]); err != nil {
			return nil, nil, err
		}
	}
	for len(c.stubs) > 0 {
		stubs := c.stubs
		c.stubs = nil
		for _, s := range stubs {
			s()
		}
	}
	c.beginNext()
	return c, c.finish(), nil
}

// emitChain emits the first block of blocks. The others follow it.
func (c *compiler) emitChain(blocks [][]int) error {
	c.worthy[blocks[0][0]] = c.isWorthCalling(blocks)
	return c.block(blocks[0])
}

// emitEntries emits the rest of block b a second time, from each entry on, for waves that begin at an entry. Each
// piece ends where the next one begins. blocks are the blocks behind b.
func (c *compiler) emitEntries(b []int, entries []bool, blocks [][]int) error {
	var parts [][]int
	for n, i := range b[1:] {
		if entries[i] {
			c.labels[i] = c.label()
			parts = append(parts, b[n+1:])
			if last := len(parts) - 2; last >= 0 {
				parts[last] = parts[last][:len(parts[last])-len(parts[last+1])]
			}
		}
	}
	all := slices.Concat(parts, blocks)
	for n := range parts {
		if err := c.emitChain(all[n:]); err != nil {
			return err
		}
	}
	return nil
}

// isWorthCalling reports whether the first block of blocks, together with the blocks that follow it, saves more than
// a call costs, or is a loop. Other blocks are entered from the end of a block. If accesses are traced, that also
// holds behind a branch forward, where the part that a watcher skips continues. There a branch back is enough, since
// the part may continue behind it.
func (c *compiler) isWorthCalling(blocks [][]int) bool {
	saves := 0
	for n, b := range blocks {
		for _, i := range b {
			switch in := c.steps[i]; {
			case in.Vector == nil, c.traces && in.Vector.Load != nil:
				saves++
			case in.Vector.Load == nil:
				saves += vectorSaves
			}
		}
		last := b[len(b)-1]
		next := last + int(c.sizes[last])
		br := c.steps[last].Branch
		switch {
		case saves >= callCosts || br != nil && br.Far < 0 && (c.traces || n == 0 && next+int(br.Far/4) == blocks[0][0]):
			return true
		case br != nil && !(c.traces && br.Cond != Always && br.Far > 0), c.steps[last].Stop != GoesOn,
			n+1 == len(blocks), blocks[n+1][0] != next:
			return false
		}
	}
	return false
}

// leave emits the return to the run loop, which continues at a step.
func (c *compiler) leave(step uint32) {
	c.value(rax, uint64(step))
	c.opcode(opRET)
}

// goTo returns the label of a step. If no block begins there, it is the label of a stub that returns to the run loop.
func (c *compiler) goTo(step int) int {
	if label, ok := c.labels[step]; ok {
		return label
	}
	return c.leavesTo(step)
}

// leavesTo returns the label of a stub that returns to the run loop, which continues at a step.
func (c *compiler) leavesTo(step int) int {
	label := c.label()
	c.stubs = append(c.stubs, func() {
		c.place(label)
		c.leave(uint32(step))
	})
	return label
}

// takenTo returns the label that the branch at step from jumps to. If accesses are traced, a taken branch returns to
// the run loop, because it ends the part that a watcher skips; the exception is a branch back behind which the part
// continues ([Context.Loop]).
func (c *compiler) takenTo(from, to int) int {
	if !c.traces {
		return c.goTo(to)
	}
	if body, ok := c.labels[to]; ok && to <= from {
		return c.goesRound(from, to, body)
	}
	return c.leavesTo(to)
}

// counts returns the number of steps in b; by is the number of vector instructions among them plus 1 << 16 times the
// number of loads in runs.
func (c *compiler) counts(b []int) (n, by int32) {
	for _, i := range b {
		switch v := c.steps[i].Vector; {
		case v == nil:
		case v.Load != nil:
			by += 1 << 16
		default:
			by++
		}
	}
	return int32(len(b)), by
}

// block emits a block.
func (c *compiler) block(b []int) error {
	n, valu := c.counts(b)
	c.entries[b[0]] = int32(len(c.code))
	c.place(c.labels[b[0]])
	enough := c.label()
	c.byImm(bySUB, r13, n)
	c.stubs = append(c.stubs, func() {
		c.place(enough)
		c.byImm(byADD, r13, n)
		c.leave(uint32(b[0]))
	})
	c.jump(ccSign, enough)
	c.byImm(byADD, r12, valu)
	body := b
	if in := c.steps[b[0]].Access; in != nil {
		c.accessOf(in, b[0], n, valu)
		c.report(c.steps[b[0]])
		body = b[1:]
	}
	if err := c.body(body); err != nil {
		return err
	}
	last := b[len(b)-1]
	next := last + int(c.sizes[last])
	if br := c.steps[last].Branch; br != nil {
		to := int64(next) + br.Far/4
		if to < 0 || to > int64(len(c.steps)) {
			return errors.New("block: a branch leaves the program")
		}
		cc := c.condition(br.Cond)
		c.jump(cc, c.takenTo(last, int(to)))
		if cc == ccAlways {
			return nil
		}
	}
	if stop := c.steps[last].Stop; stop != GoesOn {
		flag := barrierAt
		if stop == Ends {
			c.goToNext()
			flag = endedAt
		}
		c.op(false, opMOVImmB, byMOV, at(rsi, flag), 1) // MOVB $1
		c.emit(1)
		c.leave(uint32(next))
		return nil
	}
	c.jump(ccAlways, c.goTo(next))
	return nil
}

// body emits the instructions of a block: runs of vector instructions. Scalar instructions between them are emitted
// before or after the run if their order does not matter.
func (c *compiler) body(b []int) error {
	var r *run
	var o order
	flush := func() error {
		if r != nil {
			if err := c.run(r, b); err != nil {
				return err
			}
		}
		for _, in := range o.after {
			c.emitScalar(in)
		}
		r, o = nil, order{}
		return nil
	}
	for _, i := range b {
		in := c.steps[i]
		if in.Vector == nil {
			if r == nil || in.Scalar != nil && o.isEarly(in.Scalar) {
				c.emitScalar(in)
				continue
			}
			o.after = append(o.after, in)
			if in.Scalar != nil {
				o.late.join(in.Scalar.uses())
			}
			continue
		}
		if r != nil && (!r.accepts(in.Vector) || !o.takes(in.Vector)) {
			if err := flush(); err != nil {
				return err
			}
		}
		if r == nil {
			r = newRun(c.mode, i, c.longest)
		}
		r.add(in.Vector)
		o.run.join(in.Vector.uses())
		if in.Vector.Load != nil {
			r.loadsAt = append(r.loadsAt, uint64(i))
		}
		if in.Vector.Load != nil || in.Report != 0 {
			o.after = append(o.after, &Instr{issued: in.Vector.Load, Report: in.Report})
		}
	}
	return flush()
}

// accessOf emits the access at the first step of a block; n and by are its counts.
func (c *compiler) accessOf(in *Access, step int, n, by int32) {
	if !in.Scalar {
		c.maxVGPR = max(c.maxVGPR, int(in.Addr))
		if in.High {
			c.maxVGPR = max(c.maxVGPR, int(in.Addr)+1)
		}
		for _, reg := range in.Regs {
			c.maxVGPR = max(c.maxVGPR, int(reg))
		}
	}
	switch {
	case in.Scalar:
		c.scalars.add(in.Regs[0], uint32(in.N))
	case in.Returns:
		c.maxVGPR = max(c.maxVGPR, int(in.Back))
		c.vectors.add(in.Back, 1)
	case !in.Store:
		for _, reg := range in.Regs[:in.N] {
			c.vectors.add(reg, 1)
		}
	}
	number, miss := len(c.traced), c.label()
	c.access[uint64(step)], c.keys[uint64(step)] = number, in.Keys
	c.traced = append(c.traced, traced{Access: in, step: uint64(step), second: uint64(in.Disp[in.N/2&3])})
	c.asm.access(in, number, miss)
	c.stubs = append(c.stubs, func() {
		c.place(miss)
		c.byImm(byADD, r13, n)
		c.byImm(bySUB, r12, by)
		c.leave(uint32(step) | wrongSite)
	})
}

// run emits a run of block b.
func (c *compiler) run(r *run, b []int) error {
	for code := range r.vgprs {
		c.maxVGPR = max(c.maxVGPR, int(code))
	}
	for _, code := range r.wroteVGPRs {
		c.vectors.add(code, 1)
	}
	for _, code := range r.wroteMasks {
		c.scalars.add(code, 2)
	}
	if r.ends {
		c.scalars.add(gcn.EXEC, 2)
	}
	rest := b
	for rest[0] != r.first {
		rest = rest[1:]
	}
	n, valu := c.counts(rest)
	wrong, number := c.label(), len(c.undos)
	c.undos = append(c.undos, undo{r.first, r.saved()})
	c.stubs = append(c.stubs, func() {
		c.place(wrong)
		c.store(false, r8, at(rdx, validAt))
		c.byImm(byADD, r13, n)
		c.byImm(bySUB, r12, valu)
		c.leave(uint32(number) | wrongRun)
	})
	r.number = len(c.traced)
	for k := 0; k < len(r.loads) && c.traces; k++ {
		first := r.firstLike(k)
		further := uint64(r.loads[k].Off) - uint64(r.loads[first].Off)
		in := r.loads[k].Apart
		c.traced = append(c.traced, traced{in, r.loadsAt[k], k - first, further, uint64(in.Disp[in.N/2&3])})
	}
	return c.emitRun(r, wrong)
}

// emitScalar emits an instruction that is neither a vector instruction nor a branch.
func (c *compiler) emitScalar(in *Instr) {
	switch {
	case in.Scalar != nil:
		c.scalars.join(in.Scalar.uses().writes)
		c.scalar(in.Scalar)
	case in.Wait != nil:
		c.wait(in.Wait)
	case in.issued != nil:
		c.issue(in.issued)
	}
	c.report(in)
}

// report emits the record that an instruction with a report has executed.
func (c *compiler) report(in *Instr) {
	if in.Report != 0 {
		c.op(false, opMOVImmB, byMOV, at(rdx, reportsAt+int(in.Report)), 1) // MOVB $1
		c.emit(1)
	}
}
