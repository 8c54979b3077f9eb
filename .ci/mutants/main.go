// Mutants changes one operator, constant or statement of a package at a time and prints the changes that its tests do
// not notice. The seed of the sample is the commit, so that nobody chooses it. Changes that do not compile, and those of
// equivalent.tsv, which no test could notice, are replaced by others.
package main

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// judges names the packages whose tests judge those below a folder, beside their own tests, by go test -short.
var judges = map[string][]string{
	"internal/base": {"./alu", "./lds", "./mubuf", "./mtbuf", "./mimg", "./sim"},
	"state":         {"./mubuf", "./sim"},
	"internal/isa":  {"./internal/isa/asm", "./sim"},
}

//go:embed equivalent.tsv
var equivalent string // rows: file, line before, line after, why nothing differs

// others has what an operator becomes: its neighbour or its opposite.
var others = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ,
	token.GEQ: token.GTR, token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.REM: token.MUL, token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.SHL: token.SHR,
	token.SHR: token.SHL, token.LAND: token.LOR, token.LOR: token.LAND, token.INC: token.DEC, token.DEC: token.INC,
}

// change replaces the text between two offsets of a file by a format whose %s is the old text.
type change struct {
	file, text string
	from, to   int
}

// changes returns what can be changed in a file. A generated file has nothing.
func changes(name string) (all []change) {
	fset := token.NewFileSet()
	add := func(from, to token.Pos, text string) {
		all = append(all, change{name, text, fset.Position(from).Offset, fset.Position(to).Offset})
	}
	operator := func(at token.Pos, op token.Token) {
		if other, ok := others[op]; ok {
			add(at, at+token.Pos(len(op.String())), other.String())
		}
	}
	ast.Inspect(must(parser.ParseFile(fset, name, nil, parser.ParseComments)), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			return !ast.IsGenerated(n)
		case *ast.BinaryExpr:
			operator(n.OpPos, n.Op)
		case *ast.IncDecStmt:
			operator(n.TokPos, n.Tok)
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "!(%s)")
		case *ast.BasicLit:
			if v, err := strconv.ParseUint(n.Value, 0, 63); err == nil {
				add(n.Pos(), n.End(), fmt.Sprint(v+1))
			}
		case *ast.AssignStmt, *ast.ExprStmt:
			if a, ok := n.(*ast.AssignStmt); !ok || a.Tok != token.DEFINE {
				add(n.Pos(), n.End(), "")
			}
		}
		return true
	})
	return all
}

// apply returns the text of the file with the change, and the changed line before and after.
func (c *change) apply() (text string, line int, before, after string) {
	old := string(must(os.ReadFile(c.file)))
	start := strings.LastIndexByte(old[:c.from], '\n') + 1
	end := c.to + strings.IndexByte(old[c.to:]+"\n", '\n')
	now := old[start:c.from] + strings.ReplaceAll(c.text, "%s", old[c.from:c.to]) + old[c.to:end]
	return old[:start] + now + old[end:], 1 + strings.Count(old[:start], "\n"),
		strings.Join(strings.Fields(old[start:end]), " "), strings.Join(strings.Fields(now), " ")
}

func main() {
	n := flag.Int("n", 20, "how many changes of each package are tried")
	seed := flag.String("seed", string(must(exec.Command("git", "rev-parse", "HEAD").Output())), "seed of the sample")
	flag.Parse()
	for _, pkg := range flag.Args() {
		sample(pkg, *seed, *n)
	}
}

// sample tries n changes of a package and prints those that its tests do not notice.
func sample(pkg, seed string, n int) {
	var all []change
	for file := range strings.FieldsSeq(string(must(exec.Command("go", "list", "-f", "{{.GoFiles}}", "./"+pkg).Output()))) {
		all = append(all, changes(filepath.Join(pkg, strings.Trim(file, "[]")))...)
	}
	swap := func(i, j int) { all[i], all[j] = all[j], all[i] }
	rand.New(rand.NewChaCha8(sha256.Sum256([]byte(seed+pkg)))).Shuffle(len(all), swap)
	dir := must(os.MkdirTemp("", "mutants"))
	defer os.RemoveAll(dir)
	mutant, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	args := []string{"test", "-short", "-vet=off", "-timeout=2m", "-overlay=" + overlay, "./" + pkg}
	for folder, more := range judges {
		if strings.HasPrefix(pkg+"/", folder+"/") {
			args = append(args, more...)
		}
	}
	noticed, tried := 0, -1 // the first try changes nothing
	for i := 0; i < len(all) && tried < n; i++ {
		text, line, before, after := all[i].apply()
		if tried < 0 {
			text = string(must(os.ReadFile(all[i].file)))
		} else if strings.Contains("\n"+equivalent, "\n"+all[i].file+"\t"+before+"\t"+after+"\t") {
			continue
		}
		list := fmt.Appendf(nil, `{"Replace": {%q: %q}}`, all[i].file, mutant)
		must(0, errors.Join(os.WriteFile(mutant, []byte(text), 0o600), os.WriteFile(overlay, list, 0o600)))
		said, failed := exec.Command("go", args...).CombinedOutput()
		switch {
		case tried < 0 && failed != nil:
			log.Fatalf("mutants: the tests fail without a change: %s", said)
		case strings.Contains(string(said), "[build failed]"):
			continue
		case failed != nil:
			noticed++
		case tried >= 0:
			fmt.Printf("survived: %s:%d: %s -> %s\n", all[i].file, line, before, after)
		}
		tried++
	}
	fmt.Printf("%s: %d of %d noticed\n", pkg, noticed, tried)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal("mutants: ", err)
	}
	return v
}
