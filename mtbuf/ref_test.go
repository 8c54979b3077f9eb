package mtbuf_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// widthsOf returns the widths of the components from the lowest bit, the reverse of the order in the name. It returns
// nil if the code is reserved.
func widthsOf(data uint8) (w []int) {
	if name := gcn.DataFormatName(data); name != "" {
		for s := range strings.SplitSeq(name, "_") {
			n, err := strconv.Atoi(s)
			if err != nil {
				panic(err)
			}
			w = append(w, n)
		}
		slices.Reverse(w)
	}
	return w
}

// legal reports whether a number format is defined for components of these widths.
func legal(num uint8, widths []int) bool {
	switch {
	case widths == nil:
		return true
	case widths[0] == 32:
		return num == gcn.NumFLOAT || num == gcn.NumUINT || num == gcn.NumSINT
	case num == gcn.NumFLOAT:
		return widths[0] == 16 || len(widths) == 3
	}
	return true
}

// load converts the n bits v to the value of a register (rule IF3).
func load(num uint8, v uint64, n int) uint32 {
	s := int64(v<<(64-n)) >> (64 - n)
	top, half := math.Ldexp(1, n)-1, math.Ldexp(1, n-1)-1
	float := func(x float64) uint32 { return math.Float32bits(float32(x)) }
	switch {
	case num == gcn.NumUNORM:
		return float(float64(v) / top)
	case num == gcn.NumSNORM:
		return float(max(-1, float64(s)/half))
	case num == gcn.NumUSCALED:
		return float(float64(v))
	case num == gcn.NumSSCALED:
		return float(float64(s))
	case num == gcn.NumSINT:
		return uint32(s)
	case num == gcn.NumSNORM_OGL:
		return float(float64(2*s+1) / top)
	case num == gcn.NumUINT || n == 32:
		return uint32(v)
	case n == 16:
		return fromSmall(uint32(v)&0x7fff, 10) | uint32(v)>>15<<31
	}
	return fromSmall(uint32(v), n-5)
}

// fromSmall decodes a float of 5 exponent bits and m mantissa bits.
func fromSmall(v uint32, m int) uint32 {
	e, f := int(v>>m), float64(v&(1<<m-1))
	switch e {
	case 31:
		return 0x7f800000 | v<<(23-m)&0x7fffff
	case 0:
		return math.Float32bits(float32(math.Ldexp(f, -14-m)))
	}
	return math.Float32bits(float32(math.Ldexp(f+math.Ldexp(1, m), e-15-m)))
}

// toSmall encodes x, which is >= 0 or NaN, as a float of 5 exponent bits and m mantissa bits.
func toSmall(x float64, m int, round func(float64) float64) uint32 {
	inf := uint32(31) << m
	switch {
	case x != x:
		return inf | 1<<(m-1)
	case math.IsInf(x, 1):
		return inf
	case x == 0:
		return 0
	}
	e := max(math.Ilogb(x), -14)
	q := uint32(round(math.Ldexp(x, m-e))) // x in units of the last mantissa bit
	if e > 15 {
		q, e = 1<<(m+1), 15 // rounding overflowed the mantissa
		if round(0.75) == 0 {
			q--
		}
	}
	return q + uint32(e+14)<<m
}

// half rounds a single to a half.
func half(v uint32, round func(float64) float64) uint32 {
	x := float64(math.Float32frombits(v))
	sign := v >> 16 & 0x8000
	if x != x {
		payload := v >> 13 & 0x3ff
		if payload == 0 {
			payload = 0x200
		}
		return sign | 0x7c00 | payload
	}
	return sign | toSmall(math.Abs(x), 10, round)
}

// store converts a register to the n bits that are stored (rule IF4).
func store(num uint8, v uint32, n int) uint64 {
	x := float64(math.Float32frombits(v))
	mask := uint64(1)<<n - 1
	norm := func(lo float64, top uint64) uint64 {
		if x != x {
			return 0
		}
		return uint64(int64(math.RoundToEven(max(lo, min(1, x))*float64(top)))) & mask
	}
	switch {
	case num == gcn.NumUNORM:
		return norm(0, mask)
	case num == gcn.NumSNORM:
		return norm(-1, mask>>1)
	case num == gcn.NumUINT:
		return min(uint64(v), mask)
	case num == gcn.NumSINT:
		return uint64(max(min(int64(int32(v)), int64(mask>>1)), -int64(mask>>1)-1)) & mask
	case n == 32:
		return uint64(v)
	case n == 16:
		return uint64(half(v, math.RoundToEven))
	case x != x:
		return mask &^ (mask >> 6) // NaN: exponent 31 and the top bit of the mantissa
	case x <= 0:
		return 0
	case math.IsInf(x, 1):
		return 31 << (n - 5)
	}
	return uint64(min(toSmall(x, n-5, math.RoundToEven), 31<<(n-5)-1))
}

