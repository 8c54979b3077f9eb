package compare

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file finds the backward slice of what a store wrote: the instructions that its value
// and its address come from, through registers, LDS and memory. It goes backward through
// recordings of a bounded number of instructions, each made by running again.

// node is an instruction of a slice.
type node struct {
	n     uint64 // number in the run
	site  *site
	group [3]uint32
	wave  int
	exec  uint64 // before
	lanes uint64 // those that matter
	mask  bool   // it was asked for bits of a lane mask: lanes are these bits
	lane  int    // the one that is shown
	asked uint32 // which of the dwords that it writes matter
	in    []edge
	from  []origin
	// What it wrote, by dword, found by another run: of a scalar register in lane 0.
	wrote  []dword
	stores bool        // wrote are data and address of what it stored
	to     state.Space // where it stored that
	read   []Operand
	ins    []regValue // what it read in the lane that is shown
	kept   []kept     // who else would have written what it reads
	index  uint64     // in the wave
	turn   uint32     // how often the wave had executed its site before

	agrees    bool
	overflows bool // as a signed sum or product of 32 bits
	foreign   bool // it executed under a mask of lanes that the other program never had
}

// dword is what a node wrote.
type dword struct {
	reg    reg
	lanes  state.Lanes
	scalar bool
}

// regValue is what a register held.
type regValue struct {
	reg   reg
	value uint32
}

// edge is where a node has something from.
type edge struct {
	node int
	role isa.Role
	reg  reg // inMemory if it read memory
}

// origin is what no instruction of the run wrote: a register at the start of the wave, or
// memory.
type origin struct {
	reg   reg
	space state.Space
	addr  uint64
	lane  int // that reads the memory
	mem   bool
}

// need is something that a node reads, until it is known who wrote it.
type need struct {
	by    int    // node
	lanes uint64 // of a VGPR; of a lane mask the bits, of other scalar registers all; of memory the bytes of the dword
	bytes uint8  // of a register
	mask  bool   // the register is half of a lane mask
	role  isa.Role
	reg   reg // inMemory if it is of memory
	lane  int // of memory: the lane of by that reads it
}

// of returns n as a need of other lanes and bytes.
func (n need) of(lanes uint64, bytes uint8) need {
	n.lanes, n.bytes = lanes, bytes
	return n
}

type regKey struct {
	wave uint8
	reg  reg
}

type memKey struct {
	space state.Space
	dword uint64
}

// slicer finds a slice.
type slicer struct {
	setup   Setup
	writers *shadow
	nodes   []node
	regs    map[regKey][]need
	mem     map[memKey][]need
	// earlier are needs that instructions of earlier work-groups meet, by their number.
	earlier map[uint64][]stored
	begin   uint64 // of the work-group at hand
	cut     string // why the slice ends early, "" if it does not
	rec     *recording
	next    [256]uint64      // where each wave went on after the instruction at hand
	window  uint64           // instructions that are recorded at a time; 0 is defaultWindow
	copies  bool             // only instructions that pass on what they read lead on
	does    string           // what the work-item does with node 0 in place of the store of the other program
	bySite  map[uint64][]int // the nodes of the instruction at each address; nil until one asks
	// masks are the values that EXEC had, and those of the lane masks of the slice.
	masks map[maskKey]bool
}

// maskKey is half of a lane mask of a wave.
type maskKey struct {
	id    waveID
	value uint32
}

// stored is a need of memory that a lane of an instruction wrote. As a root, it is the instruction itself, whatever
// it stores.
type stored struct {
	lane int
	addr uint64
	need need
	root bool
}

// Bounds of a slice.
const (
	defaultWindow = 1 << 20
	maxWindows    = 64
	maxNodes      = 1 << 16
)

