package check_test

import (
	"context"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// TestListedLoadsStopAtMaxBytes: a work-group loads 163,840 bytes, each from another dword, and the next work-group
// stores to some of them. Then each of these loads gets a record, until the records take more than MaxBytes.
func TestListedLoadsStopAtMaxBytes(t *testing.T) {
	text := "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_mul_u32_u24 v16, 0x2800, v0\ns_waitcnt lgkmcnt(0)\n" +
		"v_add_u32 v16, vcc, s8, v16\nv_mov_b32 v17, s9\nv_addc_u32 v17, vcc, 0, v17, vcc\n" +
		"s_cmp_eq_u32 s2, 1\ns_cbranch_scc1 store\ns_movk_i32 s20, 0xa00\nloop:\nflat_load_ubyte v9, v[16:17]\n" +
		"s_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_u32 v16, vcc, 4, v16\nv_addc_u32 v17, vcc, 0, v17, vcc\n" +
		"s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm\nstore:\n" +
		"flat_store_byte v[16:17], v0\ns_endpgm"
	takes := func(maxBytes uint64) (bytes uint64, found []check.Finding) {
		m, mod := loadText(t, kernelText(gcn.GFX803, text, ""))
		buf := m.Alloc(64 * 0x2800)
		l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{128}, Group: [3]uint32{64}, Workers: 1,
			Kernarg: binary.LittleEndian.AppendUint64(nil, buf.Addr)}
		c, err := check.New("race")
		require.NoError(t, err)
		c.Options.MaxBytes = maxBytes
		require.NoError(t, l.Watch(c))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = m.Dispatch(context.Background(), *l)
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, c.Findings()
	}
	all, found := takes(check.DefaultMaxBytes)
	require.Equal(t, check.Error, one(t, found).Severity)
	some, found := takes(1 << 20)
	require.Contains(t, found[len(found)-1].Fix, "MaxBytes")
	require.Less(t, 2*some, all)
}

// TestListIsBounded: a wave loads from a small buffer, two to four times in each iteration of a loop, seldom at
// consecutive addresses. The list must not keep all of these loads, and may end at any of them.
func TestListIsBounded(t *testing.T) {
	for n := range 3 {
		m, mod := loadText(t, kernelText(gcn.GFX803, "s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_mov_b32 s20, 0x30d40\n"+
			"s_waitcnt lgkmcnt(0)\nv_mov_b32 v17, s9\nloop:\ns_mul_i32 s21, s20, s20\ns_and_b32 s21, s21, 0xfc\n"+
			"s_add_u32 s21, s21, s8\nv_mov_b32 v16, s21\n"+strings.Repeat("flat_load_ubyte v9, v[16:17]\n", 2+n)+
			"s_waitcnt vmcnt(0) lgkmcnt(0)\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm", ""))
		l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{64}, Group: [3]uint32{64}, Workers: 1,
			Kernarg: binary.LittleEndian.AppendUint64(nil, m.Alloc(256).Addr)}
		c, err := check.New("race")
		require.NoError(t, err)
		require.NoError(t, l.Watch(c))
		before := heap()
		_, err = m.Dispatch(context.Background(), *l)
		require.NoError(t, err)
		require.Less(t, int64(heap())-int64(before), int64(1<<20))
		runtime.KeepAlive(c)
	}
}

// heap returns the number of bytes of the heap that are in use.
func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
