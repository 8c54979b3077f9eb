package device

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/device/rect"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// The COMPUTE registers.
const (
	firstCompute = 0xb800
	lastCompute  = 0xbbfc
)

// registerFile holds the registers that dispatches and draws read. What drivers set besides is of scheduling, and
// has no effect.
type registerFile struct {
	compute              [(lastCompute-firstCompute)/4 + 1]uint32
	border               uint32 // GCN 1.0
	borderLow, borderTop uint32
	graphics             *rect.Registers // nil until one is set
}

// at returns a register that is kept, by its byte address, nil if it is not.
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

// clearState gives the registers of graphics what they hold at first.
func (r *registerFile) clearState() {
	if r.graphics == nil {
		r.graphics = new(rect.Registers)
	}
	r.graphics.Clear()
}

// set writes registers that follow one another.
func (r *registerFile) set(addr uint32, values []uint32) {
	for i, v := range values {
		if p := r.at(addr + 4*uint32(i)); p != nil {
			*p = v
		}
	}
}

// get returns a COMPUTE register.
func (r *registerFile) get(addr uint32) uint32 { return r.compute[(addr-firstCompute)/4] }

// three returns a register for each direction.
func (r *registerFile) three(addr uint32) [3]uint32 {
	return [3]uint32(r.compute[(addr-firstCompute)/4:])
}

// program returns the address of the code.
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
