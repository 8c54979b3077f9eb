package sim

import (
	"context"
	"fmt"
	"sync"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
)

// Module is a code object in the memory of a machine. What is decoded of it is kept, so
// that only the first launch of a kernel pays for it.
type Module struct {
	Object *codeobj.Object
	Base   uint64 // load address
	// TextName is the file of an object that is assembly text, which faults and [Program.Source] name
	// with the line; "" is "assembly". It is set before the first launch.
	TextName string

	m      *Machine
	object *object
	ranges []*Buffer
	code   []codeSegment

	mu sync.Mutex // guards what follows, and codeSegment.own
	// programs holds what was decoded, as the code was when memory had been patched that many
	// times.
	programs map[decodedFor][]*Program
	patches  uint64
}

// decodedFor are the waves that a module was decoded for: where they begin and how many VGPRs
// they have. Entry 0 stands for waves that may continue anywhere.
type decodedFor struct {
	entry uint64
	vgprs int
}

// codeSegment is one that has instructions.
type codeSegment struct {
	number int // in the object
	buffer *Buffer
	size   int  // bytes of instructions
	own    bool // its words differ from the file
}

// codePart is some words of a segment.
type codePart struct {
	codeSegment
	from, to int
}

// moduleAlign is the alignment of load addresses: that of a page, as a loader gives.
const moduleAlign = 0x1000

// LoadObject reads a code object and maps its segments, relocated. The error is a
// *[codeobj.Error] or an *[Error].
func (m *Machine) LoadObject(data []byte) (*Module, error) { return m.loadObject(data, nil) }

// LoadObjectAt is [Machine.LoadObject] with the first instruction of a kernel at an address, which is a multiple
// of 4.
func (m *Machine) LoadObjectAt(data []byte, kernel string, addr uint64) (*Module, error) {
	o, err := m.Objects.object(data)
	if err != nil {
		return nil, err
	}
	k, err := o.Kernel(kernel)
	if err != nil {
		return nil, err
	}
	if addr%codeWordBytes != 0 || addr-k.Entry > addr {
		return nil, badLaunch(k.Name, "its first instruction cannot be at 0x%x: that is no multiple of 4, or the object "+
			"would begin below 0", addr)
	}
	base := addr - k.Entry
	return m.loadObject(data, &base)
}

// loadObject loads an object at a base, or where there is room.
func (m *Machine) loadObject(data []byte, base *uint64) (*Module, error) {
	o, err := m.Objects.object(data)
	if err != nil {
		return nil, err
	}
	if o.Target.Gen() != m.Target.Gen() {
		return nil, &Error{Kind: BadTarget, What: fmt.Sprintf("the code object is for %v, the machine is %v; use a "+
			"machine of that target or compile for this one", o.Target, m.Target)}
	}
	lo, hi := codeobj.Extent(o.Object)
	lo &^= moduleAlign - 1
	m.mu.Lock()
	defer m.mu.Unlock()
	var place, slot uint64
	if base != nil {
		place = *base + lo
	} else if place, slot, err = m.room(hi-lo, moduleAlign); err != nil {
		return nil, err
	}
	mod := &Module{Object: o.Object, Base: place - lo, m: m, object: o, programs: map[decodedFor][]*Program{},
		patches: m.patches.Load()}
	segments, err := codeobj.Load(o.Object, mod.Base)
	if err != nil {
		return nil, err
	}
	for i, s := range segments {
		b, err := m.mapOwn(s.VAddr, s.MemSize)
		if err != nil {
			for _, b := range mod.ranges {
				m.free(b)
			}
			return nil, err
		}
		b.slot = slot
		mod.ranges = append(mod.ranges, b)
		copy(b.Bytes(), s.Data)
		if s.Exec {
			b.span.Seal = executor.Code
			mod.code = append(mod.code, codeSegment{i, b, len(s.Data), s.Relocated})
		}
	}
	if base == nil {
		m.taken(place, hi-lo, slot)
	}
	return mod, nil
}

