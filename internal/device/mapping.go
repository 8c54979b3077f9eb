package device

import "fmt"

// Mapping is an address range of an open file as it is when a dispatch starts.
type Mapping struct {
	Addr, Size uint64
	Name       string // name of the buffer object, such as "buffer object 4"
	// Data is a copy of the bytes, without the zeros at the end.
	Data []byte
	// Unbound ranges have no memory: reads return 0, and stores are dropped.
	Unbound bool
}

// Mappings returns the mappings of d's open file in order of addresses. [Options].Watch may call it, before d
// executes. The error says that there are more than limit bytes of data.
func (d *Dispatch) Mappings(limit uint64) (all []Mapping, err error) {
	s := d.space
	s.mu.RLock()
	defer s.mu.RUnlock()
	left := limit
	for e := range s.maps.From(0) {
		m := Mapping{Addr: e.Lo, Size: e.Hi - e.Lo, Name: e.Value.name(), Unbound: e.Value.bo == nil}
		if !m.Unbound {
			store := s.storeOf(e.Value.bo)
			pieces := store.written(e.Value.off, m.Size)
			if n := len(pieces); n > 0 {
				size := pieces[n-1].off + pieces[n-1].size - e.Value.off
				if size > left {
					return nil, fmt.Errorf("the memory of the program has more than %d bytes", limit)
				}
				left -= size
				m.Data = make([]byte, size)
			}
			for _, p := range pieces {
				copy(m.Data[p.off-e.Value.off:], store.bytes[p.off:p.off+p.size])
			}
		}
		all = append(all, m)
	}
	return all, nil
}
