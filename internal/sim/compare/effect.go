package compare

import (
	"context"
	"math/bits"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Effect is what runs of one program have stored and executed: what a verdict about the program
// rests on. The zero value is of no run.
type Effect struct {
	written  bitmap         // bytes of buffers, at the keys that place returns
	executed bitmap         // dwords of code, by their addresses in dwords
	code     []*sim.Program // that ran, no two of them at one address
	sizes    []uint64       // of the buffers by argument, 0 where an argument is not a buffer
}

// Effects runs one program and returns what it has stored and executed, also if it faults: then the
// error is the fault. Else the error comes from ctx or is a *[SetupError].
func Effects(ctx context.Context, program Setup) (*Effect, error) {
	e := &effectWatcher{Effect: &Effect{}}
	o, err := perform(ctx, e.of(program), nil, e)
	switch {
	case err != nil:
		return nil, failed(ctx, -1, err)
	case o.fault != nil:
		return e.Effect, o.fault
	}
	return e.Effect, nil
}

// Written returns how many bytes of the buffer of an argument the program has stored to, whatever
// they held before.
func (e *Effect) Written(arg int) uint64 {
	if arg < 0 || arg >= len(e.sizes) {
		return 0
	}
	first := uint64(arg) << argShift
	return e.written.count(first, first+e.sizes[arg])
}

// Stored returns how many bytes of all buffers the program has stored to.
func (e *Effect) Stored() (n uint64) {
	for arg := range e.sizes {
		n += e.Written(arg)
	}
	return n
}

// Executed returns how many instructions the kernel, and the functions that it has called, have
// and how many of them a wave has executed.
func (e *Effect) Executed() (executed, instructions int) {
	seen := map[uint64]bool{}
	for _, p := range e.code {
		for _, f := range p.Functions() {
			if seen[f.VAddr] || e.ran(f.VAddr, f.Size) == 0 {
				continue
			}
			seen[f.VAddr] = true
			for pc := range p.Insts(f.VAddr, f.VAddr+f.Size) {
				instructions++
				executed += int(e.ran(pc, 4))
			}
		}
	}
	return executed, instructions
}

// ran returns in how many of the size bytes of code from addr on an instruction was executed, in
// dwords.
func (e *Effect) ran(addr, size uint64) uint64 {
	return e.executed.count(addr/4, (addr+size)/4)
}

// Add adds what other runs of the same program have done: code lies where it lay, and buffers may be larger or smaller.
func (e *Effect) Add(o *Effect) {
	e.written.add(o.written)
	e.executed.add(o.executed)
	for _, p := range o.code {
		e.use(p)
	}
	sizes := slices.Clone(o.sizes)
	for arg, size := range e.sizes[:min(len(e.sizes), len(sizes))] {
		sizes[arg] = max(sizes[arg], size)
	}
	e.sizes = sizes
}

// use adds p to the programs that ran.
func (e *Effect) use(p *sim.Program) {
	if !slices.ContainsFunc(e.code, func(q *sim.Program) bool { return q.Base == p.Base && q.End == p.End }) {
		e.code = append(e.code, p)
	}
}

// argShift is where the number of an argument begins in the keys of Effect.written.
const argShift = 48

// effectWatcher adds to an effect what one run does.
type effectWatcher struct {
	sim.NoWatcher

	*Effect
	buffers []*sim.Buffer // by argument
	now     *sim.Program  // the one that runs
	last    int           // the argument whose buffer was stored to last
}

// place returns the key of a byte of memory, and how many bytes follow in its buffer. It returns
// false for a byte that is in no buffer.
func (e *effectWatcher) place(addr uint64) (key, left uint64, ok bool) {
	for i := range e.buffers {
		arg := (e.last + i) % len(e.buffers)
		if b := e.buffers[arg]; b != nil && addr-b.Addr < b.Size {
			e.last = arg
			return uint64(arg)<<argShift | (addr - b.Addr), b.Size - (addr - b.Addr), true
		}
	}
	return 0, 0, false
}

// of returns setup for a run whose stores e is to see.
func (e *effectWatcher) of(setup Setup) Setup {
	return func() (*Session, error) {
		s, err := setup()
		if err != nil || s == nil {
			return s, err
		}
		e.buffers, e.sizes = s.Buffers, make([]uint64, len(s.Buffers))
		for i, b := range s.Buffers {
			if b != nil {
				e.sizes[i] = b.Size
			}
		}
		return s, err
	}
}

// Needs is part of [sim.Watcher].
func (e *effectWatcher) Needs() sim.Needs { return sim.Needs{Events: sim.SparseEvents} }

// Retire is part of [sim.Watcher]. An event may stand for instructions before it, too.
func (e *effectWatcher) Retire(v *sim.Event) {
	if v.Program != e.now {
		e.now = v.Program
		e.use(v.Program)
	}
	first := (v.PC - v.Before) / 4
	e.executed.set(first, (v.PC+uint64(v.Inst.Size))/4-first)
	eachStored(v, func(addr, size uint64, _ int) {
		if key, left, ok := e.place(addr); ok {
			e.written.set(key, min(size, left))
		}
	})
}

// eachStored calls store for the bytes of global memory and of scratch that an instruction stores,
// with the lane that does. The lanes of one whose elements lie side by side come as a whole.
func eachStored(e *sim.Event, store func(addr, size uint64, lane int)) {
	a := e.Access
	if a.Op == gcn.NoMem || a.Op == gcn.Load ||
		a.Op == gcn.Special && registers.Transfer((*isa.Inst)(e.Inst)) != gcn.Store {
		return
	}
	registers.Elements(a, func(space state.Space, addr, size uint64, lane int) {
		if space == state.Global {
			store(addr, size, lane)
		}
	})
}

// bitmap is a set of numbers, many of them consecutive. A nil bitmap is empty.
type bitmap map[uint64]*[bitmapWords]uint64

// A page of a bitmap holds so many numbers.
const (
	bitmapBits  = 12
	bitmapWords = 1 << bitmapBits / 64
)

// eachWord calls f for the words that hold the numbers from first on, n of them: with the page of
// the word, its place there and the bits of the numbers.
func eachWord(first, n uint64, f func(page uint64, word int, numbers uint64)) {
	for end := first + n; first < end; {
		bit := first % 64
		count := min(64-bit, end-first)
		f(first>>bitmapBits, int(first/64%bitmapWords), ^uint64(0)>>(64-count)<<bit)
		first += count
	}
}

// page returns a page of b, which it makes if there is none.
func (b *bitmap) page(number uint64) *[bitmapWords]uint64 {
	p := (*b)[number]
	if p == nil {
		if *b == nil {
			*b = bitmap{}
		}
		p = new([bitmapWords]uint64)
		(*b)[number] = p
	}
	return p
}

// set adds the numbers from first on, n of them.
func (b *bitmap) set(first, n uint64) {
	eachWord(first, n, func(page uint64, word int, numbers uint64) { b.page(page)[word] |= numbers })
}

// count returns how many of the numbers from first to below end are in b.
func (b *bitmap) count(first, end uint64) (n uint64) {
	eachWord(first, end-first, func(page uint64, word int, numbers uint64) {
		if p := (*b)[page]; p != nil {
			n += uint64(bits.OnesCount64(p[word] & numbers))
		}
	})
	return n
}

// add adds all of o.
func (b *bitmap) add(o bitmap) {
	for number, words := range o {
		p := b.page(number)
		for i, w := range words {
			p[i] |= w
		}
	}
}
