package isa

import "strconv"

// Flag is a part of a wave's state that has no operand code: the number of an [Effect] in file [FlagReg].
type Flag uint16

// The flags. The hardware registers of S_GETREG and S_SETREG start at FlagHwreg.
const (
	FlagSCC   Flag = iota
	FlagVCCZ       // VCC is zero; stored separately from VCC
	FlagEXECZ      // EXEC is zero
	FlagMODE       // MODE.GPR_IDX_EN, CSP and LOD_CLAMPED; rounding and denormal modes are not included

	FlagHwreg     Flag = 64            // plus the number of the hardware register
	FlagHwregMODE      = FlagHwreg + 1 // MODE
	FlagTRAPSTS        = FlagHwreg + 3 // TRAPSTS
)

// String returns the name of the flag, for example "SCC". A hardware register without a name has a number, as in
// "hwreg(5)".
func (f Flag) String() string {
	switch f {
	case FlagSCC:
		return "SCC"
	case FlagVCCZ:
		return "VCCZ"
	case FlagEXECZ:
		return "EXECZ"
	case FlagMODE:
		return "MODE"
	case FlagTRAPSTS:
		return "TRAPSTS"
	}
	return "hwreg(" + strconv.Itoa(int(f-FlagHwreg)) + ")"
}

// LaneSet is the set of lanes in which an instruction reads or writes a register.
type LaneSet uint8

// The lane sets.
const (
	Uniform     LaneSet = iota // the register has no lanes
	ActiveLanes                // the lanes of EXEC before the instruction
	MovedLanes                 // lanes of EXEC from which other lanes read: DPP, swizzles, ds_bpermute_b32
	FirstLane                  // the lowest lane of EXEC, lane 0 if EXEC is 0
	SelectLane                 // the lane that a scalar operand selects
)

// Role is the purpose for which an instruction uses a register.
type Role uint8

// The roles.
const (
	RoleData     Role = iota // a value that is computed with, moved, stored or returned
	RoleAddress              // VADDR, SADDR, SBASE, SOFFSET, FLAT_SCRATCH
	RoleResource             // V#, T#
	RoleSampler              // S#
	RoleExec                 // EXEC as the mask of active lanes
	RoleMask                 // one bit per lane: conditions and carries
	RoleLane                 // the number of a lane
	RoleIndex                // M0 as a register index
	RoleLimit                // M0 as base or limit of LDS or GDS
	RoleMessage              // M0 as data of a message or a trace
	RoleBranch               // the branch target, or the branch condition
)

// Effect is the read or write of one register or several consecutive ones, named by an operand or not. A write may
// leave some lanes or bytes unchanged. An instruction accesses no register that is not in its effects, with two
// exceptions: registers that M0 selects (rows with [IndexesVGPRs], and MODE.GPR_IDX_EN), and the address registers of
// images that only some T#s need, see [Inst.ImageAddr].
type Effect struct {
	File   RegFile
	Code   uint16 // operand code of a scalar register, number of a VGPR, or a Flag
	Dwords uint8
	Bytes  uint8 // mask of the bytes of each register; bit 0 is bits 7:0
	Write  bool  // the access is a write, otherwise a read
	Lanes  LaneSet
	Role   Role
	Named  bool // the operand in Field names it
	Field  Field
}

// Masks of Effect.Bytes.
const (
	allBytes  = 0xf
	lowBytes  = 0x3
	highBytes = 0xc
)

// effects collects the effects of one instruction.
type effects struct {
	in  Inst
	row *Row
	t   *Traits
	all []Effect
}

