package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// A row whose properties do not determine its operation describes it in words: by its sources, the mask or SCC that
// it writes, and the old value that it reads.
func TestRowsTellWhatTheyDo(t *testing.T) {
	immediate := []string{"SIMM16", "the label", "the source", "first source", "the constant", "hardware register",
		"parameter", "M0[15:12]"}
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		r := isa.RowOf(op)
		computes := r.Mem.Op == gcn.NoMem && r.Enc != isa.EXP
		silent := r.Mem.Op == gcn.Special && !r.Mem.InLDS || computes && r.Enc != isa.VOPC && r.Cond == 0 && r.Half == 0
		assert.Equal(t, silent, r.Does != "", "%s: %q", r.Name, r.Does)
		if !silent || !computes {
			continue
		}
		for n := range len(r.Sig.Src) {
			named := strings.Contains(r.Does, fmt.Sprintf("S%d", n))
			if n < r.Sig.NumSrc && !named {
				named = r.Enc == isa.SOPP || slices.ContainsFunc(immediate,
					func(s string) bool { return strings.Contains(r.Does, s) })
			}
			assert.Equal(t, n < r.Sig.NumSrc, named, "%s: %q: S%d", r.Name, r.Does, n)
		}
		assert.Equal(t, r.Has(isa.CarryOut), strings.Contains(r.Does, "the mask:"), "%s: %q: the mask", r.Name, r.Does)
		assert.Equal(t, r.Has(isa.WritesSCC), strings.Contains(r.Does, "SCC:"), "%s: %q: SCC", r.Name, r.Does)
		assert.Equal(t, r.Has(isa.ReadsDst), strings.Contains(r.Does, "the old value"), "%s: %q: the old value", r.Name,
			r.Does)
	}
}

// TestInstructionTellsEffects compares the text about registers and counters with [isa.Inst.Effects] and
// [isa.Inst.Counts], for random forms of every instruction of every generation.
func TestInstructionTellsEffects(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, target := range append(targetOf[:], gcn.GFX810) {
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			if effort.LeavesOut(int(op) + int(target)) {
				continue
			}
			for e := range gcn.Encoding(isa.NumEncodings) {
				plain, err := isa.New(target, op, e)
				if err != nil {
					continue
				}
				tellsEffects(t, Instruction(plain))
				if in, ok := scramble(rng, plain); ok {
					tellsEffects(t, Instruction(in))
				}
			}
		}
	}
}

// scramble sets the fields of in to random values.
func scramble(rng *rand.Rand, in isa.Inst) (isa.Inst, bool) {
	for f := range isa.Field(isa.NumFields) {
		if f == isa.SEG || f == isa.LITERAL || !in.Has(f) {
			continue
		}
		shift, width := isa.FieldBits(in.Target.Gen(), in.Enc, f)
		in.Words = in.Words&^((1<<width-1)<<shift) | rng.Uint64()&(1<<width-1)<<shift
	}
	op := in.Op
	in, err := isa.Decode(in.Target, []uint32{uint32(in.Words), uint32(in.Words >> 32)})
	return in, err == nil && in.Op == op
}

// tellsEffects compares the text of x with the effects and counts of its instruction.
func tellsEffects(t *testing.T, x *Inst) {
	in := x.Inst
	effects := map[string]bool{}   // effects without a name, for example "reads SCC"
	fields := map[string][2]bool{} // named effects: read, written
	for _, e := range in.Effects(nil) {
		switch {
		case e.Named:
			is := fields[e.Field.String()]
			is[b2i(e.Write)] = true
			fields[e.Field.String()] = is
		case e.Role == isa.RoleExec && !e.Write: // EXEC as the mask of lanes
		case in.Row().Imm == isa.HwregImm && e.File == isa.FlagReg: // SIMM16 names it
			id, _, _ := executor.Hwreg(&in)
			require.Equal(t, isa.FlagHwreg+isa.Flag(id), isa.Flag(e.Code), x.Text)
		default:
			effects[[]string{"reads ", "writes "}[b2i(e.Write)]+effectName(in, e)] = true
		}
	}
	told := map[string]bool{}
	counted := ""
	text := x.String()
	require.NotContains(t, text, " \n", x.Text)
	facts, _, ok := strings.Cut(text, "\nencoding")
	require.True(t, ok, x.Text)
	for n, line := range strings.Split(facts, "\n") {
		line = strings.TrimSpace(line)
		switch verb, what, _ := strings.Cut(line, " "); {
		case n < 3: // it must be in the text and in the sentence
		case verb == "reads", verb == "writes":
			what, _, _ = strings.Cut(what, ":")
			what, _, _ = strings.Cut(what, ",")
			told[verb+" "+what] = true
		case verb == "counted":
			counted = strings.TrimPrefix(what, "by ")
		}
	}
	require.Equal(t, effects, told, x.Text)

	var want []string
	c := in.Counts()
	for _, n := range []struct {
		name string
		n    uint8
	}{{"vmcnt", c.VM}, {"expcnt", c.EXP}, {"lgkmcnt", c.LGKM}} {
		switch n.n {
		case 0:
		case 1:
			want = append(want, n.name)
		case 2:
			want = append(want, n.name+" (2)")
		default:
			t.Fatal(x.Text, c)
		}
	}
	require.Equal(t, and(want), counted, x.Text)

	for _, f := range x.Fields {
		if strings.HasPrefix(f.Meaning, "a second word") { // the name is that of a field in the second word
			continue
		}
		is := fields[f.Name]
		switch {
		case in.Enc == isa.EXP: // the sources have consecutive lines of their own
			is = [2]bool{f.Read, false}
			require.Equal(t, strings.HasSuffix(f.Meaning, "not used"),
				!f.Read && (f.Name == "VDATA" || strings.HasPrefix(f.Name, "VSRC")), "%s: %v", x.Text, f)
		case in.Enc == isa.MIMG && f.Name != "VDATA" && f.Name != "TFE": // it can only be read
			require.False(t, is[1], x.Text)
		default:
			require.Equal(t, is[1], strings.HasSuffix(f.Meaning, ", written") ||
				strings.HasSuffix(f.Meaning, ", read and written"), "%s: %v", x.Text, f)
			require.Equal(t, is[0] && is[1], strings.HasSuffix(f.Meaning, "read and written"), "%s: %v", x.Text, f)
		}
		require.Equal(t, is, [2]bool{f.Read, f.Written}, "%s: %v", x.Text, f)
		require.False(t, f.Unused && (f.Read || f.Written), "%s: %v", x.Text, f)
	}
}

// effectName returns the name of an effect's register.
func effectName(in isa.Inst, e isa.Effect) string {
	if e.File == isa.FlagReg {
		return isa.Flag(e.Code).String()
	}
	return strings.ToUpper(asm.FormatOperand(gcn.Inst(in), isa.Operand{File: e.File, Code: e.Code, Dwords: e.Dwords}))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
