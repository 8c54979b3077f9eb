package device

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/device/rect"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// Byte addresses of the COMPUTE registers.
const (
	firstCompute = 0xb800
	lastCompute  = 0xbbfc
)

// registerFile has the registers that dispatches and draws read. Drivers also set registers for scheduling, which are
// dropped because they have no effect.
type registerFile struct {
	compute              [(lastCompute-firstCompute)/4 + 1]uint32
	border               uint32 // GCN 1.0 only
	borderLow, borderTop uint32
	graphics             *rect.Registers // nil until a graphics register is set
}

// at returns the register at a byte address, or nil if it is not kept.
func (r *registerFile) at(addr uint32) *uint32 {
	switch {
	case addr >= firstCompute && addr <= lastCompute && addr%4 == 0:
		return &r.compute[(addr-firstCompute)/4]
	case addr == pm4.TaCsBcBaseAddrConfig:
		return &r.border
	case addr == pm4.TaCsBcBaseAddr:
		return &r.borderLow
	case addr == pm4.TaCsBcBaseAddrHi:
		return &r.borderTop
	}
	if r.graphics == nil {
		r.clearState()
	}
	return r.graphics.At(addr)
}

// clearState resets the graphics registers to their initial values.
func (r *registerFile) clearState() {
	if r.graphics == nil {
		r.graphics = new(rect.Registers)
	}
	r.graphics.Clear()
}

// set writes consecutive registers.
func (r *registerFile) set(addr uint32, values []uint32) {
	for i, v := range values {
		if p := r.at(addr + 4*uint32(i)); p != nil {
			*p = v
		}
	}
}

// get returns a COMPUTE register.
func (r *registerFile) get(addr uint32) uint32 { return r.compute[(addr-firstCompute)/4] }

// three returns three consecutive registers, one for each dimension.
func (r *registerFile) three(addr uint32) [3]uint32 {
	return [3]uint32(r.compute[(addr-firstCompute)/4:])
}

// program returns the address of the kernel's code.
func (r *registerFile) program() uint64 {
	return (uint64(r.get(pm4.ComputePgmLo)) | uint64(r.get(pm4.ComputePgmHi)&0xff)<<32) << 8
}

// borderColors returns the address of the border colours.
func (r *registerFile) borderColors(g gcn.Gen) uint64 {
	if g == gcn.GCN10 {
		return uint64(r.border) << 8
	}
	return (uint64(r.borderLow) | uint64(r.borderTop&0xff)<<32) << 8
}
