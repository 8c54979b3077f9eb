package sim

// RegistersOf returns the registers with which [Machine.Dispatch] starts l. release unmaps the memory that they point
// to. Private memory is mapped for two work-groups.
func RegistersOf(m *Machine, l *Launch) (c *Compute, release func(), err error) {
	k, err := l.Module.Object.Kernel(l.Kernel)
	if err != nil {
		return nil, nil, err
	}
	h, err := m.newHSA(l, k)
	if err != nil {
		return nil, nil, err
	}
	c = h.registers()
	if s := h.scratch; s.size > 0 {
		m.Free(h.owned[len(h.owned)-1])
		b, err := m.Map(s.base, 2*s.size)
		if err != nil {
			return nil, nil, err
		}
		h.owned[len(h.owned)-1] = b
		c.TmpRing = c.TmpRing&^0xfff | uint32(2*s.size/uint64(h.waveScratch))
	}
	return c, h.release, nil
}
