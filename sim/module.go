package sim

import (
	"context"
	"fmt"
	"sync"

	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// Module is a code object in the memory of a machine. What is decoded of it is kept, so
// that only the first launch of a kernel pays for it.
type Module struct {
	Object *codeobj.Object
	Base   uint64 // load address
	m      *Machine
	object *object
	ranges []*Buffer
	code   []codeSegment

	mu sync.Mutex // guards what follows, and codeSegment.own
	// programs holds the decoded segments by the number of VGPRs, as the code was when
	// memory had been patched that many times.
	programs map[int][]*Program
	patches  uint64
}

// codeSegment is one that has instructions.
type codeSegment struct {
	number int // in the object
	buffer *Buffer
	size   int  // bytes of instructions
	own    bool // its words are not those of the file
}

// moduleAlign is the alignment of load addresses: that of a page, as a loader gives.
const moduleAlign = 0x1000

// LoadObject reads a code object and maps its segments, relocated. The error is a
// *[codeobj.Error] or an *[Error].
func (m *Machine) LoadObject(data []byte) (*Module, error) {
	o, err := m.Objects.object(data)
	if err != nil {
		return nil, err
	}
	if o.Target.Gen() != m.Target.Gen() {
		return nil, &Error{Kind: BadTarget, What: fmt.Sprintf("the code object is for %v, the machine is %v; use a machine of that target or compile for this one", o.Target, m.Target)}
	}
	lo, hi := o.Lo, o.Hi
	lo &^= moduleAlign - 1
	m.mu.Lock()
	defer m.mu.Unlock()
	place, slot, err := m.room(hi-lo, moduleAlign)
	if err != nil {
		return nil, err
	}
	mod := &Module{Object: o.Object, Base: place - lo, m: m, object: o, programs: map[int][]*Program{}, patches: m.patches.Load()}
	segments, err := o.Image(mod.Base)
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
			b.span.Seal = unit.Code
			mod.code = append(mod.code, codeSegment{i, b, len(s.Data), s.Relocated})
		}
	}
	m.taken(place, hi-lo, slot)
	return mod, nil
}

// Unload unmaps the segments. The module cannot be launched then.
func (mod *Module) Unload() {
	for _, b := range mod.ranges {
		mod.m.Free(b)
	}
	mod.ranges = nil
}

// decoded returns the code for waves with vgprs vector registers. The error is that of ctx.
func (mod *Module) decoded(ctx context.Context, vgprs int) ([]*Program, error) {
	mod.mu.Lock()
	defer mod.mu.Unlock()
	if patches := mod.m.patches.Load(); mod.patches != patches { // by the host, perhaps elsewhere
		mod.patches = patches
		clear(mod.programs)
		for i := range mod.code {
			mod.code[i].own = true
		}
	}
	if all := mod.programs[vgprs]; all != nil {
		return all, nil
	}
	var all []*Program
	for _, s := range mod.code {
		words := func() []uint32 { return wordsOf(s.buffer.Bytes()[:s.size]) }
		var p *Program
		var err error
		if s.own {
			all := words()
			p, err = newProgram(ctx, mod.m.Target, all, len(all), vgprs)
		} else {
			p, err = mod.object.program(ctx, programKey{mod.m.Target, s.number, vgprs}, words)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p.at(s.buffer.Addr, mod.Object, mod.Base))
	}
	mod.programs[vgprs] = all
	return all, nil
}
