package simd

// Doubles is a double for each lane.
type Doubles = [NumLanes]float64

// Widen sets d to the float32 of s.
func Widen(d *Doubles, s *Lanes) {
	if avx2 {
		widenAVX2(d, s)
		return
	}
	for i, v := range s {
		d[i] = float64(f32(v))
	}
}

// Narrow sets d to s, rounded to float32.
func Narrow(d *Lanes, s *Doubles) {
	if avx2 {
		narrowAVX2(d, s)
		return
	}
	for i, v := range s {
		d[i] = bits32(float32(v))
	}
}

// Products sets d to a*b.
func Products(d, a, b *Doubles) {
	if avx2 {
		productsAVX2(d, a, b)
		return
	}
	for i, v := range a {
		d[i] = v * b[i]
	}
}

// AddFloats adds w*v, v being float32, to the sums of the lanes of mask.
func AddFloats(sum *Doubles, v *Lanes, w *Doubles, mask uint64) {
	if avx2 {
		addFloatsAVX2(sum, v, w, mask)
		return
	}
	for i, t := range v {
		if mask&1 != 0 {
			sum[i] += float64(w[i] * float64(f32(t)))
		}
		mask >>= 1
	}
}

// AddIntegers adds w*(v*scale) to the sums of the lanes of mask; v is less than 1<<31.
func AddIntegers(sum *Doubles, v *Lanes, w *Doubles, scale float64, mask uint64) {
	if avx2 {
		addIntegersAVX2(sum, v, w, scale, mask)
		return
	}
	for i, t := range v {
		if mask&1 != 0 {
			sum[i] += float64(w[i] * float64(float64(t)*scale))
		}
		mask >>= 1
	}
}
