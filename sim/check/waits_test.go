package check_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state/lane"
)

// hazard is a small program for a bench, and the findings that it must have.
type hazard struct {
	name    string
	targets string // the targets, all if empty
	options check.Options
	text    string
	want    string // severity kind@index<-index register or memory, "" if no finding is expected
}

func (h *hazard) run(t *testing.T) {
	for name := range strings.FieldsSeq(h.targets) {
		t.Run(name, func(t *testing.T) {
			target, err := gcn.ParseTarget(name)
			require.NoError(t, err)
			b := newBench(t, target, "wait", "wait-state")
			b.c.Options = h.options
			b.w.S[gcn.M0] = ^uint32(0)
			b.w.SetVGPR(10, lane.All(uint32(b.buf.Addr))) // v[10:11] is the address of the buffer
			b.w.SetVGPR(11, lane.All(uint32(b.buf.Addr>>32)))
			b.w.SetVGPR(13, lane.All(b.w.SharedBase)) // v[12:13] is an address in LDS
			b.w.SetScalar64(gcn.VCC, 0xffffffff)
			b.w.SetSGPRs(20, uint32(b.buf.Addr), uint32(b.buf.Addr>>32))
			var got []string
			for _, f := range b.run(h.text) {
				from := ""
				if f.Producer != nil {
					from = fmt.Sprintf("<-%d", f.Producer.Index)
				}
				got = append(got, fmt.Sprintf("%v %s@%d%s %s%s", f.Severity, f.Kind, f.Index, from, f.Reg, f.Space))
			}
			require.Equal(t, h.want, strings.Join(got, ", "))
		})
	}
}

const (
	everywhere = "gfx600 gfx701 gfx803 gfx900 gfx906"
	since7     = "gfx701 gfx803 gfx900 gfx906"
	since8     = "gfx803 gfx900 gfx906"
	before8    = "gfx600 gfx701"
	since9     = "gfx900 gfx906"
)

