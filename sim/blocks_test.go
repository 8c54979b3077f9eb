package sim

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/insttest"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// withBlocks makes programs compile before they execute, and enter all their blocks, until the test ends.
func withBlocks(t testing.TB) {
	t.Helper()
	if why := block.Unavailable(); why != "" {
		t.Skip(why)
	}
	was := choice
	choice = engineChoice{compiles: true, atOnce: true}
	t.Cleanup(func() { choice = was })
}

// ChooseEngine selects the engine for a value of GCNSIM_BLOCKS, until restore is called.
func ChooseEngine(t testing.TB, value string) (restore func()) {
	t.Helper()
	if why := block.Unavailable(); why != "" {
		t.Skip(why)
	}
	was := choice
	if choice = chooseEngine(value, ""); value == block.Off {
		choice = engineChoice{}
	}
	return func() { choice = was }
}

// inBlocks generates random instructions that blocks support: forms of op in encoding e on target.
type inBlocks struct {
	op gcn.Op
	e  gcn.Encoding
}

// blockForms lists the instructions that blocks support on target.
func blockForms(rnd *rand.Rand, target gcn.Target) (all []inBlocks) {
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		r := isa.RowOf(op)
		if r.Has(isa.Alias) || strings.HasPrefix(r.Name, "s_branch") || strings.HasPrefix(r.Name, "s_cbranch") ||
			strings.HasPrefix(r.Name, "s_endpgm") || r.Name == "s_barrier" {
			continue
		}
		for e := isa.SOP1; int(e) < isa.NumEncodings; e++ {
			f := inBlocks{op, e}
			if _, err := isa.New(target, op, e); err == nil && f.random(rnd, target) != nil {
				all = append(all, f)
			}
		}
	}
	return all
}

// random returns a random form that blocks support, nil if it finds none.
func (f inBlocks) random(rnd *rand.Rand, target gcn.Target) *isa.Inst {
	for range 12 {
		in, ok := insttest.Random(rnd, target, f.op, f.e)
		if !ok {
			continue
		}
		for _, field := range []isa.Field{isa.CLAMP, isa.OMOD, isa.OPSEL} {
			if in.Has(field) {
				in, _ = in.Set(field, 0)
			}
		}
		if f.e == isa.VOP3A && rnd.IntN(2) == 0 {
			in, _ = in.Set(isa.NEG, 0)
			in, _ = in.Set(isa.ABS, 0)
		}
		if in.Has(isa.SRC0) && !in.Has(isa.SRC0SEL) && rnd.IntN(8) == 0 {
			in, _ = in.Set(isa.SRC0, isa.LDSDirect)
		}
		for field, v := range placesIn(rnd, f.e) {
			if in.Has(field) {
				in, _ = in.Set(field, v)
			}
		}
		if f.e == isa.DS && !isa.RowOf(f.op).Has(isa.Two) && rnd.IntN(4) > 0 {
			in, _ = in.Set(isa.OFFSET, int64(in.Get(isa.OFFSET)&^3))
		}
		impl := executor.Find(&in)
		if impl.Exec != nil && impl.Block != nil && impl.Block() != nil {
			return &in
		}
	}
	return nil
}

