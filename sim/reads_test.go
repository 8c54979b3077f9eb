package sim_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// unnoticed has bits that Inst.Reads includes although no executor's result depends on them, with the reason. A check
// must not report them as ignored.
var unnoticed = map[isa.Field]string{
	isa.GLC:    "coherence of loads and stores (rule DP7); loads that bypass a cache that is not there",
	isa.SLC:    "a hint to the L2 (rule DP7)",
	isa.NV:     "a hint (rule SM1)",
	isa.UNRM:   "compilers set it on all image instructions; without a sampler coordinates are integers",
	isa.SIMM16: "how long to wait, and what to count",

	isa.OPSELHI:  "ones by default, also of operands without halves",
	isa.OPSELHI2: "1 by default, also of instructions with two sources",
}

// TestReads compares isa.Inst.Reads with the executors. Changing a bit that is not read must not change the result.
// Changing a bit that is read must change it in some state, unless the bit is listed in unnoticed.
func TestReads(t *testing.T) {
	for i, target := range memtest.Targets {
		if i%2 != 0 && memtest.States(0) == 0 { // a short run tests every other target
			continue
		}
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			p := newProbe(t, target)
			for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
				if r := isa.RowOf(op); r.On(target) && !r.Has(isa.Alias) && !effort.LeavesOut(int(op)+i) {
					for e := isa.SOP1; e < isa.NumEncodings; e++ {
						if in, err := isa.New(target, op, e); err == nil && in.Enc == e {
							p.form(in)
						}
					}
				}
			}
		})
	}
}

// probe flips bits of instructions and compares the results.
type probe struct {
	t      *testing.T
	target gcn.Target
	rand   *rand.Rand
	ports  executor.Ports
	loads  *pages // memory that nothing writes
	wave   *state.Wave
	images *executor.Images
	small  bool // the numbers in LDS and GDS are small

	plain, flipped outcome
}

// pages is memory that is mapped everywhere, or in one of eight pages only. Its contents are a function of the
// address.
type pages struct {
	spans map[uint64]*executor.Span
	holes bool
}

const pageSize = 1 << 8

func newPages(holes bool) *pages { return &pages{map[uint64]*executor.Span{}, holes} }

func (p *pages) Find(addr uint64) *executor.Span {
	base := addr &^ (pageSize - 1)
	if p.holes && base>>8%8 == 0 {
		return nil
	}
	s := p.spans[base]
	if s == nil {
		words := make([]uint32, pageSize/4)
		x := uint32(base>>8)*0x9e3779b1 + uint32(base>>40) + 1
		for i := range words {
			x = x*0x915f77f5 + 0x6a09e667
			words[i] = x ^ x>>15
		}
		s = &executor.Span{Base: base, Hi: pageSize, Words: words,
			Bytes: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), pageSize)}
		p.spans[base] = s
	}
	return s
}

func newProbe(t *testing.T, target gcn.Target) *probe {
	regs, err := tile.ForTarget(target)
	require.NoError(t, err)
	p := &probe{
		t: t, target: target, rand: rand.New(rand.NewPCG(uint64(target), 7)), loads: newPages(false),
		wave: state.NewWave(target, 24), images: &executor.Images{Regs: regs},
	}
	p.wave.Temp() // allocated once for all copies
	return p
}

// outcome is the state after an instruction.
type outcome struct {
	fault    string
	wave     state.Wave
	mem      *pages
	stored   *pages // the memory of instructions that store
	lds, gds *executor.Span
	sync     executor.Sync
}

