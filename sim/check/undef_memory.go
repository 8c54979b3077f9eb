package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// of returns the shadow of the memory that a lane of an access uses.
func (u *undefined) of(a *state.Access, lane int, addr uint64) *memShadow {
	switch {
	case a.Space == state.LDS || a.LDSLanes>>lane&1 != 0:
		return &u.lds
	case a.Space == state.GDS:
		return &u.gds
	case u.toFrame>>lane&1 != 0, addr-u.scratchLo < u.scratchHi-u.scratchLo:
		return &u.scratch
	}
	return &u.global
}

// toFrame returns the lanes of x that access private memory in a dispatch from registers, where it cannot be
// identified by address.
func (c *Checker) toFrame(x *step) uint64 {
	switch {
	case !c.races.byLane:
		return 0
	case x.Access.Space == state.Scratch, x.addsTID():
		return allLanes
	}
	return x.Access.ScratchLanes
}

// reaches reports whether the access of x may involve undefined memory.
func (u *undefined) reaches(x *step) bool {
	a := x.Access
	switch a.Space {
	case state.LDS:
		if !u.lds.undefines() {
			return false
		}
		if (*isa.Inst)(x.Inst).Row().Mem.InLDS {
			return true
		}
		lo, hi := bounds(a)
		return lo < hi && !u.lds.defines(lo, hi)
	case state.GDS:
		return u.gds.undefines()
	}
	return u.global.undefines() || u.scratch.undefines() || a.LDSLanes != 0 && u.lds.undefines()
}

// bounds returns a range that contains the addresses of all lanes of an LDS access. It is empty without lanes.
func bounds(a *state.Access) (lo, hi uint64) {
	size, n := uint64(a.Elem)*uint64(a.Count), 1
	switch {
	case a.Split:
		size, n = uint64(a.Elem), int(a.Count)
	case a.Dense && a.Exec == state.FullExec:
		return a.Addr[0], a.Addr[0] + 4*(state.NumLanes-1) + size
	}
	lo = ^uint64(0)
	for i := range n {
		at := &a.Addr
		if i > 0 {
			at = &a.More[i-1]
		}
		for m := a.Exec &^ a.Out[i]; m != 0; m &= m - 1 {
			addr := at[bits.TrailingZeros64(m)]
			lo, hi = min(lo, addr), max(hi, addr+size)
		}
	}
	return lo, hi
}

// accessFlow copies shadows between memory and registers like the access of x copied data.
func (c *Checker) accessFlow(x *step, h *regShadow) {
	a := x.Access
	c.undef.toFrame = c.toFrame(x)
	if a.Op == gcn.NoMem || registers.Transfer((*isa.Inst)(x.Inst)) != gcn.NoMem {
		c.defineWrites(x, h)
		if a.Op != gcn.NoMem {
			c.transferFlow(x)
		}
		return
	}
	reaches := c.undef.reaches(x)
	dirty := c.dataHeld(x, h)
	switch {
	case a.Op == gcn.Load:
		c.defineWrites(x, h)
		if reaches {
			c.loadFlow(x, h)
		}
	case !reaches && !dirty:
		c.defineWrites(x, h)
	case a.Op == gcn.Store && !dirty && a.Space == state.LDS && a.Out == [4]uint64{}:
		c.undef.defineStored(a)
	case a.Op == gcn.Store:
		c.storeFlow(x, h)
	default:
		c.atomicFlow(x, h)
	}
}

// defineWrites marks the results of x as defined.
func (c *Checker) defineWrites(x *step, h *regShadow) {
	for i := range x.effects {
		if f := &x.effects[i]; f.Write && h.holds(f, allLanes) && !x.imageStatus(f) {
			h.define(f, x.writers(f))
		}
	}
}

// imageStatus reports whether f is the status register of an image instruction, which is only written in lanes with
// unmapped texels (rule IM7).
func (x *step) imageStatus(f *isa.Effect) bool {
	return x.Inst.Enc == isa.MIMG && f.File == isa.VReg && uint32(f.Code) != (*isa.Inst)(x.Inst).Get(isa.VDATA) &&
		f.Dwords == 1 &&
		((*isa.Inst)(x.Inst).Bool(isa.TFE) || (*isa.Inst)(x.Inst).Bool(isa.LWE))
}

