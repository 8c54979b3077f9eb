package asm

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

var (
	rounds = flag.Int("rounds", 1, "random encodings of each form in the cross-check")
	seed   = flag.Uint64("seed", 1, "of the random encodings")
)

// leftOut reports whether a short test skips row op. It skips seven of eight rows.
func leftOut(op gcn.Op) bool {
	return !effort.Full() && uint64(op)%8 != *seed%8
}

// randomForms returns random encodings of all rows of generation g in all their encodings. raw has the
// random words, canonical the words to which our text of them assembles.
func randomForms(g gcn.Gen, rounds int) (raw, canonical []isa.Inst) {
	r := rand.New(rand.NewPCG(*seed, uint64(g)))
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		if isa.RowOf(op).Has(isa.Alias) || leftOut(op) {
			continue
		}
		for _, e := range forms(g, op) {
			found := 0
			for try := 0; try < 40*rounds && found < rounds; try++ {
				in, ok := randomInst(r, g, op, e)
				if !ok {
					continue
				}
				raw = append(raw, in)
				if c, err := ParseInst(targets[g], string(appendInst(nil, in, LLVM)), LLVM); err == nil && c.Enc == in.Enc {
					canonical = append(canonical, c)
					found++
				}
			}
		}
	}
	return raw, canonical
}

var accVGPR = regexp.MustCompile(`[ ,|-]a(\d|\[)`)

// quirk returns the reason why LLVM's text and our text differ on purpose, or "" if they must not differ.
func quirk(ours, llvm string) string {
	switch {
	case strings.Contains(llvm, "/*Invalid"):
		return "LLVM marks an operand the instruction must not have"
	case accVGPR.MatchString(llvm):
		return "LLVM shows the accumulation registers of later chips, where GCN has TFE or NV"
	case strings.Contains(ours, "undefined_"):
		return "the operand code means nothing; LLVM shows registers of later chips"
	case strings.HasPrefix(ours, "v_interp_p2_f16"):
		return "the OPSEL bit of the attribute, which LLVM does not show"
	case strings.HasPrefix(ours, "s_waitcnt 0x"):
		return "bits of no counter, which LLVM does not show"
	case strings.HasPrefix(ours, "ds_swizzle"):
		return "one of several masks that do the same, or bits of no mode"
	case halfBits(ours) == llvm:
		return "a float constant of a 16-bit integer, which LLVM shows as a literal"
	}
	return ""
}

var floatConst = regexp.MustCompile(`-?\b[0124]\.[0-9]+\b`)

// halfBits replaces floating-point constants by their bits as halves.
func halfBits(text string) string {
	return floatConst.ReplaceAllStringFunc(text, func(s string) string {
		f, _ := strconv.ParseFloat(s, 64)
		return fmt.Sprintf("%#x", half.Round64(f))
	})
}

// TestCrossDisassemble compares our text of random words with LLVM's text. LLVM has no
// disassembler before GCN 1.2.
func TestCrossDisassemble(t *testing.T) {
	needLLVM(t)
	for g := gcn.GCN12; g < gcn.NumGens; g++ {
		raw, canonical := randomForms(g, *rounds)
		ins := slices.Concat(raw, canonical)
		same, excused, refused := 0, map[string]int{}, 0
		for n, want := range llvmDisassemble(t, g, ins) {
			got := string(appendInst(nil, ins[n], LLVM))
			switch {
			case want == "":
				refused++
			case got == want:
				same++
			case quirk(got, want) != "":
				excused[quirk(got, want)]++
			default:
				t.Errorf("%v %s prints\n\t%s, LLVM\n\t%s", g, encoded(ins[n]), got, want)
			}
		}
		t.Logf("%v: %d of %d are the same, LLVM refuses %d, known differences %v", g, same, len(ins), refused, excused)
	}
}

// TestCrossAssemble assembles our text of random words with LLVM. The words must be the same. LLVM must
// also print our text again, except for numbers that only our text preserves.
func TestCrossAssemble(t *testing.T) {
	needLLVM(t)
	for g := range gcn.Gen(gcn.NumGens) {
		raw, canonical := randomForms(g, *rounds)
		var ins []isa.Inst
		var texts []string
		data, vectors := 0, 0 // the first of those that -rewrite writes
		for n, in := range slices.Concat(raw, canonical) {
			if n == len(raw) {
				vectors = len(ins)
			}
			text := Format(gcn.Inst(in), LLVM)
			if strings.HasPrefix(text, ".long ") {
				data++
				continue
			}
			ins, texts = append(ins, in), append(texts, text)
		}
		words, echo, why := llvmAssemble(t, g, texts)
		same, excused := 0, map[string]int{}
		files := map[string][]string{}
		for n, in := range ins {
			switch {
			case words[n] == nil:
				t.Errorf("%v %s: LLVM refuses %s: %s", g, encoded(in), texts[n], why[n])
			case hexWords(words[n]) != encoded(in):
				t.Errorf("%v: %s is %s, LLVM says %s", g, texts[n], encoded(in), hexWords(words[n]))
			case echo[n] != texts[n] && quirk(texts[n], echo[n]) != "":
				excused[quirk(texts[n], echo[n])]++
			case echo[n] != texts[n]:
				t.Errorf("%v %s prints\n\t%s, LLVM\n\t%s", g, encoded(in), texts[n], echo[n])
			default:
				same++
				if n >= vectors {
					files[family(in)] = append(files[family(in)], encoded(in)+"\t"+texts[n])
				}
			}
		}
		t.Logf("%v: %d of %d are the same, %d are data, known differences %v", g, same, len(ins), data, excused)
		for f, lines := range files {
			if golden.Rewriting() {
				name := fmt.Sprintf("testdata/llvm/%s_%s.txt", genNames[g], f)
				if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// family returns the name of the testdata file for an encoding.
func family(in isa.Inst) string {
	switch e := in.Row().Enc; e {
	case isa.SOP1, isa.SOP2, isa.SOPC, isa.SOPK, isa.SOPP:
		return "SOP"
	case isa.VINTRP, isa.EXP:
		return "EXP"
	default:
		return e.String()
	}
}
