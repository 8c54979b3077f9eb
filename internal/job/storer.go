package job

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// storer finds the last instruction of a dispatch that stores a byte.
type storer struct {
	addr        uint64 // of the byte
	grid, group [3]uint32
	offset      [3]uint64
	base        uint64
	found       *stored
}

// stored is an instruction that has stored a byte, and for whom.
type stored struct {
	group  [3]uint32
	wave   int
	lane   int       // state.NoLane of a scalar store
	item   [3]uint64 // global id of the work-item
	pc     uint64
	base   uint64 // what PCs count from in the file of the object
	text   string
	source string
}

// findStorer runs the dispatch again, one work-group after another, and returns what stored the
// byte at offset at of the buffer of an argument last, nil if nothing did. same reports whether
// the bytes of the buffer are those that the first run left.
func (req *DispatchRequest) findStorer(ctx context.Context, o *Options, arg int, at uint64, before []byte) (by *stored, same bool, err error) {
	again := *o
	again.Observe, again.Progress = nil, nil
	r, err := req.prepare(&again)
	if err != nil {
		return nil, false, err
	}
	addr, err := r.memory[arg].addr(at)
	if err != nil {
		return nil, false, err
	}
	s := &storer{addr: addr, offset: r.launch.Offset, base: r.launch.Module.Base}
	for i := range s.grid {
		s.grid[i], s.group[i] = max(r.launch.Grid[i], 1), max(r.launch.Group[i], 1)
	}
	defer stopWith(ctx, r.model)()
	r.launch.Observer = observers(r.launch.Observer, s.observe)
	if _, err := r.machine.Dispatch(ctx, *r.launch); err != nil {
		return nil, false, err
	}
	after, err := r.memory[arg].contents()
	return s.found, bytes.Equal(after, before), err
}

// observe notes what an instruction stores.
func (s *storer) observe(e sim.Event) {
	a := e.Access
	if a.Op != gcn.Store && a.Op != gcn.Atomic || a.Space != state.Global {
		return
	}
	lanes := a.Exec &^ (a.LDSLanes | a.ScratchLanes)
	if a.Scalar {
		lanes = 1
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros64(lanes)
		for i := range int(a.Count) {
			out := a.Out[min(i, len(a.Out)-1)] >> lane
			if a.Scalar {
				out = a.Out[0] >> i
			}
			if s.addr-a.At(i, lane) < uint64(a.Elem) && out&1 == 0 {
				s.note(&e, lane)
			}
		}
	}
}

// note makes the instruction of e the last one that stored the byte.
func (s *storer) note(e *sim.Event, lane int) {
	w := e.Wave
	s.found = &stored{group: w.Group, wave: w.ID, lane: lane, pc: e.PC, base: s.base, text: asm.Format(*e.Inst, asm.LLVM), source: e.Program.Source(e.PC)}
	if e.Access.Scalar {
		s.found.lane = state.NoLane
		return
	}
	n := uint32(w.ID*state.NumLanes + lane)
	for i, group := range s.group {
		base := w.Group[i] * group
		size := min(group, s.grid[i]-base) // the last work-group of a row has what is left
		s.found.item[i] = s.offset[i] + uint64(base) + uint64(n%size)
		n /= size
	}
}

// describe says in r which instruction it was, if there was one.
func (s *stored) describe(r *Failure) {
	if s == nil {
		return
	}
	pc := address(s.pc)
	r.PC, r.Wave, r.Text, r.Source = &pc, &s.wave, s.text, s.source
	if s.lane != state.NoLane {
		r.Lane = &s.lane
	}
}

// String says who stored it and where, as dis prints addresses.
func (s *stored) String() string {
	var b strings.Builder
	if s.lane == state.NoLane {
		fmt.Fprintf(&b, "wave %d of work-group %d,%d,%d", s.wave, s.group[0], s.group[1], s.group[2])
	} else {
		fmt.Fprintf(&b, "work-item %d,%d,%d", s.item[0], s.item[1], s.item[2])
	}
	fmt.Fprintf(&b, " with %s at 0x%x", s.text, s.pc-s.base)
	if s.source != "" {
		fmt.Fprintf(&b, " (%s)", s.source)
	}
	return b.String()
}