// placesIn returns random address fields of an access in encoding e. They name registers that randomPlaces sets.
func placesIn(rnd *rand.Rand, e gcn.Encoding) map[isa.Field]int64 {
	switch e {
	case isa.DS:
		return map[isa.Field]int64{isa.ADDR: int64(13 + rnd.IntN(3)), isa.GDS: 0}
	case isa.FLAT:
		return map[isa.Field]int64{isa.ADDR: int64(18 + 2*rnd.IntN(2)), isa.TFE: 0}
	case isa.GLOBAL:
		if rnd.IntN(3) == 0 {
			return map[isa.Field]int64{isa.ADDR: int64(14 + rnd.IntN(2)), isa.SADDR: 58}
		}
		return map[isa.Field]int64{isa.ADDR: int64(18 + 2*rnd.IntN(2)), isa.SADDR: isa.NoSADDR}
	case isa.SMEM:
		return map[isa.Field]int64{isa.SBASE: 25, isa.SDST: int64(4 * rnd.IntN(8)), isa.IMM: 1, isa.SOE: 0,
			isa.OFFSET: int64(rnd.IntN(128))}
	case isa.MUBUF:
		return map[isa.Field]int64{isa.ADDR: int64(14 + rnd.IntN(2)), isa.OFFEN: 1, isa.IDXEN: 0, isa.ADDR64: 0, isa.LDS: 0,
			isa.TFE: 0, isa.SRSRC: 13, isa.SOFFSET: []int64{56, 128}[rnd.IntN(2)]}
	}
	return nil
}

// testMemory is a list of ranges. One of them is sealed, one crosses 4 GiB.
type testMemory []*executor.Span

func newTestMemory() (m testMemory) {
	for i, at := range []struct{ base, size uint64 }{{0x12340000, 5000}, {1<<32 - 2048, 4096}, {0x20000000, 4096}} {
		s := memtest.NewSpan(at.base, int(at.size))
		if i == 2 {
			s.Seal = executor.ReadOnly
		}
		m = append(m, s)
	}
	return m
}

func (m testMemory) Find(addr uint64) *executor.Span {
	for _, s := range m {
		if _, ok := s.Offset(addr, 1); ok {
			return s
		}
	}
	return nil
}

// randomPlaces sets the address registers of w: addresses in v18 to v21, bases in s50, s51, s58 and s59, a V# in s52
// to s55, and an offset in s56.
func randomPlaces(rnd *rand.Rand, w *state.Wave) {
	memory := newTestMemory()
	which := func() *executor.Span { return memory[[]int{0, 0, 0, 1, 1, 2}[rnd.IntN(6)]] }
	for reg := 18; reg < 22; reg += 2 {
		s, kind, size := which(), rnd.IntN(4), []uint64{4, 4, 4, 8, 16, 1, 2}[rnd.IntN(7)]
		first := rnd.Uint64N(128) * size
		for i := range uint64(state.NumLanes) {
			off := first + size*i
			switch {
			case kind == 1:
				off = first + size*(i%8) + i/8*128
			case kind == 2:
				off = rnd.Uint64N(3900/size) * size
			case kind == 3 && rnd.IntN(40) == 0:
				off = rnd.Uint64N(4200)
			}
			w.V[reg][i], w.V[reg+1][i] = uint32(s.Base+off), uint32((s.Base+off)>>32)
		}
	}
	s := which()
	w.SetScalar64(58, s.Base-uint64(rnd.IntN(2)*64))
	w.SetScalar64(50, which().Base+uint64(rnd.IntN(8)*rnd.IntN(8)*64+rnd.IntN(4)))
	s = which()
	copy(w.S[52:], gcn.Buffer{Base: s.Base, NumRecords: []uint32{4096, 2000, 5000}[rnd.IntN(3)]}.Words())
	w.S[56] = uint32([]int{0, 0, 16, 3}[rnd.IntN(4)])
}

// special are floats that arithmetic treats specially, and their neighbours.
var special = []uint32{0, 1 << 31, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x800001, 0x3f800000,
	0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xff812345, 0x7fc00000, 0xffc54321, 0x4f000000,
	0xcf000000, 0x4f800000, 0x33800000, 0x00400000, 0x0d800000, 0x7fffffff, 0xffffffff, 31, 32, 64}

