package check_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// TestComputeIsChecked: dispatches from registers are checked like others. Their registers determine
// which values are defined, and scratch that one work-group uses after another is not a race.
func TestComputeIsChecked(t *testing.T) {
	m := sim.New(gcn.GFX803)
	code, data := m.Alloc(4096), m.Alloc(65536)
	findings := func(text string) (kinds []string) {
		program, err := asm.Assemble(m.Target, text+"\ns_endpgm", asm.LLVM)
		require.NoError(t, err)
		code.SetUint32s(program.Words...)
		c, err := check.New("all")
		require.NoError(t, err)
		l := sim.Compute{
			Initiator: sim.ShaderEnable, End: [3]uint32{2, 1, 1}, NumThread: [3]uint32{64, 1, 1}, Program: code.Addr,
			RSRC: gcn.RSRC{3 | 3<<6, 8<<1 | 1<<7 | 1}, TmpRing: 8 | 1<<12, // s8: number of the work-group, s9: offset of scratch
		}
		copy(l.UserData[:], gcn.Buffer{Base: data.Addr, NumRecords: 65536}.Words())
		copy(l.UserData[4:], gcn.Buffer{Base: data.Addr, NumRecords: 65536, Swizzle: true, AddTID: true, IndexStride: 64,
			ElemSize: 4}.Words())
		require.NoError(t, l.Watch(c))
		_, err = m.Compute(context.Background(), l)
		require.NoError(t, err)
		for _, f := range c.Findings() {
			if f.Severity > check.Note {
				kinds = append(kinds, string(f.Kind))
			}
		}
		return kinds
	}
	assert.Empty(t, findings("s_lshl_b32 s10, s8, 8\nv_lshlrev_b32 v1, 2, v0\nbuffer_store_dword v1, v1, s[0:3], "+
		"s10 offen"), "registers that are given")
	assert.Contains(t, findings("v_lshlrev_b32 v1, 2, v2\nbuffer_store_dword v1, v1, s[0:3], 0 offen"), "uninit",
		"v2 is not given")
	assert.Contains(t, findings("s_mov_b32 s11, s10\nv_mov_b32 v1, s11\nbuffer_store_dword v1, off, s[0:3], 0"),
		"uninit", "s10 is not given")
	assert.Contains(t, findings("v_add_u32 v1, vcc, s8, v0\nbuffer_store_dword v1, off, s[0:3], 0"), "race")
	assert.Empty(t, findings("v_add_u32 v1, vcc, s8, v0\nbuffer_store_dword v1, off, s[4:7], s9"), "scratch")
	const frame = "s_mov_b32 m0, -1\nv_writelane_b32 v4, s20, 0\nbuffer_store_dword v3, off, s[4:7], s9 " +
		"offset:4\nbuffer_store_dword v4, off, s[4:7], s9 offset:8\nv_mov_b32 v3, 1\n" +
		"buffer_load_dword v3, off, s[4:7], s9 offset:4\nbuffer_load_dword v4, off, s[4:7], s9 offset:8\ns_waitcnt " +
		"vmcnt(0)\nv_readlane_b32 s20, v4, 0\n"
	assert.Empty(t, findings(frame), "what a function saves for its caller")
	assert.Equal(t, []string{"uninit"}, findings(frame+"buffer_load_dword v5, v3, s[0:3], 0 offen"),
		"v3 is used after that")
	assert.Equal(t, []string{"uninit"}, findings(frame+"s_nop 4\nbuffer_load_dword v5, v0, s[0:3], s20 idxen"),
		"s20 is used after that")
}