// isData reports whether f is data that a memory instruction reads.
func isData(f *isa.Effect) bool {
	return !f.Write && f.Named && f.Role == isa.RoleData
}

// dataHeld reports whether the data that x stores has undefined bits.
func (c *Checker) dataHeld(x *step, h *regShadow) bool {
	for i := range x.effects {
		if f := &x.effects[i]; isData(f) && h.holds(f, x.exec) {
			if _, ok := h.first(f, x.exec, nil); ok {
				return true
			}
		}
	}
	return false
}

// lanesOf returns the lanes of an access. A scalar access has lane 0.
func lanesOf(a *state.Access) uint64 {
	if a.Scalar {
		return 1
	}
	return a.Exec
}

// outside reports whether an element of a lane was out of range.
func outside(a *state.Access, i, lane int) bool {
	if a.Scalar {
		return a.Out[0]>>i&1 != 0
	}
	return a.Out[min(i, len(a.Out)-1)]>>lane&1 != 0
}

// loadFlow sets the shadow of loaded registers.
func (c *Checker) loadFlow(x *step, h *regShadow) {
	a, m := x.Access, &(*isa.Inst)(x.Inst).Row().Mem
	whole := m.Format || x.Inst.Enc == isa.MIMG
	for mask := lanesOf(a); mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		for i := range int(a.Count) {
			if outside(a, i, lane) {
				continue
			}
			addr := a.At(i, lane)
			mem := c.undef.of(a, lane, addr)
			if !mem.undefines() {
				continue
			}
			for k := 0; k < int(a.Elem); k += 4 {
				undef, from := mem.load(addr+uint64(k), min(int(a.Elem)-k, 4))
				if undef == 0 {
					continue
				}
				from = c.undef.origins.through(from, x)
				if whole {
					c.spoil(x, h, lane, from)
					continue
				}
				c.loaded(x, h, lane, (i*int(a.Elem)+k)/4, undef, from)
			}
		}
	}
}

// spoil marks all data that a lane of x loaded as undefined.
func (c *Checker) spoil(x *step, h *regShadow, lane int, from tag) {
	for i := range x.effects {
		if f := &x.effects[i]; f.Write && f.File == isa.VReg {
			for n := range int(f.Dwords) {
				h.setVGPR(int(f.Code)+n, lane, ^uint32(0), spread(f.Bytes), from)
			}
		}
	}
}

// loaded sets the shadow of dword n of a lane's data.
func (c *Checker) loaded(x *step, h *regShadow, lane, n int, undef uint32, from tag) {
	a, m := x.Access, &(*isa.Inst)(x.Inst).Row().Mem
	if a.Scalar {
		h.setScalar(int(a.Reg)+n, undef, from)
		return
	}
	mask := ^uint32(0)
	if a.Elem < 4 {
		if m.Signed {
			undef = uint32(extend(uint64(undef), uint(8*a.Elem)))
		}
		switch m.D16 {
		case isa.LowHalf:
			mask = 0xffff
		case isa.HighHalf:
			undef, mask = undef<<16, 0xffff<<16
		}
	}
	h.setVGPR(int(a.Reg)+n, lane, undef, mask, from)
}

// dataRegister returns the register of dword n of a store's data, which belongs to element i.
func (x *step) dataRegister(i, n int) int {
	if (*isa.Inst)(x.Inst).Row().Has(isa.Two) && i == 1 {
		return int((*isa.Inst)(x.Inst).Get(isa.DATA1)) + n - int(x.Access.Elem)/4
	}
	return int(x.Access.Reg) + n
}

// stored returns the shadow of dword n of a lane's data.
func (x *step) stored(h *regShadow, lane, i, n int) (undef uint32, r found) {
	reg0 := x.dataRegister(i, n)
	if x.Access.Scalar {
		reg0 &= isa.NumScalarCodes - 1
		return h.s[reg0], found{registers.ScalarRegs + reg(reg0), state.NoLane, h.sFrom[reg0]}
	}
	if reg0 >= len(h.v) {
		return 0, found{}
	}
	undef, from := h.vgpr(reg0, lane)
	if (*isa.Inst)(x.Inst).Row().Mem.D16 == isa.HighHalf {
		undef >>= 16
	}
	return undef, found{reg(reg0), lane, from}
}

