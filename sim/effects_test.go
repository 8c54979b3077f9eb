package sim_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/insttest"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// TestEffects compares [isa.Inst.Effects] with the executors, for random forms of every instruction that executes, on
// every generation. State that is not listed as written must not change; registers that are not listed as read must
// not influence the result.
func TestEffects(t *testing.T) {
	effort.Long(t)
	trials := effort.Rounds(6)
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX810, gcn.GFX900, gcn.GFX906} {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			x := newEffectWorld(t, target)
			ran := 0
			for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
				r := isa.RowOf(op)
				if r.Has(isa.Alias) || r.Has(isa.IndexesSGPRs) && r.Has(isa.WritesMODE) { // forks use a stack in SGPRs
					continue
				}
				for e := isa.SOP1; int(e) < isa.NumEncodings; e++ {
					if _, err := isa.New(target, op, e); err != nil {
						continue
					}
					for range trials {
						if in, ok := insttest.Random(x.r, x.target, op, e); ok && x.try(t, &in) {
							ran++
						}
					}
				}
			}
			require.Greater(t, ran, 400*trials)
		})
	}
}

// effectWorld is the machine on which the instructions of TestEffects execute.
type effectWorld struct {
	r      *rand.Rand
	target gcn.Target
	regs   *tile.Registers
	fresh  []uint32 // contents of memory before
	data   [2]*executor.Span
	lds    [2]*executor.Span
	gds    [2]*executor.Span
	wave   [2]*state.Wave
	before [2]*state.Wave
	kind   gcn.ImageType
}

func newEffectWorld(t *testing.T, target gcn.Target) *effectWorld {
	x := &effectWorld{r: rand.New(rand.NewPCG(1, uint64(target))), target: target}
	var err error
	x.regs, err = tile.ForTarget(target)
	require.NoError(t, err)
	for j := range uint32(1 << 14) {
		x.fresh = append(x.fresh, j*0x9e3779b1)
	}
	for i := range x.data {
		x.data[i], x.lds[i], x.gds[i] = memtest.NewSpan(0, 1<<16), memtest.NewSpan(0, 1<<13), memtest.NewSpan(0, 1<<13)
		x.wave[i], x.before[i] = state.NewWave(target, insttest.VGPRs), state.NewWave(target, insttest.VGPRs)
	}
	return x
}

// known is a set of bits of a wave's state that effects list.
type known struct {
	v     [insttest.VGPRs][state.NumLanes]uint32
	s     [isa.NumScalarCodes]uint32
	flags map[isa.Flag]bool
}

func spread(mask uint8) (bits uint32) {
	for b := range 4 {
		bits |= uint32(mask>>b&1) * 0xff << (8 * b)
	}
	return bits
}

// listed returns the state that in reads, or writes, according to its effects.
func (x *effectWorld) listed(in *isa.Inst, write bool) *known {
	k := &known{flags: map[isa.Flag]bool{}}
	exec := x.before[0].Exec()
	for _, e := range in.Effects(nil) {
		if e.Write != write {
			continue
		}
		for i := range int(e.Dwords) {
			switch e.File {
			case isa.SReg:
				k.s[(int(e.Code)+i)&127] |= spread(e.Bytes)
			case isa.FlagReg:
				k.flags[isa.Flag(e.Code)] = true
			case isa.VReg:
				lanes := exec
				if e.Lanes != isa.ActiveLanes && e.Lanes != isa.MovedLanes {
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
	if in.Enc == isa.MIMG && !write {
		for i := range in.ImageAddr(x.kind, false).VGPRs {
			for lane := range k.v[0] {
				k.v[(int(in.Get(isa.ADDR))+i)%insttest.VGPRs][lane] = ^uint32(0)
			}
		}
	}
	return k
}

// try executes in on two states with equal inputs and reports whether it executed.
func (x *effectWorld) try(t *testing.T, in *isa.Inst) bool {
	impl := executor.Find(in)
	if impl.Exec == nil {
		return false
	}
	x.kind = insttest.Fill(x.r, x.before[0])
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
		if reads.flags[isa.FlagVCCZ] && i>>1 == gcn.VCC>>1 || reads.flags[isa.FlagEXECZ] && i>>1 == gcn.EXEC>>1 {
			keep = ^uint32(0)
		}
		b.S[i] = a.S[i]&keep | x.r.Uint32()&^keep
	}
	if b.SCC = x.r.Uint32N(2); reads.flags[isa.FlagSCC] {
		b.SCC = a.SCC
	}
	var faults [2]*state.Fault
	for i, w := range x.wave {
		if in.Row().Mem.Op != gcn.NoMem {
			copy(x.data[i].Words, x.fresh)
			clear(x.lds[i].Words)
			clear(x.gds[i].Words)
		}
		vgprs := w.V
		*w = *x.before[i]
		w.V = vgprs
		copy(w.V, x.before[i].V)
		ports := &executor.Ports{
			Mem: memtest.Memory{x.data[i]}, LDS: *x.lds[i], GDS: *x.gds[i],
			Sync: new(executor.Sync), Images: &executor.Images{Regs: x.regs},
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

func (x *effectWorld) describe(in *isa.Inst) string {
	return fmt.Sprintf("%v %v %016x\n%+v", in.Op, in.Enc, in.Words, in.Effects(nil))
}

// same checks one register word of both runs. Bits not listed as written must be unchanged; the others must be equal,
// or unchanged in both.
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

func (x *effectWorld) compare(t *testing.T, in *isa.Inst, writes *known) {
	report := func(what, why string) {
		if why != "" {
			t.Errorf("%s\n%s %s", x.describe(in), what, why)
		}
	}
	w, was := x.wave, x.before
	for i := range w[0].S {
		if why := same([2]uint32{was[0].S[i], was[1].S[i]}, [2]uint32{w[0].S[i], w[1].S[i]}, writes.s[i]); why != "" {
			report(fmt.Sprint("s", i), why)
		}
	}
	for i := range w[0].V {
		for lane := range w[0].V[i] {
			if why := same([2]uint32{was[0].V[i][lane], was[1].V[i][lane]}, [2]uint32{w[0].V[i][lane], w[1].V[i][lane]},
				writes.v[i][lane]); why != "" {
				report(fmt.Sprint("v", i, " lane ", lane), why)
				return
			}
		}
	}
	flag := func(f isa.Flag) uint32 {
		if writes.flags[f] {
			return ^uint32(0)
		}
		return 0
	}
	report("SCC", same([2]uint32{was[0].SCC, was[1].SCC}, [2]uint32{w[0].SCC, w[1].SCC}, flag(isa.FlagSCC)))
	report("MODE", same([2]uint32{uint32(was[0].Mode), uint32(was[1].Mode)},
		[2]uint32{uint32(w[0].Mode), uint32(w[1].Mode)}, flag(isa.FlagMODE)))
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
