package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/packet/aql"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/mnemonic"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// unknown has, for each enumeration with a String method, a value that is not one of its constants.
var unknown = []fmt.Stringer{
	gcn.Gen(255), gcn.Target(255), gcn.Encoding(255), isa.Field(255), gcn.ImageType(255), gcn.Clamp(99), gcn.Sel(255),
	isa.AtomicOp(255), gcn.Fidelity(255), isa.Type(255),
	gcn.Op(65000), isa.Flag(65000), asm.Syntax(255), chip.MemoryKind(255), executor.BufferChoice(255), r600.Family(255),
	pm4.Field(255), pm4.Ring(255), aql.Type(255),
	state.Space(255), state.FaultKind(255), state.Rules(255), sim.Class(255), check.Severity(255), timing.Stall(255),
	mnemonic.Unlike(255), codeobj.ArgKind(255), compare.Verdict(255), spec.Element(255),
}

// otherwise has the texts of unknown values that differ from the usual form.
var otherwise = map[string]string{"isa.Sel": "?", "codeobj.ArgKind": "unknown", "isa.Flag": "",
	"pm4.Ring": "compute", "aql.Type": "type 255"}

// TestStringsOfUnknownValues: the text of a value that is not a constant does not cause a panic, and is not the text
// of another value. The test covers all enumerations.
func TestStringsOfUnknownValues(t *testing.T) {
	listed, inGCN := map[string]bool{}, map[string]bool{} // keys such as "isa.Gen"
	for _, pkg := range publicPackages(t) {
		for _, name := range pkg.Scope().Names() {
			inGCN["isa."+name] = inGCN["isa."+name] || pkg.Name() == "gcn"
		}
	}
	for _, v := range unknown {
		name := fmt.Sprintf("%T", v)
		listed[name] = true
		want, ok := otherwise[name]
		if !ok {
			want = fmt.Sprintf("%s(%d)", name, v)
			if inGCN[name] {
				want = strings.Replace(want, "isa.", "gcn.", 1)
			}
		}
		assert.NotPanics(t, func() {
			if got := v.String(); want != "" {
				assert.Equal(t, want, got)
			}
		}, name)
	}
	for name := range enumerations(t) {
		assert.True(t, listed[name], "%s has a String method: list a value that is none", name)
	}
}

// enumerations returns the exported integer types with a String method, by package.
func enumerations(t *testing.T) map[string]bool {
	t.Helper()
	integers, named := map[string]bool{}, map[string]bool{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "examples"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.GenDecl:
				for _, s := range decl.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
						if id, ok := s.Type.(*ast.Ident); ok && strings.Contains(id.Name, "int") {
							integers[f.Name.Name+"."+s.Name.Name] = true
						}
					}
				}
			case *ast.FuncDecl:
				if decl.Name.Name == "String" && decl.Recv != nil {
					if id, ok := decl.Recv.List[0].Type.(*ast.Ident); ok {
						named[f.Name.Name+"."+id.Name] = true
					}
				}
			}
		}
		return nil
	}))
	for name := range named {
		if !integers[name] {
			delete(named, name)
		}
	}
	require.Greater(t, len(named), 15)
	return named
}
