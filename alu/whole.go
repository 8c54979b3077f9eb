package alu

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// The operands of most instructions are whole registers or constants without modifiers. The functions below execute
// such instructions faster than those of vector.go. They do not support GPR indexing.

// simple reports whether the operands of v have 32 or 64 bits and no modifiers.
func (v *vop) simple() bool {
	return v.n > 0 && v.dpp == nil && v.out.plain &&
		!slices.ContainsFunc(v.src[:v.n], func(s vsrc) bool { return !s.plain })
}

// whole returns the executor of v if its operands are simple, nil if there is no fast one.
func (v *vop) whole() executor.Exec {
	narrow := !v.wide && !slices.ContainsFunc(v.src[:v.n], func(s vsrc) bool { return s.wide })
	switch {
	case !v.simple():
		return nil
	case v.pairs != nil:
		return v.wholePairs()
	case !narrow:
		return nil
	case v.lanes != nil:
		return v.wholeLanes()
	case v.f32 != nil:
		return v.wholeF32()
	case v.chain.all != nil:
		return v.wholeChain()
	case v.compare != nil:
		return v.wholeCompare()
	}
	return nil
}

// result returns the register in which v computes: the destination if all lanes are active, else a temporary.
func (v *vop) result(w *state.Wave, mask uint64) (dst, d *lanes) {
	dst = &w.V[v.dst]
	if mask == state.FullExec {
		return dst, dst
	}
	return dst, &w.Temp()[tempResult]
}

// The functions that return executors are not inlined, so that the functions which the executors call can be.
//
//go:noinline
func (v *vop) wholeLanes() executor.Exec {
	return func(w *state.Wave, p *executor.Ports, in *isa.Inst, acc *state.Access) *state.Fault {
		if executor.GPRIndexing(w) {
			return v.execLanes(w, p, in, acc)
		}
		mask := w.Exec()
		if mask == 0 {
			return nil
		}
		dst, d := v.result(w, mask)
		var a, b, c *lanes
		if v.n == 1 && v.src[0].kind == fromScalar { // no other source can be the same register as d
			a = d
			simd.Fill(d, uint32(v.src[0].s.read(w)))
		} else {
			a = v.src[0].whole(w, 0)
		}
		if v.n > 1 {
			b = v.src[1].whole(w, 1)
		}
		if v.n > 2 {
			c = v.src[2].whole(w, 2)
		}
		v.lanes(d, a, b, c)
		if d != dst {
			simd.Select(dst, dst, d, mask)
		}
		return nil
	}
}

//go:noinline
func (v *vop) wholePairs() executor.Exec {
	return func(w *state.Wave, p *executor.Ports, in *isa.Inst, acc *state.Access) *state.Fault {
		if executor.GPRIndexing(w) || w.Exec() != state.FullExec {
			return v.execPairs(w, p, in, acc)
		}
		d := pair{lo: &w.V[v.dst]}
		if v.wide {
			d.hi = &w.V[v.dst+1]
		}
		var s [3]pair
		for i := range v.n {
			s[i] = v.src[i].pair(w, i)
		}
		v.pairs(d, s[0], s[1], s[2], w.Mode)
		return nil
	}
}

//go:noinline
func (v *vop) wholeF32() executor.Exec {
	return func(w *state.Wave, p *executor.Ports, in *isa.Inst, acc *state.Access) *state.Fault {
		if executor.GPRIndexing(w) {
			return v.execF32(w, p, in, acc)
		}
		mask := w.Exec()
		if mask == 0 {
			return nil
		}
		dst, d := v.result(w, mask)
		a := v.src[0].whole(w, 0)
		var b, c *lanes
		if v.n > 1 {
			b = v.src[1].whole(w, 1)
		}
		if v.n > 2 {
			c = v.src[2].whole(w, 2)
		}
		v.f32(d, a, b, c, w.Mode, mask)
		if d != dst {
			simd.Select(dst, dst, d, mask)
		}
		return nil
	}
}

//go:noinline
func (v *vop) wholeChain() executor.Exec {
	chain, one := v.chain.all, v.chain.one != nil && v.src[0].kind == fromScalar
	if one {
		chain = v.chain.one
	}
	return func(w *state.Wave, p *executor.Ports, in *isa.Inst, acc *state.Access) *state.Fault {
		if executor.GPRIndexing(w) {
			return v.execChain(w, p, in, acc)
		}
		mask := w.Exec()
		dst, d := v.result(w, mask)
		var a *lanes
		if one {
			a = &w.Temp()[0]
			a[0] = uint32(v.src[0].s.read(w))
		} else {
			a = v.src[0].whole(w, 0)
		}
		out := chain(d, a, v.src[1].whole(w, 1), v.laneMask(w))
		if d != dst {
			simd.Select(dst, dst, d, mask)
		}
		v.giveMask(w, out, mask)
		return nil
	}
}

//go:noinline
func (v *vop) wholeCompare() executor.Exec {
	return func(w *state.Wave, p *executor.Ports, in *isa.Inst, acc *state.Access) *state.Fault {
		if executor.GPRIndexing(w) {
			return v.execCompare(w, p, in, acc)
		}
		v.judge(w, v.compare(pair{lo: v.src[0].whole(w, 0)}, pair{lo: v.src[1].whole(w, 1)}, w.Mode)&w.Exec())
		return nil
	}
}
