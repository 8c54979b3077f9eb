package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// TestDoubtsAreToldOnce: a subject on which documents disagree is one finding of a run, at the first
// instruction that depends on it.
func TestDoubtsAreToldOnce(t *testing.T) {
	const text = "buffer_load_dword v1, off, s[0:3], 0 offset:2\nbuffer_load_dword v2, off, s[0:3], 0 " +
		"offset:6\nbuffer_load_dword v3, off, s[0:3], 0 offset:10"
	run := func(suppressions ...string) ([]check.Finding, []check.Suppression) {
		b := newBench(t, gcn.GFX900)
		for _, one := range suppressions {
			s, err := check.ParseSuppression(one, 0)
			require.NoError(t, err)
			b.c.Options.Suppressions = append(b.c.Options.Suppressions, s)
		}
		b.m.Align = state.AlignNone
		b.w.SetSGPRs(0, gcn.Buffer{Base: b.buf.Addr, NumRecords: ^uint32(0), Swizzle: true, AddTID: true, ElemSize: 4,
			IndexStride: 64}.Words()...)
		b.w.SetExec(1)
		found := b.run(text)
		again := b.run(text)
		require.Len(t, again, len(found), "a second run finds no other ones")
		return found, b.c.Suppressed()
	}
	found, _ := run()
	f := one(t, found)
	require.Equal(t, [3]any{check.Doubt, uint64(0), uint64(3)}, [3]any{f.Severity, f.PC, f.Count})
	found, left := run("rules-differ 0x0")
	f = one(t, found)
	require.Equal(t, uint64(8), f.PC, "the first one that is not suppressed")
	require.Equal(t, 1, left[0].Findings)
	found, left = run("rules-differ 0x0", "rules-differ 0x8", "rules-differ 0x10")
	require.Empty(t, found)
	require.Equal(t, 1, left[2].Findings)
}

// soft is a kernel with clauses of loads. Each X stands for an instruction that ends a clause.
const soft = `
.amdgcn_target "amdgcn-amd-amdhsa--gfx906%s"
k:
  s_load_dword s6, s[4:5], 0x0
X
  s_load_dwordx2 s[4:5], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, s4
  v_mov_b32 v2, s5
  global_load_dword v4, v[1:2], off
X
  global_load_dwordx2 v[1:2], v[1:2], off offset:8
  s_waitcnt vmcnt(0)
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6, 0x0
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.text
.amdgpu_metadata
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .args:
      - .size: 8
        .offset: 0
        .value_kind: global_buffer
        .address_space: global
.end_amdgpu_metadata
`

// TestXNACKOfTheObject: clauses of loads are judged if the code object is made for XNACK. If the
// code object does not say, the option decides.
func TestXNACKOfTheObject(t *testing.T) {
	for _, tt := range []struct {
		id     string
		option bool
		want   int // the number of errors without wait states between the loads
		told   bool
	}{
		{":xnack+", false, 2, false}, {":xnack+", true, 2, false}, {":sramecc-:xnack+", false, 2, false},
		{":xnack-", false, 0, false}, {":xnack-", true, 0, true}, {"", false, 0, false}, {"", true, 2, false},
	} {
		for _, between := range []string{"  s_nop 0", ""} {
			text := strings.ReplaceAll(fmt.Sprintf(soft, tt.id), "X", between)
			m := sim.New(gcn.GFX906)
			mod, err := m.LoadObject([]byte(text))
			require.NoError(t, err)
			c, err := check.New("wait-state", "ignored")
			require.NoError(t, err)
			c.Options.XNACK = tt.option
			buf := m.Alloc(64)
			buf.SetUint32s(uint32(buf.Addr), uint32(buf.Addr>>32))
			l := sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{64, 1, 1}, Group: [3]uint32{64, 1, 1},
				Args: []sim.Arg{sim.BufferArg(buf)}}
			require.NoError(t, l.Watch(c))
			_, err = m.Dispatch(context.Background(), l)
			require.NoError(t, err)
			errors, told := 0, false
			for _, f := range c.Findings() {
				if f.Kind == check.WaitState {
					require.Equal(t, check.Error, f.Severity, "%v", f)
					errors++
				}
				told = told || f.Field == "xnack"
			}
			want := tt.want
			if between != "" {
				want = 0
			}
			assert.Equal(t, want, errors, "%q, option %v, state %q", tt.id, tt.option, between)
			assert.Equal(t, tt.told, told, "%q, option %v", tt.id, tt.option)
		}
	}
}

// TestUndefinedBitsThroughFrames stores registers to private memory of a dispatch from registers, loads
// them back and uses one, in random order. There is a finding if and only if no store has written it.
func TestUndefinedBitsThroughFrames(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		written := map[int]bool{}
		var text strings.Builder
		for n := 8; n < 12; n++ {
			if rnd.IntN(2) == 0 {
				fmt.Fprintf(&text, "v_mov_b32 v%d, 4\n", n)
				written[n] = true
			}
		}
		held := map[int]int{} // the register whose value is in each slot
		value := map[int]int{8: 8, 9: 9, 10: 10, 11: 11}
		for range 12 {
			n, slot := 8+rnd.IntN(4), rnd.IntN(4)
			if from, ok := held[slot]; ok && rnd.IntN(2) == 0 {
				fmt.Fprintf(&text, "buffer_load_dword v%d, off, s[4:7], s9 offset:%d\ns_waitcnt vmcnt(0)\n", n, 4*slot)
				value[n] = from
				continue
			}
			fmt.Fprintf(&text, "buffer_store_dword v%d, off, s[4:7], s9 offset:%d\n", n, 4*slot)
			held[slot] = value[n]
		}
		used := 8 + rnd.IntN(4)
		fmt.Fprintf(&text, "buffer_load_dword v12, v%d, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\ns_endpgm", used)

		m := sim.New(gcn.GFX803)
		code, data := m.Alloc(4096), m.Alloc(65536)
		program, err := asm.Assemble(m.Target, text.String(), asm.LLVM)
		require.NoError(t, err)
		code.SetUint32s(program.Words...)
		c, err := check.New("uninit")
		require.NoError(t, err)
		l := sim.Compute{
			Initiator: sim.ShaderEnable, End: [3]uint32{2, 1, 1}, NumThread: [3]uint32{64, 1, 1}, Program: code.Addr,
			RSRC: gcn.RSRC{3 | 3<<6, 8<<1 | 1<<7 | 1}, TmpRing: 8 | 1<<12, // s8: work-group, s9: scratch
		}
		copy(l.UserData[:], gcn.Buffer{Base: data.Addr, NumRecords: 65536}.Words())
		copy(l.UserData[4:], gcn.Buffer{Base: data.Addr, NumRecords: 65536, Swizzle: true, AddTID: true, IndexStride: 64,
			ElemSize: 4}.Words())
		require.NoError(t, l.Watch(c))
		_, err = m.Compute(context.Background(), l)
		require.NoError(t, err)
		assert.Equal(t, !written[value[used]], len(c.Findings()) > 0, "%s\n%v", text.String(), c.Findings())
	}
}
