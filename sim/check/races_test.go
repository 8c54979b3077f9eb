package check_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// A finding about two waves names both instructions, a lane, the address of the lane, and a fix.
func TestRaceFinding(t *testing.T) {
	w := newCrew(t, gcn.GFX803, 1, 2, "ds_write_b32 v0, v2\ns_barrier\nds_read_b32 v3, v1\ns_waitcnt lgkmcnt(0)")
	w.set(0, registerValues["4*id"])
	w.set(1, registerValues["4*(127-id)"])
	f := one(t, w.run(inOrder))
	require.Equal(t, [2]uint64{12, 0}, [2]uint64{f.PC, f.Producer.PC})
	require.NotEqual(t, f.Wave, f.Producer.Wave)
	require.Equal(t, "s_waitcnt lgkmcnt(0) before 0x8", f.Fix)
	require.Equal(t, "it reads bytes that another wave writes with ds_write_b32 at 0x0, and nothing says which comes "+
		"first: s_barrier at 0x8 orders only what is complete", f.Message)
	require.Equal(t, uint64(4*(127-(64*f.Wave+f.Lane))), *f.Addr)
	require.Equal(t, "lds", f.Space)
}

// A barrier cannot order accesses of the same instruction in different waves.
func TestRaceOfOneInstruction(t *testing.T) {
	w := newCrew(t, gcn.GFX803, 1, 2, "s_barrier\nds_write_b32 v0, v2\ns_waitcnt lgkmcnt(0)")
	w.set(0, func(id int) uint32 { return uint32(id%64) * 4 })
	w.set(2, registerValues["4*id"])
	f := one(t, w.run(inOrder))
	require.Equal(t, f.PC, f.Producer.PC)
	require.Equal(t, "let work-items reach different bytes there, or make it atomic", f.Fix)
}

// An instruction stores to two buffers, and each work-group stores different values to them.
func TestRaceInTwoBuffers(t *testing.T) {
	for lanes := range 2 {
		w := newCrew(t, gcn.GFX803, 2, 1, "flat_store_dword v[0:1], v2\ns_waitcnt vmcnt(0)")
		first := w.groups[0][0]
		at := func(id int) uint64 {
			vsharp := first.S[(id+lanes)&1*4:]
			return uint64(vsharp[1]&0xffff)<<32 + uint64(vsharp[0]) + uint64(4*(id%64))
		}
		w.set(0, func(id int) uint32 { return uint32(at(id)) })
		w.set(1, func(id int) uint32 { return uint32(at(id) >> 32) })
		for g, group := range w.groups {
			var data state.Lanes
			for i := range data {
				if (i+lanes)&1 == 1 { // the values in the first buffer are the same
					data[i] = uint32(1 - g)
				}
			}
			group[0].SetVGPR(2, data)
		}
		require.Equal(t, check.Error, one(t, w.run(inOrder)).Severity)
	}
}

// FLAT lanes with addresses in LDS are judged as accesses of LDS, the other lanes as accesses of memory.
func TestFlatLanesRaceWhereTheyGo(t *testing.T) {
	const text = "flat_store_dword v[0:1], v2\ns_waitcnt vmcnt(0) & lgkmcnt(0)\nds_read_b32 v3, v4\ns_waitcnt lgkmcnt(0)"
	for _, barrier := range []bool{false, true} {
		program := text
		if barrier {
			program = strings.Replace(text, "\nds_", "\ns_barrier\nds_", 1)
		}
		w := newCrew(t, gcn.GFX900, 1, 2, program)
		shared := w.groups[0][0].SharedBase
		w.set(0, registerValues["4*id"])
		w.set(1, func(int) uint32 { return shared })
		w.set(4, registerValues["4*(127-id)"])
		all := w.run(inOrder)
		if barrier {
			require.Empty(t, all)
			continue
		}
		f := one(t, all)
		require.Equal(t, [2]string{"lds", "s_barrier before 0xc"}, [2]string{f.Space, f.Fix}, "%v", f)
	}
}

