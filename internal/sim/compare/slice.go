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

// This file computes the backward slice of a store: the instructions that computed the stored value
// and its address, through registers, LDS and memory. It walks backward through recordings. Each
// recording has a bounded number of instructions and comes from another run of the program.

// node is an executed instruction that belongs to a slice.
type node struct {
	n     uint64 // number of the instruction in the run
	site  *site
	group [3]uint32
	wave  int
	exec  uint64 // EXEC before the instruction
	lanes uint64 // lanes whose values the slice needs
	mask  bool   // the slice needs bits of a lane mask that it wrote; lanes then holds these bits
	lane  int    // lane whose values the report shows
	asked uint32 // bit i: the slice needs dword i of the dwords that it writes
	in    []edge
	from  []origin
	// wrote has the dwords that the instruction wrote, found by another run. A scalar register is in lane 0.
	wrote  []dword
	stores bool        // wrote has the data and the address of a store
	to     state.Space // address space that it stored to
	read   []Operand
	ins    []regValue // registers that it read, in lane
	kept   []kept     // skipped instructions that would have overwritten the registers that it read
	index  uint64     // number of the instruction in the wave
	turn   uint32     // how often the wave had executed this site before

	agrees    bool
	overflows bool // a signed sum or product overflows 32 bits
	foreign   bool // it executed under an EXEC that the other program never had
}

// dword is one dword that a node wrote, in all lanes.
type dword struct {
	reg    reg
	lanes  state.Lanes
	scalar bool
}

// regValue is a register and the value that it held.
type regValue struct {
	reg   reg
	value uint32
}

// edge points from a node to the node that wrote one of its sources.
type edge struct {
	node int
	role isa.Role
	reg  reg // inMemory if the source is memory
}

// origin is a source of a node that no instruction of the run wrote: a register at the start of
// the wave, or memory.
type origin struct {
	reg   reg
	space state.Space
	addr  uint64
	lane  int // lane that reads the memory
	mem   bool
}

// need is a source of a node whose writer is not known yet.
type need struct {
	by    int    // index of the node that reads the source
	lanes uint64 // lanes of a VGPR, bits of a lane mask, all for other scalar registers, byte numbers for memory
	bytes uint8  // bytes of the register
	mask  bool   // the register is half of a lane mask
	role  isa.Role
	reg   reg // inMemory if the source is memory
	lane  int // the lane of node by that reads the memory
}

// of returns a copy of n that covers other lanes and bytes.
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

// slicer computes a slice.
type slicer struct {
	setup   Setup
	writers *shadow
	nodes   []node
	regs    map[regKey][]need
	mem     map[memKey][]need
	// earlier has the needs that instructions of earlier work-groups satisfy, by instruction number.
	earlier map[uint64][]stored
	begin   uint64 // first instruction of the current work-group
	cut     string // why the slice is incomplete, "" if it is complete
	rec     *recording
	next    [256]uint64      // PC after the current instruction, by wave
	window  uint64           // number of instructions per recording; 0 is defaultWindow
	copies  bool             // follow the sources only of instructions that copy or select them
	does    string           // what the work-item does with node 0 instead of the other program's store
	bySite  map[uint64][]int // nodes by PC; nil until the first lookup
	// masks has the values of EXEC in the recorded instructions, and the values of the slice's lane masks.
	masks map[maskKey]bool
}

// maskKey is a wave and one half of a lane mask.
type maskKey struct {
	id    waveID
	value uint32
}

// stored is a need of memory and the lane that wrote the memory. If root is set, the slice begins with the
// instruction itself, whatever the instruction stores.
type stored struct {
	lane int
	addr uint64
	need need
	root bool
}

// Upper bounds of a slice: instructions per recording, recordings, nodes.
const (
	defaultWindow = 1 << 20
	maxWindows    = 64
	maxNodes      = 1 << 16
)

// slice computes the slice of the byte at addr. The stamp by names the store that wrote the byte last; this store is
// node 0. If root is true, it computes the slice of the instruction itself, which may not have executed in the lane.
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

// pending reports whether the slice needs an instruction of the current work-group with a number
// below n.
func (s *slicer) pending(n uint64) bool {
	for number := range s.earlier {
		if number >= s.begin && number < n {
			return true
		}
	}
	return false
}

// begun turns the needs that no instruction of the work-group satisfies into origins.
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

// back walks the recording backward and adds the instructions that satisfy a need.
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

// hits are the needs that one instruction satisfies.
type hits struct {
	by    []need
	lanes uint64
	bits  uint64 // needed bits of a lane mask
	asked uint32 // bit i: dword i of the registers that it writes is needed
	// data has the needed dwords of a store's data: bit i is element i, shifted by the number of
	// dwords of an element.
	data uint32
}

// written finds the needs that x satisfies because x writes the registers.
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

// goesPast detects that instruction number n is a taken branch past instructions that write needed registers, and
// records this in the nodes that read the registers.
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

// keeps records that instruction number n writes a needed register, but not in all of the needed lanes.
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

// meet moves needs of a register from all to hit if the instruction writes one of their lanes and bytes, and returns
// the other needs. The register holds a lane mask from bit first on.
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

// lanesOf returns the lanes in which x reads or writes the registers of f.
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

// reads adds a need for each source that instruction x, node me, reads.
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
	case scalar && hit.lanes == 0 && (role == isa.RoleMask || role == isa.RoleExec): // each lane computes one bit
		lanes = hit.bits
	case scalar: // all lanes contribute
		lanes = x.exec
	default:
		off = lanes&x.exec == 0
	}
	// An instruction that saves EXEC computes the saved value, its first two dwords, from EXEC alone.
	saved := row.Has(isa.SavesEXEC) && hit.asked&^3 == 0
	data := 0 // dwords of store data before the current effect
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

// lanesRead returns the lanes in which x reads the registers of f to compute its result in lanes. row is
// the row of x.
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

// storesDwords reports whether access a stores dwords of registers unchanged. row is the row of the instruction.
// a is nil if the instruction accesses no memory.
func storesDwords(a *access, row *isa.Row) bool {
	return a != nil && a.op == gcn.Store && a.transfer == gcn.NoMem && !row.Mem.Format && row.Enc != isa.MIMG
}

// scalarAsked reports whether the needed result of an instruction is a scalar register, and returns its role.
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

// maskRead returns the bits of the lane mask f that an instruction reads to compute its needed result: the result in
// lanes for a vector instruction, the needed bits for a scalar one. It returns 0 if f is not a lane mask.
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