// run executes in on a copy of the wave and writes the resulting state to o.
func (p *probe) run(o *outcome, in isa.Inst) {
	if o.stored == nil {
		*o = outcome{stored: newPages(false), lds: memtest.NewSpan(0, 1024), gds: memtest.NewSpan(0, 1024)}
	}
	o.fault, o.mem, o.sync = "", p.loads, executor.Sync{}
	if f := executor.Check(&in, p.wave.NumVGPRs, nil); f != nil {
		o.fault = f.What
		return
	}
	impl := executor.Find(&in)
	if impl.Exec == nil {
		o.fault = impl.Why
		return
	}
	w, v := &o.wave, o.wave.V[:0]
	v = append(v, p.wave.V...)
	*w = *p.wave
	w.V = v
	ports := p.ports
	if op := in.Row().Mem.Op; op != gcn.Load {
		clear(o.stored.spans)
		o.stored.holes = p.loads.holes
		o.mem = o.stored
	}
	lds, gds := noStorage, noStorage
	if enc := in.Enc; enc == isa.DS || enc == isa.MUBUF || enc == isa.FLAT {
		lds, gds = o.lds, o.gds
		for i := range lds.Words {
			if p.small {
				lds.Words[i], gds.Words[i] = uint32(i*5%8), uint32(i*3%8)
			} else {
				lds.Words[i] = uint32(i)*0x9e3779b1 + 0x7f4a7c15
				gds.Words[i] = lds.Words[i] ^ 0xffff
			}
		}
	}
	ports.Mem, ports.LDS, ports.GDS, ports.Sync, ports.Images = o.mem, *lds, *gds, &o.sync, p.images
	var a state.Access
	w.PC += uint64(in.Size)
	if f := impl.Exec(w, &ports, &in, &a); f != nil {
		o.fault = f.What
	}
}

var noStorage = memtest.NewSpan(0, 16)

// same reports whether two outcomes are equal.
func (o *outcome) same(other *outcome) bool {
	if o.fault != "" || other.fault != "" {
		return o.fault == other.fault
	}
	a, b := &o.wave, &other.wave
	if !slices.Equal(a.V, b.V) || !slices.Equal(a.Messages, b.Messages) ||
		!slices.EqualFunc(a.Exports, b.Exports, func(x, y state.Export) bool { return x == y }) {
		return false
	}
	if a.S != b.S || a.SCC != b.SCC || a.Mode != b.Mode || a.Status() != b.Status() || a.TrapSts != b.TrapSts ||
		a.PC != b.PC || a.Ended != b.Ended || a.AtBarrier != b.AtBarrier ||
		[3]uint8{a.VMCnt, a.EXPCnt, a.LGKMCnt} != [3]uint8{b.VMCnt, b.EXPCnt, b.LGKMCnt} || a.Wait != b.Wait {
		return false
	}
	if !bytes.Equal(o.lds.Bytes, other.lds.Bytes) || !bytes.Equal(o.gds.Bytes, other.gds.Bytes) || o.sync != other.sync {
		return false
	}
	for base := range o.mem.spans {
		other.mem.Find(base)
	}
	for base, s := range other.mem.spans {
		if !bytes.Equal(s.Bytes, o.mem.Find(base).Bytes) {
			return false
		}
	}
	return true
}

// form flips the bits of an instruction with random fields, in random states.
func (p *probe) form(blank isa.Inst) {
	const tries, enough = 300, 6
	clear(p.loads.spans)
	done := 0
	var seen, noticed uint64 // bits that are read, and bits whose change changed the outcome
	for n := 0; n < tries && (done < enough || p.missing(blank, seen, noticed) != nil); n++ {
		p.state(blank.Row())
		in := p.fill(blank)
		base := &p.plain
		if p.run(base, in); base.fault != "" {
			continue
		}
		done++
		reads := in.Reads()
		seen |= reads
		for b := 0; b < 8*int(in.Size); b++ {
			bit := uint64(1) << b
			if reads&bit != 0 && noticed&bit != 0 || reads&bit == 0 && done > enough {
				continue
			}
			flipped := in
			flipped.Words ^= bit
			words, size := flipped.Encode()
			again, err := isa.Decode(p.target, append(words[:size], 0))
			if err != nil || again.Op != in.Op || again.Enc != in.Enc || again.Size != in.Size {
				noticed |= bit
				continue
			}
			p.run(&p.flipped, again)
			same := base.same(&p.flipped)
			if reads&bit == 0 && (!same || again.Reads() != reads) {
				p.t.Errorf("%s %v on %v: bit %d of 0x%016x matters but is not read", in.Op, in.Enc, p.target, b, in.Words)
				return
			}
			if !same {
				noticed |= bit
			}
		}
	}
	traps := []string{"s_trap", "s_rfe_b64", "s_rfe_restore_b64"} // faults outside of a trap handler
	if impl := executor.Find(&blank); done == 0 && impl.Exec != nil && !slices.Contains(traps, blank.Op.String()) {
		p.t.Errorf("%s %v on %v never executes", blank.Op, blank.Enc, p.target)
	}
	for _, f := range p.missing(blank, seen, noticed) {
		p.t.Errorf("%s %v on %v: no executor looks at %v", blank.Op, blank.Enc, p.target, f)
	}
}

