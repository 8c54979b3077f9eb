package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
)

// maxPoll limits the instructions of a loop that polls.
const maxPoll = 256

// loop is the code between the target of a backward branch and that branch.
type loop struct {
	head, end uint64 // PCs of the first and the last instruction
	body      []placed
}

// placed is an instruction with its PC and the registers that it reads and writes.
type placed struct {
	at            uint64
	in            isa.Inst
	reads, writes regset
	to            uint64 // target of a branch
	branches      bool
}

// polls reports whether the instruction at pc loads a flag from LDS, either in a polling loop or before one (rule
// RC6).
func polls(p *sim.Program, pc uint64, in *isa.Inst) bool {
	if in.Enc != isa.DS || in.Bool(isa.GDS) || in.Row().Mem.Op != gcn.Load {
		return false
	}
	return pollsInLoop(p, pc) || looksFirst(p, pc, in)
}

// maxFirst limits the instructions between a first load of a flag and the loop that loads it again.
const maxFirst = 16

// looksFirst reports whether the load at pc loads a flag before a loop polls it: the same load follows in such a
// loop, and a branch that depends on the first load skips the loop.
func looksFirst(p *sim.Program, pc uint64, in *isa.Inst) bool {
	load := instAt(pc, *in)
	if _, overwrites := load.writes.first(&load.reads); overwrites {
		return false
	}
	tainted, skipsTo := load.writes, uint64(0)
	at := pc + uint64(in.Size)
	for range maxFirst {
		next, ok := p.Inst(at)
		if !ok || isa.Inst(next).Row().Control == isa.Ends || isa.Inst(next).Row().Control == isa.Barrier {
			return false
		}
		if next.Words == in.Words {
			l, ok := loopAround(p, at)
			return ok && skipsTo > l.end && pollsInLoop(p, at)
		}
		x := instAt(at, isa.Inst(next))
		if x.writesVGPRs(&load) {
			return false
		}
		_, taken := x.reads.first(&tainted)
		switch {
		case x.branches && (!taken || x.to <= at):
			return false
		case x.branches:
			skipsTo = x.to
		case taken:
			tainted.union(&x.writes)
		}
		at += uint64(next.Size)
	}
	return false
}

// pollsInLoop reports whether the load at pc is in a loop without a barrier, always loads from the same address, and
// decides whether the loop continues.
func pollsInLoop(p *sim.Program, pc uint64) bool {
	l, ok := loopAround(p, pc)
	if !ok {
		return false
	}
	load := 0
	var written regset
	for i := range l.body {
		if l.body[i].at == pc {
			load = i
		}
		written.union(&l.body[i].writes)
	}
	return l.loadsOnePlace(load, &written) && l.dependsOn(load)
}

// loopAround returns the innermost loop, by addresses, that contains pc. ok is false if there is none or if it has a
// barrier.
func loopAround(p *sim.Program, pc uint64) (l loop, ok bool) {
	end := pc
	for n := 0; ; n++ {
		in, ok := p.Inst(end)
		if !ok || n == maxPoll || isa.Inst(in).Row().Control == isa.Ends {
			return l, false
		}
		if to, branches := isa.Inst(in).BranchTarget(end); branches && to <= pc {
			l.head, l.end = to, end
			break
		}
		end += uint64(in.Size)
	}
	for at := l.head; at <= l.end; {
		in, ok := p.Inst(at)
		if !ok || len(l.body) == maxPoll || isa.Inst(in).Row().Control == isa.Barrier {
			return l, false
		}
		l.body = append(l.body, instAt(at, isa.Inst(in)))
		at += uint64(in.Size)
	}
	return l, true
}

// instAt returns an instruction with the registers that it reads and writes. EXEC is only included for branches.
func instAt(at uint64, in isa.Inst) placed {
	x := placed{at: at, in: in}
	x.to, x.branches = in.BranchTarget(at)
	for r, f := range eachRegister(in.Effects(nil)) {
		switch {
		case f.Write:
			x.writes.add(r)
		case f.Role == isa.RoleExec:
		case f.File == isa.FlagReg && isa.Flag(f.Code) == isa.FlagVCCZ:
			x.reads.add(registers.VCC)
			x.reads.add(registers.VCC + 1)
		case f.File == isa.FlagReg && isa.Flag(f.Code) == isa.FlagEXECZ:
			x.reads.add(registers.EXEC)
			x.reads.add(registers.EXEC + 1)
		default:
			x.reads.add(r)
		}
	}
	return x
}

// loadsOnePlace reports whether a load always has the same address: no instruction in the loop writes its address
// register, or only to values that do not depend on the loop.
func (l *loop) loadsOnePlace(load int, written *regset) bool {
	reads := l.body[load].reads
	again := false
	for i := range l.body {
		x := &l.body[i]
		if _, ok := x.writes.first(&reads); !ok || i == load {
			continue
		}
		if _, ok := x.reads.first(written); ok {
			return false
		}
		again = true
	}
	_, overwrites := l.body[load].writes.first(&reads)
	return again || !overwrites
}

// dependsOn reports whether a branch that leaves or ends the loop depends on a load's result. It follows one
// iteration.
func (l *loop) dependsOn(load int) bool {
	tainted := l.body[load].writes
	for n := 1; n < len(l.body); n++ {
		x := &l.body[(load+n)%len(l.body)]
		_, taken := x.reads.first(&tainted)
		if taken && x.branches && (x.at == l.end || x.to < l.head || x.to > l.end) {
			return true
		}
		if taken && x.in.Row().Mem.Op == gcn.NoMem { // a loaded value does not count as dependent
			tainted.union(&x.writes)
		} else {
			tainted.remove(&x.writes)
		}
	}
	return false
}

// writesVGPRs reports whether x writes an address register of load.
func (x *placed) writesVGPRs(load *placed) bool {
	for r, f := range eachRegister(load.in.Effects(nil)) {
		if !f.Write && f.File == isa.VReg && x.writes.has(r) {
			return true
		}
	}
	return false
}
