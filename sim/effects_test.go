package sim_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/memtest"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

const (
	effectVGPRs = 24
	// Descriptors of images, in SGPRs that random operands do not name.
	imageSGPR, samplerSGPR = 64, 72
)

// TestEffects ties [gcn.Inst.Effects] to the executors. For random forms of every
// instruction that executes, on every generation: what is not listed as written does not
// change, and registers that are not listed as read have no influence on the result.
func TestEffects(t *testing.T) {
	trials := 6
	if testing.Short() {
		trials = 3
	}
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX810, gcn.GFX900, gcn.GFX906} {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			x := newEffectWorld(t, target)
			ran := 0
			for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
				r := op.Row()
				if r.Has(gcn.Alias) || r.Has(gcn.IndexesSGPRs) && r.Has(gcn.WritesMODE) { // forks have a stack
					continue
				}
				for e := gcn.SOP1; int(e) < gcn.NumEncodings; e++ {
					if _, err := gcn.New(target, op, e); err != nil {
						continue
					}
					for range trials {
						if in, ok := x.random(op, e); ok && x.try(t, &in) {
							ran++
						}
					}
				}
			}
			require.Greater(t, ran, 400*trials)
		})
	}
}

// effectWorld is what the instructions of TestEffects run on.
type effectWorld struct {
	r      *rand.Rand
	target gcn.Target
	regs   *tile.Registers
	data   [2]*unit.Span
	lds    [2]*unit.Span
	gds    [2]*unit.Span
	wave   [2]*state.Wave
	before [2]*state.Wave
	kind   gcn.ImageType
}

func newEffectWorld(t *testing.T, target gcn.Target) *effectWorld {
	x := &effectWorld{r: rand.New(rand.NewPCG(1, uint64(target))), target: target}
	var err error
	x.regs, err = tile.ForTarget(target)
	require.NoError(t, err)
	for i := range x.data {
		x.data[i], x.lds[i], x.gds[i] = memtest.NewSpan(0, 1<<16), memtest.NewSpan(0, 1<<13), memtest.NewSpan(0, 1<<13)
		x.wave[i], x.before[i] = state.NewWave(target, effectVGPRs), state.NewWave(target, effectVGPRs)
	}
	return x
}

// random returns a random form of op: fields are random, registers exist.
func (x *effectWorld) random(op gcn.Op, e gcn.Encoding) (gcn.Inst, bool) {
	in, _ := gcn.New(x.target, op, e)
	_, opShift, opWidth := in.OpcodeBits()
	for _, f := range gcn.FieldsOf(in.Gen(), e) {
		shift, width := in.Gen().FieldBits(e, f)
		if shift < opShift+opWidth && opShift < shift+width {
			continue
		}
		v := x.r.Uint64() & (1<<width - 1)
		switch f {
		case gcn.SEG, gcn.LITERAL:
			continue
		case gcn.VDST, gcn.VSRC1, gcn.ADDR, gcn.DATA0, gcn.DATA1, gcn.VDATA:
			v = x.r.Uint64N(14)
		case gcn.SRC0, gcn.SRC1, gcn.SRC2:
			v = x.r.Uint64N(14)
			if width == 9 {
				v = [...]uint64{gcn.VGPR0 + v, x.r.Uint64N(48), gcn.VCC, gcn.EXEC, gcn.SCC, gcn.VCCZ, gcn.ConstHalf, 130}[x.r.IntN(8)]
			}
		case gcn.SSRC0, gcn.SSRC1, gcn.SOFFSET:
			v = [...]uint64{x.r.Uint64N(48), gcn.VCC, gcn.EXEC, gcn.M0, gcn.SCC, gcn.VCCZ, gcn.EXECZ, 130}[x.r.IntN(8)]
			if width == 7 {
				v &= 63
			}
		case gcn.SDST, gcn.SADDR:
			v = [...]uint64{x.r.Uint64N(48), x.r.Uint64N(24) * 2, gcn.VCC}[x.r.IntN(3)]
		case gcn.SBASE:
			v = x.r.Uint64N(16)
		case gcn.SRSRC, gcn.SSAMP:
			v = x.r.Uint64N(8)
			if e == gcn.MIMG {
				v = map[gcn.Field]uint64{gcn.SRSRC: imageSGPR / 4, gcn.SSAMP: samplerSGPR / 4}[f]
			}
		case gcn.SIMM16:
			if op.Row().Imm == gcn.HwregImm {
				v = 3 | v&^63 // TRAPSTS
			}
		case gcn.OFFSET:
			v &= 63
		}
		in.Words = in.Words&^((1<<width-1)<<shift) | v<<shift
	}
	if e == gcn.EXP {
		in.Words = in.Words&0xffffffff | uint64(x.r.Uint32())&0x0f0f0f0f<<32
	}
	decoded, err := x.target.Decode([]uint32{uint32(in.Words), uint32(in.Words >> 32)})
	if err != nil || decoded.Op != op || decoded.Enc != e && !(e == gcn.VOP3B && decoded.Enc == gcn.VOP3A) {
		return in, false
	}
	return decoded, unit.Check(&decoded, effectVGPRs, nil) == nil
}

