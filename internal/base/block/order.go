//go:build linux && amd64 && !purego

package block

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// codes is a set of scalar registers by operand code, and SCC.
type codes [5]uint64

// scc is the bit of SCC in a set.
const scc = isa.NumScalarCodes + 1

func (c *codes) add(code, n uint32) {
	for i := code; i < code+n; i++ {
		c[i/64] |= 1 << (i % 64)
	}
}

func (c *codes) join(d codes) {
	for i := range c {
		c[i] |= d[i]
	}
}

func (c *codes) meets(d codes) (some bool) {
	for i := range c {
		some = some || c[i]&d[i] != 0
	}
	return some
}

// uses holds the scalar registers that instructions read, and those that they write.
type uses struct{ reads, writes codes }

func (u *uses) join(v uses) {
	u.reads.join(v.reads)
	u.writes.join(v.writes)
}

// clashes reports whether the order of instructions with uses u and v matters.
func (u *uses) clashes(v uses) bool {
	return u.writes.meets(v.reads) || u.writes.meets(v.writes) || u.reads.meets(v.writes)
}

// writesEXEC reports whether one of the instructions writes EXEC.
func (u *uses) writesEXEC() bool {
	var exec codes
	exec.add(gcn.EXEC, 2)
	return u.writes.meets(exec)
}

// uses returns the registers that a scalar instruction reads and writes.
func (s *Scalar) uses() (u uses) {
	if s.A.Kind == SGPR {
		u.reads.add(s.A.Code, 2)
	}
	if s.B.Kind == SGPR && !s.Op.unary() {
		u.reads.add(s.B.Code, 2)
	}
	if s.Op.readsSCC() {
		u.reads.add(scc, 1)
	}
	if s.Op.saves() {
		u.reads.add(gcn.EXEC, 2)
		u.writes.add(gcn.EXEC, 2)
	}
	if s.Op.SetsSCC() {
		u.writes.add(scc, 1)
	}
	switch {
	case s.Op.Compares():
	case s.Wide || s.Op.saves():
		u.writes.add(s.Dst, 2)
	default:
		u.writes.add(s.Dst, 1)
	}
	return u
}

// uses returns the registers that a vector instruction reads and writes.
func (v *Vector) uses() (u uses) {
	u.reads.add(gcn.EXEC, 2)
	for i := range v.N {
		if x := &v.Src[i]; x.Kind == SGPR {
			u.reads.add(x.Code, 1)
		}
	}
	if v.Load != nil && v.Load.ByM0 {
		u.reads.add(gcn.M0, 1)
	}
	if v.Masked {
		u.reads.add(v.MaskIn, 2)
	}
	if v.Gives {
		u.writes.add(v.MaskOut, 2)
	}
	if v.Exec {
		u.writes.add(gcn.EXEC, 2)
	}
	return u
}

// order decides when a scalar instruction between the vector instructions of a run executes: before or after the run,
// if that changes no result; otherwise the run ends there. If a run is found wrong, executors repeat it together with
// the scalar instructions before it, so executing these twice must have no effect.
type order struct {
	run, early, late uses
	after            []*Instr // instructions after the run, with counters
}

// takes reports whether v can join the run although it follows scalar instructions that are to execute after the run.
func (o *order) takes(v *Vector) bool { return !o.late.clashes(v.uses()) }

// isEarly reports whether s can be executed before the run. If so, it must be.
func (o *order) isEarly(s *Scalar) bool {
	u := s.uses()
	if o.run.clashes(u) || o.late.clashes(u) || u.writes.meets(u.reads) || u.writes.meets(o.early.reads) {
		return false
	}
	o.early.join(u)
	return true
}