// instruction holds the facts that a mnemonic encodes.
type instruction struct {
	load, d16, hi bool
	count         int
}

func parse(name string) instruction {
	last := name[strings.LastIndex(name, "_")+1:]
	return instruction{strings.Contains(name, "_load_"), strings.Contains(name, "d16"),
		strings.Contains(name, "d16_hi"), len(last)}
}

// reference executes in, a legal combination of formats, on r.
func reference(r *memtest.Ref, in isa.Inst) {
	ins, v := parse(in.Row().Name), r.VSharp(in)
	data, num, sel := uint8(v.Bits(111, 4)), uint8(v.Bits(108, 3)), [4]uint8{}
	for i := range sel {
		sel[i] = uint8(v.Bits(96+3*i, 3))
	}
	if in.Row().Enc == isa.MTBUF {
		data, num = uint8(in.Get(isa.DFMT)), uint8(in.Get(isa.NFMT))
	}
	widths := widthsOf(data)
	if v.Bits(126, 2) != 0 || widths == nil && !ins.load {
		return
	}
	soffset := r.Source(in.Get(isa.SOFFSET))
	vdata, packed := int(in.Get(isa.VDATA)), r.Gen >= gcn.GCN14
	bitsSum := 0
	for _, w := range widths {
		bitsSum += w
	}
	size := bitsSum / 8
	most := min(4, size)
	one := uint32(1)
	if num != gcn.NumUINT && num != gcn.NumSINT {
		one = 0x3f800000
	}
	if strings.HasPrefix(in.Row().Name, "tbuffer") {
		sel = [4]uint8{}
		for c := range widths {
			sel[c] = uint8(4 + c)
		}
	}
	// put writes component i of a load; get reads component i of a store.
	put := func(lane, i int, v uint32) {
		switch reg := &r.V[vdata+i][lane]; {
		case ins.hi:
			*reg = *reg&0xffff | v<<16
		case ins.d16 && packed && i%2 == 0:
			reg = &r.V[vdata+i/2][lane]
			*reg = *reg&0xffff0000 | v
		case ins.d16 && packed:
			reg = &r.V[vdata+i/2][lane]
			*reg = *reg&0xffff | v<<16
		default:
			*reg = v
		}
	}
	get := func(lane, i int) uint32 {
		v := r.Old[vdata+i][lane]
		if ins.hi {
			v >>= 16
		} else if ins.d16 && packed {
			v = r.Old[vdata+i/2][lane] >> (i % 2 * 16)
		}
		switch v &= 0xffff; {
		case !ins.d16:
			return r.Old[vdata+i][lane]
		case num == gcn.NumSINT:
			return uint32(int32(int16(v)))
		case num == gcn.NumUINT:
			return v
		}
		return fromSmall(v&0x7fff, 10) | v>>15<<31
	}
	address := func(lane, j int) (addr uint64, out bool) {
		_, out = r.BufferAddress(in, lane, 0, size, soffset)
		addr, _ = r.BufferAddress(in, lane, 4*j, 4, soffset)
		return addr / uint64(most) * uint64(most), out
	}
	for j := range 4 {
		for lane := range 64 {
			switch {
			case !r.Active(lane) || j > 0 && (ins.load || 4*j >= size):
			case ins.load:
				var raw [4]uint64
				out := widths == nil
				for k := 0; 4*k < size; k++ {
					var addr uint64
					if addr, out = address(lane, k); !out {
						raw[k] = r.Read(memtest.Global, addr, most)
					}
				}
				var first uint32
				for i := range ins.count {
					v, bit := uint32(0), 0
					if sel[i] == 1 && widths != nil { // component 1 is written out of range as well (rule RD5)
						v = one
					}
					for c, w := range widths {
						if int(sel[i]) == 4+c && !out {
							n := num
							if c == 3 && w == 2 && r.Gen < gcn.GCN14 && (num == gcn.NumSNORM || num == gcn.NumSSCALED ||
								num == gcn.NumSINT) {
								n-- // alpha is unsigned
							}
							v = load(n, raw[bit/32]>>(bit%32)&(1<<w-1), w)
						}
						bit += w
					}
					if ins.d16 && (num == gcn.NumUINT || num == gcn.NumSINT) {
						v &= 0xffff
					} else if ins.d16 && widths != nil && widths[0] == 32 {
						v = half(v, math.Trunc)
					} else if ins.d16 {
						v = half(v, math.RoundToEven)
					}
					if i == 0 {
						first = v
					}
					if !in.Bool(isa.LDS) {
						put(lane, i, v)
					}
				}
				if in.Bool(isa.LDS) {
					slot := uint64(r.OldS[gcn.M0] & 0xffff)
					if r.Gen >= gcn.GCN12 && r.Driver {
						slot += uint64(in.Get(isa.OFFSET))
					}
					if slot = slot/4*4 + uint64(4*lane); slot+4 <= memtest.LDSSize {
						r.Write(memtest.LDS, slot, 4, uint64(first))
					}
				}
				if in.Bool(isa.TFE) {
					regs := ins.count
					if ins.d16 && packed {
						regs = (regs + 1) / 2
					}
					r.V[vdata+regs][lane] = 0
				}
			default:
				addr, out := address(lane, j)
				if out {
					continue
				}
				var word uint64
				bit := 0
				for c, w := range widths {
					from := slices.Index(sel[:ins.count], uint8(4+c))
					if from >= 0 && bit/32 == j {
						word |= store(num, get(lane, from), w) << (bit % 32)
					}
					bit += w
				}
				r.Write(memtest.Global, addr, most, word)
			}
		}
	}
}