// fill gives w random state: addresses near the beginning of memory.
func (x *effectWorld) fill(t *testing.T, w *state.Wave) {
	value := func() uint32 {
		if x.r.IntN(4) == 0 {
			return x.r.Uint32()
		}
		return x.r.Uint32N(1<<12) * 4
	}
	w.Reset(x.target)
	for i := range w.V {
		for lane := range w.V[i] {
			w.V[i][lane] = value()
		}
	}
	for i := range w.S {
		w.S[i] = x.r.Uint32N(1 << 8)
	}
	w.SetExec(x.r.Uint64() | x.r.Uint64())
	w.SetVCC(x.r.Uint64())
	w.SCC = x.r.Uint32N(2)
	w.SetM0(0)
	if w.Target.Traits().FlatScratchIsAddr {
		w.SetFlatScratch(0x4000)
	}
	w.SharedBase, w.PrivateBase = 1, 2
	w.PC = 0x100
	x.kind = [...]gcn.ImageType{gcn.Image1D, gcn.Image2D, gcn.Image3D, gcn.Image2DArray, gcn.ImageCube}[x.r.IntN(5)]
	img := gcn.Image{Base: 0x2000, Type: x.kind, Width: 4, Height: 4, DataFormat: 10, NumFormat: 4, DstSel: [4]gcn.Sel{4, 5, 6, 7}}
	if x.kind == gcn.Image1D {
		img.Height = 1
	}
	if x.kind == gcn.Image3D || x.kind == gcn.Image2DArray {
		img.Depth = 4
	}
	if x.kind == gcn.ImageCube {
		img.Depth = 6
	}
	if !w.Target.Gen().Tiling().SwizzleModes {
		img.TileMode = 8
	}
	copy(w.S[imageSGPR:], img.Words(w.Target.Gen()))
	copy(w.S[samplerSGPR:], gcn.SamplerState{}.Words(w.Target.Gen()))
}

// known holds the bits of a wave's state that effects list.
type known struct {
	v     [effectVGPRs][state.NumLanes]uint32
	s     [gcn.NumScalarCodes]uint32
	flags map[gcn.Flag]bool
}

func spread(mask uint8) (bits uint32) {
	for b := range 4 {
		bits |= uint32(mask>>b&1) * 0xff << (8 * b)
	}
	return bits
}

// listed returns what the effects of in that are reads, or writes, cover.
func (x *effectWorld) listed(in *gcn.Inst, write bool) *known {
	k := &known{flags: map[gcn.Flag]bool{}}
	exec := x.before[0].Exec()
	for _, e := range in.Effects(nil) {
		if e.Write != write {
			continue
		}
		for i := range int(e.Dwords) {
			switch e.File {
			case gcn.SReg:
				k.s[(int(e.Code)+i)&127] |= spread(e.Bytes)
			case gcn.FlagReg:
				k.flags[gcn.Flag(e.Code)] = true
			case gcn.VReg:
				lanes := exec
				if e.Lanes != gcn.ActiveLanes && e.Lanes != gcn.MovedLanes {
					lanes = ^uint64(0)
				}
				for lane := range k.v[0] {
					if lanes>>lane&1 != 0 {
						k.v[int(e.Code)+i][lane] |= spread(e.Bytes)
					}
				}
			}
		}
	}
	if in.Enc == gcn.MIMG && !write {
		for i := range in.ImageAddr(x.kind, false).VGPRs {
			for lane := range k.v[0] {
				k.v[(int(in.Get(gcn.ADDR))+i)%effectVGPRs][lane] = ^uint32(0)
			}
		}
	}
	return k
}

