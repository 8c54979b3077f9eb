package memtest

import (
	"math"
	"strings"
)

// Data describes the data of a load or store. It is derived from the mnemonic.
type Data struct {
	Bytes  int // size of one element
	Count  int
	Signed bool
	Half   string // "", "lo" or "hi"
}

// ParseData derives Data from a mnemonic. It does not use the traits of package gcn, so that it can check them.
func ParseData(name string) Data {
	d := Data{Bytes: 4, Count: 1}
	switch {
	case strings.HasSuffix(name, "_d16_hi"):
		d.Half, name = "hi", strings.TrimSuffix(name, "_d16_hi")
	case strings.HasSuffix(name, "_d16"):
		d.Half, name = "lo", strings.TrimSuffix(name, "_d16")
	}
	last := name[strings.LastIndex(name, "_")+1:]
	switch last {
	case "ubyte", "byte", "u8", "b8":
		d.Bytes = 1
	case "sbyte", "i8":
		d.Bytes, d.Signed = 1, true
	case "ushort", "short", "u16", "b16":
		d.Bytes = 2
	case "sshort", "i16":
		d.Bytes, d.Signed = 2, true
	case "dwordx2":
		d.Count = 2
	case "dwordx3", "b96":
		d.Count = 3
	case "dwordx4", "b128":
		d.Count = 4
	case "dwordx8":
		d.Count = 8
	case "dwordx16":
		d.Count = 16
	case "b64":
		d.Bytes = 8
	}
	return d
}

// Into returns the register old after loading element v into it.
func (d Data) Into(old uint32, v uint64) uint32 {
	x := uint32(v)
	if d.Signed && d.Bytes == 1 {
		x = uint32(int32(int8(v)))
	}
	if d.Signed && d.Bytes == 2 {
		x = uint32(int32(int16(v)))
	}
	switch d.Half {
	case "lo":
		return old&0xffff0000 | x&0x0000ffff
	case "hi":
		return old&0x0000ffff | x<<16
	}
	return x
}

// From returns the element that is stored from register v.
func (d Data) From(v uint32) uint64 {
	if d.Half == "hi" {
		v >>= 16
	}
	return uint64(v)
}

// Atomic returns the new memory value after operation op ("smin", "cmpswap", "cmpst_f") on n bytes. Source: rule DP9.
func Atomic(op string, n int, m, d, c uint64) uint64 {
	mask := uint64(math.MaxUint64)
	s := func(v uint64) int64 { return int64(v) }
	f := math.Float64frombits
	if n == 4 {
		mask = math.MaxUint32
		m, d, c = m&mask, d&mask, c&mask
		s = func(v uint64) int64 { return int64(int32(v)) }
		f = func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }
	}
	pick := func(cond bool, yes, no uint64) uint64 {
		if cond {
			return yes
		}
		return no
	}
	switch op {
	case "swap", "wrxchg":
		return d
	case "cmpswap":
		return pick(m == c, d, m)
	case "cmpst":
		return pick(m == d, c, m)
	case "add":
		return (m + d) & mask
	case "sub":
		return (m - d) & mask
	case "rsub":
		return (d - m) & mask
	case "smin":
		return pick(s(d) < s(m), d, m)
	case "smax":
		return pick(s(d) > s(m), d, m)
	case "umin":
		return pick(d < m, d, m)
	case "umax":
		return pick(d > m, d, m)
	case "and":
		return m & d
	case "or":
		return m | d
	case "xor":
		return m ^ d
	case "inc":
		return pick(m >= d, 0, m+1)
	case "dec":
		return pick(m == 0 || m > d, d, m-1)
	case "fcmpswap":
		return pick(f(m) == f(c), d, m)
	case "cmpst_f":
		return pick(f(m) == f(d), c, m)
	case "fmin":
		return pick(f(d) < f(m), d, m)
	case "fmax":
		return pick(f(d) > f(m), d, m)
	case "mskor":
		return m&^d | c
	case "wrap":
		return pick(m >= d, m-d, (m+c)&mask)
	case "fadd":
		tiny := func(v uint64) uint32 {
			if v&0x7f800000 == 0 {
				return uint32(v) & 0x80000000
			}
			return uint32(v)
		}
		sum := math.Float32frombits(tiny(m)) + math.Float32frombits(tiny(d))
		return uint64(tiny(uint64(math.Float32bits(sum))))
	case "condxchg32":
		for _, shift := range []int{0, 32} {
			if d>>(shift+31)&1 == 1 {
				m = m&^(0xffffffff<<shift) | (d>>shift&0x7fffffff)<<shift
			}
		}
		return m
	}
	panic("internal/testkit/memtest/data.go has no reference of the atomic operation " + op)
}
