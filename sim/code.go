package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"sync"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/state"
)

// codeCache keeps decoded code from memory by its contents, because drivers put the same code at many addresses, and
// other code at the same address.
type codeCache struct {
	mu    sync.Mutex
	kept  map[codeKey][]*keptCode
	bytes int64
}

// codeKey identifies code: its first words, and the waves that it is decoded for.
type codeKey struct {
	target gcn.Target
	vgprs  int
	head   [32]byte
}

// keptCode is the code around an entry point: all instructions that a wave can reach from there, except through jumps
// to an address in a register.
type keptCode struct {
	entry  uint64 // byte offset of the entry point
	bytes  []byte
	open   bool // the code has jumps to an address in a register, or was too long to follow
	orders bool // whether the code has an ordered operation; see [Program.ordered]
	at0    *Program
	placed map[codePlace]*Program
}

// codePlace is an address of code and the code object at that address, if it is known.
type codePlace struct {
	addr   uint64
	object *codeobj.Object
	load   uint64
}

// Limits of a codeCache: its size, the bytes of code that are decoded at a time, and the addresses that are
// remembered for one piece of code.
const (
	maxExtent     = 1 << 20
	maxPlaced     = 64
	instWords     = 2 // words of the longest instruction
	codeWordBytes = 4
)

// codes returns the cache of decoded code that m uses.
func (m *Machine) codes() *codeCache {
	if m.Objects != nil {
		return &m.Objects.code
	}
	return &m.code
}

// roomForCode returns the largest number of bytes of decoded code that m keeps.
func (m *Machine) roomForCode() int64 {
	if m.Objects != nil {
		return m.Objects.room()
	}
	return defaultCacheBytes
}

