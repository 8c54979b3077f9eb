package r600

import (
	"encoding/binary"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// llcName finds an llc that compiles for R600.
func llcName(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"llc-22", "llc-19", "llc", "llc-15"} {
		out, err := exec.Command(name, "--version").Output()
		_, version, _ := strings.Cut(string(out), "LLVM version ")
		version, _, _ = strings.Cut(version, ".")
		if major, _ := strconv.Atoi(version); err == nil && major >= 15 && strings.Contains(string(out), "r600") {
			return name
		}
	}
	t.Skip("no llc of LLVM 15 or later with the target r600; apt-get install llvm-19")
	return ""
}

// theirs maps instruction names to LLVM's different names.
var theirs = map[string]string{
	"END_LOOP": "LOOP_END", "EXPORT": "EXPORT_DONE", "PAD": "NOP",
	"TEX_SAMPLE": "SAMPLE",
}

// fieldsOfLLVM are patterns for the operands that llc prints, each with the group field that it matches. A pattern
// does not match if the instruction lacks the operand.
var fieldsOfLLVM = []struct {
	pattern *regexp.Regexp
	fields  []field
}{
	{regexp.MustCompile(`^\S+.* @(\d+)`), []field{fieldAddr}},
	{regexp.MustCompile(`^(?:ALU\w*|TEX|VTX) (\d+),? `), []field{fieldCount}},
	{regexp.MustCompile(` POP:(\d+)`), []field{fieldPopCount}},
	{regexp.MustCompile(`^EXPORT T(\d+)`), []field{fieldRWGPR}},
	{regexp.MustCompile(`^TEX_SAMPLE T(\d+)\.\w+, T(\d+)\.`), []field{fieldDstGPR, fieldSrcGPR}},
	{regexp.MustCompile(` RID:(\d+) SID:(\d+)`), []field{fieldResourceID, fieldSamplerID}},
}

var encoded = regexp.MustCompile(`^\t( {2})?(\S.*?),?\s*; encoding: \[(.+)\]$`)

// Words of control flow and of fetches that llc emits decode to the instruction that llc prints, with the same
// operands. They encode to the same words, and so does the disassembler's text.
func TestWordsOfLLC(t *testing.T) {
	llc := llcName(t)
	for _, c := range []struct {
		file, mcpu string
		names      string // names of all instructions that must occur
	}{
		{"shaders.ll", "rv770", "ALU CALL_FS EXPORT_DONE NOP SAMPLE TEX"},
	} {
		source, err := os.Open("testdata/" + c.file)
		require.NoError(t, err)
		cmd := exec.Command(llc, "-march=r600", "-mcpu="+c.mcpu, "-show-mc-encoding")
		cmd.Stdin, cmd.Stderr = source, os.Stderr
		listing, err := cmd.Output()
		require.NoError(t, source.Close())
		require.NoError(t, err, "%s of %s for %s", llc, c.file, c.mcpu)
		f, err := ParseFamily(c.mcpu)
		require.NoError(t, err)
		seen := map[string]bool{}
		for line := range strings.Lines(string(listing)) {
			m := encoded.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if m == nil || m[1] == "  " && !strings.HasPrefix(m[2], "VTX_") && !strings.HasPrefix(m[2], "TEX_") ||
				m[1] == "" && m[2][0] <= '9' { // an ALU instruction or its literals
				continue
			}
			seen[sameAsLLVM(t, f, m[1] == "  ", m[2], wordsOf(t, m[3]))] = true
		}
		for name := range strings.FieldsSeq(c.names) {
			assert.True(t, seen[name], "%s for %s has no %s", c.file, c.mcpu, name)
			delete(seen, name)
		}
		assert.Empty(t, seen, "%s for %s", c.file, c.mcpu)
	}
}

// wordsOf returns the words for bytes in llc's listing.
func wordsOf(t *testing.T, text string) (words []uint32) {
	t.Helper()
	var b []byte
	for one := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseUint(one, 0, 8)
		require.NoError(t, err, text)
		b = append(b, byte(v))
	}
	for ; len(b) >= 4; b = b[4:] {
		words = append(words, binary.LittleEndian.Uint32(b))
	}
	return words
}

// sameAsLLVM compares an instruction with llc's text of it, and returns its name.
func sameAsLLVM(t *testing.T, f Family, fetch bool, line string, words []uint32) string {
	t.Helper()
	read := decodeInst
	if fetch {
		read = decodeFetch
	}
	in, err := read(f, words)
	require.NoError(t, err, line)
	want, _, _ := strings.Cut(line, " ")
	if name, other := theirs[want]; other {
		want = name
	}
	if want == "CF_END" {
		assert.True(t, in.ends(), line)
		want = "NOP"
	}
	assert.Equal(t, want, in.Name, line)
	assert.Equal(t, words, in.words(), line)
	for _, p := range fieldsOfLLVM {
		operands := p.pattern.FindStringSubmatch(line)
		for i := range max(0, len(operands)-1) {
			v, err := strconv.Atoi(operands[i+1])
			require.NoError(t, err, line)
			assert.Equal(t, uint32(v), in.get(p.fields[i]), "%v: %s: %v", f, line, p.fields[i])
		}
	}
	var notation strings.Builder
	for i, k := range forms[in.class] {
		notation.WriteString(text(f, k, words[i]) + "\n")
	}
	again, _, err := Assemble(f, notation.String())
	require.NoError(t, err, line)
	assert.Equal(t, words, again, line)
	return in.Name
}
