package sim_test

import (
	"math"
	"math/rand/v2"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// wild generates random machines, waves and instructions for the fuzz targets: valid descriptors and addresses, so
// that much of it executes, and arbitrary bits.
type wild struct {
	*rand.Rand
	t gcn.Target
	m *sim.Machine
	w *state.Wave

	bufs []*sim.Buffer
}

// Addresses of the memory of a wild machine. After each range nothing is mapped. One range has an odd address, one
// lies across 4 GiB.
const (
	wildBase  = 0x3_0000_0000
	wildSize  = 0x8000
	wildOdd   = 0x2_0000_0003
	wildCarry = 0xffff_ff00
)

var wildAddresses = [...]uint64{wildBase, wildBase + wildSize - 64, wildOdd, wildCarry, wildCarry + 0xf0}

// newWild returns a machine of target t with a wave of vgprs VGPRs.
func newWild(t gcn.Target, vgprs int, seed uint64) *wild {
	x := &wild{Rand: rand.New(rand.NewPCG(seed, uint64(t))), t: t, m: sim.New(t), w: state.NewWave(t, vgprs)}
	x.m.Limit = 64
	x.m.Rules = state.Rules(x.IntN(int(state.NumRules)))
	x.m.Align = state.Alignment(x.IntN(5))
	x.m.Compare = x.one(2)
	x.m.LDSSize = pick(x, 0, 1, 4, 60, 64, 256, 4096, x.m.LDSSize)
	x.m.GDSSize = pick(x, 0, 1, 4, 64, 4096)
	for _, r := range [][2]uint64{{wildBase, wildSize}, {wildOdd, 77}, {wildCarry, 0x200}} {
		b, err := x.m.Map(r[0], r[1])
		if err != nil {
			panic(err)
		}
		x.bufs = append(x.bufs, b)
		bytes := b.Bytes()
		for i := range min(len(bytes), 512) {
			bytes[i] = byte(x.Uint32())
		}
	}
	return x
}

// one returns true with probability 1/n.
func (x *wild) one(n int) bool { return x.IntN(n) == 0 }

func pick[T any](x *wild, list ...T) T { return list[x.IntN(len(list))] }

// registers sets random registers of the wave.
func (x *wild) registers() {
	w := x.w
	w.Reset(x.t)
	for at := 0; at < len(w.S); at += 8 {
		copy(w.S[at:at+8], x.eight())
	}
	for reg := range w.V {
		w.V[reg] = lanePatterns[x.IntN(len(lanePatterns))]
	}
	w.SetExec(pick(x, state.FullExec, 0, 1, 1<<63, x.Uint64(), x.Uint64()&x.Uint64()&x.Uint64()))
	w.SetScalar64(gcn.VCC, x.Uint64())
	w.S[gcn.M0] = pick(x, ^uint32(0), 0, uint32(x.IntN(300)), x.Uint32())
	w.SCC = uint32(x.IntN(2))
	if x.one(2) {
		w.Mode = state.Mode(x.Uint32())
	}
}

// eight returns eight random scalar registers: descriptors, addresses, arbitrary bits.
func (x *wild) eight() []uint32 {
	switch x.IntN(6) {
	case 0:
		return append(x.buffer().Words(), x.buffer().Words()...)
	case 1:
		return x.image().On(x.t.Gen()).Words(x.t.Gen())
	case 2:
		return append(x.sampler().On(x.t.Gen()).Words(x.t.Gen()), x.buffer().Words()...)
	case 3:
		var v []uint32
		for range 4 {
			at := pick(x, wildAddresses[:]...) + uint64(x.IntN(32))
			v = append(v, uint32(at), uint32(at>>32))
		}
		return v
	case 4:
		v := make([]uint32, 8)
		for i := range v {
			v[i] = uint32(x.IntN(256))
		}
		return v
	}
	v := make([]uint32, 8)
	for i := range v {
		v[i] = x.Uint32()
	}
	return v
}

// sel returns a random DST_SEL.
func (x *wild) sel() (s [4]gcn.Sel) {
	for i := range s {
		s[i] = gcn.Sel(x.IntN(8))
	}
	return s
}

func (x *wild) buffer() gcn.Buffer {
	return gcn.Buffer{
		Base: pick(x, wildAddresses[:]...), Stride: pick(x, 0, 0, 1, 4, 8, 12, 16, x.Uint32N(1<<14)),
		NumRecords: pick(x, 0, 4, 64, 256, x.Uint32()),
		DstSel:     x.sel(), NumFormat: uint8(x.IntN(8)), DataFormat: uint8(x.IntN(16)), Swizzle: x.one(3), AddTID: x.one(4),
		CacheSwizzle: x.one(8),
		ElemSize:     2 << x.IntN(4), IndexStride: 8 << x.IntN(4), Hash: x.one(16), Heap: x.one(16),
	}
}

func (x *wild) image() gcn.Image {
	size := func(most int) int { return pick(x, 1, 1+x.IntN(8), 1+x.IntN(64), 1+x.IntN(most)) }
	return gcn.Image{
		Base: wildBase + 256*uint64(x.IntN(4)), Type: gcn.ImageType(8 + x.IntN(8)), DataFormat: uint8(x.IntN(64)),
		NumFormat: uint8(x.IntN(16)),
		Width:     size(1 << 14), Height: size(1 << 14), Depth: size(1 << 13), Pitch: size(1 << 14), TileMode: x.IntN(32),
		DstSel:    x.sel(),
		BaseLevel: x.IntN(3), LastLevel: pick(x, 0, x.IntN(3), x.IntN(16)), MaxMip: pick(x, 0, 2, x.IntN(16)),
		BaseArray: x.IntN(4), LastArray: x.IntN(8), Pow2Pad: x.one(2), Interlaced: x.one(8),
		MinLOD: float32(x.IntN(16)) / 2, MinLODWarn: float32(x.IntN(16)) / 2, PerfMod: uint8(x.IntN(8)),
		BCSwizzle: uint8(x.IntN(8)), Compression: x.one(16),
	}
}

func (x *wild) sampler() gcn.SamplerState {
	clamp := func() gcn.Clamp { return gcn.Clamp(x.IntN(8)) }
	return gcn.SamplerState{
		Clamp: [3]gcn.Clamp{clamp(), clamp(), clamp()}, Compare: uint8(x.IntN(8)), Unnormalized: x.one(4),
		TruncCoord: x.one(4), CoordTrunc: x.one(4),
		FilterMode: uint8(x.IntN(4)), MinLOD: float32(x.IntN(8)), MaxLOD: float32(x.IntN(16)),
		LODBias:   float32(x.IntN(64)) - 32,
		MagFilter: uint8(x.IntN(4)), MinFilter: uint8(x.IntN(4)), ZFilter: uint8(x.IntN(4)), MipFilter: uint8(x.IntN(4)),
		MaxAniso:       uint8(x.IntN(8)),
		BorderColorPtr: x.IntN(4), BorderColorType: uint8(x.IntN(4)), NoCubeWrap: x.one(2), AnisoOverride: x.one(4),
		ForceDegamma: x.one(8),
	}
}

// lanePatterns are values for VGPRs.
var lanePatterns = func() (all [64]state.Lanes) {
	r := rand.New(rand.NewPCG(1, 2))
	specials := []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1, 0x007fffff, 0x3f800000,
		0x7f7fffff, 0x7c00, 0xfc00fe00}
	for n := range all {
		step := uint32(1) << r.IntN(6)
		base := wildAddresses[r.IntN(len(wildAddresses))] + uint64(r.IntN(16))
		for lane := range all[n] {
			i := uint32(lane)
			switch n % 8 {
			case 0:
				all[n][lane] = i * step
			case 1:
				all[n][lane] = uint32(base) + i*step
			case 2: // high halves of addresses, including apertures
				all[n][lane] = [...]uint32{2, 3, 0, 1, 0x10000, 0x20000, 0x20000000, 0x20000001}[n/8]
			case 3:
				all[n][lane] = r.Uint32()
			case 4:
				all[n][lane] = math.Float32bits(r.Float32()*4 - 1)
			case 5:
				all[n][lane] = specials[r.IntN(len(specials))]
			case 6:
				all[n][lane] = r.Uint32N(64)
			}
		}
	}
	return all
}()

