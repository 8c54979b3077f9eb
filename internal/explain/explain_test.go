package explain

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

// targetOf has a target for each generation.
var targetOf = [gcn.NumGens]gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906}

// explained returns the explanation of words as text.
func explained(t *testing.T, kind string, g gcn.Gen, words ...uint32) string {
	t.Helper()
	x, err := Words(kind, targetOf[g], words)
	require.NoError(t, err)
	return x.String()
}

// assembled explains an instruction given as text.
func assembled(t *testing.T, target gcn.Target, text string) *Inst {
	t.Helper()
	p, err := asm.Assemble(target, text, asm.LLVM)
	require.NoError(t, err, text)
	in, err := isa.Decode(target, p.Words)
	require.NoError(t, err, text)
	return Instruction(in)
}

// TestTexts compares explanations with testdata/texts.txt. A line that begins with ## has a target and the text of an
// instruction, or a kind and words, and a comment. For a descriptor with notes the file has only the notes.
func TestTexts(t *testing.T) {
	const file = "testdata/texts.txt"
	all, err := os.ReadFile(file)
	require.NoError(t, err)
	var got strings.Builder
	for line := range strings.Lines(string(all)) {
		head, ok := strings.CutPrefix(line, "## ")
		if !ok {
			continue
		}
		head, _, _ = strings.Cut(strings.TrimSpace(head), " ; ")
		name, what, _ := strings.Cut(head, " ")
		target, err := gcn.ParseTarget(name)
		require.NoError(t, err, line)
		var text string
		if kind, list, _ := strings.Cut(what, " "); kind == "inst" || strings.HasSuffix(kind, "sharp") {
			var words []uint32
			for word := range strings.FieldsSeq(list) {
				w, err := strconv.ParseUint(word, 16, 32)
				require.NoError(t, err, line)
				words = append(words, uint32(w))
			}
			x, err := Words(kind, target, words)
			require.NoError(t, err, line)
			text = x.String()
			if _, notes, ok := strings.Cut(text, "\nnote: "); ok && kind != "inst" {
				text = "note: " + notes
			}
		} else {
			text = assembled(t, target, what).String()
		}
		got.WriteString(line + strings.TrimSpace(text) + "\n\n")
	}
	golden.Compare(t, file, []byte(got.String()))
}

// Every field of every instruction has a meaning, or is ignored by the instruction.
func TestExplainKnowsEveryField(t *testing.T) {
	register := map[isa.Field]bool{}
	for _, f := range []isa.Field{isa.SDST, isa.SSRC0, isa.SSRC1, isa.SBASE, isa.SOFFSET, isa.VDST, isa.SRC0, isa.SRC1,
		isa.SRC2, isa.VSRC1,
		isa.ADDR, isa.DATA0, isa.DATA1, isa.VDATA, isa.SRSRC, isa.SSAMP, isa.SADDR} {
		register[f] = true
	}
	for f := range isa.Field(isa.NumFields) {
		_, isSwitch := switches[f]
		assert.True(t, register[f] || isSwitch || values[f] != nil, "%v", f)
	}
}

func TestExplainTakesEveryVSharp(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		g := gcn.Gen(rng.IntN(gcn.NumGens))
		got := explained(t, "vsharp", g, rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32())
		assert.Contains(t, got, "s_buffer_load  both")
	}
}

func TestExplainRefusals(t *testing.T) {
	for _, c := range []struct {
		kind   string
		target gcn.Target
		words  []uint32
		want   error
	}{
		{"tsharp", gcn.GFX803, []uint32{1, 2, 3, 4, 5}, &WordCountError{5, 8, "a T#"}},
		{"tsharp", gcn.GFX900, []uint32{1, 2, 3, 4}, &WordCountError{4, 8, "a T#"}}, // GCN 1.4 has no R128
		{"ssharp", gcn.GFX803, []uint32{1}, &WordCountError{1, 4, "an S#"}},
		{"vsharp", gcn.GFX803, nil, &WordCountError{0, 4, "a V#"}},
		{"inst", gcn.GFX803, []uint32{0xbf810000, 0}, &WordCountError{2, 1, "s_endpgm"}},
	} {
		_, err := Words(c.kind, c.target, c.words)
		assert.Equal(t, c.want, err)
	}
	for _, words := range [][]uint32{{0xffffffff}, nil} {
		_, err := Words("inst", gcn.GFX803, words)
		var decode *gcn.Error
		assert.ErrorAs(t, err, &decode)
	}
	assert.PanicsWithValue(t, "explain: unknown kind shader", func() { _, _ = Words("shader", gcn.GFX803, nil) })
}

// FuzzExplain: every instruction that decodes and all words of a descriptor have a text, whose effects are correct.
func FuzzExplain(f *testing.F) {
	f.Add(uint8(0), uint32(0xe0501000), uint32(0x80000100))
	f.Add(uint8(3), uint32(0x020206fa), uint32(0xff010102))
	f.Fuzz(func(t *testing.T, number uint8, w0, w1 uint32) {
		target := gcn.Target(number % gcn.NumTargets)
		if in, err := isa.Decode(target, []uint32{w0, w1}); err == nil {
			x := Instruction(in)
			require.NotEmpty(t, x.String())
			tellsEffects(t, x)
		}
		require.NotEmpty(t, VSharp(target.Gen(), gcn.VSharp{w0, w1, w1, w0}).String())
		require.NotEmpty(t, TSharp(target, gcn.TSharp{w0, w1, w1, w0, w0, w1, w0, w1}, false).String())
		require.NotEmpty(t, SSharp(target.Gen(), gcn.SSharp{w0, w1, w1, w0}).String())
	})
}
