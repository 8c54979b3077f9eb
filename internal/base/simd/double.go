package simd

// Doubles is a float64 for each lane.
type Doubles = [NumLanes]float64

// Widen sets d to the float32 values in s.
func Widen(d *Doubles, s *Lanes) {
	if avx2 {
		widenAVX2(d, s)
		return
	}
	for i, v := range s {
		d[i] = float64(f32(v))
	}
}

// Narrow sets d to s rounded to float32.
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

// AddFloats adds w*v to the sums of the lanes of mask. v has float32 values.
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

// AddIntegers adds w*(v*scale) to the sums of the lanes of mask. v must be less than 1<<31.
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

// QuadSquares sets d, for each quad of lanes, to the squared length of the longer of two vectors: from the
// coordinates of its first lane to those of its second and of its third lane, multiplied by scale. It uses dims of
// the coordinates. It returns false if a vector is infinite or NaN; then d is undefined.
func QuadSquares(d *[NumLanes / 4]float64, coords *[3]Doubles, scale *[3]float64, dims int) bool {
	if avx2 {
		return quadSquaresAVX2(d, coords, scale, dims)
	}
	for q := range d {
		var across, down float64
		for k := range dims {
			c := (*[4]float64)(coords[k][4*q:])
			if !addSquare(&across, c[1]-c[0], scale[k]) || !addSquare(&down, c[2]-c[0], scale[k]) {
				return false
			}
		}
		d[q] = max(across, down)
	}
	return true
}

// LaneSquares does what [QuadSquares] does, for two vectors in each lane.
func LaneSquares(d *Doubles, vectors *[2][3]Doubles, scale *[3]float64, dims int) bool {
	if avx2 {
		return laneSquaresAVX2(d, vectors, scale, dims)
	}
	for i := range d {
		var across, down float64
		for k := range dims {
			if !addSquare(&across, vectors[0][k][i], scale[k]) || !addSquare(&down, vectors[1][k][i], scale[k]) {
				return false
			}
		}
		d[i] = max(across, down)
	}
	return true
}

// addSquare adds the square of v*scale to sum. It returns false if v is infinite or NaN.
func addSquare(sum *float64, v, scale float64) bool {
	if v-v != 0 {
		return false
	}
	v *= scale
	*sum += float64(v * v)
	return true
}
