package record

// Flip changes a byte of the steps and one of the times.
func (w *Window) Flip(at int, x byte) {
	for _, b := range [][]byte{w.steps, w.times} {
		if len(b) > 0 {
			b[uint(at)%uint(len(b))] ^= x
		}
	}
}
