package format

// Narrow converts 32-bit components of kind f.Kind in place to the 16 bits that D16 loads
// return, in the low halves. Components that are single precision in memory are truncated,
// others rounded to nearest even (rule DP4); of integers the low 16 bits remain.
// Normalised components are rounded to single precision before, a half passes through
// unchanged.
func (f *Format) Narrow(v []uint32) {
	switch {
	case f.Kind != Float:
		for i := range v {
			v[i] &= 0xffff
		}
	case f.comps[0].load == copied:
		for i, x := range v {
			v[i] = truncateHalf(x)
		}
	default:
		for i, x := range v {
			if ordinary(x) {
				v[i] = ordinaryHalf(x)
			} else {
				v[i] = ToHalf(x)
			}
		}
	}
}

// Widen converts the low 16 bits of components, as D16 stores take them, in place to 32
// bits: halves to singles, which is exact, integers by their sign (rule IM6).
func (f *Format) Widen(v []uint32) {
	switch f.Kind {
	case Float:
		for i, x := range v {
			v[i] = FromHalf(x & 0xffff)
		}
	case Sint:
		for i, x := range v {
			v[i] = uint32(int32(int16(x)))
		}
	default:
		for i := range v {
			v[i] &= 0xffff
		}
	}
}