// TestWaits checks the details of rules W3 to W10.
func TestWaits(t *testing.T) {
	for _, h := range []hazard{
		{"lanes that the load left out", everywhere, check.Options{},
			"s_mov_b64 exec, 1\nbuffer_load_dword v1, v0, s[0:3], 0 offen\ns_mov_b64 exec, 2\nv_mov_b32 v2, " +
				"v1\nv_mov_b32 v1, 0", ""},
		{"one of its lanes", everywhere, check.Options{},
			"s_mov_b64 exec, 2\nbuffer_load_dword v1, v0, s[0:3], 0 offen\ns_mov_b64 exec, 3\nv_mov_b32 v2, v1",
			"error wait-raw@3<-1 v1"},
		{"no lane at all", everywhere, check.Options{},
			"s_mov_b64 exec, 0\nbuffer_load_dword v1, v0, s[0:3], 0 offen\ns_mov_b64 exec, 3\nv_mov_b32 v2, v1", ""},
		{"the lane that v_readlane_b32 reads", everywhere, check.Options{},
			"s_mov_b64 exec, 1\nbuffer_load_dword v1, v0, s[0:3], 0 offen\nv_readlane_b32 s8, v1, 5\nv_readlane_b32 " +
				"s8, v1, 0", "error wait-raw@3<-1 v1"},
		{"the lanes that DPP fetches", since8, check.Options{},
			"s_mov_b64 exec, 1\nbuffer_load_dword v1, v0, s[0:3], 0 offen\ns_mov_b64 exec, 0xf0\nv_mov_b32_dpp v2, v1 " +
				"quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf\n" +
				"s_mov_b64 exec, 0xf\nv_mov_b32_dpp v2, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf",
			"error wait-raw@5<-1 v1"},
		{"one half of a register", since9, check.Options{},
			"buffer_load_short_d16 v1, v0, s[0:3], 0 offen\nbuffer_load_short_d16_hi v2, v0, s[0:3], 0 offen\ns_waitcnt " +
				"vmcnt(1)\nv_lshrrev_b32_sdwa v3, v0, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0", ""},
		{"both halves are written with error correction", "gfx906", check.Options{SRAMECC: true},
			"buffer_load_short_d16_hi v2, v0, s[0:3], 0 offen\nv_lshrrev_b32_sdwa v3, v0, v2 dst_sel:DWORD " +
				"dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0", "error wait-raw@1<-0 v2"},
		{"error correction is not of GCN 1.4", "gfx900", check.Options{SRAMECC: true},
			"buffer_load_short_d16_hi v2, v0, s[0:3], 0 offen\nv_lshrrev_b32_sdwa v3, v0, v2 dst_sel:DWORD " +
				"dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0", ""},
		{"an address", everywhere, check.Options{},
			"buffer_load_dword v1, v0, s[0:3], 0 offen\nbuffer_load_dword v2, v1, s[0:3], 0 offen", "error wait-raw@1<-0 v1"},
		{"the address of a load may be overwritten", everywhere, check.Options{},
			"buffer_load_dword v1, v0, s[0:3], 0 offen\nv_mov_b32 v0, 0\ns_mov_b32 s0, 0", ""},
		{"a store once the load has completed", everywhere, check.Options{},
			"buffer_load_dword v1, v0, s[0:3], 0 offen\nbuffer_store_dword v3, v0, s[0:3], 0 offen\ns_waitcnt " +
				"vmcnt(1)\nv_mov_b32 v2, v1", ""},
		{"a branch on VCC", since8, check.Options{},
			"s_load_dwordx2 vcc, s[20:21], 0x0\ns_nop 0\ns_cbranch_vccnz 0", "error wait-raw@2<-0 vcc"},
		{"the mask of a select", since8, check.Options{},
			"s_load_dwordx2 vcc, s[20:21], 0x0\nv_cndmask_b32 v1, v2, v3, vcc", "error wait-raw@1<-0 vcc"},
		{"one finding for one missing wait", everywhere, check.Options{},
			"buffer_load_dwordx2 v[1:2], v0, s[0:3], 0 offen\nv_mov_b32 v3, v2\nv_mov_b32 v3, v1", "error wait-raw@1<-0 v2"},
		{"a scalar load of half of it", everywhere, check.Options{},
			"s_load_dwordx2 s[8:9], s[20:21], 0x0\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s10, s8", "error wait-raw@2<-0 s8"},
		{"both counters of FLAT", since7, check.Options{FlatBoth: true},
			"flat_load_dword v1, v[10:11]\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, v1", "error wait-raw@2<-0 v1"},
		{"FLAT in LDS needs LGKMCNT", since7, check.Options{},
			"flat_load_dword v1, v[12:13]\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, v1", "error wait-raw@2<-0 v1"},
		{"FLAT in LDS is in order with DS", since7, check.Options{},
			"flat_load_dword v1, v[12:13]\nds_read_b32 v2, v0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v1", ""},
		{"writes in another order", since7, check.Options{},
			"buffer_load_dword v1, v0, s[0:3], 0 offen\nflat_load_dword v1, v[12:13]\ns_waitcnt vmcnt(0) lgkmcnt(0)",
			"error wait-waw@1<-0 v1"},
		{"VALU writes what is loaded", everywhere, check.Options{},
			"ds_read_b32 v1, v0\nv_mov_b32 v1, 0", "error wait-waw@1<-0 v1"},
		{"the data of a scalar store", since8, check.Options{},
			"s_store_dword s8, s[20:21], 0x0\ns_mov_b32 s8, 0", "note wait-war@1<-0 s8"},
		{"the data of GDS", everywhere, check.Options{},
			"s_mov_b64 exec, 1\nds_write_b32 v1, v2 gds\ns_mov_b64 exec, 2", "error wait-war@2<-1 exec"},
		{"a store that is acknowledged has read its data", "gfx600", check.Options{},
			"buffer_store_dword v1, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\nv_mov_b32 v1, 0", ""},
		{"scalar memory after vector memory", everywhere, check.Options{},
			"buffer_store_dword v1, v0, s[0:3], 0 offen\ns_load_dword s8, s[20:21], 0x0", "error wait-order@1<-0 global"},
		{"other bytes", everywhere, check.Options{},
			"s_mov_b64 exec, 1\nbuffer_store_dword v1, v0, s[0:3], 0 offen\ns_load_dword s8, s[20:21], 0x40", ""},
		{"a scalar load after a scalar store", since8, check.Options{},
			"s_store_dword s8, s[20:21], 0x0\ns_load_dword s9, s[20:21], 0x0",
			"error wait-order@1<-0 global, note wait-state@1<-0 "},
		{"a vector load after a scalar store", since8, check.Options{},
			"s_store_dword s8, s[20:21], 0x0\nbuffer_load_dword v1, v0, s[0:3], 0 offen", "error wait-order@1<-0 global"},
		{"the top of the counter", before8, check.Options{},
			strings.Repeat("buffer_store_dword v1, v0, s[0:3], 0 offen\n", 3) + "buffer_load_dword v2, v0, s[0:3], 0 offen\n" +
				strings.Repeat("buffer_load_dword v3, v0, s[0:3], 0 offen\n", 15) + "v_mov_b32 v4, v2", ""},
	} {
		t.Run(h.name, h.run)
	}
}

