package alu

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// bindLDSDirect binds an instruction whose SRC0 is LDS_DIRECT. It replaces SRC0 by M0, which contains the LDS value
// during the execution.
func bindLDSDirect(in *isa.Inst, op operation) executor.Impl {
	as, err := in.Set(isa.SRC0, gcn.M0)
	if err != nil { // cannot happen: every encoding with SRC0 accepts M0
		return executor.Impl{Why: err.Error()}
	}
	impl := op.bind(&as, as.Row())
	exec := impl.Exec
	if exec == nil {
		return impl
	}
	impl.Block = nil // compiled code would use the number in M0
	var buf [8]isa.Operand
	writesM0 := false
	for _, o := range in.Operands(buf[:0]) {
		writesM0 = writesM0 || o.Write && o.File == isa.SReg && o.Code == gcn.M0
	}
	impl.Exec = func(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
		m0 := w.S[gcn.M0]
		v, f := ldsDirect(m0, &p.LDS)
		if f != nil {
			return f
		}
		w.S[gcn.M0] = v
		f = exec(w, p, &as, a)
		if !writesM0 || f != nil {
			w.S[gcn.M0] = m0
		}
		return f
	}
	return impl
}

// ldsDirect returns the LDS value that M0 selects. Bits 15:0 are the address, aligned to the size of the type, which
// is in bits 18:16. Beyond the end of LDS the value is 0.
func ldsDirect(m0 uint32, lds *executor.Span) (uint32, *state.Fault) {
	kind := m0 >> 16 & 7
	size := [8]uint64{1, 2, 4, 0, 1, 2}[kind]
	if size == 0 {
		return 0, executor.NewFault(state.FaultIllegal, "M0[18:16] is %d, which is no type of LDS_DIRECT ("+
			rule.DP10+")", kind)
	}
	var dword [4]byte
	if off, ok := lds.Offset(uint64(m0&0xffff)&^(size-1), size); ok {
		copy(dword[:], lds.Bytes[off:off+size])
	}
	v := binary.LittleEndian.Uint32(dword[:])
	switch kind {
	case 4:
		v = uint32(int32(int8(v)))
	case 5:
		v = uint32(int32(int16(v)))
	}
	return v, nil
}