// Effects appends the registers that i reads, then those that it writes, to buf. It includes those that operands name
// and those that they do not (EXEC, VCC, SCC, M0, FLAT_SCRATCH). Source: AMD GCN ISA manuals. TestEffects in package
// sim compares it with the executors.
func (i Inst) Effects(buf []Effect) []Effect {
	e := effects{in: i, row: i.Row(), t: TraitsOf(i.Target), all: buf}
	var operands [10]Operand
	named := i.Operands(operands[:0])
	for n := range named {
		if o := &named[n]; o.Read {
			e.reads(o)
		}
	}
	e.impliedReads()
	for n := range named {
		if o := &named[n]; o.Write {
			e.writes(o)
		}
	}
	e.impliedWrites()
	return e.all
}

// vector reports whether the instruction has lanes.
func (e *effects) vector() bool { return e.row.Enc >= VOP1 && e.row.Enc != SMEM }

func (e *effects) add(x Effect) {
	if x.Dwords > 0 {
		e.all = append(e.all, x)
	}
}

func (e *effects) flag(f Flag, write bool, role Role) {
	e.add(Effect{File: FlagReg, Code: uint16(f), Dwords: 1, Bytes: allBytes, Write: write, Role: role})
}

func (e *effects) implied(code, dwords int, write bool, role Role) {
	e.add(Effect{File: SReg, Code: uint16(code), Dwords: uint8(dwords), Bytes: allBytes, Write: write, Role: role})
}

// reads adds the read of operand o.
func (e *effects) reads(o *Operand) {
	x := Effect{File: o.File, Code: o.Code, Dwords: o.Dwords, Bytes: allBytes, Role: e.role(o.Field), Named: true,
		Field: o.Field}
	if o.File == NotReg {
		switch o.Code { // the other codes are constants
		case SCC:
			e.flag(FlagSCC, false, x.Role)
		case VCCZ:
			e.flag(FlagVCCZ, false, x.Role)
		case EXECZ:
			e.flag(FlagEXECZ, false, x.Role)
		case LDSDirect:
			e.implied(M0, 1, false, RoleLimit)
		}
		return
	}
	if o.File == VReg {
		x.Lanes = e.readLanes(o.Field)
	}
	switch {
	case o.Type == Mask:
		x.Role = RoleMask
	case e.row.Mem.Op == NoMem && !o.Write:
		x.Bytes = e.sourceBytes(o)
	case e.isData(o.Field):
		e.memoryData(x)
		return
	}
	e.add(x)
}

// role returns the role of the operand in field f.
func (e *effects) role(f Field) Role {
	switch f {
	case ADDR:
		if e.row.Mem.Move == SwizzlesLanes {
			return RoleData // ds_swizzle_b32
		}
		return RoleAddress
	case SADDR, SOFFSET, OFFSET:
		return RoleAddress
	case SBASE:
		if e.row.Has(BufferBase) {
			return RoleResource
		}
		return RoleAddress
	case SRSRC:
		return RoleResource
	case SSAMP:
		return RoleSampler
	case SRC1, VSRC1:
		if e.row.Has(ScalarSrc1) {
			return RoleLane
		}
	case SSRC0, SSRC1:
		if e.row.Has(Jumps) {
			return RoleBranch
		}
	}
	return RoleData
}

// readLanes returns the lanes in which the VGPR in field f is read.
func (e *effects) readLanes(f Field) LaneSet {
	switch {
	case e.row.Has(ScalarDst) && e.row.Has(ScalarSrc1):
		return SelectLane // v_readlane_b32
	case e.row.Has(ScalarDst):
		return FirstLane
	case e.row.Has(ScalarSrc1):
		return SelectLane // v_writelane_b32 keeps the other lanes
	case e.in.Has(DPPCTRL) && f == SRC0:
		return MovedLanes
	case e.row.Mem.Move == SwizzlesLanes && f == ADDR, e.row.Mem.Move == PullsLanes && f == DATA0:
		return MovedLanes
	}
	return ActiveLanes
}

