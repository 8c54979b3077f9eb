package sim

import (
	"context"
	"fmt"
	"sync"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
)

// Module is a code object in the memory of a machine. Its decoded code is cached, so that only the first launch of a
// kernel decodes it.
type Module struct {
	Object *codeobj.Object
	Base   uint64 // load address
	// TextName is the file name of an object made from assembly text; faults and [Program.Source] name it with the line.
	// "" means "assembly". Set it before the first launch.
	TextName string

	m      *Machine
	object *object
	ranges []*Buffer
	code   []codeSegment

	mu sync.Mutex // guards the fields below, and codeSegment.own
	// programs holds decoded code. It is valid for the contents of the code after patches writes by the host.
	programs map[decodedFor][]*Program
	patches  uint64
}

// decodedFor identifies the waves that code was decoded for: their entry point and number of VGPRs. Entry 0 stands
// for waves that may continue anywhere.
type decodedFor struct {
	entry uint64
	vgprs int
}

// codeSegment is a segment that contains instructions.
type codeSegment struct {
	number int // number of the segment in the object
	buffer *Buffer
	size   int  // bytes of instructions
	own    bool // its words differ from those in the file
}

// codePart is a range of words of a segment.
type codePart struct {
	codeSegment
	from, to int
}

// moduleAlign is the alignment of load addresses, a page.
const moduleAlign = 0x1000

// LoadObject reads a code object and maps its relocated segments. The error is a *[codeobj.Error] or an *[Error].
func (m *Machine) LoadObject(data []byte) (*Module, error) { return m.loadObject(data, nil) }

// LoadObjectAt does what [Machine.LoadObject] does, so that the first instruction of the kernel is at addr, a
// multiple of 4.
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

// loadObject loads an object at base, or at an unused address if base is nil.
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

// Programs returns the code that waves of a kernel can reach, together with the whole functions that contain it. The
// error is a *[codeobj.Error], or comes from ctx.
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

// Unload unmaps the segments. The module cannot be launched any more.
func (mod *Module) Unload() {
	for _, b := range mod.ranges {
		mod.m.Free(b)
	}
	mod.ranges = nil
}

// decoded returns the code that waves with vgprs vector registers can reach from entry. The error comes from ctx.
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

// refresh drops decoded code that may have been patched since. The caller holds the lock.
func (mod *Module) refresh() {
	if patches := mod.m.patches.Load(); mod.patches != patches { // the host wrote to code, perhaps of another module
		mod.patches = patches
		clear(mod.programs)
		for i := range mod.code {
			mod.code[i].own = true
		}
	}
}

// reached returns the code that waves can reach from entry, nil if that may be any code because of a jump to an
// address in a register.
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

// decode returns the programs of parts, or of all segments if parts is nil.
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
