package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// sorts is a set of the sorts of instructions that the rows of wait states distinguish.
type sorts uint32

// The sorts.
const (
	salu sorts = 1 << iota
	valu       // includes interpolation (rule W12)
	interp
	vmem
	smem
	sbuffer // s_buffer_load
	dsLDS
	dsGDS
	export
	message
	trace       // s_ttracedata
	transfer    // between memory and LDS
	dpp         // SRC0 is read from other lanes
	divFmas     // reads VCC without naming it
	readLane    // v_readlane, v_readfirstlane
	moveRel     // s_movrel
	setreg      //
	setregVSKIP // of MODE.VSKIP
	setVSKIP    // s_setvskip
	getreg
	leaveTrap // s_rfe
	wide      // a store of more than 64 bits a lane
	wideImage // a wide image store with a T# of 128 bits

	vector = valu | vmem | dsLDS | dsGDS | export
)

// place is the set of registers that a row is about.
type place uint8

// The places.
const (
	anyScalar  place = iota // SGPRs, VCC and M0, not EXEC
	inVCC                   //
	inEXEC                  //
	vccOrEXEC               //
	inM0                    //
	anyVGPR                 //
	anyHwreg                // of S_GETREG and S_SETREG
	hwregMODE               // of any use by the second instruction
	hwregTRAPS              // of any use by the second instruction
)

// use is the way in which the second instruction of a row uses the register.
type use uint8

// The uses.
const (
	reads         use = iota
	writes            //
	asResource        // V#
	asAddress         // offset
	asLane            // lane select
	asLimit           // M0 for LDS
	asIndex           // M0 of s_movrel
	asZero            // VCCZ or EXECZ as a source
	moves             // DPP
	byAnotherName     // VCC under another name than the one by which it was written
	suffers           // it depends on the register without reading it
)

// stateRow is a pair of instructions that need wait states between them, because hardware neither interlocks nor
// counts (rule W11).
type stateRow struct {
	id     string // identifier for comparing compilers and documents
	rule   string
	gens   [2]gcn.Gen // the first and the last generation
	first  sorts
	of     place
	then   sorts
	use    use
	held   bool // the first instruction reads the register late, instead of writing it
	states uint8
	level  Severity
	off    string // why the row is not judged, although some source asks for it
	from   string // sources
}

