package r600

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// read returns the text and the words of a copy shader.
func read(t testing.TB, f Family, name string) (text string, words []uint32) {
	t.Helper()
	text = map[string]string{"vs": CopyVS, "ps": CopyPS}[name]
	if f == R700 { // R700 does not have this field
		text = strings.ReplaceAll(text, "R6xx_ELEM_LOOP(0), ", "")
	}
	words, _, err := Assemble(f, text)
	require.NoError(t, err)
	return text, words
}

// The words of the copy shaders equal words that were assembled by hand from the manual's bit positions.
func TestCopyShaders(t *testing.T) {
	vs := []uint32{
		4, 1<<10 | 2<<23 | 1<<31,
		60 | 1<<13 | 1<<15, 0<<0 | 1<<3 | 2<<6 | 3<<9 | 0x28<<23 | 1<<31,
		2 << 13, 0<<0 | 1<<3 | 2<<6 | 3<<9 | 1<<21 | 0x28<<23,
		0, 0,
		15 << 26, 1 | 0<<9 | 1<<12 | 4<<15 | 5<<18 | 30<<22 | 2<<28 | 1<<30, 1 << 19, 0,
		7 << 26, 0 | 0<<9 | 1<<12 | 4<<15 | 5<<18 | 30<<22 | 2<<28 | 1<<30, 8, 0,
	}
	ps := []uint32{
		2, 1<<23 | 1<<31,
		0, 0<<0 | 1<<3 | 2<<6 | 3<<9 | 1<<21 | 0x28<<23 | 1<<31,
		0x10, 0<<9 | 1<<12 | 2<<15 | 3<<18, 0<<20 | 1<<23 | 4<<26 | 5<<29, 0,
	}
	for name, want := range map[string][]uint32{"vs": vs, "ps": ps} {
		text, words := read(t, R600, name)
		assert.Equal(t, want, words, name)
		assert.Equal(t, text, Disassemble(R600, words), name)
	}
}

// llc's words for the same shader disassemble to the text that llc prints.
func TestWordsOfLLVM(t *testing.T) {
	type fields = map[field]uint32
	swizzle := fields{fieldSrcSelX: 0, fieldSrcSelY: 1, fieldSrcSelZ: 2, fieldSrcSelW: 3, fieldElemSize: 3}
	for _, c := range []struct {
		family Family
		text   string
		words  []uint32
		class  class
		name   string
		fields fields
	}{
		{R700, "TEX 0 @4", []uint32{0x00000004, 0x80800000}, classFetch, "TEX", fields{fieldAddr: 4, fieldCount: 0, fieldBarrier: 1}},
		{R700, "EXPORT T0.XYZW", []uint32{0xc0000000, 0x94200688}, classExport, "EXPORT_DONE", fields{fieldEndOfProgram: 1, fieldBarrier: 1, fieldExportType: 0}},
		{R700, "EXPORT T0.XYZW", []uint32{0xc000203c, 0x94000688}, classExport, "EXPORT_DONE", fields{fieldArrayBase: 60, fieldExportType: 1, fieldBarrier: 1}},
		{R700, "EXPORT T0.XYZW", []uint32{0xc0004000, 0x94200688}, classExport, "EXPORT_DONE", fields{fieldExportType: 2, fieldEndOfProgram: 1}},
		{R700, "CALL_FS", []uint32{0x00000000, 0x89800000}, classFlow, "CALL_FS", fields{fieldBarrier: 1}},
		{R700, "CF_END", []uint32{0x00000000, 0x80200000}, classFlow, "NOP", fields{fieldEndOfProgram: 1, fieldBarrier: 1}},
		{R700, "TEX_SAMPLE T0.XYZW, T0.XY01 RID:0 SID:0 CT:UUUU", []uint32{0x00000010, 0x000d1000, 0xb0800000, 0},
			classTexture, "SAMPLE", fields{
				fieldSrcSelX: 0, fieldSrcSelY: 1, fieldSrcSelZ: 4, fieldSrcSelW: 5, fieldCoordTypeX: 0, fieldDstSelZ: 2}},
	} {
		in, err := decodeInst(c.family, c.words)
		if len(c.words) == 4 {
			in, err = decodeFetch(c.family, c.words)
		}
		require.NoError(t, err, c.text)
		assert.Equal(t, c.class, in.class, c.text)
		assert.Equal(t, c.name, in.Name, c.text)
		assert.Equal(t, c.words, in.words(), c.text)
		for f, want := range c.fields {
			assert.Equal(t, want, in.get(f), "%s: %v", c.text, f)
		}
		if c.class == classExport {
			for f, want := range swizzle {
				assert.Equal(t, want, in.get(f), "%s: %v", c.text, f)
			}
		}
	}
}

