package state

// Message is a message that a wave sent by s_sendmsg. Nothing answers it; it is kept for inspection.
type Message struct {
	PC  uint64 // PC after the instruction
	ID  uint8  // message number, SIMM16[3:0]
	Imm uint16 // SIMM16
	M0  uint32
}

// Export holds the values that an EXP instruction exported. No render target receives them; they are kept for
// inspection.
type Export struct {
	PC         uint64 // PC after the instruction
	Target     uint8  // TGT: 0-7 MRT, 8 MRTZ, 9 NULL, 12-15 POS, 32-63 PARAM
	Enable     uint8  // EN: mask of the four components
	Compressed bool   // COMPR: the first two registers hold pairs of halves
	Done       bool
	ValidMask  bool
	Exec       uint64
	Data       [4]Lanes // VSRC0 to VSRC3; 0 where EN does not select the component
}