// slice returns the slice of the byte at addr, which a lane of instruction number n wrote
// last: the store is node 0. If root is true, it is the slice of that instruction, which may have left the lane out.
func (s *slicer) slice(ctx context.Context, addr uint64, by stamp, root bool) error {
	window := cmp.Or(s.window, defaultWindow)
	s.masks = map[maskKey]bool{}
	s.earlier = map[uint64][]stored{by.number(): {{by.lane(), addr, need{by: -1, lanes: 1 << (addr & 3)}, root}}}
	for windows := 0; len(s.earlier) > 0; {
		last := uint64(0)
		for n := range s.earlier {
			last = max(last, n)
		}
		s.begin = s.writers.group(last)
		s.regs, s.mem = map[regKey][]need{}, map[memKey][]need{}
		for to := last; ; {
			from := s.begin
			if to-from >= window {
				from = to - window + 1
			}
			if windows++; windows > maxWindows {
				s.cut = "the slice goes further back than is looked at"
				return nil
			}
			var err error
			if s.rec, err = replay(ctx, s.setup, from, to); err != nil {
				return err
			}
			s.back(from)
			if s.cut != "" {
				return nil
			}
			if from == s.begin || len(s.regs)+len(s.mem) == 0 && !s.pending(from) {
				break
			}
			to = from - 1
		}
		s.begun()
	}
	return nil
}

// pending reports whether an instruction of the work-group at hand before number n is known
// to be part of the slice.
func (s *slicer) pending(n uint64) bool {
	for number := range s.earlier {
		if number >= s.begin && number < n {
			return true
		}
	}
	return false
}

// begun makes origins of what no instruction of the work-group wrote.
func (s *slicer) begun() {
	for _, key := range slices.SortedFunc(maps.Keys(s.regs), func(a, b regKey) int { return cmp.Compare(a.reg, b.reg) }) {
		for _, n := range s.regs[key] {
			s.nodes[n.by].from = append(s.nodes[n.by].from, origin{reg: key.reg})
		}
	}
	byAddress := func(a, b memKey) int { return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.dword, b.dword)) }
	for _, key := range slices.SortedFunc(maps.Keys(s.mem), byAddress) {
		for _, n := range s.mem[key] {
			s.nodes[n.by].from = append(s.nodes[n.by].from,
				origin{space: key.space, addr: key.dword << 2, lane: n.lane, mem: true})
		}
	}
	s.regs, s.mem = nil, nil
}

// back goes through the recording from its end.
func (s *slicer) back(from uint64) {
	r := s.rec
	for i, x := range slices.Backward(r.events) {
		n := from + uint64(i)
		id := waveID{r.group, int(x.wave)}
		s.masks[maskKey{id, uint32(x.exec)}], s.masks[maskKey{id, uint32(x.exec >> 32)}] = true, true
		hit := hits{}
		if len(s.regs) > 0 {
			s.goesPast(&x, n)
			s.written(&x, n, &hit)
		}
		s.next[x.wave] = r.sites.all[x.site].pc
		if x.access != 0 && len(s.mem) > 0 {
			s.memoryWritten(&x, &hit)
		}
		if all, ok := s.earlier[n]; ok {
			delete(s.earlier, n)
			for _, e := range all {
				if e.root {
					hit = hits{by: []need{e.need}, lanes: 1 << e.lane, data: ^uint32(0)}
					continue
				}
				s.wrote(&x, &hit, e.lane, e.addr, e.need)
			}
		}
		if len(hit.by) == 0 {
			continue
		}
		if len(s.nodes) >= maxNodes {
			s.cut = "the slice has more instructions than are kept"
			return
		}
		at := r.sites.all[x.site]
		s.nodes = append(s.nodes, node{n: n, site: at, group: r.group, wave: int(x.wave), exec: x.exec,
			lanes: hit.lanes | hit.bits, mask: hit.bits != 0, asked: hit.asked})
		me := len(s.nodes) - 1
		for _, b := range hit.by {
			if e := (edge{me, b.role, b.reg}); b.by >= 0 && !slices.Contains(s.nodes[b.by].in, e) {
				s.nodes[b.by].in = append(s.nodes[b.by].in, e)
			}
		}
		if !s.copies || passesOn(at.inst.Row()) {
			s.reads(&x, me, &hit)
		}
	}
}

