package timing

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/lds"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// recorder converts events to streams.
type recorder struct {
	*pool
	p      *Params
	ops    []static
	byPC   map[uint64]uint32
	recent [recentOps]uint32 // numbers of recent instructions, indexed by low bits of the PC
	seen   lineSet
	runs   []run // runs of lines that the current access touches

	pieces   map[*sim.Program]pieces
	program  *sim.Program // program of the latest piece
	piecesOf pieces       // pieces of that program
	piece    uint64       // PC of the piece that executes
	exec     uint64       // EXEC at the beginning of the piece, later at its end
	// PC from which on EXEC has its value at the end; MaxUint64 if it does not change, or no piece executes
	change uint64

	threads uint64 // SQ_THREAD_CYCLES_VALU
	gds     bool   // an instruction uses GDS
	err     error  // after an error nothing is recorded
}

// recentOps is the number of instructions that are found without a map look-up, enough for a loop.
const recentOps = 256

// static returns the number of instruction in at pc.
func (r *recorder) static(in *isa.Inst, pc uint64) uint32 {
	guess := &r.recent[pc/4%recentOps]
	if int(*guess) < len(r.ops) && r.ops[*guess].is(in, pc) {
		return *guess
	}
	n, ok := r.byPC[pc]
	if !ok || !r.ops[n].is(in, pc) { // a later dispatch may have other code at this address
		n = uint32(len(r.ops))
		r.ops = append(r.ops, newStatic(r.p, in, pc))
		r.gds = r.gds || r.ops[n].classCounter == sqInstsGds
		r.budget.take(opBytes)
		r.byPC[pc] = n
	}
	*guess = n
	return n
}

// is reports whether s describes in at pc.
func (s *static) is(in *isa.Inst, pc uint64) bool { return s.pc == pc && s.in.Words == in.Words }

// add appends the executed instruction to s.
func (r *recorder) add(s *stream, e *sim.Event) {
	r.pass(s, e.Program, e.PC-e.Before, e.PC, math.MaxUint64)
	n := r.static((*isa.Inst)(e.Inst), e.PC)
	op := &r.ops[n]
	if op.from != e.Program {
		op.from = e.Program
	}
	if s.ahead {
		s.ahead = false
		return
	}
	s.add(r.pool, n)
	r.threads += uint64(bits.OnesCount64(s.exec)) * op.valuCycleGroups()
	s.exec, s.ended = e.Wave.Exec(), e.Wave.Ended
	switch {
	case e.Wave.PC != e.PC+uint64(op.in.Size):
		s.open.taken = true
	case op.accesses():
		r.access(s, op, e)
	}
}

// valuCycleGroups returns the number of cycle groups of the vector ALU that s takes.
func (s *static) valuCycleGroups() uint64 {
	if s.port != portVALU {
		return 0
	}
	return uint64(s.issue+cycleGroup-1) / cycleGroup
}

// accesses reports whether a stream has an access for each execution of s.
func (s *static) accesses() bool {
	return s.kind == kindVMEM || s.kind == kindDS || s.kind == kindSMEM
}

// opBytes is the memory for an instruction of the program in recorder.ops, which may have grown to twice the
// necessary size, byPC, Model.perOp and the result.
const opBytes = 2*unsafe.Sizeof(static{}) + 32 + 2*unsafe.Sizeof(opTimes{}) + 2*unsafe.Sizeof(InstTimes{})

// access appends the access of op to the stream.
func (r *recorder) access(s *stream, op *static, e *sim.Event) {
	a, out := e.Access, access{}
	r.runs = r.runs[:0]
	r.seen.reset()
	switch {
	case op.kind == kindDS:
		if a.Op != gcn.NoMem {
			out.conflict, out.same = op.conflicts(r.budget, a)
		}
	case a.Op == gcn.NoMem || a.Exec == 0:
	case op.kind == kindSMEM:
		r.span(a.Addr[0], uint64(a.Elem)*uint64(a.Count))
	default:
		out.unit = uint16(addressClocks(r.p, op, e))
		memory := a.Exec &^ a.LDSLanes
		r.lanes(a, memory)
		if op.atomic {
			out.same = uint8(crowd(&a.Addr, memory&^a.Out[0], LineBytes))
		}
		switch {
		case op.ldsSide != 0:
			out.lds = op.ldsSide
		case a.LDSLanes != 0:
			out.lds = uint8(ldsClocks(a))
		}
	}
	out.lines = uint16(r.seen.n)
	s.addAccess(r.pool, op, &out, r.runs)
}

