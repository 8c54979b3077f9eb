package gcnsim_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/golden"
)

// docs/api.txt lists what the public packages export, so that a change of it is a
// decision: whoever adds a name writes the list anew with -rewrite and answers for the line.
func TestPublicNames(t *testing.T) {
	names := make(map[string][]string)
	for path, file := range publicFiles(t) {
		pkg := filepath.ToSlash(filepath.Dir(path))
		names[pkg] = append(names[pkg], exported(file)...)
	}
	require.Greater(t, len(names), 15)
	var list strings.Builder
	total := 0
	for _, pkg := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[pkg])
		total += len(names[pkg])
		fmt.Fprintf(&list, "%s: %d\n", pkg, len(names[pkg]))
		for _, name := range names[pkg] {
			fmt.Fprintf(&list, "\t%s\n", name)
		}
	}
	fmt.Fprintf(&list, "all: %d\n", total)
	golden.Compare(t, filepath.Join("docs", "api.txt"), []byte(list.String()))
}

// publicFiles returns the files of the public packages by their names, without tests.
func publicFiles(t *testing.T) map[string]*ast.File {
	files := make(map[string]*ast.File)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (slices.Contains([]string{"internal", "cmd", "examples", "testdata", "node_modules"}, d.Name()) || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files[path] = file
		return nil
	})
	require.NoError(t, err)
	return files
}

// TestContextsMayBeNil: each exported function that takes a context begins with what a nil one
// is, or hands it to another one that does.
func TestContextsMayBeNil(t *testing.T) {
	hands := []string{"sim.Machine.Run", "sim.Machine.RunAsm"}
	takes := 0
	for path, file := range publicFiles(t) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || len(f.Type.Params.List) == 0 {
				continue
			}
			first := f.Type.Params.List[0].Type
			if s, ok := first.(*ast.SelectorExpr); !ok || s.Sel.Name != "Context" {
				continue
			}
			takes++
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			body := text[f.Body.Pos()-file.FileStart : f.Body.End()-file.FileStart]
			name := f.Name.Name
			if f.Recv != nil {
				name = receiver(f.Recv.List[0].Type) + "." + name
			}
			name = filepath.ToSlash(filepath.Dir(path)) + "." + name
			if !slices.Contains(hands, name) {
				assert.Contains(t, string(body), "contexts.Given(ctx)", name)
			}
		}
	}
	require.Greater(t, takes, 10)
}

// exported returns the functions, types and methods that a file exports. Constants,
// variables and fields apart.
func exported(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil {
				of := receiver(decl.Recv.List[0].Type)
				if !ast.IsExported(of) {
					continue
				}
				name = of + "." + name
			}
			if decl.Name.IsExported() {
				names = append(names, "func "+name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.IsExported() {
					names = append(names, "type "+spec.Name.Name)
				}
			}
		}
	}
	return names
}

// receiver returns the name of the type of a method.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