// stateRows are the pairs, rules WS1 to WS19. A row of severity error has two sources, or one source and the ISA
// manual. A warning has one source. A note is inserted by one compiler and not by another.
var stateRows = [...]stateRow{
	{"WS01", "WS1", gens(gcn.GCN12, gcn.GCN141), valu, anyScalar, vmem, reads, false, 5, Error, "", "AMD Vega ISA; LLVM checkVMEMHazards; ACO"},
	{"WS01c", "WS1", gens(gcn.GCN10, gcn.GCN11), valu, anyScalar, vmem, reads, false, 5, Note, "", "ACO; LLVM takes hardware to interlock"},
	{"WS01x", "WS1", gens(gcn.GCN12, gcn.GCN141), valu, inEXEC, vmem, reads, false, 5, Note, "hardware interlocks", "LLVM alone"},
	{"WS02", "WS2", gens(gcn.GCN10, gcn.GCN10), valu, anyScalar, smem, reads, false, 4, Error, "", "AMD SI ISA; LLVM checkSMRDHazards; ACO"},
	{"WS03", "WS3", gens(gcn.GCN10, gcn.GCN10), salu, anyScalar, sbuffer, asResource, false, 4, Error, "", "LLVM checkSMRDHazards; ACO"},
	{"WS03o", "WS3", gens(gcn.GCN10, gcn.GCN10), salu, anyScalar, sbuffer, asAddress, false, 4, Note, "", "LLVM alone"},
	{"WS04", "WS4", gens(gcn.GCN10, gcn.GCN141), valu, inVCC, divFmas, reads, false, 4, Error, "", "AMD CDNA3 ISA; LLVM checkDivFMasHazards; ACO"},
	{"WS05", "WS5", gens(gcn.GCN10, gcn.GCN141), valu, anyScalar, valu, asLane, false, 4, Error, "", "AMD Vega ISA; LLVM checkRWLaneHazards; ACO"},
	{"WS06", "WS6", gens(gcn.GCN12, gcn.GCN141), valu, inEXEC, dpp, reads, false, 5, Error, "", "AMD Vega ISA; LLVM checkDPPHazards; ACO"},
	{"WS07", "WS7", gens(gcn.GCN12, gcn.GCN141), valu, anyVGPR, dpp, moves, false, 2, Error, "", "AMD Vega ISA; LLVM checkDPPHazards; ACO"},
	{"WS07c", "WS7", gens(gcn.GCN12, gcn.GCN141), vector, anyVGPR, dpp, reads, false, 2, Note, "only what DPP moves needs the states", "LLVM alone"},
	{"WS08", "WS8", gens(gcn.GCN10, gcn.GCN141), setreg, anyHwreg, getreg, reads, false, 2, Error, "", "AMD CDNA3 ISA; LLVM checkGetRegHazards; ACO"},
	{"WS09a", "WS9", gens(gcn.GCN10, gcn.GCN11), setreg, anyHwreg, setreg, writes, false, 1, Error, "", "LLVM checkSetRegHazards; ACO, two states"},
	{"WS09b", "WS9", gens(gcn.GCN12, gcn.GCN141), setreg, anyHwreg, setreg, writes, false, 2, Error, "", "AMD CDNA3 ISA; LLVM checkSetRegHazards; ACO"},
	{"WS10", "WS10", gens(gcn.GCN10, gcn.GCN141), setVSKIP, anyHwreg, getreg, reads, false, 2, Warning, "", "AMD CDNA3 ISA"},
	{"WS11", "WS11", gens(gcn.GCN10, gcn.GCN141), setregVSKIP, hwregMODE, vector, suffers, false, 2, Warning, "", "AMD CDNA3 ISA; ACO"},
	{"WS12", "WS12", gens(gcn.GCN10, gcn.GCN141), valu, vccOrEXEC, valu, asZero, false, 5, Warning, "", "AMD Vega ISA; ACO before 2019"},
	{"WS13", "WS13", gens(gcn.GCN11, gcn.GCN141), wide, anyVGPR, valu, writes, true, 1, Error, "", "AMD CDNA3 ISA; LLVM checkVALUHazards; ACO"},
	{"WS13c", "WS13", gens(gcn.GCN10, gcn.GCN10), wide, anyVGPR, valu, writes, true, 1, Note, "", "ACO; LLVM trusts EXPCNT"},
	{"WS13i", "WS13", gens(gcn.GCN10, gcn.GCN141), wideImage, anyVGPR, valu, writes, true, 1, Warning, "", "ACO"},
	{"WS14", "WS14", gens(gcn.GCN12, gcn.GCN141), salu, inM0, dsGDS | message | trace, reads, false, 1, Error, "", "AMD CDNA3 ISA; LLVM checkReadM0Hazards; ACO"},
	{"WS14c", "WS14", gens(gcn.GCN10, gcn.GCN11), salu, inM0, dsGDS | message | trace, reads, false, 1, Note, "", "ACO"},
	{"WS15", "WS15", gens(gcn.GCN14, gcn.GCN141), salu, inM0, moveRel, asIndex, false, 1, Error, "", "AMD CDNA3 ISA; LLVM checkReadM0Hazards; ACO"},
	{"WS16", "WS16", gens(gcn.GCN14, gcn.GCN141), salu, inM0, valu | dsLDS | transfer, asLimit, false, 1, Error, "", "AMD CDNA3 ISA; LLVM checkReadM0Hazards; ACO"},
	{"WS17", "WS17", gens(gcn.GCN12, gcn.GCN141), setreg, hwregTRAPS, leaveTrap, suffers, false, 1, Warning, "", "AMD CDNA3 ISA; LLVM checkRFEHazards"},
	{"WS18", "WS18", gens(gcn.GCN10, gcn.GCN10), interp, anyVGPR, readLane, reads, false, 1, Error, "", "Mesa README-ISA, confirmed by AMD"},
	{"WS19", "WS19", gens(gcn.GCN12, gcn.GCN141), valu, inVCC, valu, byAnotherName, false, 1, Warning, "", "AMD CDNA3 ISA"},
}

// maxStates is the largest number of wait states in a row.
const maxStates = 5

func gens(first, last gcn.Gen) [2]gcn.Gen { return [2]gcn.Gen{first, last} }

