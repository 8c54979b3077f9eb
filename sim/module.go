package sim

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// Module is a code object in the memory of a machine.
type Module struct {
	Object *codeobj.Object
	Base   uint64 // load address
	m      *Machine
	ranges []*Buffer
	code   []segment
}

type segment struct {
	base  uint64
	words []uint32
}

// moduleAlign is the alignment of load addresses: that of a page, as a loader gives.
const moduleAlign = 0x1000

// LoadObject reads a code object and maps its segments, relocated. The error is a
// *[codeobj.Error], a *[MapError] or a *[TargetError].
func (m *Machine) LoadObject(data []byte) (*Module, error) {
	o, err := codeobj.Parse(data)
	if err != nil {
		return nil, err
	}
	if o.Target.Gen() != m.Target.Gen() {
		return nil, &TargetError{Machine: m.Target, Object: o.Target}
	}
	lo, hi := o.Extent()
	lo &^= moduleAlign - 1
	place, slot, err := m.room(hi-lo, moduleAlign)
	if err != nil {
		return nil, err
	}
	mod := &Module{Object: o, Base: place - lo, m: m}
	segments, err := o.Image(mod.Base)
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		b, err := m.Map(s.VAddr, s.MemSize)
		if err != nil {
			mod.Unload()
			return nil, err
		}
		b.slot = slot
		mod.ranges = append(mod.ranges, b)
		copy(b.Bytes(), s.Data)
		if s.Exec {
			mod.code = append(mod.code, segment{s.VAddr, wordsOf(s.Data)})
		}
	}
	m.taken(place, hi-lo, slot)
	return mod, nil
}

// Unload unmaps the segments.
func (mod *Module) Unload() {
	for _, b := range mod.ranges {
		mod.m.Free(b)
	}
	mod.ranges = nil
}

// programs decodes the code for waves with vgprs vector registers.
func (mod *Module) programs(vgprs int) []*Program {
	var all []*Program
	for _, s := range mod.code {
		all = append(all, NewProgram(mod.m.Target, s.base, s.words, vgprs))
	}
	return all
}

// TargetError says that a code object is for another generation than the machine.
type TargetError struct{ Machine, Object gcn.Target }

// Error names both targets.
func (e *TargetError) Error() string {
	return fmt.Sprintf("the code object is for %v, the machine is %v; use a machine of that target or compile for this one", e.Object, e.Machine)
}