// missing returns the fields with read bits whose change never changed the outcome, except those where it could not.
func (p *probe) missing(in isa.Inst, seen, noticed uint64) (all []isa.Field) {
	_, opcode := in.Fixed()
	noticed &^= (uint64(1)<<opcode.Width - 1) << opcode.Shift
	r := in.Row()
	for f := range isa.Field(isa.NumFields) {
		at, width := isa.FieldBits(in.Target.Gen(), in.Enc, f)
		mask := (uint64(1)<<width - 1) << at
		sign := f == isa.NEG || f == isa.ABS || f == isa.SRC0NEG || f == isa.SRC0ABS || f == isa.SRC1NEG || f == isa.SRC1ABS
		switch {
		case width == 0, seen&mask == 0, noticed&mask != 0, unnoticed[f] != "":
		case (f == isa.OFFSET0 || f == isa.OFFSET1) && !r.Has(isa.Two): // these are bits of OFFSET
		case r.Has(isa.GDSOnly) && (f == isa.GDS || f == isa.OFFSET): // GDS is set by assemblers, OFFSET names a resource
		case f == isa.GDS && r.Mem.Op != gcn.Load: // GDS accesses use M0 and operands that happen to be valid
		// OFFSET changes which value is compared, which may be equal
		case f == isa.OFFSET && strings.HasPrefix(r.Name, "ds_cmpst"):
		case strings.HasPrefix(r.Name, "s_atc_probe"): // the effect is not modelled
		case r.Name == "buffer_store_lds_dword" && (f == isa.VDATA || f == isa.LDS): // kept so that the text is the same
		case strings.HasPrefix(r.Name, "s_dcache_discard"): // the effect is not modelled
		// rows do not state whether halves are floats
		case r.Enc == isa.VOP3P && (f == isa.NEG || f == isa.NEGHI || f == isa.CLAMP):
		case f == isa.A16 && r.Addr&isa.NoBody != 0: // levels are small numbers
		case f == isa.DA && r.Enc == isa.MIMG && r.Mem.Op == gcn.Special: // compilers set DA for arrays
		case f == isa.BOUNDCTRL && strings.Contains(r.Name, "_gt_u"): // 0 is not greater than the other operand
		case f == isa.SRC0SEXT && unsigned.MatchString(r.Name):
		case sign && signless.MatchString(r.Name):
		case constant.MatchString(r.Name) && r.Enc == isa.VOPC:
		case r.Sig.Dst == isa.Mask && (f == isa.DSTSEL || f == isa.DSTUNUSED): // LLVM sets both fields
		default:
			all = append(all, f)
		}
	}
	return all
}

// signless are instructions whose result does not depend on the sign of their sources.
var signless = regexp.MustCompile(`^v_(frexp_exp|cos_|trig_preop|cvt_f32_ubyte[012]|cvt_off_f32_i4|cmp(s|x|sx)?_(f|o|u|tru|class)_)`)

// unsigned are instructions whose result does not depend on the extension of a byte or word of SRC0.
var unsigned = regexp.MustCompile(`^v_(cvt_|ffbl|ashr|lshl|lshr)`)

// constant are comparisons whose result does not depend on their operands.
var constant = regexp.MustCompile(`_(f|t|tru)_`)

