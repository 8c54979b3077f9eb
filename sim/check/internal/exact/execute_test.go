package exact_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	_ "github.com/gcnsim/gcnsim/internal/sim/executors"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

const (
	sgprs = registers.ScalarRegs
	scc   = registers.FlagRegs + registers.Reg(isa.FlagSCC)
)

// program assembles text and returns its instructions.
func program(t testing.TB, text string) (all []*exact.Instruction) {
	t.Helper()
	p, err := asm.Assemble(gcn.GFX900, text, asm.LLVM)
	require.NoError(t, err, text)
	pc := uint64(0x1000)
	for d := range asm.Disassemble(gcn.GFX900, p.Words) {
		in := isa.Inst(d.Inst)
		all = append(all, &exact.Instruction{PC: pc, Inst: &in, Effects: in.Effects(nil), Execute: executor.Find(&in).Exec,
			SGPRs: 96})
		pc += uint64(in.Size)
	}
	return all
}

// TestKnownRelations: EXEC after a program equals, includes or is part of EXEC before it, which s[0:1] may have saved.
func TestKnownRelations(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"s_and_saveexec_b64 s[0:1], s[2:3]", "part saved"},
		{"s_and_saveexec_b64 s[0:1], s[2:3]\ns_mov_b64 exec, s[0:1]", "same part saved"},
		{"s_and_saveexec_b64 s[0:1], s[2:3]\ns_or_b64 exec, exec, s[0:1]", "same part saved"},
		{"s_and_saveexec_b64 s[0:1], s[2:3]\ns_xor_b64 exec, exec, s[0:1]", "part saved"},
		{"s_and_saveexec_b64 s[0:1], s[2:3]\ns_xor_b64 s[0:1], exec, s[0:1]\ns_or_saveexec_b64 s[4:5], s[0:1]", "same part"},
		{"s_andn2_b64 exec, exec, s[2:3]\ns_andn2_b64 exec, exec, s[4:5]", "part"},
		{"s_mov_b64 exec, -1", "whole"},
		{"s_mov_b64 s[0:1], exec\ns_or_b64 exec, exec, s[2:3]", "whole saved"},
		{"v_cmpx_eq_u32 vcc, v0, v1", "part"},
		{"v_cmp_eq_u32 vcc, v0, v1\ns_mov_b64 exec, vcc", "part"},
		{"v_readfirstlane_b32 s2, v1\ns_mov_b32 exec_lo, s2", ""},
		{"s_cmp_eq_u32 s8, s9\ns_cselect_b64 exec, s[2:3], exec", ""},
		{"s_and_b64 s[0:1], exec, s[2:3]\ns_cmp_eq_u32 s8, s9\ns_cselect_b64 exec, s[0:1], exec", "part"},
		{"s_bitcmp1_b32 s8, 3\ns_cmov_b64 exec, s[2:3]", ""},
		{"s_mov_b64 s[0:1], exec\ns_cmp_lg_u32 s8, 5\ns_cselect_b64 exec, 0, exec\ns_cmp_eq_u32 s8, 5\n" +
			"s_cselect_b64 exec, exec, s[0:1]", "same part saved"},
		{"s_cmp_lt_u32 s8, s9\ns_cselect_b64 s[2:3], exec, 0\ns_cmp_gt_u32 s9, s8\ns_cselect_b64 exec, s[2:3], exec",
			"same part"},
		{"s_mov_b64 s[0:1], exec\ns_add_u32 s2, s8, 4\ns_add_u32 s3, s8, 4\ns_xor_b32 s2, s2, s3\n" +
			"s_or_b32 exec_lo, exec_lo, s2", "same part saved"},
		{"s_mov_b64 s[0:1], exec\ns_mul_i32 s2, s8, s9\ns_and_b32 exec_lo, exec_lo, s2", "part saved"},
	} {
		e, r := exact.NewEvaluator(gcn.GFX900), &exact.Registers{}
		before := e.Mask(r, registers.EXEC)
		for _, x := range program(t, tt.text) {
			e.Execute(x, r)
		}
		var got []string
		if after := e.Mask(r, registers.EXEC); after == before {
			got = append(got, "same", "part")
		} else if e.Within(after, before) {
			got = append(got, "part")
		} else if e.Within(before, after) {
			got = append(got, "whole")
		}
		if e.Mask(r, sgprs) == before {
			got = append(got, "saved")
		}
		require.Equal(t, tt.want, strings.Join(got, " "), tt.text)
	}
}