// With Options.BarrierDrain, accesses that compilers wait for before a barrier are notes. A
// work-group of one wave needs no such wait.
func TestBarrierDrain(t *testing.T) {
	p, err := asm.Assemble(gcn.GFX803, "buffer_store_dword v1, v0, s[0:3], 0 offen\ns_barrier", asm.LLVM)
	require.NoError(t, err)
	for _, tt := range []struct {
		drain bool
		waves int
		want  int
	}{{true, 2, 1}, {true, 1, 0}, {false, 2, 0}} {
		c, err := check.New("wait")
		require.NoError(t, err)
		c.Options.BarrierDrain = tt.drain
		unexecuted(c, gcn.GFX803, p.Words, tt.waves)
		found := c.Findings()
		require.Len(t, found, tt.want)
		if tt.want > 0 {
			require.Equal(t, [3]any{check.Note, "RC3", "s_waitcnt vmcnt(0) before 0x8"},
				[3]any{found[0].Severity, found[0].Rule, found[0].Fix})
		}
	}
}

// In the steady state a checker allocates no memory for an instruction.
func TestChecksAllocateNothing(t *testing.T) {
	for _, kernel := range []string{"vadd", "reduce", "sort"} {
		m, l := launchOf(t, filepath.Join(compiled, kernel+".tahiti.json"))
		dispatch := func() {
			_, err := m.Dispatch(context.Background(), *l)
			require.NoError(t, err)
		}
		dispatch()
		l.Workers = 1
		plain := testing.AllocsPerRun(10, dispatch)
		c, err := check.New("wait", "wait-state")
		require.NoError(t, err)
		require.NoError(t, l.Watch(c))
		for range 100 { // the kernel is compiled during these runs
			dispatch()
		}
		require.Less(t, testing.AllocsPerRun(10, dispatch), plain+10, kernel) // only for the run, not for an instruction
	}
}

// Bit 12 of S_WAITCNT belongs to LGKMCNT according to manuals, but not according to compilers. The
// checker assumes the weaker wait, and a doubt says so (rule K7). From GCN 1.4 on no source gives the bit
// a meaning. If the field requires no wait, the bit changes nothing: Mesa sets it then.
func TestWideLGKM(t *testing.T) {
	for target, want := range map[gcn.Target]string{
		gcn.GFX600: "doubt ignored LGKMCNT, error wait-raw v1", gcn.GFX803: "doubt ignored LGKMCNT, error wait-raw v1",
		gcn.GFX900: "",
	} {
		b := newBench(t, target, "wait", "ignored")
		b.w.S[gcn.M0] = ^uint32(0)
		p, err := asm.Assemble(target, "ds_read_b32 v1, v0\n.long 0xbf8c107f\nv_mov_b32 v2, v1", asm.LLVM)
		require.NoError(t, err)
		var got []string
		for _, f := range b.words(p.Words...) {
			got = append(got, fmt.Sprintf("%v %s %s%s", f.Severity, f.Kind, f.Field, f.Reg))
		}
		require.Equal(t, want, strings.Join(got, ", "), "%v", target)
		require.Empty(t, newBench(t, target, "wait", "ignored").words(0xbf8c3f7f), "%v", target)
	}
}

// A program that never waits for scalar stores has more outstanding instructions than the
// checker keeps: a note says so.
func TestForgottenInstructionsAreNoted(t *testing.T) {
	b := newBench(t, gcn.GFX803, "wait")
	b.w.SetSGPRs(20, uint32(b.buf.Addr), uint32(b.buf.Addr>>32))
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "s_store_dword s8, s[20:21], 0x%x\n", 4*i)
	}
	f := one(t, b.run(text.String()))
	require.Equal(t, check.Note, f.Severity)
	require.Contains(t, f.Message, "more than 256 instructions are outstanding")
}