// randomState sets the registers of w to random values. If tame is set, few of them cause exceptions.
func randomState(rnd *rand.Rand, w *state.Wave, tame bool) {
	kind := rnd.IntN(4)
	for reg := range w.V {
		for i := range w.V[reg] {
			switch v := rnd.Uint32(); {
			case tame && kind < 3:
				w.V[reg][i] = math.Float32bits(rnd.Float32()*16 - 8)
			case kind == 0:
				w.V[reg][i] = special[v%uint32(len(special))]
			case kind == 1 && v%8 == 0:
				w.V[reg][i] = special[v/8%uint32(len(special))]
			case kind == 1:
				w.V[reg][i] = v&0x87ffffff | 0x38000000
			case kind == 2:
				w.V[reg][i] = v&0x81ffffff | v>>3&1<<25
			default:
				w.V[reg][i] = v
			}
		}
	}
	// v13 to v15 are addresses in LDS. Most instructions do not write the last two.
	for reg := 13; reg < 16; reg++ {
		first, kind, some := rnd.Uint32N(64)*4, rnd.IntN(4), rnd.IntN(8)
		for i := range w.V[reg] {
			switch kind {
			case 0:
				w.V[reg][i] = first + 4*uint32(i)
			case 1:
				w.V[reg][i] = first + uint32(i/(8<<some))*8
			default:
				w.V[reg][i] = rnd.Uint32N(1024) * 4
			}
			if some == 0 && rnd.IntN(32) == 0 {
				w.V[reg][i] = rnd.Uint32N(6000)
			}
		}
	}
	for i := range w.S {
		w.S[i] = rnd.Uint32()
		if rnd.IntN(3) == 0 {
			w.S[i] = special[rnd.IntN(len(special))]
		}
	}
	w.SCC = rnd.Uint32() & 1
	w.SetExec([]uint64{state.FullExec, state.FullExec, 0, 1 << rnd.IntN(64), rnd.Uint64(), 0xff << (8 * rnd.IntN(8)),
		rnd.Uint64() & rnd.Uint64() & rnd.Uint64(), ^uint64(0) >> rnd.IntN(64)}[rnd.IntN(8)])
	w.Mode = []state.Mode{0, state.ModeDenorm32}[rnd.IntN(2)] | state.Mode(rnd.Uint32())&
		(state.ModeIEEE|state.ModeDX10Clamp|state.ModeDenorm64|state.ModeRound64)
	if rnd.IntN(16) == 0 {
		w.Mode |= state.Mode(rnd.Uint32()) & (state.ModeRound32 | state.ModeDenorm32)
	}
	w.S[gcn.M0] = []uint32{1 << 16, 4096, 1000, rnd.Uint32()}[rnd.IntN(4)]
	randomPlaces(rnd, w)
	w.VMCnt, w.EXPCnt, w.LGKMCnt = uint8(rnd.IntN(16)), uint8(rnd.IntN(8)), uint8(rnd.IntN(16))
}

// clone returns a copy of w.
func clone(w *state.Wave) *state.Wave {
	c := state.NewWave(w.Target, w.NumVGPRs)
	copy(c.V, w.V)
	c.S, c.SCC, c.Mode, c.VMCnt, c.EXPCnt, c.LGKMCnt = w.S, w.SCC, w.Mode, w.VMCnt, w.EXPCnt, w.LGKMCnt
	return c
}

// testLDS is the size in bytes of the LDS of the waves.
const testLDS = 4096 + 64

// tried counts instructions that [tryBlocks] executed: native those in blocks, all the total.
type tried struct {
	entered, missed int
	native, all     uint64
}

