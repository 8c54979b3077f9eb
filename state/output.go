package state

// Message is a message that s_sendmsg sent. Nobody answers it: it is kept for inspection.
type Message struct {
	PC  uint64 // of the instruction after it
	ID  uint8  // message number, SIMM16[3:0]
	Imm uint16 // SIMM16
	M0  uint32
}

// Export holds the values that an EXP instruction exported. No render target receives them: they are kept
// for inspection.
type Export struct {
	PC         uint64 // of the instruction after it
	Target     uint8  // TGT: 0-7 MRT, 8 MRTZ, 9 NULL, 12-15 POS, 32-63 PARAM
	Enable     uint8  // EN: which of the four components
	Compressed bool   // COMPR: components are pairs of halves in the first two
	Done       bool
	ValidMask  bool
	Exec       uint64
	Data       [4]Lanes // of VSRC0 to VSRC3; 0 where EN does not ask for one
}
