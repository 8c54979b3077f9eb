package asm

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
)

var (
	update = flag.Bool("update", false, "write testdata/llvm anew, with the help of "+llvmMC)
	rounds = flag.Int("rounds", 1, "random encodings of each form in the cross-check")
	seed   = flag.Uint64("seed", 1, "of the random encodings")
)

// randomForms returns random encodings of every row in every encoding of generation g:
// arbitrary ones, and those that our own text of them assembles to.
func randomForms(g gcn.Gen, rounds int) (raw, canonical []gcn.Inst) {
	r := rand.New(rand.NewPCG(*seed, uint64(g)))
	for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
		if op.Row().Has(gcn.Alias) {
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
				if c, err := ParseInst(targets[g], Format(in, LLVM), LLVM); err == nil && c.Enc == in.Enc {
					canonical = append(canonical, c)
					found++
				}
			}
		}
	}
	return raw, canonical
}

var accVGPR = regexp.MustCompile(`[ ,|-]a(\d|\[)`)

// quirk returns why LLVM's text of words differs from ours on purpose, "" if it should not.
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
	}
	return ""
}

// TestCrossDisassemble compares our text of random words with LLVM's. LLVM cannot
// disassemble before GCN 1.2.
func TestCrossDisassemble(t *testing.T) {
	needLLVM(t)
	for g := gcn.GCN12; g < gcn.NumGens; g++ {
		raw, canonical := randomForms(g, *rounds)
		ins := slices.Concat(raw, canonical)
		same, excused, refused := 0, map[string]int{}, 0
		for n, want := range llvmDisassemble(t, g, ins) {
			got := Format(ins[n], LLVM)
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

// known lists what our assembler takes and llvm-mc refuses, and why.
var known = []struct {
	text *regexp.Regexp // our text
	why  *regexp.Regexp // LLVM's message
	note string
}{
	{regexp.MustCompile(` clamp`), regexp.MustCompile(`invalid operand|integer clamping|not valid for this GPU`), "CLAMP of instructions to which it means nothing"},
	{regexp.MustCompile(`^v_cmpx?_\S+_dpp `), regexp.MustCompile(``), "DPP of compares: LLVM has none, CLRX does"},
	{regexp.MustCompile(`_f64_dpp |_f64_[iuf]\d+_dpp`), regexp.MustCompile(``), "DPP of 64-bit operations: LLVM prints it and does not read it"},
	{regexp.MustCompile(``), regexp.MustCompile(`invalid instruction|variant of this instruction|not supported on this GPU`), "instructions of CLRX alone, and chips without XNACK"},
	{regexp.MustCompile(``), regexp.MustCompile(`register not available`), "XNACK_MASK exists on some chips of a generation"},
	{regexp.MustCompile(`^v_read(first)?lane_b32 (m0|exec)`), regexp.MustCompile(``), "M0 and EXEC as destination of a lane"},
	{regexp.MustCompile(`^s_\w*(load|store|atomic|memtime)|^s_buffer|^s_scratch|^s_memrealtime`), regexp.MustCompile(`invalid operand`), "M0 and EXEC as scalar data"},
	{regexp.MustCompile(`^tbuffer.* tfe`), regexp.MustCompile(``), "TFE of MTBUF"},
	{regexp.MustCompile(`^buffer_load.* lds`), regexp.MustCompile(``), "D16 and TFE together with LDS"},
	{regexp.MustCompile(`^ds_.*permute.* gds`), regexp.MustCompile(``), "GDS where it means nothing"},
	{regexp.MustCompile(`lds_direct`), regexp.MustCompile(``), "LDS_DIRECT where LLVM does not expect it"},
	{regexp.MustCompile(`^image_.* d16`), regexp.MustCompile(``), "D16 of atomics and queries"},
	{regexp.MustCompile(`^v_cvt_f32_f16_e64`), regexp.MustCompile(`literal operands`), "inline constants of half operands before GCN 1.2"},
	{regexp.MustCompile(`^buffer_store.* tfe`), regexp.MustCompile(`no meaning for store`), "TFE of stores"},
	{regexp.MustCompile(`^v_f?mac_\S+_sdwa `), regexp.MustCompile(``), "SDWA of multiply-add: LLVM prints it and does not read it"},
	{regexp.MustCompile(`^global_.*exec`), regexp.MustCompile(``), "EXEC as scalar address"},
	{regexp.MustCompile(`sext\(-?\d`), regexp.MustCompile(``), "SEXT of a constant: LLVM prints it and does not read it"},
}

func knownRefusal(text, why string) string {
	for _, k := range known {
		if k.text.MatchString(text) && k.why.MatchString(why) {
			return k.note
		}
	}
	return ""
}

// TestCrossAssemble has LLVM assemble our text of random encodings: the words must be
// ours, and what it echoes must be our text again.
func TestCrossAssemble(t *testing.T) {
	needLLVM(t)
	for g := gcn.Gen(0); g < gcn.NumGens; g++ {
		_, ins := randomForms(g, *rounds)
		texts := make([]string, len(ins))
		for n := range ins {
			texts[n] = Format(ins[n], LLVM)
		}
		words, echo, why := llvmAssemble(t, g, texts)
		same, excused := 0, map[string]int{}
		files := map[string][]string{}
		for n, in := range ins {
			switch {
			case words[n] == nil && knownRefusal(texts[n], why[n]) != "":
				excused[knownRefusal(texts[n], why[n])]++
			case words[n] == nil:
				t.Errorf("%v %s: LLVM refuses %s: %s", g, encoded(in), texts[n], why[n])
			case (hexWords(words[n]) != encoded(in) || echo[n] != texts[n]) && quirk(texts[n], echo[n]) != "":
				excused[quirk(texts[n], echo[n])]++
			case hexWords(words[n]) != encoded(in):
				t.Errorf("%v: %s is %s, LLVM says %s", g, texts[n], encoded(in), hexWords(words[n]))
			case echo[n] != texts[n]:
				t.Errorf("%v %s prints\n\t%s, LLVM\n\t%s", g, encoded(in), texts[n], echo[n])
			default:
				same++
				files[family(in)] = append(files[family(in)], encoded(in)+"\t"+texts[n])
			}
		}
		t.Logf("%v: %d of %d are the same, known refusals %v", g, same, len(ins), excused)
		for f, lines := range files {
			if *update {
				name := fmt.Sprintf("testdata/llvm/%s_%s.txt", genNames[g], f)
				if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// family groups encodings into files of testdata.
func family(in gcn.Inst) string {
	switch e := in.Row().Enc; e {
	case gcn.SOP1, gcn.SOP2, gcn.SOPC, gcn.SOPK, gcn.SOPP:
		return "SOP"
	case gcn.VINTRP, gcn.EXP:
		return "EXP"
	default:
		return e.String()
	}
}