// setup returns a random instruction of op whose format is defined.
func setup(w *memtest.World, op gcn.Op) isa.Inst {
	r, in := w.Rand, w.BufferInst(op)
	var data, num uint8
	for {
		data, num = uint8(r.IntN(16)), uint8(r.IntN(8))
		noStore := num == gcn.NumUSCALED || num == gcn.NumSSCALED || num == gcn.NumSNORM_OGL
		if legal(num, widthsOf(data)) && (isa.RowOf(op).Mem.Op == gcn.Load || !noStore || widthsOf(data) == nil) {
			break
		}
	}
	word := &w.Wave.S[in.Get(isa.SRSRC)*4+3]
	for i := range uint32(4) {
		sel := [...]uint32{4, 5, 6, 7, 0, 1, r.Uint32N(8), 4 + i, 4 + i, 4 + i}[r.IntN(10)]
		*word = *word&^(7<<(3*i)) | sel<<(3*i)
	}
	if isa.RowOf(op).Enc == isa.MTBUF {
		in, _ = in.Set(isa.DFMT, int64(data))
		in, _ = in.Set(isa.NFMT, int64(num))
		*word ^= r.Uint32() & 0x7f << 12
	} else {
		*word = *word&^(0x7f<<12) | uint32(num)<<12 | uint32(data)<<15
	}
	if isa.RowOf(op).Mem.Op == gcn.Store { // values near those that the formats can represent
		reg := int(in.Get(isa.VDATA))
		for i := range 4 {
			w.Set(reg+i, func(int) uint32 {
				switch r.IntN(6) {
				case 0:
					return r.Uint32()
				case 1:
					return uint32(r.IntN(1<<17) - 1<<16)
				case 2: // a pair of halves
					return uint32(r.IntN(0x7d00)) | uint32(r.IntN(0xfd00))<<16
				}
				return math.Float32bits(float32(math.Ldexp(r.Float64()*2-0.75, r.IntN(20)-12)))
			})
		}
	}
	return in
}

// TestAgainstReference executes every FORMAT instruction on random states.
func TestAgainstReference(t *testing.T) {
	(&memtest.Rows{
		Of:     func(row *isa.Row) bool { return row.Mem.Format && (row.Enc == isa.MUBUF || row.Enc == isa.MTBUF) },
		Rules:  []state.Rules{state.SeedRules, state.DriverRules, state.RDNARules},
		States: 60, Setup: setup, Reference: reference, NoRecord: true,
	}).Compare(t)
}