// TestConditions checks for which pairs of branches the evaluator proves that not both can be taken.
func TestConditions(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"s_cmp_eq_u32 s2, s3\ns_cbranch_scc1 1\ns_cmp_lg_u32 s3, s2\ns_cbranch_scc1 1", true},
		{"s_cmp_eq_u32 s2, s3\ns_cbranch_scc1 1\ns_cmp_eq_u32 s2, s3\ns_cbranch_scc1 1", false},
		{"s_cmp_eq_u32 s2, 0\ns_cbranch_scc0 1\ns_or_b32 s4, s2, s2\ns_cbranch_scc0 1", true},
		{"s_cmp_lt_i32 s2, s3\ns_cbranch_scc1 1\ns_cmp_ge_i32 s2, s3\ns_cbranch_scc1 1", true},
		{"s_cmp_lt_i32 s2, s3\ns_cbranch_scc1 1\ns_cmp_ge_u32 s2, s3\ns_cbranch_scc1 1", false},
		{"s_cmpk_eq_i32 s2, 0x100\ns_cbranch_scc1 1\ns_cmp_lg_u32 s2, 0x100\ns_cbranch_scc1 1", true},
		{"s_cmp_eq_u32 s2, s3\ns_cselect_b64 s[4:5], -1, 0\ns_cbranch_scc1 1\ns_and_b64 vcc, exec, s[4:5]\n" +
			"s_cbranch_vccz 1\ns_cbranch_execnz 1", true},
		{"s_mov_b32 s2, 5\ns_cmp_eq_u32 s2, 6\ns_cbranch_scc1 1", true},
		{"s_cbranch_execz 1\ns_and_saveexec_b64 s[2:3], s[4:5]\ns_cbranch_execnz 1", false},
		{"s_cmp_eq_u32 s2, s3\ns_cbranch_scc1 1\ns_add_u32 s2, s2, 1\ns_cmp_lg_u32 s3, s2\ns_cbranch_scc1 1", false},
	} {
		e, r := exact.NewEvaluator(gcn.GFX900), &exact.Registers{}
		both := exact.Ones
		for _, x := range program(t, tt.text) {
			if c, ok := e.Taken(x, r); ok {
				both = e.And(both, c)
			}
			e.Execute(x, r)
		}
		require.NotEqual(t, exact.Ones, both)
		require.Equal(t, tt.want, both == exact.Zero, tt.text)
	}
}

