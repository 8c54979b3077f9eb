package sim

import (
	"context"
	"fmt"
	"hash/crc32"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// followers are the programs of TestWavesFollow. They use registers that a wave begins with and that the wave before
// it changed. They store v10.
var followers = map[string]string{
	"registers": `
	s_addc_u32 s20, s20, s23
	s_addc_u32 s20, s20, vcc_lo
	s_addc_u32 s20, s20, m0
	s_addc_u32 s20, s20, s48
	s_addc_u32 s20, s20, s64
	v_add_u32 v10, vcc, s20, v10
	v_add_u32 v10, vcc, v2, v10
	v_add_u32 v10, vcc, v3, v10
	v_xor_b32 v2, 5, v10
	v_mov_b32 v12, s0
	v_mov_b32 v13, s1
	flat_load_dword v3, v[12:13]
	s_load_dword s64, s[0:1], 0x0
	v_cmp_gt_u32 s[48:49], 5, v0
	s_mov_b32 s23, 77
	s_mov_b32 m0, 5`,
	"many instructions": `
	v_add_u32 v10, vcc, s2, v10
	v_add_u32 v10, vcc, s2, v10
	v_add_u32 v10, vcc, s2, v10
	s_movk_i32 s20, 700
again:
	v_add_u32 v10, vcc, 3, v10
	s_add_u32 s23, s23, 1
	s_cmp_lt_u32 s23, s20
	s_cbranch_scc1 again`,
	"a work-group leaves": `
	s_cmp_lg_u32 s2, 5
	s_cbranch_scc1 goes_on
	v_cvt_f16_f32 v2, v10
goes_on:
	v_add_u32 v10, vcc, v2, v10`,
	"a work-group faults": `
	s_cmp_eq_u32 s2, 6
	s_cselect_b32 s1, 1, 0
	v_add_u32 v10, vcc, s2, v10`,
	"NaNs signal": `
	s_and_b32 s24, s2, 7
	s_cmp_eq_u32 s24, 4
	s_cselect_b32 s24, 0x7f800001, 1.0
	v_add_f32 v10, 2.0, v10
	v_mul_f32 v10, s24, v10`,
	"a limit is reached": `
	s_lshl_b32 s20, s2, 7
	v_add_u32 v10, vcc, s2, v10
	v_add_u32 v10, vcc, s2, v10
	v_add_u32 v10, vcc, s2, v10
again:
	v_add_u32 v10, vcc, 3, v10
	s_add_u32 s23, s23, 1
	s_cmp_lt_u32 s23, s20
	s_cbranch_scc1 again`,
}

// atTheEnd stores v10, then changes EXEC, SCC, work-item ids and the work-group's id.
const atTheEnd = `
	s_lshl_b32 s21, s2, 8
	s_lshl_b32 s22, s3, 12
	s_add_u32 s21, s21, s22
	s_add_u32 s21, s21, s0
	v_lshlrev_b32 v11, 3, v1
	v_add_u32 v11, vcc, v11, v0
	v_lshlrev_b32 v11, 2, v11
	v_add_u32 v11, vcc, s21, v11
	v_mov_b32 v12, s1
	flat_store_dword v[11:12], v10
	v_mov_b32 v0, 1
	v_mov_b32 v1, 2
	s_mov_b64 s[0:1], 0
	s_mov_b64 s[2:3], exec
	v_cmpx_gt_u32 vcc, 1, v0
	s_cmp_eq_u32 s2, s2
	s_endpgm`

// TestWavesFollow executes work-groups of one wave in machine code, where one call executes several, and in the plain
// engine. Memory, faults, counts and the last wave must be equal.
func TestWavesFollow(t *testing.T) {
	withBlocks(t)
	const groups, data = 0x10000, 0x20000
	full := Compute{Initiator: ShaderEnable | PartialGroups, Program: groups, UserData: [16]uint32{data, 0},
		RSRC:   gcn.RSRC{3 | 3<<6 | 0xc0<<12, 2<<1 | 3<<7 | 1<<11, 0},
		Config: Config{Limit: 5000}}
	grids := map[string]func(*Compute){
		"a row":           func(c *Compute) { c.End, c.NumThread = [3]uint32{250, 1, 1}, [3]uint32{64, 1, 1} },
		"part of lanes":   func(c *Compute) { c.End, c.NumThread = [3]uint32{50, 1, 1}, [3]uint32{40, 1, 1} },
		"rows":            func(c *Compute) { c.End, c.NumThread = [3]uint32{9, 5, 1}, [3]uint32{8, 8, 1} },
		"rows with edges": func(c *Compute) { c.End, c.NumThread = [3]uint32{9, 5, 1}, [3]uint32{8 | 3<<16, 8 | 5<<16, 1} },
		"a start": func(c *Compute) {
			c.Start, c.End, c.NumThread = [3]uint32{3, 2, 0}, [3]uint32{9, 5, 1}, [3]uint32{8, 8, 1}
		},
	}
	for text, body := range followers {
		code, err := asm.Assemble(gcn.GFX803, body+atTheEnd, asm.LLVM)
		require.NoError(t, err)
		for grid, set := range grids {
			var left [2]string
			calls, total := 0, 0
			for i := range left {
				choice.compiles = i == 1
				c := full
				set(&c)
				m, pages := New(gcn.GFX803), make([]uint64, 1<<13)
				bytes := unsafe.Slice((*byte)(unsafe.Pointer(&pages[0])), 8*len(pages))
				words := make([]uint64, 1<<9)
				copy(unsafe.Slice((*uint32)(unsafe.Pointer(&words[0])), 2*len(words)), code.Words)
				require.NoError(t, m.Lend(groups, unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words)), "code", false))
				require.NoError(t, m.Lend(data, bytes, "data", false))
				calls, total, left[i] = runGroups(t, m, &c)
				left[i] += fmt.Sprint(crc32.ChecksumIEEE(bytes))
			}
			require.Equal(t, left[0], left[1], "%s, %s", text, grid)
			switch text {
			case "registers", "NaNs signal":
				require.Less(t, calls, total/2, "%s, %s: waves do not follow", text, grid)
			case "many instructions":
				require.Greater(t, calls, total/8, "%s: waves follow without an end", grid)
			}
		}
	}
}

// runGroups executes the work-groups of c on one worker. It returns the number of calls of machine code, the number
// of work-groups and their results as text.
func runGroups(t *testing.T, m *Machine, c *Compute) (calls, total int, left string) {
	t.Helper()
	d, err := m.newDispatch(c)
	require.NoError(t, err)
	p, err := d.codeAt(context.Background(), c.Program)
	require.NoError(t, err)
	d.code, d.inMemory = []*Program{p}, true
	w := d.newWorker(0, c.watched())
	n := int64(0)
	for ; n < int64(d.total) && err == nil; n++ {
		err = w.group(context.Background(), &n, int64(d.total))
		calls++
	}
	wave := w.waves[0]
	res := w.tallied()
	return calls, d.total, fmt.Sprint(n, err, res.Instructions, res.ByClass, wave.Group, wave.PC, wave.Executed, wave.SCC,
		wave.S, wave.V, wave.VMCnt, wave.EXPCnt, wave.LGKMCnt, wave.Ended)
}
