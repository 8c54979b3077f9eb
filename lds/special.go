package lds

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// nop executes DS_NOP, which only counts in LGKMCNT (rule DS13).
func (o *op) nop(w *state.Wave, _ *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	o.noMemory(w, a)
	return nil
}

// noMemory resets a for an instruction that uses the LDS unit but no storage.
func (o *op) noMemory(w *state.Wave, a *state.Access) {
	o.begin(w, a)
	a.Op = gcn.NoMem
	if o.mem.Ret {
		a.Reg, a.Regs = uint16(o.vdst), o.regs
	}
}

// write writes values to VDST in the lanes of EXEC.
func (o *op) write(w *state.Wave, values *state.Lanes) {
	simd.Merge(&w.V[o.vdst], values, w.Exec())
}

// swizzleModes is the note of the rotate and FFT modes.
var swizzleModes = &isa.Note{Level: gcn.Assumed,
	Why: "the rotate and FFT modes of ds_swizzle_b32 are those of the RDNA3 manual"}

// swizzle executes DS_SWIZZLE_B32: lanes exchange values by a pattern in OFFSET (rule DS7).
func (o *op) swizzle() executor.Exec {
	if o.modes && o.off[0] >= executor.SwizzleRotate {
		o.note = swizzleModes
	}
	var from [state.NumLanes]uint8
	for lane := range from {
		from[lane] = uint8(executor.SwizzleSource(o.off[0], uint32(lane), o.modes))
	}
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
		o.noMemory(w, a)
		src, exec := &w.V[o.addr], w.Exec()
		var out state.Lanes
		off := ^exec
		for lane, i := range &from {
			out[lane] = src[i&63] &^ -uint32(off>>(i&63)&1)
		}
		o.write(w, &out)
		return nil
	}
}

// permute executes DS_PERMUTE_B32: each lane sends its value to another lane. If several lanes send to one lane, the
// value of the highest remains; a lane to which none sends receives 0 (rules DS8 and K8).
func (o *op) permute(w *state.Wave, _ *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	o.noMemory(w, a)
	var out state.Lanes
	addr, src := &w.V[o.addr], &w.V[o.data[0]]
	for m := w.Exec(); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		out[executor.PermuteLane(addr[lane], o.off[0])] = src[lane]
	}
	o.write(w, &out)
	return nil
}

// bpermute executes DS_BPERMUTE_B32: each lane reads the value of another lane, 0 if that lane is inactive (rules DS8
// and K8).
func (o *op) bpermute(w *state.Wave, _ *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	o.noMemory(w, a)
	var out state.Lanes
	addr, src, off, offset := &w.V[o.addr], &w.V[o.data[0]], ^w.Exec(), o.off[0]
	for lane, at := range addr {
		from := executor.PermuteLane(at, offset)
		out[lane] = src[from] &^ -uint32(off>>from&1)
	}
	o.write(w, &out)
	return nil
}

// addTID sets the addresses of the *_ADDTID instructions: M0[15:0] + OFFSET + LANE*4 (rule DS6). M0 does not limit
// the range then.
func (o *op) addTID(w *state.Wave, p *executor.Ports, a *state.Access) {
	o.begin(w, a)
	first := uint64(w.S[gcn.M0]&0xffff+o.off[0]) &^ 3
	for lane := range a.Addr {
		a.Addr[lane] = first + 4*uint64(lane)
	}
	executor.Bound(a, p.LDS.Hi, a.Exec)
}

func (o *op) readAddTID(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	o.addTID(w, p, a)
	a.Op, a.Reg, a.Regs = gcn.Load, uint16(o.vdst), o.regs
	return executor.Load(w, &p.LDS, o.mem, o.vdst, a.Exec, a)
}

func (o *op) writeAddTID(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	o.addTID(w, p, a)
	a.Op, a.Reg, a.Regs = gcn.Store, uint16(o.data[0]), o.regs
	return executor.Store(w, &p.LDS, o.mem, o.data[0], a.Exec, a)
}

// The memory operations that DS_APPEND and DS_CONSUME make.
var (
	add = isa.Mem{Op: gcn.Atomic, Elem: 4, Count: 1, Atomic: isa.Add}
	sub = isa.Mem{Op: gcn.Atomic, Elem: 4, Count: 1, Atomic: isa.Sub}
)

// count executes DS_APPEND and DS_CONSUME, which add or subtract the number of active lanes at M0[15:0] + OFFSET of
// LDS or M0[31:16] + OFFSET of GDS (rule DS9).
func (o *op) count(mem isa.Mem) executor.Exec {
	return func(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
		win := window{mem: &p.LDS, base: uint64(w.S[gcn.M0] & 0xffff), limit: p.LDS.Hi}
		if o.gds {
			win = window{mem: &p.GDS, base: uint64(w.S[gcn.M0] >> 16), limit: p.GDS.Hi}
		}
		return o.once(w, &mem, &win, o.off[0], uint32(bits.OnesCount64(w.Exec())), a)
	}
}

// once applies one atomic operation for the whole wave, unless no lane is active. All active lanes receive the old
// value. win.limit counts from the start of the storage.
func (o *op) once(w *state.Wave, mem *isa.Mem, win *window, off, value uint32, a *state.Access) *state.Fault {
	o.begin(w, a)
	a.Op, a.Reg, a.Regs = gcn.Atomic, uint16(o.vdst), o.regs
	at := (win.base + uint64(off)) &^ 3
	for lane := range a.Addr {
		a.Addr[lane] = at
	}
	var out state.Lanes
	switch {
	case at+4 > win.limit:
		a.Out[0] = a.Exec
	case a.Exec != 0:
		old, f := executor.ScalarAtomic(win.mem, mem, at, uint64(value), 0)
		if f != nil {
			return f
		}
		for lane := range out {
			out[lane] = uint32(old)
		}
	}
	o.write(w, &out)
	return nil
}