// lanes adds the lines that the lanes of mask access; elements out of range access none.
func (r *recorder) lanes(a *state.Access, mask uint64) {
	if !a.Split && a.Out == ([4]uint64{}) {
		size := uint64(a.Elem) * uint64(a.Count)
		if a.Dense && mask == state.FullExec {
			r.span(a.Addr[0], 4*(state.NumLanes-1)+size)
			return
		}
		for m := mask; m != 0; m &= m - 1 {
			r.span(a.Addr[bits.TrailingZeros64(m)&63], size)
		}
		return
	}
	for i := range int(a.Count) {
		for m := mask &^ a.Out[min(i, 3)]; m != 0; m &= m - 1 {
			r.span(a.At(min(i, 3), bits.TrailingZeros64(m)&63), uint64(a.Elem))
		}
	}
}

// span adds the lines of size bytes at addr that the access does not have yet.
func (r *recorder) span(addr, size uint64) {
	if size == 0 {
		return
	}
	addr &= 1<<48 - 1
	for line := addr / LineBytes; line <= (addr+size-1)/LineBytes; line++ {
		if r.seen.add(line) {
			r.add1(line)
		}
	}
}

// add1 adds a line to the runs of the access.
func (r *recorder) add1(line uint64) {
	if n := len(r.runs) - 1; n >= 0 && r.runs[n].first+r.runs[n].count == line {
		r.runs[n].count++
		return
	}
	r.runs = append(r.runs, run{line, 1})
}

// lineSet is the set of lines of one access, which has at most 64 lanes with 4 elements that each lie in two lines.
type lineSet struct {
	slots [1024]uint64 // line and number of its access
	of    uint16       // number of the current access, not 0
	n     int
	last  uint64 // the latest line
}

// add adds line and reports whether it is new.
func (s *lineSet) add(line uint64) bool {
	if line == s.last && s.n > 0 {
		return false
	}
	s.last = line
	key := line<<16 | uint64(s.of)
	for i := line * 0x9e3779b97f4a7c15 >> 54; ; i = (i + 1) % uint64(len(s.slots)) {
		switch slot := s.slots[i]; {
		case slot == key:
			return false
		case uint16(slot) != s.of:
			s.slots[i] = key
			s.n++
			return true
		}
	}
}

// reset empties the set for the next access.
func (s *lineSet) reset() {
	s.n = 0
	if s.of++; s.of == 0 {
		clear(s.slots[:])
		s.of = 1
	}
}

// banked is the access of a DS instruction, together with its conflicts.
type banked struct {
	masks       [2]uint64 // masks of the lanes at addr and at more
	addr, more  [state.NumLanes]uint64
	banks, same uint8
}

// conflicts returns the clocks that bank conflicts add to a DS instruction, and the number of lanes of an atomic that
// wait in a phase for another lane on their dword. Two adjacent elements count as one of twice the size, as in
// published figures (rule CY11). In a loop, lanes often have the same addresses as before; then the previous result
// is returned.
func (s *static) conflicts(b *budget, a *state.Access) (banks, same uint8) {
	size, pair := elementsOf(a)
	if size == 0 || a.Dense && size == 4 && !pair && a.Exec == state.FullExec { // 64 consecutive dwords
		return 0, 0
	}
	was, masks := s.banked, [2]uint64{a.Exec &^ a.Out[0]}
	if pair {
		masks[1] = a.Exec &^ a.Out[1]
	}
	switch {
	case was == nil:
		was = new(banked)
		s.banked = was
		b.take(unsafe.Sizeof(*was))
	case was.masks == masks && was.addr == a.Addr && (!pair || was.more == a.More[0]):
		return was.banks, was.same
	}
	was.masks, was.addr, was.banks, was.same = masks, a.Addr, 0, 0
	was.add(a.Op, &a.Addr, masks[0], size)
	if pair {
		was.more = a.More[0]
		was.add(a.Op, &a.More[0], masks[1], size)
	}
	return was.banks, was.same
}