// The fields of every word do not overlap, and every instruction code fits its field.
func TestLayouts(t *testing.T) {
	for f := range Family(families) {
		for k := range word(numWords) {
			var taken uint32
			for _, s := range k.spans(f) {
				bits := s.mask() << s.at
				assert.Zero(t, taken&bits, "%v %s: %v overlaps", f, macros[k], s.field)
				taken |= bits
			}
		}
		for _, ops := range [][]op{cfOps, aluOps, vtxOps, texOps} {
			for _, o := range ops {
				if code := o.codes[f]; code != none {
					assert.Same(t, find(ops, f, uint32(code)), find(ops, f, uint32(code)), o.name)
					assert.Equal(t, o.name, find(ops, f, uint32(code)).name, "%v has two of code 0x%x", f, code)
				}
			}
		}
	}
}

// The fourth bit of I_COUNT is elsewhere on R700.
func TestCountOfR700(t *testing.T) {
	words, _, err := Assemble(R700, "CF_DWORD0(ADDR(4)) CF_DWORD1(I_COUNT(16), CF_INST(SQ_CF_INST_VTX))")
	require.NoError(t, err)
	assert.Equal(t, []uint32{4, 7<<10 | 1<<19 | 2<<23}, words)
	in, err := decodeInst(R700, words)
	require.NoError(t, err)
	assert.Equal(t, uint32(15), in.get(fieldCount))
}

func TestNotationOfTheDriver(t *testing.T) {
	words, lines, err := Assemble(R600, "/* 0 */\n  shader[i++] = CF_DWORD0(ADDR(4));\n  shader[i++] = 0x00000000; "+
		"// pad\n")
	require.NoError(t, err)
	assert.Equal(t, []uint32{4, 0}, words)
	assert.Equal(t, []int{2, 3}, lines)
}