// hits are the needs that an instruction meets.
type hits struct {
	by    []need
	lanes uint64
	bits  uint64 // of a lane mask, if no more of it is asked for
	asked uint32 // dwords of what it writes to registers
	// data are the dwords of what a lane stores that matter: bit of the element, shifted by
	// the dwords of one.
	data uint32
}

// written finds the needs that the registers which x writes meet.
func (s *slicer) written(x *event, at uint64, hit *hits) {
	number := 0
	for i, effects := 0, s.rec.effectsOf(x); i < len(effects); i++ {
		f := &effects[i]
		if !f.Write {
			continue
		}
		first, n := registers.Span(f)
		lanes := s.lanesOf(x, f)
		for k := range n {
			key := regKey{x.wave, first + reg(k)}
			if all, ok := s.regs[key]; ok {
				if f.Lanes == isa.ActiveLanes {
					s.keeps(all, lanes, at)
				}
				all = hit.meet(all, lanes, f.Bytes, number, 32*(k&1))
				if s.regs[key] = all; len(all) == 0 {
					delete(s.regs, key)
				}
			}
			number++
		}
	}
}

// goesPast notes that instruction number n, if it is a branch that was taken, goes past instructions that write what
// was asked for.
func (s *slicer) goesPast(x *event, n uint64) {
	at := s.rec.sites.all[x.site]
	if to, ok := at.inst.BranchTarget(at.pc); !ok || to != s.next[x.wave] {
		return
	}
	for _, r := range at.skips() {
		if all, ok := s.regs[regKey{x.wave, r}]; ok {
			s.keeps(all, 0, n)
		}
	}
}

// keeps notes that instruction number n writes what was asked for in lanes, but not in others.
func (s *slicer) keeps(all []need, lanes, n uint64) {
	for i := range all {
		if left := all[i].lanes &^ lanes; left != 0 {
			by := &s.nodes[all[i].by]
			if !slices.ContainsFunc(by.kept, func(k kept) bool { return k.reg == all[i].reg }) {
				by.kept = append(by.kept, kept{all[i].reg, n, simd.FirstLane(left)})
			}
		}
	}
}

// meet takes from all the needs of a register that is written in lanes and bytes. Its bits are those of a lane mask
// from bit first on.
func (hit *hits) meet(all []need, lanes uint64, bytes uint8, number, first int) (left []need) {
	for _, n := range all {
		both := n.lanes & lanes
		if both == 0 || n.bytes&bytes == 0 {
			left = append(left, n)
			continue
		}
		hit.by = append(hit.by, n)
		if n.mask {
			hit.bits |= both << first
		} else {
			hit.lanes |= both
		}
		hit.asked |= 1 << min(number, 31)
		if rest := n.lanes &^ lanes; rest != 0 {
			left = append(left, n.of(rest, n.bytes))
		}
		if rest := n.bytes &^ bytes; rest != 0 {
			left = append(left, n.of(both, rest))
		}
	}
	return left
}

// lanesOf returns the lanes in which f of x reads or writes.
func (s *slicer) lanesOf(x *event, f *isa.Effect) uint64 {
	switch f.Lanes {
	case isa.ActiveLanes:
		return x.exec
	case isa.MovedLanes:
		return s.rec.fetched(x, x.exec)
	case isa.FirstLane:
		return 1 << simd.FirstLane(x.exec)
	case isa.SelectLane:
		return 1 << x.selected
	}
	return ^uint64(0)
}