// tryBlocks executes p, a program of one wave that ends, on w with blocks and without, and compares all visible
// state.
func tryBlocks(t *testing.T, p *Program, w *state.Wave, n *tried) {
	t.Helper()
	before, plain := clone(w), clone(w)
	align := state.Alignment(w.VMCnt) % (state.AlignNone + 1)
	var faults [2]string
	var memories [2]testMemory
	run := func(w *state.Wave, hot int) *runner {
		r := &runner{code: []*Program{p}, ctx: context.Background()}
		r.limit.Store(1 << 20)
		memories[hot] = newTestMemory()
		r.ports = executor.Ports{Mem: memories[hot], Align: align, LDS: *memtest.NewSpan(0, testLDS), Unseen: true}
		r.ports.LDS.Private = true
		for i := range r.ports.LDS.Bytes {
			r.ports.LDS.Bytes[i] = byte(i * 37)
		}
		for i := 0; i < len(r.ports.LDS.Words); i += 4 { // so that the comparison of an atomic succeeds sometimes
			r.ports.LDS.Words[i] = special[i/4%len(special)]
		}
		choice.compiles = hot == 1
		if f := r.run(w); f != nil {
			faults[hot] = f.Error()
		}
		r.tallied()
		memories[hot] = append(memories[hot], &r.ports.LDS)
		return r
	}
	interpreted, native := run(plain, 0), run(w, 1)
	n.entered += native.native.entered
	n.missed += native.native.missed
	n.native += native.native.executed
	n.all += w.Executed
	same := faults[0] == faults[1] && slices.EqualFunc(memories[1], memories[0], func(a, b *executor.Span) bool {
		return bytes.Equal(a.Bytes, b.Bytes)
	})
	if same && slices.Equal(w.V, plain.V) && w.S == plain.S && w.SCC == plain.SCC && w.PC == plain.PC &&
		w.Mode == plain.Mode &&
		w.Executed == plain.Executed && native.res.ByClass == interpreted.res.ByClass &&
		maps.Equal(native.res.notes, interpreted.res.notes) && w.VMCnt == plain.VMCnt &&
		w.EXPCnt == plain.EXPCnt && w.LGKMCnt == plain.LGKMCnt {
		return
	}
	var text strings.Builder
	for i := 0; i < len(p.steps); i += int(p.steps[i].in.Size) / 4 {
		fmt.Fprintf(&text, "%3d %s\n", i, asm.Format(gcn.Inst(p.steps[i].in), asm.LLVM))
	}
	for reg := range w.V {
		for lane := range w.V[reg] {
			if got, want := w.V[reg][lane], plain.V[reg][lane]; got != want {
				fmt.Fprintf(&text, "v%d lane %d: 0x%08x, interpreted 0x%08x, before 0x%08x\n", reg, lane, got, want,
					before.V[reg][lane])
				break
			}
		}
	}
	for code := range w.S {
		if w.S[code] != plain.S[code] {
			fmt.Fprintf(&text, "s%d: 0x%08x, interpreted 0x%08x, before 0x%08x\n", code, w.S[code], plain.S[code],
				before.S[code])
		}
	}
	fmt.Fprintf(&text, "memory and faults are the same: %v; faults: %q and %q\n", same, faults[1], faults[0])
	t.Fatalf("%v, EXEC 0x%x, MODE 0x%x, SCC %d and %d, PC %d and %d, executed %d and %d, by class %v and %v:\n%s", w.Target,
		before.Exec(), before.Mode, w.SCC, plain.SCC, w.PC, plain.PC, w.Executed, plain.Executed, native.res.ByClass,
		interpreted.res.ByClass, text.String())
}

// program returns a program of target that executes the instructions and ends.
func program(target gcn.Target, all []isa.Inst) *Program {
	var words []uint32
	for _, in := range all {
		w, n := in.Encode()
		words = append(words, w[:n]...)
	}
	return NewProgram(target, 0, append(words, 0xbf810000), insttest.VGPRs)
}

// blockRounds is the number of random programs for each target.
const blockRounds = 210

var blockTargets = []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906}