// storeFlow sets the shadow of stored memory. Undefined data in global memory is a finding.
func (c *Checker) storeFlow(x *step, h *regShadow) {
	a, m := x.Access, &(*isa.Inst)(x.Inst).Row().Mem
	if m.Format || x.Inst.Enc == isa.MIMG {
		c.formatFlow(x, h)
		return
	}
	padding, found := uint64(0), false // before any of it is marked as defined
	for i := range int(a.Count) {
		for mask := lanesOf(a); mask != 0; mask &= mask - 1 {
			lane := bits.TrailingZeros64(mask) & 63
			if outside(a, i, lane) {
				continue
			}
			addr := a.At(i, lane)
			mem := c.undef.of(a, lane, addr)
			for k := 0; k < int(a.Elem); k += 4 {
				n := min(int(a.Elem)-k, 4)
				undef, r := x.stored(h, lane, i, (i*int(a.Elem)+k)/4)
				undef &= uint32(1<<(8*n) - 1)
				if undef != 0 && mem == &c.undef.global {
					if !found {
						padding, found = x.padding(h), true
					}
					as := usedStored
					if padding>>lane&1 != 0 {
						as = usedPadding
					}
					c.stores(x, h, as, r, addr+uint64(k))
					undef = 0
				}
				from := r.from
				if undef != 0 {
					from = c.undef.origins.through(from, x)
				}
				if undef != 0 || mem.undefines() {
					mem.store(addr+uint64(k), n, undef, from)
				}
			}
		}
	}
}

