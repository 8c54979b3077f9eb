package isa

// This file determines which bytes of data registers an instruction reads and writes.

// sourceBytes returns the bytes that an ALU instruction reads of a source.
func (e *effects) sourceBytes(o *Operand) uint8 {
	in := e.in
	n := 0 // number of the source operand
	switch o.Field {
	case SRC1, VSRC1:
		n = 1
	case SRC2:
		n = 2
	}
	switch {
	case o.File != VReg && o.File != SReg, e.row.Has(Interpolates):
	case in.Has(SRC0SEL):
		return in.Modifiers(n).Select.bytes()
	case in.Enc == VOP3P:
		low, high := in.Halves()
		if o.Type.Info().Halves { // one half for each result
			return half(low>>n&1 != 0) | half(high>>n&1 != 0)
		}
		if o.Type == F32 && e.row.Has(MixesHalves) && high>>n&1 != 0 {
			return half(low>>n&1 != 0)
		}
	case o.Type.Info().Bits16:
		return half(in.Modifiers(n).High)
	}
	return allBytes
}

func half(high bool) uint8 {
	if high {
		return highBytes
	}
	return lowBytes
}

// writes adds the write of operand o.
func (e *effects) writes(o *Operand) {
	x := Effect{File: o.File, Code: o.Code, Dwords: o.Dwords, Bytes: allBytes, Write: true, Role: RoleData, Named: true,
		Field: o.Field}
	switch {
	case o.File == VReg && e.row.Has(ScalarSrc1):
		x.Lanes = SelectLane // v_writelane_b32
	case o.File == VReg:
		x.Lanes = ActiveLanes
	}
	if o.Type == Mask || o.Field == SDST && e.vector() {
		x.Role = RoleMask
	}
	switch {
	case e.row.Mem.Op != NoMem:
		e.memoryResult(x)
		return
	case o.File == VReg:
		x.Bytes = e.resultBytes(o.Type)
	}
	e.add(x)
}

// resultBytes returns the bytes of VDST that an ALU instruction with a result of type t writes.
func (e *effects) resultBytes(t Type) uint8 {
	switch {
	case e.in.Has(DSTSEL) && e.in.Get(DSTUNUSED) == UnusedPreserve:
		return Selection(e.in.Get(DSTSEL)).bytes()
	case e.in.Has(DSTSEL), !t.Info().Bits16:
		return allBytes
	case e.row.Has(HighResult), e.in.Enc != VOP3P && !e.row.Has(NoOPSEL) && e.in.Get(OPSEL)>>3 != 0:
		return highBytes
	case e.row.Has(KeepsHigh) && e.t.KeepHigh:
		return lowBytes
	}
	return allBytes
}

// isData reports whether field f names the data of a memory instruction.
func (e *effects) isData(f Field) bool {
	switch f {
	case VDATA, DATA0, DATA1, VDST:
		return true
	case SDST:
		return e.row.Enc == SMEM
	}
	return false
}

// memoryData adds the data registers x as read by a memory instruction.
func (e *effects) memoryData(x Effect) {
	m := &e.row.Mem
	if e.withStatus(x.Field) { // the status register is only written
		x.Dwords--
	}
	switch {
	case m.Op == Store && m.D16 == HighHalf:
		x.Bytes = highBytes
		if m.Elem == 1 {
			x.Bytes = 1 << 2
		}
	case m.Op == Store && !m.Format && m.Elem > 0 && m.Elem < 4:
		x.Bytes = 1<<m.Elem - 1
	case m.Op == Store && e.halves():
		e.addHalves(x)
		return
	}
	e.add(x)
}

// memoryResult adds the data registers x as written by a memory instruction.
func (e *effects) memoryResult(x Effect) {
	m := &e.row.Mem
	if e.withStatus(x.Field) { // the status goes to the last register
		status := x
		status.Code, status.Dwords = x.Code+uint16(x.Dwords)-1, 1
		e.add(status)
		x.Dwords--
	}
	switch {
	case m.Second && e.row.Enc != DS && x.Field != VDST:
		x.Dwords /= 2 // the compare value is not changed
	case m.Op == Load && !m.Format && m.D16 == LowHalf:
		x.Bytes = lowBytes
	case m.Op == Load && m.D16 == HighHalf:
		x.Bytes = highBytes
	case m.Op == Load && e.halves() && e.t.PackedD16:
		e.addHalves(x)
		return
	}
	e.add(x)
}

// withStatus reports whether the status (TFE, LWE) is written after the data in field f. Queries have no status.
// FLAT, GLOBAL and SCRATCH have a separate field for stored data, which has no status either.
func (e *effects) withStatus(f Field) bool {
	if e.row.Mem.Op == Special || f == VDATA && (e.in.Enc == FLAT || e.in.Enc == GLOBAL || e.in.Enc == SCRATCH) {
		return false
	}
	return e.flagged(TFE) || e.flagged(LWE)
}

func (e *effects) flagged(f Field) bool { return e.in.Has(f) && e.in.Bool(f) }

// halves reports whether the data are D16 components.
func (e *effects) halves() bool { return e.row.Mem.D16 == Packed || e.flagged(D16) }

// addHalves adds D16 data: packed in pairs, with a single last one if their number is odd, or each in the low half of
// a register.
func (e *effects) addHalves(x Effect) {
	if !e.t.PackedD16 {
		x.Bytes = lowBytes
		e.add(x)
		return
	}
	if e.in.components()%2 == 0 {
		e.add(x)
		return
	}
	last := x
	last.Code, last.Dwords, last.Bytes = x.Code+uint16(x.Dwords)-1, 1, lowBytes
	x.Dwords--
	e.add(x)
	e.add(last)
}