// randomLines are the instructions of random programs. Arguments are random numbers, even ones for pairs of registers.
var randomLines = []string{
	"s_mov_b64 s[%d:%d], exec", "s_mov_b64 exec, s[%d:%d]", "s_and_saveexec_b64 s[%d:%d], s[%d:%d]",
	"s_or_saveexec_b64 s[%d:%d], s[%d:%d]", "s_andn2_wrexec_b64 s[%d:%d], s[%d:%d]",
	"s_nand_saveexec_b64 s[%d:%d], s[%d:%d]",
	"s_and_b64 exec, exec, s[%d:%d]", "s_or_b64 exec, exec, s[%d:%d]", "s_xor_b64 exec, exec, s[%d:%d]",
	"s_cmp_eq_u32 s%d, s%d", "s_cmp_lg_u32 s%d, s%d", "s_cmp_le_u32 s%d, s%d",
	"s_cmp_eq_u32 s%d, 5", "s_cmpk_gt_i32 s%d, 7", "s_cmpk_lg_u32 s%d, 0xffff", "s_cmpk_eq_i32 s%d, -1",
	"s_bitcmp1_b32 s%d, 2", "s_cmp_eq_u64 s[%d:%d], s[%d:%d]",
	"s_cselect_b64 exec, s[%d:%d], exec", "s_cselect_b64 s[%d:%d], s[%d:%d], exec", "s_cselect_b64 s[%d:%d], -1, 0",
	"s_cmov_b64 exec, s[%d:%d]", "s_cmov_b32 s%d, s%d", "s_cselect_b32 exec_lo, s%d, exec_hi",
	"s_and_b64 s[%d:%d], s[%d:%d], s[%d:%d]", "s_orn2_b64 s[%d:%d], s[%d:%d], s[%d:%d]", "s_not_b64 s[%d:%d], s[%d:%d]",
	"s_xnor_b64 s[%d:%d], s[%d:%d], s[%d:%d]", "s_and_b32 s%d, s%d, 0xff",
	"s_or_b32 s%d, s%d, s%d", "s_nor_b32 s%d, s%d, 5",
	"s_add_u32 s%d, s%d, s%d", "s_addc_u32 s%d, s%d, s%d", "s_sub_u32 s%d, s%d, 1", "s_lshl_b32 s%d, s%d, 1",
	"s_mov_b32 s%d, 5", "s_mov_b32 s%d, 0", "s_bfm_b64 s[%d:%d], s%d, 3", "s_add_u32 s%d, s%d, scc", "s_brev_b32 s%d, s%d",
	"v_cmp_eq_u32 s[%d:%d], v1, v2", "v_cmpx_lt_u32 s[%d:%d], v1, v2", "v_mov_b32 v1, s%d", "v_mov_b32 v2, v1",
	"v_add_co_u32 v1, s[%d:%d], v1, v2", "v_readfirstlane_b32 s%d, v2", "v_cndmask_b32 v1, v1, v2, s[%d:%d]",
	"v_and_b32 v2, s%d, v1", "v_mad_u32_u24 v1, v1, v1, v2", "v_mad_u32_u24 v2, v1, v2, v2",
}

// TestRelationsHold compares the relations that are proved for random programs with their execution, where registers
// are small, equal, zero and at bounds: relations of masks, of numbers, and branches that cannot both be taken.
func TestRelationsHold(t *testing.T) {
	proved := map[string]int{}
	for seed := range uint64(effort.Rounds(700)) {
		r := rand.New(rand.NewPCG(seed, 54))
		var text strings.Builder
		for range 4 + r.IntN(12) {
			line := randomLines[r.IntN(len(randomLines))]
			var args []any
			for at := strings.Index(line, "%d"); at >= 0; at = strings.Index(line, "%d") {
				n, verb := r.IntN(8), "%d"
				if strings.HasPrefix(line[at:], "%d:%d") {
					n, verb = n&^1, "%d:%d"
					args = append(args, n)
					n++
				}
				args = append(args, n)
				line = strings.Replace(line, verb, "\x00", 1)
			}
			for range args {
				line = strings.Replace(line, "\x00", "%d", 1)
			}
			line = strings.ReplaceAll(line, "[%d]", "[%d:%d]")
			fmt.Fprintf(&text, line+"\n", args...)
		}
		holds(t, r, text.String(), proved)
	}
	for _, what := range []string{"same", "part", "apart", "number", "contradiction"} {
		require.Greater(t, proved[what], 5, "%s %v", what, proved)
	}
}

