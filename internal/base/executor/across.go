package executor

// Accesses that start in one range and end in an adjacent one. They are rare: elements are small and most are
// aligned.

// maxAcross is the size in bytes of the largest element of one lane, or of a scalar access.
const maxAcross = 64

// across calls do for each piece of the size bytes at addr with the range that contains it, and reports whether all
// of them are mapped. If not, do was called for the pieces before.
func across(mem Memory, addr uint64, size int, do func(s *Span, off uint64, from, to int)) bool {
	for at := 0; at < size; {
		s := mem.Find(addr + uint64(at))
		if s == nil {
			return false
		}
		off := addr + uint64(at) - s.Base
		n := int(min(s.Hi-off, uint64(size-at)))
		do(s, off, at, at+n)
		at += n
	}
	return true
}

// readAcross copies the bytes at addr to b, and reports whether all of them are mapped.
func readAcross(mem Memory, addr uint64, b []byte) bool {
	return across(mem, addr, len(b), func(s *Span, off uint64, from, to int) { copy(b[from:to], s.Bytes[off:]) })
}

// writeAcross copies b to the bytes at addr. It writes nothing if a range is not mapped or is sealed; then it returns
// the sealed range, or nil.
func writeAcross(mem Memory, addr uint64, b []byte) (sealed *Span, ok bool) {
	ok = across(mem, addr, len(b), func(s *Span, _ uint64, _, _ int) {
		if s.faultsStores() {
			sealed = s
		}
	})
	if !ok || sealed != nil {
		return sealed, false
	}
	return nil, across(mem, addr, len(b), func(s *Span, off uint64, from, to int) {
		if s.Seal != Unbound {
			copy(s.Bytes[off:], b[from:to])
		}
	})
}
