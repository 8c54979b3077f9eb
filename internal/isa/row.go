package isa

import (
	"slices"
	"sync"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Type is the type of an operand: its width in registers and its treatment by text and modifiers.
type Type uint8

// The operand types.
const (
	None Type = iota
	B16       // 16 bits that are not a number
	I16
	U16
	F16
	B32
	I32
	U32
	F32
	B64
	I64
	U64
	F64
	V2I16 // two 16-bit integers, or two halves that are not numbers
	V2F16 // two 16-bit floats
	B96
	B128
	B256
	B512
	Mask     // one bit per lane, in an SGPR pair
	numTypes = iota
)

// TypeInfo describes operands of a type.
type TypeInfo struct {
	Dwords int  // number of 32-bit registers
	Float  bool // the operand is one floating-point number
	Bits16 bool // the operand has 16 bits, in one half of a register
	Halves bool // the operand is two numbers of 16 bits
	name   string
}

var typeInfo = [numTypes]TypeInfo{
	None: {name: "none"},
	B16:  {Dwords: 1, Bits16: true, name: "b16"}, I16: {Dwords: 1, Bits16: true, name: "i16"},
	U16: {Dwords: 1, Bits16: true, name: "u16"},
	F16: {Dwords: 1, Bits16: true, Float: true, name: "f16"},
	B32: {Dwords: 1, name: "b32"}, I32: {Dwords: 1, name: "i32"}, U32: {Dwords: 1, name: "u32"},
	F32: {Dwords: 1, Float: true, name: "f32"},
	B64: {Dwords: 2, name: "b64"}, I64: {Dwords: 2, name: "i64"}, U64: {Dwords: 2, name: "u64"},
	F64:   {Dwords: 2, Float: true, name: "f64"},
	V2I16: {Dwords: 1, Halves: true, name: "v2i16"}, V2F16: {Dwords: 1, Halves: true, name: "v2f16"},
	B96: {Dwords: 3, name: "b96"}, B128: {Dwords: 4, name: "b128"}, B256: {Dwords: 8, name: "b256"},
	B512: {Dwords: 16, name: "b512"},
	Mask: {Dwords: 2, name: "mask"},
}

var _ = enum.Full[Type](typeInfo[:])

// Info returns the description of type t. The caller must not change it.
func (t Type) Info() *TypeInfo { return &typeInfo[t] }

// String returns the suffix in the manuals, for example "f32".
func (t Type) String() string {
	if t < numTypes {
		return typeInfo[t].name
	}
	return enum.Number(t)
}

// Sig is the operand signature of a row: the destination, then the sources.
type Sig struct {
	Dst    Type
	Src    [3]Type
	NumSrc int // number of sources
}

// sig returns a signature with destination dst and sources src.
func sig(dst Type, src ...Type) Sig {
	s := Sig{Dst: dst}
	for s.NumSrc < copy(s.Src[:], src) && src[s.NumSrc] != None {
		s.NumSrc++
	}
	return s
}

// Flags are the properties of a row that are not operands. [Mem], [AddrParts], [Imm] and [Control] have the
// properties of instructions of one kind.
type Flags uint64

// The flags.
const (
	CarryIn      Flags = 1 << iota // the instruction reads a lane mask: VCC in VOP2, SRC2 in VOP3
	CarryOut                       // the instruction writes a lane mask: VCC in VOP2, SDST in VOP3
	WritesSCC                      // the instruction sets SCC from its scalar result
	ReadsSCC                       // SCC is an additional source (s_addc, s_cselect)
	WritesEXEC                     // the instruction writes EXEC without naming it (v_cmpx, s_*_saveexec)
	LiteralK                       // a 32-bit constant always follows the instruction word (v_madmk, s_setreg_imm32)
	KBeforeSrc1                    // with LiteralK: in text, the constant precedes the last source (v_madmk)
	Branch                         // SIMM16 is the distance to the branch target, in dwords from the next instruction
	ScalarDst                      // the destination of the vector instruction is an SGPR (v_readlane)
	ScalarSrc1                     // SRC1 is a scalar lane select (v_readlane, v_writelane)
	ReadsDst                       // the destination is also a source (v_mac, v_writelane)
	NoVOP3                         // the VOP1, VOP2 or VOPC row has no VOP3 form, although other such rows have one
	NoSDWA                         // the VOP1, VOP2 or VOPC row has no SDWA form, although other such rows have one
	NoDPP                          // the VOP1, VOP2 or VOPC row has no DPP form, although other such rows have one
	NoMods                         // the VOP3 form has no ABS, NEG, OMOD (integers and bits)
	OMODToo                        // the VOP3 form has OMOD although the result is not a float (conversions to integers)
	Sampler                        // MIMG: the instruction uses a sampler
	NoAddr                         // the memory instruction has no address operand
	NoData                         // the memory instruction has no data operand
	Two                            // DS: the instruction accesses two addresses, with OFFSET0 and OFFSET1
	BufferBase                     // scalar memory: SBASE is a V#
	IndexesVGPRs                   // the instruction, or a later one because of it, accesses VGPRs that it does not name
	NoOffset                       // scalar memory: the instruction has no base and no offset
	CLRXName                       // with Alias: CLRX prints this mnemonic
	NotCLRX                        // CLRX does not have the mnemonic
	// Alias: a second mnemonic of an opcode, in CLRX or (with NotCLRX) in LLVM, which is assembled, but never decoded
	Alias
	KeepsHigh     // a 16-bit result preserves bits 31:16 if Traits.KeepHigh is set, else the bits become 0
	GDSOnly       // DS: the instruction accesses GDS only, and its GDS bit must be set
	RegsOnly      // sources must be registers, not constants
	ReadsVCC      // the instruction reads VCC without naming it (v_div_fmas)
	Gathers       // MIMG: the result is one component of four texels, whatever the number of bits in DMASK
	RowOfTexels   // MIMG, with Gathers: the four texels are adjacent in a row
	Interpolates  // the row is the VOP3 form of an attribute interpolation: SRC0 is the attribute
	HalfAttr      // with Interpolates: SRC0 selects a half of the attribute
	Parameter     // the source is a parameter of an attribute, P10, P20 or P0, instead of a register
	OPSELToo      // the VOP3 form has OPSEL although no operand has 16 bits (v_alignbit)
	NoOPSEL       // the VOP3 form has no OPSEL: an instruction of GCN 1.2 that was kept under another mnemonic
	IntClamp      // CLAMP of VOP3 saturates the integer result, from GCN 1.2 on
	NotLLVM       // LLVM does not have the instruction
	ReadsVCCZ     // the instruction branches on VCCZ
	ReadsEXECZ    // the instruction branches on EXECZ
	ReadsM0       // the instruction reads M0 without naming it, on every generation; see [Inst.Effects]
	WritesM0      // the instruction writes M0 without naming it
	WritesMODE    // the instruction writes MODE.GPR_IDX_EN or MODE.CSP
	WritesTRAPSTS // the instruction writes the exceptions of TRAPSTS
	IgnoresEXEC   // the vector or memory instruction ignores EXEC
	Jumps         // the instruction jumps to an address in a register
	MixesHalves   // OP_SEL_HI selects whether a source is a float or a half
	HighResult    // the 16-bit result is written to bits 31:16 of the destination
	IndexesSGPRs  // the instruction accesses SGPRs that it does not name
	Swaps         // the instruction also writes its source
	MovesSource   // M0 is added to the number of the source register (s_movrels, v_movrels)
	MovesDst      // M0 is added to the number of the destination register (s_movreld, v_movreld)
	SavesEXEC     // the destination receives EXEC as it was before the instruction
	Signals       // the comparison raises the invalid operation exception for quiet NaNs, too (v_cmps)
	EntersTrap    // the instruction enters the trap handler (s_trap)
	Chooses       // the result is one of the sources, selected by their order: minimum, maximum, median
	Reversed      // the instruction computes S1 - S0 (v_subrev)
)

// MemOp is the operation of a memory instruction on memory.
type MemOp uint8

// The memory operations.
const (
	NoMem MemOp = iota
	Load
	Store
	Atomic    // a read-modify-write, which returns the old value if GLC or Mem.Ret is set
	Special   // another operation, which needs its own executor
	NumMemOps = iota
)

// D16Half is the half of a register that a 16-bit memory instruction accesses.
type D16Half uint8

// The halves.
const (
	Full     D16Half = iota // the instruction accesses all 32 bits of a register
	LowHalf                 // the instruction accesses bits 15:0; a load preserves bits 31:16
	HighHalf                // the instruction accesses bits 31:16; a load preserves bits 15:0
	Packed                  // format instructions: a register has two components, or one (GCN 1.2)
)

// LaneMove is the way in which a DS instruction that does not access memory moves values between lanes.
type LaneMove uint8

// The moves.
const (
	NoMove        LaneMove = iota // the instruction moves no values between lanes, but accesses memory
	SwizzlesLanes                 // each lane reads the lane that OFFSET selects (ds_swizzle_b32)
	PullsLanes                    // each lane reads the lane that its address selects (ds_bpermute_b32)
	PushesLanes                   // each lane writes to the lane that its address selects (ds_permute_b32)
)

// Mem holds the memory traits of a row.
type Mem struct {
	Op     MemOp
	Elem   uint8 // the number of bytes of an element in memory; 0 for format instructions
	Count  uint8 // the number of elements of a lane, or of components of a format instruction
	Signed bool  // a load of less than a dword sign-extends the value
	Format bool  // the instruction converts between the format of the buffer and registers
	D16    D16Half
	Atomic AtomicOp
	Ret    bool // DS: the atomic returns the old value
	Move   LaneMove

	Stride64 bool // DS: offsets are in units of 64 elements
	InLDS    bool // DS: both operands are in memory (ds_*_src2)
	ByLane   bool // the address in LDS is M0[15:0] + OFFSET + lane*4 (rules DS6 and DP11)
	Lanes64  bool // scalar memory: the offset register is multiplied by 64 (S_SCRATCH_*)
	// The fields below are derived from those above.

	Dwords   uint8 // the number of data registers, if D16 data were not packed; see [Inst.DataDwords]
	Second   bool  // an atomic has two operands: DATA0 and DATA1 of DS, halves of the data of others
	Compares bool  // an atomic changes memory only if it contains the compare value
	Commutes bool  // the result in memory of several atomics does not depend on their order
}

// derive sets the derived fields for rows of enc.
func (m *Mem) derive(enc Encoding) {
	f := &atomics[m.Atomic]
	m.Second, m.Compares, m.Commutes = f.second, f.compares, f.commutes
	m.Dwords = m.dwords(enc)
}

func (m *Mem) dwords(enc Encoding) uint8 {
	switch {
	case m.Second && enc != DS:
		return m.Elem / 4 * 2
	case m.Format:
		return m.Count
	default:
		return (m.Elem*m.Count + 3) / 4
	}
}

// Imm is the text form of a row's immediate: a number, or a special expression.
type Imm uint8

// The kinds of immediates.
const (
	PlainImm   Imm = iota
	WaitImm        // the values of wait counters (s_waitcnt)
	HwregImm       // the name of a hardware register and a bit range (s_getreg_b32)
	MessageImm     // the name of a message (s_sendmsg)
	IndexImm       // the names of VGPR index modes (s_set_gpr_idx_on)
	EndImm         // a number that is omitted if it is 0 (s_endpgm)
	SwizzleImm     // a permutation of lanes (ds_swizzle_b32)
)

// Row is one instruction: its mnemonic, its opcode on each generation and its traits. A mnemonic that means different
// instructions on different generations has several rows.
type Row struct {
	Name    string
	Enc     Encoding       // the native encoding; VOP1, VOP2 and VOPC rows also have a VOP3 form
	Code    [NumGens]int16 // the opcode in Enc by generation, -1 if the generation does not have the instruction
	Sig     Sig
	Only    [3]RegFile // the register file that each source must be in; NotReg if constants are also allowed
	Mem     Mem
	Flags   Flags
	Imm     Imm
	Addr    AddrParts // the parts of the address of an image instruction
	Rate    Rate      // the rate of an ALU instruction
	Control Control
	needs   features // the features that a processor must have, which only some of a generation do
	// Does describes the operation if Mem does not determine it, as the end of a sentence that starts with "it". For a
	// computation, it is the result from sources S0 to S2, if Cond and Half do not determine the result.
	Does string
	Cond Cond   // the condition of a comparison
	Half Op     // the operation of a packed instruction on each half
	half string // the mnemonic of Half
	// Note says why the plain form is not executed exactly; nil if it is. Modifiers, formats and sizes can lower the
	// fidelity of a form.
	Note *Note
	// Flow describes which source bits each bit of the result depends on: Flow[0] for S0 and S1 and, if it is not
	// FlowAny, Flow[1] for that result and S2.
	Flow [2]Flow
}

// On reports whether processor t has the instruction.
func (r *Row) On(t Target) bool {
	return r.Code[t.Gen()] >= 0 && TraitsOf(t).features&r.needs == r.needs
}

// Has reports whether the row has all flags of want.
func (r *Row) Has(want Flags) bool { return r.Flags&want == want }

// nullary reports whether a memory instruction has no operands and ignores all of its fields: the cache instructions
// of MUBUF, ds_nop.
func (r *Row) nullary() bool {
	return r.Has(NoAddr|NoData) && !r.Has(GDSOnly) && r.Mem == (Mem{Op: Special})
}

// only returns the register file that source n must be in. It returns NotReg if constants are also allowed. They are
// not if the instruction adds to the register number, writes the source, or reads more bits than a constant has.
func (r *Row) only(n int) RegFile {
	vector := r.Enc >= VOP1 && r.Enc <= VOP3P
	switch {
	case r.Has(RegsOnly) && !vector:
		return SReg
	case r.Has(RegsOnly), vector && r.Sig.Src[n] == B128, r.Has(Swaps):
		return VReg
	}
	return NotReg
}

// Op identifies a row. The zero Op is not an instruction. Numbers are not stable between versions of this module: use
// mnemonics to store or exchange them.
type Op uint16

// RowOf returns the row of op. It panics if op is not a row.
func RowOf(op Op) *Row { return &rows[op] }

// String returns the mnemonic.
func (op Op) String() string {
	if int(op) < len(rows) {
		return rows[op].Name
	}
	return enum.Number(op)
}

// NumOps returns the largest Op + 1.
func NumOps() int { return len(rows) }

// rows holds all instructions by [Op]. Index 0 is invalid.
var rows = func() []Row {
	all := slices.Concat(
		[]Row{{Name: "invalid", Code: absent}},
		sop1Rows, sop2Rows, sopcRows, sopkRows, soppRows, smemRows,
		vop1Rows, vop2Rows, vopcRows(), vop3Rows, vop3pRows, vintrpRows, expRows,
		dsRows, mubufRows, mtbufRows, mimgRows, flatRows, globalRows, scratchRows,
	)
	for i := range all {
		r := &all[i]
		r.Rate, r.Note = r.pace(), r.doubt()
		r.Mem.derive(r.Enc)
		for n := range r.Only {
			r.Only[n] = r.only(n)
		}
		if r.half != "" {
			n := slices.IndexFunc(all, func(one Row) bool { return one.Name == r.half })
			if n < 0 {
				panic("gcn: " + r.Name + " does " + r.half + ", which has no row")
			}
			r.Half = Op(n)
		}
	}
	return all
}()

// promoted has the first VOP3 opcodes of VOPC, VOP2 and VOP1. Source: AMD GCN ISA manuals, VOP3 opcode tables.
var promoted = [NumGens][NumEncodings]int16{
	GCN10: {VOPC: 0, VOP2: 256, VOP1: 384}, GCN11: {VOPC: 0, VOP2: 256, VOP1: 384},
	GCN12: {VOPC: 0, VOP2: 256, VOP1: 320}, GCN14: {VOPC: 0, VOP2: 256, VOP1: 320},
	GCN141: {VOPC: 0, VOP2: 256, VOP1: 320},
}

var _ = enum.Full[Gen](promoted[:])

// vop3 returns the encoding and the opcode of the VOP3 form of r, if t has it.
func (r *Row) vop3(t Target) (e Encoding, code int16, ok bool) {
	g := t.Gen()
	switch r.Enc {
	case VOP3A, VOP3B, VOP3P:
		return r.Enc, r.Code[g], true
	case VOP1, VOP2, VOPC:
		if r.Has(NoVOP3) {
			return Invalid, 0, false
		}
		e = VOP3A
		if r.Has(CarryOut) {
			e = VOP3B
		}
		return e, promoted[g][r.Enc] + r.Code[g], true
	}
	return Invalid, 0, false
}

// byName returns a map from mnemonics to their rows. It is built at the first call, because programs that only decode
// and execute never need it.
var byName = sync.OnceValue(func() map[string][]Op {
	m, each := make(map[string][]Op, len(rows)), make([]Op, len(rows))
	for op := 1; op < len(rows); op++ {
		each[op] = Op(op)
		if name := rows[op].Name; m[name] == nil { // most mnemonics have one row: their slices share an array
			m[name] = each[op : op+1 : op+1]
		} else {
			m[name] = append(m[name], Op(op))
		}
	}
	return m
})

// Ops returns all rows with the mnemonic, on any generation, or nil if the mnemonic is unknown.
func Ops(mnemonic string) []Op { return byName()[mnemonic] }

// Lookup returns the rows with the mnemonic on processor t, the native one first. There are several if a mnemonic has
// rows of different encodings. If there is none, the error, an *[Error], names the processors that have one, or a
// similar mnemonic.
func Lookup(mnemonic string, t Target) ([]Op, error) {
	var found []Op
	for _, op := range byName()[mnemonic] {
		if rows[op].On(t) {
			found = append(found, op)
		}
	}
	if found == nil {
		return nil, noMnemonic(mnemonic, t)
	}
	return found, nil
}
