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

// Effect records the stores and the executed instructions of all runs of one program. A verdict about the
// program relies on them. The zero value has no runs.
type Effect struct {
	written  bitmap         // stored bytes of buffers, with the keys that place returns
	executed bitmap         // executed dwords of code, by address / 4
	code     []*sim.Program // programs that ran, at different addresses
	sizes    []uint64       // buffer size by argument, 0 if the argument is not a buffer
}

// Effects runs one program and returns its stores and executed instructions. If the program faults, the error
// is the fault and the Effect is valid. Otherwise the error comes from ctx or is a *[SetupError].
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

// Written returns the number of bytes that the program has stored to in the buffer of an argument.
// A store of the value that a byte already held counts.
func (e *Effect) Written(arg int) uint64 {
	if arg < 0 || arg >= len(e.sizes) {
		return 0
	}
	first := uint64(arg) << argShift
	return e.written.count(first, first+e.sizes[arg])
}

// Stored returns the number of bytes that the program has stored to in all buffers.
func (e *Effect) Stored() (n uint64) {
	for arg := range e.sizes {
		n += e.Written(arg)
	}
	return n
}

// Executed returns how many instructions a wave has executed, and how many instructions there are, in the
// kernel and the functions that it has called.
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

// ran returns the number of executed instructions in size bytes of code from addr on, counted in
// dwords.
func (e *Effect) ran(addr, size uint64) uint64 {
	return e.executed.count(addr/4, (addr+size)/4)
}

// Add adds the effects of other runs of the same program. Code must be at the same addresses; buffer sizes may differ.
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

// use adds p to code unless it is already there.
func (e *Effect) use(p *sim.Program) {
	if !slices.ContainsFunc(e.code, func(q *sim.Program) bool { return q.Base == p.Base && q.End == p.End }) {
		e.code = append(e.code, p)
	}
}

// argShift is the first bit of the argument number in the keys of Effect.written.
const argShift = 48

// effectWatcher adds the effects of one run to an Effect.
type effectWatcher struct {
	sim.NoWatcher

	*Effect
	buffers []*sim.Buffer // by argument
	now     *sim.Program  // the program that executes
	last    int           // argument with the latest store
}

// place returns the key of a byte of memory, and the number of bytes from it to the end of its buffer. ok
// is false if the byte is not in a buffer.
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

// of returns a setup whose session e records the stores of.
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

// Retire is part of [sim.Watcher]. One event may stand for several instructions.
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

// eachStored calls store for the bytes that an instruction stores to global memory and scratch, and the
// lane that stores them. It calls store once for lanes whose elements are contiguous.
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

// bitmap is a set of numbers. It is compact if many of them are consecutive. A nil bitmap is empty.
type bitmap map[uint64]*[bitmapWords]uint64

// Sizes of a page of a bitmap.
const (
	bitmapBits  = 12
	bitmapWords = 1 << bitmapBits / 64
)

// eachWord calls f for each word of a bitmap that has some of the n numbers from first on: with the
// number of the page, the index of the word in the page, and the bits of these numbers.
func eachWord(first, n uint64, f func(page uint64, word int, numbers uint64)) {
	for end := first + n; first < end; {
		bit := first % 64
		count := min(64-bit, end-first)
		f(first>>bitmapBits, int(first/64%bitmapWords), ^uint64(0)>>(64-count)<<bit)
		first += count
	}
}

// page returns the page of b with a number. It allocates the page if necessary.
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

// set adds n numbers, from first on.
func (b *bitmap) set(first, n uint64) {
	eachWord(first, n, func(page uint64, word int, numbers uint64) { b.page(page)[word] |= numbers })
}

// count returns how many numbers from first to end-1 are in b.
func (b *bitmap) count(first, end uint64) (n uint64) {
	eachWord(first, end-first, func(page uint64, word int, numbers uint64) {
		if p := (*b)[page]; p != nil {
			n += uint64(bits.OnesCount64(p[word] & numbers))
		}
	})
	return n
}

// add adds all numbers of o.
func (b *bitmap) add(o bitmap) {
	for number, words := range o {
		p := b.page(number)
		for i, w := range words {
			p[i] |= w
		}
	}
}
