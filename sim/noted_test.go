package sim

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// notedLines are loads and stores of LDS at v1 and v2, and instructions between them that change addresses and EXEC.
var notedLines = []string{
	"ds_read_b32 v%[1]d, v1 offset:%[2]d", "ds_read_b32 v%[1]d, v2 offset:%[2]d", "ds_read_b64 v[10:11], v1 offset:%[2]d",
	"ds_read2_b32 v[10:11], v1 offset0:%[2]d offset1:4", "ds_read2_b32 v[12:13], v2 offset0:1 offset1:%[2]d",
	"ds_read2st64_b32 v[12:13], v2 offset0:%[3]d offset1:1", "ds_read_u8 v%[1]d, v1 offset:%[2]d",
	"ds_write_b32 v2, v%[1]d offset:%[2]d", "v_add_f32 v%[1]d, v3, v3", "v_mul_f32 v%[1]d, v4, v3",
	"s_waitcnt lgkmcnt(0)", "v_mov_b32 v2, v5", "v_add_u32 v1, 8, v1", "v_and_b32 v2, 0x78, v2",
	"s_mov_b32 exec_lo, s%[3]d", "s_mov_b64 exec, -1", "global_load_dword v%[1]d, v[6:7], off",
	"ds_read_b32 v1, v1\nv_mov_b32 v1, v5",
}

// reachedAt is an access of a wave: the number of instructions executed before, and the addresses of the active
// lanes, those of the first elements first.
type reachedAt struct {
	executed, pc, exec uint64
	at                 []uint64
}

// reachedBy returns the access in the record of e.
func reachedBy(e *Event) (r reachedAt) {
	a := e.Access
	r.pc, r.exec = e.PC, a.Exec
	for i := 0; i == 0 || a.Split && i < int(a.Count); i++ {
		for lane := range uint64(state.NumLanes) {
			switch {
			case a.Exec>>lane&1 == 0:
			case a.Dense && !a.Split && a.Count == 1:
				r.at = append(r.at, a.Addr[0]+4*lane)
			default:
				r.at = append(r.at, a.At(i, int(lane)))
			}
		}
	}
	return r
}

// placesBy returns the access of e according to the trace.
func placesBy(e *Event, trace unseen.Trace) (r reachedAt) {
	exec, base, places, second := trace.Lanes(0)
	r.pc, r.exec = e.PC, exec
	for i := 0; i == 0 || e.Access.Split && i < int(e.Access.Count); i++ {
		for lane := range uint64(state.NumLanes) {
			if exec>>lane&1 != 0 {
				r.at = append(r.at, base+uint64(places[lane])+uint64(i)*second)
			}
		}
	}
	return r
}