// try runs in on two states that agree in what it reads and reports whether it ran.
func (x *effectWorld) try(t *testing.T, in *gcn.Inst) bool {
	impl := sim.Bind(in)
	if impl.Exec == nil {
		return false
	}
	x.fill(t, x.before[0])
	reads, writes := x.listed(in, false), x.listed(in, true)
	a, b := x.before[0], x.before[1]
	b.Reset(x.target)
	b.SharedBase, b.PrivateBase, b.PC = a.SharedBase, a.PrivateBase, a.PC
	for i := range b.V {
		for lane := range b.V[i] {
			keep := reads.v[i][lane]
			b.V[i][lane] = a.V[i][lane]&keep | x.r.Uint32()&^keep
		}
	}
	for i := range b.S {
		keep := reads.s[i]
		if reads.flags[gcn.FlagVCCZ] && i>>1 == gcn.VCC>>1 || reads.flags[gcn.FlagEXECZ] && i>>1 == gcn.EXEC>>1 {
			keep = ^uint32(0)
		}
		b.S[i] = a.S[i]&keep | x.r.Uint32()&^keep
	}
	if b.SCC = x.r.Uint32N(2); reads.flags[gcn.FlagSCC] {
		b.SCC = a.SCC
	}
	var faults [2]*state.Fault
	for i, w := range x.wave {
		if in.Row().Mem.Op != gcn.NoMem {
			for j := range x.data[i].Words {
				x.data[i].Words[j] = uint32(j) * 0x9e3779b1
			}
			clear(x.lds[i].Words)
			clear(x.gds[i].Words)
		}
		vgprs := w.V
		*w = *x.before[i]
		w.V = vgprs
		copy(w.V, x.before[i].V)
		ports := &unit.Ports{
			Mem: memtest.Memory{x.data[i]}, LDS: *x.lds[i], GDS: *x.gds[i],
			Sync: new(unit.Sync), Images: &unit.Images{Regs: x.regs},
		}
		faults[i] = impl.Exec(w, ports, in, new(state.Access))
	}
	if faults[0] != nil || faults[1] != nil {
		if faults[0] == nil || faults[1] == nil {
			t.Errorf("%s: %v against %v", x.describe(in), faults[0], faults[1])
		}
		return false
	}
	x.compare(t, in, writes)
	return true
}

func (x *effectWorld) describe(in *gcn.Inst) string {
	return fmt.Sprintf("%v %v %016x\n%+v", in.Op, in.Enc, in.Words, in.Effects(nil))
}

// compare checks one register word of both runs: bits that are not listed as written are
// those of before, the others agree or were left alone in both.
func same(before, after [2]uint32, listed uint32) string {
	for i := range before {
		if (before[i]^after[i])&^listed != 0 {
			return fmt.Sprintf("changes unlisted bits %08x of %08x to %08x", ^listed, before[i], after[i])
		}
	}
	kept := ^(before[0] ^ after[0]) & ^(before[1] ^ after[1])
	if diff := (after[0] ^ after[1]) & listed &^ kept; diff != 0 {
		return fmt.Sprintf("depends on registers that are not listed: %08x against %08x", after[0], after[1])
	}
	return ""
}

func (x *effectWorld) compare(t *testing.T, in *gcn.Inst, writes *known) {
	report := func(what, why string) {
		if why != "" {
			t.Errorf("%s\n%s %s", x.describe(in), what, why)
		}
	}
	w, was := x.wave, x.before
	for i := range w[0].S {
		report(fmt.Sprint("s", i), same([2]uint32{was[0].S[i], was[1].S[i]}, [2]uint32{w[0].S[i], w[1].S[i]}, writes.s[i]))
	}
	for i := range w[0].V {
		for lane := range w[0].V[i] {
			why := same([2]uint32{was[0].V[i][lane], was[1].V[i][lane]}, [2]uint32{w[0].V[i][lane], w[1].V[i][lane]}, writes.v[i][lane])
			if report(fmt.Sprint("v", i, " lane ", lane), why); why != "" {
				return
			}
		}
	}
	flag := func(f gcn.Flag) uint32 {
		if writes.flags[f] {
			return ^uint32(0)
		}
		return 0
	}
	report("SCC", same([2]uint32{was[0].SCC, was[1].SCC}, [2]uint32{w[0].SCC, w[1].SCC}, flag(gcn.FlagSCC)))
	report("MODE", same([2]uint32{uint32(was[0].Mode), uint32(was[1].Mode)}, [2]uint32{uint32(w[0].Mode), uint32(w[1].Mode)}, flag(gcn.FlagMODE)))
	report("PC", same([2]uint32{0, 0}, [2]uint32{uint32(w[0].PC), uint32(w[1].PC)}, ^uint32(0)))
	if in.Row().Mem.Op == gcn.NoMem {
		return
	}
	for j, v := range x.data[0].Words {
		if v != x.data[1].Words[j] {
			report(fmt.Sprintf("memory 0x%x", 4*j), "depends on registers that are not listed")
			return
		}
	}
}
