package codeobj

import "debug/elf"

// Functions about an object for packages of this module only. Users of the library see its methods and fields.

// InitSGPRs returns the contents of the SGPRs of k when a wave starts, from s0 on, user SGPRs first.
func InitSGPRs(k *Kernel) []InitSGPR { return k.initSGPRs }

// FeaturesOf returns the settings of XNACK and SRAM-ECC in o.
func FeaturesOf(o *Object) Features { return o.features }

// Extent returns the first address of the image of o at load base 0, and its end.
func Extent(o *Object) (lo, hi uint64) { return o.lo, o.hi }

// Constant returns n bytes at an address relative to the load base. ok is false unless the file contains them, no
// program changes them and they do not depend on the load address.
func Constant(o *Object, vaddr, n uint64) ([]byte, bool) {
	seg := o.segmentAt(vaddr)
	if seg < 0 || o.segments[seg].Write {
		return nil, false
	}
	at := vaddr - o.segments[seg].VAddr
	for _, r := range o.relocs {
		if r.seg == seg && r.off < at+n && at < r.off+r.kind.bytes {
			return nil, false
		}
	}
	return slice(o.segments[seg].Data, at, n)
}

// Table returns the constants of the symbol at an address relative to the load base, and the address of the first
// one.
func Table(o *Object, vaddr uint64) (start uint64, data []byte, ok bool) {
	for _, s := range o.symbols {
		if !s.abs && s.kind == elf.STT_OBJECT && vaddr-s.VAddr < s.Size {
			data, ok = Constant(o, s.VAddr, s.Size)
			return s.VAddr, data, ok
		}
	}
	return 0, nil, false
}

// Explicit returns the arguments of a kernel that its source declares, without those that the runtime adds.
func Explicit(k *Kernel) (all []*Arg) {
	for i := range k.Args {
		if a := &k.Args[i]; !a.Hidden {
			all = append(all, a)
		}
	}
	return all
}
