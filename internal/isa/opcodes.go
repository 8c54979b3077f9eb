package isa

// opcodes are the opcodes of an instruction by generation, -1 where it does not exist. Tables write them as changes:
// an opcode is valid until a later generation changes it.
type opcodes [NumGens]int16

// no marks a generation without the instruction.
const no = -1

// absent is the opcodes of an instruction that no generation has.
var absent = opcodes{no, no, no, no, no}

// since returns the opcodes of an instruction that exists from generation g on.
func since(g Gen, code int16) opcodes { return absent.then(g, code) }

// then returns o with opcode code from generation g on.
func (o opcodes) then(g Gen, code int16) opcodes {
	for ; g < NumGens; g++ {
		o[g] = code
	}
	return o
}

// until returns o without the instruction from generation g on.
func (o opcodes) until(g Gen) opcodes { return o.then(g, no) }

// plus returns o with n added to each opcode.
func (o opcodes) plus(n int16) opcodes {
	for g := range o {
		if o[g] != no {
			o[g] += n
		}
	}
	return o
}

// wideAtomics returns the 64-bit forms of the 32-bit atomics among rows of buffers, FLAT and scalar memory. Their
// opcodes are higher by 32.
func wideAtomics(rows []Row) []Row {
	var all []Row
	for _, r := range rows {
		if r.Mem.Op == Atomic {
			r.Name, r.Code, r.Mem.Elem = r.Name+"_x2", opcodes(r.Code).plus(32), 8
			all = append(all, r)
		}
	}
	return all
}
