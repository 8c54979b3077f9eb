package isa

// Counts holds what an instruction adds to the counters of S_WAITCNT when it issues.
type Counts struct{ VM, EXP, LGKM uint8 }

// Counts returns what i adds to VMCNT, EXPCNT and LGKMCNT. Source: rule W2.
func (i Inst) Counts() Counts {
	r := i.Row()
	switch r.Enc {
	case MUBUF, MTBUF, MIMG, GLOBAL, SCRATCH:
		return Counts{VM: 1, EXP: i.storeReads()}
	case FLAT: // the lanes choose the memory
		return Counts{VM: 1, EXP: i.storeReads(), LGKM: 1}
	case DS:
		if i.Bool(GDS) && r.Mem.Move == NoMove && !r.nullary() {
			return Counts{EXP: 1, LGKM: 1}
		}
		return Counts{LGKM: 1}
	case SMEM:
		if int(r.Mem.Elem)*int(r.Mem.Count) > 4 {
			return Counts{LGKM: 2}
		}
		return Counts{LGKM: 1}
	case EXP:
		return Counts{EXP: 1}
	case SOPP:
		if r.Imm == MessageImm {
			return Counts{LGKM: 1}
		}
	}
	return Counts{}
}

// Waits returns the counter values that an S_WAITCNT waits for; a counter's largest value
// waits for nothing. Source: rules W1 and K7.
func (i Inst) Waits() Counts {
	imm := i.Get(SIMM16)
	c := Counts{VM: uint8(imm & 15), EXP: uint8(imm >> 4 & 7), LGKM: uint8(imm >> 8 & 15)}
	if TraitsOf(i.Target).MaxVM > 15 {
		c.VM |= uint8(imm >> 10 & 0x30)
	}
	return c
}

// storeReads returns how much a store or an atomic adds to EXPCNT until its data have been
// read.
func (i Inst) storeReads() uint8 {
	r := i.Row()
	if TraitsOf(i.Target).StoresCountEXP && (r.Mem.Op == Store || r.Mem.Op == Atomic) {
		return 1
	}
	return 0
}