// The records about memory are bounded, and a finding says when the bound is reached.
func TestShadowMemoryIsBounded(t *testing.T) {
	text := "buffer_store_dword v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\ns_barrier\nbuffer_load_dword v3, v1, " +
		"s[0:3], 0 offen glc\ns_waitcnt vmcnt(0)\ns_barrier\ns_dcache_inv"
	w := newCrew(t, gcn.GFX803, 3, 2, text)
	w.c.Options.MaxBytes = 1
	w.set(0, registerValues["4*id"])
	f := one(t, w.run(inOrder))
	require.Equal(t, check.Note, f.Severity)
	require.Contains(t, f.Message, "no races are looked for")
	require.Contains(t, f.Fix, "MaxBytes")
}

// Judging races allocates nothing for an instruction. Storage grows with the memory that a
// dispatch accesses, and the next dispatch reuses it.
func TestRacesAllocateNothingInTheSteadyState(t *testing.T) {
	m, l := launchOf(t, filepath.Join(compiled, "matmul.fiji.json"))
	l.Workers = 1
	run := func() {
		_, err := m.Dispatch(context.Background(), *l)
		require.NoError(t, err)
	}
	run()
	plain := testing.AllocsPerRun(5, run)
	c, err := check.New("race")
	require.NoError(t, err)
	require.NoError(t, l.Watch(c))
	for range 100 { // until the kernel is compiled
		run()
	}
	require.Less(t, testing.AllocsPerRun(5, run), plain+20)
}

// A bare wave may have the number of any work-group, because each run is a dispatch of its own.
func TestBareWavesOfOtherGroupsDoNotRace(t *testing.T) {
	b := newBench(t, gcn.GFX803, "race")
	for group := range uint32(3) {
		b.w.Group = [3]uint32{3 - group}
		b.w.SetVGPR(1, lane.Times(group))
		require.Empty(t, b.run("buffer_store_dword v1, v0, s[0:3], 0 offen\nbuffer_atomic_add v1, v0, s[0:3], 0 offen glc"))
	}
}

// A store counts as repeated if the same instruction of the same wave stored the same value to the dword last. In the
// first work-group an instruction stores 0 to each of 128 dwords and, behind a barrier, 1. In the second work-group it
// stores a value twice. It conflicts with the first work-group once in each dword, with or without records by dword.
func TestRacesCountValues(t *testing.T) {
	for _, value := range []string{"0", "1"} {
		for _, dwords := range []bool{false, true} {
			w := newCrew(t, gcn.GFX803, 2, 2, "s_mov_b32 s10, 2\ns_cmp_eq_u32 s8, 1\ns_cselect_b32 s11, "+value+", 0\nloop:\n"+
				"v_mov_b32 v2, s11\nbuffer_store_dword v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\n"+
				"s_cmp_eq_u32 s8, 1\ns_cbranch_scc1 next\ns_barrier\ns_mov_b32 s11, 1\nnext:\n"+
				"s_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 loop")
			w.set(0, registerValues["4*id"])
			if dwords {
				w.c.ByDwords()
			}
			f := one(t, w.run(inOrder))
			require.Equal(t, uint64(128), f.Count, "%s: %v", value, f)
		}
	}
}

// The first wave is interrupted after its first store. Meanwhile the second wave stores 0 by two instructions, and 1 by
// the second one, which both waves share. Then the first wave stores 1, too. This conflicts with the first 0.
func TestRaceOfAValueThatAnotherWaveStoredToo(t *testing.T) {
	w := newCrew(t, gcn.GFX803, 1, 2, "s_mov_b32 s10, 0\ns_cmp_eq_u32 s9, 0\ns_cbranch_scc1 loop\n"+
		"v_mov_b32 v2, 0\nds_write_b32 v0, v2\ns_waitcnt lgkmcnt(0)\nloop:\nv_mov_b32 v2, s10\nds_write_b32 v0, v2\n"+
		"s_waitcnt lgkmcnt(0)\ns_add_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 2\ns_cbranch_scc1 loop")
	w.set(0, registerValues["4*(id%64)"])
	turns := 0
	require.Equal(t, "error race@7<-4 lds RC1, error race@7<-7 lds RC1", w.tell(w.run(
		func(ready []*state.Wave) *state.Wave {
			turns++
			if turns <= 6 { // the first wave has stored 0
				return ready[0]
			}
			return ready[len(ready)-1]
		})))
}
