package house

import (
	"fmt"
	"go/ast"
	exact "go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// sparse are tables that are indexed by an enumeration and lack some of its values, with the meaning of the zero
// value in them. The keys are variables, functions with a table, and types.
var sparse = map[string]string{
	"isa.names":            "the encoding has no such field",
	"isa.encodings":        "the encoding is what it was before, or there is none",
	"isa.second":           "no encoding of that has a second word",
	"isa.promoted":         "asked only of encodings with a VOP3 form",
	"isa.imageLayout":      "the generation has no such field",
	"isa.samplerLayout":    "the generation has no such field",
	"executor.bufferRules": "nothing of what later generations change",
	"asm.unusedFields":     "no field of that is unused",
	"asm.immKinds":         "asked only of scalar rows",
	"asm.modifierOrder":    "the encoding has no modifiers",
	"asm.wordsCLRX":        "begins with its own word",
	"r600.zero":            "any value is modelled",
	"check.orders":         "no order",
	"check.results":        "proves nothing",
	"explain.purposes":     "the type of the operand says enough",
	"timing.kinds":         "takes time, and nothing else",
	"explain.places":       "no instruction of that reaches memory",
	"alu.classOps":         "there is no v_cmp_class of that type",
	"block.binary2":        "no instruction of two vectors",
	"block.unary":          "no instruction of one vector",
	"block.byCount":        "no shift by a constant",
	"block.commutes":       "the order of operands matters, or there are not two",
	"block.isNeutral":      "0 on the right gives something else than the left operand",
	"block.constantOf":     "what constants give is not computed",
	"block.shiftBy":        "no shift by a vector",
}

// TestTablesOfEnumerationsAreComplete: a table that is indexed by an enumeration has an entry for each value, which
// enum.Full checks when the program starts.
func TestTablesOfEnumerationsAreComplete(t *testing.T) {
	effort.Long(t)
	tables, used := 0, map[string]bool{}
	for _, p := range checkedPackages(t) {
		p.findFull()
		tables += len(p.full)
		for _, file := range p.files {
			p.inspect(file, func(table string, pos token.Pos, what string) {
				if _, ok := sparse[table]; ok {
					used[table] = true
					return
				}
				t.Errorf("%s: %s %s", p.at(pos), table, what)
			})
		}
	}
	require.Greater(t, tables, 50)
	for name := range sparse {
		assert.True(t, used[name], "%s lacks no value: strike it from the list", name)
	}
}

// checked is a package with its types.
type checked struct {
	root  string
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
	full  map[types.Object][]exact.Value // tables that are arguments of enum.Full, with the exempt values
}

// checkedPackages returns the packages of this module without tests and examples.
func checkedPackages(t *testing.T) (all []*checked) {
	t.Helper()
	l := listed(t)
	root, err := os.Getwd()
	require.NoError(t, err)
	fset := token.NewFileSet()
	imports := l.importer(fset)
	for _, p := range l.own {
		if strings.HasPrefix(p.ImportPath, module+"examples/") {
			continue
		}
		c := &checked{root: root, fset: fset, info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			c.files = append(c.files, file)
		}
		conf := types.Config{Importer: imports}
		c.pkg, err = conf.Check(p.ImportPath, fset, c.files, c.info)
		require.NoError(t, err)
		all = append(all, c)
	}
	return all
}

func (c *checked) at(pos token.Pos) string {
	p := c.fset.Position(pos)
	if rel, err := filepath.Rel(c.root, p.Filename); err == nil {
		p.Filename = rel
	}
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// object returns the package's variable that e names, or nil.
func (c *checked) object(e ast.Expr) types.Object {
	if s, ok := e.(*ast.SliceExpr); ok {
		e = s.X
	}
	if id, ok := e.(*ast.Ident); ok {
		if v, ok := c.info.Uses[id].(*types.Var); ok && v.Parent() == c.pkg.Scope() {
			return v
		}
	}
	return nil
}

// enumCall returns the arguments if n is a call of the function name in internal/tool/enum.
func (c *checked) enumCall(n ast.Node, name string) []ast.Expr {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	fun := call.Fun
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	if s, ok := fun.(*ast.SelectorExpr); ok && s.Sel.Name == name {
		if f := c.info.Uses[s.Sel]; f != nil && f.Pkg() != nil && f.Pkg().Path() == module+"internal/tool/enum" {
			return call.Args
		}
	}
	return nil
}

func (c *checked) findFull() {
	c.full = map[types.Object][]exact.Value{}
	for _, file := range c.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if args := c.enumCall(n, "Full"); args != nil {
				var zero []exact.Value
				for _, arg := range args[1:] {
					zero = append(zero, c.info.Types[arg].Value)
				}
				c.full[c.object(args[0])] = zero
			}
			return true
		})
	}
}

// inspect reports the incomplete tables of a file.
func (c *checked) inspect(file *ast.File, report func(table string, pos token.Pos, what string)) {
	literals := map[types.Object]*ast.CompositeLit{} // by package-level variable
	commaOK := map[*ast.IndexExpr]bool{}
	for _, decl := range file.Decls {
		name := c.pkg.Name() + "."
		if f, ok := decl.(*ast.FuncDecl); ok {
			c.literals(f, name+f.Name.Name, nil, report)
			continue
		}
		for _, spec := range decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
				for i, value := range v.Values {
					object := c.info.Defs[v.Names[i]]
					if lit, ok := value.(*ast.CompositeLit); ok {
						literals[object] = lit
					}
					c.literals(value, name+v.Names[i].Name, object, report)
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 2 && len(a.Rhs) == 1 {
			if index, ok := a.Rhs[0].(*ast.IndexExpr); ok {
				commaOK[index] = true
			}
		}
		if args := c.enumCall(n, "Name"); args != nil {
			if v := c.object(args[0]); v == nil || c.full[v] == nil && !c.isFull(v) {
				report(c.pkg.Name()+"."+types.ExprString(args[0]), n.Pos(), "gives names without enum.Full")
			}
		}
		index, ok := n.(*ast.IndexExpr)
		if !ok || commaOK[index] || c.info.Types[index].Value != nil {
			return true
		}
		c.indexed(index, report)
		return true
	})
}