// impliedReads adds the reads that have no operand.
func (e *effects) impliedReads() {
	r := e.row
	if r.Has(ReadsSCC) {
		role := RoleData
		if r.Has(Branch) {
			role = RoleBranch
		}
		e.flag(FlagSCC, false, role)
	}
	if r.Has(ReadsVCCZ) {
		e.flag(FlagVCCZ, false, RoleBranch)
	}
	if r.Has(ReadsEXECZ) {
		e.flag(FlagEXECZ, false, RoleBranch)
	}
	vop3 := e.in.Enc == VOP3A || e.in.Enc == VOP3B
	if r.Has(ReadsVCC) || r.Has(CarryIn) && !vop3 {
		e.implied(VCC, 2, false, RoleMask)
	}
	switch {
	case r.Has(IgnoresEXEC):
	case e.vector():
		e.implied(EXEC, 2, false, RoleExec)
	case r.Has(WritesEXEC): // s_*_saveexec_b64 and forks combine EXEC with a source
		e.implied(EXEC, 2, false, RoleData)
	}
	if role, ok := e.in.m0Use(); ok {
		e.implied(M0, 1, false, role)
	}
	if r.Enc == FLAT && e.t.FlatScratch >= 0 || r.Enc == SCRATCH {
		e.implied(int(e.t.FlatScratch), 2, false, RoleAddress)
	}
	switch {
	case r.Imm == HwregImm:
		if r.Sig.Dst != None {
			e.hwreg(false)
		}
	case r.Enc == EXP:
		e.exported()
	}
}

// impliedWrites adds the writes that have no operand.
func (e *effects) impliedWrites() {
	r := e.row
	if r.Has(CarryOut) && e.in.Enc != VOP3B {
		e.implied(VCC, 2, true, RoleMask)
	}
	if r.Has(WritesSCC) {
		e.flag(FlagSCC, true, RoleData)
	}
	if r.Has(WritesEXEC) {
		e.implied(EXEC, 2, true, RoleExec)
	}
	if r.Has(WritesM0) {
		e.implied(M0, 1, true, RoleIndex)
	}
	if r.Has(WritesMODE) || r.Has(Sampler) {
		e.flag(FlagMODE, true, RoleData)
	}
	if r.Control == SetsVSKIP {
		e.flag(FlagHwregMODE, true, RoleData)
	}
	if r.Has(WritesTRAPSTS) {
		e.flag(FlagTRAPSTS, true, RoleData)
	}
	if r.Imm == HwregImm && r.Sig.Dst == None {
		e.hwreg(true)
	}
}

// hwreg adds the hardware register of S_GETREG or S_SETREG.
func (e *effects) hwreg(write bool) {
	e.flag(FlagHwreg+Flag(e.in.Get(SIMM16)&63), write, RoleData) // rule ST8
}

// exported adds the sources of an export.
func (e *effects) exported() {
	for n := range 4 {
		if vgpr, used := e.in.Exported(n); used {
			e.add(Effect{File: VReg, Code: uint16(vgpr), Dwords: 1, Bytes: allBytes, Lanes: ActiveLanes, Named: true,
				Field: VDATA})
		}
	}
}

// m0Use returns the role of M0 if the instruction reads it without naming it; ok is false if it does not.
func (i Inst) m0Use() (role Role, ok bool) {
	r := i.Row()
	t := TraitsOf(i.Target)
	switch {
	case r.Has(ReadsM0):
		switch {
		case r.Enc == SOPP && r.Imm != IndexImm:
			return RoleMessage, true
		case r.Enc == DS, r.Enc == MUBUF, r.Enc == VINTRP, r.Has(Interpolates):
			return RoleLimit, true
		}
		return RoleIndex, true
	case r.Enc == DS && r.Mem.Elem > 0 && r.Mem.Move == NoMove:
		return RoleLimit, i.Bool(GDS) || t.LDSLimitM0
	case r.Enc == MUBUF && i.Bool(LDS) && !r.nullary():
		return RoleLimit, true
	case r.Enc == FLAT: // lanes may be in LDS
		return RoleLimit, t.LDSLimitM0
	}
	return RoleData, false
}
