package device

import "fmt"

// Mapping is a range of addresses of an open file, as a dispatch finds it.
type Mapping struct {
	Addr, Size uint64
	Name       string // of the buffer object, as in "buffer object 4"
	// Data is a copy of the bytes, up to the last one that may not be 0.
	Data []byte
	// Unbound says that nothing is there: reads give 0, and what is stored is dropped.
	Unbound bool
}

// Mappings returns what the open file of d has mapped, by address. [Options].Watch may call it, before d runs. The
// error says that there are more than limit bytes of data.
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
