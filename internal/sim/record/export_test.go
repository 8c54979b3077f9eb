package record

// Flip XORs a byte of the steps and a byte of the times with x.
func (w *Window) Flip(at int, x byte) {
	for _, b := range [][]byte{w.steps, w.times} {
		if len(b) > 0 {
			b[uint(at)%uint(len(b))] ^= x
		}
	}
}
