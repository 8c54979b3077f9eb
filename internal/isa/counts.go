package isa

// Counts holds the increments of the S_WAITCNT counters when an instruction issues.
type Counts struct{ VM, EXP, LGKM uint8 }

// Counts returns the increments of VMCNT, EXPCNT and LGKMCNT when i issues. Source: rule W2.
func (i Inst) Counts() Counts {
	r := i.Row()
	switch r.Enc {
	case MUBUF, MTBUF, MIMG, GLOBAL, SCRATCH:
		return Counts{VM: 1, EXP: i.storeReads()}
	case FLAT: // the lanes determine the memory
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

// Waits returns the counter values that an S_WAITCNT waits for. A counter's maximum means that it does not wait.
// Source: rules W1 and K7.
func (i Inst) Waits() Counts {
	imm := i.Get(SIMM16)
	c := Counts{VM: uint8(imm & 15), EXP: uint8(imm >> 4 & 7), LGKM: uint8(imm >> 8 & 15)}
	if TraitsOf(i.Target).MaxVM > 15 {
		c.VM |= uint8(imm >> 10 & 0x30)
	}
	return c
}

// storeReads returns the increment of EXPCNT by a store or an atomic until its data have been read.
func (i Inst) storeReads() uint8 {
	r := i.Row()
	if TraitsOf(i.Target).StoresCountEXP && (r.Mem.Op == Store || r.Mem.Op == Atomic) {
		return 1
	}
	return 0
}
