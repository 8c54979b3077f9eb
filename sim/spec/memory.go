package spec

import (
	"fmt"

	"github.com/gcnsim/gcnsim/sim"
)

// Storage is the LDS or the GDS of an [Exec].
type Storage struct {
	Size int    `json:"size"` // bytes; 0 is as many as Data has
	Data []byte `json:"hex"`  // bytes beyond it are 0
}

// setMemory maps the memory of e and returns its ranges.
func (e *Exec) setMemory(m *sim.Machine, seed uint64) (memory []*Memory, err error) {
	left := uint64(maxMemoryBytes)
	for i := range e.Mem {
		r := &e.Mem[i]
		size, err := r.size()
		switch {
		case err != nil:
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		case r.Addr == nil:
			return nil, fmt.Errorf("mem[%d]: it has no address; give addr", i)
		case size > left:
			return nil, fmt.Errorf("mem[%d]: with %d bytes at 0x%x the ranges are more than the %d bytes that a request "+
				"may map", i, size, *r.Addr, uint64(maxMemoryBytes))
		}
		left -= size
		b, err := m.Map(*r.Addr, size)
		if err != nil {
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		}
		if err := r.fill(b, i, seed); err != nil {
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		}
		memory = append(memory, &Memory{Buffer: b})
	}
	if err := e.LDS.set("lds", &m.LDSSize, m.LDS); err != nil {
		return nil, err
	}
	return memory, e.GDS.set("gds", &m.GDSSize, m.GDS)
}

// maxStorage is the size of the largest LDS and GDS.
const maxStorage = 64 << 10

// set sets the size of LDS or GDS, called name, and the data that get then returns.
func (s *Storage) set(name string, size *int, get func() *sim.Buffer) error {
	if s == nil {
		return nil
	}
	bytes, err := sized(uint64(s.Size), s.Data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if most := max(*size, maxStorage); bytes > uint64(most) {
		return fmt.Errorf("%s: %d bytes are more than the %d there are", name, bytes, most)
	}
	*size = int(bytes)
	copy(get().Bytes(), s.Data)
	return nil
}
