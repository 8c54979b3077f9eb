package asm

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// sources are initial texts in each syntax: an instruction of each form, snippets with modifiers, and
// programs with names, expressions and directives.
var sources = sync.OnceValue(func() (all [2][]string) {
	for _, s := range []Syntax{LLVM, CLRX} {
		files, err := filepath.Glob("testdata/" + s.String() + "/*.txt")
		if err != nil || len(files) == 0 {
			panic(fmt.Sprint("no vectors ", err))
		}
		for _, file := range files {
			for _, row := range tableRows(file) {
				all[s] = append(all[s], row[1])
			}
		}
		for _, table := range [...]string{"modifiers_", "programs_"} {
			for _, row := range tableRows("testdata/" + table + s.String() + ".tsv") {
				all[s] = append(all[s], strings.ReplaceAll(row[0], `\n`, "\n"))
			}
		}
	}
	return all
})

// operands, modifiers and lines are pieces that a mutation can insert into a text.
var (
	operands = [...]string{
		"0", "64", "65", "-17", "0xffffffff", "0x8000000000000000", "18446744073709551616", "1.0", "-0.5", "1e300", "1.5h",
		"'a'", "v1", "v255", "v256", "v[254:257]", "v[1:0]",
		"s1", "s[1:2]", "s[100:103]", "ttmp[4:7]", "vcc", "exec_hi", "m0", "scc", "lds_direct", "null", "off", "|v1|",
		"-s1", "neg(1)", "sext(v1)", "lit(x)", "@x", "%s4", "x", "x+1", "-x",
		"(1", "1)", "x-.", ".", "1f", "2b", "x@rel32@lo", "hwreg(1,2,3)", "{id: 1}", "sendmsg(2,1)", "attr0.x", "[v1,v2]",
		"vmcnt(0)", "label", "\"x\"", "", ",", "\\x", "x==1?2:3", "1<<63", "1/0", "s[x]",
	}
	modifiers = [...]string{
		"glc", "slc", "noglc", "tfe", "lds", "gds", "offen", "idxen", "addr64", "offset:4", "offset:x", "offset:-1",
		"offset0:x", "offset1:y", "clamp", "mul:2", "div:x", "dst_sel:b0", "dst_sel:3",
		"src0_sel:WORD_1", "row_shl:x", "row_bcast:15", "quad_perm:[0,1,2,x]", "op_sel:[1,0]", "op_sel_hi:[0,1]",
		"neg:[1,0]", "abs:1", "format:[8,float]", "format:22", "dfmt:1", "dmask:x",
		"unorm", "d16", "done", "vm", "vop3", "sdwa", "dpp:0", "bound_ctrl:0", "swizzle(SWAP,1)",
		"offset:swizzle(BROADCAST,8,x)", "; s_nop 0", "# x", "// x", "/* x", "&",
	}
	lines = [...]string{
		"x = 4", "x = y + 1", "y = x - label", ".set x, y", "x = %s[4:7]", "x = %x", "label:", "1:", ".long x",
		".quad label - 1b", ".if x", ".else", ".endif", ".rept x", ".rept 3", ".endr", ".macro m a b=2",
		"m 1, 2", "m x", ".endm", ".irp a, 1, 2", ".fill x, 4, 0", ".space label", ".org .+8", ".p2align 4",
		".section .rodata", ".text", ".data", ".amdhsa_kernel label", ".amdhsa_next_free_vgpr x",
		".amdhsa_next_free_sgpr 4", ".end_amdhsa_kernel", ".amd_kernel_code_t", ".end_amd_kernel_code_t",
		".amdgpu_lds z, x, 8", ".amdgpu_metadata", ".end_amdgpu_metadata", "s_branch label", "s_mov_b32 s0, x",
		"ds_read2_b32 v[0:1], v2 offset0:x offset1:y", "s_load_dword s0, s[2:3], x", ".byte x", ".uleb128 x",
		".asciz \"a\\n\"", ".error \"no\"",
	}
)

// mutate makes a small change to text: a token, an operand, a modifier or a line.
func mutate(r *rand.Rand, text string) string {
	all := strings.Split(text, "\n")
	at := r.IntN(len(all))
	words := strings.SplitAfter(all[at], " ")
	word := r.IntN(len(words))
	comma := strings.Split(all[at], ",")
	part := r.IntN(len(comma))
	switch r.IntN(9) {
	case 0:
		all[at] += " " + modifiers[r.IntN(len(modifiers))]
	case 1, 2:
		comma[part] = " " + operands[r.IntN(len(operands))]
		all[at] = strings.Join(comma, ",")
	case 3:
		words[word] = operands[r.IntN(len(operands))] + " "
		all[at] = strings.Join(words, "")
	case 4:
		words[word] = ""
		all[at] = strings.Join(words, "")
	case 5:
		words[word] += words[word]
		all[at] = strings.Join(words, "")
	case 6:
		if n := r.IntN(len(all[at]) + 1); n < len(all[at]) {
			all[at] = all[at][:n] + string(rune(' '+r.IntN(95))) + all[at][n+1:]
		}
	default:
		all = append(all[:at:at], append([]string{lines[r.IntN(len(lines))]}, all[at:]...)...)
	}
	return strings.Join(all, "\n")
}

// FuzzText checks texts and mutated texts. The assembler must not panic. An error must be at a position in the text.
// The printed form of an accepted text must assemble to the same words. The empty text means a text of sources.
func FuzzText(f *testing.F) {
	for n := range uint64(64) {
		f.Add(uint8(n), n%2 == 0, "", uint16(n*977), n)
	}
	for n, text := range [...]string{
		mix, "v_add_f32 v0, |v1|, -v2 clamp mul:2", "s_waitcnt vmcnt(0) & lgkmcnt(0)", "s_mov_b32 s0, (1<<4)|~3",
		"ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"0pi1p\")", "exp mrt0 v0, v0, v1, v1 compr vm",
	} {
		f.Add(uint8(n), n%2 == 0, text, uint16(0), uint64(0))
	}
	f.Fuzz(func(t *testing.T, n uint8, clrx bool, text string, row uint16, seed uint64) {
		s := LLVM
		if clrx {
			s = CLRX
		}
		if text == "" {
			texts := sources()[s]
			text = texts[int(row)%len(texts)]
		}
		r := rand.New(rand.NewPCG(seed, uint64(row)))
		for range seed % 5 {
			text = mutate(r, text)
		}
		target := gcn.Target(n % gcn.NumTargets)
		p, err := Assemble(target, text, s)
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e, "%q", text)
			all := strings.Split(text, "\n")
			require.Condition(t, func() bool {
				return e.Line >= 1 && e.Line <= len(all)+1 && e.Col >= 1 && (e.Line > len(all) || e.Col <= len(all[e.Line-1])+1)
			}, "%q: %v", text, err)
			return
		}
		for d := range Disassemble(target, p.Words) {
			if d.Err == nil {
				comesBack(t, target, isa.Inst(d.Inst))
			}
		}
		// names are there, labels twice
		for _, again := range [...]string{text + "\n" + text, strings.Repeat(text+"\n", 20)} {
			if _, err := Assemble(target, again, s); err != nil {
				require.True(t, errors.As(err, new(*Error)), "%q", again)
			}
		}
	})
}
