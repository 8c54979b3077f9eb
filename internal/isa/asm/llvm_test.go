package asm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// cpus are the processor names of the generations in llvm-mc.
var cpus = [gcn.NumGens]string{"tahiti", "bonaire", "fiji", "gfx900", "gfx906"}

// llvmMC is the assembler for comparisons.
const llvmMC = "llvm-mc-22"

func needLLVM(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath(llvmMC); err != nil {
		t.Skip(llvmMC, "is not installed")
	}
}

var atLine = regexp.MustCompile(`<stdin>:(\d+):\d+: (?:warning|error): (.*)`)

// llvmDisassemble returns the text that llvm-mc prints for each instruction. It is "" if llvm-mc refuses
// the instruction or crashes.
func llvmDisassemble(t testing.TB, g gcn.Gen, insts []isa.Inst) []string {
	t.Helper()
	var texts []string
	for len(insts) > 0 {
		n := min(len(insts), 250)
		texts = append(texts, disassembleBatch(t, g, insts[:n])...)
		insts = insts[n:]
	}
	return texts
}

func disassembleBatch(t testing.TB, g gcn.Gen, insts []isa.Inst) []string {
	t.Helper()
	var in strings.Builder
	for _, i := range insts {
		in.WriteByte('[')
		for b := 0; b < int(i.Size); b++ {
			fmt.Fprintf(&in, " 0x%02x", byte(i.Words>>(8*b)))
		}
		in.WriteString(" ]\n[ 0xff 0x7f 0x80 0xbf ]\n") // a marker: s_nop 0x7fff
	}
	out, diag := runLLVM(t, in.String(), "-disassemble", "-mcpu="+cpus[g])
	if strings.Contains(diag, "PLEASE submit a bug report") {
		if len(insts) == 1 {
			return []string{""}
		}
		half := len(insts) / 2
		return append(disassembleBatch(t, g, insts[:half]), disassembleBatch(t, g, insts[half:])...)
	}
	parts := strings.Split(out, "s_nop 0x7fff")
	if len(parts) != len(insts)+1 {
		t.Fatalf("%s printed %d instructions of %d", llvmMC, len(parts)-1, len(insts))
	}
	texts := make([]string, len(insts))
	for n := range insts {
		// Two lines mean that llvm-mc decoded the words as two instructions.
		if text := strings.TrimSpace(parts[n]); !strings.Contains(text, "\n") {
			texts[n] = text
		}
	}
	return texts
}

func runLLVM(t testing.TB, in string, args ...string) (out, diag string) {
	t.Helper()
	cmd := exec.Command(llvmMC, append([]string{"-triple=amdgcn"}, args...)...)
	cmd.Stdin = strings.NewReader(in)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run() // the diagnostics contain errors of single lines
	return o.String(), e.String()
}

var encodingOf = regexp.MustCompile(`(?m)^\s*(.*?)\s*; encoding: \[([^\]]*)\]`)

// llvmAssemble returns, for each line, the words and the printed text of llvm-mc. If llvm-mc refuses a
// line, its words are nil and why has the reason.
func llvmAssemble(t testing.TB, g gcn.Gen, lines []string) (words [][]uint32, echo, why []string) {
	t.Helper()
	out, diag := runLLVM(t, strings.Join(lines, "\n")+"\n", "-show-encoding", "-mcpu="+cpus[g])
	words, echo, why = make([][]uint32, len(lines)), make([]string, len(lines)), make([]string, len(lines))
	for _, m := range atLine.FindAllStringSubmatch(diag, -1) {
		if n, _ := strconv.Atoi(m[1]); strings.Contains(m[0], "error: ") {
			why[n-1] = m[2]
		}
	}
	found := encodingOf.FindAllStringSubmatch(out, -1)
	for n := range lines {
		if why[n] != "" {
			continue
		}
		if len(found) == 0 {
			t.Fatalf("%s printed no encoding for %q", llvmMC, lines[n])
		}
		var encoding []byte
		echo[n] = found[0][1]
		for b := range strings.SplitSeq(found[0][2], ",") {
			v, _ := strconv.ParseUint(strings.TrimPrefix(b, "0x"), 16, 8)
			encoding = append(encoding, byte(v))
		}
		found = found[1:]
		for b := 0; b+3 < len(encoding); b += 4 {
			words[n] = append(words[n],
				uint32(encoding[b])|uint32(encoding[b+1])<<8|uint32(encoding[b+2])<<16|uint32(encoding[b+3])<<24)
		}
	}
	return words, echo, why
}

// forms returns the encodings that row op can have on g.
func forms(g gcn.Gen, op gcn.Op) []gcn.Encoding { return allFormsOf()[g][op] }

var allFormsOf = sync.OnceValue(func() (all [gcn.NumGens][][]gcn.Encoding) {
	for g := range all {
		for op := range isa.NumOps() {
			all[g] = append(all[g], formsOf(gcn.Gen(g), gcn.Op(op)))
		}
	}
	return all
})

func formsOf(g gcn.Gen, op gcn.Op) []gcn.Encoding {
	var all []gcn.Encoding
	for e := isa.SOP1; int(e) < isa.NumEncodings; e++ {
		if in, err := isa.New(g.Target(), op, e); err == nil {
			words, n := in.Encode()
			if back, err := isa.Decode(g.Target(), append(words[:n:n], 0)); err == nil && back.Op == op && back.Enc == e ||
				n == 1 {
				all = append(all, e)
			}
		}
	}
	return all
}

// randomInst returns an instruction of row op in encoding e whose fields have random bits.
func randomInst(r *rand.Rand, g gcn.Gen, op gcn.Op, e gcn.Encoding) (isa.Inst, bool) {
	in, err := isa.New(g.Target(), op, e)
	if err != nil {
		return in, false
	}
	marker := in.Words & 0x1ff
	for f := range isa.Field(isa.NumFields) {
		shift, width := isa.FieldBits(g, e, f)
		if width == 0 || shift >= 8*int(in.Size) {
			continue
		}
		v := r.Uint64() & (1<<width - 1)
		switch f {
		case isa.TFE, isa.LWE, isa.NV, isa.LDS, isa.SOE, isa.R128, isa.A16, isa.D16, isa.CLAMP, isa.OMOD, isa.GDS,
			isa.DSTUNUSED:
			if r.IntN(3) > 0 {
				v = 0
			}
		case isa.SADDR:
			if r.IntN(2) > 0 {
				v = isa.NoSADDR
			}
		case isa.SDST:
			if width == 7 && r.IntN(2) == 0 {
				v &= 0x7c
			}
		case isa.SRC0SEL, isa.SRC1SEL, isa.DSTSEL:
			v %= 7
		}
		in.Words = in.Words&^((1<<width-1)<<shift) | v<<shift
	}
	switch e {
	case isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA, isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP:
		in.Words = in.Words&^0x1ff | marker
	}
	if e == isa.EXP {
		in.Words |= uint64(r.Uint32()) << 32
	}
	words, _ := in.Encode()
	if words[1] == 0 || in.Size == 4 {
		words[1] = r.Uint32()
	}
	back, err := isa.Decode(g.Target(), words[:])
	return back, err == nil && back.Op == op && back.Enc == e
}