// add adds the cost of the lanes of mask, which access size bytes each.
func (b *banked) add(op gcn.MemOp, addr *[state.NumLanes]uint64, mask uint64, size int) {
	use := ldsBanks(addr, mask, size, op == gcn.Store)
	b.banks += uint8(extra(&use))
	if op == gcn.Atomic {
		for _, lanes := range use.Phases {
			b.same += uint8(crowd(addr, mask&lanes, 0))
		}
	}
}

// elementsOf returns the bytes that each lane accesses at one address of a DS instruction, 0 if banks are not
// involved. pair is set if there are two separate addresses.
func elementsOf(a *state.Access) (size int, pair bool) {
	size = int(a.Elem) * int(a.Count)
	if pair = a.Split && !adjacent(a); pair {
		size = int(a.Elem)
	}
	if size > 16 {
		return 0, false
	}
	return size, pair
}

// ldsBanks does what lds.Banks does, with 96-bit loads in groups of consecutive lanes, as for 96-bit stores. In the
// groups of 128-bit loads linear data would conflict, which no figure shows.
func ldsBanks(addr *[state.NumLanes]uint64, mask uint64, size int, store bool) lds.BankUse {
	return lds.Banks(addr, mask, size, store || size == 12)
}

// adjacent reports whether the second element of every lane directly follows its first one.
func adjacent(a *state.Access) bool {
	if a.Out[0] != a.Out[1] {
		return false
	}
	for m := a.Exec &^ a.Out[0]; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		if a.More[0][lane] != a.Addr[lane]+uint64(a.Elem) {
			return false
		}
	}
	return true
}

// crowd returns the number of lanes of mask whose address another lane has already, in each block of bytes on the
// address with the most. block 0 means that all lanes on all addresses count.
func crowd(addr *[state.NumLanes]uint64, mask, block uint64) int {
	if block == 0 {
		block = math.MaxUint64
	}
	var lanes, most crowdSet // lanes on each address, and on the address with the most in each block
	total := 0
	for m := mask; m != 0; m &= m - 1 {
		at := addr[bits.TrailingZeros64(m)&63]
		n := lanes.of(at)
		if *n++; *n > 1 {
			if most := most.of(at / block); *n-1 > *most { // the count increased by one
				*most++
				total++
			}
		}
	}
	return total
}

// crowdSet maps up to 64 keys to counts.
type crowdSet struct {
	slots [2 * state.NumLanes]struct {
		key  uint64
		n    uint8
		used bool
	}
}

// of returns the count of a key, initially 0.
func (s *crowdSet) of(key uint64) *uint8 {
	for i := key * 0x9e3779b97f4a7c15 >> 57; ; i = (i + 1) % uint64(len(s.slots)) {
		slot := &s.slots[i]
		if !slot.used {
			slot.key, slot.used = key, true
		}
		if slot.key == key {
			return &slot.n
		}
	}
}

// extra returns the cycles that conflicts add: a phase with active lanes takes one cycle without conflicts.
func extra(u *lds.BankUse) int {
	n := 0
	for _, d := range u.Degree[:len(u.Phases)] {
		n += max(d-1, 0)
	}
	return n
}

// ldsClocks returns the LDS clocks of the lanes of a FLAT access in LDS, those of a DS instruction with the same
// shape (assumed).
func ldsClocks(a *state.Access) int {
	size := int(a.Elem) * int(a.Count)
	u := ldsBanks(&a.Addr, a.LDSLanes&^a.Out[0], min(max(size, 1), 16), a.Op == gcn.Store)
	return int(dsCosts[dsShape{a.Op, false, uint8(size)}].unit) + extra(&u)
}
