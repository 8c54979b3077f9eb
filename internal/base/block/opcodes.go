//go:build linux && amd64 && !purego

package block

// opcode is the code of a host instruction on general registers; 0x0f is the first byte of codes of two bytes. Names
// follow Intel's manual. From in a name means that the source is the operand in memory or the second register, which
// otherwise is the destination.
type opcode uint16

const (
	opADD      opcode = 0x01
	opADDFrom  opcode = 0x03
	opOR       opcode = 0x09
	opORFrom   opcode = 0x0b
	opADC      opcode = 0x11
	opSBB      opcode = 0x19
	opAND      opcode = 0x21
	opANDFrom  opcode = 0x23
	opSUB      opcode = 0x29
	opSUBFrom  opcode = 0x2b
	opXOR      opcode = 0x31
	opCMP      opcode = 0x39
	opCMPFrom  opcode = 0x3b
	opMOVSXD   opcode = 0x63
	opTEST     opcode = 0x85
	opMOVB     opcode = 0x88 // moves a byte, like opMOVBFrom
	opMOV      opcode = 0x89
	opMOVBFrom opcode = 0x8a
	opMOVFrom  opcode = 0x8b
	opLEA      opcode = 0x8d
	opCMOV     opcode = 0x0f40 // plus a condition, like opJump and opSET
	opJump     opcode = 0x0f80
	opSET      opcode = 0x0f90
	opIMUL     opcode = 0x0faf
	opMOVZXB   opcode = 0x0fb6
	opMOVZXW   opcode = 0x0fb7
	opBSF      opcode = 0x0fbc
	opMXCSR    opcode = 0x0fae // a group

	opRET       opcode = 0xc3
	opINT3      opcode = 0xcc
	opJMP       opcode = 0xe9
	opTESTAL    opcode = 0xa8 // AL with a constant
	opMOVValue  opcode = 0xb8 // plus the number of a register that receives a constant
	operandSize        = 0x66 // prefix: the instruction has 16 bits
)

// Codes of groups, whose instruction is selected by a number in the position of a register. opByImm has a constant of
// 32 bits, the others one of 8 bits.
const (
	opByImmB   opcode = 0x80 // on a byte
	opByImm    opcode = 0x81
	opByImm8   opcode = 0x83
	opShiftImm opcode = 0xc1
	opMOVImmB  opcode = 0xc6
	opMOVImm   opcode = 0xc7 // a constant of 32 bits
	opShiftCL  opcode = 0xd3
	opTESTImmB opcode = 0xf6
	opUnary    opcode = 0xf7
	opINCB     opcode = 0xfe
	opINC      opcode = 0xff
)

// Numbers of instructions in groups.
const (
	byADD, byAND, bySUB, byCMP = 0, 4, 5, 7 // in opByImm, opByImm8 and opByImmB
	byROR, bySHL, bySHR, bySAR = 1, 4, 5, 7 // in opShiftImm and opShiftCL
	byNOT                      = 2          // in opUnary
	byINC, byDEC, byJMP        = 0, 1, 4    // in opINC and opINCB
	bySTMXCSR                  = 3          // in opMXCSR
	byMOV, byTEST              = 0, 0       // in opMOVImm, opMOVImmB and opTESTImmB
)

// code emits an opcode.
func (a *asm) opcode(c opcode) {
	if c > 0xff {
		a.emit(byte(c >> 8))
	}
	a.emit(byte(c))
}

// Instructions on vectors beyond those of the lists of package vector. The mnemonic is the name.
var (
	vpternlogd  = form{1, 3, 0x25, false}
	vpcmpud     = form{1, 3, 0x1e, false}
	vfmadd213ps = form{1, 2, 0xa8, false}
	vmovmskps   = form{0, 1, 0x50, false}
	vptestmd    = form{1, 2, 0x27, false}
	vptest      = form{1, 2, 0x17, false}
	vblendvps   = form{1, 3, 0x4a, false}
	vpblendvb   = form{1, 3, 0x4c, false}
	vpblendmd   = form{1, 2, 0x64, false}
	vpblendmb   = form{1, 2, 0x66, false}
	vmaskmovps  = form{1, 2, 0x2c, false} // loads from memory
	vmaskmovTo  = form{1, 2, 0x2e, false} // stores to memory
	vpgatherdd  = form{1, 2, 0x90, false}
	vpscatterdd = form{1, 2, 0xa0, false}

	vinsertf128, vinsertf32x8   = form{1, 3, 0x18, false}, form{1, 3, 0x1a, false}
	vextractf128, vextractf32x8 = form{1, 3, 0x19, false}, form{1, 3, 0x1b, false}

	kmovwToMask = []byte{0xc5, 0xf8, 0x92, 0xc8} // KMOVW K1, EAX
	kortestw    = []byte{0xc5, 0xf8, 0x98, 0xc9} // KORTESTW K1, K1
)

// kmovw emits a move of mask register 1 to a general register.
func (a *asm) kmovw(reg int) { a.emit(0xc5, (1-high(reg))<<7|0x78, 0x93, 0xc1|byte(reg&7)<<3) }
