package gcn

// ScratchRules are the choices in FLAT_SCRATCH that differ between the rule sets (rule K1).
type ScratchRules struct {
	SizeLow bool // before GCN 1.4 the size is in the low dword and the offset in the high one
}

// ScratchRules returns the rules of t: those that drivers rely on, or the letter of the
// documents.
func (t *Traits) ScratchRules(driver bool) ScratchRules {
	return ScratchRules{SizeLow: driver && !t.FlatScratchIsAddr}
}

// Scratch returns where the private memory of a wave begins whose FLAT_SCRATCH is v, and
// the bytes of each lane: v is the address on GCN 1.4 (rule F12), before that offset and
// size, where the offset counts 256 bytes from base, SH_HIDDEN_PRIVATE_BASE (rule F4).
func (t *Traits) Scratch(r ScratchRules, base, v uint64) (addr, size uint64) {
	if t.FlatScratchIsAddr {
		return v, 1 << 32
	}
	offset, size := v&0xffffffff, v>>32
	if r.SizeLow {
		offset, size = size, offset
	}
	return base + offset&0xffffff*256, size & 0x7ffff
}