// TestBlockRows executes each instruction that blocks support on random states, alone, three times.
func TestBlockRows(t *testing.T) {
	withBlocks(t)
	for _, target := range blockTargets {
		rnd := rand.New(rand.NewPCG(7, uint64(target)))
		var n tried
		names := map[string]bool{}
		for _, f := range blockForms(rnd, target) {
			names[isa.RowOf(f.op).Name] = true
			for range effort.Rounds(10) {
				in := f.random(rnd, target)
				if in == nil {
					continue
				}
				w := state.NewWave(target, insttest.VGPRs)
				randomState(rnd, w, false)
				tryBlocks(t, program(target, []isa.Inst{*in, *in, *in}), w, &n)
			}
		}
		t.Logf("%v: %d mnemonics, %d calls, %d missed", target, len(names), n.entered, n.missed)
		require.Greater(t, len(names), 150)
		require.Greater(t, n.entered-n.missed, n.entered/3)
	}
}

// TestLongRuns executes so many forms of each instruction that blocks support, equal or random, that the registers of
// the host are full. Every program must compile.
func TestLongRuns(t *testing.T) {
	withBlocks(t)
	for _, target := range blockTargets {
		rnd := rand.New(rand.NewPCG(19, uint64(target)))
		var n tried
		for i, f := range blockForms(rnd, target) {
			first := f.random(rnd, target)
			if first == nil || effort.LeavesOut(i) {
				continue
			}
			for _, alike := range []bool{false, true} {
				var all []isa.Inst
				for range 70 {
					in := first
					if other := f.random(rnd, target); other != nil && !alike {
						in = other
					}
					all = append(all, *in)
				}
				p, w := program(target, all), state.NewWave(target, insttest.VGPRs)
				randomState(rnd, w, true)
				w.Mode |= state.ModeIEEE
				tryBlocks(t, p, w, &n)
				key, ok := block.Suits(w.Mode)
				require.True(t, !ok || p.sees || p.hot.compiled[0][key].Load().code != nil, first)
			}
		}
		require.Greater(t, n.native, n.all/2)
	}
}

