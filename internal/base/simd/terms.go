package simd

// Term is the contribution of one coordinate to an address: an address is the sum of the Add parts plus the XOR of
// the Xor parts.
type Term struct{ Add, Xor uint64 }

// Plus returns the contribution of two coordinates.
func (t Term) Plus(u Term) Term { return Term{t.Add + u.Add, t.Xor ^ u.Xor} }

// Terms sets addr to the addresses from the terms at, tx[x] and ty[y] of each lane. It returns the lanes whose
// coordinates are in the tables; addr of other lanes is the address for a coordinate that is. The tables must not be
// empty.
func Terms(addr *[NumLanes]uint64, at Term, tx, ty []Term, x, y *Lanes) (in uint64) {
	if avx2 {
		return terms2AVX2(addr, &at, &tx[0], &ty[0], uint32(len(tx)-1), uint32(len(ty)-1), x, y)
	}
	for i := range addr {
		a, b := &tx[min(uint(x[i]), uint(len(tx)-1))], &ty[min(uint(y[i]), uint(len(ty)-1))]
		addr[i] = at.Add + a.Add + b.Add + (at.Xor ^ a.Xor ^ b.Xor)
		if uint(x[i]) < uint(len(tx)) && uint(y[i]) < uint(len(ty)) {
			in |= 1 << i
		}
	}
	return in
}

// Terms3 does what [Terms] does, with a third coordinate.
func Terms3(addr *[NumLanes]uint64, at Term, tx, ty, tz []Term, x, y, z *Lanes) (in uint64) {
	if avx2 {
		return terms3AVX2(addr, &at, &tx[0], &ty[0], &tz[0], uint32(len(tx)-1), uint32(len(ty)-1), uint32(len(tz)-1), x, y, z)
	}
	for i := range addr {
		a, b, c := &tx[min(uint(x[i]), uint(len(tx)-1))], &ty[min(uint(y[i]), uint(len(ty)-1))],
			&tz[min(uint(z[i]), uint(len(tz)-1))]
		addr[i] = at.Add + a.Add + b.Add + c.Add + (at.Xor ^ a.Xor ^ b.Xor ^ c.Xor)
		if uint(x[i]) < uint(len(tx)) && uint(y[i]) < uint(len(ty)) && uint(z[i]) < uint(len(tz)) {
			in |= 1 << i
		}
	}
	return in
}

// Square does what [Terms] does, for two coordinates along x and two along y: bit 0 of the index in addrs selects the
// x, bit 1 the y.
func Square(addrs *[4]*[NumLanes]uint64, at Term, tx, ty []Term, x, y [2]*Lanes) (in uint64) {
	if avx2 {
		return squareAVX2(addrs, &at, &tx[0], &ty[0], uint32(len(tx)-1), uint32(len(ty)-1), x[0], x[1], y[0], y[1])
	}
	in = allLanes
	for i, addr := range addrs {
		in &= Terms(addr, at, tx, ty, x[i&1], y[i>>1])
	}
	return in
}

// Merge64 sets the lanes of mask of d to s.
func Merge64(d, s *[NumLanes]uint64, mask uint64) {
	if avx2 {
		merge64AVX2(d, s, mask)
		return
	}
	for i := range d {
		if mask>>i&1 != 0 {
			d[i] = s[i]
		}
	}
}