// wildRows are the rows that decode on each processor.
var wildRows = func() (all [gcn.NumTargets][]gcn.Op) {
	for g := range all {
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			if r := isa.RowOf(op); r.On(gcn.Target(g)) && !r.Has(isa.Alias) {
				all[g] = append(all[g], op)
			}
		}
	}
	return all
}()

// otherForms has the encodings that a row may have besides its own.
var otherForms = map[gcn.Encoding][]gcn.Encoding{
	isa.VOP1: {isa.VOP3A, isa.VOP1SDWA, isa.VOP1DPP},
	isa.VOP2: {isa.VOP3A, isa.VOP3B, isa.VOP2SDWA, isa.VOP2DPP},
	isa.VOPC: {isa.VOP3A, isa.VOPCSDWA, isa.VOPCDPP},
}

// inst returns the words of a random instruction: a row in one of its encodings, with values in all fields, including
// unused ones, and in the bits that belong to no field.
func (x *wild) inst() []uint32 {
	g := x.t.Gen()
	op := pick(x, wildRows[x.t]...)
	enc := isa.Invalid
	if others := otherForms[isa.RowOf(op).Enc]; len(others) > 0 && x.one(2) {
		enc = pick(x, others...)
	}
	in, err := isa.New(x.t, op, enc)
	if err != nil {
		if in, err = isa.New(g.Target(), op, isa.Invalid); err != nil {
			panic(err)
		}
	}
	if x.one(4) {
		free := in
		free.Words = ^uint64(0)
		_, reserved := free.Unread()
		in.Words |= reserved & x.Uint64()
	}
	for f := range isa.Field(isa.NumFields) {
		if !in.Has(f) {
			continue
		}
		shift, width := isa.FieldBits(g, in.Enc, f)
		mask := (uint64(1)<<width - 1) << shift
		if fixed := in.Words & 0x1ff; f == isa.SEG ||
			f == isa.SRC0 && shift == 0 && (fixed == isa.SDWAMarker || fixed == isa.DPPMarker) {
			continue
		}
		in.Words = in.Words&^mask | x.field(f, width)<<shift&mask
	}
	words, n := in.Encode()
	list := append([]uint32(nil), words[:n]...)
	if n == 1 && x.one(2) {
		list = append(list, x.Uint32()) // a literal, in case the instruction has one
	}
	return list
}

