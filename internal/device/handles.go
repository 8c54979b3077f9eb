package device

// handles assigns to each object of a file the lowest free number from 1 on, like the kernel.
type handles[T any] struct {
	items []*T // items[n-1] has number n; nil entries are free
	low   int  // all entries below this index are used
}

// maxHandles limits the objects of one kind that a client can create.
const maxHandles = 1 << 20

// add returns the number of v; ok is false if there are too many.
func (h *handles[T]) add(v *T) (n uint32, ok bool) {
	for h.low < len(h.items) && h.items[h.low] != nil {
		h.low++
	}
	if h.low >= maxHandles {
		return 0, false
	}
	if h.low == len(h.items) {
		h.items = append(h.items, nil)
	}
	h.items[h.low] = v
	return uint32(h.low) + 1, true
}

// get returns the object with number n, or nil.
func (h *handles[T]) get(n uint32) *T {
	if n == 0 || uint64(n) > uint64(len(h.items)) {
		return nil
	}
	return h.items[n-1]
}

// remove frees number n and returns the object that had it.
func (h *handles[T]) remove(n uint32) *T {
	v := h.get(n)
	if v != nil {
		h.items[n-1] = nil
		h.low = min(h.low, int(n-1))
	}
	return v
}
