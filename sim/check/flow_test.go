package check

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/insttest"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// TestFlowIsSound compares shadows with executors, for random forms of every instruction, with
// random undefined bits of registers and memory. Other values of the undefined bits must not
// change a bit of the result that its shadow says is defined.
func TestFlowIsSound(t *testing.T) {
	trials, targets := effort.Rounds(3), []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX810, gcn.GFX900,
		gcn.GFX906}
	if !effort.Full() {
		targets = targets[5:]
	}
	for _, target := range targets {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			x := newFlowWorld(t, target)
			for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
				r := isa.RowOf(op)
				if r.Has(isa.Alias) || r.Has(isa.IndexesSGPRs) && r.Has(isa.WritesMODE) { // forks use a stack
					continue
				}
				for e := isa.SOP1; int(e) < isa.NumEncodings; e++ {
					if _, err := isa.New(target, op, e); err != nil {
						continue
					}
					for range trials {
						if in, ok := insttest.Random(x.r, target, op, e); ok {
							x.try(&in)
						}
					}
				}
			}
			require.Greater(t, x.ran, 300*trials)
			require.Greater(t, x.spread, 60*trials, "results with undefined and defined bits")
		})
	}
}

// flowWorld has the two states in which TestFlowIsSound executes instructions. World 1 differs
// from world 0 in the values of the undefined bits.
type flowWorld struct {
	t           *testing.T
	r           *rand.Rand
	target      gcn.Target
	regs        *tile.Registers
	wave        [2]*state.Wave
	data        [2]*executor.Span
	mem         sim.Memory // the memory of world 0
	lds, gds    [2]*executor.Span
	c           *Checker
	in          isa.Inst
	ran, spread int
}

const flowLDS = 1 << 13

func newFlowWorld(t *testing.T, target gcn.Target) *flowWorld {
	x := &flowWorld{t: t, r: rand.New(rand.NewPCG(2, uint64(target))), target: target}
	var err error
	x.regs, err = tile.ForTarget(target)
	require.NoError(t, err)
	for i := range x.wave {
		x.wave[i] = state.NewWave(target, insttest.VGPRs)
		x.data[i], x.lds[i], x.gds[i] = memtest.NewSpan(0, 1<<16), memtest.NewSpan(0, flowLDS), memtest.NewSpan(0, flowLDS)
	}
	require.NoError(t, x.mem.Lend(0, x.data[0].Bytes, "data", false))
	x.c, err = New(string(Uninit))
	require.NoError(t, err)
	return x
}

// holes returns a mask of random undefined bits: mostly none, else all, a field, or a few.
func (x *flowWorld) holes() uint32 {
	switch x.r.IntN(8) {
	case 0:
		return ^uint32(0)
	case 1:
		return x.r.Uint32() & x.r.Uint32() & x.r.Uint32()
	case 2:
		return ^uint32(0) << x.r.IntN(32)
	case 3:
		return 1 << x.r.IntN(32)
	case 4:
		return [...]uint32{0xff, 0xff00, 0xffff, 0xffff0000, 0xff000000}[x.r.IntN(5)]
	}
	return 0
}

// fill makes a random state with random undefined bits. Addresses, resources and the like are
// defined, because their undefined bits are findings.
func (x *flowWorld) fill() {
	w := x.wave[0]
	insttest.Fill(x.r, w)
	w.S[gcn.M0] = [...]uint32{flowLDS, ^uint32(0), 16}[x.r.IntN(3)]
	if x.r.IntN(2) == 0 { // values whose single bits decide the result
		for i := range w.V {
			for lane := range w.V[i] {
				w.V[i][lane] &= [...]uint32{0, 31, 0xff, 0xffff}[x.r.IntN(4)]
			}
		}
	}
	c := x.c
	c.Begin(x.wave[:1])
	h := c.waves[0].shadow
	keepV, keepS := map[int]bool{}, map[int]bool{gcn.EXEC: true, gcn.EXEC + 1: true, gcn.M0: true}
	for _, f := range x.in.Effects(nil) {
		if f.Write || f.Role == isa.RoleData || f.Role == isa.RoleMask {
			continue
		}
		for n := range int(f.Dwords) {
			keepV[int(f.Code)+n] = keepV[int(f.Code)+n] || f.File == isa.VReg
			keepS[int(f.Code)+n] = keepS[int(f.Code)+n] || f.File == isa.SReg
		}
	}
	if x.in.Enc == isa.MIMG {
		for n := range 16 {
			keepV[(int(x.in.Get(isa.ADDR))+n)%insttest.VGPRs] = true
		}
	}
	for n := range h.v {
		if keepV[n] || x.r.IntN(3) == 0 {
			continue
		}
		for lane := range state.NumLanes {
			h.setVGPR(n, lane, x.holes(), ^uint32(0), neverWritten(reg(n)))
		}
	}
	for n := range h.s {
		if !keepS[n] && x.r.IntN(2) == 0 {
			h.setScalar(n, x.holes(), neverWritten(registers.ScalarRegs+reg(n)))
		}
	}
	h.setSCC(x.r.IntN(2) == 0, neverWritten(registers.FlagRegs))
	x.fillMemory()
}