// field returns a random value of a field of width bits.
func (x *wild) field(f isa.Field, width int) uint64 {
	switch f {
	case isa.VDST, isa.ADDR, isa.VDATA, isa.DATA0, isa.DATA1, isa.VSRC1:
		return x.vgpr()
	case isa.SRC0, isa.SRC1, isa.SRC2:
		if width == 9 && x.one(2) {
			return isa.VGPR0 + x.vgpr()
		}
	case isa.SDST, isa.SSRC0, isa.SSRC1, isa.SADDR, isa.SOFFSET:
		switch x.IntN(4) {
		case 0:
			return uint64(x.IntN(26)) * 4
		case 1:
			return uint64(x.IntN(102))
		}
	case isa.SRSRC, isa.SSAMP, isa.SBASE:
		if !x.one(8) {
			return uint64(x.IntN(13)) * 2
		}
	case isa.OFFSET, isa.OFFSET0, isa.OFFSET1:
		if x.one(2) {
			return uint64(x.IntN(64))
		}
	case isa.SIMM16, isa.LITERAL:
		if x.one(2) {
			return uint64(x.IntN(16))
		}
	default:
		if width == 1 {
			return uint64(x.IntN(4) / 3)
		}
	}
	return x.Uint64()
}

// vgpr returns a random number of a VGPR, usually one that the wave has, often one of its last.
func (x *wild) vgpr() uint64 {
	n := x.w.NumVGPRs
	switch x.IntN(8) {
	case 0:
		return x.Uint64()
	case 1, 2, 3:
		return uint64(max(n-1-x.IntN(9), 0))
	}
	return uint64(x.IntN(n))
}