// TestKernelsCompile requires that every compiled kernel compiles to both versions of machine code.
func TestKernelsCompile(t *testing.T) {
	withBlocks(t)
	files, err := filepath.Glob("../testdata/kernels/*.co")
	require.NoError(t, err)
	for i, file := range files {
		if effort.LeavesOut(i) {
			continue
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		o, err := new(ObjectCache).Parse(data)
		require.NoError(t, err)
		mod, err := New(o.Target).LoadObject(data)
		require.NoError(t, err)
		for _, k := range o.Kernels {
			programs, err := mod.Programs(t.Context(), k.Name)
			require.NoError(t, err)
			for _, p := range programs {
				does, sizes, _ := p.hot.describe(p)
				for _, notes := range []bool{false, true} {
					_, err := block.Compile(does, sizes, state.ModeDenorm64|state.ModeIEEE|state.ModeDX10Clamp, notes)
					require.NoError(t, err, "%s, %s", file, k.Name)
				}
			}
		}
	}
}

// TestBlockAlignment has all lanes active at addresses four bytes apart. Wider accesses overlap and, where alignment
// to the element matters, are misaligned in some lanes.
func TestBlockAlignment(t *testing.T) {
	withBlocks(t)
	var n tried
	for _, target := range blockTargets {
		rnd := rand.New(rand.NewPCG(13, uint64(target)))
		for i, f := range blockForms(rnd, target) {
			if f.e != isa.DS && f.e != isa.FLAT && f.e != isa.GLOBAL && f.e != isa.MUBUF || effort.LeavesOut(i) {
				continue
			}
			for align := range uint8(state.AlignNone + 1) {
				w := state.NewWave(target, insttest.VGPRs)
				randomState(rnd, w, false)
				w.SetExec(state.FullExec)
				w.VMCnt = align // tryBlocks uses it as the alignment mode
				for i := range uint32(state.NumLanes) {
					for _, reg := range []int{13, 14, 15, 18, 20} {
						w.V[reg][i] = w.V[reg][0]&^15 + 4*i
					}
					w.V[19][i], w.V[21][i] = w.V[19][0], w.V[21][0]
				}
				if in := f.random(rnd, target); in != nil {
					tryBlocks(t, program(target, slices.Repeat([]isa.Inst{*in}, 10)), w, &n)
				}
			}
		}
	}
	t.Logf("%d calls, %d missed", n.entered, n.missed)
	require.Greater(t, n.entered-n.missed, n.entered/4)
}

// outside are instructions that blocks do not support: a block ends before them, and the next one begins after them.
var outside = []string{"v_cvt_f16_f32", "v_exp_f32", "v_ffbh_u32", "v_readfirstlane_b32", "v_min3_i16", "v_fma_f64"}

// randomProgram returns a program of instructions of forms, with some that blocks do not support, forward branches on
// all conditions, and a loop over all of it with up to turns iterations.
func randomProgram(rnd *rand.Rand, target gcn.Target, forms []inBlocks, turns int) *Program {
	text := func(s string) isa.Inst {
		p, err := asm.Assemble(target, s, asm.LLVM)
		if err != nil {
			panic(err)
		}
		in, err := isa.Decode(target, p.Words)
		if err != nil {
			panic(err)
		}
		return in
	}
	all := []isa.Inst{text(fmt.Sprintf("s_mov_b32 s60, %d", 1+rnd.IntN(turns)))} // other instructions write only s0 to s48
	var branches []int
	for range 2 + rnd.IntN(70) {
		switch rnd.IntN(16) {
		case 0:
			branches = append(branches, len(all))
			all = append(all, text([]string{"s_branch 0", "s_cbranch_scc0 0", "s_cbranch_scc1 0", "s_cbranch_vccz 0",
				"s_cbranch_vccnz 0", "s_cbranch_execz 0", "s_cbranch_execnz 0"}[rnd.IntN(7)]))
		case 1:
			ops, _ := isa.Lookup(outside[rnd.IntN(len(outside))], target)
			for _, op := range ops {
				if in, ok := insttest.Random(rnd, target, op, isa.RowOf(op).Enc); ok && executor.Find(&in).Exec != nil {
					all = append(all, in)
				}
			}
		default:
			if in := forms[rnd.IntN(len(forms))].random(rnd, target); in != nil {
				all = append(all, *in)
			}
		}
	}
	all = append(all, text("s_sub_u32 s60, s60, 1"), text("s_cmp_lg_u32 s60, 0"), text("s_cbranch_scc1 0"))
	at := make([]int, len(all)+1) // dword offset of each instruction
	for i, in := range all {
		at[i+1] = at[i] + int(in.Size)/4
	}
	for _, b := range branches {
		to := b + 1 + rnd.IntN(min(len(all)-b-2, 20))
		all[b], _ = all[b].Set(isa.SIMM16, int64(at[to]-at[b+1]))
	}
	last := len(all) - 1
	all[last], _ = all[last].Set(isa.SIMM16, int64(at[1]-at[last+1]))
	return program(target, all)
}

// TestBlockPrograms executes random programs of instructions that blocks support.
func TestBlockPrograms(t *testing.T) {
	withBlocks(t)
	for _, target := range blockTargets {
		rnd := rand.New(rand.NewPCG(11, uint64(target)))
		forms := blockForms(rnd, target)
		var n tried
		for round := range effort.Rounds(blockRounds) {
			p := randomProgram(rnd, target, forms, 4)
			for range 3 {
				w := state.NewWave(target, insttest.VGPRs)
				randomState(rnd, w, round%4 != 0)
				tryBlocks(t, p, w, &n)
			}
		}
		t.Logf("%v: %d calls, %d missed", target, n.entered, n.missed)
		require.Greater(t, n.entered, 10)
	}
}

// TestBlockUnderflow multiplies to products that are denormal before rounding and normal after it. Hosts that flush
// denormals treat them as denormal.
func TestBlockUnderflow(t *testing.T) {
	withBlocks(t)
	for _, text := range []string{"v_mul_f32 v2, v0, v1", "v_mad_f32 v2, v0, v1, 0", "v_fma_f32 v2, v0, v1, 0"} {
		words, err := asm.Assemble(gcn.GFX803, strings.Repeat(text+"\n", 3)+"s_endpgm", asm.LLVM)
		require.NoError(t, err)
		w := state.NewWave(gcn.GFX803, insttest.VGPRs)
		w.Mode &^= state.ModeDenorm32
		for i := range w.V[0] {
			w.V[0][i], w.V[1][i] = 0x00ffffff, 0x3f000000
		}
		var n tried
		tryBlocks(t, NewProgram(gcn.GFX803, 0, words.Words, insttest.VGPRs), w, &n)
		require.Equal(t, uint32(0x00800000), w.V[2][0], text)
		require.Equal(t, 1, n.missed, text)
	}
}

// TestBlockOrder executes vector instructions mixed with scalar ones whose order matters. Some parts execute a second
// time by executors.
func TestBlockOrder(t *testing.T) {
	withBlocks(t)
	more := strings.Repeat("\n v_xor_b32 v9, v9, v8", 3) // enough instructions for a block to be compiled
	for _, text := range []string{
		"v_add_u32 v1, vcc, v0, v0\n s_mov_b32 m0, 0\n ds_read_b32 v2, v13",
		"v_mov_b32 v1, s0\n s_mov_b32 s0, 5\n v_mov_b32 v2, s0\n v_mov_b32 v3, s0\n v_mov_b32 v4, s0",
		"v_mov_b32 v1, s0\n s_add_u32 s0, s0, 1\n v_mov_b32 v2, s0",
		"v_mul_f32 v1, v0, v0\n s_add_u32 s0, s0, 1\n v_add_f32 v2, s0, v1",
		"v_mul_f32 v1, v0, v0\n s_mov_b32 s1, s0\n s_mov_b32 s0, 3\n v_add_f32 v2, s1, v1\n v_add_f32 v3, s0, v1",
		"v_mul_f32 v1, v0, v0\n s_cselect_b32 s1, s0, 2\n s_cmp_eq_u32 s0, s0\n v_add_f32 v2, s1, v1",
		"v_cmp_lt_f32 vcc, v0, v1\n s_mov_b64 s[2:3], vcc\n v_cndmask_b32 v2, v0, v1, s[2:3]\n v_mul_f32 v3, v0, v2",
		"v_mul_f32 v1, v0, v0\n s_mov_b32 s4, 7\n v_mov_b32 v2, s4\n s_and_saveexec_b64 s[2:3], s[0:1]\n v_mov_b32 v3, s4",
	} {
		words, err := asm.Assemble(gcn.GFX803, text+more+"\n s_endpgm", asm.LLVM)
		require.NoError(t, err)
		p := NewProgram(gcn.GFX803, 0, words.Words, insttest.VGPRs)
		rnd := rand.New(rand.NewPCG(17, 0))
		var n tried
		for i := range 20 {
			w := state.NewWave(gcn.GFX803, insttest.VGPRs)
			randomState(rnd, w, i%2 == 0)
			if i%4 == 0 { // a signalling NaN
				w.V[0][0] = 0x7f800001
				w.SetExec(w.Exec() | 1)
			}
			tryBlocks(t, p, w, &n)
		}
	}
}

// TestBlockCancel cancels a run that loops in a block.
func TestBlockCancel(t *testing.T) {
	withBlocks(t)
	p, err := asm.Assemble(gcn.GFX900, "loop:\nv_add_f32 v0, v0, v1\nv_mul_f32 v2, v0, v1\ns_branch loop", asm.LLVM)
	require.NoError(t, err)
	m := New(gcn.GFX900)
	m.Limit = math.MaxUint64
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = m.RunProgram(ctx, NewProgram(gcn.GFX900, 0, p.Words, 8), m.NewWave())
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// BenchmarkCompile measures the compilation of kernels as their waves become hot, which happens once per program.
func BenchmarkCompile(b *testing.B) {
	withBlocks(b)
	for _, name := range []string{"vadd", "matmul", "bitonic", "aes"} {
		b.Run(name, func(b *testing.B) {
			object, err := os.ReadFile("../testdata/kernels/" + name + ".fiji.co")
			require.NoError(b, err)
			mod, err := New(gcn.GFX803).LoadObject(object)
			require.NoError(b, err)
			k, err := mod.Object.Kernel(name)
			require.NoError(b, err)
			code, err := mod.decoded(context.Background(), mod.Base+k.Entry, k.VGPRs)
			require.NoError(b, err)
			for b.Loop() {
				does, sizes, _ := code[0].hot.describe(code[0])
				_, err := block.Compile(does, sizes, state.DefaultMode, false)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(code[0].steps)), "ns/dword")
		})
	}
}

// TestSitesComeBack checks that an access that often had lanes on both sides of 4 GiB executes in blocks again once
// it no longer has.
func TestSitesComeBack(t *testing.T) {
	withBlocks(t)
	text, err := asm.Assemble(gcn.GFX900, "global_load_dword v2, v[0:1], off\ns_waitcnt vmcnt(0)\n"+
		"v_mov_b32 v3, v2\nv_mov_b32 v4, v2\nv_mov_b32 v5, v2\ns_endpgm", asm.LLVM)
	require.NoError(t, err)
	r := &runner{code: []*Program{NewProgram(gcn.GFX900, 0, text.Words, insttest.VGPRs)}, ctx: t.Context()}
	r.limit.Store(1 << 20)
	r.ports = executor.Ports{Mem: newTestMemory(), Unseen: true}
	inBlocks := func(n int, first uint64) (loads int) {
		for range n {
			w := state.NewWave(gcn.GFX900, insttest.VGPRs)
			w.SetExec(state.FullExec)
			for lane := range uint64(state.NumLanes) {
				w.V[0][lane], w.V[1][lane] = uint32(first+4*lane), uint32((first+4*lane)>>32)
			}
			require.Nil(t, r.run(w))
			loads += int(r.native.context.Counted().GLOBAL)
		}
		return loads
	}
	require.Equal(t, 2, inBlocks(2, 1<<32-2048))
	require.Zero(t, inBlocks(100, 1<<32-128))
	require.Zero(t, inBlocks(1, 1<<32))
	require.Greater(t, inBlocks(1000, 1<<32), 500)
}

// TestSkippersCompile checks that a program is compiled earlier if a watcher may skip instructions.
func TestSkippersCompile(t *testing.T) {
	was := choice
	choice.atOnce = false
	t.Cleanup(func() { choice = was })
	text, err := asm.Assemble(gcn.GFX900, "s_movk_i32 s0, 0x1000\nl:\ns_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\n"+
		"s_cbranch_scc1 l", asm.LLVM)
	require.NoError(t, err)
	for _, needs := range []unseen.Needs[*Event]{{}, {Skip: func(*Event, bool) unseen.Ahead { return unseen.Ahead{} }}} {
		m := New(gcn.GFX900)
		require.NoError(t, m.Watch(&needing{unseen: needs}))
		p := NewProgram(gcn.GFX900, 0, text.Words, 256)
		_, err := m.RunProgram(t.Context(), p, m.NewWave())
		require.NoError(t, err)
		require.Equal(t, needs.Skip != nil && p.hot != nil, p.hot != nil && p.hot.isHot())
	}
}

// needing is a watcher with the given needs.
type needing struct {
	NoWatcher
	needs  Needs
	unseen unseen.Needs[*Event]
}

// Needs implements [Watcher].
func (n *needing) Needs() Needs { return n.needs }

// Unseen returns the instructions that it need not see.
func (n *needing) Unseen() any { return n.unseen }