// A function of the driver's source can be pasted from a web page: with its head and end, no-break spaces, and code
// for other hosts.
func TestPastedFunctions(t *testing.T) {
	for _, plain := range []string{CopyVS, CopyPS} {
		pasted := strings.ReplaceAll(strings.ReplaceAll(plain, "), ", "),\u00a0 "), "ENDIAN_SWAP(SQ_ENDIAN_NONE),", `
  #if X_BYTE_ORDER == X_BIG_ENDIAN
                ENDIAN_SWAP(SQ_ENDIAN_8IN32),
  #else
                ENDIAN_SWAP(SQ_ENDIAN_NONE),
  #endif
`)
		pasted = "int R600_copy(RADEONChipFamily ChipSet, uint32_t* shader)\n{\n  int i = 0;\n" + pasted +
			"\n  return i;\n}\n"
		want, _, err := Assemble(R600, plain)
		require.NoError(t, err)
		got, _, err := Assemble(R600, pasted)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// A web page's listing, with comments and no-break spaces, assembles to the words of the two copy shaders, on each
// family.
func TestListingOfAPage(t *testing.T) {
	page, err := os.ReadFile("testdata/page.txt")
	require.NoError(t, err)
	require.Contains(t, string(page), "\u00a0")
	for f := range Family(families) {
		all, err := Functions(f, string(page))
		require.NoError(t, err, f)
		require.Len(t, all, 2)
		for i, name := range []string{"vs", "ps"} {
			_, want := read(t, f, name)
			assert.Equal(t, "R600_copy_"+name, all[i].Name)
			assert.Equal(t, want, all[i].Words, "%v: %s", f, name)
			assert.Len(t, all[i].Lines, len(want))
			p, err := Load(f, all[i].Words)
			require.NoError(t, err)
			assert.Equal(t, name == "ps", p.DrawsPixels())
		}
	}
}

func TestTextErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"CF_DWORD2(ADDR(4))", `1:1: "CF_DWORD2" is no word, did you mean CF_DWORD0`},
		{"\u00a0指令 CF_DWORD0(ADDR(4))", `1:3: "指" is no word; write a macro`},
		{"CF_DWORD0(ADR(4))", `1:11: CF_DWORD0 of r600 has no field "ADR", did you mean ADDR`},
		{"CF_DWORD1(I_COUNT(9))", "1:19: I_COUNT(9) is too large: at most 8"},
		{"CF_DWORD1(CF_INST(SQ_CF_INST_VXT))", `1:19: "SQ_CF_INST_VXT" is no value of CF_INST, did you mean SQ_CF_INST_VTX`},
		{"\nCF_DWORD0(ADDR(4), ADDR(5))", "2:20: ADDR is given twice"},
		{"CF_DWORD0(ADDR(4)", `1:18: the text ends where ")" is missing`},
		{"CF_DWORD0 4", `1:11: "4" is not what belongs here; write "("`},
		{"/* 0", "1:1: a comment does not end"},
		{"CF_ALU_DWORD0(R7xx_ALT_CONST(0))", `1:15: CF_ALU_DWORD0 of r600 has no field "R7xx_ALT_CONST"`},
		{"CF_ALU_DWORD1(R7xx_ALT_CONST(1))", "1:30: r600 has no R7xx_ALT_CONST; leave it out or write R7xx_ALT_CONST(0)"},
		{"CF_ALU_DWORD1(R7xx_ALT_CONST(NO))", "1:30: r600 has no R7xx_ALT_CONST; leave it out"},
		{"CF_ALU_DWORD1(R7xx_ALT_CONST(0), R7xx_ALT_CONST(0))", "1:34: R7xx_ALT_CONST is given twice"},
		{"CF_DWORD1(CF_INST(SQ_CF_INST_WAIT_ACK))", `"SQ_CF_INST_WAIT_ACK" is no value of CF_INST`}, // R700 has it
	} {
		_, _, err := Assemble(R600, c.text)
		var text *Error
		require.ErrorAs(t, err, &text, c.text)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		words []uint32
		want  string
	}{
		{[]uint32{0}, "two words"},
		{[]uint32{0, 0x1a << 23}, "word 1, 0x0d000000, of an instruction of r600: CF_INST 26 is no instruction"},
		{[]uint32{0, 1 << 19}, "the bits 0x80000 are no field of CF_DWORD1"},
	} {
		_, err := decodeInst(R600, c.words)
		var wrong *Error
		require.ErrorAs(t, err, &wrong)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := decodeFetch(R600, []uint32{2, 0, 0, 0})
	assert.ErrorContains(t, err, "TEX_INST 2 is no instruction")
}

func TestParseFamily(t *testing.T) {
	for name, want := range map[string]Family{"r600": R600, "rv610": R600, "rv770": R700, "RV740": R700} {
		f, err := ParseFamily(name)
		require.NoError(t, err)
		assert.Equal(t, want, f, name)
	}
	_, err := ParseFamily("rv77")
	assert.EqualError(t, err, `unknown chip "rv77"; did you mean rv770?`)
	_, err = ParseFamily("redwood") // Evergreen
	assert.EqualError(t, err, `unknown chip "redwood"; give one of R600 or R700, as in rv770`)
}

// comeBack checks that decoded words encode to the same words, and that their text assembles to the same words.
func comeBack(t *testing.T, fam Family, words []uint32) {
	for i := range words {
		if in, err := decodeInst(fam, words[i:]); err == nil {
			assert.Equal(t, words[i:i+2], in.words())
		}
		if in, err := decodeFetch(fam, words[i:]); err == nil {
			assert.Equal(t, words[i:i+4], in.words())
		}
	}
	again, lines, err := Assemble(fam, Disassemble(fam, words))
	require.NoError(t, err)
	assert.True(t, slices.Equal(words, again))
	assert.Len(t, lines, len(words))
}

// FuzzText: any text either assembles to words that can be disassembled, or fails with an *Error, on every family.
func FuzzText(f *testing.F) {
	text, _ := read(f, R600, "ps")
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		for fam := range Family(families) {
			if words, _, err := Assemble(fam, text); err == nil {
				_ = Disassemble(fam, words)
			} else {
				var wrong *Error
				assert.ErrorAs(t, err, &wrong)
			}
		}
	})
}

// words encodes the instruction to 2 or 4 words.
func (in *Inst) words() []uint32 {
	form := forms[in.class]
	words := make([]uint32, len(form))
	for i, w := range form {
		for _, s := range w.spans(in.Family) {
			words[i] |= in.values[s.field] >> s.from & s.mask() << s.at
		}
	}
	return words
}