func (x *flowWorld) fillMemory() {
	u := &x.c.undef
	u.placed = true
	for i, m := range []*memShadow{&u.lds, &u.gds, &u.global} {
		m.reset(&u.pages)
		span := [...]*executor.Span{x.lds[0], x.gds[0], x.data[0]}[i]
		if x.in.Row().Mem.Op == gcn.NoMem {
			continue
		}
		for j := range span.Words {
			span.Words[j] = x.r.Uint32()
			if x.in.Enc == isa.MIMG || x.r.IntN(3) == 0 {
				continue
			}
			if holes := x.holes(); holes != 0 {
				m.store(uint64(4*j), 4, holes, u.ldsFrom)
			}
		}
	}
}

// vary makes world 1 from world 0 by changing values of undefined bits.
func (x *flowWorld) vary() {
	a, b := x.wave[0], x.wave[1]
	v := b.V
	*b = *a
	b.V = v
	copy(b.V, a.V)
	h := x.c.waves[0].shadow
	for n := range h.v {
		for lane := range state.NumLanes {
			b.V[n][lane] ^= x.r.Uint32() & h.v[n][lane]
		}
	}
	for n := range h.s {
		b.S[n] ^= x.r.Uint32() & h.s[n]
	}
	b.SCC ^= x.r.Uint32() & h.scc
	u := &x.c.undef
	for i, m := range []*memShadow{&u.lds, &u.gds, &u.global} {
		from, to := [...]*executor.Span{x.lds[0], x.gds[0], x.data[0]}[i],
			[...]*executor.Span{x.lds[1], x.gds[1], x.data[1]}[i]
		copy(to.Words, from.Words)
		for _, at := range slices.Sorted(maps.Keys(m.pages)) {
			for j, undef := range m.pages[at].undef {
				to.Words[int(at)*undefPageWords+j] ^= x.r.Uint32() & undef
			}
		}
	}
}

func (x *flowWorld) try(in *isa.Inst) {
	impl := executor.Find(in)
	if impl.Exec == nil {
		return
	}
	x.in = *in
	x.fill()
	x.vary()
	w := x.wave[0]
	p := sim.NewProgram(x.target, w.PC, []uint32{uint32(in.Words), uint32(in.Words >> 32)}[:in.Size/4], insttest.VGPRs)
	e := sim.Event{Wave: w, PC: w.PC, Inst: (*gcn.Inst)(in), Access: &state.Access{}, Memory: &x.mem, LDS: x.lds[0].Bytes,
		GDS: x.gds[0].Bytes, Program: p}
	found := x.findings()
	x.c.Issue(&e)
	var faults [2]*state.Fault
	for i := range x.wave {
		ports := &executor.Ports{
			Mem: memtest.Memory{x.data[i]}, LDS: *x.lds[i], GDS: *x.gds[i],
			Sync: new(executor.Sync), Images: &executor.Images{Regs: x.regs},
		}
		a := e.Access
		if i == 1 {
			a = new(state.Access)
		}
		faults[i] = impl.Exec(x.wave[i], ports, in, a)
	}
	if faults[0] != nil || faults[1] != nil {
		return
	}
	x.c.Retire(&e)
	if x.findings() != found {
		return
	}
	x.ran++
	x.compare()
}

// findings returns the sum of the counts of all findings.
func (x *flowWorld) findings() (n uint64) {
	for _, s := range x.c.order {
		for _, f := range s.found {
			n += f.Count
		}
	}
	return n
}

func (x *flowWorld) compare() {
	a, b := x.wave[0], x.wave[1]
	h := x.c.waves[0].shadow
	failed := false
	partly := false
	check := func(what string, n int, va, vb, undef uint32) {
		partly = partly || undef != 0 && undef != ^uint32(0)
		if d := (va ^ vb) &^ undef; d != 0 && !failed {
			failed = true
			x.t.Errorf("%v %v %016x: %s%d is %08x or %08x, undefined are said to be bits %08x only\n%+v", x.in.Op, x.in.Enc,
				x.in.Words, what, n, va, vb, undef, x.in.Effects(nil))
		}
	}
	for n := range h.v {
		for lane := range state.NumLanes {
			check("v", n, a.V[n][lane], b.V[n][lane], h.v[n][lane])
		}
	}
	for n := range h.s {
		check("s", n, a.S[n], b.S[n], h.s[n])
	}
	check("scc", 0, a.SCC, b.SCC, h.scc)
	check("pc", 0, uint32(a.PC), uint32(b.PC), 0)
	u := &x.c.undef
	for i, m := range []*memShadow{&u.lds, &u.gds, &u.global} {
		sa, sb := [...]*executor.Span{x.lds[0], x.gds[0], x.data[0]}[i], [...]*executor.Span{x.lds[1], x.gds[1], x.data[1]}[i]
		for j := range sa.Words {
			if sa.Words[j] != sb.Words[j] {
				undef, _ := m.load(uint64(4*j), 4)
				check([...]string{"lds ", "gds ", "memory "}[i], 4*j, sa.Words[j], sb.Words[j], undef)
			}
		}
	}
	if partly {
		x.spread++
	}
}