// state sets the wave's registers to random addresses, resources and numbers that an instruction of row r can use.
func (p *probe) state(r *isa.Row) {
	rnd, w := p.rand, p.wave
	w.Reset(p.target)
	if r.Enc == isa.MIMG {
		clear(p.loads.spans)
	}
	p.small, p.loads.holes = rnd.IntN(2) == 0, r.Enc == isa.MIMG && rnd.IntN(2) == 0
	var numbers state.Lanes
	for i := range numbers {
		numbers[i] = p.number(r)
	}
	for i := range w.V {
		first, step := rnd.IntN(64), 2*rnd.IntN(32)+1
		for lane := range w.V[i] {
			w.V[i][lane] = numbers[(first+lane*step)%len(numbers)]
		}
	}
	for i := range 100 {
		w.S[i] = p.number(r)
	}
	if rnd.IntN(2) == 0 { // so that comparisons see equal values
		for i := range 100 {
			w.S[i] = w.S[0]
		}
		for i := range w.V {
			w.V[i] = w.V[0]
		}
	}
	for i := 0; i < 100; i += 4 {
		b := gcn.Buffer{
			Base: rnd.Uint64() >> 20 &^ 15, Stride: rnd.Uint32N(3) * 16, NumRecords: ^uint32(0), Swizzle: rnd.IntN(4) == 0,
			AddTID: rnd.IntN(4) == 0,
			DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}, DataFormat: 14, NumFormat: 4, ElemSize: 4,
			IndexStride: 8,
		}
		if r.Enc == isa.MUBUF || r.Enc == isa.MTBUF || r.Has(isa.BufferBase) {
			copy(w.S[i:], b.Words())
		}
	}
	if r.Enc == isa.MIMG {
		p.resources(r)
	}
	w.S[gcn.M0] = one(rnd, 0xffff, ^uint32(0), rnd.Uint32N(8), rnd.Uint32N(8)|0x1000000, 0xffff)
	w.SetScalar64(gcn.VCC, rnd.Uint64())
	w.SetExec(one(rnd, state.FullExec, rnd.Uint64()))
	w.SCC = rnd.Uint32N(2)
	w.Mode = state.Mode(rnd.Uint32() & 0x3ff)
	w.VMCnt, w.EXPCnt, w.LGKMCnt = uint8(rnd.IntN(int(isa.TraitsOf(w.Target).MaxVM)+1)), uint8(rnd.IntN(8)),
		uint8(rnd.IntN(16))
	if isa.TraitsOf(w.Target).FlatScratch >= 0 {
		w.SetFlatScratch(rnd.Uint64N(1<<19)<<32 | rnd.Uint64N(1<<19))
	}
	p.ports = executor.Ports{Align: one(rnd, state.AlignDword, state.AlignNone),
		Rules: one(rnd, state.SeedRules, state.DriverRules), ScratchBase: 1 << 40}
}

// resources writes a T# of four or eight dwords to s16 and an S# to s24.
func (p *probe) resources(r *isa.Row) {
	rnd, g := p.rand, p.target.Gen()
	img := gcn.Image{
		Base: rnd.Uint64() >> 24 &^ 0xffff, DataFormat: 4, NumFormat: 7, Width: 16, Height: 16, Depth: 1, Pitch: 64,
		Type:   one(rnd, gcn.Image2D, gcn.Image2D, gcn.Image2DArray, gcn.Image1D),
		DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelR, gcn.SelR, gcn.Sel1}, LastLevel: 2, MaxMip: 2, TileMode: 8, Pow2Pad: true,
		MinLODWarn: 3,
	}
	if isa.GenTraits(g).SwizzleModes {
		img.TileMode, img.Depth = 0, 4
	}
	if img.Type == gcn.Image2DArray {
		img.Depth, img.LastArray = 4, 3
	}
	if r.Mem.Op == gcn.Atomic {
		img.NumFormat, img.LastLevel, img.MaxMip = 4, 0, 0
		if rnd.IntN(2) == 0 {
			img.DataFormat = 11
		}
	}
	copy(p.wave.S[16:], img.On(g).Words(g))
	smp := gcn.SamplerState{Compare: uint8(1 + rnd.IntN(7)), MaxLOD: 15, MagFilter: 1, MinFilter: 1, MipFilter: 2}
	copy(p.wave.S[24:], smp.Words(g))
}

// number returns a register value that is useful for instructions of row r.
func (p *probe) number(r *isa.Row) uint32 {
	rnd := p.rand
	switch r.Enc {
	case isa.DS:
		return rnd.Uint32N(one[uint32](rnd, 8, 64))
	case isa.MUBUF, isa.MTBUF, isa.FLAT, isa.GLOBAL, isa.SCRATCH, isa.SMEM:
		return rnd.Uint32N(1 << 12)
	case isa.MIMG:
		if r.Has(isa.Sampler) {
			return math.Float32bits(rnd.Float32() * 2)
		}
		return rnd.Uint32N(5)
	}
	switch rnd.IntN(6) {
	case 0:
		return ^uint32(0)
	case 5:
		return rnd.Uint32N(64)
	case 1:
		return math.Float32bits(rnd.Float32()*8 - 4)
	case 2:
		return math.Float32bits(float32(rnd.IntN(9) - 4))
	case 3: // a pair of halves
		return 0x3c003c00 ^ rnd.Uint32()&0x83ff83ff
	}
	return rnd.Uint32()
}

