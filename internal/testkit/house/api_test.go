package house

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/internal/testkit/gotool"
)

// docs/api.txt lists the exported names of the public packages. Adding a name is a deliberate change: run the test
// with -rewrite and justify the new line.
func TestPublicNames(t *testing.T) {
	var list strings.Builder
	total := 0
	for _, pkg := range publicPackages(t) {
		names := exported(pkg)
		total += len(names)
		fmt.Fprintf(&list, "%s: %d\n", strings.TrimPrefix(pkg.Path(), module), len(names))
		for _, name := range names {
			fmt.Fprintf(&list, "\t%s\n", name)
		}
	}
	fmt.Fprintf(&list, "all: %d\n", total)
	golden.Compare(t, filepath.Join("docs", "api.txt"), []byte(list.String()))
}

// publicPackages returns the type information of the packages that users can import, in order.
func publicPackages(t *testing.T) (list []*types.Package) {
	all := listed(t)
	gc := all.importer(token.NewFileSet())
	for _, p := range all.own {
		if isPublic(p.ImportPath) && p.Name != "main" {
			pkg, err := gc.Import(p.ImportPath)
			require.NoError(t, err, p.ImportPath)
			list = append(list, pkg)
		}
	}
	require.Greater(t, len(list), 15)
	return list
}

// listing is the output of go list for this module.
type listing struct {
	own     []listedPackage   // the packages of this module without tests, by path
	exports map[string]string // export files by package path, including other modules
}

// listedPackage is a package in the output of go list.
type listedPackage struct {
	ImportPath, Name, Dir, Export string
	GoFiles, Imports              []string
	Module                        *struct{ Main bool }
}

// importer returns an importer of the types of packages.
func (l *listing) importer(fset *token.FileSet) types.Importer {
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(l.exports[path]) })
}

// listed executes go list once.
func listed(t *testing.T) *listing {
	l, err := list()
	require.NoError(t, err)
	require.Greater(t, len(l.own), 10)
	return l
}

var list = sync.OnceValues(func() (*listing, error) {
	out, err := gotool.Output("list", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles,Imports,Module",
		"./...")
	l := &listing{exports: map[string]string{}}
	for d := json.NewDecoder(bytes.NewReader(out)); err == nil && d.More(); {
		var p listedPackage
		err = d.Decode(&p)
		l.exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main {
			l.own = append(l.own, p)
		}
	}
	slices.SortFunc(l.own, func(a, b listedPackage) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return l, err
})

// isPublic reports whether path is a package of this module that other modules can import, and not a command or an
// example.
func isPublic(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, module), "/")
	return strings.HasPrefix(path, module) && first != "cmd" && first != "examples" && !isInternal(path)
}

// isInternal reports whether a package is one that other modules cannot import.
func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// exported returns the constants, variables, functions and types that a package exports, and the methods and fields
// of these types. An alias of an internal type has the members of that type.
func exported(pkg *types.Package) (names []string) {
	add := func(kind, name string) { names = append(names, kind+" "+name) }
	for _, name := range pkg.Scope().Names() {
		if !ast.IsExported(name) {
			continue
		}
		switch o := pkg.Scope().Lookup(name).(type) {
		case *types.Const:
			add("const", name)
		case *types.Var:
			add("var", name)
		case *types.Func:
			add("func", name)
		case *types.TypeName:
			add("type", name)
			for member, kind := range members(o) {
				if member.Exported() {
					add(kind, name+"."+member.Name())
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// members yields the methods and fields of a type, each with its kind: "func" or "field".
func members(of *types.TypeName) iter.Seq2[types.Object, string] {
	return func(yield func(types.Object, string) bool) {
		named, ok := types.Unalias(of.Type()).(*types.Named)
		if !ok || named.Obj() != of && !isInternal(named.Obj().Pkg().Path()) {
			return
		}
		for m := range named.Methods() {
			if !yield(m, "func") {
				return
			}
		}
		switch u := named.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				if !f.Embedded() && !yield(f, "field") {
					return
				}
			}
		case *types.Interface:
			for m := range u.ExplicitMethods() {
				if !yield(m, "func") {
					return
				}
			}
		}
	}
}

// publicFiles returns the syntax trees of the public packages' files, by name, without tests.
func publicFiles(t *testing.T) map[string]*ast.File {
	files := make(map[string]*ast.File)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (slices.Contains([]string{"internal", "cmd", "examples", "testdata",
			"node_modules"}, d.Name()) || strings.HasPrefix(d.Name(), ".")):
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

// TestContextsMayBeNil: each exported function with a context first replaces a nil context, or only passes it on to
// another such function.
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