func (c *checked) isFull(v types.Object) bool { _, ok := c.full[v]; return ok }

// indexed checks an index expression with an enumeration, on a variable of the package or on a literal.
func (c *checked) indexed(index *ast.IndexExpr, report func(string, token.Pos, string)) {
	of := enumeration(c.converted(index.Index))
	v := c.object(index.X)
	if of == nil || v == nil || c.isFull(v) {
		return
	}
	name := c.pkg.Name() + "." + v.Name()
	if named, ok := v.Type().(*types.Named); ok {
		name = c.pkg.Name() + "." + named.Obj().Name()
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Map:
		if basic, ok := t.Elem().Underlying().(*types.Basic); !ok || basic.Kind() != types.Bool {
			if lit := c.literalOf(v); lit != nil && len(c.missing(lit, of, nil)) > 0 {
				report(name, index.Pos(), fmt.Sprintf("is read without asking whether there is an entry, and has none for %s",
					few(c.missing(lit, of, nil))))
			}
		}
	case *types.Array, *types.Slice:
		if c.literalOf(v) != nil {
			report(name, v.Pos(), fmt.Sprintf("is indexed by %v without enum.Full", of))
		}
	}
}

// literalOf returns the literal that initializes a variable of the package, or nil.
func (c *checked) literalOf(v types.Object) (lit *ast.CompositeLit) {
	for _, file := range c.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, id := range spec.Names {
					if c.info.Defs[id] == v && i < len(spec.Values) {
						lit, _ = spec.Values[i].(*ast.CompositeLit)
					}
				}
			}
			return lit == nil
		})
	}
	return lit
}

// literals checks the array literals in n whose keys are an enumeration: they must have all of its values, and no
// explicit length. v is the variable that n initializes.
func (c *checked) literals(n ast.Node, table string, v types.Object, report func(string, token.Pos, string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) == 0 {
			return true
		}
		typ := c.info.Types[lit].Type
		array, ok := typ.Underlying().(*types.Array)
		first, keyed := lit.Elts[0].(*ast.KeyValueExpr)
		if !ok || !keyed {
			return true
		}
		of := enumeration(c.info.Types[first.Key].Type)
		if of == nil {
			return true
		}
		name := table
		if named, ok := typ.(*types.Named); ok {
			name = c.pkg.Name() + "." + named.Obj().Name()
		}
		var zero []exact.Value
		if v != nil && c.literalOf(v) == lit {
			zero = c.full[v]
			if !c.isFull(v) {
				report(name, lit.Pos(), fmt.Sprintf("is indexed by %v without enum.Full", of))
			}
		}
		if missing := c.missing(lit, of, zero); len(missing) > 0 {
			report(name, lit.Pos(), "has no entry for "+few(missing))
		}
		if last := valuesOf(of); array.Len() != last[len(last)-1].number+1 {
			report(name, lit.Pos(), fmt.Sprintf("has the length %d, but the last value of %v is %d", array.Len(), of,
				last[len(last)-1].number))
		}
		return true
	})
}

// converted returns the type of an index before its conversion to another type.
func (c *checked) converted(e ast.Expr) types.Type {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && c.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		e = call.Args[0]
	}
	if _, computed := ast.Unparen(e).(*ast.BinaryExpr); computed {
		return nil
	}
	return c.info.Types[e].Type
}

// missing returns the values of an enumeration that are neither keys of lit nor in zero.
func (c *checked) missing(lit *ast.CompositeLit, of *types.Named, zero []exact.Value) (names []string) {
	has := zero
	for _, e := range lit.Elts {
		if e, ok := e.(*ast.KeyValueExpr); ok {
			has = append(has, c.info.Types[e.Key].Value)
		}
	}
	for _, v := range valuesOf(of) {
		if !slices.ContainsFunc(has, func(k exact.Value) bool { n, _ := exact.Int64Val(k); return n == v.number }) {
			names = append(names, v.name)
		}
	}
	return names
}

// few returns the first few names as text.
func few(names []string) string {
	if len(names) > 8 {
		names = append(slices.Clip(names[:8]), fmt.Sprintf("and %d more", len(names)-8))
	}
	return strings.Join(names, ", ")
}

type enumValue struct {
	name   string
	number int64
}

// count matches the name of a constant that is the number of values in an enumeration.
var count = regexp.MustCompile(`^[nN]um[A-Z]`)

// valuesOf returns the values of an enumeration in their order.
func valuesOf(of *types.Named) (all []enumValue) {
	scope := of.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if k, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(k.Type(), of) && !count.MatchString(name) {
			n, _ := exact.Int64Val(k.Val())
			all = append(all, enumValue{name, n})
		}
	}
	slices.SortFunc(all, func(a, b enumValue) int { return int(a.number - b.number) })
	return all
}

// enumeration returns t if it is a type of this module with consecutive constants, and nil otherwise.
func enumeration(t types.Type) *types.Named {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !strings.HasPrefix(named.Obj().Pkg().Path(), module) {
		return nil
	}
	if basic, ok := named.Underlying().(*types.Basic); !ok || basic.Info()&types.IsInteger == 0 {
		return nil
	}
	all := valuesOf(named)
	if len(all) < 2 || all[len(all)-1].number-all[0].number >= int64(len(all)) {
		return nil
	}
	return named
}