// size returns the approximate size of c in bytes.
func (c *codeCache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// forget empties c.
func (c *codeCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept, c.bytes = nil, 0
}

// codeAt returns a program that contains the instruction at pc with memory's present contents. The error is a
// *[state.Fault] or the error of ctx.
func (d *dispatch) codeAt(ctx context.Context, pc uint64) (*Program, error) {
	m, c := d.m, d.m.codes()
	key := codeKey{target: m.Target, vgprs: d.vgprs}
	if pc%codeWordBytes != 0 {
		return nil, executor.NewFault(state.FaultPC, "the address of an instruction is a multiple of %d", codeWordBytes)
	}
	for n := len(key.head); m.Read(pc, key.head[:n]) != nil; n -= codeWordBytes {
		if n == codeWordBytes {
			f := executor.NewFault(state.FaultMemory, "no mapped range holds the instruction there; check the branch or "+
				"what was mapped")
			f.Addr = pc
			return nil, f
		}
		clear(key.head[n-codeWordBytes:])
	}
	at := codePlace{}
	if d.c.CodeObject != nil {
		at.object, at.load = d.c.CodeObject(pc)
	}
	c.mu.Lock()
	for _, k := range c.kept[key] {
		if at.addr = pc - k.entry; k.lies(&m.Memory, at.addr) {
			p := k.place(at)
			c.mu.Unlock()
			return p, nil
		}
	}
	c.mu.Unlock()
	k, err := m.decodeAt(ctx, pc, d.vgprs)
	if err != nil {
		return nil, err
	}
	room := m.roomForCode()
	c.mu.Lock()
	defer c.mu.Unlock()
	size := stepBytes*int64(len(k.at0.steps)) + int64(len(k.bytes))
	if c.kept == nil || c.bytes > room-size {
		c.kept, c.bytes = map[codeKey][]*keptCode{}, 0
	}
	c.bytes += size
	c.kept[key] = append(c.kept[key], k)
	at.addr = pc - k.entry
	return k.place(at), nil
}

// lies reports whether memory at addr holds the bytes from which k was decoded.
func (k *keptCode) lies(m *Memory, addr uint64) bool {
	if s := m.find(addr); s != nil {
		if off, ok := s.Offset(addr, uint64(len(k.bytes))); ok {
			return bytes.Equal(s.Bytes[off:off+uint64(len(k.bytes))], k.bytes)
		}
	}
	b := make([]byte, len(k.bytes)) // the code extends over several ranges
	return m.Read(addr, b) == nil && bytes.Equal(b, k.bytes)
}

// place returns the program of k at an address. It returns the same program each time, unless k has too many
// addresses.
func (k *keptCode) place(at codePlace) *Program {
	if p := k.placed[at]; p != nil {
		return p
	}
	if k.placed == nil || len(k.placed) >= maxPlaced {
		k.placed = map[codePlace]*Program{}
	}
	p := k.at0.at(at.addr, at.object, at.load, "")
	k.placed[at] = p
	return p
}

// unchanged reports whether memory still holds the bytes from which p was decoded.
func (p *Program) unchanged(m *Memory) bool { return p.kept == nil || p.kept.lies(m, p.Base) }

// decodeAt decodes the code that a wave can reach from pc.
func (m *Machine) decodeAt(ctx context.Context, pc uint64, vgprs int) (*keptCode, error) {
	f := follower{m: m, from: pc, lo: pc, hi: pc}
	if err := f.follow(ctx); err != nil {
		return nil, err
	}
	k := &keptCode{entry: pc - f.lo, open: f.open, orders: f.orders}
	k.bytes = make([]byte, f.hi-f.lo+(instWords-1)*codeWordBytes)
	for m.Read(f.lo, k.bytes) != nil {
		if uint64(len(k.bytes)) == f.hi-f.lo {
			return nil, executor.NewFault(state.FaultPC, "the code was unmapped while it was read")
		}
		k.bytes = k.bytes[:len(k.bytes)-codeWordBytes]
	}
	var err error
	if k.at0, err = newProgram(ctx, m.Target, wordsOf(k.bytes), int(f.hi-f.lo)/codeWordBytes, vgprs,
		m.Objects.find()); err != nil {
		return nil, err
	}
	k.at0.kept = k
	// Other code may be reached as well and may depend on the order of work-groups, so they keep their order.
	k.at0.ordered = k.orders || k.open
	return k, nil
}

// follower collects the code that a wave can reach.
type follower struct {
	m      *Machine
	from   uint64
	lo, hi uint64
	open   bool
	orders bool

	seen map[uint64]struct{}
	todo []uint64
}

// follow visits instruction after instruction. The error comes from ctx.
func (f *follower) follow(ctx context.Context) error {
	f.seen, f.todo = map[uint64]struct{}{}, []uint64{f.from}
	for len(f.todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		pc := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		for next := true; next; {
			pc, next = f.step(pc)
		}
	}
	return nil
}

// step records the instruction at pc and returns the address of the next one. ok is false if it has been visited or
// does not exist.
func (f *follower) step(pc uint64) (next uint64, ok bool) {
	if _, known := f.seen[pc]; known {
		return 0, false
	}
	if max(f.hi, pc)-min(f.lo, pc) > maxExtent {
		f.open = true
		return 0, false
	}
	var b [instWords * codeWordBytes]byte
	words := make([]uint32, 0, instWords)
	for n := len(b); n > 0; n -= codeWordBytes {
		if f.m.Read(pc, b[:n]) == nil {
			for i := 0; i < n; i += codeWordBytes {
				words = append(words, binary.LittleEndian.Uint32(b[i:]))
			}
			break
		}
	}
	if len(words) == 0 {
		return 0, false // the wave will fault here
	}
	f.seen[pc] = struct{}{}
	f.lo, f.hi = min(f.lo, pc), max(f.hi, pc+codeWordBytes)
	in, err := isa.Decode(f.m.Target, words)
	if err != nil {
		return 0, false
	}
	f.hi = max(f.hi, pc+uint64(in.Size))
	f.orders = f.orders || ordered(&in)
	f.open = f.open || in.Row().Has(isa.Jumps)
	if to, ok := in.BranchTarget(pc); ok {
		f.todo = append(f.todo, to)
	}
	return pc + uint64(in.Size), fallsThrough(&in)
}

// fallsThrough reports whether the following instruction can execute next, or after the return from a call.
func fallsThrough(in *isa.Inst) bool {
	c := in.Row().Control
	return c != isa.Ends && c != isa.GoesAway && c != isa.LeavesTrap
}
