package timing

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/sim"
)

// pieces are the pieces of straight-line code of a program that execute without an event for each instruction,
// because the run traces their accesses: see [unseen.Needs].Skip. The index is the dword at which a piece begins.
type pieces []piece

// piece continues behind conditional forward branches as if they were not taken. If one is taken, the piece ends
// there.
type piece struct {
	known  bool
	dwords uint16
	exec   uint16 // the dword after the last instruction that writes EXEC; 0 if there is none
}

// Largest numbers of instructions and accesses in a piece.
const (
	maxPiece         = 256
	maxPieceAccesses = 64
)

// skip implements [unseen.Needs].Skip: it returns the size in bytes of the piece that begins at e.PC.
func (m *Model) skip(e *sim.Event, accesses bool) (a unseen.Ahead) {
	if !accesses || m.rec.err != nil {
		return a
	}
	r := m.rec
	p := r.pieceAt(e.Program, e.PC)
	r.piece, r.exec, r.change = e.PC, e.Wave.Exec(), math.MaxUint64
	if p.exec != 0 {
		r.change = e.PC + 4*uint64(p.exec)
	}
	return unseen.Ahead{Bytes: 4 * uint64(p.dwords)}
}

// pieceAt returns the piece of p at pc, measuring it at the first call.
func (r *recorder) pieceAt(p *sim.Program, pc uint64) piece {
	if r.program != p {
		all, ok := r.pieces[p]
		if !ok {
			n := (p.End - p.Base) / 4
			all = make(pieces, n)
			r.budget.take(uintptr(n)*unsafe.Sizeof(piece{}) + mapBytes)
			r.pieces[p] = all
		}
		r.program, r.piecesOf = p, all
	}
	at := &r.piecesOf[(pc-p.Base)/4]
	if !at.known {
		*at = measure(p, pc)
	}
	return *at
}

// measure returns the piece of p that begins at pc.
func measure(p *sim.Program, pc uint64) (made piece) {
	made.known = true
	// the vector ALU executes under EXEC as it is at the end of the piece, else as at its beginning
	accesses, later := 0, false
	for range maxPiece {
		in, ok := p.Inst(pc)
		if !ok || !mayPass((*isa.Inst)(&in)) {
			break
		}
		later = later || made.exec != 0 && registers.IsGPRIndexed((*isa.Inst)(&in))
		writes := writesEXEC((*isa.Inst)(&in))
		if later && writes {
			break
		}
		if isa.Inst(in).Row().Mem.Op != gcn.NoMem {
			if accesses++; accesses > maxPieceAccesses {
				break
			}
		}
		made.dwords += uint16(in.Size / 4)
		if writes {
			made.exec = made.dwords
		}
		if isa.Inst(in).Row().Has(isa.Branch) && !mayFallThrough((*isa.Inst)(&in), pc) {
			break
		}
		pc += uint64(in.Size)
	}
	return made
}

// mayFallThrough reports whether in, at pc, is a conditional forward branch.
func mayFallThrough(in *isa.Inst, pc uint64) bool {
	var buf [16]isa.Effect
	to, ok := in.BranchTarget(pc)
	return ok && to > pc && slices.ContainsFunc(in.Effects(buf[:0]), func(f isa.Effect) bool { return !f.Write })
}

// mayPass reports whether in may be part of a piece: arithmetic, waits and branches, and loads and stores whose time
// depends only on their addresses.
func mayPass(in *isa.Inst) bool {
	r := in.Row()
	switch r.Control {
	case isa.NoControl, isa.Waits, isa.Idles:
	case isa.GoesAway:
		if !r.Has(isa.Branch) {
			return false
		}
	default:
		return false
	}
	if r.Has(isa.Jumps) || r.Imm == isa.HwregImm || r.Imm == isa.IndexImm {
		return false
	}
	switch r.Enc {
	case isa.FLAT, isa.GLOBAL, isa.DS, isa.SMEM:
		return (r.Mem.Op == gcn.Load || r.Mem.Op == gcn.Store) && registers.Transfer(in) == gcn.NoMem && !in.Bool(isa.GDS)
	case isa.SOPP, isa.SOPK, isa.SOP1, isa.SOP2, isa.SOPC:
		return true
	}
	return registers.IsGPRIndexed(in) && r.Mem.Op == gcn.NoMem
}

// writesEXEC reports whether in writes EXEC.
func writesEXEC(in *isa.Inst) bool {
	var buf [16]isa.Effect
	for _, f := range in.Effects(buf[:0]) {
		if first, n := registers.Span(&f); f.Write && first < registers.EXEC+2 && first+registers.Reg(n) > registers.EXEC {
			return true
		}
	}
	return false
}

// skipped implements [unseen.Needs].Skipped: it appends the executed part of a piece to the stream of its wave.
func (m *Model) skipped(e *sim.Event, n uint64, trace unseen.Trace) {
	if m.rec.err != nil {
		return
	}
	g, r := m.group(e.Wave), m.rec
	g.lds = len(e.LDS)
	s := g.stream(e.Wave, r.budget)
	s.exec, r.exec = r.exec, e.Wave.Exec()
	pc := r.piece
	for trace.Next(0, true) {
		executed, _ := r.pass(s, e.Program, pc, e.PC, n)
		op := r.static((*isa.Inst)(e.Inst), e.PC)
		r.ops[op].from = e.Program
		s.add(r.pool, op)
		r.access(s, &r.ops[op], e)
		n -= executed + 1
		pc = e.PC + uint64(e.Inst.Size)
	}
	_, end := r.pass(s, e.Program, pc, math.MaxUint64, n)
	s.open.taken = e.Wave.PC != end
	s.exec, r.change = r.exec, math.MaxUint64
	if r.budget.held > r.room {
		m.crowded(g, s)
	}
}

// pass appends the instructions of p from pc to end, at most most of them. It returns their number and the address
// after them.
func (r *recorder) pass(s *stream, p *sim.Program, pc, end, most uint64) (executed, at uint64) {
	cycleGroups := uint64(0)
	for n := r.recent[pc/4%recentOps]; pc != end && executed < most; n++ {
		if pc >= r.change {
			r.threads += uint64(bits.OnesCount64(s.exec)) * cycleGroups
			s.exec, r.change, cycleGroups = r.exec, math.MaxUint64, 0
		}
		if int(n) >= len(r.ops) || r.ops[n].pc != pc || r.ops[n].from != p {
			in, _ := p.Inst(pc)
			n = r.static((*isa.Inst)(&in), pc)
			r.ops[n].from = p
		}
		op := &r.ops[n]
		s.add(r.pool, n)
		cycleGroups += op.valuCycleGroups()
		pc += uint64(op.in.Size)
		executed++
	}
	r.threads += uint64(bits.OnesCount64(s.exec)) * cycleGroups
	return executed, pc
}