// padding returns the lanes of a store for which pads returns true.
func (x *step) padding(h *regShadow) (lanes uint64) {
	for mask := lanesOf(x.Access); mask != 0; mask &= mask - 1 {
		if lane := bits.TrailingZeros64(mask) & 63; x.pads(h, lane) {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// pads reports whether the undefined bits of a lane's data are exactly the last quarter, or for 16 bytes the last
// half, which is typical for padding behind three elements.
func (x *step) pads(h *regShadow, lane int) bool {
	size := int(x.Access.Elem) * int(x.Access.Count)
	if x.Access.Split || x.Access.Scalar || size > 16 || size%4 != 0 {
		return false
	}
	defined := 0 // number of defined bytes
	for defined < size {
		undef, _ := x.stored(h, lane, defined/int(x.Access.Elem), defined/4)
		if undef>>(8*(defined%4))&0xff != 0 {
			break
		}
		defined++
	}
	for n := defined; n < size; n++ {
		undef, _ := x.stored(h, lane, n/int(x.Access.Elem), n/4)
		if byte(undef>>(8*(n%4))) != 0xff {
			return false
		}
	}
	return defined == size/4*3 || size == 16 && defined == 8
}

// stores reports undefined data in global memory, and marks it as defined.
func (c *Checker) stores(x *step, h *regShadow, as usage, r found, addr uint64) {
	if f := c.use(x, as, r, &isa.Effect{Dwords: 1}); f != nil {
		f.Space, f.Addr = state.Global.String(), &addr
	}
	if r.reg >= registers.ScalarRegs {
		h.s[r.reg-registers.ScalarRegs] = 0
		return
	}
	h.setVGPR(int(r.reg), r.lane, 0, ^uint32(0), 0)
}

// formatFlow is storeFlow for an instruction that converts. An undefined component is a finding, because formats only
// exist in global memory.
func (c *Checker) formatFlow(x *step, h *regShadow) {
	a := x.Access
	for i := range x.effects {
		f := &x.effects[i]
		if !isData(f) {
			continue
		}
		in := a.Exec &^ a.Out[0]
		if u, ok := h.first(f, in, nil); ok {
			if found := c.use(x, usedStored, u, f); found != nil {
				found.Space, found.Addr = state.Global.String(), &a.Addr[u.lane]
			}
			h.define(f, in)
		}
	}
	for mask := a.Exec; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		for i := range int(a.Count) {
			if addr := a.At(i, lane); !outside(a, i, lane) {
				mem := c.undef.of(a, lane, addr)
				for k := 0; k < int(a.Elem) && mem.undefines(); k += 4 {
					mem.store(addr+uint64(k), min(int(a.Elem)-k, 4), 0, 0)
				}
			}
		}
	}
}

// old has the undefined bits of the dwords that an atomic returns to a lane.
type old struct {
	undef [4]uint32
	from  tag
}

// atomicFlow updates shadows for an atomic, lane after lane like the executors. A dword of memory is undefined
// afterwards if the dword or the data was. The returned value is undefined if the dword was.
func (c *Checker) atomicFlow(x *step, h *regShadow) {
	a := x.Access
	var all [state.NumLanes]old
	for mask := lanesOf(a); mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		c.atomicLane(x, h, lane, &all[lane])
	}
	c.defineWrites(x, h)
	for i := range x.effects {
		f := &x.effects[i]
		if !f.Write || f.Role != isa.RoleData {
			continue
		}
		for mask := lanesOf(a); mask != 0; mask &= mask - 1 {
			lane := bits.TrailingZeros64(mask) & 63
			r := &all[lane]
			if r.undef == [4]uint32{} {
				continue
			}
			from := c.undef.origins.through(r.from, x)
			for n := range int(f.Dwords) {
				if f.File == isa.SReg {
					h.setScalar(int(f.Code)+n, r.undef[n&3], from)
				} else {
					h.setVGPR(int(f.Code)+n, lane, r.undef[n&3], ^uint32(0), from)
				}
			}
		}
	}
}

// atomicLane is atomicFlow for one lane, without the registers.
func (c *Checker) atomicLane(x *step, h *regShadow, lane int, r *old) {
	a := x.Access
	data, from, bad := c.atomicData(x, h, lane)
	for i := range int(a.Count) {
		if outside(a, i, lane) {
			continue
		}
		addr := a.At(i, lane)
		mem := c.undef.of(a, lane, addr)
		if bad && mem == &c.undef.global {
			c.stores(x, h, usedStored, data, addr)
			bad = false
		}
		for k := 0; k < int(a.Elem); k += 4 {
			undef, by := mem.load(addr+uint64(k), 4)
			if r.undef[(i*int(a.Elem)+k)/4&3] |= undef; undef != 0 {
				r.from = by
			}
			if (*isa.Inst)(x.Inst).Row().Mem.InLDS { // the operand is also in memory
				if undef, by := mem.load(a.More[0][lane]+uint64(k), 4); undef != 0 {
					bad, from = true, by
				}
			}
		}
	}
	if r.undef == [4]uint32{} && !bad {
		return
	}
	if bad {
		r.from = from
	}
	for i := range int(a.Count) {
		addr := a.At(i, lane)
		for k := 0; k < int(a.Elem) && !outside(a, i, lane); k += 4 {
			c.undef.of(a, lane, addr).store(addr+uint64(k), 4, ^uint32(0), r.from)
		}
	}
}

// atomicData returns the first undefined register of the data of a lane.
func (c *Checker) atomicData(x *step, h *regShadow, lane int) (r found, from tag, bad bool) {
	for i := range x.effects {
		f := &x.effects[i]
		if !isData(f) || !h.holds(f, 1<<lane) {
			continue
		}
		if r, ok := h.first(f, 1<<lane, nil); ok {
			return r, c.undef.origins.through(r.from, x), true
		}
	}
	return found{}, 0, false
}

// transferFlow copies shadows between memory and LDS (rule DP5).
func (c *Checker) transferFlow(x *step) {
	a, in := x.Access, (*isa.Inst)(x.Inst)
	toLDS := registers.Transfer(in) == gcn.Load
	offset := uint32(0)
	if !toLDS || executor.BufferRulesOf(x.Rules, x.Wave.Target.Gen()).LDSOffset {
		offset = in.Get(isa.OFFSET)
	}
	first := (uint64(x.m0&0xffff) + uint64(offset)) &^ 3
	for mask := a.Exec; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		slot, addr := first+4*uint64(lane), a.Addr[lane]
		if slot+4 > uint64(len(x.LDS)) {
			continue
		}
		mem := c.undef.of(a, lane, addr)
		switch {
		case toLDS && outside(a, 0, lane):
			c.undef.lds.store(slot, 4, 0, 0)
		case toLDS:
			undef, from := mem.load(addr, int(min(a.Elem, 4)))
			c.undef.lds.store(slot, 4, undef, c.undef.origins.through(from, x))
		case !outside(a, 0, lane):
			undef, from := c.undef.lds.load(slot, 4)
			if undef != 0 && mem == &c.undef.global {
				if f := c.useMemory(x, from, lane, addr); f != nil {
					c.undef.lds.store(slot, 4, 0, 0)
				}
				undef = 0
			}
			mem.store(addr, 4, undef, from)
		}
	}
}
