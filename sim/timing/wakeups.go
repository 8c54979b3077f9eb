package timing

// wakeup is when a SIMD looks at its waves next.
type wakeup struct {
	at uint64
	s  *simd
}

// before orders by time, then by CU, so that the order is always the same: at one time
// only SIMDs of the same number have their turn.
func (a wakeup) before(b wakeup) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.s.cu.id < b.s.cu.id
}

// wakeups is a binary heap: the next one is the first.
type wakeups []wakeup

func (h *wakeups) push(w wakeup) {
	q := append(*h, w)
	*h = q
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if !q[i].before(q[up]) {
			return
		}
		q[i], q[up] = q[up], q[i]
		i = up
	}
}

func (h *wakeups) pop() wakeup {
	q := *h
	first, last := q[0], len(q)-1
	q[0] = q[last]
	q = q[:last]
	*h = q
	for i := 0; ; {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < last && q[down].before(q[least]) {
				least = down
			}
		}
		if least == i {
			return first
		}
		q[i], q[least] = q[least], q[i]
		i = least
	}
}