// Programs returns the code that waves of a kernel can reach, with all of the functions that it is part of. The error
// is a *[codeobj.Error], or comes from ctx.
func (mod *Module) Programs(ctx context.Context, kernel string) ([]*Program, error) {
	k, err := mod.Object.Kernel(kernel)
	if err != nil {
		return nil, err
	}
	ctx = contexts.Given(ctx)
	mod.mu.Lock()
	defer mod.mu.Unlock()
	mod.refresh()
	parts, err := mod.reached(ctx, mod.Base+k.Entry)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		p := &parts[i]
		for _, f := range mod.Object.Functions {
			from := int(mod.Base+f.VAddr-p.buffer.Addr) / codeWordBytes
			to := min(from+int(min(f.Size, uint64(p.size)))/codeWordBytes, p.size/codeWordBytes)
			if from < p.to && p.from < to {
				p.from, p.to = max(min(p.from, from), 0), max(p.to, to)
			}
		}
	}
	return mod.decode(ctx, parts, k.VGPRs)
}

// Unload unmaps the segments. The module cannot be launched then.
func (mod *Module) Unload() {
	for _, b := range mod.ranges {
		mod.m.Free(b)
	}
	mod.ranges = nil
}

// decoded returns the code of waves with vgprs vector registers that begin at entry: what they
// can reach from there. The error comes from ctx.
func (mod *Module) decoded(ctx context.Context, entry uint64, vgprs int) ([]*Program, error) {
	mod.mu.Lock()
	defer mod.mu.Unlock()
	mod.refresh()
	key := decodedFor{entry, vgprs}
	if all := mod.programs[key]; all != nil {
		return all, nil
	}
	parts, err := mod.reached(ctx, entry)
	if err != nil {
		return nil, err
	}
	all := mod.programs[decodedFor{0, vgprs}]
	if parts != nil || all == nil {
		if all, err = mod.decode(ctx, parts, vgprs); err != nil {
			return nil, err
		}
	}
	if parts == nil {
		mod.programs[decodedFor{0, vgprs}] = all
	}
	mod.programs[key] = all
	return all, nil
}

// refresh forgets what was decoded of code that may have been patched since. The caller holds the lock.
func (mod *Module) refresh() {
	if patches := mod.m.patches.Load(); mod.patches != patches { // by the host, perhaps elsewhere
		mod.patches = patches
		clear(mod.programs)
		for i := range mod.code {
			mod.code[i].own = true
		}
	}
}

// reached returns what waves that begin at entry can reach; nil if that may be anything, because
// an address in a register says where they continue.
func (mod *Module) reached(ctx context.Context, entry uint64) ([]codePart, error) {
	f := follower{m: mod.m, from: entry, lo: entry, hi: entry}
	if err := f.follow(ctx); err != nil || f.open {
		return nil, err
	}
	for _, s := range mod.code {
		if at := s.buffer.Addr; f.lo >= at && f.hi <= at+uint64(s.size) {
			return []codePart{{s, int(f.lo-at) / codeWordBytes, int(f.hi-at) / codeWordBytes}}, nil
		}
	}
	return nil, nil
}

// decode returns the programs of parts, of all there is if they are nil.
func (mod *Module) decode(ctx context.Context, parts []codePart, vgprs int) (all []*Program, err error) {
	if parts == nil {
		for _, s := range mod.code {
			parts = append(parts, codePart{s, 0, s.size / codeWordBytes})
		}
	}
	for _, part := range parts {
		words := func() []uint32 { return wordsOf(part.buffer.Bytes()[part.from*codeWordBytes : part.size]) }
		n := part.to - part.from
		var p *Program
		if part.own {
			p, err = newProgram(ctx, mod.m.Target, words(), n, vgprs, mod.m.Objects.find())
		} else {
			p, err = mod.object.program(ctx, programKey{mod.m.Target, part.number, part.from, n, vgprs}, words,
				mod.m.Objects.find())
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p.at(part.buffer.Addr+uint64(part.from)*codeWordBytes, mod.Object, mod.Base, mod.TextName))
	}
	return all, nil
}