// in reports whether a row of place p can be about r.
func (p place) in(r reg) bool {
	vcc, exec := r&^1 == registers.VCC, r&^1 == registers.EXEC
	switch p {
	case anyScalar:
		return r >= registers.ScalarRegs && r < registers.FlagRegs && !exec
	case inVCC:
		return vcc
	case inEXEC:
		return exec
	case vccOrEXEC:
		return vcc || exec
	case inM0:
		return r == registers.M0
	case anyVGPR:
		return r < registers.ScalarRegs
	case anyHwreg:
		return r >= registers.FlagRegs+reg(isa.FlagHwreg)
	}
	return false
}

// register returns the register of a row whose second instruction depends on it without reading it.
func (p place) register() reg {
	if p == hwregTRAPS {
		return registers.FlagRegs + reg(isa.FlagTRAPSTS)
	}
	return registers.FlagRegs + reg(isa.FlagHwregMODE)
}

// uses reports whether an effect of the second instruction is a use.
func (u use) uses(f *isa.Effect) bool {
	if (u == writes) != f.Write {
		return false
	}
	switch u {
	case asResource:
		return f.Role == isa.RoleResource
	case asAddress:
		return f.Role == isa.RoleAddress
	case asLane:
		return f.Role == isa.RoleLane
	case asLimit:
		return f.Role == isa.RoleLimit
	case asIndex:
		return f.Role == isa.RoleIndex
	case asZero:
		return f.File == isa.FlagReg && f.Role == isa.RoleData
	case moves:
		return f.Lanes == isa.MovedLanes
	case byAnotherName:
		return f.File == isa.SReg && f.Role == isa.RoleData
	}
	return true
}

// sortsOf returns the sorts of instructions to which an instruction with these effects belongs.
func sortsOf(in *isa.Inst, effects []isa.Effect) (s sorts) {
	r := in.Row()
	add := func(is bool, what sorts) {
		if is {
			s |= what
		}
	}
	switch enc := r.Enc; {
	case enc <= isa.SOPP:
		s = salu
	case enc == isa.SMEM:
		s = smem
		add(r.Has(isa.BufferBase) && r.Mem.Op == gcn.Load, sbuffer)
	case enc == isa.VINTRP || r.Has(isa.Interpolates):
		s = valu | interp
	case enc == isa.DS:
		s = dsLDS
		if in.Bool(isa.GDS) {
			s = dsGDS
		}
	case enc == isa.EXP:
		s = export
	case enc <= isa.VOP3P:
		s = valu
	default:
		s = vmem
		s |= wideStore(in, effects)
	}
	add(registers.Transfer(in) != gcn.NoMem, transfer)
	add(in.Has(isa.DPPCTRL), dpp)
	add(s&valu != 0 && r.Has(isa.ReadsVCC), divFmas)
	add(r.Has(isa.ScalarDst) && s&valu != 0, readLane)
	add(s&salu != 0 && (r.Has(isa.MovesSource) || r.Has(isa.MovesDst)), moveRel)
	add(r.Imm == isa.MessageImm, message)
	add(r.Control == isa.Traces, trace)
	add(r.Control == isa.SetsVSKIP, setVSKIP)
	add(r.Control == isa.LeavesTrap, leaveTrap)
	if r.Imm == isa.HwregImm {
		id, shift, mask := executor.Hwreg(in)
		set := r.Sig.Dst == isa.None
		add(!set, getreg)
		add(set, setreg)
		add(set && isa.FlagHwreg+isa.Flag(id) == isa.FlagHwregMODE && mask<<shift&modeVSKIP != 0, setregVSKIP)
	}
	return s
}

// modeVSKIP is MODE.VSKIP (rule ST5).
const modeVSKIP = 1 << 28

// wideStore returns the sort of a vector store of more than 64 bits a lane, if the store reads its registers late
// (rule WS13), or 0.
func wideStore(in *isa.Inst, effects []isa.Effect) sorts {
	m := &in.Row().Mem
	if m.Op != gcn.Store && !m.Second {
		return 0
	}
	dwords := 0
	for i := range effects {
		if f := &effects[i]; !f.Write && isVectorData(f) {
			dwords += int(f.Dwords)
		}
	}
	switch {
	case dwords <= 2:
		return 0
	case in.Enc == isa.MIMG && in.Bool(isa.R128):
		return wideImage
	case in.Enc == isa.MIMG:
		return 0
	case (in.Enc == isa.MUBUF || in.Enc == isa.MTBUF) && in.Get(isa.SOFFSET) < isa.NumScalarCodes:
		return 0
	}
	return wide
}