// reads asks for what node me, instruction x, reads.
func (s *slicer) reads(x *event, me int, hit *hits) {
	site := s.rec.sites.all[x.site]
	row := site.inst.Row()
	var a *access
	if x.access != 0 {
		a = &s.rec.accesses[x.access-1]
	}
	effects := s.rec.effectsOf(x)
	vector := row.Enc >= isa.VOP1 && row.Enc != isa.SMEM
	lanes, off := hit.lanes, false
	switch role, scalar := s.scalarAsked(effects, hit); {
	case !vector:
	case scalar && hit.lanes == 0 && (role == isa.RoleMask || role == isa.RoleExec): // each lane makes a bit
		lanes = hit.bits
	case scalar: // all lanes make it
		lanes = x.exec
	default:
		off = lanes&x.exec == 0
	}
	// The instructions that save EXEC make what is saved of EXEC alone: of the first two dwords that they write.
	saved := row.Has(isa.SavesEXEC) && hit.asked&^3 == 0
	data := 0 // dwords of stored data so far
	for i := range effects {
		f := &effects[i]
		if f.Write || aside(f) && f.Role != isa.RoleExec && (f.Role != isa.RoleLimit || !a.outside(lanes)) ||
			off && f.Role != isa.RoleExec || saved && f.Named || s.copies && f.Role != isa.RoleData {
			continue
		}
		first, n := registers.Span(f)
		mask := s.lanesRead(x, row, f, lanes)
		bits := hit.maskRead(row, f, vector, lanes)
		storing := f.Role == isa.RoleData && f.Named && hit.data != 0 && storesDwords(a, row)
		for k := range n {
			if storing && hit.data>>min(data, 31)&1 == 0 {
				data++
				continue
			}
			if storing {
				data++
			}
			key := regKey{x.wave, first + reg(k)}
			want := need{by: me, lanes: mask, bytes: f.Bytes, role: f.Role, reg: key.reg}
			if bits != 0 {
				want.lanes, want.mask = bits>>(32*(k&1))&math.MaxUint32, true
			}
			if want.lanes != 0 {
				s.regs[key] = append(s.regs[key], want)
			}
		}
	}
	if a != nil {
		s.readsMemory(x, a, me, lanes, hit)
	}
}

// lanesRead returns the lanes in which x, an instruction of that row, reads the registers of f to make
// what was asked of lanes.
func (s *slicer) lanesRead(x *event, row *isa.Row, f *isa.Effect, lanes uint64) uint64 {
	switch {
	case f.File != isa.VReg:
		return ^uint64(0)
	case f.Lanes == isa.ActiveLanes && x.moved != 0 && row.Mem.Move == isa.PushesLanes, f.Lanes == isa.MovedLanes:
		return s.rec.fetched(x, lanes)
	case f.Lanes == isa.ActiveLanes:
		return lanes & x.exec
	}
	return s.lanesOf(x, f)
}

// storesDwords reports whether a stores dwords of registers as they are, by an instruction of that row. a is
// nil if the instruction accesses no memory.
func storesDwords(a *access, row *isa.Row) bool {
	return a != nil && a.op == gcn.Store && a.transfer == gcn.NoMem && !row.Mem.Format && row.Enc != isa.MIMG
}

// scalarAsked reports whether what was asked of an instruction is a register without lanes, and its role.
func (s *slicer) scalarAsked(effects []isa.Effect, hit *hits) (role isa.Role, ok bool) {
	number := 0
	for i := range effects {
		f := &effects[i]
		if !f.Write {
			continue
		}
		_, n := registers.Span(f)
		for range n {
			if hit.asked>>min(number, 31)&1 != 0 && f.File != isa.VReg {
				return f.Role, true
			}
			number++
		}
	}
	return 0, false
}

// maskRead returns the bits of a lane mask that an instruction reads with f, to make what was asked of lanes by a
// vector instruction, of bits by a scalar one. It returns 0 if f is no lane mask.
func (hit *hits) maskRead(row *isa.Row, f *isa.Effect, vector bool, lanes uint64) uint64 {
	switch {
	case vector && (f.Role == isa.RoleExec || f.Role == isa.RoleMask):
		return lanes
	case !vector && f.File == isa.FlagReg && (f.Code == uint16(isa.FlagEXECZ) || f.Code == uint16(isa.FlagVCCZ)):
		return hit.lanes
	case vector || f.File != isa.SReg || hit.lanes != 0:
		return 0
	}
	switch flow := row.Flow[0]; flow {
	case isa.FlowCopy, isa.FlowSelect, isa.FlowXor, isa.FlowAnd, isa.FlowAndNot, isa.FlowNotAnd, isa.FlowOr, isa.FlowOrNot,
		isa.FlowNotOr:
		return hit.bits
	}
	return 0
}
