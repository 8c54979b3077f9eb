package timing

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
)

// pieces are the pieces of straight-line code of a program that execute without an event for each instruction, since
// the run notes what they access: see [sim.Needs].Skip. By the dword that a piece begins at it has how many dwords the
// piece has, plus one, or 0 if that is not known.
type pieces []uint16

// A piece has at most so many instructions and accesses.
const (
	maxPiece         = 256
	maxPieceAccesses = 64
)

// skip is [sim.Needs].Skip: it returns how many bytes the piece has that begins at e.PC.
func (m *Model) skip(e *sim.Event, accesses bool) (bytes uint64) {
	if !accesses || m.rec.err != nil {
		return 0
	}
	r := m.rec
	r.piece, r.exec = e.PC, e.Wave.Exec()
	return r.pieceAt(e.Program, e.PC)
}

// pieceAt returns how many bytes the piece of p has that begins at pc.
func (r *recorder) pieceAt(p *sim.Program, pc uint64) (bytes uint64) {
	if r.program != p {
		all, ok := r.pieces[p]
		if !ok {
			n := (p.End - p.Base) / 4
			all = make(pieces, n)
			r.budget.take(uintptr(2*n) + mapBytes)
			r.pieces[p] = all
		}
		r.program, r.piecesOf = p, all
	}
	at := &r.piecesOf[(pc-p.Base)/4]
	if *at == 0 {
		*at = 1 + r.measure(p, pc)
	}
	return 4 * uint64(*at-1)
}

// measure returns how many dwords the piece of p has that begins at pc.
func (r *recorder) measure(p *sim.Program, pc uint64) (dwords uint16) {
	accesses, changed := 0, false // EXEC: all instructions of the vector ALU have the same
	for range maxPiece {
		in, ok := p.Inst(pc)
		if !ok || !mayPass(&in) || changed && registers.VALU(&in) {
			break
		}
		if in.Row().Mem.Op != gcn.NoMem {
			if accesses++; accesses > maxPieceAccesses {
				break
			}
		}
		dwords += uint16(in.Size / 4)
		pc += uint64(in.Size)
		if changed = changed || writesEXEC(&in); in.Row().Has(gcn.Branch) {
			break
		}
	}
	return dwords
}

// mayPass reports whether in may be part of a piece: arithmetic, waits and branches, and those loads and stores whose
// time depends on their addresses alone.
func mayPass(in *gcn.Inst) bool {
	r := in.Row()
	switch r.Control {
	case gcn.NoControl, gcn.Waits, gcn.Idles:
	case gcn.GoesAway:
		if !r.Has(gcn.Branch) {
			return false
		}
	default:
		return false
	}
	if r.Has(gcn.Jumps) || r.Imm == gcn.HwregImm || r.Imm == gcn.IndexImm {
		return false
	}
	switch r.Enc {
	case gcn.FLAT, gcn.GLOBAL, gcn.DS, gcn.SMEM:
		return (r.Mem.Op == gcn.Load || r.Mem.Op == gcn.Store) && registers.Transfer(in) == gcn.NoMem && !in.Bool(gcn.GDS)
	case gcn.SOPP, gcn.SOPK, gcn.SOP1, gcn.SOP2, gcn.SOPC:
		return true
	}
	return registers.VALU(in) && r.Mem.Op == gcn.NoMem
}

// writesEXEC reports whether in writes EXEC.
func writesEXEC(in *gcn.Inst) bool {
	var buf [16]gcn.Effect
	for _, f := range in.Effects(buf[:0]) {
		if first, n := registers.Span(&f); f.Write && first < registers.EXEC+2 && first+registers.Reg(n) > registers.EXEC {
			return true
		}
	}
	return false
}

// skipped is [sim.Needs].Skipped: it appends what has executed of a piece to the stream of its wave.
func (m *Model) skipped(e *sim.Event, n uint64, next func(record bool) bool) {
	if m.rec.err != nil {
		return
	}
	g, r := m.group(e.Wave), m.rec
	g.lds = len(e.LDS)
	s := g.stream(e.Wave, r.budget)
	s.exec = r.exec
	pc := r.piece
	for next(true) {
		executed, _ := r.pass(s, e.Program, pc, e.PC, n)
		op := r.static(e.Inst, e.PC)
		r.ops[op].from = e.Program
		s.add(r.pool, op)
		r.access(s, &r.ops[op], e)
		n -= executed + 1
		pc = e.PC + uint64(e.Inst.Size)
	}
	_, end := r.pass(s, e.Program, pc, math.MaxUint64, n)
	s.open.taken = e.Wave.PC != end
	s.exec = e.Wave.Exec()
	if r.budget.held > r.room {
		m.crowded(g, s)
	}
}

// pass appends the instructions of p from pc to end, at most so many. It returns how many they are and where they end.
func (r *recorder) pass(s *stream, p *sim.Program, pc, end, most uint64) (executed, at uint64) {
	turns := uint64(0)
	for n := r.recent[pc/4%recentOps]; pc != end && executed < most; n++ {
		if int(n) >= len(r.ops) || r.ops[n].pc != pc || r.ops[n].from != p {
			in, _ := p.Inst(pc)
			n = r.static(&in, pc)
			r.ops[n].from = p
		}
		op := &r.ops[n]
		s.add(r.pool, n)
		turns += op.valuTurns()
		pc += uint64(op.in.Size)
		executed++
	}
	r.threads += uint64(bits.OnesCount64(s.exec)) * turns
	return executed, pc
}
