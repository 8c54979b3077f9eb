package alu

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/simd"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// Most instructions have operands that are whole registers or constants, without modifiers.
// What follows executes those: it does what the functions of vector.go do, without what they
// leave open, and leaves GPR indexing to them.

// whole reports whether the operands of v are of 32 bits and as they are.
func (v *vop) whole() bool {
	return v.n > 0 && v.dpp == nil && v.out.plain && !v.wide &&
		!slices.ContainsFunc(v.src[:v.n], func(s vsrc) bool { return !s.plain || s.wide })
}

// registers returns the sources of a whole v, nil if it has no such source.
func (v *vop) registers(w *state.Wave) (a, b, c *lanes) {
	a = v.src[0].whole(w, 0)
	if v.n > 1 {
		b = v.src[1].whole(w, 1)
	}
	if v.n > 2 {
		c = v.src[2].whole(w, 2)
	}
	return a, b, c
}

// result is where v computes: in its destination if all lanes are active.
func (v *vop) result(w *state.Wave, mask uint64) (dst, d *lanes) {
	dst = &w.V[v.dst]
	if mask == state.FullExec {
		return dst, dst
	}
	return dst, &w.Temp()[tempResult]
}

func (v *vop) execWholeLanes(w *state.Wave, p *unit.Ports, in *gcn.Inst, acc *state.Access) *state.Fault {
	if unit.GPRIndexing(w) {
		return v.execLanes(w, p, in, acc)
	}
	mask := w.Exec()
	if mask == 0 {
		return nil
	}
	a, b, c := v.registers(w)
	dst, d := v.result(w, mask)
	v.lanes(d, a, b, c)
	if d != dst {
		simd.Select(dst, dst, d, mask)
	}
	return nil
}

func (v *vop) execWholeF32(w *state.Wave, p *unit.Ports, in *gcn.Inst, acc *state.Access) *state.Fault {
	if unit.GPRIndexing(w) {
		return v.execF32(w, p, in, acc)
	}
	mask := w.Exec()
	if mask == 0 {
		return nil
	}
	a, b, c := v.registers(w)
	dst, d := v.result(w, mask)
	v.f32(d, a, b, c, w.Mode, mask)
	if d != dst {
		simd.Select(dst, dst, d, mask)
	}
	return nil
}

func (v *vop) execWholeChain(w *state.Wave, p *unit.Ports, in *gcn.Inst, acc *state.Access) *state.Fault {
	if unit.GPRIndexing(w) {
		return v.execChain(w, p, in, acc)
	}
	mask := w.Exec()
	a, b, _ := v.registers(w)
	dst, d := v.result(w, mask)
	out := v.chain(d, a, b, v.laneMask(w))
	if d != dst {
		simd.Select(dst, dst, d, mask)
	}
	v.giveMask(w, out, mask)
	return nil
}

func (v *vop) execWholeCompare(w *state.Wave, p *unit.Ports, in *gcn.Inst, acc *state.Access) *state.Fault {
	if unit.GPRIndexing(w) {
		return v.execCompare(w, p, in, acc)
	}
	a, b, _ := v.registers(w)
	got := v.compare(pair{lo: a}, pair{lo: b}, w.Mode) & w.Exec()
	w.SetScalar64(v.maskOut, got)
	if v.cmpx {
		w.SetExec(got)
	}
	return nil
}
