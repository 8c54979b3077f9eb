package asm

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// targets has a processor of each generation for tests.
var targets = [gcn.NumGens]gcn.Target{gcn.GFX600, gcn.GFX704, gcn.GFX803, gcn.GFX900, gcn.GFX906}

// genNames has the names of generations in file names of testdata.
var genNames = [gcn.NumGens]string{"gfx6", "gfx7", "gfx8", "gfx900", "gfx906"}

func hexWords(words []uint32) string {
	var all []string
	for _, w := range words {
		all = append(all, fmt.Sprintf("%08x", w))
	}
	return strings.Join(all, " ")
}

func parseHex(t testing.TB, text string) []uint32 {
	t.Helper()
	var words []uint32
	for f := range strings.FieldsSeq(text) {
		w, err := strconv.ParseUint(f, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, uint32(w))
	}
	return words
}

func encoded(in isa.Inst) string {
	words, n := in.Encode()
	return hexWords(words[:n])
}

// readTable returns the tab-separated fields of the lines of a file. It skips comments.
func readTable(t testing.TB, path string) [][]string {
	t.Helper()
	rows := tableRows(path)
	if len(rows) == 0 {
		t.Fatalf("%s cannot be read", path)
	}
	return rows
}

// tableRows is readTable for callers without a test. It returns nil if the file cannot be read.
func tableRows(path string) (rows [][]string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}

// genOf returns the generation in the name of a file such as testdata/llvm/gfx8_DS.txt.
func genOf(t testing.TB, path string) gcn.Gen {
	t.Helper()
	name, _, _ := strings.Cut(filepath.Base(path), "_")
	for g := range genNames {
		if genNames[g] == name {
			return gcn.Gen(g)
		}
	}
	t.Fatalf("%s is of no generation", path)
	return 0
}

// TestVectors checks text against words in both directions, for at least one encoding of each row of each
// generation.
func TestVectors(t *testing.T) {
	for _, s := range []Syntax{LLVM, CLRX} {
		files, err := filepath.Glob("testdata/" + s.String() + "/*.txt")
		if err != nil || len(files) == 0 {
			t.Fatal("no vectors", err)
		}
		for _, file := range files {
			t.Run(s.String()+"/"+filepath.Base(file), func(t *testing.T) {
				g := genOf(t, file)
				alt := strings.HasSuffix(file, "_alt.txt") // other spellings, which are only parsed
				for _, row := range readTable(t, file) {
					in, err := isa.Decode(g.Target(), parseHex(t, row[0]))
					if err != nil {
						t.Errorf("%s: %v", row[1], err)
						continue
					}
					if got := Format(gcn.Inst(in), s); got != row[1] && !alt {
						t.Errorf("%s prints\n\t%s, want\n\t%s", row[0], got, row[1])
					}
					back, err := ParseInst(targets[g], row[1], s)
					if err != nil {
						t.Errorf("%s: %v", row[1], err)
					} else if got := encoded(back); got != row[0] {
						t.Errorf("%s assembles to %s, want %s", row[1], got, row[0])
					}
				}
			})
		}
	}
}

// TestModifiers checks snippets with modifiers and forms of operands. On each generation they must assemble to the
// words of the table, or must be refused.
func TestModifiers(t *testing.T) {
	for _, s := range []Syntax{LLVM, CLRX} {
		for _, row := range readTable(t, "testdata/modifiers_"+s.String()+".tsv") {
			for g, want := range row[1:] {
				p, err := Assemble(targets[g], row[0], s)
				switch {
				case want == "ERR" && err == nil:
					t.Errorf("%v %v: %q assembles to %s, must be refused", s, genNames[g], row[0], hexWords(p.Words))
				case want != "ERR" && err != nil:
					t.Errorf("%v %v: %q: %v", s, genNames[g], row[0], err)
				case want != "ERR" && hexWords(p.Words) != want:
					t.Errorf("%v %v: %q assembles to %s, want %s", s, genNames[g], row[0], hexWords(p.Words), want)
				}
			}
		}
	}
}