// TestNotedAccesses executes random code unseen, from any instruction on. The traced accesses must equal those that a
// watcher sees in the same code.
func TestNotedAccesses(t *testing.T) {
	withBlocks(t)
	noted := 0
	for seed := range uint64(effort.Rounds(300)) {
		r := rand.New(rand.NewPCG(seed, 40))
		var body strings.Builder
		for range 4 + r.IntN(20) {
			// %.[4]s prints nothing, but uses the last argument, which lines without verbs must do as well.
			fmt.Fprintf(&body, notedLines[r.IntN(len(notedLines))]+"%.[4]s\n", 10+r.IntN(8), 4*r.IntN(4), r.IntN(3), "")
		}
		words, err := asm.Assemble(gcn.GFX900, "s_mov_b32 s20, 3\nloop:\n"+body.String()+
			"s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm", asm.LLVM)
		require.NoError(t, err)
		p := NewProgram(gcn.GFX900, 0, words.Words, 32)
		run := func(watch func(all *[]reachedAt) unseen.Needs[*Event]) (all []reachedAt) {
			m := New(gcn.GFX900)
			buf := m.Alloc(1024)
			w, values := m.NewWave(), rand.New(rand.NewPCG(seed, 41))
			for lane := range uint64(state.NumLanes) {
				random := 8 * values.Uint32N(32)
				w.V[1][lane], w.V[2][lane], w.V[5][lane] = 8*uint32(lane), random, 512-8*uint32(lane)
				at := buf.Addr + uint64(random)
				w.V[6][lane], w.V[7][lane] = uint32(at), uint32(at>>32)
			}
			w.S[0], w.S[1], w.S[2] = values.Uint32(), 1, 0xff00
			require.NoError(t, m.Watch(&seeing{needing{unseen: watch(&all)}, &all}))
			_, err := m.RunProgram(t.Context(), p, w)
			require.NoError(t, err)
			return all
		}
		want := run(func(*[]reachedAt) unseen.Needs[*Event] { return unseen.Needs[*Event]{} })
		got := run(func(all *[]reachedAt) unseen.Needs[*Event] {
			most := uint64(0) // number of instructions that may execute unseen
			return unseen.Needs[*Event]{
				Skip: func(e *Event, accesses bool) unseen.Ahead {
					if end := p.End - 4; accesses && e.PC != 0 && e.PC < end {
						for pc := e.PC; r.IntN(16) != 0 && pc < end; { // sometimes fewer than all
							in, _ := p.Inst(pc)
							if pc += uint64(in.Size); r.IntN(32) == 0 {
								end = pc
							}
						}
						a := unseen.Ahead{Bytes: end - e.PC, Loops: e.PC == 4 && end == p.End-4}
						most = math.MaxUint64
						if !a.Loops {
							most = count(p, e.PC, end)
						}
						return a
					}
					return unseen.Ahead{}
				},
				Skipped: func(e *Event, n uint64, trace unseen.Trace) {
					require.LessOrEqual(t, n, most)
					for more := true; more; {
						pass := r.IntN(8) / 6
						exec, base, places, _ := trace.Lanes(pass + 1)
						more = trace.Next(pass, true)
						require.Equal(t, more, places != nil)
						if n := len(*all); pass > 0 && n < len(want) && want[n].executed <= e.Wave.Executed {
							*all = append(*all, want[n])
						}
						if more {
							noted++
							at := reachedBy(e)
							require.Equal(t, at, placesBy(e, trace))
							require.Equal(t, []uint64{at.exec, at.at[0]},
								[]uint64{exec, base + uint64(places[bits.TrailingZeros64(exec)])})
							*all = append(*all, at)
						}
					}
				},
			}
		})
		for i := range want {
			want[i].executed = 0
		}
		for i := range got {
			got[i].executed = 0
		}
		require.Equal(t, want, got, "seed %d\n%s", seed, body.String())
	}
	require.Positive(t, noted)
}

// count returns the number of instructions of p from one address up to another.
func count(p *Program, from, to uint64) (n uint64) {
	for range p.Insts(from, to) {
		n++
	}
	return n
}

// TestLoadsAreEntries: the code that a watcher skips may begin at a load from LDS within straight code, unless
// another load is directly before it.
func TestLoadsAreEntries(t *testing.T) {
	withBlocks(t)
	vector := strings.Repeat("v_add_f32 v8, v3, v3\nv_mul_f32 v9, v8, v8\n", 8)
	words, err := asm.Assemble(gcn.GFX900, vector+"ds_read_b32 v4, v1\nds_read_b32 v5, v1 offset:4\n"+vector+
		"ds_read_b32 v6, v1\n"+vector+"s_endpgm", asm.LLVM)
	require.NoError(t, err)
	p := NewProgram(gcn.GFX900, 0, words.Words, 32)
	loads := 0
	for pc, in := range p.Insts(p.Base, p.End) {
		if in.Enc != isa.DS {
			continue
		}
		m := New(gcn.GFX900)
		var shown []reachedAt
		require.NoError(t, m.Watch(&seeing{needing{unseen: unseen.Needs[*Event]{
			Skip: func(e *Event, accesses bool) unseen.Ahead {
				switch {
				case e.PC < pc:
					return unseen.Ahead{Bytes: pc - e.PC}
				case !accesses || e.PC == p.End-4:
					return unseen.Ahead{}
				}
				return unseen.Ahead{Bytes: p.End - 4 - e.PC}
			},
			Skipped: func(*Event, uint64, unseen.Trace) {},
		}}, &shown}))
		_, err := m.RunProgram(t.Context(), p, m.NewWave())
		require.NoError(t, err)
		require.Len(t, shown, [...]int{0, 1, 0}[loads])
		loads++
	}
	require.Equal(t, 3, loads)
}

// seeing is a watcher that collects the accesses in events.
type seeing struct {
	needing
	all *[]reachedAt
}

// Retire implements [Watcher].
func (s *seeing) Retire(e *Event) {
	if e.Access.Op != gcn.NoMem {
		at := reachedBy(e)
		at.executed = e.Wave.Executed
		*s.all = append(*s.all, at)
	}
}
