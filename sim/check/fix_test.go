package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state/lane"
)

// snippets are the instructions of random programs. V1, V2, V4, S1 and S2 stand for the
// numbers of registers.
var snippets = []string{
	"buffer_load_dword vV1, v0, s[0:3], 0 offen", "buffer_load_dwordx2 v[V1:V2], v0, s[0:3], 0 offen",
	"buffer_store_dword vV1, v0, s[0:3], 0 offen", "buffer_store_dwordx4 v[V1:V4], v0, s[0:3], 0 offen",
	"buffer_atomic_add vV1, v0, s[0:3], 0 offen glc", "buffer_load_dword vV1, v0, s[0:3], sS1 offen",
	"ds_read_b32 vV1, v0", "ds_write_b32 v0, vV1", "ds_add_rtn_u32 vV1, v0, vV2", "ds_write_b32 v0, vV1 gds",
	"s_load_dword sS1, s[20:21], 0x0", "s_load_dwordx2 s[S1:S2], s[20:21], 0x0", "exp mrt0 vV1, vV2, off, off",
	"v_mov_b32 vV1, vV2", "v_add_f32 vV1, vV2, vV4", "v_mov_b32 vV1, sS1", "v_readlane_b32 sS1, vV1, 3",
	"v_readlane_b32 sS2, vV1, sS1", "v_cmp_eq_u32 vcc, vV1, vV2", "v_cmpx_le_u32 vcc, vV1, vV1",
	"v_div_fmas_f32 vV1, vV2, vV4, vV2",
	"s_mov_b32 sS1, sS2", "s_mov_b32 m0, -1", "s_mov_b64 vcc, 0", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0",
	"s_getreg_b32 sS1, hwreg(HW_REG_MODE)",
	"s_cbranch_vccz 0", "s_waitcnt vmcnt(1)", "s_waitcnt lgkmcnt(1)", "s_nop 1",
}

// moving are snippets for the targets that have DPP.
var moving = []string{"v_mov_b32_dpp vV1, vV2 row_shl:1", "v_add_f32_dpp vV1, vV2, vV4 row_shl:1"}

// TestFixesMend: the fix of a finding removes it, and no smaller fix does. The fixes of the
// findings are applied to random programs, one after the other, until no finding is left.
func TestFixesMend(t *testing.T) {
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900} {
		for seed := range uint64(effort.Rounds(60)) {
			r := rand.New(rand.NewPCG(seed, uint64(target)))
			list := snippets
			if isa.TraitsOf(target).SecondWord {
				list = slices.Concat(snippets, moving)
			}
			var lines []string
			for range 30 {
				v, s := 2+r.IntN(6), 24+2*r.IntN(4)
				lines = append(lines, strings.NewReplacer("V1", strconv.Itoa(v), "V2", strconv.Itoa(v+1), "V4", strconv.Itoa(v+3),
					"S1", strconv.Itoa(s), "S2", strconv.Itoa(s+1)).Replace(list[r.IntN(len(list))]))
			}
			mend(t, target, lines)
		}
	}
}

// mend applies fixes to a program until a checker has no findings about the program.
func mend(t *testing.T, target gcn.Target, lines []string) {
	t.Helper()
	for range 4 * len(lines) {
		found, at := findings(t, target, lines)
		if len(found) == 0 {
			return
		}
		f := found[0]
		fix, _, ok := strings.Cut(f.Fix, " before 0x")
		require.True(t, ok, "%v", f)
		fixes := strings.Split(strings.Replace(fix, ", vcc", ",vcc", 1), " and ")
		n := slices.Index(at, f.PC)
		if weaker, ok := weaken(fixes[0]); ok {
			program := slices.Insert(slices.Clone(lines), n, weaker)
			again, at := findings(t, target, program)
			require.True(t, slices.ContainsFunc(again, func(g check.Finding) bool {
				return g.Kind == f.Kind && g.Reg == f.Reg && at[n+1] == g.PC
			}), "%v\nis mended by %s\n%s", f, weaker, strings.Join(program, "\n"))
		}
		lines = slices.Insert(lines, n, fixes...)
		again, at := findings(t, target, lines)
		require.False(t, slices.ContainsFunc(again, func(g check.Finding) bool {
			return g.Kind == f.Kind && g.Reg == f.Reg && g.Rule == f.Rule && at[n+len(fixes)] == g.PC &&
				g.Producer.PC == f.Producer.PC
		}), "%v\nis not mended\n%s", f, strings.Join(lines, "\n"))
	}
	t.Errorf("%v: fixes do not mend\n%s", target, strings.Join(lines, "\n"))
}

// weaken returns a smaller fix than fix. ok is false if there is none.
func weaken(fix string) (weaker string, ok bool) {
	var n int
	for _, counter := range []string{"vmcnt", "lgkmcnt", "expcnt"} {
		if _, err := fmt.Sscanf(fix, "s_waitcnt "+counter+"(%d)", &n); err == nil && !strings.Contains(fix, "&") {
			return fmt.Sprintf("s_waitcnt %s(%d)", counter, n+1), true
		}
	}
	if _, err := fmt.Sscanf(fix, "s_nop %d", &n); err == nil && n > 0 {
		return fmt.Sprintf("s_nop %d", n-1), true
	}
	return "", false
}

// findings runs a program and returns the findings of a checker, and the addresses of its lines.
func findings(t *testing.T, target gcn.Target, lines []string) (found []check.Finding, at []uint64) {
	t.Helper()
	text := strings.Join(lines, "\n")
	p, err := asm.Assemble(target, text, asm.LLVM)
	require.NoError(t, err, text)
	for d := range asm.Disassemble(target, p.Words) {
		at = append(at, uint64(d.Offset))
	}
	b := newBench(t, target, "wait", "wait-state")
	b.w.S[gcn.M0] = ^uint32(0)
	b.w.SetSGPRs(20, uint32(b.buf.Addr), uint32(b.buf.Addr>>32))
	b.w.SetVGPR(0, lane.Times(4))
	return b.run(text), at
}