// fill sets random fields of an instruction.
func (p *probe) fill(in isa.Inst) isa.Inst {
	rnd, r := p.rand, in.Row()
	sgpr := func() int64 { return int64(rnd.IntN(23)) * 4 }
	scalar := func() int64 { return one(rnd, sgpr(), sgpr(), int64(128+rnd.IntN(80))) }
	for f := range isa.Field(isa.NumFields) {
		_, width := isa.FieldBits(in.Target.Gen(), in.Enc, f)
		if width == 0 {
			continue
		}
		v := int64(rnd.Uint64N(1 << width))
		rare := func(n int) int64 {
			if rnd.IntN(n) == 0 {
				return v
			}
			return 0
		}
		switch f {
		case isa.SEG, isa.LITERAL:
			continue
		case isa.VDST:
			v = int64(rnd.IntN(12))
			if r.Has(isa.ScalarDst) || r.Sig.Dst == isa.Mask {
				v = sgpr()
			}
		case isa.VDATA, isa.ADDR, isa.DATA0, isa.DATA1:
			v = int64(rnd.IntN(12))
		case isa.SRC0, isa.SRC1, isa.SRC2:
			v = one(rnd, isa.VGPR0+int64(rnd.IntN(20)), isa.VGPR0+int64(rnd.IntN(20)), scalar())
			if width == 8 {
				v = int64(rnd.IntN(20))
			}
			if f == isa.SRC2 && r.Has(isa.CarryIn) || f != isa.SRC2 && r.Has(isa.ScalarSrc1) &&
				(f == isa.SRC1 || !r.Has(isa.ScalarDst)) {
				v = scalar()
			}
		case isa.VSRC1:
			v = int64(rnd.IntN(20))
			if r.Has(isa.ScalarSrc1) {
				v = scalar()
			}
		case isa.SSRC0, isa.SSRC1:
			v = scalar()
		case isa.SDST:
			v = sgpr()
		case isa.SBASE:
			v = 2 * int64(rnd.IntN(20))
		case isa.SRSRC:
			v = 4
		case isa.SSAMP:
			v = 6
		case isa.SOFFSET:
			v = scalar()
			if in.Enc == isa.SMEM {
				v = sgpr()
			}
		case isa.SADDR:
			v = one(rnd, isa.NoSADDR, sgpr())
		case isa.TFE, isa.LDS, isa.LWE, isa.A16, isa.R128, isa.D16, isa.OFFEN, isa.IDXEN, isa.ADDR64, isa.SRC0SGPR,
			isa.SRC1SGPR, isa.SDSTEN, isa.CLAMP:
			v = rare(3)
		case isa.OFFSET:
			if in.Enc == isa.SMEM || in.Enc == isa.DS && rnd.IntN(4) > 0 {
				v &= 0x3c
			}
		case isa.OFFSET0, isa.OFFSET1:
			if !r.Has(isa.Two) {
				continue
			}
		case isa.DFMT:
			v = one[int64](rnd, 4, 10, 14)
		case isa.NFMT:
			v = 4
		case isa.DPPCTRL:
			v = one(rnd, v&0xff, 0x101, 0x112, 0x123, 0x130, 0x140, 0x142)
		case isa.SIMM16:
			v = int64(int16(v))
			if rnd.IntN(2) == 0 {
				v = int64(int16(p.wave.S[0]))
			}
			switch r.Imm {
			case isa.HwregImm:
				v = int64(int16(one(rnd, 1, 2, 3, 7) | rnd.IntN(16)<<6 | rnd.IntN(8)<<11))
			case isa.MessageImm:
				v = v&^15 | 1
			}
		}
		if r.Has(isa.GDSOnly) && f == isa.GDS {
			v = 1
		}
		if next, err := in.Set(f, v); err == nil {
			in = next
		} else if next, err := in.Set(f, v-1<<width); err == nil { // a signed field
			in = next
		}
	}
	if r.Mem.Op == gcn.Atomic && in.Enc == isa.MIMG {
		in, _ = in.Set(isa.DMASK, one[int64](rnd, 1, 3, 15))
	}
	words, n := in.Encode()
	if again, err := isa.Decode(p.target, append(words[:n], p.rand.Uint32())); err == nil && again.Op == in.Op &&
		again.Enc == in.Enc {
		return again
	}
	return in
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
