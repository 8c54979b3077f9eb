package eval

import (
	"fmt"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/hidden"
)

// Names of variables that both programs share.
const (
	kernarg      = "kernel arguments"
	packet       = "dispatch packet"
	waveOffset   = "scratch of the wave"
	scratchWords = "scratch resource"
	privateBase  = "private aperture"
)

// pointers are the names of the 64-bit variables for addresses of the runtime's memory.
var pointers = map[codeobj.SGPRItem]string{codeobj.DispatchPtr: packet, codeobj.KernargSegmentPtr: kernarg,
	codeobj.QueuePtr: "queue", codeobj.DispatchID: "number of the dispatch", codeobj.FlatScratchInit: "flat scratch"}

// ID returns the work-item id in a dimension, a variable with as many bits as a work-group needs.
func (w *World) ID(axis int) *term.Term {
	return w.Var(uint8(max(bits.Len(uint(w.GroupSize-1)), 1)), fmt.Sprintf("id %c", 'x'+axis), true)
}

// Group returns the work-group id in a dimension.
func (w *World) Group(axis int) *term.Term {
	return w.Var(32, fmt.Sprintf("group %c", 'x'+axis), false)
}

// Size returns the number of work-items of a work-group in a dimension.
func (w *World) Size(axis int) *term.Term { return w.Var(16, fmt.Sprintf("size %c", 'x'+axis), false) }

// Grid returns the number of work-items of the launch in a dimension.
func (w *World) Grid(axis int) *term.Term { return w.Var(32, fmt.Sprintf("grid %c", 'x'+axis), false) }

// Arg returns a dword of explicit argument n.
func (w *World) Arg(n, dword int) *term.Term {
	return w.Var(32, fmt.Sprintf("argument %d.%d", n, dword), false)
}

// begin returns the state at the entry of the kernel.
func (p *program) begin() *lane {
	s := &lane{v: map[int]*term.Term{}, s: map[int]scalar{}, lanes: map[int]map[uint64]scalar{},
		private: map[uint64]*term.Term{}, spilled: map[uint64]map[uint64]scalar{}, scc: p.undefined(1, false),
		path: p.Bool(true), memory: spaces, laps: map[uint64]int{}}
	p.setMask(s, isa.EXEC, p.Bool(true))
	for _, i := range codeobj.InitSGPRs(p.kernel) {
		v := p.undefined(32, false)
		switch name, ok := pointers[i.Item]; {
		case ok:
			p.setSGPR64(s, i.First, p.Var(64, name, false))
			continue
		case i.Item == codeobj.PrivateSegmentBuffer:
			for n := range 4 {
				p.setSGPR(s, i.First+n, p.Var(32, fmt.Sprintf("%s %d", scratchWords, n), false))
			}
			continue
		case i.Item >= codeobj.WorkGroupIDX && i.Item <= codeobj.WorkGroupIDZ:
			v = p.Group(int(i.Item - codeobj.WorkGroupIDX))
		case i.Item == codeobj.PrivateSegmentWaveByteOffset:
			v = p.Var(32, waveOffset, false)
		}
		for n := range i.Count {
			p.setSGPR(s, i.First+n, v)
		}
	}
	for axis := range p.kernel.WorkItemVGPRs {
		p.setVGPR(s, axis, p.Zext(32, p.ID(axis)))
	}
	return s
}

// argument returns the byte at an offset in the kernel's arguments.
func (p *program) argument(at uint64) *term.Term {
	explicit := 0
	for i := range p.kernel.Args {
		a := &p.kernel.Args[i]
		n := explicit
		if !a.Hidden {
			explicit++
		}
		if at < uint64(a.Offset) || at >= uint64(a.Offset)+uint64(a.Size) {
			continue
		}
		in := at - uint64(a.Offset)
		v := p.Arg(n, int(in/4))
		if a.Hidden {
			switch kind := int(a.Kind); {
			case kind >= hidden.GroupSizeX && kind <= hidden.GroupSizeZ:
				v = p.Zext(32, p.Size(kind-hidden.GroupSizeX))
			case kind == hidden.None:
				continue
			default:
				v = p.Var(32, fmt.Sprintf("%v.%d", a.Kind, in/4), false)
			}
		}
		return p.Extract(uint8(in%4*8+7), uint8(in%4*8), v)
	}
	return p.Var(8, fmt.Sprintf("byte %d of the arguments of %s", at, p.side), false)
}

// dispatched returns the byte at an offset in the dispatch packet.
func (p *program) dispatched(at uint64) *term.Term {
	part := func(t *term.Term, from uint64) *term.Term {
		return p.Extract(uint8((at-from)*8+7), uint8((at-from)*8), t)
	}
	switch {
	case at >= 4 && at < 10:
		axis := (at - 4) / 2
		return part(p.Size(int(axis)), 4+2*axis)
	case at >= 12 && at < 24:
		axis := (at - 12) / 4
		return part(p.Grid(int(axis)), 12+4*axis)
	}
	p.fail("a field of the dispatch packet")
	return p.Const(8, 0)
}