// holds compares the relations of one program, and adds the number of those proved to proved.
func holds(t *testing.T, r *rand.Rand, text string, proved map[string]int) {
	insts := program(t, text)
	e, regs := exact.NewEvaluator(gcn.GFX900), &exact.Registers{}
	var masks []exact.Mask
	var conditions []exact.Condition
	note := func() {
		for first := sgprs; first < sgprs+8; first += 2 {
			masks = append(masks, e.Mask(regs, first))
		}
		masks = append(masks, e.Mask(regs, registers.EXEC))
		conditions = append(conditions, e.Get(regs, scc))
	}
	note()
	for _, x := range insts {
		e.Execute(x, regs)
		note()
	}
	for range 6 {
		values, sccs := run(t, r, insts)
		for i, a := range masks {
			for half, w := range a {
				if n, ok := e.Number(w); ok {
					proved["number"]++
					require.Equal(t, n, uint32(values[i]>>(32*half)), "%s value %d", text, i)
				}
			}
			for k, b := range masks[:i] {
				if a == b {
					proved["same"]++
					require.Equal(t, values[i], values[k], "%s %d is %d", text, i, k)
				}
				if e.Within(a, b) {
					proved["part"]++
					require.Zero(t, values[i]&^values[k], "%s %d is a part of %d", text, i, k)
				}
				if e.Apart(a, b) {
					proved["apart"]++
					require.Zero(t, values[i]&values[k], "%s %d is apart from %d", text, i, k)
				}
			}
		}
		for i, a := range conditions {
			for k, b := range conditions[:i] {
				if e.And(a, b) == exact.Zero {
					proved["contradiction"]++
					require.False(t, sccs[i] && sccs[k], "%s SCC %d and %d", text, i, k)
				}
				if a == b {
					require.Equal(t, sccs[i], sccs[k], "%s SCC %d is %d", text, i, k)
				}
			}
		}
	}
}

// run executes a program with random registers. It returns the values of register pairs, and SCC.
func run(t *testing.T, r *rand.Rand, insts []*exact.Instruction) (values []uint64, sccs []bool) {
	some := func() uint32 {
		return [...]uint32{0, 1, 4, 5, 6, 7, 1 << 31, 1<<31 - 1, ^uint32(0), r.Uint32(), r.Uint32(), r.Uint32()}[r.IntN(12)]
	}
	w := state.NewWave(gcn.GFX900, 4)
	for i := range 8 {
		w.S[i] = some()
		if r.IntN(3) == 0 {
			w.S[i] = w.S[r.IntN(8)]
		}
	}
	for i := range w.V {
		for lane := range w.V[i] {
			w.V[i][lane] = some()
		}
	}
	w.SCC = r.Uint32() & 1
	w.SetExec(uint64(some())<<32 | uint64(some()))
	note := func() {
		for i := 0; i < 8; i += 2 {
			values = append(values, w.Scalar64(uint32(i)))
		}
		values, sccs = append(values, w.Exec()), append(sccs, w.SCC != 0)
	}
	note()
	for _, x := range insts {
		w.PC = x.PC + uint64(x.Inst.Size)
		require.Nil(t, x.Execute(w, &executor.Ports{}, x.Inst, &state.Access{}))
		note()
	}
	return values, sccs
}

// TestKnown: programs that begin with all lanes, by name or by number, compute the same EXEC.
func TestKnown(t *testing.T) {
	for _, text := range []string{
		"s_and_saveexec_b64 s[0:1], s[2:3]\ns_xor_b64 s[0:1], exec, s[0:1]\ns_or_b64 exec, exec, s[0:1]",
		"s_and_saveexec_b64 s[0:1], s[2:3]\ns_xor_b64 exec, exec, s[0:1]", "s_andn2_b64 exec, s[2:3], exec",
		"s_cmp_eq_u32 s8, s9\ns_cselect_b64 exec, s[2:3], exec", "s_mov_b32 exec_lo, 5\ns_and_b64 exec, exec, s[2:3]",
	} {
		e, named, plain := exact.NewEvaluator(gcn.GFX900), &exact.Registers{}, &exact.Registers{}
		named.SetMask(registers.EXEC, exact.Mask{exact.All, exact.All})
		plain.SetMask(registers.EXEC, exact.Mask{exact.Ones, exact.Ones})
		for _, x := range program(t, text) {
			e.Execute(x, named)
			e.Execute(x, plain)
		}
		left := e.Mask(named, registers.EXEC)
		require.Equal(t, e.Mask(plain, registers.EXEC), e.KnownMask(left), text)
		s := e.Mask(&exact.Registers{}, sgprs+2)
		none := e.Replace(left, s, exact.Mask{exact.Zero, exact.Zero})
		e.Unknowns(none[0], func(a exact.Word) { require.NotEqual(t, s[0], a, text) })
	}
}
