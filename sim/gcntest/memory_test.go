package gcntest

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state/lane"
)

// strided is a program that reads LDS twice at one instruction, with lanes first 4 and then 32 bytes apart.
const strided = `v_lshlrev_b32 v1, 2, v0
	s_mov_b32 m0, -1
	s_mov_b32 s0, 2
again:
	ds_read_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32 v1, 3, v1
	s_sub_u32 s0, s0, 1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 again`

func TestNoBankConflicts(t *testing.T) {
	run := func(text string) string {
		report, _ := fails(t, func(t testing.TB) {
			m := sim.New(gcn.GFX803)
			w := m.NewWave()
			w.SetVGPR(0, lane.ID())
			NoBankConflicts(t, m, nil)
			Run(t, m, w, text)
		})
		return report
	}
	assert.Empty(t, run("v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\nds_read_b32 v2, v1\nds_read_b32 v2, v3"))
	assert.Equal(t, "ds_read_b32 v2, v1 at 0xc: a bank serves 8 lanes one after another, of the lanes 0x00000000ffffffff "+
		"(rule CY10)", run(strided))
	assert.Contains(t, run("v_lshlrev_b32 v1, 4, v0\ns_mov_b32 m0, -1\nds_read2_b32 v[2:3], v1 offset1:8"),
		"a bank serves 4 lanes")
}

func TestMaxLines(t *testing.T) {
	run := func(most int, records uint32, text string) string {
		report, _ := fails(t, func(t testing.TB) {
			m := sim.New(gcn.GFX900)
			w := m.NewWave()
			w.SetVGPR(0, lane.Times(64))
			w.SetBuffer(0, gcn.Buffer{Base: m.Alloc(8192).Addr, NumRecords: records})
			MaxLines(t, m, nil, most)
			Run(t, m, w, text)
		})
		return report
	}
	const load = "buffer_load_dword v1, v0, s[0:3], 0 offen"
	assert.Empty(t, run(64, 8192, load))
	assert.Equal(t, load+" at 0x0: it touches 64 cache lines, more than 63", run(63, 8192, load))
	assert.Empty(t, run(10, 640, load), "lanes that are out of range touch nothing")
	assert.Contains(t, run(64, 8192, "buffer_load_dwordx2 v[1:2], v0, s[0:3], 0 offen offset:60"),
		"touches 65 cache lines")
	assert.Empty(t, run(0, 8192, "s_mov_b32 m0, -1\nds_read_b32 v1, v2\ns_buffer_load_dword s4, s[0:3], 0x0"))
}

func TestMaxCycles(t *testing.T) {
	run := func(most uint64) string {
		report, _ := fails(t, func(t testing.TB) {
			m := sim.New(gcn.GFX803)
			MaxCycles(t, m, nil, "", most)
			Run(t, m, m.NewWave(), "s_sleep 10")
		})
		return report
	}
	assert.Empty(t, run(100000))
	assert.Regexp(t, `^\d+ cycles on fiji are more than 600 \(.*figures of .*\)$`, run(600))
	report, ended := fails(t, func(t testing.TB) { MaxCycles(t, sim.New(gcn.GFX803), nil, "voodoo", 1) })
	assert.True(t, ended)
	assert.Contains(t, report, `no times of chip "voodoo"`)
}
